"""What stands besides the tiles and that every mail must say: the announcement, its author, what is to be done."""

from __future__ import annotations

from moderator.engine.contract import Note, View
from moderator.games.typdom.board import name
from moderator.games.typdom.recht_state import Finished, Public, Running


def situation(view: View[Public]) -> tuple[Note, ...]:
    """Codes of the standing facts, the most important first; nothing when the match is over."""
    public = view.public
    if not view.to_move:
        return ()
    seat = view.to_move[0]
    notes = [_word(public, seat)]
    if public.completing:
        notes.append(Note("choose-place", seat=seat))
    elif public.running is not None and public.running.author == _following(view, seat):
        notes.append(Note("goes-round", {"word": public.running.word}, seat=public.running.author))
    if public.bought:
        notes.append(Note("has-bought", seat=seat))
    if public.stake > 1:
        notes.append(Note("counts-double"))
    return (*notes, *(Note("is-out", seat=gone) for gone in public.gone))


def _word(public: Public, seat: int) -> Note:
    size = public.table.size
    running, finished = public.running, public.finished
    if running is not None:
        params = {"fragment": public.table.text(running.run), **_where(running, size)}
        if not running.word:
            return Note("unannounced", params)
        return Note("announced", {"word": running.word, **params}, seat=running.author)
    if not public.table.squares:
        return Note("first-tile", {"square": name(public.table.start, size)}, seat=seat)
    if finished is None:
        return Note("new-word", seat=seat)
    return Note("new-word-across", {"word": public.table.text(finished.run), **_where(finished, size)}, seat=seat)


def _where(line: Running | Finished, size: int) -> dict[str, str]:
    return {"square": name(line.run[0], size), "direction": line.direction}


def _following(view: View[Public], seat: int) -> int:
    seats = len(view.scores)
    order = ((seat + n) % seats for n in range(1, seats + 1))
    return next(other for other in order if other not in view.public.gone)
