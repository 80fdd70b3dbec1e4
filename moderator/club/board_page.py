"""The page to lay tiles on of a family of games, as one file: ``zug/<family>.html`` of the archive, or attached to the
first mail of a match; see docs/zugbrett.md. It works from a stick."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any

from moderator import games
from moderator.club import archive
from moderator.pages import notation
from moderator.pages.mail import environment
from moderator.pages.mail import folder as templates
from moderator.pages.messages import label, labels, table

SHELL = ("zug_tools.js", "zug.js")
"""What all pages have, in the order in which they follow each other."""
IN_THE_ARCHIVE = ("zug-newer", "zug-newer-link")
"""Sentences that only a page says which can ask for newer positions; one that comes with a mail cannot."""
OF_MEMBERS = {
    "draw": ("zug-picked", "zug-picked-none", "zug-fits"),
    "exchange": ("zug-choose",),
    "conditional": ("scores-less",),
    "stands": ("zug-which",),
}
"""Member of a family -> sentences that a page says only of one that has it."""
MOST = 60_000
"""Bytes of a page that comes with a mail."""
_IMPORT = re.compile(r'^import [^;]*"\./([^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)
_REMARK = re.compile(r"^ *\/\*.*?\*\/\n", re.MULTILINE | re.DOTALL)
_INDENT = re.compile(r"^\s+", re.MULTILINE)
_SPACED = re.compile(r" ?(=>|[=<>!]=+|&&|\|\||\?\?|[=<>*%?:;,(){}\[\]]) ?|(?<![+-]) ([+-]) (?![+-])")
_ASIDE = re.compile(r"  // .*")
_ENDS = re.compile(r"([{(\[,;])\n")
_KEPT = re.compile(r"['/\\]")
_STYLE_SPACED = re.compile(r"\s*([{};,])\s*|(:) ")
_NAME = re.compile(r"^export const (\w+) = \{\n  games:", re.MULTILINE)
_CODE = re.compile(r'"([a-z][\w.*-]+)"')


@dataclass(frozen=True)
class Place:
    """Where a page of the archive stands."""

    numbers: str
    """Relative address of the folder in which the archive tells how far each match is."""
    matches: str
    """The same of the pages of matches."""
    public: bool = False
    """Search engines may list it."""
    address: str = ""
    """On the web; "" = it has none."""
    picture: str = ""
    """What messengers show of it, there."""


def families() -> dict[str, str]:
    """Page -> one of its games."""
    return {page: game for game in games.REGISTRY if (page := archive.board_page(game))}


def source(game: str) -> str:
    """The module of the game's family, behind those of its folder that it imports."""
    module = archive.board_module(game)
    assert module is not None, game
    own = module.read_text(encoding="utf-8")
    shared = [(module.parent / name).read_text(encoding="utf-8") for name in _IMPORT.findall(own)]
    return "".join(_IMPORT.sub("", text) for text in (*shared, own))


def shell() -> list[str]:
    """The modules that all pages have."""
    return [(templates() / "site" / name).read_text(encoding="utf-8") for name in SHELL]


def exported(game: str) -> str:
    """Name of the object that is the game's family; "" = its module exports none as it must."""
    found = _NAME.search(source(game))
    return found[1] if found else ""


def lacking(game: str) -> list[str]:
    """Of the members that bring sentences of their own, those that the game's family has not."""
    return [member for member in OF_MEMBERS if not re.search(rf"^  {member}[(:,]", source(game), re.MULTILINE)]


@cache
def script(game: str) -> str:
    """Shell and family as one module: a page that was opened from a file may load none."""
    name = exported(game)
    assert name, game
    every = "".join(_lean(_EXPORT.sub("", _IMPORT.sub("", text))) for text in (source(game), *shell()))
    return f"{every}start({name});\n"


def written(page: str, language: str, club: str, place: Place | None = None, turn: bytes = b"") -> str:
    """The page as HTML. Without ``place`` it comes with a mail, and with ``turn``, the position that it shows at first
    (b"" = it asks for one)."""
    from markupsafe import Markup

    def t(code: str, **params: Any) -> str:
        return label(code, language, **params)

    style = _STYLE_SPACED.sub(r"\1\2", (templates() / "site" / "zug.css").read_text(encoding="utf-8"))
    code, words = script(families()[page]), _words(page, language)
    if place is None:
        words["say"] = {code: text for code, text in words["say"].items() if code not in IN_THE_ARCHIVE}
    values = {
        "t": t,
        "lang": language,
        "club": club,
        "place": place,
        "called": " / ".join(table(language, one)["name"] for one in served(page)),
        "style": Markup(style),
        "script": Markup(code),
        "style_hash": _hash(style),
        "script_hash": _hash(code),
        "words": _json(json.dumps(words, ensure_ascii=False)),
        "say": {**labels(language), **words["say"]},
        "turn": _json(turn.decode()),
    }
    made: str = environment().get_template("site/zug.html.j2").render(values)
    return made


def enclosed(page: str, language: str, club: str, turn: bytes = b"") -> bytes:
    """As it comes with a mail: without the position, which the mail brings as a file, too, where it would be too large
    with it."""
    made = written(page, language, club, turn=turn).encode()
    return made if len(made) <= MOST else written(page, language, club).encode()


def _json(text: str) -> Any:
    """As it can stand in a script element: whatever people are called, nothing in it ends that or begins another."""
    from markupsafe import Markup

    return Markup(text.replace("<", "\\u003c"))


def _lean(code: str) -> str:
    """A module without what only those need who read it: remarks, indents, lines, spaces beside signs. A line in which
    there may be a pattern or a text with signs of its own stays; no text goes over several lines."""
    lines = _INDENT.sub("", _REMARK.sub("", _ASIDE.sub("", code))).splitlines(keepends=True)
    return _ENDS.sub(r"\1", "".join(line if _KEPT.search(line) else _tight_but_template(line) for line in lines))


def _tight_but_template(line: str) -> str:
    """A line with one text in backticks, in which the rest is made tight; with more of them it stays."""
    before, *template = line.split("`")
    if not template:
        return _tight(line)
    if len(template) != 2 or before.count('"') % 2:
        return line
    return f"{_tight(before)}`{template[0]}`{_tight(template[1])}"


def _tight(line: str) -> str:
    """Outside of its texts."""
    parts = line.split('"')
    parts[::2] = [_SPACED.sub(r"\1\2", part) for part in parts[::2]]
    return '"'.join(parts)


def served(page: str) -> list[str]:
    """The games that are played on a page."""
    return [game for game in games.REGISTRY if archive.board_page(game) == page]


def _words(page: str, language: str) -> dict[str, Any]:
    """The page's sentences: its own, those of the game whose codes its script names or that stand in place of the
    page's (zug-…), what each game of the page says otherwise, and the words of a move."""
    game = families()[page]
    codes, ours = set(_CODE.findall(script(game))), labels(language)

    def named(one: str) -> dict[str, str]:
        found = table(language, one).items()
        return {code: text for code, text in found if code in codes or (code.startswith("zug-") and code in ours)}

    codes -= {code for member in lacking(game) for code in OF_MEMBERS[member]} - {*_CODE.findall(source(game))}
    shell = {code: text for code, text in ours.items() if code.startswith("zug-") and code in codes}
    say = shell | named(game)
    others = {
        one: {"name": table(language, one)["name"]}
        | {code: text for code, text in named(one).items() if text != say.get(code)}
        for one in served(page)
    }
    return {"say": say, "games": others, "move": dict(notation.words(language, game))}


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
