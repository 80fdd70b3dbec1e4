"""A ladder: challenge someone a few rungs above, win, and swap places. It has no end.

Days are handed in; nothing here looks at a clock. What a player may not do raises Illegal with a code."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any, Literal

from moderator.common.errors import Illegal, OperatorError
from moderator.tournaments.field import HALF, Game, TournamentState
from moderator.tournaments.formats.contract import Asked, Built, Challenging, Chosen, Rungs, State, declare_option

Outcome = Literal["won", "lost", "drawn"]
"""Of the challenger."""


@dataclass(frozen=True)
class LadderTerms:
    """Options of a ladder."""

    reach: int = 3
    """How many rungs above one may challenge."""
    answer_days: int = 7
    """Days to accept; then the challenge counts as refused."""
    lock_days: int = 28
    """Days after a challenge has ended before the same two may meet again."""
    refusal: Literal["swap", "below", "none"] = "swap"
    """What a refusal or no answer costs: the place (swap: as a lost game; below: to the rung under the challenger's
    new one, the others in between stay in order), or nothing."""


@dataclass(frozen=True)
class LadderChallenge:
    challenger: int
    challenged: int
    made: date
    accepted: date | None = None

    def compute_last_day(self, terms: LadderTerms) -> date:
        """Return the last day to accept."""
        return self.made + timedelta(days=terms.answer_days)


@dataclass(frozen=True)
class Ladder:
    """A ladder at one moment."""

    rungs: tuple[int, ...]
    """Entrant numbers, the top first."""
    challenges: tuple[LadderChallenge, ...] = ()
    """Open ones and those being played, by the day they were made."""
    met: tuple[tuple[int, int, date], ...] = ()
    """(smaller number, larger number, last day their challenge ended)."""
    terms: LadderTerms = LadderTerms()
    played: tuple[tuple[int, int, int, bool], ...] = ()
    """(round of the game, challenger, challenged, whether they have swapped by it), where a win would swap them."""

    def get_rung(self, number: int) -> int:
        """Return the rung of a player, from 1 = top; 0 = not on the ladder."""
        return self.rungs.index(number) + 1 if number in self.rungs else 0

    def to_json(self) -> dict[str, Any]:
        return {
            "rungs": list(self.rungs),
            "challenges": [
                [c.challenger, c.challenged, c.made.isoformat(), c.accepted and c.accepted.isoformat()]
                for c in self.challenges
            ],
            "met": [[one, other, day.isoformat()] for one, other, day in self.met],
            "terms": vars(self.terms).copy(),
            "played": [list(one) for one in self.played],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Ladder:
        challenges = tuple(
            LadderChallenge(
                int(a), int(b), date.fromisoformat(made), date.fromisoformat(accepted) if accepted else None
            )
            for a, b, made, accepted in data.get("challenges", ())
        )
        met = tuple((int(a), int(b), date.fromisoformat(day)) for a, b, day in data.get("met", ()))
        rungs, terms = tuple(int(n) for n in data.get("rungs", ())), LadderTerms(**data.get("terms", {}))
        played = tuple((int(r), int(a), int(b), bool(swapped)) for r, a, b, swapped in data.get("played", ()))
        return cls(rungs, challenges, met, terms, played)


def join_ladder(ladder: Ladder, number: int) -> Ladder:
    """Put a player on the lowest rung; someone who is on the ladder already stays where they are."""
    return ladder if number in ladder.rungs else replace(ladder, rungs=(*ladder.rungs, number))


def leave_ladder(ladder: Ladder, number: int) -> Ladder:
    """Return the ladder without ``number``: those below move up, its challenges fall."""
    rungs = tuple(other for other in ladder.rungs if other != number)
    stay = tuple(c for c in ladder.challenges if number not in (c.challenger, c.challenged))
    return replace(ladder, rungs=rungs, challenges=stay)


def add_challenge(ladder: Ladder, challenger: int, challenged: int, day: date, away: Collection[int] = ()) -> Ladder:
    """Return the ladder with a new challenge. ``away``: entrants on leave, who cannot be challenged.

    Raises Illegal: ladder-not-on {number}, ladder-not-above, ladder-too-far {reach}, ladder-away,
    ladder-busy-challenger, ladder-busy-challenged, ladder-locked {day}."""
    for number in (challenger, challenged):
        if number not in ladder.rungs:
            raise Illegal("ladder-not-on", number=number)
    up = ladder.get_rung(challenger) - ladder.get_rung(challenged)
    if up <= 0:
        raise Illegal("ladder-not-above")
    if up > ladder.terms.reach:
        raise Illegal("ladder-too-far", reach=ladder.terms.reach)
    if challenged in away:
        raise Illegal("ladder-away")
    if any(c.challenger == challenger for c in ladder.challenges):
        raise Illegal("ladder-busy-challenger")
    if any(c.challenged == challenged for c in ladder.challenges):
        raise Illegal("ladder-busy-challenged")
    if any({c.challenger, c.challenged} == {challenger, challenged} for c in ladder.challenges):
        raise Illegal("ladder-busy-challenger")
    free = _find_free_day(ladder, challenger, challenged)
    if free is not None and day < free:
        raise Illegal("ladder-locked", day=free)
    return replace(ladder, challenges=(*ladder.challenges, LadderChallenge(challenger, challenged, day)))


def list_challengeable(ladder: Ladder, challenger: int, day: date, away: Collection[int] = ()) -> tuple[int, ...]:
    """List the players whom ``challenger`` may challenge on ``day``, the highest rung first."""
    found = []
    for challenged in ladder.rungs:
        try:
            add_challenge(ladder, challenger, challenged, day, away)
        except Illegal:
            continue
        found.append(challenged)
    return tuple(found)


def accept_challenge(ladder: Ladder, challenged: int, day: date) -> Ladder:
    """Accept the challenge against ``challenged``. Raises Illegal: ladder-no-challenge."""
    open_ = _get_waiting_challenge(ladder, challenged)
    taken = tuple(replace(c, accepted=day) if c == open_ else c for c in ladder.challenges)
    return replace(ladder, challenges=taken)


def refuse_challenge(ladder: Ladder, challenged: int, day: date) -> Ladder:
    """Refuse the challenge against ``challenged``, at the cost in the terms. Raises Illegal: ladder-no-challenge."""
    return _apply_refusal(ladder, _get_waiting_challenge(ladder, challenged), day)


def finish_challenge(ladder: Ladder, challenger: int, outcome: Outcome, day: date) -> Ladder:
    """Finish the challenge by ``challenger``, whose game is over: a win swaps the two, unless the challenger has come
    to stand above meanwhile. Raises OperatorError if no such game is being played."""
    for running in ladder.challenges:
        if running.challenger == challenger and running.accepted is not None:
            return _end_challenge(_swap_rungs(ladder, running) if outcome == "won" else ladder, running, day)
    raise OperatorError(f"Entrant {challenger} plays no challenge.", "See `moderator cup show`.")


def replace_ladder_result(ladder: Ladder, round_number: int, won: bool) -> Ladder:
    """Give the game of ``round_number`` another result: where that would have swapped the two, or not, each has the
    other's rung now. The same again leads back. Unchanged where one of them has left, or the game is not known here."""
    for at, (number, challenger, challenged, swapped) in enumerate(ladder.played):
        pair = {challenger: challenged, challenged: challenger}
        if number == round_number and swapped != won and pair.keys() <= {*ladder.rungs}:
            played = (*ladder.played[:at], (number, challenger, challenged, won), *ladder.played[at + 1 :])
            return replace(ladder, rungs=tuple(pair.get(one, one) for one in ladder.rungs), played=played)
    return ladder


