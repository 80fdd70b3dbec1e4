"""Writers whom nobody knows: who wants to join is answered, and becomes a player; all others get no answer."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from moderator.club import tokens
from moderator.club.desk import Desk
from moderator.club.spelling import consent, game_name
from moderator.club.tournaments import view
from moderator.commands.player import tournament_words
from moderator.commands.player.newcomer import Wish, free_name, own_name, wish
from moderator.commands.player.tournament import entered
from moderator.errors import OperatorError
from moderator.mail.inbound import read_mail
from moderator.mail.model import Incoming, Line
from moderator.match.contract import Note
from moderator.outbox.post import new_page, personal_reply, plain_reply, reader, reply_to
from moderator.outbox.tell import To, tell, tell_chief
from moderator.pages.pages import Reader
from moderator.people import waiting
from moderator.people.identify import sender_verdict
from moderator.play import create, stand_ins
from moderator.play.announce import announce
from moderator.play.create import add_player, checked_address
from moderator.play.tournaments import registration
from moderator.states import InboxState, MailKind
from moderator.store import outbox
from moderator.store.models import Inbox, Match, Player

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
    notes += stand_ins.offers(desk, player)
    tournaments = view.open_lines(desk, player)
    if tournaments:
        notes += [Note("cups-open-ones"), *tournaments]
    page = new_page(desk, MailKind.WELCOME, reader(player), reply=personal_reply(desk, player), notes=tuple(notes))
    tell(desk, To(player), page, answers=True)
    tell_chief(desk, Note("has-joined", {"name": called_so, "address": address}))
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
    if left:
        return [Note("joined", facts)]
    return [Note("joined-last" if create.begin(desk, match) else "joined-not-begun", facts)]


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
