"""Who sent it? A seat's token decides; without one the registered address does, if its provider vouches for it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from moderator.commands.declaration import KnownPlayer
from moderator.common import tokens
from moderator.common.enums import QuestionKind
from moderator.common.mails import ParsedMail
from moderator.common.message_files import normalize_spelling
from moderator.mail.authentication import Verdict, judge_sender_domain
from moderator.notifications.task import StaffMember
from moderator.rules.game import Note
from moderator.service.held_mails import REPEATED
from moderator.service.notifications import notify_chief
from moderator.service.players.address_change import AddressChangeAnswer
from moderator.settings import Config
from moderator.store import inbox, key_values, matches, outbox, players, questions
from moderator.store.database import Session
from moderator.store.inbox import is_older_mail
from moderator.store.key_values import ensure_moderator_token
from moderator.store.tables import InboxRow, MatchRow, PlayerRow, Protest, Question, Referee
from moderator.views.desk import Desk
from moderator.views.mail_pages import find_player_by_mail_token
from moderator.views.people import build_staff_member, get_chief

GUESSED = "tokens are guessed; its owner was asked"
"""Note of a mail with a right token that waits for its owner's word."""


@dataclass(frozen=True)
class UnvouchedSender:
    """The registered address, but neither token nor proof, or nothing that says which of several people who have the
    address wrote it: they are asked."""

    players: tuple[PlayerRow, ...]


@dataclass(frozen=True)
class SenderConfirmation:
    """The answer to "was it you?": the held mail may go on."""

    players: tuple[PlayerRow, ...]
    """Who may have written the held mail; more than one where several have the address."""
    held: InboxRow


@dataclass(frozen=True)
class WordRulingAnswer:
    """The answer to "does this word count?", by whom it was asked: the chief or a referee."""

    question: Question
    official: StaffMember


@dataclass(frozen=True)
class StaffWriter:
    """The chief or a referee, who may command. ``proven``: by the token; else the address only says so."""

    official: StaffMember
    proven: bool = True


@dataclass(frozen=True)
class SignupAnswer:
    """The answer of a mailbox that nobody knows yet: the held mail that asks to join may count."""

    held: InboxRow


@dataclass(frozen=True)
class ProtestAnswer:
    """The answer to a protest, by whom it was put to: the chief or a referee."""

    protest: Protest
    official: StaffMember


@dataclass(frozen=True)
class Unsubscriber:
    """A player who wants something no more, by the address in ``List-Unsubscribe``."""

    player: PlayerRow
    what: str
    """STOP, DAILY, NO_PUZZLE, or the code of a match that they watch."""


ProvenSender = ProtestAnswer | StaffWriter | KnownPlayer | Unsubscriber | AddressChangeAnswer | WordRulingAnswer
"""Whom a token proves."""


@dataclass(frozen=True)
class GuessedTokenOwner:
    """A right token that came while somebody guesses tokens: its owner is asked first."""

    owner: ProvenSender


@dataclass(frozen=True)
class HeldMailConfirmation:
    """The answer of a token's owner about a mail that was held meanwhile, or about one that came twice."""

    held: InboxRow


@dataclass(frozen=True)
class StaleMail:
    """A letter without a token that is older than its writer's entry in the club, or, of a stranger, than the club: it
    was meant for somebody else."""


@dataclass(frozen=True)
class GuessedTokens:
    """Wrong tokens while somebody guesses them: nothing is done and nothing answered."""


UnprovenSender = UnvouchedSender | StaleMail | GuessedTokens | None
"""Whom nothing proves."""
Writer = (
    ProvenSender
    | UnvouchedSender
    | StaleMail
    | SenderConfirmation
    | SignupAnswer
    | GuessedTokenOwner
    | HeldMailConfirmation
    | GuessedTokens
    | None
)


def identify_sender(desk: Desk, mail: ParsedMail) -> Writer:
    """Return who wrote the mail; None = nobody we know. Wrong tokens are counted."""
    found, wrong = _find_by_token(desk, mail)
    guessed = bool(found or wrong) and load_wrong_tokens(desk.session, desk.now).is_over_limit(mail.sender)
    if wrong and count_wrong_tokens(desk.session, desk.now, mail.sender, wrong):
        notify_chief(desk, Note("tokens-guessed", {"address": mail.sender or "?"}))
    if isinstance(
        found, SenderConfirmation | SignupAnswer | HeldMailConfirmation
    ):  # a single question, at an address that we know
        return found
    if found is not None:
        own = isinstance(found, KnownPlayer) and found.whole and is_vouched(desk.config, mail)
        return found if own or not guessed else GuessedTokenOwner(found)
    if wrong and guessed and not is_vouched(desk.config, mail):
        return GuessedTokens()
    return _identify_without_token(desk, mail)


