"""What happened and what was read, as lines: move reports, the score table, the lines of a receipt."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from moderator.common.enums import MailKind
from moderator.common.text import capitalize_start, clean_name
from moderator.language.messages import (
    game_sentence,
    has_sentence,
    is_laying_move,
    load_labels,
    quote_move,
    render_code,
    render_label,
    render_note,
    render_round_noun,
    strip_quotes,
    write_move,
)
from moderator.notifications.content import MoveView, RefusedAlternative, WordScore
from moderator.notifications.pages import Page, SeatView
from moderator.render.document import Sums
from moderator.render.mails import stored_order
from moderator.render.mails.headline import format_points
from moderator.rules.events import NEXT_DEAL, FinalPosition, TurnMissed, list_ended_rounds
from moderator.rules.game import Note
from moderator.rules.silence import SeatStatus

# ---- What happened by itself after a move, in order: draws and passes, the end of a round with its sums, the next
# deal.


_ENDS = ("went-out", "blocked", "target-reached", "game-over", "sum-")
"""Beginnings of the codes that only the end of a round has; the first of them opens its chapter."""
_OUT = frozenset({"out", "last-left"})
"""Such codes in full."""
_TOTAL = "sum-total"


@dataclass(frozen=True)
class EventChapter:
    """A stretch of what happened: lines, then perhaps the sums of a round that is over, then lines again."""

    heading: str
    """``Runde 2 ist zu Ende``; "" where no round ends."""
    before: tuple[str, ...] = ()
    sums: tuple[Sums, ...] = ()
    after: tuple[str, ...] = ()


def build_event_chapters(
    notes: Sequence[Note], language: str, game: str | None, names: Sequence[str], doers: Sequence[str] = ()
) -> tuple[EventChapter, ...]:
    """Return the notes as finished sentences, by chapter; each sentence says whose it is. ``names``: of all seats;
    ``doers``: the same as sentences begin with them, where that is not their names."""
    found = []
    doers = doers or names
    for run in _iter_note_runs(_merge_repeated_notes(notes, language, game)):
        at = next((n for n, note in enumerate(run) if note.code.startswith("sum-")), len(run))
        behind = max((n + 1 for n, note in enumerate(run) if note.code.startswith("sum-")), default=at)
        # What a seat has left may stand between what it laid and its total.
        sums = [note for note in run[at:behind] if note.seat is not None]
        before = tuple(render_note_line(note, language, game, doers, names) for note in run[:at])
        rest = [note for note in run[at:behind] if note.seat is None] + list(run[behind:])
        found.append(
            EventChapter(
                heading=_render_heading(run, language, game),
                before=before,
                sums=_build_round_sums(sums, language, game, names),
                after=tuple(render_note_line(note, language, game, doers, names) for note in rest),
            )
        )
    return tuple(found)


def has_new_deal(page: Page) -> bool:
    """Return whether the board has been cleared for a new round since what the page reports."""
    return page.kind != MailKind.END and bool(list_ended_rounds(page.happened))


def _is_deal_note(note: Note) -> bool:
    return note.code.startswith(NEXT_DEAL)


def _merge_repeated_notes(notes: Sequence[Note], language: str, game: str | None) -> tuple[Note, ...]:
    """Merge the notes that come for one seat again and again, in games that have a sentence for the sum: two
    ``penalty`` become one ``penalty-several``."""
    same = Counter((note.code, note.seat) for note in notes if has_sentence(f"{note.code}-several", language, game))
    found: dict[tuple[str, int | None] | int, Note] = {}
    for number, note in enumerate(notes):
        key = (note.code, note.seat)
        if same[key] < 2:
            found[number] = note
        elif key in found:
            count = found[key].params["count"] + note.params["count"]
            found[key] = replace(found[key], params={"times": same[key], "count": count})
        else:
            found[key] = replace(note, code=f"{note.code}-several")
    return tuple(found.values())


def is_round_end_note(note: Note) -> bool:
    """Return whether the note says that a round is over, and why."""
    return note.code.startswith(_ENDS) or note.code in _OUT


def _iter_note_runs(notes: Sequence[Note]) -> Iterator[tuple[Note, ...]]:
    """Yield the notes in stretches: one for each round's end, one for what comes before it and one after the next
    deal."""
    run: list[Note] = []
    ending = False
    for note in notes:
        ends = is_round_end_note(note)
        if run and (_is_deal_note(note) if ending else ends):
            yield tuple(run)
            run = []
        ending = ends or (ending and not _is_deal_note(note))
        run.append(note)
    if run:
        yield tuple(run)


def _render_heading(run: Sequence[Note], language: str, game: str | None) -> str:
    """Return the heading of a stretch in which a round ends, with the number that its sums name; an empty text for
    others."""
    numbers = [note.params.get("round") for note in run if note.code == _TOTAL]
    if not any(is_round_end_note(note) for note in run):
        return ""
    if not numbers or numbers[0] is None:
        own = "mail.round-over"
        return (
            render_code(own, language, game)
            if has_sentence(own, language, game)
            else render_label("round-over-plain", language)
        )
    text = render_label("round-over", language, noun=render_round_noun(language, game), round=numbers[0])
    return capitalize_start(text)


def _build_round_sums(notes: Sequence[Note], language: str, game: str | None, names: Sequence[str]) -> tuple[Sums, ...]:
    """Return the sums by seat, in the order in which the seats come."""
    seats = dict.fromkeys(note.seat for note in notes)
    found = []
    for seat in seats:
        own = [note for note in notes if note.seat == seat]
        said = {id(note): render_note(note, language, game, names) for note in own}
        totals = [said[id(note)] for note in own if note.code == _TOTAL]
        name = clean_name(names[seat]) if seat is not None and 0 <= seat < len(names) else ""
        found.append(Sums(name, tuple(said[id(n)] for n in own if n.code != _TOTAL), totals[-1] if totals else ""))
    return tuple(found)


def render_note_line(
    note: Note, language: str, game: str | None, prefixed: Sequence[str], names: Sequence[str] | None = None
) -> str:
    """Return a note as a line. With ``prefixed`` (names of all seats) a note about a seat says whose it is, unless its
    sentence names the seat already."""
    names = prefixed if names is None else names
    text = render_note(note, language, game, names)
    if note.only is None and note.seat is not None and 0 <= note.seat < len(prefixed):
        name = clean_name(names[note.seat])
        if name not in text:
            whose = clean_name(prefixed[note.seat])
            text = name_doer(name, text, language) or render_label("note-of", language, name=whose, sentence=text)
    return text


def name_doer(name: str, text: str, language: str) -> str:
    """Return ``Anna beginnt die Partie.`` for ``Beginnt die Partie.``; an empty text where the sentence does not begin
    with what somebody does."""
    doing = re.match(load_labels(language)["note-verb"], text)
    return f"{name} {text[:1].lower()}{text[1:]}" if doing else ""


def list_doers(page: Page) -> tuple[str, ...]:
    """Return the names of all seats as they stand before what concerns them: the reader is "you"."""
    named = page.names or tuple(seat.name for seat in page.seats)
    return tuple(
        render_label("you-there", page.reader.language) if at == page.own_number else name
        for at, name in enumerate(named)
    )


@dataclass(frozen=True)
class ReportedMove:
    """One seat's move, as lines of the report."""

    who: str
    you: bool
    move: str
    """In quotation marks, or a sentence that there was none."""
    played: bool
    points: str
    """``21 Punkte``; "" without a move."""
    sums: str
    """``HAUS 8 + AH 4 = 12``."""
    lines: tuple[str, ...]
    """Failed alternatives, bonuses, anything else about it."""
    laid: str
    """Pace ``common``: that it lies on the board; else ""."""
    before: tuple[EventChapter, ...] = ()
    """What happened before it."""
    then: tuple[EventChapter, ...] = ()
    """What happened by itself after it."""


