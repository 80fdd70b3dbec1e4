"""Commands that change how the moderator writes to a player, in whichever match they stand."""

from __future__ import annotations

import difflib
from functools import cache

from moderator.desk import address as addresses
from moderator.desk import digest as daily
from moderator.desk import unsubscribe as leaving
from moderator.desk.commands.call import Answer, Call, said
from moderator.desk.create import checked_address
from moderator.desk.spelling import plain
from moderator.errors import Impossible, Misused, OperatorError

ON = frozenset({"an", "ein", "on", "ja", "yes"})
OFF = frozenset({"aus", "ab", "off", "nein", "no"})
LANGUAGES = {
    **dict.fromkeys(("de", "deutsch", "german", "ger", "auf deutsch", "in german"), "de"),
    **dict.fromkeys(("en", "englisch", "english", "eng", "auf englisch", "in english"), "en"),
}
FORMS = {
    **dict.fromkeys(("png", "bild", "bilder", "picture", "pictures", "image", "grafik", "graphic"), "png"),
    **dict.fromkeys(("table", "tabelle", "html"), "table"),
    **dict.fromkeys(("text", "zeichen", "characters", "ascii", "plain"), "text"),
}
"""What is behind the command, as ``spelling.plain`` has it -> how boards are shown."""


def own(call: Call) -> None:
    """Settings are the player's own affair. Raises Misused for a writer who may act for one seat only."""
    if not call.writer.whole:
        raise Impossible("settings-need-your-address")


def _argument(call: Call) -> str:
    return plain(call.command.argument).rstrip(".!")


def _switched(call: Call) -> bool:
    """On or off. Raises Misused for anything else."""
    word = _argument(call)
    if word not in ON and word not in OFF:
        raise Misused("on-or-off")
    return word in ON


def single(call: Call) -> Answer:
    """``Einzelzug an``: play a move without a choice at once."""
    own(call)
    call.player.auto_single = _switched(call)
    call.desk.session.add(call.player)
    return said("auto-single-on" if call.player.auto_single else "auto-single-off")


def language(call: Call) -> Answer:
    """``Sprache englisch``: from this mail's answer on."""
    own(call)
    found = LANGUAGES.get(_argument(call))
    if found is None:
        raise Misused("language-unknown")
    call.player.language = found
    call.desk.session.add(call.player)
    return said(f"language-{found}")


def zone(call: Call) -> Answer:
    """``Zeitzone Europe/Berlin`` or the name of a city that only one zone has."""
    own(call)
    wanted = call.command.argument.strip(" .!")
    found = _zones(wanted)
    if len(found) != 1:
        raise Misused("zone-several" if found else "zone-unknown", zone=wanted[:40], zones=found or _like(wanted))
    player = call.player
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


def form(call: Call) -> Answer:
    """``Brettform Tabelle``: how boards are drawn."""
    own(call)
    found = FORMS.get(_argument(call))
    if found is None:
        raise Misused("form-unknown")
    call.player.board = found
    call.desk.session.add(call.player)
    return said(f"form-{found}")


def digest(call: Call) -> Answer:
    """``Sammelmail an``: one mail a day instead of one for each turn."""
    own(call)
    daily.switch(call.desk, call.player, _switched(call))
    if not call.player.digest:
        return said("digest-off")
    return said("digest-on", at=call.player.digest_at)


def invitations(call: Call) -> Answer:
    """``Einladungen aus``: no mail when the registration of a tournament opens."""
    own(call)
    leaving.switch_invitations(call.desk, call.player, _switched(call))
    return said("invitations-on" if call.player.invitations else "invitations-off")


def unsubscribe(call: Call) -> Answer:
    """``Abbestellen``: all that the club sends unasked and nobody waits for."""
    own(call)
    leaving.answer(call.desk, call.player)
    return Answer(mailed=True)


def address(call: Call) -> Answer:
    """``Adresse neu@example.org``: both mailboxes are asked. Open to who came by a seat's token from elsewhere, too:
    whoever has lost a mailbox cannot write from it, and nothing changes without the old one or the moderator."""
    words = [word.strip("<>.,;()") for word in call.command.argument.split() if "@" in word]
    wanted = words[-1].lower() if words else ""
    mail, player = call.desk.config.mail, call.player
    if wanted == player.address:
        raise Impossible("address-yours", address=wanted)
    local, _, domain = wanted.partition("@")
    ours, _, here = mail.address.lower().partition("@")
    if domain == here and (local == ours or (mail.subaddress and local.startswith(ours + mail.subaddress))):
        raise Misused("address-invalid", address=wanted)
    try:
        checked_address(call.desk.session, wanted)
    except OperatorError as error:
        taken = "belongs" in str(error)
        raise (
            Impossible("address-taken", address=wanted) if taken else Misused("address-invalid", address=wanted[:80])
        ) from None
    if addresses.too_often(call.desk, player):
        raise Impossible("address-too-often", most=addresses.DAILY)
    alive = addresses.ask(call.desk, player, wanted)
    return said("address-asked" if alive else "address-asked-moderator", address=wanted, old=player.address)
