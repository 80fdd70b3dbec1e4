"""Taking a move back by consent: what counts afterwards, and what ends the question."""

from __future__ import annotations

import pytest

from tests.club.club import Club, plain_boards, text

NAMES = ("Anna", "Bert", "Cici")


@pytest.fixture
def code(club: Club) -> str:
    plain_boards(club)
    code = club.match(*NAMES)
    club.tick()
    club.mails()
    return code


def say(club: Club, code: str, name: str, body: str) -> str:
    club.order(name, code, NAMES.index(name), body)
    club.tick()
    return next(text(mail) for mail in club.mails() if f"{name.lower()}@" in str(mail["To"]))


def move(club: Club, code: str, name: str, which: int = 0) -> str:
    played = club.moves(code, NAMES.index(name))[which]
    say(club, code, name, played)
    return played


def test_after_consent_the_match_is_as_it_was_before_the_move(club: Club, code: str) -> None:
    before = club.live(code).table
    move(club, code, "Anna")
    say(club, code, "Anna", "Rücknahme")
    say(club, code, "Bert", "agree")
    assert club.live(code).table.state != before.state
    say(club, code, "Cici", "einverstanden")
    after = club.live(code).table
    assert after.state == before.state
    assert after.asked is None
    assert "zählt" in say(club, code, "Anna", club.moves(code, 0)[1])


def test_orders_that_were_stored_before_the_move_hold_again(club: Club, code: str) -> None:
    say(club, code, "Cici", "E5 w HAUS")
    move(club, code, "Anna")
    say(club, code, "Anna", "undo")
    say(club, code, "Bert", "agree")
    say(club, code, "Cici", "agree")
    assert club.live(code).table.orders == {2: "E5 w HAUS"}


def test_a_stored_order_that_was_played_is_gone_with_its_move(club: Club, code: str) -> None:
    """Bert's order was played by itself; after it is taken back it must not be played again at once."""
    first = move_of(club, code, 0)
    say(club, code, "Bert", "passe")
    say(club, code, "Anna", first)
    assert club.live(code).table.state.to_move == (2,)
    say(club, code, "Bert", "undo")
    say(club, code, "Anna", "agree")
    say(club, code, "Cici", "agree")
    live = club.live(code)
    assert live.table.state.to_move == (1,)
    assert live.table.orders == {}


def move_of(club: Club, code: str, seat: int) -> str:
    return club.moves(code, seat)[0]


def test_the_next_move_ends_the_question(club: Club, code: str) -> None:
    move(club, code, "Anna")
    say(club, code, "Anna", "Rücknahme")
    move(club, code, "Bert")
    assert "bittet niemand" in say(club, code, "Cici", "einverstanden")


def test_a_refusal_ends_it(club: Club, code: str) -> None:
    move(club, code, "Anna")
    say(club, code, "Anna", "Rücknahme")
    say(club, code, "Bert", "refuse")
    assert "bittet niemand" in say(club, code, "Cici", "einverstanden")
    assert club.live(code).table.asked is None


def test_a_missed_turn_is_a_turn_of_somebody_else(club: Club, code: str) -> None:
    move(club, code, "Anna")
    club.wait(days=8, hours=2)
    club.tick()
    club.mails()
    assert club.live(code).table.state.to_move == (2,)
    assert "deinen eigenen Zug" in say(club, code, "Anna", "Rücknahme")


def test_who_has_left_need_not_agree(club: Club, code: str) -> None:
    say(club, code, "Cici", f"aufgeben {code}")
    move(club, code, "Anna")
    say(club, code, "Anna", "Rücknahme")
    say(club, code, "Bert", "agree")
    assert club.live(code).table.state.to_move == (0,)


def test_the_players_own_moves_before_it_stay(club: Club, code: str) -> None:
    for name in NAMES:
        move(club, code, name)
    score = club.live(code).table.state.scores
    move(club, code, "Anna")
    say(club, code, "Anna", "Rücknahme")
    say(club, code, "Bert", "agree")
    say(club, code, "Cici", "agree")
    assert club.live(code).table.state.scores == score


def test_it_cannot_be_asked_in_a_race(club: Club) -> None:
    plain_boards(club)
    code = club.match("Anna", "Bert", game="presto")
    club.tick()
    club.mails()
    assert "nichts zurückgenommen" in say(club, code, "Anna", "Rücknahme")
