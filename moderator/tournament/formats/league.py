"""Divisions that play round robins; who is first goes up, who is last goes down with the next season."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from moderator.tournament.field import Tournament
from moderator.tournament.formats.contract import Chosen
from moderator.tournament.formats.double import DOUBLE
from moderator.tournament.formats.robin import Robin


class League(Robin):
    key = "league"
    divisions = True

    def part(self, settings: Chosen) -> str:
        return DOUBLE.key if settings.cycles == 2 else self.key

    def described(self, rounds: int, legs: int) -> str:
        return "-double" if legs == 2 else ""

    def settings_of(self, found: Sequence[Tournament]) -> dict[str, Any]:
        return {"cycles": 2} if any(t.format == DOUBLE.key for t in found) else {}


LEAGUE = League()
