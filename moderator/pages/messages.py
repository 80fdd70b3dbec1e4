"""Codes into sentences, in the reader's language.

The sentences stand in flat TOML files ``messages.<language>.toml`` in the folder whose code speaks; a folder with many
has several (``letters.messages.de.toml``); texts.py reads them. ``{word}`` is a
placeholder, lists are joined by commas, ``{count:Stein|Steine}`` prints the number with the right form. A
parameter ``reason`` is a code itself: it is replaced by the sentence ``word.<reason>``; ``faults`` is a list of codes
with their parameters, each of which becomes a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from moderator import games
from moderator.match.contract import PLAIN, Note, Style
from moderator.match.orders import pieces
from moderator.pages import traits
from moderator.pages.notation import in_words
from moderator.printable import VALUE_LENGTH, clean, clean_name
from moderator.quotations import OPEN_AT_END
from moderator.texts import READ, parsed, spoken, typeset
from moderator.tournaments import formats

PACKAGE = Path(__file__).parent.parent
FOLDERS = (
    "match",
    "words",
    "tournaments",
    "outbox",
    "play",
    "play/tournaments",
    "commands/player",
    "commands/moderator",
    "today",
    "inbox",
)
"""Folders that speak codes, besides ``pages`` (labels of the mails) and the games."""
_PLACEHOLDER = re.compile(r"\{(\w+)(?::([^|{}]*)\|([^{}]*))?\}")
_MOVES = frozenset({"move", "order", "readings", "laid", "played"})
"""Parameters that hold moves in canonical form."""
_ORDERS = _MOVES | {"line"}
"""Parameters that hold orders; they are printed in quotation marks (see flow.py for why). A line is as its player
wrote it."""
_TILES = frozenset({"tile", "tiles"})
"""Parameters that hold names of tiles; but in quotation marks they are printed as ``traits.tile`` has them."""
_FILES = "files"
"""Parameter that holds names of files as somebody wrote them."""
_INNER = str.maketrans("»«„“”", "›‹‚‘’")
_MARKERS = (
    r"(?:sonst|ansonsten|andernfalls|notfalls|ersatz(?!spieler|bank)\w*|alternativ\w*|reserve\w*|alt|oder|dann|zug|und"
    r"|else|otherwise|fall-?back|back-?up|or|then|and|move)"
)
_LEADING = re.compile(rf"(?:\W*{_MARKERS}\b(?:\s*\d{{1,2}}[.:)]+)?[\s.:,)–-]*)+(?=\w)", re.IGNORECASE)
_LEADING_NO_COLON = re.compile(_LEADING.pattern.replace("[.:)]", "[.)]"), re.IGNORECASE)
_SQUARE = r"(?<!\w)(?:[a-z]\s?\d{1,2}|\d{1,2}[a-z])(?!\w)"
_SECOND = re.compile(
    rf"(?:\W|\b{_MARKERS}\b(?:\s*\d{{1,2}}[.:)]+)?)*"
    rf"(?:{_SQUARE}|(?:;|\b{_MARKERS}\b)\W*(?:passe?n?|skip|\w*tausch\w*|exchange|swap)\b)",
    re.IGNORECASE,
)
"""Where a second order begins in a quoted line, with the words that announce it."""
_PLACED = re.compile(r"(?<!\w)\d(?:\W?\d){1,2}\s*@")
"""Where the placing of a domino or triangle begins."""


class Shown(str):
    """An order as it is printed: made by ``bare``, which leaves it alone from then on."""

    __slots__ = ()


def table(language: str, game: str | None = None) -> Mapping[str, str]:
    """All sentences of a language by code; those of the game come first. Unknown languages speak English."""
    return _table(language, game, formats.spoken_of())


@cache
def _table(language: str, game: str | None, others: tuple[str, ...]) -> Mapping[str, str]:
    """``others``: formats of tournaments of other packages."""
    folders = [PACKAGE / name for name in FOLDERS]
    if game in games.REGISTRY:
        folders.append(games.folder(game))
    own = labels(language)
    sentences = _of_formats(others, language) | {"yes": own["yes"], "no": own["no"]}
    for folder in folders:
        sentences.update(_read(folder, language))
    if game is not None:
        # Of variants in one folder, "supertridom.name" is what "name" is for this one.
        variant = {code: text for code, text in sentences.items() if code.startswith(f"{game}.")}
        sentences |= {code.removeprefix(f"{game}."): text for code, text in variant.items()}
    return sentences


def labels(language: str) -> Mapping[str, str]:
    """The mails' own words. Apart from ``table``, so that a game's code can't replace a heading."""
    return _labels(language, formats.spoken_of())


@cache
def _labels(language: str, others: tuple[str, ...]) -> Mapping[str, str]:
    return _of_formats(others, language) | _read(PACKAGE / "pages", language)


