"""Orders before one's turn, standing orders and moves without a choice, by mail."""

from itertools import islice
from typing import Any

import pytest
from sqlmodel import select

from moderator.match.contract import view_for
from moderator.match.robot import choose
from moderator.match.table import Table, preview, submit
from moderator.pages.messages import label
from moderator.play.create import find_player, set_player
from moderator.store.models import Player
from tests.club.club import Club, make_club, plain_boards, text
from tests.club.tile_club import (
    NAMES,
    NO_WORDS,
    TILE_GAMES,
    has_drawn,
    has_no_choice,
    has_not_drawn,
    mail_moves,
    robot_move,
    seed_where,
)

AFTER = "nach Ziehen: bester"


@pytest.fixture
def club(tmp_path: Any) -> Club:
    made = make_club(tmp_path)
    made.players(*NAMES)
    plain_boards(made)
    return made


def begun(club: Club, game: str, **how: Any) -> tuple[str, int, int]:
    """A match, its mails read: (code, seat to move, the other seat)."""
    code = club.match("Anna", "Bert", game=game, **how)
    club.tick()
    club.mails()
    seat = club.live(code).table.state.to_move[0]
    return code, seat, 1 - seat


def ahead(game: Any, table: Table[Any]) -> list[str]:
    """Moves that the other seat can write now and play after the robot's move."""
    if not hands_over(game, table):
        return []
    seat = table.state.to_move[0]
    after, _ = submit(game, table, seat, choose(game, table.state, seat, NO_WORDS), NO_WORDS)
    moves = [game.format(m) for m, _ in islice(game.moves(view_for(after.state, 1 - seat), NO_WORDS), 50)]
    seen = [preview(game, table, 1 - seat, move, NO_WORDS)[0] for move in moves]
    return [move for move, one in zip(moves, seen, strict=True) if one.canonical == move]


def can_write_ahead(game: Any, table: Table[Any]) -> bool:
    return bool(ahead(game, table))


def hands_over(game: Any, table: Table[Any]) -> bool:
    """After the robot's move the other one is to move, has drawn nothing, and has a choice."""
    seat = table.state.to_move[0]
    after, _ = submit(game, table, seat, choose(game, table.state, seat, NO_WORDS), NO_WORDS)
    if after.state.over or after.state.to_move == (seat,) or has_drawn(game, after):
        return False
    return len(list(islice(game.moves(view_for(after.state, 1 - seat), NO_WORDS), 2))) == 2


# ---- orders before one's turn ----


@pytest.mark.parametrize("game", TILE_GAMES)
def test_an_order_that_is_not_possible_when_its_turn_comes_is_kept(club: Club, game: str) -> None:
    code, first, second = begun(club, game, seed=seed_where(hands_over, moves=0))
    move = robot_move(club, code)
    club.order(NAMES[second], code, second, move)  # a tile that the other one holds
    club.tick()
    assert club.live(code).table.orders == {second: move}
    club.mails()
    club.order(NAMES[first], code, first, move)
    club.tick()
    live = club.live(code)
    assert (live.table.orders, live.table.state.to_move) == ({second: move}, (second,))
    told, other = text(club.mail(NAMES[second])), text(club.mail(NAMES[first]))
    assert label("no-legal-move", "de") in told
    assert label("no-legal-move", "de") not in other, "what one had stored is nobody else's business"
    assert told.count(f"»{move}«") >= 3, "as the other's move, as what was not possible, as what is kept"
    entries = club.row(code).entries
    assert entries == 2
    club.tick()
    assert club.row(code).entries == entries, "nothing is tried again while nothing happens"
    assert not club.mails()


@pytest.mark.parametrize("game", ["dominos", "tridom"])
def test_a_kept_order_outlasts_missed_turns_until_it_is_withdrawn(club: Club, game: str) -> None:
    code, _, second = begun(club, game, seed=seed_where(has_not_drawn, moves=0), terms={"abandon_after": 0})
    impossible = robot_move(club, code)
    club.order(NAMES[second], code, second, impossible)
    club.tick()
    for _ in range(3):
        club.wait(days=9)
        club.tick()
        assert club.live(code).table.orders == {second: impossible}
    club.order(NAMES[second], code, second, "ZURÜCKZIEHEN")
    club.tick()
    assert club.live(code).table.orders == {}


@pytest.mark.parametrize("game", TILE_GAMES)
def test_a_kept_order_is_forgotten_when_another_move_is_played(club: Club, game: str) -> None:
    code, first, second = begun(club, game, seed=seed_where(hands_over, moves=0))
    move = robot_move(club, code)
    for seat in (second, first):
        club.order(NAMES[seat], code, seat, move)
        club.tick()
    club.mails()
    own = robot_move(club, code)
    club.order(NAMES[second], code, second, own)
    club.tick()
    assert club.live(code).last[second][0] == own
    assert second not in club.live(code).table.orders


