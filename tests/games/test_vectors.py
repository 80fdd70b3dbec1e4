"""The figures of the rules: tests/vectors. ``claimed`` is what a source prints, ``ours`` what we count."""

import dataclasses
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from moderator.common.errors import Illegal
from moderator.games import load_game
from moderator.games.domijongg.rules import GAME as DOMIJONGG
from moderator.games.domijongg.state import DomiJonggOptions as DomiJonggOptions
from moderator.games.dominos.rounds import end_blocked_round
from moderator.games.dominos.rules import GAME as DOMINOS
from moderator.games.dominos.state import (
    SET,
    DominoPlacement,
    DominosBoard,
    DominosPublic,
    list_fitting_places,
    score_end_sum,
    sum_open_ends,
)
from moderator.games.dominos.state import DominosOptions as DominosOptions
from moderator.games.dominos.state import list_laid_dominoes as lying_tiles
from moderator.games.topwords.rules import GAME as TOPWORDS
from moderator.games.topwords.state import TopwordsOptions as TopwordsOptions
from moderator.games.tridom.board import find_tridom_tile, get_tile_value
from moderator.games.tridom.rules import GAME as TRIDOM
from moderator.games.typdom.board import Placement, TypdomTable, lay_typdom_word
from moderator.games.typdom.presto import GAME as PRESTO
from moderator.games.typdom.presto_state import PrestoOptions as PrestoOptions
from moderator.games.typdom.recht_state import RechtOptions as RechtOptions
from moderator.games.typdom.recht_state import RechtPublic as RechtPublic
from moderator.games.typdom.rules import KREUZWORT, POINT
from moderator.games.typdom.tiles import BLACK, LETTERS, RED, count_colours
from moderator.rules.game import State, first_mover, read_options
from moderator.rules.records.file import parse_record_values
from moderator.rules.records.record import build_replay_report
from moderator.rules.shuffling import build_shuffle, keep_order
from moderator.rules.state import Context, view_for
from moderator.rules.table import list_evaluation_order, open_match_state
from moderator.rules.words import AnyWords
from moderator.tournaments.field import Entrant, TournamentState, build_result
from moderator.tournaments.field import Game as TournamentGame
from moderator.tournaments.ratings import RatingEntry, compute_ratings
from moderator.tournaments.tiebreaks import TieBreakData, compute_score_share, compute_spread
from tests.games import domijongg_table, dominos_table, tridom_table
from tests.games.presto_table import Match as Race
from tests.games.typdom_table import Match

FOLDER = Path(__file__).parents[1] / "vectors"
FILES = {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in FOLDER.glob("*.toml")}


def vectors(game: str, kind: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        "vector", FILES[game][kind], ids=lambda vector: vector.get("name", vector.get("source"))
    )


def figures(values: Any) -> Iterator[tuple[Any, Any]]:
    """(claimed, ours) of all vectors in a file."""
    if isinstance(values, dict):
        if "ours" in values:
            yield values.get("claimed", values["ours"]), values["ours"]
        values = list(values.values())
    for one in values if isinstance(values, list) else ():
        yield from figures(one)


def test_what_we_count_is_what_is_printed_but_for_two_misprints() -> None:
    wrong = {game: [pair for pair in figures(values) if pair[0] != pair[1]] for game, values in FILES.items()}
    assert {game: pairs for game, pairs in wrong.items() if pairs} == {
        "typdom": [(19, 20), ([53, 37, 39], [53, 37, 40]), (19, 20)]
    }


CASES = [case for group in FILES["domijongg"]["pair"] for case in group["cases"]]


@pytest.mark.parametrize(("tile", "turn", "legal", "code"), CASES, ids=[f"{c[0]}-{c[1]}" for c in CASES])
def test_domijongg_what_may_lie_at_what(tile: str, turn: str, legal: bool, code: str) -> None:
    board = ["N", f"1: {tile}"] if tile[0] in "FJ" else [tile]
    state = domijongg_table.table(f"{turn.replace('+', ' ')} DW K1 B8", "DW DG B8 K3", board=board)
    view = view_for(state, 0)
    offered = [DOMIJONGG.format_move(move) for move, _ in DOMIJONGG.list_moves(view, domijongg_table.context())]
    assert (f"1: {turn}" in offered) == legal
    if legal:
        assert domijongg_table.play(state, f"1: {turn}").state.public.heads[0] == turn.split("+")[0]
        return
    with pytest.raises(Illegal) as raised:
        DOMIJONGG.apply_move(state, 0, DOMIJONGG.parse_move(f"1: {turn}", view), domijongg_table.context())
    assert raised.value.code == code


