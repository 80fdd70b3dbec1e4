"""Commands that change how the moderator writes to a player, in whichever match they stand; with ``Zeitzone``, in which
all times are told to them.
"""

from __future__ import annotations

import difflib
from functools import cache
from pathlib import Path

from moderator.commands.call import Answer, Call, said
from moderator.commands.declaration import Argument, Command, Group, Scope, Who, always
from moderator.errors import Misused
from moderator.outbox import digest as daily
from moderator.pages.messages import label
from moderator.paths import LANGUAGES
from moderator.people import unsubscribe as leaving
from moderator.states import BoardForm
from moderator.texts import apart, meanings, one_of, plain

HERE = Path(__file__).parent
ON, OFF = apart(HERE, "on", "off")
_FORMS = apart(HERE, *(f"board-{form}" for form in BoardForm))
FORMS = {word: form for form, words in zip(BoardForm, _FORMS, strict=True) for word in words}
"""What is behind the command, as ``texts.plain`` has it -> how boards are shown."""


def _argument(call: Call) -> str:
    return plain(call.request.argument).rstrip(".!")


def _form(call: Call) -> BoardForm:
    """How boards are shown. Raises Misused."""
    found = FORMS.get(_argument(call))
    if found is None:
        raise Misused("form-unknown")
    return found


def _language(call: Call) -> str:
    """The language that is called so. Raises Misused."""
    called = {one: (one, *map(plain, label("language-called", one).split(", "))) for one in LANGUAGES}
    found = next((one for one, names in called.items() if _argument(call) in names), None)
    if found is None:
        raise Misused("language-unknown", languages=[label("site.language", one) for one in LANGUAGES])
    return found


def switched(call: Call) -> bool:
    """On or off. Raises Misused for anything else."""
    word = _argument(call)
    if word not in ON and word not in OFF:
        raise Misused("on-or-off")
    return word in ON


SWITCH = Argument("on", switched)
SWITCHED = one_of(ON | OFF)


@Command(
    "single",
    scope=Scope.CLUB,
    group=Group.SETTINGS,
    rank=70,
    who=Who.PLAYER,
    pattern=SWITCHED,
    short=always,
    arguments=(SWITCH,),
)
def single(call: Call, on: bool) -> Answer:
    """``Einzelzug an``: play a move without a choice at once."""
    call.player.auto_single = on
    call.desk.session.add(call.player)
    return said("auto-single-on" if call.player.auto_single else "auto-single-off")


@Command(
    "language",
    scope=Scope.CLUB,
    group=Group.SETTINGS,
    rank=10,
    who=Who.PLAYER,
    pattern=r"[^\W\d_]+",
    short=always,
    arguments=(Argument("wanted", _language),),
)
def language(call: Call, wanted: str) -> Answer:
    """``Sprache englisch``: from this mail's answer on."""
    call.player.language = wanted
    call.desk.session.add(call.player)
    return said("language-now")


@Command(
    "form",
    scope=Scope.CLUB,
    group=Group.SETTINGS,
    rank=30,
    who=Who.PLAYER,
    pattern=r"\w+",
    short=always,
    arguments=(Argument("wanted", _form),),
)
def form(call: Call, wanted: BoardForm) -> Answer:
    """``Brettform Tabelle``: how boards are drawn."""
    call.player.board = wanted
    call.desk.session.add(call.player)
    return said(f"form-{wanted}")


@Command(
    "digest",
    scope=Scope.CLUB,
    group=Group.SETTINGS,
    rank=40,
    who=Who.PLAYER,
    pattern=SWITCHED,
    short=always,
    arguments=(SWITCH,),
)
def digest(call: Call, on: bool) -> Answer:
    """``Sammelmail an``: one mail a day instead of one for each turn."""
    daily.switch(call.desk, call.player, on)
    if not call.player.digest:
        return said("digest-off")
    return said("digest-on", at=call.player.digest_at)


@Command(
    "same-subject",
    scope=Scope.CLUB,
    group=Group.SETTINGS,
    rank=45,
    who=Who.PLAYER,
    pattern=SWITCHED,
    short=always,
    arguments=(SWITCH,),
)
def same_subject(call: Call, on: bool) -> Answer:
    """``Gleicher Betreff an``: all mails of a match under one subject."""
    call.player.same_subject = on
    call.desk.session.add(call.player)
    return said("same-subject-on" if on else "same-subject-off")


@Command(
    "invitations",
    scope=Scope.CLUB,
    group=Group.SETTINGS,
    rank=50,
    who=Who.PLAYER,
    pattern=SWITCHED,
    short=always,
    arguments=(SWITCH,),
)
def invitations(call: Call, on: bool) -> Answer:
    """``Einladungen aus``: no mail when the registration of a tournament opens."""
    leaving.switch_invitations(call.desk, call.player, on)
    return said("invitations-on" if call.player.invitations else "invitations-off")


@Command(
    "unsubscribe",
    scope=Scope.CLUB,
    group=Group.SETTINGS,
    rank=60,
    who=Who.PLAYER,
    whole=True,
)
def unsubscribe(call: Call) -> Answer:
    """``Abbestellen``: all that the club sends unasked and nobody waits for."""
    leaving.answer(call.desk, call.player)
    return Answer(mailed=True)


# ---- the time zone ----


@Command(
    "zone",
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


def _zones(wanted: str) -> tuple[str, ...]:
    key = plain(wanted)
    return _places().get(meanings(HERE, "cities").get(key, key), ())


def _like(wanted: str) -> list[str]:
    close = difflib.get_close_matches(plain(wanted), _places(), n=3, cutoff=0.6)
    return [name for near in close for name in _places()[near]][:3] or ["Europe/Berlin"]
