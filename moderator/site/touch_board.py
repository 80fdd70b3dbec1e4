"""Pages to lay tiles on in the archive: ``zug/<family>.html`` for each ``board.js`` or ``…_board.js`` of the games."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from moderator.render import touch_board
from moderator.render.mail import require_template_folder as templates
from moderator.render.touch_board import BoardPagePlace
from moderator.site.layout import PageView, SiteContent, mask_addresses
from moderator.site.tree import SiteFile, compute_file_key

KEEPER = "zug_sw.js"
"""What keeps in a browser the pages that it has opened."""


def iter_touch_board_files(site: SiteContent) -> Iterator[SiteFile]:
    """Yield one page for each family and language, and in each of their folders the script that caches them."""
    kept = (templates() / "site" / KEEPER).read_bytes()
    for language in site.languages:
        yield SiteFile(site.get_page_path("zug/sw.js", language), compute_file_key(kept), lambda: kept)
    for page, game in touch_board.map_board_pages().items():
        for language in site.languages:
            path = site.get_page_path(page, language)
            yield SiteFile(
                path,
                site.compute_key("zug", compute_file_key(touch_board.read_family_source(game))),
                partial(_render_touch_board, site, page, language),
            )


def _render_touch_board(site: SiteContent, page: str, language: str) -> bytes:
    view, config = PageView(site, page, language), site.config
    on_the_web = bool(config.site.url)
    place = BoardPagePlace(
        view.file("matches/"),
        view.link("matches/"),
        config.site.public,
        view.here if on_the_web else "",
        view.address("static/tile.png") if on_the_web else "",
    )
    return mask_addresses(touch_board.render_board_page(page, language, config.club.name, place)).encode()
