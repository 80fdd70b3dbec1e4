"""A review adds up, comes out the same whenever it is made, and says of no turn more than was searched. What a survey
calls the best is the best of everything that can be tried (brute.py). Where all move together, each order is compared
with what its seat could see, and what is made when a round ends belongs to that round."""

import json
import random
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import asdict, replace
from functools import cache
from statistics import fmean, stdev
from typing import Any

import pytest

from bench import brute
from bench.losses import GAMES, PLAYERS, left, looked
from bench.robots import dictionary
from moderator.common.enums import Level, LogEntryKind
from moderator.games import OWN, REGISTRY, load_game
from moderator.games.dominos.rules import Dominos
from moderator.games.typdom.tiles import sum_rest_points
from moderator.review import notes
from moderator.review import review as reviews
from moderator.review.review import (
    Review,
    ReviewMaterial,
    build_review_material,
    decode_turn_comparison,
    measure_draws,
    review_match,
    review_turn,
    review_without_luck,
    sum_losses,
)
from moderator.rules import shuffling, table
from moderator.rules import table as driver
from moderator.rules.game import State, Step
from moderator.rules.replay import LogEntry
from moderator.rules.robots import choose
from moderator.rules.robots.choose import choose_robot_move, survey_position
from moderator.rules.state import Context, Note, View, view_for
from moderator.rules.words import WordList
from moderator.views.history import list_visible_moves
from moderator.views.loaded_match import LiveMatch
from tests.helpers import looks_alike
from tests.match.toy import Toy
from tests.review.played import SEED, WORDS, Match, Player, little_thought, play, positions, take_step
from tests.schemas.validators import validator

TABLES = [(key, pace) for key in sorted(REGISTRY) for pace in load_game(key).paces]
tables = pytest.mark.parametrize(("key", "pace"), TABLES, ids=lambda value: str(value))
SEEDS = range(2)
MOST = 30
STRONG = {"dominos": 12, "point": 10, "topwords": 10}
"""Matches of each kind of player where robots think, in games in which so few tell."""
CONTEXT = Context(WORDS, shuffling.keep_order)


@pytest.fixture(autouse=True)
def effort(request: pytest.FixtureRequest) -> Iterator[None]:
    """That of a review in earnest only where it is about how much players leave."""
    with nullcontext() if request.function.__name__.startswith("test_who_") else little_thought():
        yield


@cache
def reviewed(key: str, pace: str, seed: int, who: Player = "random") -> tuple[Match, ReviewMaterial, Review]:
    match = play(key, seed, count=max(2, load_game(key).min_seats), who=who, most=MOST, pace=pace)
    made = match.work
    return match, made, review_match(made)


def every(key: str, pace: str) -> Iterator[tuple[Match, ReviewMaterial, Review]]:
    return (reviewed(key, pace, seed) for seed in SEEDS)


@pytest.mark.slow
@tables
def test_a_review_adds_up_and_what_it_says_is_so(key: str, pace: str) -> None:
    for match, made, review in every(key, pace):
        check_balance(match, made, review)
        check_turns(match, made, review)
        check_highlights(made, review)
    check_sameness(*reviewed(key, pace, 0))


def check_balance(match: Match, made: ReviewMaterial, review: Review) -> None:
    """Luck, skill and the rest are what the score is made of, and the rest is what it is said to be."""
    told = made.pace != "race" and match.game.compared_by == "points" and not review.is_silent()
    assert len(review.balance) == (made.seats if told else 0)
    luck = [one.luck for one in review.balance if one.luck is not None]
    assert abs(sum(luck)) <= 1e-9
    assert not luck or made.pace != "common"
    for one in review.balance:
        assert abs(one.beginning + (one.luck or 0) + one.skill + one.rest - one.end) <= 1e-9
        assert one.end == match.past[-1].state.scores[one.seat]
        own = [other for other in review.turns if other.seat == one.seat]
        assert one.skill == -float(sum_losses(own))
        missed = sum(max(0, other.most - other.worth) for other in own if not other.played)
        at_end = one.end - match.past[0].state.scores[one.seat] - sum(other.worth for other in own)
        elsewhere = sum(other.loss - other.left for other in own)
        beyond = at_end + elsewhere - missed - one.rest
        assert abs(beyond) <= 1e-9 or (beyond < 0 and made.target is not None)
        if made.target is not None:
            assert one.beginning <= max(made.target, one.end)


