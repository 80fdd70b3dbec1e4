"""Random moves of Topwords, Kreuzwort-Spiel, Point-Typ-Dom, Wer behält recht? and Presto, for the pages to lay tiles
on. What words they are is nothing to geometry."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from moderator.common.errors import PlayerError
from moderator.games import load_game
from moderator.games.topwords import board as rules
from moderator.games.topwords import state as topwords
from moderator.games.typdom import board
from moderator.games.typdom import recht_state as recht
from moderator.games.typdom.presto import HANDS
from moderator.games.typdom.presto_state import PrestoOptions as PrestoOptions
from moderator.games.typdom.presto_state import PrestoPublic as PrestoPublic
from moderator.games.typdom.presto_state import build_crossword
from moderator.games.typdom.recht_flow import list_completions
from moderator.games.typdom.recht_state import PossibleLaying, extend_laying, list_new_directions
from moderator.games.typdom.state import JollyExchange, TypdomTurn
from moderator.games.typdom.state import TypdomPublic as TypdomPublic
from moderator.games.typdom.tiles import (
    BLACK,
    JOLLIES,
    LETTERS,
    RED,
    STAR,
    VOWELS,
    Colour,
    count_colours,
    remove_tiles_from_rack,
    to_rack_tile,
)
from moderator.rules.game import State
from tests.site.browser.vectors import Family, Vector, limit_kinds, names

# ---- Topwords, on any board ----


def _topwords(dice: random.Random) -> State[topwords.TopwordsPublic]:
    """What words lie there is nothing to geometry."""
    options = topwords.TopwordsOptions(
        pace=dice.choice(["sequential", "rounds", "common"]),
        max_height=dice.choice([2, 3, 5]),
        cover_whole_word=dice.random() < 0.6,
        letter_axis=dice.choice(["columns", "rows"]),
    )
    full, letters = dice.choice([0.0, 0.1, 0.3, 0.5]), sorted(topwords.ALPHABET)
    stacks = tuple(
        "".join(dice.choices(letters, k=dice.choice([1, 1, 1, 2, options.max_height]))) if dice.random() < full else ""
        for _ in range(topwords.SIZE * topwords.SIZE)
    )
    rack = tuple(dice.choices([*letters, "Q", "X"], k=dice.choice([1, 2, 7, options.full_rack])))
    hands = (rack,) if options.pace == "common" else (rack, rack)
    stock = dice.choice([(), tuple("ENSIRAT")])
    return State(
        topwords.TopwordsPublic(options, stacks), hands, stock, (0, 0), (0, 1) if options.pace != "sequential" else (0,)
    )


def _lay_stacks(
    state: State[topwords.TopwordsPublic], dice: random.Random
) -> tuple[dict[int, str], topwords.TopwordsPlacement] | None:
    """Tiles of the rack in a line without a gap, and the move that this is."""
    stacks, rack = state.public.board, list(state.hands[0])
    direction = dice.choice("ws")
    at, step = dice.randrange(topwords.SIZE * topwords.SIZE), topwords.STEP[direction]
    room = topwords.SIZE - (at % topwords.SIZE if direction == "w" else at // topwords.SIZE)
    laid: dict[int, str] = {}
    dice.shuffle(rack)
    covering = dice.choice([0.2, 0.9])
    for square in range(at, at + dice.randint(1, room) * step, step):
        if (not stacks[square] or dice.random() < covering) and rack and rack[-1] != stacks[square][-1:]:
            laid[square] = rack.pop()
        elif not stacks[square]:
            break
    if not laid:
        return None
    after = [stack + laid.get(square, "") for square, stack in enumerate(stacks)]
    if len(laid) == 1:
        direction = "w" if len(rules.get_stack_run(after, min(laid), topwords.STEP["w"])) > 1 else "s"
    run = rules.get_stack_run(after, min(laid), topwords.STEP[direction])
    word = "".join(after[square][-1] for square in run)
    return laid, topwords.TopwordsPlacement(topwords.get_stack_name(run[0], state.public.options), direction, word)


def topwords_vectors(game: str) -> Iterator[Vector]:
    dice = random.Random("zug")
    while True:
        state = _topwords(dice)
        found = _lay_stacks(state, dice)
        if found is not None:
            laid, move = found
            # The page refuses a tile as it is laid, before it knows how long the word will be.
            full = any(len(state.public.board[square]) >= state.public.options.max_height for square in laid)
            yield Vector("topwords", state, tuple(laid.items()), move, "too-high" if full else None)


TOPWORDS = Family(
    "topwords",
    topwords_vectors,
    codes=names("too-high, no-centre, not-connected, too-short, covers-whole-word"),
    bonuses=names("bonus-rack, bonus-rare"),
    params=False,
)


# ---- Kreuzwort-Spiel and Point-Typ-Dom ----


MOST_LYING = 70
COLOURS: tuple[Colour, ...] = ("red", "black")
WAYS: tuple[board.Direction, ...] = ("w", "s")
STANDS = {JOLLIES["red"]: sorted(VOWELS), JOLLIES["black"]: sorted(set(LETTERS) - VOWELS)}


@dataclass
class Grown:
    """A turn of words, or a move of Wer behält recht?, as it grows, on the page and in Python."""

    table: board.TypdomTable
    hand: tuple[str, ...]
    steps: list[tuple[object, ...]] = field(default_factory=list)
    exchanges: list[JollyExchange] = field(default_factory=list)
    way: board.Direction = "w"
    stopped: bool = False
    """What was done last is refused: nothing follows."""
    places: list[board.Placement] = field(default_factory=list)
    buys: list[Colour] = field(default_factory=list)
    connects: bool = False
    """The last word laid joins others."""
    wrong: bool = False
    """A jolly stands for what it cannot."""
    public: recht.RechtPublic | None = None
    move: recht.Move | None = None


def _draw_turns(key: str) -> Iterator[Vector]:
    dice = random.Random(f"zug {key}")
    while True:
        state = _typdom(key, dice)
        made = _compose_turn(state, dice)
        if not made.steps or not (made.places or made.buys or made.stopped):
            continue
        turn = TypdomTurn(tuple(made.places), tuple(made.exchanges), tuple(sorted(made.buys, reverse=True)))
        vector = Vector(key, state, (), turn, done=tuple(made.steps), way=made.way)
        if made.wrong and isinstance(vector.outcome, PlayerError) and vector.outcome.code != "no-second-word":
            # The page refuses a jolly as it is laid, before it knows where the word will be.
            vector = replace(vector, code="wrong-jolly")
        yield vector


def _typdom(key: str, dice: random.Random) -> State[TypdomPublic]:
    options = load_game(key).options(table_size=dice.choice([15, 31, 40, 60]), strict_buy=dice.random() < 0.2)
    table = strokes(options.table_size, dice)
    wanted = (
        [table.get_letter(square) for square in board.list_exchangeable_jollies(table)][:2]
        if dice.random() < 0.7
        else []
    )
    tiles = [*RED, *BLACK, *STANDS, *STANDS, *STANDS]
    hands = tuple((*wanted, *dice.choices(tiles, k=dice.choice([1, 3, 8, 11]))) for _ in range(2))
    stock = _stock(dice)
    out = 1 if key == "point" and dice.random() < 0.2 else None
    public = TypdomPublic(options, table, left=count_colours(stock), out=out, gains=((), ()), starter=dice.randrange(2))
    return State(public, hands, stock, (0, 0), (0,))


def _stock(dice: random.Random) -> tuple[str, ...]:
    """Few tiles, sometimes of one colour."""
    stock = sorted(dice.sample([*RED, *BLACK], dice.choice([0, 1, 2, 9])), key=lambda tile: tile in BLACK)
    colours = [RED, BLACK] if dice.random() < 0.8 else [dice.choice([RED, BLACK])]
    return tuple(tile for tile in stock if any(tile in colour for colour in colours))


def strokes(size: int, dice: random.Random) -> board.TypdomTable:
    """Strokes of letters that cross: what words they are is nothing to geometry."""
    squares: dict[int, str] = {}
    start = board.TypdomTable(size).start
    jollies = dice.choice([0.05, 0.3])
    for _ in range(dice.choice([0, 1, 2, 4, 9])):
        at = dice.choice(sorted(squares)) if squares else start
        step = dice.choice([1, size])
        line = at % size if step == 1 else at // size
        first, last = max(0, line - dice.randrange(4)), min(size - 1, line + dice.randrange(1, 5))
        for square in range(at + (first - line) * step, at + (last - line) * step + 1, step):
            if square not in squares and len(squares) < MOST_LYING:
                squares[square] = (STAR if dice.random() < jollies else "") + dice.choice(LETTERS)
    return board.TypdomTable(size, squares)


def _compose_turn(state: State[TypdomPublic], dice: random.Random) -> Grown:
    made = Grown(state.public.table, state.hands[0])
    if dice.random() < 0.5:
        fetch_one(made, dice, others=True)
    kind = dice.random()
    if not made.stopped and kind < 0.2:
        _buy(made, dice, dice.choice([1, 1, 2, 3, 4]))
    elif not made.stopped and kind < 0.27:
        _cover(made, dice)
    elif not made.stopped:
        _word(made, dice)
        if made.places and not made.stopped and dice.random() < (0.8 if made.connects else 0.1):
            _second(made, dice)
        if made.places and not made.stopped and dice.random() < 0.2:
            _buy(made, dice, dice.choice([1, 1, 1, 2]))
    return made


def fetch_one(made: Grown, dice: random.Random, others: bool) -> None:
    """Take a jolly that lies for its letter; with ``others`` also what cannot be taken."""
    jollies = [square for square, tile in made.table.squares.items() if tile.startswith(STAR)]
    at = [square for square in jollies if made.table.get_letter(square) in made.hand]
    if others:
        at = at or jollies if dice.random() < 0.9 else sorted(made.table.squares)
    if not at:
        return
    square = dice.choice(at)
    where, letter = board.get_square_name(square, made.table.size), made.table.get_letter(square)
    made.steps.append(("act", "zug-fetch", square, made.way))
    made.exchanges.append(JollyExchange(letter, where))
    try:
        made.table, made.hand = board.exchange_jolly(made.table, where, letter, made.hand)
    except PlayerError:
        made.stopped = True


def _buy(made: Grown, dice: random.Random, count: int) -> None:
    made.buys += dice.choices(COLOURS, k=count)
    made.steps += [("act", f"zug-buy-{colour}", 0, made.way) for colour in made.buys]


def _second(made: Grown, dice: random.Random) -> None:
    """One more word; also where none is allowed."""
    before = len(made.steps)
    made.steps.append(("act", "zug-second", 0, made.way))
    _word(made, dice)
    if len(made.places) < 2:
        del made.steps[before:]


def _word(made: Grown, dice: random.Random) -> None:
    """Tiles of the rack in a line without a gap; most of the time at something that lies."""
    table, size, rack = made.table, made.table.size, list(made.hand)
    dice.shuffle(rack)
    near = [
        square
        for lying in table.squares
        for square in board.list_square_neighbours(lying, size)
        if square not in table.squares
    ]
    free = [square for square in near or [table.start] if dice.random() < 0.5] or [table.start]
    first = dice.choice(sorted(free)) if dice.random() < (0.95 if near else 0.7) else dice.randrange(size * size)
    way, count = dice.choice(WAYS), dice.choice([1, 1, 2, 3, 3, len(rack)])
    step, room = table.get_step(way), size - (first % size if way == "w" else first // size)
    laid: dict[int, str] = {}
    for square in range(first, first + room * step, step):
        if len(laid) == count or not rack:
            break
        if square not in table.squares:
            tile = rack.pop()
            laid[square], wrong = _show(made.hand, tile, dice)
            made.steps.append(("put", square, tile, laid[square][-1]))
            made.wrong = made.wrong or wrong
    if laid:
        made.way = way
        _placed(made, laid)


def _show(hand: tuple[str, ...], tile: str, dice: random.Random, word: str = "") -> tuple[str, bool]:
    """A tile as it will lie, also for a word; rarely a jolly that stands for what it cannot."""
    if not tile.startswith(STAR):
        return tile, False
    other = next(one for one in STANDS if one != tile)
    wrong = other not in hand and dice.random() < 0.2
    wanted = [letter for letter in word if letter in STANDS[tile]]
    return STAR + dice.choice(STANDS[other] if wrong else wanted or STANDS[tile]), wrong


def _placed(made: Grown, laid: dict[int, str]) -> None:
    """The word that the tiles make; of a lone one in the direction that was meant, if there is one."""
    after = board.TypdomTable(made.table.size, {**made.table.squares, **laid})
    first = min(laid)
    other: board.Direction = "s" if made.way == "w" else "w"
    meant = made.way if len(laid) > 1 or len(board.get_tile_run(after, first, made.way)) > 1 else other
    run = board.get_tile_run(after, first, meant)
    word = "".join(laid.get(square, after.get_letter(square)) for square in run)
    made.places.append(board.Placement(board.get_square_name(run[0], after.size), meant, word))
    try:
        laying = board.lay_typdom_word(made.table, made.places[-1], made.hand)
        made.table, made.connects = laying.table, laying.connects
        made.hand = remove_tiles_from_rack(made.hand, [to_rack_tile(tile) for tile in laid.values()])
    except PlayerError:
        made.stopped = True


def _cover(made: Grown, dice: random.Random) -> None:
    """A tile where another one lies."""
    table, plain = made.table, [tile for tile in made.hand if not tile.startswith(STAR)]
    lying = [square for square in table.squares if square % table.size < table.size - 1]
    if lying and plain:
        square, tile = dice.choice(lying), dice.choice(plain)
        if tile != table.get_letter(square):
            made.steps.append(("put", square, tile))
            made.places.append(
                board.Placement(
                    board.get_square_name(square, table.size), "w", f"{tile}{table.get_letter(square + 1) or 'A'}"
                )
            )
            made.stopped = True


_CAME_ABOUT = names(
    "0 places, 1 places, 2 places, 2 places with exchanges, TypdomTurn with exchanges, jolly, zug-fetch, zug-second"
)
KREUZWORT = Family(
    "typdom",
    lambda key: limit_kinds(_draw_turns(key), 4),
    codes=names(
        "buy-too-many, jolly-built-up, no-buy-with-word, no-jolly-there, no-second-word, no-start, not-connected, "
        "not-your-letters, other-letter, too-short, wrong-jolly"
    ),
    bonuses=names("second-missing"),
    ends={"out": "out"},
    params=False,
    wanted=_CAME_ABOUT | names("second-missing, out"),
)
POINT = replace(KREUZWORT, bonuses=names("went-out"), ends={}, wanted=_CAME_ABOUT | {"went-out"})


# ---- Wer behält recht? ----


MOST_WORD = 9
"""Letters of an announcement: fewer than the others hold tiles, so that only the seat to move runs out of them."""
OTHERS = 12


def recht_vectors(key: str) -> Iterator[Vector]:
    return limit_kinds(_draw_moves(key), 5)


def _draw_moves(key: str) -> Iterator[Vector]:
    dice = random.Random(f"zug {key}")
    while True:
        state = _recht(dice)
        made = _compose_move(state, dice)
        if made.move is None:
            continue
        move = replace(made.move, exchanges=tuple(made.exchanges))
        vector = Vector(key, state, (), move, done=tuple(made.steps), way=made.way)
        played = move if isinstance(vector.outcome, PlayerError) else vector.outcome.played
        yield vector if played == move else replace(vector, move=played)


def _recht(dice: random.Random) -> State[recht.RechtPublic]:
    seats = dice.choice([2, 2, 3, 4])
    options = recht.RechtOptions(
        table_size=dice.choice([15, 31, 40, 60]),
        strict_buy=dice.random() < 0.2,
        buy_before_pass=dice.random() < 0.3,
        games=dice.choice([1, 2]),
    )
    table = strokes(options.table_size, dice) if dice.random() < 0.95 else board.TypdomTable(options.table_size)
    stock = _stock(dice)
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
    kind = dice.random()
    public = _completing(public, dice) if kind < 0.12 else _running(public, dice) if kind < 0.65 else _new(public, dice)
    rest = tuple(tuple(dice.choices([*RED, *BLACK], k=OTHERS)) for _ in range(seats - 1))
    return State(public, (_recht_hand(public, dice), *rest), stock, (0,) * seats, (0,))


def _recht_hand(public: recht.RechtPublic, dice: random.Random) -> tuple[str, ...]:
    """Some of what the announced word needs, of what lying jollies stand for, and anything."""
    running = public.running
    wanted = (
        [public.table.get_letter(square) for square in board.list_exchangeable_jollies(public.table)][:2]
        if dice.random() < 0.5
        else []
    )
    if running is not None and dice.random() < 0.7:
        wanted += [*running.word]
    more = dice.choices([*RED, *BLACK, *STANDS, *STANDS, *STANDS], k=dice.choice([1, 3, 8]))
    few = dice.sample(more, 1) if dice.random() < 0.15 and not public.completing else [*wanted, *more]
    return tuple(few)


def _line(table: board.TypdomTable, dice: random.Random) -> tuple[board.Direction, board.Run] | None:
    """A run that lies."""
    if not table.squares:
        return None
    way = dice.choice(WAYS)
    return way, board.get_tile_run(table, dice.choice(sorted(table.squares)), way)


def _running(public: recht.RechtPublic, dice: random.Random) -> recht.RechtPublic:
    """With a fragment that may become a word; rarely without an announcement."""
    found = [(line, _word_over(public.table, *line, dice)) for _ in range(9) if (line := _line(public.table, dice))]
    good = [(line, word) for line, word in found if len(word) > len(line[1])]
    if not good:
        return public
    line, word = good[0]
    if dice.random() < 0.1:
        return replace(public, running=recht.WordInProgress(*line))
    authors = [seat for seat in range(1, len(public.gains)) if seat not in public.gone]
    return replace(
        public,
        running=recht.WordInProgress(
            *line, word, dice.choice(authors), recht.list_word_places(public.table, *line, word)
        ),
    )


def _word_over(table: board.TypdomTable, way: board.Direction, run: board.Run, dice: random.Random) -> str:
    """A word that can come to lie over a run; "" where there is none of that length."""
    step, at = table.get_step(way), recht.get_line_position(table, way, run[0])
    first, last = max(0, at - dice.randrange(4)), min(table.size - 1, at + len(run) - 1 + dice.randrange(4))
    squares = range(run[0] + (first - at) * step, run[0] + (last - at) * step + 1, step)
    word = "".join(table.get_letter(square) or dice.choice("AEINRST") for square in squares)
    return word if len(word) <= MOST_WORD and recht.list_word_places(table, way, run, word) else ""


def _completing(public: recht.RechtPublic, dice: random.Random) -> recht.RechtPublic:
    """The seat's own announcement has gone round and can lie in several places."""
    line = _line(public.table, dice)
    if line is None:
        return public
    text = public.table.get_run_text(line[1])
    word = "".join(dice.choice([text, "E", "N"]) for _ in range(3)) + text + dice.choice(["", "E", text])
    found = recht.list_word_places(public.table, *line, word)
    if len(found) < 2 or len(word) > MOST_WORD:
        return public
    return replace(public, running=recht.WordInProgress(*line, word, 0, found), completing=True, bought=False)


