"""What a format of tournaments is: all that the rest of the program asks of one.

A format is a frozen set of answers, without a database, a clock or a mail. The attributes say what kind of tournament
it is; the methods do what depends on its entrants and settings. Nothing outside this folder knows formats by name.

To add one: a package with a subclass of ``Format``, an entry point of the group ``moderator.formats``, and beside the
module ``messages.<language>.toml`` with the sentences ``"word.cups-KEY"`` (its name), ``cup-format-KEY`` (how it goes)
and ``"site.format-KEY"`` (its name on the pages), unless ``words`` names a format that has fitting ones, and
``cup-option-KEY-NAME`` for each option of its own. Nothing of moderator is touched, and nothing is promised: any
release may change what is asked here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from typing import Any, ClassVar, Literal, Protocol

from moderator.common.errors import Illegal, OperatorError
from moderator.tournaments.field import Game, TournamentState


class Chosen(Protocol):
    """Settings of a tournament that formats read; views/tournament_rows.py documents them."""

    @property
    def own(self) -> Any:
        """Those that the format declares itself, an instance of ``Format.options``."""


def declare_option(default: Any, *, least: int | None = None, most: int | None = None) -> Any:
    """Return a field of a format's ``options``: what it is if nothing is said, and between which numbers it lies. What
    it means stands among the format's sentences, ``cup-option-KEY-NAME``."""
    return field(default=default, metadata={"bounds": (least, most)})


@dataclass(frozen=True)
class NoOptions:
    """The options of a format that has no settings of its own."""


# ---- how a tournament stands, where that is no table of points ----


@dataclass(frozen=True)
class Meeting:
    """Two who meet in a round of a bracket."""

    round: int
    numbers: tuple[int, ...]
    """One = bye."""
    points: tuple[Fraction, ...] = ()
    """So far, beside ``numbers``; () = nothing is finished, or a bye."""
    through: int | None = None
    """Number of who goes on; None = open."""
    third: bool = False
    """The match for third place."""
    sums: tuple[int, ...] = ()
    """Game points in all, which decide where ``points`` are equal, beside ``numbers``; () as above."""


@dataclass(frozen=True)
class Bracket:
    """The standing of a knock-out: the loser of a meeting is out."""

    meetings: tuple[Meeting, ...]
    """All that are known, by round."""
    places: tuple[tuple[int, int], ...] = ()
    """(place, number), the first one first; () = not known yet."""


@dataclass(frozen=True)
class Asked:
    """A challenge that waits for an answer, or is being played."""

    challenger: int
    challenged: int
    made: date
    until: date
    """Last day to accept."""
    accepted: bool = False
    costs: bool = True
    """Whether not to accept costs rungs."""

    def is_late(self, day: date) -> bool:
        """Return whether nobody has answered in time."""
        return not self.accepted and self.until < day


@dataclass(frozen=True)
class Rungs:
    """The standing of a ladder: the order of the players and their challenges."""

    order: tuple[int, ...]
    """Numbers, the top first."""
    asked: tuple[Asked, ...] = ()
    """By the day they were made."""
    unplayed: tuple[tuple[int, int, date], ...] = ()
    """(one, the other, day) of challenges that ended without a game."""

    def find_rung(self, number: int) -> int:
        """Return the rung of a player, from 1 = top; 0 = on none."""
        return self.order.index(number) + 1 if number in self.order else 0


State = Mapping[str, Any]
"""What a format keeps of a tournament beside its entrants and games, as JSON values; most keep nothing."""
Built = Literal["winner", "rungs", "paired", "report"]
"""What was built on a result: the winner went on, rungs were given, the next round was paired, a report named it."""


