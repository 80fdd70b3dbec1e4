"""Where all move together: each order is compared with what its seat could see, and what is made when a round ends
belongs to that round."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from moderator.common.enums import LogEntryKind
from moderator.games import load_game
from moderator.review import notes
from moderator.review.review import build_review_material, review_match
from moderator.rules import shuffling
from moderator.rules import table as driver
from moderator.rules.game import State, Step
from moderator.rules.log import EngineResult
from moderator.rules.replay import LogEntry
from moderator.rules.state import Context, Note, View
from moderator.rules.words import WordList
from moderator.views.history import list_visible_moves
from moderator.views.loaded_match import LiveMatch
from tests.match.toy import Toy
from tests.review.played import SEED, Match, play

WORDS = WordList(["AB", "ABC", "ABCDE"])


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
    ctx = Context(WORDS, shuffling.keep_order)
    now, _ = driver.open_match_state(game, 2, options, ctx)
    match = Match(game, options, ctx, [], [now], [])
    for words in (("ABC", "AB"), ("AB", "ABCDE"), ("AB", "ABCDE")):
        for entry in (*(LogEntry(LogEntryKind.ORDER, seat, f"A1 {word}") for seat, word in enumerate(words)),
                      LogEntry(LogEntryKind.EVALUATE)):  # fmt: skip
            now, result = _step(match, now, entry)
            match.log.append(replace(entry, outcome=result.to_json()))
            match.past.append(now)
            match.results.append(result)
    assert now.state.over
    return match


def _step(match: Match, now: driver.MatchState[Any], entry: LogEntry) -> tuple[driver.MatchState[Any], EngineResult]:
    if entry.kind == LogEntryKind.EVALUATE:
        return driver.evaluate_in_state(match.game, now, match.ctx)
    assert entry.seat is not None
    return driver.try_order(match.game, now, entry.seat, entry.text, match.ctx)


def test_points_of_the_end_of_a_round_stand_in_its_column_and_beside_the_move() -> None:
    match, unused = bids(), Any
    live = LiveMatch(0, "", match.game, match.options, match.ctx, match.past[-1], unused, unused)  # type: ignore[arg-type]
    first = match.results[2]
    live.record_last_moves(match.past[2], match.past[3], first)
    assert live.last == {0: ("A1 ABC", 3), 1: ("A1 AB", 0)}
    assert [move.points for move in first.moves] == [0, 0]
    assert [move.points for move in list_visible_moves(match.log[2], first)] == [3, 0]


def test_where_no_move_brings_a_point_there_is_nothing_to_review() -> None:
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


def test_a_turning_point_is_of_the_round() -> None:
    match = bids()
    review = review_match(
        build_review_material(match.game, match.options, match.ctx, match.log, match.past, match.results, SEED)
    )
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
