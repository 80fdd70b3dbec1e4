"""The end of a round: what each seat won and lost, line by line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from moderator.engine.contract import Note, State
from moderator.games.tridom.state import Public
from moderator.games.tridom.steps import credit
from moderator.games.tridom.tiles import worth

OUT = 25
"""For the seat that got rid of its tiles first."""


def closing_sums(state: State[Public], out: int | None) -> tuple[State[Public], tuple[Note, ...]]:
    """Settles the racks: ``out`` gets 25 and what the others still hold; where nobody could lay any more (None)
    everybody loses what they hold."""
    number = state.public.round
    rests = [(seat, worth(hand)) for seat, hand in enumerate(state.hands) if hand]
    notes = [Note("blocked", {"round": number}) if out is None else Note("went-out", {"round": number}, seat=out)]
    notes += [Note("rest", {"tiles": list(state.hands[seat]), "points": rest}, seat=seat) for seat, rest in rests]
    scores = state.scores
    for seat, gains in enumerate(state.public.gains):
        lines = [Note("sum-laid", {"items": terms(gains), "points": sum(gains)}, seat=seat)]
        if seat == out:
            items = [rest for _, rest in rests]
            lines.append(Note("sum-out", {"points": OUT}, seat=seat, points=OUT))
            lines.append(Note("sum-rests", {"items": terms(items), "points": sum(items)}, seat, sum(items)))
        elif out is None and state.hands[seat]:
            rest = worth(state.hands[seat])
            lines.append(Note("sum-own-rest", {"points": rest}, seat=seat, points=-rest))
        scores = credit(scores, seat, sum(line.points for line in lines))
        points = sum(gains) + sum(line.points for line in lines)
        params = {"round": number, "points": points, "total": scores[seat]}
        notes += [*lines, Note("sum-total", params, seat=seat)]
    return replace(state, scores=scores), tuple(notes)


def leaders(state: State[Public]) -> tuple[int, ...]:
    """The seats that have the highest score, if it reaches the target."""
    best = max(state.scores)
    if best < state.public.options.target:
        return ()
    return tuple(seat for seat, score in enumerate(state.scores) if score == best)


def terms(items: Iterable[int]) -> str:
    """``35 + 12 - 5``; ``0`` for nothing."""
    text = "".join(f" {'-' if item < 0 else '+'} {abs(item)}" for item in items)
    return f"-{text[3:]}" if text.startswith(" -") else text[3:] or "0"