def find_mail_owner(
    desk: Desk, writer: ProvenSender | SenderConfirmation | SignupAnswer | HeldMailConfirmation
) -> tuple[PlayerRow | None, MatchRow | None]:
    """Return the player whose mail that is, and the match that it is about, as far as they are known."""
    if isinstance(writer, KnownPlayer):
        return writer.player, writer.match
    if isinstance(writer, Unsubscriber):
        return writer.player, None
    if isinstance(writer, AddressChangeAnswer):
        return desk.session.get_one(PlayerRow, writer.change.player_id), None
    if isinstance(writer, WordRulingAnswer):
        return None, desk.session.get_one(MatchRow, writer.question.match_id)
    if isinstance(writer, ProtestAnswer):
        return None, desk.session.get_one(MatchRow, writer.protest.match_id)
    held = None if isinstance(writer, StaffWriter) else writer.held
    player = desk.session.get(PlayerRow, held.player_id) if held and held.player_id else None
    return player, desk.session.get(MatchRow, held.match_id) if held and held.match_id else None


def find_writer_by_token(
    desk: Desk, mail: ParsedMail
) -> ProvenSender | SenderConfirmation | SignupAnswer | HeldMailConfirmation | None:
    """Return the writer that a token of the mail proves, or the question that it answers, even while somebody guesses
    tokens."""
    return _find_by_token(desk, mail)[0]


def find_token_owner(desk: Desk, mail: ParsedMail) -> ProvenSender | None:
    """Return the writer that a token of the mail proves, even while somebody guesses tokens."""
    found = find_writer_by_token(desk, mail)
    return None if isinstance(found, SenderConfirmation | SignupAnswer | HeldMailConfirmation) else found


def _find_by_token(
    desk: Desk, mail: ParsedMail
) -> tuple[ProvenSender | SenderConfirmation | SignupAnswer | HeldMailConfirmation | None, int]:
    """Return (the writer that the first right token proves, how many wrong ones stand before it)."""
    wrong = 0
    for code, token in tokens.find_tokens((*mail.recipients, mail.subject)):
        found = _resolve_token(desk, code, token, mail)
        if found is not None:
            return found, wrong
        wrong += 1
    return None, wrong


def _resolve_token(
    desk: Desk, code: str, token: str, mail: ParsedMail
) -> ProvenSender | SenderConfirmation | SignupAnswer | HeldMailConfirmation | None:
    """Return what one token proves."""
    if code == tokens.CONFIRM:
        return _find_held_mail(desk.session, token)
    if code == tokens.ADDRESS:
        return _find_address_change(desk.session, token)
    if code in (tokens.STOP, tokens.DAILY, tokens.NO_PUZZLE):
        return _find_unsubscriber_by_token(desk, code, token)
    if code == tokens.PUZZLE:
        return _find_solver(desk, token, mail)
    if code == tokens.PLAYER:
        return _find_addressed_player(desk, token, mail)
    if code == tokens.BOSS:
        return _find_staff_by_token(desk, token)
    if code == tokens.PROTEST:
        protest = questions.find_protest_by_token(desk.session, token)
        if protest and tokens.tokens_equal(token, protest.token):
            return ProtestAnswer(protest, get_chief(desk))
        asked = _find_asked_referee(desk, QuestionKind.PROTEST, token)
        return ProtestAnswer(desk.session.get_one(Protest, asked[0]), asked[1]) if asked else None
    if code == tokens.WORD:
        question = questions.find_question_by_token(desk.session, token)
        if question and tokens.tokens_equal(token, question.token):
            return WordRulingAnswer(question, get_chief(desk))
        asked = _find_asked_referee(desk, QuestionKind.WORD, token)
        return WordRulingAnswer(desk.session.get_one(Question, asked[0]), asked[1]) if asked else None
    return _find_seat_owner(desk, code, token, mail) or _find_unsubscriber_by_token(desk, code, token)


def _find_staff_by_token(desk: Desk, token: str) -> StaffWriter | None:
    if tokens.tokens_equal(token, ensure_moderator_token(desk.session)):
        return StaffWriter(get_chief(desk))
    row = players.find_referee_by_token(desk.session, token)
    return StaffWriter(build_staff_member(row)) if row and tokens.tokens_equal(token, row.token) else None


def _find_asked_referee(desk: Desk, kind: QuestionKind, token: str) -> tuple[int, StaffMember] | None:
    """Return the number of the question or protest about which a mail with this token asked a referee, and the
    referee."""
    row = players.find_matter_by_token(desk.session, kind, token)
    if row is None or row.referee_id is None or not tokens.tokens_equal(token, row.token):
        return None
    return row.about, build_staff_member(desk.session.get_one(Referee, row.referee_id))


