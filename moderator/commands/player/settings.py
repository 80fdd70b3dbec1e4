"""Commands that change how the moderator writes to a player, in whichever match they stand; with ``Zeitzone``, in which
all times are told to them.
"""

from __future__ import annotations

import difflib
from functools import cache, partial
from pathlib import Path

from moderator.commands.declaration import (
    Command,
    CommandArgument,
    CommandContext,
    CommandGiver,
    CommandGroup,
    CommandOutcome,
    CommandScope,
    accept_any_argument,
    done_with,
)
from moderator.common import message_files
from moderator.common.disk import LANGUAGES
from moderator.common.enums import BoardForm
from moderator.common.errors import Impossible, Misused, OperatorError
from moderator.common.message_files import build_any_pattern, load_distinct_words, load_meanings, normalize_spelling
from moderator.language.messages import render_label
from moderator.service.create import require_free_address
from moderator.service.players import address_change, wanted_mails
from moderator.service.players.address_change import AddressAsker
from moderator.service.players.wanted_mails import answer_unsubscription
from moderator.views import people

HERE = Path(__file__).parent
ON, OFF = load_distinct_words(HERE, "on", "off")
_FORMS = load_distinct_words(HERE, *(f"board-{form}" for form in BoardForm))
FORMS = {word: form for form, words in zip(BoardForm, _FORMS, strict=True) for word in words}
"""What is behind the command, as ``texts.plain`` has it -> how boards are shown."""


def _get_plain_argument(call: CommandContext) -> str:
    return normalize_spelling(call.request.argument).rstrip(".!")


def _parse_board_form(call: CommandContext) -> BoardForm:
    """Return the form in which boards are shown. Raises Misused."""
    found = FORMS.get(_get_plain_argument(call))
    if found is None:
        raise Misused("form-unknown")
    return found


def _parse_language(call: CommandContext) -> str:
    """Return the language that is called so. Raises Misused."""
    called = {
        one: (one, *map(normalize_spelling, render_label("language-called", one).split(", "))) for one in LANGUAGES
    }
    found = next((one for one, names in called.items() if _get_plain_argument(call) in names), None)
    if found is None:
        raise Misused("language-unknown", languages=[render_label("site.language", one) for one in LANGUAGES])
    return found


def parse_switch(call: CommandContext) -> bool:
    """Return whether on or off is wanted. Raises Misused for anything else."""
    word = _get_plain_argument(call)
    if word not in ON and word not in OFF:
        raise Misused("on-or-off")
    return word in ON


SWITCH = CommandArgument("on", parse_switch)
SWITCHED = build_any_pattern(ON | OFF)


_declare = partial(
    Command,
    scope=CommandScope.CLUB,
    group=CommandGroup.SETTINGS,
    who=CommandGiver.PLAYER,
    pattern=SWITCHED,
    short=accept_any_argument,
)


@_declare("single", rank=70, arguments=(SWITCH,))
def set_auto_single(call: CommandContext, on: bool) -> CommandOutcome:
    """Set whether a move without a choice is played at once: ``Einzelzug an``."""
    call.player.auto_single = on
    call.work.session.add(call.player)
    return done_with("auto-single-on" if call.player.auto_single else "auto-single-off")


@_declare("language", rank=10, pattern=r"[^\W\d_]+", arguments=(CommandArgument("wanted", _parse_language),))
def set_language_by_command(call: CommandContext, wanted: str) -> CommandOutcome:
    """Set the language, ``Sprache englisch``: from this mail's answer on."""
    call.player.language = wanted
    call.work.session.add(call.player)
    return done_with("language-now")


@_declare("form", rank=30, pattern=r"\w+", arguments=(CommandArgument("wanted", _parse_board_form),))
def set_board_form(call: CommandContext, wanted: BoardForm) -> CommandOutcome:
    """Set how boards are drawn: ``Brettform Tabelle``."""
    call.player.board = wanted
    call.work.session.add(call.player)
    return done_with(f"form-{wanted}")


@_declare("digest", rank=40, arguments=(SWITCH,))
def set_daily_mail(call: CommandContext, on: bool) -> CommandOutcome:
    """Set whether one mail a day comes instead of one for each turn: ``Sammelmail an``."""
    wanted_mails.switch_digest(call.work, call.player, on)
    if not call.player.digest:
        return done_with("digest-off")
    return done_with("digest-on", at=call.player.digest_at)


@_declare("same-subject", rank=45, arguments=(SWITCH,))
def set_same_subject(call: CommandContext, on: bool) -> CommandOutcome:
    """Set whether all mails of a match have one subject: ``Gleicher Betreff an``."""
    call.player.same_subject = on
    call.work.session.add(call.player)
    return done_with("same-subject-on" if on else "same-subject-off")