def build_reported_moves(page: Page, names: Sequence[str]) -> tuple[ReportedMove, ...]:
    """Return the moves of the report; in pace ``common`` the laid move first, then by points."""
    reports = list(page.reports)
    if page.match and page.match.pace == "common":
        reports.sort(key=lambda r: (not (r.laid and r.played), -r.points))
        before = tuple(note for report in page.reports for note in report.before)
        reports = [replace(report, before=() if at else before) for at, report in enumerate(reports)]
    return tuple(build_reported_move(report, page, names) for report in reports)


def build_reported_move(report: MoveView, page: Page, names: Sequence[str]) -> ReportedMove:
    """Return the move of one seat as lines."""
    language, game = page.reader.language, page.game
    common = page.match is not None and page.match.pace == "common"
    lines = [_render_refused_alternative(failed, page, names) for failed in report.failed]
    if report.you and report.played and report.alternative > 1:  # how many plans somebody had is nobody else's business
        lines.append(render_label("first-fallback", language, number=report.alternative - 1))
    own = (None, report.seat)
    lines += [render_note_line(note, language, game, () if note.seat in own else names, names) for note in report.notes]
    if common and report.same:
        lines.append(render_label("same-one" if report.same == 1 else "same", language, count=report.same))
    nothing = "no-legal-move" if report.failed else "no-move"
    return ReportedMove(
        who=render_mover(report, page),
        you=report.you,
        move=quote_move(report.played, language, game) if report.played else render_label(nothing, language),
        played=bool(report.played),
        points=_render_points(report, page) if report.played or report.points else "",
        sums=_render_formed_words(report, page),
        lines=tuple(lines),
        laid=render_label("laid", language) if common and report.laid and report.played else "",
        before=build_event_chapters(report.before, language, game, names, list_doers(page)),
        then=build_event_chapters(report.then, language, game, names, list_doers(page)),
    )


def _render_points(report: MoveView, page: Page) -> str:
    """Return ``21 Punkte``; an empty text where moves bring none."""
    language = page.reader.language
    if not report.points and is_scoreless(page.game, language):
        return ""
    return render_label("points", language, points=report.points)


