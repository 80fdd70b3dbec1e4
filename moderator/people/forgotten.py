"""A player who wants to be forgotten: a number takes the name's place wherever it stands, their mails and address go.
What was played stays, and replays as before."""

from __future__ import annotations

import email
import email.policy
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from email.message import EmailMessage, Message
from functools import partial

from moderator.club.desk import Desk
from moderator.errors import OperatorError
from moderator.mail.compose import plain_text
from moderator.pages.messages import say
from moderator.people import own_mails
from moderator.play import lifecycle
from moderator.play.announce import announce
from moderator.play.create import find_player
from moderator.play.tournaments import judging
from moderator.states import EntryState, InboxState, MatchStatus, SeatLoss, TournamentStatus
from moderator.store import forgetting, matches, tournaments
from moderator.store.db import Session
from moderator.store.models import Match, Player, Seat, Tournament, TournamentEntry
from moderator.texts import plain

KEPT = ("From", "To", "Subject", "Date", "Message-ID", "In-Reply-To", "References", "Reply-To")
"""Headers of a letter that is written anew."""


@dataclass(frozen=True)
class Ties:
    """Where somebody still plays."""

    matches: tuple[tuple[Match, Seat], ...]
    tournaments: tuple[tuple[Tournament, TournamentEntry], ...]

    def __str__(self) -> str:
        return ", ".join([match.code for match, _ in self.matches] + [row.code for row, _ in self.tournaments])


def ties(desk: Desk, player: Player) -> Ties:
    """Matches in which the player has a seat that still plays, tournaments that are not over. Raises OperatorError
    where a match stands still, so that nobody can give it up."""
    seated = []
    for match, seat in matches.every_seat_of(desk.session, player.number):
        if match.status == MatchStatus.SUSPENDED:
            raise OperatorError(f"Match {match.code} stands still.", f"First `moderator match resume {match.code}`.")
        running = match.status == MatchStatus.RUNNING
        if match.status == MatchStatus.OPEN or (
            running and seat.number not in desk.cache.live(desk.session, match).table.out
        ):
            seated.append((match, seat))
    over = (TournamentStatus.FINISHED, TournamentStatus.CANCELLED)
    entered = [
        (tournament, entry)
        for tournament, entry in tournaments.with_entry(desk.session, player.number)
        if entry.state != EntryState.WITHDRAWN and tournament.status not in over
    ]
    return Ties(tuple(seated), tuple(entered))


def is_done(player: Player) -> bool:
    """Whether this is a number that has taken a name's place."""
    return player.address is None and not player.robot


def forget(desk: Desk, name: str, resign: bool) -> tuple[str, Callable[[str], str]]:
    """Do it; returns the name that takes the old one's place, and how a text is changed. Raises OperatorError, and then
    nothing has changed."""
    player = find_player(desk.session, name)
    if player.robot:
        raise OperatorError(f"{player.name} is a robot.", "Name a person.")
    if is_done(player):
        raise OperatorError(f"{player.name} is forgotten already.", "See `moderator player list`.")
    if forgetting.is_referee(desk.session, player):
        raise OperatorError(f"{player.name} is a referee, too.", "First `moderator referee remove`.")
    if forgetting.waits(desk.session):
        raise OperatorError("There is mail that was not read yet.", "Run `moderator tick`, and try again.")
    bound = ties(desk, player)
    if (bound.matches or bound.tournaments) and not resign:
        raise OperatorError(f"{player.name} still plays: {bound}.", "Give all of it up with --resign, or wait.")
    new = say("forgotten-name", desk.config.club.language, number=player.number)
    addresses = forgetting.addresses(desk.session, player.number, player.address)
    change = partial(_changed, _pattern(player.name, addresses), new)
    _letters(desk.session, player, change)
    _rename(desk.session, player, new)
    _give_up(desk, player, bound)
    _mails(desk.session, player, addresses, change)
    forgetting.remove(desk.session, player.number)
    forgetting.rewrite(desk.session, change)
    desk.session.expire_all()
    return new, change


def _pattern(name: str, addresses: set[str]) -> re.Pattern[str]:
    """Of the addresses and of the name in all the ways in which it may be written, also over two lines, of which the
    second may be quoted. What is part of another address is neither; such a one is found, too, as ``other``."""
    forms = {name, unicodedata.normalize("NFD", name), plain(name)}
    words = [_GAP.join(map(re.escape, form.split())) for form in sorted(forms, key=len, reverse=True)]
    own = "|".join(map(re.escape, sorted(addresses, key=len, reverse=True)))
    return re.compile(
        (rf"(?<![\w.+-])(?:{own})(?![\w-]|\.\w)|" if own else "")
        + rf"(?P<other>{_ADDRESS})|(?<![^\W_])(?:{'|'.join(words)})(?![^\W_])",
        re.IGNORECASE,
    )


