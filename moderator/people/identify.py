"""Who sent it? A seat's token decides; without one the registered address does, if its provider vouches for it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from moderator.club import tokens
from moderator.club.desk import Desk
from moderator.club.referees import Official, chief, official
from moderator.club.tokens import moderator_token
from moderator.config import Config
from moderator.mail.model import Incoming
from moderator.match.contract import Note
from moderator.outbox.lists import who_stops
from moderator.outbox.tell import tell_chief
from moderator.states import MatterKind
from moderator.store import inbox, key_values, matches, outbox, players, questions, referees
from moderator.store.copies import is_older
from moderator.store.db import Session
from moderator.store.models import AddressChange, Inbox, Match, Player, Protest, Question, Referee, Seat
from moderator.texts import plain

if TYPE_CHECKING:
    from moderator.mail.authentication import Verdict


GUESSED = "tokens are guessed; its owner was asked"
"""Note of a mail with a right token that waits for its owner's word."""
REPEATED = "an order came twice, word for word; its writer was asked"
"""Note of the second mail, see inbox/repeated.py."""


@dataclass(frozen=True)
class Identity:
    """A known writer."""

    player: Player
    match: Match | None = None
    """The match whose token came with the mail, or that its subject names."""
    seat: Seat | None = None
    """The seat whose token came with the mail."""
    whole: bool = True
    """May act for all seats of the player. False when a token came from an address that is not the player's, or whose
    provider says that it is forged: then it opens its own seat only."""
    puzzle: bool = False
    """It came to the address for answers to the puzzle of the week."""


@dataclass(frozen=True)
class Doubt:
    """The registered address, but neither token nor proof, or nothing that says which of several people who have the
    address wrote it: they are asked."""

    players: tuple[Player, ...]


@dataclass(frozen=True)
class Confirmed:
    """The answer to "was it you?": the held mail may go on."""

    players: tuple[Player, ...]
    """Who may have written the held mail; more than one where several have the address."""
    held: Inbox


@dataclass(frozen=True)
class Ruling:
    """The answer to "does this word count?", by whom it was asked: the chief or a referee."""

    question: Question
    official: Official


@dataclass(frozen=True)
class Boss:
    """The chief or a referee, who may command. ``proven``: by the token; else the address only says so."""

    official: Official
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
    """The answer to a protest, by whom it was put to: the chief or a referee."""

    protest: Protest
    official: Official


@dataclass(frozen=True)
class Unsubscriber:
    """Who wants something no more, by the address in ``List-Unsubscribe``."""

    player: Player
    what: str
    """STOP, DAILY, NO_PUZZLE, or the code of a match that they watch."""


Opened = Objection | Boss | Identity | Unsubscriber | Moving | Ruling
"""Whom a token proves."""


@dataclass(frozen=True)
class Waits:
    """A right token while somebody guesses them: its owner is asked first."""

    owner: Opened


@dataclass(frozen=True)
class Released:
    """The answer of its owner about such a mail, or one that came twice."""

    held: Inbox


@dataclass(frozen=True)
class Old:
    """A letter without a token that is older than its writer's entry in the club, or, of a stranger, than the club: it
    was meant for somebody else."""


@dataclass(frozen=True)
class Guess:
    """Wrong tokens while somebody guesses them: nothing is done and nothing answered."""


Unproven = Doubt | Old | Guess | None
"""Whom nothing proves."""
Writer = Opened | Doubt | Old | Confirmed | Newcomer | Waits | Released | Guess | None


def identify(desk: Desk, mail: Incoming) -> Writer:
    """None = nobody we know. Wrong tokens are counted."""
    found, wrong = _by_token(desk, mail)
    guessed = bool(found or wrong) and wrong_tokens(desk.session, desk.now).above(mail.sender)
    if wrong and count_wrong(desk.session, desk.now, mail.sender, wrong):
        tell_chief(desk, Note("tokens-guessed", {"address": mail.sender or "?"}))
    if isinstance(found, Confirmed | Newcomer | Released):  # a single question, at an address that we know
        return found
    if found is not None:
        own = isinstance(found, Identity) and found.whole and vouched(desk.config, mail)
        return found if own or not guessed else Waits(found)
    if wrong and guessed and not vouched(desk.config, mail):
        return Guess()
    return _without_token(desk, mail)


