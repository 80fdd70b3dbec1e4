"""Codes into sentences, in the reader's language.

The sentences stand in flat TOML files ``messages.<language>.toml`` in the folder whose code speaks; a folder with many
has several (``mail.messages.de.toml``); common/message_files.py reads them. ``{word}`` is a
placeholder, lists are joined by commas, ``{count:Stein|Steine}`` prints the number with the right form. A
parameter ``reason`` is a code itself: it is replaced by the sentence ``word.<reason>``; ``faults`` is a list of codes
with their parameters, each of which becomes a sentence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

from jinja2 import StrictUndefined, TemplateError
from jinja2.sandbox import SandboxedEnvironment

from moderator import games
from moderator.common.disk import FALLBACK, LANGUAGES
from moderator.common.errors import MistypedError, OperatorError
from moderator.common.message_files import (
    READ,
    Block,
    RulesSection,
    RulesText,
    choose_folder_language,
    iter_message_tables,
    load_message_files,
    load_spelling_pattern,
    typeset_sentence,
)
from moderator.common.text import OPEN_AT_END, VALUE_LENGTH, clean_line, clean_name, suggest
from moderator.games import REGISTRY, load_game
from moderator.language import traits
from moderator.rules.game import PLAIN, Style
from moderator.rules.orders import SHARED_WORDS
from moderator.rules.orders.markers import split_alternatives
from moderator.rules.state import Note
from moderator.tournaments import formats

# ---- Moves as their reader writes them: ``E5 a HAUS``, ``exchange A E``, ``buy red``, ``from 10``.
#
# The log, records and the code have every move in one canonical form, whose words are German and small; what is laid is
# in capitals. So each word of it is put into the reader's language by itself, as the tables ``[move]`` of the text
# files in ``rules/`` and in the game's folder have it; several words stand there where a language changes one beside
# another (``2 rot`` is ``2 rouges``). Players may write each word in every language.


SHARED = Path(__file__).parent.parent / "rules"
"""Where the words stand that several games have."""
WITHOUT_TILES = frozenset({"passe", "tausche", "kaufe", "vollende"})
"""First words of moves by which nothing is laid."""


@cache
def load_move_words(language: str, game: str | None, table: str = "move") -> Mapping[str, str]:
    """Return for each word of the canonical form how it is written in a language. Unknown languages write English."""
    folders = [SHARED, *([games.folder(game)] if game in games.REGISTRY else [])]
    return {
        word: written
        for folder in folders
        for _, word, written in iter_message_tables(folder, choose_folder_language(folder, language), table)
    }


def is_laying_move(order: str) -> bool:
    """Return whether a move lays something, and is not only a pass, an exchange or a purchase."""
    return order.partition(" ")[0].rstrip(",") not in WITHOUT_TILES or any(sign in order for sign in ";+")


def translate_move(order: str, language: str, game: str | None, *, told: bool = False) -> str:
    """Return an order in canonical form as a reader of that language writes it; ``told``: as what somebody has done, to
    stand behind a name (``kauft rot``)."""
    written = {**load_move_words(language, game), **(load_move_words(language, game, "told") if told else {})}
    return _build_move_word_pattern(language, game).sub(lambda found: written[found[0]], order)


@cache
def _build_move_word_pattern(language: str, game: str | None) -> re.Pattern[str]:
    longest = sorted(load_move_words(language, game), key=len, reverse=True)
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, longest))})(?![^\W_])")


PACKAGE = Path(__file__).parent.parent
FOLDERS = (
    "rules",
    "words",
    "tournaments",
    "service",
    "service/tournaments",
    "commands/player",
    "commands/moderator",
    "inbox/agenda",
    "inbox",
)
"""Folders that speak codes, besides ``language`` (labels of the mails) and the games."""
_PLACEHOLDER = re.compile(r"\{(\w+)(?::([^|{}]*)\|([^{}]*))?\}")
_MOVES = frozenset({"move", "order", "readings", "laid", "played"})
"""Parameters that hold moves in canonical form."""
_ORDERS = _MOVES | {"line"}
"""Parameters that hold orders; they are printed in quotation marks (see flow.py for why). A line is as its player
wrote it."""
_TILES = frozenset({"tile", "tiles"})
"""Parameters that hold names of tiles; but in quotation marks they are printed as ``traits.format_tile`` has them."""
_DIRECTION = "direction"
"""Parameter that holds the letter of a move for a direction; sentences say it in a word."""
_FILES = "files"
"""Parameter that holds names of files as somebody wrote them."""
_INNER = str.maketrans("»«„“”", "›‹‚‘’")
_heard = partial(load_spelling_pattern, SHARED_WORDS)
_MARKERS = rf"(?:{_heard('else', 'announces')}|(?!{_heard('announces-not')}){_heard('announces-beginning')}\w*)"
_LEADING = re.compile(rf"(?:\W*{_MARKERS}\b(?:\s*\d{{1,2}}[.:)]+)?[\s.:,)–-]*)+(?=\w)", re.IGNORECASE)
_LEADING_NO_COLON = re.compile(_LEADING.pattern.replace("[.:)]", "[.)]"), re.IGNORECASE)
_SQUARE = r"(?<!\w)(?:[a-z]\s?\d{1,2}|\d{1,2}[a-z])(?!\w)"
_SECOND = re.compile(
    rf"(?:\W|\b{_MARKERS}\b(?:\s*\d{{1,2}}[.:)]+)?)*"
    rf"(?:{_SQUARE}|(?:;|\b{_MARKERS}\b)\W*{_heard('pass', 'exchange')}\b)",
    re.IGNORECASE,
)
"""Where a second order begins in a quoted line, with the words that announce it."""
_PLACED = re.compile(r"(?<!\w)\d(?:\W?\d){1,2}\s*@")
"""Where the placing of a domino or triangle begins."""


class MarkedText(str):
    """An order ready to be printed: made by ``strip_quotes``, which returns it unchanged from then on."""

    __slots__ = ()


def load_sentences(language: str, game: str | None = None) -> Mapping[str, str]:
    """Return all sentences of a language by code; those of the game come first. Unknown languages speak English."""
    return _load_sentences(language, game, formats.list_foreign_formats())


@cache
def _load_sentences(language: str, game: str | None, others: tuple[str, ...]) -> Mapping[str, str]:
    """Return the sentences from the files. ``others``: formats of tournaments of other packages."""
    folders = [PACKAGE / name for name in FOLDERS]
    if game in games.REGISTRY:
        folders.append(games.folder(game))
    own = load_labels(language)
    sentences = _load_format_sentences(others, language) | {"yes": own["yes"], "no": own["no"]}
    for folder in folders:
        sentences.update(_load_folder(folder, language))
    if game is not None:
        # Of variants in one folder, "supertridom.name" is what "name" is for this one.
        variant = {code: text for code, text in sentences.items() if code.startswith(f"{game}.")}
        sentences |= {code.removeprefix(f"{game}."): text for code, text in variant.items()}
    return sentences


def load_labels(language: str) -> Mapping[str, str]:
    """Return the mails' own words. Separate from ``load_sentences``, so that a game's code can't replace a heading."""
    return _load_labels(language, formats.list_foreign_formats())


