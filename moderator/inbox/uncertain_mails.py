"""Mails in a player's name that may not be meant: what a program has sent without saying so, and what comes twice.

Absence notes under a subject of any language, smileys, and filters that want a click are known by what they do, and
never by words alone where an order stands in them. The moderator sees what may have been meant; it is not answered.

Some mail programs send a mail twice, each time under a Message-ID of its own, and who is not sure whether it went out
presses the button again. What says word for word what its writer said a few minutes ago, where that was an order that
has been played, must not pass another turn. It is held, and its writer is asked. It is no copy if it answers another
mail of ours than the first one did, and it is not asked about while the first order still waits for its time: then the
same once more changes nothing."""

from __future__ import annotations

import email
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256

from moderator.commands.declaration import find_command, get_player_commands
from moderator.common import tokens
from moderator.common.enums import HeldFor, InboxState, LogEntryKind, MailKind, MatchStatus
from moderator.common.mails import ParsedMail
from moderator.inbox.job import MailJob
from moderator.inbox.places import find_order_lines
from moderator.inbox.read import strip_reply_prefixes
from moderator.inbox.wishes import is_sentence
from moderator.language.messages import write_move
from moderator.mail.clean import get_field_text
from moderator.mail.parse import parse_mail_bytes
from moderator.rules.game import Note
from moderator.service import held_mails
from moderator.service.notifications import notify_reader
from moderator.store import inbox, matches_log, outbox
from moderator.store.database import Session
from moderator.store.matches import list_current_seats
from moderator.store.tables import EventRow, InboxRow, MatchRow, SeatRow
from moderator.views.links import build_player_page, build_reply_address
from moderator.views.match_view import build_public_match_view
from moderator.views.unit_of_work import Recipient

AWAY = "away"
"""Why such a mail is a machine's: it says that its owner is not there, or the same again."""
SMILEY = "reaction"
CHALLENGE = "challenge"
_MEMORY = timedelta(days=60)
_EARLIER = 5
"""Mails of the same sender that are looked at, the newest."""
_ANSWERS = re.compile(
    r"(?:antwort|odpověď|odpoveď|vastaus|risposta|respuesta|réponse|resposta|odgovor|válasz|cevap|svar|ответ|відповідь)",
    re.IGNORECASE,
)
"""What programs write before the subject of a letter and that is longer than ``Re``."""
_OWN_ABSENCE = frozenset({"away", "ooo", "fort"})
_SHORT = 4
_IDEOGRAPHS = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_EMOJI = re.compile(r"[\u2600-\u27bf\u2b50\u2764\U0001f300-\U0001faff][\ufe0f\u200d\U0001f3fb-\U0001f3ff]*")
_LINK = re.compile(r"<?\bhttps?://\S+", re.IGNORECASE)
_REACTED = re.compile(r"\b(?:reagiert|reacted|réagi|reacts?|gefällt)\b", re.IGNORECASE)
_FILTER = re.compile(
    r"\b(?:human|person|robot|spam\w*|whitelist\w*|verif\w+|confirm\w*|captcha|approve\w*|bestätig\w*|freischalt\w*"
    r"|unverlangt\w*|humain|vérifi\w+|confirmer)\b",
    re.IGNORECASE,
)


def detect_automatic_mail(job: MailJob) -> str:
    """Return why nobody has written the mail: AWAY, SMILEY or CHALLENGE; "" = somebody has, as far as one can tell. The
    database is asked only where the mail looks so."""
    mail = job.mail
    text = "\n".join(line.text for line in mail.lines)
    smiley, click = _is_smiley(mail), _has_click_request(mail)
    renamed = _may_subject_be_renamed(mail.subject)
    repeated = bool(mail.in_reply_to) and is_sentence(text)
    if not mail.lines or not (smiley or click or renamed or repeated) or find_order_lines(job, (), mail.lines):
        return ""
    said = [
        found[0].name
        for line in mail.lines
        if (found := find_command(line.text, tuple(get_player_commands().values()))) is not None
    ]
    if smiley and not said:
        return SMILEY
    if mail.ignored.get("quote"):
        return ""
    if renamed and set(said) <= {"leave"} and _is_subject_renamed(job.session, mail):
        return AWAY
    if said:
        return ""
    if click:
        return CHALLENGE
    return AWAY if repeated and _is_repeated_text(job.session, job.row, mail) else ""


