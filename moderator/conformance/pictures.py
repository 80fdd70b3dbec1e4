"""What is drawn can be seen on a telephone and heard by those who see nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from moderator.common.resources import LANGUAGES
from moderator.conformance.finding import CheckFigure, Finding, Found, format_in_one_line
from moderator.conformance.subject import GameSubject, SampleMatch
from moderator.render import boards
from moderator.rules.game import Grid, Scene, view_for

ROOM = 358
"""Css pixels for a picture in a mail on a telephone of 390."""
SMALLEST = 7
"""Css pixels of the smallest letters there."""
HEAVIEST = 150_000
"""Bytes of a picture: each mail carries it."""


def iter_match_scenes(subject: GameSubject) -> Iterator[tuple[SampleMatch, int, Scene]]:
    """Yield scenes of moments of all matches, the last one too."""
    for match in subject.matches:
        states = match.states
        for number in sorted({0, len(states) // 2, len(states) - 1}):
            yield match, number, match.game.scene(view_for(states[number], None))


def iter_picture_findings(subject: GameSubject) -> Iterator[Found]:
    """Check the picture at 390 pixels."""
    least, heaviest = float("inf"), 0
    for match, number, scene in iter_match_scenes(subject):
        where = f"scene(view) after {match.describe_moment(number)}"
        data, width = boards.render_board_png(scene), boards.compute_picture_width(scene)
        sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)', boards.render_board_svg(scene))]
        smallest = min(sizes, default=SMALLEST) * min(1, ROOM / width)
        least, heaviest = min(least, smallest), max(heaviest, len(data))
        if smallest < SMALLEST:
            told = f"{width} css pixels wide: at 390 its letters are {smallest:.1f} high, and {SMALLEST} can be read"
            yield Finding(where, told, match.seed)
            return
        if len(data) > HEAVIEST:
            yield Finding(where, f"the picture has {len(data)} bytes, at most {HEAVIEST} go with a mail", match.seed)
            return
    yield CheckFigure(f"(letters of {least:.0f} pixels, {heaviest // 1000} kB)")


def iter_alt_text_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that in each language there is an alt text, and with the lines below it, it says what lies there."""
    for match in subject.matches:
        told: dict[tuple[str, str], tuple[int, Any]] = {}
        for number, state in enumerate(match.states):
            scene = match.game.scene(view_for(state, None))
            for language in LANGUAGES:
                words, where = (
                    boards.describe_board(scene, language),
                    f"scene(view) after {match.describe_moment(number)}",
                )
                lines = "\n".join(boards.describe_board_lines(scene, language))
                if fault := _find_alt_text_fault(scene, words, lines):
                    yield Finding(
                        where, f"the alt text in {language!r} {fault}: {format_in_one_line(words)}", match.seed
                    )
                    return
                before, lying = told.setdefault((language, words + lines), (number, _list_lying_tiles(scene)))
                if lying != _list_lying_tiles(scene):
                    what = f"the board in words in {language!r} is that after {before} calls, where something else lies"
                    yield Finding(where, f"{what}: {format_in_one_line(words)}", match.seed)
                    return


def _find_alt_text_fault(scene: Scene, words: str, lines: str) -> str:
    if not words.strip():
        return "is empty"
    for cell in scene.cells if isinstance(scene, Grid) else ():
        if not cell.letter.strip():
            return f"cannot name what lies at {cell.x}, {cell.y}"
        if cell.letter.upper() not in lines.upper():
            return f"and the lines with it do not name {cell.letter!r}"
    return ""


def _list_lying_tiles(scene: Scene) -> Any:
    """Return the tiles that lie there, without those that were laid last."""
    if isinstance(scene, Grid):
        return sorted((cell.x, cell.y, cell.letter, cell.joker) for cell in scene.cells)
    return None
