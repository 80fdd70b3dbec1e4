"""What is taken back never happened: a match with an undo goes on, byte for byte, like one without."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from moderator.club import tokens
from moderator.club.live_match import log_of, rebuild, rules_of
from moderator.commands.moderator import judging, people, rollback
from moderator.errors import Misused
from moderator.match import record
from moderator.match.contract import Note
from moderator.match.replay import Entry, effective
from moderator.play import lifecycle
from moderator.play.announce import announce
from moderator.play.create import find_match
from moderator.store.models import Match, Seat
from tests.club.club import Club, make_club, plain_boards, text
from tests.club.test_race import begun as race_begun
from tests.club.test_race import in_one_row, minutes, send

NAMES = ("Anna", "Bert")


@pytest.fixture
def clubs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Club]:
    """Makes clubs that are alike to the last token."""

    def make() -> Club:
        numbers, codes = itertools.count(1), iter(("K7Q2", "M4RA"))
        monkeypatch.setattr(tokens, "new_token", lambda: f"T0KEN{next(numbers):05}")
        monkeypatch.setattr(tokens, "new_code", lambda long=False: next(codes))
        made = make_club(tmp_path / f"club{len(list(tmp_path.iterdir()))}")
        made.players("Anna", "Bert", "Cici", "Dora", "R2")
        plain_boards(made)
        return made

    return make


@pytest.fixture
def club(clubs: Callable[[], Club]) -> Club:
    return clubs()


def best(club: Club, code: str) -> None:
    """The seat to move sends its best move."""
    club.wait(hours=2)
    seat = club.live(code).table.state.to_move[0]
    moves = club.moves(code, seat)
    club.order(name_of(club, code, seat), code, seat, moves[0] if moves else "passe")
    club.tick()


def second(club: Club, code: str) -> None:
    club.wait(hours=2)
    seat = club.live(code).table.state.to_move[0]
    club.order(name_of(club, code, seat), code, seat, [*club.moves(code, seat), "passe"][1])
    club.tick()


def name_of(club: Club, code: str, seat: int) -> str:
    with club.desk() as desk:
        return desk.players(find_match(desk.session, code))[seat].name


def everybody(club: Club, code: str) -> None:
    """A round: all send their best move, and the ZAT comes."""
    club.wait(hours=2)
    for seat in club.live(code).awaited:
        club.order(name_of(club, code, seat), code, seat, [*club.moves(code, seat), "passe"][0])
    club.tick()
    club.wait(days=9)
    club.tick()


def undo(club: Club, code: str, entry: int) -> None:
    with club.desk() as desk:
        match = find_match(desk.session, code)
        live = desk.cache.live(desk.session, match)
        lifecycle.undo(desk, match, live, entry, Note("rolled-back-to-plain"))
        announce(desk)
    club.tick()


def back(club: Club, code: str, **where: Any) -> tuple[Note, ...]:
    with club.desk() as desk:
        return rollback.rollback(desk, find_match(desk.session, code), where.get("round"), where.get("entry"), "why")


def until(club: Club, moment: Any) -> None:
    club.wait(seconds=(moment - club.now).total_seconds())
    club.tick()


def told(club: Club) -> list[tuple[str, str, str]]:
    """Every new mail without what must differ: its state line is signed over the log."""
    mails = [(str(mail["To"]), str(mail["Subject"]), text(mail)) for mail in club.mails()]
    return sorted((to, subject, re.sub(r"::.*", "", body)) for to, subject, body in mails)


def entries(club: Club, code: str) -> list[Entry]:
    with club.desk() as desk:
        return log_of(desk.session, find_match(desk.session, code))


def same(one: Club, other: Club, code: str = "K7Q2") -> None:
    """The same state, account of time and mails."""
    mine, theirs = one.live(code), other.live(code)
    assert replace(mine.table, entries=0) == replace(theirs.table, entries=0)
    assert mine.ledger == theirs.ledger
    assert mine.last == theirs.last
    assert told(one) == told(other)


@pytest.mark.matrix("club")
@pytest.mark.parametrize("game", ["topwords", "dominos", "tridom", "domijongg"])
@pytest.mark.parametrize("undone", [1, 2, 3])
def test_the_match_goes_on_as_if_nothing_had_been(clubs: Callable[[], Club], game: str, undone: int) -> None:
    pair = []
    for wrong in (True, False):
        club = clubs()
        code = club.match(*NAMES, game=game)
        club.tick()
        best(club, code)
        best(club, code)
        start = club.now
        before = club.live(code).entries
        for _ in range(undone if wrong else 0):
            second(club, code)
        if wrong:
            undo(club, code, before)
        until(club, start.replace(hour=23))
        best(club, code)
        club.mails()
        best(club, code)
        best(club, code)
        pair.append(club)
    same(*pair)


@pytest.mark.matrix("club")
@pytest.mark.parametrize("pace", ["rounds", "common"])
def test_a_round_is_evaluated_again_with_the_orders_that_were_stored(clubs: Callable[[], Club], pace: str) -> None:
    pair = []
    for wrong in (True, False):
        club = clubs()
        code = club.match(*NAMES, pace=pace)
        club.tick()
        everybody(club, code)
        if wrong:
            back(club, code, round=1)
            assert sorted(club.live(code).table.orders) == [0, 1]
            with club.desk() as desk:
                judging.evaluate(desk, find_match(desk.session, code), 1, force=True)
            club.tick()
        until(club, club.now.replace(hour=23))
        club.mails()
        everybody(club, code)
        pair.append(club)
    mine, theirs = (club.live("K7Q2") for club in pair)
    assert replace(mine.table, entries=0) == replace(theirs.table, entries=0)


@pytest.mark.slow
def test_an_undo_can_be_undone(clubs: Callable[[], Club]) -> None:
    pair = []
    for wrong in (True, False):
        club = clubs()
        code = club.match(*NAMES)
        club.tick()
        best(club, code)
        best(club, code)
        best(club, code)
        start = club.now
        if wrong:
            undo(club, code, 1)
            assert club.live(code).table.state.scores[1] == 0
            back(club, code, entry=club.live(code).entries)
        until(club, start.replace(hour=23))
        best(club, code)
        club.mails()
        best(club, code)
        pair.append(club)
    same(*pair)
    numbers = [number for number, _ in effective(entries(pair[0], "K7Q2"))]
    assert numbers == [1, 2, 3, 6, 7]


def test_an_undo_of_an_undo_in_the_list_of_what_holds() -> None:
    def move(n: int) -> Entry:
        return Entry("move", 0, str(n))

    said = Entry("notice", None, "hello")
    log = [move(1), move(2), Entry("undo", text="1"), said, move(5), Entry("undo", text="2")]
    assert [number for number, _ in effective(log)] == [1, 2, 4]
    assert [number for number, _ in effective([*log, Entry("undo", text="5")])] == [1, 4, 5]


def test_a_seat_that_was_given_up_plays_again(club: Club) -> None:
    code = club.match("Anna", "Bert", "Cici")
    club.tick()
    best(club, code)
    with club.desk() as desk:
        people.eject(desk, find_match(desk.session, code), "Bert")
    club.tick()
    assert club.live(code).table.out == (1,)
    undo(club, code, 1)
    live = club.live(code)
    assert live.table.out == ()
    assert live.awaited == (1,)


def test_who_has_taken_over_a_seat_keeps_it_and_nothing_that_was_stored_for_another(club: Club) -> None:
    code = club.match(*NAMES)
    club.tick()
    club.order("Bert", code, 1, "passe")  # stored ahead
    club.tick()
    best(club, code)  # and played
    with club.desk() as desk:
        people.replace(desk, find_match(desk.session, code), "Bert", "Dora")
    club.tick()
    back(club, code, round=1)
    live = club.live(code)
    assert name_of(club, code, 1) == "Dora"
    assert live.table.orders == {}
    assert live.ledger.seats[1].turns == 0


def test_a_seat_taken_over_after_it_was_given_up_stays_taken(club: Club) -> None:
    code = club.match("Anna", "Bert", "Cici")
    club.tick()
    best(club, code)
    with club.desk() as desk:
        people.eject(desk, find_match(desk.session, code), "Bert")
    club.tick()
    with club.desk() as desk:
        people.replace(desk, find_match(desk.session, code), "Bert", "Dora")
    club.tick()
    best(club, code)
    given_up = next(n for n, entry in enumerate(entries(club, code), 1) if entry.kind == "retire")
    undo(club, code, given_up)
    assert club.live(code).table.out == ()
    assert name_of(club, code, 1) == "Dora"


def test_a_finished_match_runs_again_and_can_be_exported_in_the_end(club: Club) -> None:
    code = club.match(*NAMES, pass_rounds=1)
    club.tick()
    best(club, code)
    for seat in (1, 0, 1, 0):
        if club.row(code).status == "running":
            club.wait(hours=1)
            club.order(NAMES[seat], code, seat, "passe")
            club.tick()
    assert club.row(code).status == "finished"
    notes = back(club, code, round=2) if club.live(code).table.state.public.round > 1 else back(club, code, entry=2)
    assert "boss-seed-known" in [note.code for note in notes]
    club.tick()
    row = club.row(code)
    assert (row.status, row.finished_at) == ("running", None)
    assert row.deadline is not None
    for _ in range(6):
        if club.row(code).status == "running":
            club.wait(hours=1)
            seat = club.live(code).table.state.to_move[0]
            club.order(NAMES[seat], code, seat, "passe")
            club.tick()
    assert club.row(code).status == "finished"
    with club.desk() as desk:
        match = find_match(desk.session, code)
        game, _ = rules_of(match)
        log = log_of(desk.session, match)
        found = record.export(code, game, match.options, list(NAMES), match.seed, match.salts, log)
    assert any(entry.kind == "undo" for entry in log)
    assert len(found["moves"]) == len([e for _, e in effective(log) if e.kind in ("move", "miss")])
    report = record.verify(record.parse(json.loads(json.dumps(found)), lambda _: game))
    assert report["ok"], report


def test_a_move_that_waited_for_a_word(club: Club) -> None:
    code = club.match(*NAMES, unknown_words="ask")
    club.tick()
    word = "".join(club.live(code).table.state.hand(0)[:3])
    club.order("Anna", code, 0, f"E5 w {word}")
    club.tick()
    assert club.row(code).held
    undo(club, code, 0)
    row = club.row(code)
    assert (row.held, row.deadline is None) == (False, False)
    assert club.live(code).table.orders == {}
    best(club, code)
    assert club.live(code).table.state.scores[0] > 0


def test_in_a_race_the_order_of_arrival_is_that_of_what_holds(club: Club) -> None:
    code = race_begun(club)
    send(club, code, 0, in_one_row(club, code, 0), minutes(1))
    club.wait(minutes=2)
    club.tick()
    kept = club.live(code).entries
    send(club, code, 1, in_one_row(club, code, 1), minutes(3))
    club.wait(minutes=2)
    club.tick()
    club.wait(minutes=2)
    club.tick()
    assert club.live(code).table.state.scores[0] == 4, "Anna was first"
    undo(club, code, kept)
    assert set(club.live(code).table.orders) == {0}
    send(club, code, 2, in_one_row(club, code, 2), minutes(8))
    club.wait(minutes=4)
    club.tick()
    club.wait(minutes=4)
    club.tick()
    assert club.live(code).table.state.scores == (4, 0, 2)


def test_a_robot_moves_again_after_a_rollback(club: Club) -> None:
    code = club.match("Anna", "R2")
    club.tick()
    best(club, code)
    live = club.live(code)
    assert live.table.state.to_move == (0,)
    robots = next(n for n, entry in enumerate(entries(club, code), 1) if entry.seat == 1 and entry.kind == "move")
    back(club, code, entry=robots)
    assert club.live(code).table.state.to_move == (0,)
    assert club.row(code).deadline is not None


def test_stored_orders_are_played_at_the_zat_after_a_rollback(club: Club) -> None:
    code = club.match(*NAMES)
    club.tick()
    club.order("Bert", code, 1, "passe")
    club.tick()
    best(club, code)
    assert club.live(code).awaited == (0,)
    played = next(n for n, entry in enumerate(entries(club, code), 1) if entry.seat == 1 and entry.kind == "move")
    club.mails()
    back(club, code, entry=played)
    club.tick()
    assert "Zurückgenommen: Bert mit" in text(club.mail("anna"))
    assert "Für dich gespeichert" in text(club.mail("bert"))
    assert club.live(code).awaited == (1,)
    club.wait(days=12)
    club.tick()
    assert [entry.kind for _, entry in effective(entries(club, code)) if entry.seat == 1][-2:] == ["order", "move"]


def test_there_is_no_way_back_to_what_is_no_move_or_undone_already(club: Club) -> None:
    code = club.match(*NAMES)
    club.tick()
    best(club, code)
    best(club, code)
    back(club, code, entry=2)
    for entry, why in ((0, "boss-no-entry"), (9, "boss-no-entry"), (2, "boss-entry-undone")):
        with pytest.raises(Misused) as caught:
            back(club, code, entry=entry)
        assert caught.value.code == why
    with pytest.raises(Misused) as caught:
        back(club, code, round=7)
    assert caught.value.code == "boss-round-untouched"


@pytest.mark.matrix("club")
def test_every_log_with_undos_replays(club: Club) -> None:
    """However often and wherever one goes back."""
    code = club.match(*NAMES)
    club.tick()
    for step in range(12):
        (best if step % 3 else second)(club, code)
        length = club.live(code).entries
        if step % 4 == 3:
            undo(club, code, length * step // 13)
    with club.desk() as desk:
        match = desk.session.exec(select(Match).where(Match.code == code)).one()
        live = rebuild(desk.session, match, desk.config.deadlines)
        seats = len(desk.session.exec(select(Seat).where(Seat.match_id == match.id)).all())
        walked = rollback.walked(live, seats, log_of(desk.session, match))
    assert [number for number, _, _ in walked] == [n for n, _ in effective(entries(club, code))]
    assert club.live(code).table.state == live.table.state
