"""Presto: deals, right and wrong submissions, the end of rounds and matches, and what others may see."""

import pytest

from moderator.common.errors import Illegal, Undecided
from moderator.games.typdom.presto import GAME
from moderator.games.typdom.presto_state import CrosswordLayout, PrestoPublic
from moderator.rules.game import State, Verdict
from moderator.rules.state import view_for
from moderator.rules.words import WordList
from tests.games.presto_table import Match
from tests.games.topwords_table import ListedWords
from tests.games.typdom_table import codes

WORDS = "EXAMEN BAR REISE ROT TOR RUF ART RAT"


def refused(match: Match, seat: int, *rows: str) -> Illegal:
    with pytest.raises(Illegal) as caught:
        match.send(seat, *rows)
    return caught.value


def faults(error: Illegal) -> list[str]:
    assert error.code == "not-right"
    return [fault["code"] for fault in error.params["faults"]]


def test_everything_that_is_wrong_is_named_at_once() -> None:
    match = Match("EXAMENBARQ", "AB", known=WORDS)
    error = refused(match, 0, "EXAMEN", "B....U", "A", "......R")
    assert error.params["faults"] == [
        {"code": "fault-missing", "letters": ["U"]},
        {"code": "fault-left", "tiles": ["Q"]},
        {"code": "fault-apart", "words": ["R"]},
        {"code": "fault-down", "column": "A", "word": "EBA", "reason": "unknown", "why": {}},
        {"code": "fault-down", "column": "F", "word": "NU", "reason": "unknown", "why": {}},
    ]
    assert error.params["words"] == ["EBA", "NU"]
    assert (error.params["missing"], error.params["left"]) == (["U"], ["Q"])


def test_a_wrong_submission_changes_nothing() -> None:
    match = Match("TORX", "TOR", known=WORDS)
    before = match.state
    refused(match, 0, "TOR")
    assert match.state == before
    assert match.send(1, "TOR").points == 4
    match = Match("TORRAT", "AB", known=WORDS)
    assert faults(refused(match, 0, "TOR", "A", "R")) == ["fault-left", "fault-down"]


def test_reasons_of_the_dictionary_are_passed_on() -> None:
    class Strict(WordList):
        def judge(self, word: str, base: str | None = None) -> Verdict:
            if word == "GEHST":
                return Verdict(word, "reject", "verb-form", "L", {"base": "GEHEN"})
            return super().judge(word, base)

    match = Match("GEHST", "AB", known=Strict([]))
    (first,) = refused(match, 0, "GEHST").params["faults"]
    assert (first["code"], first["row"], first["reason"], first["why"]) == (
        "fault-across", 1, "verb-form", {"base": "GEHEN"},
    )  # fmt: skip


def test_words_to_rule_on_are_named_only_if_all_else_is_right() -> None:
    match = Match("NEUWORT", "AB", known=ListedWords(WORDS, ask="NEUWORT"))
    with pytest.raises(Undecided) as caught:
        match.send(0, "NEUWORT")
    assert caught.value.words == ("NEUWORT",)
    match = Match("NEUWORTX", "AB", known=ListedWords(WORDS, ask="NEUWORT"))
    assert faults(refused(match, 0, "NEUWORT")) == ["fault-left"]


@pytest.mark.parametrize(
    ("rack", "rows", "codes_"),
    [
        ("T*rR", ["T*OR"], []), ("T*rR", ["TOR"], []), ("TO*b", ["*TOR"], []), ("TOR", ["T*OR"], []),
        ("T*rRX", ["TOR"], ["fault-left"]), ("TORX", ["T*OR"], ["fault-left"]), ("TR", ["T*OR"], ["fault-missing"]),
    ],
)  # fmt: skip
def test_jollies(rack: str, rows: list[str], codes_: list[str]) -> None:
    match = Match(rack, "AB", known=WORDS)
    if codes_:
        assert faults(refused(match, 0, *rows)) == codes_
    else:
        assert match.send(0, *rows).points == 4


def test_one_tile_may_be_left_where_that_is_agreed() -> None:
    match = Match("TORX", "AB", known=WORDS, finish_with_one_left=True)
    step = match.send(0, "TOR")
    assert (step.points, codes(step.notes)) == (2, ["finished-1", "one-left", "own-words"])
    assert step.state.hands[0] == ("X",)
    match = Match("TORXX", "AB", known=WORDS, finish_with_one_left=True)
    assert faults(refused(match, 0, "TOR")) == ["fault-left-many"]


def test_the_second_ends_the_round() -> None:
    match = Match("TOR", "RUF", "TOR", known=WORDS)
    step = match.send(2, "TOR")
    assert (step.state.to_move, step.after, codes(step.notes)) == ((0, 1), (), ["finished-1", "own-words"])
    step = match.send(1, "RUF")
    assert codes(step.notes) == ["finished-2", "own-words"]
    assert codes(step.after) == ["went-out", "layout", "layout", *["sum-total"] * 3, "match-won"]
    assert [note.seat for note in step.after if note.code == "layout"] == [2, 1]
    assert [note.params for note in step.after if note.code == "sum-total"] == [
        {"round": 1, "points": points, "total": points} for points in (0, 2, 4)
    ]
    assert (step.state.scores, GAME.find_winners(step.state)) == ((0, 2, 4), (2,))
    with pytest.raises(Illegal, match="game-over"):
        match.send(0, "TOR")