@_declare("invitations", rank=50, arguments=(SWITCH,))
def set_invitations(call: CommandContext, on: bool) -> CommandOutcome:
    """Set whether a mail comes when the registration of a tournament opens: ``Einladungen aus``."""
    call.player.invitations = on
    call.work.session.add(call.player)
    return done_with("invitations-on" if on else "invitations-off")


@Command(
    "unsubscribe", scope=CommandScope.CLUB, group=CommandGroup.SETTINGS, rank=60, who=CommandGiver.PLAYER, whole=True
)
def unsubscribe_by_command(call: CommandContext) -> CommandOutcome:
    """Stop all mails that the club sends unasked and nobody waits for: ``Abbestellen``."""
    answer_unsubscription(call.work, call.player)
    return CommandOutcome(mailed=True)


# ---- the time zone ----


@_declare("zone", rank=20, pattern=r"[\w/+-]+")
def set_zone_by_command(call: CommandContext) -> CommandOutcome:
    """Set the time zone, ``Zeitzone Europe/Berlin`` or the name of a city that only one zone has; alone: tell which one
    holds."""
    player, wanted = call.player, call.request.argument.strip(" .!")
    if not wanted:
        example = call.request.command.get_text(player.language).example
        return done_with("zone-is", zone=player.zone, now=call.work.now, example=example)
    key = normalize_spelling(wanted)
    found = _load_zone_names().get(load_meanings(HERE, "cities").get(key, key), ())
    if len(found) != 1:
        raise Misused(
            "zone-several" if found else "zone-unknown", zone=wanted[:40], zones=found or _suggest_zones(wanted)
        )
    player.zone = found[0]
    if player.digest:
        player.digest_at = wanted_mails.compute_next_digest_time(call.work.config, call.work.now, player)
    call.work.session.add(player)
    return done_with("zone-set", zone=found[0], now=call.work.now)


@cache
def _load_zone_names() -> dict[str, tuple[str, ...]]:
    """Return zones by what a player may call them, spelt plain: the whole name, or its last part."""
    from zoneinfo import available_timezones

    named: dict[str, tuple[str, ...]] = {}
    for name in sorted(available_timezones()):
        if "/" not in name and name != "UTC":
            continue
        if name.startswith(("posix/", "right/", "SystemV/")):
            continue
        for known in {name, name.rpartition("/")[2]}:
            key = normalize_spelling(known)
            named[key] = (*named.get(key, ()), name)
    return named


def _suggest_zones(wanted: str) -> list[str]:
    close = difflib.get_close_matches(normalize_spelling(wanted), _load_zone_names(), n=3, cutoff=0.6)
    return [name for near in close for name in _load_zone_names()[near]][:3] or ["Europe/Berlin"]


# ---- ``Adresse``: a player moves to another mailbox.


def _is_address_argument(argument: str) -> bool:
    """Return whether the argument may be meant: ``Adresse: Hauptstr. 5`` is none."""
    return not argument or "@" in argument


@Command(
    "address",  # its words are never a mere »E-Mail: …«, which stands in signatures
    scope=CommandScope.CLUB,
    group=CommandGroup.SETTINGS,
    rank=80,
    pattern=rf"(?:{message_files.load_word_pattern(Path(__file__).parent, 'address-becomes')}:? )*\S+@\S+",
    whole=True,
    short=_is_address_argument,
    above_closing=True,
    once=True,
)
def change_address_by_command(call: CommandContext) -> CommandOutcome:
    """Ask both mailboxes about ``Adresse neu@example.org``. Open also to a writer who came by a seat's token from
    elsewhere: whoever has lost a mailbox cannot write from it, and nothing changes without the old one or the
    moderator."""
    words = [word.strip("<>.,;()") for word in call.request.argument.split() if "@" in word]
    wanted = words[-1].lower() if words else ""
    if not wanted:
        raise Misused("address-which")
    mail, player = call.work.config.mail, call.player
    if wanted == player.address:
        raise Impossible("address-yours", address=wanted)
    local, _, domain = wanted.partition("@")
    ours, _, here = mail.address.lower().partition("@")
    if domain == here and (local == ours or (mail.subaddress and local.startswith(ours + mail.subaddress))):
        raise Misused("address-invalid", address=wanted)
    try:
        people.find_moving_referee(call.work.session, player, require_free_address(call.work.session, wanted))
    except OperatorError as error:
        taken = "belongs" in str(error)
        raise (
            Impossible("address-taken", address=wanted) if taken else Misused("address-invalid", address=wanted[:80])
        ) from None
    if AddressAsker(call.work, player).has_asked_too_often():
        raise Impossible("address-too-often", most=address_change.DAILY)
    alive = AddressAsker(call.work, player).request_change(wanted)
    return done_with("address-asked" if alive else "address-asked-moderator", address=wanted, old=player.address)
