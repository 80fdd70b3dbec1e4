"""What is taken back, by the moderator or by consent: a match with an undo goes on, byte for byte, like one without."""

import itertools
import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from moderator.commands.moderator import people, turns
from moderator.common import tokens
from moderator.common.errors import Misused
from moderator.rules.game import Note
from moderator.rules.records import record
from moderator.rules.replay import LogEntry, drop_undone
from moderator.service.create import get_match
from moderator.service.match.match import Match
from moderator.service.notify import notify_match_events
from moderator.views.loaded_match import load_log_entries, load_match_rules
from tests.club.club import Club, make_club, text
from tests.club.steps import NAMES as THREE
from tests.club.steps import ask, begin, seated, tick_at

NAMES = THREE[:2]


@pytest.fixture
def clubs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Club]:
    """Makes clubs that are alike to the last token."""

    def make() -> Club:
        numbers, codes = itertools.count(1), iter(("K7Q2", "M4RA"))
        monkeypatch.setattr(tokens, "generate_token", lambda: f"T0KEN{next(numbers):05}")
        monkeypatch.setattr(tokens, "generate_match_code", lambda long=False: next(codes))
        made = make_club(tmp_path / f"club{len(list(tmp_path.iterdir()))}")
        made.players("Anna", "Bert", "Cici", "Dora", "R2")
        return made

    return make


@pytest.fixture
def club(clubs: Callable[[], Club]) -> Club:
    return clubs()


def send_one(club: Club, code: str, which: int = 0) -> None:
    """The seat to move sends its best move, or the next best."""
    club.wait(hours=2)
    seat = club.live(code).table.state.to_move[0]
    club.hand_in(seated(club, code)[seat], code, seat, [*club.moves(code, seat), "passe", "passe"][which])


def everybody(club: Club, code: str) -> None:
    """A round: all send their best move, and the ZAT comes."""
    club.wait(hours=2)
    for seat in club.live(code).seats_to_act:
        club.order(seated(club, code)[seat], code, seat, [*club.moves(code, seat), "passe"][0])
    club.tick()
    club.let_pass(days=9)


def undo(club: Club, code: str, entry: int) -> None:
    with club.at(code) as (work, match):
        playing = Match.load(work, match)
        playing.undo_to_entry(entry, Note("rolled-back-to-plain"))
        notify_match_events(work)
    club.tick()


def back(club: Club, code: str, **where: Any) -> tuple[Note, ...]:
    with club.work() as work:
        return turns.rollback_match_by_staff(
            work, get_match(work.session, code), where.get("round"), where.get("entry"), "why"
        )


def told(club: Club) -> list[tuple[str, str, str]]:
    """Every new mail without what must differ: its state line is signed over the log."""
    mails = [(str(mail["To"]), str(mail["Subject"]), text(mail)) for mail in club.mails()]
    return sorted((to, subject, re.sub(r"::.*", "", body)) for to, subject, body in mails)


def state(club: Club, code: str) -> tuple[Any, ...]:
    """Position, account of time and last moves."""
    live = club.live(code)
    return replace(live.table, entries=0), live.ledger, live.last


def begun(club: Club, game: str) -> str:
    code = club.start(*NAMES, game=game)
    send_one(club, code)
    send_one(club, code)
    return code


def gone_on(club: Club, code: str, start: datetime) -> tuple[Any, ...]:
    """Three more moves from the same hour on: the state then, and the mails."""
    tick_at(club, start.replace(hour=23))
    send_one(club, code)
    club.skip_mails()
    send_one(club, code)
    send_one(club, code)
    return *state(club, code), told(club)


@pytest.mark.matrix("undo", seconds=1)
@pytest.mark.parametrize("game", ["topwords", "dominos", "tridom", "domijongg"])
def test_the_match_goes_on_as_if_nothing_had_been(clubs: Callable[[], Club], game: str) -> None:
    plain = clubs()
    code = begun(plain, game)
    expected = gone_on(plain, code, plain.now)
    for undone in (1, 2, 3):
        club = clubs()
        assert begun(club, game) == code
        start, before = club.now, club.live(code).entries
        for _ in range(undone):
            send_one(club, code, 1)
        undo(club, code, before)
        assert gone_on(club, code, start) == expected, undone


@pytest.mark.slow
@pytest.mark.parametrize("pace", ["rounds", "common"])
def test_a_round_is_evaluated_again_with_the_orders_that_were_stored(clubs: Callable[[], Club], pace: str) -> None:
    tables = []
    for wrong in (True, False):
        club = clubs()
        code = begin(club, game="topwords", pace=pace)
        everybody(club, code)
        if wrong:
            back(club, code, round=1)
            assert sorted(club.live(code).table.orders) == [0, 1]
            with club.work() as work:
                turns.end_turn_by_staff(work, get_match(work.session, code), 1, force=True)
            club.tick()
        tick_at(club, club.now.replace(hour=23))
        everybody(club, code)
        tables.append(state(club, code)[0])
    assert tables[0] == tables[1]


