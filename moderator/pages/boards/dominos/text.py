"""Dominoes in words: one line for each arm, from the middle outwards."""

from __future__ import annotations

from functools import lru_cache

from moderator.games.dominos.state import printed
from moderator.match.scenes import Layout
from moderator.pages.messages import say


def _say(code: str, language: str, **params: object) -> str:
    return say(f"board.{code}", language, "dominos", **params)


@lru_cache(maxsize=64)
def lists(scene: Layout, language: str) -> tuple[str, ...]:
    """``Links (L), offen 4, zählt 4: 6ǀ2 · 2ǀ4``: the middle, each arm with its open end, the sum of the ends."""
    if not scene.bones:
        return (_say("empty", language),)
    fresh = next((bone.name for bone in scene.bones if bone.fresh), "")
    spinner = any(bone.spinner for bone in scene.bones)
    middle = "middle-spinner" if spinner else "middle"
    lines = [_say(middle, language, shown=_marked((scene.middle,), fresh, language))]
    ends = {end.name: end for end in scene.ends}
    for place, arm in scene.arms:
        tiles = _marked(arm, fresh, language) or _say("none", language)
        end = ends[place]
        name = _say(f"place.{place}", language)
        lines.append(_say("arm", language, place=name, value=end.value, counts=end.counts, shown=tiles))
    return (*lines, _say("sum", language, total=scene.total))


def _marked(tiles: tuple[str, ...], fresh: str, language: str) -> str:
    """The tiles of an arm; the one laid last is named as new."""
    shown = [printed(name) for name in tiles]
    if tiles and fresh in (tiles[-1].replace("-", ""), tiles[-1].replace("-", "")[::-1]):
        shown[-1] = _say("new", language, shown=shown[-1])
    return " · ".join(shown)


@lru_cache(maxsize=128)
def alt(scene: Layout, language: str, last: str = "") -> str:
    """How many tiles lie, the last move (``last``, a sentence), the arms with their open ends, the sum."""
    parts = [_say("lying", language, count=len(scene.bones))]
    if last:
        parts.append(_say("last", language, what=last))
    lines = lists(scene, language)
    return " ".join([*parts, *(line if line.endswith(".") else f"{line}." for line in lines)])