def owner(desk: Desk, writer: Opened | Confirmed | Newcomer | Released) -> tuple[Player | None, Match | None]:
    """Whose mail that is, and about which match, as far as it can be told."""
    if isinstance(writer, Identity):
        return writer.player, writer.match
    if isinstance(writer, Unsubscriber):
        return writer.player, None
    if isinstance(writer, Moving):
        return desk.session.get_one(Player, writer.change.player_id), None
    if isinstance(writer, Ruling):
        return None, desk.session.get_one(Match, writer.question.match_id)
    if isinstance(writer, Objection):
        return None, desk.session.get_one(Match, writer.protest.match_id)
    held = None if isinstance(writer, Boss) else writer.held
    player = desk.session.get(Player, held.player_id) if held and held.player_id else None
    return player, desk.session.get(Match, held.match_id) if held and held.match_id else None


def by_token(desk: Desk, mail: Incoming) -> Opened | Confirmed | Newcomer | Released | None:
    """Whom a token of the mail proves, or which question it answers, whatever is guessed meanwhile."""
    return _by_token(desk, mail)[0]


def opened(desk: Desk, mail: Incoming) -> Opened | None:
    """Whom a token of the mail proves, whatever is guessed meanwhile."""
    found = by_token(desk, mail)
    return None if isinstance(found, Confirmed | Newcomer | Released) else found


def _by_token(desk: Desk, mail: Incoming) -> tuple[Opened | Confirmed | Newcomer | Released | None, int]:
    """(whom the first right token proves, wrong ones before it)."""
    wrong = 0
    for code, token in tokens.carried((*mail.recipients, mail.subject)):
        found = _behind(desk, code, token, mail)
        if found is not None:
            return found, wrong
        wrong += 1
    return None, wrong


def _behind(desk: Desk, code: str, token: str, mail: Incoming) -> Opened | Confirmed | Newcomer | Released | None:
    """What one token opens."""
    if code == tokens.CONFIRM:
        return _confirmed(desk.session, token)
    if code == tokens.ADDRESS:
        return _moving(desk.session, token)
    if code in (tokens.STOP, tokens.DAILY, tokens.NO_PUZZLE):
        return _unsubscriber(desk, code, token)
    if code == tokens.PUZZLE:
        return _solver(desk, token, mail)
    if code == tokens.PLAYER:
        return _in_person(desk, token, mail)
    if code == tokens.BOSS:
        return _commander(desk, token)
    if code == tokens.PROTEST:
        protest = questions.protest_by_token(desk.session, token)
        if protest and tokens.same(token, protest.token):
            return Objection(protest, chief(desk))
        asked = _asked(desk, MatterKind.PROTEST, token)
        return Objection(desk.session.get_one(Protest, asked[0]), asked[1]) if asked else None
    if code == tokens.WORD:
        question = questions.by_token(desk.session, token)
        if question and tokens.same(token, question.token):
            return Ruling(question, chief(desk))
        asked = _asked(desk, MatterKind.WORD, token)
        return Ruling(desk.session.get_one(Question, asked[0]), asked[1]) if asked else None
    return _seat(desk, code, token, mail) or _unsubscriber(desk, code, token)


def _commander(desk: Desk, token: str) -> Boss | None:
    if tokens.same(token, moderator_token(desk.session)):
        return Boss(chief(desk))
    row = referees.by_token(desk.session, token)
    return Boss(official(row)) if row and tokens.same(token, row.token) else None


def _asked(desk: Desk, kind: MatterKind, token: str) -> tuple[int, Official] | None:
    """The number of what a referee was asked by a mail with this token, and the referee."""
    row = referees.matter_by_token(desk.session, kind, token)
    if row is None or row.referee_id is None or not tokens.same(token, row.token):
        return None
    return row.about, official(desk.session.get_one(Referee, row.referee_id))


