"""What a mail's HTML is apart from its sentences and styles: short enough that all mails' fit on a line each."""

from __future__ import annotations

import hashlib
import re
from html.parser import HTMLParser

EMPTY = ("meta", "img", "br")
NOT_STRUCTURE = ("style", "alt")


class Skeleton(HTMLParser):
    """Tags with their classes, links and figures, in order; and the words."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.words: list[str] = []
        self.parts: set[str] = set()
        self._open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.parts.add(".".join([tag, *(values.get("class") or "").split()]))
        self.lines.append(f"{tag} {sorted((key, values[key]) for key in values if key not in NOT_STRUCTURE)}")
        self._say(values.get("alt") or "")
        if tag not in EMPTY:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self.lines.append(f"/{self._open.pop()}")

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] != "style":
            self._say(data)

    def _say(self, text: str) -> None:
        words = re.findall(r"\w+", text)
        self.words += words
        self.lines += [word for word in words if word.isdigit()]


def summary(html: str, text: str) -> str:
    """One line: a digest of the structure, and the words that stand in the HTML and nowhere in the text."""
    skeleton = Skeleton(html)
    said = set(re.findall(r"\w+", text))
    only_here = dict.fromkeys(word for word in skeleton.words if word not in said)
    digest = hashlib.sha256("\n".join(skeleton.lines).encode()).hexdigest()[:16]
    return " ".join([digest, *only_here])