def is_scoreless(game: str | None, language: str) -> bool:
    """Return whether moves bring no points by themselves: then the game has a sentence for naming the words without
    points."""
    return has_sentence("mail.words", language, game)


def _render_formed_words(report: MoveView, page: Page) -> str:
    """Return the words with their points; where they bring none, those that the move does not name itself."""
    language, game = page.reader.language, page.game
    if not is_scoreless(game, language):
        return format_word_sum(report.words, report.points, language) if report.words else ""
    named = report.played.replace("*", "").split()
    more = [strip_quotes(word.word) for word in report.words if word.word not in named]
    return render_code("mail.words", language, game, words=more) if more else ""


def _render_refused_alternative(failed: RefusedAlternative, page: Page, names: Sequence[str]) -> str:
    language = page.reader.language
    values = {
        "which": render_label("which-main", language)
        if failed.number <= 1
        else render_label("which-fallback", language, number=failed.number - 1),
        "move": write_move(failed.text, language, page.game),
    }
    return render_label("failed", language, **values, why=_render_reason(failed.reason, page, names))


def render_mover(report: MoveView, page: Page) -> str:
    """Return ``Anna zieht``, ``Du ziehst``; ``Anna:`` where nothing was played."""
    racing = "-race" if stored_order.is_race(page) else ""
    laid = bool(report.played) and (bool(racing) or is_laying_move(report.played))
    code = (f"moves{racing}" if laid else "none-of") + ("-you" if report.you else "")
    return render_label(code, page.reader.language, who=clean_name(report.name))


def _render_reason(reason: Note, page: Page, names: Sequence[str]) -> str:
    return render_note(reason, page.reader.language, page.game, names)


def format_word_sum(words: Sequence[WordScore], points: int, language: str) -> str:
    """Return ``HAUS 8 + AH 4 = 12``; points that are not in the words (bonuses) are named as such."""
    parts = [f"{strip_quotes(word.word)} {word.points}" for word in words]
    rest = points - sum(word.points for word in words)
    if rest:
        parts.append(f"{render_label('bonus' if rest > 0 else 'malus', language)} {rest}")
    joined = " + ".join(parts)
    return f"{joined} = {points}" if len(parts) > 1 else joined


def render_seat_status(seat: SeatView, page: Page) -> str:
    """Return what there is to say of a seat: whether it has sent, whether it is out; an empty text = nothing."""
    status = _choose_status_label(seat, page)
    return render_label(status, page.reader.language) if status else ""


def render_round_result(one: MoveView, page: Page) -> str:
    """Return what a round that is over brought a seat: ``»I3 s RÜSTIG« bringt +24, liegt auf dem Brett``."""
    language = page.reader.language
    if not one.played:
        tried = any(isinstance(each, TurnMissed) and each.seat == one.seat and each.tried for each in page.happened)
        return render_label("no-legal-move" if one.failed or tried else "no-move", language)
    move = quote_move(one.played, language, page.game)
    gained = "" if is_scoreless(page.game, language) else _format_gain(one.points)
    common = page.match is not None and page.match.pace == "common"
    laid = render_label("row-laid", language) if common and one.laid else ""
    said = render_label("row-gain", language, said=move, gain=gained) if gained else move
    return ", ".join(filter(None, (said, laid)))


def _choose_status_label(seat: SeatView, page: Page) -> str:
    """Return the key of what the score table says of a seat: whether the match waits for it; "" = nothing."""
    match seat.status:
        case SeatStatus.TO_MOVE | SeatStatus.ILLEGAL | SeatStatus.DEFERRED:
            if stored_order.is_race(page):
                return "racing"
            return "to-move" if stored_order.is_sequential(page) else "row-missing"
        case SeatStatus.SUBMITTED:
            return "row-finished" if stored_order.is_race(page) else "row-sent"
        case SeatStatus.PASSED_ROUND:
            return "row-gave-up" if seat.you else "row-finished"
        case SeatStatus.ON_HOLD:
            return "row-on-hold"
        case SeatStatus.ELIMINATED:
            return "row-eliminated"
        case SeatStatus.LEFT:
            return "row-left"
        case SeatStatus.IDLE | SeatStatus.UNCONFIRMED | SeatStatus.OVER:
            return ""
        case _:
            assert_never(seat.status)


def _format_gain(points: int) -> str:
    """Return ``+21``, ``0``, ``−4``."""
    return f"+{points}" if points > 0 else format_points(points)


def render_final_position(page: Page, final: FinalPosition) -> tuple[str, str]:
    """Return ``Runde 2: die Endstellung`` and ``Anna +35 (gesamt 70), …``."""
    language = page.reader.language
    scores = (
        render_label(
            "final-score", language, name=clean_name(name), gained=_format_gain(gained), total=format_points(total)
        )
        for name, gained, total in final.scores
    )
    return render_final_title(page, final.round), ", ".join(scores)


def render_final_title(page: Page, number: int) -> str:
    """Return ``Runde 2: die Endstellung``."""
    values = {"noun": render_round_noun(page.reader.language, page.game), "round": number}
    title = game_sentence("final-title", page.reader.language, page.game, **values)
    return capitalize_start(title)
