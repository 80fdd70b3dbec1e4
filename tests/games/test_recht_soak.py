"""Whole random matches of »Wer behält recht?«: what must hold after every event, checked from scratch, and every match
rebuilt from its log."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from moderator.games.typdom.board import Table, words_on
from moderator.games.typdom.recht import GAME
from moderator.games.typdom.recht_state import Buy, Lay, Move, Options, Pass, Public
from moderator.games.typdom.tiles import BLACK, RED, as_held
from moderator.match import table as driver
from moderator.match.contract import Context, Note, State, view_for
from moderator.match.replay import Entry, rebuild
from moderator.match.rng import round_seeds, shuffler
from moderator.match.words import WordList

TEXT = """
AB AM AN AST AUS BAR BEIN BROT DAS DEN DER EI EIN EINE EINER EIS ER ERDE ERNTE ES ESEL HAUS HUT IM IN INSEL KERN
KERNE LAST LIST LISTE MAUS NASE NEST NOTE NUR ODER OHR ORT OSTERN RAST RASTE RAT REIN REIS REISE REISEN REST RESTE
RINDE ROSE ROSEN ROT RUHE SAITE SEE SEIN SEINE SEITE SIE SO STEIN STEINE STERN STERNE STUR TANTE TASTE TASTEN TEE
TEIL TEILE TIER TIERE TOR TORE UHR UM UND UNTER UR VON WAR WARE WEIN WEINE WIE WIESE WORT WORTE ZEIT ZEITEN ZIER ZU
"""
LIST = TEXT.split()
WORDS = frozenset(LIST)
SEED = bytes(range(32))
QUICK, THOROUGH, CHUNKS = 4, 20, 3


def choose(state: State[Public], seat: int, ctx: Context, dice: random.Random) -> Move | None:
    """A move by chance; None = nothing is sent."""
    public = state.public
    legal = [move for move, _ in GAME.moves(view_for(state, seat), ctx)]
    luck = dice.random()
    if public.completing:
        return dice.choice(legal) if luck < 0.7 else None
    going_on = [move for move in legal if isinstance(move, Lay) and (move.goes_on or len(move.tiles) > 1)]
    if going_on and luck < 0.5:
        return dice.choice(going_on)
    if legal and luck < 0.9:
        held = Counter(tile for tile in state.hands[seat])
        safe = [m for m in legal if isinstance(m, Lay) and m.word and not Counter(m.word) - held]
        return dice.choice(safe or legal)
    if luck < 0.95 and state.stock and not public.bought:
        return Buy("red" if dice.random() < 0.5 else "black", dice.random() < 0.3)
    return Pass() if luck < 0.98 else None


# ---- what must hold ----


def check_table(state: State[Public]) -> None:
    """One piece, every run but the fragment a word, the fragment a whole run that its announcement contains."""
    public, table = state.public, state.public.table
    running = public.running
    for run in words_on(table):
        assert table.text(run) in WORDS or (running is not None and run == running.run)
    if table.squares:
        assert connected(table)
    if running is None:
        return
    step = 1 if running.direction == "w" else table.size
    assert running.run == tuple(range(running.run[0], running.run[-1] + 1, step))
    assert running.run[0] - step not in table.squares
    assert running.run[-1] + step not in table.squares
    assert (running.author is None) == (not running.word) == (not running.places)
    if running.word:
        assert running.word in WORDS
        assert table.text(running.run) in running.word
        assert len(running.word) > len(running.run)
        for place in running.places:
            check_place(table, running.run, place, running.word)


def check_place(table: Table, run: Sequence[int], place: Sequence[int], word: str) -> None:
    """With the missing letters in place everything on the table is a word."""
    assert set(run) < set(place)
    squares = {**dict(zip(place, word, strict=True)), **table.squares}
    whole = Table(table.size, squares)
    assert "".join(squares[square][-1] for square in place) == word
    assert all(whole.text(found) in WORDS for found in words_on(whole))
    assert tuple(place) in words_on(whole)


def connected(table: Table) -> bool:
    seen, todo = set(), [next(iter(table.squares))]
    while todo:
        square = todo.pop()
        if square in table.squares and square not in seen:
            seen.add(square)
            todo += [square - 1, square + 1, square - table.size, square + table.size]
    return len(seen) == len(table.squares)


def check_tiles(state: State[Public]) -> None:
    lying = [as_held(tile) for tile in state.public.table.squares.values()]
    held = [tile for hand in state.hands for tile in hand]
    assert Counter([*lying, *held, *state.stock]) == Counter(RED + BLACK)


def check_sums(before: State[Public], after: State[Public], notes: Sequence[Note]) -> None:
    """Scores change by the notes; payments among the seats cancel out; a winner gets the rests of those still in."""
    for seat in range(after.seats):
        gained = sum(note.points for note in notes if note.seat == seat)
        assert after.scores[seat] - before.scores[seat] == gained
    assert sum(note.points for note in notes if note.code in ("pays-all", "is-paid")) == 0
    for note in notes:
        if note.code.startswith("credited"):
            rests = [n.params["rest"] for n in notes if n.code == "rest" and n.seat != note.seat]
            paid = [n.params["rest"] for n in notes if n.code == "rest" and n.seat in paying(notes)]
            assert note.points == before.public.stake * (sum(rests) - sum(paid))


def paying(notes: Sequence[Note]) -> set[int | None]:
    return {note.seat for note in notes if note.code == "pays-all"}


def check_turn(
    before: State[Public], after: State[Public], seat: int, move: Move | None, notes: Sequence[Note]
) -> None:
    """Who is to move, and that a new word crosses the one completed before."""
    if after.over or after.public.round != before.public.round:
        return
    public, codes = after.public, [note.code for note in notes]
    waiting = after.to_move[0]
    assert waiting not in public.gone
    if public.running is not None:
        assert public.running.author != waiting or public.completing
    if isinstance(move, Buy) and not move.then_pass:
        assert (waiting, public.bought) == (seat, True)
        return
    assert not public.bought
    order = [(seat + n) % after.seats for n in range(1, after.seats + 1)]
    if "begins" in codes and codes[-1] == "begins":
        expected: int | None = [note.seat for note in notes if note.code == "begins"][-1]
    elif "must-complete" in codes:
        expected = next(note.seat for note in notes if note.code == "must-complete")
    else:
        passed = [note.seat for note in notes if note.code in ("cannot-lay", "cannot-complete")]
        last = passed[-1] if passed else seat
        order = [((last or 0) + n) % after.seats for n in range(1, after.seats + 1)] if passed else order
        expected = next(other for other in order if other not in public.gone)
    assert waiting == expected
    if isinstance(move, Lay) and before.public.running is None and before.public.finished is not None:
        new = set(public.table.squares) - set(before.public.table.squares)
        crossed = before.public.finished
        word = public.running or public.finished
        assert word is not None
        if "completes" not in codes and word.direction != crossed.direction:
            assert set(word.run) & set(crossed.run)
            assert new & set(word.run)


# ---- matches ----


def soak(seed: int) -> set[str]:
    """Plays and checks one match; the codes of all that happened."""
    dice = random.Random(seed)
    options = Options(games=1 + seed % 2, strict_buy=seed % 5 == 4, buy_before_pass=seed % 3 == 2)
    ctx = Context(WordList(LIST), shuffler(round_seeds(SEED), [str(seed)]))
    table, _ = driver.open_table(GAME, 2 + seed % 4, options, ctx)
    log: list[Entry] = []
    seen: set[str] = set()
    while not table.state.over:
        before = table.state
        seat = before.to_move[0]
        move = choose(before, seat, ctx, dice)
        if isinstance(move, Buy | Pass) and options.strict_buy:
            move = None
        if move is None:
            table, result = driver.miss(GAME, table, seat, ctx)
            log.append(Entry("miss", seat, "", result.to_json()))
        else:
            text = GAME.format(move)
            assert GAME.parse(text, view_for(before, seat)) == move
            table, result = driver.submit(GAME, table, seat, text, ctx)
            assert result.moves[0].played is not None, (text, result.moves[0].refused)
            log.append(Entry("move", seat, text, result.to_json()))
        notes: list[Any] = [*result.moves[0].notes, *result.notes]
        seen.update(note.code for note in notes)
        check_table(table.state)
        check_tiles(table.state)
        check_sums(before, table.state, notes)
        check_turn(before, table.state, seat, move, notes)
        assert GAME.winners(table.state) == () or table.state.over
        assert len(log) < 3000
    unknown = Context(WordList([]), shuffler(round_seeds(SEED), [str(seed)]))
    again, _, _ = rebuild(GAME, table.state.seats, options, unknown, None, log)
    assert again.state == table.state
    return seen


@pytest.mark.slow
def test_a_few_matches() -> None:
    seen = {code for seed in range(QUICK) for code in soak(seed)}
    usual = {
        "announces",
        "goes-on",
        "finishes",
        "begins",
        "completes",
        "cannot-complete",
        "pays-all",
        "is-paid",
        "rest",
    }
    assert seen >= usual | {
        "missed",
        "bought-red",
        "drew-tiles",
        "reports-on",
        "premium-vowel",
        "last-left",
        "match-won",
    }


@pytest.mark.matrix("games")
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_many_matches(chunk: int) -> None:
    for seed in range(1000 + chunk * THOROUGH, 1000 + (chunk + 1) * THOROUGH):
        soak(seed)
