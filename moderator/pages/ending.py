"""How a match ended, in the words of one reader: the same lines in mails, on its page and at the command line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from moderator.match.contract import Note
from moderator.match.ending import Ending, How
from moderator.pages.messages import enumerated, label, sentence
from moderator.pages.tournament_tables import number
from moderator.printable import clean_name
from moderator.tournaments.crosstable import number_text


def listed(names: Sequence[str], language: str, most: int = 4) -> str:
    """``Anna und Bert``; a long list is cut, the score table names them all."""
    shown = [clean_name(name) for name in names[:most]]
    return f"{', '.join(shown)} (+{len(names) - most})" if len(names) > most else enumerated(shown, language)


def lines(ended: Ending, names: Sequence[str], language: str, you: int | None = None) -> tuple[str, ...]:
    """What became of the reader, who has seat ``you`` or none; who has won; what decided, where play did not."""
    return (" ".join((*_fate(ended, language, you), _won(ended, names, language, you))), *_why(ended, names, language))


def counts(ended: Ending, names: Sequence[str], language: str) -> tuple[Note, ...]:
    """What it counts in its tournament, where that is not what was played."""
    if (ended.how == How.PLAYED and not ended.out) or not ended.counts:
        return ()
    points = (number(number_text(one), language) for one in ended.counts)
    results = ", ".join(f"{name} {point}" for name, point in zip(names, points, strict=True))
    return (Note("cup-counts", {"results": results}),)


def _fate(ended: Ending, language: str, you: int | None) -> Iterator[str]:
    if you is None or ended.fate(you) in ("won", "shared", "level"):
        return
    place, count = ended.places[you], len(ended.places)
    yield label(f"{ended.fate(you)}-you", language, place=place, count=count)


def _won(ended: Ending, names: Sequence[str], language: str, you: int | None) -> str:
    won = ended.winners
    if not won:
        return label("won-nobody", language)
    mine = you is not None and you in won
    code = "won-level" if ended.level else f"won{'-shared' if len(won) > 1 else ''}{'-you' if mine else ''}"
    others = [names[seat] for seat in won if ended.level or seat != you]
    bare = "" if ended.sums else "-bare"
    return label(code + bare, language, names=listed(others, language), score=ended.shown(won[0]))


def _why(ended: Ending, names: Sequence[str], language: str) -> Iterator[str]:
    match ended.how:
        case How.PLAYED:
            return
        case How.LEFT | How.FORFEIT:
            gone = [names[seat] for seat in ended.out]
            yield label("ended-left", language, names=listed(gone, language))
        case How.RULED | How.STOPPED | How.DEADLINE:
            sums = [_sum(ended, seat, clean_name(name)) for seat, name in enumerate(names)] if ended.sums else []
            yield label(f"ended-{ended.how}{'' if sums else '-bare'}", language, sums=", ".join(sums))


def _sum(ended: Ending, seat: int, name: str) -> str:
    """``Anna 40 − 12 = 28``; of a word of the moderator what it says."""
    counted, off = ended.shown(seat), ended.scores[seat] - ended.shown(seat)
    if not off or ended.how == How.RULED:
        return f"{name} {minus(counted)}"
    return f"{name} {minus(ended.scores[seat])} − {off} = {minus(counted)}"


def minus(points: int) -> str:
    """With a real minus sign."""
    return str(points).replace("-", "−")


def at_length(ended: Ending, names: Sequence[str], language: str) -> tuple[str, ...]:
    """``lines`` for those without a seat, with what it counts."""
    told = (sentence(note, language) for note in counts(ended, names, language))
    return (*lines(ended, names, language), *told)
