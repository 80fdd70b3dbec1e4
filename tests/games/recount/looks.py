"""What the engine shows of a match, as plain values that can be compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

from moderator.match.scenes import Layout, Scene, Snake, Triangles
from moderator.pages import boards
from tests.games.recount.domijongg import read


def added(items: str | Sequence[int]) -> int:
    """``−15 − 10 + 13`` or [10, 5] as a number."""
    if not isinstance(items, str):
        return sum(items)
    return sum(int(term) for term in items.replace("−", "-").replace("- ", "-").replace("+", " ").split())


def laid_by_head(text: str) -> frozenset[tuple[int, str]]:
    """``1: T3+E; 3: N; 1: T2`` and ``1: T3+E, T2; 3: N`` lay the same tiles at the same heads."""
    laid: dict[int, list[str]] = {}
    for head, step in read(text):
        laid.setdefault(head, []).append(step)
    return frozenset((head, ", ".join(steps)) for head, steps in laid.items())


def drawn(scene: Scene) -> dict[str, Any]:
    """A neutral drawing as the plain values of ``Recount.drawing``, and the ``names`` of the tiles in it."""
    if isinstance(scene, Layout):
        names = [bone.name for bone in scene.bones]
        return {
            "names": names,
            "tiles": sorted(names),
            "ends": {end.name: end.value for end in scene.ends},
            "sum": scene.total,
        }
    if isinstance(scene, Triangles):
        tiles = {t.place: ((t.x, t.y), t.corners) for t in scene.tiles}
        free = {t.place: ((t.x, t.y), t.corners) for t in scene.free}
        return {"names": [lowest(t.corners) for t in scene.tiles], "tiles": tiles, "free": free}
    assert isinstance(scene, Snake)
    assert len(scene.heads) <= 10
    names = [link.tile for link in scene.links]
    return {"names": names, "tiles": sorted(names), "heads": {head.number: head.tile for head in scene.heads}}


def lowest(corners: Sequence[int | None]) -> str:
    """The name of a triangle by its corners clockwise."""
    a, b, c = map(str, corners)
    return min(a + b + c, b + c + a, c + a + b)


def words(value: Any) -> list[str]:
    """All texts in the params of a note."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [word for item in value.values() for word in words(item)]
    return [word for item in value for word in words(item)] if isinstance(value, list | tuple) else []


def positions(scene: Scene) -> list[Any]:
    """Each lying tile with its place in the drawing."""
    if isinstance(scene, Layout):
        return [(bone.x, bone.y, bone.upright, bone.values) for bone in scene.bones]
    if isinstance(scene, Triangles):
        return [(tile.x, tile.y, tile.place, tile.corners) for tile in scene.tiles]
    assert isinstance(scene, Snake)
    return [(link.x, link.y, link.tile) for link in scene.links]


def room(scene: Scene) -> None:
    """No two tiles share a spot, and the label of an open end has one of its own."""
    if isinstance(scene, Snake):
        cells = [(link.x, link.y) for link in scene.links] + [(head.x, head.y) for head in scene.heads]
        assert len(set(cells)) == len(cells)
    elif isinstance(scene, Layout):
        halves = [
            (bone.x + sign * (0 if bone.upright else 0.5), bone.y + sign * (0.5 if bone.upright else 0))
            for bone in scene.bones
            for sign in (-1, 1)
        ]
        spots = [*halves, *((end.x, end.y) for end in scene.ends)]
        for n, (x, y) in enumerate(spots):
            assert all(abs(x - a) > 0.99 or abs(y - b) > 0.99 for a, b in spots[:n])


def pictures(scene: Scene) -> list[str]:
    """Picture, list and paragraph of a position can be made, and the picture is XML. Gives the lines of the list."""
    root = ElementTree.fromstring(boards.svg(scene, "Brett & Co.", "<Beschreibung>"))
    assert root.tag.endswith("svg")
    assert boards.width(scene) > 0
    lines = [line for language in ("de", "en") for line in boards.lists(scene, language)]
    assert all(line.strip() for line in lines)
    assert all(boards.alt(scene, language).strip() for language in ("de", "en"))
    return lines
