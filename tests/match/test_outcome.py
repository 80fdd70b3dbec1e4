"""How a match ended: places, who left, the moves that were made; and what happened besides moves."""

from __future__ import annotations

import json
import typing
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moderator.common.disk import LANGUAGES
from moderator.common.enums import ClockCause, LogEntryKind, SeatLeftReason
from moderator.common.typed import build_dataclass
from moderator.delivery.deliver import decode_payload as said_from_json
from moderator.delivery.deliver import encode_payload as said_to_json
from moderator.games import load_game
from moderator.games.topwords.state import TopwordsOptions as Topwords
from moderator.games.typdom.presto import GAME as PRESTO
from moderator.language.messages import has_sentence, render_note
from moderator.notifications.pages import MailPayload
from moderator.rules import events, replay
from moderator.rules.ending import (
    MatchOutcome,
    build_match_outcome,
    compute_stopped_scores,
    count_moves_by_seat,
    list_match_winners,
    subtract_racks,
)
from moderator.rules.events import (
    DeadlineMoved,
    Happened,
    PlayStopped,
    RoundEnded,
    SeatEliminated,
    SeatLost,
    SeatTaken,
    TurnMissed,
    decode_match_event,
    encode_match_event,
    events_of_result,
)
from moderator.rules.game import Game, State
from moderator.rules.replay import LogEntry
from moderator.rules.state import Context, view_for
from moderator.rules.table import MatchState, open_match_state, stop_in_state
from moderator.rules.words import WordList
from moderator.tournaments.field import build_result
from tests.games import domijongg_table, dominos_table, presto_table, tridom_table, typdom_table
from tests.match.toy import TOY, Toy
from tests.pages.match_pages import played

LIST = "AN DA DU EI ER ES IN SO UM ART DAS EIN EIS HUT NOT ORT ROT TEE TOR AUTO HAUS KIND NASE REST ROSE STEIN"
WORDS = WordList(LIST.split())


class Match:
    """A match by log entries, each with its outcome."""

    def __init__(self, game: Game[Any, Any], count: int, seed: int = 0, **options: Any) -> None:
        self.game = game
        self.ctx = Context(WORDS, dominos_table.context(seed).shuffle)
        self.options = build_dataclass(game.options, options, "options")
        self.table = open_match_state(game, count, self.options, self.ctx)[0]
        self.log: list[LogEntry] = []

    def enter(self, kind: LogEntryKind, seat: int | None = None, text: str = "") -> Match:
        bare = LogEntry(kind, seat, text)
        if kind == "undo":
            self.log.append(bare)
            self.table = replay.rebuild_from_log(
                self.game, self.table.state.seats, self.options, self.ctx, None, self.log
            )[0]
        else:
            self.table, result = replay.apply_log_entry(self.game, self.table, bare, self.ctx)
            self.log.append(LogEntry(kind, seat, text, result.to_json()))
        return self

    def outcome(self, adjudicated: bool = False) -> MatchOutcome:
        return build_match_outcome(self.game, self.table, self.log, adjudicated=adjudicated)


def toy(count: int = 3, **options: Any) -> Match:
    return Match(TOY, count, **options)


def test_moves_are_counted_to_the_seat_that_made_them_unless_they_were_undone() -> None:
    match = toy()
    match.enter("move", 0, "A1 HAUS")
    match.enter("move", 1, "A1 HAUS; A1 ROT")  # the fallback
    match.enter("move", 2, "A1 XX").enter("miss", 2)  # refused, then late
    match.enter("move", 0, "pass").enter("miss", 1).enter("move", 2, "A1 TOR")
    assert count_moves_by_seat(3, match.log) == (2, 1, 1)
    match = toy(2).enter("move", 0, "A1 HAUS").enter("move", 1, "A1 ROT").enter("move", 0, "A1 TOR")
    match.enter("undo", text="1")
    assert count_moves_by_seat(2, match.log) == (1, 0)
    match.enter("undo", text="3")  # the undo undone
    assert count_moves_by_seat(2, match.log) == (2, 1)
    match = toy(2).enter("move", 0, "A1 HAUS").enter("move", 1, "A1 ROT").enter("retire", 0)
    match.enter("hand-over", 0, "7").enter("move", 0, "A1 TOR")
    assert count_moves_by_seat(2, match.log) == (2, 1)


