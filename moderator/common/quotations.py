"""What stands in quotation marks in a text of ours, in any language: »…«, “…” or « … ». What players write, and what
we print of a move, stands in them; what something is called does in some languages."""

from __future__ import annotations

import re

MARKED = re.compile("«[\u00a0 ]([^«»]*?)[\u00a0 ]»|»([^«»]*)«|“([^“”„]*)”")
"""One of them, with what is inside in one of its groups. Marks that open outwards have spaces inside, those that open
inwards have none: so »…« und »…« are two, and « … » et « … », too."""
OPEN_AT_END = re.compile("(?:[»„“«]|(?<![^\\s(’'\\[])«[\u00a0 ])$")
"""A text that ends with the mark that opens one."""


def list_quotations(text: str) -> list[str]:
    """List the texts that stand in quotation marks, in order."""
    return [next(filter(None, found.groups()), "") for found in MARKED.finditer(text)]
