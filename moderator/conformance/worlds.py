"""Two worlds that differ in nothing but what a reader cannot see are told alike to that reader, whatever is called.

Each kind of call that a match makes is made in both. As long as what anybody at the table can count is the same in both
(whose turn it is, scores, how many tiles lie where, what the reader holds, which tiles have turned up, and what kind of
things happened by themselves), all that the reader gets must be.
"""

from __future__ import annotations

import dataclasses
import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from moderator.common.disk import LANGUAGES
from moderator.conformance.deals import list_second_deals
from moderator.conformance.subject import (
    CheckFigure,
    Finding,
    Found,
    GameCall,
    GameSubject,
    SampleMatch,
    Skipped,
    Unseen,
    describe_difference,
    iter_sample_moves,
    repeat_call,
    sample_in_order,
)
from moderator.language import traits
from moderator.render import boards
from moderator.rules import turn_data
from moderator.rules.game import Game, State, Step
from moderator.rules.state import Context, Note, Shuffle, View, view_for

DEAL = "deal"
NAMES = {
    "apply_move": "move",
    "pass_turn": "missed turn",
    "close_round": "end of a round",
    "evaluate_round": "evaluation",
}
"""What each call is called where it is told."""
MADE: Mapping[str, tuple[str, ...]] = {
    "sequential": (DEAL, "move", "missed turn"),
    "race": (DEAL, "move", "missed turn"),
    "rounds": (DEAL, "move", "missed turn", "end of a round"),
    "common": (DEAL, "evaluation"),
}
"""Pace -> the kinds of calls that a match makes."""
PUT_BACK = "put-back"
"""Code of tiles that were turned up by a rule and lie in the stock again: they were seen."""
SIZES = (1.0, 1.0, 1.0, 0.5, 0.5, 0.2, 0.2, 0.0, 0.0, 0.0)
"""How much of what is hidden changes places in each try, the most first; 0 = two tiles."""
SWAPS, TRIES = 60, 200
"""Pairs of tiles that are exchanged in a deal, one after the other, where the reader sees nothing of it; and that are
tried."""


@dataclass(frozen=True)
class Tried:
    """A call that can be made in several worlds."""

    match: SampleMatch
    kinds: tuple[str, ...]
    where: str
    play: Callable[[State[Any], Context], Step[Any]]
    before: State[Any] | None = None
    """None where it is the shuffle that differs."""


@dataclass(frozen=True)
class WorldPair:
    """One call in two worlds."""

    tried: Tried
    reader: int | None
    ours: Step[Any]
    theirs: Step[Any]

    @property
    def description(self) -> str:
        who = "a spectator" if self.reader is None else f"seat {self.reader}"
        return f"{self.tried.where}, seen by {who}"

    def build_views(self) -> tuple[View[Any], View[Any]]:
        return view_for(self.ours.state, self.reader), view_for(self.theirs.state, self.reader)


def list_visible_notes(notes: Iterable[Note], reader: int | None) -> tuple[Note, ...]:
    """Return the notes on a move that the reader may read."""
    return tuple(note for note in notes if note.only in (None, reader))


def is_alike_for_reader(
    game: Game[Any, Any], ours: Step[Any], theirs: Step[Any], reader: int | None, before: Sequence[State[Any]] = ()
) -> bool:
    """Return whether anybody at the table would count the same in both. Things that happen by themselves may turn up
    tiles: only ``list_table_tiles`` shows them. At the end of a round hands are shown."""
    shown = any(note.code == game.elimination_code for note in (*ours.notes, *ours.after))
    if shown or ours.state.over or ours.state.past != theirs.state.past:
        return False
    mine, yours = (_collect_countable(step, reader) for step in (ours, theirs))
    return mine == yours and (
        not before or _list_given_away(before[0], ours.state) == _list_given_away(before[1], theirs.state)
    )


def _collect_countable(step: Step[Any], reader: int | None) -> Any:
    view = view_for(step.state, reader)
    codes: list[Any] = [(note.code, note.seat, note.points) for note in list_visible_notes(step.after, reader)]
    codes += [dict(note.params) for note in step.notes if note.code == PUT_BACK]
    facts = (view.hand, view.private, view.hand_counts, view.stock_count, view.scores, view.to_move)
    return codes, facts, step.state.public.round, step.points, Counter(_list_hidden_tiles(step.state))


