"""The snake of Domi Jongg in words: one line per head, for proportional fonts and for ears."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from moderator.match.contract import FENCE
from moderator.match.scenes import Head, Link, Snake
from moderator.pages.messages import say

GAME = "domijongg"


@lru_cache(maxsize=64)
def lists(scene: Snake, language: str) -> tuple[str, ...]:
    """``Kopf 1 (links) ǀ K3 · [J3]``: from the last fork (or the singlestone) outwards, newly laid tiles in brackets.
    Then the stretches that end at a fork, and what the brackets mean."""
    tree = _Tree(scene)
    lines = [f"{_name(head, language)} {FENCE} {_row(tree.run(head.at))}" for head in scene.heads]
    behind = say("board.inner", language, GAME)
    lines += [f"{behind} {FENCE} {_row(tree.run(fork))}" for fork in tree.forks]
    if any(link.fresh for link in scene.links):
        lines.append(say("board.note", language, GAME))
    return tuple(lines)


@lru_cache(maxsize=128)
def alt(scene: Snake, language: str, last: str = "") -> str:
    """Size, last move (``last``, a sentence), new tiles, the tile at each head."""
    single = scene.links[0].tile
    parts = [say("board.size", language, GAME, count=len(scene.links), heads=len(scene.heads), tile=single)]
    if last:
        parts.append(say("board.last", language, GAME, what=last))
    if fresh := [link.tile for link in scene.links if link.fresh]:
        parts.append(say("board.fresh", language, GAME, tiles=fresh))
    ends = [f"{_name(head, language)} {head.tile}" for head in scene.heads]
    parts.append(say("board.heads", language, GAME, heads=ends))
    return " ".join(parts)


def _name(head: Head, language: str) -> str:
    return say({1: "board.left", 2: "board.right"}.get(head.number, "board.head"), language, GAME, head=head.number)


def _row(links: Sequence[Link]) -> str:
    return " · ".join(f"[{link.tile}]" if link.fresh else link.tile for link in links)


class _Tree:
    """How the tiles hang together, by cell."""

    def __init__(self, scene: Snake) -> None:
        self._links = {(link.x, link.y): link for link in scene.links}
        self._followers = Counter(link.joint[0] for link in scene.links if link.joint)
        self.forks = [cell for cell, link in self._links.items() if not link.start and self._followers[cell] > 1]
        """Cells of the tiles that fork, in the order of laying."""

    def run(self, cell: tuple[int, int]) -> list[Link]:
        """The tiles up to ``cell``, from the last fork or the singlestone before it."""
        found = [self._links[cell]]
        while found[-1].joint:
            cell = found[-1].joint[0]
            found.append(self._links[cell])
            if self._followers[cell] > 1:
                break
        return found[::-1]
