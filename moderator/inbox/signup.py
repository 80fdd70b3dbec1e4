"""Writers whom nobody knows: who wants to join is answered, and becomes a player; all others get no answer.

The command's words (``Mitspielen als Zoe``, ``join K7Q2``) say it, and so do sentences of people who have not read
how it is done: "Darf ich noch mitspielen?", "I would like to take part". A sentence counts only where somebody
speaks of himself: advertising says "jetzt mitmachen", and is not answered."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from pathlib import Path

from moderator.club import tokens
from moderator.club.desk import Desk
from moderator.club.spelling import consent, game_name, games_called
from moderator.club.tournaments import view
from moderator.commands.declaration import Command, find, players
from moderator.commands.player import tournament_words
from moderator.commands.player.tournament import entered
from moderator.errors import OperatorError
from moderator.mail.inbound import read_mail
from moderator.mail.model import Incoming, Line
from moderator.match.contract import Note
from moderator.outbox.post import new_page, plain_reply, reader, reply_to
from moderator.outbox.tell import To, tell, tell_moderator
from moderator.pages.messages import label
from moderator.pages.pages import Reader
from moderator.people import waiting
from moderator.people.identify import sender_verdict
from moderator.play import create
from moderator.play.announce import announce
from moderator.play.create import add_player, checked_address, skeleton
from moderator.play.tournaments import registration
from moderator.states import InboxState, MailKind
from moderator.store import outbox
from moderator.store.models import Inbox, Match, Player
from moderator.store.players import names
from moderator.texts import heard, in_all, one_of, pattern, plain, said_in

DAY = timedelta(days=1)
MOST_A_DAY = 50
"""Wishes of strangers that are answered, in all: nobody can make the club flood others with answers, nor the moderator
with names."""


def stranger(desk: Desk, row: Inbox, mail: Incoming) -> None:
    """A mail from an address that is no player's. Who wants to join is told where he stands, once a day, and waits for
    the moderator or, in an open club, for his own word; all others get no answer."""
    wanted = wish(mail)
    if wanted is None or not mail.sender or _ours(desk, mail.sender):
        return
    if sender_verdict(desk.config, mail) == "fail":
        row.note = "asks to join, but the sender is forged, as the mail server says"
    elif answered(desk, mail.sender):
        row.note = "asks to join, and was answered today already"
    elif answered(desk) >= MOST_A_DAY:
        row.note = f"asks to join; {MOST_A_DAY} others were answered today"
    elif not _usable(desk, mail.sender):
        waiting.wait(desk, row, "asks to join, from an address that cannot be used")
    elif desk.config.club.signup == "open":
        row.state, row.token = InboxState.CONFIRM, row.token or tokens.new_token()
        row.note = f"{waiting.WANTS_IN}; was asked whether the address is right"
        _ask(desk, row, wanted)
    else:
        waiting.wait(desk, row, f"{waiting.WANTS_IN}; was told that the moderator decides")
        to = Reader(own_name(wanted.name, mail.sender, wanted.language), mail.sender, wanted.language)
        page = new_page(desk, MailKind.CLOSED, to, reply=plain_reply(desk), notes=(Note("closed-thanks"),))
        tell(desk, To(), page, answers=True)


def _ours(desk: Desk, address: str) -> bool:
    return address in (desk.config.mail.address.lower(), desk.config.club.moderator.lower())


def _usable(desk: Desk, address: str) -> bool:
    try:
        checked_address(desk.session, address)
    except OperatorError:
        return False
    return True


def answered(desk: Desk, address: str = "") -> int:
    """How many strangers that wanted to join were answered in a day, or how often this one was."""
    return outbox.made_since(desk.session, (MailKind.CLOSED, MailKind.SIGNUP), desk.now - DAY, address)


def _ask(desk: Desk, row: Inbox, wanted: Wish) -> None:
    called_so = free_name(desk, wanted.name, row.sender)
    to = Reader(called_so, row.sender, wanted.language)
    note = Note("signup-was-it-you", {"name": called_so, "address": row.sender})
    page = new_page(desk, MailKind.SIGNUP, to, reply=reply_to(desk, tokens.CONFIRM, row.token), notes=(note,))
    tell(desk, To(), page, answers=True)


def take_answer(desk: Desk, row: Inbox, held: Inbox, lines: Sequence[Line]) -> None:
    """Yes: the writer of the held mail becomes a player. Neither yes nor no: asked again."""
    said = consent(lines)
    mail = read_mail(held.raw, full=not held.truncated)
    wanted = wish(mail)
    if said is False or wanted is None:
        held.state, held.note = InboxState.DROPPED, "the mailbox says that it does not want to join"
    elif said is None:
        _ask(desk, held, wanted)
    else:
        held.state, held.token, row.note = InboxState.DONE, "", f"confirmed mail {held.id}"
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
    found = create.open_matches(desk, player)
    if found:
        notes += [Note("open-matches", {"count": len(found)}), *create.invitations(desk, found, player)]
    tournaments = view.open_lines(desk, player)
    if tournaments:
        notes += [Note("cups-open-ones"), *tournaments]
    page = new_page(desk, MailKind.WELCOME, reader(player), reply=plain_reply(desk), notes=tuple(notes))
    tell(desk, To(player), page, answers=True)
    tell_moderator(desk, Note("has-joined", {"name": called_so, "address": address}))
    announce(desk)
    return player


def _seat(desk: Desk, player: Player, wanted: Wish) -> list[Note]:
    """The free seat that the wish names, if there is one."""
    found = [
        match
        for match in create.open_matches(desk, player)
        if (wanted.code and match.code == wanted.code) or (wanted.game and match.game == wanted.game)
    ]
    if len(found) != 1:
        return []
    match: Match = found[0]
    left = create.sit_down(desk, match, player)
    facts = {"match": match.code, "title": match.name, "game": game_name(match.game, player.language), "count": left}
    if not left:
        create.begin(desk, match)
    return [Note("joined" if left else "joined-last", facts)]


def _entry(desk: Desk, player: Player, wanted: Wish) -> list[Note]:
    """A place in the tournament that the wish names."""
    found = [
        tournament
        for tournament in view.joinable(desk)
        if wanted.tournament in (tournament.code.lower(), *tournament_words.keys(tournament.name))
    ]
    if len(found) != 1:
        return []
    return [entered(desk, found[0], registration.enter(desk, found[0], player), player.language)]


# ---- what a stranger wishes ----


LOOKED_AT = 12
"""Lines in which the wish to join is looked for."""
HERE = Path(__file__).parent
_FILLING = re.compile(rf"^{pattern(HERE, 'signup-filling')}\b\s*", re.IGNORECASE)
_REPLY = re.compile(r"^(?:\s*(?:re|aw|fwd?|wg)\s*:)+", re.IGNORECASE)
_NOT_IN_NAMES = re.compile(r"[^\w .'’-]|[\d_]")
RESERVED = heard(HERE, "no-name")
"""Names that mean something else in a mail."""
OFFICES = heard(HERE, "offices")
"""Words that are in nobody's name but the moderator's, in whatever script they are written."""
_LINK = re.compile(r"\.(?=\w\w)")
"""Where a mail program sees a link: the question to a stranger must not carry somebody else's."""
_LONGEST = 300
"""Characters of a line that are looked at."""


