"""What the mails of this club have in common before anything is told: the reader, the club, where answers go."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from moderator.common import tokens
from moderator.common.enums import MailKind
from moderator.notifications.content import ReplyAddress
from moderator.notifications.pages import Page, Reader
from moderator.notifications.task import StaffMember
from moderator.settings import Config
from moderator.store import players
from moderator.store.database import Session
from moderator.store.tables import MatchRow, PlayerRow, SeatRow
from moderator.views.people import get_staff_token
from moderator.views.unit_of_work import UnitOfWork


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
