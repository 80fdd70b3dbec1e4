"""Values of Topwords: the letters in the box, options, moves, the public state, and the names of squares; how they
change: dealing, drawing, whose turn it is, and when the game is over; and positions as plain values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from moderator.common.errors import ConfigError, Illegal, NeverLegal, OperatorError, RecordError
from moderator.rules.codec import Audience, PositionCodec
from moderator.rules.game import BEFORE, Context, Note, State, Step
from moderator.rules.position import PLAYERS, Diagram, read_fixed_deal
from moderator.words.kinds import ALPHABETS

ALPHABET = ALPHABETS["topwords"]
RARE = frozenset("JQXYZ")
"""Each of these is worth RARE_POINTS when it comes from the rack."""
RARE_POINTS = 2
RACK_POINTS = 10
"""For a move that uses the whole rack."""

_GERMAN = "E15 N9 S7 I6 R6 T6 U6 A5 D4 H4 M4 G3 L3 O3 B2 C2 F2 K2 P1 V1 W1 Z1 Ä1 Ö1 Ü1 J1 Q1 X1 Y1"
_ENGLISH = "E8 A7 I7 O7 S6 D5 L5 M5 N5 R5 T5 U5 C4 B3 F3 G3 H3 P3 K2 W2 Y2 J1 Q1 V1 X1 Z1"


def _parse_counts(text: str) -> dict[str, int]:
    return {item[0]: int(item[1:]) for item in text.split()}


SETS: dict[str, Mapping[str, int]] = {"german-100": _parse_counts(_GERMAN), "english-100": _parse_counts(_ENGLISH)}
"""Letter -> how many. German: the usual crossword set without blanks; English: the Upwords 10x10 set."""


MOST_TILES = 1000
"""In a custom distribution."""


def list_bag_tiles(tiles: str | Mapping[str, int]) -> tuple[str, ...]:
    """Return every tile of a set's name or of a custom distribution, in alphabetical order.

    Raises ConfigError for an unknown name, for what is no letter of the game and for a negative count."""
    if isinstance(tiles, str):
        if tiles not in SETS:
            raise ConfigError(f"There is no tile set {tiles!r}.", f"Known: {', '.join(sorted(SETS))}.")
        tiles = SETS[tiles]
    for letter, count in tiles.items():
        if letter not in ALPHABET:
            raise ConfigError(f"tiles: {letter!r} is no letter of Topwords.", "Use the capitals A-Z and Ä Ö Ü.")
        if count < 0:
            raise ConfigError(f"tiles: {letter} = {count} is wrong.", "Counts are 0 or more.")
    if sum(tiles.values()) > MOST_TILES:
        raise ConfigError("tiles: there are too many.", f"At most {MOST_TILES}.")
    return tuple(letter for letter in sorted(tiles) for _ in range(tiles[letter]))


# ---- options, moves, what everybody sees ----


SIZE = 10
LETTERS = "ABCDEFGHIJ"
CENTRE = frozenset(y * SIZE + x for y in (4, 5) for x in (4, 5))

Direction = Literal["w", "s"]
STEP: dict[str, int] = {"w": 1, "s": SIZE}
"""From one square of a word to the next, as a difference of square indices."""


TURNS = {"paces": ("sequential", "rounds")}
COMMON = {"paces": ("common",)}
"""Of an option that means nothing elsewhere."""


@dataclass(frozen=True)
class TopwordsOptions:
    """The options that may be agreed per match; RULES.md has the table. Raises ConfigError for a value out of range."""

    pace: Literal["sequential", "rounds", "common"] = "sequential"
    first: Literal["lot", "seat"] = field(default="lot", metadata={BEFORE: "seat", **TURNS})
    rack_size: int = field(default=7, metadata=TURNS)
    common_rack: int = field(default=8, metadata=COMMON)
    max_height: int = 5
    cover_whole_word: bool = True
    exchange: bool = field(default=True, metadata=TURNS)
    letter_axis: Literal["columns", "rows"] = "columns"
    tiles: Literal["german-100", "english-100"] | dict[str, int] = "german-100"
    leftover_penalty: int = field(default=0, metadata=TURNS)
    pass_rounds: int = 2
    rounds: int | None = None
    common_end: bool = field(default=True, metadata=COMMON)
    claims: Literal["advisory", "strict"] = "advisory"
    policy: str = "topwords"
    unknown_words: Literal["reject", "ask"] = "reject"

    def __post_init__(self) -> None:
        least = {
            "rack_size": 1,
            "common_rack": 1,
            "max_height": 1,
            "leftover_penalty": 0,
            "pass_rounds": 1,
            "rounds": 1,
        }
        for one in fields(self):
            value = getattr(self, one.name)
            if one.name in least and value is not None and value < least[one.name]:
                raise ConfigError(f"{one.name} = {value} is too small.", f"At least {least[one.name]}.")
        list_bag_tiles(self.tiles)

    @property
    def full_rack(self) -> int:
        """Tiles of a full rack in this pace."""
        return self.common_rack if self.pace == "common" else self.rack_size


@dataclass(frozen=True, slots=True)
class TopwordsPlacement:
    """The laying of a word. ``square`` is "E5" (letter first), ``word`` the key in capitals.

    ``named`` are the words in parentheses: claims, or base forms of separable verbs. ``points`` is the claim."""

    square: str
    direction: Direction
    word: str
    named: tuple[str, ...] = ()
    points: int | None = None


@dataclass(frozen=True)
class TopwordsPass:
    """A turn in which nothing is done."""


@dataclass(frozen=True)
class LetterExchange:
    """An exchange: letters are given back, and as many drawn."""

    letters: tuple[str, ...]


Move = TopwordsPlacement | TopwordsPass | LetterExchange

Run = tuple[int, ...]
"""Squares of one run of letters, in reading order."""


@dataclass(frozen=True)
class TopwordsPublic:
    """The state that everybody sees."""

    options: TopwordsOptions
    board: tuple[str, ...] = ("",) * (SIZE * SIZE)
    """100 stacks, row by row from the top left; each a string from bottom to top."""
    round: int = 1
    starter: int = 0
    """Seat that began (``sequential``) or is evaluated first in this round (``rounds``)."""
    passes: int = 0
    """Turns in a row in which a seat passed or sent nothing."""
    exchanges: int = 0
    """How many exchanges there were; each has its own shuffle."""
    fresh: tuple[int, ...] = ()
    """Squares that the last laid word covered anew."""
    runs: tuple[Run, ...] = ()
    """Words that the last move formed."""


def get_stack_index(square: str, options: TopwordsOptions) -> int:
    """Return the index 0..99 of a square's name. Raises Illegal("square-off-board", square)."""
    letter, number = square[:1], square[1:]
    if letter not in LETTERS or not letter or number not in {str(n) for n in range(1, SIZE + 1)}:
        raise NeverLegal("square-off-board", square=square)
    a, b = LETTERS.index(letter), int(number) - 1
    return b * SIZE + a if options.letter_axis == "columns" else a * SIZE + b


