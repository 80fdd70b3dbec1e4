"""The touch board of a family of games, as one file: ``zug/<family>.html`` of the archive, or attached to the
first mail of a match; see docs/build/touch-board.md. It works from a stick."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64encode
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from moderator import games
from moderator.language import messages, traits
from moderator.language.messages import load_labels, load_sentences, render_label
from moderator.render.mail import get_template_environment, read_styles, require_template_folder
from moderator.render.turn_picture import render_pieces

SHELL = ("zug_tools.js", "zug.js")
"""What all pages have, in the order in which they follow each other."""
LAYING = "zug_laying.js"
"""What those have whose turns say what may be laid."""
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
_VALUE = re.compile(r"(--[\w-]+):[^;}]*;?")
_NAME = re.compile(r"^export const (\w+) = \{\n  games:", re.MULTILINE)
_CODE = re.compile(r'"([a-z][\w.*-]+)"')


@dataclass(frozen=True)
class BoardPagePlace:
    """The place of a touch board in the archive."""

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


def map_board_pages() -> dict[str, str]:
    """Return each touch board with one of its games."""
    return {page: game for game in games.REGISTRY if (page := traits.find_board_page(game))}


def read_family_source(game: str) -> str:
    """Read the module of the game's family, behind those of its folder that it imports."""
    module = traits.find_board_module(game)
    assert module is not None, game
    return "".join(_IMPORT.sub("", text) for text in _read_with_imports(module).values())


def _read_with_imports(module: Path) -> dict[Path, str]:
    """Read a module behind all that it imports, from its folder or from ours, each once."""
    own, ours = module.read_text(encoding="utf-8"), require_template_folder() / "site"
    found = dict[Path, str]()
    for name in _IMPORT.findall(own):
        found |= _read_with_imports(next(one for one in (module.parent / name, ours / name) if one.exists()))
    return found | {module: own}


def read_shell_modules() -> list[str]:
    """Read the modules that all pages have."""
    return [(require_template_folder() / "site" / name).read_text(encoding="utf-8") for name in SHELL]


def find_family_object(game: str) -> str:
    """Find the name of the object that is the game's family; "" = its module exports none as it must."""
    found = _NAME.search(read_family_source(game))
    return found[1] if found else ""


def list_missing_members(game: str) -> list[str]:
    """List those members that the game's family does not have, of the members that bring sentences of their own."""
    return [
        member for member in OF_MEMBERS if not re.search(rf"^  {member}[(:,]", read_family_source(game), re.MULTILINE)
    ]


def build_board_script(game: str, given: str = "{}") -> str:
    """Build one module of shell and family: a page that was opened from a file may load none. ``given``: the page's
    words and pieces as JSON."""
    name = find_family_object(game)
    assert name, game
    return f"{_join_modules(game)}start({name}, {given});\n"


@cache
def _join_modules(game: str) -> str:
    return "".join(
        _INDENT.sub("", _REMARK.sub("", _EXPORT.sub("", _IMPORT.sub("", text))))
        for text in (read_family_source(game), *read_shell_modules())
    )


def render_board_page(
    page: str, language: str, club: str, place: BoardPagePlace | None = None, turn: bytes = b""
) -> str:
    """Render the page as HTML. Without ``place`` it comes with a mail, and with ``turn``, the position that it shows at
    first (b"" = it asks for one)."""
    from markupsafe import Markup

    def translate(code: str, **params: Any) -> str:
        return render_label(code, language, **params)

    style, opener = _build_style(), _read_opener()
    game, words = map_board_pages()[page], _build_page_words(page, language)
    if place is None:
        words["say"] = {code: text for code, text in words["say"].items() if code not in IN_THE_ARCHIVE}
    script = build_board_script(game, json.dumps({**words, "pieces": render_pieces(game)}, ensure_ascii=False))
    values = {
        "t": translate,
        "lang": language,
        "club": club,
        "place": place,
        "called": " / ".join(load_sentences(language, one)["name"] for one in list_page_games(page)),
        "style": Markup(style),
        "packed": b64encode(zlib.compress(script.encode(), 9, wbits=-zlib.MAX_WBITS)).decode(),
        "opener": Markup(opener),
        "style_hash": _build_source_hash(style),
        "script_hashes": [_build_source_hash(one) for one in (opener, script)],
        "say": {**load_labels(language), **words["say"]},
        "turn": _escape_script_json(turn.decode()),
    }
    made: str = get_template_environment().get_template("site/zug.html.j2").render(values)
    return made


@cache
def _build_style() -> str:
    """Build the style of all pages, without the tokens that none needs."""
    style = read_styles("site/zug.css")
    return _VALUE.sub(lambda found: found[0] if f"var({found[1]})" in style else "", style)


@cache
def _read_opener() -> str:
    """Read the script that unpacks the page's own."""
    return (require_template_folder() / "site" / "zug_open.js").read_text(encoding="utf-8")


def render_enclosed_page(page: str, language: str, club: str, turn: bytes = b"") -> bytes:
    """Render the page as it comes with a mail: without the position, which the mail brings as a file, too, where the
    page would be too large with it."""
    made = render_board_page(page, language, club, turn=turn).encode()
    return made if len(made) <= MOST else render_board_page(page, language, club).encode()


def _escape_script_json(text: str) -> Any:
    """Escape JSON for a script element: whatever people are called, nothing in it ends that element or begins
    another."""
    from markupsafe import Markup

    return Markup(text.replace("<", "\\u003c"))


def list_page_games(page: str) -> list[str]:
    """List the games that are played on a page."""
    return [game for game in games.REGISTRY if traits.find_board_page(game) == page]


def _build_page_words(page: str, language: str) -> dict[str, Any]:
    """Build the page's sentences: its own, those of the game whose codes its script names or that stand in place of the
    page's (zug-…), those that another game of the page words in its own way, the pages of other games, and the words of
    a move."""
    game = map_board_pages()[page]
    codes, ours = set(_CODE.findall(build_board_script(game))), load_labels(language)

    def select_game_sentences(one: str) -> dict[str, str]:
        found = load_sentences(language, one).items()
        return {code: text for code, text in found if code in codes or (code.startswith("zug-") and code in ours)}

    codes -= {code for member in list_missing_members(game) for code in OF_MEMBERS[member]} - {
        *_CODE.findall(read_family_source(game))
    }
    shell = {code: ours[code] for code in ours if code.startswith("zug-") and code.removesuffix("-way") in codes}
    say = shell | select_game_sentences(game)
    others = {
        one: {"name": load_sentences(language, one)["name"]}
        | {code: text for code, text in select_game_sentences(one).items() if text != say.get(code)}
        for one in list_page_games(page)
    }
    elsewhere = {
        other: (load_sentences(language, other)["name"], at.rpartition("/")[2])
        for other in games.REGISTRY
        if (at := traits.find_board_page(other)) not in ("", page)
    }
    return {"say": say, "games": others, "elsewhere": elsewhere, "move": dict(messages.load_move_words(language, game))}


def _build_source_hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
