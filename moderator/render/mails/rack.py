"""The tiles in hand: in groups by colour where the game has colours, in rows that fit on a phone."""

from __future__ import annotations

from dataclasses import dataclass

from moderator.common.text import clean_line
from moderator.language import traits
from moderator.language.messages import game_sentence, has_sentence, render_code, render_label, render_tile_name
from moderator.notifications.pages import Page
from moderator.render.document import Tile

LENGTH = 6
"""Characters; longer names of tiles are cut."""
PHONE = 340
"""Css pixels between the margins of a mail on a phone."""


@dataclass(frozen=True)
class RackGroup:
    """The tiles of one colour; all tiles in games without colours."""

    name: str
    """In the game's words; "" without colours."""
    tiles: tuple[str, ...]
    """For the text mail."""
    cells: tuple[Tile, ...]


def build_rack_groups(page: Page) -> tuple[RackGroup, ...]:
    """Return the rack of the page. With colours each group is sorted, jollies last; else the tiles stand as they are in
    the hand."""
    language, game = page.reader.language, page.game
    values = traits.get_letter_values(game)
    by_colour: dict[str, list[str]] = {}
    for name in page.rack or ():
        by_colour.setdefault(traits.get_rack_colour(game, name), []).append(name)
    if "" not in by_colour:
        by_colour = {
            colour: sorted(by_colour[colour], key=_get_tile_rank) for colour in sorted(by_colour, reverse=True)
        }
    return tuple(
        RackGroup(
            name=render_code(f"mail.rack-{colour}", language, game) if colour else "",
            tiles=tuple(_render_rack_tile("hand", name, language, game) for name in names),
            cells=tuple(
                Tile(_render_rack_tile("cell", name, language, game), colour, str(values.get(name, "")))
                for name in names
            ),
        )
        for colour, names in by_colour.items()
    )


def _get_tile_rank(name: str) -> tuple[bool, str]:
    return not name.isalpha(), name


def _render_rack_tile(where: str, name: str, language: str, game: str | None) -> str:
    """Return a tile as sentences name it, unless the game has ``mail.hand.<name>`` for the text mail,
    ``mail.cell.<name>`` for the cells of the HTML mail."""
    own = f"mail.{where}.{name}"
    return clean_line(
        render_code(own, language, game)
        if has_sentence(own, language, game)
        else render_tile_name(name, language, game),
        LENGTH,
    )


def render_letter_values(page: Page) -> str:
    """Return the value of each letter, where the tiles show it: ``1 für A E I O U, 2 für …``; else an empty text."""
    language, game = page.reader.language, page.game
    by_value: dict[int, list[str]] = {}
    for name, value in sorted(traits.get_letter_values(game).items()):
        by_value.setdefault(value, []).append(name)
    groups = [
        render_label("letter-value", language, value=value, letters="\u00a0".join(names))
        for value, names in sorted(by_value.items())
    ]
    return game_sentence("letter-values", language, game, groups=groups) if groups else ""


def compute_tile_width(found: tuple[RackGroup, ...]) -> int:
    """Return the width of a tile in css pixels."""
    longest = max((len(cell.text) for group in found for cell in group.cells), default=1)
    return 36 if longest < 2 else 44 if longest < 4 else 52


def split_rack_rows(found: tuple[RackGroup, ...]) -> tuple[tuple[Tile, ...], ...]:
    """Split the rack into rows that fit on a phone; each colour begins a new row."""
    across = PHONE // (compute_tile_width(found) + 4)
    return tuple(group.cells[at : at + across] for group in found for at in range(0, len(group.cells), across))
