"""Writers whom nobody knows: who asks to join is asked back, or the moderator is told; all others get no answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from sqlmodel import col, func, select

from moderator.desk import openings, tokens
from moderator.desk.announce import announce
from moderator.desk.commands import cup_words
from moderator.desk.commands.cup import entered
from moderator.desk.commands.vocabulary import VERBS, Verb, find
from moderator.desk.consent import consent
from moderator.desk.create import add_player, checked_address
from moderator.desk.cup import glance, registration
from moderator.desk.desk import Desk
from moderator.desk.game_names import called, name
from moderator.desk.identify import sender_verdict, vouched
from moderator.desk.likeness import skeleton
from moderator.desk.post import new_page, plain_reply, post, reader, reply_to, tell_moderator
from moderator.desk.spelling import plain
from moderator.engine.contract import Note
from moderator.errors import OperatorError
from moderator.mail.inbound import read_mail
from moderator.mail.model import Incoming, Line
from moderator.render.pages import Reader
from moderator.store.models import Inbox, Match, Player

DAY = timedelta(days=1)
MOST_A_DAY = 50
"""Wishes of strangers that are answered or told to the moderator, in all: nobody can make the club flood others with
questions, nor the moderator with notices."""
LOOKED_AT = 12
"""Lines in which the wish to join is looked for."""
_JOIN = tuple(verb for verb in VERBS if verb.name in ("join", "cup"))
_ENGLISH = ("join", "sign", "cup", "tournament", "league")
_FILLING = re.compile(r"^(?:als|as|bei|in|mit|with|an|at)\b\s*", re.IGNORECASE)
_REPLY = re.compile(r"^(?:\s*(?:re|aw|fwd?|wg)\s*:)+", re.IGNORECASE)
_NOT_IN_NAMES = re.compile(r"[^\w .'’-]|[\d_]")
RESERVED = frozenset(
    ("alle", "all", "everybody", "everyone", "spielleiter", "moderator", "sl", "gm", "passe", "pass", "passen", "ende")
)
"""Names that mean something else in a mail."""
OFFICES = frozenset({"spielleiter", "spielleitung", "moderator", "moderation", "referee", "admin", "administrator"})
"""Words that are in nobody's name but the moderator's, in whatever script they are written."""
_LINK = re.compile(r"\.(?=\w\w)")
"""Where a mail program sees a link: the question to a stranger must not carry somebody else's."""


@dataclass(frozen=True)
class Wish:
    """What somebody who wants to join has written."""

    language: Literal["de", "en"]
    name: str
    code: str = ""
    """A match, if one is named."""
    game: str = ""
    """Key of a game, if one is named."""
    cup: str = ""
    """A tournament, if one is named: its code, or its name spelt plain."""


def wish(mail: Incoming) -> Wish | None:
    """The wish to join in a mail's subject or first lines; None if there is none."""
    for text in (_REPLY.sub("", mail.subject[:300]), *(line.text for line in mail.lines[:LOOKED_AT])):
        found = find(text, _JOIN)
        if found is None:
            continue
        language: Literal["de", "en"] = "en" if plain(text).startswith(_ENGLISH) else "de"
        tournament = _tournament(*found)
        if tournament is not None:
            return Wish(language, mail.sender_name, cup=tournament)
        if found[0].name == "cup":
            continue
        code = re.search(rf"(?<![\w-])({tokens.CODE.pattern})(?![\w-])", text, re.IGNORECASE)
        rest = _FILLING.sub("", text[len(text) - len(found[1]) :] if found[1] else "")
        rest = rest.replace(code.group(0), "") if code else rest
        games = called(rest)
        own = "" if games else rest
        return Wish(language, own or mail.sender_name, code.group(1).upper() if code else "", games[0] if games else "")
    return None


def _tournament(verb: Verb, argument: str) -> str | None:
    """The tournament that a line asks to join ("" = whichever), None for another line."""
    if verb.name == "join":
        code = _FILLING.sub("", argument.strip())
        return code.lower() if cup_words.is_code(code) else None
    wanted = cup_words.read(argument)
    return wanted.cup if wanted is not None and wanted.what == "join" else None


def stranger(desk: Desk, row: Inbox, mail: Incoming) -> None:
    """A mail from an address that is no player's. It is answered only if it asks to join, and not more than once a
    day."""
    wanted = wish(mail)
    if wanted is None or not mail.sender or not _may_be_answered(desk, mail.sender):
        return
    if sender_verdict(desk.config, mail) == "fail":
        row.note = "asks to join, but the sender is forged, as the mail server says"
        return
    try:
        checked_address(desk.session, mail.sender)
    except OperatorError:
        return
    if desk.config.club.signup == "open":
        row.state, row.token, row.note = "confirm", row.token or tokens.new_token(), "wants to join; was asked"
        _ask(desk, row, wanted)
        return
    called_so = free_name(desk, wanted.name, mail.sender)
    row.note = "wants to join; the moderator was told"
    facts = {"name": called_so, "address": mail.sender, "language": wanted.language}
    tell_moderator(desk, Note("wants-to-join", facts))
    if vouched(desk.config, mail):
        page = new_page(
            desk,
            "closed",
            Reader(called_so, mail.sender, wanted.language),
            reply=plain_reply(desk),
            notes=(Note("closed-thanks"),),
        )
        post(desk, page, answers=True)
    else:
        row.note += "; nobody vouches for the sender"


