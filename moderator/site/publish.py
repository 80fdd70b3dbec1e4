"""The whole site, brought up to date in a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from moderator.club.desk import Desk
from moderator.pages.mail import folder as templates
from moderator.site import calendars, feeds, index, letter, matches, players, records, rules, tournaments, tree, words
from moderator.site.site import Site
from moderator.site.tree import File, Written

SHARED = ("site.css", "letter.css", "replay.js", "tile.svg")
"""What all pages share: style sheets, script, the sign in the browser's tab."""


def shared(site: Site) -> Iterator[File]:
    """``static/…``"""
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
    rules.files,
    words.files,
    letter.files,
    feeds.files,
    calendars.files,
)
"""Each lists its files with their keys; a file is only made when its key has changed."""


def publish(desk: Desk, folder: Path, anew: bool = False) -> Written:
    """Write what has changed (``anew``: all), remove what is gone. Raises OperatorError."""
    site = Site(desk, folder)
    done = tree.update(folder, (file for part in PARTS for file in part(site)), anew)
    site.values.save({match.id for match in site.matches})
    letter.save(site)
    return done