@cache
def _load_labels(language: str, others: tuple[str, ...]) -> Mapping[str, str]:
    return _load_format_sentences(others, language) | _load_folder(PACKAGE / "language", language)


def _load_format_sentences(keys: Sequence[str], language: str) -> dict[str, str]:
    """Return sentences of formats of other packages. They replace none of ours."""
    found: dict[str, str] = {}
    for key in keys:
        found |= _load_folder(formats.get_format_folder(key), language)
    return found


def _load_folder(folder: Path, language: str) -> dict[str, str]:
    flat: dict[str, str] = {}
    for values in load_message_files(folder, choose_folder_language(folder, language)).values():
        flat |= _flatten_table({code: value for code, value in values.items() if code not in READ})
    return flat


def _flatten_table(values: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """Flatten nested tables: ``word.blocked`` may be written as one key in quotes or as a TOML table; both mean the
    same."""
    flat: dict[str, str] = {}
    for key, value in values.items():
        if isinstance(value, Mapping):
            flat |= _flatten_table(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = str(value)
    return flat


def render_note(note: Note, language: str, game: str | None = None, names: Sequence[str] = ()) -> str:
    """Return the note as a sentence of plain text (not escaped). Never fails: an unknown code gives a general one.

    With ``names`` (of all seats) the sentence may say {name} for the note's seat, and a parameter ``seat`` or ``seats``
    is printed as names, ``items`` as a sum; of one term only the sum is not said twice."""
    params = dict(note.params)
    if note.seat is not None and 0 <= note.seat < len(names):
        params.setdefault("name", names[note.seat])
    for key in ("seat", "seats"):
        if key in params and names:
            params[key] = _name_seats(params[key], names)
    if isinstance(params.get("items"), list | tuple):
        # ``35 + 12 − 5``; ``0`` for nothing.
        items = params["items"]
        text = "".join(f" {'−' if item < 0 else '+'} {abs(item)}" for item in items)
        params["items"] = _format_signs(f"−{text[3:]}" if text.startswith(" −") else text[3:] or "0")
    elif isinstance(params.get("items"), str):
        params["items"] = _format_signs(params["items"])
    text, terms = render_code(note.code, language, game, **params), params.get("items")
    if isinstance(terms, str) and " " not in terms:
        return text.replace(f"{terms} = {terms}", terms)
    return text


def _name_seats(value: Any, names: Sequence[str]) -> Any:
    if isinstance(value, int) and 0 <= value < len(names):
        return clean_name(names[value])
    return [_name_seats(item, names) for item in value] if isinstance(value, list | tuple) else value


def _name_tiles(value: Any, sentences: Mapping[str, str], game: str | None) -> Any:
    if isinstance(value, str):
        return sentences.get(f"tile.{value}") or traits.format_tile(game, value)
    return [_name_tiles(item, sentences, game) for item in value] if isinstance(value, list | tuple) else value


def _format_signs(terms: str) -> str:
    """Return terms with real minus signs, each on one line with its number."""
    return re.sub(r"([-−+]) (?=\d)", "\\1\u00a0", terms).replace("-", "−")


def render_code(code: str, language: str, game: str | None = None, /, **params: Any) -> str:
    """Return the sentence of ``code`` filled with ``params``, that of ``code`` and its reason where there is one; an
    unknown code gives a general one."""
    sentences = load_sentences(language, game)
    pattern = sentences.get(f"{code}-{params.get('reason')}") or sentences.get(code)
    if pattern is None:
        shown = ", ".join(f"{clean_name(k)} = {_format_value(v, sentences)}" for k, v in params.items())
        return clean_line(f"{code} ({shown})" if shown else code)
    return _fill_sentence(pattern, params, sentences, language, game)


def fill_pattern(pattern: str, language: str, /, **params: Any) -> str:
    """Return a sentence that stands elsewhere, filled with ``params``."""
    return _fill_sentence(pattern, params, load_sentences(language), language)


def render_label(code: str, language: str, /, **params: Any) -> str:
    """Return one of the mails' own words or sentences. Raises KeyError for one that doesn't exist."""
    words = load_labels(language)
    return _fill_sentence(words[code], params, words, language) if params else words[code]


def write_match_title(game: str, name: str, language: str, *, quoted: bool = True) -> str:
    """Return ``Topwords „Arratia“``, or without quotation marks ``Topwords Arratia``; a name that begins with the
    game's, as ``Dominos 1``, says it all."""
    if not name or name.casefold().startswith(game.casefold()):
        return name or game
    return render_label("title", language, game=game, match=name) if quoted else f"{game} {name}"


def join_names(names: Sequence[str], language: str) -> str:
    """Return ``Anna, Bert und Cora``."""
    return ", ".join([*names[:-2], f" {load_labels(language)['and']} ".join(names[-2:])]) if names else ""


def game_sentence(code: str, language: str, game: str | None, /, **params: Any) -> str:
    """Return a label of ours, unless the game has its own ``mail.<code>``."""
    name = f"mail.{code}"
    return (
        render_code(name, language, game, **params)
        if has_sentence(name, language, game)
        else render_label(code, language, **params)
    )


def render_tile_name(name: str, language: str, game: str | None) -> str:
    """Return a tile as sentences name it: the game's ``tile.<name>`` where it has one, else as ``traits.format_tile``
    has it."""
    return str(_name_tiles(name, load_sentences(language, game), game))


def render_round_noun(language: str, game: str | None) -> str:
    """Return the word for a round of this game: ``Runde``, unless the game has its own ``mail.round-noun``."""
    return game_sentence("round-noun", language, game)


def has_sentence(code: str, language: str, game: str | None = None) -> bool:
    """Return whether there is a sentence for ``code``."""
    return code in load_sentences(language, game)


def _fill_sentence(
    pattern: str, params: Mapping[str, Any], sentences: Mapping[str, str], language: str, game: str | None = None
) -> str:
    values = dict(params)
    if isinstance(why := values.get("why"), Mapping):
        del values["why"]
        values = {**why, **values}
    if isinstance(values.get("reason"), str):
        reason = values.pop("reason")
        inner = sentences.get(f"word.{reason}")
        values["reason"] = _fill_sentence(inner, values, sentences, language, game) if inner is not None else reason

    style = traits.get_notation_style(game)

    def replace_placeholder(found: re.Match[str]) -> str:
        name, one, many = found.groups()
        value = values.get(name)
        in_quotation = OPEN_AT_END.search(pattern, 0, found.start()) is not None
        if name == "faults" and isinstance(value, list | tuple):
            return " ".join(_render_fault(fault, sentences, language, game) for fault in value)
        if name in _TILES and not in_quotation:
            value = _name_tiles(value, sentences, game)
        if name == "names" and isinstance(value, list | tuple):
            return join_names([_format_value(one, sentences) for one in value], language) or "–"
        if name in _MOVES:
            value = _translate_moves(value, language, game)
        elif name == _DIRECTION:
            value = sentences.get(f"direction.{value}", value)
        if name in _ORDERS and not in_quotation:
            several = [value] if isinstance(value, str) else value or ()
            return ", ".join(quote_order(order, language, style) for order in several)
        if name == _FILES and isinstance(value, list | tuple):
            return join_names([quote_text(nest_quotes(file), language) for file in value], language) or "–"
        if one is None:
            return strip_quotes(value, style) if name in _ORDERS else _format_value(value, sentences)
        return f"{_format_value(value, sentences)} {one if _is_singular(value, language) else many}"

    return typeset_sentence(_PLACEHOLDER.sub(replace_placeholder, pattern))


def _is_singular(value: Any, language: str) -> bool:
    """Return whether the number takes the singular; in French zero does, too."""
    return isinstance(value, int) and str(abs(value)) in load_labels(language)["singular"].split()


def _translate_moves(value: Any, language: str, game: str | None) -> Any:
    if isinstance(value, str):
        return value if isinstance(value, MarkedText) else translate_move(value, language, game)
    return [_translate_moves(item, language, game) for item in value] if isinstance(value, list | tuple) else value


def _render_fault(fault: Mapping[str, Any], sentences: Mapping[str, str], language: str, game: str | None) -> str:
    """Return one of several faults as a sentence of its own."""
    code = str(fault["code"])
    return _fill_sentence(sentences[code], fault, sentences, language, game) if code in sentences else clean_line(code)


def _format_value(value: Any, sentences: Mapping[str, str]) -> str:
    """Return a parameter as text."""
    if isinstance(value, str):
        return clean_line(value)
    if value is None:
        return "–"
    if isinstance(value, bool):
        return sentences["yes" if value else "no"]
    if isinstance(value, int) and value < 0:
        return f"−{-value}"
    if isinstance(value, Mapping):
        return ", ".join(f"{clean_line(str(k))} {_format_value(v, sentences)}" for k, v in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        items = value if isinstance(value, list | tuple) else sorted(value, key=str)
        return ", ".join(_format_value(item, sentences) for item in items) or "–"
    return clean_line(str(value))


def strip_quotes(order: object, style: Style = PLAIN) -> MarkedText:
    """Return an order or another line of a player's for printing in quotation marks: clean, without such marks, without
    words that announce a fallback and whatever begins a second order («E5 w HAUS …»), which might be read as an order
    of its own. ``style`` is that of its game."""
    return order if isinstance(order, MarkedText) else MarkedText(_strip_order(str(order)[: 4 * VALUE_LENGTH], style))


@lru_cache(maxsize=4096)
def _strip_order(text: str, style: Style) -> str:
    text = nest_quotes(text)
    if found := (_LEADING if style.colon_numbers else _LEADING_NO_COLON).match(text):
        text = text[found.end() :]
    first = split_alternatives(text, style)[:1]
    end = len(first[0].original) if first and text.startswith(first[0].original) else len(text)
    second = _SECOND.search(text, _compute_first_square_end(text)) if style == PLAIN else None
    placed = [found.start() for found in _PLACED.finditer(text)]
    end = min([end, *([second.start()] if second else []), *placed[1:2]])
    return text[:end].rstrip(" \t;,") + " …" if end < len(text.rstrip()) else text


def _compute_first_square_end(text: str) -> int:
    found = re.search(_SQUARE, text, re.IGNORECASE)
    return found.end() if found else min(len(text), 1)


def write_move(order: str, language: str, game: str | None) -> MarkedText:
    """Return a move in canonical form for printing in quotation marks, as its reader writes it."""
    return strip_quotes(_translate_moves(order, language, game), traits.get_notation_style(game))


def quote_move(order: str, language: str, game: str | None) -> str:
    """Return a move in canonical form as its reader writes it, in quotation marks."""
    return quote_text(write_move(order, language, game), language)


def quote_order(order: object, language: str, style: Style = PLAIN) -> str:
    """Return ``»E5 w HAUS«``, ``“E5 across HOUSE”``, ``« E5 w MAISON »``."""
    return quote_text(strip_quotes(order, style), language)


def quote_text(text: str, language: str) -> str:
    """Return the text in the quotation marks of the language."""
    return load_labels(language)["quotation"].replace("{text}", text)


def nest_quotes(text: str) -> MarkedText:
    """Return a line as somebody wrote it, for printing in quotation marks: clean, its own marks become those inside
    others."""
    return MarkedText(clean_line(text).translate(_INNER))


_RULES = SandboxedEnvironment(undefined=StrictUndefined, trim_blocks=False, autoescape=False)


def load_rules_text(key: str, language: str, options: Mapping[str, Any] | None = None) -> RulesText:
    """Return the rules of a game in a language, or in English where there are none in that one. ``options``: those that
    are agreed for the match that is asked about; None = the rules as they are where nothing is agreed. Raises
    OperatorError if there are none at all, or the file has another shape."""
    return _load_rules_text(key, language, None if options is None else json.dumps(options, sort_keys=True))


@cache
def _load_rules_text(key: str, language: str, options: str | None) -> RulesText:
    if key not in REGISTRY:
        raise MistypedError(f"There is no game {key!r}.", suggest(key, sorted(REGISTRY)))
    if language not in LANGUAGES:
        raise OperatorError(f"There are no rules in {language!r}.", f"Known languages: {', '.join(LANGUAGES)}.")
    file = games.folder(key) / f"rules.{key}.{language}.md"
    if not file.exists():
        language, file = FALLBACK, file.with_name(f"rules.{key}.{FALLBACK}.md")
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise OperatorError(f"The rules {file} cannot be read: {error.strerror}.", "Install moderator anew.") from error
    agreed = None if options is None else json.loads(options)
    return replace(parse_rules_text(fill_rules_template(text, file.name, key, agreed), file.name), language=language)


def fill_rules_template(text: str, name: str, key: str, agreed: Mapping[str, Any] | None) -> str:
    """Return the text with the options of the game in it. Raises OperatorError where it is no template."""
    values = {**asdict(load_game(key).options()), **(agreed or {})}
    try:
        return _RULES.from_string(text).render(values, agreed=agreed is not None)
    except TemplateError as error:
        raise OperatorError(f"{name} cannot be filled in: {error}.", "Its shape: language/messages.py.") from error


def parse_rules_text(text: str, name: str) -> RulesText:
    """Return the rules in the text of the file ``name``. Raises OperatorError where it has another shape."""
    first, *parts = re.split(r"\n\s*\n", text.strip())
    if not first.startswith("# ") or "\n" in first:
        raise _build_shape_error(name, first)
    sections: list[RulesSection] = []
    for part in parts:
        if part.startswith("## ") and "\n" not in part:
            sections.append(RulesSection(typeset_sentence(part[3:].strip()), ()))
        elif part.startswith("#") or not sections:
            raise _build_shape_error(name, part)
        else:
            heading, blocks = sections[-1].heading, sections[-1].blocks
            sections[-1] = RulesSection(heading, (*blocks, _parse_block(part, name)))
    return RulesText(typeset_sentence(first[2:].strip()), tuple(sections))


def _parse_block(part: str, name: str) -> Block:
    if part.startswith("- "):
        return tuple(typeset_sentence(" ".join(item.split())) for item in f"\n{part}".split("\n- ")[1:])
    if "\n- " in part:  # the list needs an empty line before it
        raise _build_shape_error(name, part)
    return typeset_sentence(" ".join(part.split()))


def _build_shape_error(name: str, part: str) -> OperatorError:
    return OperatorError(f"{name} cannot have {part[:60]!r} where it stands.", "Its shape: language/messages.py.")
