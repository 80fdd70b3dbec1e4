"""Thron: whoever wins against anybody in front of them comes to the very front."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from moderator.errors import Illegal
from moderator.tournaments.field import HALF, Game, TournamentState
from moderator.tournaments.formats.contract import Asked, Challenging, Chosen, Rungs, State, option


@dataclass(frozen=True)
class ThroneOptions:
    patience: int = option(5, least=1, most=30)


def front(row: Sequence[int], number: int) -> list[int]:
    return [number, *(other for other in row if other != number)]


class Throne(Challenging):
    key = "thron"
    options = ThroneOptions

    def takes_late(self, settings: Chosen, round: int, rounds: int) -> bool:
        return True

    def stands(self, t: TournamentState, state: State, round: int, over: bool = False) -> Rungs:
        return Rungs(tuple(state["row"]), self.asked(state))

    def begin(self, numbers: Sequence[int], settings: Chosen) -> State:
        return {"row": list(numbers), "duels": [], "patience": settings.own.patience}

    def joined(self, state: State, number: int) -> State:
        return {**state, "row": [*state["row"], number]}

    def left(self, state: State, number: int) -> State:
        duels = [one for one in state["duels"] if number not in (one["by"], one["to"])]
        return {**state, "row": [one for one in state["row"] if one != number], "duels": duels}

    def asked(self, state: State) -> tuple[Asked, ...]:
        return tuple(self._asked(one, state["patience"]) for one in state["duels"])

    def _asked(self, duel: dict[str, Any], patience: int) -> Asked:
        made = date.fromisoformat(duel["day"])
        return Asked(duel["by"], duel["to"], made, made + timedelta(days=patience), duel["on"], costs=False)

    def possible(self, state: State, challenger: int, day: date) -> tuple[int, ...]:
        busy = {number for one in state["duels"] for number in (one["by"], one["to"])}
        if challenger in busy or challenger not in state["row"]:
            return ()
        return tuple(one for one in state["row"][: state["row"].index(challenger)] if one not in busy)

    def challenge(self, state: State, challenger: int, challenged: int, day: date, away: Collection[int] = ()) -> State:
        if challenged not in self.possible(state, challenger, day):
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

    def after(self, state: State, game: Game, day: date) -> State | None:
        for one in state["duels"]:
            if one["on"] and {one["by"], one["to"]} == set(game.seats):
                row = front(state["row"], one["by"]) if game.points(one["by"]) > HALF else state["row"]
                return {**state, "row": row, "duels": [other for other in state["duels"] if other != one]}
        return None


THRONE = Throne()
