"""Orders on a table, in every pace, with the toy game."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moderator.common.enums import LogEntryKind
from moderator.common.errors import Illegal, OperatorError, ReplayMismatch
from moderator.language.messages import has_sentence
from moderator.rules import replay
from moderator.rules.game import Context, Verdict
from moderator.rules.log import EngineResult
from moderator.rules.replay import LogEntry
from moderator.rules.robots.choose import choose_robot_move, rank_moves
from moderator.rules.shuffling import build_shuffle
from moderator.rules.table import (
    MatchState,
    evaluate_in_state,
    list_evaluation_order,
    miss_seat,
    open_match_state,
    preview_order,
    try_order,
    withdraw_from_state,
)
from moderator.rules.words import (
    AnyWords,
    AssumingWords,
    RecordedWords,
    RecordingWords,
    WordList,
    WordsWithout,
    decode_verdict,
)
from tests.games.topwords_table import ListedWords
from tests.match.toy import TOY, Options, Public

ASKING = ListedWords("", ask="QUARK", bases=dict.fromkeys(("IXTE", "HAUS"), "AUSIXEN"))


def context(yes: str = "AH OH HAUS MOND", ask: str = "QUI QUO") -> Context:
    return Context(ListedWords(yes, ask), build_shuffle(bytes(32)))


def opened(pace: str = "sequential", seats: int = 2, target: int = 12) -> MatchState[Public]:
    return open_match_state(TOY, seats, Options(pace, target), context())[0]  # type: ignore[arg-type]


def after(table: MatchState[Public], orders: dict[int, str]) -> MatchState[Public]:
    for seat, text in orders.items():
        table, _ = try_order(TOY, table, seat, text, context())
    return table


def test_the_first_legal_alternative_by_its_number_is_played_at_once() -> None:
    table, result = try_order(TOY, opened(), 0, "A1 HUAS; sonst blah; sonst A1 HAUS; sonst A1 MOND", context())
    (played,) = result.moves
    assert (played.played, played.alternative, played.points) == ("A1 HAUS", 3, 4)
    refused = [(r.alternative, r.text, r.code) for r in played.refused]
    assert refused == [(1, "A1 HUAS", "not-a-word"), (2, "blah", "no-square")]
    assert played.detail == {"words": [{"word": "HAUS", "points": 4}]}
    assert [note.code for note in played.notes] == ["drew"]
    assert (table.state.scores, table.state.to_move, table.state.public.said) == ((4, 0), (1,), ("HAUS",))
    denied = {"ruling": "reject", "reason": "unknown", "source": "list", "params": {"edition": "1"}}
    assert result.verdicts == {"HUAS": denied, "HAUS": {"ruling": "accept", "source": "list"}}
    _, result = try_order(TOY, opened(), 0, "Ersatz 2: A1 MOND\nErsatz 1: A1 HAUS\nA1 HUAS", context())
    assert (result.moves[0].played, result.moves[0].alternative) == ("A1 HAUS", 2)
    _, result = try_order(TOY, opened(), 0, "A1 HAUS; sonst A1 QUI", context())
    assert (result.moves[0].played, result.undecided) == ("A1 HAUS", ())
    table = opened()
    after, result = try_order(TOY, table, 0, "A1 HUAS", context())
    assert after == table
    assert (result.moves[0].played, result.moves[0].alternative) == (None, 0)


def test_not_your_turn_and_over() -> None:
    table = opened()
    after, result = try_order(TOY, table, 1, "A1 HAUS; sonst pass", context())
    assert after == table
    assert [(r.alternative, r.code, r.params) for r in result.moves[0].refused] == [
        (1, "not-your-turn", {"seats": [0]}),
        (2, "not-your-turn", {"seats": [0]}),
    ]
    over, _ = try_order(TOY, opened(target=4), 0, "A1 HAUS", context())
    _, result = try_order(TOY, over, 1, "A1 MOND", context())
    assert [r.code for r in result.moves[0].refused] == ["game-over"]
    with pytest.raises(Illegal, match="game-over"):
        miss_seat(TOY, over, 1, context())


def test_an_undecided_word_holds_the_order_until_it_is_ruled_on_replaced_or_missed() -> None:
    text = "A1 HUAS; sonst A1 QUI; sonst A1 HAUS"
    held, result = try_order(TOY, opened(), 0, text, context())
    assert (result.moves, result.undecided) == ((), ("QUI",))
    assert (held.orders, held.state) == ({0: text}, opened().state)
    allowed, result = try_order(TOY, held, 0, held.orders[0], context(yes="QUI", ask=""))
    assert (result.moves[0].played, allowed.orders) == ("A1 QUI", {})
    denied, result = try_order(TOY, held, 0, held.orders[0], context(ask=""))
    assert (result.moves[0].played, denied.orders) == ("A1 HAUS", {})
    forced, result = try_order(TOY, held, 0, held.orders[0], context(), force="reject")
    assert (result.moves[0].played, result.forced, forced.orders) == ("A1 HAUS", True, {})
    assert result.moves[0].refused[1].params == {"words": ["QUI"]}
    held, _ = try_order(TOY, opened(), 0, "A1 QUI", context())
    other, _ = try_order(TOY, held, 0, "A1 HUAS", context())
    assert other.orders == {0: "A1 QUI"}
    denied, result = try_order(TOY, held, 0, "A1 QUI", context(ask=""))
    assert (result.moves[0].played, denied.orders, denied.state.to_move) == (None, {0: "A1 QUI"}, (0,))
    other, result = try_order(TOY, denied, 0, "A1 HAUS", context(ask=""))
    assert (result.moves[0].played, other.orders) == ("A1 HAUS", {})
    table, result = miss_seat(TOY, held, 0, context())
    assert (table.state.to_move, table.orders) == ((1,), {0: "A1 QUI"})
    assert (result.moves[0].played, result.moves[0].text) == (None, "")
    assert [note.code for note in result.moves[0].notes] == ["missed"]
    with pytest.raises(Illegal, match="not-your-turn"):
        miss_seat(TOY, table, 0, context())


def test_what_a_pace_does_not_know() -> None:
    with pytest.raises(OperatorError, match="no round to evaluate"):
        evaluate_in_state(TOY, opened(), context())
    with pytest.raises(OperatorError, match="no single missed turn"):
        miss_seat(TOY, opened("rounds"), 0, context())
    with pytest.raises(OperatorError, match="no pace 'race'"):
        open_match_state(TOY, 2, Options("race"), context())  # type: ignore[arg-type]


@pytest.mark.parametrize("pace", ["sequential", "rounds", "common"])
def test_a_preview_says_of_each_alternative_what_would_become_of_it(pace: str) -> None:
    table = opened(pace)
    legal, wrong, open_word, garbage = preview_order(TOY, table, 1, "A1 haus; A1 HUAS; A1 QUI; blah", context())
    assert (legal.canonical, legal.points, legal.alternative) == ("A1 HAUS", 4, 1)
    assert legal.detail == {"words": [{"word": "HAUS", "points": 4}]}
    assert (wrong.canonical, wrong.points) == ("A1 HUAS", None)
    assert wrong.refused is not None
    assert (wrong.refused.code, wrong.refused.alternative) == ("not-a-word", 2)
    assert (open_word.undecided, open_word.points, open_word.refused) == (("QUI",), None, None)
    assert garbage.refused is not None
    assert (garbage.canonical, garbage.refused.code) == ("", "no-square")
    assert legal.notes == (), "not what would be drawn"
    assert table.state.stock[0] not in repr(legal)


def test_rounds_start_with_the_next_seat_each_time() -> None:
    table = opened("rounds", seats=3)
    seen = []
    for _ in range(4):
        seen.append(list_evaluation_order(table))
        table, result = evaluate_in_state(TOY, table, context())
        assert tuple(move.seat for move in result.moves) == seen[-1]
    assert seen == [(0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 1, 2)]
    started, _ = open_match_state(TOY, 3, Options("rounds"), context(), {"starter": 2})
    assert list_evaluation_order(started) == (2, 0, 1)


def test_each_seat_of_a_round_is_checked_on_the_board_as_it_stands_then_by_its_last_order() -> None:
    table = after(opened("rounds", seats=3), {0: "A1 HAUS", 1: "A1 HAUS; sonst A1 MOND", 2: "A1 HUAS"})
    assert table.orders == {0: "A1 HAUS", 1: "A1 HAUS; sonst A1 MOND", 2: "A1 HUAS"}
    table, result = evaluate_in_state(TOY, table, context())
    assert [(m.played, m.alternative, m.points) for m in result.moves] == [
        ("A1 HAUS", 1, 4),
        ("A1 MOND", 2, 4),
        (None, 0, 0),
    ]
    assert result.moves[1].refused[0].params == {"word": "HAUS", "places": [1, 2]}
    assert [note.code for note in result.moves[2].notes] == ["missed"]
    assert [note.code for note in result.notes] == ["round-closed"]
    assert (table.state.scores, table.orders, table.round) == ((4, 4, 0), {}, 2)
    table = after(opened("rounds"), {0: "A1 HAUS"})
    assert after(table, {0: "A1 MOND"}).orders == {0: "A1 MOND"}
    assert after(table, {0: "  "}).orders == {}
    assert withdraw_from_state(table, 0)[0].orders == {}
    assert withdraw_from_state(table, 1)[0].orders == {0: "A1 HAUS"}


@pytest.mark.parametrize("pace", ["rounds", "common"])
def test_an_evaluation_waits_for_every_word_that_may_matter(pace: str) -> None:
    table = after(opened(pace), {0: "A1 QUI; sonst A1 HAUS", 1: "A1 HAUS; sonst A1 QUO"})
    held, result = evaluate_in_state(TOY, table, context())
    assert held == table
    assert result.moves == ()
    # In rounds QUO is reached only if HAUS is gone, that is, if QUI is refused.
    assert result.undecided == (("QUI", "QUO") if pace == "rounds" else ("QUI",))
    forced, result = evaluate_in_state(TOY, table, context(), force="reject")
    assert result.moves[0].played == "A1 HAUS"
    assert (result.undecided, result.forced, forced.round) == ((), True, 2)


def test_words_reached_only_if_another_counts_are_asked_for_at_once_and_after_the_end_nothing_is_played() -> None:
    table = after(opened("rounds"), {0: "A1 QUI", 1: "A1 QUI; sonst A1 QUO"})
    _, result = evaluate_in_state(TOY, table, context())
    assert result.undecided == ("QUI", "QUO")
    table = after(opened("rounds", target=4), {0: "A1 HAUS", 1: "A1 MOND"})
    table, result = evaluate_in_state(TOY, table, context())
    assert table.state.over
    assert [m.seat for m in result.moves] == [0]
    with pytest.raises(Illegal, match="game-over"):
        evaluate_in_state(TOY, table, context())
    with pytest.raises(Illegal, match="game-over"):
        try_order(TOY, table, 1, "A1 OH", context())


def test_common_settles_the_first_admissible_move_of_each() -> None:
    table = after(opened("common", seats=4), {0: "A1 HAUS", 1: "A1 HUAS; sonst A1 MOND", 2: "A1 MOND"})
    table, result = evaluate_in_state(TOY, table, context())
    assert [(m.seat, m.played, m.alternative, m.points, m.laid, m.same) for m in result.moves] == [
        (0, "A1 HAUS", 1, 4, False, 0),
        (1, "A1 MOND", 2, 4, True, 1),
        (2, "A1 MOND", 1, 4, True, 1),
        (3, None, 0, 0, False, 0),
    ]
    assert [note.code for note in result.notes] == ["settled"]
    assert [note.code for note in result.moves[0].notes] == ["thought"]
    assert table.state.scores == (4, 4, 4, 0)
    assert table.state.public.said == ("MOND",)


def play(pace: str) -> tuple[MatchState[Public], list[LogEntry]]:
    """A match with everything in it, and its log as JSON would give it back."""
    table, entries, words = opened(pace), list[LogEntry](), context()

    def record(kind: str, seat: int | None, text: str, outcome: EngineResult) -> None:
        entries.append(LogEntry(LogEntryKind(kind), seat, text, json.loads(json.dumps(outcome.to_json()))))

    script = [(0, "A1 HUAS; A1 HAUS"), (1, "A1 QUI; A1 OH"), (1, "A1 HAUS"), (0, "A1 HUAS")]
    for seat, text in script:
        table, result = try_order(TOY, table, seat, text, words)
        record("order" if table.is_simultaneous or result.undecided else "move", seat, text, result)
    if pace == "sequential":
        table, result = try_order(TOY, table, 1, table.orders[1], context(yes="QUI", ask=""))
        record("move", 1, "A1 QUI; A1 OH", result)
        table, result = miss_seat(TOY, table, 0, words)
        record("miss", 0, "", result)
    else:
        table, result = evaluate_in_state(TOY, table, words, force="reject")
        record("evaluate", None, "", result)
        table, result = try_order(TOY, table, 0, "A1 OH", words)
        record("order", 0, "A1 OH", result)
        table, result = withdraw_from_state(table, 0)
        record("withdraw", 0, "", result)
        table, result = evaluate_in_state(TOY, table, words)
        record("evaluate", None, "", result)
    return table, entries


@pytest.mark.parametrize("pace", ["sequential", "rounds", "common"])
def test_a_replay_gives_the_same_match_without_the_dictionary_and_another_outcome_is_a_mismatch(pace: str) -> None:
    table, entries = play(pace)
    nothing = Context(WordList([]), build_shuffle(bytes(32)))
    again, results, setup = replay.rebuild_from_log(TOY, 2, Options(pace), nothing, None, entries)  # type: ignore[arg-type]
    assert again == table
    assert again.entries == len(entries)
    assert [r.to_json() for r in results] == [dict(entry.outcome) for entry in entries]
    assert [note.code for note in setup.notes] == ["starts"]
    assert any(entry.outcome["moves"] for entry in entries)
    if pace == "sequential":
        with pytest.raises(ReplayMismatch, match="entry 1:"):
            replay.rebuild_from_log(
                TOY, 2, Options(), Context(WordList([]), build_shuffle(b"another seed")), None, entries
            )
    at = next(n for n, entry in enumerate(entries) if entry.outcome["moves"])
    outcome = json.loads(json.dumps(entries[at].outcome))
    outcome["moves"][0]["points"] += 1
    entries[at] = LogEntry(entries[at].kind, entries[at].seat, entries[at].text, outcome)
    with pytest.raises(ReplayMismatch, match=f"entry {at + 1}:"):
        replay.rebuild_from_log(TOY, 2, Options(pace), context(), None, entries)  # type: ignore[arg-type]
    replay.rebuild_from_log(TOY, 2, Options(pace), context(), None, entries, check=False)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "entry",
    [
        LogEntry(LogEntryKind("evaluate")),
        LogEntry(LogEntryKind("miss"), 1),
        LogEntry(LogEntryKind("move"), 7, "A1 HAUS"),
        LogEntry(LogEntryKind.UNDO, 0),
    ],
)
def test_entries_that_do_not_fit_are_a_mismatch(entry: LogEntry) -> None:
    with pytest.raises(ReplayMismatch, match="entry 1:"):
        replay.apply_log_entry(TOY, opened(), entry, context())


def test_a_log_without_outcomes_asks_the_dictionary_and_results_survive_json() -> None:
    table, result = replay.apply_log_entry(TOY, opened(), LogEntry(LogEntryKind("move"), 0, "A1 HAUS"), context())
    assert (result.moves[0].points, table.entries) == (4, 1)
    _, entries = play("sequential")
    for entry in entries:
        found = EngineResult.from_json(entry.outcome)
        assert EngineResult.from_json(json.loads(json.dumps(found.to_json()))) == found
    assert EngineResult.from_json({}) == EngineResult()


def test_the_robot_takes_the_most_points_and_passes_without_any() -> None:
    state = opened().state
    assert choose_robot_move(TOY, state, 0, context("MOND AH HAUS")) == "A1 HAUS"
    assert rank_moves(TOY, state, 0, context("MOND AH HAUS")) == [("A1 HAUS", 4), ("A1 MOND", 4), ("A1 AH", 2)]
    assert choose_robot_move(TOY, state, 0, context("")) == "pass"


def test_what_word_lists_know() -> None:
    assert [AnyWords().judge(word).ruling for word in ("XQ", "X")] == ["accept", "reject"]
    assert AnyWords().playable(10) == ()
    words = WordList(["HAUS", "A", "IXTE (AUSIXEN)", "AH"])
    assert words.judge("HAUS").ruling == "accept"
    assert words.judge("HUAS") == Verdict("HUAS", "reject", "unknown", "list")
    assert words.judge("IXTE").ruling == "reject"
    assert words.judge("IXTE", "AUSIXEN").ruling == "accept"
    assert words.judge("IXTE", "EINIXEN").ruling == "reject"
    assert words.playable(4) == ["AH", "HAUS"]
    assert words.playable(3) == ["AH"]


@given(st.lists(st.tuples(st.sampled_from(["QUARK", "IXTE", "HAUS"]), st.sampled_from([None, "AUSIXEN"]))))
def test_a_recording_answers_like_the_original(questions: list[tuple[str, str | None]]) -> None:
    recording = RecordingWords(ASKING)
    given_then = [recording.judge(*question) for question in questions]
    recorded = RecordedWords(json.loads(json.dumps(recording.verdicts)))
    for question, verdict in zip(questions, given_then, strict=True):
        again = recorded.judge(*question)
        assert (again.ruling, again.reason, again.source) == (verdict.ruling, verdict.reason, verdict.source)


def test_what_is_not_recorded_is_rejected_or_asked_elsewhere_and_words_may_be_left_out() -> None:
    assert RecordedWords({}).judge("HAUS").reason == "not-recorded"
    assert all(has_sentence("word.not-recorded", language) for language in ("de", "en"))
    assert RecordedWords({}, AnyWords()).judge("HAUS").ruling == "accept"
    assert RecordedWords({"HAUS": {"ruling": "reject"}}, AnyWords()).judge("HAUS").ruling == "reject"
    assert list(RecordedWords({}, WordList(["AH"])).playable(2)) == ["AH"]
    assert decode_verdict("AH", {"ruling": "perhaps"}).ruling == "reject"
    words = WordsWithout(WordList(["AH", "OH"]), ["AH"])
    assert [words.judge(w).ruling for w in ("AH", "OH")] == ["reject", "accept"]
    assert list(words.playable(2)) == ["OH"]
    assert [AssumingWords(ASKING).judge(w).ruling for w in ("QUARK", "HAUS")] == ["accept", "reject"]