class Format(ABC):
    """One way to run a tournament."""

    key: ClassVar[str]
    """Its name in the database, in files and on the command line."""
    days: ClassVar[int] = 60
    """From the start of a round to its latest end, where nothing is said."""
    options: ClassVar[type[Any]] = NoOptions
    """Its own settings: a frozen dataclass, each field an ``declare_option``. ``--set`` takes these and those that all
    formats have, and refuses any other."""
    tiebreaks: ClassVar[tuple[str, ...]] = ("direct", "sonneborn-berger", "wins", "spread")
    """Codes in the order applied, where nothing is said."""
    round_robin: ClassVar[bool] = False
    """Everybody meets everybody: all games start at once, and who leaves early does not count. Somebody new joins only
    by the moderator's word."""
    twice: ClassVar[bool] = False
    """A round robin in which everybody meets everybody once from each seat."""
    divisions: ClassVar[bool] = False
    """It has divisions with a table each, and seasons."""
    pairs_by_table: ClassVar[bool] = False
    """Each round is paired by the table so far. The number of rounds is fixed when it begins, in the option
    ``count_rounds`` which it must have; the moderator may pair a round that has no legal pairing, or end it with the
    one at hand."""
    several_seats: ClassVar[bool] = False
    """Games may have more than two seats, even if those of this one don't."""
    laid_out: ClassVar[bool] = False
    """The pairings of all rounds are made with the first one."""
    table: ClassVar[bool] = True
    """Its standings are a table of points; else ``build_standing`` says how it stands."""
    in_rounds: ClassVar[bool] = True
    """Games belong to rounds, which ``pair`` makes. Else players challenge each other: see "without rounds" below."""
    endless: ClassVar[bool] = False
    """It never ends by itself, only by the moderator's word."""

    @property
    def words(self) -> str:
        """The key by which its sentences are found: ``cups-…`` (its name), ``cup-format-…`` (how it goes),
        ``format-…``."""
        return self.key

    @property
    def planned(self) -> bool:
        """True if its rounds are known, or set, before they are paired."""
        return self.pairs_by_table or self.laid_out

    def is_at_once(self, settings: Chosen) -> bool:
        """Return whether all games start together; their round numbers are only information."""
        return self.round_robin

    def has_begun(self, settings: Chosen, game: int, number: int) -> bool:
        """Return whether games of round ``game`` are played when the tournament is in round ``number``."""
        return not self.in_rounds or self.is_at_once(settings) or game <= number

    def is_paired_in(self, settings: Chosen, game: int, is_open: bool, number: int) -> bool:
        """Return whether a game of round ``game`` belongs to the pairings that are shown in round ``number``."""
        if not self.in_rounds:
            return is_open
        return self.is_at_once(settings) or game == number

    def get_most_seats(self, settings: Chosen) -> int:
        """Return the most seats of a game."""
        return 2

    def count_games_of_two(self, settings: Chosen) -> int:
        """Return the number of games that two who are paired play in all; of two each has the first seat in one."""
        return 1

    def is_open_in(self, settings: Chosen, number: int, rounds: int) -> bool:
        """Return whether somebody who joins in round ``number`` of ``rounds`` plays from then on; else the standby list
        waits."""
        return False

    def get_division_format(self, settings: Chosen) -> str:
        """Return the key of the format in which each division is played."""
        return self.key

    def describe_variant(self, rounds: int, legs: int) -> str:
        """Return the ending of ``cup-format-…`` where the sentence depends on the settings."""
        return ""

    def describe_settings(self, settings: Chosen) -> Sequence[tuple[str, Mapping[str, Any]]]:
        """Return what its page says of its own settings: codes of sentences with what they name."""
        return ()

    def infer_settings(self, found: Sequence[TournamentState]) -> dict[str, Any]:
        """Return the settings of a tournament that comes from files, by division, as far as its games say them. Raises
        OperatorError for a format that stands in no file."""
        return {}

    def count_rounds(self, t: TournamentState, settings: Chosen) -> int:
        """Return how many rounds there will be; 0 = open."""
        return max((game.round for game in t.games), default=0)

    def build_standing(
        self, t: TournamentState, state: State, number: int, over: bool = False
    ) -> Bracket | Rungs | None:
        """Return how it stands in round ``number``, or in the end; None = a table of points."""
        return None

    def is_settled(self, game: int, number: int) -> bool:
        """Return whether a result of round ``game`` is for good once the tournament is in round ``number``."""
        return False

    def find_dependants(self, game: int, number: int, *, taken: bool, reported: bool) -> Built | None:
        """Return what was built on the result of a game of round ``game``. ``taken``: it has gone into the state;
        ``reported``: a report has named it."""
        if self.pairs_by_table and game < number:
            return "paired"
        return "report" if reported else None

    # Without rounds: a state that challenges and results change, made when the tournament begins. In rounds there are
    # no challenges.

    def begin(self, numbers: Sequence[int], settings: Chosen) -> State:
        """Return the state at the start."""
        return {}

    def add_entrant(self, state: State, number: int) -> State | None:
        """Return the state with a new player in it; None = those who come later have byes for what they missed."""
        return None

    def remove_entrant(self, state: State, number: int) -> State:
        """Return the state without the player who leaves, and without their challenges."""
        return state

    def list_challenges(self, state: State) -> Sequence[Asked]:
        """Return the challenges, by the day they were made."""
        return ()

    def list_challengeable(self, state: State, challenger: int, day: date) -> Sequence[int]:
        """Return the players whom ``challenger`` may challenge, the highest first, if nobody is on leave."""
        return ()

    def challenge(self, state: State, challenger: int, challenged: int, day: date, away: Collection[int] = ()) -> State:
        """Return the state with a new challenge; a player who is ``away`` cannot be challenged. Raises Illegal."""
        raise Illegal("ladder-not-on", number=challenger)

    def accept(self, state: State, challenged: int, day: date) -> State:
        """Accept the challenge against ``challenged``, which is then to be played. Raises
        Illegal("ladder-no-challenge")."""
        raise Illegal("ladder-no-challenge")

    def refuse(self, state: State, challenged: int, day: date) -> State:
        """Refuse the challenge against ``challenged``: it is turned down, or nobody has answered in time. Raises
        Illegal("ladder-no-challenge")."""
        raise Illegal("ladder-no-challenge")

    def apply_result(self, state: State, game: Game, day: date) -> State | None:
        """Return the state when ``game`` is over; None = it changes nothing (one of them has left)."""
        return None

    def correct_result(self, state: State, game: Game) -> State:
        """Return the state when ``game``, which was over, has another result; the same state = nothing but its points
        depends on that."""
        return state

    @abstractmethod
    def pair(
        self,
        t: TournamentState,
        number: int,
        settings: Chosen,
        *,
        division: int = 1,
        rematches: bool = False,
        byes: Collection[int] = (),
    ) -> Sequence[Game]:
        """Pair round ``number``: return its games; those of all rounds where they start at once or are laid out with
        the first one.

        ``rematches``, ``byes``: the moderator's word for a round that has no legal pairing. Raises OperatorError for a
        round that cannot be paired (yet)."""


class Challenging(Format):
    """A format without rounds: players challenge each other."""

    table = False
    in_rounds = False
    endless = True

    def count_rounds(self, t: TournamentState, settings: Chosen) -> int:
        return 0

    def pair(
        self,
        t: TournamentState,
        number: int,
        settings: Chosen,
        *,
        division: int = 1,
        rematches: bool = False,
        byes: Collection[int] = (),
    ) -> Sequence[Game]:
        raise OperatorError(f"A tournament of the format {self.key} has no rounds.", "Players challenge each other.")