def _of_formats(keys: Sequence[str], language: str) -> dict[str, str]:
    """Sentences of formats of other packages. They replace none of ours."""
    found: dict[str, str] = {}
    for key in keys:
        found |= _read(formats.folder(key), language)
    return found


def _read(folder: Path, language: str) -> dict[str, str]:
    flat: dict[str, str] = {}
    for values in parsed(folder, spoken(folder, language)).values():
        flat |= _flat({code: value for code, value in values.items() if code not in READ})
    return flat


def _flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """``word.blocked`` may be written as one key in quotes or as a TOML table; both mean the same."""
    flat: dict[str, str] = {}
    for key, value in values.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = str(value)
    return flat


def sentence(note: Note, language: str, game: str | None = None, names: Sequence[str] = ()) -> str:
    """The note as a sentence of plain text (not escaped). Never fails: an unknown code gives a general one.

    With ``names`` (of all seats) the sentence may say {name} for the note's seat, and a parameter ``seat`` or
    ``seats`` is printed as names, ``items`` as a sum; of one term only the sum is not said twice.
    """
    params = dict(note.params)
    if note.seat is not None and 0 <= note.seat < len(names):
        params.setdefault("name", names[note.seat])
    for key in ("seat", "seats"):
        if key in params and names:
            params[key] = _named(params[key], names)
    if isinstance(params.get("items"), list | tuple):
        params["items"] = _terms(params["items"])
    elif isinstance(params.get("items"), str):
        params["items"] = _signed(params["items"])
    text, terms = say(note.code, language, game, **params), params.get("items")
    if isinstance(terms, str) and " " not in terms:
        return text.replace(f"{terms} = {terms}", terms)
    return text


def _named(value: Any, names: Sequence[str]) -> Any:
    if isinstance(value, int) and 0 <= value < len(names):
        return clean_name(names[value])
    return [_named(item, names) for item in value] if isinstance(value, list | tuple) else value


def _tiles(value: Any, sentences: Mapping[str, str], game: str | None) -> Any:
    if isinstance(value, str):
        return sentences.get(f"tile.{value}") or traits.tile(game, value)
    return [_tiles(item, sentences, game) for item in value] if isinstance(value, list | tuple) else value


def _terms(items: Sequence[int]) -> str:
    """``35 + 12 − 5``; ``0`` for nothing."""
    text = "".join(f" {'−' if item < 0 else '+'} {abs(item)}" for item in items)
    return _signed(f"−{text[3:]}" if text.startswith(" −") else text[3:] or "0")


def _signed(terms: str) -> str:
    """With real minus signs, each on one line with its number."""
    return re.sub(r"([-−+]) (?=\d)", "\\1\u00a0", terms).replace("-", "−")


def say(code: str, language: str, game: str | None = None, /, **params: Any) -> str:
    """The sentence of ``code`` filled with ``params``."""
    sentences = table(language, game)
    pattern = sentences.get(code)
    if pattern is None:
        shown = ", ".join(f"{clean_name(k)} = {_value(v, sentences)}" for k, v in params.items())
        return clean(f"{code} ({shown})" if shown else code)
    return _fill(pattern, params, sentences, language, game)


def filled(pattern: str, language: str, /, **params: Any) -> str:
    """A sentence that stands elsewhere, filled with ``params``."""
    return _fill(pattern, params, table(language), language)


def label(code: str, language: str, /, **params: Any) -> str:
    """One of the mails' own words or sentences. Raises KeyError for one that doesn't exist."""
    words = labels(language)
    return _fill(words[code], params, words, language) if params else words[code]


def enumerated(names: Sequence[str], language: str) -> str:
    """``Anna, Bert und Cora``."""
    return ", ".join([*names[:-2], f" {labels(language)['and']} ".join(names[-2:])]) if names else ""


def own(code: str, language: str, game: str | None, /, **params: Any) -> str:
    """A label of ours, unless the game has its own ``mail.<code>``."""
    name = f"mail.{code}"
    return say(name, language, game, **params) if known(name, language, game) else label(code, language, **params)


def tile(name: str, language: str, game: str | None) -> str:
    """A tile as sentences name it: the game's ``tile.<name>`` where it has one, else as ``traits.tile`` has it."""
    return str(_tiles(name, table(language, game), game))


def round_noun(language: str, game: str | None) -> str:
    """What a round of this game is called: ``Runde``, unless the game has its own ``mail.round-noun``."""
    return own("round-noun", language, game)


def known(code: str, language: str, game: str | None = None) -> bool:
    """Whether there is a sentence for ``code``."""
    return code in table(language, game)


