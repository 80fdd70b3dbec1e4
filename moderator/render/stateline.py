"""The signed line at the end of a report, laid out so that no part of it begins like a move when it is wrapped."""

from __future__ import annotations

from moderator.render.width import WIDTH

MARK = "::"
"""Every line of it begins so."""
BETWEEN = " · "
PHONE_COLUMNS = 46
"""Of the HTML mail's small print on a phone."""


def state_lines(line: str, width: int = WIDTH) -> tuple[str, ...]:
    """The line in pieces of at most ``width`` columns, each behind the mark; () for none."""
    lines: list[str] = []
    for part in line.removeprefix(MARK).strip().split(BETWEEN) if line else ():
        for number, piece in enumerate(part.split(", ")):
            more = piece if not lines else f"{lines[-1]}{', ' if number else BETWEEN}{piece}"
            if lines and len(more) <= width:
                lines[-1] = more
            else:
                if lines:
                    lines[-1] += "," if number else BETWEEN.rstrip()
                lines.append(f"{MARK} {piece}")
    return tuple(lines)
