"""The rules that players get by mail: there for every game, alike in both languages, with moves that can be read, true
to the code where they name figures, and harmless when they are quoted."""

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import Field, fields, replace
from functools import cache
from html import unescape
from typing import Any

import pytest

from moderator.common.disk import LANGUAGES
from moderator.common.errors import OperatorError
from moderator.common.message_files import RulesSection, RulesText
from moderator.conformance.mails import list_orders_in_lines
from moderator.conformance.notation import parse_mail_text
from moderator.games import OWN, folder, load_game
from moderator.language.messages import PACKAGE, has_sentence, load_rules_text, parse_rules_text, render_code
from moderator.render.text import render_prose, wrap_text
from moderator.rules.orders.parse import list_alternatives
from moderator.rules.shuffling import keep_order
from moderator.rules.state import Context, View, view_for
from moderator.rules.words import AnyWords

KEYS = sorted(OWN)
HOW = {"de": "So schreibst du es", "en": "How you write it", "fr": "Comment tu l’écris"}
"""All that stands in quotation marks below it is a move."""
MISSING = {
    "de": "Wenn keine Mail von dir kommt", "en": "If no mail of yours comes", "fr": "Si tu n’envoies rien",
}  # fmt: skip
QUOTED = re.compile("(?:[»“]|«[ \u00a0])([^«»“”]*?)(?:[«”]|[ \u00a0]»)")

TRIANGLES = {"(0,-1)": "111", "(0,0)": "311", "(0,1)": "303", "(1,1)": "333", "(1,-1)": "121"}
FIXED: dict[str, dict[str, Any]] = {
    "dominos": {"racks": [["64", "31"], ["50"]], "board": ["66", "62@L", "63@R", "32@R", "24@R"]},
    "tridom": {"racks": [["133", "455"], ["000"]], "board": TRIANGLES},
    "supertridom": {"racks": [["133", "455"], ["000"]], "board": TRIANGLES},
}
"""Positions in which an example that is read by what lies on the table has its meaning; elsewhere it is the deal."""


@cache
def table(key: str) -> View[Any]:
    """What the first to move sees, with every tile of the game in hand: more lines are moves then than ever."""
    game = load_game(key)
    context = Context(AnyWords(), keep_order)
    state = game.setup(game.min_seats, game.options(), context, FIXED.get(key)).state
    dealt = game.setup(game.min_seats, game.options(), context).state
    every = tuple(sorted({*dealt.stock, *(tile for hand in dealt.hands for tile in hand)}))
    return replace(view_for(state, state.to_move[0]), hand=every)


def orders(found: Iterable[str], key: str) -> list[str]:
    """What would be taken out of these lines: commands and moves."""
    return list_orders_in_lines(load_game(key), table(key), found)


def lines(rules: RulesText) -> Iterator[str]:
    """As a mail sets them out."""
    yield rules.title
    for section in rules.sections:
        yield from ("", section.heading)
        for block in section.blocks:
            yield ""
            yield from [block] if isinstance(block, str) else [f"- {item}" for item in block]


def body(section: RulesSection) -> str:
    return "\n".join(line for block in section.blocks for line in ([block] if isinstance(block, str) else block))


def how(key: str, language: str) -> RulesSection:
    (section,) = [s for s in load_rules_text(key, language).sections if s.heading == HOW[language]]
    return section


def examples(key: str, language: str) -> list[str]:
    return QUOTED.findall(body(how(key, language)))


WRITTEN = [
    (key, language) for key in KEYS for language in LANGUAGES if load_rules_text(key, language).language == language
]
"""In which languages there are rules: a further one need not have them of every game (tests/test_third_language.py)."""
texts = pytest.mark.parametrize(("key", "language"), WRITTEN)


@texts
def test_every_game_has_its_rules_under_its_own_name(key: str, language: str) -> None:
    rules = load_rules_text(key, language)
    assert rules.title == render_code("name", language, key)
    assert [section.heading for section in rules.sections if not section.blocks] == []
    assert [section.heading for section in rules.sections][-1] == MISSING[language]


def test_no_file_of_rules_is_left_over() -> None:
    there = {path.relative_to(PACKAGE / "games").as_posix() for path in (PACKAGE / "games").rglob("rules.*.md")}
    assert there == {f"{folder(key).name}/rules.{key}.{language}.md" for key, language in WRITTEN}
    assert {*itertools.product(KEYS, HOW)} >= {*WRITTEN} >= {*itertools.product(KEYS, ("de", "en"))}


@pytest.mark.parametrize("key", KEYS)
def test_all_languages_have_the_same_shape_and_show_the_same_moves(key: str) -> None:
    spoken = [language for other, language in WRITTEN if other == key]
    shapes = [
        [[len(block) if isinstance(block, tuple) else 0 for block in section.blocks] for section in rules.sections]
        for rules in (load_rules_text(key, language) for language in spoken)
    ]
    assert shapes == [shapes[0]] * len(shapes)
    assert len(shapes[0]) == 7
    game, view = load_game(key), table(key)
    shown = [[game.format_move(game.parse_move(one, view)) for one in examples(key, language)] for language in spoken]
    assert shown == [shown[0]] * len(shown)


@texts
def test_every_example_is_a_move_of_the_game(key: str, language: str) -> None:
    game, view = load_game(key), table(key)
    found = examples(key, language)
    assert len(found) >= 4
    for example in found:
        move = game.parse_move(example, view)
        assert game.parse_move(game.format_move(move), view) == move
        assert orders([example], key) == [example]