def _may_subject_be_renamed(subject: str) -> bool:
    """Return whether other words than ``Re`` stand before a colon of the subject, or the subject is a command."""
    prefix, colon, _ = subject.replace("：", ":").partition(":")
    return (
        bool(colon and _is_more_than_re(prefix))
        or find_command(subject, tuple(get_player_commands().values())) is not None
    )


def _is_smiley(mail: ParsedMail) -> bool:
    """Return whether the mail is no more than an emoji, or says that somebody has chosen one."""
    text = " ".join(_LINK.sub("", line.text) for line in mail.lines).strip(" <>")
    if not _EMOJI.search(text) or len(text.split()) > 12:
        return False
    return _REACTED.search(text) is not None or not any(one.isalnum() for one in _EMOJI.sub("", text))


def _has_click_request(mail: ParsedMail) -> bool:
    text = "\n".join(line.text for line in mail.lines)
    return _LINK.search(text) is not None and _FILTER.search(_LINK.sub("", text)) is not None


def _is_subject_renamed(session: Session, mail: ParsedMail) -> bool:
    """Return whether a program has put words before the subject of ours that is answered, or another subject in its
    place."""
    subject = " ".join(mail.subject.split())
    answered = list(_iter_answered_subjects(session, mail))
    for ours in answered:
        at = subject.find(ours)
        if at >= 0:
            return any(_is_more_than_re(word) for word in re.split(r"[:：]", subject[:at]))
    prefix, colon, _ = subject.replace("：", ":").partition(":")
    if colon and answered and not any(prefix in ours for ours in answered) and _is_more_than_re(prefix):
        return True
    return bool(answered) and find_command(mail.subject, tuple(get_player_commands().values())) is not None


def _is_more_than_re(prefix: str) -> bool:
    word = re.sub(r"\[[^\]]*\]|\([^)]*\)", "", prefix).strip(" -|").casefold()
    most = 2 if _IDEOGRAPHS.search(word) else _SHORT
    return word in _OWN_ABSENCE or (len(word) > most and _ANSWERS.fullmatch(word) is None)


def _iter_answered_subjects(session: Session, mail: ParsedMail) -> Iterator[str]:
    """Yield the subjects of our mails that this one answers."""
    for raw in outbox.list_mail_bytes(session, mail.in_reply_to[-3:]):
        head = email.message_from_bytes(raw.partition(b"\n\n")[0] + b"\n\n")
        if ours := " ".join(get_field_text(head, "Subject").split()):
            yield ours


def iter_last_mails(session: Session, row: InboxRow) -> Iterator[ParsedMail]:
    """Yield the mails that the writer of this one has sent before it, newest first."""
    for earlier in inbox.list_last_mails_of_sender(session, row, _MEMORY, _EARLIER):
        yield parse_mail_bytes(earlier.raw, full=not earlier.is_truncated)


def _is_repeated_text(session: Session, row: InboxRow, mail: ParsedMail) -> bool:
    """Return whether one of the sender's last mails had just this text."""
    text = [" ".join(line.text.split()) for line in mail.lines]
    return any(
        [" ".join(line.text.split()) for line in before.lines] == text and before.in_reply_to != mail.in_reply_to
        for before in iter_last_mails(session, row)
    )


SOON = timedelta(minutes=10)
"""What comes later is meant."""
_ORDERS = (LogEntryKind.ORDER, LogEntryKind.MOVE)
_SAYS_NOTHING = (LogEntryKind.FLAG, LogEntryKind.CLOCK, LogEntryKind.EXCUSE, LogEntryKind.NOTICE)
"""Entries after which an order still is a seat's last."""


@dataclass(frozen=True)
class RepeatedOrder:
    """An order that has come twice."""

    match: MatchRow
    seat: SeatRow
    order: EventRow
    first: InboxRow
    """The mail that it came with."""


def ask_about_repeat(job: MailJob) -> bool:
    """Return whether the mail is such a copy. It is held then, and its writer is asked, once in a row of copies."""
    work, row, player = job.work, job.row, job.player
    again = () if _is_match_quiet(job) else _find_repeated_orders(job)
    if not again:
        return False
    before = inbox.list_repeats_of_player(work.session, player.number)
    copy = any(abs(one.received_at - row.received_at) <= SOON and one.subject == row.subject for one in before)
    if copy:
        held_mails.end_hold(work.session, row, InboxState.DROPPED, "an order came once more, word for word")
        return True
    for one in before:
        held_mails.end_hold(work.session, one, InboxState.DROPPED, one.note)
    note = "an order came twice, word for word; its writer was asked"
    held_mails.hold_mail(work.session, row, HeldFor.REPEAT, note, player, again[0].match, InboxState.CONFIRM)
    row.told_at, row.token = work.now, tokens.generate_token()  # no matter for the moderator
    _notify_repeat(job, again)
    return True


