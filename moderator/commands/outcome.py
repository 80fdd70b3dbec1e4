"""What a command of the moderator's leads to, and what all of them ask first: is it played, whose seat is it?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch
from moderator.errors import Impossible, Misused
from moderator.match.contract import Note
from moderator.pages.dates import localised
from moderator.pages.messages import sentence
from moderator.pages.pages import Page, Reader
from moderator.states import MailKind, MatchStatus
from moderator.store.models import Match, Player, Seat

Outcome = tuple[Note, ...]
SHORTEST = 3
"""Letters of a name that is cut short."""


def running(desk: Desk, match: Match) -> LiveMatch:
    """The match, if it is being played. Raises Misused or Suspended."""
    if match.status == MatchStatus.SUSPENDED:
        desk.cache.live(desk.session, match)
    if match.status != MatchStatus.RUNNING:
        raise Impossible(f"match-{match.status}", match=match.code, name=match.name)
    return desk.cache.live(desk.session, match)


def seat_of(desk: Desk, match: Match, name: str) -> tuple[Seat, Player]:
    """The seat of the player so named; a name may be cut short as long as only one begins so. Raises Misused."""
    wanted = " ".join(name.casefold().split())
    seated = desk.seated(match)
    found = [pair for pair in seated if pair[1].name_key == wanted]
    if not found and len(wanted) >= SHORTEST:
        found = [pair for pair in seated if pair[1].name_key.startswith(wanted)]
    if len(found) != 1:
        raise Misused("boss-no-seat", name=name or "?", match=match.code, names=[p.name for _, p in seated])
    return found[0]


def outcome(code: str, **params: Any) -> Outcome:
    """One sentence."""
    return (Note(code, params),)


def spoken(desk: Desk, notes: Sequence[Note], language: str) -> list[str]:
    """Sentences for the command line: moments on the club's clock."""
    club = desk.config.club
    to = Reader(club.name, club.moderator, language, club.zone)
    page = Page(MailKind.BOSS, to, club.name, desk.now, notes=tuple(notes))
    return [sentence(note, language) for note in localised(page).notes]
