"""What outlives one transaction of a run: matches at hand, opened dictionaries, and what was looked up."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from moderator.club import house_list
from moderator.club.live_match import LiveMatch, Suspended, caught_up, lock, rebuild
from moderator.config import Config
from moderator.errors import LexiconError, OperatorError
from moderator.match.contract import Context, Words
from moderator.match.time.calendar import LeaveSpan
from moderator.states import MatchStatus
from moderator.store import db, players
from moderator.store.db import Session
from moderator.store.models import Match
from moderator.words import house
from moderator.words.dictionary import Dictionary, open_dictionary
from moderator.words.house import Ruling

if TYPE_CHECKING:
    from moderator.bots.program import Program
    from moderator.store.db import Store

_STAY = ("config", "bots", "catching_up", "session", "turns_left", "review_spent")
MOST_MATCHES = 1000
"""Kept at hand, a few kilobytes each; others are built anew when they are touched again."""
MOST_BY_THEMSELVES = 600
"""Turns in one run."""


@dataclass
class RunCache:
    """Everything that outlives one transaction of a run: rebuilt matches and opened dictionaries.

    Each field is empty at first and filled in a transaction; ``rolled_back`` empties it, unless it is in ``_STAY``.
    """

    config: Config
    matches: dict[int, LiveMatch] = field(default_factory=dict)
    dictionaries: dict[tuple[str, str, str], Dictionary] = field(default_factory=dict)
    replies: dict[str, int] = field(default_factory=dict)
    """Address -> how many answers it got in the day before this run and since."""
    leaves: dict[int, list[LeaveSpan]] | None = None
    """Player id -> leave that may still count; None = not looked yet."""
    without_leave: set[int] = field(default_factory=set)
    """Ids of players who are known to have announced none."""
    rulings: tuple[Ruling, ...] | None = None
    """All of the house list, and those on their way there; None = not read yet."""
    scopes: frozenset[str] = frozenset()
    """Match codes, games and policies that some of them are limited to."""
    catching_up: bool = False
    """So much mail waited that everybody is told of it in one mail at the end of the run, see outbox/tell.py."""
    turns_left: int = field(default_factory=lambda: MOST_BY_THEMSELVES)
    """Turns that this run still plays in matches in which no person is left to wait for; the next run goes on."""
    review_spent: float = 0
    """Seconds of CPU that this run has spent on reviews of finished matches."""
    house: tuple[int, int] | None = None
    """Age and size of the house list when it was read; None = there was none."""
    waiting: list[Ruling] | None = None
    """Rulings that the house list may not have yet; None = not looked yet."""

    week: dict[str, tuple[object, Any]] = field(default_factory=dict)
    """What all mails about the puzzle of the week have in common: by name what it was made for, and the value."""

    bots: dict[str, Program] = field(default_factory=dict)
    """By the robots' names: what plays for them, where that is somebody else's."""

    session: Session | None = None
    """Of the transaction that it is used in."""

    def used_in(self, session: Session) -> None:
        """From now on this transaction may fill it."""
        db.remember(session, self)
        self.session = session
        if session.info.get("shared"):
            self.forget()

    @property
    def review_seconds(self) -> float:
        """What it may still spend; the next run goes on. 0 or less = nothing."""
        return self.config.review.seconds_per_tick - self.review_spent

    def _unwritten(self) -> list[Ruling]:
        """Rulings that count though the house list may lack them. Not asked for until a word is, because asking takes
        the writer's lock."""
        if self.waiting is None and self.session is not None and self.session.in_transaction():
            self.waiting = house_list.waiting(self.session)
        return self.waiting or []

    def rolled_back(self) -> None:
        """Nothing that a failed transaction has put here must stay; what was here before is found again."""
        fresh = RunCache(self.config)
        for each in dataclasses.fields(self):
            if each.name not in _STAY:
                setattr(self, each.name, getattr(fresh, each.name))

    def apart(self) -> RunCache:
        """One for work that will be taken back; the dictionaries are the same, which take long to open."""
        return RunCache(
            self.config,
            dictionaries=dict(self.dictionaries),
            rulings=self.rulings,
            scopes=self.scopes,
            house=self.house,
            waiting=self.waiting,
            review_spent=self.config.review.seconds_per_tick,
            bots=self.bots,
        )

    def of_week(self, name: str, key: object, make: Callable[[], Any]) -> Any:
        """Of what all mails about the puzzle of the week have in common the value ``name``, made once for ``key``."""
        if self.week.get(name, (None,))[0] != key:
            self.week[name] = key, make()
        return self.week[name][1]

    def bot(self, name: str) -> Program | None:
        """What plays for the robot of this name; None where we do. It lives as long as this."""
        if name in self.config.bots and name not in self.bots:
            from moderator.bots import order

            self.bots[name] = order.of(self.config, name)
        return self.bots.get(name)

    def context(self, live: LiveMatch) -> Context:
        """A context for an entry that is being made; in a game of words it asks the dictionary."""
        if not live.game.uses_words:
            return live.context
        return replace(live.context, words=self.dictionary(live.options, live.code))

    def dictionary(self, options: Any, code: str = "") -> Dictionary:
        """The dictionary under a match's word options, with the rulings that are for it alone. Raises LexiconError, or
        OperatorError where the club has none."""
        policy: str = options.policy
        unknown: Literal["reject", "ask"] = options.unknown_words
        settings = self.config.words
        if not (settings.lexicons or settings.ask_if_in):
            raise OperatorError(
                "This club has no dictionary ([words] lexicons = []).",
                "Build one (`moderator lexicon build --help`) and name it there.",
            )
        own = self.config.path(settings.house)
        self._read_rulings()
        scope = code if code in self.scopes else ""
        if (policy, unknown, scope) not in self.dictionaries:
            self.dictionaries[policy, unknown, scope] = open_dictionary(
                self.config.path(settings.folder),
                settings.lexicons,
                ask_if_in=settings.ask_if_in,
                house=[own, house.SHIPPED],
                scopes=(scope,) if scope else (),
                rulings=self._unwritten(),
                policy=policy,
                unknown=unknown,
                reference=settings.reference,
            )
        return self.dictionaries[policy, unknown, scope]

    def _read_rulings(self) -> tuple[Ruling, ...]:
        if self.rulings is None:
            own = self.config.path(self.config.words.house)
            self.house = house.state(own)
            self.rulings = (*house.read(own), *self._unwritten())
            self.scopes = frozenset(ruling.scope for ruling in self.rulings)
        return self.rulings

    def rulings_for(self, code: str, options: Any) -> list[Ruling]:
        """Find what was ruled for one match alone, and holds. In a list that cannot be read, nothing: whoever is in
        charge hears of that elsewhere."""
        try:
            rulings = self._read_rulings()
        except LexiconError:
            return []
        return house.of_match(rulings, code, options.policy) if code in self.scopes else []

    def same_words(self, live: LiveMatch, match: Match) -> bool:
        """Whether the dictionary is the one that the match was started with; true for games that use none."""
        return not live.game.uses_words or self.dictionary(live.options).fingerprint == match.fingerprint

    def ruled(self, waiting: list[Ruling]) -> None:
        """There are new rulings; these are all that wait to be written."""
        self.waiting = waiting
        self._forget_words()

    def write_rulings(self, store: Store) -> None:
        """Bring the house list up to date. Raises LexiconError."""
        house_list.bring_up_to_date(self.config, store)

    def words_of(self, live: LiveMatch) -> Callable[[], Words]:
        """Opens the match's dictionary."""
        options, code = live.options, live.code
        return lambda: self.dictionary(options, code)

    def look(self, session: Session, match: Match) -> LiveMatch:
        """The match for somebody who only looks: nothing is locked or kept at hand. A club whose dictionary cannot be
        opened is told so elsewhere; here its orders count as they were sent. Raises Suspended."""
        found = rebuild(session, match, self.config.deadlines)
        try:
            found.words = self.words_of(found) if self.same_words(found, match) else None
        except OperatorError:
            found.words = None
        return found

    def _forget_words(self) -> None:
        """The house list has changed."""
        self.dictionaries.clear()
        self.rulings, self.scopes = None, frozenset()

    def live(self, session: Session, match: Match) -> LiveMatch:
        """The match, rebuilt if need be, and from now on this transaction's alone. Raises Suspended when it cannot go
        on."""
        db.remember(session, self)
        lock(session, match)
        if match.status == MatchStatus.SUSPENDED:
            raise Suspended(match, match.trouble)
        found = self.matches.get(match.number)
        if found is not None and found.entries < match.entries:
            found = caught_up(session, match, found, self.config.deadlines)
        if found is None or found.entries != match.entries:
            found = rebuild(session, match, self.config.deadlines)
            found.words = self.words_of(found)
            if match.status == MatchStatus.RUNNING and not self.same_words(found, match):
                raise Suspended(match, f"match {match.code} was started with another dictionary ({match.lexicon})")
        self.matches.pop(match.number, None)
        self.matches[match.number] = found
        return found

    def tidy(self) -> None:
        """Between two transactions: only the matches that were touched last are kept."""
        while len(self.matches) > MOST_MATCHES:
            del self.matches[next(iter(self.matches))]

    def forget(self) -> None:
        """Another worker may have changed what was looked up; matches are checked when they are taken."""
        self.forget_leaves()
        self.replies.clear()
        self.waiting = None
        if self.dictionaries and self.house != house.state(self.config.path(self.config.words.house)):
            self._forget_words()

    def forget_leaves(self) -> None:
        """Somebody has announced some, or taken it back."""
        self.leaves = None
        self.without_leave.clear()

    def leaves_of(self, session: Session, player: int) -> list[LeaveSpan]:
        """What the player has announced and not taken back."""
        db.remember(session, self)
        if self.leaves is None and player in self.without_leave:
            return []
        if self.leaves is None:
            self.leaves = {}
            for number, first, last, announced in players.leaves_announced(session):
                self.leaves.setdefault(number, []).append(LeaveSpan(first, last, announced))
        return self.leaves.get(player, [])
