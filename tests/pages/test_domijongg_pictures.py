"""The snake as SVG, PNG and text."""

from __future__ import annotations

import re
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from moderator.errors import PlayerError
from moderator.games.domijongg.rules import GAME
from moderator.games.domijongg.state import NAMES
from moderator.match.contract import view_for
from moderator.match.scenes import Snake
from moderator.pages import boards, theme
from moderator.pages.boards import alt, characters, domijongg_glyphs, lists, svg, table, width
from moderator.pages.boards.domijongg import ACROSS, DOWN, TALL, WIDE, face
from tests.games.domijongg_table import match, play
from tests.games.domijongg_table import table as dealt

VIEW = view_for(dealt("B3 K4 DR", "DW"), 0)


def example() -> Snake:
    state = dealt("T3 E T2 N DR", "B5", board=["K3", "1: J3"])
    scene = GAME.scene(view_for(play(state, "1: T3+E, T2; 3: N, DR").state, None))
    assert isinstance(scene, Snake)
    return scene


def scenes(seed: int) -> list[Snake]:
    return [GAME.scene(view_for(step.state, None)) for step in match(seed, 2, games=1)]  # type: ignore[misc]


def elements(drawn: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(drawn).iter())


def test_an_opaque_sheet_with_title_and_description() -> None:
    root = ElementTree.fromstring(svg(example(), "Schlange", "A < B & \x00 C"))
    shapes = list(root)
    ground = next(shape for shape in shapes if shape.tag.endswith("rect"))
    assert (ground.get("width"), ground.get("height")) == (root.get("width"), root.get("height"))
    assert ground.get("fill") == theme.GROUND
    assert [shape.text for shape in shapes[:2]] == ["Schlange", "A < B &  C"]


def placed(scene: Snake, shape: str, of: str = "") -> list[tuple[float, float, ElementTree.Element]]:
    """Every such element with its middle on the sheet: where its part lies, and where it is drawn in it."""
    found = []
    for group in ElementTree.fromstring(svg(scene)):
        x, y = map(float, re.findall(r"[-\d.]+", group.get("transform") or "0 0"))
        for e in group.iter():
            if e.tag.endswith(shape) and of in (e.get("r") or ""):
                found.append((x + float(e.get("cx") or 0), y + float(e.get("cy") or 0), e))
    return found


def test_every_tile_lies_on_the_sheet_with_its_name() -> None:
    for scene in scenes(1)[::6]:
        drawn = svg(scene)
        used = placed(scene, "use")
        assert [e.get("href") for _, _, e in used] == [f"#tile-{link.tile}" for link in scene.links]
        root = ElementTree.fromstring(drawn)
        across, down = float(root.get("width") or 0), float(root.get("height") or 0)
        for x, y, _ in used:
            assert WIDE / 2 <= x <= across - WIDE / 2
            assert TALL / 2 <= y <= down - TALL / 2
        names = {e.get("id") for e in elements(drawn) if e.tag.endswith("}g") and e.get("id")}
        assert names == {f"tile-{link.tile}" for link in scene.links}


def test_numbers_of_heads_cover_no_tile() -> None:
    for seed in range(3):
        for scene in scenes(seed)[::5]:
            tiles, circles = placed(scene, "use"), placed(scene, "circle", "13.5")
            assert len(circles) == len(scene.heads)
            for x, y, _ in circles:
                assert not any(abs(x - tx) < WIDE / 2 + 13 and abs(y - ty) < TALL / 2 + 13 for tx, ty, _ in tiles)
            for one in range(len(circles)):
                for other in range(one):
                    (x0, y0, _), (x1, y1, _) = circles[one], circles[other]
                    assert abs(x0 - x1) >= 27 or abs(y0 - y1) >= 27


def test_the_last_turn_is_framed_and_the_singlestone_marked() -> None:
    drawn = svg(example())
    assert drawn.count(f'stroke="{theme.LAST}"') == 5
    assert len(re.findall(r"h12q6 0 6 6v12z", drawn)) == 1


def test_a_head_that_goes_on_elsewhere_carries_a_letter_at_both_tiles() -> None:
    found = 0
    for seed in range(6):
        scene = scenes(seed)[-1]
        jumps = sum(
            abs(link.joint[0][0] - link.x) + abs(link.joint[0][1] - link.y) > 1 for link in scene.links if link.joint
        )
        letters = [e.text for e in elements(svg(scene)) if e.tag.endswith("text") and (e.text or "").islower()]
        assert letters == [letter for letter in "abcdefghij"[:jumps] for _ in range(2)]
        found += jumps
    assert found


