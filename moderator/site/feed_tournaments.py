"""What a tournament's feed tells: who plays, every round with its pairings, its results and the table, the end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from moderator.club.tournaments import rows
from moderator.club.tournaments.view import Seen
from moderator.pages.tournament_tables import named
from moderator.pages.tournament_view import TournamentGameLine
from moderator.site.feed_entry import END, Entry
from moderator.site.site import Site, View, masked
from moderator.site.tournament_log import Logged
from moderator.store.models import Tournament
from moderator.tournaments.crosstable import crosstable
from moderator.tournaments.field import TournamentState
from moderator.tournaments.formats import of

STEPS = {"close": "closed", "pair": "pair", "report": "report", "finish": "finish"}
"""Those of play/tournaments/steps.py that are told."""


def entries(site: Site, tournament: Logged, language: str) -> Iterator[Entry]:
    """The oldest first."""
    page = f"tournaments/{tournament.listed.code}.html"
    view = View(site, page, language)
    seen: Seen | None = None
    for order, (step, at) in enumerate(tournament.steps):
        kind, _, number = step.partition(":")
        if kind in STEPS:
            seen = seen or Seen(site.desk, site.desk.session.get_one(Tournament, tournament.listed.id))
            round = int(number) if number.isdecimal() else 0
            title = view.t(f"site.feed-cup-{STEPS[kind]}", name=tournament.listed.name, round=round)
            id = f"tournaments/{tournament.listed.code}/{step.replace(':', '-')}"
            lines = tuple(map(masked, _lines(seen, kind, round, view)))
            yield Entry(id, at, END + order, masked(title), lines, page)


def _lines(seen: Seen, kind: str, round: int, view: View) -> Iterator[str]:
    if kind == "close":
        yield ", ".join(player.name for entry, player in seen.entries if entry.number)
        return
    if kind == "pair":
        yield from (pairing(line, view) for line in _games(seen, round))
        return
    yield from (pairing(line, view) for line in (_games(seen, round) if round else ()))
    for division in seen.divisions:
        yield from standing(until(seen.states[division], round), view)


def _games(seen: Seen, round: int) -> Iterator[TournamentGameLine]:
    return (seen.line(row) for row in rows.games(seen.desk.session, seen.tournament) if row.round == round)


def pairing(line: TournamentGameLine, view: View) -> str:
    """``Anna – Bert 310:280``."""
    if len(line.names) == 1:
        return view.t("site.feed-cup-free", name=line.names[0])
    result = ":".join(map(str, line.scores)) or ":".join(line.points)
    return f"{' – '.join(line.names)} {result}".rstrip()


def until(t: TournamentState, round: int) -> TournamentState:
    """As it stood after ``round``; 0 = now."""
    return replace(t, games=tuple(game for game in t.games if game.round <= round)) if round else t


def standing(t: TournamentState, view: View) -> Iterator[str]:
    """``1. Anna · Nr. 7: 3½``; nothing where there is no table."""
    if not of(t).table:
        return
    for line in crosstable(t).lines:
        yield f"{named(line, view.lang)}: {line.points}"
