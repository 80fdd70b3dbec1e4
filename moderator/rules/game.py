"""What a game is: pure rules over immutable values.

A game knows no clock, no database, no e-mail and no prose. It gets a state and a move and returns a new
state. Rounds, fallback moves and deadlines are not game code (see ``orders.py``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar, cast, runtime_checkable

from moderator.common.errors import ConfigError, Illegal
from moderator.common.typed import build_dataclass
from moderator.rules.scenes import Cell as Cell
from moderator.rules.scenes import Grid as Grid
from moderator.rules.scenes import Scene as Scene
from moderator.rules.verdict import Verdict as Verdict

if TYPE_CHECKING:
    from moderator.rules.position import Diagram

CONTRACT = 1
"""Version of what is promised to games of other packages, and of what they promise; docs/contract.md says what may
change within one. A game names the one that it was written for."""


class Public(Protocol):
    """The part of the public state that all games have."""

    @property
    def round(self) -> int:
        """Number of the round in the match, from 1: a deal where a match has several, else a circle of turns."""
        ...


P = TypeVar("P", bound=Public)
M = TypeVar("M")

Pace = Literal["sequential", "rounds", "common", "race"]
Opener = Literal["seat", "tile"]
"""Who makes the first move: seat 0, or whoever the tiles say once they are dealt."""


@dataclass(frozen=True)
class State(Generic[P]):
    """All there is to know. Secrets live in hands, stock and ``private`` only, so hiding them is generic."""

    public: P
    hands: tuple[tuple[str, ...], ...]
    """One per seat, tile names; a single hand is shared by all seats (pace ``common``) and then is no secret."""
    stock: tuple[str, ...]
    """Draw order, next first."""
    scores: tuple[int, ...]
    """Points, one per seat, may be negative."""
    to_move: tuple[int, ...]
    """Seats awaited; several = simultaneous; () = the game is over, or all have acted in a round of a game that is
    ``sequential.Simultaneous``."""
    private: tuple[Any, ...] = ()
    """Per seat what only it may see besides its hand, None = nothing; () in games without such secrets."""
    past: tuple[State[P], ...] = ()
    """The rounds after which another one was dealt, each as it ended, with its sums made; the first first."""

    @property
    def ended(self) -> tuple[State[P], ...]:
        """The value of ``past`` for the next deal, where this round ends as it stands."""
        return (*self.past, replace(self, past=()))

    @property
    def seats(self) -> int:
        return len(self.scores)

    @property
    def over(self) -> bool:
        return not self.to_move

    def hand(self, seat: int) -> tuple[str, ...]:
        """Return the tiles of a seat; the shared hand where there is only one."""
        return self.hands[seat] if len(self.hands) > 1 else self.hands[0]


@dataclass(frozen=True)
class View(Generic[P]):
    """The part of a state that one seat may see. ``seat`` is None for a spectator. Made by ``view_for`` only."""

    seat: int | None
    public: P
    hand: tuple[str, ...]
    hand_counts: tuple[int, ...]
    stock_count: int
    scores: tuple[int, ...]
    to_move: tuple[int, ...]
    private: Any = None
    """The seat's own part of ``State.private``."""


def view_for(state: State[P], seat: int | None) -> View[P]:
    """View the state as one seat, None = a spectator: the one place where secrets are taken out, for every game."""
    shared = len(state.hands) == 1 < state.seats
    hand = state.hands[0] if shared else () if seat is None else state.hands[seat]
    return View(
        seat=seat,
        public=state.public,
        hand=hand,
        hand_counts=tuple(len(h) for h in state.hands),
        stock_count=len(state.stock),
        scores=state.scores,
        to_move=state.to_move,
        private=state.private[seat] if seat is not None and state.private else None,
    )


def check_turn(state: State[Any], seat: int) -> None:
    """Check that a seat may act. Raises Illegal("game-over") or Illegal("not-your-turn")."""
    if state.over:
        raise Illegal("game-over")
    if seat not in state.to_move:
        raise Illegal("not-your-turn", seats=list(state.to_move))


@dataclass(frozen=True)
class Note:
    """Something that happened, as a code; the sentence stands in the game's messages.<language>.toml.

    ``only`` names the one seat that may read it (drawn tiles); None = everybody.
    """

    code: str
    params: Mapping[str, Any] = field(default_factory=dict)
    seat: int | None = None
    points: int = 0
    only: int | None = None


