"""The values that the steps of one mail pass on: the mail itself, who wrote it and what for, what is read in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from moderator.commands.declaration import CommandLine
from moderator.common.mails import Line, ParsedMail
from moderator.inbox.match_names import MatchNameReader
from moderator.notifications.pages import LineOffer, LineOutcome
from moderator.notifications.task import StaffMember
from moderator.rules.game import Note
from moderator.store.database import Session
from moderator.store.tables import InboxRow, MatchRow, PlayerRow, SeatRow
from moderator.views.unit_of_work import UnitOfWork


class Role(StrEnum):
    PLAYER = "player"
    STAFF = "staff"
    """The chief or a referee."""
    STRANGER = "stranger"


class Proof(StrEnum):
    """The proof that a mail is its writer's."""

    TOKEN = "token"
    """A right token, from its owner's address as far as anybody knows."""
    TOKEN_ELSEWHERE = "token-elsewhere"
    """A right token, from an address that is not its owner's, or whose provider says that it is forged."""
    VOUCHED = "vouched"
    """No token; but the provider vouches for the registered address, its mailbox has said yes, or the moderator."""
    GUESSING = "guessing"
    """A right token, while somebody guesses tokens: its owner is asked first."""
    WRONG_TOKENS = "wrong-tokens"
    """Wrong tokens alone, while somebody guesses them: nothing is done and nothing answered."""
    OUTDATED = "outdated"
    """None, and the mail is older than its writer's entry in the club, or, of a stranger, than the club: it was meant
    for somebody else."""
    NONE = "none"


PROVEN = frozenset({Proof.TOKEN, Proof.TOKEN_ELSEWHERE, Proof.VOUCHED})


class Purpose(StrEnum):
    """The purpose of a mail, as the address says to which it was sent."""

    PLAY = "play"
    PUZZLE = "puzzle"
    """An answer to the puzzle of the week."""
    COMMAND = "command"
    """The staff's commands."""
    RULE_WORD = "rule-word"
    """The answer to "does this word count?"."""
    RULE_PROTEST = "rule-protest"
    CONFIRM_OLD_ADDRESS = "confirm-old-address"
    CONFIRM_NEW_ADDRESS = "confirm-new-address"
    """The answer of one of the two mailboxes of a change of address."""
    CONFIRM_SENDER = "confirm-sender"
    """The answer to "was it you?", from the address that a held mail gives."""
    CONFIRM_TOKEN = "confirm-token"
    """The answer of a token's owner about a held mail that carries it, or of a writer about one that came twice."""
    CONFIRM_SIGNUP = "confirm-signup"
    """The answer of a mailbox that nobody knows yet: the held mail that asks to join may count."""
    UNSUBSCRIBE = "unsubscribe"


ABOUT_HELD = frozenset({Purpose.CONFIRM_SENDER, Purpose.CONFIRM_TOKEN, Purpose.CONFIRM_SIGNUP})
"""Answers to a single question about a held mail, at an address that we know."""


@dataclass(frozen=True)
class Writer:
    """The writer of a mail, with what proves it and what the mail is for."""

    role: Role
    proof: Proof
    purpose: Purpose = Purpose.PLAY
    people: tuple[PlayerRow, ...] = ()
    """The player; several who have the address, if nothing says which of them it was."""
    staff: StaffMember | None = None
    match: MatchRow | None = None
    """The match whose token came with the mail, that its subject names, or that it answers a question about."""
    seat: SeatRow | None = None
    """The seat whose token came with the mail."""
    about: int | None = None
    """The number of what is answered: a held mail, a question, a protest, a change of address."""
    unwanted: str = ""
    """What is wanted no more: STOP, DAILY, NO_PUZZLE, or the code of a match that they watch."""

    @property
    def is_proven(self) -> bool:
        return self.proof in PROVEN

    @property
    def player(self) -> PlayerRow:
        """The one player who wrote the mail. Raises ValueError where that is not known."""
        if len(self.people) != 1:
            raise ValueError(f"{len(self.people)} players may have written the mail")
        return self.people[0]

    @property
    def official(self) -> StaffMember:
        """The chief or referee who wrote the mail. Raises ValueError for anybody else."""
        if self.staff is None:
            raise ValueError("the mail is not from the staff")
        return self.staff

    @property
    def whole(self) -> bool:
        """True if it may act for all seats of the player: else a token opens its own seat only."""
        return self.proof is not Proof.TOKEN_ELSEWHERE


def build_confirmed_player(player: PlayerRow, match: MatchRow | None) -> Writer:
    """Return a player as the writer of a mail without a token, for which somebody has vouched."""
    return Writer(Role.PLAYER, Proof.VOUCHED, people=(player,), match=match)


# ---- what is read in a mail ----


@dataclass
class MailSection:
    """The lines for one match. ``code`` is "" for lines before any heading."""

    code: str
    lines: list[Line] = field(default_factory=list)
    commands: list[CommandLine] = field(default_factory=list)
    courteous: set[int] = field(default_factory=set)
    """Numbers of the lines that greet or sign: of these nobody needs to hear that they are no move."""


@dataclass
class DoubtfulSection(MailSection):
    """Lines of which nobody knows which match they mean: perhaps one of ``codes``; () = another one than before. None
    of them may be played."""

    codes: tuple[str, ...] = ()


@dataclass(frozen=True)
class UnplacedLines:
    """The outcome of lines that belong to no match. ``why``: what the writer must know of it, if anything."""

    lines: Sequence[LineOutcome]
    why: Note | None
    failed: bool
    offers: tuple[LineOffer, ...] = ()
    """What is asked back."""


StaffCommand = tuple[CommandLine, str]
"""A command of the staff's, and the code of the match under whose heading it stands ("" = none)."""


@dataclass
class Instructions:
    """The lines of a mail, each as what it is."""

    lines: Sequence[Line] = ()
    """Its own text: without what stands in ours, and no more than can be read."""
    ignored: dict[str, int] = field(default_factory=dict)
    """How many lines were left out, by kind."""
    heard: UnplacedLines | CommandLine | None = None
    """The whole mail, where it is a plain answer in its writer's own words."""
    sections: Sequence[MailSection] = ()
    """Of a player's mail, per match."""
    naming: MatchNameReader = field(default_factory=MatchNameReader)
    """The names of the player's matches."""
    commands: Sequence[StaffCommand] = ()
    """Of a mail from the staff."""
    unread: Sequence[Line] = ()
    """Lines of it that are no commands."""


# ---- the job ----


NOBODY = Writer(Role.STRANGER, Proof.NONE)
_NOT_PARSED = ParsedMail("", "", "", (), "", (), (), "", ())


@dataclass
class MailJob:
    """One mail on its way. Each step of ``pipeline.MAIL_STEPS`` fills the next field."""

    work: UnitOfWork
    row: InboxRow
    mail: ParsedMail = _NOT_PARSED
    writer: Writer = NOBODY
    meant: bool = False
    """Its writer or the moderator was asked about it, and said that it is meant."""
    instructions: Instructions = field(default_factory=Instructions)
    settled: bool = False
    """The mail goes no further; what became of it stands in ``row.state``."""

    @property
    def session(self) -> Session:
        return self.work.session

    @property
    def player(self) -> PlayerRow:
        return self.writer.player

    def read_as(self, lines: Sequence[Line], writer: Writer) -> MailJob:
        """Return the same mail with these lines alone, by this writer."""
        return replace(self, mail=replace(self.mail, lines=tuple(lines)), writer=writer)
