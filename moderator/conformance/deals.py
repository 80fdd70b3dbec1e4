"""Deals: chance comes from ctx.shuffle alone, each round has a seed of its own, and what came before is kept."""

from __future__ import annotations

import random
import typing
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

from moderator.common.errors import OperatorError
from moderator.common.typed import build_dataclass
from moderator.conformance.finding import CheckFigure, Finding, Found, describe_difference
from moderator.conformance.subject import (
    GameSubject,
    RandomPlay,
    SampleMatch,
    deal_sample_match,
    format_in_one_line,
    repeat_call,
)
from moderator.rules.game import State, Step, begins_by_lot, first_mover
from moderator.rules.shuffling import parse_round_label

CALLS = {True: 600, False: 2000}
"""Calls to the game in search of a second deal, in each pace, quick or not."""


def iter_deal_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that the same shuffles give the same deal, other shuffles another one; and all that a second deal is made
    of."""
    for match in subject.matches:
        twice = deal_sample_match(subject, match.options.pace, match.seed)
        if twice.first != match.first:
            yield Finding(
                match.describe_moment(0), f"dealt twice: {describe_difference(match.first, twice.first)}", match.seed
            )
    options = subject.build_options(subject.game.paces[0])
    deals = [
        subject.game.setup(subject.game.min_seats, options, subject.build_context(seed)).state for seed in range(8)
    ]
    first = first_mover(subject.game, options)
    for seed, state in enumerate(deals):
        if first is not None and state.to_move[:1] != (first,):
            yield Finding(f"setup({subject.game.min_seats}, …)", f"{state.to_move} begins: it lacks opener", seed)
            break
    if begins_by_lot(options) and all(
        _find_beginning_seats(subject, options, seed, 0) == _find_beginning_seats(subject, options, seed, 1)
        for seed in range(8)
    ):
        yield Finding(f"setup({subject.game.min_seats}, …)", "whoever is drawn as starter, the same seat begins")
    if any((*deals[0].hands, deals[0].stock)) and all(state == deals[0] for state in deals):
        yield Finding(f"setup({subject.game.min_seats}, …) with eight shuffles", "it is dealt the same each time")
    for match in subject.matches:
        yield from _iter_first_fault(match, "")
    if subject.game.seeded_rounds:
        yield from _iter_second_deal_findings(subject)


def _find_beginning_seats(subject: GameSubject, options: Any, seed: int, starter: int) -> tuple[int, ...]:
    """Return the seats that begin where the lot has fallen on ``starter``."""
    ctx, fixed = subject.build_context(seed), {"starter": starter}
    return subject.game.setup(subject.game.min_seats, options, ctx, fixed).state.to_move


# ---- a second deal ----


def _iter_second_deal_findings(subject: GameSubject) -> Iterator[Found]:
    """Check second deals of each pace, with the options that lead to one."""
    met = []
    for chosen, match in _get_long_matches(subject):
        yield from _iter_first_fault(match, _format_options(chosen))
        met += [f"a second deal in {match.options.pace}{_format_options(chosen)}"] * _is_dealt_twice(match)
    yield CheckFigure(f"({'; '.join(met) or 'no second deal was met'})")


def list_second_deals(subject: GameSubject) -> list[SampleMatch]:
    """Return the matches whose last call deals for the second time."""
    return [match for _, match in _get_long_matches(subject) if _is_dealt_twice(match)]


def _is_dealt_twice(match: SampleMatch) -> bool:
    return bool(match.states[-1].public.round > match.first.state.public.round)


def _get_long_matches(subject: GameSubject) -> tuple[tuple[dict[str, Any], SampleMatch], ...]:
    """Return of each pace the matches that were played until one was dealt twice, with the options that lead to it;
    stored with the subject. None where rounds have no seeds of their own."""
    if "_long" not in vars(subject):
        found = []
        for pace in subject.game.paces if subject.game.seeded_rounds else ():
            left = CALLS[subject.quick]
            for chosen in _iter_variants(subject, pace):
                match = _find_second_deal(subject, {**chosen, "pace": pace}, left)
                if match is None:
                    continue
                found.append((chosen, match))
                left -= len(match.calls)
                if _is_dealt_twice(match) or left <= 0:
                    break
        vars(subject)["_long"] = tuple(found)
    kept: tuple[tuple[dict[str, Any], SampleMatch], ...] = vars(subject)["_long"]
    return kept


def _format_options(chosen: dict[str, Any]) -> str:
    return "".join(f", {name} = {value}" for name, value in chosen.items())


def _iter_variants(subject: GameSubject, pace: str) -> Iterator[dict[str, Any]]:
    """Yield options beside those that were given: first none, then each by itself with another value, numbers first."""
    yield {}
    usual, types = subject.build_options(pace), typing.get_type_hints(subject.game.options)
    others: list[tuple[int, str, Any]] = []
    for field in fields(usual):
        value = getattr(usual, field.name)
        if field.name == "pace" or field.name in subject.settings:
            continue
        if isinstance(value, bool):
            others.append((1, field.name, not value))
        elif isinstance(value, int):
            others.append((0, field.name, value + 1))
        elif typing.get_origin(types[field.name]) is typing.Literal:
            others += [(2, field.name, one) for one in typing.get_args(types[field.name]) if one != value]
    yield from ({name: value} for _, name, value in sorted(others, key=lambda one: one[0]))


def _find_second_deal(subject: GameSubject, settings: dict[str, Any], most: int) -> SampleMatch | None:
    """Play a random match until a second deal, its end, or so many calls; None for options that the game refuses."""
    game, seed = subject.game, subject.seed
    ctx = subject.build_context(seed)
    try:
        options = build_dataclass(game.options, {**subject.settings, **settings}, "options")
        match = SampleMatch(game, options, game.min_seats, seed, ctx, game.setup(game.min_seats, options, ctx))
    except OperatorError:
        return None
    going, first = RandomPlay(match, random.Random(f"{seed} deals")), match.first.state.public.round
    while not going.state.over and going.state.public.round == first and len(match.calls) < most:
        getattr(going, options.pace)()
    return match


# ---- what is asked of shuffles, and of what is kept ----


@dataclass(frozen=True)
class WatchedCall:
    """One call to the game, and the labels of what it shuffled."""

    where: str
    before: State[Any] | None
    """None for the deal itself."""
    step: Step[Any]
    labels: tuple[str, ...]


def _iter_watched_calls(match: SampleMatch) -> Iterator[WatchedCall]:
    """Make each call again, its shuffles watched. (While a match is played, ``list_moves`` may try the moves that it
    lists.)"""
    labels: list[str] = []

    def record_label(label: str, items: Any) -> tuple[str, ...]:
        labels.append(label)
        return match.ctx.shuffle(label, items)

    ctx = replace(match.ctx, shuffle=record_label)
    first = match.game.setup(match.seats, match.options, ctx)
    yield WatchedCall(match.describe_moment(0), None, first, tuple(labels))
    for number, call in enumerate(match.calls):
        labels.clear()
        step = repeat_call(match.game, call, call.before, ctx)
        yield WatchedCall(
            f"{call.format_call()} after {match.describe_moment(number)}", call.before, step, tuple(labels)
        )


def _iter_first_fault(match: SampleMatch, options: str) -> Iterator[Found]:
    """Yield the first fault of this match."""
    used: set[str] = set()
    for call in _iter_watched_calls(match):
        faults = [_find_repeated_label(call, used)]
        if match.game.seeded_rounds:
            faults += [_find_wrong_seed(call), _find_past_fault(call)]
        used |= {*call.labels}
        if found := next(filter(None, faults), ""):
            yield Finding(f"{call.where}{options}", found, match.seed)
            return


def _find_repeated_label(call: WatchedCall, used: set[str]) -> str:
    for at, label in enumerate(call.labels):
        if label in used or label in call.labels[:at]:
            return f"it shuffles under the label {label!r} for the second time: that order is known"
    return ""


def _find_wrong_seed(call: WatchedCall) -> str:
    """Find a shuffle that does not take the seed of the round that it belongs to: all others may be known, or are shown
    too early."""
    new = call.step.state.public.round
    old = new if call.before is None else call.before.public.round
    named = [parse_round_label(label) for label in call.labels]
    for label, number in zip(call.labels, named, strict=True):
        if not old <= number <= new:
            return f"in round {new} it shuffles under the label {label!r}: the seed of another round"
    if lacking := {*range(old + 1, new + 1)} - {*named}:
        return f"round {min(lacking)} is dealt without a shuffle whose label begins with round{min(lacking)}"
    return ""


def _find_past_fault(call: WatchedCall) -> str:
    """Find a fault of ``State.past``: it holds each round that has ended, and is left unchanged in between."""
    if call.before is None:
        return ""
    old, new = call.before.public.round, call.step.state.public.round
    before, after = call.before.past, call.step.state.past
    ended = after[len(before) :]
    if after[: len(before)] != before or [state.public.round for state in ended] != [*range(old, new)]:
        rounds = [state.public.round for state in after]
        what = f"round {new} is dealt" if new > old else f"in round {new}"
        held = format_in_one_line(rounds)
        return f"{what}, and State.past holds the rounds {held}: the next deal takes past=state.ended"
    if any(state.past for state in ended):
        return "a round in State.past has a past of its own: the next deal takes past=state.ended"
    return ""
