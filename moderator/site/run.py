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

from moderator.backup.backup import reading
from moderator.club import archive, board_page
from moderator.club.desk import Desk
from moderator.club.run_cache import RunCache
from moderator.config import Config
from moderator.errors import OperatorError, TransientError
from moderator.pages.mail import folder as templates
from moderator.paths import LANGUAGES
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
    tournament_list,
    tournaments,
    tree,
    zug,
)
from moderator.site.board import sign_png
from moderator.site.site import Site
from moderator.site.tree import File, Written
from moderator.store import key_values
from moderator.store.db import Store, open_store
from moderator.store.installation import alone

SHARED = ("site.css", "letter.css", "replay.js", "filter.js", "tile.svg")
"""What all pages share: style sheets, scripts, the sign in the browser's tab."""


def shared(site: Site) -> Iterator[File]:
    """``static/…``"""
    if site.config.site.url:
        yield File("static/tile.png", site.key("static"), sign_png)
    for name in SHARED:
        source = templates() / "site" / name
        yield File(f"static/{name}", site.key("static"), partial(source.read_bytes))


PARTS: tuple[Callable[[Site], Iterator[File]], ...] = (
    shared,
    index.files,
    matches.files,
    players.files,
    tournaments.files,
    records.files,
    puzzles.files,
    rules.files,
    rules.word_files,
    zug.files,
    letter.files,
    feeds.files,
    calendars.files,
)
"""Each lists its files with their keys; a file is only made when its key has changed."""


MOST_LISTED = 50_000
"""Pages in a site map, by its standard (sitemaps.org)."""


def with_map(site: Site, files: Iterable[File]) -> Iterator[File]:
    """The same files, and behind them ``sitemap.xml`` with their pages, for a site that search engines may list."""
    pages = []
    for file in files:
        if file.path.endswith(".html") and not file.path.startswith("calendar/"):
            pages.append(file.path)
        yield file
    if site.config.site.public and site.config.site.url:
        listed = tuple(archive.address(site.config, page) for page in pages[:MOST_LISTED])
        yield File("sitemap.xml", site.key("map", listed), partial(_map, listed))


def with_forwards(site: Site, files: Iterable[File]) -> Iterator[File]:
    """The same files, and for each page one that leads to it in the place of what stood there in a language that the
    site was written in before: mails and bookmarks have such addresses."""
    left = [language for language in LANGUAGES if language not in site.languages]
    others = tuple(f"{language}/" for language in site.languages[1:])
    for file in files:
        yield file
        if file.path.endswith(".html") and not file.path.startswith(("calendar/", *others)):
            for language in left:
                path = f"{language}/{file.path}"
                yield File(path, tree.key("forward", path), partial(_forward, path, file.path), instead=True)


def _forward(path: str, page: str) -> bytes:
    """The script takes along what stands behind ``#``: a move, or a position to lay tiles on."""
    to = escape("../" * path.count("/") + page)
    head = f'<meta charset="utf-8"><title>→</title><link rel="canonical" href="{to}">'
    script = f'<script>location.replace("{to}" + location.hash)</script>'
    plain = f'<noscript><meta http-equiv="refresh" content="0; url={to}"></noscript>'
    return f'<!DOCTYPE html>\n{head}{script}{plain}\n<a href="{to}">→</a>\n'.encode()


def _map(listed: Iterable[str]) -> bytes:
    lines = "".join(f"<url><loc>{escape(page)}</loc></url>\n" for page in listed)
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{space}">\n{lines}</urlset>\n'.encode()


def publish(desk: Desk, folder: Path, anew: bool = False) -> Written:
    """Write what has changed (``anew``: all), remove what is gone. Raises OperatorError."""
    site = Site(desk, folder)
    files = with_map(site, (file for part in PARTS for file in part(site)))
    done = tree.update(folder, with_forwards(site, files), anew)
    site.values.save({match.id for match in site.matches})
    letter.save(site)
    return done


# ---- kept up to date ----


def after_tick(config: Config, store: Store, now: datetime) -> str:
    """Bring the site up to date where the settings name a folder. Returns what went wrong, "" = nothing did: it is for
    the operator, and concerns no match and no mail."""
    try:
        with _only_one(config, store) as mine:
            if mine:
                _publish(config, store, now, config.path(Path(config.site.folder)), anew=False)
    except (OperatorError, TransientError) as error:
        return f"the site: {error}"
    except Exception:
        import traceback

        return f"the site: {traceback.format_exc().strip()}"
    return ""


def bring_up(config: Config, now: datetime, folder: Path, anew: bool = False) -> Written:
    """The same for a command. Raises OperatorError, also while another run is at it."""
    store = open_store(config.database)
    try:
        with _only_one(config, store) as mine:
            if not mine:
                raise OperatorError("The site is being written already.", "Try again when that is done.")
            return _publish(config, store, now, folder, anew)
    finally:
        store.close()


def _publish(config: Config, store: Store, now: datetime, folder: Path, anew: bool) -> Written:
    """Write it, and note what mails may name from now on: nothing more, if it is written elsewhere by way of trial."""
    with reading(config) as session:
        done = publish(Desk(config, session, now, RunCache(config)), folder, anew)
        codes = frozenset(one.code for one in tournament_list.listed(session))
        there = archive.Published(now, codes, frozenset(board_page.families()))
    usual = config.path(Path(config.site.folder)) if config.site.folder else folder
    if config.site.url and folder.resolve() == usual.resolve():
        with store.marks() as connection:
            key_values.note_published(connection, str(there))
    return done


@contextmanager
def opened(config: Config, now: datetime) -> Iterator[Site]:
    """The site for what is made of it alone; what is kept beside its pages is read, not written."""
    folder = config.path(Path(config.site.folder)) if config.site.folder else None
    with reading(config) as session:
        yield Site(Desk(config, session, now, RunCache(config)), folder)


@contextmanager
def _only_one(config: Config, store: Store) -> Iterator[bool]:
    """False = another one is writing the site: on PostgreSQL any worker, else another process here."""
    if store.shared:
        with store.turn("site") as mine:
            yield mine
        return
    with alone(config, ".site.lock") as mine:
        yield mine
