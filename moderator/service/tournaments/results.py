"""The results of a tournament's matches, and what hangs on them: winners who went on, pairings, rungs, reports, places.

A result is written down in the transaction in which the match ends. The end of such a match is not taken back by the
way (``Match.undo_to_entry`` refuses), and where it is done all the same every mail of the match that is played again
says what it is worth in the tournament. What hangs on a result that was corrected follows by
``service/tournaments/steps.py``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, Self

from moderator.common.enums import EntryState, GameKind, LogEntryKind, TournamentRuling, TournamentStatus
from moderator.notifications.content import Topic
from moderator.rules.ending import MatchOutcome
from moderator.rules.game import Note
from moderator.service.notifications import notify_reader
from moderator.store import matches_log
from moderator.store.players import list_players_to_invite
from moderator.store.tables import MatchRow, PlayerRow, Tournament, TournamentGame
from moderator.tournaments.field import Result
from moderator.views import tournament_rows
from moderator.views.loaded_match import load_log_entries, to_tournament_result
from moderator.views.tournament_rows import (
    AGAIN,
    FIRST,
    REPLACED,
    StoredTournament,
    find_game_match,
    find_tournament_game,
    is_played_again,
)
from moderator.views.unit_of_work import Recipient, TournamentNews, UnitOfWork

# ---- a result that takes the place of another one ----
# What was first, and what the next step has to tell, stand beside it in the row.


HAD: Final = "had"
"""Key in the log's entry that takes the end of a match back, see ``find_dependent_result``."""


def find_replaced_result(row: TournamentGame) -> dict[str, Any] | None:
    """Find what was replaced and is not followed yet."""
    return None if row.result is None else row.result.get(REPLACED)


def mark_followed(row: TournamentGame) -> Result:
    """Mark that the tournament has followed; returns the result before."""
    assert row.result is not None
    before = Result.from_json(row.result[REPLACED]["result"])
    row.result = {key: value for key, value in row.result.items() if key != REPLACED}
    return before


def _copy_result_values(row: TournamentGame) -> dict[str, Any]:
    assert row.result is not None
    plain = {key: value for key, value in row.result.items() if key not in (FIRST, AGAIN, REPLACED)}
    return {"result": plain, "kind": row.kind.value, "ruling": row.ruling.value}


def _with_held_result(row: TournamentGame) -> dict[str, Any]:
    """Return the result that holds, or is stored in the log, until the game is over again."""
    assert row.result is not None
    return row.result | {AGAIN: row.result.get(AGAIN) or _copy_result_values(row)}


def _is_same_result(result: Result, first: Result) -> bool:
    """Return whether the two are one result: ``1-0`` is the same as 310:250, if that was first, as it names no
    scores."""
    bare = not any(result.scores) and (result.points, result.forfeits) == (first.points, first.forfeits)
    return result == first or bare


class TournamentResults(StoredTournament):
    """A tournament in a unit of work, and the results of its matches."""

    def __init__(self, work: UnitOfWork, row: Tournament) -> None:
        super().__init__(work.session, row)
        self.work, self.now = work, work.now

    @classmethod
    def load(cls, work: UnitOfWork, number: int) -> Self:
        """Load the tournament with this id."""
        return cls(work, work.session.get_one(Tournament, number))

    def record_ended_match(self, match: MatchRow) -> None:
        """Record that ``match`` is over. Somebody who gave up without a single move of their own did not play: that is
        a forfeit."""
        row = find_tournament_game(self.session, match)
        if row is None or match.result is None or row.ruling == TournamentRuling.MODERATOR:
            return
        if not self.can_change_result(row) and not is_played_again(row):
            return
        outcome = MatchOutcome.from_json(match.result)
        kind = GameKind.FORFEIT if any(not outcome.moves[seat] for seat in outcome.out) else GameKind.GAME
        self.record_game_result(row, to_tournament_result(outcome), kind, row.ruling)
        self._wake_tournament()

    def reopen_match_result(self, match: MatchRow) -> None:
        """Take back the result of ``match``, whose end was taken back; where the tournament has gone on for good, the
        result holds until there is a new one. Rounds that were paired since then stay as they are; the match has the
        days of a round, if its latest end is over."""
        row = find_tournament_game(self.session, match)
        if row is None or row.result is None:
            return
        row.result = None if self.can_change_result(row) else _with_held_result(row)
        row.kind, row.ruling = GameKind.GAME if row.result is None else row.kind, TournamentRuling.PLAYED
        if row.ends_at is not None and row.ends_at <= self.now:
            row.ends_at = self.compute_latest_end(self.work.config, self.now)
        self._wake_tournament()

    def _wake_tournament(self) -> None:
        """Let the next tick look at the tournament."""
        if self.row.status in (TournamentStatus.RUNNING, TournamentStatus.FINISHED):
            self.row.next_at = self.now

    def can_change_result(self, row: TournamentGame) -> bool:
        """Return whether a result can be written down or taken back as if nothing had been: not when the tournament is
        over, nor when a knock-out has gone on with the winner, or rungs were given."""
        if self.row.status != TournamentStatus.RUNNING or self.format.is_settled(row.round, self.row.round):
            return False
        return f"rungs:{row.number}" not in self.load_stamps()

    def record_game_result(self, row: TournamentGame, result: Result, kind: GameKind, ruling: TournamentRuling) -> None:
        """Record the result of a game from now on. Another one that it had before is stored beside it, and is to be
        followed; the very first one, given again, is as if there had been no other."""
        old = row.result or self._find_taken_back_result(row)
        had = old.get(AGAIN) or (_copy_result_values(row) if old else None)
        row.result, row.kind, row.ruling = result.to_json(), kind, ruling
        if had is not None:
            first = old.get(FIRST) or had
            if _is_same_result(result, Result.from_json(first["result"])):
                row.result, row.kind = first["result"], GameKind(first["kind"])
                row.ruling = TournamentRuling(first["ruling"])
            else:
                row.result = row.result | {FIRST: first}
            if _copy_result_values(row) != had or REPLACED in old:
                row.result = row.result | {REPLACED: old.get(REPLACED) or had}

    def find_dependent_result(self, match: MatchRow) -> dict[str, Any]:
        """Find the result that something was built on, for the log, when the end of ``match`` is taken back; {} =
        none."""
        row = find_tournament_game(self.session, match)
        built = row is not None and row.result is not None and self.find_consequences(row)
        return {HAD: _with_held_result(row)} if row is not None and built else {}

    def _find_taken_back_result(self, row: TournamentGame) -> dict[str, Any]:
        """Find the result that the log stores, of a game that has none while it is played again."""
        match = find_game_match(self.session, row)
        if match is None or not matches_log.has_event_of_kind(self.session, match.number, (LogEntryKind.UNDO,)):
            return {}
        undone = [entry.outcome for entry in load_log_entries(self.session, match) if entry.kind == LogEntryKind.UNDO]
        found = [outcome[HAD] for outcome in undone if HAD in outcome]
        return dict(found[-1]) if found else {}