@dataclass(frozen=True)
class Step(Generic[P]):
    """The outcome of one move or one forced event."""

    state: State[P]
    notes: tuple[Note, ...] = ()
    """About the move itself: bonuses, the mover's draw."""
    points: int = 0
    """Points the mover got for this move (included in state.scores already)."""
    played: Any = None
    """The move as it was played: claims taken off, a base form kept where it was needed."""
    detail: Mapping[str, Any] = field(default_factory=dict)
    """Plain JSON values for reports and records, e.g. {"words": [{"word": "HAUS", "points": 8}]}."""
    after: tuple[Note, ...] = ()
    """What then happened by itself, in order: forced draws and passes, the end of a round with its sums, the next
    deal. Each note names its seat; its points are in state.scores already, but not in ``points``."""


class Words(Protocol):
    """The dictionary as a game sees it. Words are keys of the game's letter profile (upper case)."""

    def judge(self, word: str, base: str | None = None) -> Verdict:
        """Judge whether ``word`` may be laid. ``base`` is the base form the player named (separable verbs)."""
        ...

    def playable(self, max_length: int) -> Sequence[str]:
        """Return all admissible keys of 2..max_length letters, sorted; for move generators."""
        ...


Shuffle = Callable[[str, Sequence[str]], tuple[str, ...]]


@dataclass(frozen=True)
class Context:
    """The services from outside that a game may ask."""

    words: Words
    shuffle: Shuffle
    """(label, items) -> items in the committed random order of that label; see shuffling.py."""
    out: tuple[int, ...] = ()
    """Seats that play no more: their turns are missed as soon as they come, so that no deadline lies between them."""


class Game(Protocol[P, M]):
    """One game. Every method is pure; nothing is kept on the object."""

    key: str
    min_seats: int
    max_seats: int
    options: type[Any]
    """A frozen dataclass; every field has a default and is an option of that name. It has a field ``pace``. An
    option that means nothing in some paces names the others in its metadata, as ``paces``; one that matches were set up
    without, the value that it has in these, as ``BEFORE``."""
    paces: tuple[str, ...]
    contract: int
    """``CONTRACT`` as it was when the game was written: a number in the game's own source, not what is imported."""
    version: str
    """Rules version, recorded with each match."""
    seeded_rounds: bool
    """Each round is dealt from a seed of its own, which is revealed when the round is over. Labels of its shuffles
    begin with ``round1``, ``round2``, …, the round that is dealt; a shuffle under any other raises OperatorError.
    The state after each deal but the first has ``past``, so that the final position of the round before is shown
    with the next deal."""
    uses_words: bool
    """Moves are judged by a dictionary; the options have ``policy`` and ``unknown_words``."""
    style: Style
    """How its moves stand in a mail."""

    def setup(self, seats: int, options: Any, ctx: Context, fixed: Mapping[str, Any] | None = None) -> Step[P]:
        """Deal. ``fixed`` holds a record's racks/stock/board/starter/single instead of a shuffle."""
        ...

    def moves(self, view: View[P], ctx: Context) -> Iterable[tuple[M, int]]:
        """Return the legal moves of ``view.seat`` with the points each would score, in no order, maybe lazily. Pass and
        exchange are left out where a game allows them at any time."""
        ...

    def parse(self, line: str, view: View[P]) -> M:
        """Read one move. Raises Unreadable or Ambiguous, quoting the line."""
        ...

    def format(self, move: M) -> str:
        """Return the move in canonical notation: ``parse(format(m)) == m``."""
        ...

    def apply(self, state: State[P], seat: int, move: M, ctx: Context) -> Step[P]:
        """Play a move. Raises Illegal(code, …) or Undecided(words)."""
        ...

    def miss(self, state: State[P], seat: int, ctx: Context) -> Step[P]:
        """Pass the turn of a seat that sent nothing before the deadline, or plays no more (``ctx.out``). As long as one
        seat plays, the turns of those that do not lead to one of its own sooner or later, or to the end of the
        match."""
        ...

    def close_round(self, state: State[P], ctx: Context) -> Step[P]:
        """Close a round of pace ``rounds``, of which all seats have been evaluated."""
        ...

    def settle(self, state: State[P], choices: Mapping[int, M | None], ctx: Context) -> Step[P]:
        """Evaluate a round of pace ``common`` from each seat's first admissible move (None = none); all score, the best
        is laid. ``detail["seats"]`` holds {"seat": n, "points": p, "words": [...]} per seat, ``detail["laid"]`` the
        laid move in notation and its seats."""
        ...

    def scene(self, view: View[P]) -> Scene: ...

    def export(self, public: P) -> dict[str, Any]:
        """Return the public state as plain JSON, as documented in docs/record.md."""
        ...

    def situation(self, view: View[P]) -> tuple[Note, ...]:
        """Return the notes on what holds now besides the drawing and every mail must say: an announced word, for
        example. The same for all seats. () where the drawing says it all."""
        ...

    def lasting(self, move: M) -> bool:
        """Return whether a move is a standing order, kept beyond the turn until it is withdrawn."""
        ...

    def winners(self, state: State[P]) -> tuple[int, ...]:
        """Return the seats that have won; () while the game runs."""
        ...


