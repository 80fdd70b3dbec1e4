"""Who sent it? A seat's token decides; without one the registered address does, if its provider vouches for it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from moderator.common import tokens
from moderator.common.enums import HeldFor, QuestionKind
from moderator.common.mails import ParsedMail
from moderator.common.message_files import normalize_spelling
from moderator.inbox.job import ABOUT_HELD, NOBODY, MailJob, Proof, Purpose, Role, Writer, build_confirmed_player
from moderator.mail.authentication import Verdict, judge_sender_domain
from moderator.notifications.task import StaffMember
from moderator.rules.game import Note
from moderator.service.notifications import notify_chief
from moderator.settings import Config
from moderator.store import inbox, key_values, matches, outbox, players, questions
from moderator.store.database import Session
from moderator.store.inbox import is_older_mail
from moderator.store.key_values import ensure_moderator_token
from moderator.store.tables import InboxRow, MatchRow, PlayerRow, Protest, Question, Referee
from moderator.views.links import find_player_by_mail_token
from moderator.views.people import build_staff_member, get_chief


def find_writer(job: MailJob) -> Writer:
    """Return who wrote the mail. Wrong tokens are counted."""
    work, mail = job.work, job.mail
    found, wrong = _find_by_token(job)
    guessed = bool(found or wrong) and load_wrong_tokens(work.session, work.now).is_over_limit(mail.sender)
    if wrong and count_wrong_tokens(work.session, work.now, mail.sender, wrong):
        notify_chief(work, Note("tokens-guessed", {"address": mail.sender or "?"}))
    if found is not None and found.purpose in ABOUT_HELD:
        return found
    if found is not None:
        own = found.purpose in (Purpose.PLAY, Purpose.PUZZLE) and found.whole and is_vouched(work.config, mail)
        return found if own or not guessed else replace(found, proof=Proof.GUESSING)
    if wrong and guessed and not is_vouched(work.config, mail):
        return Writer(Role.STRANGER, Proof.WRONG_TOKENS)
    return _identify_without_token(job)


def find_mail_owner(session: Session, writer: Writer) -> tuple[PlayerRow | None, MatchRow | None]:
    """Return the player whose mail that is, and the match that it is about, as far as they are known."""
    if writer.purpose not in ABOUT_HELD:
        return writer.people[0] if writer.people else None, writer.match
    held = session.get_one(InboxRow, writer.about)
    player = session.get(PlayerRow, held.player_id) if held.player_id else None
    return player, session.get(MatchRow, held.match_id) if held.match_id else None


def find_writer_by_token(job: MailJob) -> Writer | None:
    """Return the writer that a token of the mail proves, even while somebody guesses tokens; one who answers a question
    about a held mail, too."""
    return _find_by_token(job)[0]


def find_token_owner(job: MailJob) -> Writer | None:
    """Return the owner of a token of the mail, even while somebody guesses tokens."""
    found = find_writer_by_token(job)
    return None if found is None or found.purpose in ABOUT_HELD else found


def _find_by_token(job: MailJob) -> tuple[Writer | None, int]:
    """Return (the writer that the first right token proves, how many wrong ones stand before it)."""
    wrong = 0
    for code, token in tokens.find_tokens((*job.mail.recipients, job.mail.subject)):
        found = _resolve_token(job, code, token)
        if found is not None:
            return found, wrong
        wrong += 1
    return None, wrong


def _resolve_token(job: MailJob, code: str, token: str) -> Writer | None:
    match code:
        case tokens.CONFIRM:
            return _find_held_mail(job.session, token)
        case tokens.ADDRESS:
            return _find_address_change(job.session, token)
        case tokens.STOP | tokens.DAILY | tokens.NO_PUZZLE:
            return _find_unsubscriber_by_token(job, code, token)
        case tokens.PUZZLE | tokens.PLAYER:
            return _find_addressed_player(job, code, token)
        case tokens.BOSS:
            return _find_staff_by_token(job, token)
        case tokens.PROTEST:
            return _find_question(job, Purpose.RULE_PROTEST, token)
        case tokens.WORD:
            return _find_question(job, Purpose.RULE_WORD, token)
        case _:
            return _find_seat_owner(job, code, token) or _find_unsubscriber_by_token(job, code, token)


def _find_staff_by_token(job: MailJob, token: str) -> Writer | None:
    who: StaffMember | None = None
    if tokens.tokens_equal(token, ensure_moderator_token(job.session)):
        who = get_chief(job.work.config)
    else:
        row = players.find_referee_by_token(job.session, token)
        who = build_staff_member(row) if row and tokens.tokens_equal(token, row.token) else None
    return Writer(Role.STAFF, Proof.TOKEN, Purpose.COMMAND, staff=who) if who else None


def _find_question(job: MailJob, purpose: Purpose, token: str) -> Writer | None:
    """Return the chief or referee who answers the question about a word, or about a protest."""
    session, word, who = job.session, purpose is Purpose.RULE_WORD, get_chief(job.work.config)
    about: Question | Protest | None
    about = (
        questions.find_question_by_token(session, token) if word else questions.find_protest_by_token(session, token)
    )
    if about is None or not tokens.tokens_equal(token, about.token):
        asked = _find_asked_referee(session, QuestionKind.WORD if word else QuestionKind.PROTEST, token)
        if asked is None:
            return None
        number, who = asked
        about = session.get_one(Question, number) if word else session.get_one(Protest, number)
    match = session.get_one(MatchRow, about.match_id)
    return Writer(Role.STAFF, Proof.TOKEN, purpose, staff=who, match=match, about=about.number)


def _find_asked_referee(session: Session, kind: QuestionKind, token: str) -> tuple[int, StaffMember] | None:
    """Return the number of the question or protest about which a mail with this token asked a referee, and the
    referee."""
    row = players.find_matter_by_token(session, kind, token)
    if row is None or row.referee_id is None or not tokens.tokens_equal(token, row.token):
        return None
    return row.about, build_staff_member(session.get_one(Referee, row.referee_id))


def _find_unsubscriber_by_token(job: MailJob, code: str, token: str) -> Writer | None:
    player = find_player_by_mail_token(job.work.session, token)
    if player is None:
        return None
    return Writer(Role.PLAYER, Proof.TOKEN, Purpose.UNSUBSCRIBE, people=(player,), unwanted=code)


def find_unsubscriber(job: MailJob) -> Writer | None:
    """Return the player to whose unsubscribe address the mail went; some mail programs write there by themselves."""
    found = [(code, token) for code, token in tokens.find_tokens(job.mail.recipients) if code != tokens.PUZZLE]
    return next((who for code, token in found if (who := _find_unsubscriber_by_token(job, code, token))), None)


def find_claimed_player(session: Session, mail: ParsedMail) -> Writer | None:
    """Return the player whose address a mail gives, where something else vouches for it; None = the address is no
    player's, or that of several."""
    found = list_possible_writers(session, mail)
    if len(found) != 1:
        return None
    return build_confirmed_player(found[0], find_match_in_subject(session, found[0], mail.subject))


