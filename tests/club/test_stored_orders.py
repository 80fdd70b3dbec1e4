"""Orders before one's turn, standing orders and moves without a choice, by mail."""

from pathlib import Path
from typing import Any

import pytest

from moderator.rules.robots.choose import choose_robot_move
from moderator.rules.table import MatchState, preview_order, try_order
from moderator.service.create import get_player, set_player
from tests.club.club import Club, club_of, text
from tests.club.steps import (
    NAMES,
    NO_WORDS,
    TILE_GAMES,
    has_drawn,
    has_no_choice,
    mail_moves,
    moves_of,
    robot_move,
    seed_where,
)


@pytest.fixture
def club(tmp_path: Path) -> Club:
    return club_of(tmp_path, *NAMES)


def begun(club: Club, game: str, **how: Any) -> tuple[str, int, int]:
    """A match, its mails read: (code, seat to move, the other seat)."""
    code = club.start("Anna", "Bert", game=game, **how)
    club.skip_mails()
    seat = club.live(code).table.state.to_move[0]
    return code, seat, 1 - seat


def say(club: Club, code: str, seat: int, body: str) -> str:
    """A mail of a seat's, and the answer."""
    club.hand_in(NAMES[seat], code, seat, body)
    return next((text(mail) for mail in reversed(club.mails(NAMES[seat]))), "")


def orders(club: Club, code: str) -> dict[int, str]:
    return club.live(code).table.orders


def after_robot(game: Any, table: MatchState[Any]) -> MatchState[Any]:
    seat = table.state.to_move[0]
    return try_order(game, table, seat, choose_robot_move(game, table.state, seat, NO_WORDS), NO_WORDS)[0]


def hands_over(game: Any, table: MatchState[Any]) -> bool:
    """After the robot's move the other one is to move, has drawn nothing, and has a choice."""
    after = after_robot(game, table)
    if after.state.over or after.state.to_move == table.state.to_move or has_drawn(game, after):
        return False
    return len(moves_of(game, after, 2)) == 2


def ahead(game: Any, table: MatchState[Any]) -> list[str]:
    """Moves that the other seat can write now and play after the robot's move."""
    if not hands_over(game, table):
        return []
    moves = [game.format_move(move) for move, _ in moves_of(game, after_robot(game, table), 50)]
    seat = 1 - table.state.to_move[0]
    return [move for move in moves if preview_order(game, table, seat, move, NO_WORDS)[0].canonical == move]


@pytest.mark.parametrize("game", TILE_GAMES)
def test_an_order_that_is_not_possible_is_kept_until_another_move_is_played(club: Club, game: str) -> None:
    code, first, second = begun(club, game, seed=seed_where(hands_over, moves=0))
    move = robot_move(club, code)
    say(club, code, second, move)  # a tile that the other one holds
    assert orders(club, code) == {second: move}
    club.hand_in(NAMES[first], code, first, move)
    live = club.live(code)
    assert (live.table.orders, live.table.state.to_move) == ({second: move}, (second,))
    told, other = text(club.mail(NAMES[second])), text(club.mail(NAMES[first]))
    assert told.count("Jetzt geht das nicht") + told.count("Das geht nicht") == 1
    assert "Nicht möglich war" not in other, "what one had stored is nobody else's business"
    assert told.count(f"»{move}«") >= 2, "as the other's move, and as what was not possible"
    club.tick()
    assert club.row(code).entries == 2, "nothing is tried again while nothing happens"
    assert not club.mails()
    own = robot_move(club, code)
    say(club, code, second, own)
    assert club.live(code).last[second][0] == own
    assert second not in orders(club, code)


@pytest.mark.parametrize("game", TILE_GAMES)
def test_an_order_before_its_turn_is_played_when_it_comes(club: Club, game: str) -> None:
    code, first, second = begun(club, game, seed=seed_where(ahead, moves=0))
    live = club.live(code)
    order = ahead(live.game, live.table)[0]
    say(club, code, second, order)
    assert orders(club, code) == {second: order}
    assert f"»{order}«" in say(club, code, first, robot_move(club, code))
    assert f"»{order}«" in text(club.mails(NAMES[second])[-1])
    live = club.live(code)
    assert live.last[second][0] == order
    assert second not in live.table.orders


def test_an_order_that_is_put_off_is_tried_at_the_deadline(club: Club) -> None:
    code, other, seat = begun(club, "topwords")
    club.hand_in(NAMES[seat], code, seat, "passe\nwarten")
    club.hand_in(NAMES[other], code, other, club.moves(code, other)[0])
    assert club.live(code).table.orders == {seat: "passe"}
    club.skip_mails()
    club.let_pass(days=5)
    reminder = club.mail(NAMES[seat])
    assert str(reminder["Subject"]).startswith("Dein gespeicherter Zug wartet noch")
    assert "Von dir liegt noch kein Zug vor" not in text(reminder)
    club.let_pass(days=3)
    live = club.live(code)
    assert (live.last[seat][0], live.table.state.to_move) == ("passe", (other,))
    assert live.ledger.seats[seat].missed == 0


@pytest.mark.slow
@pytest.mark.parametrize("game", ["dominos", "tridom"])
def test_a_move_without_a_choice_is_played_for_those_who_want_it(club: Club, game: str) -> None:
    seed = seed_where(has_no_choice)
    code, _, _ = begun(club, game, seed=seed)
    seat = mail_moves(club, code, has_no_choice)
    assert club.live(code).table.state.to_move == (seat,), "by default nothing happens"
    other, _, _ = begun(club, game, seed=seed)
    for one in (0, 1):
        assert "Einzelzug ist an" in say(club, other, one, "Einzelzug an")
    for _ in range(12):
        entries, mover = club.row(other).entries, club.live(other).table.state.to_move[0]
        club.skip_mails()
        club.hand_in(NAMES[mover], other, mover, robot_move(club, other))
        if club.row(other).entries > entries + 1:
            break
    else:
        pytest.fail("no move was played by itself")
    for name in NAMES[:2]:
        said = text(club.mails(name)[-1])
        assert "war dein einziger möglicher Zug" in said or "Andere Züge gab es nicht" in said
        assert "Dein gespeicherter Zug" not in said


def test_a_word_game_has_always_a_choice(club: Club) -> None:
    with club.work() as work:
        set_player(work.session, get_player(work.session, "Bert"), auto_single=True)
    code = club.match("Anna", "Bert")
    say(club, code, 0, "passe")
    assert club.live(code).table.state.to_move == (1,)


def test_why_a_stored_move_is_not_possible_is_said_when_it_is_sent_and_when_its_turn_has_come(club: Club) -> None:
    code, seat, other = begun(club, "topwords")
    missing = next(letter for letter in "XYQJ" if letter not in club.live(code).table.state.hands[other])
    bad = f"E5 w {missing}AB"
    answer = say(club, code, other, bad)
    assert "auch später nicht" in answer
    assert "ZUG ZURÜCK" not in answer  # there is nothing worth taking back
    say(club, code, seat, club.moves(code, seat)[0])
    (turn,) = (text(mail) for mail in club.mails(NAMES[other]))
    assert turn.count(bad) == 1
    club.let_pass(days=6)
    (reminder,) = (text(mail) for mail in club.mails(NAMES[other]))
    assert bad not in reminder
    assert "war jetzt nicht möglich" in reminder