@pytest.mark.parametrize("game", TILE_GAMES)
def test_an_order_before_its_turn_is_played_when_it_comes(club: Club, game: str) -> None:
    code, first, second = begun(club, game, seed=seed_where(can_write_ahead, moves=0))
    move, live = robot_move(club, code), club.live(code)
    order = ahead(live.game, live.table)[0]
    club.order(NAMES[second], code, second, order)
    club.tick()
    assert club.live(code).table.orders == {second: order}
    club.mails()
    club.order(NAMES[first], code, first, move)
    club.tick()
    live = club.live(code)
    assert live.last[second][0] == order
    assert second not in live.table.orders
    for name in NAMES[:2]:
        assert f"»{order}«" in text(club.mails(name)[-1])


def test_a_refused_order_leaves_what_is_stored(club: Club) -> None:
    code, first, _ = begun(club, "tridom", seed=seed_where(has_not_drawn))
    club.order(NAMES[first], code, first, f"{AFTER}\n555@99")
    club.tick()
    assert club.live(code).table.orders == {first: AFTER}
    answer = text(club.mails(NAMES[first])[-1])
    assert "555@99" in answer
    assert AFTER in answer


# ---- orders that are put off ----


def put_off(club: Club) -> tuple[str, int, int]:
    """A match in which it has become a seat's turn that has stored a pass and written »warten«: (code, that seat, the
    other one); what it was sent then is still to be read."""
    code, first, second = begun(club, "topwords")
    club.order(NAMES[second], code, second, "passe\nwarten")
    club.tick()
    club.mails()
    club.order(NAMES[first], code, first, club.moves(code, first)[0])
    club.tick()
    assert club.live(code).table.orders == {second: "passe"}
    return code, second, first


def test_a_possible_order_that_is_put_off_is_told_to_wait_and_not_that_it_failed(club: Club) -> None:
    code, seat, _ = put_off(club)
    turn = club.mail(NAMES[seat])
    assert str(turn["Subject"]).startswith("Du bist am Zug, dein gespeicherter Zug wartet")
    club.order(NAMES[seat], code, seat, "Stand")
    club.tick()
    for told in (text(turn), text(club.mail(NAMES[seat]))):
        assert "Dein gespeicherter Zug wird am ZAT versucht: Freitag, 27. November" in told
        assert "ging jetzt nicht" not in told
    club.order(NAMES[seat], code, seat, "fertig")
    club.tick()
    assert club.live(code).last[seat][0] == "passe", "as the mail has promised"


def test_an_order_that_is_put_off_is_tried_at_the_deadline(club: Club) -> None:
    code, seat, other = put_off(club)
    club.mails()
    club.wait(days=5)
    club.tick()
    reminder = club.mail(NAMES[seat])
    assert str(reminder["Subject"]).startswith("Dein gespeicherter Zug wartet noch")
    assert "Von dir liegt noch kein Zug vor" not in text(reminder)
    club.wait(days=3)
    club.tick()
    live = club.live(code)
    assert (live.last[seat][0], live.table.state.to_move) == ("passe", (other,))
    assert live.ledger.seats[seat].missed == 0


# ---- standing orders ----


@pytest.mark.parametrize("game", ["dominos", "tridom"])
def test_a_standing_order_plays_what_was_drawn_and_stays(club: Club, game: str) -> None:
    code, _, _ = begun(club, game, seed=seed_where(has_drawn, first=has_not_drawn))
    for seat in (0, 1):
        club.order(NAMES[seat], code, seat, "after draw: best" if seat else AFTER)
    club.tick()
    assert set(club.live(code).table.orders.values()) == {AFTER}
    answers = [text(club.mails(name)[-1]) for name in NAMES[:2]]
    assert all(AFTER in answer for answer in answers)
    moves = 0
    for _ in range(12):
        entries = club.row(code).entries
        seat = club.live(code).table.state.to_move[0]
        club.order(NAMES[seat], code, seat, robot_move(club, code))
        club.tick()
        moves = club.row(code).entries - entries
        if moves > 1:
            break
    assert moves > 1, "nobody drew"
    assert set(club.live(code).table.orders.values()) == {AFTER}
    assert not has_drawn(club.live(code).game, club.live(code).table)


def test_a_move_and_a_standing_order_in_one_mail(club: Club) -> None:
    code, first, _ = begun(club, "tridom", seed=seed_where(has_not_drawn))
    move = robot_move(club, code)
    club.order(NAMES[first], code, first, f"{move}\n{AFTER}")
    club.tick()
    live = club.live(code)
    assert (live.last[first][0], live.table.orders) == (move, {first: AFTER})
    club.order(NAMES[first], code, first, "ZURÜCKZIEHEN")
    club.tick()
    assert club.live(code).table.orders == {}


