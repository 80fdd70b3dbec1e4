"""What tests of several folders share."""

import dataclasses
import email.policy
import os
import random
from email.headerregistry import HeaderRegistry
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from moderator.rules.game import State

# ---- what lies beside the repository where it was made, and is no part of it: real mails, exercises of others ----
#
# A clone by itself has none of it (MODERATOR_SHARED says where it is); there every test passes or is skipped.

SHARED = Path(os.environ.get("MODERATOR_SHARED", Path(__file__).parents[2] / "shared"))
CORPORA = SHARED / "corpora"
HELD = SHARED / "vectors" / "held"

needs_corpora = pytest.mark.skipif(not CORPORA.is_dir(), reason="no corpora beside the repository")
needs_held = pytest.mark.skipif(not HELD.is_dir(), reason="the exercises are not part of this repository")


# ---- how tests read and write mails: as the standard library does, but for the time it takes ----
#
# Its parser asks each part of a mail five times of what kind it is, and takes the header apart anew each time: that is
# four fifths of the reading. Here the same header is taken apart once.


class _Headers(HeaderRegistry):
    def __init__(self) -> None:
        super().__init__()
        self.known = lru_cache(maxsize=10_000)(super().__call__)

    def __call__(self, name: str, value: Any) -> Any:
        return self.known(name, value)


_HEADERS = _Headers()
READ = email.policy.default.clone(header_factory=_HEADERS)
WRITE = email.policy.SMTP.clone(header_factory=_HEADERS)


def list_lines(file: Path, heading: str) -> list[str]:
    """The lines below that ``[heading]`` of a text file, up to an empty one; backslash and n are an end of line in
    them."""
    below = file.read_text(encoding="utf-8").partition(f"[{heading}]\n")[2].partition("\n\n")[0]
    return [line.replace("\\n", "\n") for line in below.strip("\n").split("\n")]


def looks_alike(state: State[Any], seat: int, dice: random.Random) -> State[Any]:
    """A world in which all that the seat cannot see is another: the hands of the others (where each has one), the
    stock, what is private to them."""
    own = 0 if len(state.hands) == 1 else seat
    piles = [[*hand] for hand in state.hands] + [[*state.stock]]
    hidden = [tile for number, pile in enumerate(piles) if number != own for tile in pile]
    dice.shuffle(hidden)
    for number, pile in enumerate(piles):
        if number != own:
            pile[:], hidden = hidden[: len(pile)], hidden[len(pile) :]
    private = tuple(kept if other == seat else object() for other, kept in enumerate(state.private))
    *hands, stock = map(tuple, piles)
    return dataclasses.replace(state, hands=tuple(hands), stock=stock, private=private)
