"""Order sheets: which lines of a mail are moves, which are fallbacks (Ersatzzüge), which are only chat.

Reading is tolerant line by line: what cannot be read is kept and named, and never drops the lines around it.
Everything about markers (``Ersatz 2:``, ``sonst``, bullets) stands in ``markers.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, Protocol

from moderator.errors import PlayerError
from moderator.match.contract import PLAIN, Game, Style
from moderator.match.forgiving import understand
from moderator.match.markers import Alternative, attempt, goes_on, is_heading, joint, pieces

__all__ = ["Alternative", "OrderLine", "OrderSheet", "canonical", "pieces", "read_lines", "split"]


CITED = "¦"
"""What stands behind that sign was written by somebody else (pages/flow.py), and is no order of the reader's."""
CUT = ("»…", "“…", "«\u00a0…", "« …")
"""So begins the second line of a long move that a mail of ours names (pages/flow.py)."""
WRAP = 60
"""Mail programs break lines at 65 to 80 characters."""


class Numbered(Protocol):
    """A line of a mail (mail.model.Line)."""

    @property
    def number(self) -> int: ...
    @property
    def text(self) -> str: ...


@dataclass(frozen=True)
class OrderLine:
    """What one line, or one part of a line between semicolons, was read as."""

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


@dataclass(frozen=True)
class OrderSheet:
    """A mail's lines, read. ``lines`` keeps the order of the mail."""

    lines: tuple[OrderLine, ...]

    @property
    def orders(self) -> tuple[OrderLine, ...]:
        """The readable moves in the order in which they are tried: the main move, then the fallbacks."""
        main = [line for line in self.lines if line.status == "move"]
        return (*main, *_by_rank([line for line in self.lines if line.status == "fallback"], lambda line: line.rank))

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
def split(text: str, style: Style = PLAIN) -> tuple[Alternative, ...]:
    """The alternatives of an order in the order in which they are tried: main move, then fallbacks by number."""
    found = pieces(text, style)
    main = next((n for n, alternative in enumerate(found) if not alternative.fallback), None)
    if main is None:
        return tuple(_by_rank(found, lambda alternative: alternative.rank))
    rest = [*found[:main], *found[main + 1 :]]
    return (found[main], *_by_rank(rest, lambda alternative: alternative.rank))


def canonical(moves: Sequence[Any], game: Game[Any, Any]) -> str:
    """``E5 w HAUS; sonst C3 s MOND``; ``split`` reads it back."""
    return "; sonst ".join(game.format(move) for move in moves)


def read_lines(
    lines: Iterable[Numbered], parse: Callable[[str], Any], format: Callable[[Any], str] = str, style: Style = PLAIN
) -> OrderSheet:
    """Reads the new text of a mail. ``parse`` turns one bare move into a value or raises PlayerError, ``format``
    and ``style`` are the game's. Nothing else is ever raised, whatever the text.

    The first unmarked move is the main move; all others, marked or not, are fallbacks.
    """
    given = list(lines)
    cited = [OrderLine(line.number, line.text.strip(), "text") for line in given if _is_cited(line)]
    read: list[OrderLine] = []
    later = False
    for line in _unwrap(_merged([line for line in given if not _is_cited(line)], style), parse, style):
        if is_heading(line.text):
            later = True
            read.append(OrderLine(line.number, line.text.strip(), "text"))
            continue
        for run in _runs(pieces(line.text, style)):
            for one in _read_run(line, run, later, parse, format, style):
                read.append(one)
                later = later or one.status == "move"
    return OrderSheet(tuple(sorted([*read, *cited], key=lambda line: line.number) if cited else read))


def _is_cited(line: Numbered) -> bool:
    return line.text.lstrip().startswith((CITED, *CUT))


@dataclass(frozen=True)
class _Joined:
    number: int
    text: str


def _merged(lines: list[Numbered], style: Style) -> list[Numbered]:
    """Lines that the game takes as one order are put together."""
    if style.gather is None or len(lines) < 2:
        return lines
    return [_Joined(number, text) for number, text in style.gather([(line.number, line.text) for line in lines])]


