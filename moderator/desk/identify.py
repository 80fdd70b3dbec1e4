"""Who sent it? A seat's token decides; without one the registered address does, if its provider vouches for it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlmodel import Session, select

from moderator.config import Config
from moderator.desk import tokens
from moderator.desk.desk import Desk
from moderator.mail.model import Incoming
from moderator.store.models import Inbox, Match, Player, Question, Seat


@dataclass(frozen=True)
class Identity:
    """A known writer."""

    player: Player
    match: Match | None = None
    """The match whose token came with the mail, or that its subject names."""
    seat: Seat | None = None
    """The seat whose token came with the mail."""
    whole: bool = True
    """May act for all seats of the player. False when a token came from an address that is not the player's:
    then it opens its own seat only."""


@dataclass(frozen=True)
class Doubt:
    """The registered address, but neither token nor proof: the player is asked."""

    player: Player


@dataclass(frozen=True)
class Confirmed:
    """The answer to "was it you?": the held mail may go on."""

    player: Player
    held: Inbox


@dataclass(frozen=True)
class Ruling:
    """The moderator's answer to "does this word count?"."""

    question: Question


Writer = Identity | Doubt | Confirmed | Ruling | None


def identify(desk: Desk, mail: Incoming) -> Writer:
    """None = nobody we know."""
    for code, token in tokens.carried((*mail.recipients, mail.subject)):
        if code == tokens.CONFIRM:
            found: Writer = _confirmed(desk.session, token)
        elif code == tokens.WORD:
            question = desk.session.exec(select(Question).where(Question.token == token)).first()
            found = Ruling(question) if question and tokens.same(token, question.token) else None
        else:
            found = _seat(desk, code, token, mail.sender)
        if found is not None:
            return found
    player = _by_address(desk.session, mail.sender)
    if player is None:
        return None
    if not _vouched(desk.config, mail):
        return Doubt(player)
    code = tokens.code_in(mail.subject)
    match = desk.session.exec(select(Match).where(Match.code == code)).first() if code else None
    return Identity(player, match)


def _by_address(session: Session, address: str) -> Player | None:
    return session.exec(select(Player).where(Player.address == address)).first() if address else None


def _seat(desk: Desk, code: str, token: str, sender: str) -> Identity | None:
    match = desk.session.exec(select(Match).where(Match.code == code)).first()
    if match is None:
        return None
    hit: Identity | None = None
    for seat, player in desk.seated(match):
        if tokens.same(token, seat.token):  # all seats are compared, so that the time tells nothing
            hit = Identity(player, match, seat, whole=sender == player.address)
    return hit


def _confirmed(session: Session, token: str) -> Confirmed | None:
    held = session.exec(select(Inbox).where(Inbox.token == token, Inbox.state == "confirm")).first()
    if held is None or not tokens.same(token, held.token):
        return None
    player = _by_address(session, held.sender)
    return Confirmed(player, held) if player else None


def _vouched(config: Config, mail: Incoming) -> bool:
    from moderator.mail.authentication import verdict

    domain = mail.sender.rpartition("@")[2]
    return verdict(mail.authentication, config.mail.authserv_id, domain) == "pass"
