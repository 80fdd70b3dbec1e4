"""The whole site, brought up to date in a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from moderator.desk.desk import Desk
from moderator.site import (
    calendars,
    cups,
    feeds,
    index,
    letter,
    matches,
    players,
    records,
    rules,
    static,
    tree,
    words,
)
from moderator.site.site import Site
from moderator.site.tree import File, Written

PARTS: tuple[Callable[[Site], Iterator[File]], ...] = (
    static.files,
    index.files,
    matches.files,
    players.files,
    cups.files,
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
    site.kept.save({match.id for match in site.matches})
    letter.save(site)
    return done
