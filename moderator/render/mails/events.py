"""What happened by itself after a move, in order: draws and passes, the end of a round with its sums, the next deal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from moderator.common.enums import MailKind
from moderator.common.text import clean_name
from moderator.language.messages import has_sentence, render_code, render_label, render_note, render_round_noun
from moderator.notifications.pages import Page
from moderator.rules.events import NEXT_DEAL, list_ended_rounds
from moderator.rules.game import Note

_ENDS = ("went-out", "blocked", "target-reached", "game-over", "sum-")
"""Beginnings of the codes that only the end of a round has; the first of them opens its chapter."""
_OUT = frozenset({"out", "last-left"})
"""Such codes in full."""
_TOTAL = "sum-total"


@dataclass(frozen=True)
class RoundSums:
    """The points that a round brought one seat, as lines."""

    name: str
    lines: tuple[str, ...]
    total: str


@dataclass(frozen=True)
class EventChapter:
    """A stretch of what happened: lines, then perhaps the sums of a round that is over, then lines again."""

    heading: str
    """``Runde 2 ist zu Ende``; "" where no round ends."""
    before: tuple[str, ...] = ()
    sums: tuple[RoundSums, ...] = ()
    after: tuple[str, ...] = ()


def build_event_chapters(
    notes: Sequence[Note], language: str, game: str | None, names: Sequence[str]
) -> tuple[EventChapter, ...]:
    """Return the notes as finished sentences, by chapter; each sentence says whose it is. ``names``: of all seats."""
    found = []
    for run in _iter_note_runs(_merge_repeated_notes(notes, language, game)):
        at = next((n for n, note in enumerate(run) if note.code.startswith("sum-")), len(run))
        behind = max((n + 1 for n, note in enumerate(run) if note.code.startswith("sum-")), default=at)
        # What a seat has left may stand between what it laid and its total.
        sums = [note for note in run[at:behind] if note.seat is not None]
        before = tuple(render_note_line(note, language, game, names) for note in run[:at])
        rest = [note for note in run[at:behind] if note.seat is None] + list(run[behind:])
        found.append(
            EventChapter(
                heading=_render_heading(run, language, game),
                before=before,
                sums=_build_round_sums(sums, language, game, names),
                after=tuple(render_note_line(note, language, game, names) for note in rest),
            )
        )
    return tuple(found)


def list_ended_round_titles(page: Page) -> tuple[str, ...]:
    """Return ``Runde 2 ist zu Ende`` for each round that ended in what the page reports, for its head."""
    return tuple(
        _render_round_end(round, page.reader.language, page.game) for round in list_ended_rounds(page.happened)
    )


def has_new_deal(page: Page) -> bool:
    """Return whether the board has been cleared for a new round since what the page reports."""
    return page.kind != MailKind.END and bool(list_ended_rounds(page.happened))


def is_new_deal_last(page: Page) -> bool:
    """Return whether the next deal is the last thing that the page reports, so that the scores are those after a
    round."""
    last = page.reports[-1].then if page.reports else page.notes
    return has_new_deal(page) and any(_is_deal_note(note) for note in last)


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


def _is_round_end_note(note: Note) -> bool:
    return note.code.startswith(_ENDS) or note.code in _OUT


def _iter_note_runs(notes: Sequence[Note]) -> Iterator[tuple[Note, ...]]:
    """Yield the notes in stretches: one for each round's end, one for what comes before it and one after the next
    deal."""
    run: list[Note] = []
    ending = False
    for note in notes:
        ends = _is_round_end_note(note)
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
    if not any(_is_round_end_note(note) for note in run):
        return ""
    if not numbers or numbers[0] is None:
        own = "mail.round-over"
        return (
            render_code(own, language, game)
            if has_sentence(own, language, game)
            else render_label("round-over-plain", language)
        )
    return _render_round_end(numbers[0], language, game)


def _render_round_end(number: int, language: str, game: str | None) -> str:
    text = render_label("round-over", language, noun=render_round_noun(language, game), round=number)
    return text[:1].upper() + text[1:]


def _build_round_sums(
    notes: Sequence[Note], language: str, game: str | None, names: Sequence[str]
) -> tuple[RoundSums, ...]:
    """Return the sums by seat, in the order in which the seats come."""
    seats = dict.fromkeys(note.seat for note in notes)
    found = []
    for seat in seats:
        own = [note for note in notes if note.seat == seat]
        said = {id(note): render_note(note, language, game, names) for note in own}
        totals = [said[id(note)] for note in own if note.code == _TOTAL]
        name = clean_name(names[seat]) if seat is not None and 0 <= seat < len(names) else ""
        found.append(RoundSums(name, tuple(said[id(n)] for n in own if n.code != _TOTAL), totals[-1] if totals else ""))
    return tuple(found)


def render_note_line(
    note: Note, language: str, game: str | None, prefixed: Sequence[str], names: Sequence[str] | None = None
) -> str:
    """Return a note as a line. With ``prefixed`` (names of all seats) a note about a seat says whose it is, unless its
    sentence names the seat already."""
    names = prefixed if names is None else names
    text = render_note(note, language, game, names)
    if note.only is None and note.seat is not None and 0 <= note.seat < len(prefixed):
        name = clean_name(prefixed[note.seat])
        if name not in text:
            text = render_label("note-of", language, name=name, sentence=text)
    return text