def test_domijongg_the_example_game() -> None:
    game = FILES["domijongg"]["game"]
    fixed = {key: game[key] for key in ("racks", "stock", "single", "starter")}
    state = DOMIJONGG.setup(game["seats"], DomiJonggOptions(), domijongg_table.context(), fixed).state
    for move in game["moves"]:
        assert state.to_move == (move["seat"],)
        assert (DOMIJONGG.parse_move(move["text"], view_for(state, move["seat"])), move["ours"]) in list(
            DOMIJONGG.list_moves(view_for(state, move["seat"]), domijongg_table.context())
        )
        step = domijongg_table.play(state, move["text"])
        drawn = sum(n.params["count"] for n in step.after if n.code == "drew" and n.seat == move["seat"])
        assert (step.points, drawn, list(step.state.scores)) == (move["ours"], move["drew"], move["totals"])
        state = step.state
    assert DOMIJONGG.export(state.public)["heads"] == game["heads"]


@vectors("dominos", "laying")
def test_dominos_sums_and_points(vector: dict[str, Any]) -> None:
    *before, last = vector["laid"]
    assert sum_open_ends(dominos_table.board(vector["laid"])) == vector["sum"]
    assert score_end_sum(vector["sum"]) == vector["ours"]
    if not before:
        step = DOMINOS.setup(
            2,
            DominosOptions(),
            dominos_table.context(),
            {"racks": [[last, "10"], ["20"]], "starter": 0, "stock": ["21"]},
        )
        assert (step.notes[0].code, step.notes[0].seat, step.notes[0].points) == ("opened", 0, vector["ours"])
        return
    tile = max(last[:2], last[1::-1])
    spare = [t for t in SET if t not in lying_tiles(dominos_table.board(vector["laid"]))]
    state = dominos_table.table(f"{tile} {spare[0]}", " ".join(spare[1:3]), " ".join(spare[3:]), " ".join(before))
    promised = dict(DOMINOS.list_moves(view_for(state, 0), dominos_table.context()))
    move = DOMINOS.parse_move(last, view_for(state, 0))
    step = DOMINOS.apply_move(state, 0, move, dominos_table.context())
    assert step.points == vector["ours"] == promised[move]
    assert step.detail["sum"] == vector["sum"]
    assert step.state.scores == (vector["ours"], 0)


@vectors("dominos", "fitting")
def test_dominos_places(vector: dict[str, Any]) -> None:
    assert list(list_fitting_places(dominos_table.board(vector["laid"]), vector["tile"])) == vector["places"]


@vectors("dominos", "out")
def test_dominos_going_out(vector: dict[str, Any]) -> None:
    state = dominos_table.table("64", " ".join(vector["rest"]), laid="60 40@R")
    step = DOMINOS.apply_move(state, 0, DominoPlacement("64", "L"), dominos_table.context(1))
    bonus = next(note for note in step.after if note.code == "sum-rests")
    assert (bonus.seat, bonus.points) == (0, vector["ours"])


@vectors("dominos", "blocked")
def test_dominos_blocked(vector: dict[str, Any]) -> None:
    state = State(
        DominosPublic(DominosOptions(), DominosBoard()),
        (tuple(vector["loser"]), tuple(vector["winner"])),
        (),
        (20, 30),
        (0,),
    )
    after, notes = end_blocked_round(state, dominos_table.context(1))
    bonus = next(note for note in notes if note.code == "sum-rests")
    assert (bonus.seat, bonus.points) == (1, vector["ours"])
    opened = next(note for note in notes if note.code == "opened")
    assert after.scores[1] == 30 + vector["ours"] + (opened.points if opened.seat == 1 else 0)


@vectors("dominos", "target")
def test_dominos_the_target_in_mid_round(vector: dict[str, Any]) -> None:
    state = replace(dominos_table.table("31 20", "65 55", laid="66 63@R 64@L"), scores=(vector["score"], 40))
    step = DOMINOS.apply_move(state, 0, DominoPlacement("31", "R"), dominos_table.context())
    assert step.points == 5
    assert step.state.over
    assert step.state.scores == (vector["ours"], 40)
    assert DOMINOS.find_winners(step.state) == (0,)
    assert [note.code for note in step.after] == [
        "target-reached", "sum-laid", "sum-total", "sum-laid", "sum-total", "match-won",
    ]  # fmt: skip


