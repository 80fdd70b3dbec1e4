"""What happens without a person's mail never hangs a tick: seats that have left, robots without a legal move."""

from __future__ import annotations

import pytest
from sqlmodel import select

from moderator.commands.moderator.rollback import rollback
from moderator.match import robot
from moderator.play import play
from moderator.play.lifecycle import unsuspend
from moderator.store.models import Match
from tests.club.club import Club, text


def test_turns_that_come_round_for_ever_suspend_that_match_only(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = club.match("Anna", "Bert", "Cici"), club.match("Anna", "Bert")
    club.tick()
    club.mails()
    with monkeypatch.context() as patched:
        patched.setattr(play, "MOST_AT_ONCE", 0)
        club.order("Anna", one, 0, "Aufgeben " + one)
        club.order("Anna", two, 0, "passe")
        summary = club.tick()
    row = club.row(one)
    assert (row.status, row.entries) == ("suspended", 0)
    assert "come round and round" in row.trouble
    assert [row.trouble] == summary.troubles
    assert row.trouble in text(club.mail("boss"))
    assert club.live(two).table.state.to_move == (1,)
    with club.desk() as desk:
        unsuspend(desk, desk.session.exec(select(Match).where(Match.code == one)).one(), False)
    club.tick()
    live = club.live(one)
    assert (live.table.out, live.table.state.to_move) == ((0,), (1,))


def test_a_robot_without_a_legal_move_misses_its_turn(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    club.players("R2D2")
    code = club.match("Anna", "R2D2")
    monkeypatch.setattr(robot, "choose", lambda *_: "J10 w UNSINN")
    club.order("Anna", code, 0, "passe")
    club.tick()
    live = club.live(code)
    assert (live.table.state.to_move, live.table.state.public.passes) == ((0,), 2)
    club.order("Anna", code, 0, club.moves(code, 0)[0])
    club.tick()
    with club.desk() as desk:
        match = desk.session.exec(select(Match).where(Match.code == code)).one()
        rollback(desk, match, None, 4, "")
    live = club.live(code)
    assert (live.table.state.to_move, live.table.state.public.passes) == ((0,), 1)
