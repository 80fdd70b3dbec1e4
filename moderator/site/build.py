"""The site in its folder, brought up to date by `moderator publish`, and by tick after a run that did something.

It is read from one moment of the database, in a transaction that keeps nobody from writing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from html import escape
from pathlib import Path

from moderator.common.disk import LANGUAGES
from moderator.common.errors import OperatorError, TransientError
from moderator.render import touch_board
from moderator.render.mail import read_styles, require_template_folder
from moderator.render.touch_board import BoardPagePlace
from moderator.settings import Config
from moderator.site import (
    calendars,
    feeds,
    index,
    letter,
    matches,
    players,
    puzzles,
    records,
    rules,
    tournaments,
    tree,
)
from moderator.site.accent import write_accent_styles
from moderator.site.board import render_club_sign_png
from moderator.site.layout import PageView, SiteContent, mask_addresses
from moderator.site.tree import SiteFile, SiteUpdate, compute_file_key
from moderator.store import key_values
from moderator.store.database import Store, open_reading_session, open_store
from moderator.store.installation import hold_file_lock
from moderator.views import links
from moderator.views.match_cache import MatchCache
from moderator.views.unit_of_work import UnitOfWork

# ---- Touch boards in the archive: ``zug/<family>.html`` for each ``board.js`` or ``…_board.js`` of the
# games.


KEEPER = "zug_sw.js"
"""What keeps in a browser the pages that it has opened."""


def iter_touch_board_files(site: SiteContent) -> Iterator[SiteFile]:
    """Yield one page for each family and language, and in each of their folders the script that caches them."""
    kept = (require_template_folder() / "site" / KEEPER).read_bytes()
    for language in site.languages:
        yield SiteFile(site.get_page_path("zug/sw.js", language), compute_file_key(kept), lambda: kept)
    for page, game in touch_board.map_board_pages().items():
        key = site.compute_key("zug", compute_file_key(touch_board.read_family_source(game)))
        for language in site.languages:
            yield site.build_page_file(page, language, key, partial(_render_touch_board, site))


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


SHARED = ("letter.css", "replay.js", "filter.js", "tile.svg")
"""What pages share besides the style sheet: scripts, the sign in the browser's tab."""


def iter_shared_files(site: SiteContent) -> Iterator[SiteFile]:
    """Yield ``static/…``"""
    if site.config.site.url:
        yield SiteFile("static/tile.png", site.compute_key("static"), render_club_sign_png)
    if site.config.site.picture:
        own = site.config.resolve_path(Path(site.config.site.picture))
        yield SiteFile(f"static/{site.sign}", compute_file_key(own.read_bytes()), own.read_bytes)
    yield SiteFile("static/site.css", site.compute_key("static"), partial(_write_styles, site))
    for name in SHARED:
        source = require_template_folder() / "site" / name
        yield SiteFile(f"static/{name}", site.compute_key("static"), partial(source.read_bytes))


def _write_styles(site: SiteContent) -> bytes:
    accent = site.config.site.accent
    return (read_styles("site/site.css") + (write_accent_styles(accent) if accent else "")).encode()


PARTS: tuple[Callable[[SiteContent], Iterator[SiteFile]], ...] = (
    iter_shared_files,
    index.iter_index_files,
    matches.iter_match_files,
    players.iter_player_files,
    tournaments.iter_tournament_files,
    records.iter_record_files,
    puzzles.iter_puzzle_files,
    rules.iter_rule_files,
    rules.iter_word_files,
    iter_touch_board_files,
    letter.iter_letter_files,
    feeds.iter_feed_files,
    calendars.iter_calendar_files,
)
"""Each lists its files with their keys; a file is only made when its key has changed."""


MOST_LISTED = 50_000
"""Pages in a site map, by its standard (sitemaps.org)."""


def with_sitemap(site: SiteContent, files: Iterable[SiteFile]) -> Iterator[SiteFile]:
    """Yield the same files, and then ``sitemap.xml`` with their pages, for a site that search engines may list."""
    pages = []
    for file in files:
        if file.path.endswith(".html") and not file.path.startswith("calendar/"):
            pages.append(file.path)
        yield file
    if site.config.site.public and site.config.site.url:
        listed = tuple(links.build_site_address(site.config, page) for page in pages[:MOST_LISTED])
        yield SiteFile("sitemap.xml", site.compute_key("map", listed), partial(_render_sitemap, listed))


