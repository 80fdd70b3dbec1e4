"""What happened by itself after a move, in order: draws and passes, the end of a round with its sums, the next deal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from moderator.match.contract import Note
from moderator.match.happened import NEXT_DEAL, rounds_ended
from moderator.pages.messages import known, label, round_noun, say, sentence
from moderator.pages.pages import Page
from moderator.printable import clean_name
from moderator.states import MailKind

_ENDS = ("went-out", "blocked", "target-reached", "game-over", "sum-")
"""Beginnings of the codes that only the end of a round has; the first of them opens its chapter."""
_OUT = frozenset({"out", "last-left"})
"""Such codes in full."""
_TOTAL = "sum-total"


@dataclass(frozen=True)
class Sums:
    """What a round brought one seat."""

    name: str
    lines: tuple[str, ...]
    total: str


@dataclass(frozen=True)
class Chapter:
    """A stretch of what happened: lines, then perhaps the sums of a round that is over, then lines again."""

    heading: str
    """``Runde 2 ist zu Ende``; "" where no round ends."""
    before: tuple[str, ...] = ()
    sums: tuple[Sums, ...] = ()
    after: tuple[str, ...] = ()


def chapters(notes: Sequence[Note], language: str, game: str | None, names: Sequence[str]) -> tuple[Chapter, ...]:
    """The notes as finished sentences; each says whose it is. ``names``: of all seats."""
    found = []
    for run in _runs(_summed(notes, language, game)):
        at = next((n for n, note in enumerate(run) if note.code.startswith("sum-")), len(run))
        behind = max((n + 1 for n, note in enumerate(run) if note.code.startswith("sum-")), default=at)
        # What a seat has left may stand between what it laid and its total.
        sums = [note for note in run[at:behind] if note.seat is not None]
        before = tuple(note_line(note, language, game, names) for note in run[:at])
        rest = [note for note in run[at:behind] if note.seat is None] + list(run[behind:])
        found.append(
            Chapter(
                heading=_heading(run, language, game),
                before=before,
                sums=_sums(sums, language, game, names),
                after=tuple(note_line(note, language, game, names) for note in rest),
            )
        )
    return tuple(found)


def rounds_over(page: Page) -> tuple[str, ...]:
    """``Runde 2 ist zu Ende`` of each round that ended in what the page reports, for its head."""
    return tuple(_round_over(round, page.reader.language, page.game) for round in rounds_ended(page.happened))


def next_deal(page: Page) -> bool:
    """Whether the board has been cleared for a new round since what the page reports."""
    return page.kind != MailKind.END and bool(rounds_ended(page.happened))


def nothing_since(page: Page) -> bool:
    """Whether the next deal is the last thing that the page reports, so that the scores are those after a round."""
    last = page.reports[-1].then if page.reports else page.notes
    return next_deal(page) and any(_deals(note) for note in last)


def _deals(note: Note) -> bool:
    return note.code.startswith(NEXT_DEAL)


def _summed(notes: Sequence[Note], language: str, game: str | None) -> tuple[Note, ...]:
    """The notes with those of one seat said at once that circle after circle brought, in games that have a sentence for
    that: what is ``penalty`` once is ``penalty-several`` then."""
    same = Counter((note.code, note.seat) for note in notes if known(f"{note.code}-several", language, game))
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


def _ends(note: Note) -> bool:
    return note.code.startswith(_ENDS) or note.code in _OUT


def _runs(notes: Sequence[Note]) -> Iterator[tuple[Note, ...]]:
    """The notes in stretches: one for each round's end, one for what comes before it and one after the next deal."""
    run: list[Note] = []
    ending = False
    for note in notes:
        ends = _ends(note)
        if run and (_deals(note) if ending else ends):
            yield tuple(run)
            run = []
        ending = ends or (ending and not _deals(note))
        run.append(note)
    if run:
        yield tuple(run)


def _heading(run: Sequence[Note], language: str, game: str | None) -> str:
    """Named by the number in its sums."""
    numbers = [note.params.get("round") for note in run if note.code == _TOTAL]
    if not any(_ends(note) for note in run):
        return ""
    if not numbers or numbers[0] is None:
        own = "mail.round-over"
        return say(own, language, game) if known(own, language, game) else label("round-over-plain", language)
    return _round_over(numbers[0], language, game)


def _round_over(round: int, language: str, game: str | None) -> str:
    text = label("round-over", language, noun=round_noun(language, game), round=round)
    return text[:1].upper() + text[1:]


def _sums(notes: Sequence[Note], language: str, game: str | None, names: Sequence[str]) -> tuple[Sums, ...]:
    """By seat, in the order in which they come."""
    seats = dict.fromkeys(note.seat for note in notes)
    found = []
    for seat in seats:
        own = [note for note in notes if note.seat == seat]
        said = {id(note): sentence(note, language, game, names) for note in own}
        totals = [said[id(note)] for note in own if note.code == _TOTAL]
        name = clean_name(names[seat]) if seat is not None and 0 <= seat < len(names) else ""
        found.append(Sums(name, tuple(said[id(n)] for n in own if n.code != _TOTAL), totals[-1] if totals else ""))
    return tuple(found)


def note_line(
    note: Note, language: str, game: str | None, prefixed: Sequence[str], names: Sequence[str] | None = None
) -> str:
    """A note as a line. With ``prefixed`` (names of all seats) a note about a seat says whose it is, unless its
    sentence names the seat already."""
    names = prefixed if names is None else names
    text = sentence(note, language, game, names)
    if note.only is None and note.seat is not None and 0 <= note.seat < len(prefixed):
        name = clean_name(prefixed[note.seat])
        if name not in text:
            text = label("note-of", language, name=name, sentence=text)
    return text
