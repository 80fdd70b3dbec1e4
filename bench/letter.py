"""The month's round letter of a club with 500 matches, the day after, when one of them has moved.

`letter.html` in all languages of the site, from the database to its bytes; processor time. Floor of the same run: the
letter with every match played again. Targets: at most 1 s, at most a quarter of the floor (of dominos, whose matches
are short; those of words take three times as long to play again).
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from bench.site import OPTIONS, _club
from bench.target import at_most
from moderator.site import letter
from moderator.site.build import update_site
from moderator.site.layout import SiteContent
from moderator.store.database import open_reading_session
from moderator.views.match_cache import MatchCache
from moderator.views.unit_of_work import UnitOfWork
from tests.club.club import Club

MATCHES = 500


def run(matches: int = MATCHES) -> None:
    with tempfile.TemporaryDirectory() as name:
        club, folder = _club(Path(name) / "club", matches - 1, 0), Path(name) / "site"
        update_site(club.config, club.now, folder)
        club.match("R2x0", "R2x1", game="dominos", **OPTIONS)
        club.tick()
        club.wait(days=1)
        fresh, floor = _made(club, None)
        kept, took = _made(club, folder)
        if kept != fresh:
            sys.exit("the letter from what was kept is not the one that is made anew")
        print(f"  {matches} matches, {sum(map(len, fresh)) / 1e6:.1f} MB; every match played again: {floor:.2f} s")
        at_most("one match has moved", took, 1, " s")
        at_most("beside the floor", took / floor, 0.25)


def _made(club: Club, folder: Path | None) -> tuple[list[bytes], float]:
    began = time.process_time()
    with open_reading_session(club.config.database) as session:
        site = SiteContent(UnitOfWork(club.config, session, club.now, MatchCache(club.config)), folder)
        pages = [file.make() for file in letter.iter_letter_files(site) if file.path.endswith(letter.PAGE)]
    return pages, time.process_time() - began


if __name__ == "__main__":
    run()