def get_stack_name(square: int, options: TopwordsOptions) -> str:
    """Return the name of the square with that index, letter first."""
    y, x = divmod(square, SIZE)
    a, b = (x, y) if options.letter_axis == "columns" else (y, x)
    return f"{LETTERS[a]}{b + 1}"


# ---- how turns go on ----


def deal_topwords_match(
    seats: int, options: TopwordsOptions, ctx: Context, fixed: Mapping[str, Any] | None
) -> Step[TopwordsPublic]:
    """Return the opening state. ``fixed`` may give racks, stock, board and starter; see RULES.md.

    Raises OperatorError if the tiles do not suffice, RecordError for a wrong ``fixed``."""
    fixed = fixed or {}
    racks = 1 if options.pace == "common" else seats
    given = Diagram.wrap({"board": fixed.get("board")}, seats)
    board = read_topwords_rows(given, "board", options)
    given.refuse()
    starter = fixed.get("starter", 0)
    if not isinstance(starter, int) or not 0 <= starter < seats:
        raise RecordError(f"starter = {starter!r} is no seat.", f"Seats are 0 to {seats - 1}.")
    hands, tiles = read_fixed_deal(fixed, racks, find_letter)
    stock = tiles or ()
    if hands is None:
        tiles = ctx.shuffle("round1", list_bag_tiles(options.tiles)) if tiles is None else tiles
        size = options.full_rack
        if len(tiles) < racks * size:
            option = "common_rack" if options.pace == "common" else "rack_size"
            raise OperatorError(
                f"{option}={size} with {seats} seats needs {racks * size} of {len(tiles)} tiles;"
                f" at most {len(tiles) // racks}.",
                "Take less, fewer seats, or other tiles.",
            )
        hands = tuple(tuple(tiles[i * size : (i + 1) * size]) for i in range(racks))
        stock = tuple(tiles[racks * size :])
    public = TopwordsPublic(options=options, board=board, starter=starter)
    to_move = (starter,) if options.pace == "sequential" else tuple(range(seats))
    notes = () if options.pace == "common" else (Note("starts", seat=starter),)
    return Step(State(public, hands, stock, (0,) * seats, to_move), notes)


