"""Formats of tournaments that are not moderator's own: one with a table, one with challenges, one with a bracket."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from moderator.common.errors import Illegal, OperatorError
from moderator.tournaments.field import HALF, Game, TournamentState, build_bye
from moderator.tournaments.formats.contract import (
    Asked,
    Bracket,
    Built,
    Challenging,
    Chosen,
    Format,
    Meeting,
    Rungs,
    State,
    declare_option,
)


@dataclass(frozen=True)
class ChainOptions:
    links: int = declare_option(2, least=1, most=2)


class Chain(Format):
    """Kette: everybody plays against both neighbours in the list, one after the other."""

    key = "kette"
    days = 9
    options = ChainOptions

    def count_rounds(self, t: TournamentState, settings: Chosen) -> int:
        return min(settings.own.links, len(t.entrants) - 1)

    def pair(
        self,
        t: TournamentState,
        number: int,
        settings: Chosen,
        *,
        division: int = 1,
        rematches: bool = False,
        byes: Collection[int] = (),
    ) -> Sequence[Game]:
        numbers = [one.number for one in t.entrants if one.is_active(number)][number - 1 :]
        pairs = zip(numbers[::2], numbers[1::2], strict=False)
        return [Game(number, table, pair) for table, pair in enumerate(pairs, 1)]


CHAIN = Chain()


@dataclass(frozen=True)
class ThroneOptions:
    patience: int = declare_option(5, least=1, most=30)


def front(row: Sequence[int], number: int) -> list[int]:
    return [number, *(other for other in row if other != number)]


class Throne(Challenging):
    """Thron: whoever wins against anybody in front of them comes to the very front."""

    key = "thron"
    options = ThroneOptions

    def is_open_in(self, settings: Chosen, number: int, rounds: int) -> bool:
        return True

    def build_standing(self, t: TournamentState, state: State, number: int, over: bool = False) -> Rungs:
        return Rungs(tuple(state["row"]), self.list_challenges(state))

    def begin(self, numbers: Sequence[int], settings: Chosen) -> State:
        return {"row": list(numbers), "duels": [], "patience": settings.own.patience}

    def add_entrant(self, state: State, number: int) -> State:
        return {**state, "row": [*state["row"], number]}

    def remove_entrant(self, state: State, number: int) -> State:
        duels = [one for one in state["duels"] if number not in (one["by"], one["to"])]
        return {**state, "row": [one for one in state["row"] if one != number], "duels": duels}

    def list_challenges(self, state: State) -> tuple[Asked, ...]:
        return tuple(self._asked(one, state["patience"]) for one in state["duels"])

    def _asked(self, duel: dict[str, Any], patience: int) -> Asked:
        made = date.fromisoformat(duel["day"])
        return Asked(duel["by"], duel["to"], made, made + timedelta(days=patience), duel["on"], costs=False)

    def list_challengeable(self, state: State, challenger: int, day: date) -> tuple[int, ...]:
        busy = {number for one in state["duels"] for number in (one["by"], one["to"])}
        if challenger in busy or challenger not in state["row"]:
            return ()
        return tuple(one for one in state["row"][: state["row"].index(challenger)] if one not in busy)

    def challenge(self, state: State, challenger: int, challenged: int, day: date, away: Collection[int] = ()) -> State:
        if challenged not in self.list_challengeable(state, challenger, day):
            raise Illegal("ladder-not-above")
        if challenged in away:
            raise Illegal("ladder-away")
        made = {"by": challenger, "to": challenged, "day": day.isoformat(), "on": False}
        return {**state, "duels": [*state["duels"], made]}

    def _waiting(self, state: State, challenged: int) -> dict[str, Any]:
        for one in state["duels"]:
            if one["to"] == challenged and not one["on"]:
                return dict(one)
        raise Illegal("ladder-no-challenge")

    def accept(self, state: State, challenged: int, day: date) -> State:
        taken = self._waiting(state, challenged)
        return {**state, "duels": [{**one, "on": True} if one == taken else one for one in state["duels"]]}

    def refuse(self, state: State, challenged: int, day: date) -> State:
        gone = self._waiting(state, challenged)
        return {**state, "duels": [one for one in state["duels"] if one != gone]}

    def apply_result(self, state: State, game: Game, day: date) -> State | None:
        for one in state["duels"]:
            if one["on"] and {one["by"], one["to"]} == set(game.seats):
                row = front(state["row"], one["by"]) if game.get_points(one["by"]) > HALF else state["row"]
                return {**state, "row": row, "duels": [other for other in state["duels"] if other != one]}
        return None


THRONE = Throne()


def through(game: Game) -> int | None:
    """Who goes on; None while it is played."""
    if game.result is None:
        return None
    one = min(game.seats)
    return one if game.get_points(one) >= HALF else max(game.seats)


def left(t: TournamentState, round: int) -> list[int]:
    """Who plays in a round."""
    if round == 1:
        return [one.number for one in t.entrants]
    found = [through(game) for game in t.games if game.round == round - 1]
    if None in found or not found:
        raise OperatorError(f"Round {round - 1} is not over.", "Wait, or adjudicate its open games.")
    return [number for number in found if number is not None]


def meetings(t: TournamentState, round: int) -> Iterator[Meeting]:
    for game in t.games:
        if game.round == round:
            done = game.result is not None and len(game.seats) == 2
            points = tuple(map(game.get_points, game.seats)) if done else ()
            yield Meeting(round, tuple(game.seats), points, through(game))


def placing(t: TournamentState) -> Iterator[tuple[int, int]]:
    out: set[int] = set()
    last = max((game.round for game in t.games), default=0)
    for game in (game for at in range(last, 0, -1) for game in t.games if game.round == at):
        for number in sorted(game.seats, key=lambda one: one != through(game)):
            if number not in out:
                out.add(number)
                yield len(out), number


class Halving(Format):
    """Halbe: each round neighbours meet, and half of them go on; a draw is the smaller number's."""

    key = "halbe"
    days = 12
    table = False

    def count_rounds(self, t: TournamentState, settings: Chosen) -> int:
        return max(0, (len(t.entrants) - 1).bit_length())

    def build_standing(self, t: TournamentState, state: State, number: int, over: bool = False) -> Bracket:
        known = tuple(one for at in range(1, number + 1) for one in meetings(t, at))
        return Bracket(known, tuple(placing(t)) if over else ())

    def is_settled(self, game: int, number: int) -> bool:
        return game < number

    def find_dependants(self, game: int, number: int, *, taken: bool, reported: bool) -> Built | None:
        return "winner" if game < number else None

    def pair(
        self,
        t: TournamentState,
        number: int,
        settings: Chosen,
        *,
        division: int = 1,
        rematches: bool = False,
        byes: Collection[int] = (),
    ) -> Sequence[Game]:
        on = left(t, number)
        games = [Game(number, at // 2 + 1, (on[at], on[at + 1])) for at in range(0, len(on) - 1, 2)]
        return [*games, build_bye(number, len(games) + 1, on[-1])] if len(on) % 2 else games


HALVING = Halving()
