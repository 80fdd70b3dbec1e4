"""What a format of tournaments is: all that the rest of the program asks of one.

A format is a frozen set of answers, without a database, a clock or a mail. The attributes say what kind of tournament
it is; the methods do what depends on its entrants and settings. Nothing outside this folder knows formats by name.

To add one: a package with a subclass of ``Format``, an entry point of the group ``moderator.formats``, and beside the
module ``messages.<language>.toml`` with the sentences ``"word.cups-KEY"`` (its name), ``cup-format-KEY`` (how it goes)
and ``"site.format-KEY"`` (its name on the pages), unless ``words`` names a format that has fitting ones, and
``cup-option-KEY-NAME`` for each option of its own. tests/tenth/kette is one. Nothing of moderator is touched.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

if TYPE_CHECKING:
    from moderator.tournaments.field import Game, TournamentState


class Chosen(Protocol):
    """Settings of a tournament that formats read; club/tournaments/rows.py documents them."""

    @property
    def own(self) -> Any:
        """Those that the format declares itself, an instance of ``Format.options``."""


def option(default: Any, *, least: int | None = None, most: int | None = None) -> Any:
    """A field of a format's ``options``: what it is if nothing is said, and between which numbers it lies. What it
    means stands among the format's sentences, ``cup-option-KEY-NAME``."""
    return field(default=default, metadata={"bounds": (least, most)})


@dataclass(frozen=True)
class NoOptions:
    """Of a format that has no settings of its own."""


class Format(ABC):
    """One way to run a tournament."""

    key: ClassVar[str]
    """Its name in the database, in files and on the command line."""
    days: ClassVar[int] = 60
    """From the start of a round to its latest end, where nothing is said."""
    options: ClassVar[type[Any]] = NoOptions
    """Its own settings: a frozen dataclass, each field an ``option``. ``--set`` takes these and those that all formats
    have, and refuses any other."""
    tiebreaks: ClassVar[tuple[str, ...]] = ("direct", "sonneborn-berger", "wins", "spread")
    """Codes in the order applied, where nothing is said."""
    round_robin: ClassVar[bool] = False
    """Everybody meets everybody: all games start at once, and who leaves early does not count. Somebody new joins only
    by the moderator's word."""
    twice: ClassVar[bool] = False
    """A round robin in which everybody meets everybody once with each start."""
    divisions: ClassVar[bool] = False
    """It has divisions with a table each, and seasons."""
    pairs_by_table: ClassVar[bool] = False
    """Each round is paired by the table so far. The number of rounds is fixed when it begins, in the option ``rounds``
    which it must have; the moderator may pair a round that has no legal pairing, or end it with the one at hand."""
    several_seats: ClassVar[bool] = False
    """Games may have more than two seats, even if those of this one don't."""
    laid_out: ClassVar[bool] = False
    """The pairings of all rounds are made with the first one."""
    eliminates: ClassVar[bool] = False
    """Who loses a tie is out: there is a bracket, no table."""
    challenges: ClassVar[bool] = False
    """Players challenge each other and change rungs: there are no rounds and no table, and it never ends by itself."""

    @property
    def words(self) -> str:
        """By which its sentences are found: ``cups-…`` (its name), ``cup-format-…`` (how it goes), ``format-…``."""
        return self.key

    @property
    def table(self) -> bool:
        """Its standings are a table of points."""
        return not (self.eliminates or self.challenges)

    @property
    def planned(self) -> bool:
        """Its rounds are known, or set, before they are paired."""
        return self.pairs_by_table or self.laid_out

    def at_once(self, settings: Chosen) -> bool:
        """All games start together; their round numbers are only information."""
        return self.round_robin

    def seats(self, settings: Chosen) -> int:
        """The most seats of a game."""
        return 2

    def games_of_two(self, settings: Chosen) -> int:
        """How many games two who are paired play in all."""
        return 1

    def takes_late(self, settings: Chosen, round: int, rounds: int) -> bool:
        """Whether somebody who joins in ``round`` of ``rounds`` plays from then on; else the standby list waits."""
        return False

    def part(self, settings: Chosen) -> str:
        """The key of the format in which each division is played."""
        return self.key

    def described(self, rounds: int, legs: int) -> str:
        """What ``cup-format-…`` ends with where the sentence depends on the settings."""
        return ""

    def settings_of(self, found: Sequence[TournamentState]) -> dict[str, Any]:
        """Settings of a tournament that comes from files, by division, as far as its games say them."""
        return {}

    def rounds(self, t: TournamentState, settings: Chosen) -> int:
        """How many there will be; 0 = open."""
        return max((game.round for game in t.games), default=0)

    def places(self, t: TournamentState, state: Mapping[str, Any]) -> dict[int, int] | None:
        """Number -> place as it stands, ``state`` being that of the stored tournament; None = by the table."""
        return None

    @abstractmethod
    def pair(
        self,
        t: TournamentState,
        round: int,
        settings: Chosen,
        *,
        division: int = 1,
        rematches: bool = False,
        byes: Collection[int] = (),
    ) -> Sequence[Game]:
        """The games of ``round``; of all rounds where they start at once or are laid out with the first one.

        ``rematches``, ``byes``: the moderator's word for a round that has no legal pairing. Raises OperatorError for a
        round that cannot be paired (yet)."""
