"""No move received: missed turns, seats that are given up, substitutes, resignations, signs to wait or go on; what is
told of a seat whose player is gone; and what happens without anybody's mail never hangs a run."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from moderator.commands.moderator.turns import rollback_match_by_staff
from moderator.common.enums import SeatLeftReason
from moderator.games import OWN, load_game
from moderator.language.messages import render_note
from moderator.rules.ending import list_match_winners
from moderator.rules.game import Note
from moderator.rules.robots import choose
from moderator.service.create import get_player
from moderator.service.match import advance, halt
from moderator.service.match.match import Match
from moderator.service.notify import notify_match_events
from moderator.store.tables import StandbyRow
from tests.club.club import Club, club_of, part, text
from tests.club.memory import MemoryClub, club_for
from tests.club.steps import NAMES, begin, play, tick_at, zat

AT_ONCE = {"abandon_after": 1, "excused": 0}


@pytest.fixture
def club(request: pytest.FixtureRequest, tmp_path: Path) -> Club:
    return club_for(request, tmp_path / "club", *NAMES, "Dora", "R2")


def miss(club: Club, code: str) -> None:
    """Let the ZAT pass."""
    assert tick_at(club, zat(club, code) + timedelta(hours=2)).deadlines == 1


def kinds(club: Club, code: str) -> list[str]:
    return [entry.kind for entry in club.log(code)]


def stand_by(club: Club, name: str, game: str = "") -> None:
    with club.work() as work:
        work.session.add(StandbyRow(player_id=get_player(work.session, name).number, game=game, since=club.now))


def told_first(club: Club, name: str) -> str:
    """How the only mail begins; its subject says the same."""
    mail = club.mail(name.lower())
    first = " ".join(part(mail).split("\n\n")[0].split())
    assert str(mail["Subject"]).startswith(re.split(r"[.:]", first)[0])
    return first


@pytest.mark.parametrize(("excused", "answered", "out", "missed"), [(1, [], (2,), 3), (0, [1], (), 2)])
def test_a_seat_is_given_up_after_so_many_missed_turns_in_a_row(
    club: Club, excused: int, answered: list[int], out: tuple[int, ...], missed: int
) -> None:
    terms = {"abandon_after": 2, "excused": excused}
    code = begin(club, *NAMES, game="topwords", pace="rounds", terms=terms)
    for number in range(3):
        for seat in range(3 if number in answered else 2):
            club.order(NAMES[seat], code, seat, club.moves(code, seat)[0])
        club.tick()
        miss(club, code)
    live = club.live(code)
    assert (live.table.out, live.ledger.seats[2].missed) == (out, missed)
    assert any("passt von jetzt an" in text(mail) for mail in club.mails("anna")) == bool(out)
    assert club.row(code).status == "running"


def test_the_game_ends_when_one_player_is_left(club: Club) -> None:
    code = begin(club, terms=AT_ONCE)
    play(club, code, 0)
    miss(club, code)
    assert club.row(code).status == "finished"
    assert kinds(club, code)[-2:] == ["retire", "stop"]
    assert "Gewonnen gegen Bert" in text(club.mails("anna")[-1])


@pytest.mark.parametrize("pace", ["sequential", "rounds", "common"])
def test_a_missed_turn_is_told_to_who_missed_it_and_never_to_who_has_left(club: Club, pace: str) -> None:
    code = begin(club, *NAMES, game="topwords", pace=pace, terms={"abandon_after": 0})
    club.order("Cici", code, 2, f"AUFGEBEN {code} JA")
    if pace != "sequential":
        club.order("Bert", code, 1, club.moves(code, 1)[0])
    club.tick_unread()
    club.let_pass(days=9)
    subjects = {name: " ".join(str(mail["Subject"]) for mail in club.mails(name.lower())) for name in NAMES}
    assert {name for name in NAMES if "Du hast ausgesetzt" in subjects[name]} == {"Anna"}, subjects


def test_somebody_on_standby_takes_the_seat_over_before_its_turn_is_missed(club: Club) -> None:
    stand_by(club, "Dora", "dominos")
    code = begin(club, terms=AT_ONCE)
    token = club.token(code, 0)
    miss(club, code)
    assert kinds(club, code) == ["hand-over"]
    assert club.live(code).table.state.to_move == (0,)
    assert zat(club, code) - club.now > timedelta(days=6)
    assert "Es geht los" in str(club.mail("dora")["Subject"])
    assert "spielt Dora von jetzt an für dich" in " ".join(text(club.mail("anna")).split())
    club.say("Anna", club.moves(code, 0)[0], to=f"games+{code}-{token}@club.example")
    assert 0 not in club.live(code).last, "the old address of the seat opens it no more"
    club.hand_in("Dora", code, 0, club.moves(code, 0)[0])
    assert club.live(code).last[0][0]
    assert not club.stored(StandbyRow)


def test_standby_for_another_game_or_in_the_same_match_does_not_count(club: MemoryClub) -> None:
    stand_by(club, "Dora", "topwords")
    stand_by(club, "Bert")
    code = begin(club, terms=AT_ONCE)
    miss(club, code)
    assert kinds(club, code)[:2] == ["miss", "retire"]


@pytest.mark.parametrize("why", SeatLeftReason, ids=str)
def test_a_seat_that_is_lost_is_told_to_its_player_first(club: Club, why: SeatLeftReason) -> None:
    code = begin(club, *NAMES, game="topwords")
    with club.at(code) as (work, match):
        Match.load(work, match).retire_seat(1, why)
        notify_match_events(work)
    club.tick()
    told = told_first(club, "Bert")
    assert ("Du hast die Partie aufgegeben" if why == SeatLeftReason.RESIGNED else "Du spielst nicht mehr mit") in told
    assert "Jetzt ist Anna dran." in told


@pytest.mark.parametrize("pace", ["rounds", "common"])
def test_who_resigns_and_completes_the_round_by_that_has_resigned(club: Club, pace: str) -> None:
    code = begin(club, *NAMES, game="topwords", early=True, pace=pace)
    for seat in (0, 1):
        play(club, code, seat)
    club.skip_mails()
    play(club, code, 2, f"AUFGEBEN {code} JA")
    assert club.live(code).table.round == 2
    assert "Du hast die Partie aufgegeben" in told_first(club, "Cici")


def test_who_has_resigned_passes_and_cannot_win(club: MemoryClub) -> None:
    code = begin(club, *NAMES, game="topwords")
    play(club, code, 0)
    play(club, code, 0, f"Aufgeben {code} JA")
    for seat in (1, 2, 1, 2):
        play(club, code, seat, "passe")
        club.wait(minutes=11)
    live = club.live(code)
    assert live.table.state.over
    assert live.table.state.scores[0] > 0
    assert list_match_winners(live.game, live.table, stopped=False) == (1, 2)


def test_an_early_round_waits_for_who_wants_it_and_any_round_is_over_when_all_are_ready(club: MemoryClub) -> None:
    code = begin(club, game="topwords", pace="rounds", early=True)
    play(club, code, 0, f"{club.moves(code, 0)[0]}\nWarten")
    play(club, code, 1, "passe")
    assert club.live(code).table.round == 1
    play(club, code, 0, "Fertig")
    assert club.live(code).table.round == 2
    code = begin(club, game="topwords", pace="rounds")
    play(club, code, 0, "passe\nFertig")
    play(club, code, 1, "passe")
    assert club.live(code).table.round == 1
    play(club, code, 1, "READY")
    assert club.live(code).table.round == 2
    assert club.live(code).table.flags == {}


def test_turns_that_come_round_for_ever_suspend_that_match_only(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = begin(club, *NAMES, game="topwords"), begin(club)
    with monkeypatch.context() as patched:
        patched.setattr(advance, "MOST_AT_ONCE", 0)
        club.order("Anna", one, 0, f"Aufgeben {one} JA")
        summary = club.hand_in("Anna", two, 0, club.moves(two, 0)[0])
    row = club.row(one)
    assert (row.status, row.entries) == ("suspended", 0)
    assert "come round and round" in row.trouble
    assert [row.trouble] == summary.troubles
    assert row.trouble in text(club.mail("boss"))
    assert club.live(two).table.state.to_move == (1,)
    with club.at(one) as (work, match):
        halt.resume_suspended_match(work, match, False)
    club.tick()
    live = club.live(one)
    assert (live.table.out, live.table.state.to_move) == ((0,), (1,))


def test_a_robot_without_a_legal_move_misses_its_turn(club: MemoryClub, monkeypatch: pytest.MonkeyPatch) -> None:
    def stands() -> Any:
        state = club.live(code).table.state
        return state.to_move, state.public.passes

    code = begin(club, "Anna", "R2", game="topwords")
    monkeypatch.setattr(choose, "choose_robot_move", lambda *_: "J10 w UNSINN")
    play(club, code, 0, "passe")
    assert stands() == ((0,), 2)
    play(club, code, 0)
    with club.at(code) as (work, match):
        rollback_match_by_staff(work, match, None, 4, "")
    assert stands() == ((0,), 1)


@pytest.mark.parametrize("key", sorted(OWN))
def test_of_who_plays_no_more_no_mail_says_that_a_move_was_missed(key: str, tmp_path: Path) -> None:
    names = NAMES[: min(3, load_game(key).max_seats)]
    club = club_of(tmp_path / "club", *names, **dict.fromkeys(names, "en"))
    code = begin(club, *names, game=key)
    club.hand_in("Bert", code, 1, f"RESIGN {code} YES\nyes")
    told = [text(mail) for mail in club.mails()]
    for _ in range(12):
        if club.row(code).status == "finished":
            break
        club.let_pass(days=8)
        told += [text(mail) for mail in club.mails()]
    assert club.live(code).table.out
    missed = render_note(Note("missed"), "en", key)
    assert not any(f"Bert{said}" in one for one in told for said in (" misses a turn", f": {missed}"))
    # Who is there and silent has sent nothing.
    assert len(names) < 3 or any(f"Anna: {missed}" in one for one in told)
