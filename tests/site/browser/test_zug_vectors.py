"""One truth: the modules of the touch boards for letters allow, forbid, name and count what Python does. Tables, racks
and moves are random: what words they are is nothing to geometry."""

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import pytest
from playwright.sync_api import Browser

from moderator.common.errors import PlayerError
from moderator.games import REGISTRY, load_game
from moderator.games.topwords import board as stacks
from moderator.games.topwords import state as topwords
from moderator.games.typdom import board
from moderator.games.typdom import presto_state as presto
from moderator.games.typdom import recht_state as recht
from moderator.games.typdom.presto import HANDS
from moderator.games.typdom.presto_state import build_crossword
from moderator.games.typdom.recht_flow import list_completions
from moderator.games.typdom.recht_state import list_new_directions
from moderator.games.typdom.state import JollyExchange, TypdomPublic, TypdomTurn
from moderator.games.typdom.tiles import BLACK, JOLLIES, LETTERS, RED, STAR, VOWELS, count_colours, to_rack_tile
from moderator.language import messages, traits
from moderator.rules import turn_data
from moderator.rules.game import State, Step
from moderator.rules.state import view_for
from tests.site.browser.zug_page import ask_module, turn_of

COUNT = 1500
"""Moves of each game."""
OTHERS = 200
"""So many of them are illegal at least, and as many legal."""
COLOURS = ("red", "black")
STANDS = {JOLLIES["red"]: sorted(VOWELS), JOLLIES["black"]: sorted(set(LETTERS) - VOWELS)}
ANY = [*RED, *BLACK, *STANDS, *STANDS, *STANDS]
MOST_WORD = 9
"""Letters of an announcement: fewer than the others hold tiles, so that only the seat to move runs out of them."""
Call = tuple[Any, ...]
"""A function of the family's module, and what it is given besides the position."""
Drawn = tuple[State[Any], list[Call], str]
"""A position, what is done on the page, and in which direction a lone tile makes its word."""
Squares = dict[int, str]
"""Square of the page's table -> tile as it lies there."""