def _is_match_quiet(job: MailJob) -> bool:
    """Return whether nothing was done for so long in the match that the mail is for that there can be no first
    order."""
    match = job.writer.match
    last = job.work.last_entries.get(match.number) if match else None
    return last is not None and last < job.row.received_at - SOON


def _notify_repeat(job: MailJob, again: Sequence[RepeatedOrder]) -> None:
    work, row, player = job.work, job.row, job.player
    one = again[0] if len(again) == 1 else None
    notes = [Note("repeated-copy", {"at": again[0].first.received_at})]
    for each in again:
        notes += _iter_repeat_notes(job, each)
    page = build_player_page(
        work,
        MailKind.REPEATED,
        player,
        match=build_public_match_view(one.match, work.cache.load_match(work.session, one.match), player.language)
        if one
        else None,
        reply=build_reply_address(work.config, tokens.CONFIRM, row.token),
        notes=tuple(notes),
    )
    notify_reader(
        work, Recipient(player, one.match, one.seat) if one else Recipient(player), page, answers=True, once=True
    )


def _iter_repeat_notes(job: MailJob, again: RepeatedOrder) -> Iterator[Note]:
    """Yield what of the first order counts, and what is wanted now."""
    work = job.work
    live, match = work.cache.load_match(work.session, again.match), again.match
    order = write_move(again.order.text, job.player.language, match.game)
    yield Note("repeated-first", {"order": order, "match": match.code, "match_name": match.name})
    players = work.list_players(match)
    if again.seat.number in live.seats_awaited:
        yield Note("repeated-yours")
    elif live.seats_awaited:
        yield Note("repeated-others", {"names": [players[seat].name for seat in live.seats_awaited]})


def _find_repeated_orders(job: MailJob) -> tuple[RepeatedOrder, ...]:
    """Return the orders that come once more with this mail; () = it is no copy, or changes nothing. That hardly any
    mail is one is known before anything else is asked."""
    work = job.work
    before = inbox.list_equal_mails(work.session, job.row, SOON)
    if not before:
        return ()
    places = {
        (match.number, seat.number): (match, seat)
        for match, seat in list_current_seats(work.session, job.player.number)
    }
    orders = matches_log.list_events_of_mails(work.session, before, {number for number, _ in places}, _ORDERS)
    last: dict[tuple[int, int | None], str] = {}
    effective: dict[int, list[RepeatedOrder]] = {}
    for order in reversed(orders):
        at = (order.match_id, order.seat)
        if at not in places or last.setdefault(at, order.text) != order.text:
            continue
        if _has_taken_effect(job, *places[at], order):
            first = before[order.inbox_id or 0]
            effective.setdefault(first.id or 0, []).insert(0, RepeatedOrder(*places[at], order, first))
    return tuple(next(iter(effective.values()), ()))


def compute_content_digest(mail: ParsedMail, sender: str) -> str:
    """Compute a digest of all parts of a mail by which its writer could have meant another thing."""
    words = [words for line in mail.lines if (words := " ".join(line.text.split()))]
    to = sorted(set(tokens.find_tokens((*mail.recipients, mail.subject))))
    parts = (sender, words, strip_reply_prefixes(mail.subject), to, mail.in_reply_to[:1])
    return sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _has_taken_effect(job: MailJob, match: MatchRow, seat: SeatRow, order: EventRow) -> bool:
    """Return whether the order was played or has passed, the seat's player has sent nothing since, and nothing was
    taken back."""
    if match.status != MatchStatus.RUNNING:
        return False
    live = job.work.cache.load_match(job.session, match)
    if seat.number in live.table.out or live.table.orders.get(seat.number, "") == order.text:
        return False
    for entry in matches_log.list_events_after(job.session, match.number, order.n):
        if entry.kind == LogEntryKind.UNDO:
            return False
        played = entry.kind == LogEntryKind.MOVE and entry.text == order.text
        if entry.seat == seat.number and not played and entry.kind not in _SAYS_NOTHING:
            return False
    return True
