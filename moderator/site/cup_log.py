"""Tournaments that have begun, with the times of their steps."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import col, select

from moderator.site.cup_list import ListedCup
from moderator.site.site import Site
from moderator.states import CupStatus
from moderator.store.models import CupStep


@dataclass(frozen=True)
class Logged:
    listed: ListedCup
    steps: tuple[tuple[str, datetime], ...]
    """What was done when, see play/tournaments/steps.py."""

    def at(self, step: str) -> datetime | None:
        """When that was done."""
        return next((at for name, at in self.steps if name == step), None)


def logged(site: Site) -> tuple[Logged, ...]:
    """The oldest first."""
    steps: dict[int, list[tuple[str, datetime]]] = {}
    query = select(CupStep.cup_id, CupStep.step, CupStep.at).order_by(col(CupStep.id))
    for cup, step, at in site.desk.session.exec(query):
        steps.setdefault(cup, []).append((step, at))
    begun = [cup for cup in reversed(site.cups) if cup.status in (CupStatus.RUNNING, CupStatus.FINISHED)]
    return tuple(Logged(cup, tuple(steps.get(cup.id, ()))) for cup in begun)
