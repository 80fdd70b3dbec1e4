"""A player who wants to be forgotten: a number takes the name's place wherever it stands, their mails and address go.
What was played stays, and replays as before."""

from __future__ import annotations

import email
import email.policy
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from email.message import EmailMessage, Message
from functools import partial

from moderator.common import tokens
from moderator.common.enums import EntryState, InboxState, MatchStatus, SeatLeftReason, TournamentStatus
from moderator.common.errors import OperatorError
from moderator.common.message_files import normalize_spelling
from moderator.language.messages import render_code
from moderator.mail.build import extract_all_text
from moderator.mail.parse import parse_mail_bytes
from moderator.service.create import get_player
from moderator.service.match.match import Match
from moderator.service.notify import notify_match_events
from moderator.service.tournaments.club_tournament import ClubTournament
from moderator.store import matches, privacy, tournaments
from moderator.store.database import Session
from moderator.store.tables import InboxRow, MatchRow, PlayerRow, SeatRow, Tournament, TournamentEntry
from moderator.views.match_cache import MatchCache
from moderator.views.unit_of_work import UnitOfWork


def iter_mails_with_ownership(
    session: Session, player: PlayerRow, addresses: Collection[str]
) -> Iterator[tuple[InboxRow, bool]]:
    """Yield every mail that came, with whether it is the player's: by its sender, or by the token of a seat that the
    player has. (Whoever takes over a seat gets a new token.)"""
    seats = [(match.code, seat.token) for match, seat in matches.list_seats_ever_taken(session, player.number)]
    for row in privacy.iter_incoming_mails(session):
        yield row, row.player_id == player.number or row.sender in addresses or _is_to_seat(row, seats)


def iter_own_mails(session: Session, player: PlayerRow) -> Iterator[InboxRow]:
    addresses = privacy.collect_player_addresses(session, player.number, player.address)
    for row, own in iter_mails_with_ownership(session, player, addresses):
        if own and row.raw:
            yield row


def _is_to_seat(row: InboxRow, seats: Collection[tuple[str, str]]) -> bool:
    if not seats or not row.raw:
        return False
    mail = parse_mail_bytes(row.raw, full=False)
    return any(
        code == given and tokens.tokens_equal(token, secret)
        for given, token in tokens.find_tokens((*mail.recipients, mail.subject))
        for code, secret in seats
    )


KEPT = ("From", "To", "Subject", "Date", "Message-ID", "In-Reply-To", "References", "Reply-To")
"""Headers of a letter that is written anew."""


@dataclass(frozen=True)
class PlayerTies:
    """The matches and tournaments in which a player still plays."""

    matches: tuple[tuple[MatchRow, SeatRow], ...]
    tournaments: tuple[tuple[Tournament, TournamentEntry], ...]

    def __str__(self) -> str:
        return ", ".join([match.code for match, _ in self.matches] + [row.code for row, _ in self.tournaments])


def list_ties(session: Session, cache: MatchCache, player: PlayerRow) -> PlayerTies:
    """Return the matches in which the player has a seat that still plays, and the tournaments that are not over. Raises
    OperatorError where a match is suspended, so that its seat cannot be given up."""
    seated = []
    for match, seat in matches.list_seats_ever_taken(session, player.number):
        if match.status == MatchStatus.SUSPENDED:
            raise OperatorError(f"Match {match.code} stands still.", f"First `moderator match resume {match.code}`.")
        running = match.status == MatchStatus.RUNNING
        if match.status == MatchStatus.OPEN or (
            running and seat.number not in cache.load_match(session, match).table.out
        ):
            seated.append((match, seat))
    over = (TournamentStatus.FINISHED, TournamentStatus.CANCELLED)
    entered = [
        (tournament, entry)
        for tournament, entry in tournaments.list_entered_tournaments(session, player.number)
        if entry.state != EntryState.WITHDRAWN and tournament.status not in over
    ]
    return PlayerTies(tuple(seated), tuple(entered))


def is_forgotten(player: PlayerRow) -> bool:
    """Return whether this is a player whose name a number has replaced."""
    return player.address is None and not player.robot


