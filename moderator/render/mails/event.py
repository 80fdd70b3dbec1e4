"""What caused a mail: the headline, and a few words of it for the subject.

A headline is an event, never how things stand: somebody has laid a word, a round is over, somebody has left. Points and
place of the reader come before those of others. A mail about several matches (the daily one, the one after a backlog,
the overview) says first what they have in common. A mail about no turn says what its notes tell: a note has a few words
as the label ``head-`` and its code, or the beginning of its code; what has none is told by its kind of mail alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from moderator.common.enums import MailKind, WordRuling
from moderator.common.text import capitalize_start, clean_line, clean_name
from moderator.language import dates, traits
from moderator.language.messages import (
    is_laying_move,
    join_names,
    load_labels,
    quote_move,
    render_code,
    render_label,
    render_round_noun,
    strip_quotes,
    write_match_title,
)
from moderator.language.spelling import get_game_name
from moderator.notifications.content import (
    CommandReport,
    MoveView,
    Overview,
    OverviewMatch,
    ReplyAddress,
    SenderQuestion,
    WordAsked,
    WordRuled,
)
from moderator.notifications.pages import BacklogNotification, DigestNotification, Page
from moderator.render.document import end_sentence
from moderator.render.mails import report, stored_order
from moderator.render.mails.headline import format_name_list
from moderator.rules.events import TurnMissed, list_ended_rounds
from moderator.rules.game import Note
from moderator.rules.silence import SeatStatus

ANNOUNCES = " = "
"""Stands before the word in a move that announces one."""


ONLY_MOVE = "auto-single"
"""Code of the note on a move that was played at once, as there was no other."""


@dataclass(frozen=True)
class MailEvent:
    """An event, as a sentence and in the few words of a subject."""

    sentence: str
    short: str
    more: tuple[str, ...] = ()
    """Sentences that belong to it, for the lines below the headline."""


def find_turn_event(page: Page) -> MailEvent | None:
    """Return the event of a mail that nobody asked for: the round that is over, or the last move of somebody else; None
    where there was neither."""
    if ended := list_ended_rounds(page.happened):
        return build_round_end(page, ended[-1])
    if page.match is not None and page.match.pace in ("rounds", "common"):
        return _build_evaluation(page)
    others = [one for one in page.reports if not one.you and (one.played or one.points)]
    if others:
        event = build_move_event(page, others[-1])
        return replace(event, more=tuple(_iter_own_moves(page)))
    missed = [one.seat for one in page.happened if isinstance(one, TurnMissed)]
    return _build_event(page, "event-missed", {"who": clean_name(page.names[missed[-1]])}) if missed else None


def build_start_event(page: Page, short: str) -> MailEvent:
    """Return the beginning of a match; ``short``: what its subject says."""
    game = (clean_name(page.match.game_name) or page.match.game) if page.match else ""
    said = render_label("event-start-moving-in" if page.moving_in else "event-start", page.reader.language, game=game)
    return MailEvent(said, short)


def build_reminder_event(page: Page, sentence: str) -> MailEvent:
    """Return the reminder: that the move is missing, and in the subject the time that is left."""
    if page.deadline is None:
        return MailEvent(sentence, sentence)
    reader = page.reader
    left = dates.format_time_left(page.deadline, page.now, reader.language, reader.zone)
    short = render_label("reminder-left", reader.language, left=left)
    return MailEvent(sentence, capitalize_start(short))


def write_spoken_move(one: MoveView, page: Page) -> str:
    """Return the word that was laid; in games without words, and where nothing was laid, the move itself in quotation
    marks."""
    if ANNOUNCES in one.played:
        return strip_quotes(one.played.partition(ANNOUNCES)[2])
    if one.words and is_laying_move(one.played) and not stored_order.is_race(page):
        return strip_quotes(one.words[0].word)
    return quote_move(one.played, page.reader.language, page.game)


def build_move_event(page: Page, one: MoveView) -> MailEvent:
    who = clean_name(one.name)
    if not is_laying_move(one.played):
        passes = one.played == traits.get_pass_text(page.game)
        code = "event-passes" if passes else "event-other"
    else:
        code = "event-race" if stored_order.is_race(page) else "event-move" if one.points else "event-plain"
        code = "event-announces" if ANNOUNCES in one.played else code
    values = {"who": who, "what": write_spoken_move(one, page), "points": one.points}
    return _build_event(page, code, values)


def _iter_own_moves(page: Page) -> Iterator[str]:
    """Yield the reader's moves that have been played: stored ones, and those that were the only ones possible."""
    for one in page.reports:
        if one.you and one.played:
            only = any(note.code == ONLY_MOVE for note in one.notes)
            code = f"event-own{'-only' if only else ''}{'-points' if one.points else ''}"
            move = quote_move(one.played, page.reader.language, page.game)
            yield render_label(code, page.reader.language, what=move, points=one.points)


