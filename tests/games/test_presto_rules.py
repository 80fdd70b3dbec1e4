"""Presto: deals, right and wrong submissions, the end of rounds and matches, and what others may see."""

import pytest

from moderator.common.errors import Illegal, Undecided
from moderator.games.typdom.presto import GAME
from moderator.games.typdom.presto_state import CrosswordLayout, PrestoPublic
from moderator.rules.game import State
from moderator.rules.state import view_for
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


def test_words_to_rule_on_are_named_only_if_all_else_is_right() -> None:
    match = Match("NEUWORT", "AB", known=ListedWords(WORDS, ask="NEUWORT"))
    with pytest.raises(Undecided) as caught:
        match.send(0, "NEUWORT")
    assert caught.value.words == ("NEUWORT",)
    match = Match("NEUWORTX", "AB", known=ListedWords(WORDS, ask="NEUWORT"))
    assert faults(refused(match, 0, "NEUWORT")) == ["fault-left"]


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
