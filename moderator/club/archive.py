"""Where a page of the archive is on the web: every address of one, in mails, calendars, feeds and pages, is made here.

Only what ``moderator publish`` writes has an address. Mails leave before the site is written, so a page may be there a
moment, or the time that its upload takes, after the mail that names it.
"""

from __future__ import annotations

from moderator.config import Config
from moderator.states import MatchStatus, TournamentStatus

MATCHES = (MatchStatus.RUNNING, MatchStatus.SUSPENDED, MatchStatus.FINISHED)
"""States of matches that have a page."""
TOURNAMENTS = (TournamentStatus.OPEN, TournamentStatus.RUNNING, TournamentStatus.FINISHED)
"""States of tournaments that have one."""


def path(config: Config, page: str, language: str) -> str:
    """Where a page stands in the folder of the site: ``matches/K7Q2.html``, ``en/matches/K7Q2.html``."""
    return page if language == config.club.language else f"{language}/{page}"


def address(config: Config, file: str) -> str:
    """Of a file of the site by its path in the folder; "" for a club that has no site on the web."""
    url = config.site.url.rstrip("/")
    return f"{url}/{file}" if url else ""


def of_match(config: Config, code: str, status: MatchStatus, language: str) -> str:
    """Of the page of a match; "" where there is none."""
    return address(config, path(config, f"matches/{code}.html", language)) if status in MATCHES else ""


def of_tournament(config: Config, code: str, status: TournamentStatus, language: str) -> str:
    """Of the page of a tournament; "" where there is none."""
    return address(config, path(config, f"tournaments/{code}.html", language)) if status in TOURNAMENTS else ""