def _build_event(page: Page, code: str, values: dict[str, object], more: tuple[str, ...] = ()) -> MailEvent:
    said = render_label(code, page.reader.language, **values)
    said = capitalize_start(said)
    return MailEvent(f"{said}.", said, more)


def _build_evaluation(page: Page) -> MailEvent | None:
    """Return the round that was evaluated, with what it brought the reader."""
    match, language = page.match, page.reader.language
    own = next((one for one in page.reports if one.you), None)
    if match is None or not page.reports:
        return None
    values = {"noun": render_round_noun(language, page.game), "round": match.round - 1}
    if own is None or report.is_scoreless(page.game, language):
        return _build_event(page, "event-evaluated", values)
    values |= {"points": own.points}
    best = max(one.points for one in page.reports)
    code = "event-round-nothing" if not own.played else "event-round-best" if own.points == best > 0 else "event-round"
    return _build_event(page, code, values, (*_iter_laid(page), *_list_place(page)))


def _iter_laid(page: Page) -> tuple[str, ...]:
    """Return whose move lies now, where all had the same tiles."""
    laid = next((one for one in page.reports if one.laid and one.played), None)
    if laid is None or page.match is None or page.match.pace != "common":
        return ()
    code = "event-laid-you" if laid.you else "event-laid"
    values = {"who": clean_name(laid.name), "what": write_spoken_move(laid, page), "points": laid.points}
    return (render_label(code, page.reader.language, **values),)


def _list_place(page: Page) -> tuple[str, ...]:
    mine = page.own_seat
    if mine is None:
        return ()
    place = 1 + sum(seat.score > mine.score for seat in page.seats)
    return (render_label("event-place", page.reader.language, place=place, count=len(page.seats)),)


def build_round_end(page: Page, number: int) -> MailEvent:
    """Return the end of a round after which another one was dealt, with who got its points."""
    language = page.reader.language
    values: dict[str, object] = {"noun": render_round_noun(language, page.game), "round": number}
    gained = next((final.scores for final in page.finals if final.round == number), ())
    winners = [(clean_name(name), points) for name, points, _ in gained if points > 0]
    mine = clean_name(page.own_seat.name) if page.own_seat else ""
    if len(winners) == 1:
        name, points = winners[0]
        code = "event-round-yours" if name == mine else "event-round-goes"
        return _build_event(page, code, values | {"who": name, "points": points})
    own = [points for name, points in winners if name == mine]
    if own:
        return _build_event(page, "event-round", values | {"points": own[0]})
    return _build_event(page, "event-over", values)


def render_subject_tail(page: Page) -> str:
    """Return what a subject says behind the event: whose turn it is now; an empty text where that is no news."""
    match, language = page.match, page.reader.language
    if match is None or page.ending is not None:
        return ""
    if match.pace != "sequential":
        noun = render_round_noun(language, page.game)
        return render_label("tail-round", language, noun=noun, round=match.round) if page.status.is_wanted else ""
    if page.status.is_wanted:
        return render_label("tail-you", language)
    others = page.awaited_others
    return render_label("tail-other", language, names=format_name_list(others, language)) if len(others) == 1 else ""


