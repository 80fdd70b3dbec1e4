"""The end of a tournament: final places, ratings, and the next season of a league."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlmodel import select

from moderator.club.desk import Desk
from moderator.club.ratings import rated
from moderator.club.tournaments import rows
from moderator.club.tournaments.settings import settings_of
from moderator.errors import OperatorError
from moderator.outbox import tournament_mails
from moderator.play.tournaments import registration
from moderator.play.tournaments.registration import LONGEST_NAME
from moderator.states import CupStatus, EntryState
from moderator.store.models import Cup, CupEntry, Player
from moderator.tournaments.field import Tournament
from moderator.tournaments.formats import of
from moderator.tournaments.standings import finished_share, standings


def finish(desk: Desk, cup: Cup) -> None:
    """Everybody has a place now; who did not count has none."""
    for division in rows.divisions(desk.session, cup):
        places = final_places(cup, rows.tournament(desk.session, cup, division))
        for entry, _ in rows.entries(desk.session, cup, division):
            entry.place = places.get(entry.number)
            desk.session.add(entry)
    cup.status, cup.finished_at, cup.next_at = CupStatus.FINISHED, desk.now, desk.now
    desk.session.add(cup)


def final_places(cup: Cup, t: Tournament) -> dict[int, int]:
    """Number -> place in the end."""
    places = of(t).places(t, cup.state)
    return standings(t).places() if places is None else places


def rate(desk: Desk, cup: Cup) -> None:
    """The ratings after it, beside those from before."""
    found = rated(desk.session, cup.game)
    for entry in desk.session.exec(select(CupEntry).where(CupEntry.cup_id == cup.number)):
        if entry.player_id in found:
            entry.rated = float(found[entry.player_id].shown)
            desk.session.add(entry)


def again(desk: Desk, cup: Cup) -> None:
    """The next season: its registration is open at once, and whoever played to the end is in unless they leave. Not
    where the moderator has set one up already."""
    if _followers(desk, cup):
        return
    settings = settings_of(cup)
    following = follow(desk, cup, next_name(cup.name), {}, closes_at=desk.now + timedelta(days=settings.again_days))
    following.status, following.next_at = CupStatus.OPEN, following.closes_at
    desk.session.add(following)
    if settings.invite:
        tournament_mails.invite(desk, following)


def follow(
    desk: Desk,
    cup: Cup,
    name: str,
    changes: Mapping[str, Mapping[str, Any]],
    *,
    game: str | None = None,
    format: str | None = None,
    opens_at: datetime | None = None,
    closes_at: datetime | None = None,
) -> Cup:
    """A season after ``cup``, with whoever played to its end. ``changes``: options, terms and settings that are unlike
    it; ``game`` and ``format`` may be given, but not others. Raises OperatorError."""
    if not of(cup).divisions or cup.status != CupStatus.FINISHED:
        raise OperatorError(f"{cup.code} is no league that is over.", "Only a league's season is followed by another.")
    if (game or cup.game, format or cup.format) != (cup.game, cup.format):
        raise OperatorError(f"{cup.code} is a league of {cup.game}.", "Leave out --game and --format.")
    if found := _followers(desk, cup):
        raise OperatorError(
            f"{found[0].code} follows {cup.code} already.", f"See `moderator cup show {found[0].code}`."
        )
    following = registration.new_cup(
        desk.session,
        name,
        cup.game,
        cup.format,
        desk.now,
        options={**cup.options, **changes.get("options", {})},
        terms={**cup.terms, **changes.get("terms", {})},
        settings={**cup.settings, **changes.get("settings", {})},
        opens_at=opens_at,
        closes_at=closes_at,
        previous=cup,
    )
    for player in staying(desk, cup):
        registration.enter(desk, following, player)
    return following


def _followers(desk: Desk, cup: Cup) -> list[Cup]:
    return list(desk.session.exec(select(Cup).where(Cup.previous_id == cup.number, Cup.status != CupStatus.CANCELLED)))


def staying(desk: Desk, cup: Cup) -> list[Player]:
    """Who played to the end, the highest division first: nobody who has left, or lost most games by forfeit."""
    shares = {
        (division, one.number): finished_share(t, one.number)
        for division in rows.divisions(desk.session, cup)
        for t in [rows.tournament(desk.session, cup, division)]
        for one in t.entrants
    }
    return [
        player
        for entry, player in rows.entries(desk.session, cup)
        if entry.state == EntryState.IN and entry.number
        for finished, every in [shares[entry.division, entry.number]]
        if 2 * finished >= every
    ]


def next_name(name: str) -> str:
    """``Liga 3`` after ``Liga 2``; ``Liga 2`` after ``Liga``; a year goes on, too."""
    head, _, last = name.rpartition(" ")
    if not (head and last.isascii() and last.isdigit()):
        head, last = name, "1"
    number = str(int(last) + 1)
    return f"{head[: LONGEST_NAME - len(number) - 1]} {number}"
