"""A table of one row for each thing that its reader may do something about: a match, a task of the staff's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from moderator.language.messages import quote_text
from moderator.render.document import Action, Block
from moderator.render.text import render_prose

BESIDE = 16
"""Characters of the labels of links that stand beside the words of their row; longer ones stand below."""


@dataclass(frozen=True)
class ActionRow:
    """One thing, and what can be done about it."""

    title: str
    """What it is about, in bold letters; "" where ``said`` tells."""
    said: str
    actions: tuple[Action, ...] = ()
    way: str = ""
    """How it is done, for the text; "" = the lines of the actions say it."""

    @property
    def is_beside(self) -> bool:
        """True where the links stand beside the words."""
        return sum(len(one.label if one.link else one.line) for one in self.actions) <= BESIDE


@dataclass(frozen=True)
class ActionRows(Block):
    """Rows with a thin line between them."""

    rows: tuple[ActionRow, ...]
    language: str
    is_quiet: bool = False
    """Nothing is to be done there: printed in grey."""

    def format_lines(self) -> Sequence[str]:
        return tuple(self._format_row(row) for row in self.rows)

    def _format_row(self, row: ActionRow) -> str:
        ways = [row.way] if row.way else [quote_text(one.line, self.language) for one in row.actions if one.line]
        said = " – ".join(filter(None, (row.title, row.said)))
        between = " " if said.endswith((":", "?")) else " · "
        return f"- {between.join(filter(None, (said, ' · '.join(ways))))}"

    def _render_action(self, action: Action) -> str:
        """Return a link; a line that belongs elsewhere as it is typed."""
        if not action.link:
            return f'<span class="m">{render_prose(quote_text(action.line, self.language))}</span>'
        label = escape(action.label).replace(" ", "&nbsp;")
        return f'<a class="go k" href="{escape(action.link)}">{label}&nbsp;›</a>'

    def render_html(self) -> str:
        rows = "".join(map(self._render_row, self.rows))
        look = '<table class="rows" role="presentation" cellspacing="0" cellpadding="0" width="100%">'
        return f"{look}{rows}</table>" if rows else ""

    def _render_row(self, row: ActionRow) -> str:
        look = "cell m" if self.is_quiet else "cell t"
        title = escape(row.title) if self.is_quiet else f"<b>{escape(row.title)}</b>"
        said = " – ".join(filter(None, (title if row.title else "", str(render_prose(row.said)) if row.said else "")))
        links = " ".join(map(self._render_action, row.actions))
        if links and row.is_beside:
            return f'<tr><td class="{look}">{said}</td><td class="cell last r" align="right">{links}</td></tr>'
        return f'<tr><td class="{look}" colspan="2">{said}{f"<br>{links}" if links else ""}</td></tr>'