def test_dominos_the_deal_can_be_checked() -> None:
    vector = FILES["dominos"]["deal"][0]
    ctx = Context(AnyWords(), build_shuffle(bytes.fromhex(vector["seed"]), vector["salts"], vector["prefix"]))
    dealt = ctx.shuffle("round1", SET)
    assert [" ".join(dealt[:7]), " ".join(dealt[7:14])] == vector["hands"]
    step = DOMINOS.setup(2, DominosOptions(), ctx)
    assert step.notes[0].code == "opened"
    assert (step.notes[0].seat, step.notes[0].params["tile"]) == (1, "66")
    assert step.state.hands[0] == tuple(vector["hands"][0].split())
    assert "66" not in step.state.hands[1]


@vectors("tridom", "opening")
def test_tridom_openings(vector: dict[str, Any]) -> None:
    step = tridom_table.fixed(*(" ".join(rack) for rack in vector["racks"]), stock="012 013 014")
    note = step.notes[0]
    assert (note.code, note.seat, note.points) == ("opened", vector["seat"], vector["ours"])
    assert note.params["tile"] == find_tridom_tile(vector["racks"][0][0], mirrored=False)
    assert note.params["tile"] not in step.state.hands[vector["seat"]]


@vectors("tridom", "form")
def test_tridom_forms(vector: dict[str, Any]) -> None:
    tile = vector["move"].partition("@")[0]
    state = tridom_table.fixed(f"{tile} 000", "000", board=vector["board"], stock="001").state
    step = tridom_table.play(TRIDOM, state, vector["move"])
    assert step.points == vector["ours"]
    assert [note.code for note in step.notes] == [vector["bonus"]]
    assert step.points == get_tile_value(tile) + sum(note.points for note in step.notes)


@vectors("tridom", "turn")
def test_tridom_turns(vector: dict[str, Any]) -> None:
    step = tridom_table.fixed(" ".join(vector["rack"]), "555", stock=" ".join(vector["stock"]), board=vector["board"])
    state = step.state
    assert state.scores[0] == sum(note.points for note in step.notes if note.seat == 0)
    if "move" in vector:
        assert state.to_move == (0,)
        state = tridom_table.play(TRIDOM, state, vector["move"]).state
    else:
        assert state.to_move == (1,)
    assert state.scores[0] == vector["ours"]


@vectors("tridom", "out")
def test_tridom_going_out(vector: dict[str, Any]) -> None:
    rests = [" ".join(rest) for rest in vector["rests"]]
    state = tridom_table.fixed(*rests, "011", board={"(0,0)": "000", "(1,0)": "001"}, starter=2).state
    state = dataclasses.replace(state, scores=(0, 0, vector["before"] - get_tile_value("011")))
    step = tridom_table.play(TRIDOM, state, "011@(2,0)")
    rest = {note.seat: note.params["points"] for note in step.after if note.code == "rest"}
    assert [rest[seat] for seat in (0, 1)] == vector["worth"]
    totals = {note.seat: note.params["total"] for note in step.after if note.code == "sum-total"}
    assert totals[2] == vector["ours"]


@vectors("topwords", "game")
def test_topwords_printed_figures(vector: dict[str, Any]) -> None:
    ctx = Context(AnyWords(), keep_order)
    full = vector.get("rack", "")
    state = None
    for entry in vector["moves"]:
        word = entry["move"].split()[-1]
        rack = list(full or f"{word}EEEEEEEE")
        board = TOPWORDS.export(state.public)["rows"] if state else None
        fixed = {"racks": [rack, list("E")], "stock": list("NNNNNNNNNNNNNNNN"), "board": board}
        state = TOPWORDS.setup(2, TopwordsOptions(), ctx, fixed).state
        move = TOPWORDS.parse_move(entry["move"], view_for(state, 0))
        step = TOPWORDS.apply_move(state, 0, move, ctx)
        assert step.points == entry["ours"]
        assert [w["word"] for w in step.detail["words"]] == entry["words"]
        assert step.state.scores == (entry["ours"], 0)
        state = step.state


SAMPLE = FILES["typdom"]["sample"]
HANDS = [["*r" if letter == "*" else letter for letter in rack] for rack in SAMPLE["racks"]]