def _find_unsubscriber_by_token(desk: Desk, code: str, token: str) -> Unsubscriber | None:
    player = find_player_by_mail_token(desk, token)
    return Unsubscriber(player, code) if player else None


def find_unsubscriber(desk: Desk, mail: ParsedMail) -> Unsubscriber | None:
    """Return the player to whose unsubscribe address the mail went; some mail programs write there by themselves."""
    found = [(code, token) for code, token in tokens.find_tokens(mail.recipients) if code != tokens.PUZZLE]
    return next((who for code, token in found if (who := _find_unsubscriber_by_token(desk, code, token))), None)


def find_claimed_player(desk: Desk, mail: ParsedMail) -> KnownPlayer | None:
    """Return the player whose address a mail gives, where something else vouches for it; None = the address is no
    player's, or that of several."""
    found = list_possible_writers(desk.session, mail)
    return (
        KnownPlayer(found[0], find_match_in_subject(desk.session, found[0], mail.subject)) if len(found) == 1 else None
    )


def _identify_without_token(
    desk: Desk, mail: ParsedMail
) -> KnownPlayer | UnvouchedSender | StaffWriter | StaleMail | None:
    found = list_possible_writers(desk.session, mail)
    entered = min((player.created_at for player in found), default=None)
    if _is_mail_older_than(desk, entered or inbox.find_club_start(desk.session)):
        return StaleMail()
    if not found:
        return _find_staff_by_address(desk, mail.sender)
    return (find_claimed_player(desk, mail) if is_vouched(desk.config, mail) else None) or UnvouchedSender(found)


def list_possible_writers(session: Session, mail: ParsedMail) -> tuple[PlayerRow, ...]:
    """Return the players who have the sender's address. Of several, the one that the mail tells: by the mail that it
    answers, by the match that it names, or by the name below the text. The name beside the address tells nothing: it is
    the mailbox's."""
    found = tuple(players.list_players_at_addresses(session, [mail.sender] if mail.sender else []))
    if len(found) < 2:
        return found
    answered = {one.player_id for one in outbox.list_mails_by_message_id(session, mail.in_reply_to)}
    codes = tokens.find_code_words(mail.subject)
    last = next((line.text for line in reversed(mail.lines) if line.text.strip()), "")
    for told in (
        [one for one in found if one.number in answered],
        [one for one in found if codes and matches.list_player_matches_by_codes(session, codes, one.number)],
        find_players_in_text(found, last),
    ):
        if len(told) == 1:
            return tuple(told)
    return found


def find_players_in_text(found: Sequence[PlayerRow], text: str) -> list[PlayerRow]:
    """Return the players whose whole name stands in a short text."""
    said = normalize_spelling(text[:200])
    return [
        player for player in found if re.search(rf"(?<!\w){re.escape(normalize_spelling(player.name))}(?!\w)", said)
    ]


def _is_mail_older_than(desk: Desk, moment: datetime | None) -> bool:
    """Return whether the mail at hand is older than ``moment``; never by a clock that has not reached it yet, as in a
    rehearsal."""
    row = desk.mail
    return (
        row is not None
        and moment is not None
        and moment <= desk.now
        and is_older_mail(row.raw, row.received_at, moment)
    )


def _find_staff_by_address(desk: Desk, address: str) -> StaffWriter | None:
    """Return the chief or the referee that an address claims to be."""
    if address == desk.config.club.moderator.lower():
        return StaffWriter(get_chief(desk), proven=False)
    row = players.find_referee_by_address(desk.session, address) if address else None
    return StaffWriter(build_staff_member(row), proven=False) if row else None


def find_match_in_subject(session: Session, player: PlayerRow, subject: str) -> MatchRow | None:
    """Return the match that a subject names: any one in square brackets, as in ours; else one of the player's by its
    code."""
    if code := tokens.find_bracketed_code(subject):
        return matches.find_match_by_code(session, code)
    codes = tokens.find_code_words(subject)
    found = matches.list_player_matches_by_codes(session, codes, player.number) if codes else ()
    return found[0] if len(found) == 1 else None


def _find_seat_owner(desk: Desk, code: str, token: str, mail: ParsedMail) -> KnownPlayer | None:
    match = desk.find_match_by_code(code)
    if match is None:
        return None
    hit: KnownPlayer | None = None
    for seat, player in desk.list_seated(match):
        if tokens.tokens_equal(token, seat.token):  # all seats are compared, so that the time tells nothing
            hit = KnownPlayer(player, match, seat, whole=_is_from_own_address(desk, player, mail))
    return hit


