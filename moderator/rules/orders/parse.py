"""Order sheets: which lines of a mail are moves, which are fallbacks (Ersatzzüge), which are only chat; and orders as
they are tried and as they wait: the first legal alternative is played, the others are stored.

Reading is tolerant line by line: what cannot be read is kept and named, and never drops the lines around it.
Everything about markers (``Ersatz 2:``, ``sonst``, bullets) stands in ``markers.py``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Generic, Literal, Protocol

from moderator.common.errors import PlayerError, Undecided
from moderator.rules.game import PLAIN, Game, P, State, Step, Style
from moderator.rules.log import Refusal, build_refusal
from moderator.rules.orders.forgiving import parse_loosely
from moderator.rules.orders.markers import (
    Alternative,
    find_joint,
    is_continued_by,
    is_fallback_heading,
    is_order_attempt,
    split_alternatives,
)
from moderator.rules.state import Context, M, View, view_for
from moderator.rules.words import AssumingWords


@dataclass(frozen=True)
class FirstLegal(Generic[P, M]):
    """The first legal alternative; ``step`` is None if there is none."""

    alternative: int = 0
    move: M | None = None
    step: Step[P] | None = None
    refused: tuple[Refusal, ...] = ()
    """Those before it, with the reason; not standing orders, which only wait for their moment."""
    undecided: tuple[str, ...] = ()
    """Words of the alternatives reached that wait for a ruling."""


def has_legal_alternative(game: Game[P, M], state: State[P], seat: int, text: str, ctx: Context) -> bool:
    """Return whether an order would bring something if it were the seat's turn now: an alternative of it is legal, or
    hangs on a word that nobody has ruled on yet. The one answer to that question: for who is in, what a mail says, what
    is kept."""
    if state.over or not text:
        return False
    if seat not in state.to_move:
        state = replace(state, to_move=(seat,))
    found = find_first_legal(game, state, seat, text, ctx, "hold")
    return found.step is not None or bool(found.undecided)


def find_first_legal(
    game: Game[P, M], state: State[P], seat: int, text: str, ctx: Context, mode: Literal["hold", "reject", "accept"]
) -> FirstLegal[P, M]:
    """Walk the alternatives of ``text``. ``mode`` says what becomes of one with undecided words: "hold" stops there,
    "reject" goes on to the next alternative, "accept" plays it."""
    refused: list[Refusal] = []
    waiting: list[str] = []
    for number, alternative in enumerate(list_alternatives(text, game.style), start=1):
        lasting = False
        try:
            move = game.parse_move(alternative.text, view_for(state, seat))
            lasting = game.is_standing_order(move)
            try:
                step = game.apply_move(state, seat, move, ctx)
            except Undecided as error:
                waiting += error.words
                if mode == "hold":
                    return FirstLegal(refused=tuple(refused), undecided=tuple(waiting))
                if mode == "reject":
                    raise
                step = game.apply_move(state, seat, move, replace(ctx, words=AssumingWords(ctx.words)))
        except PlayerError as error:
            if not lasting:
                refused.append(build_refusal(number, alternative.text, error))
            continue
        return FirstLegal(number, move, step, tuple(refused), tuple(waiting))
    return FirstLegal(refused=tuple(refused), undecided=tuple(waiting))


# ---- kept ----
# What a seat has stored in pace ``sequential``: the moves for its next turn, kept until they are played, replaced or
# withdrawn, and behind them its standing orders, kept until they are withdrawn.


JOIN = "; sonst "


def keep_standing(game: Game[P, M], view: View[P], *texts: str) -> str:
    """Return the standing orders (``nach Ziehen: bester``) in ``texts``, in one line and each once; "" if there are
    none."""
    return JOIN.join(dict.fromkeys(order for text in texts for order in _split_by_standing(game, view, text)[1]))


def merge_stored(game: Game[P, M], view: View[P], before: str, text: str, moves: bool = True) -> str:
    """Return what is stored when ``text`` comes to ``before``: its moves, or those of ``before`` if it brings none (or
    with ``moves`` False), and the standing orders of both. A text without standing orders stays as it is written."""
    lasting = keep_standing(game, view, text, before)
    if not lasting:
        return text if moves else before
    new = _split_by_standing(game, view, text)[0] if moves else []
    return JOIN.join([*(new or _split_by_standing(game, view, before)[0]), lasting])


def _split_by_standing(game: Game[P, M], view: View[P], text: str) -> tuple[list[str], list[str]]:
    """Return the alternatives of ``text``: (moves as written, standing orders in canonical notation)."""
    moves: list[str] = []
    lasting: list[str] = []
    for alternative in list_alternatives(text, game.style):
        try:
            move = game.parse_move(alternative.text, view)
        except PlayerError:
            moves.append(alternative.text)  # readable when it was stored; perhaps it is again when it is tried
            continue
        if game.is_standing_order(move):
            lasting.append(game.format_move(move))
        else:
            moves.append(alternative.text)
    return moves, lasting


__all__ = ["Alternative", "OrderLine", "ParsedOrders", "list_alternatives", "parse_order_lines", "split_alternatives"]


CITED = "¦"
"""What stands behind that sign was written by somebody else (render/text.py), and is no order of the reader's."""
CUT = ("»…", "“…", "«\u00a0…", "« …")
"""So begins the second line of a long move that a mail of ours names (render/text.py)."""
WRAP = 60
"""Mail programs break lines at 65 to 80 characters."""


