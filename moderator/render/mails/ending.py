"""How a match ended, in the words of one reader: the same lines in mails, on its page and at the command line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from moderator.common.text import clean_name
from moderator.language.messages import join_names, render_label, render_note
from moderator.render.mails.tournament_cells import format_decimal
from moderator.rules.ending import EndCause, Ending
from moderator.rules.game import Note
from moderator.tournaments.crosstable import format_fraction


def format_name_list(names: Sequence[str], language: str, most: int = 4) -> str:
    """Return ``Anna und Bert``; a long list is cut, the score table names them all."""
    shown = [clean_name(name) for name in names[:most]]
    return f"{', '.join(shown)} (+{len(names) - most})" if len(names) > most else join_names(shown, language)


def render_ending(ended: Ending, names: Sequence[str], language: str, you: int | None = None) -> tuple[str, ...]:
    """Return sentences on the end of a match: the fate of the reader, who has seat ``you`` or none; the winners; what
    decided, where play did not."""
    return (
        " ".join((*_iter_fate_lines(ended, language, you), _render_winners(ended, names, language, you))),
        *_iter_reason_lines(ended, names, language),
    )


def build_counted_result_notes(ended: Ending, names: Sequence[str], language: str) -> tuple[Note, ...]:
    """Return notes on what the result counts in its tournament, where that is not what was played."""
    if (ended.how == EndCause.PLAYED and not ended.out) or not ended.counts:
        return ()
    points = (format_decimal(format_fraction(one), language) for one in ended.counts)
    results = ", ".join(f"{name} {point}" for name, point in zip(names, points, strict=True))
    return (Note("cup-counts", {"results": results}),)


def _iter_fate_lines(ended: Ending, language: str, you: int | None) -> Iterator[str]:
    if you is None or ended.get_fate(you) in ("won", "shared", "level"):
        return
    place, count = ended.places[you], len(ended.places)
    yield render_label(f"{ended.get_fate(you)}-you", language, place=place, count=count)


def _render_winners(ended: Ending, names: Sequence[str], language: str, you: int | None) -> str:
    won = ended.winners
    if not won:
        return render_label("won-nobody", language)
    mine = you is not None and you in won
    code = "won-level" if ended.level else f"won{'-shared' if len(won) > 1 else ''}{'-you' if mine else ''}"
    others = [names[seat] for seat in won if ended.level or seat != you]
    bare = "" if ended.sums else "-bare"
    return render_label(
        code + bare, language, names=format_name_list(others, language), score=ended.get_final_points(won[0])
    )


def _iter_reason_lines(ended: Ending, names: Sequence[str], language: str) -> Iterator[str]:
    match ended.how:
        case EndCause.PLAYED:
            return
        case EndCause.LEFT | EndCause.FORFEIT:
            gone = [names[seat] for seat in ended.out]
            yield render_label("ended-left", language, names=format_name_list(gone, language))
        case EndCause.RULED | EndCause.STOPPED | EndCause.DEADLINE:
            sums = [_format_sum(ended, seat, clean_name(name)) for seat, name in enumerate(names)] if ended.sums else []
            yield render_label(f"ended-{ended.how}{'' if sums else '-bare'}", language, sums=", ".join(sums))


def _format_sum(ended: Ending, seat: int, name: str) -> str:
    """Return ``Anna 40 − 12 = 28``; under a ruling of the moderator only the points that it gives."""
    counted, off = ended.get_final_points(seat), ended.scores[seat] - ended.get_final_points(seat)
    if not off or ended.how == EndCause.RULED:
        return f"{name} {format_points(counted)}"
    return f"{name} {format_points(ended.scores[seat])} − {off} = {format_points(counted)}"


def format_points(points: int) -> str:
    """Return points with a real minus sign."""
    return str(points).replace("-", "−")


def render_full_ending(ended: Ending, names: Sequence[str], language: str) -> tuple[str, ...]:
    """Return the sentences of ``render_ending`` for readers without a seat, with what the result counts."""
    told = (render_note(note, language) for note in build_counted_result_notes(ended, names, language))
    return (*render_ending(ended, names, language), *told)