def test_after_an_undo_of_an_undo_holds_what_held_before() -> None:
    def move(n: int) -> LogEntry:
        return LogEntry("move", 0, str(n))

    said = LogEntry("notice", None, "hello")
    log = [move(1), move(2), LogEntry("undo", text="1"), said, move(5), LogEntry("undo", text="2")]
    assert [number for number, _ in drop_undone(log)] == [1, 2, 4]
    assert [number for number, _ in drop_undone([*log, LogEntry("undo", text="5")])] == [1, 4, 5]


def test_a_seat_that_was_given_up_plays_again(club: Club) -> None:
    code = begin(club, *THREE, game="topwords")
    send_one(club, code)
    with club.work() as work:
        people.eject_player_by_staff(work, get_match(work.session, code), "Bert")
    club.tick()
    assert club.live(code).table.out == (1,)
    given_up = next(n for n, entry in enumerate(club.log(code), 1) if entry.kind == "retire")
    undo(club, code, given_up - 1)
    live = club.live(code)
    assert (live.table.out, live.seats_to_act) == ((), (1,))
    with club.work() as work:
        people.eject_player_by_staff(work, get_match(work.session, code), "Bert")
    with club.work() as work:
        people.replace_player_by_staff(work, get_match(work.session, code), "Bert", "Dora")
    club.tick()
    send_one(club, code)
    given_up = max(n for n, entry in enumerate(club.log(code), 1) if entry.kind == "retire")
    undo(club, code, given_up)
    assert club.live(code).table.out == ()
    assert seated(club, code)[1] == "Dora", "who has taken it over keeps it"


def test_who_has_taken_over_a_seat_keeps_it_and_nothing_that_was_stored_for_another(club: Club) -> None:
    code = begin(club, game="topwords")
    club.order("Bert", code, 1, "passe")  # stored ahead
    club.tick()
    send_one(club, code)  # and played
    with club.work() as work:
        people.replace_player_by_staff(work, get_match(work.session, code), "Bert", "Dora")
    club.tick()
    back(club, code, round=1)
    live = club.live(code)
    assert seated(club, code)[1] == "Dora"
    assert live.table.orders == {}
    assert live.ledger.seats[1].turns == 0


def all_pass(club: Club, code: str) -> None:
    for _ in range(6):
        if club.row(code).status == "running":
            club.wait(hours=1)
            seat = club.live(code).table.state.to_move[0]
            club.hand_in(NAMES[seat], code, seat, "passe")
    assert club.row(code).status == "finished"


def test_a_finished_match_runs_again_and_can_be_exported_in_the_end(club: Club) -> None:
    code = begin(club, game="topwords", pass_rounds=1)
    send_one(club, code)
    all_pass(club, code)
    notes = back(club, code, round=2) if club.live(code).table.state.public.round > 1 else back(club, code, entry=2)
    assert "boss-seed-known" in [note.code for note in notes]
    club.tick()
    row = club.row(code)
    assert (row.status, row.finished_at, row.deadline is None) == ("running", None, False)
    all_pass(club, code)
    with club.at(code) as (work, match):
        game, options = load_match_rules(match)
        log = load_log_entries(work.session, match)
        found = record.build_record(code, game, options, list(NAMES), match.seed, match.salts, log)
    assert any(entry.kind == "undo" for entry in log)
    assert len(found["moves"]) == len([e for _, e in drop_undone(log) if e.kind in ("move", "miss")])
    report = record.verify_record(record.parse_record_values(json.loads(json.dumps(found)), lambda _: game))
    assert report["ok"], report


def test_a_move_that_waited_for_a_word(club: Club) -> None:
    code = begin(club, game="topwords", unknown_words="ask")
    word = "".join(club.live(code).table.state.hand(0)[:3])
    club.hand_in("Anna", code, 0, f"E5 w {word}")
    assert club.row(code).held
    undo(club, code, 0)
    row = club.row(code)
    assert (row.held, row.deadline is None) == (False, False)
    assert club.live(code).table.orders == {}
    send_one(club, code)
    assert club.live(code).table.state.scores[0] > 0


def test_a_robot_moves_again_after_a_rollback(club: Club) -> None:
    code = begin(club, "Anna", "R2", game="topwords")
    send_one(club, code)
    assert club.live(code).table.state.to_move == (0,)
    robots = next(n for n, entry in enumerate(club.log(code), 1) if entry.seat == 1 and entry.kind == "move")
    back(club, code, entry=robots)
    assert club.live(code).table.state.to_move == (0,)
    assert club.row(code).deadline is not None