def _fill(
    pattern: str, params: Mapping[str, Any], sentences: Mapping[str, str], language: str, game: str | None = None
) -> str:
    values = dict(params)
    if isinstance(why := values.get("why"), Mapping):
        del values["why"]
        values = {**why, **values}
    if isinstance(values.get("reason"), str):
        reason = values.pop("reason")
        inner = sentences.get(f"word.{reason}")
        values["reason"] = _fill(inner, values, sentences, language, game) if inner is not None else reason

    style = traits.style(game)

    def put(found: re.Match[str]) -> str:
        name, one, many = found.groups()
        value = values.get(name)
        in_quotation = OPEN_AT_END.search(pattern, 0, found.start()) is not None
        if name == "faults" and isinstance(value, list | tuple):
            return " ".join(_fault(fault, sentences, language, game) for fault in value)
        if name in _TILES and not in_quotation:
            value = _tiles(value, sentences, game)
        if name == "names" and isinstance(value, list | tuple):
            return enumerated([_value(one, sentences) for one in value], language) or "–"
        if name in _MOVES:
            value = _in_words(value, language, game)
        if name in _ORDERS and not in_quotation:
            several = [value] if isinstance(value, str) else value or ()
            return ", ".join(quoted(order, language, style) for order in several)
        if name == _FILES and isinstance(value, list | tuple):
            return enumerated([in_marks(unmarked(file), language) for file in value], language) or "–"
        if one is None:
            return bare(value, style) if name in _ORDERS else _value(value, sentences)
        return f"{_value(value, sentences)} {one if _single(value, language) else many}"

    return typeset(_PLACEHOLDER.sub(put, pattern))


def _single(value: Any, language: str) -> bool:
    """Whether the number has the form of one; in French zero has, too."""
    return isinstance(value, int) and str(abs(value)) in labels(language)["singular"].split()


def _in_words(value: Any, language: str, game: str | None) -> Any:
    if isinstance(value, str):
        return value if isinstance(value, Shown) else in_words(value, language, game)
    return [_in_words(item, language, game) for item in value] if isinstance(value, list | tuple) else value


def _fault(fault: Mapping[str, Any], sentences: Mapping[str, str], language: str, game: str | None) -> str:
    """One of several things that are wrong at once, as a sentence of its own."""
    code = str(fault["code"])
    return _fill(sentences[code], fault, sentences, language, game) if code in sentences else clean(code)


def _value(value: Any, sentences: Mapping[str, str]) -> str:
    """A parameter as text."""
    if isinstance(value, str):
        return clean(value)
    if value is None:
        return "–"
    if isinstance(value, bool):
        return sentences["yes" if value else "no"]
    if isinstance(value, int) and value < 0:
        return f"−{-value}"
    if isinstance(value, Mapping):
        return ", ".join(f"{clean(str(k))} {_value(v, sentences)}" for k, v in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        items = value if isinstance(value, list | tuple) else sorted(value, key=str)
        return ", ".join(_value(item, sentences) for item in items) or "–"
    return clean(str(value))


def bare(order: object, style: Style = PLAIN) -> Shown:
    """An order or another line of a player's for printing in quotation marks: clean, without such marks, words that
    announce a fallback and whatever begins a second order («E5 w HAUS …»), which might be read as an order of its own.
    ``style`` is that of its game."""
    return order if isinstance(order, Shown) else Shown(_bare(str(order)[: 4 * VALUE_LENGTH], style))


@lru_cache(maxsize=4096)
def _bare(text: str, style: Style) -> str:
    text = unmarked(text)
    if found := (_LEADING if style.colon_numbers else _LEADING_NO_COLON).match(text):
        text = text[found.end() :]
    first = pieces(text, style)[:1]
    end = len(first[0].original) if first and text.startswith(first[0].original) else len(text)
    second = _SECOND.search(text, _first_square_end(text)) if style == PLAIN else None
    placed = [found.start() for found in _PLACED.finditer(text)]
    end = min([end, *([second.start()] if second else []), *placed[1:2]])
    return text[:end].rstrip(" \t;,") + " …" if end < len(text.rstrip()) else text


def _first_square_end(text: str) -> int:
    found = re.search(_SQUARE, text, re.IGNORECASE)
    return found.end() if found else min(len(text), 1)


def move(order: str, language: str, game: str | None) -> Shown:
    """A move in canonical form for printing in quotation marks, as its reader writes it."""
    return bare(_in_words(order, language, game), traits.style(game))


def quoted(order: object, language: str, style: Style = PLAIN) -> str:
    """``»E5 w HAUS«``, ``“E5 across HOUSE”``, ``« E5 w MAISON »``."""
    return in_marks(bare(order, style), language)


def in_marks(text: str, language: str) -> str:
    """The text in the quotation marks of the language."""
    return labels(language)["quotation"].replace("{text}", text)


def unmarked(text: str) -> Shown:
    """A line as somebody wrote it, for printing in quotation marks: clean, its own marks are those inside others."""
    return Shown(clean(text).translate(_INNER))
