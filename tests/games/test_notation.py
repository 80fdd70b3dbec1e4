"""How people write their moves: one canonical notation for each game, and everything that is written instead of it.

The tables are in written.py; Presto has a file of its own.
"""

import time

import pytest

from moderator.common.errors import Ambiguous, PlayerError, Unreadable
from moderator.conformance.notation import parse_mail_text
from moderator.games.topwords.rules import GAME as TOPWORDS
from moderator.games.topwords.state import LetterExchange, TopwordsPlacement
from moderator.games.typdom.recht_state import RechtPass as RechtPass
from moderator.rules.orders import parse
from moderator.rules.orders.conditions import AfterDraw
from moderator.rules.state import View
from tests.games.written import GAMES


@pytest.mark.parametrize(
    ("key", "canonical"), [(key, canonical) for key, written in GAMES.items() for canonical in written.read]
)
def test_a_move_is_read_however_it_is_written(key: str, canonical: str) -> None:
    written = GAMES[key]
    assert written.canonical(canonical) == canonical
    move = written.game.parse_move(canonical, written.view)
    assert written.game.is_standing_order(move) == isinstance(move, AfterDraw)
    for line in written.read[canonical]:
        assert written.canonical(line) == canonical, line
        if key == "domijongg":
            assert written.canonical(line.upper()) == written.canonical(line.lower()) == canonical, line


@pytest.mark.parametrize(
    ("key", "code"), [(key, code) for key, written in GAMES.items() for code in written.unreadable]
)
def test_what_cannot_be_read_is_answered(key: str, code: str) -> None:
    written = GAMES[key]
    for line in written.unreadable[code]:
        with pytest.raises(Unreadable) as raised:
            written.game.parse_move(line, written.view)
        assert raised.value.code == code, line
        assert raised.value.params["line"].rstrip("…") in line
        assert written.named.get(line, {}).items() <= raised.value.params.items()


@pytest.mark.parametrize("key", [key for key, written in GAMES.items() if written.ambiguous])
def test_two_readings_are_both_named(key: str) -> None:
    written = GAMES[key]
    for line, readings in written.ambiguous.items():
        with pytest.raises(Ambiguous) as raised:
            written.game.parse_move(line, written.view)
        assert (raised.value.params["line"], raised.value.params["readings"]) == (line, readings)


@pytest.mark.parametrize(("key", "mail"), [(key, mail) for key, written in GAMES.items() for mail in written.mails])
def test_the_orders_in_a_mail(key: str, mail: str) -> None:
    written = GAMES[key]
    sheet = parse_mail_text(written.game, written.view, mail)
    assert [line.canonical for line in sheet.orders] == written.mails[mail]
    assert sheet.errors == ()
    split = parse.list_alternatives(sheet.text, written.game.style)
    assert [written.canonical(alternative.text) for alternative in split] == written.mails[mail]


@pytest.mark.parametrize("key", GAMES)
def test_what_was_meant_as_a_move_is_told_from_chat(key: str) -> None:
    written = GAMES[key]
    for line in written.meant:
        assert {one.status for one in parse_mail_text(written.game, written.view, line).lines} & {"move", "error"}, line
    for line in written.chat:
        assert {one.status for one in parse_mail_text(written.game, written.view, line).lines} == {"text"}, line


@pytest.mark.parametrize("key", GAMES)
@pytest.mark.parametrize(
    "line",
    [
        "den " * 49, "225 " * 49, "2-" * 99, "ich lege " * 22, "an platz " * 22, "( " * 99, "2 2 5 " * 33, "= " * 99,
        "\ufdfa" * 1000, "a" + "\u0301\u0316" * 499, "(" * 1000, "(" * 500 + ")" * 500, "E5 " * 333, "1" * 1000,
        "E5w" * 333, "=," * 500, "\u202e" * 1000, "\ud800" * 900, "𒐫" * 1000, "x" * 1_000_000, "\x00" * 1000,
        "ﬃ" * 900, "kaufe " + "rot " * 300, "tausche " * 150, "vorn " + "S + " * 300, "hinten (" * 150, "E an " * 250,
    ],
    ids=lambda line: ascii(line[:8]),
)  # fmt: skip
def test_hostile_lines_are_refused_at_once(key: str, line: str) -> None:
    start = time.process_time()
    with pytest.raises(PlayerError):
        GAMES[key].game.parse_move(line, GAMES[key].view)
    assert time.process_time() - start < 0.5


def test_all_of_a_rack_of_topwords_is_exchanged() -> None:
    view = GAMES["topwords"].view
    for line in ("tausche alles", "exchange all"):
        other = View(0, view.public, tuple("QQRSTXY"), (7, 7), 86, (0, 0), (0,))
        assert TOPWORDS.parse_move(line, other) == LetterExchange(tuple("QQRSTXY"))
    nobody = View(None, view.public, (), (4, 2), 0, (0, 0), (0,))
    assert TOPWORDS.parse_move("E5 w HAUS", nobody) == TopwordsPlacement("E5", "w", "HAUS")
    with pytest.raises(Unreadable, match="exchange-no-letters"):
        TOPWORDS.parse_move("tausche alle", nobody)