def test_stored_orders_are_played_at_the_zat_after_a_rollback(club: Club) -> None:
    code = begin(club, game="topwords")
    club.hand_in("Bert", code, 1, "passe")
    send_one(club, code)
    assert club.live(code).seats_to_act == (0,)
    played = next(n for n, entry in enumerate(club.log(code), 1) if entry.seat == 1 and entry.kind == "move")
    club.skip_mails()
    back(club, code, entry=played)
    club.tick()
    assert "Zurückgenommen: Bert mit" in text(club.mail("anna"))
    assert "Zuerst gilt" in text(club.mail("bert"))
    assert club.live(code).seats_to_act == (1,)
    club.let_pass(days=12)
    assert [entry.kind for _, entry in drop_undone(club.log(code)) if entry.seat == 1][-2:] == ["order", "move"]


def test_there_is_no_way_back_to_what_is_no_move_or_undone_already(club: Club) -> None:
    code = begin(club, game="topwords")
    send_one(club, code)
    send_one(club, code)
    back(club, code, entry=2)
    refused = ({"entry": 0}, "no-entry"), ({"entry": 9}, "no-entry"), ({"entry": 2}, "entry-undone")
    for where, why in (*refused, ({"round": 7}, "round-untouched")):
        with pytest.raises(Misused) as caught:
            back(club, code, **where)
        assert caught.value.code == f"boss-{why}"


@pytest.fixture
def code(club: Club) -> str:
    return begin(club, *THREE, game="topwords")


def wish(club: Club, code: str, *agreeing: str) -> None:
    """Anna moves and asks to take it back; who agrees says so."""
    ask(club, code, 0, club.moves(code, 0)[0])
    ask(club, code, 0, "Rücknahme")
    for name in agreeing:
        ask(club, code, THREE.index(name), "einverstanden")


@pytest.mark.parametrize("consent", ["agree", "Ja", "oui"])
def test_after_consent_the_match_is_as_it_was_before_the_move(club: Club, code: str, consent: str) -> None:
    ask(club, code, 2, "E5 w HAUS")  # stored before the move
    before = club.live(code).table
    wish(club, code, "Bert")
    assert club.live(code).table.state != before.state
    ask(club, code, 2, consent)
    after = club.live(code).table
    assert (after.state, after.asked, after.orders) == (before.state, None, {2: "E5 w HAUS"})
    assert ask(club, code, 0, club.moves(code, 0)[1]).startswith("✓")


def test_a_stored_order_that_was_played_is_gone_with_its_move(club: Club, code: str) -> None:
    """Bert's order was played by itself; after it is taken back it must not be played again at once."""
    first = club.moves(code, 0)[0]
    ask(club, code, 1, "passe")
    ask(club, code, 0, first)
    assert club.live(code).table.state.to_move == (2,)
    ask(club, code, 1, "undo")
    ask(club, code, 0, "agree")
    ask(club, code, 2, "agree")
    live = club.live(code)
    assert (live.table.state.to_move, live.table.orders) == ((1,), {})


@pytest.mark.parametrize("line", ["ZUG ZURÜCK", "TAKE BACK", "REPRENDS MON COUP"])
def test_what_is_stored_is_taken_back_without_asking_anybody(club: Club, code: str, line: str) -> None:
    waiting = 1 - club.live(code).table.state.to_move[0]
    club.hand_in(seated(club, code)[waiting], code, waiting, "passe")
    assert club.live(code).get_stored_order_state(waiting) != "none"
    club.hand_in(seated(club, code)[waiting], code, waiting, line)
    assert club.live(code).get_stored_order_state(waiting) == "none"
    assert club.live(code).table.asked is None


@pytest.mark.parametrize("by", ["refuse", "Nein", ""])
def test_a_refusal_or_a_move_ends_the_question(club: Club, code: str, by: str) -> None:
    wish(club, code)
    ask(club, code, 1, by or club.moves(code, 1)[0])
    assert "bittet niemand" in ask(club, code, 2, "einverstanden")
    assert club.live(code).table.asked is None


def test_a_missed_turn_is_a_turn_of_somebody_else(club: Club, code: str) -> None:
    ask(club, code, 0, club.moves(code, 0)[0])
    club.let_pass(days=8, hours=2)
    club.skip_mails()
    assert club.live(code).table.state.to_move == (2,)
    assert "deinen eigenen Zug" in ask(club, code, 0, "Rücknahme")


def test_who_has_left_need_not_agree(club: Club, code: str) -> None:
    ask(club, code, 2, f"aufgeben {code} JA")
    wish(club, code, "Bert")
    assert club.live(code).table.state.to_move == (0,)


def test_it_cannot_be_asked_in_a_race(club: Club) -> None:
    code = begin(club, game="presto")
    assert "nichts zurückgenommen" in ask(club, code, 0, "Rücknahme")