@dataclass(frozen=True)
class MatchOfMail:
    """One match of several."""

    code: str
    title: str
    """``Topwords Arratia``."""
    is_wanted: bool
    """Its reader must send something."""
    deadline: datetime | None
    """Of what the reader must send."""
    said: str
    """What happened, or who is missing; the deadline stands before it."""
    reply: ReplyAddress | None
    """Where an answer about it goes; None = nothing can be done there."""
    page: Page | None = None
    """The whole match, where the mail has it."""


def list_several_matches(page: Page) -> tuple[MatchOfMail, ...]:
    """Return the matches of the mail, the most urgent first."""
    match page.content:
        case DigestNotification(parts=parts) | BacklogNotification(parts=parts):
            lines = [_build_page_line(part) for part in parts if part.match is not None]
        case Overview(matches=matches):
            lines = [_build_overview_line(one, page) for one in matches]
        case _:
            return ()
    return tuple(sorted(lines, key=lambda line: (not line.is_wanted, line.deadline is None, line.deadline or page.now)))


def find_several_event(page: Page) -> MailEvent | None:
    """Return the event of a mail about several matches; None for other mails."""
    content, lines = page.content, list_several_matches(page)
    match content:
        case BacklogNotification(away=days) if days:
            language = page.reader.language
            said = render_label("several-away", language, days=days)
            short = render_label("several-away-short", language, days=days) if lines else said
            later = (render_label("several-later", language),) if lines else ()
            return MailEvent(f"{said}.", short, (" ".join((*later, *_iter_turn_lines(page, lines))),))
        case BacklogNotification(mails=mails, unlisted=more) if mails:
            code, count = ("several-read", len(mails) + more) if len(mails) + more > 1 else ("several-read-one", 1)
            said = render_label(code, page.reader.language, count=count)
            return MailEvent(f"{said}.", said, tuple(_iter_turn_lines(page, lines)))
        case DigestNotification() | BacklogNotification() | Overview():
            return _build_turns_event(page, lines)
    return None


def _build_turns_event(page: Page, lines: Sequence[MatchOfMail]) -> MailEvent:
    language = page.reader.language
    wanted, others = [line for line in lines if line.is_wanted], [line for line in lines if not line.is_wanted]
    if not wanted:
        asked = "-asked" if isinstance(page.content, Overview) else ""
        said = render_label(f"several-quiet{asked}" if others else f"several-none{asked}", language, count=len(others))
        return MailEvent(f"{said}.", said, () if asked else (render_label("task-nothing", language),))
    said = _render_turns(wanted, language)
    news = others and not isinstance(page.content, Overview)
    short = render_label("several-others", language, news=said, count=len(others)) if news else said
    return MailEvent(f"{said}.", short, tuple(_iter_urgent_lines(page, wanted)))


def _iter_turn_lines(page: Page, lines: Sequence[MatchOfMail]) -> Iterator[str]:
    """Yield in how many matches it is the reader's turn, or that nothing is to be done."""
    wanted = [line for line in lines if line.is_wanted]
    if wanted:
        yield f"{_render_turns(wanted, page.reader.language)}."
    elif lines:
        yield render_label("task-nothing", page.reader.language)


def _render_turns(wanted: Sequence[MatchOfMail], language: str) -> str:
    """Return in which match it is the reader's turn, or in how many."""
    alone = wanted[0].title if len(wanted) == 1 else ""
    return render_label("several-turn" if alone else "several-turns", language, match=alone, count=len(wanted))


def _iter_urgent_lines(page: Page, wanted: Sequence[MatchOfMail]) -> Iterator[str]:
    """Yield the nearest deadline."""
    first = wanted[0]
    if first.deadline is not None:
        until = dates.format_moment(first.deadline, page.now, page.reader.language, page.reader.zone, page.club_zone)
        code = "several-urgent" if len(wanted) > 1 else "several-until"
        yield render_label(code, page.reader.language, match=first.title, deadline=until)


# ---- one match ----


def join_clauses(language: str, *clauses: str) -> str:
    """Join what is said of a match; an empty text says nothing."""
    return render_label("several-joint", language).join(filter(None, clauses))