def _find_free_day(ladder: Ladder, one: int, other: int) -> date | None:
    pair = (min(one, other), max(one, other))
    for first, second, ended in ladder.met:
        if (first, second) == pair:
            return ended + timedelta(days=ladder.terms.lock_days)
    return None


def _get_waiting_challenge(ladder: Ladder, challenged: int) -> LadderChallenge:
    for waiting in ladder.challenges:
        if waiting.challenged == challenged and waiting.accepted is None:
            return waiting
    raise Illegal("ladder-no-challenge")


def _apply_refusal(ladder: Ladder, late: LadderChallenge, day: date) -> Ladder:
    if ladder.terms.refusal == "swap":
        ladder = _swap_rungs(ladder, late)
    elif ladder.terms.refusal == "below" and ladder.get_rung(late.challenger) > ladder.get_rung(late.challenged):
        rest = [number for number in ladder.rungs if number != late.challenger]
        rest.insert(rest.index(late.challenged), late.challenger)
        ladder = replace(ladder, rungs=tuple(rest))
    return _end_challenge(ladder, late, day)


def _swap_rungs(ladder: Ladder, over: LadderChallenge) -> Ladder:
    below, above = ladder.get_rung(over.challenger), ladder.get_rung(over.challenged)
    if below < above:
        return ladder
    rungs = list(ladder.rungs)
    rungs[below - 1], rungs[above - 1] = over.challenged, over.challenger
    return replace(ladder, rungs=tuple(rungs))