def find_letter(text: str) -> str | None:
    """Return the tile of a text, None for none."""
    return text.upper() if len(text) == 1 and text.upper() in ALPHABET else None


EMPTY = "."


def read_topwords_rows(values: Diagram, key: str, options: TopwordsOptions) -> tuple[str, ...]:
    """Return the stacks out of ten rows, each of ten texts from bottom to top letter or one text, ``.`` for no stack.
    What is wrong is told to ``values``; no rows are an empty board."""
    rows, board = values.get(key), list[str]()
    if rows and not isinstance(rows, list | tuple):
        values.wrong((key,), "the board has the wrong shape.")
    elif rows and len(rows) != SIZE:
        values.wrong((key,), f"{len(rows)} rows; there are {SIZE}.")
    else:
        for n, row in enumerate(rows or ()):
            given = row.split() if isinstance(row, str) else row if isinstance(row, list | tuple) else [row]
            stacks = [one or EMPTY for one in given]
            board += ["" if one == EMPTY else str(one).upper() for one in stacks]
            wrong = [one for one in stacks if one != EMPTY and not _is_stack(one, options)]
            if wrong:
                values.wrong((key, n), f"{wrong[0]!r} is no stack of at most {options.max_height} letters.")
            elif len(stacks) != SIZE:
                values.wrong((key, n), f"{len(stacks)} squares; there are {SIZE}, . for an empty one.")
    return tuple(board) if len(board) == SIZE * SIZE else ("",) * (SIZE * SIZE)


def _is_stack(value: Any, options: TopwordsOptions) -> bool:
    return isinstance(value, str) and ALPHABET.issuperset(value.upper()) and len(value) <= options.max_height


def remove_letters_from_rack(hand: Sequence[str], letters: Sequence[str]) -> tuple[str, ...]:
    """Return ``hand`` without ``letters``, order unchanged. Raises Illegal("not-your-letters")."""
    gone = Counter(letters)
    missing = gone - Counter(hand)
    if missing:
        raise Illegal("not-your-letters", letters=sorted(missing.elements()), word="")
    kept = []
    for letter in hand:
        if gone[letter]:
            gone[letter] -= 1
        else:
            kept.append(letter)
    return tuple(kept)


