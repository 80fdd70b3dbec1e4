"""Pages to lay tiles on in the archive: ``zug/<family>.html`` for each ``board.js`` or ``…_board.js`` of the games."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from moderator.club import board_page
from moderator.club.board_page import Place
from moderator.pages.mail import folder as templates
from moderator.site.site import Site, View, masked
from moderator.site.tree import File, key

KEEPER = "zug_sw.js"
"""What keeps in a browser the pages that it has opened."""


def files(site: Site) -> Iterator[File]:
    """One page for each family and language; in each folder of them what keeps them."""
    kept = (templates() / "site" / KEEPER).read_bytes()
    for language in site.languages:
        yield File(site.path("zug/sw.js", language), key(kept), lambda: kept)
    for page, game in board_page.families().items():
        for language in site.languages:
            path = site.path(page, language)
            yield File(path, site.key("zug", key(board_page.source(game))), partial(_page, site, page, language))


def _page(site: Site, page: str, language: str) -> bytes:
    view, config = View(site, page, language), site.config
    on_the_web = bool(config.site.url)
    place = Place(
        view.file("matches/"),
        view.link("matches/"),
        config.site.public,
        view.here if on_the_web else "",
        view.address("static/tile.png") if on_the_web else "",
    )
    return masked(board_page.written(page, language, config.club.name, place)).encode()