def list_other_seat_codes(desk: Desk, writer: KnownPlayer, mail: ParsedMail) -> list[str]:
    """Return the codes of the writer's other matches to whose seats the mail is addressed, too."""
    carried = tokens.find_tokens(mail.recipients)
    found = [_find_seat_owner(desk, code, token, mail) for code, token in carried] if len(carried) > 1 else []
    codes = [who.match.code for who in found if who and who.match and who.player.number == writer.player.number]
    return [code for code in dict.fromkeys(codes) if writer.match is None or code != writer.match.code]


def _find_solver(desk: Desk, token: str, mail: ParsedMail) -> KnownPlayer | None:
    player = find_player_by_mail_token(desk, token)
    return KnownPlayer(player, whole=_is_from_own_address(desk, player, mail), puzzle=True) if player else None


def _find_addressed_player(desk: Desk, token: str, mail: ParsedMail) -> KnownPlayer | None:
    """Return the player who answers a mail that was sent to them alone."""
    player = find_player_by_mail_token(desk, token)
    if player is None:
        return None
    return KnownPlayer(
        player,
        find_match_in_subject(desk.session, player, mail.subject),
        whole=_is_from_own_address(desk, player, mail),
    )


def _is_from_own_address(desk: Desk, player: PlayerRow, mail: ParsedMail) -> bool:
    """Return whether a mail with a token came from its owner's address, as far as anybody knows."""
    return mail.sender == player.address and get_sender_verdict(desk.config, mail) != "fail"


def _find_held_mail(session: Session, token: str) -> SenderConfirmation | SignupAnswer | HeldMailConfirmation | None:
    held = inbox.find_held_mail_by_token(session, token)
    if held is None or not tokens.tokens_equal(token, held.token):
        return None
    if held.note in (GUESSED, REPEATED):
        return HeldMailConfirmation(held)
    found = tuple(players.list_players_at_addresses(session, [held.sender]))
    return SenderConfirmation(found, held) if found else SignupAnswer(held)


def _find_address_change(session: Session, token: str) -> AddressChangeAnswer | None:
    change = players.find_address_change(session, token)
    if change is None:
        return None
    old = tokens.tokens_equal(token, change.old_token)
    return AddressChangeAnswer(change, old) if old or tokens.tokens_equal(token, change.new_token) else None


def is_vouched(config: Config, mail: ParsedMail) -> bool:
    """Return whether the sender's provider vouches that the mail is the sender's."""
    return get_sender_verdict(config, mail) == "pass"


def get_sender_verdict(config: Config, mail: ParsedMail) -> Verdict:
    """Return what the club's own mail server found out about the sender: "pass", "fail" or less."""
    return judge_sender_domain(mail.authentication, config.mail.authserv_id, mail.sender.rpartition("@")[2])


# ---- guessed tokens ----
#
# Tokens that somebody guesses: wrong ones are counted, and above a limit a token alone opens nothing any more.
#
# Right tokens are never refused, whoever guessed: the address of a mail is easily forged, and the player whose address
# it is would be shut out. Instead a right token counts as before if the player's provider vouches for the mail; else
# the mail waits until its owner, asked at the address that we know, has said yes.


PER_SENDER = 20
"""Wrong tokens of one address in a day (UTC)."""
PER_CLUB = 100
"""Wrong tokens of all senders in an hour."""
KEPT_SENDERS = 300
"""Addresses that are counted one by one in a day; the others count for the club's limit."""


@dataclass
class WrongTokens:
    """The wrong tokens of this day and of this hour."""

    day: str
    hour: int
    in_hour: int = 0
    senders: dict[str, int] = field(default_factory=dict)
    told: bool = False
    """Whether the moderator has heard of it this day."""

    def is_over_limit(self, sender: str) -> bool:
        """Return whether so many were wrong that a token alone proves nothing."""
        return self.in_hour >= PER_CLUB or self.senders.get(sender, 0) >= PER_SENDER


def load_wrong_tokens(session: Session, now: datetime) -> WrongTokens:
    """Return the counts so far."""
    written = key_values.find_value(session, key_values.WRONG_TOKENS)
    day = now.date().isoformat()
    known = WrongTokens(**json.loads(written)) if written else WrongTokens(day, now.hour)
    if known.day != day:
        return WrongTokens(day, now.hour)
    if known.hour != now.hour:
        known.hour, known.in_hour = now.hour, 0
    return known


def count_wrong_tokens(session: Session, now: datetime, sender: str, wrong: int) -> bool:
    """Count so many more wrong tokens. Returns True if that was too much, for the first time today."""
    known = load_wrong_tokens(session, now)
    known.in_hour += wrong
    if sender in known.senders or len(known.senders) < KEPT_SENDERS:
        known.senders[sender] = known.senders.get(sender, 0) + wrong
    first = known.is_over_limit(sender) and not known.told
    known.told = known.told or first
    key_values.save_value(session, key_values.WRONG_TOKENS, json.dumps(vars(known)))
    return first
