"""The tiles in hand: in groups by colour where the game has colours, in rows that fit on a phone."""

from __future__ import annotations

from dataclasses import dataclass

from moderator.pages import traits
from moderator.pages.messages import known, label, own, say, tile
from moderator.pages.pages import Page
from moderator.printable import clean

LENGTH = 6
"""Characters; longer names of tiles are cut."""
PHONE = 340
"""Css pixels between the margins of a mail on a phone."""


@dataclass(frozen=True)
class Cell:
    """A tile of the HTML rack."""

    text: str
    colour: str
    """"" in games without colours."""
    value: str = ""
    """What its letter counts, where that is printed on the tiles."""


@dataclass(frozen=True)
class Group:
    """The tiles of one colour; all tiles in games without colours."""

    name: str
    """In the game's words; "" without colours."""
    tiles: tuple[str, ...]
    """For the text mail."""
    cells: tuple[Cell, ...]


def groups(page: Page) -> tuple[Group, ...]:
    """The rack of the page. With colours each is sorted, jollies last; else it stands as it is in the hand."""
    language, game = page.reader.language, page.game
    values = traits.values(game)
    by_colour: dict[str, list[str]] = {}
    for name in page.rack or ():
        by_colour.setdefault(traits.colour(game, name), []).append(name)
    if "" not in by_colour:
        by_colour = {colour: sorted(by_colour[colour], key=_last) for colour in sorted(by_colour, reverse=True)}
    return tuple(
        Group(
            name=say(f"mail.rack-{colour}", language, game) if colour else "",
            tiles=tuple(_named("hand", name, language, game) for name in names),
            cells=tuple(
                Cell(_named("cell", name, language, game), colour, str(values.get(name, ""))) for name in names
            ),
        )
        for colour, names in by_colour.items()
    )


def _last(name: str) -> tuple[bool, str]:
    return not name.isalpha(), name


def _named(where: str, name: str, language: str, game: str | None) -> str:
    """As sentences name it, unless the game has ``mail.hand.<name>`` for the text mail, ``mail.cell.<name>`` for the
    cells of the HTML mail."""
    own = f"mail.{where}.{name}"
    return clean(say(own, language, game) if known(own, language, game) else tile(name, language, game), LENGTH)


def letter_values(page: Page) -> str:
    """What each letter counts, where that is printed on the tiles: ``1 für A E I O U, 2 für …``; else ""."""
    language, game = page.reader.language, page.game
    by_value: dict[int, list[str]] = {}
    for name, value in sorted(traits.values(game).items()):
        by_value.setdefault(value, []).append(name)
    groups = [
        label("letter-value", language, value=value, letters="\u00a0".join(names))
        for value, names in sorted(by_value.items())
    ]
    return own("letter-values", language, game, groups=groups) if groups else ""


def tile_width(found: tuple[Group, ...]) -> int:
    """Of a tile in css pixels."""
    longest = max((len(cell.text) for group in found for cell in group.cells), default=1)
    return 36 if longest < 2 else 44 if longest < 4 else 52


def rack_rows(found: tuple[Group, ...]) -> tuple[tuple[Cell, ...], ...]:
    """Rows that fit on a phone; each colour begins one."""
    across = PHONE // (tile_width(found) + 4)
    return tuple(group.cells[at : at + across] for group in found for at in range(0, len(group.cells), across))
