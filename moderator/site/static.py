"""What all pages share: style sheet, script, the sign in the browser's tab."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from moderator.render.mail import folder
from moderator.site.site import Site
from moderator.site.tree import File

NAMES = ("site.css", "letter.css", "replay.js", "tile.svg")


def files(site: Site) -> Iterator[File]:
    """``static/…``"""
    for name in NAMES:
        source = folder() / "site" / name
        yield File(f"static/{name}", site.key("static"), partial(source.read_bytes))
