"""The sentences of every registered game: none is left over, and the rules name every option. That none is missing,
that what they quote can be read and none is a move itself, is looked at in ``moderator/conformance/sentences.py``.

What is special about one game's sentences stands in ``test_<game>_messages.py``.
"""

from __future__ import annotations

import dataclasses
from functools import cache
from pathlib import Path

import pytest

import moderator
from moderator.conformance.sentences import OURS, plain
from moderator.games import REGISTRY, folder, load
from moderator.pages.mail import folder as templates
from tests.games.misses import SAID_FOR_A_MISS

KEYS = sorted(REGISTRY)
games = pytest.mark.parametrize("key", KEYS)


@cache
def source(key: str) -> str:
    """Of the game, and of what it may use of others; what its page to lay tiles on says, too."""
    ours = Path(moderator.__file__).parent
    files = [*folder(key).glob("*.py"), *(ours / "games").glob("*.py"), *(ours / "pages").rglob("*.py")]
    files += [*folder(key).glob("*.js"), ours / "site" / "zug.py", *(templates() / "site").glob("zug*")]
    return "\n".join(one.read_text(encoding="utf-8") for one in files)


@games
def test_no_sentence_is_left_over(key: str) -> None:
    spoken = source(key)
    own = [code for code in plain(key, "de") if code not in OURS and not code.startswith(("how-to-", "form-"))]
    own = [code.removesuffix("-several") for code in own]  # of one that a game speaks, see aftermath.py
    assert [code for code in own if f'"{code}"' not in spoken and code not in SAID_FOR_A_MISS] == []


@games
def test_the_rules_name_every_option_with_its_default(key: str) -> None:
    rules = (folder(key) / "RULES.md").read_text(encoding="utf-8").splitlines()
    for field in dataclasses.fields(load(key).options):
        rows = [row.split("|")[2] for row in rules if row.startswith(f"| `{field.name}` |")]
        assert any(f"`{str(field.default).lower()}`" in row for row in rows), field.name