def _unsubscriber(desk: Desk, code: str, token: str) -> Unsubscriber | None:
    player = who_stops(desk, token)
    return Unsubscriber(player, code) if player else None


def unsubscribes(desk: Desk, mail: Incoming) -> Unsubscriber | None:
    """Whose address for unsubscribing a mail went to, which some mail programs write by themselves."""
    found = [(code, token) for code, token in tokens.carried(mail.recipients) if code != tokens.PUZZLE]
    return next((who for code, token in found if (who := _unsubscriber(desk, code, token))), None)


def claimed(desk: Desk, mail: Incoming) -> Identity | None:
    """The player whose address a mail gives, for whom somebody else vouches; None = it is no player's, or may be of
    several."""
    found = possible_writers(desk.session, mail)
    return Identity(found[0], named_in(desk.session, found[0], mail.subject)) if len(found) == 1 else None


def _without_token(desk: Desk, mail: Incoming) -> Identity | Doubt | Boss | Old | None:
    found = possible_writers(desk.session, mail)
    entered = min((player.created_at for player in found), default=None)
    if _is_before(desk, entered or inbox.club_began(desk.session)):
        return Old()
    if not found:
        return _by_address(desk, mail.sender)
    return (claimed(desk, mail) if vouched(desk.config, mail) else None) or Doubt(found)


def possible_writers(session: Session, mail: Incoming) -> tuple[Player, ...]:
    """The players who have the sender's address; of several the one whom the mail tells: by whose mail it answers,
    whose match it names, or the name below the text. The name beside the address tells nothing: it is the mailbox's."""
    found = tuple(players.at_addresses(session, [mail.sender] if mail.sender else []))
    if len(found) < 2:
        return found
    answered = {one.player_id for one in outbox.by_message_id(session, mail.in_reply_to)}
    codes = tokens.codes_in(mail.subject)
    last = next((line.text for line in reversed(mail.lines) if line.text.strip()), "")
    for told in (
        [one for one in found if one.number in answered],
        [one for one in found if codes and matches.of_codes_with(session, codes, one.number)],
        called_among(found, last),
    ):
        if len(told) == 1:
            return tuple(told)
    return found


def called_among(found: Sequence[Player], text: str) -> list[Player]:
    """Those whose whole name stands in a short text."""
    said = plain(text[:200])
    return [player for player in found if re.search(rf"(?<!\w){re.escape(plain(player.name))}(?!\w)", said)]


def _is_before(desk: Desk, moment: datetime | None) -> bool:
    """Whether the mail at hand is older than that; never at a clock that has not come there yet, as in a rehearsal."""
    row = desk.mail
    return row is not None and moment is not None and moment <= desk.now and is_older(row.raw, row.received_at, moment)


def _by_address(desk: Desk, address: str) -> Boss | None:
    """The chief or the referee that an address claims to be."""
    if address == desk.config.club.moderator.lower():
        return Boss(chief(desk), proven=False)
    row = referees.by_address(desk.session, address) if address else None
    return Boss(official(row), proven=False) if row else None


def named_in(session: Session, player: Player, subject: str) -> Match | None:
    """The match that a subject names: any in square brackets, as in ours; else one of the player's by its code."""
    if code := tokens.code_in(subject):
        return matches.by_code(session, code)
    codes = tokens.codes_in(subject)
    found = matches.of_codes_with(session, codes, player.number) if codes else ()
    return found[0] if len(found) == 1 else None


def _seat(desk: Desk, code: str, token: str, mail: Incoming) -> Identity | None:
    match = desk.match_at(code)
    if match is None:
        return None
    hit: Identity | None = None
    for seat, player in desk.seated(match):
        if tokens.same(token, seat.token):  # all seats are compared, so that the time tells nothing
            hit = Identity(player, match, seat, whole=_own(desk, player, mail))
    return hit


def other_seats(desk: Desk, writer: Identity, mail: Incoming) -> list[str]:
    """Codes of the writer's other matches to whose seats the mail is addressed, too."""
    carried = tokens.carried(mail.recipients)
    found = [_seat(desk, code, token, mail) for code, token in carried] if len(carried) > 1 else []
    codes = [who.match.code for who in found if who and who.match and who.player.number == writer.player.number]
    return [code for code in dict.fromkeys(codes) if writer.match is None or code != writer.match.code]


