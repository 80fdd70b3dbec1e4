"""The start of a match: its rules, dictionary and seed are pinned, it is dealt, or taken up as it stood elsewhere."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from moderator.common.enums import ClockStop, MatchStatus
from moderator.common.errors import OperatorError, StoreError
from moderator.common.text import count_noun
from moderator.rules import replay, table
from moderator.rules.game import Note
from moderator.rules.replay import LogEntry
from moderator.rules.shuffling import SEED_BYTES
from moderator.rules.time import clock
from moderator.service.match.match import Match
from moderator.service.notifications import notify_staff
from moderator.service.notify import notify_match_events
from moderator.store.tables import MatchRow
from moderator.views.loaded_match import LiveMatch, build_match_context, build_match_terms, load_match_rules
from moderator.views.unit_of_work import UnitOfWork


def start_match(work: UnitOfWork, match: MatchRow, salts: Sequence[str] = (), seed: bytes | None = None) -> None:
    """Pin rules and dictionary (if the game has one), draw the seed (if none of 32 bytes is given), deal, notify
    all."""
    MatchStart(work, match).deal_match(salts, seed)
    notify_match_events(work)


@dataclass(frozen=True)
class MatchStart:
    work: UnitOfWork
    match: MatchRow

    def deal_match(self, salts: Sequence[str] = (), seed: bytes | None = None) -> None:
        """Deal as ``start_match``, but without the mails, which the caller makes."""
        self.prepare_match(salts, seed)
        self._open_match(()).advance_match()

    def begin_full_match(self) -> bool:
        """Deal the match, because its last seat is taken. The mails are made with all others of this transaction. False
        = it cannot be dealt, the dictionary is missing, say: nothing of it is stored, whoever is in charge is notified,
        and `match start` tries again."""
        work, match = self.work, self.match
        try:
            with work.begin_savepoint():
                self.deal_match()
        except StoreError:
            raise
        except OperatorError as error:
            work.discard_match_events(match)
            match.trouble = str(error)[:500]
            work.session.add(match)
            notify_staff(work, match, Note("match-not-begun", {"match": match.code, "reason": match.trouble}))
            return False
        return True

    def prepare_match(self, salts: Sequence[str] = (), seed: bytes | None = None) -> None:
        """Pin the rules, dictionary, seed and salts with which an open match begins. Raises OperatorError."""
        work, match = self.work, self.match
        if match.status != MatchStatus.OPEN:
            raise OperatorError(f"Match {match.code} is {match.status}.", "Only an open match can be started.")
        game, options = load_match_rules(match)
        seats = len(work.list_seated(match))
        if not game.min_seats <= seats <= game.max_seats:
            raise OperatorError(
                f"Match {match.code} has {count_noun(seats, 'player')} of {game.min_seats} to {game.max_seats}.",
                "Wait until somebody joins.",
            )
        if game.uses_words:
            words = work.cache.get_dictionary(options)
            match.lexicon, match.fingerprint = words.edition, words.fingerprint
        match.seed = (seed or secrets.token_bytes(SEED_BYTES)).hex()
        match.salts = list(salts)
        match.rules, match.trouble = game.version, ""
        work.session.add(match)

    def open_imported_match(self, position: LogEntry) -> Match:
        """Open the match from a position that was reached elsewhere, which becomes the first entry. Nothing moves
        before ``match.stopped`` says so."""
        opened = self._open_match((position,))
        self.match.stopped, self.match.stopped_at = ClockStop.CONFIRM, self.work.now
        opened.apply_entry(position)
        return opened

    def _open_match(self, log: Sequence[LogEntry]) -> Match:
        work, match = self.work, self.match
        game, options = load_match_rules(match)
        context = build_match_context(match)
        seats, terms = len(work.list_seated(match)), build_match_terms(match, work.config.deadlines)
        opened, step = table.open_match_state(game, seats, options, context, replay.find_import_entry(log))
        live = LiveMatch(
            match.number, match.code, game, options, context, opened, terms, clock.open_accounts(seats, terms)
        )
        live.first = opened.state.public.round
        live.words = work.cache.build_words_opener(live)
        match.terms = asdict(terms)
        work.cache.matches[match.number] = live
        match.status, match.started_at = MatchStatus.RUNNING, work.now
        progress = work.events_of(match)
        progress.started = progress.moved = True
        progress.record_start_round(0)
        progress.notes.extend((*step.notes, *step.after))
        return Match(work, match, live)