@vectors("typdom", "credit")
def test_typdom_credit(vector: dict[str, Any]) -> None:
    seats, winner = len(vector["rests"]), vector["winner"]
    racks = [rest or ["E"] for rest in vector["rests"]]
    setup = {"racks": racks, "board": {"T20": "I", "U20": "S"}, "starter": winner}
    record = {
        "record": 1, "game": "kreuzwort", "options": vector["options"], "seats": [str(n) for n in range(seats)],
        "setup": setup, "lexicon": ["EIS"],
        "moves": [{"seat": winner, "text": "S20 w EIS"}],
    }  # fmt: skip
    report = build_replay_report(parse_record_values(record, load_game))
    assert report["over"]
    assert report["scores"] == vector["scores"]
    assert report["scores"][winner] == vector["ours"]
    assert report["winners"] == [winner]


@vectors("typdom", "result")
def test_typdom_results_in_tournaments_and_ratings(vector: dict[str, Any]) -> None:
    result, seats = build_result(vector["scores"]), range(len(vector["scores"]))
    assert list(result.places) == vector["places"]
    assert list(result.points) == [Fraction(one) for one in vector["points"]]
    entrants = tuple(Entrant(n + 1, str(n), 1000) for n in seats)
    game = TournamentGame(1, 1, tuple(n + 1 for n in seats), result)
    field = TieBreakData(TournamentState("tables", entrants, (game,)))
    assert [compute_score_share(field, n + 1) for n in seats] == [Fraction(one) for one in vector["share"]]
    if "spread" in vector:
        assert [compute_spread(field, n + 1) for n in seats] == vector["spread"]
    rated = compute_ratings([RatingEntry(datetime(2026, 1, 1, tzinfo=UTC), "1", tuple(map(str, seats)), result.places)])
    best = sorted(seats, key=lambda seat: -rated[str(seat)].mu)
    assert best[: len(vector["rated"])] == vector["rated"]
    assert len({rated[str(seat)].mu for seat in seats}) == len(set(result.places))


@vectors("typdom", "pass")
def test_point_passing_and_missing(vector: dict[str, Any]) -> None:
    table = Match("point", "XXXX", "QQQQ", stock="EEENNN", known="EIS", board={"T20": "I"}, **vector["options"])
    for text in vector["turns"]:
        table.turn(text) if text else table.miss()
    assert [len(hand) for hand in table.state.hands] == vector["held"]
    assert table.state.over == vector["over"]


@pytest.mark.parametrize("game", [TOPWORDS, DOMIJONGG], ids=lambda game: game.key)
def test_who_begins_where_the_rules_name_nobody(game: Any) -> None:
    for vector in FILES[game.key]["first"]:
        drawn = vector["drawn"]

        def shuffle(label: str, items: Sequence[str], drawn: int = drawn) -> tuple[str, ...]:
            return (*items[drawn:], *items[:drawn]) if label == "round1/first" else tuple(items)

        ctx = Context(AnyWords(), shuffle)
        table, _ = open_match_state(game, vector["seats"], game.options(**vector["options"]), ctx)
        if "begins" in vector:
            assert list(table.state.to_move) == vector["begins"]
        if "leader" in vector:
            assert table.state.public.leader == vector["leader"]
        if "order" in vector:
            assert list(list_evaluation_order(table)) == vector["order"]
            assert table.state.public.starter == vector["order"][0]
        before = read_options(game, {})
        assert (before.first, game.options().first) == ("seat", "lot")
        assert first_mover(game, before) == (0 if game is TOPWORDS else None)
        assert first_mover(game, game.options()) is None


@vectors("typdom", "value")
def test_typdom_values_of_words(vector: dict[str, Any]) -> None:
    laying = lay_typdom_word(TypdomTable(), Placement("T20", "w", vector["word"]), [*LETTERS * 3, "*r", "*b"])
    assert POINT.score_run(laying.table, laying.runs[0]) == vector["ours"]
    assert KREUZWORT.score_run(laying.table, laying.runs[0]) == 0


