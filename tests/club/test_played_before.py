"""A match that this process has played before is played on from there, but only while its log begins as it did."""

from __future__ import annotations

from typing import Any

import pytest
from sqlmodel import select

from moderator.club import live_match
from moderator.club.live_match import LiveMatch, Suspended, rebuild, walk
from moderator.match import replay
from moderator.store.models import Event, Match
from tests.club.club import Club


@pytest.fixture
def played(club: Club) -> str:
    code = club.match("Anna", "Bert")
    for seat, name in enumerate(("Anna", "Bert")):
        club.order(name, code, seat, club.moves(code, seat)[0])
        club.tick()
    return code


@pytest.fixture
def stepped(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts of the entries that were played from now on."""
    texts: list[str] = []
    step = replay.step

    def noted(game: Any, table: Any, entry: Any, *more: Any) -> Any:
        texts.append(entry.text)
        return step(game, table, entry, *more)

    monkeypatch.setattr(replay, "step", noted)
    return texts


def _match(desk: Any, code: str) -> Match:
    match = desk.session.exec(select(Match).where(Match.code == code)).one()
    assert isinstance(match, Match)
    return match


def _entries(desk: Any, match: Match) -> list[Event]:
    return list(desk.session.exec(select(Event).where(Event.match_id == match.id).order_by(Event.n)))


def _said(live: LiveMatch) -> tuple[Any, ...]:
    """Everything but what is made anew each time."""
    return live.table, live.table.entries, live.ledger, live.terms, live.entries, live.last, live.options


def test_only_what_is_new_is_played(club: Club, played: str, stepped: list[str]) -> None:
    with club.desk() as desk:
        match = _match(desk, played)
        rebuild(desk.session, match, desk.config.deadlines)
        stepped.clear()
        again = rebuild(desk.session, match, desk.config.deadlines)
        assert stepped == []
        assert _said(again) == _said(walk(desk.session, match, desk.config.deadlines).live)
    order = club.moves(played, 0)[0]
    club.order("Anna", played, 0, order)
    club.tick()
    with club.desk() as desk:
        match = _match(desk, played)
        stepped.clear()
        again = rebuild(desk.session, match, desk.config.deadlines)
        assert len(stepped) <= 1
        assert _said(again) == _said(walk(desk.session, match, desk.config.deadlines).live)


def test_a_log_that_says_something_else_is_played_from_the_deal(club: Club, played: str) -> None:
    with club.desk() as desk:
        match = _match(desk, played)
        rebuild(desk.session, match, desk.config.deadlines)
        first = _entries(desk, match)[0]
        first.outcome = {**first.outcome, "moves": [{**first.outcome["moves"][0], "points": 999}]}
        desk.session.add(first)
        desk.session.flush()
        with pytest.raises(Suspended):
            rebuild(desk.session, match, desk.config.deadlines)
        desk.session.rollback()


def test_another_deal_is_played_from_the_deal(club: Club, played: str) -> None:
    with club.desk() as desk:
        match = _match(desk, played)
        rebuild(desk.session, match, desk.config.deadlines)
        match.seed = "ab" * 32
        with pytest.raises(Suspended):
            rebuild(desk.session, match, desk.config.deadlines)
        desk.session.rollback()


def test_what_was_taken_back_is_played_from_the_deal(club: Club, played: str, stepped: list[str]) -> None:
    with club.desk() as desk:
        match = _match(desk, played)
        rebuild(desk.session, match, desk.config.deadlines)
        count = len(_entries(desk, match))
        undo = Event(match_id=match.number, n=count + 1, kind="undo", text="0", outcome={}, at=desk.now)
        desk.session.add(undo)
        desk.session.flush()
        stepped.clear()
        again = rebuild(desk.session, match, desk.config.deadlines)
        assert len(stepped) == count
        assert _said(again) == _said(walk(desk.session, match, desk.config.deadlines).live)
        desk.session.rollback()


def test_what_somebody_does_with_a_match_stays_theirs(club: Club, played: str) -> None:
    with club.desk() as desk:
        match = _match(desk, played)
        found = rebuild(desk.session, match, desk.config.deadlines)
        found.last[0] = ("changed", 0)
        assert rebuild(desk.session, match, desk.config.deadlines).last[0] != ("changed", 0)


def test_only_the_last_ones_are_kept(club: Club, played: str, monkeypatch: pytest.MonkeyPatch) -> None:
    other = club.match("Anna", "Bert")
    monkeypatch.setattr(live_match, "MOST_PLAYED", 1)
    with club.desk() as desk:
        for code in (played, other):
            match = _match(desk, code)
            rebuild(desk.session, match, desk.config.deadlines)
            assert list(live_match._PLAYED) == [match.id]
