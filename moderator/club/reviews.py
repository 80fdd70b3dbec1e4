"""The reviews of the club's finished matches: worked out turn by turn, and kept. Seats are kept by number:
whoever reads one is told today's names."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import datetime
from time import process_time
from typing import TYPE_CHECKING

from moderator.club.live_match import walk
from moderator.club.run_cache import RunCache
from moderator.errors import OperatorError
from moderator.states import MatchStatus
from moderator.store import reviews
from moderator.store.db import Session
from moderator.store.models import Match

if TYPE_CHECKING:
    from moderator.review.review import Review, Reviewed
    from moderator.review.turns import Work


def is_over(match: Match) -> bool:
    """Whether nothing of it is secret any more."""
    return match.status == MatchStatus.FINISHED


def whole(session: Session, match: Match) -> Review | None:
    """The review of the match as it is now; None if it is not whole yet."""
    from moderator.review.review import read

    row = reviews.of(session, match)
    if row is None or row.due_at is not None or row.content is None:
        return None
    return read(row.content | {"turns": reviews.turns(session, match.number)})


@dataclass
class Draft:
    """A review that is being made: what it is made of, and its turns so far."""

    match_id: int
    entries: int
    """Length of the log that it is made of."""
    work: Work
    turns: list[Reviewed]
    kept: int
    """How many of the turns are in the database."""

    @property
    def whole(self) -> bool:
        return len(self.turns) == len(self.work.turns)

    def go_on(self, seconds: float | None) -> float:
        """Review turns until so many seconds of CPU are spent (None: all of them), a turn at least; returns what was
        spent."""
        from moderator.review.review import turn

        began = process_time()
        while not self.whole:
            self.turns.append(turn(self.work, len(self.turns)))
            if seconds is not None and process_time() - began >= seconds:
                break
        return process_time() - began


def work_of(session: Session, cache: RunCache, match: Match) -> Work:
    """All that reviews and puzzles of a finished match are made of. Raises OperatorError for a club without its
    dictionary, Suspended for a log that does not fit."""
    from moderator.review.turns import work

    found = walk(session, match, cache.config.deadlines)
    live, seed = found.live, bytes.fromhex(match.seed)
    context = replace(cache.context(live), out=())
    return work(live.game, live.options, context, found.entries, found.past, found.results, seed)


def draft(session: Session, cache: RunCache, match: Match, now: datetime, anew: bool = False) -> Draft:
    """What is made so far; ``anew``: nothing of it counts. What was compared with another dictionary than today's is
    made anew, too. Raises OperatorError for a match that is not over and for a club without its dictionary, Suspended
    for a log that does not fit."""
    from moderator.review.review import read_turn

    if not is_over(match):
        raise OperatorError(f"Match {match.code} is not over.", "A review is made of finished matches.")
    session.flush()
    made_of = work_of(session, cache, match)
    row = reviews.of(session, match)
    if row is None or anew or row.due_at is None or row.edition != made_of.edition:
        row = reviews.queue(session, match, now)
        row.edition = made_of.edition
        session.add(row)
    turns = [read_turn(content) for content in reviews.turns(session, match.number)]
    return Draft(match.number, match.entries, made_of, turns, len(turns))


def keep(session: Session, match: Match, made: Draft) -> Review | None:
    """Write down what the draft has besides what is kept; returns the review if it is whole now. A match that has
    changed meanwhile keeps nothing of it."""
    from moderator.review.review import review

    row = reviews.of(session, match)
    elsewhere = row is not None and (row.due_at is None or reviews.kept(session, match.number) != made.kept)
    if row is None or row.entries != made.entries or elsewhere:  # somebody else is at it, or was faster
        return None
    reviews.add_turns(session, match.number, made.kept, [asdict(one) for one in made.turns[made.kept :]])
    made.kept = len(made.turns)
    found = review(made.work, made.turns) if made.whole else None
    if found is not None:
        row.trouble = ""
        row.content = {key: value for key, value in found.to_json().items() if key != "turns"}
        row.due_at = None
    session.add(row)
    session.flush()
    return found


def within(session: Session, cache: RunCache, match: Match, now: datetime) -> Review | None:
    """The review of a match that has just ended, or that is asked for: as far as this run's seconds go. None if it is
    not whole then. Raises like ``draft``."""
    found = whole(session, match)
    if found is not None or cache.review_seconds <= 0 or cache.catching_up:
        return found
    made = draft(session, cache, match, now)
    cache.review_spent += made.go_on(cache.review_seconds)
    return keep(session, match, made)


def at_once(session: Session, cache: RunCache, match: Match, now: datetime, anew: bool = False) -> tuple[Review, bool]:
    """The whole review, and whether it was made just now. Raises like ``draft``."""
    found = None if anew else whole(session, match)
    if found is not None:
        return found, False
    made = draft(session, cache, match, now, anew)
    made.go_on(None)
    new = keep(session, match, made)
    assert new is not None  # of this very match, in one transaction
    return new, True