class NumberedLine(Protocol):
    """A line of a mail (common.mails.Line)."""

    @property
    def number(self) -> int: ...
    @property
    def text(self) -> str: ...


@dataclass(frozen=True)
class OrderLine:
    """One line of a mail, or one part of it between semicolons, as it was read."""

    number: int
    """Line of the mail's new text, from 1."""
    text: str
    """As the player wrote it."""
    status: Literal["move", "fallback", "error", "text"]
    canonical: str = ""
    """game.format(move); "" for errors and remarks."""
    move: Any = None
    error: PlayerError | None = None
    rank: int | None = None
    """The number of ``Ersatz 2:``."""
    is_drawn: bool = False
    """``text`` has words that the game put there for a drawing, as the canonical form has them."""


@dataclass(frozen=True)
class ParsedOrders:
    """The lines of a mail as they were read. ``lines`` keeps the order of the mail."""

    lines: tuple[OrderLine, ...]

    @property
    def orders(self) -> tuple[OrderLine, ...]:
        """The readable moves in the order in which they are tried: the main move, then the fallbacks."""
        main = [line for line in self.lines if line.status == "move"]
        return (
            *main,
            *_sort_by_rank([line for line in self.lines if line.status == "fallback"], lambda line: line.rank),
        )

    @property
    def moves(self) -> tuple[Any, ...]:
        return tuple(line.move for line in self.orders)

    @property
    def errors(self) -> tuple[OrderLine, ...]:
        return tuple(line for line in self.lines if line.status == "error")

    @property
    def text(self) -> str:
        """All readable orders in one canonical line, as ``table`` takes it; "" when there are none."""
        return "; sonst ".join(line.canonical for line in self.orders)


@lru_cache(maxsize=16)  # an order is taken apart when it is tried, and again for what is left of it
def list_alternatives(text: str, style: Style = PLAIN) -> tuple[Alternative, ...]:
    """List the alternatives of an order in the order in which they are tried: main move, then fallbacks by number."""
    found = split_alternatives(text, style)
    main = next((n for n, alternative in enumerate(found) if not alternative.fallback), None)
    if main is None:
        return tuple(_sort_by_rank(found, lambda alternative: alternative.rank))
    rest = [*found[:main], *found[main + 1 :]]
    return (found[main], *_sort_by_rank(rest, lambda alternative: alternative.rank))


def parse_order_lines(
    lines: Iterable[NumberedLine],
    parse: Callable[[str], Any],
    format_move: Callable[[Any], str] = str,
    style: Style = PLAIN,
) -> ParsedOrders:
    """Parse the lines of a mail's new text. ``parse`` turns one bare move into a value or raises PlayerError,
    ``format_move`` and ``style`` are the game's. Nothing else is ever raised, whatever the text.

    The first unmarked move is the main move; all others, marked or not, are fallbacks."""
    given = list(lines)
    cited = [OrderLine(line.number, line.text.strip(), "text") for line in given if _is_cited(line)]
    read: list[OrderLine] = []
    later = False
    for line in _unwrap_lines(_join_game_lines([line for line in given if not _is_cited(line)], style), parse, style):
        if is_fallback_heading(line.text):
            later = True
            read.append(OrderLine(line.number, line.text.strip(), "text"))
            continue
        # Group pieces into runs: those that might be one move stand in one run.
        found = split_alternatives(line.text, style)
        runs: list[list[Alternative]] = []
        for piece in found:
            if piece.loose and runs:
                runs[-1].append(piece)
            else:
                runs.append([piece])
        for run in runs:
            for one in _parse_run(line, run, later, parse, format_move, style):
                read.append(replace(one, is_drawn=True) if isinstance(line, _JoinedLine) and line.is_drawn else one)
                later = later or one.status == "move"
    return ParsedOrders(tuple(sorted([*read, *cited], key=lambda line: line.number) if cited else read))


def _is_cited(line: NumberedLine) -> bool:
    return line.text.lstrip().startswith((CITED, *CUT))