def _identify_without_token(job: MailJob) -> Writer:
    found = list_possible_writers(job.session, job.mail)
    entered = min((player.created_at for player in found), default=None)
    if _is_older_than(job, entered or inbox.find_club_start(job.session)):
        return Writer(Role.STRANGER, Proof.OUTDATED)
    if not found:
        return _identify_staff_by_address(job)
    vouched = find_claimed_player(job.session, job.mail) if is_vouched(job.work.config, job.mail) else None
    return vouched or Writer(Role.PLAYER, Proof.NONE, people=found)


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


def _is_older_than(job: MailJob, moment: datetime | None) -> bool:
    """Return whether the mail is older than ``moment``; never by a clock that has not reached it yet, as in a
    rehearsal."""
    if moment is None or moment > job.work.now:
        return False
    return is_older_mail(job.row.raw, job.row.received_at, moment)


def _identify_staff_by_address(job: MailJob) -> Writer:
    """Return the chief or the referee that an address claims to be, without a proof; else nobody."""
    address, who = job.mail.sender, None
    if address == job.work.config.club.moderator.lower():
        who = get_chief(job.work.config)
    elif row := players.find_referee_by_address(job.session, address) if address else None:
        who = build_staff_member(row)
    return Writer(Role.STAFF, Proof.NONE, Purpose.COMMAND, staff=who) if who else NOBODY


