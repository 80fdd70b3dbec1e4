"""What every picture of a board begins with: an opaque canvas (a transparent corner turns black where a mail program
flattens it), the font, a title and a description for those who hear it."""

from __future__ import annotations

from html import escape

from moderator.pages import theme

FONT = "Noto Sans,DejaVu Sans,Segoe UI,Roboto,Helvetica,Arial,sans-serif"


def opening(
    width: float, height: float, title: str = "", description: str = "", left: float = 0, top: float = 0
) -> str:
    """``<svg>`` up to its ground, ``width`` × ``height`` css pixels; ``left``, ``top``: coordinates of its corner.
    Letters are bold and centred unless said otherwise. The caller closes it with ``</svg>``."""
    return "".join(
        (
            canvas(width, height, left, top, 'role="img" '),
            f"<title>{text(title)}</title>" if title else "",
            f"<desc>{text(description)}</desc>" if description else "",
            f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" fill="{theme.GROUND}"/>',
        )
    )


def canvas(width: float, height: float, left: float, top: float, more: str = "") -> str:
    """``<svg>`` without a ground, with the type of all boards. ``more``: further attributes."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="{left:g} {top:g} {width:g} {height:g}" {more}font-family="{FONT}" font-weight="700" '
        'text-anchor="middle">'
    )


def text(words: str) -> str:
    """Escaped, and without the control characters that XML cannot hold."""
    return escape("".join(c for c in words if c >= " "))