def forget_player(work: UnitOfWork, name: str, resign: bool) -> tuple[str, Callable[[str], str]]:
    """Forget a player. Returns the name that takes the old one's place, and a function that changes a text accordingly.
    Raises OperatorError, and then nothing has changed."""
    player = get_player(work.session, name)
    if player.robot:
        raise OperatorError(f"{player.name} is a robot.", "Name a person.")
    if is_forgotten(player):
        raise OperatorError(f"{player.name} is forgotten already.", "See `moderator player list`.")
    if privacy.is_referee(work.session, player):
        raise OperatorError(f"{player.name} is a referee, too.", "First `moderator referee remove`.")
    if privacy.has_unhandled_mail(work.session):
        raise OperatorError("There is mail that was not read yet.", "Run `moderator tick`, and try again.")
    bound = list_ties(work.session, work.cache, player)
    if (bound.matches or bound.tournaments) and not resign:
        raise OperatorError(f"{player.name} still plays: {bound}.", "Give all of it up with --resign, or wait.")
    new = render_code("forgotten-name", work.config.club.language, number=player.number)
    addresses = privacy.collect_player_addresses(work.session, player.number, player.address)
    change = partial(_replace_names, _build_name_pattern(player.name, addresses), new)
    _wipe_outgoing(work.session, player, change)
    _rename_player(work.session, player, new)
    for tournament, entry in bound.tournaments:
        ClubTournament(work, tournament).withdraw_player(entry, player)
    for match, seat in bound.matches:
        if match.status == MatchStatus.OPEN:
            privacy.remove_seat_before_start(work.session, seat)
        elif match.status == MatchStatus.RUNNING:
            playing = Match.load(work, match)
            if seat.number not in playing.live.table.out:
                playing.retire_seat(seat.number, SeatLeftReason.RESIGNED)
    notify_match_events(work)
    work.session.flush()
    _wipe_incoming(work.session, player, addresses, change)
    privacy.delete_open_requests(work.session, player.number)
    privacy.rewrite_free_texts(work.session, change)
    work.session.expire_all()
    return new, change


def _build_name_pattern(name: str, addresses: set[str]) -> re.Pattern[str]:
    """Return a pattern of the addresses and of the name in all the ways in which it may be written, also over two
    lines, of which the second may be quoted. A part of another address is neither of them; the pattern finds such an
    address, too, as ``other``."""
    forms = {name, unicodedata.normalize("NFD", name), normalize_spelling(name)}
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


def _replace_names(pattern: re.Pattern[str], new: str, text: str) -> str:
    return pattern.sub(lambda found: found["other"] or new, text)


def _rename_player(session: Session, player: PlayerRow, new: str) -> None:
    """Give the player the new name and delete address and settings, before any mail is written, so that no new mail has
    the old name."""
    player.name, player.name_key, player.address = new, new.casefold(), None
    player.digest, player.digest_at, player.invitations = False, None, False
    player.puzzles = False
    player.unsubscribe, player.undeliverable = "", ""
    session.add(player)
    session.flush()


# ---- mails ----


def _wipe_incoming(session: Session, player: PlayerRow, addresses: set[str], change: Callable[[str], str]) -> None:
    """Wipe the player's own mails and those that name the player: only that they came, and what they led to, is left.
    None of them is handled any more, as it is empty; the player's own are dropped where they still wait. Raises
    OperatorError for mails of others that wait."""
    wait = []
    for row, own in iter_mails_with_ownership(session, player, addresses):
        if own or (row.raw and _has_player_mention(row.raw, change)):
            if not own and row.state in privacy.HELD:
                wait.append(str(row.id))
            row.raw, row.size = b"", 0
            if row.state in (*privacy.HELD, InboxState.UNKNOWN):
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


def _wipe_outgoing(session: Session, player: PlayerRow, change: Callable[[str], str]) -> None:
    """Wipe mails to the player except for the Message-ID, and write mails to others that name the player anew, as text.
    Raises OperatorError for one that has still to leave."""
    for row, letter in privacy.iter_outgoing_mails(session):
        if row.player_id == player.number or row.recipient == player.address:
            if privacy.is_unsent_mail(row):
                privacy.delete_outgoing_mail(session, row, letter)
                continue
            letter.raw = f"Message-ID: {row.message_id}\r\n\r\n".encode()
            row.recipient = ""
        elif _has_player_mention(letter.raw, change):
            if privacy.is_unsent_mail(row):
                raise OperatorError("A mail that names them is still to be sent.", "Run `moderator tick`, try again.")
            old = email.message_from_bytes(letter.raw, policy=email.policy.default)
            new = EmailMessage(policy=email.policy.SMTP)
            for header in KEPT:
                if old[header] is not None:
                    new[header] = change(str(old[header]))
            new.set_content(change(extract_all_text(letter.raw)))
            letter.raw = new.as_bytes()
        session.add(row)
        session.add(letter)
    session.flush()


def _has_player_mention(raw: bytes, change: Callable[[str], str]) -> bool:
    """Return whether the mail names the player, in its text, its headers or its attachments."""
    message = email.message_from_bytes(raw, policy=email.policy.default)
    heads = (f"{value}" for part in message.walk() for value in part.values())
    return any(change(text) != text for text in (*heads, *_list_part_texts(message), raw.decode("utf-8", "replace")))


def _list_part_texts(message: Message) -> list[str]:
    found = []
    for part in message.walk():
        if not part.is_multipart():
            data = part.get_payload(decode=True)
            found.append(data.decode("utf-8", "replace") if isinstance(data, bytes) else "")
    return found