def find_match_in_subject(session: Session, player: PlayerRow, subject: str) -> MatchRow | None:
    """Return the match that a subject names: any one in square brackets, as in ours; else one of the player's by its
    code."""
    if code := tokens.find_bracketed_code(subject):
        return matches.find_match_by_code(session, code)
    codes = tokens.find_code_words(subject)
    found = matches.list_player_matches_by_codes(session, codes, player.number) if codes else ()
    return found[0] if len(found) == 1 else None


def _find_seat_owner(job: MailJob, code: str, token: str) -> Writer | None:
    match = job.work.find_match_by_code(code)
    if match is None:
        return None
    hit: Writer | None = None
    for seat, player in job.work.list_seated(match):
        if tokens.tokens_equal(token, seat.token):  # all seats are compared, so that the time tells nothing
            hit = Writer(Role.PLAYER, _grade_token(job, player), people=(player,), match=match, seat=seat)
    return hit


def list_other_seat_codes(job: MailJob) -> list[str]:
    """Return the codes of the sender's other matches to whose seats the mail is addressed, too."""
    carried, own = tokens.find_tokens(job.mail.recipients), job.writer.match
    found = [_find_seat_owner(job, code, token) for code, token in carried] if len(carried) > 1 else []
    codes = [who.match.code for who in found if who and who.match and who.player.number == job.player.number]
    return [code for code in dict.fromkeys(codes) if own is None or code != own.code]


def _find_addressed_player(job: MailJob, code: str, token: str) -> Writer | None:
    """Return the player who answers a mail that was sent to them alone, or the puzzle of the week."""
    player = find_player_by_mail_token(job.work.session, token)
    if player is None:
        return None
    proof = _grade_token(job, player)
    if code == tokens.PUZZLE:
        return Writer(Role.PLAYER, proof, Purpose.PUZZLE, people=(player,))
    match = find_match_in_subject(job.session, player, job.mail.subject)
    return Writer(Role.PLAYER, proof, people=(player,), match=match)


def _grade_token(job: MailJob, player: PlayerRow) -> Proof:
    """Return what a right token of a player's proves: less, if it did not come from their own address."""
    own = job.mail.sender == player.address and get_sender_verdict(job.work.config, job.mail) != "fail"
    return Proof.TOKEN if own else Proof.TOKEN_ELSEWHERE


def _find_held_mail(session: Session, token: str) -> Writer | None:
    held = inbox.find_held_mail_by_token(session, token)
    if held is None or not tokens.tokens_equal(token, held.token):
        return None
    if held.held_for in (HeldFor.GUESSING, HeldFor.REPEAT):
        return Writer(Role.PLAYER, Proof.TOKEN, Purpose.CONFIRM_TOKEN, about=held.id)
    found = tuple(players.list_players_at_addresses(session, [held.sender]))
    if found:
        return Writer(Role.PLAYER, Proof.TOKEN, Purpose.CONFIRM_SENDER, people=found, about=held.id)
    return Writer(Role.STRANGER, Proof.TOKEN, Purpose.CONFIRM_SIGNUP, about=held.id)


def _find_address_change(session: Session, token: str) -> Writer | None:
    change = players.find_address_change(session, token)
    if change is None:
        return None
    if tokens.tokens_equal(token, change.old_token):
        purpose = Purpose.CONFIRM_OLD_ADDRESS
    elif tokens.tokens_equal(token, change.new_token):
        purpose = Purpose.CONFIRM_NEW_ADDRESS
    else:
        return None
    player = session.get_one(PlayerRow, change.player_id)
    return Writer(Role.PLAYER, Proof.TOKEN, purpose, people=(player,), about=change.id)


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