@dataclass(frozen=True)
class _JoinedLine:
    number: int
    text: str
    is_drawn: bool = False


_NAME = re.compile(r"[^\W\d_]+")


def _join_game_lines(lines: list[NumberedLine], style: Style) -> list[NumberedLine]:
    """Join the lines that the game takes as one order."""
    if style.gather is None or len(lines) < 2:
        return lines
    typed = {word for line in lines for word in _NAME.findall(line.text)}
    return [
        _JoinedLine(number, text, not typed.issuperset(_NAME.findall(text)))
        for number, text in style.gather([(line.number, line.text) for line in lines])
    ]


def _unwrap_lines(lines: list[NumberedLine], parse: Callable[[str], Any], style: Style) -> list[NumberedLine]:
    """Join the lines that a mail program broke in the middle of a move: where the line is as long as such programs
    allow, its last part is no move, and with the next line it is one. So are lines of which the game says that one goes
    on with the next."""
    whole: list[NumberedLine] = []
    for line in lines:
        before = whole[-1] if whole else None
        join = find_joint(before.text, line.text, style) if before is not None else None
        if before is not None and join is not None:
            joined = f"{before.text.rstrip()}{join}{line.text.strip()}"
            # Whether somebody wanted to write an order there.
            bound = is_continued_by(before.text, line.text, style) and (
                _has_only_moves(before.text, parse, style)
                or any(is_order_attempt(piece, style) for piece in split_alternatives(before.text, style))
            )
            if bound or _has_only_moves(joined, parse, style):
                whole[-1] = _JoinedLine(before.number, joined)
                continue
        if before is not None and _is_broken_line(before.text, line.text, parse, style):
            whole[-1] = _JoinedLine(before.number, f"{before.text.rstrip()} {line.text.strip()}")
        else:
            whole.append(line)
    return whole


def _is_broken_line(before: str, after: str, parse: Callable[[str], Any], style: Style) -> bool:
    """Return whether a mail program made two lines of one."""
    words = after.split()
    if not words or len(before) + len(words[0]) < WRAP:
        return False
    joined = f"{before.rstrip()} {after.strip()}"
    if before.rstrip().endswith(";") and style.joined is not None and style.joined.match(after.strip()):
        return _has_only_moves(joined, parse, style)
    return (
        not _has_only_moves(after, parse, style)
        and not _has_only_moves(before, parse, style)
        and _has_only_moves(joined, parse, style)
    )


def _has_only_moves(text: str, parse: Callable[[str], Any], style: Style) -> bool:
    """Return whether all that stands between the semicolons of ``text`` are moves."""
    found = split_alternatives(text, style)
    try:
        for piece in found:
            parse(piece.text)
    except PlayerError:
        return False
    return bool(found)


def _parse_run(
    line: NumberedLine,
    run: Sequence[Alternative],
    later: bool,
    parse: Callable[[str], Any],
    format_move: Callable[[Any], str],
    style: Style,
) -> list[OrderLine]:
    """Parse the pieces of a run, which might be one move, as several moves only if each of them can be read: nobody's
    move is cut short because the end of the line was not understood."""
    read: list[OrderLine] = []
    for piece in run:
        later = later or any(one.status == "move" for one in read)
        read.append(_parse_piece(line.number, piece, not (later or piece.fallback), parse, format_move, style))
    wrong = next((one for one in read if one.status == "error"), None)
    if wrong is None or len(run) == 1:
        return read
    begin, end = line.text.find(run[0].original), line.text.rfind(run[-1].original) + len(run[-1].original)
    whole = line.text[begin:end] if 0 <= begin < end else line.text
    return [OrderLine(line.number, whole.strip(), "error", error=wrong.error, rank=run[0].rank)]


def _parse_piece(
    number: int,
    piece: Alternative,
    main: bool,
    parse: Callable[[str], Any],
    format_move: Callable[[Any], str],
    style: Style,
) -> OrderLine:
    try:
        move, notation = parse_loosely(piece.text, parse, format_move)
    except PlayerError as error:
        if is_order_attempt(piece, style):
            return OrderLine(number, piece.original, "error", error=error, rank=piece.rank)
        return OrderLine(number, piece.original, "text")
    return OrderLine(number, piece.original, "move" if main else "fallback", notation, move, rank=piece.rank)


def _sort_by_rank(found: Sequence[Any], rank: Callable[[Any], int | None]) -> list[Any]:
    """Sort those that have a number among themselves by it; those without keep their places."""
    numbered = iter(sorted((one for one in found if rank(one) is not None), key=lambda one: rank(one) or 0))
    return [one if rank(one) is None else next(numbered) for one in found]