@dataclass(frozen=True)
class Wish:
    """What somebody who wants to join has written."""

    language: str
    name: str
    code: str = ""
    """A match, if one is named."""
    game: str = ""
    """Key of a game, if one is named."""
    tournament: str = ""
    """A tournament, if one is named: its code, or its name spelt plain."""


def wish(mail: Incoming) -> Wish | None:
    """The wish to join in a mail's subject or first lines; None if there is none."""
    joining = [players()[name] for name in ("join", "cup")]
    for text in (_REPLY.sub("", mail.subject[:300]), *(line.text for line in mail.lines[:LOOKED_AT])):
        found = find(text, joining)
        if found is None:
            continue
        language = _language(found[0], plain(text))
        tournament = _tournament(*found)
        if tournament is not None:
            return Wish(language, mail.sender_name, tournament=tournament)
        if found[0].name == "cup":
            continue
        code = re.search(rf"(?<![\w-])({tokens.CODE.pattern})(?![\w-])", text, re.IGNORECASE)
        rest = _FILLING.sub("", text[len(text) - len(found[1]) :] if found[1] else "")
        rest = rest.replace(code.group(0), "") if code else rest
        games = games_called(rest)
        own = "" if games else rest
        return Wish(language, own or mail.sender_name, code.group(1).upper() if code else "", games[0] if games else "")
    return _in_a_sentence(mail)


