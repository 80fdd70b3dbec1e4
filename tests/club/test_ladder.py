"""No move received: missed turns, seats that are given up, substitutes, resignations, signs to wait or go on."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from moderator.club.live_match import log_of
from moderator.play import lifecycle
from moderator.play.create import find_player
from moderator.store.models import Match, Standby
from tests.club.club import Club, make_club, plain_boards, text

NAMES = ("Anna", "Bert", "Cici")


@pytest.fixture
def club(tmp_path: Path) -> Club:
    made = make_club(tmp_path / "club")
    made.players(*NAMES, "Dora", "R2")
    plain_boards(made)
    return made


def begun(club: Club, *names: str, terms: dict[str, Any] | None = None, **options: Any) -> str:
    code = club.match(*(names or ("Anna", "Bert")), terms=terms, **options)
    club.tick()
    club.mails()
    return code


def miss(club: Club, code: str) -> None:
    """Let the ZAT pass."""
    deadline = club.row(code).deadline
    assert deadline is not None
    club.wait(seconds=(deadline + timedelta(hours=2) - club.now).total_seconds())
    assert club.tick().deadlines == 1


def kinds(club: Club, code: str) -> list[str]:
    with club.desk() as desk:
        match = desk.session.exec(select(Match).where(Match.code == code)).one()
        return [entry.kind for entry in log_of(desk.session, match)]


def on_standby(club: Club, name: str, game: str = "") -> None:
    with club.desk() as desk:
        desk.session.add(Standby(player_id=find_player(desk.session, name).number, game=game, since=club.now))


def test_a_seat_is_given_up_after_so_many_missed_turns(club: Club) -> None:
    code = begun(club, *NAMES, pace="rounds", terms={"abandon_after": 2, "excused": 1})
    for _ in range(3):
        for seat in (0, 1):
            club.order(NAMES[seat], code, seat, club.moves(code, seat)[0])
        club.tick()
        miss(club, code)
    live = club.live(code)
    assert live.table.out == (2,)
    assert live.ledger.seats[2].missed == 3
    assert any("passt von jetzt an" in text(mail) for mail in club.mails("anna"))
    assert club.row(code).status == "running"


def test_an_answer_in_between_begins_the_count_anew(club: Club) -> None:
    code = begun(club, *NAMES, pace="rounds", terms={"abandon_after": 2, "excused": 0})
    for number in range(4):
        for seat in (0, 1, *((2,) if number % 2 else ())):
            club.order(NAMES[seat], code, seat, "passe")
        club.tick()
        miss(club, code)
        if club.row(code).status == "finished":
            break
    assert club.live(code).table.out == ()


def test_the_game_ends_when_one_player_is_left(club: Club) -> None:
    code = begun(club, terms={"abandon_after": 1, "excused": 0})
    club.order("Anna", code, 0, club.moves(code, 0)[0])
    club.tick()
    miss(club, code)
    assert club.row(code).status == "finished"
    assert kinds(club, code)[-2:] == ["retire", "stop"]
    end = club.mails("anna")[-1]
    assert "gewonnen" in text(end)


@pytest.mark.parametrize("game", ["dominos", "tridom", "domijongg", "kreuzwort", "presto"])
def test_a_match_that_everybody_has_left_ends(club: Club, game: str) -> None:
    code = begun(club, "Anna", "Bert", game=game)
    for _ in range(12):
        if club.row(code).status == "finished":
            break
        miss(club, code)
    assert club.row(code).status == "finished"


def test_somebody_on_standby_takes_the_seat_over_before_its_turn_is_missed(club: Club) -> None:
    on_standby(club, "Dora", "topwords")
    code = begun(club, terms={"abandon_after": 1, "excused": 0})
    miss(club, code)
    assert kinds(club, code) == ["hand-over"]
    live = club.live(code)
    assert live.table.state.to_move == (0,)
    deadline = club.row(code).deadline
    assert deadline is not None
    assert deadline - club.now > timedelta(days=6)
    welcome = club.mail("dora")
    assert "beginnt" in str(welcome["Subject"])
    (told,) = club.mails("anna")
    assert "spielt Dora von jetzt an für dich" in " ".join(text(told).split())
    club.order("Dora", code, 0, club.moves(code, 0)[0])
    club.order("Anna", code, 0, "passe")
    club.tick()
    assert club.live(code).last[0][1] > 0
    with club.desk() as desk:
        assert not desk.session.exec(select(Standby)).all()


def test_the_old_address_of_a_seat_opens_it_no_more(club: Club) -> None:
    on_standby(club, "Dora")
    code = begun(club, terms={"abandon_after": 1, "excused": 0})
    token = club.token(code, 0)
    miss(club, code)
    club.mails()
    club.write("Anna", club.moves(code, 0)[0], to=f"games+{code}-{token}@club.example")
    club.tick()
    assert 0 not in club.live(code).last


def test_standby_for_another_game_or_in_the_same_match_does_not_count(club: Club) -> None:
    on_standby(club, "Dora", "dominos")
    on_standby(club, "Bert")
    code = begun(club, *NAMES, terms={"abandon_after": 1, "excused": 0})
    miss(club, code)
    assert kinds(club, code)[:2] == ["miss", "retire"]


def test_resigning_needs_the_name_of_the_match(club: Club) -> None:
    code = begun(club, *NAMES)
    club.order("Bert", code, 1, "Aufgeben")
    club.tick()
    assert club.live(code).table.out == ()
    assert f"Aufgeben {code}" in text(club.mail("bert"))
    club.order("Bert", code, 1, f"Aufgeben {code}")
    club.tick()
    assert club.live(code).table.out == (1,)
    assert any("hat die Partie aufgegeben" in text(mail) for mail in club.mails("cici"))


def test_who_has_resigned_passes_and_cannot_win(club: Club) -> None:
    code = begun(club, *NAMES)
    club.order("Anna", code, 0, club.moves(code, 0)[0])
    club.tick()
    club.order("Anna", code, 0, f"Aufgeben {code}")
    club.tick()
    for seat, name in ((1, "Bert"), (2, "Cici")) * 2:
        club.order(name, code, seat, "passe")
        club.tick()
        club.wait(minutes=11)
    live = club.live(code)
    assert live.table.state.over
    from moderator.match.seats import winners

    assert live.table.state.scores[0] > 0
    assert winners(live.game, live.table) == (1, 2)


def test_when_only_a_robot_is_left_the_match_ends(club: Club) -> None:
    code = begun(club, "Anna", "R2")
    club.order("Anna", code, 0, f"Aufgeben {code}")
    club.tick()
    assert club.row(code).status == "finished"


def test_waiting_keeps_an_early_round_open(club: Club) -> None:
    code = begun(club, pace="rounds", early=True)
    club.order("Anna", code, 0, f"{club.moves(code, 0)[0]}\nWarten")
    club.order("Bert", code, 1, "passe")
    club.tick()
    assert club.live(code).table.round == 1
    club.order("Anna", code, 0, "Fertig")
    club.tick()
    assert club.live(code).table.round == 2


def test_a_round_is_evaluated_early_when_all_are_ready(club: Club) -> None:
    code = begun(club, pace="rounds")
    club.order("Anna", code, 0, "passe\nFertig")
    club.order("Bert", code, 1, "passe")
    club.tick()
    assert club.live(code).table.round == 1
    club.order("Bert", code, 1, "READY")
    club.tick()
    assert club.live(code).table.round == 2
    assert club.live(code).table.flags == {}


def test_a_stored_move_waits_for_the_word_ready(club: Club) -> None:
    code = begun(club)
    club.order("Bert", code, 1, "passe\nWarten")
    club.order("Anna", code, 0, "passe")
    club.tick()
    assert club.live(code).table.state.to_move == (1,)
    club.order("Bert", code, 1, "Fertig")
    club.tick()
    assert club.live(code).table.state.to_move == (0,)


def test_what_was_undone_never_happened(club: Club) -> None:
    code = begun(club)
    other = begun(club)
    first = club.moves(code, 0)[0]
    for number in (code, other):
        club.order("Anna", number, 0, club.moves(number, 0)[1] if number == other else first)
    club.tick()
    club.order("Bert", code, 1, club.moves(code, 1)[0])
    club.tick()
    with club.desk() as desk:
        match = desk.session.exec(select(Match).where(Match.code == code)).one()
        live = desk.cache.live(desk.session, match)
        from moderator.match.contract import Note

        lifecycle.undo(desk, match, live, 1, Note("game-stopped"))
    live = club.live(code)
    assert live.table.state.to_move == (1,)
    assert live.last == {0: (first, live.table.state.scores[0])}
    assert [account.turns for account in live.ledger.seats] == [1, 0]