@runtime_checkable
class Adjudicable(Protocol):
    """Optional: a game that knows what a rack is worth when the game is broken off, see ``outcome``. One that has
    no such method is left to the moderator."""

    def rack_value(self, state: State[Any], seat: int) -> int | None:
        """Return the points, 0 or more, that what lies on the seat's own rack takes off its score if the game ends as
        it stands; where the game has an end of its own that charges for tiles, the same as there. None = this state
        cannot be settled by a formula. Never asked where all seats share one rack."""
        ...


@runtime_checkable
class Conserving(Protocol):
    """Optional: a game in which no tile is ever lost or made. Hands, stock and table together hold the same ones after
    each step, see ``invariants.py``."""

    def on_table(self, public: Any) -> Iterable[str]:
        """Return the names of all tiles on the table, as hands and stock have them; also of those that are out of the
        game."""
        ...


@runtime_checkable
class Eliminating(Protocol):
    """Optional: a game in which a seat may be out before the others are."""

    eliminated: str
    """Code of the note that says so of its seat."""


@runtime_checkable
class Opening(Protocol):
    """Optional: a game that says who makes the first move of a match. In one that has no such attribute seat 0 does,
    where one seat acts at a time."""

    opener: Opener


@runtime_checkable
class Portable(Protocol):
    """Optional: a game whose table another program can be given and this one reads back, see turn_data.py. Of a game
    that has no such methods ``export`` is sent along, and nothing is read back."""

    def table(self, public: Any) -> dict[str, Any]:
        """Return what lies on the table and what else a move hangs on, as plain JSON, as docs/turn.md has it. However
        long a match lasts, it must fit into a mail's attachment (``turn_data.MOST``)."""
        ...

    def placed(self, values: Mapping[str, Any], options: Any, seats: int, round: int) -> Any:
        """Return, as the opposite of ``table``, the public state, as far as reading, drawing and judging a move depends
        on it. ``table`` gives the same values of it again; a file of which it does not is refused. ``values`` may be
        anything; raises RecordError, PlayerError or what Python raises for what is no such table."""
        ...


@runtime_checkable
class Resumable(Protocol):
    """Optional: a game of which a match can be taken in that was begun elsewhere, see position.py.
    The same diagram read again is the same state but for what only drawings and reports of the past show."""

    def diagram(self, state: State[Any]) -> dict[str, Any]:
        """Return the position as plain values; made by ``diagram.written``."""
        ...

    def resume(self, diagram: Diagram, options: Any, ctx: Context) -> Step[Any]:
        """Return the state of a diagram, as the opposite of ``diagram``, up to the first choice. What is wrong is told
        to the diagram, and no more than that is asked of the state then. Everything that the diagram may hold has been
        asked for in the end."""
        ...


@runtime_checkable
class Valued(Protocol):
    """Optional: a game whose letters have values that are printed on its tiles."""

    values: Mapping[str, int]
    """Name of a tile -> what it counts; those that are not named count nothing."""


@runtime_checkable
class BySeats(Protocol):
    """Optional: a game with options that depend on the number of seats where nothing else is agreed."""

    def agreed(self, options: Any, seats: int) -> Any:
        """Return the options with the values that hold for so many seats."""
        ...