def _solver(desk: Desk, token: str, mail: Incoming) -> Identity | None:
    player = who_stops(desk, token)
    return Identity(player, whole=_own(desk, player, mail), puzzle=True) if player else None


def _in_person(desk: Desk, token: str, mail: Incoming) -> Identity | None:
    """Who answers a mail that was sent to them alone."""
    player = who_stops(desk, token)
    if player is None:
        return None
    return Identity(player, named_in(desk.session, player, mail.subject), whole=_own(desk, player, mail))


def _own(desk: Desk, player: Player, mail: Incoming) -> bool:
    """Whether a mail with a token came from its owner's address, as far as anybody knows."""
    return mail.sender == player.address and sender_verdict(desk.config, mail) != "fail"


def _confirmed(session: Session, token: str) -> Confirmed | Newcomer | Released | None:
    held = inbox.by_token(session, token)
    if held is None or not tokens.same(token, held.token):
        return None
    if held.note in (GUESSED, REPEATED):
        return Released(held)
    found = tuple(players.at_addresses(session, [held.sender]))
    return Confirmed(found, held) if found else Newcomer(held)


def _moving(session: Session, token: str) -> Moving | None:
    change = players.change_by_token(session, token)
    if change is None:
        return None
    old = tokens.same(token, change.old_token)
    return Moving(change, old) if old or tokens.same(token, change.new_token) else None


def vouched(config: Config, mail: Incoming) -> bool:
    """Whether the sender's provider says that the mail is the sender's."""
    return sender_verdict(config, mail) == "pass"


def sender_verdict(config: Config, mail: Incoming) -> Verdict:
    """What the club's own mail server found out about the sender."""
    from moderator.mail.authentication import verdict

    return verdict(mail.authentication, config.mail.authserv_id, mail.sender.rpartition("@")[2])


# ---- guessed tokens ----
#
# Tokens that somebody guesses: wrong ones are counted, and above a limit a token alone opens nothing any more.
#
# Right tokens are never refused, whoever guessed: the address of a mail is easily forged, and the player whose address
# it is would be shut out. Instead a right token counts as before if the player's provider vouches for the mail; else
# the mail waits until its owner, asked at the address that we know, has said yes.


PER_SENDER = 20
"""Wrong tokens of one address in a day (UTC)."""
PER_CLUB = 100
"""Wrong tokens of all senders in an hour."""
KEPT_SENDERS = 300
"""Addresses that are counted one by one in a day; the others count for the club's limit."""


@dataclass
class WrongTokens:
    """Wrong tokens of the day and of the hour at hand."""

    day: str
    hour: int
    in_hour: int = 0
    senders: dict[str, int] = field(default_factory=dict)
    told: bool = False
    """Whether the moderator has heard of it this day."""

    def above(self, sender: str) -> bool:
        """Whether so many were wrong that a token alone is no proof."""
        return self.in_hour >= PER_CLUB or self.senders.get(sender, 0) >= PER_SENDER


def wrong_tokens(session: Session, now: datetime) -> WrongTokens:
    """What was counted so far."""
    written = key_values.read(session, key_values.WRONG_TOKENS)
    day = now.date().isoformat()
    known = WrongTokens(**json.loads(written)) if written else WrongTokens(day, now.hour)
    if known.day != day:
        return WrongTokens(day, now.hour)
    if known.hour != now.hour:
        known.hour, known.in_hour = now.hour, 0
    return known


def count_wrong(session: Session, now: datetime, sender: str, wrong: int) -> bool:
    """Count so many more. True = that was too much, for the first time today."""
    known = wrong_tokens(session, now)
    known.in_hour += wrong
    if sender in known.senders or len(known.senders) < KEPT_SENDERS:
        known.senders[sender] = known.senders.get(sender, 0) + wrong
    first = known.above(sender) and not known.told
    known.told = known.told or first
    key_values.write(session, key_values.WRONG_TOKENS, json.dumps(vars(known)))
    return first
