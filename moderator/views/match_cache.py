"""What outlives one transaction of a run: matches at hand, opened dictionaries, and what was looked up."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from moderator.common.enums import MatchStatus
from moderator.common.errors import LexiconError, OperatorError
from moderator.rules.game import Context, Words
from moderator.rules.time.calendar import LeaveSpan
from moderator.settings import Config
from moderator.store import database, key_values, players
from moderator.store.database import Session, Store
from moderator.store.tables import MatchRow
from moderator.views.loaded_match import (
    LiveMatch,
    MatchSuspended,
    load_log_entries,
    lock_match,
    rebuild_match,
    refresh_match,
)
from moderator.words import house_rulings
from moderator.words.dictionary import Dictionary, open_dictionary
from moderator.words.house_rulings import HouseRuling

_STAY = ("config", "bots", "catching_up", "session", "turns_left", "review_spent")
MOST_MATCHES = 1000
"""Kept at hand, a few kilobytes each; others are built anew when they are touched again."""
MOST_BY_THEMSELVES = 600
"""Turns in one run."""


@dataclass
class MatchCache:
    """Everything that outlives one transaction of a run: rebuilt matches and opened dictionaries.

    Each field is empty at first and filled in a transaction; ``discard_uncommitted`` empties it, unless it is in
    ``_STAY``."""

    config: Config
    matches: dict[int, LiveMatch] = field(default_factory=dict)
    dictionaries: dict[tuple[str, str, str], Dictionary] = field(default_factory=dict)
    replies: dict[str, int] = field(default_factory=dict)
    """Address -> how many answers it got in the day before this run and since."""
    leaves: dict[int, list[LeaveSpan]] | None = None
    """Player id -> leave that may still count; None = not looked yet."""
    without_leave: set[int] = field(default_factory=set)
    """Ids of players who are known to have announced none."""
    rulings: tuple[HouseRuling, ...] | None = None
    """All of the house list, and those on their way there; None = not read yet."""
    scopes: frozenset[str] = frozenset()
    """Match codes, games and policies that some of them are limited to."""
    catching_up: bool = False
    """So much mail waited that everybody is told of it in one mail at the end of the run, see delivery/deliver.py."""
    turns_left: int = field(default_factory=lambda: MOST_BY_THEMSELVES)
    """Turns that this run still plays in matches in which no person is left to wait for; the next run goes on."""
    review_spent: float = 0
    """Seconds of CPU that this run has spent on reviews of finished matches."""
    house: tuple[int, int] | None = None
    """Age and size of the house list when it was read; None = there was none."""
    waiting: list[HouseRuling] | None = None
    """Rulings that the house list may not have yet; None = not looked yet."""

    week: dict[str, tuple[object, Any]] = field(default_factory=dict)
    """What all mails about the puzzle of the week have in common: by name what it was made for, and the value."""

    bots: dict[str, Any] = field(default_factory=dict)
    """By the robots' names: what plays for them, where that is somebody else's."""

    session: Session | None = None
    """Of the transaction that it is used in."""

    def attach(self, session: Session) -> None:
        """Attach the cache to this transaction, which may fill it from now on."""
        database.attach_cache(session, self)
        self.session = session
        if session.info.get("shared"):
            self.forget_lookups()

    @property
    def review_seconds(self) -> float:
        """The seconds that this run may still spend on reviews; the next run goes on. 0 or less = nothing."""
        return self.config.review.seconds_per_tick - self.review_spent

    def _list_unwritten_rulings(self) -> list[HouseRuling]:
        """List the rulings that count though the house list may lack them. They are loaded only when a word is looked
        up, because loading takes the writer's lock."""
        if self.waiting is None and self.session is not None and self.session.in_transaction():
            self.waiting = load_unwritten_rulings(self.session)
        return self.waiting or []

    def discard_uncommitted(self) -> None:
        """Discard all that a failed transaction may have put here; what was here before is found again."""
        fresh = MatchCache(self.config)
        for each in dataclasses.fields(self):
            if each.name not in _STAY:
                setattr(self, each.name, getattr(fresh, each.name))

    def fork_cache(self) -> MatchCache:
        """Fork a cache for work that will be taken back; the dictionaries are the same, which take long to open."""
        return MatchCache(
            self.config,
            dictionaries=dict(self.dictionaries),
            rulings=self.rulings,
            scopes=self.scopes,
            house=self.house,
            waiting=self.waiting,
            review_spent=self.config.review.seconds_per_tick,
            bots=self.bots,
        )

    def get_weekly(self, name: str, key: object, make: Callable[[], Any]) -> Any:
        """Return the value ``name`` that all mails about the puzzle of the week have in common, made once for
        ``key``."""
        if self.week.get(name, (None,))[0] != key:
            self.week[name] = key, make()
        return self.week[name][1]

    def build_context(self, live: LiveMatch) -> Context:
        """Build a context for an entry that is being made; in a game of words it asks the dictionary."""
        if not live.game.uses_words:
            return live.context
        return replace(live.context, words=self.get_dictionary(live.options, live.code))

    def get_dictionary(self, options: Any, code: str = "") -> Dictionary:
        """Return the dictionary under a match's word options, with the rulings that are for it alone. Raises
        LexiconError, or OperatorError where the club has none."""
        policy: str = options.policy
        unknown: Literal["reject", "ask"] = options.unknown_words
        settings = self.config.words
        if not (settings.lexicons or settings.ask_if_in):
            raise OperatorError(
                "This club has no dictionary ([words] lexicons = []).",
                "Build one (`moderator lexicon build --help`) and name it there.",
            )
        own = self.config.resolve_path(settings.house)
        self._read_rulings()
        scope = code if code in self.scopes else ""
        if (policy, unknown, scope) not in self.dictionaries:
            self.dictionaries[policy, unknown, scope] = open_dictionary(
                self.config.resolve_path(settings.folder),
                settings.lexicons,
                ask_if_in=settings.ask_if_in,
                house=[own, house_rulings.SHIPPED],
                scopes=(scope,) if scope else (),
                rulings=self._list_unwritten_rulings(),
                policy=policy,
                unknown=unknown,
                reference=settings.reference,
            )
        return self.dictionaries[policy, unknown, scope]

    def _read_rulings(self) -> tuple[HouseRuling, ...]:
        if self.rulings is None:
            own = self.config.resolve_path(self.config.words.house)
            self.house = house_rulings.find_list_state(own)
            self.rulings = (*house_rulings.read_house_list(own), *self._list_unwritten_rulings())
            self.scopes = frozenset(ruling.scope for ruling in self.rulings)
        return self.rulings

    def list_match_rulings(self, code: str, options: Any) -> list[HouseRuling]:
        """Return the rulings for one match alone that hold. In a list that cannot be read, none: whoever is in charge
        hears of that elsewhere."""
        try:
            rulings = self._read_rulings()
        except LexiconError:
            return []
        return house_rulings.filter_match_rulings(rulings, code, options.policy) if code in self.scopes else []

    def has_same_dictionary(self, live: LiveMatch, match: MatchRow) -> bool:
        """Return whether the dictionary is the one that the match was started with; true for games that use none."""
        return not live.game.uses_words or self.get_dictionary(live.options).fingerprint == match.fingerprint

    def set_unwritten_rulings(self, waiting: list[HouseRuling]) -> None:
        """Note that there are new rulings; these are all that wait to be written."""
        self.waiting = waiting
        self._forget_dictionaries()

    def write_rulings(self, store: Store) -> None:
        """Write the rulings that wait into the house list. Raises LexiconError."""
        flush_house_rulings(self.config, store)

    def build_words_opener(self, live: LiveMatch) -> Callable[[], Words]:
        """Build a function that opens the match's dictionary."""
        options, code = live.options, live.code
        return lambda: self.get_dictionary(options, code)

    def load_readonly(self, session: Session, match: MatchRow) -> LiveMatch:
        """Load the match for somebody who only looks: nothing is locked or kept at hand. A club whose dictionary cannot
        be opened is told so elsewhere; here its orders count as they were sent. Raises MatchSuspended."""
        found = rebuild_match(session, match, self.config.deadlines)
        try:
            found.words = self.build_words_opener(found) if self.has_same_dictionary(found, match) else None
        except OperatorError:
            found.words = None
        return found

    def _forget_dictionaries(self) -> None:
        """Forget the dictionaries, because the house list has changed."""
        self.dictionaries.clear()
        self.rulings, self.scopes = None, frozenset()

    def load_match(self, session: Session, match: MatchRow) -> LiveMatch:
        """Load the match, rebuilt if need be, and from now on this transaction's alone. Raises MatchSuspended when it
        cannot go on."""
        database.attach_cache(session, self)
        lock_match(session, match)
        if match.status == MatchStatus.SUSPENDED:
            raise MatchSuspended(match, match.trouble)
        found = self.matches.get(match.number)
        if found is not None and found.entries < match.entries:
            found = refresh_match(match, found, load_log_entries(session, match), self.config.deadlines)
        if found is None or found.entries != match.entries:
            found = rebuild_match(session, match, self.config.deadlines)
            found.words = self.build_words_opener(found)
            if match.status == MatchStatus.RUNNING and not self.has_same_dictionary(found, match):
                raise MatchSuspended(match, f"match {match.code} was started with another dictionary ({match.lexicon})")
        self.matches.pop(match.number, None)
        self.matches[match.number] = found
        return found

    def evict_matches(self) -> None:
        """Keep only the matches that were touched last; called between two transactions."""
        while len(self.matches) > MOST_MATCHES:
            del self.matches[next(iter(self.matches))]

    def forget_lookups(self) -> None:
        """Forget what was looked up, which another worker may have changed; matches are checked when they are taken."""
        self.forget_leaves()
        self.replies.clear()
        self.waiting = None
        if self.dictionaries and self.house != house_rulings.find_list_state(
            self.config.resolve_path(self.config.words.house)
        ):
            self._forget_dictionaries()

    def forget_leaves(self) -> None:
        """Forget the leaves, because somebody has announced some, or taken it back."""
        self.leaves = None
        self.without_leave.clear()

    def list_player_leaves(self, session: Session, player: int) -> list[LeaveSpan]:
        """List the leaves that the player has announced and not taken back."""
        database.attach_cache(session, self)
        if self.leaves is None and player in self.without_leave:
            return []
        if self.leaves is None:
            self.leaves = {}
            for number, first, last, announced in players.list_announced_leaves(session):
                self.leaves.setdefault(number, []).append(LeaveSpan(first, last, announced))
        return self.leaves.get(player, [])


# ---- rulings on words on their way into the club's house list ----
#
# A ruling is a row first, written in the transaction of the deed; the file is brought up to date after the commit. What
# could not be written then (a full disk, a process that died) is written by the next run, and counts meanwhile: see
# ``MatchCache.get_dictionary``. The rows are only what still waits: the list itself is the moderator's to edit.


def load_unwritten_rulings(session: Session) -> list[HouseRuling]:
    """Load the rulings that the list may not have yet, in the order in which they were made."""
    return [house_rulings.parse_ruling(row.value, row.key) for row in key_values.list_pending_rulings(session)]


def flush_house_rulings(config: Config, store: Store) -> None:
    """Append the rulings that wait to the list, and delete their rows. Done twice, it changes nothing. Raises
    LexiconError where the list cannot be read or written."""
    with store.begin_transaction() as session:
        for row in key_values.list_pending_rulings(session, for_update=True):
            house_rulings.append_ruling(
                config.resolve_path(config.words.house), house_rulings.parse_ruling(row.value, row.key)
            )
            session.delete(row)