@pytest.mark.parametrize("pace", ["rounds", "common"])
def test_in_a_round_each_seat_makes_its_own(pace: str) -> None:
    match = toy(pace=pace).enter("order", 0, "A1 HAUS").enter("order", 1, "A1 XX").enter("order", 2, "A1 ROT")
    match.enter("evaluate")
    assert count_moves_by_seat(3, match.log) == (1, 0, 1)
    match.enter("order", 1, "A1 NASE").enter("withdraw", 1).enter("evaluate")
    assert count_moves_by_seat(3, match.log) == (1, 0, 1)


def test_ties_share_a_place_who_left_is_last_and_the_moderator_says_what_no_formula_settles() -> None:
    match = toy(4, pace="rounds").enter("order", 0, "A1 HAUS").enter("order", 1, "A1 ROT").enter("order", 2, "A1 TOR")
    match.enter("evaluate").enter("retire", 0).enter("stop")
    assert match.outcome() == MatchOutcome((4, 3, 3, 0), (4, 3, 3, 0), (4, 1, 1, 3), (0,), (1, 1, 1, 0))
    both = toy(2).enter("retire", 0).enter("retire", 1).enter("stop")
    assert both.outcome().places == (2, 2)
    match = toy(3).enter("move", 0, "A1 HAUS").enter("retire", 2).enter("stop")
    unsettled = match.outcome(adjudicated=True)
    assert (unsettled.points, unsettled.places) == (None, ())
    assert MatchOutcome.from_json(json.loads(json.dumps(unsettled.to_json()))) == unsettled
    settled = unsettled.with_points([3, 5, 9])
    assert settled == MatchOutcome((4, 0, 0), (3, 5, 9), (2, 1, 3), (2,), (1, 0, 0))
    with pytest.raises(ValueError, match="2 points for 3 seats"):
        unsettled.with_points([1, 2])


def test_only_a_game_without_an_end_is_adjudicated_and_a_stop_that_was_undone_did_not_end_it() -> None:
    stopped = Match(load_game("kreuzwort"), 2).enter("move", 0, "kaufe rot").enter("stop")
    racks = subtract_racks(stopped.game, stopped.table.state)
    assert stopped.outcome().points == (0, 0)
    assert stopped.outcome(adjudicated=True).points == racks != (0, 0)
    assert stopped.outcome(adjudicated=True).scores == (0, 0)
    running = Match(load_game("kreuzwort"), 2).enter("move", 0, "kaufe rot")
    assert running.outcome(adjudicated=True) == stopped.outcome(adjudicated=True)
    ended = toy(2).enter("move", 0, "A1 STEIN").enter("move", 1, "pass").enter("move", 0, "A1 HAUS")
    ended.enter("move", 1, "pass").enter("move", 0, "A1 ROT")
    assert ended.table.state.over
    assert ended.outcome(adjudicated=True) == ended.outcome() == MatchOutcome((12, 0), (12, 0), (1, 2), (), (3, 2))
    match = toy(2).enter("move", 0, "A1 STEIN").enter("stop").enter("undo", text="1").enter("move", 1, "A1 HAUS")
    match.enter("move", 0, "A1 NASE").enter("move", 1, "A1 REST").enter("move", 0, "A1 KIND")
    assert match.table.state.over
    assert match.outcome(adjudicated=True).points == (13, 8)


@given(points=st.lists(st.integers(-5, 5), min_size=1, max_size=6), leavers=st.sets(st.integers(0, 5)))
def test_places_are_those_of_tournaments(points: list[int], leavers: set[int]) -> None:
    out = tuple(sorted(seat for seat in leavers if seat < len(points)))
    found = MatchOutcome((0,) * len(points), None, (), out, (0,) * len(points)).with_points(points)
    assert found.places == build_result(points, out).places
    assert MatchOutcome.from_json(json.loads(json.dumps(found.to_json()))) == found


ZAT = datetime(2026, 12, 8, 19, tzinfo=UTC)
EVERY: tuple[Happened, ...] = (
    RoundEnded(3),
    TurnMissed(1, tried=False),
    TurnMissed(1, tried=True),
    *(SeatLost(1, "Bert", why) for why in SeatLeftReason),
    SeatEliminated(1),
    SeatTaken(1, "Bert", "Cora"),
    PlayStopped(),
    *(DeadlineMoved(ZAT, ZAT + timedelta(days=2), cause) for cause in ClockCause),
)
LONG = [pytest.param(key, marks=pytest.mark.slow) for key in ("domijongg", "kreuzwort", "point")]
GAMES = ["tridom", "dominos", "presto", "recht", *LONG]


