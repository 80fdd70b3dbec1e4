"""What all steps of a run have in their hands, and the transactions that they work in: one for each mail, match, player
or tournament, so that what fails concerns that one only."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar

from moderator.common.errors import ClashError, OperatorError, StoreError, TransientError, format_error_place
from moderator.delivery.deliver import open_delivering_work
from moderator.run.log import RunSummary
from moderator.service.match.halt import suspend_match
from moderator.settings import Config
from moderator.store.database import IntegrityError, Store
from moderator.store.tables import MatchRow, PlayerRow
from moderator.views.loaded_match import MatchSuspended
from moderator.views.match_cache import MatchCache
from moderator.views.unit_of_work import UnitOfWork

T = TypeVar("T")
TRIES = 5


@dataclass(frozen=True)
class RunContext:
    """One run: settings, database, what is kept in memory, the clock, and what has been done so far."""

    config: Config
    store: Store
    cache: MatchCache
    clock: Callable[[], datetime]
    summary: RunSummary

    @property
    def now(self) -> datetime:
        return self.clock()

    def stop_clock(self, moment: datetime) -> RunContext:
        """Return the same run, for which it stays that moment."""
        return replace(self, clock=lambda: moment)

    @contextmanager
    def begin_transaction(self) -> Iterator[UnitOfWork]:
        """Commit what is done in the unit of work, with the mails about it, or nothing of it where the block fails."""
        with (
            self.store.begin_transaction() as session,
            open_delivering_work(self.config, session, self.now, self.cache) as work,
        ):
            yield work

    def run_action(self, action: Callable[..., T], *more: int) -> T:
        """Return what the action returns, in a transaction of its own; run it anew where another worker came in
        between.

        This is so where each waited for the other, or both created the same row: then it sees what the other did."""
        tries = TRIES if self.store.shared else 1
        self.cache.evict_matches()
        while True:
            tries -= 1
            try:
                with self.begin_transaction() as work:
                    return action(work, *more)
            except (ClashError, IntegrityError):
                if not tries:
                    raise

    def run_for_each(
        self, numbers: Iterable[int], action: Callable[[UnitOfWork, int], T], of: type = MatchRow
    ) -> Iterator[tuple[int, T]]:
        """Run an action on matches, players or tournaments (``of``: the table they are in).

        Yields (number, outcome); nothing of one that failed."""
        for number in numbers:
            try:
                yield number, self.run_action(action, number)
            except MatchSuspended as error:
                with self.begin_transaction() as work:
                    suspend_match(work, error.match_id, error.reason)
                self.summary.add_trouble(error.reason, error.logged_reason, mailed=True)
            except StoreError:
                raise
            except OperatorError as error:
                with self.store.begin_transaction() as session:
                    row: Any = session.get_one(of, number)
                about = f"{of.__name__.removesuffix('Row').lower()} {row.name if of is PlayerRow else row.code}"
                self.summary.add_trouble(str(error), about=about)

    @contextmanager
    def guard_step(self, what: str, leave: Callable[[UnitOfWork, Exception], None] | None = None) -> Iterator[None]:
        """Go on where our own code fails at the block: the operator is notified, and ``leave`` marks it as done, so
        that it holds up nobody else's mail."""
        try:
            yield
        except (StoreError, TransientError):
            raise
        except Exception as error:
            if leave is not None:
                with self.begin_transaction() as work:
                    leave(work, error)
            trace = traceback.format_exc().strip()
            self.summary.add_trouble(f"{what}: {trace}", f"{what}: {format_error_place(error)}")
