"""What is told of a running match about what was possible leaves no trace of what its reader cannot know: worlds that
differ in what is hidden are told the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from sqlmodel import select

from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch
from moderator.match.result import Result
from moderator.match.table import Table
from moderator.play import turns
from moderator.play.possible import possible
from moderator.store.models import MatchReview, TurnReview
from tests.club.club import make_club, plain_boards
from tests.club.test_reviews import PLENTY, with_seconds

NAMES = ("Anna", "Bert")


def test_the_order_of_the_stock_leaves_no_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In pace ``common``: the same line whatever is drawn next."""
    club = make_club(tmp_path)
    club.players(*NAMES)
    plain_boards(club)
    asked, told = [], []

    def twice(desk: Desk, live: LiveMatch, before: Table[object], result: Result) -> object:
        state = before.state
        other = replace(before, state=replace(state, stock=tuple(reversed(state.stock))))
        asked.append(state.stock != other.state.stock)
        told.append((possible(desk, live, before, result), possible(desk, live, other, result)))
        return told[-1][0]

    monkeypatch.setattr(turns, "possible", twice)
    code = club.match(*NAMES, game="topwords", early=True, pace="common")
    club.tick()
    for seat, name in enumerate(NAMES):
        club.order(name, code, seat, club.moves(code, seat)[0])
    club.tick()
    assert asked == [True]
    assert told[0][0] == told[0][1]
    assert told[0][0]


def test_nothing_is_worked_out_of_a_running_match(tmp_path: Path) -> None:
    club = make_club(tmp_path)
    club.players(*NAMES)
    plain_boards(club)
    code = club.match(*NAMES, game="dominos")
    club.tick()
    club.order("Anna", code, 0, f"REVIEW {code}")
    with_seconds(club, PLENTY).tick()
    with_seconds(club, PLENTY).tick()
    with club.desk() as desk:
        assert desk.session.exec(select(MatchReview)).all() == []
        assert desk.session.exec(select(TurnReview)).all() == []