def test_a_standing_order_alone_is_kept_while_it_is_ones_turn(club: Club) -> None:
    code, first, _ = begun(club, "dominos", seed=seed_where(has_not_drawn, moves=0))
    club.order(NAMES[first], code, first, AFTER)
    club.tick()
    assert club.live(code).table.orders == {first: AFTER}
    mail = club.mails(NAMES[first])[-1]
    assert "nicht" not in str(mail["Subject"]), mail["Subject"]
    assert AFTER in text(mail)


# ---- conditions ----


@pytest.mark.parametrize("game", TILE_GAMES)
def test_a_move_only_if_it_scores_enough(club: Club, game: str) -> None:
    code, first, _ = begun(club, game)
    live = club.live(code)
    move = robot_move(club, code)
    (seen,) = preview(live.game, live.table, first, move, live.context)
    assert seen.points is not None
    club.order(NAMES[first], code, first, f"{move} ab {seen.points + 1}")
    club.tick()
    assert [entry.kind for entry in club.log(code)] == ["tried"]
    assert f"mindestens {seen.points + 1}" in text(club.mails(NAMES[first])[-1])
    club.order(NAMES[first], code, first, f"{move} ab {seen.points + 1}; sonst {move} ab {max(seen.points, 0)}")
    club.tick()
    assert club.live(code).last[first][1] == seen.points


# ---- moves without a choice ----


@pytest.mark.slow
@pytest.mark.parametrize("game", ["dominos", "tridom"])
def test_a_move_without_a_choice_is_played_for_those_who_want_it(club: Club, game: str) -> None:
    seed = seed_where(has_no_choice)
    code, _, _ = begun(club, game, seed=seed)
    seat = mail_moves(club, code, has_no_choice)
    assert club.live(code).table.state.to_move == (seat,), "by default nothing happens"
    other, _, _ = begun(club, game, seed=seed)
    for name in NAMES[:2]:
        club.order(name, other, NAMES.index(name), "Einzelzug an")
    club.tick()
    for name in NAMES[:2]:
        assert "Einzelzug ist an" in text(club.mails(name)[-1])
    for _ in range(12):
        entries = club.row(other).entries
        mover = club.live(other).table.state.to_move[0]
        club.order(NAMES[mover], other, mover, robot_move(club, other))
        club.tick()
        if club.row(other).entries > entries + 1:
            break
    else:
        pytest.fail("no move was played by itself")
    for name in NAMES[:2]:
        assert "einzige mögliche Zug" in text(club.mails(name)[-1])


def test_a_word_game_has_always_a_choice(club: Club) -> None:
    with club.desk() as desk:
        set_player(desk.session, find_player(desk.session, "Bert"), auto_single=True)
    code = club.match("Anna", "Bert")
    club.order("Anna", code, 0, "passe")
    club.tick()
    assert club.live(code).table.state.to_move == (1,)


@pytest.mark.parametrize(
    ("line", "on"),
    [
        ("Einzelzug an", True),
        ("einzelzug ein.", True),
        ("EINZELZUG: AN", True),
        ("Einzelzüge an", True),
        ("EINZELZUEGE AN", True),
        ("auto single on", True),
        ("auto_single on", True),
        ("auto-single: yes", True),
        ("Einzelzug aus", False),
        ("auto single off", False),
        ("Single move off!", False),
    ],
)
def test_how_the_setting_is_written(club: Club, line: str, on: bool) -> None:
    with club.desk() as desk:
        set_player(desk.session, find_player(desk.session, "Anna"), auto_single=not on)
    code, _, _ = begun(club, "tridom")
    club.order("Anna", code, 0, line)
    club.tick()
    with club.desk() as desk:
        assert desk.session.exec(select(Player.auto_single).where(Player.name == "Anna")).one() is on
    answer = club.mail("anna")
    assert ("Einzelzug ist an" if on else "Einzelzug ist aus") in text(answer)
    assert not club.mails("bert")


def test_the_setting_needs_no_match(club: Club) -> None:
    begun(club, "tridom")
    begun(club, "dominos")
    vouched = "mx.club.example; dmarc=pass header.from=home.example"
    club.write("Anna", "Einzelzug an", Authentication_Results=vouched)
    club.tick()
    answer = text(club.mail("anna"))
    assert "Einzelzug ist an" in answer
    assert "mehreren Partien" not in answer


def test_a_borrowed_token_does_not_change_settings(club: Club) -> None:
    code, _, _ = begun(club, "tridom")
    club.order("stranger@else.example", code, 0, "Einzelzug an")
    club.tick()
    with club.desk() as desk:
        assert not desk.session.exec(select(Player.auto_single).where(Player.name == "Anna")).one()
    assert "eingetragenen Adresse" in text(club.mails()[-1])


def test_the_setting_and_a_move_in_one_mail(club: Club) -> None:
    code, first, _ = begun(club, "tridom")
    move = robot_move(club, code)
    club.order(NAMES[first], code, first, f"{move}\nEinzelzug an")
    club.tick()
    assert club.live(code).last[first][0] == move
    assert "Einzelzug ist an" in text(club.mails(NAMES[first])[-1])