def _new(public: recht.RechtPublic, dice: random.Random) -> recht.RechtPublic:
    """A word was completed, or none yet."""
    line = _line(public.table, dice) if dice.random() < 0.9 else None
    return replace(public, finished=recht.FinishedWord(*line)) if line and len(line[1]) > 1 else public


def _compose_move(state: State[recht.RechtPublic], dice: random.Random) -> Grown:
    made = Grown(state.public.table, state.hands[0], public=state.public)
    if dice.random() < 0.3 and not state.public.completing:
        fetch_one(made, dice, others=dice.random() < 0.1)
    if made.stopped:
        made.move = recht.RechtPass()
    elif state.public.completing and dice.random() < 0.8:
        _complete(made, dice)
    elif dice.random() < 0.3:
        _hand_on(made, dice)
    else:
        _lay_tiles(made, dice)
    return made


def _complete(made: Grown, dice: random.Random) -> None:
    running, found = made.public.running, list_completions(replace(made.public, table=made.table), made.hand)
    if running is not None and found:
        good, every = [way.place[0] for way in found], [square for place in running.places for square in place]
        square = dice.choice(good if dice.random() < 0.7 else every)
        made.steps.append(("act", "zug-complete", square, made.way))
        made.move = recht.RechtCompletion(board.get_square_name(square, made.table.size))


