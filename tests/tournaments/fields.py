"""Random tournaments: round robins and Swiss fields with draws, forfeits, byes and withdrawals, at any moment."""

from dataclasses import replace

from hypothesis import strategies as st

from moderator.common.enums import GameKind
from moderator.tournaments.field import HALF, Entrant, Game, TournamentState, build_bye, build_result, decide_by_absence
from moderator.tournaments.formats import tables

NAMES = ("Anna", "Bert", "Cleo", "Dora", "Emil", "Fritz", "Gerda", "Hugo", "Ida", "Jo")
OUTCOMES = ("first", "second", "draw", "quits", "absent", "nobody")


def end(game: Game, outcome: str, gap: int = 30) -> Game:
    """``game`` as it ended: quits = the second gives up half-way, absent = it never came, nobody = both forfeit."""
    match outcome:
        case "absent":
            return decide_by_absence(game, game.seats[1:])
        case "nobody":
            return decide_by_absence(game, game.seats)
        case "quits":
            return replace(game, result=build_result((10, 10 + gap), (1,)))
    scores = {"first": (100 + gap, 100), "second": (100, 101 + gap), "draw": (100, 100)}[outcome]
    return replace(game, result=build_result(scores))


def entrants(count: int, left: frozenset[int] = frozenset()) -> tuple[Entrant, ...]:
    return tuple(Entrant(n, NAMES[n - 1], left=1 if n in left else None) for n in range(1, count + 1))


@st.composite
def robins(draw: st.DrawFn, most: int = 7, withdrawals: bool = True) -> TournamentState:
    count = draw(st.integers(2, most))
    left = draw(st.frozensets(st.integers(1, count), max_size=2)) if withdrawals else frozenset()
    games = tables.build_round_robin(range(1, count + 1))
    ends = draw(st.lists(st.sampled_from((*OUTCOMES, None)), min_size=len(games), max_size=len(games)))
    gaps = draw(st.lists(st.integers(0, 200), min_size=len(games), max_size=len(games)))
    played = [end(g, o, gap) if o else g for g, o, gap in zip(games, ends, gaps, strict=True)]
    return TournamentState("robin", entrants(count, left), rounds=count - 1 + count % 2).with_games(played)


@st.composite
def swisses(draw: st.DrawFn, most: int = 8) -> TournamentState:
    """Pairs at random: legal pairings are the business of other tests."""
    count = draw(st.integers(3, most))
    rounds = draw(st.integers(1, 4))
    games: list[Game] = []
    for round in range(1, rounds + 1):
        order = draw(st.permutations(range(1, count + 1)))
        missing = draw(st.sampled_from((0, 0, 1, 2)))
        order, out = list(order[missing:]), list(order[:missing])
        if len(order) % 2:
            games.append(build_bye(round, 40, order.pop()))
        games += [build_bye(round, 50 + n, n, draw(st.sampled_from((0, HALF)))) for n in out]
        for table, (a, b) in enumerate(zip(order[::2], order[1::2], strict=True), 1):
            games.append(end(Game(round, table, (a, b)), draw(st.sampled_from(OUTCOMES))))
    if games[-1].kind != "bye" and draw(st.booleans()):
        games[-1] = replace(games[-1], result=None, kind=GameKind.GAME)
    return TournamentState("swiss", entrants(count), rounds=rounds + draw(st.integers(0, 2))).with_games(games)