def _list_given_away(before: State[Any], after: State[Any]) -> Any:
    """Return (what each hand has lost, the secrets that are new)."""
    lost = [Counter(one) - Counter(other) for one, other in zip(before.hands, after.hands, strict=True)]
    return lost, [new for old, new in zip(before.private, after.private, strict=True) if old != new]


def _list_hidden_tiles(state: State[Any]) -> list[str]:
    return [*(tile for hand in state.hands for tile in hand), *state.stock]


# ---- other worlds ----


def build_other_world(
    key: str, state: State[Any], reader: int | None, dice: random.Random, size: float, stock: bool
) -> State[Any]:
    """Build a world in which some tiles that the reader cannot see have changed places; often the next one of the stock
    is among them, which a draw shows soonest."""
    lying = [[*hand] for hand in state.hands] + [[*state.stock]]
    open_to = {len(state.hands) - 1, reader} if len(state.hands) == 1 else {reader}
    open_to |= {*range(len(state.hands))} if stock else set()
    places = [(p, n) for p, pile in enumerate(lying) if p not in open_to for n in range(len(pile))]
    chosen = dice.sample(places, min(len(places), max(2, int(size * len(places)))))
    if (drawn := (len(lying) - 1, 0)) in places and drawn not in chosen:
        chosen[0] = drawn
    for colour in {traits.get_rack_colour(key, lying[p][n]) for p, n in chosen}:
        same = [(p, n) for p, n in chosen if traits.get_rack_colour(key, lying[p][n]) == colour]
        for (p, n), tile in zip(same, dice.sample([lying[p][n] for p, n in same], len(same)), strict=True):
            lying[p][n] = tile
    others = [seat for seat in range(len(state.private)) if seat != reader and not stock]
    secrets = dict(zip(others, dice.sample(others, len(others)), strict=True))
    private = tuple(state.private[secrets.get(seat, seat)] for seat in range(len(state.private)))
    return replace(state, hands=tuple(map(tuple, lying[:-1])), stock=tuple(lying[-1]), private=private)


