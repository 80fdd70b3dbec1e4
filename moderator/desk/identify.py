"""Who sent it? A seat's token decides; without one the registered address does, if its provider vouches for it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlmodel import Session, or_, select

from moderator.config import Config
from moderator.desk import tokens
from moderator.desk.boss.address import boss_token
from moderator.desk.desk import Desk
from moderator.mail.model import Incoming
from moderator.store.models import AddressChange, Inbox, Match, Player, Protest, Question, Seat


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


@dataclass(frozen=True)
class Boss:
    """The moderator, who may command. ``proven``: by the token; else the address only says so."""

    proven: bool = True


@dataclass(frozen=True)
class Newcomer:
    """The answer of a mailbox that nobody knows yet: the held mail that asks to join may count."""

    held: Inbox


@dataclass(frozen=True)
class Moving:
    """The answer of one of the two mailboxes of a change of address."""

    change: AddressChange
    old: bool


@dataclass(frozen=True)
class Objection:
    """The moderator's answer to a protest."""

    protest: Protest


Writer = Objection | Boss | Identity | Doubt | Confirmed | Newcomer | Moving | Ruling | None


def identify(desk: Desk, mail: Incoming) -> Writer:
    """None = nobody we know."""
    for code, token in tokens.carried((*mail.recipients, mail.subject)):
        if code == tokens.CONFIRM:
            found: Writer = _confirmed(desk.session, token)
        elif code == tokens.ADDRESS:
            found = _moving(desk.session, token)
        elif code == tokens.BOSS:
            found = Boss() if tokens.same(token, boss_token(desk.session)) else None
        elif code == tokens.PROTEST:
            protest = desk.session.exec(select(Protest).where(Protest.token == token)).first()
            found = Objection(protest) if protest and tokens.same(token, protest.token) else None
        elif code == tokens.WORD:
            question = desk.session.exec(select(Question).where(Question.token == token)).first()
            found = Ruling(question) if question and tokens.same(token, question.token) else None
        else:
            found = _seat(desk, code, token, mail.sender)
        if found is not None:
            return found
    player = _by_address(desk.session, mail.sender)
    if player is None:
        return Boss(proven=False) if mail.sender == desk.config.club.moderator.lower() else None
    if not vouched(desk.config, mail):
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


def _confirmed(session: Session, token: str) -> Confirmed | Newcomer | None:
    held = session.exec(select(Inbox).where(Inbox.token == token, Inbox.state == "confirm")).first()
    if held is None or not tokens.same(token, held.token):
        return None
    player = _by_address(session, held.sender)
    return Confirmed(player, held) if player else Newcomer(held)


def _moving(session: Session, token: str) -> Moving | None:
    query = select(AddressChange).where(or_(AddressChange.old_token == token, AddressChange.new_token == token))
    change = session.exec(query).first()
    if change is None:
        return None
    old = tokens.same(token, change.old_token)
    return Moving(change, old) if old or tokens.same(token, change.new_token) else None


def vouched(config: Config, mail: Incoming) -> bool:
    """Whether the sender's provider says that the mail is the sender's."""
    from moderator.mail.authentication import verdict

    domain = mail.sender.rpartition("@")[2]
    return verdict(mail.authentication, config.mail.authserv_id, domain) == "pass"
