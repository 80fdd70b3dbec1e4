"""What inputs are made of: words and signs of the grammars, mails and moves of the other tests, odd characters."""

import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from moderator.commands.declaration import get_player_commands, get_staff_commands

TESTS = Path(__file__).parent.parent
TABLE: dict[str, list[str]] = tomllib.loads((Path(__file__).parent / "tokens.toml").read_text(encoding="utf-8"))
SEPARATORS = TABLE["separators"]
HEADERS = [piece.encode("latin-1") for piece in TABLE["headers"]]
SPEAKING = ("sections", "commands", "boss", "player", "moderator")
"""Targets that know commands."""
VECTORS = {"kreuzwort": "typdom", "point": "typdom", "supertridom": "tridom"}
"""Files of vectors that are named otherwise than their game."""
SURROGATES = ("\ud800", "\udfff")


@cache
def tokens(target: str) -> tuple[str, ...]:
    said = [
        text.words
        for one in (*get_player_commands().values(), *get_staff_commands().values())
        for text in one.texts.values()
    ]
    words = tuple(word for some in said for word in some.split("|")) if target in SPEAKING else ()
    kinds = ["coordinates", "words", "tiles", "markers", "actions", "separators", "odd", "codes"]
    kinds += ["tags"] if target == "html" else []
    kinds += ["replies"] if target in ("reply", "html", "sections", "boss", "player") else []
    return (*(piece for kind in kinds for piece in TABLE[kind]), *SURROGATES, *words)


@cache
def seeds(target: str) -> tuple[str, ...]:
    """Texts to begin with: what players write in the golden mails, and the moves of the vectors."""
    pairs = [file.read_text(encoding="utf-8").partition("\n\n")[2] for file in TESTS.glob("pairs/**/*.txt")]
    found = [text.partition("=====")[0] for text in pairs]
    every = target in ("sections", "reply", "player")
    for file in TESTS.glob("vectors/*.toml"):
        if not every and not file.stem.startswith(VECTORS.get(target, target)):
            continue
        found += _moves(tomllib.loads(file.read_text(encoding="utf-8")))
    return tuple(sorted({text for text in found if 0 < len(text) < 2000}))


def _moves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _moves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _moves(item)
