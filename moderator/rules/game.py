"""What a game is: pure rules over immutable values.

A game knows no clock, no database, no e-mail and no prose. It gets a state and a move and returns a new
state. Rounds, fallback moves and deadlines are not game code (see ``rules/orders/``).
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from types import MappingProxyType
from typing import Any, Generic, Literal, Protocol, cast

from moderator.common.enums import Level
from moderator.common.errors import ConfigError, OperatorError
from moderator.common.typed import build_dataclass
from moderator.rules.orders.conditions import AfterDraw
from moderator.rules.position import Diagram
from moderator.rules.scenes import Cell as Cell
from moderator.rules.scenes import Grid as Grid
from moderator.rules.scenes import Layout, Snake, Triangles
from moderator.rules.scenes import Scene as Scene
from moderator.rules.scenes import TouchMove as TouchMove
from moderator.rules.state import Context as Context
from moderator.rules.state import M as M
from moderator.rules.state import Note as Note
from moderator.rules.state import P as P
from moderator.rules.state import Public as Public
from moderator.rules.state import Shuffle as Shuffle
from moderator.rules.state import State as State
from moderator.rules.state import Step as Step
from moderator.rules.state import View as View
from moderator.rules.state import Words as Words
from moderator.rules.state import best_seats as best_seats
from moderator.rules.state import check_turn as check_turn
from moderator.rules.state import read_starter as read_starter
from moderator.rules.state import view_for as view_for
from moderator.rules.verdict import Verdict as Verdict

CONTRACT = 2
"""Version of what is promised to games of other packages, and of what they promise; docs/build/contract.md says what
may
change within one. A game names the one that it was written for."""

Pace = Literal["sequential", "rounds", "common", "race"]
"""How turns come."""
Opener = Literal["seat", "tile"]
"""Who makes the first move: seat 0, or whoever the tiles say once they are dealt."""
Scope = Literal["all", "single", "some"]
"""What was searched: every turn that brings points; every turn of a single word, where two may be laid; or only those
that a bounded search came across, so that nobody knows whether there is a better one."""
Equities = Sequence[tuple[Any, Sequence[float]]]
"""(a move, None = nothing played; its equity in each of some worlds, in points, on a scale of the position's own).
The worlds are the same for all moves; a game that deals none has a single one."""


@dataclass(frozen=True)
class Effort:
    """The effort that a robot spends on a game's moves when it plays them on."""

    moves: int
    """So many are compared, those with the most points."""
    worlds: tuple[int, ...]
    """Worlds in each stage; after each but the last the worse half of the moves is dropped."""
    turns: int
    """Turns that are played on in each world at most; a round that ends before is not left."""
    reviewed: int = 60
    """In a review, where all moves that are compared are played on in the same worlds: so many times in all."""
    ahead: int = 6
    """Turns that are played on in each of those."""


# ---- how moves stand in a mail, as far as it differs from game to game ----


FENCE = "\u01c0"
"""Stands between the halves of a tile, or a row's name and its squares. It looks like a bar but is a letter (a click,
in African languages) that no game has, and readers of moves refuse it: a quoted row or rack is no move."""
NumberedText = tuple[int, str]
"""(number of a line in its mail, its text)."""


@dataclass(frozen=True)
class Style:
    """How moves of a game stand in a mail, as far as it is unlike other games."""

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
"""The style of most games."""


class Game(ABC, Generic[P, M]):
    """One game. Every method is pure; nothing is kept on the object. What is abstract a game must say, the rest has an
    answer for games that have no such thing."""

    # ---- what it is ----

    key: str
    min_seats: int
    max_seats: int
    options: type[Any]
    """A frozen dataclass; every field has a default and is an option of that name. It has a field ``pace``. An
    option that means nothing in some paces names the others in its metadata, as ``paces``; one that matches were set up
    without, the value that it has in these, as ``BEFORE``."""
    contract: int
    """``CONTRACT`` as it was when the game was written: a number in the game's own source, not what is imported."""
    version: str
    """Rules version, recorded with each match."""
    paces: tuple[str, ...] = ("sequential",)
    at_once: bool = False
    """All act before anything happens: ``apply_move`` and ``pass_turn`` take a seat out of ``to_move``, and that nobody
    is left in it does not end the match. Then ``close_round`` evaluates, and whoever it leaves in ``to_move`` acts in
    the next round. The match is over where it leaves nobody. Its paces are ``("rounds",)``."""
    seeded_rounds: bool = True
    """Each round is dealt from a seed of its own, which is revealed when the round is over. Labels of its shuffles
    begin with ``round1``, ``round2``, …, the round that is dealt; a shuffle under any other raises OperatorError.
    The state after each deal but the first has ``past``, so that the final position of the round before is shown
    with the next deal."""
    uses_words: bool = False
    """Moves are judged by a dictionary; the options have ``policy`` and ``unknown_words``."""
    style: Style = PLAIN
    """How its moves stand in a mail."""
    opener: Opener = "seat"
    """Who makes the first move of a match, where one seat acts at a time."""
    pass_text: str = ""
    """How passing is written; "" where nobody can pass."""
    elimination_code: str = ""
    """Code of the note that says of its seat that it is out before the others are; "" where that cannot be."""
    miss_effects: Mapping[str, str] = MappingProxyType({})
    """Code of a note about a seat -> ``silence.MissEffect``: what its missed turn has led to. None of them = it has
    passed."""
    tile_values: Mapping[str, int] = MappingProxyType({})
    """Name of a tile -> what it counts, where that is printed on it; those that are not named count nothing."""
    pictured: type[Layout] | type[Triangles] | type[Snake] | None = None
    """Kind of its drawings, if the file of a turn carries what may be laid, so that the touch board knows no
    rules: all legal moves where each is one tile (``show_move``), else what may lie at what (``list_joins``)."""
    luckless: bool = False
    """No draw decides anything, so that no review tells of luck."""

    # ---- the deal, a move, a turn without one, the end ----

    @abstractmethod
    def setup(self, seats: int, options: Any, ctx: Context, fixed: Mapping[str, Any] | None = None) -> Step[P]:
        """Deal. ``fixed`` holds a record's racks/stock/board/starter/single instead of a shuffle."""

    @abstractmethod
    def list_moves(self, view: View[P], ctx: Context) -> Iterable[tuple[M, int]]:
        """Return the legal moves of ``view.seat`` with the points each would score, in no order, maybe lazily. Pass and
        exchange are left out where a game allows them at any time."""

    @abstractmethod
    def apply_move(self, state: State[P], seat: int, move: M, ctx: Context) -> Step[P]:
        """Play a move. Raises Illegal(code, …) or Undecided(words)."""

    @abstractmethod
    def pass_turn(self, state: State[P], seat: int, ctx: Context) -> Step[P]:
        """Pass the turn of a seat that sent nothing before the deadline, or plays no more (``ctx.out``). As long as one
        seat plays, the turns of those that do not lead to one of its own sooner or later, or to the end of the
        match."""

    def close_round(self, state: State[P], ctx: Context) -> Step[P]:
        """Close a round of pace ``rounds``, of which all seats have had their turn. The state stays as it is where such
        rounds are not evaluated together."""
        return Step(state)

    def evaluate_round(self, state: State[P], choices: Mapping[int, M | None], ctx: Context) -> Step[P]:
        """Evaluate a round of pace ``common`` from each seat's first admissible move (None = none); all score, the best
        is laid. ``detail["seats"]`` holds {"seat": n, "points": p, "words": [...]} per seat, ``detail["laid"]`` the
        laid move in notation and its seats. Raises OperatorError in a game without a common rack."""
        raise OperatorError("This game has no common rack.", f"Its paces: {', '.join(self.paces)}.")

    def find_winners(self, state: State[P]) -> tuple[int, ...]:
        """Return the seats that have won, those with the highest score; () while the game runs."""
        return best_seats(state) if state.over else ()

    def list_eliminated(self, public: P) -> tuple[int, ...]:
        """Return the seats that are out by the rules before the others are, until the next deal."""
        return ()

    def check_seats(self, seats: int) -> None:
        """Raises OperatorError for a number that cannot play."""
        if not self.min_seats <= seats <= self.max_seats:
            can = str(self.min_seats) if self.min_seats == self.max_seats else f"{self.min_seats} to {self.max_seats}"
            raise OperatorError(f"{self.key} is not played by {seats}.", f"{can} can play.")

    def resolve_options(self, options: Any, seats: int) -> Any:
        """Return the options with the values that hold for so many seats where nothing else is agreed."""
        return options

    # ---- how a move is written ----

    @abstractmethod
    def parse_move(self, line: str, view: View[P]) -> M:
        """Read one move. Raises Unreadable or Ambiguous, quoting the line."""

    @abstractmethod
    def format_move(self, move: M) -> str:
        """Return the move in canonical notation: ``parse_move(format_move(m)) == m``."""

    def is_standing_order(self, move: M) -> bool:
        """Return whether a move is a standing order, kept beyond the turn until it is withdrawn."""
        return isinstance(move, AfterDraw)

    def build_examples(self, view: View[P]) -> Mapping[str, str]:
        """Return a mapping, placeholder of ``how-to-…`` -> what stands there for this reader now. A sentence with a
        placeholder that is missing is left out; ``move`` is given anyway. ``pattern`` names the code of the pattern
        that suits the position, where that is not ``example.place``; ``first`` the sentence on how to write that
        suits it best, where that is not the first one; ``how`` the only one that suits it."""
        return {}

    # ---- how a position is shown and written down ----

    @abstractmethod
    def build_scene(self, view: View[P]) -> Scene:
        """Return what there is to see."""

    def show_move(self, view: View[P], move: M) -> TouchMove:
        """Return a move of ``list_moves``, which lays one tile, as the touch board shows it."""
        raise NotImplementedError

    def list_touch_moves(self, view: View[P], ctx: Context) -> Iterable[tuple[M, int, TouchMove]]:
        """Return all legal moves with their points as that page shows them, where it knows no rules for them."""
        if self.pictured and self.list_joins(view) is None:
            yield from ((move, points, self.show_move(view, move)) for move, points in self.list_moves(view, ctx))

    def list_joins(self, view: View[P]) -> Mapping[str, Any] | None:
        """Return what the page must know to lay several tiles in a turn (docs/build/turn.md); None where a turn lays
        one."""
        return None

    def describe_situation(self, view: View[P]) -> tuple[Note, ...]:
        """Return the notes on what holds now besides the drawing and every mail must say: an announced word, for
        example. The same for all seats. () where the drawing says it all."""
        return ()

    @abstractmethod
    def export(self, public: P) -> dict[str, Any]:
        """Return the public state as plain JSON, as documented in docs/build/record.md."""

    def table(self, public: P) -> dict[str, Any]:
        """Return what lies on the table and what else a move hangs on, as plain JSON, as docs/build/turn.md has it.
        However long a match lasts, it must fit into a mail's attachment (``turn_data.MOST``)."""
        return self.export(public)

    def placed(self, values: Mapping[str, Any], options: Any, seats: int, round_number: int) -> P | None:
        """Return, as the opposite of ``table``, the public state, as far as reading, drawing and judging a move depends
        on it; None in a game that reads no table back. ``table`` gives the same values of it again; a file of which it
        does not is refused. ``values`` may be anything; raises RecordError, PlayerError or what Python raises for what
        is no such table."""
        return None

    def diagram(self, state: State[P]) -> dict[str, Any] | None:
        """Return the position as plain values, made by ``position.written``; None in a game of which no match can be
        taken in that was begun elsewhere. The same diagram read again is the same state but for what only drawings and
        reports of the past show."""
        return None

    def resume(self, diagram: Diagram, options: Any, ctx: Context) -> Step[P]:
        """Return the state of a diagram, as the opposite of ``diagram``, up to the first choice. What is wrong is told
        to the diagram, and no more than that is asked of the state then. Everything that the diagram may hold has been
        asked for in the end. Raises OperatorError in a game that has no diagrams."""
        raise OperatorError(f"No match of {self.key} can be taken in.", "Its package does not read positions.")

    def explain_tie(self, laid: str, other: str) -> str:
        """Return the code of the sentence why, of two moves of a round that brought the same, the first one was laid;
        "" where that is no question. Both are in canonical notation."""
        return ""

    # ---- tiles ----

    def list_table_tiles(self, public: P) -> Iterable[str] | None:
        """Return the names of all tiles on the table, as hands and stock have them; also of those that are out of the
        game. Hands, stock and table together hold the same ones after each step. None where tiles may be lost or
        made."""
        return None

    def find_rack_value(self, state: State[P], seat: int) -> int | None:
        """Return the points, 0 or more, that what lies on the seat's own rack takes off its score if the game ends as
        it stands; where the game has an end of its own that charges for tiles, the same as there. None = no formula
        settles this state, the moderator must say. Never asked where all seats share one rack."""
        return None

    # ---- robots ----

    finds_best: bool = False
    """Turns are too many to list them all: ``choose_greedy`` is asked for the best one."""
    own_levels: frozenset[Level] = frozenset()
    """Levels that ``choose_for_level`` plays in a way of its own."""
    effort: Effort | None = None
    """How a strong robot plays moves on, with the hidden tiles dealt anew; None where they cannot be. A game that has
    one says ``list_unseen_tiles``, ``choose_reply`` and, where it is not the lead in points, ``estimate_standing``."""

    def can_list_moves(self, view: View[P]) -> bool:
        """Return whether ``list_moves`` is complete for this view."""
        return True

    def choose_greedy(self, view: View[P], ctx: Context) -> M | None:
        """Return the move with the most points, where the game ``finds_best``; None without a legal one."""
        return None

    def choose_for_level(self, level: Level, view: View[P], ctx: Context) -> M | None:
        """Return the move of a robot of one of ``own_levels``; None without a legal one."""
        return None

    def choose_idle_move(self, view: View[P]) -> M | None:
        """Return what is better without a legal move than ``pass_text``; None where nothing is."""
        return None

    def list_unseen_tiles(self, view: View[P]) -> Sequence[str]:
        """Return all tiles that lie in the other hands and in the stock, in an order that tells nothing."""
        return ()

    def choose_reply(self, view: View[P], ctx: Context) -> M | None:
        """Return a quick good move of the seat to move, for playing on; None without a legal one."""
        return None

    def estimate_standing(self, state: State[P], seat: int) -> float:
        """Return what a position is worth to a seat, in points."""
        return state.scores[seat] - max(score for other, score in enumerate(state.scores) if other != seat)

    def simulate_playout(self, world: State[P], move: Any) -> float | None:
        """Return what ``choose.evaluate_playout`` would give with all the turns of its effort, faster than by the
        rules; None = this position only the rules can play on."""
        return None

    # ---- reviews ----

    compared_by: Literal["points", "tiles"] = "points"
    """Turns bring points, or none by themselves: then they are compared by the tiles of which they rid."""

    def survey_moves(self, view: View[P], ctx: Context) -> tuple[Iterable[tuple[M, int]], Scope] | None:
        """Return the turns of the seat that are compared, with their points, in no order, and what was searched; None
        = those that ``list_moves`` has."""
        return None

    def weigh_move(self, view: View[P], move: M, points: int) -> int | None:
        """Return the number by which a legal move is compared: its points, or what the tiles count that leave the rack;
        None for one that does not end the turn."""
        return points

    def estimate_equities(self, view: View[P], played: M | None, points: int, ctx: Context) -> Equities | None:
        """Return what turns are worth with what may follow them: ``played`` first, a legal turn that brought ``points``
        (None = nothing was played), then those that the strong robot would compare. ``ctx.shuffle`` deals what the seat
        cannot see, each world by a label of its own. () where the strong robot goes by points alone, None = turns are
        played out, see ``effort``."""
        return None

    def count_by_points(self) -> Game[P, M]:
        """Return the same game with the lead in points as ``estimate_standing``, where that has more in it, as a robot
        needs it (that a match is won, say); nothing beyond the end of a match counts."""
        return self


def is_evaluated(game: Game[P, M], state: State[P]) -> bool:
    """Return whether ``close_round`` follows, in pace ``rounds``, when each seat has had its turn. In a game that is
    not ``at_once`` a turn may have ended the match."""
    return game.at_once or not state.over


class InForce(Protocol):
    """The options of a match as they are in force, in the game's own dataclass: what was typed, and the defaults
    beside it. No mapping is that, so that nobody looks for a default in what was typed."""

    @property
    def pace(self) -> str: ...


def resolve_option_values(game: Game[Any, Any], options: InForce, seats: int) -> dict[str, Any]:
    """Return the options in force, by name."""
    return asdict(cast(Any, game.resolve_options(options, seats)))


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
    return 0 if game.opener == "seat" and options.pace == "sequential" and not begins_by_lot(options) else None


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
