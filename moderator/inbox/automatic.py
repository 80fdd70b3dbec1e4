"""Mails that a program has sent in a player's name without saying so: absence notes under a subject of any language,
smileys, and filters that want a click. They are known by what they do, and never by words alone where an order stands
in them. The moderator sees what may have been meant; it is not answered."""

from __future__ import annotations

import email
import re
from collections.abc import Iterator
from datetime import timedelta

from moderator.commands.declaration import find_command, get_player_commands
from moderator.common.mails import ParsedMail
from moderator.inbox.job import MailJob
from moderator.inbox.places import find_order_lines
from moderator.inbox.wishes import is_sentence
from moderator.mail.clean import get_field_text
from moderator.mail.parse import parse_mail_bytes
from moderator.store import inbox, outbox
from moderator.store.database import Session
from moderator.store.tables import InboxRow

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
