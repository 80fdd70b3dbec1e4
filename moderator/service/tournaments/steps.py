"""A tournament carried forward by tick, one small step per transaction.

A step looks at what is there, does one thing and stamps it done, all in its own transaction: a run that dies between
two steps is continued by the next one, and nothing is done twice. ``find_next_step`` decides by the rows alone::

    planned --open--> open --close--> running: pair:1, deal:N …, (warn:1), (judge:N …), pair:2, …, finish
    finished: ratings, (again: the next season of a league)

A step that needs the moderator sets ``Tournament.trouble`` and tells them; ``clear_trouble`` lets it go on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from moderator.common.enums import EntryState, TournamentRuling, TournamentStatus
from moderator.common.errors import OperatorError, StoreError
from moderator.rules.game import Note
from moderator.service.notifications import notify_chief
from moderator.service.notify import notify_match_events
from moderator.service.tournaments import results
from moderator.service.tournaments.challenges import TournamentChallenges
from moderator.service.tournaments.pairings import GameStep
from moderator.service.tournaments.registration import LONGEST_NAME, create_tournament
from moderator.store import key_values, tournaments
from moderator.store.tables import PlayerRow, Tournament, TournamentGame, TournamentStepRow
from moderator.tournaments.field import TournamentState
from moderator.tournaments.formats import get_format
from moderator.tournaments.formats.contract import Bracket, Rungs
from moderator.tournaments.standings import compute_standings, count_finished_games
from moderator.views import tournament_rows
from moderator.views.ratings import compute_club_ratings
from moderator.views.tournament_rows import drop_foreign_settings, get_game_options, is_played_again


def build_season_name(name: str) -> str:
    """Build ``Liga 3`` after ``Liga 2``; ``Liga 2`` after ``Liga``; a year goes on, too."""
    head, _, last = name.rpartition(" ")
    if not (head and last.isascii() and last.isdigit()):
        head, last = name, "1"
    number = str(int(last) + 1)
    return f"{head[: LONGEST_NAME - len(number) - 1]} {number}"


class TournamentSteps(TournamentChallenges):
    """A tournament and the steps that carry it forward."""

    # ---- The end of a tournament: final places, ratings, and the next season of a league.

    def mark_tournament_finished(self) -> None:
        """Give everybody a final place, and mark the tournament as finished; who did not count has none."""
        self.save_final_places()
        self.row.status, self.row.finished_at, self.row.next_at = TournamentStatus.FINISHED, self.now, self.now

    def save_final_places(self) -> None:
        """Save the final places."""
        for division in self.list_own_divisions():
            places = self.compute_final_places(self.build_tournament_state(division))
            for entry, _ in self.list_entered(division):
                entry.place = places.get(entry.number)

    def compute_final_places(self, t: TournamentState) -> dict[int, int]:
        """Compute the place in the end by number."""
        match get_format(t).build_standing(t, self.row.state, self.row.round, over=True):
            case Rungs(order):
                return {number: rung for rung, number in enumerate(order, 1)}
            case Bracket(_, places):
                return {number: place for place, number in places}
            case _:
                return compute_standings(t).get_places()

    def save_final_ratings(self) -> None:
        """Save the ratings after it, beside those from before: what ended since then does not count, but for a game of
        its own that was played again."""
        own = {row.match_id for row in self.list_all_pairings()}
        found = compute_club_ratings(self.session, self.row.game, self.row.finished_at, own)
        for entry in tournaments.list_tournament_entries(self.session, self.row):
            rating = found.get(entry.player_id)
            entry.rated = None if rating is None else float(rating.rounded)

    def open_next_season(self) -> None:
        """Open the next season: its registration is open at once, and whoever played to the end is in unless they
        leave. Not where the moderator has set one up already."""
        if tournaments.list_next_seasons(self.session, self.row):
            return
        settings = self.settings
        following = self.create_next_season(
            build_season_name(self.row.name), {}, closes_at=self.now + timedelta(days=settings.own.again_days)
        )
        following.status, following.next_at = TournamentStatus.OPEN, following.closes_at
        if settings.invite:
            TournamentSteps(self.work, following).notify_invitation()

    def create_next_season(
        self,
        name: str,
        changes: Mapping[str, Mapping[str, Any]],
        *,
        game: str | None = None,
        format_key: str | None = None,
        opens_at: datetime | None = None,
        closes_at: datetime | None = None,
    ) -> Tournament:
        """Create the season after this one, with whoever played to its end. ``changes``: options, terms and settings
        that are unlike it; ``game`` and ``format_key`` may be given, but not others. Raises OperatorError."""
        if not self.format.divisions or self.row.status != TournamentStatus.FINISHED:
            raise OperatorError(
                f"{self.row.code} is no league that is over.", "Only a league's season is followed by another."
            )
        if (game or self.row.game, format_key or self.row.format) != (self.row.game, self.row.format):
            raise OperatorError(f"{self.row.code} is a league of {self.row.game}.", "Leave out --game and --format.")
        if found := tournaments.list_next_seasons(self.session, self.row):
            raise OperatorError(
                f"{found[0].code} follows {self.row.code} already.", f"See `moderator cup show {found[0].code}`."
            )
        following = create_tournament(
            self.work,
            name,
            self.row.game,
            self.row.format,
            options={**get_game_options(self.row), **changes.get("options", {})},
            terms={**self.row.terms, **changes.get("terms", {})},
            settings={**drop_foreign_settings(self.row.settings, self.row.format), **changes.get("settings", {})},
            opens_at=opens_at,
            closes_at=closes_at,
            previous=self.row,
        )
        following.referee_id, following.deputy_id = self.row.referee_id, self.row.deputy_id
        for player in self.list_staying_players():
            TournamentSteps(self.work, following).enter_player(player)
        return following

    def list_staying_players(self) -> list[PlayerRow]:
        """List those who played to the end, the highest division first: nobody who has left, or lost most games by
        forfeit."""
        shares = {
            (division, one.number): count_finished_games(t, one.number)
            for division in self.list_own_divisions()
            for t in [self.build_tournament_state(division)]
            for one in t.entrants
        }
        return [
            player
            for entry, player in self.list_entered()
            if entry.state == EntryState.IN and entry.number
            for finished, every in [shares[entry.division, entry.number]]
            if 2 * finished >= every
        ]

    # ---- A result that a tournament had already is another one now: what hangs on it follows, and everybody is told.

    def find_correction_step(self) -> GameStep | None:
        """Find the first result that was corrected and that nothing has followed yet, or the judging of a game that is
        played again."""
        done = self.load_stamps()
        for row in self.list_all_pairings():
            if results.find_replaced_result(row) is not None:
                code = "cup-corrected" if row.ruling == TournamentRuling.MODERATOR else "cup-corrected-replay"
                return GameStep(self.build_correction_stamp(row), partial(self.apply_correction, row, code=code))
            if is_played_again(row) and (step := self.find_judging_step(row, done)):
                return step
        return None

    def compute_next_correction_time(self) -> datetime | None:
        """Compute when a game that is played again, while its first result still holds, comes to its latest end."""
        every = filter(is_played_again, self.list_all_pairings())
        return min((end for end in tournament_rows.list_latest_ends(every) if end > self.now), default=None)

    def build_correction_stamp(self, row: TournamentGame) -> str:
        """Build the stamp of the next correction of a game: ``correct:17:1``."""
        stem = f"correct:{row.number}:"
        return f"{stem}{1 + sum(step.startswith(stem) for step in self.load_stamps())}"

    def apply_correction(self, row: TournamentGame, why: str = "", code: str = "cup-corrected") -> None:
        """Let rungs, places and ratings follow the corrected result; pairings stay. Everybody who takes part reads
        it."""
        before, done = results.mark_followed(row), self.load_stamps()
        if f"rungs:{row.number}" in done:
            self.row.state = dict(self.format.correct_result(self.row.state, tournament_rows.as_game(row)))
        self.session.flush()
        if self.row.status == TournamentStatus.FINISHED:
            self.save_final_places()
            if "ratings" in done:
                self.save_final_ratings()
        match = tournament_rows.find_game_match(self.session, row)
        facts = {"cup": self.row.name, "match": match.code if match else ""}
        facts |= {"before": self.format_game_result(row, before), "now": self.format_game_result(row)}
        note = Note(f"{code}-why", facts | {"line": why.rstrip(".")}) if why else Note(code, facts)
        self.notify_corrected_result([note, *self._iter_unchanged_notes(row)])

    def _iter_unchanged_notes(self, row: TournamentGame) -> Iterator[Note]:
        """Yield notes on what was built on the result before."""
        if self.format.in_rounds and not self.is_played_at_once and row.round < self.row.round:
            yield Note("cup-corrected-pairings")
        following = tournaments.list_next_seasons(self.session, self.row)
        if following and following[0].round:
            yield Note("cup-corrected-season", {"cup": following[0].name})

    def advance_tournament(self) -> bool:
        """Do the next step of a tournament. False = there is none now; it is asked again at ``next_at``."""
        step = None if self.row.trouble else self.find_next_step()
        if step is None:
            until = None if self.row.trouble else self.compute_next_step_time()
            tournaments.defer_tournament(self.session, self.row, until)
            return False
        try:
            with self.work.begin_savepoint():
                step.run()
                notify_match_events(self.work)
        except StoreError:
            raise
        except OperatorError as error:  # a game that cannot be dealt, say: its dictionary is gone
            self.work.progress.clear()
            self.report_failed_step(error)
            return False
        if not self.row.trouble:
            self.stamp_step(step.name)
        return True

    def stamp_step(self, step: str) -> None:
        """Stamp this step as done, in the transaction that does it."""
        self.session.add(TournamentStepRow(tournament_id=self.row.number, step=step, at=self.now))

    def find_next_step(self) -> GameStep | None:
        """Find what is to be done now, if anything."""
        now = self.now
        if self.row.status == TournamentStatus.PLANNED and self.row.opens_at is not None and self.row.opens_at <= now:
            return GameStep("open", self.open_registration)
        if self.row.status == TournamentStatus.OPEN and self.row.closes_at is not None and self.row.closes_at <= now:
            return GameStep("close", self.close_registration)
        if self.row.status in (TournamentStatus.RUNNING, TournamentStatus.FINISHED) and (
            step := self.find_correction_step()
        ):
            return step
        if self.row.status == TournamentStatus.RUNNING:
            return self._find_round_step() if self.format.in_rounds else self.find_challenge_step()
        if self.row.status == TournamentStatus.FINISHED:
            return self._find_final_step()
        return None

    def _find_round_step(self) -> GameStep | None:
        if self.row.round == 0:
            return GameStep("pair:1", self.pair_and_notify)
        games = self.list_begun_pairings()
        step = self.find_deal_step(games)
        if step is not None:
            return step
        open_, done = tournament_rows.filter_open_games(games), self.load_stamps()
        if open_:
            return self._find_open_games_step(open_, done)
        if self.is_last_round():
            return GameStep("finish", self.finish_tournament)
        return GameStep(f"pair:{self.row.round + 1}", self.pair_and_notify)

    def _find_open_games_step(self, open_: list[TournamentGame], done: set[str]) -> GameStep | None:
        for row in open_:
            if step := self.find_judging_step(row, done):
                return step
        warned = self.compute_warning_time(open_)
        if (
            warned is not None
            and warned <= self.now < min(tournament_rows.list_latest_ends(open_))
            and f"warn:{self.row.round}" not in done
        ):
            return GameStep(f"warn:{self.row.round}", self.notify_open_games)
        return None

    def _find_final_step(self) -> GameStep | None:
        done = self.load_stamps()
        if "ratings" not in done:
            return GameStep("ratings", self.save_final_ratings)
        if self.format.divisions and self.settings.own.again_days and "again" not in done:
            return GameStep("again", self.open_next_season)
        return None

    def compute_next_step_time(self) -> datetime | None:
        """Compute when time alone will bring the next step."""
        if self.row.status == TournamentStatus.PLANNED:
            return self.row.opens_at
        if self.row.status == TournamentStatus.OPEN:
            return self.row.closes_at
        if self.row.status not in (TournamentStatus.RUNNING, TournamentStatus.FINISHED):
            return None
        found = [self.compute_next_correction_time()]
        if self.row.status == TournamentStatus.RUNNING:
            in_rounds = self.format.in_rounds
            found.append(self._compute_next_round_time() if in_rounds else self.compute_next_challenge_time())
        return min((moment for moment in found if moment is not None), default=None)

    def _compute_next_round_time(self) -> datetime | None:
        open_ = tournament_rows.filter_open_games(self.list_begun_pairings())
        moments = tournament_rows.list_latest_ends(open_)
        warned = self.compute_warning_time(open_)
        if warned is not None:
            moments.append(warned)
        return min((moment for moment in moments if moment > self.now), default=None)

    def compute_warning_time(self, open_: list[TournamentGame]) -> datetime | None:
        """Compute when those whose games are open are warned."""
        days = self.settings.warn_days
        ends = tournament_rows.list_latest_ends(open_)
        return min(ends) - timedelta(days=days) if days and ends else None

    # ---- the steps ----

    def open_registration(self) -> None:
        """Open the registration: players may join from now on."""
        self.row.status = TournamentStatus.OPEN
        if self.settings.invite:
            self.notify_invitation()

    def close_registration(self) -> None:
        """Close the registration: numbers and divisions; too few are put to the moderator."""
        self.fill_free_places()
        settings = self.settings
        here = self.count_taken_places()
        if here < settings.least:
            self.report_trouble(Note("cup-too-few", {"cup": self.row.code, "count": here, "least": settings.least}))
            return
        self.assign_entrant_numbers()
        self.row.status = TournamentStatus.RUNNING
        if self.format.pairs_by_table:  # who comes later does not make it longer
            self.row.settings = {**self.row.settings, "rounds": self.build_tournament_state().rounds}
        if not self.format.in_rounds:
            self.begin_challenges()

    def pair_and_notify(self) -> None:
        """Pair the next round with its mails; a round that cannot be paired is put to the moderator."""
        try:
            self.pair_next_round()
        except OperatorError as error:
            self.report_trouble(Note("cup-no-pairing", {"cup": self.row.code, "why": str(error), "fix": error.hint}))
            self.report_last_round()
            return
        self.notify_pairings()

    def report_last_round(self) -> None:
        """Send the results of the round that no other one follows yet, once."""
        if self.row.round and f"report:{self.row.round}" not in self.load_stamps():
            self.notify_round_results()
            self.stamp_step(f"report:{self.row.round}")

    def finish_tournament(self) -> None:
        """Finish the tournament after its last game: places, and the final report."""
        self.mark_tournament_finished()
        self.notify_tournament_end()

    def report_trouble(self, note: Note) -> None:
        """Mark that the step cannot be done, and waits for the moderator."""
        self.row.trouble = note.code
        notify_chief(self.work, note)

    def report_failed_step(self, error: Exception) -> None:
        """Report a step that cannot be done, by a fault of ours or of the club's: the tournament stays where it is
        until the moderator has looked."""
        self.row.next_at = None
        reason = str(error) if isinstance(error, OperatorError) else f"{type(error).__name__}: {error}"
        key_values.save_value(self.session, key_values.build_failure_key(self.row.code), reason[:500])
        self.report_trouble(Note("cup-failed", {"cup": self.row.code, "reason": reason}))

    def clear_trouble(self) -> None:
        """Let the step be tried again, because the moderator has done something about it."""
        self.row.trouble, self.row.next_at = "", self.now
