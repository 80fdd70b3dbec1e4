"""One step of a tournament, and those that all formats have in common: a match is dealt, a game is judged."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from functools import partial

from moderator.club.desk import Desk
from moderator.club.tournaments import rows
from moderator.match.contract import Note
from moderator.outbox.tell import tell_moderator
from moderator.play.create import start_match
from moderator.play.tournaments import judging
from moderator.store import tournaments
from moderator.store.models import Match, Tournament, TournamentGame


@dataclass(frozen=True)
class Step:
    """What to do next; ``name`` is its stamp."""

    name: str
    run: Callable[[Desk, Tournament], None]


def deal_next(desk: Desk, tournament: Tournament, games: list[TournamentGame]) -> Step | None:
    """The next pairing whose match is not dealt yet."""
    waiting = [row for row in rows.open_games(games) if row.match_id is not None]
    undealt = tournaments.undealt(desk.session, tournament) if waiting else set()
    for row in waiting:
        if row.match_id in undealt:
            match = desk.session.get_one(Match, row.match_id)
            return Step(f"deal:{row.number}", partial(deal, match=match))
    return None


def deal(desk: Desk, tournament: Tournament, match: Match) -> None:
    """A match begins."""
    start_match(desk, match)


def judge_now(desk: Desk, row: TournamentGame, done: Container[str]) -> Step | None:
    """The judging of an open game whose latest end has come; once for each latest end that it had."""
    if row.ends_at is None or row.ends_at > desk.now:
        return None
    name = f"judge:{row.number}:{row.ends_at:%Y-%m-%dT%H:%M}"
    return None if name in done else Step(name, partial(judge, row=row))


def judge(desk: Desk, tournament: Tournament, row: TournamentGame) -> None:
    """The latest end of a game has come."""
    if not judging.by_score(desk, tournament, row):
        match = rows.match_of(desk.session, row)
        tell_moderator(desk, Note("cup-judge", {"cup": tournament.code, "match": match.code if match else "?"}))


def trouble(desk: Desk, tournament: Tournament, note: Note) -> None:
    """The step can't be done, and waits for the moderator."""
    tournament.trouble = note.code
    desk.session.add(tournament)
    tell_moderator(desk, note)
