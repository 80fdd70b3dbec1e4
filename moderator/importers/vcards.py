"""People out of address books: vCards (.vcf) and lists (.csv), as programs write them."""

from __future__ import annotations

import csv
import io
import quopri
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from moderator.common.errors import OperatorError


@dataclass(frozen=True)
class AddressBookEntry:
    """A person who is to be entered as a player."""

    name: str
    address: str
    language: str = ""
    zone: str = ""
    line: int = 1
    """Of the file."""


COLUMNS = {
    "name": "name",
    "adresse": "address",
    "address": "address",
    "e-mail": "address",
    "email": "address",
    "mail": "address",
    "sprache": "language",
    "language": "language",
    "zeitzone": "zone",
    "zone": "zone",
}
"""Heads of a list, in small letters."""
_LINE = re.compile(r"(?:[\w-]+\.)?(?P<key>[A-Za-z-]+)(?P<params>(?:;[^:\"]*(?:\"[^\"]*\"[^:\"]*)*)?):(?P<value>.*)")
"""``item1.EMAIL;TYPE=home:anna@home.example``."""


def decode_address_book(raw: bytes, name: str) -> str:
    """Decode a file: UTF-8, as all programs of today write it, or else Latin-1. Raises OperatorError for neither."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    if b"\0" in raw:
        raise OperatorError(f"{name}:1: this is no text.", "Save it as UTF-8.")
    return raw.decode("cp1252", "replace")


def parse_people_csv(text: str, name: str) -> list[AddressBookEntry]:
    """Parse a list with a head: name, address (Name, Adresse, E-Mail), and, if wanted, language and zone; separated by
    commas, semicolons or tabs. Raises OperatorError naming the line."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    head = text.partition("\n")[0]
    mark = max(",;\t", key=head.count)
    rows = csv.reader(io.StringIO(text), delimiter=mark)
    try:
        return _parse_csv_rows(rows, name)
    except csv.Error as error:
        raise OperatorError(
            f"{name}:{rows.line_num}: this is no list ({error}).", "Export it as .csv again."
        ) from error


def _parse_csv_rows(rows: Any, name: str) -> list[AddressBookEntry]:
    """Parse the rows of a list. ``rows``: a reader of module csv. Raises OperatorError."""
    columns = [COLUMNS.get(cell.strip().casefold(), "") for cell in next(rows, [])]
    if not {"name", "address"} <= set(columns):
        raise OperatorError(f"{name}:1: no columns name and address.", "The first line names the columns: name,address")
    people = []
    for row in rows:
        if any(cell.strip() for cell in row):
            values = {key: cell.strip() for key, cell in zip(columns, row, strict=False) if key}
            people.append(AddressBookEntry(**{"name": "", "address": ""} | values, line=rows.line_num))
    return people


def parse_vcards(text: str, name: str) -> list[AddressBookEntry]:
    """Parse all cards of a file, of vCard 2.1, 3.0 or 4.0: the formatted name (FN, else N) and the preferred, else the
    first address. Raises OperatorError for a file without any."""
    people: list[AddressBookEntry] = []
    card: dict[str, list[tuple[str, dict[str, str]]]] = {}
    began = 1
    for number, line in _iter_unfolded_lines(text):
        if found := _LINE.fullmatch(line):
            key = found["key"].upper()
            if key == "BEGIN":
                card, began = {}, number
            elif key == "END":
                people.append(_build_person(card, began))
            else:
                card.setdefault(key, []).append((found["value"], _parse_params(found["params"])))
    if not people:
        raise OperatorError(f"{name}:1: no vCard.", "Export the address book as .vcf once more.")
    return people


def _iter_unfolded_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield (number of its first line, line). A line that goes on in the next one is joined: that begins with a blank,
    or, in quoted-printable, the first ends with an equals sign."""
    whole, first = "", 1
    for number, line in enumerate(text.splitlines(), start=1):
        if line[:1] in (" ", "\t"):
            whole += line[1:]
        elif whole.endswith("=") and "QUOTED-PRINTABLE" in whole.upper():
            whole = whole[:-1] + line
        else:
            yield first, whole
            whole, first = line, number
    yield first, whole


def _parse_params(text: str) -> dict[str, str]:
    """Parse ``;TYPE=home;PREF=1``; in vCard 2.1 ``;HOME;PREF``."""
    found: dict[str, str] = {}
    for part in text.split(";")[1:]:
        key, _, value = part.partition("=")
        key = key.strip().upper()
        found[key] = f"{found[key]},{value}" if key in found else value.strip('"')
    return found


def _build_person(card: dict[str, list[tuple[str, dict[str, str]]]], line: int) -> AddressBookEntry:
    called = next((_decode_value(*one) for one in card.get("FN", []) if one[0].strip()), "")
    if not called and "N" in card:
        last, first = [*_decode_value(*card["N"][0]).split(";"), ""][:2]
        called = f"{first} {last}"
    found = card.get("EMAIL", [("", {})])
    best = next((one for one in found if "PREF" in {*one[1], *one[1].get("TYPE", "").upper().split(",")}), found[0])
    return AddressBookEntry(" ".join(called.split()), _decode_value(*best).strip(), line=line)


def _decode_value(value: str, params: dict[str, str]) -> str:
    if "QUOTED-PRINTABLE" in (params.get("ENCODING", "").upper(), *params):
        raw = quopri.decodestring(value.encode())
        try:
            value = raw.decode(params.get("CHARSET", "utf-8"), "replace")
        except (LookupError, ValueError):  # a name that only its program knows, as WINDOWS-ANSI
            value = raw.decode("cp1252", "replace")
    return value.replace("\\,", ",").replace("\\;", ";")
