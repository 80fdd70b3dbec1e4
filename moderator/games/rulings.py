"""What a dictionary's verdicts and a player's own claims lead to. For all games of words."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from moderator.engine.contract import Note, Verdict
from moderator.errors import Illegal


def not_a_word(refused: Sequence[Verdict]) -> Illegal:
    """The error for words that do not count; the first one's reason is told."""
    first = refused[0]
    return Illegal(
        "not-a-word",
        word=first.word,
        words=[verdict.word for verdict in refused],
        reason=first.reason,
        source=first.source,
        why=dict(first.params),
    )


def differing_claims(
    seat: int, claimed: int | None, points: int, named: Collection[str], formed: Sequence[str], extra: Sequence[str]
) -> tuple[Note, ...]:
    """A note, for the player only, on each thing that was stated otherwise than it is.

    ``claimed``: points, None = not stated. ``named``: words that the player named, ``extra`` those of them that do not
    arise; ``formed``: words that arise besides the laid one. Who names none of these claims nothing about them.
    """
    notes = []
    if claimed is not None and claimed != points:
        notes.append(Note("claim-points", {"claimed": claimed, "points": points}, seat=seat, only=seat))
    if extra:
        notes.append(Note("claim-words-extra", {"words": list(extra)}, seat=seat, only=seat))
    missing = [word for word in formed if word not in named]
    if missing and not set(named).isdisjoint(formed):
        notes.append(Note("claim-words-missing", {"words": missing}, seat=seat, only=seat))
    return tuple(notes)
