"""``Zeitzone``: in which all times are told to a player."""

from __future__ import annotations

import difflib
from functools import cache

from moderator.club.spelling import plain
from moderator.commands.call import Answer, Call, said
from moderator.commands.declaration import Command, Group, Scope, Text, Who, always
from moderator.errors import Misused
from moderator.outbox import digest as daily


@Command(
    "zone",
    {
        "de": Text(
            "zeitzone|zone",
            "gelten alle Uhrzeiten für diese Zone.",
            example="Zeitzone Europe/Berlin",
            said="ZEITZONE EUROPE/LONDON",
        ),
        "en": Text(
            "timezone|time zone|zone",
            "all times are of that zone.",
            example="Zone Europe/London",
            said="TIMEZONE EUROPE/LONDON",
        ),
    },
    scope=Scope.CLUB,
    group=Group.SETTINGS,
    rank=20,
    who=Who.PLAYER,
    pattern=r"[\w/+-]+",
    short=always,
)
def zone(call: Call) -> Answer:
    """``Zeitzone Europe/Berlin`` or the name of a city that only one zone has; alone: which one holds."""
    player, wanted = call.player, call.request.argument.strip(" .!")
    if not wanted:
        example = call.request.command.text(player.language).example
        return said("zone-is", zone=player.zone, now=call.desk.now, example=example)
    found = _zones(wanted)
    if len(found) != 1:
        raise Misused("zone-several" if found else "zone-unknown", zone=wanted[:40], zones=found or _like(wanted))
    player.zone = found[0]
    if player.digest:
        player.digest_at = daily.next_hour(call.desk, player)
    call.desk.session.add(player)
    return said("zone-set", zone=found[0], now=call.desk.now)


@cache
def _places() -> dict[str, tuple[str, ...]]:
    """Zones by what a player may call them, spelt plain: the whole name, or its last part."""
    from zoneinfo import available_timezones

    named: dict[str, tuple[str, ...]] = {}
    for name in sorted(available_timezones()):
        if "/" not in name and name != "UTC":
            continue
        if name.startswith(("posix/", "right/", "SystemV/")):
            continue
        for known in {name, name.rpartition("/")[2]}:
            key = plain(known)
            named[key] = (*named.get(key, ()), name)
    return named


GERMAN_CITIES = {
    "wien": "vienna",
    "zuerich": "zurich",
    "kopenhagen": "copenhagen",
    "rom": "rome",
    "prag": "prague",
    "warschau": "warsaw",
    "bruessel": "brussels",
    "moskau": "moscow",
    "lissabon": "lisbon",
    "athen": "athens",
    "bukarest": "bucharest",
    "kiew": "kyiv",
    "tokio": "tokyo",
    "peking": "asia/shanghai",
    "luxemburg": "luxembourg",
    "kairo": "cairo",
    "singapur": "singapore",
    "mexiko stadt": "mexico city",
    "deutschland": "berlin",
    "germany": "berlin",
    "oesterreich": "vienna",
    "austria": "vienna",
    "schweiz": "zurich",
    "switzerland": "zurich",
}


def _zones(wanted: str) -> tuple[str, ...]:
    key = plain(wanted)
    return _places().get(GERMAN_CITIES.get(key, key), ())


def _like(wanted: str) -> list[str]:
    close = difflib.get_close_matches(plain(wanted), _places(), n=3, cutoff=0.6)
    return [name for near in close for name in _places()[near]][:3] or ["Europe/Berlin"]
