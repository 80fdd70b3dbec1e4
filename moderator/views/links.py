"""What the mails of this club have in common before anything is told: the reader, the club, where answers go; and where
a page of the archive is on the web: every address of one, in mails, calendars, feeds and pages, is made here.

Only what ``moderator publish`` writes has an address. Mails leave before the site is written, so a mail names a page
only if it was there when the site was written last: the first mails of a match name none. Where the folder is uploaded,
that is expected to be done before the next mails leave."""

from __future__ import annotations

import base64
import hmac
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from moderator.common import tokens
from moderator.common.disk import LANGUAGES
from moderator.common.enums import MailKind, MatchStatus, TournamentStatus
from moderator.language import traits
from moderator.notifications.content import ReplyAddress
from moderator.notifications.pages import Page, Reader
from moderator.notifications.task import StaffMember
from moderator.settings import Config
from moderator.store import key_values, players
from moderator.store.database import Session
from moderator.store.tables import MatchRow, PlayerRow, SeatRow, Tournament
from moderator.views import match_state
from moderator.views.people import get_staff_token
from moderator.views.unit_of_work import UnitOfWork

MATCHES = (MatchStatus.RUNNING, MatchStatus.SUSPENDED, MatchStatus.FINISHED)
"""States of matches that have a page."""
TOURNAMENTS = (TournamentStatus.OPEN, TournamentStatus.RUNNING, TournamentStatus.FINISHED)
"""States of tournaments that have one."""


def list_site_languages(config: Config) -> tuple[str, ...]:
    """List the languages that the site is written in, the club's own first."""
    home, wanted = config.club.language, config.site.languages or LANGUAGES
    return (home, *(language for language in LANGUAGES if language in wanted and language != home))


def build_page_path(config: Config, page: str, language: str) -> str:
    """Build the path of a page in the folder of the site: ``matches/K7Q2.html``, ``en/matches/K7Q2.html``. A reader of
    a language that the site is not written in gets the club's."""
    return f"{language}/{page}" if language in list_site_languages(config)[1:] else page


def build_site_address(config: Config, file: str) -> str:
    """Build the address on the web of a file of the site, from its path in the folder; "" for a club that has no site
    on the web."""
    url = config.site.url.rstrip("/")
    return f"{url}/{file}" if url else ""


def build_match_address(config: Config, code: str, status: MatchStatus, language: str) -> str:
    """Build the address of the page of a match; "" where there is none."""
    page = build_page_path(config, f"matches/{code}.html", language)
    return build_site_address(config, page) if status in MATCHES else ""


def build_tournament_address(config: Config, code: str, status: TournamentStatus, language: str) -> str:
    """Build the address of the page of a tournament; "" where there is none."""
    page = build_page_path(config, f"tournaments/{code}.html", language)
    return build_site_address(config, page) if status in TOURNAMENTS else ""


# ---- what is there already ----


@dataclass(frozen=True)
class PublishedSite:
    """The site as it was written last."""

    at: datetime
    """Of what began by then there are the pages."""
    tournaments: frozenset[str]
    """Codes of those that have one."""
    boards: frozenset[str] = frozenset()
    """Touch boards, ``zug/topwords.html``."""

    def __str__(self) -> str:
        """Format it as it is stored: ``2026-11-23T07:00:00+00:00 T1 T2 zug/topwords.html``."""
        return " ".join([self.at.astimezone(UTC).isoformat(), *sorted(self.tournaments), *sorted(self.boards)])


def load_published_site(session: Session) -> PublishedSite | None:
    """Load what was written last; None = the site was not written yet."""
    at, *names = (key_values.find_value(session, key_values.PUBLISHED) or "").split(" ")
    boards = frozenset(name for name in names if "/" in name)
    return PublishedSite(datetime.fromisoformat(at), frozenset(names) - boards, boards) if at else None


def link_to_match(config: Config, session: Session, match: MatchRow, language: str) -> str:
    """Return the address of the match's page; "" where there is none yet."""
    found = build_match_address(config, match.code, match.status, language)
    last = load_published_site(session) if found else None
    return found if last and match.started_at and match.started_at <= last.at else ""


def link_to_tournament(config: Config, session: Session, tournament: Tournament, language: str) -> str:
    """Return the address of the tournament's page; "" where there is none yet."""
    found = build_tournament_address(config, tournament.code, tournament.status, language)
    last = load_published_site(session) if found else None
    return found if last and tournament.code in last.tournaments else ""


def link_to_board(config: Config, session: Session, game: str, language: str) -> str:
    """Return the address of the game's touch board; "" where there is none yet."""
    page = traits.find_board_page(game) if config.site.url else ""
    there = build_site_address(config, build_page_path(config, page, language)) if page else ""
    last = load_published_site(session) if there else None
    return there if last and page in last.boards else ""