def _build_page_line(part: Page) -> MatchOfMail:
    assert part.match is not None
    language, game = part.reader.language, clean_name(part.match.game_name) or part.match.game
    title = write_match_title(game, clean_name(part.match.name), language, quoted=False)
    wanted = part.status.is_wanted and not part.held
    said = _describe_page(part)
    watching = render_label("match-watching", language) if part.watching else ""
    return MatchOfMail(
        part.match.code,
        title,
        wanted,
        part.deadline if wanted else None,
        join_clauses(language, watching, said),
        part.reply,
        part,
    )


def _describe_page(part: Page) -> str:
    """Return what happened in the match, and who is missing now."""
    language = part.reader.language
    if part.ending is not None:
        return render_label("match-over", language)
    state = "suspended" if not part.seats else "held" if part.held else "confirm" if part.moving_in else ""
    event = find_turn_event(part)
    happened = event.short if event else ""
    if state:
        return join_clauses(language, happened, render_label(f"match-{state}", language))
    sequential = stored_order.is_sequential(part)
    if part.status.is_wanted and (happened or sequential):
        return join_clauses(language, happened, _describe_stored(part.status, language))
    now = _describe_status(part.status, part.awaited_others, language, is_sequential=sequential)
    return join_clauses(language, happened, now)


def _build_overview_line(one: OverviewMatch, page: Page) -> MatchOfMail:
    language = page.reader.language
    title = f"{get_game_name(one.game, language)} {clean_name(one.name)}".strip()
    out = one.status is SeatStatus.LEFT
    wanted = one.status.is_wanted and one.state not in ("suspended", "held", "confirm")
    if out or one.state:
        said = render_label("match-out" if out else f"match-{one.state}", language)
    else:
        said = _describe_status(one.status, one.awaited, language, is_sequential=False)
    runs = wanted and not one.state
    reply = None if out or one.state == "suspended" else one.reply
    return MatchOfMail(one.code, title, wanted, one.deadline if runs else None, said, reply)


def _describe_status(status: SeatStatus, others: Iterable[str], language: str, *, is_sequential: bool) -> str:
    """Return what the match has of its reader, and of whom else something is missing."""
    names = [clean_name(name) for name in others]
    match status:
        case SeatStatus.TO_MOVE | SeatStatus.ILLEGAL:
            both = [render_label("match-you", language), *names]
            waits = _render_missing(both, language) if names else ""
            return join_clauses(language, waits, _describe_stored(status, language))
        case SeatStatus.DEFERRED | SeatStatus.SUBMITTED | SeatStatus.PASSED_ROUND:
            own = render_label("match-deferred" if status is SeatStatus.DEFERRED else "match-sent", language)
            return join_clauses(language, own, _render_missing(names, language))
        case SeatStatus.ELIMINATED:
            return join_clauses(language, render_label("match-eliminated", language), _render_missing(names, language))
    if not is_sequential:
        return _render_missing(names, language)
    code = "match-turns" if len(names) > 1 else "match-turn"
    return render_label(code, language, names=join_names(names, language)) if names else ""


def _describe_stored(status: SeatStatus, language: str) -> str:
    return render_label("match-illegal", language) if status is SeatStatus.ILLEGAL else ""


def _render_missing(names: Sequence[str], language: str) -> str:
    """Return whose orders are missing; an empty text for nobody."""
    code = "match-missing-several" if len(names) > 1 else "match-missing"
    return render_label(code, language, names=join_names(names, language)) if names else ""


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
        # What became of the lines of a mail of the staff's.
        done = [line for line in page.receipt.lines if line.status == "command"]
        unfulfilled = any(line.is_unfulfilled for line in page.receipt.lines)
        code = "head-boss-done" if done and not unfulfilled else "head-boss-part" if done else "head-boss-not"
        said = render_label(code, page.reader.language)
        return MailEvent(f"{said}.", said)
    if page.press and not page.notes:
        # The event of a mail with letters of players: who has written.
        writers = list(dict.fromkeys(clean_line(clean_name(letter.by), NAME) for letter in page.press))
        said = render_label("head-letter", page.reader.language, names=writers)
        return MailEvent(f"{said}.", said)
    return _build_first_event(page, page.notes)


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
