"""What a mail about no turn says first: what its notes tell, in a few words. A note has them as the label ``head-`` and
its code, or the beginning of its code; what has none is told by its kind of mail alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from moderator.common.enums import MailKind, WordRuling
from moderator.common.text import clean_line, clean_name
from moderator.language.messages import load_labels, render_code, render_label, strip_quotes
from moderator.notifications.content import CommandReport, SenderQuestion, WordAsked, WordRuled
from moderator.notifications.pages import Page, Receipt
from moderator.render.document import end_sentence
from moderator.render.mails.event import MailEvent
from moderator.rules.game import Note

HEADED = frozenset({MailKind.NOTICE, MailKind.NEWS, MailKind.REFEREE, MailKind.ADDRESS, MailKind.BOSS})
"""Kinds of mail that the first of their notes may head."""
QUESTIONS = frozenset({"press-for-you", "question-for-you"})
"""Codes of notes on words of a player's to the staff."""
SIGNPOSTS = frozenset({"today-still", "look-unknown", "backlog-more-notices"})
"""Codes of notes in a notice that are none of its things."""
QUIET = frozenset({MailKind.NEWS})
"""Kinds of mail after which nothing is to be done, if they ask nothing."""
ASKS = frozenset({"undo-asked"})
WORDS = 34
"""Characters of a question in a subject."""
NEWS = 54
"""The same of the first of several news."""
NAME = 30
"""The same of a name."""


def find_note_event(page: Page) -> MailEvent | None:
    """Return the event of a mail about no turn; None where its kind says all."""
    language = page.reader.language
    match page.content:
        case WordAsked(word=word, match_name=name, match=code):
            said = render_label("head-word-asked", language, word=strip_quotes(word))
            return MailEvent(
                said,
                _add_topic(said, name or code, language),
                (render_label("word-waits", language, name=clean_name(name), match=code),),
            )
        case WordRuled(word=word, ruling=ruling):
            said = render_label(f"head-ruled-{WordRuling(ruling)}", language, word=strip_quotes(word))
            return MailEvent(f"{said}.", said)
        case SenderQuestion(names=names) if names:
            said = render_label("head-whose", language)
            return MailEvent(said, said)
        case CommandReport(match=code, match_name=name):
            said = render_label("head-official", language)
            return MailEvent(f"{said}.", _add_topic(said, name or code, language))
    if page.kind == MailKind.PROTEST:
        return _build_first_event(page, page.notes[::-1])
    if page.kind not in HEADED:
        return None
    if page.kind == MailKind.NOTICE:
        return _build_notice_event(page)
    if page.kind == MailKind.BOSS and page.receipt is not None:
        return _build_answer_event(page, page.receipt)
    if page.press and not page.notes:
        return _build_letter_event(page)
    return _build_first_event(page, page.notes)


def _build_answer_event(page: Page, receipt: Receipt) -> MailEvent:
    """Return what became of the lines of a mail of the staff's."""
    done = [line for line in receipt.lines if line.status == "command"]
    unfulfilled = any(line.is_unfulfilled for line in receipt.lines)
    code = "head-boss-done" if done and not unfulfilled else "head-boss-part" if done else "head-boss-not"
    said = render_label(code, page.reader.language)
    return MailEvent(f"{said}.", said)


def _build_letter_event(page: Page) -> MailEvent | None:
    """Return the event of a mail with letters of players: who has written."""
    writers = list(dict.fromkeys(clean_line(clean_name(letter.by), NAME) for letter in page.press))
    said = render_label("head-letter", page.reader.language, names=writers)
    return MailEvent(f"{said}.", said)


def _build_first_event(page: Page, notes: Sequence[Note]) -> MailEvent | None:
    language = page.reader.language
    said = next(filter(None, (render_head(note, language) for note in notes)), "")
    if not said:
        return None
    quiet = page.kind in QUIET and not any(note.code in ASKS for note in notes)
    lines = (render_label("task-nothing", language),) if quiet else ()
    return MailEvent(end_sentence(said), said, lines)


# ---- to the staff ----


def list_matters(page: Page) -> tuple[Note, ...]:
    """Return the notes of a notice that are things of their own."""
    return tuple(note for note in page.notes if note.code not in SIGNPOSTS)


def is_question(page: Page) -> bool:
    """Return whether a notice is nothing but the words of one player."""
    return len(page.press) == 1 and len(page.notes) == 1 and page.notes[0].code in QUESTIONS


def _build_notice_event(page: Page) -> MailEvent | None:
    language, matters = page.reader.language, list_matters(page)
    if is_question(page):
        return _build_question_event(page)
    heads = list(dict.fromkeys(filter(None, (render_head(note, language) for note in matters))))
    if not heads:
        return None
    said, lines = heads[0], tuple[str, ...]()
    if len(matters) > 1:
        short = f"{clean_line(said, NEWS)} (+{len(matters) - 1})"
        said = render_label("head-several", language, count=len(matters) - 1, first=said)
        return MailEvent(end_sentence(said), short)
    if meaning := describe_missing(unwrap_note(matters[0]), language):
        lines = (meaning,)
    return MailEvent(end_sentence(said), said, lines)


def describe_missing(note: Note, language: str) -> str:
    """Return what it means that these players are missing; an empty text for other notes."""
    if "seats" not in note.params:
        return ""
    return render_code(note.code if note.code == "many-missing" else f"{note.code}-rows", language)


def _build_question_event(page: Page) -> MailEvent:
    language, letter, note = page.reader.language, page.press[0], page.notes[0]
    asks = "asks" if "?" in letter.text else "writes"
    name = clean_name(letter.by)
    said = render_label(f"head-{asks}", language, name=name)
    short = render_label(
        f"head-{asks}-what", language, name=name, text=clean_line(" ".join(letter.text.split()), WORDS)
    )
    code = "question-answer" if page.reply and page.reply.address == note.params.get("address") else ""
    topic = str(note.params.get("match_name") or note.params.get("match") or "")
    lines = (render_label(code, language, name=name),) if code else ()
    return MailEvent(f"{said}.", _add_topic(short, topic, language), lines)


def _add_topic(said: str, name: str, language: str) -> str:
    return render_label("topic", language, news=said, about=clean_name(name)) if name else said


def render_head(note: Note, language: str) -> str:
    """Return what happened in a few words; an empty text where there are none."""
    note = unwrap_note(note)
    labels, parts = load_labels(language), note.code.split("-")
    for end in range(len(parts), 0, -1):
        if (code := f"head-{'-'.join(parts[:end])}") in labels:
            return render_label(code, language, **note.params)
    return ""


def unwrap_note(note: Note) -> Note:
    """Return the note that this one only wraps, or itself."""
    faults = note.params.get("faults")
    if isinstance(faults, list | tuple) and len(faults) == 1 and isinstance(faults[0], Mapping):
        inner: dict[str, Any] = dict(faults[0])
        return unwrap_note(Note(inner.pop("code"), inner))
    return note
