"""»Wer behält recht?«: what can be announced, against trying everything out; whole matches, and those of robots."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice, product
from pathlib import Path
from typing import Any

import pytest

from moderator.common.enums import Level
from moderator.common.errors import PlayerError
from moderator.games.typdom.board import TypdomTable, get_square_name, list_table_runs
from moderator.games.typdom.recht import GAME
from moderator.games.typdom.recht_search import MOST_WORDS, can_lay_recht_tile
from moderator.games.typdom.recht_state import (
    Move,
    RechtLaying,
    RechtOptions,
    RechtPass,
    RechtPublic,
    RechtPurchase,
    RechtTile,
)
from moderator.games.typdom.tiles import JOLLIES, LETTERS, STAR, colour
from moderator.rules import table as driver
from moderator.rules.game import State
from moderator.rules.robots.choose import choose_robot_move
from moderator.rules.shuffling import build_round_seeds, build_shuffle, keep_order
from moderator.rules.state import Context, Note, view_for
from moderator.rules.table import open_match_state, try_order
from moderator.rules.words import AnyWords, WordList
from tests.games import dominos_table
from tests.games.test_recht_rules import match, running

WORDS = [
    "AN", "AST", "EI", "EIN", "EINE", "EIS", "ER", "ES", "IN", "NEST", "OST", "OSTERN", "RAST", "REIS", "REISE",
    "REST", "ROSE", "SEE", "SO", "STEIN", "STERN", "TEE", "TEIL", "TOR", "ZEIT",
]  # fmt: skip


def positions(seed: int) -> Iterator[tuple[State[RechtPublic], Context]]:
    dice = random.Random(seed)
    ctx = Context(WordList(WORDS), dominos_table.context(seed).shuffle)
    state = GAME.setup(2 + seed % 2, RechtOptions(), ctx).state
    for _ in range(14):
        if state.over or state.public.completing:
            return
        yield state, ctx
        seat = state.to_move[0]
        legal = [move for move, _ in GAME.list_moves(view_for(state, seat), ctx)]
        step = GAME.apply_move(state, seat, dice.choice(legal), ctx) if legal else GAME.pass_turn(state, seat, ctx)
        state = step.state


def tried_out(state: State[RechtPublic], ctx: Context) -> set[str]:
    """Every move with one tile that the rules let through."""
    seat, public = state.to_move[0], state.public
    held = {tile for tile in state.hands[seat] if not tile.startswith(STAR)}
    jollies = {STAR + c for c in LETTERS if JOLLIES[colour(c)] in state.hands[seat] and c not in held}
    letters = sorted(held | jollies)
    moves: list[RechtLaying] = []
    if public.running is not None:
        for letter, side in product(letters, ("front", "back")):
            moves.append(RechtLaying((RechtTile(letter, side),), goes_on=True))
            moves += [RechtLaying((RechtTile(letter, side),), word) for word in WORDS if word != public.running.word]
    else:
        near = public.table.squares or {public.table.start: ""}
        around = {square + step for square in near for step in (-40, -1, 0, 1, 40)}
        for letter, square, word in product(letters, sorted(around - set(public.table.squares)), WORDS):
            for direction in ("w", "s"):
                moves.append(RechtLaying((RechtTile(letter, get_square_name(square)),), word, direction))  # type: ignore[arg-type]
    return {GAME.format_move(move) for move in moves if legal(state, seat, move, ctx)}


def legal(state: State[RechtPublic], seat: int, move: RechtLaying, ctx: Context) -> bool:
    try:
        GAME.apply_move(state, seat, move, ctx)
    except PlayerError:
        return False
    return True


@pytest.mark.matrix("move lists", seconds=1)
@pytest.mark.parametrize("seed", range(3))
def test_the_list_is_what_trying_everything_finds(seed: int) -> None:
    compared = 0
    for state, ctx in positions(seed):
        offered = [move for move, _ in GAME.list_moves(view_for(state, state.to_move[0]), ctx)]
        single = [GAME.format_move(move) for move in offered if isinstance(move, RechtLaying) and len(move.tiles) == 1]
        assert len(single) == len(set(single))
        assert tried_out(state, ctx) == set(single)
        assert all(legal(state, state.to_move[0], move, ctx) for move in offered if isinstance(move, RechtLaying))
        compared += len(single)
    assert compared > 40


def test_a_jolly_stands_for_what_the_rack_lacks() -> None:
    table = match("T*b", "EE", "AA", board=running("ER", "T20", "w", "STERN", author=2), known="STERN WERT")
    offered = {GAME.format_move(move) for move, _ in GAME.list_moves(view_for(table.state, 0), table.ctx)}
    assert offered == {"weiter vorn T", "hinten T = WERT", "weiter hinten *N", "vorn *W = WERT"}
    assert not GAME.can_list_moves(view_for(table.state, 0))
    assert GAME.can_list_moves(view_for(table.state, 1))


@pytest.mark.parametrize(
    ("hand", "new", "anything"),
    [("XYQ", False, False), ("SXY", False, True), ("TXY", True, True), ("*bQX", True, True), ("*rXQ", False, False)],
)
def test_whether_anything_can_be_laid(hand: str, new: bool, anything: bool) -> None:
    board = running("TER", "T20", "w", "STERN", author=2)
    table = match(hand, "EE", "AA", board=board, known="STERN TERT")
    assert can_lay_recht_tile(table.state, 0, table.ctx, new=True) is new
    assert can_lay_recht_tile(table.state, 0, table.ctx, new=False) is anything


def test_where_any_word_counts_nobody_can_tell() -> None:
    table = match("XYQ", "EE", "AA", board=running("TER", "T20", "w", "STERN", author=2), known=AnyWords())
    assert can_lay_recht_tile(table.state, 0, table.ctx, new=False) is None
    assert table.turn("passe").state.to_move == (1,)


def many_words(count: int) -> list[str]:
    dice = random.Random(1)
    return sorted({"".join(dice.choices("ENISRATDHULCGMOBWFKZPVJYXQ", k=dice.randint(2, 12))) for _ in range(count)})


class Listing(WordList):
    """Remembers how long the words were that it was asked to list."""

    asked: tuple[int, ...] = ()

    def playable(self, max_length: int) -> Sequence[str]:
        self.asked += (max_length,)
        return super().playable(max_length)


def test_announcements_are_listed_up_to_a_limit() -> None:
    words = Listing([word for word in many_words(10_000) if "E" in word])
    table = match("EX", "AEI", known=words)
    moves = (move for move, _ in GAME.list_moves(view_for(table.state, 0), table.ctx) if isinstance(move, RechtLaying))
    listed = list(islice(moves, 3 * MOST_WORDS))
    across = [move for move in listed if move.direction == "w" and move.tiles == (RechtTile("E", "T20"),)]
    assert len(across) == MOST_WORDS
    assert [len(move.word) for move in across] == sorted(len(move.word) for move in across)


MATCH_TEXT = """
AB AM AN AST AUS BAR BEIN BROT DAS DEN DER EI EIN EINE EINER EIS ER ERDE ERNTE ES ESEL HAUS HUT IM IN INSEL KERN
KERNE LAST LIST LISTE MAUS NASE NEST NOTE NUR ODER OHR ORT OSTERN RAST RASTE RAT REIN REIS REISE REISEN REST RESTE
RINDE ROSE ROSEN ROT RUHE SAITE SEE SEIN SEINE SEITE SIE SO STEIN STEINE STERN STERNE STUR TANTE TASTE TASTEN TEE
TEIL TEILE TIER TIERE TOR TORE UHR UM UND UNTER UR VON WAR WARE WEIN WEINE WIE WIESE WORT WORTE ZEIT ZEITEN ZIER ZU
"""
MATCH_WORDS = frozenset(MATCH_TEXT.split())
SEED = bytes(range(32))


def choose_by_chance(state: State[RechtPublic], seat: int, ctx: Context, dice: random.Random) -> Move | None:
    """A move by chance; None = nothing is sent."""
    public = state.public
    legal = [move for move, _ in GAME.list_moves(view_for(state, seat), ctx)]
    luck = dice.random()
    if public.completing:
        return dice.choice(legal) if luck < 0.7 else None
    going_on = [move for move in legal if isinstance(move, RechtLaying) and (move.goes_on or len(move.tiles) > 1)]
    if going_on and luck < 0.5:
        return dice.choice(going_on)
    if legal and luck < 0.9:
        held = Counter(tile for tile in state.hands[seat])
        safe = [m for m in legal if isinstance(m, RechtLaying) and m.word and not Counter(m.word) - held]
        return dice.choice(safe or legal)
    if luck < 0.95 and state.stock and not public.bought:
        return RechtPurchase("red" if dice.random() < 0.5 else "black", dice.random() < 0.3)
    return RechtPass() if luck < 0.98 else None


def check_table(state: State[RechtPublic]) -> None:
    """One piece, every run but the fragment a word, the fragment a whole run that its announcement contains."""
    public, table = state.public, state.public.table
    running = public.running
    for run in list_table_runs(table):
        assert table.get_run_text(run) in MATCH_WORDS or (running is not None and run == running.run)
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
        assert running.word in MATCH_WORDS
        assert table.get_run_text(running.run) in running.word
        assert len(running.word) > len(running.run)
        for place in running.places:
            check_place(table, running.run, place, running.word)


def check_place(table: TypdomTable, run: Sequence[int], place: Sequence[int], word: str) -> None:
    """With the missing letters in place everything on the table is a word."""
    assert set(run) < set(place)
    squares = {**dict(zip(place, word, strict=True)), **table.squares}
    whole = TypdomTable(table.size, squares)
    assert "".join(squares[square][-1] for square in place) == word
    assert all(whole.get_run_text(found) in MATCH_WORDS for found in list_table_runs(whole))
    assert tuple(place) in list_table_runs(whole)


def connected(table: TypdomTable) -> bool:
    seen, todo = set(), [next(iter(table.squares))]
    while todo:
        square = todo.pop()
        if square in table.squares and square not in seen:
            seen.add(square)
            todo += [square - 1, square + 1, square - table.size, square + table.size]
    return len(seen) == len(table.squares)


def check_turn(
    before: State[RechtPublic], after: State[RechtPublic], seat: int, move: Move | None, notes: Sequence[Note]
) -> None:
    """Who is to move, and that a new word crosses the one completed before."""
    if after.over or after.public.round != before.public.round:
        return
    public, codes = after.public, [note.code for note in notes]
    waiting = after.to_move[0]
    assert waiting not in public.gone
    if public.running is not None:
        assert public.running.author != waiting or public.completing
    if isinstance(move, RechtPurchase) and not move.then_pass:
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
    if isinstance(move, RechtLaying) and before.public.running is None and before.public.finished is not None:
        new = set(public.table.squares) - set(before.public.table.squares)
        crossed = before.public.finished
        word = public.running or public.finished
        assert word is not None
        if "completes" not in codes and word.direction != crossed.direction:
            assert set(word.run) & set(crossed.run)
            assert new & set(word.run)


def check_match(seed: int) -> set[str]:
    """Plays and checks one match; the codes of all that happened."""
    dice = random.Random(seed)
    options = RechtOptions(games=1 + seed % 2, strict_buy=seed % 5 == 4, buy_before_pass=seed % 3 == 2)
    ctx = Context(WordList(sorted(MATCH_WORDS)), build_shuffle(build_round_seeds(SEED), [str(seed)]))
    table, _ = driver.open_match_state(GAME, 2 + seed % 4, options, ctx)
    seen, turns = set[str](), 0
    while not table.state.over:
        before = table.state
        seat = before.to_move[0]
        move = choose_by_chance(before, seat, ctx, dice)
        if isinstance(move, RechtPurchase | RechtPass) and options.strict_buy:
            move = None
        if move is None:
            table, result = driver.miss_seat(GAME, table, seat, ctx)
        else:
            text = GAME.format_move(move)
            assert GAME.parse_move(text, view_for(before, seat)) == move
            table, result = driver.try_order(GAME, table, seat, text, ctx)
            assert result.moves[0].played is not None, (text, result.moves[0].refused)
        notes: list[Any] = [*result.moves[0].notes, *result.notes]
        seen.update(note.code for note in notes)
        check_table(table.state)
        check_turn(before, table.state, seat, move, notes)
        assert GAME.find_winners(table.state) == () or table.state.over
        turns += 1
        assert turns < 3000
    return seen


@pytest.mark.matrix("game matches", seconds=0.3)
@pytest.mark.parametrize("seed", range(1000, 1060))
def test_what_must_hold_holds_after_every_event(seed: int) -> None:
    check_match(seed)


@pytest.mark.slow
def test_in_a_few_matches_nearly_everything_happens() -> None:
    seen = {code for seed in range(4) for code in check_match(seed)}
    assert seen >= {
        "announces", "goes-on", "finishes", "begins", "completes", "cannot-complete", "pays-all", "is-paid", "rest",
        "missed", "bought-red", "drew-tiles", "reports-on", "premium-vowel", "last-left", "match-won",
    }  # fmt: skip


FILE = Path(__file__).parent.parent / "club" / "words.txt"
COMMON = [word.upper() for word in FILE.read_text(encoding="utf-8").split() if word.isascii()]


def robots_at_table(
    number: int, level: Level, seats: int, turns: int = 400, **options: Any
) -> Iterator[tuple[Any, str]]:
    """Each position of a match of robots and what is played there."""
    ctx = Context(WordList(COMMON, "list"), build_shuffle(bytes([40 + number]) * 32))
    table, _ = open_match_state(GAME, seats, GAME.options(**options), ctx)
    for _ in range(turns):
        if table.state.over:
            return
        seat = table.state.to_move[0]
        text = choose_robot_move(GAME, table.state, seat, ctx, level)
        yield table.state, text
        table, result = try_order(GAME, table, seat, text, ctx)
        assert result.moves[0].alternative, text


@pytest.mark.matrix("game matches", seconds=0.5)
@pytest.mark.parametrize("number", range(6))
def test_no_beginner_is_out_by_a_word_of_its_own(number: int) -> None:
    """Whatever others add to an announcement, who has made it has the tiles to finish it."""
    announced = 0
    for state, text in robots_at_table(number, Level.BEGINNER, 3):
        announced += " = " in text
        assert not state.public.gone
    assert announced


def fixed_state(words: str, *racks: str, level: Level = Level.CLUB, stock: str = "OX") -> str:
    """What a robot begins with, of these words and racks."""
    ctx = Context(WordList(words.split(), "list"), keep_order)
    fixed = {"racks": [[*rack] for rack in racks], "stock": [*stock], "starter": 0}
    return choose_robot_move(
        GAME, open_match_state(GAME, len(racks), GAME.options(), ctx, fixed)[0].state, 0, ctx, level
    )


@pytest.mark.parametrize("level", Level)
def test_it_announces_what_it_can_finish(level: Level) -> None:
    """ABBA with one B, CARIBBEAN with none: only what the rack and the fragment hold."""
    assert fixed_state("ABBA ABT", "AABT", "ENR", level=level).endswith("= ABT")


@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize(("rack", "colour"), [("BLNRSTK", "rot"), ("AEIOUEA", "schwarz")])
def test_without_move_it_buys_what_its_hand_lacks(rack: str, colour: str, level: Level) -> None:
    assert fixed_state("QUIZ JUX", rack, "ENR", level=level) == f"kaufe {colour}"


def test_only_above_beginner_a_word_is_announced_that_another_must_change() -> None:
    """Who begins holds no vowel. Of four others one will have it, and another word for it."""
    words = " ".join(f"B{vowel}{last}" for vowel in "AEIOU" for last in "NRSTLD")
    racks = ("BNRTL", *["AEIOU"] * 4)
    assert fixed_state(words, *racks, level=Level.BEGINNER).startswith("kaufe")
    for level in (Level.CLUB, Level.STRONG):
        assert " = B" in fixed_state(words, *racks, level=level)
