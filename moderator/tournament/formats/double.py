"""Everybody plays everybody twice, once with each start."""

from __future__ import annotations

from moderator.tournament.formats.robin import Robin


class Double(Robin):
    key = "double"
    days = 180
    twice = True


DOUBLE = Double()
