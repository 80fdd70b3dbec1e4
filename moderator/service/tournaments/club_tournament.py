"""The moderator's decisions about a tournament: when it begins and ends, what cannot go by itself.

They change rows and queue mails in the transaction at hand; what follows from them is done by tick (steps.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from moderator.common.enums import EntryState, MatchStatus, TournamentStatus
from moderator.common.errors import OperatorError
from moderator.common.text import ask_if_meant, count_noun
from moderator.rules.game import Note
from moderator.rules.time.calendar import resolve_local_hour
from moderator.service.create import get_match, get_player
from moderator.service.match import halt
from moderator.service.tournaments import results
from moderator.service.tournaments.pairings import parse_game_result
from moderator.service.tournaments.steps import TournamentSteps
from moderator.store import tournaments
from moderator.store.tables import PlayerRow, TournamentEntry
from moderator.tournaments.field import Game, TournamentState
from moderator.tournaments.standings import count_finished_games
from moderator.views import tournament_rows
from moderator.views.people import UnclearName, resolve_name_index
from moderator.views.tournament_rows import drop_foreign_settings, encode_tournament_settings, find_tournament_game

LONGEST = 366


def _resolve_entrant_number(t: TournamentState, name: str) -> int:
    there = [one for one in t.entrants if one.left is None]
    try:
        return there[resolve_name_index(name, [one.name for one in there])].number
    except UnclearName as error:
        close = ask_if_meant(error.names) or "`moderator cup show` lists the entrants."
        raise OperatorError(f"{name!r} does not play in this tournament.", close) from None


# ---- somebody is taken out ----
#
# Somebody leaves a tournament by the moderator's word: what it would mean, and doing it.


@dataclass(frozen=True)
class EntrantWithdrawal:
    name: str
    open: int
    """Games that are given up."""
    void: bool = False
    """Of a round robin: fewer than half of the games are finished, so that none of them counts."""


class ClubTournament(TournamentSteps):
    """A tournament and all that may be done to it."""

    def require_status(self, *states: TournamentStatus) -> None:
        """Require one of these states. Raises OperatorError for a tournament that is in none of ``states``."""
        if self.row.status not in states:
            hints = {
                TournamentStatus.PLANNED: f"`moderator cup open {self.row.code}` opens the registration.",
                TournamentStatus.OPEN: f"`moderator cup start {self.row.code}` ends the registration.",
            }
            hint = hints.get(self.row.status, f"See `moderator cup show {self.row.code}`.")
            raise OperatorError(f"Tournament {self.row.code} is {self.row.status}.", hint)

    def open_registration_now(self, until: datetime | None = None) -> None:
        """Open the registration with the next tick, or prolong it; entrants are notified of a new end. Raises
        OperatorError."""
        self.require_status(TournamentStatus.PLANNED, TournamentStatus.OPEN)
        if self.row.status == TournamentStatus.OPEN and until is None:
            raise OperatorError(f"The registration of {self.row.code} is open already.", "--until DATE prolongs it.")
        ends = until or self.row.closes_at
        if ends is not None and ends <= self.now:
            raise OperatorError("The registration would be over at once.", "Name a later --until.")
        if self.row.status == TournamentStatus.PLANNED:
            self.row.opens_at = self.now
        elif self.row.closes_at != ends:
            self.notify_all_entrants(Note("cup-prolonged", {"until": ends}))
        self.row.closes_at = ends
        self.clear_trouble()

    def start_tournament_now(self, anyway: bool = False) -> int:
        """End the registration with the next tick; returns how many take part. ``anyway``: even if they are fewer than
        ``least``, which is lowered then. Raises OperatorError for too few."""
        self.require_status(TournamentStatus.PLANNED, TournamentStatus.OPEN)
        settings = self.settings
        count = self.count_expected_entrants()
        if count < 2:
            raise OperatorError(
                f"{self.row.code} has {count_noun(count, 'entrant')}; nobody could play.",
                "`moderator cup join` enters some.",
            )
        if count < settings.least:
            if not anyway:
                few = f"{self.row.code} has {count_noun(count, 'entrant')}, fewer than least = {settings.least}."
                raise OperatorError(few, "--anyway begins all the same.")
            self.row.settings = encode_tournament_settings(replace(settings, least=count))
        self.row.status, self.row.closes_at = TournamentStatus.OPEN, self.now
        self.clear_trouble()
        return count

    def count_expected_entrants(self) -> int:
        """Count how many would take part if it began now: who is in, and who moves up from the standby list."""
        taken, waiting = self.count_taken_places(), len(self.list_standby_entries())
        most = self.settings.most
        return min(taken + waiting, max(most, taken)) if most else taken + waiting

    def preview_next_round(self) -> dict[int, tuple[TournamentState, Sequence[Game]]]:
        """Preview by division the tournament and the games that the next round would have; nothing changes. Before the
        start: if it began now. Raises OperatorError, also where there is no next round."""
        self.require_status(TournamentStatus.PLANNED, TournamentStatus.OPEN, TournamentStatus.RUNNING)
        if self.row.round and self.is_played_at_once:
            raise OperatorError(
                f"All games of {self.row.code} are paired.", f"See `moderator cup show {self.row.code}`."
            )
        found: dict[int, tuple[TournamentState, Sequence[Game]]] = {}
        with self.work.begin_trial():
            if self.row.status != TournamentStatus.RUNNING:
                self.move_up_standby()
                self.session.flush()
                self.assign_entrant_numbers()
            for division in self.list_own_divisions():
                t = self.build_tournament_state(division)
                if self.row.round and self.row.round >= t.rounds and self.format.in_rounds:
                    raise OperatorError(
                        f"Round {self.row.round} is the last one of {self.row.code}.", "Nothing comes after it."
                    )
                laid_out = self.format.laid_out and self.row.round
                games = t.games if laid_out else self.plan_round(t, division)
                shown = [game for game in games if self.is_played_at_once or game.round == self.row.round + 1]
                found[division] = t, shown
        return found

    def pair_round_by_hand(self, *, rematches: bool = False, byes: Sequence[str] = ()) -> int:
        """Pair the next round of a Swiss tournament by the moderator's word: with rematches, with byes for the named.
        Returns its number. Raises OperatorError."""
        self.require_status(TournamentStatus.RUNNING)
        if not self.format.pairs_by_table or self.row.trouble != "cup-no-pairing":
            raise OperatorError(
                f"Nothing of {self.row.code} waits for your word: tick pairs its rounds.",
                f"`moderator cup pair {self.row.code} --dry-run` shows the next one.",
            )
        t = self.build_tournament_state()
        self.pair_next_round(rematches=rematches, byes=[_resolve_entrant_number(t, name) for name in byes])
        self.stamp_step(f"pair:{self.row.round}")
        self.notify_pairings()
        self.clear_trouble()
        return self.row.round

    def retry_troubled_step(self) -> None:
        """Let tick try the step once more that the moderator was asked about. Raises OperatorError if there is none."""
        if not self.row.trouble:
            raise OperatorError(
                f"Nothing of {self.row.code} waits for your word.", f"See `moderator cup show {self.row.code}`."
            )
        self.clear_trouble()

    def end_after_round(self) -> None:
        """End a Swiss tournament with the round that was paired last. Raises OperatorError."""
        self.require_status(TournamentStatus.RUNNING)
        if not self.format.pairs_by_table or not self.row.round:
            why = "is no Swiss tournament" if not self.format.pairs_by_table else "has not played a round"
            raise OperatorError(
                f"{self.row.code} {why}.", f"`moderator cup cancel {self.row.code}` ends it without a winner."
            )
        self.row.settings = {**drop_foreign_settings(self.row.settings, self.row.format), "rounds": self.row.round}
        self.clear_trouble()

    def adjudicate_game(self, code: str, text: str, reopen: bool = False, why: str = "") -> tuple[list[str], bool]:
        """Give the game of match ``code`` the result ``text`` (see ``pairings.parse_game_result``), running or over; a
        running match ends by it. What hangs on a result that it had follows, and all are told ``why``. Returns the
        names in seat order, and whether ratings move although nobody has moved. Raises OperatorError, without
        ``reopen`` also where the result has led to something that stays: the next round of a knock-out, the rungs of a
        ladder, the end of the tournament."""
        self.require_status(TournamentStatus.RUNNING, TournamentStatus.FINISHED)
        match = get_match(self.session, code)
        row = find_tournament_game(self.session, match) if match.tournament_id == self.row.number else None
        if row is None:
            raise OperatorError(
                f"Match {match.code} is no game of {self.row.code}.",
                f"`moderator cup show {self.row.code}` lists its open games.",
            )
        names = [player.name for player in self.work.list_players(match)]
        result = parse_game_result(text, len(row.seats))
        unplayed = match.status != MatchStatus.OPEN and not halt.count_people_moves(self.work, match)
        self.rule_on_game(row, result, reopen)
        if results.find_replaced_result(row) is not None:
            stamp = self.build_correction_stamp(row)
            self.apply_correction(row, why)
            self.stamp_step(stamp)
        return names, unplayed and not result.forfeits

    def extend_open_games(self, longer: int | date) -> datetime:
        """Put off the latest end of all open games, by days or to a day; everybody is notified, and those who still
        play are warned anew. Returns the new end (the last one). Raises OperatorError."""
        self.require_status(TournamentStatus.RUNNING)
        zone = ZoneInfo(self.work.config.club.zone)
        limited = [
            (row, row.ends_at.astimezone(zone))
            for row in tournament_rows.filter_open_games(self.list_begun_pairings())
            if row.ends_at is not None
        ]
        if not limited:
            raise OperatorError(f"No game of {self.row.code} is open.", f"See `moderator cup show {self.row.code}`.")
        latest = max(end for _, end in limited)
        days = (longer - latest.date()).days if isinstance(longer, date) else longer
        if isinstance(longer, date) and days < 1:
            raise OperatorError(f"{longer} is not later than the latest end, {latest:%Y-%m-%d}.", "Name a later day.")
        if not 1 <= days <= LONGEST:
            raise OperatorError(f"{days} days cannot be.", f"Possible: 1 to {LONGEST}.")
        for row, end in limited:
            last = longer if isinstance(longer, date) else end.date() + timedelta(days=days)
            row.ends_at = resolve_local_hour(last, end.hour, zone, end.minute)
        until = max(row.ends_at for row, _ in limited if row.ends_at is not None)
        tournaments.forget_tournament_step(self.session, self.row, f"warn:{self.row.round}")
        self.session.flush()
        self.notify_all_entrants(Note("cup-extended", {"until": until}))
        self.row.next_at = self.now
        return until

    def require_cancellable(self) -> None:
        """Require a tournament that can be cancelled. Raises OperatorError for one that was played here to its end, or
        is cancelled."""
        if "import" not in self.load_stamps() or self.row.status != TournamentStatus.FINISHED:
            self.require_status(TournamentStatus.PLANNED, TournamentStatus.OPEN, TournamentStatus.RUNNING)

    def cancel_tournament(self) -> list[str]:
        """End it without a result: its running matches go on as ordinary ones, everybody is notified. Returns their
        codes. One that was imported leaves the archive, of which nobody was notified either. Raises OperatorError for
        one that is over."""
        self.require_cancellable()
        running = self.release_open_games()
        if self.row.status != TournamentStatus.FINISHED:
            self.notify_all_entrants(Note("cup-cancelled-games" if running else "cup-cancelled"))
        self.row.status, self.row.trouble = TournamentStatus.CANCELLED, ""
        self.row.finished_at, self.row.next_at = self.now, None
        return running

    def finish_endless_tournament(self, anyway: bool = False) -> list[str]:
        """End a tournament that never ends by itself as it stands, with its final report. ``anyway``: games that still
        run go on as ordinary ones; returns their codes. Raises OperatorError."""
        self.require_status(TournamentStatus.RUNNING)
        if not self.format.endless:
            swiss = f"`moderator cup pair {self.row.code} --end` ends it with this round."
            other = f"`moderator cup cancel {self.row.code}` breaks it off."
            hint = swiss if self.format.pairs_by_table else other
            raise OperatorError(f"{self.row.code} ends by itself with its last game.", hint)
        open_ = self.list_open_pairings()
        if open_ and not anyway:
            found = [tournament_rows.find_game_match(self.session, row) for row in open_]
            still = ", ".join(match.code for match in found if match is not None)
            raise OperatorError(
                f"Games of {self.row.code} still run: {still}.", "--anyway ends it; they go on as ordinary ones."
            )
        codes = self.release_open_games()
        self.finish_tournament()
        self.stamp_step("finish")
        return codes

    def preview_withdrawal(self, name: str) -> EntrantWithdrawal:
        """Preview what taking the player out would mean. Raises OperatorError for someone who is not in it."""
        return self._build_withdrawal(*self._get_active_entry(name))

    def _build_withdrawal(self, entry: TournamentEntry, player: PlayerRow) -> EntrantWithdrawal:
        if self.row.status != TournamentStatus.RUNNING or entry.state != EntryState.IN:
            return EntrantWithdrawal(player.name, 0)
        games = self.list_open_pairings(entry.division)
        count = sum(entry.number in game.seats for game in games)
        done, total = count_finished_games(self.build_tournament_state(entry.division), entry.number)
        return EntrantWithdrawal(player.name, count, self.format.round_robin and 2 * done < total)

    def take_out_entrant(self, name: str) -> EntrantWithdrawal:
        """Take the player out of the tournament; the player is notified. Raises OperatorError for someone who is not in
        it."""
        entry, player = self._get_active_entry(name)
        coming = self._build_withdrawal(entry, player)
        self.withdraw_player(entry, player)
        self.notify_about_tournament("news", [player], [Note("cup-taken-out")])
        return coming

    def _get_active_entry(self, name: str) -> tuple[TournamentEntry, PlayerRow]:
        player = get_player(self.session, name)
        entry = self.find_entry(player)
        if (
            entry is None
            or entry.state == EntryState.WITHDRAWN
            or self.row.status in (TournamentStatus.FINISHED, TournamentStatus.CANCELLED)
        ):
            raise OperatorError(
                f"{player.name} does not play in {self.row.code}.", f"See `moderator cup show {self.row.code}`."
            )
        return entry, player
