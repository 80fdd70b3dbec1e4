"""Where a page of the archive is on the web: every address of one, in mails, calendars, feeds and pages, is made here.

Only what ``moderator publish`` writes has an address. Mails leave before the site is written, so a mail names a page
only if it was there when the site was written last: the first mails of a match name none. Where the folder is uploaded,
that is expected to be done before the next mails leave.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from moderator import games
from moderator.config import Config
from moderator.paths import LANGUAGES
from moderator.states import MatchStatus, TournamentStatus
from moderator.store import key_values
from moderator.store.db import Session
from moderator.store.models import Match, Tournament

MATCHES = (MatchStatus.RUNNING, MatchStatus.SUSPENDED, MatchStatus.FINISHED)
"""States of matches that have a page."""
TOURNAMENTS = (TournamentStatus.OPEN, TournamentStatus.RUNNING, TournamentStatus.FINISHED)
"""States of tournaments that have one."""


def languages(config: Config) -> tuple[str, ...]:
    """Those that the site is written in, the club's own first."""
    home, wanted = config.club.language, config.site.languages or LANGUAGES
    return (home, *(language for language in LANGUAGES if language in wanted and language != home))


def path(config: Config, page: str, language: str) -> str:
    """Where a page stands in the folder of the site: ``matches/K7Q2.html``, ``en/matches/K7Q2.html``. Who reads a
    language that the site is not written in gets the club's."""
    return f"{language}/{page}" if language in languages(config)[1:] else page


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


BOARDS = "*board.js"
"""In the folder of a family of games: the modules of its pages to lay tiles on. ``board.js`` makes the page that is
called like the folder, ``recht_board.js`` the one called ``recht``."""
_SERVED = re.compile(r"^  games: \[([^]]*)]", re.MULTILINE)


def board_module(game: str) -> Path | None:
    """The one whose page the game is played on; None for a game that has none."""
    if game not in games.REGISTRY:
        return None
    return next((one for one in sorted(games.folder(game).glob(BOARDS)) if game in _served(one)), None)


def board_page(game: str) -> str:
    """Where its page stands, but for the language: ``zug/topwords.html``; "" for a game that has none."""
    module = board_module(game)
    if module is None:
        return ""
    return f"zug/{module.name.removesuffix(BOARDS[1:]).rstrip('_') or module.parent.name}.html"


@cache
def _served(module: Path) -> frozenset[str]:
    """The games that a module knows."""
    found = _SERVED.search(module.read_text(encoding="utf-8"))
    return frozenset(re.findall(r'"([^"]+)"', found[1])) if found else frozenset()


# ---- what is there already ----


@dataclass(frozen=True)
class Published:
    """The site as it was written last."""

    at: datetime
    """Of what began by then there are the pages."""
    tournaments: frozenset[str]
    """Codes of those that have one."""
    boards: frozenset[str] = frozenset()
    """Pages to lay tiles on, ``zug/topwords.html``."""

    def __str__(self) -> str:
        """As it is stored: ``2026-11-23T07:00:00+00:00 T1 T2 zug/topwords.html``."""
        return " ".join([self.at.astimezone(UTC).isoformat(), *sorted(self.tournaments), *sorted(self.boards)])


def published(session: Session) -> Published | None:
    """None = it was not written yet."""
    at, *names = (key_values.read(session, key_values.PUBLISHED) or "").split(" ")
    boards = frozenset(name for name in names if "/" in name)
    return Published(datetime.fromisoformat(at), frozenset(names) - boards, boards) if at else None


def link_to_match(config: Config, session: Session, match: Match, language: str) -> str:
    """The address of its page; "" where there is none yet."""
    found = of_match(config, match.code, match.status, language)
    last = published(session) if found else None
    return found if last and match.started_at and match.started_at <= last.at else ""


def link_to_tournament(config: Config, session: Session, tournament: Tournament, language: str) -> str:
    """The same of a tournament."""
    found = of_tournament(config, tournament.code, tournament.status, language)
    last = published(session) if found else None
    return found if last and tournament.code in last.tournaments else ""


def link_to_board(config: Config, session: Session, game: str, language: str) -> str:
    """The same of the page to lay tiles on of a game."""
    page = board_page(game) if config.site.url else ""
    there = address(config, path(config, page, language)) if page else ""
    last = published(session) if there else None
    return there if last and page in last.boards else ""