def list_line(lying: Sequence[int], size: int, dice: random.Random, count: int) -> tuple[str, list[int]]:
    """A direction and free squares in a line, most of the time at something that lies."""
    near = [one for square in lying for one in board.list_square_neighbours(square, size) if one not in lying]
    first = dice.choice(near or [board.TypdomTable(size).start]) if dice.random() < 0.95 else dice.randrange(size**2)
    way = dice.choice("ws")
    step, room = (1, size - first % size) if way == "w" else (size, size - first // size)
    return way, [one for one in range(first, first + room * step, step) if one not in lying][:count]


def show_tile(tile: str, hand: Sequence[str], dice: random.Random) -> str:
    """The letter that it shows; rarely that of a jolly which stands for what it cannot."""
    if tile not in STANDS:
        return tile
    other = next(one for one in STANDS if one != tile)
    return dice.choice(STANDS[other if other not in hand and dice.random() < 0.2 else tile])


# ---- Topwords ----


def draw_topwords(key: str, dice: random.Random) -> Drawn:
    options = topwords.TopwordsOptions(
        pace=dice.choice(["sequential", "rounds", "common"]),
        max_height=dice.choice([2, 3, 5]),
        cover_whole_word=dice.random() < 0.6,
        letter_axis=dice.choice(["columns", "rows"]),
    )
    full, size = dice.choice([0.0, 0.1, 0.3, 0.5]), topwords.SIZE
    heights = [dice.choice([1, 1, 1, 2, options.max_height]) if dice.random() < full else 0 for _ in range(size**2)]
    table = tuple("".join(dice.choices(sorted(topwords.ALPHABET), k=height)) for height in heights)
    rack = tuple(dice.choices([*sorted(topwords.ALPHABET), "Q", "X"], k=dice.choice([1, 2, 7, options.full_rack])))
    hands, stock = (rack,) if options.pace == "common" else (rack, rack), dice.choice([(), tuple("ENSIRAT")])
    public = topwords.TopwordsPublic(options, table)
    state = State(public, hands, stock, (0, 0), (0, 1) if options.pace != "sequential" else (0,))
    covering = dice.choice([0.2, 0.9])
    way, line = list_line([], size, dice, size)
    begun = dice.randrange(size**2)
    line = (
        line
        if dice.random() < 0.2
        else list(range(begun, (begun // size + 1) * size) if way == "w" else range(begun, size**2, size))
    )
    calls, held = list[Call](), list(rack)
    for square in line[: dice.randint(1, size)]:
        if held and held[-1] != table[square][-1:] and (not table[square] or dice.random() < covering):
            calls.append(("put", square, held.pop()))
        elif not table[square]:
            break
    return state, calls, "w"


def to_placement(state: State[Any], calls: list[Call], way: str) -> Any:
    laid = {square: letter for _, square, letter in calls}
    after = [stack + laid.get(square, "") for square, stack in enumerate(state.public.board)]
    first, step = min(laid), topwords.STEP
    lies = {"w": min(laid) // 10 == max(laid) // 10, "s": min(laid) % 10 == max(laid) % 10}
    found = next(
        one
        for one in "ws"
        if lies[one] and (len(laid) > 1 or one == "s" or len(stacks.get_stack_run(after, first, step[one])) > 1)
    )
    run = stacks.get_stack_run(after, first, step[found])
    word = "".join(after[square][-1] for square in run)
    return topwords.TopwordsPlacement(topwords.get_stack_name(run[0], state.public.options), found, word)


# ---- Kreuzwort-Spiel and Point-Typ-Dom ----


def draw_strokes(size: int, dice: random.Random) -> board.TypdomTable:
    """Strokes of letters that cross, with some jollies."""
    squares, jollies = Squares(), dice.choice([0.05, 0.3])
    for _ in range(dice.choice([0, 1, 2, 4, 9])):
        at = dice.choice(sorted(squares)) if squares else board.TypdomTable(size).start
        step = dice.choice([1, size])
        line = at % size if step == 1 else at // size
        first, last = max(0, line - dice.randrange(4)), min(size - 1, line + dice.randrange(1, 5))
        for square in range(at + (first - line) * step, at + (last - line) * step + 1, step):
            squares.setdefault(square, (STAR if dice.random() < jollies else "") + dice.choice(LETTERS))
    return board.TypdomTable(size, squares)


def draw_stock(dice: random.Random) -> tuple[str, ...]:
    """Few tiles, sometimes of one colour."""
    colours = [*RED, *BLACK] if dice.random() < 0.8 else dice.choice([RED, BLACK])
    return tuple(
        sorted(dice.sample([*colours], min(len(colours), dice.choice([0, 1, 2, 9]))), key=lambda tile: tile in BLACK)
    )


def list_wanted(table: board.TypdomTable) -> list[str]:
    """Letters for which jollies can be taken."""
    return [table.get_letter(square) for square in board.list_exchangeable_jollies(table)][:2]


def draw_fetch(table: board.TypdomTable, hand: Sequence[str], dice: random.Random) -> Call:
    """A jolly that lies is taken for its letter; sometimes one that cannot be, or none."""
    jollies = [square for square, tile in table.squares.items() if tile.startswith(STAR)]
    can = [square for square in jollies if table.get_letter(square) in hand] or jollies
    squares = can if can and dice.random() < 0.9 else [*sorted(table.squares), table.start]
    return ("act", "zug-fetch", dice.choice(squares), "w")


def draw_typdom(key: str, dice: random.Random) -> Drawn:
    options = load_game(key).options(table_size=dice.choice([15, 31, 40, 60]), strict_buy=dice.random() < 0.2)
    table, stock = draw_strokes(options.table_size, dice), draw_stock(dice)
    wanted = list_wanted(table) if dice.random() < 0.7 else []
    hands = tuple((*wanted, *dice.choices(ANY, k=dice.choice([1, 3, 8, 11]))) for _ in range(2))
    out = 1 if key == "point" and dice.random() < 0.2 else None
    public = TypdomPublic(options, table, left=count_colours(stock), out=out, gains=((), ()), starter=dice.randrange(2))
    calls, held, lying = list[Call](), list(hands[0]), sorted(table.squares)
    if dice.random() < 0.4:
        calls.append(draw_fetch(table, held, dice))
        letter = table.get_letter(calls[0][2])
        if letter in held:
            held[held.index(letter)] = to_rack_tile(table.squares[calls[0][2]])
    dice.shuffle(held)
    kind, way = dice.random(), "w"
    for number in range(0 if kind < 0.2 else dice.choice([1, 1, 2])):
        before, (way, line) = way, list_line(lying, table.size, dice, dice.choice([1, 1, 2, 3, 3, len(held)]))
        if kind > 0.95 and lying and not number:
            line = [dice.choice(lying)]  # where another tile lies
        if number:
            calls.append(("act", "zug-second", 0, before))
        for square, tile in zip(line, [held.pop() for _ in line if held], strict=False):
            calls.append(("put", square, tile, show_tile(tile, hands[0], dice)))
            lying.append(square)
        if not held:
            break
    for _ in range(dice.choice([1, 1, 2, 3, 4]) if kind < 0.2 else dice.choice([0, 0, 0, 0, 1, 1, 2])):
        calls.append(("act", f"zug-buy-{dice.choice(COLOURS)}", 0, way))
    return State(public, hands, stock, (0, 0), (0,)), calls, way


def to_turn(state: State[Any], calls: list[Call], way: str) -> Any:
    table, exchanges, words, buys = state.public.table, [], [(way, Squares())], []
    for what, *given in calls:
        if what == "put":
            square, tile, letter = given
            words[-1][1][square] = STAR + letter if tile in STANDS else tile
        elif given[0] == "zug-second":
            words = [(given[2], words[0][1]), (way, {})]
        elif given[0] == "zug-fetch":
            exchanges.append(to_exchange(table, given[1]))
            table = replace(table, squares={**table.squares, given[1]: table.get_letter(given[1])})
        else:
            buys.append(given[0].removeprefix("zug-buy-"))
    places = []
    for wanted, laid in words if words[0][1] else ():
        if not laid:
            break
        table = replace(table, squares={**table.squares, **laid})
        level = {square // table.size for square in laid}
        meant: Any = wanted if len(laid) == 1 else "w" if len(level) == 1 else "s"
        if len(laid) == 1 and len(board.get_tile_run(table, min(laid), meant)) < 2:
            meant = "s" if meant == "w" else "w"
        run = board.get_tile_run(table, min(laid), meant)
        word = "".join(laid.get(square, table.get_letter(square)) for square in run)
        places.append(board.Placement(board.get_square_name(run[0], table.size), meant, word))
    return TypdomTurn(tuple(places), tuple(exchanges), tuple(sorted(buys, reverse=True)))


def to_exchange(table: board.TypdomTable, square: int) -> JollyExchange:
    return JollyExchange(table.get_letter(square), board.get_square_name(square, table.size))


# ---- Wer behält recht? ----


def draw_recht(key: str, dice: random.Random) -> Drawn:
    seats = dice.choice([2, 2, 3, 4])
    options = recht.RechtOptions(
        table_size=dice.choice([15, 31, 40, 60]),
        strict_buy=dice.random() < 0.2,
        buy_before_pass=dice.random() < 0.3,
        games=dice.choice([1, 2]),
    )
    table, stock = draw_strokes(options.table_size, dice), draw_stock(dice)
    public = recht.RechtPublic(
        options,
        table,
        left=count_colours(stock),
        gains=((),) * seats,
        passes=dice.randrange(4),
        bought=dice.random() < 0.2,
        gone=(seats - 1,) if seats > 2 and dice.random() < 0.3 else (),
        fresh=tuple(sorted(table.squares)[:1]),
        stake=dice.choice([1, 1, 2]),
    )
    way: Any = dice.choice("ws")
    if table.squares and (run := board.get_tile_run(table, dice.choice(sorted(table.squares)), way)):
        public = announce(public, way, run, dice)
    hand = [*(list_wanted(table) if dice.random() < 0.5 else ()), *dice.choices(ANY, k=dice.choice([1, 3, 8]))]
    if public.running is not None and dice.random() < 0.7:
        hand += public.running.word
    if dice.random() < 0.1 and not public.completing:
        hand = hand[-1:]
    rest = tuple(tuple(dice.choices([*RED, *BLACK], k=12)) for _ in range(seats - 1))
    state = State(public, (tuple(hand), *rest), stock, (0,) * seats, (0,))
    return state, list(draw_recht_calls(public, hand, dice)), dice.choice("ws")


def announce(public: recht.RechtPublic, way: Any, run: Any, dice: random.Random) -> recht.RechtPublic:
    """With a fragment that may become a word, with the seat's own which has gone round, or with a complete one."""
    table, kind = public.table, dice.random()
    text, authors = table.get_run_text(run), [one for one in range(1, len(public.gains)) if one not in public.gone]
    if kind < 0.15:
        word = "".join(dice.choice([text, "E", "N"]) for _ in range(3)) + text + dice.choice(["", "E", text])
    else:
        word = draw_word(table, way, run, dice)
    places = recht.list_word_places(table, way, run, word)
    if kind < 0.15 and len(places) > 1 and len(word) <= MOST_WORD:
        running = recht.WordInProgress(way, run, word, 0, places)
        return replace(public, running=running, completing=True, bought=False)
    if 0.15 < kind < 0.6 and len(word) > len(run):
        return replace(public, running=recht.WordInProgress(way, run, word, dice.choice(authors), places))
    if 0.6 < kind < 0.65:
        return replace(public, running=recht.WordInProgress(way, run))
    return replace(public, finished=recht.FinishedWord(way, run)) if len(run) > 1 and kind < 0.95 else public


def draw_word(table: board.TypdomTable, way: Any, run: Any, dice: random.Random) -> str:
    """A word that can come to lie over a run; "" where there is none of that length."""
    step, at = table.get_step(way), recht.get_line_position(table, way, run[0])
    first, last = max(0, at - dice.randrange(4)), min(table.size - 1, at + len(run) - 1 + dice.randrange(4))
    squares = range(run[0] + (first - at) * step, run[0] + (last - at) * step + 1, step)
    word = "".join(table.get_letter(square) or dice.choice("AEINRST") for square in squares)
    return word if len(word) <= MOST_WORD and recht.list_word_places(table, way, run, word) else ""


def draw_recht_calls(public: recht.RechtPublic, hand: list[str], dice: random.Random) -> Iterator[Call]:
    table, held, kind, running = public.table, [*hand], dice.random(), public.running
    if public.completing and kind < 0.8 and running is not None:
        good = [way.place[0] for way in list_completions(public, tuple(hand))]
        every = [square for place in running.places for square in place]
        yield ("act", "zug-complete", dice.choice(good if good and dice.random() < 0.7 else every), "w")
        return
    if dice.random() < 0.3 and not public.completing:
        fetch = draw_fetch(table, held, dice)
        yield fetch
        if (letter := table.get_letter(fetch[2])) in held:
            table = replace(table, squares={**table.squares, fetch[2]: letter})
            held.remove(letter)
    if kind < 0.3:
        if dice.random() < 0.7:
            yield ("act", f"zug-buy-{dice.choice(COLOURS)}", 0, "w")
        if dice.random() < 0.6:
            yield ("act", "zug-report-on", 0, "w")
        return
    way: Any = running.direction if running else dice.choice(list_new_directions(public.finished))
    run = running.run if running else public.finished.run[:0] if public.finished else ()
    crossed = dice.choice(public.finished.run if public.finished else sorted(table.squares) or [table.start])
    run = run or board.get_tile_run(table, crossed, way)
    before = table
    for _ in range(dice.choice([1, 1, 1, 2, 3])):
        ends = (
            [recht.find_end_square(table, way, run, side) for side in recht.SIDES] if table.squares else [table.start]
        )
        free = [one for one in ends if one is not None] if dice.random() < 0.95 else []
        square = dice.choice(free or [*sorted(table.squares), *range(15)])
        if not held:
            break
        tile = held.pop(dice.randrange(len(held)))
        letter = show_tile(tile, hand, dice)
        yield ("put", square, tile, letter)
        table = replace(table, squares={**table.squares, square: STAR + letter if tile in STANDS else tile})
        run = board.get_tile_run(table, square, way)
    if table is before:
        return
    if running and running.word and dice.random() < 0.4:
        yield ("said", "")
    elif dice.random() < 0.15:
        yield ("said", "".join(dice.choices(LETTERS, k=dice.choice([1, 4, 6, 8]))))
    elif dice.random() < 0.2:
        yield ("said", " " + "E" * dice.randrange(6) + table.get_run_text(run).lower() + "N" * dice.randrange(1, 6))
    else:
        yield ("said", draw_word(table, way, run, dice) or (running and running.word) or "WORT")


def to_recht_move(state: State[Any], calls: list[Call], way: str) -> Any:
    table, standing = state.public.table, state.public.running.word if state.public.running else ""
    tiles, exchanges, bought, passes, word = list[Any](), list[Any](), "", False, "WORT"
    for what, *given in calls:
        if what == "put":
            square, tile, letter = given
            tiles.append(
                recht.RechtTile(STAR + letter if tile in STANDS else tile, board.get_square_name(square, table.size))
            )
        elif what == "said":
            word = given[0].strip().upper()
        elif given[0] == "zug-fetch":
            exchanges.append(to_exchange(table, given[1]))
        elif given[0] == "zug-complete":
            return recht.RechtCompletion(board.get_square_name(given[1], table.size))
        elif given[0] == "zug-report-on":
            passes = True
        else:
            bought = given[0].removeprefix("zug-buy-")
    if tiles:
        goes_on = word in ("", standing)
        return recht.RechtLaying(tuple(tiles), word, "", goes_on and bool(standing), tuple(exchanges))
    if bought:
        return recht.RechtPurchase(bought, passes, tuple(exchanges))
    return recht.RechtPass(tuple(exchanges))


# ---- Presto ----


def draw_presto(key: str, dice: random.Random) -> Drawn:
    """Most of the rack, one tile beside the other, in strokes that cross or anyhow; rarely some of them apart."""
    seats = dice.choice(sorted(HANDS))
    red, black = (dice.choice([most, dice.randint(1, most)]) for most in HANDS[seats])
    hand = [*dice.sample(RED, red), *dice.sample(BLACK, black)]
    finished = (1,) if seats > 2 and dice.random() < 0.4 else ()
    options = presto.PrestoOptions(finish_with_one_left=dice.random() < 0.4)
    public = presto.PrestoPublic(options, finished=finished, gains=(0,) * seats, empty=len(finished))
    others = tuple(seat for seat in range(seats) if seat not in finished)
    hands = (tuple(hand), *(("A", "B") for _ in range(seats - 1)))
    state = State(public, hands, (), (0,) * seats, others, (None,) * seats)
    dice.shuffle(hand)
    calls, lying, size = list[Call](), list[int](), board.SIZE
    square, step, straight, apart = (
        board.TypdomTable().start,
        1,
        dice.choice([0.3, 0.8, 0.95]),
        dice.choice([0, 0, 0, 0.1]),
    )
    for tile in hand[: max(1, len(hand) - dice.choice([0, 0, 0, 0, 1, 1, 2, 5]))]:
        letter = (
            dice.choice("EN") if tile in STANDS and dice.random() < 0.1 else show_tile(tile, hand, random.Random(0))
        )
        calls.append(("put", square, tile, letter))
        lying.append(square)
        near = [one for lies in lying for one in board.list_square_neighbours(lies, size) if one not in lying]
        if dice.random() > straight or square + step not in near:
            square, step = dice.choice(near), dice.choice([-size, -1, 1, size])
        else:
            square += step
        if dice.random() < apart:
            square = dice.choice([one for one in range(size**2) if one not in lying])
    dice.shuffle(calls)
    return (
        state,
        [more for call in calls for more in ([call, ("take", call[1]), call] if dice.random() < 0.05 else [call])],
        "w",
    )


def to_crossword(state: State[Any], calls: list[Call], way: str) -> Any:
    laid = {given[0]: STAR + given[2] if given[1] in STANDS else given[1] for what, *given in calls if what == "put"}
    return build_crossword({(square % board.SIZE, square // board.SIZE): tile for square, tile in laid.items()})


# ---- what both say ----


@dataclass(frozen=True)
class Family:
    """Of games whose page is made of one module."""

    exported: str
    """Name of the object that the module exports."""
    draw: Callable[[str, random.Random], Drawn]
    compose: Callable[[State[Any], list[Call], str], Any]
    """The move that this is."""
    codes: str
    """All that there is against a move."""
    foretold: str
    """Notes that the page tells beforehand, too."""
    at_once: str
    """What is against a tile that the page does not even let lie; it may say so in one sentence."""
    params: bool = False
    """Whether what is filled into the sentences of illegal moves is compared, too."""


TYPDOM = Family(
    "typdom",
    draw_typdom,
    to_turn,
    "buy-too-many, jolly-built-up, no-buy-with-word, no-jolly-there, no-second-word, no-start, not-connected, "
    "not-your-letters, other-letter, too-short",
    "second-missing, out",
    "other-letter, too-short, nothing-laid",
)
FAMILIES = {
    "topwords": Family(
        "topwords",
        draw_topwords,
        to_placement,
        "too-high, no-centre, not-connected, too-short, covers-whole-word",
        "bonus-rack, bonus-rare",
        "too-high, too-short",
    ),
    "kreuzwort": TYPDOM,
    "point": replace(TYPDOM, foretold="went-out"),
    "recht": Family(
        "recht",
        draw_recht,
        to_recht_move,
        "bought-already, cannot-lie-there, complete-first, does-not-cross, jolly-built-up, lacks-fragment, "
        "no-jolly-there, no-room, not-at-fragment, not-your-letters, one-tile-only, start-square, stock-empty, taken, "
        "too-short, touches-nothing",
        "premium-square, premium-vowel, reports-on",
        "does-not-cross, not-at-fragment, one-tile-only, start-square, taken, touches-nothing, complete-first",
        params=True,
    ),
    "presto": Family(
        "presto",
        draw_presto,
        to_crossword,
        "not-right, fault-apart, fault-left, fault-left-many",
        "one-left",
        "",
        params=True,
    ),
}
ASKED = """({turn, calls, way}) => {
    let position = family.start(turn);
    for (const [at, [what, ...given]] of calls.entries()) {
        const after = family[what](position, ...given);
        if (after.why) return [at, after];
        position = after;
    }
    return [calls.length, family.judge(position, way)];
}"""


def test_every_game_with_a_page_has_vectors() -> None:
    """But for those whose turns list all legal moves."""
    paged = {game for game in REGISTRY if traits.find_board_page(game)}
    assert {game for game in paged if not load_game(game).pictured} == FAMILIES.keys()


@pytest.mark.matrix("browser rules", seconds=4)
@pytest.mark.parametrize("key", FAMILIES)
def test_the_page_allows_forbids_and_counts_what_python_does(chromium: Browser, key: str) -> None:
    compare(chromium, FAMILIES[key], key)


def compare(chromium: Browser, family: Family, key: str) -> None:
    """Page and Python differ nowhere, and have come across all that there is against a move."""
    dice, seen, differing = random.Random(f"zug {key}"), Counter[str](), list[str]()
    drawn = iter(lambda: family.draw(key, dice), None)
    cases = list(islice((case for case in drawn if case[1]), COUNT))
    asked = [
        {"turn": json.loads(turn_data.encode_turn(turn_of(state, key)) or b""), "calls": calls, "way": way}
        for state, calls, way in cases
    ]
    for case, (done, answer) in zip(cases, ask_module(chromium, key, ASKED, asked, family.exported), strict=True):
        try:
            seen.update(compare_one(family, key, *case, done, answer))
        except AssertionError as error:
            differing.append(f"{case[1]}: {answer}: {error}")
    assert not differing, f"{len(differing)} differ:\n" + "\n".join(differing[:3])
    assert {*f"{family.codes}, {family.foretold}".split(", ")} <= {*seen, ""}, seen
    assert min(seen["legal"], seen["illegal"]) >= OTHERS, seen


def compare_one(
    family: Family, key: str, state: State[Any], calls: list[Call], way: str, done: int, answer: dict[str, Any]
) -> list[str]:
    """What this has come across. ``done``: so many calls of the module were allowed."""
    refused = calls[done][0] if done < len(calls) else ""
    wrong = [at for at, call in enumerate(calls) if len(call) > 3 and call[3] not in STANDS.get(call[2], [call[3]])]
    assert not wrong or done <= wrong[0], "a jolly stands for anything"
    if refused and wrong[:1] == [done]:
        assert answer["why"] in ("wrong-jolly", "fault-jolly-red", "fault-jolly-black", "other-letter")
        return ["wrong jolly"]
    second = refused and calls[done][1] == "zug-second"  # it is refused before its word is laid
    game, move = load_game(key), family.compose(state, calls if second else calls[: done + 1], way)
    if answer is None or answer.get("why") == "zug-then":
        return ["nothing"]
    try:
        read = None if "why" in answer else game.parse_move(answer["text"], view_for(state, 0))
        if isinstance(read, recht.RechtLaying):
            move = replace(move, direction=read.direction)
        step = game.apply_move(state, 0, move, turn_data.CONTEXT)
    except PlayerError as error:
        told = error
    else:
        assert "why" not in answer, "it is legal"
        return compare_legal(family, key, state, answer, step)
    if isinstance(move, recht.RechtLaying) and answer.get("why") != told.code:  # both directions are open, and wrong
        with pytest.raises(PlayerError) as other:
            game.apply_move(state, 0, replace(move, direction=way), turn_data.CONTEXT)
        told = other.value
    if refused == "put":
        assert told.code in family.at_once, told.code
    else:
        assert answer.get("why") == told.code, told.code
        assert not family.params or answer["params"] == dict(told.params), told.params
    return ["illegal", told.code, *(fault["code"] for fault in told.params.get("faults", ()))]


def compare_legal(family: Family, key: str, state: State[Any], answer: dict[str, Any], step: Step[Any]) -> list[str]:
    """What the order says, in two languages, is what was done and scores what is said; words and notes are the same."""
    game, view = load_game(key), view_for(state, 0)
    read = game.parse_move(answer["text"], view)
    again = game.apply_move(state, 0, read, turn_data.CONTEXT)
    assert game.parse_move(messages.translate_move(answer["text"], "en", key), view) == read
    assert (again.played, again.points, answer["points"]) == (step.played, step.points, step.points)
    own = [word for note in step.notes if note.code == "own-words" for word in note.params["words"]]
    words = step.detail.get("words") or [{"word": word, "points": 0} for word in own]
    assert (answer.get("words") or []) == [*words]
    told = family.foretold.split(", ")
    notes = [(one.code, dict(one.params)) for one in (*step.notes, *step.after) if one.code in told]
    assert [(one["code"], one["params"]) for one in answer.get("notes", []) if one["code"] in told] == notes
    return ["legal", *(code for code, _ in notes)]