@dataclass
class ExchangedShuffles:
    """Shuffles of which some tiles have changed places."""

    places: dict[str, list[int]] = dataclasses.field(default_factory=dict)
    """Label -> for each place, which one's tile lies there."""
    others: dict[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    """Label -> the tiles as they lay before."""

    def __call__(self, shuffle: Shuffle) -> Shuffle:
        def shuffle_otherwise(label: str, items: Sequence[str]) -> tuple[str, ...]:
            dealt = self.others[label] = shuffle(label, items)
            return tuple(dealt[n] for n in self.places.setdefault(label, [*range(len(dealt))]))

        return shuffle_otherwise

    @property
    def moved_count(self) -> int:
        """The number of places in which another tile lies."""
        kept = ((label, at, n) for label, order in self.places.items() for at, n in enumerate(order))
        return sum(self.others[label][at] != self.others[label][n] for label, at, n in kept)

    def swap_two_tiles(self, dice: random.Random) -> ExchangedShuffles:
        """Return the same with two more tiles in each other's place."""
        places = {label: [*order] for label, order in self.places.items()}
        for order in places.values():
            if len(order) > 1:
                one, two = dice.sample(range(len(order)), 2)
                order[one], order[two] = order[two], order[one]
        return ExchangedShuffles(places, self.others)


def find_exchanged_deal(
    game: Game[Any, Any],
    play: Callable[[Shuffle], Step[Any]],
    shuffle: Shuffle,
    reader: int | None,
    dice: random.Random,
    swaps: int = SWAPS,
) -> tuple[ExchangedShuffles, Step[Any]] | None:
    """Find another deal, in which as many tiles as possible lie elsewhere: two after two are exchanged, as long as the
    reader sees nothing of it. None where there are no such two."""
    found, kept = ExchangedShuffles(), None
    ours = play(found(shuffle))
    for _ in range(TRIES):
        tried = found.swap_two_tiles(dice)
        theirs = _try_world(lambda tried=tried: play(tried(shuffle)))  # type: ignore[misc]
        if (
            theirs is not None
            and tried.moved_count > found.moved_count
            and is_alike_for_reader(game, ours, theirs, reader)
        ):
            found, kept, swaps = tried, theirs, swaps - 1
            if not swaps:
                break
    return None if kept is None else (found, kept)


def _try_world(play: Callable[[], Step[Any]]) -> Step[Any] | None:
    """Play in a world; None for one that cannot be: whatever the game raises there is no fault of its own."""
    try:
        return play()
    except Exception:
        return None


# ---- pairs ----


def get_world_pairs(subject: GameSubject) -> tuple[WorldPair, ...]:
    """Return of each position, for each reader, the first pair that is found; stored with the subject."""
    kept: tuple[WorldPair, ...] | None = vars(subject).get("_pairs")
    if kept is None:
        dice = random.Random(subject.seed)
        kept = vars(subject)["_pairs"] = tuple(
            pair
            for match in subject.matches
            for tried in _iter_tried_calls(subject, match, dice)
            for reader in (*range(tried.match.seats), None)
            for pair in _iter_world_pairs(tried, reader, dice)
        )
    return kept


def _iter_tried_calls(subject: GameSubject, match: SampleMatch, dice: random.Random) -> Iterator[Tried]:
    """Yield some calls of each kind."""
    yield Tried(
        match, (DEAL,), match.describe_moment(0), lambda _, ctx: match.game.setup(match.seats, match.options, ctx)
    )
    if match is subject.matches[0]:
        for other in list_second_deals(subject):
            yield replace(_build_tried_calls(other, len(other.calls) - 1, other.calls[-1:]), kinds=(DEAL,), before=None)
    most = 3 if subject.quick else 8
    ends = [n for n, call in enumerate(match.calls, start=1) if call.seat is None]
    for start, end in sample_in_order([*zip([0, *ends], ends, strict=False)], 2 * most, dice):
        calls = match.calls[start:end]
        yield _build_tried_calls(match, start, calls)
        if len(calls) > 1:  # the same round, but that somebody is late
            late = dice.randrange(len(calls) - 1)
            yield _build_tried_calls(
                match, start, [replace(call, name="pass_turn") if n == late else call for n, call in enumerate(calls)]
            )
    for number, state in match.list_moments(most) if not ends else ():
        for seat, move, _ in iter_sample_moves(match, state, 3):
            yield _build_tried_calls(match, number, [GameCall("apply_move", seat, move, state, match.first)])
        for seat in state.to_move:
            yield _build_tried_calls(match, number, [GameCall("pass_turn", seat, None, state, match.first)])


def _build_tried_calls(match: SampleMatch, number: int, calls: Sequence[GameCall]) -> Tried:
    """Build one call of several that are made one after the other; in an evaluation nobody sees what lies between
    them."""
    where = f"{' · '.join(call.format_call() for call in calls)} after {match.describe_moment(number)}"

    def play_calls(state: State[Any] | None, ctx: Context) -> Step[Any]:
        steps: list[Step[Any]] = []
        for call in calls:
            before = steps[-1].state if steps else calls[0].before if state is None else state
            steps.append(repeat_call(match.game, call, before, ctx))
        return _join_steps(steps)

    return Tried(match, tuple(dict.fromkeys(NAMES[call.name] for call in calls)), where, play_calls, calls[0].before)


def _join_steps(steps: Sequence[Step[Any]]) -> Step[Any]:
    """Join steps to one."""
    notes, after = (tuple(note for step in steps for note in getattr(step, name)) for name in ("notes", "after"))
    last, told = steps[-1], {str(n): [dict(step.detail), step.played] for n, step in enumerate(steps)}
    return replace(last, notes=notes, after=after, points=sum(step.points for step in steps), detail=told)


def _iter_world_pairs(tried: Tried, reader: int | None, dice: random.Random) -> Iterator[WorldPair]:
    ctx = tried.match.ctx
    if tried.before is None:

        def deal_with_shuffle(shuffle: Shuffle) -> Step[Any]:
            return tried.play(tried.before, replace(ctx, shuffle=shuffle))  # type: ignore[arg-type]

        found = find_exchanged_deal(tried.match.game, deal_with_shuffle, ctx.shuffle, reader, dice)
        if found is not None:
            yield WorldPair(tried, reader, deal_with_shuffle(ctx.shuffle), found[1])
        return
    game, ours = tried.match.game, _try_world(lambda: tried.play(tried.before, ctx))  # type: ignore[arg-type]
    for stock in (False, True) if ours is not None else ():
        for size in SIZES:
            world = build_other_world(game.key, tried.before, reader, dice, size, stock)
            theirs = _try_world(lambda world=world: tried.play(world, ctx)) if world != tried.before else None  # type: ignore[misc]
            if (
                ours is not None
                and theirs is not None
                and is_alike_for_reader(game, ours, theirs, reader, (tried.before, world))
            ):
                yield WorldPair(tried, reader, ours, theirs)
                break


def summarize_compared_kinds(subject: GameSubject, paces: Sequence[str], kinds: Iterable[str]) -> Found:
    """Return the number of pairs of each kind that were compared; a kind of which there was none may hide anything."""
    count = Counter(kinds)
    figures = ", ".join(f"{kind} {number}" for kind, number in count.items())
    missing = [kind for kind in dict.fromkeys(kind for pace in paces for kind in MADE[pace]) if kind not in count]
    if not any(_list_hidden_tiles(state) or any(state.private) for match in subject.matches for state in match.states):
        return Skipped("nothing is hidden in this game")
    return (
        Unseen(f"{', '.join(missing)} (compared: {figures or 'nothing'})") if missing else CheckFigure(f"({figures})")
    )


# ---- the checks ----


def _iter_leak_findings(
    subject: GameSubject, what: str, of: Callable[[Step[Any], View[Any], WorldPair], Any]
) -> Iterator[Found]:
    found = get_world_pairs(subject)
    for pair in found:
        steps = zip((pair.ours, pair.theirs), pair.build_views(), strict=True)
        ours, theirs = (of(step, view, pair) for step, view in steps)
        if ours != theirs:
            what = f"{what} tells what is hidden ({', '.join(pair.tried.kinds)}): {describe_difference(ours, theirs)}"
            yield Finding(pair.description, what, pair.tried.match.seed)
            return
    yield summarize_compared_kinds(subject, subject.game.paces, (kind for pair in found for kind in pair.tried.kinds))


def iter_public_leak_findings(subject: GameSubject) -> Iterator[Found]:
    """Check the public state."""
    return _iter_leak_findings(subject, "State.public", lambda step, view, pair: view.public)


def iter_report_leak_findings(subject: GameSubject) -> Iterator[Found]:
    """Check notes, details and the notes on a situation."""
    return _iter_leak_findings(
        subject,
        "the report",
        lambda step, view, pair: (
            list_visible_notes((*step.notes, *step.after), pair.reader),
            dict(step.detail),
            pair.tried.match.game.describe_situation(view),
        ),
    )


def iter_picture_leak_findings(subject: GameSubject) -> Iterator[Found]:
    """Check the picture, pixel by pixel."""

    def render_picture(step: Step[Any], view: View[Any], pair: WorldPair) -> str:
        return boards.render_board_svg(pair.tried.match.game.build_scene(view))

    return _iter_leak_findings(subject, "the picture", render_picture)


def iter_alt_text_leak_findings(subject: GameSubject) -> Iterator[Found]:
    """Check the board in words, for ears, and line by line."""

    def describe_picture(step: Step[Any], view: View[Any], pair: WorldPair) -> Any:
        scene = pair.tried.match.game.build_scene(view)
        return [
            (boards.describe_board(scene, language), boards.describe_board_lines(scene, language))
            for language in LANGUAGES
        ]

    return _iter_leak_findings(subject, "the alt text", describe_picture)


def iter_turn_leak_findings(subject: GameSubject) -> Iterator[Found]:
    """Check the turn as data, and the values that the archive exports."""

    def format_turn_values(step: Step[Any], view: View[Any], pair: WorldPair) -> str:
        game = pair.tried.match.game
        return json.dumps([turn_data.build_table_values(game, view), game.export(view.public)], sort_keys=True)

    return _iter_leak_findings(subject, "the turn as data", format_turn_values)