def check_turns(match: Match, made: ReviewMaterial, review: Review) -> None:
    assert len(review.turns) == len(made.turns) > 0
    for told, was in zip(review.turns, made.turns, strict=True):
        assert told.left >= 0
        assert told.loss >= 0
        assert told.played or (told.left, told.loss) == (0, 0), "silence is no skill"
        there = survey_position(match.game, was.before, was.seat, match.ctx)
        assert told.most == max(there.best_worth, told.worth)
        better = sum(worth > told.worth for _, worth in there.found)
        assert told.rank in (None, 1 + better)
        assert (told.rank is None) == (told.played == "" or there.scope == "some")
        if told.best:
            move = match.game.parse_move(told.best, view_for(was.before, was.seat))
            step = match.game.apply_move(was.before, was.seat, move, match.ctx)
            assert match.game.compared_by == "tiles" or step.points == told.most


def check_highlights(made: ReviewMaterial, review: Review) -> None:
    """The find is among the turns, and whoever led behind the turning point leads to the end, and did not before."""
    if review.turning is not None:
        turning, there = review.turning, [seat for seat in range(made.seats) if seat not in made.out]
        entry = review.turns[turning.turn].n
        pairs = list(zip(review.turns, made.turns, strict=True))
        before = [scores for one, was in pairs if one.n < entry for scores in (was.before.scores, one.scores)]
        before += [was.before.scores for one, was in pairs if one.n == entry]  # a deal may have laid a tile for a seat
        after = [one.scores for one in review.turns if one.n >= entry]
        assert {first(scores, there) for scores in (*after, made.ended)} == {turning.seat}
        led = [seat for scores in before if (seat := first(scores, there)) is not None]
        assert led[-1] != turning.seat
        assert sorted((after[0][seat] for seat in there), reverse=True)[0] - turning.lead in after[0]
    if review.find is not None:
        find = review.turns[review.find]
        assert (find.rank, find.left) == (1, 0)
        assert all(one.worth <= find.worth for one in review.turns if one.rank == 1 and one.of > 1)
    else:
        assert not any(one.scope == "all" and one.rank == 1 and one.worth > 0 and one.of > 1 for one in review.turns)


def first(scores: tuple[int, ...], there: list[int]) -> int | None:
    """Who leads alone: reckoned here by itself, not by the review's own."""
    most = max(scores[seat] for seat in there)
    best = [seat for seat in there if scores[seat] == most]
    return best[0] if len(best) == 1 else None


def check_sameness(match: Match, made: ReviewMaterial, review: Review) -> None:
    """Byte for byte, also in slices."""
    slices = [json.dumps(asdict(review_turn(made, at)), sort_keys=True) for at in range(len(made.turns))]
    assert reviews.build_review(match.work, [decode_turn_comparison(json.loads(one)) for one in slices]) == review
    assert json.dumps(review_match(match.work).to_json()) == json.dumps(review.to_json())
    printed = {"match": "K7Q2", "names": ["Anna"] * review.seats} | json.loads(json.dumps(review.to_json()))
    validator("review").validate(printed)


@pytest.mark.matrix("strong robots", seconds=4)
@pytest.mark.parametrize("key", STRONG)
def test_who_thinks_leaves_less_than_who_takes_the_most(key: str) -> None:
    words = dictionary(key)
    matches = {who: [looked(key, who, number, words) for number in range(STRONG[key])] for who in PLAYERS}
    chance, greedy, strong = (left(matches[who]) for who in PLAYERS)
    assert chance.mean > greedy.mean > strong.mean
    assert strong.at_once > greedy.at_once  # by points alone it seems to play worse


DRAWN = {"dominos": 30, "tridom": 30, "supertridom": 30, "domijongg": 12, "topwords": 12, "point": 10}
"""Entries of a match of each game whose turns bring points, after which it is stopped."""