def refill_topwords_rack(
    hand: tuple[str, ...], stock: tuple[str, ...], size: int
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return (hand, stock, drawn tiles) after drawing up to ``size``."""
    count = max(0, min(size - len(hand), len(stock)))
    return hand + stock[:count], stock[count:], stock[:count]


def list_draw_notes(seat: int, tiles: Sequence[str]) -> tuple[Note, ...]:
    """Return the notes about drawn tiles: one for everybody, and one for the seat."""
    if not tiles:
        return ()
    return (
        Note("drew", {"count": len(tiles)}, seat=seat),
        Note("drew-tiles", {"tiles": list(tiles)}, seat=seat, only=seat),
    )


def replace_seat_hand(state: State[TopwordsPublic], seat: int, hand: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Return all hands, with that of ``seat`` exchanged."""
    return (*state.hands[:seat], hand, *state.hands[seat + 1 :])


def advance_topwords_turn(state: State[TopwordsPublic], seat: int) -> tuple[State[TopwordsPublic], tuple[Note, ...]]:
    """Go on to the next seat's turn in pace ``sequential``, or to the end. Other paces wait for the round's end."""
    public = state.public
    if public.options.pace != "sequential":
        return state, ()
    ending = find_out_of_tiles_note(state) or find_all_passed_note(state)
    if ending:
        return finish_topwords_match(state, ending)
    following = (seat + 1) % state.seats
    if following == public.starter:
        if public.round == public.options.rounds:
            return finish_topwords_match(state, Note("rounds-reached", {"rounds": public.round}))
        public = replace(public, round=public.round + 1)
    return replace(state, public=public, to_move=(following,)), ()


def find_out_of_tiles_note(state: State[TopwordsPublic]) -> Note | None:
    """Return the note that ends the game if the stock and some rack are empty."""
    if state.stock:
        return None
    shared = len(state.hands) == 1
    return next((Note("out-of-tiles", seat=None if shared else s) for s, h in enumerate(state.hands) if not h), None)


def find_all_passed_note(state: State[TopwordsPublic]) -> Note | None:
    """Return the note that ends the game if every seat passed in ``pass_rounds`` rounds in a row."""
    rounds = state.public.options.pass_rounds
    return Note("all-passed", {"rounds": rounds}) if state.public.passes >= rounds * state.seats else None


def finish_topwords_match(state: State[TopwordsPublic], ending: Note) -> tuple[State[TopwordsPublic], tuple[Note, ...]]:
    """End the match: nobody to move, tiles left on racks are paid for (a common rack is nobody's)."""
    notes = [ending]
    scores = list(state.scores)
    if state.public.options.pace != "common":
        for seat, hand in enumerate(state.hands):
            if cost := compute_leftover_cost(state, seat):
                scores[seat] -= cost
                notes.append(Note("leftover", {"count": len(hand), "points": cost}, seat=seat, points=-cost))
    return replace(state, scores=tuple(scores), to_move=()), tuple(notes)


def compute_leftover_cost(state: State[TopwordsPublic], seat: int) -> int:
    """Return the points that the tiles on the seat's own rack cost at the end."""
    return state.public.options.leftover_penalty * len(state.hands[seat])


class TopwordsCodec(PositionCodec[TopwordsPublic]):
    """``rows``: ten of ten stacks, each from bottom to top; in a diagram ``board``, each row a text, ``.`` for no
    stack. ``fresh``: squares that the last word covered anew; ``starter``: who began, or is the first of this round;
    ``passes`` in a row; ``exchanges`` so far."""

    def write(self, state: State[TopwordsPublic], audience: Audience) -> dict[str, Any]:
        public, options = state.public, state.public.options
        rows = [list(public.board[y * SIZE : (y + 1) * SIZE]) for y in range(SIZE)]
        if audience is Audience.SEAT:
            return {"rows": rows, "fresh": [get_stack_name(square, options) for square in public.fresh]}
        if audience is Audience.RECORD:
            return {"rows": rows, "round": public.round, "starter": public.starter}
        return {
            **({"turn": state.to_move[0]} if options.pace == "sequential" else {}),
            "board": [" ".join(stack or EMPTY for stack in row) for row in rows] if any(public.board) else [],
            "starter": (public.starter + _count_turned_seats(public)) % state.seats,
            "passes": public.passes,
            "exchanges": public.exchanges,
        }

    def read(
        self, values: Diagram, options: TopwordsOptions, audience: Audience, ctx: Context | None
    ) -> State[TopwordsPublic]:
        is_diagram, round, starter = audience is Audience.DIAGRAM, values.round(), values.seat("starter")
        to_move = (values.turn(),) if is_diagram and options.pace == "sequential" else tuple(range(values.seats))
        board = read_topwords_rows(values, "board" if is_diagram else "rows", options)
        if is_diagram and not values.faults and any(board) and not _is_connected(board):
            values.wrong(("board",), "the words do not hang together, or none lies on the centre.")
        passes, exchanges = values.whole("passes"), values.whole("exchanges")
        fresh = () if is_diagram else tuple(get_stack_index(one, options) for one in values.get("fresh") or ())
        public = TopwordsPublic(options, board, round, starter, passes, exchanges, fresh)
        if is_diagram:
            public = replace(public, starter=(starter - _count_turned_seats(public)) % values.seats)
        return State(public, (), (), (), to_move)

    def find_tile(self, text: str) -> str | None:
        return find_letter(text)

    def list_box(self, state: State[TopwordsPublic]) -> tuple[str, ...]:
        return list_bag_tiles(state.public.options.tiles)

    def list_lying(self, state: State[TopwordsPublic]) -> str:
        return "".join(state.public.board)

    def read_hands(self, values: Diagram, state: State[TopwordsPublic]) -> tuple[tuple[str, ...], ...]:
        common = state.public.options.pace == "common"
        return (values.tiles("rack", self.find_tile) or (),) if common else values.racks(self.find_tile)

    def complete(self, state: State[TopwordsPublic], values: Diagram) -> State[TopwordsPublic]:
        most = state.public.options.full_rack
        for seat, hand in enumerate(state.hands):
            if len(hand) > most:
                path = ("rack",) if len(state.hands) == 1 else (PLAYERS, seat, "rack")
                values.wrong(path, f"{len(hand)} tiles are more than a rack holds: {most}.")
        return state


def _count_turned_seats(public: TopwordsPublic) -> int:
    """Return how many seats after ``starter`` the first of this round sits."""
    return public.round - 1 if public.options.pace == "common" else 0


def _is_connected(board: tuple[str, ...]) -> bool:
    """Return whether the centre is covered and every stack hangs together with it."""
    waiting = [square for square in CENTRE if board[square]]
    reached = set(waiting)
    while waiting:
        square = waiting.pop()
        y, x = divmod(square, SIZE)
        near = [(y, x - 1), (y, x + 1), (y - 1, x), (y + 1, x)]
        found = {b * SIZE + a for b, a in near if 0 <= a < SIZE and 0 <= b < SIZE and board[b * SIZE + a]} - reached
        reached |= found
        waiting += found
    return len(reached) == sum(map(bool, board))