# ---- where a player's calendar is: an address that nobody can guess, and that its owner may change ----


_CALENDAR_BYTES = 16
_CHANGED = "calendar "
"""Begins the keys of the rows that say how often players have changed their address; the player's number follows."""


def compute_calendar_token(secret: bytes, player: int, changed: int = 0) -> str:
    """Compute 128 bits that only the club can work out; others for each time that the player has ``changed`` them."""
    text = f"calendar {player}" + (f" {changed}" if changed else "")
    made = hmac.digest(secret, text.encode(), "sha256")[:_CALENDAR_BYTES]
    return base64.b32encode(made).decode().rstrip("=").lower()


def load_calendar_changes(session: Session) -> dict[int, int]:
    """Load the number of times that each player has changed the address, without those who have not."""
    rows = key_values.list_values_by_prefix(session, _CHANGED)
    return {int(row.key.removeprefix(_CHANGED)): int(row.value) for row in rows}


def change_calendar_address(session: Session, player: PlayerRow) -> None:
    """Give the player's calendar another address from now on; the old one is removed when the site is written next."""
    row = key_values.get_or_create_value(session, f"{_CHANGED}{player.number}", lambda: "0")
    row.value = str(int(row.value) + 1)
    session.add(row)


def build_calendar_address(session: Session, config: Config, player: PlayerRow) -> str:
    """Build the address of the player's calendar; "" for a club that has no site on the web."""
    if not build_site_address(config, ""):
        return ""
    changed = key_values.find_value(session, f"{_CHANGED}{player.number}")
    secret = match_state.ensure_club_secret(session)
    return build_site_address(
        config, f"calendar/{compute_calendar_token(secret, player.number, int(changed or 0))}.ics"
    )


def build_player_reader(player: PlayerRow) -> Reader:
    """Return the person as the templates see them. Raises ValueError for a robot, which reads nothing."""
    if player.address is None:
        raise ValueError(f"{player.name} has no address")
    return Reader(player.name, player.address, player.language, player.zone, player.board, player.same_subject)


def build_staff_reader(config: Config, who: StaffMember) -> Reader:
    """Return the chief or a referee as a reader."""
    return Reader(who.name, who.address, who.language, config.club.zone, referee=not who.is_chief)


def build_reply_address(config: Config, code: str, token: str) -> ReplyAddress:
    """Return address and subject that bring an answer back to the right place."""
    mail = config.mail
    return ReplyAddress(tokens.build_token_address(mail.address, mail.subaddress, code, token), f"[{code}-{token}]")


def build_plain_reply(config: Config) -> ReplyAddress:
    """Return a reply address that belongs to no match, and identifies nobody."""
    return ReplyAddress(config.mail.address, "")


def build_personal_reply(
    session: Session, config: Config, player: PlayerRow, match: MatchRow | None = None, seat: SeatRow | None = None
) -> ReplyAddress:
    """Return the address for the player's answer to a mail that nobody else gets: about the seat, or about no match."""
    if match is not None and seat is not None:
        return build_reply_address(config, match.code, seat.token)
    return (
        build_plain_reply(config)
        if player.robot
        else build_reply_address(config, tokens.PLAYER, ensure_player_token(session, player))
    )


def build_club_page(config: Config, now: datetime, kind: MailKind, to: Reader, **more: Any) -> Page:
    """Return a page with what every mail of this club has."""
    club = config.club
    return Page(kind, to, club.name, now, club_zone=club.zone, **more)


def build_player_page(work: UnitOfWork, kind: MailKind, player: PlayerRow, **more: Any) -> Page:
    """Return a page for a player. One without a reply address of its own is answered at the player's."""
    if "reply" not in more:
        more["reply"] = build_personal_reply(work.session, work.config, player)
    return build_club_page(work.config, work.now, kind, build_player_reader(player), **more)


def build_staff_page(work: UnitOfWork, kind: MailKind, who: StaffMember, **more: Any) -> Page:
    """Return a page for the chief or a referee. A page without a question of its own is answered by commands."""
    if "reply" not in more:
        more["reply"] = build_reply_address(work.config, tokens.BOSS, get_staff_token(work.session, who))
    return build_club_page(work.config, work.now, kind, build_staff_reader(work.config, who), **more)


def ensure_player_token(session: Session, player: PlayerRow) -> str:
    """Return the player's token for addresses that open no match: to leave a list, to answer a puzzle. It is made at
    the first call."""
    if not player.unsubscribe:
        player.unsubscribe = tokens.generate_token()
        session.add(player)
    return player.unsubscribe


def find_player_by_mail_token(session: Session, token: str) -> PlayerRow | None:
    """Return the player whose token (``ensure_player_token``) this is; None if it is nobody's."""
    player = players.find_player_by_unsubscribe(session, token)
    return player if player is not None and tokens.tokens_equal(token, player.unsubscribe) else None
