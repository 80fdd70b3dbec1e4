"""One truth: the modules of the pages to lay tiles on allow, forbid, name and count what Python does."""

import json
from typing import Any

import pytest
from playwright.sync_api import Browser

from moderator.common.errors import PlayerError
from moderator.games import REGISTRY, load_game
from moderator.language import messages, traits
from moderator.rules import turn_data
from moderator.rules.state import view_for
from tests.site.browser.vectors import Family, Vector, ask_module, list_seen, turn_of
from tests.site.browser.vectors_words import FAMILIES

LEGAL, ILLEGAL = 1000, 300
ASKED = """({turn, done, least, way}) => {
    let position = family.start(turn);
    for (const [what, ...given] of done) {
        const after = family[what](position, ...given);
        if (after.why) return after;
        position = after;
    }
    return done.length ? atLeast(family.judge(position, way), least) : family.standing(position);
}"""


def choose(family: Family, key: str) -> list[Vector]:
    """So many legal and so many illegal ones."""
    legal, illegal = list[Vector](), list[Vector]()
    for vector in family.vectors(key):
        kept, most = (illegal, ILLEGAL) if isinstance(vector.outcome, PlayerError) else (legal, LEGAL)
        if len(kept) < most:
            kept.append(vector)
        if (len(legal), len(illegal)) == (LEGAL, ILLEGAL):
            break
    return legal + illegal


def test_every_game_with_a_page_has_vectors() -> None:
    """But for those whose turns list all legal moves."""
    paged = {game for game in REGISTRY if traits.find_board_page(game)}
    assert {game for game in paged if not load_game(game).pictured} == FAMILIES.keys()


@pytest.mark.matrix("browser rules", seconds=4)
@pytest.mark.parametrize("key", FAMILIES)
def test_the_page_allows_forbids_and_counts_what_python_does(chromium: Browser, key: str) -> None:
    differing, codes, seen = compare(chromium, FAMILIES[key], key)
    assert not differing, f"{len(differing)} differ:\n" + "\n".join(differing[:3])
    assert codes == FAMILIES[key].codes
    assert seen >= FAMILIES[key].wanted


def compare(chromium: Browser, family: Family, key: str) -> tuple[list[str], set[str], set[str]]:
    """Where page and Python differ, why moves are illegal, and what the legal ones have come across."""
    codes, seen, differing, cases = set[str](), set[str](), list[str](), choose(family, key)
    asked = [
        {
            "turn": json.loads(turn_data.encode_turn(turn_of(vector.state, key)) or b""),
            "done": [*vector.done, *(("put", *one) for one in vector.laid)],
            "least": vector.least,
            "way": vector.way,
        }
        for vector in cases
    ]
    for vector, answer in zip(cases, ask_module(chromium, key, ASKED, asked, family.exported), strict=True):
        if isinstance(vector.outcome, PlayerError):
            codes.update([vector.outcome.code, *(fault["code"] for fault in vector.outcome.params.get("faults", ()))])
        else:
            seen.update(list_seen(vector, vector.outcome))
        wanted, found = decided(family, vector), foretold(family, vector, answer)
        if wrong := [
            f"{what}: {found.get(what)!r}, not {wanted[what]!r}" for what in wanted if found.get(what) != wanted[what]
        ]:
            differing.append(f"{vector.move} of {vector.done} {vector.laid}: {'; '.join(wrong)}")
    return differing, codes, seen


def decided(family: Family, vector: Vector) -> dict[str, object]:
    """What Python says of a move."""
    outcome = vector.outcome
    if isinstance(outcome, PlayerError):
        if vector.code is None and outcome.code in family.blunt:
            return {"why": "zug-fits-not"}
        told = family.params and vector.code is None
        return {"why": vector.code or outcome.code, **({"params": dict(outcome.params)} if told else {})}
    notes = [(note.code, dict(note.params)) for note in outcome.notes if note.code in family.bonuses]
    notes += [(family.ends[note.code], dict(note.params)) for note in outcome.after if note.code in family.ends]
    return {
        "move": vector.move,
        "move in English": vector.move,
        "points": outcome.points,
        "points as read": outcome.points,
        "notes": notes,
        "words": family.words(outcome),
    }


def foretold(family: Family, vector: Vector, answer: dict[str, Any]) -> dict[str, object]:
    """The same of what the page says, its text as the game reads it."""
    if "why" in answer:
        return answer
    game, view = load_game(vector.key), view_for(vector.state, 0)
    try:
        read = game.parse_move(answer["text"], view)
        english = game.parse_move(messages.translate_move(answer["text"], "en", game.key), view)
        points = game.apply_move(vector.state, 0, read, turn_data.CONTEXT).points
    except PlayerError as error:
        return {"move": f"{answer['text']}: {error.code}"}
    compared = family.bonuses | {*family.ends.values()}
    return {
        "move": read,
        "move in English": english,
        "points": answer["points"],
        "points as read": points,
        "notes": [(note["code"], note["params"]) for note in answer["notes"] if note["code"] in compared],
        "words": answer.get("words") or [],
    }