def _may_be_answered(desk: Desk, address: str) -> bool:
    """Not twice a day to one address, not too many in all, and never to ourselves."""
    since = desk.now - DAY
    wishes = select(func.count()).where(Inbox.taken_at >= since, col(Inbox.note).startswith("wants to join"))
    if address in (desk.config.mail.address.lower(), desk.config.club.moderator.lower()):
        return False
    if desk.session.exec(wishes.where(Inbox.sender == address)).one():
        return False
    return desk.session.exec(wishes).one() < MOST_A_DAY


def _ask(desk: Desk, row: Inbox, wanted: Wish) -> None:
    called_so = free_name(desk, wanted.name, row.sender)
    to = Reader(called_so, row.sender, wanted.language)
    note = Note("signup-was-it-you", {"name": called_so, "address": row.sender})
    page = new_page(desk, "signup", to, reply=reply_to(desk, tokens.CONFIRM, row.token), notes=(note,))
    post(desk, page, answers=True)


def take_answer(desk: Desk, row: Inbox, held: Inbox, lines: Sequence[Line]) -> None:
    """Yes: the writer of the held mail becomes a player. Neither yes nor no: asked again."""
    said = consent(lines)
    mail = read_mail(held.raw, full=not held.truncated)
    wanted = wish(mail)
    if said is False or wanted is None:
        held.state, held.note = "dropped", "the mailbox says that it does not want to join"
    elif said is None:
        _ask(desk, held, wanted)
    else:
        held.state, held.token, row.note = "done", "", f"confirmed mail {held.id}"
        admit(desk, held.sender, wanted)
    desk.session.add(held)


def admit(desk: Desk, address: str, wanted: Wish) -> Player:
    """Make the player, seat them where they wanted to sit, and welcome them."""
    club = desk.config.club
    called_so = free_name(desk, wanted.name, address)
    player = add_player(desk.session, called_so, address, desk.now, language=wanted.language, zone=club.zone)
    notes = [Note("welcome-you-are", {"name": called_so, "address": address, "zone": player.zone})]
    notes += _seat(desk, player, wanted)
    notes += _entry(desk, player, wanted)
    found = openings.open_matches(desk, player)
    if found:
        notes += [Note("open-matches", {"count": len(found)}), *openings.lines(desk, found, player)]
    cups = glance.open_lines(desk, player)
    if cups:
        notes += [Note("cups-open-ones"), *cups]
    page = new_page(desk, "welcome", reader(player), reply=plain_reply(desk), notes=tuple(notes))
    post(desk, page, player=player, answers=True)
    tell_moderator(desk, Note("has-joined", {"name": called_so, "address": address}))
    announce(desk)
    return player


def _seat(desk: Desk, player: Player, wanted: Wish) -> list[Note]:
    """The free seat that the wish names, if there is one."""
    found = [
        match
        for match in openings.open_matches(desk, player)
        if (wanted.code and match.code == wanted.code) or (wanted.game and match.game == wanted.game)
    ]
    if len(found) != 1:
        return []
    match: Match = found[0]
    left = openings.sit_down(desk, match, player)
    facts = {"match": match.code, "title": match.name, "game": name(match.game, player.language), "count": left}
    if not left:
        openings.begin(desk, match)
    return [Note("joined" if left else "joined-last", facts)]


def _entry(desk: Desk, player: Player, wanted: Wish) -> list[Note]:
    """A place in the tournament that the wish names."""
    found = [cup for cup in glance.joinable(desk) if wanted.cup in (cup.code.lower(), *cup_words.keys(cup.name))]
    if len(found) != 1:
        return []
    return [entered(desk, found[0], registration.enter(desk, found[0], player), player.language)]


def free_name(desk: Desk, wanted: str, address: str) -> str:
    """A name that nobody has, made of letters: as wanted, else what stands before the @; with a number if need be."""
    taken = {skeleton(known) for known in desk.session.exec(select(Player.name))}
    base = next(filter(None, (_as_name(one) for one in (wanted, address.partition("@")[0]))), "Gast")
    names = (base, *(f"{base[:36]} {number}" for number in range(2, 1000)))
    return next(one for one in names if skeleton(one) not in taken)


def _as_name(text: str) -> str:
    """Letters, spaces, hyphens; "" for what would be read as something else than a name."""
    shown = " ".join(_NOT_IN_NAMES.sub(" ", _LINK.sub(" ", text)).split()).strip(" .-'’")[:40].strip(" .-'’")
    shown = shown.capitalize() if shown.islower() and " " not in shown else shown
    if plain(shown) in RESERVED or find(shown, whole=True) is not None or not any(letter.isalpha() for letter in shown):
        return ""
    words = {skeleton(word) for word in (*shown.split(), *shown.casefold().split())}
    return "" if words & OFFICES else shown