def _unwrap(lines: list[Numbered], parse: Callable[[str], Any], style: Style) -> list[Numbered]:
    """Lines that a mail program broke in the middle of a move are put together again: where the line is as long
    as such programs allow, its last part is no move, and with the next line it is one. So are lines of which the game
    says that one goes on with the next."""
    whole: list[Numbered] = []
    for line in lines:
        before = whole[-1] if whole else None
        join = joint(before.text, line.text, style) if before is not None else None
        if before is not None and join is not None:
            joined = f"{before.text.rstrip()}{join}{line.text.strip()}"
            bound = goes_on(before.text, line.text, style) and _meant(before.text, parse, style)
            if bound or _reads(joined, parse, style):
                whole[-1] = _Joined(before.number, joined)
                continue
        if before is not None and _broken(before.text, line.text, parse, style):
            whole[-1] = _Joined(before.number, f"{before.text.rstrip()} {line.text.strip()}")
        else:
            whole.append(line)
    return whole


def _meant(text: str, parse: Callable[[str], Any], style: Style) -> bool:
    """Whether somebody wanted to write an order there."""
    return _reads(text, parse, style) or any(attempt(piece, style) for piece in pieces(text, style))


def _broken(before: str, after: str, parse: Callable[[str], Any], style: Style) -> bool:
    """Whether a mail program made two lines of one."""
    words = after.split()
    if not words or len(before) + len(words[0]) < WRAP:
        return False
    joined = f"{before.rstrip()} {after.strip()}"
    if before.rstrip().endswith(";") and style.joined is not None and style.joined.match(after.strip()):
        return _reads(joined, parse, style)
    return not _reads(after, parse, style) and not _reads(before, parse, style) and _reads(joined, parse, style)


def _reads(text: str, parse: Callable[[str], Any], style: Style) -> bool:
    """Whether all that stands between the semicolons of ``text`` are moves."""
    found = pieces(text, style)
    try:
        for piece in found:
            parse(piece.text)
    except PlayerError:
        return False
    return bool(found)


def _runs(found: Sequence[Alternative]) -> list[list[Alternative]]:
    """What might be one move stands in one run."""
    runs: list[list[Alternative]] = []
    for piece in found:
        if piece.loose and runs:
            runs[-1].append(piece)
        else:
            runs.append([piece])
    return runs


def _read_run(
    line: Numbered,
    run: Sequence[Alternative],
    later: bool,
    parse: Callable[[str], Any],
    format: Callable[[Any], str],
    style: Style,
) -> list[OrderLine]:
    """What might be one move is read as several only if each of them can be read: nobody's move is cut short because
    the end of the line was not understood."""
    read: list[OrderLine] = []
    for piece in run:
        later = later or any(one.status == "move" for one in read)
        read.append(_read_piece(line.number, piece, not (later or piece.fallback), parse, format, style))
    wrong = next((one for one in read if one.status == "error"), None)
    if wrong is None or len(run) == 1:
        return read
    begin, end = line.text.find(run[0].original), line.text.rfind(run[-1].original) + len(run[-1].original)
    whole = line.text[begin:end] if 0 <= begin < end else line.text
    return [OrderLine(line.number, whole.strip(), "error", error=wrong.error, rank=run[0].rank)]


def _read_piece(
    number: int,
    piece: Alternative,
    main: bool,
    parse: Callable[[str], Any],
    format: Callable[[Any], str],
    style: Style,
) -> OrderLine:
    try:
        move, notation = understand(piece.text, parse, format)
    except PlayerError as error:
        if attempt(piece, style):
            return OrderLine(number, piece.original, "error", error=error, rank=piece.rank)
        return OrderLine(number, piece.original, "text")
    return OrderLine(number, piece.original, "move" if main else "fallback", notation, move, rank=piece.rank)


def _by_rank(found: Sequence[Any], rank: Callable[[Any], int | None]) -> list[Any]:
    """Those with a number among themselves in its order; those without keep their places."""
    numbered = iter(sorted((one for one in found if rank(one) is not None), key=lambda one: rank(one) or 0))
    return [one if rank(one) is None else next(numbered) for one in found]