def with_forwards(site: SiteContent, files: Iterable[SiteFile]) -> Iterator[SiteFile]:
    """Yield the same files, and for each page one that forwards to it from the place of the page in a language that the
    site was written in before: mails and bookmarks have such addresses."""
    left = [language for language in LANGUAGES if language not in site.languages]
    others = tuple(f"{language}/" for language in site.languages[1:])
    for file in files:
        yield file
        if file.path.endswith(".html") and not file.path.startswith(("calendar/", *others)):
            for language in left:
                path = f"{language}/{file.path}"
                yield SiteFile(
                    path,
                    tree.compute_file_key("forward", path),
                    partial(_render_forward, path, file.path),
                    instead=True,
                )


def _render_forward(path: str, page: str) -> bytes:
    """Return a page that forwards. The script keeps what stands behind ``#``: a move, or a position to lay tiles on."""
    to = escape("../" * path.count("/") + page)
    head = f'<meta charset="utf-8"><title>→</title><link rel="canonical" href="{to}">'
    script = f'<script>location.replace("{to}" + location.hash)</script>'
    plain = f'<noscript><meta http-equiv="refresh" content="0; url={to}"></noscript>'
    return f'<!DOCTYPE html>\n{head}{script}{plain}\n<a href="{to}">→</a>\n'.encode()


def _render_sitemap(listed: Iterable[str]) -> bytes:
    lines = "".join(f"<url><loc>{escape(page)}</loc></url>\n" for page in listed)
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{space}">\n{lines}</urlset>\n'.encode()


def publish_site(site: SiteContent, folder: Path, anew: bool = False) -> SiteUpdate:
    """Write what has changed (``anew``: all), remove files that are no longer of the site. Raises OperatorError."""
    files = with_sitemap(site, (file for part in PARTS for file in part(site)))
    done = tree.update_site_folder(folder, with_forwards(site, files), anew)
    site.values.save_values({match.id for match in site.matches})
    letter.save_letter_boards(site)
    return done


# ---- kept up to date ----


def update_site_after_run(config: Config, store: Store, now: datetime) -> str:
    """Bring the site up to date where the settings name a folder. Returns what went wrong, or an empty text: it is for
    the operator, and concerns no match and no mail."""
    try:
        with _lock_site(config, store) as mine:
            if mine:
                _publish_and_record(config, store, now, config.resolve_path(Path(config.site.folder)), anew=False)
    except (OperatorError, TransientError) as error:
        return f"the site: {error}"
    except Exception:
        import traceback

        return f"the site: {traceback.format_exc().strip()}"
    return ""


def update_site(config: Config, now: datetime, folder: Path, anew: bool = False) -> SiteUpdate:
    """Bring the site up to date for a command. Raises OperatorError, also while another run is writing it."""
    store = open_store(config.database)
    try:
        with _lock_site(config, store) as mine:
            if not mine:
                raise OperatorError("The site is being written already.", "Try again when that is done.")
            return _publish_and_record(config, store, now, folder, anew)
    finally:
        store.close()


def _publish_and_record(config: Config, store: Store, now: datetime, folder: Path, anew: bool) -> SiteUpdate:
    """Write the site, and record which pages mails may name from now on; not if it is written elsewhere as a trial."""
    with open_reading_session(config.database) as session:
        site = SiteContent(UnitOfWork(config, session, now, MatchCache(config)), folder)
        done = publish_site(site, folder, anew)
        codes = frozenset(one.code for one in site.tournaments)
        there = links.PublishedSite(now, codes, frozenset(touch_board.map_board_pages()))
    usual = config.site_folder or folder
    if config.site.url and folder.resolve() == usual.resolve():
        with store.autocommit_connection() as connection:
            key_values.record_published_site(connection, str(there))
    return done


@contextmanager
def open_site(config: Config, now: datetime) -> Iterator[SiteContent]:
    """Open the site for output that is made from it without writing it; the caches beside its pages are read, not
    written."""
    with open_reading_session(config.database) as session:
        yield SiteContent(UnitOfWork(config, session, now, MatchCache(config)), config.site_folder)


@contextmanager
def _lock_site(config: Config, store: Store) -> Iterator[bool]:
    """Lock the site for writing; yields False if somebody else is writing it: on PostgreSQL any worker, else another
    process here."""
    if store.shared:
        with store.advisory_lock("site") as mine:
            yield mine
        return
    with hold_file_lock(config.resolve_path(config.store.path), ".site.lock") as mine:
        yield mine