@pytest.mark.slow
@pytest.mark.parametrize("key", sorted(DRAWN))
def test_draws_are_worth_nothing_on_average(key: str) -> None:
    """Of 200 seats, within two standard errors, before any seat is put beside the others; players by chance and those
    that take the most points, some of whose turns are missed."""
    worths = []
    for number in range(100):
        made = play(key, number, who="random" if number % 2 else "greedy", most=DRAWN[key]).work
        entries = [measure_draws(made, entry) for entry in made.past]
        worths += [sum(one[seat] for one in entries) for seat in range(made.seats)]
    error = stdev(worths) / len(worths) ** 0.5
    assert error > 0
    assert abs(fmean(worths)) <= 2 * error


@pytest.mark.slow
@pytest.mark.parametrize("key", ["dominos", "tridom"])
def test_a_turning_point_is_a_change_of_the_lead_that_lasts(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of fifty matches, reckoned from the scores alone: no turn is compared with others by what may follow."""
    seen = 0
    played = [play(key, number, who="mixed" if number % 2 else "greedy", most=40).work for number in range(50)]
    game: Any = type(load_game(key))
    monkeypatch.setattr(game, "effort", replace(game.effort, moves=0))
    for made in played:
        bare = [review_without_luck(made, at) for at in range(len(made.turns))]
        review = reviews.build_review(made, bare)
        check_highlights(made, review)
        seen += review.turning is not None
    assert seen >= 10


@pytest.mark.slow
def test_nothing_beyond_the_end_of_a_match_counts() -> None:
    """To a target of 30 nobody can have expected more, and no turn has left more than was wanting."""
    for number in range(20):
        made = play("dominos", number, who="mixed", target=30).work
        review = review_match(made)
        assert all(one.beginning <= max(30, one.end) for one in review.balance)
        for told, was in zip(review.turns, made.turns, strict=True):
            assert told.left <= max(0, 30 - was.before.scores[was.seat])


def turns_of(key: str, who: Player = "random", most: int = 16, **options: Any) -> ReviewMaterial:
    return play(key, 5, who=who, most=most, late=0.1, **options).work


@pytest.mark.slow
@pytest.mark.parametrize("key", GAMES)
def test_what_is_said_to_be_worth_more_could_have_been_played(key: str) -> None:
    made = turns_of(key)
    for at, was in enumerate(made.turns):
        told = review_without_luck(made, at)
        assert (told.equity is None) == (told.top is None)
        assert bool(told.better) == (told.loss > 0) or told.equity is None
        if told.better:
            assert told.better != told.played
            alone = replace(was.before, to_move=(was.seat,))
            move = made.game.parse_move(told.better, view_for(alone, was.seat))
            made.game.apply_move(alone, was.seat, move, made.context)


@pytest.mark.slow
@pytest.mark.parametrize("key", GAMES)
def test_what_the_seat_could_not_see_makes_no_difference(key: str) -> None:
    """In another world, that looked the same to it, a turn was worth as much."""
    made, differed, told, dice = turns_of(key), 0, 0, random.Random(1)
    for at, one in enumerate(made.turns):
        other = looks_alike(one.before, one.seat, dice)
        assert view_for(other, one.seat) == view_for(one.before, one.seat)
        differed += other != one.before
        elsewhere = [replace(same, before=other) if n == at else same for n, same in enumerate(made.turns)]
        here, there = review_without_luck(made, at), review_without_luck(replace(made, turns=tuple(elsewhere)), at)
        assert here == there
        told += here.equity is not None
    assert differed
    assert told


@pytest.mark.parametrize(("key", "pace"), [("kreuzwort", "sequential"), ("recht", "sequential"), ("presto", "race"),
                                           ("topwords", "common")])  # fmt: skip
def test_where_nobody_thinks_ahead_points_alone_count(key: str, pace: str) -> None:
    review = review_match(play(key, 0, who="random", most=6, pace=pace).work)
    assert all((one.equity, one.top, one.better, one.loss) == (None, None, "", one.left) for one in review.turns)


def test_a_robot_of_strong_leaves_nothing_where_it_looks_at_nothing_by_chance() -> None:
    """Point-Typ-Dom: what the review reckons is what the robot has reckoned."""
    made = turns_of("point", "strong", words=WORDS)
    found = [review_without_luck(made, at) for at in range(len(made.turns))]
    assert {one.loss for one in found if one.played} == {0}


def test_the_strong_robot_takes_what_is_worth_most_in_its_worlds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Dominos, "effort", replace(Dominos.effort, worlds=(20,)))
    game = load_game("dominos")
    for one in turns_of("dominos").turns:
        view = view_for(one.before, one.seat)
        moves = [game.parse_move(text, view) for text, _ in survey_position(game, one.before, one.seat, CONTEXT).found]
        if len(moves) > 1:
            context = Context(WORDS, choose.build_world_shuffle(game, view))
            sums = [sum(own) for own in choose.estimate_playout_equities(game, view, moves, context, range(20), 60)]
            robot = choose_robot_move(game, one.before, one.seat, CONTEXT, Level.STRONG)
            assert sums[[game.format_move(move) for move in moves].index(robot)] == max(sums)


def test_an_accident_of_the_worlds_is_no_loss() -> None:
    """A turn that was better in some worlds and worse in others is not surely better."""
    assert not choose._is_surely_better((3.0, -2.0, 4.0, -3.0), (0.0, 0.0, 0.0, 0.0))
    assert choose._is_surely_better((3.0, 2.0, 4.0, 3.0), (0.0, 0.0, 0.0, 0.0))
    assert choose._is_surely_better((0.5,), (0.0,))
    assert not choose._is_surely_better((0.0,), (0.0,))


def test_silence_is_no_skill() -> None:
    """Who never answered has left nothing lying: it is told what there was, and counts as the rest."""
    made = play("dominos", 1, late=0.5, most=40).work
    review = review_match(made)
    missed = [one for one in review.turns if not one.played]
    assert any(one.most for one in missed)
    assert all((one.loss, one.left, one.better) == (0, 0, "") for one in missed)
    assert sum(review.to_json()["moves"]) == len(review.turns) - len(missed)


def dominos(*moves: tuple[int, str], racks: tuple[str, str], stock: str = "") -> Review:
    """A round of dominos with these hands, the first to move is who opens; stopped behind the last move."""
    game = load_game("dominos")
    ctx = Context(WORDS, lambda label, items: tuple(items))
    fixed = {"racks": [rack.split() for rack in racks], "stock": stock.split()}
    return review_match(scripted(game, game.options(), ctx, fixed, moves))


def scripted(game: Any, options: Any, ctx: Context, fixed: Any, moves: tuple[tuple[int, str], ...]) -> ReviewMaterial:
    now, _ = driver.open_match_state(game, 2, options, ctx, fixed)
    past, log, results = [now], [], []
    for seat, text in moves:
        now, result = driver.try_order(game, now, seat, text, ctx)
        past.append(now)
        log.append(LogEntry(LogEntryKind.MOVE, seat, text, result.to_json()))
        results.append(result)
    past.append(table.stop_in_state(now))
    log.append(LogEntry(LogEntryKind.STOP))
    results.append(type(results[0])())
    return build_review_material(game, options, ctx, log, past, results, SEED, fixed)


def test_a_turn_of_dominos_by_hand() -> None:
    """66 opens. To it 64 and 63 fit: 12 + 4 = 16 brings nothing, 12 + 3 = 15 brings 15."""
    review = dominos((1, "64@L"), (0, "62@R"), racks=("66 62 10", "64 63 55"), stock="54 53 52 51")
    first, second = review.turns
    assert (first.played, first.worth, first.best, first.most) == ("64@L", 0, "63@L", 15)
    assert (first.left, first.rank, first.of, first.scope) == (15, 3, 4, "all")
    assert (second.played, second.worth, second.left) == ("62@R", 0, 0)
    assert review.balance[1].skill == -15


def test_turns_of_who_plays_no_more_are_left_out() -> None:
    """Turns of a seat that has left are nobody's; their points are in the balance all the same."""
    match = play("tridom", 3, count=3, most=12)
    gone = match.past[5].state.to_move[0]
    left = table.retire_in_state(match.past[5], gone)
    missed, result = driver.miss_seat(match.game, left, gone, match.ctx)
    log = [
        *match.log[:5],
        LogEntry(LogEntryKind.RETIRE, gone),
        LogEntry(LogEntryKind.MISS, gone),
        LogEntry(LogEntryKind.STOP),
    ]
    over = replace(missed, state=replace(missed.state, to_move=()))
    past = [*match.past[:6], left, missed, over]
    results = [*match.results[:5], type(result)(), result, type(result)()]
    made = build_review_material(match.game, match.options, match.ctx, log, past, results, SEED)
    assert all(one.n <= 5 for one in made.turns)
    for one in review_match(made).balance:
        assert abs(one.beginning + (one.luck or 0) + one.skill + one.rest - one.end) <= 1e-9


def test_a_running_match_and_what_was_taken_back_are_not_reviewed() -> None:
    match = play("dominos", 1, most=10)
    with pytest.raises(ValueError, match="not over"):
        build_review_material(
            match.game, match.options, match.ctx, match.log[:3], match.past[:4], match.results[:3], SEED
        )
    match = play("dominos", 2, most=10)
    log = [*match.log[:4], LogEntry(LogEntryKind.UNDO, text="2"), LogEntry(LogEntryKind.STOP)]
    back = match.past[2]
    over = replace(back, state=replace(back.state, to_move=()))
    past = [*match.past[:5], back, over]
    results = [*match.results[:4], type(match.results[0])(), type(match.results[0])()]
    made = build_review_material(match.game, match.options, match.ctx, log, past, results, SEED)
    assert {one.n for one in made.turns} <= {1, 2}


def test_a_word_completed_after_an_exchange_is_weighed_as_it_was_laid() -> None:
    """TATAT may lie from P20 or R20; only with the jolly, for which the B is given, also from T20."""
    game = load_game("recht")
    ctx = Context(WordList(["TATAT"]), lambda label, items: tuple(items))
    board = {
        "squares": {"T20": "T", "R20": "T", "J10": "*B"},
        "running": {"square": "T20", "direction": "w", "word": "TATAT", "author": 1},
    }
    racks = [["X", "X", "X"], ["T", "A", "A", "B", "X"]]
    fixed = {"racks": racks, "stock": ["X", "E"], "board": board, "starter": 0}
    made = scripted(game, game.options(), ctx, fixed, ((0, "passe"), (1, "tausche B an J10; vollende ab T20")))
    _, told = review_match(made).turns
    assert told.played == "tausche B an J10; vollende ab T20"
    assert told.worth == sum_rest_points(["T", "A", "A", "*b"])


@pytest.mark.slow
@pytest.mark.parametrize("key", sorted(OWN))
def test_the_best_is_the_best_of_everything_that_can_be_tried(key: str) -> None:
    """By the rules alone. Where a survey says that it has not searched everything, all that it has found is right."""
    wanted = brute.EVERYDAY.get(key, 100)
    seen = brute.compare(key, wanted)
    assert seen.turns > wanted // (20 if key in brute.BOUNDED else 1)
    assert seen.left <= wanted


@pytest.mark.slow
@pytest.mark.parametrize("pace", ["rounds", "common"])
def test_where_all_are_evaluated_together_it_is_no_other(pace: str) -> None:
    for match, state, seat in positions("topwords", 25, pace=pace):
        alone = replace(state, to_move=(seat,))
        found = survey_position(match.game, alone, seat, match.ctx)
        assert found.scope == "all"
        brute.same(match, alone, seat, found)


BIDS = WordList(["AB", "ABC", "ABCDE"])


class Bids(Toy):
    """All say a word at once, and when the round ends whoever says the longest gets a point for each letter."""

    def list_moves(self, view: View[Any], ctx: Context) -> Iterable[tuple[str, int]]:
        return [(word, 0) for word in ctx.words.playable(9)]

    def apply_move(self, state: State[Any], seat: int, move: str, ctx: Context) -> Step[Any]:
        public = replace(state.public, said=(*state.public.said, f"{seat}{move}"))
        return Step(replace(state, public=public), (), 0, move)

    def close_round(self, state: State[Any], ctx: Context) -> Step[Any]:
        longest = max(state.public.said, key=len)
        seat, points = int(longest[0]), len(longest) - 1
        state = self._add(replace(state, public=replace(state.public, said=())), seat, points)
        over = max(state.scores) >= state.public.options.target
        return Step(replace(state, to_move=() if over else state.to_move), (Note("took", seat=seat, points=points),))


def bids() -> Match:
    """Three rounds: 3 to 0, 3 to 5, 3 to 10 of 8."""
    game, options = Bids(), Bids.options(pace="rounds", target=10)
    ctx = Context(BIDS, shuffling.keep_order)
    now, _ = driver.open_match_state(game, 2, options, ctx)
    match = Match(game, options, ctx, [], [now], [])
    for words in (("ABC", "AB"), ("AB", "ABCDE"), ("AB", "ABCDE")):
        for entry in (*(LogEntry(LogEntryKind.ORDER, seat, f"A1 {word}") for seat, word in enumerate(words)),
                      LogEntry(LogEntryKind.EVALUATE)):  # fmt: skip
            now, result = take_step(match, now, entry)
            match.log.append(replace(entry, outcome=result.to_json()))
            match.past.append(now)
            match.results.append(result)
    assert now.state.over
    return match


def test_points_of_the_end_of_a_round_stand_in_its_column_and_beside_the_move() -> None:
    match, unused = bids(), Any
    live = LiveMatch(0, "", match.game, match.options, match.ctx, match.past[-1], unused, unused)  # type: ignore[arg-type]
    first = match.results[2]
    live.record_last_moves(match.past[2], match.past[3], first)
    assert live.last == {0: ("A1 ABC", 3), 1: ("A1 AB", 0)}
    assert [move.points for move in first.moves] == [0, 0]
    assert [move.points for move in list_visible_moves(match.log[2], first)] == [3, 0]


def test_where_no_move_brings_a_point_all_is_silent_but_for_the_turning_point_of_a_round() -> None:
    match = bids()
    review = review_match(
        build_review_material(match.game, match.options, match.ctx, match.log, match.past, match.results, SEED)
    )
    assert review.is_silent()
    assert (
        review.balance,
        notes.list_turning_notes(review),
        notes.list_turn_notes(review),
        notes.list_method_notes(review),
    ) == ((), (), (), ())
    assert [note.code for note in notes.list_summary_notes(review)] == ["review-silent"]
    assert review.turning is not None
    assert (review.turning.seat, review.turning.lead, review.turns[review.turning.turn].seat) == (1, 2, 1)
    assert [review.turns[at].scores for at in (0, 1)] == [(3, 0)] * 2


def test_an_order_is_compared_with_what_its_seat_could_see() -> None:
    """In the same round both saw the same board; who is evaluated second has not chosen worse for that."""
    made = play("topwords", 11, who="greedy", pace="rounds", most=30, late=0.0).work
    boards: dict[int, set[tuple[str, ...]]] = {}
    for one in made.turns:
        boards.setdefault(one.n, set()).add(one.before.public.board)
    assert all(len(seen) == 1 for seen in boards.values())
    review = review_match(made)
    assert all(one.left == 0 for one in review.turns), "who takes the most points has left none"
    assert any(one.counted < one.worth for one in review.turns), "whatever the others made of it"


def test_the_second_in_a_race_has_not_built_a_worse_crossword() -> None:
    """Who is first gets 4 points and the second 2: that was no choice."""
    game, ctx = load_game("presto"), Context(WordList(["TOR"]), shuffling.keep_order)
    now, _ = driver.open_match_state(game, 3, game.options(), ctx, {"racks": [list("TOR")] * 3})
    match = Match(game, game.options(), ctx, [], [now], [])
    for seat in (1, 0):
        now, result = driver.try_order(game, now, seat, "Gitter (TOR)", ctx)
        match.log.append(LogEntry(LogEntryKind.MOVE, seat, "Gitter (TOR)", result.to_json()))
        match.past.append(now)
        match.results.append(result)
    first, second = review_match(match.work).turns
    assert [(one.worth, one.counted, one.left) for one in (first, second)] == [(4, 4, 0), (4, 2, 0)]