def test_tiles_never_move_and_the_sheet_grows_downwards() -> None:
    before: list[str] = []
    tall = 0.0
    for scene in scenes(4):
        drawn = svg(scene)
        now = [f"{e.get('href')} {e.get('x')} {e.get('y')}" for e in elements(drawn) if e.tag.endswith("use")]
        assert now[: len(before)] == before
        root = ElementTree.fromstring(drawn)
        assert root.get("width") == str(width(scene)) == "548"
        assert (float(root.get("height") or 0) - 8) / DOWN % 2 == 1
        assert float(root.get("height") or 0) >= tall
        before, tall = now, float(root.get("height") or 0)


def test_readable_on_a_phone() -> None:
    scale = 366 / width(example())
    assert ACROSS * scale >= 36
    assert WIDE * scale >= 35
    assert 17 * scale >= 11


@pytest.mark.parametrize("tile", NAMES)
def test_every_tile_has_a_drawing_of_its_own(tile: str) -> None:
    drawing = face(tile)
    ElementTree.fromstring(f"<svg>{drawing}</svg>")
    assert "<text" not in drawing
    others = {face(other) for other in NAMES if other != tile}
    assert drawing not in others


@pytest.mark.parametrize(("suit", "shape"), [("K", "<circle"), ("B", "<rect")])
def test_suits_can_be_counted(suit: str, shape: str) -> None:
    assert [face(f"{suit}{n}").count(shape) for n in range(2, 10)] == list(range(2, 10))


def test_the_characters_have_their_licence() -> None:
    licence = Path(domijongg_glyphs.__file__).with_suffix(".OFL.txt").read_text(encoding="utf-8")
    assert "SIL OPEN FONT LICENSE" in licence
    assert "Adobe" in licence
    assert Path(domijongg_glyphs.__file__).stat().st_size < 20_000


def test_png() -> None:
    data = boards.png(example())
    assert data[:4] == b"\x89PNG"
    assert len(data) < 50_000


def test_it_is_drawn_quickly() -> None:
    scene = scenes(2)[-1]
    svg(scene, "warm")
    began = time.process_time()
    for n in range(20):
        svg(scene, str(n))
    assert (time.process_time() - began) / 20 < 0.02  # 1 ms here


def test_lists() -> None:
    assert lists(example(), "de") == (
        "Kopf 1 (links) ǀ J3 · [T3] · [T2]",
        "Kopf 2 (rechts) ǀ K3",
        "Kopf 3 ǀ J3 · [E] · [N] · [DR]",
        "Dahinter ǀ K3 · J3",
        "Eckige Klammern: neu gelegt.",
    )
    assert lists(example(), "en")[0] == "Head 1 (left) ǀ J3 · [T3] · [T2]"
    assert characters(example()) == ()


@pytest.mark.parametrize("language", ["de", "en"])
def test_no_line_of_the_lists_is_a_turn(language: str) -> None:
    for seed in range(3):
        for line in (*lists(scenes(seed)[-1], language), *lists(scenes(seed)[0], language)):
            words = line.split()
            for begin in range(len(words)):  # as it may be wrapped anew
                for end in range(begin + 1, min(len(words), begin + 12) + 1):
                    with pytest.raises(PlayerError):
                        GAME.parse(" ".join(words[begin:end]), VIEW)


def test_lists_hold_every_tile() -> None:
    for seed in range(4):
        scene = scenes(seed)[-1]
        listed = re.findall(r"\b(?:[BKT][1-9]|D[RGW]|[FJ][1-4]|[ESWN])\b", " ".join(lists(scene, "de")))
        forks = len(scene.heads) - 2
        start = 1 if forks < len(scene.heads) else 0
        assert len(listed) >= len(scene.links) + 2 * forks + start - 1
        assert set(listed) == {link.tile for link in scene.links}


def test_alt_text() -> None:
    assert alt(example(), "de", "Anna legt »1: T3+E«, 2 Punkte") == (
        "Schlange aus 7 Ziegeln mit 3 Köpfen, Singlestone K3. Letzter Zug: Anna legt »1: T3+E«, 2 Punkte. "
        "Neu gelegt: T3, E, T2, N, DR. Am Ende liegen: Kopf 1 (links) T2, Kopf 2 (rechts) K3, Kopf 3 DR."
    )
    assert "3 heads" in alt(example(), "en")


def test_html_without_a_picture() -> None:
    assert "Kopf 3 ǀ J3 · [E] · [N] · [DR]" in table(example(), "de", "")