@pytest.mark.parametrize("lexicon", ["any", None])
def test_typdom_the_whole_printed_game(lexicon: str | None) -> None:
    laid = ["MEXICO", "TEXAS", "SARAJEVO", "POLA", "PHON", "WIND", "MOND", "RUF", "RUDOLF", "GELB"]
    moves = SAMPLE["moves"]
    record = {"record": 1, "game": "point", "seats": ["Anna", "Bert", "Cora"], "setup": {"racks": HANDS}}
    played = [{"seat": move["seat"], "text": move["text"]} for move in moves]
    report = build_replay_report(
        parse_record_values({**record, "lexicon": lexicon or laid, "moves": played}, load_game)
    )
    assert [move["played"] for move in report["moves"]] == [move["text"] for move in moves]
    assert [move["points"] for move in report["moves"]] == [move["ours"] for move in moves]
    assert report["scores"] == SAMPLE["ours"] == [53, 37, 40]
    assert report["over"]
    assert report["winners"] == [0]
    assert report["hands"] == SAMPLE["left"]
    assert [word["word"] for move in report["moves"] for word in move["words"]] == laid
    costs = [(event["seat"], event["points"]) for event in report["events"] if event["code"] == "left-over"]
    assert costs == [(1, -2)]
    squares = report["public"]["squares"]
    assert squares["Q21"] == "*A"
    assert len(squares) == 39 - 1


@vectors("presto", "deal")
def test_presto_everybody_is_dealt_as_many(vector: dict[str, Any]) -> None:
    ctx = Context(AnyWords(), build_shuffle(bytes(32)))
    state = PRESTO.setup(vector["seats"], PrestoOptions(), ctx).state
    assert [count_colours(hand) for hand in state.hands] == [
        {"red": vector["red"], "black": vector["black"]}
    ] * state.seats
    assert Counter([*state.stock, *(tile for hand in state.hands for tile in hand)]) == Counter(RED + BLACK)
    assert state.to_move == tuple(range(vector["seats"]))


@vectors("presto", "points")
def test_presto_points(vector: dict[str, Any]) -> None:
    racks = ["TOR" + "N" * left for left in vector["left"]]
    match = Race(*racks, known="EXAMEN BAR REISE ROT TOR RUF ART RAT", finish_with_one_left=True)
    steps = [match.send(0, "TOR"), match.send(1, "TOR")]
    assert [step.points for step in steps] == vector["ours"]
    assert match.state.scores == tuple(vector["ours"])
    assert match.state.over


@vectors("presto", "grid")
def test_presto_submissions(vector: dict[str, Any]) -> None:
    match = Race(vector["rack"], "AB", known=vector["words"])
    if vector["faults"]:
        with pytest.raises(Illegal, match="not-right") as caught:
            match.send(0, *vector["drawn"])
        assert [fault["code"] for fault in caught.value.params["faults"]] == vector["faults"]
        assert match.state.to_move == (0, 1)
    else:
        assert match.send(0, *vector["drawn"]).points == 4


RECHT_WORDS = "REISE TERZ STERN STERBEN TENOR TEER TERZE REEDE ORT ORTS ZOO ROT OS SO RO"


@vectors("recht", "credit")
def test_recht_what_the_winner_is_credited(vector: dict[str, Any]) -> None:
    board = {"squares": {"T20": "O", "U20": "R"}, "running": running("TORT", 1)}
    table = Match("recht", "T", *vector["rests"], stock="E", board=board, known="TORT ORT", **vector["options"])
    state = table.turn("hinten T = ORT").state
    assert list(state.scores) == vector["scores"]
    assert state.scores[0] == vector["ours"]


def running(word: str, author: int) -> dict[str, Any]:
    return {"square": "T20", "direction": "w", "word": word, "author": author}


def start(vector: dict[str, Any]) -> Match[RechtPublic]:
    board = {key: vector[key] for key in ("squares", "running", "finished") if key in vector}
    over = vector.get("over", False) and not vector.get("running")
    return Match(
        "recht",
        *vector["racks"],
        stock=vector.get("stock", "" if over else "EENN"),
        board=board,
        starter=vector.get("starter"),  # type: ignore[arg-type]
        known=vector.get("words", RECHT_WORDS),
        **vector.get("options", {}),
    )


@vectors("recht", "play")
def test_recht_plays(vector: dict[str, Any]) -> None:
    table = start(vector).play(*vector.get("turns", ()))
    if "try" in vector:
        with pytest.raises(Illegal) as caught:
            table.turn(vector["try"])
        assert caught.value.code == vector["refused"]
        return
    state = table.state
    running = state.public.running
    found = {
        "to_move": state.to_move[0] if state.to_move else None,
        "announced": running.word if running else "",
        "author": running.author if running else None,
        "scores": list(state.scores),
        "out": list(state.public.gone),
        "over": state.over,
        "held": [len(hand) for hand in state.hands],
    }
    claimed = {key: vector[key] for key in found if key in vector}
    assert {key: found[key] for key in claimed} == claimed
    assert claimed