def _hand_on(made: Grown, dice: random.Random) -> None:
    """A tile bought, the turn handed on, or both."""
    colour, kind = dice.choice(COLOURS), dice.choice(["buy", "pass", "both"])
    if kind != "pass":
        made.steps.append(("act", f"zug-buy-{colour}", 0, made.way))
    if kind != "buy":
        made.steps.append(("act", "zug-report-on", 0, made.way))
    made.move = recht.RechtPass() if kind == "pass" else recht.RechtPurchase(colour, kind == "both")


def _lay_tiles(made: Grown, dice: random.Random) -> None:
    """Tiles one after the other, each where one may go, but for the last; then the word."""
    running, laid = made.public.running, dict[int, str]()
    standing, way = running.word if running else "", _begin(made, dice)
    made.way = way.direction
    last: PossibleLaying | None = way
    for _ in range(dice.choice([1, 2, 3])):
        if not made.hand or (way.laid and len(way.laid) >= way.allowed_count and dice.random() < 0.9):
            break
        tile = dice.choice(made.hand)
        ends = (
            [recht.find_end_square(way.table, way.direction, way.run, side) for side in recht.SIDES]
            if way.run
            else [made.table.start]
        )
        free = [square for square in ends if square is not None]
        anywhere = [*sorted(made.table.squares), *range(15)]
        square = dice.choice(free if free and dice.random() < 0.94 else anywhere)
        letter, wrong = _show(made.hand, tile, dice, standing)
        if square in laid or (wrong and laid):
            break
        made.hand = remove_tiles_from_rack(made.hand, [tile])
        made.steps.append(("put", square, tile, letter[-1]))
        laid[square] = letter
        if wrong or square not in free or len(way.laid) >= way.allowed_count:
            last = None
            break
        last = way = extend_laying(way, square, letter)
    word = _announced(last, standing, dice) if last is not None else "WORT"
    if not laid or not (word or standing):
        return
    goes_on = bool(standing) and word in ("", standing) and dice.random() < 0.9
    typed = "" if goes_on and dice.random() < 0.5 else word or standing
    made.steps.append(("said", typed if dice.random() < 0.5 else f" {typed.lower()}"))
    tiles = tuple(
        recht.RechtTile(letter, board.get_square_name(square, made.table.size)) for square, letter in laid.items()
    )
    made.move = recht.RechtLaying(tiles, typed, "" if running or last is None else last.direction, not typed)