@texts
def test_what_fallbacks_and_standing_orders_there_are_is_told(key: str, language: str) -> None:
    game, view = load_game(key), table(key)
    found = examples(key, language)
    shown = [game.parse_move(example, view) for example in found]
    assert any(map(game.is_standing_order, shown)) == has_sentence("no-draw", language, key)
    assert any(getattr(move, "at_least", None) for move in shown) == hasattr(shown[0], "at_least")
    marker = {"de": "sonst", "en": "else", "fr": "sinon"}[language]
    (told,) = [line for line in body(how(key, language)).splitlines() if re.search(rf"\b{marker}\b", line)]
    pair = QUOTED.findall(told)
    assert [a.text for a in list_alternatives(f" {marker} ".join(pair), game.style)] == pair
    assert len(pair) == (0 if key == "presto" else 2)


def as_text(rules: RulesText) -> list[str]:
    return wrap_text("\n".join(lines(rules)), 72).splitlines()


def unbroken(rules: RulesText) -> Iterator[list[str]]:
    """Of each paragraph of an HTML mail the parts that no program breaks, blanks in them as NUL."""
    for line in lines(rules):
        html = unescape(str(render_prose(line.removeprefix("- "))))
        yield html.replace("\u00a0", "\x00").split()


def pieces(rules: RulesText) -> Iterator[str]:
    """Whatever may come to stand on a line, however wide it is: all runs of such parts that end with the paragraph, or
    that are long enough for a program to break behind them."""
    for words in unbroken(rules):
        for first, last in itertools.combinations(range(len(words) + 1), 2):
            piece = " ".join(words[first:last])
            fits_no_more = last == len(words) or len(piece) + len(words[last]) >= NARROWEST
            if len(piece) <= WIDEST and fits_no_more:
                yield piece.replace("\x00", " ")


NARROWEST, WIDEST = 40, 100


@pytest.mark.slow
@texts
def test_no_line_is_a_move_of_its_game_however_it_is_wrapped(key: str, language: str) -> None:
    found = list(dict.fromkeys(pieces(load_rules_text(key, language))))
    assert len(found) > 2000
    assert [line for line in [*found][::4] if parse_mail_text(load_game(key), table(key), line).orders] == []


@pytest.mark.slow
@pytest.mark.parametrize("key", KEYS)
def test_no_line_is_an_order_of_another_game(key: str) -> None:
    found = {line for other, language in WRITTEN for line in as_text(load_rules_text(other, language))}
    assert len(found) > 900
    assert [line for line in sorted(found)[::8] if orders([line], key)] == []


def test_paragraphs_lists_and_headings_are_read() -> None:
    text = "# Spiel\n\n## Eins\n\nErste\nZeile.\n\n- a\n- b\n  c\n\n## Zwei\n\nEnde »64@L«.\n"
    sections = (RulesSection("Eins", ("Erste Zeile.", ("a", "b c"))), RulesSection("Zwei", ("Ende »64@L«.",)))
    assert parse_rules_text(text, "x.md") == RulesText("Spiel", sections)


def test_another_shape_and_rules_that_are_missing_are_an_error() -> None:
    for text in (
        "",
        "Spiel",
        "## Eins\n\nx",
        "# Spiel\n\nx",
        "# Spiel\n\n## Eins\n\n### Zwei",
        "# Spiel\n\n## Eins\n\nx\n- y",
    ):
        with pytest.raises(OperatorError, match=r"x\.md"):
            parse_rules_text(text, "x.md")
    with pytest.raises(OperatorError, match="no game 'chess'"):
        load_rules_text("chess", "de")
    with pytest.raises(OperatorError, match=re.escape("'../de'")):
        load_rules_text("dominos", "../de")


UNTOLD = {"pace", "policy", "unknown_words", "claims", "tiles", "rack_size", "common_rack"}
"""Options that the rules say nothing of: the mails of the match do."""


def other_values(field: Field[Any], usual: Any) -> list[Any]:
    """Values of an option that are not the usual one."""
    kind = str(field.type)
    if kind == "bool":
        return [not usual]
    if kind.startswith("int"):
        return [(usual or 0) + 3]
    return [value for value in re.findall(r"'([\w-]+)'", kind) if value != usual]


def options_told() -> list[tuple[str, str, str, Any]]:
    """(game, language, option, an unusual value)."""
    return [
        (key, language, field.name, value)
        for key, language in WRITTEN
        for field in fields(load_game(key).options())
        if field.name not in UNTOLD
        for value in other_values(field, getattr(load_game(key).options(), field.name))
    ]


@pytest.mark.parametrize(("key", "language", "option", "value"), options_told())
def test_the_rules_of_a_match_say_what_was_agreed(key: str, language: str, option: str, value: Any) -> None:
    paces = re.findall(
        r"'(\w+)'", str(next(one.type for one in fields(load_game(key).options()) if one.name == "pace"))
    )
    usual = [load_rules_text(key, language, {"pace": pace}) for pace in paces]
    agreed = [load_rules_text(key, language, {"pace": pace, option: value}) for pace in paces]
    assert agreed != usual, "no sentence depends on it"
    if isinstance(value, int) and not isinstance(value, bool) and value > 12:
        assert re.search(rf"\b{value}\b", str(agreed)), "the number is named"


OTHERWISE = re.compile(
    r"nicht anders (?:vereinbart|ausgemacht)|unless agreed|otherwise agreed|sauf (?:accord|convention)"
)


@pytest.mark.parametrize(("key", "language"), WRITTEN)
def test_the_rules_of_a_match_do_not_speak_of_what_could_be_agreed(key: str, language: str) -> None:
    assert not OTHERWISE.search(str(load_rules_text(key, language, {})))
