"""Halbe: each round neighbours meet, and half of them go on; a draw is the smaller number's."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from moderator.errors import OperatorError
from moderator.tournaments.field import HALF, Game, TournamentState, bye
from moderator.tournaments.formats.contract import Bracket, Built, Chosen, Format, Meeting, State


def through(game: Game) -> int | None:
    """Who goes on; None while it is played."""
    if game.result is None:
        return None
    one = min(game.seats)
    return one if game.points(one) >= HALF else max(game.seats)


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
            points = tuple(map(game.points, game.seats)) if done else ()
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
    key = "halbe"
    days = 12
    table = False

    def rounds(self, t: TournamentState, settings: Chosen) -> int:
        return max(0, (len(t.entrants) - 1).bit_length())

    def stands(self, t: TournamentState, state: State, round: int, over: bool = False) -> Bracket:
        known = tuple(one for at in range(1, round + 1) for one in meetings(t, at))
        return Bracket(known, tuple(placing(t)) if over else ())

    def settled(self, game: int, round: int) -> bool:
        return game < round

    def built_on(self, game: int, round: int, *, taken: bool, reported: bool) -> Built | None:
        return "winner" if game < round else None

    def pair(
        self,
        t: TournamentState,
        round: int,
        settings: Chosen,
        *,
        division: int = 1,
        rematches: bool = False,
        byes: Collection[int] = (),
    ) -> Sequence[Game]:
        on = left(t, round)
        games = [Game(round, at // 2 + 1, (on[at], on[at + 1])) for at in range(0, len(on) - 1, 2)]
        return [*games, bye(round, len(games) + 1, on[-1])] if len(on) % 2 else games


HALVING = Halving()
