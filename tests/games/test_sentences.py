"""The sentences of every registered game: all its codes have one in both languages, none is left over, options are
described in them and in the rules, what they quote can be read, and none is a move itself.

What is special about one game's sentences stands in ``test_<game>_messages.py``.
"""

from __future__ import annotations

import ast
import dataclasses
import re
import tomllib
import typing
from functools import cache
from pathlib import Path

import pytest

import moderator
from moderator.errors import PlayerError
from moderator.games import REGISTRY, folder, load
from moderator.match import orders
from moderator.match.contract import Context, Note
from moderator.match.rng import unshuffled
from moderator.match.words import AnyWords
from moderator.pages.mail import folder as templates
from moderator.pages.messages import known, sentence, table
from moderator.texts import READ
from tests.games.misses import SAID_FOR_A_MISS
from tests.games.test_contract import TABLES, a_match
from tests.games.test_rules_text import table as view_of
from tests.slow import examples

KEYS = sorted(REGISTRY)
LANGUAGES = ("de", "en")
OURS = ("name", "stock", "example")
"""Codes that mails ask for by themselves, as they do for ``how-to-1`` and on, and files to fill in for ``form-…``."""

games = pytest.mark.parametrize("key", KEYS)
languages = pytest.mark.parametrize("language", LANGUAGES)


@cache
def file(key: str, language: str) -> dict[str, str]:
    """The sentences that lie beside the game's module; variants share them."""
    found = tomllib.loads((folder(key) / f"messages.{language}.toml").read_text(encoding="utf-8"))
    return {code: text for code, text in found.items() if code not in READ}


@cache
def source(key: str) -> str:
    """Of the game, and of what it may use of others; what its page to lay tiles on says, too."""
    ours = Path(moderator.__file__).parent
    files = [*folder(key).glob("*.py"), *(ours / "games").glob("*.py"), *(ours / "pages").rglob("*.py")]
    files += [*folder(key).glob("*.js"), ours / "site" / "zug.py", *(templates() / "site").glob("zug*")]
    return "\n".join(one.read_text(encoding="utf-8") for one in files)


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)", text))


def a_move(key: str) -> str:
    game = load(key)
    return game.format(next(iter(game.moves(view_of(key), Context(AnyWords(), unshuffled))))[0])


def plain(key: str, language: str) -> list[str]:
    """The game's own codes, as it speaks them."""
    variants = [f"{other}." for other in KEYS if folder(other) == folder(key)]
    own = [code.removeprefix(f"{key}.") for code in file(key, language)]
    return [code for code in own if "." not in code and not code.startswith(tuple(variants))]


@games
@languages
def test_whatever_looks_like_a_code_has_a_sentence(key: str, language: str) -> None:
    """Chosen in a table or passed on, not only where it is raised or noted (those: ``pages/test_messages.py``)."""
    variants = [other for other in KEYS if folder(other) == folder(key)]
    there = {code for other in variants for code in table(language, other)}
    there |= {code.rpartition(".")[2] for code in there if code.startswith("option.")}
    trees = [ast.parse(one.read_text(encoding="utf-8")) for one in sorted(folder(key).glob("*.py"))]
    texts = [node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    codes = {text for text in texts if isinstance(text, str) and re.fullmatch("[a-z]+(?:-[a-z0-9]+)+", text)}
    assert codes
    assert codes - there == set()


@pytest.mark.parametrize(("key", "pace"), TABLES)
@languages
def test_what_happens_in_a_match_is_told_without_gaps(key: str, pace: str, language: str) -> None:
    for seed in range(examples(8, 2)):
        for played in a_match(key, pace, seed).played:
            for note in (*played.step.notes, *played.step.after):
                assert known(note.code, language, key), note
                wanted = placeholders(table(language, key)[note.code]) - {"name"}
                assert wanted <= {*note.params, *note.params.get("why", ())}, note


@games
def test_no_sentence_is_left_over(key: str) -> None:
    spoken = source(key)
    own = [code for code in plain(key, "de") if code not in OURS and not code.startswith(("how-to-", "form-"))]
    own = [code.removesuffix("-several") for code in own]  # of one that a game speaks, see aftermath.py
    assert [code for code in own if f'"{code}"' not in spoken and code not in SAID_FOR_A_MISS] == []


@games
def test_both_languages_say_the_same(key: str) -> None:
    german, english = file(key, "de"), file(key, "en")
    assert list(german) == list(english)
    assert [code for code in german if placeholders(german[code]) != placeholders(english[code])] == []


@games
@languages
def test_every_option_and_its_values_are_described(key: str, language: str) -> None:
    there, options = table(language, key), load(key).options
    hints = typing.get_type_hints(options)
    for field in dataclasses.fields(options):
        if field.name != "pace":
            assert placeholders(there[f"option.{field.name}"]) & {"value", "count"}, field.name
        values = ["true", "false"] if hints[field.name] is bool else typing.get_args(hints[field.name])
        for value in values:
            assert not isinstance(value, str) or f"option.{field.name}.{value}" in there, (field.name, value)


@games
def test_the_rules_name_every_option_with_its_default(key: str) -> None:
    rules = (folder(key) / "RULES.md").read_text(encoding="utf-8").splitlines()
    for field in dataclasses.fields(load(key).options):
        rows = [row.split("|")[2] for row in rules if row.startswith(f"| `{field.name}` |")]
        assert any(f"`{str(field.default).lower()}`" in row for row in rows), field.name


@games
@languages
def test_what_is_quoted_can_be_read(key: str, language: str) -> None:
    game, view = load(key), view_of(key)
    sentences = table(language, key)
    own = [code.removeprefix(f"{key}.") for code in file(key, language)]
    examples_of = [code for code in own if code.startswith("example.") and code != "example.fallback"]
    assert examples_of
    for code in examples_of:
        game.parse(sentences[code], view)
    for code in plain(key, language):
        for quoted in re.findall("[»“]([^«”]+)[«”]", sentences[code]):
            shown = (
                quoted.replace("{move}", a_move(key)) if "{move}" in quoted and code.startswith("how-to-") else quoted
            )
            for one in orders.split(shown, game.style) if "{" not in shown else ():
                game.parse(one.text, view)


@games
@languages
def test_no_sentence_is_a_move_itself(key: str, language: str) -> None:
    game, view = load(key), view_of(key)
    params = {"tile": view.hand[0], "tiles": list(view.hand[:2]), "count": 2, "points": 5, "round": 2, "total": 64}
    params |= {
        "items": [10, 5],
        "sum": 10,
        "limit": 200,
        "words": ["x"],
        "readings": [],
        "square": "T20",
        "word": "NAHT",
    }
    for code in plain(key, language):
        if code not in OURS and not code.startswith("zug-"):  # no mail says what the page does
            line = sentence(Note(code, params, seat=0), language, key, ["Anna", "Bert"])
            assert "{" not in line, code
            for text in (line, f"Anna: {line}"):
                with pytest.raises(PlayerError):
                    game.parse(text, view)