def test_every_kind_is_kept_as_it_is() -> None:
    assert {type(one) for one in EVERY} == set(typing.get_args(Happened))
    assert [decode_match_event(encode_match_event(one)) for one in EVERY] == list(EVERY)
    said = MailPayload(happened=EVERY)
    assert said_from_json(said_to_json(said)) == said


@pytest.mark.parametrize(("one", "language"), [(one, language) for one in EVERY for language in LANGUAGES], ids=repr)
def test_it_is_told_once(one: Happened, language: str) -> None:
    """By a sentence of its own, or in the head, or with the move that did not come or the seat; and whoever is named
    is."""
    said = events.event_message(one)
    headed = events.list_ended_rounds((one,))
    beside = isinstance(one, TurnMissed | SeatEliminated) or getattr(one, "cause", "") == ClockCause.SEAT_TAKEN
    assert [said is not None, bool(headed), beside].count(True) == 1
    if said is None:
        return
    assert has_sentence(said.code, language)
    text = render_note(said, language)
    assert "{" not in text
    assert ("Bert" in text) == isinstance(one, SeatLost | SeatTaken)
    assert ("Cora" in text) == isinstance(one, SeatTaken)


@pytest.mark.parametrize("key", GAMES)
def test_the_rounds_that_end_are_those_of_the_games_own_sums(key: str) -> None:
    one, told = played(key), []
    for moment in one.moments:
        ended = events.list_ended_rounds(events_of_result(one.game, moment.before, moment.after, moment.result))
        sums = {note.params.get("round") for note in moment.result.notes if note.code == "sum-total"} - {None}
        assert sums <= set(ended), (key, sums, ended)
        told += ended
    assert told == list(range(1, one.moments[-1].after.state.public.round + 1))


@pytest.mark.parametrize("key", ["topwords", *GAMES])
def test_a_turn_is_missed_where_nothing_was_played(key: str) -> None:
    one = played(key)
    for moment in one.moments:
        told = events_of_result(one.game, moment.before, moment.after, moment.result)
        missed = {each.seat for each in told if isinstance(each, TurnMissed)}
        assert missed == {move.seat for move in moment.result.moves if not move.alternative}
        gone = events_of_result(one.game, replace(moment.before, out=tuple(missed)), moment.after, moment.result)
        assert list(gone) == [each for each in told if not isinstance(each, TurnMissed)]
        assert events_of_result(one.game, moment.before, moment.before, moment.result) == ()


def test_who_is_out_by_the_rules_is_so_from_the_position_on() -> None:
    """In the script of »Wer behält recht?« somebody cannot complete an announcement."""
    one, out = played("recht"), []
    for moment in one.moments:
        told = events_of_result(one.game, moment.before, moment.after, moment.result)
        found = {each.seat for each in told if isinstance(each, SeatEliminated)}
        now = set(moment.after.state.public.gone) - set(moment.before.state.public.gone)
        if not any(isinstance(each, RoundEnded) for each in told):
            assert found == now
        out += found
    assert out


CTX = dominos_table.context()


def broken_off(key: str, state: State[Any]) -> tuple[int, ...] | None:
    """Asked of the running game; what is kept is the same once it is stopped."""
    game: Game[Any, Any] = load_game(key)
    table = MatchState(state, state.public.options.pace, 0)
    points = compute_stopped_scores(game, table)
    assert not state.over
    assert subtract_racks(game, stop_in_state(table).state) == points
    assert compute_stopped_scores(game, stop_in_state(table)) == state.scores  # it is over now
    return points


def topwords(line: str, *racks: str, **options: Any) -> State[Any]:
    game = load_game("topwords")
    fixed = {"racks": [list(rack) for rack in racks], "stock": ["N", "N"]}
    state = game.setup(2, Topwords(**options), CTX, fixed).state
    return game.apply_move(state, 0, game.parse_move(line, view_for(state, 0)), CTX).state


def dominos() -> State[Any]:
    """66 opens (12, nothing), 63@R counts 12 + 3 = 15. Left: 64 31 = 14 pips, 60 65 = 17 pips."""
    state, game = dominos_table.table("66 64 31", "63 60 65", stock="22 21", starter=0), load_game("dominos")
    return game.apply_move(state, 1, game.parse_move("63@R", view_for(state, 1)), dominos_table.context(1)).state


