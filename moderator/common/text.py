"""What somebody else wrote, before it is printed anywhere; and what stands in mails of all kinds."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from datetime import date, datetime
from enum import Enum
from typing import Any

ANSWERED = r"(?:\s*(?:re|aw|antw|antwort|r[ée]p|fwd?|wg|tr)(?:\[\d+\])?\s*:)"
"""What mail programs put before the subject of an answer or of a mail that is passed on, as part of an expression."""
STATE_MARK, STATE_SEPARATOR = "::", " · "
"""What each line of a report's signed state begins with, and what stands between its pieces."""

NAME_LENGTH = 40
VALUE_LENGTH = 200
_UNSEEN = {"Cc", "Cs", "Co", "Zl", "Zp"}
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\ufeff")


def clean_line(text: str, length: int = VALUE_LENGTH) -> str:
    """Return what somebody else wrote as one line of composed text: no control or direction characters, capped.

    Everything that a player sent passes here before it is printed."""
    text = unicodedata.normalize("NFC", text[: 4 * length])
    if not text.isprintable():
        text = "".join(" " if unicodedata.category(c) in _UNSEEN else "" if c in _BIDI else c for c in text)
    text = " ".join(text.split())
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def capitalize_start(text: str) -> str:
    """Return a text with a capital at its beginning; the rest stays as it is."""
    return text[:1].upper() + text[1:]


def count_noun(number: int, noun: str) -> str:
    """Return ``1 mail``, ``2 mails``; of several nouns the last one counts: ``2 old results``."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun[:-1] + 'ie' if noun.endswith('ry') else noun + 'e' * noun.endswith(('ch', 'sh', 'x'))}s"


def clean_name(name: str) -> str:
    """Return a name, at most 40 characters. A semicolon would part it from the move that stands behind it, as if that
    were another order."""
    return clean_line(name, NAME_LENGTH).replace(";", ",")


def ask_if_meant(names: Iterable[str]) -> str:
    """Return the question whether one of the names was meant; nothing if there are none."""
    asked = " or ".join(map(repr, names))
    return f"Did you mean {asked}?" if asked else ""


def suggest(typed: str, known: Iterable[str], otherwise: str | None = None) -> str:
    """Return a sentence on what may have been meant by a word that is not among the known ones; ``otherwise``: instead
    of a list of them all."""
    import difflib

    names = list(known)
    folded = {name.casefold(): name for name in names}
    close = difflib.get_close_matches(typed.casefold(), folded, n=1)
    listed = f"Known: {', '.join(names)}." if otherwise is None else otherwise
    return ask_if_meant(folded[one] for one in close) or listed


def escape_unprintable(text: str) -> str:
    r"""The text with all but line ends, tabs and no-break spaces that no printer would print spelt out, as ``\x1b``: on
    a terminal nothing in it moves the cursor, colours the screen or turns lines round."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in "\n\t\u00a0" else c.encode("unicode_escape").decode("ascii") for c in text
    )


def to_escaped_json(value: Any) -> str:
    r"""The same of JSON, which stays JSON: what no printer would print stands there as ``\u001b``. Letters stay as they
    are."""
    text = json.dumps(value, ensure_ascii=False, indent=1, default=to_json_value)
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)


def to_json_value(value: Any) -> Any:
    """Return a value that ``json.dumps`` cannot write as one that it can, as its ``default``: days and moments by ISO
    8601, a choice as its word. Raises TypeError for anything else."""
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Enum):
        return value.value
    raise TypeError(f"{type(value).__name__} has no JSON")


# ---- What stands in quotation marks in a text of ours, in any language: »…«, “…” or « … ». What players write, and
# what we print of a move, stands in them; what something is called does in some languages.


MARKED = re.compile("«[\u00a0 ]([^«»]*?)[\u00a0 ]»|»([^«»]*)«|“([^“”„]*)”")
"""One of them, with what is inside in one of its groups. Marks that open outwards have spaces inside, those that open
inwards have none: so »…« und »…« are two, and « … » et « … », too."""
OPEN_AT_END = re.compile("(?:[»„“«]|(?<![^\\s(’'\\[])«[\u00a0 ])$")
"""A text that ends with the mark that opens one."""


def list_quotations(text: str) -> list[str]:
    """List the texts that stand in quotation marks, in order."""
    return [next(filter(None, found.groups()), "") for found in MARKED.finditer(text)]


def to_ascii_address(address: str) -> str:
    """Convert an address whose domain may have umlauts to the form that mail servers write: nora@müller.example ->
    nora@xn--mller-kva.….

    An address that cannot be converted stays as it is."""
    local, at, domain = address.rpartition("@")
    try:
        return address if domain.isascii() else local + at + domain.encode("idna").decode("ascii")
    except UnicodeError:
        return address