def _begin(made: Grown, dice: random.Random) -> PossibleLaying:
    """The line in which tiles are laid."""
    table, running, finished = made.table, made.public.running, made.public.finished
    if running is not None:
        return PossibleLaying(table, running.direction, running.run)
    if not table.squares:
        return PossibleLaying(table, made.way)
    direction = dice.choice(list_new_directions(finished))
    return PossibleLaying(
        table,
        direction,
        board.get_tile_run(table, dice.choice(finished.run if finished else sorted(table.squares)), direction),
    )


def _announced(way: PossibleLaying, standing: str, dice: random.Random) -> str:
    """A word that may come to lie there, most of the time; "" = the one that stands."""
    kind, text = dice.random(), way.table.get_run_text(way.run)
    if standing and (kind < 0.1 or recht.list_word_places(way.table, way.direction, way.run, standing)) and kind < 0.5:
        return ""
    if kind < 0.56:
        return "".join(dice.choices(LETTERS, k=dice.choice([1, 4, 5, 6, 7, 8])))
    longer = "E" * dice.randrange(6) + text + "N" * dice.randrange(1, 6)
    return longer if kind < 0.66 else _word_over(way.table, way.direction, way.run, dice) or longer


_BONUSES = names("premium-square, premium-vowel, reports-on")
_MOVES = names("RechtLaying, RechtPurchase, RechtPass, RechtCompletion")
RECHT = Family(
    "recht",
    recht_vectors,
    codes=names(
        "bought-already, cannot-lie-there, complete-first, does-not-cross, jolly-built-up, lacks-fragment, "
        "no-jolly-there, no-room, not-at-fragment, not-your-letters, one-tile-only, start-square, stock-empty, taken, "
        "too-short, touches-nothing, wrong-jolly"
    ),
    bonuses=_BONUSES,
    blunt=names("does-not-cross, not-at-fragment, one-tile-only, start-square, taken, touches-nothing"),
    wanted=_BONUSES
    | _MOVES
    | {f"{one} with exchanges" for one in _MOVES - {"RechtCompletion"}}
    | names("1 tiles, 2 tiles, goes on, jolly, going w, going s"),
)


