"""Every code that Tridom speaks has a sentence in both languages, every option a description, every order reads."""

from __future__ import annotations

import dataclasses
import re
import tomllib
import typing
from pathlib import Path

import pytest

import moderator.games.tridom as package
from moderator.engine.contract import view_for
from moderator.games.tridom.state import Options
from moderator.render import boards
from moderator.render.messages import say, table
from tests.games.misses import SAID_FOR_A_MISS
from tests.games.tridom_table import GAME, SUPER, Tridom, context

FOLDER = Path(package.__file__ or "").parent
BOARD = Path(boards.__file__ or "").parent / "tridom" / "text.py"
SOURCE = "\n".join(file.read_text(encoding="utf-8") for file in sorted(FOLDER.glob("*.py")))
CODES = set(re.findall(r"\b(?:Illegal|Unreadable|Note)\(\s*\"([a-z-]+)\"", SOURCE)) | set(
    re.findall(r"(?:code = |\(|else )\"((?:bonus|does-not-fit|cannot|passed)[a-z-]*)\"", SOURCE)
)
CODES |= SAID_FOR_A_MISS
ENGINE = {"game-over", "not-your-turn"}
"""Codes whose sentences the engine has."""
LABELS = set(re.findall(r"\"(board\.[a-z]+)\"", BOARD.read_text(encoding="utf-8")))
OWN = {"name", "stock", "example", "how-to-1", "how-to-2", "how-to-3", "how-to-4"}


def sentences(language: str) -> dict[str, str]:
    return tomllib.loads((FOLDER / f"messages.{language}.toml").read_text(encoding="utf-8"))


def placeholders(sentence: str) -> set[str]:
    return set(re.findall(r"\{(\w+)", sentence))


def test_the_source_was_searched() -> None:
    assert {"bonus-bridge", "bonus-sides", "does-not-fit-up", "does-not-fit-down", "cannot-lay", "passed"} <= CODES
    assert {"no-such-place", "sum-rests", "tied", "taken", "no-draw", "missed", "bonus-hexagon"} <= CODES
    assert {"board.alt", "board.three", "board.two"} <= LABELS


@pytest.mark.parametrize("language", ["de", "en"])
def test_every_code_has_a_sentence(language: str) -> None:
    assert (CODES | LABELS) - set(sentences(language)) - ENGINE == set()


@pytest.mark.parametrize("language", ["de", "en"])
def test_no_sentence_is_left_over(language: str) -> None:
    own = sentences(language)
    assert {code for code in own if "." not in code} - CODES - OWN == set()
    assert {code for code in own if code.startswith("board.")} == LABELS


def test_both_languages_say_the_same() -> None:
    german, english = sentences("de"), sentences("en")
    assert list(german) == list(english)
    for code, sentence in german.items():
        assert placeholders(sentence) == placeholders(english[code]), code


@pytest.mark.parametrize("language", ["de", "en"])
def test_every_option_is_described(language: str) -> None:
    known = sentences(language)
    hints = typing.get_type_hints(Options)
    for field in dataclasses.fields(Options):
        assert f"option.{field.name}" in known
        for value in typing.get_args(hints[field.name]):
            assert f"option.{field.name}.{value}" in known


@pytest.mark.parametrize("language", ["de", "en"])
def test_the_variant_has_a_name_and_a_way_to_read_of_its_own(language: str) -> None:
    assert (say("name", language, "tridom"), say("name", language, "supertridom")) == ("Tridom", "SuperTridom")
    assert "132" in table(language, "supertridom")["how-to-2"]
    assert "132" not in table(language, "tridom")["how-to-2"]


@pytest.mark.parametrize("language", ["de", "en"])
@pytest.mark.parametrize("game", [GAME, SUPER], ids=["tridom", "supertridom"])
def test_examples_can_be_read(language: str, game: Tridom) -> None:
    view = _grown(game)
    for code, sentence in table(language, game.key).items():
        if code not in sentences(language):
            continue
        if code.startswith("example"):
            game.parse(sentence, view)
        for quoted in re.findall("»([^«]+)«", sentence):
            game.parse(quoted.replace("{move}", "225@8"), view)


def _grown(game: Tridom) -> typing.Any:
    """A view of a table with more than thirty places."""
    ctx = context(1)
    state = game.setup(2, Options(), ctx).state
    while len(state.public.board.cells) < 30:
        move = next(iter(game.moves(view_for(state, state.to_move[0]), ctx)))[0]
        state = game.apply(state, state.to_move[0], move, ctx).state
    return view_for(state, state.to_move[0])


@pytest.mark.parametrize("language", ["de", "en"])
def test_every_sentence_is_filled_by_what_the_rules_say(language: str) -> None:
    """In whole matches no note leaves a gap."""
    for game in (GAME, SUPER):
        for seed in range(6):
            ctx = context(seed)
            step = game.setup(2 + seed % 5, Options(target=150), ctx)
            notes = [*step.notes]
            while not step.state.over:
                seat = step.state.to_move[0]
                best = max(game.moves(view_for(step.state, seat), ctx), key=lambda found: found[1])[0]
                step = game.apply(step.state, seat, best, ctx)
                notes += [*step.notes, *step.after]
            for note in notes:
                params = {key: value for key, value in note.params.items() if key != "seats"}
                wanted = placeholders(table(language, game.key)[note.code]) - {"seats"}
                assert wanted <= params.keys(), note.code
                assert "{" not in say(note.code, language, game.key, **params)


def test_the_rules_name_every_option_with_its_default() -> None:
    rules = (FOLDER / "RULES.md").read_text(encoding="utf-8")
    for field in dataclasses.fields(Options):
        row = next(line for line in rules.splitlines() if line.startswith(f"| `{field.name}` |"))
        assert f"`{field.default}`" in row.split("|")[2]
