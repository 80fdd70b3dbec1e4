"""A turn as data: what the seat to move may see, in the small JSON file that each mail carries which asks for a move.

docs/build/turn.md says what stands in it, so that anybody can write a program that shows the position and composes the
answer. It is made of what the reader's page is made of, and of nothing else: the view of the seat, its address for the
answer, the deadline. Names of players are left out where it would become too large.
"""

from __future__ import annotations

import json
import re
import zlib
from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from typing import Any

from moderator.common.errors import ConfigError, OperatorError, PlayerError, RecordError
from moderator.common.typed import build_dataclass
from moderator.rules import shuffling
from moderator.rules.game import Game, State, read_options
from moderator.rules.records import file
from moderator.rules.state import Context, View
from moderator.rules.words import AnyWords

VERSION = 1
"""Of the format. A higher one may mean anything; new keys alone do not raise it."""
KIND = "application/vnd.moderator.turn+json"
MOST = 8192
"""Bytes of the file."""
NAME = 40
"""Letters of a name."""
LARGEST = 1 << 16
"""Bytes that are read of a file; ours have ``MOST``, another program's may have blanks and lines."""
MOST_TILES = 1000
"""In a hand or in the stock of any game."""
UPGRADE = "Install a newer version of moderator."
SENT_BY_US = "Give the attachment as it came, or the whole mail."


@dataclass(frozen=True)
class TurnReply:
    """The address and the subject of the answer. Both have the seat's secret token."""

    address: str
    subject: str


@dataclass(frozen=True)
class TurnData:
    """The file; docs/build/turn.md says what each field means."""

    match: str
    game: str
    entry: int
    round: int
    seat: int
    scores: tuple[int, ...]
    rack: tuple[str, ...]
    stock: int
    options: Mapping[str, Any]
    board: Mapping[str, Any]
    reply: TurnReply
    language: str
    zone: str
    deadline: str | None
    turn: int = VERSION
    name: str = ""
    names: tuple[str, ...] = ()
    tiles: tuple[int, ...] = ()
    common: bool = False
    puzzle: int = 0
    """Number of the puzzle that it is the position of; 0 = it is a turn of a match."""
    picture: Mapping[str, Any] = field(default_factory=dict)
    """The table as the touch board draws it, in games that list their legal moves."""
    moves: tuple[Any, ...] = ()
    """All legal moves, as that page shows them."""
    situation: tuple[str, ...] = ()
    """What holds besides, in the sentences of the mail."""


FIRST = ("turn", "match", "name", "game", "entry", "round", "deadline", "zone", "language", "reply", "seat")
"""Keys in the order in which somebody who opens the file wants to read them; the others follow."""
LEFT_OUT = ("name", "names", "tiles", "common", "puzzle", "picture", "moves", "situation")
"""Keys that are not written where there is nothing to say."""
FOR_PAGES = ("picture", "moves", "situation")
"""Keys that follow from the others, and are not read back."""
FOR_RULES = ("options", "board")
"""Keys that nobody needs who has all legal moves."""


def build_table_values(game: Game[Any, Any], view: View[Any]) -> dict[str, Any]:
    """Return what lies on the table, as far as the seat of this view may see it."""
    return game.table(view.public)


def format_utc_moment(at: datetime | None) -> str | None:
    """Return an aware time as the file has it: ``2026-12-01T19:00:00Z``."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if at else None


# ---- writing ----


def encode_turn(data: TurnData) -> bytes | None:
    """Return the file, one key to a line; without the players' names where it would be too large with them. None where
    it is too large even so, as it may be in a game of another package."""
    for one in (data, replace(data, names=())):
        if len(written := _encode_file(one)) <= MOST:
            return written
    return None


def _encode_file(data: TurnData, without: Collection[str] = ()) -> bytes:
    values = asdict(data)
    keys = [*FIRST, *(key for key in values if key not in {*FIRST, *without})]
    lines = [
        f"{_to_compact_json(key)}:{_to_compact_json(values[key])}" for key in keys if values[key] or key not in LEFT_OUT
    ]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode("utf-8", "replace")


def _to_compact_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# ---- reading ----


def decode_turn(text: bytes) -> TurnData:
    """Read the file, whoever wrote it. Keys that are not known are left alone. Raises RecordError."""
    try:
        values = file.parse_json(text.decode("utf-8")) if len(text) <= LARGEST else None
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict) or "turn" not in values:
        raise RecordError("This is no turn.", SENT_BY_US)
    if values["turn"] != VERSION:
        raise RecordError(f"This turn is of format {str(values['turn'])[:20]}, and {VERSION} is known here.", UPGRADE)
    if isinstance(reply := values.get("reply"), dict):
        values["reply"] = _filter_known_keys(TurnReply, reply)
    try:
        values = {key: value for key, value in values.items() if key not in FOR_PAGES}
        data = build_dataclass(TurnData, _filter_known_keys(TurnData, values), "turn")
    except ConfigError as error:
        raise RecordError(f"This turn is damaged: {error.message}", SENT_BY_US) from error
    if found := _find_misshapen_key(data):
        raise RecordError(f"This turn is damaged: {found} is wrong.", SENT_BY_US)
    seats = len(data.scores)
    fits = 0 <= data.seat < seats and all(len(one) in (0, seats) for one in (data.names, data.tiles))
    if not fits or not all(0 <= count <= MOST_TILES for count in (data.stock, *data.tiles)):
        raise RecordError("This turn is damaged: its seats do not fit together.", SENT_BY_US)
    return data


def _filter_known_keys(cls: type[TurnReply | TurnData], values: Mapping[str, Any]) -> dict[str, Any]:
    names = {one.name for one in fields(cls)}
    return {key: value for key, value in values.items() if key in names}


_FORMS = {
    "match": re.compile(r".+", re.DOTALL),
    "name": re.compile(rf".{{0,{NAME}}}", re.DOTALL),
    "game": re.compile(r"[a-z][a-z0-9_]*"),
    "deadline": re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII),
    "language": re.compile(r"[a-z]{2,3}"),
}
_ADDRESS, _SUBJECT = re.compile(r"[^@\s]+@[^@\s]+"), re.compile(r"\[[^\]]+\]$")
TILE = 6
"""Letters of a tile's name."""