def test_a_round_without_a_second_or_without_anybody() -> None:
    match = Match("TOR", "RUF", "ROT", known=WORDS)
    assert codes(match.send(1, "passe").notes) == ["gave-up"]
    with pytest.raises(Illegal, match="not-awaited"):
        match.miss(1)
    match.send(0, "TOR")
    with pytest.raises(Illegal, match="not-awaited"):
        match.send(0, "TOR")
    step = match.miss(2)
    assert codes(step.notes) == ["missed"]
    assert codes(step.after)[:2] == ["blocked", "layout"]
    assert (step.state.scores, GAME.find_winners(step.state)) == ((4, 0, 0), (0,))
    match = Match("TOR", "RUF", known=WORDS)
    match.miss(0)
    step = match.miss(1)
    assert codes(step.after) == ["blocked-all", "sum-total", "sum-total", "match-undecided"]
    assert GAME.find_winners(step.state) == ()


def test_the_next_round_is_dealt_anew() -> None:
    match = Match("TOR", "RUF", known=WORDS, rounds=2)
    match.send(0, "TOR")
    step = match.send(1, "RUF")
    assert codes(step.after)[-2:] == ["next-round", "go"]
    state = step.state
    assert (state.public.round, state.to_move, state.scores, state.public.gains) == (2, (0, 1), (4, 2), (0, 0))
    assert [len(hand) for hand in state.hands] == [40, 40]
    assert state.private == (None, None)
    match.miss(0)
    assert match.miss(1).state.over


def test_a_match_to_a_target_ends_after_the_round_but_not_without_players() -> None:
    match = Match("TOR", "RUF", known=WORDS, target=4)
    match.send(0, "TOR")
    assert not match.state.over
    assert match.send(1, "RUF").state.over
    match = Match("TOR", "RUF", known=WORDS, target=5)
    match.send(0, "TOR")
    assert match.send(1, "RUF").state.public.round == 2
    match = Match("TOR", "RUF", known=WORDS, target=5)
    match.send(0, "TOR")
    match.miss(1)
    for _ in range(3):
        assert not match.state.over
        match.miss(0)
        match.miss(1)
    assert match.state.over
    assert GAME.find_winners(match.state) == (0,)


def test_equal_totals_win_together() -> None:
    match = Match("TORX", "RUF", known=WORDS, finish_with_one_left=True)
    match.send(0, "TOR")
    step = match.send(1, "RUF")
    assert step.state.scores == (2, 2)
    assert GAME.find_winners(step.state) == (0, 1)
    assert step.after[-1].params == {"seats": [0, 1], "points": 2}


def test_a_long_drawing_is_told_by_its_words() -> None:
    word = "A" * 20
    match = Match("A" * 39, "AB", known=word)
    match.send(0, word, *["." * 19 + "A"] * 19)
    step = match.miss(1)
    assert codes(step.after)[1] == "layout-words"
    assert step.after[1].params["words"] == [word, word]


def public_parts(state: State[PrestoPublic], seat: int) -> str:
    """Everything that another seat and a spectator may see."""
    others = [view_for(state, other) for other in (*range(state.seats), None) if other != seat]
    return repr([(view, GAME.build_scene(view)) for view in others]) + repr(GAME.export(state.public))


def test_a_crossword_is_secret_until_the_round_is_over() -> None:
    match = Match("ZXQWVJ", "RUF", "ART", known=f"{WORDS} ZXQ QWVJ")
    step = match.send(0, "ZXQ", "..W", "..V", "..J")
    for word in ("ZXQ", "QWVJ"):
        assert word not in public_parts(step.state, 0)
    assert "Layout(rows" not in public_parts(step.state, 0)
    told = [note for note in (*step.notes, *step.after) if note.only != 0]
    assert "ZXQ" not in repr((told, step.detail, step.played, GAME.format_move(step.played)))
    own = view_for(step.state, 0)
    assert own.private == CrosswordLayout(("ZXQ", "..W", "..V", "..J"))
    assert [cell.letter for cell in GAME.build_scene(own).cells] == list("ZXQWVJ")
    assert own.hand_counts == (0, 3, 3)
    after = match.send(1, "RUF")
    assert "ZXQ" in repr(after.after)
    assert GAME.build_scene(view_for(after.state, None)) == GAME.build_scene(view_for(after.state, 2))
    assert [cell.letter for cell in GAME.build_scene(view_for(after.state, None)).cells] == list("ZXQWVJ")


def test_the_scene_before_anybody_has_finished() -> None:
    match = Match("TOR", "RUF", known=WORDS, rounds=2)
    scene = GAME.build_scene(view_for(match.state, 0))
    assert (scene.cells, len(scene.columns), len(scene.rows)) == ((), 5, 5)
    match.send(1, "R", "U", "F")
    assert GAME.build_scene(view_for(match.state, 0)).cells == ()
    assert GAME.build_scene(view_for(match.state, 1)).columns == ("A",)
    match.miss(0)
    assert GAME.build_scene(view_for(match.state, 0)).rows == ("1", "2", "3")


def test_export() -> None:
    match = Match("TOR", "T*rR", known=WORDS, rounds=2)
    empty = GAME.export(match.state.public)
    assert empty == {"squares": {}, "layouts": [], "round": 1, "finished": [], "gave_up": []}
    match.send(1, "TOR")
    assert GAME.export(match.state.public) == {**empty, "finished": [1]}
    after = GAME.export(match.send(0, "T", "O", "R").state.public)
    assert after["squares"] == {"A1": "T", "B1": "*O", "C1": "R"}
    assert [layout["seat"] for layout in after["layouts"]] == [1, 0]
    assert after["layouts"][1]["squares"] == {"A1": "T", "A2": "O", "A3": "R"}