class InForce(Protocol):
    """The options of a match as they are in force, in the game's own dataclass: what was typed, and the defaults
    beside it. No mapping is that, so that nobody looks for a default in what was typed."""

    @property
    def pace(self) -> str: ...


def agreed(game: Game[Any, Any], options: InForce, seats: int) -> dict[str, Any]:
    """Return the options in force, by name."""
    return asdict(cast(Any, game.agreed(options, seats) if isinstance(game, BySeats) else options))


# ---- options of a match: plain values from a record or the database into the game's own dataclass ----
#
# A match is written down with all its options when it is set up. One that was written down before there was an option
# says nothing of it, and goes on as it was played then: the option's field has that value as ``BEFORE``.


BEFORE = "before"
"""In the metadata of an option that is younger than its game, or has got another default."""
FIRST = "first"
"""The option that says who begins where the rules name nobody: "lot", a seat that is drawn, or "seat", seat 0. The
``setup`` of a game that has it gets the drawn one as ``starter``."""


def begins_by_lot(options: Any) -> bool:
    """Return whether the seat that begins is drawn."""
    return getattr(options, FIRST, "seat") == "lot" and options.pace in ("sequential", "rounds")


def first_mover(game: Game[Any, Any], options: InForce) -> int | None:
    """Return the seat that makes the first move, whatever is dealt; None = only the deal says, or all act at once."""
    by_seat = not isinstance(game, Opening) or game.opener == "seat"
    return 0 if by_seat and options.pace == "sequential" and not begins_by_lot(options) else None


def new_options(game: Game[Any, Any], values: Mapping[str, Any], where: str = "options") -> dict[str, Any]:
    """Return all options of a match that is set up now, by name: ``values``, and what is usual where these say nothing.
    Raises as ``read_options``."""
    return asdict(_build_options(game, values, where))


def read_options(game: Game[Any, Any], values: Mapping[str, Any], where: str = "options") -> Any:
    """Return an instance of ``game.options``. Raises ConfigError for unknown keys, wrong values or a pace it lacks."""
    before = {one.name: one.metadata[BEFORE] for one in fields(game.options) if BEFORE in one.metadata}
    return _build_options(game, before | dict(values), where)


def _build_options(game: Game[Any, Any], values: Mapping[str, Any], where: str) -> Any:
    options = build_dataclass(game.options, values, where)
    if options.pace not in game.paces:
        raise ConfigError(
            f"{where}: {game.key} has no pace {options.pace!r}.", f"Possible: {', '.join(map(repr, game.paces))}."
        )
    return options


# ---- how moves stand in a mail ----
#
# How the moves of a game stand in a mail, as far as it differs from game to game.


FENCE = "\u01c0"
"""Stands between the halves of a tile, or a row's name and its squares. It looks like a bar but is a letter (a click,
in African languages) that no game has, and readers of moves refuse it: a quoted row or rack is no move."""
NumberedText = tuple[int, str]
"""(number of a line in its mail, its text)."""


@dataclass(frozen=True)
class Style:
    attempt: re.Pattern[str] | None = None
    """Matches the beginning of what was meant as a move of this game, so that its error is worth telling."""
    joined: re.Pattern[str] | None = None
    """Matches the beginning of a part that belongs to the part before its semicolon, as in ``1: B3; 3: N``."""
    unfinished: re.Pattern[str] | None = None
    """Matches a whole part that waits for the part behind its semicolon, or for the next line, as in
    ``tausche A an H7; H9 w WORT``."""
    chain: re.Pattern[str] | None = None
    """Matches what goes on with the move before it, in the middle of a line, behind a semicolon or at the beginning of
    the next line, as in ``+ U22 w PHON``, ``dann B9``. Such words announce no fallback in this game."""
    dangling: re.Pattern[str] | None = None
    """Found in a line that goes on with the next one whatever stands there, as in ``1: B8,``."""
    gather: Callable[[Sequence[NumberedText]], list[NumberedText]] | None = None
    """Joins the lines of a mail that are one order, as a drawn grid is, with a title or a marker right above them; the
    others stay as they are. A joined line has the number of its first. Given what it has made it changes nothing more.
    """
    colon_numbers: bool = True
    """``2: …`` numbers a fallback; False where it names a place on the table."""
    tile: Callable[[str], str] = str
    """A tile as racks, lists and sentences print it, so that no line of such tiles can be read as a move."""


PLAIN = Style()
