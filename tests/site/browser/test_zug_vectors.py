"""One truth: the modules of the pages to lay tiles on allow, forbid, name and count what Python does."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from moderator.club import archive, board_page
from moderator.errors import PlayerError
from moderator.games import REGISTRY, load
from moderator.match import turn_data
from moderator.match.contract import Game, Step, view_for
from moderator.pages import notation
from moderator.pages.mail import folder as templates
from tests.site.browser import (
    vectors_domijongg,
    vectors_dominos,
    vectors_presto,
    vectors_recht,
    vectors_topwords,
    vectors_tridom,
    vectors_typdom,
)
from tests.site.browser.vectors import Family, Vector, turn_of

LEGAL, ILLEGAL = 1000, 300
FAMILIES = {
    "topwords": vectors_topwords.FAMILY,
    "dominos": vectors_dominos.FAMILY,
    "domijongg": vectors_domijongg.FAMILY,
    "tridom": vectors_tridom.FAMILY,
    "supertridom": vectors_tridom.FAMILY,
    "kreuzwort": vectors_typdom.FAMILIES["kreuzwort"],
    "point": vectors_typdom.FAMILIES["point"],
    "recht": vectors_recht.FAMILY,
    "presto": vectors_presto.FAMILY,
}
ASKED = """async ([shell, source, name, cases]) => {
    const { atLeast } = await import("data:text/javascript;base64," + shell);
    const family = (await import("data:text/javascript;base64," + source))[name];
    return cases.map(({turn, done, least, way}) => {
        let position = family.start(turn);
        for (const [what, ...given] of done) {
            const after = family[what](position, ...given);
            if (after.why) return after;
            position = after;
        }
        return done.length ? atLeast(family.judge(position, way), least) : family.standing(position);
    });
}"""


def chosen(game: str, family: Family) -> list[tuple[Vector, Step[object] | PlayerError]]:
    found: dict[bool, list[tuple[Vector, Step[object] | PlayerError]]] = {True: [], False: []}
    for vector in family.vectors(game):
        outcome = vector.played(load(game))
        kept, most = (found[False], ILLEGAL) if isinstance(outcome, PlayerError) else (found[True], LEGAL)
        if len(kept) < most:
            kept.append((vector, outcome))
        if (len(found[True]), len(found[False])) == (LEGAL, ILLEGAL):
            break
    return found[True] + found[False]


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    opened = chromium.new_page()
    yield opened
    opened.close()


def test_every_game_with_a_page_has_vectors() -> None:
    assert {game for game in REGISTRY if archive.board_page(game)} == FAMILIES.keys()


@pytest.mark.slow
@pytest.mark.parametrize("key", FAMILIES)
def test_the_page_allows_forbids_and_counts_what_python_does(page: Page, key: str) -> None:
    family, game, cases = FAMILIES[key], load(key), chosen(key, FAMILIES[key])
    asked = [
        {
            "turn": json.loads(turn_of(vector.state, key)),
            "done": [*vector.done, *(("put", *one) for one in vector.laid)],
            "least": vector.least,
            "way": vector.way,
        }
        for vector, _ in cases
    ]
    texts = [(templates() / "site" / "zug_tools.js").read_text(encoding="utf-8"), board_page.source(key)]
    sources = [b64encode(text.encode()).decode() for text in texts]
    answers = page.evaluate(ASKED, [*sources, family.exported, asked])
    codes, seen, differing = set(), set(), []
    for (vector, outcome), answer in zip(cases, answers, strict=True):
        if isinstance(outcome, PlayerError):
            codes.update([outcome.code, *(fault["code"] for fault in outcome.params.get("faults", ()))])
        else:
            seen.update(family.seen(vector, outcome))
        wanted, found = decided(family, vector, outcome), foretold(family, game, vector, answer)
        if wrong := [
            f"{what}: {found.get(what)!r}, not {wanted[what]!r}" for what in wanted if found.get(what) != wanted[what]
        ]:
            differing.append(f"{vector.move} of {vector.done} {vector.laid}: {'; '.join(wrong)}")
    assert not differing, f"{len(differing)} of {len(cases)} differ:\n" + "\n".join(differing[:3])
    assert codes == family.codes
    assert seen >= family.wanted


def decided(family: Family, vector: Vector, outcome: Step[object] | PlayerError) -> dict[str, object]:
    """What Python says of a move."""
    if isinstance(outcome, PlayerError):
        told = family.params and vector.code is None
        return {"why": vector.code or outcome.code, **({"params": dict(outcome.params)} if told else {})}
    notes = [*outcome.notes, *(note for note in outcome.after if note.code in family.ends)]
    return {
        "move": vector.move,
        "move in English": vector.move,
        "points": outcome.points,
        "points as read": outcome.points,
        "notes": [(note.code, dict(note.params)) for note in notes if note.code in family.bonuses | family.ends],
        **({"words": outcome.detail["words"]} if "words" in outcome.detail else {}),
    }


def foretold(family: Family, game: Game[object, object], vector: Vector, answer: dict[str, Any]) -> dict[str, object]:
    """The same of what the page says, its text as the game reads it."""
    if "why" in answer:
        return answer
    view = view_for(vector.state, 0)
    try:
        read = game.parse(answer["text"], view)
        english = game.parse(notation.in_words(answer["text"], "en", game.key), view)
        points = game.apply(vector.state, 0, read, turn_data.CONTEXT).points
    except PlayerError as error:
        return {"move": f"{answer['text']}: {error.code}"}
    notes = [(note["code"], note["params"]) for note in answer["notes"]]
    return {
        "move": read,
        "move in English": english,
        "points": answer["points"],
        "points as read": points,
        "notes": [note for note in notes if note[0] in family.bonuses | family.ends],
        "words": answer.get("words"),
    }