def _find_misshapen_key(data: TurnData) -> str:
    """Return a key whose value has not the form that its schema says; "" = none."""
    texts = {key: getattr(data, key) for key in _FORMS}
    wrong = [key for key, text in texts.items() if text is not None and not _FORMS[key].fullmatch(text)]
    if data.puzzle < 0:
        wrong.append("puzzle")
    if data.entry < 0 or data.round < 1:
        wrong.append("entry" if data.entry < 0 else "round")
    if not _ADDRESS.fullmatch(data.reply.address) or not _SUBJECT.search(data.reply.subject):
        wrong.append("reply")
    if any(len(name) > NAME for name in data.names):
        wrong.append("names")
    if not all(0 < len(tile) <= TILE for tile in data.rack):
        wrong.append("rack")
    if data.options.get("pace") not in ("sequential", "rounds", "common", "race"):
        wrong.append("options")
    return wrong[0] if wrong else ""


def build_turn_view(data: TurnData, game: Game[Any, Any]) -> View[Any] | None:
    """Return the view of the seat, its turn having come; None in a game that reads no table back. Raises
    RecordError."""
    seats, options = len(data.scores), parse_turn_options(data, game)
    try:
        public = game.placed(data.board, options, seats, data.round)
        if public is None:
            return None
        view = View(data.seat, public, data.rack, (), data.stock, data.scores, (data.seat,))
        game.build_scene(view)
        whole = all(_is_same_json(data.board[key], value) for key, value in build_table_values(game, view).items())
    except RecordError as error:
        raise RecordError(f"This turn is damaged: {error.message}", SENT_BY_US) from error
    except (PlayerError, LookupError, TypeError, ValueError, AttributeError) as error:
        # A game reads what it has written; a file that is none of ours may hold anything else.
        raise RecordError("This turn is damaged: its board is none of this game.", SENT_BY_US) from error
    if not whole:
        raise RecordError("This turn is damaged: its board does not fit together.", SENT_BY_US)
    counts = (len(data.rack),) if data.common else data.tiles or (0,) * seats
    return View(data.seat, public, data.rack, counts, data.stock, data.scores, (data.seat,))


def _is_same_json(one: Any, other: Any) -> bool:
    """Return whether two values are the same as JSON, where true is no 1 and the order of keys says nothing."""
    first, second = (json.dumps(value, sort_keys=True) for value in (one, other))
    return first == second


def parse_turn_options(data: TurnData, game: Game[Any, Any]) -> Any:
    """Return the options that are agreed for the match. Raises RecordError."""
    try:
        return read_options(game, data.options)
    except ConfigError as error:
        raise RecordError(f"This turn is damaged: {error.message}", SENT_BY_US) from error


def build_possible_state(game: Game[Any, Any], view: View[Any], options: Any) -> State[Any]:
    """Return a state that looks like this to the seat: what it cannot see is dealt in any way that may be. What the
    seat may lay, and what it scores, is the same in each of them. Raises RecordError for options that no match can
    have."""
    try:
        dealt = game.setup(len(view.scores), options, CONTEXT).state
    except OperatorError as error:
        raise RecordError(f"This turn is damaged: {error.message}", SENT_BY_US) from error
    every = [*dealt.stock, *(tile for hand in dealt.hands for tile in hand), *_list_table_tiles(game, dealt.public)]
    unseen = list((Counter(every) - Counter([*view.hand, *_list_table_tiles(game, view.public)])).elements())
    hands: list[tuple[str, ...]] = []
    for seat, count in enumerate(view.hand_counts):
        own = seat == view.seat or len(view.hand_counts) < len(view.scores)
        hands.append(view.hand if own else tuple(unseen[:count]))
        unseen = unseen if own else unseen[count:]
    stock, private = tuple(unseen[: view.stock_count]), (None,) * len(dealt.private)
    return State(view.public, tuple(hands), stock, view.scores, view.to_move, private)


CONTEXT = Context(AnyWords(), shuffling.build_shuffle(bytes(32), (), ""))
"""Any word counts: the dictionary is asked by the referee alone."""


def _list_table_tiles(game: Game[Any, Any], public: Any) -> Sequence[str]:
    return tuple(game.list_table_tiles(public) or ())


# ---- A turn in the address of a page: behind the ``#``, which no browser sends to any server.


MOST_IN_A_LINK = 1800
"""Characters behind the ``#``."""
_RAW = -15
"""``wbits`` of zlib for deflate without any frame."""


def encode_turn_link(data: TurnData) -> str:
    """Return the turn as letters, digits, ``-`` and ``_``, where it has all legal moves without what only programs need
    that know the rules; without names where it would be too long with them; "" where it is even so."""
    for one in (data, replace(data, names=())):
        turn, squeeze = _encode_file(one, FOR_RULES if one.picture else ()), zlib.compressobj(9, wbits=_RAW)
        text = urlsafe_b64encode(squeeze.compress(turn) + squeeze.flush()).rstrip(b"=").decode("ascii")
        if len(text) <= MOST_IN_A_LINK:
            return text
    return ""
