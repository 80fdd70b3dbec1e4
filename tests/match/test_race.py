"""Pace ``race``: all seats may act, and what is handed in first is played first."""

from __future__ import annotations

import json

import pytest

from moderator.errors import Illegal, OperatorError
from moderator.games import load
from moderator.games.typdom.presto import GAME
from moderator.games.typdom.presto_state import Options, Public
from moderator.match import replay
from moderator.match.contract import Context, Verdict
from moderator.match.record import export, parse, verify
from moderator.match.record import replay as replay_record
from moderator.match.replay import Entry
from moderator.match.rng import commit, shuffler
from moderator.match.table import Table, evaluate, miss, open_table, preview, submit, withdraw
from moderator.match.words import WordList

TOR, RUF, QUO, ZZZ = "Gitter (TOR)", "Gitter (RUF)", "Gitter (QUO)", "Gitter (ZZZ)"
RACKS = [list("TOR"), list("RUF"), list("QUO"), list("TOR"), list("QUO")]
FIXED = {"racks": RACKS}


class House(WordList):
    """Asks about QUO unless it is ruled on."""

    def __init__(self, allowed: bool | None = None) -> None:
        super().__init__(["TOR", "RUF", *(["QUO"] if allowed else [])], "house")
        self.open = allowed is None

    def judge(self, word: str, base: str | None = None) -> Verdict:
        return Verdict(word, "ask") if word == "QUO" and self.open else super().judge(word, base)


def context(allowed: bool | None = None) -> Context:
    return Context(House(allowed), shuffler(bytes(32)))


def opened(**options: int) -> Table[Public]:
    return open_table(GAME, 5, Options(**options), context(), FIXED)[0]  # type: ignore[arg-type]


def test_all_are_awaited_and_play_as_they_come() -> None:
    table = opened()
    assert table.state.to_move == (0, 1, 2, 3, 4)
    assert not table.together
    table, result = submit(GAME, table, 3, TOR, context())
    assert (result.moves[0].played, result.moves[0].points, result.notes) == ("fertig", 4, ())
    table, result = submit(GAME, table, 0, f"{ZZZ}; sonst {TOR}", context())
    (played,) = result.moves
    assert (played.alternative, played.points, [one.code for one in played.refused]) == (2, 2, ["not-right"])
    assert table.state.over
    assert table.state.scores == (2, 0, 0, 4, 0)


def test_a_wrong_submission_leaves_all_as_it_was() -> None:
    table = opened()
    after, result = submit(GAME, table, 0, ZZZ, context())
    assert after == table
    assert result.moves[0].refused[0].code == "not-right"


def test_who_has_finished_is_told_so() -> None:
    table, _ = submit(GAME, opened(), 0, TOR, context())
    _, result = submit(GAME, table, 0, TOR, context())
    assert [(one.code, one.params) for one in result.moves[0].refused] == [("not-awaited", {"seats": [1, 2, 3, 4]})]
    with pytest.raises(Illegal, match="not-awaited"):
        miss(GAME, table, 0, context())


def test_a_deadline_takes_the_seats_one_by_one() -> None:
    table, _ = submit(GAME, opened(), 1, RUF, context())
    for seat in (0, 2, 3, 4):
        assert not table.state.over
        table, result = miss(GAME, table, seat, context())
    assert table.state.over
    assert result.notes[0].code == "blocked"
    with pytest.raises(Illegal, match="game-over"):
        miss(GAME, table, 3, context())


def test_there_is_no_round_to_evaluate() -> None:
    with pytest.raises(OperatorError, match="no round to evaluate"):
        evaluate(GAME, opened(), context())


def test_a_preview_shows_the_own_words_only() -> None:
    (seen,) = preview(GAME, opened(), 0, TOR, context())
    assert (seen.points, seen.canonical) == (4, TOR)
    assert [note.code for note in seen.notes] == ["finished-1", "own-words"]


# ---- while a word waits for a ruling ----


def test_an_undecided_word_holds_the_order() -> None:
    held, result = submit(GAME, opened(), 2, QUO, context())
    assert (result.moves, result.undecided) == ((), ("QUO",))
    assert (held.orders, held.state) == ({2: QUO}, opened().state)
    allowed, result = submit(GAME, held, 2, QUO, context(True))
    assert (allowed.orders, result.moves[0].points) == ({}, 4)
    _, result = submit(GAME, held, 2, QUO, context(False))
    assert result.moves[0].refused[0].code == "not-right"


def test_orders_stand_as_they_came() -> None:
    table = opened()
    for seat, text in ((2, QUO), (4, f"{QUO}; sonst passe")):
        table, _ = submit(GAME, table, seat, text, context())
    assert list(table.orders) == [2, 4]
    again, _ = submit(GAME, table, 2, QUO, context())
    assert list(again.orders) == [2, 4], "what is tried again keeps its place"
    other, _ = submit(GAME, table, 2, f"{QUO}; sonst {ZZZ}", context())
    assert list(other.orders) == [4, 2]
    assert list(withdraw(table, 2)[0].orders) == [4]


def test_what_is_stored_is_forgotten_with_the_round() -> None:
    table, _ = submit(GAME, opened(rounds=2), 2, QUO, context())
    for seat in (0, 1, 3, 4):
        table, _ = miss(GAME, table, seat, context())
        assert table.orders == {2: QUO}
    table, _ = miss(GAME, table, 2, context())
    assert table.state.public.round == 2
    assert table.orders == {}
    table, _ = submit(GAME, opened(rounds=2), 2, QUO, context())
    for seat, text in ((0, TOR), (1, RUF)):
        table, _ = submit(GAME, table, seat, text, context())
    assert (table.state.public.round, table.orders) == (2, {})


# ---- logs and records ----


def test_the_log_replays_in_the_order_of_arrival() -> None:
    table, entries = opened(), []
    for seat, text in ((2, QUO), (4, f"{QUO}; sonst passe"), (2, f"{QUO}; sonst {ZZZ}")):
        table, result = submit(GAME, table, seat, text, context())
        entries.append(Entry("order", seat, text, result.to_json()))
    for seat, text in tuple(table.orders.items()):
        table, result = submit(GAME, table, seat, text, context(True))
        entries.append(Entry("move", seat, text, json.loads(json.dumps(result.to_json()))))
    assert table.state.over
    again, results, _ = replay.rebuild(GAME, 5, Options(), context(False), FIXED, entries)
    assert again == table
    assert [one.moves[0].seat for one in results if one.moves] == [4, 2]


def test_a_match_becomes_a_record_and_is_verified() -> None:
    racks = {"racks": RACKS[:2]}
    ctx = Context(WordList(["TOR", "RUF"]), shuffler(bytes(32)))
    table, _ = open_table(GAME, 2, Options(), ctx, racks)
    entries = []
    for seat, text in ((1, "Gitter (R /\nU / F)"), (0, f"{ZZZ}; sonst {TOR}")):
        table, result = submit(GAME, table, seat, text, ctx)
        entries.append(Entry("move", seat, text, result.to_json()))
    values = export("M", GAME, {"pace": "race"}, ["Anna", "Bert"], bytes(32), [], entries, racks)
    assert values["result"]["scores"] == [2, 4]
    assert values["commitments"] == [commit(bytes.fromhex(values["setup"]["seeds"][0]))]
    record = parse(json.loads(json.dumps(values)), load)
    assert verify(record)["ok"]
    report = replay_record(record, trace=True)
    assert [move["played"] for move in report["moves"]] == ["fertig", "fertig"]
    assert report["public"]["squares"] == {"A1": "R", "A2": "U", "A3": "F"}
    assert report["trace"][0]["legal"] is None