def _in_a_sentence(mail: Incoming) -> Wish | None:
    """The wish of somebody who knows no commands."""
    for text in (_REPLY.sub("", mail.subject[:_LONGEST]), *(line.text[:_LONGEST] for line in mail.lines[:LOOKED_AT])):
        said = plain(text)
        language = next((one for one, wishes in _wishes().items() if wishes.search(said)), None)
        if language is not None:
            code = re.search(rf"(?<![\w-])({tokens.CODE.pattern})(?![\w-])", text, re.IGNORECASE)
            return Wish(language, mail.sender_name, code.group(1).upper() if code else "")
    return None


@cache
def _wishes() -> Mapping[str, re.Pattern[str]]:
    """Language -> how the wish to join is put in it."""
    every = in_all(HERE, "heard", "wishes")
    return {language: re.compile("|".join(map(_sentence, lines))) for language, (_, lines) in every.items()}


def _sentence(line: str) -> str:
    """A regular expression for ``ich|wir … mitspielen|gern* mit``."""
    parts = ([plain(words) for words in part.split("|")] for part in line.split("…"))
    return r"[^.!?]*".join(rf"\b{one_of(words)}\b".replace(r"\*", r"\w*") for words in parts)


def _language(command: Command, said: str) -> str:
    """In which language a line asks to join: that of its first word, or of most words where several have that one."""
    joining = said_in(Path(tournament_words.__file__).parent, "cup-join")
    own = {language: tuple(map(plain, text.words.split("|"))) for language, text in command.texts.items()}

    def count(language: str) -> int:
        return sum(re.search(rf"\b{word}\b", said) is not None for word in (*own[language], *joining[language]))

    return max((language for language, words in own.items() if said.startswith(words)), key=count)


def _tournament(command: Command, argument: str) -> str | None:
    """The tournament that a line asks to join ("" = whichever), None for another line."""
    if command.name == "join":
        code = _FILLING.sub("", argument.strip())
        return code.lower() if tournament_words.is_code(code) else None
    wanted = tournament_words.read(argument)
    return wanted.tournament if wanted is not None and wanted.what == "join" else None


def free_name(desk: Desk, wanted: str, address: str) -> str:
    """A name that nobody has, made of letters: as wanted, else what stands before the @; with a number if need be."""
    taken = {skeleton(known) for known in names(desk.session)}
    base = own_name(wanted, address, desk.config.club.language)
    possible = (base, *(f"{base[:36]} {number}" for number in range(2, 1000)))
    return next(one for one in possible if skeleton(one) not in taken)


def own_name(wanted: str, address: str, language: str) -> str:
    """What somebody is called who may not learn yet which names are taken."""
    return next(filter(None, (_as_name(one) for one in (wanted, address.partition("@")[0]))), label("guest", language))


def _as_name(text: str) -> str:
    """Letters, spaces, hyphens; "" for what would be read as something else than a name."""
    shown = " ".join(_NOT_IN_NAMES.sub(" ", _LINK.sub(" ", text)).split()).strip(" .-'’")[:40].strip(" .-'’")
    shown = shown.capitalize() if shown.islower() and " " not in shown else shown
    if plain(shown) in RESERVED or find(shown, whole=True) is not None or not any(letter.isalpha() for letter in shown):
        return ""
    words = {skeleton(word) for word in (*shown.split(), *shown.casefold().split())}
    return "" if words & OFFICES else shown