# ---- Presto: right crosswords and others ----


Squares = dict[int, str]
"""Square of the page's table -> tile as it lies there."""


def presto_vectors(key: str) -> Iterator[Vector]:
    dice = random.Random(f"zug {key}")
    while True:
        state = _presto(dice)
        fewer = dice.choice([0, 0, 0, 0, 1, 1, 2, 5])
        hand = list(state.hands[0])
        dice.shuffle(hand)
        laid = _lay_anyhow(hand[: max(1, len(hand) - fewer)], dice)
        made = Vector(key, state, (), _layout(laid), done=tuple(_list_steps(laid, dice)))
        wrong = _wrong_jolly(made, laid) if dice.random() < 0.2 else None
        yield wrong or made


def _presto(dice: random.Random) -> State[PrestoPublic]:
    """Tiles from the box, as many as somebody gets, or fewer."""
    seats = dice.choice(sorted(HANDS))
    red, black = (dice.choice([most, dice.randint(1, most)]) for most in HANDS[seats])
    hand = (*dice.sample(RED, red), *dice.sample(BLACK, black))
    finished = (1,) if seats > 2 and dice.random() < 0.4 else ()
    options = PrestoOptions(finish_with_one_left=dice.random() < 0.4)
    public = PrestoPublic(options, finished=finished, gains=(0,) * seats, empty=len(finished))
    hands = (hand, *(("A", "B") for _ in range(seats - 1)))
    others = tuple(seat for seat in range(seats) if seat not in finished)
    return State(public, hands, (), (0,) * seats, others, (None,) * seats)