# ---- the mails of a tournament: invitations, pairings, warnings, reports, and who gets which


def _list_seats(rows: Iterable[TournamentGame]) -> set[tuple[int, int]]:
    """Return division and number of everybody who has a seat there."""
    return {(row.division, number) for row in rows for number in row.seats}


class TournamentMails(TournamentResults):
    """A tournament and the mails about it."""

    def notify_invitation(self) -> None:
        """Send the invitation, because the registration is open, to everybody who could play and wants to know."""
        self.notify_about_tournament("invite", list_players_to_invite(self.session))

    def notify_pairings(self) -> None:
        """Tell whoever takes part of the round that begins: how the round before went, and whom they meet. Where the
        rounds follow each other, the mail about the first match of the round says all of it, so that others are sent
        nothing; one who was out before has no news either."""
        self.notify_about_tournament("pairings", self._list_unmatched_players())

    def _list_unmatched_players(self) -> list[PlayerRow]:
        if self.is_played_at_once or not self.format.in_rounds:
            return self.list_tournament_players()
        now, before = self.list_round_pairings(), [r for r in self.list_all_pairings() if r.round == self.row.round - 1]
        playing = _list_seats(row for row in now if row.match_id is not None)
        news = _list_seats(now) | _list_seats(before)
        return [
            player
            for entry, player in self.list_entered()
            if entry.state == EntryState.IN and (entry.division, entry.number) in news - playing
        ]

    def notify_open_games(self) -> None:
        """Warn the players whose games of the round are open, shortly before its latest end."""
        still = _list_seats(tournament_rows.filter_open_games(self.list_round_pairings()))
        late = [p for entry, p in self.list_entered() if (entry.division, entry.number) in still]
        self.notify_about_tournament("warning", late)

    def notify_round_results(self) -> None:
        """Send the results of a round that no other one can follow yet, and the table."""
        self.notify_about_tournament("report", self.list_tournament_players())

    def notify_tournament_end(self) -> None:
        """Send the final report, also to those who left on the way."""
        self.notify_about_tournament("final", [player for entry, player in self.list_entered() if entry.number])

    def notify_corrected_result(self, notes: Sequence[Note]) -> None:
        """Send the corrected result and the table after it, also to those who left on the way."""
        entered = self.list_entered()
        self.notify_about_tournament("table", [player for entry, player in entered if entry.number], notes)

    def list_tournament_players(self) -> list[PlayerRow]:
        """Return the players who take part now."""
        return [player for entry, player in self.list_entered() if entry.state == EntryState.IN]

    def notify_about_tournament(self, topic: Topic, to: Iterable[PlayerRow], notes: Sequence[Note] = ()) -> None:
        """Send one mail to each of them; robots read nothing, and dead addresses get nothing."""
        for player in to:
            notify_reader(self.work, Recipient(player), TournamentNews(self.row, topic, tuple(notes)))

    def answer_tournament_question(self, player: PlayerRow, topic: Topic = "table", notes: Sequence[Note] = ()) -> None:
        """Send the tournament to one player, as the answer to the mail at hand."""
        notify_reader(self.work, Recipient(player), TournamentNews(self.row, topic, tuple(notes)), answers=True)

    def notify_all_entrants(self, note: Note) -> None:
        """Notify everybody who takes part or waits to."""
        to = [player for entry, player in self.list_entered() if entry.state != EntryState.WITHDRAWN]
        self.notify_about_tournament("news", to, [note])