def _end_challenge(ladder: Ladder, over: LadderChallenge, day: date) -> Ladder:
    pair = (min(over.challenger, over.challenged), max(over.challenger, over.challenged))
    met = [entry for entry in ladder.met if entry[:2] != pair]
    return replace(
        ladder, challenges=tuple(c for c in ladder.challenges if c != over), met=tuple(sorted([*met, (*pair, day)]))
    )


@dataclass(frozen=True)
class LadderOptions:
    late_entry: bool = declare_option(True)
    reach: int = declare_option(3, least=1, most=1000)
    answer_days: int = declare_option(7, least=1, most=366)
    lock_days: int = declare_option(28, least=0, most=3660)
    refusal: Literal["swap", "below", "none"] = declare_option("swap")


class LadderFormat(Challenging):
    key = "ladder"
    options = LadderOptions

    def is_open_in(self, settings: Chosen, number: int, rounds: int) -> bool:
        return bool(settings.own.late_entry)

    def describe_settings(self, settings: Chosen) -> Sequence[tuple[str, Mapping[str, Any]]]:
        own = settings.own
        return (("site.cup-answer", {"days": own.answer_days}), (f"site.cup-refusal-{own.refusal}", {}))

    def infer_settings(self, found: Sequence[TournamentState]) -> dict[str, Any]:
        raise OperatorError("The rungs of a ladder stand in no such file.", "Only other formats can be imported.")

    def build_standing(self, t: TournamentState, state: State, number: int, over: bool = False) -> Rungs:
        ladder, played = Ladder.from_json(state), {frozenset(game.seats) for game in t.games}
        unplayed = tuple(one for one in ladder.met if frozenset(one[:2]) not in played)
        return Rungs(ladder.rungs, self.list_challenges(state), unplayed)

    def find_dependants(self, game: int, number: int, *, taken: bool, reported: bool) -> Built | None:
        return "rungs" if taken else None

    def begin(self, numbers: Sequence[int], settings: Chosen) -> State:
        own = settings.own
        terms = LadderTerms(own.reach, own.answer_days, own.lock_days, own.refusal)
        return Ladder(tuple(numbers), terms=terms).to_json()

    def add_entrant(self, state: State, number: int) -> State | None:
        return join_ladder(Ladder.from_json(state), number).to_json()

    def remove_entrant(self, state: State, number: int) -> State:
        return leave_ladder(Ladder.from_json(state), number).to_json()

    def list_challenges(self, state: State) -> tuple[Asked, ...]:
        now = Ladder.from_json(state)
        costs = now.terms.refusal != "none"
        return tuple(
            Asked(c.challenger, c.challenged, c.made, c.compute_last_day(now.terms), c.accepted is not None, costs)
            for c in now.challenges
        )

    def list_challengeable(self, state: State, challenger: int, day: date) -> tuple[int, ...]:
        return list_challengeable(Ladder.from_json(state), challenger, day)

    def challenge(self, state: State, challenger: int, challenged: int, day: date, away: Collection[int] = ()) -> State:
        return add_challenge(Ladder.from_json(state), challenger, challenged, day, away).to_json()

    def accept(self, state: State, challenged: int, day: date) -> State:
        return accept_challenge(Ladder.from_json(state), challenged, day).to_json()

    def refuse(self, state: State, challenged: int, day: date) -> State:
        return refuse_challenge(Ladder.from_json(state), challenged, day).to_json()

    def apply_result(self, state: State, game: Game, day: date) -> State | None:
        now = Ladder.from_json(state)
        playing = (c for c in now.challenges if {c.challenger, c.challenged} == set(game.seats) and c.accepted)
        running = next(playing, None)
        if running is None or game.result is None:
            return None
        points = game.get_points(running.challenger)
        outcome: Outcome = "won" if points > HALF else "drawn" if points == HALF else "lost"
        after = finish_challenge(now, running.challenger, outcome, day)
        if now.get_rung(running.challenger) > now.get_rung(running.challenged):
            one = (game.round, running.challenger, running.challenged, outcome == "won")
            after = replace(after, played=(*after.played, one))
        return after.to_json()

    def correct_result(self, state: State, game: Game) -> State:
        now = Ladder.from_json(state)
        challenger = next((one for number, one, _, _ in now.played if number == game.round), 0)
        return (
            replace_ladder_result(now, game.round, game.get_points(challenger) > HALF).to_json()
            if challenger
            else state
        )


LADDER = LadderFormat()