_GAP = r"(?:[^\S\n]*\n\s*(?:>\s*)+|\s+)"
"""Between two words of a name."""
_ADDRESS = r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)*"


def _changed(pattern: re.Pattern[str], new: str, text: str) -> str:
    return pattern.sub(lambda found: found["other"] or new, text)


def _rename(session: Session, player: Player, new: str) -> None:
    """Before anything is told, so that no new mail has the old name."""
    player.name, player.name_key, player.address = new, new.casefold(), None
    player.digest, player.digest_at, player.invitations = False, None, False
    player.puzzles = False
    player.unsubscribe, player.undeliverable = "", ""
    session.add(player)
    session.flush()


def _give_up(desk: Desk, player: Player, bound: Ties) -> None:
    for tournament, entry in bound.tournaments:
        judging.withdraw(desk, tournament, entry, player)
    for match, seat in bound.matches:
        if match.status == MatchStatus.OPEN:
            forgetting.leave_seat(desk.session, seat)
        elif match.status == MatchStatus.RUNNING:
            live = desk.cache.live(desk.session, match)
            if seat.number not in live.table.out:
                lifecycle.retire(desk, match, live, seat.number, SeatLoss.RESIGNED)
    announce(desk)
    desk.session.flush()


# ---- mails ----


def _mails(session: Session, player: Player, addresses: set[str], change: Callable[[str], str]) -> None:
    """Of mails that came, nothing is left of the player's own and of those that name them but that they came, and what
    they led to. None of them is handled any more, as it is empty: the player's own are dropped where they still wait.
    Raises OperatorError for those of others that wait."""
    wait = []
    for row, own in own_mails.incoming(session, player, addresses):
        if own or (row.raw and _names(row.raw, change)):
            if not own and row.state in forgetting.HELD:
                wait.append(str(row.id))
            row.raw, row.size = b"", 0
            if row.state in (*forgetting.HELD, InboxState.UNKNOWN):
                row.state, row.token, row.match_id = InboxState.DROPPED, "", None
            if own:
                row.sender = row.subject = row.message_id = ""
                row.player_id = None
            session.add(row)
    if wait:
        raise OperatorError(
            f"Mails that name them wait: {', '.join(wait)}.",
            "First `moderator quarantine accept`, `retry` or `drop` each of them (`show` has what it says).",
        )
    session.flush()


def _letters(session: Session, player: Player, change: Callable[[str], str]) -> None:
    """Of mails to the player only the Message-ID is left; mails to others that name them are written anew, as text.
    Raises OperatorError for one that has still to leave."""
    for row, letter in forgetting.outgoing(session):
        if row.player_id == player.number or row.recipient == player.address:
            if forgetting.is_open(row):
                forgetting.drop(session, row, letter)
                continue
            letter.raw = f"Message-ID: {row.message_id}\r\n\r\n".encode()
            row.recipient = ""
        elif _names(letter.raw, change):
            if forgetting.is_open(row):
                raise OperatorError("A mail that names them is still to be sent.", "Run `moderator tick`, try again.")
            letter.raw = _anew(letter.raw, change)
        session.add(row)
        session.add(letter)
    session.flush()


def _names(raw: bytes, change: Callable[[str], str]) -> bool:
    """Whether the mail names somebody, in what it says or in what is attached."""
    message = email.message_from_bytes(raw, policy=email.policy.default)
    heads = (f"{value}" for part in message.walk() for value in part.values())
    return any(change(text) != text for text in (*heads, *_texts(message), raw.decode("utf-8", "replace")))


def _texts(message: Message) -> list[str]:
    found = []
    for part in message.walk():
        if not part.is_multipart():
            data = part.get_payload(decode=True)
            found.append(data.decode("utf-8", "replace") if isinstance(data, bytes) else "")
    return found


def _anew(raw: bytes, change: Callable[[str], str]) -> bytes:
    """The same letter as plain text."""
    old = email.message_from_bytes(raw, policy=email.policy.default)
    new = EmailMessage(policy=email.policy.SMTP)
    for header in KEPT:
        if old[header] is not None:
            new[header] = change(str(old[header]))
    new.set_content(change(plain_text(raw)))
    return new.as_bytes()
