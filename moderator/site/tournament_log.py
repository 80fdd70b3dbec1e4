"""Tournaments that have begun, with the times of their steps."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import col, select

from moderator.site.site import Site
from moderator.site.tournament_list import ListedTournament
from moderator.states import TournamentStatus
from moderator.store.models import TournamentStep


@dataclass(frozen=True)
class Logged:
    listed: ListedTournament
    steps: tuple[tuple[str, datetime], ...]
    """What was done when, see play/tournaments/steps.py."""

    def at(self, step: str) -> datetime | None:
        """When that was done."""
        return next((at for name, at in self.steps if name == step), None)


def logged(site: Site) -> tuple[Logged, ...]:
    """The oldest first."""
    steps: dict[int, list[tuple[str, datetime]]] = {}
    query = select(TournamentStep.tournament_id, TournamentStep.step, TournamentStep.at).order_by(
        col(TournamentStep.id)
    )
    for tournament, step, at in site.desk.session.exec(query):
        steps.setdefault(tournament, []).append((step, at))
    begun = [
        tournament
        for tournament in reversed(site.tournaments)
        if tournament.status in (TournamentStatus.RUNNING, TournamentStatus.FINISHED)
    ]
    return tuple(Logged(tournament, tuple(steps.get(tournament.id, ()))) for tournament in begun)