def tridom() -> State[Any]:
    """555 opens for 15 + 20, 355 scores 13."""
    dealt = tridom_table.fixed("555 335 455 445 034", "355 012 112", stock="001 255 345").state
    return tridom_table.play(tridom_table.GAME, dealt, "355@2").state


def domijongg() -> State[Any]:
    """Carla cannot lay and pays a point."""
    dealt = domijongg_table.table("J3 K9 W B5 B7", "B3 T3 E T2 N", "S W DW W F1", starter=1)
    return domijongg_table.play(dealt, "rechts: B3").state


def typdom(key: str, *racks: str, turns: Sequence[str] = (), known: str = "", **options: Any) -> State[Any]:
    return typdom_table.Match(key, *racks, stock="ENNN", known=known, **options).play(*turns).state


def counting_double(state: State[Any]) -> State[Any]:
    return replace(state, public=replace(state.public, stake=2))


COMMON = {"pace": "common", "leftover_penalty": 5}
RACKS, REISE = ("EB", "AF", "BC"), ("E an T20 = REISE", "passe", "passe")


@pytest.mark.parametrize(
    ("key", "position", "points"),
    [
        # MOND scores 8; E S T and two drawn tiles are left, the other seat has all seven.
        ("topwords", lambda: topwords("D5 w MOND", "MONDEST", "ACHLLER", leftover_penalty=5), (8 - 25, -35)),
        # A common rack costs nobody anything.
        ("topwords", lambda: replace(topwords("D5 w MOND", "MONDESTA", **COMMON), scores=(8, 6)), (8, 6)),
        ("dominos", dominos, (-14, 15 - 17)),
        ("tridom", tridom, (35 - (11 + 14 + 13 + 7), 13 - (3 + 4))),
        (
            "supertridom",
            lambda: tridom_table.fixed("555 354 345", "355 012", stock="001", game=tridom_table.SUPER).state,
            (35 - 24, -16),
        ),
        ("domijongg", domijongg, (0, 0, -1)),  # tiles in hand cost nothing
        # B and the black jolly 1 + 10, FKLV 4, AAUYBJM 12 + 3; twice that in a game that counts double.
        ("kreuzwort", lambda: counting_double(typdom("kreuzwort", "B*b", "FKLV", "AAUYBJM", games=3)), (-22, -8, -30)),
        # MEXICO 19, an L is left (2). S A R A J E V O is worth 20, a jolly in hand 10.
        (
            "point",
            lambda: typdom("point", "MEXICOL", "SARAJEVO*r", turns=["T20 w MEXICO"], known="MEXICO"),
            (19 - 2, -30),
        ),
        # The author of REISE cannot complete it and pays the rest of B, 1, to each; nothing more is taken off.
        (
            "recht",
            lambda: counting_double(typdom("recht", *RACKS, turns=REISE, known="REISE", buy_before_pass=False)),
            (-2, 1 - 2 * 4, 1 - 2 * 2),
        ),
    ],
)
def test_what_a_game_takes_off_for_racks(key: str, position: Callable[[], State[Any]], points: tuple[int, ...]) -> None:
    assert broken_off(key, position()) == points


def test_presto_counts_the_points_as_they_are_and_the_winner_has_the_first_place() -> None:
    match = presto_table.Match("AAEEECGHLMNTX", "EEIOGLNN", "AAEEUBDF", known="EXAMEN LAGE NACHT")
    match.send(0, "..L", "EXAMEN", "..G..A", "..E..C", ".....H", ".....T")
    assert broken_off("presto", match.state) == (4, 0, 0)
    match.send(1, "passe")
    table = MatchState(match.send(2, "passe").state, "race", 0)
    assert list_match_winners(PRESTO, table, stopped=False) == (0,)
    assert build_match_outcome(PRESTO, table, ()).places == (1, 2, 2)


class OneUnknown(Toy):
    """Knows the value of no rack but that of seat 0."""

    def find_rack_value(self, state: State[Any], seat: int) -> int | None:
        return 3 if seat == 0 else None


@pytest.mark.parametrize("game", [TOY, OneUnknown()])
def test_what_no_formula_settles_is_left_to_the_moderator(game: Toy) -> None:
    state = game.setup(2, game.options(), CTX).state
    assert compute_stopped_scores(game, MatchState(state, "sequential", 0)) is None
    over = replace(state, to_move=(), scores=(7, 5))
    assert compute_stopped_scores(game, MatchState(over, "sequential", 0)) == (7, 5)