def _lay_anyhow(tiles: list[str], dice: random.Random) -> Squares:
    """One beside the other: in strokes that cross, or anyhow; rarely some of them apart."""
    square = dice.randrange(board.SIZE) + board.SIZE * dice.randrange(board.SIZE)
    laid: Squares = {}
    step, straight, apart = 1, dice.choice([0.3, 0.8, 0.95]), dice.choice([0, 0, 0, 0.1])
    for tile in tiles:
        laid[square] = STAR + dice.choice(STANDS[tile]) if tile in STANDS else tile
        if (
            square + step in laid
            or square + step not in board.list_square_neighbours(square, board.SIZE)
            or dice.random() > straight
        ):
            square, step = dice.choice(sorted(laid)), dice.choice([-board.SIZE, -1, 1, board.SIZE])
        free = [one for one in board.list_square_neighbours(square, board.SIZE) if one not in laid]
        near = [one for lying in laid for one in board.list_square_neighbours(lying, board.SIZE) if one not in laid]
        square = square + step if square + step in free else dice.choice(free or near)
        if dice.random() < apart:
            square = dice.choice([one for one in range(board.SIZE * board.SIZE) if one not in laid])
    return laid


def _layout(laid: Squares) -> Any:
    return build_crossword({(square % board.SIZE, square // board.SIZE): tile for square, tile in laid.items()})


def _list_steps(laid: Squares, dice: random.Random) -> Iterator[tuple[object, ...]]:
    """In any order; sometimes a tile lies elsewhere before, or is taken away and laid again."""
    order = list(laid.items())
    dice.shuffle(order)
    for square, tile in order:
        put = ("put", square, to_rack_tile(tile), tile[-1])
        yield put
        if dice.random() < 0.05:
            yield ("take", square)
            yield put


def _wrong_jolly(vector: Vector, laid: Squares) -> Vector | None:
    """The last tile laid is a jolly that stands for what it cannot: the page says so as it is laid, and Python of the
    whole, in which the letter is missing."""
    found = next((square for square, tile in laid.items() if tile.startswith(STAR)), None)
    if found is None:
        return None
    jolly = to_rack_tile(laid[found])
    letter = "N" if jolly == JOLLIES["red"] else "E"
    if list(laid.values()).count(letter) < list(vector.state.hands[0]).count(letter):
        return None  # one that is left would do
    rest = tuple(step for step in vector.done if step[1] != found)
    code = "fault-jolly-red" if jolly == JOLLIES["red"] else "fault-jolly-black"
    done = (*rest, ("put", found, jolly, letter))
    return replace(vector, move=_layout({**laid, found: STAR + letter}), code=code, done=done)


PRESTO = Family(
    "presto",
    presto_vectors,
    codes=names(
        "not-right, fault-apart, fault-jolly-black, fault-jolly-red, fault-left, fault-left-many, fault-missing"
    ),
    bonuses=names("one-left, own-words"),
    wanted=names("1 points, 2 points, 4 points, 2 seats, 6 seats, jolly, one-left, take"),
)


FAMILIES = {"topwords": TOPWORDS, "kreuzwort": KREUZWORT, "point": POINT, "recht": RECHT, "presto": PRESTO}
