"""The games of a tournament: a round is paired, with its matches ready to be dealt; a game is dealt, and if it is not
played to its end adjudicated at the latest end of its round, ruled by the moderator, or given up by who withdraws."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from functools import partial

from moderator import games
from moderator.common.enums import GameKind, MatchStatus, SeatLeftReason, TournamentRuling, TournamentStatus
from moderator.common.errors import OperatorError
from moderator.language.messages import load_labels, render_label
from moderator.rules.ending import compute_stopped_scores
from moderator.rules.game import Note
from moderator.service.create import create_match
from moderator.service.match import halt
from moderator.service.match.match import Match
from moderator.service.match.start import start_match
from moderator.service.notifications import notify_chief
from moderator.service.tournaments.results import TournamentMails
from moderator.store import matches, tournaments
from moderator.store.tables import MatchRow, PlayerRow, TournamentGame
from moderator.tournaments.field import (
    Game,
    Result,
    TournamentState,
    compute_place_points,
    compute_shared_places,
    decide_by_absence,
)
from moderator.tournaments.formats import get_format
from moderator.views import tournament_rows
from moderator.views.loaded_match import MatchSuspended
from moderator.views.tournament_rows import get_game_options, is_played_again


@dataclass(frozen=True)
class GameStep:
    """A step to do next; ``name`` is its stamp."""

    name: str
    run: Callable[[], None]


_TWO = re.compile(r"^(1|0|=|½|1/2|0[.,]5|\+|-)\s*[-–:]\s*(1|0|=|½|1/2|0[.,]5|\+|-)$")
_POINTS = {"1": Fraction(1), "0": Fraction(0), "+": Fraction(1), "-": Fraction(0)}


def parse_game_result(text: str, seats: int) -> Result:
    """Parse ``1-0``, ``½-½``, ``0-1``, ``+--`` of two seats; else scores in seat order: ``310:250`` or ``80 70 70``.
    Raises OperatorError."""
    text = text.strip()
    two = _TWO.match(text)
    if two and seats == 2:
        points = tuple(_POINTS.get(one, Fraction(1, 2)) for one in two.groups())
        lost = frozenset(seat for seat, one in enumerate(two.groups()) if one == "-")
        order = compute_shared_places([int(2 * one) for one in points])
        return Result((0, 0), points, order, lost)
    scores = [int(one) for one in re.split(r"[\s:;,]+", text) if re.fullmatch(r"-?\d{1,6}", one)]
    if len(scores) != seats or len(re.split(r"[\s:;,]+", text)) != seats:
        example = "1-0, ½-½, 0-1 or 310:250" if seats == 2 else ":".join("100" for _ in range(seats))
        raise OperatorError(f"{text!r} is no result for {seats} seats.", f"Write {example}, in seat order.")
    return Result(tuple(scores), compute_place_points(scores), compute_shared_places(scores))


class TournamentGames(TournamentMails):
    """A tournament and its games."""

    # ---- who plays whom ----

    def plan_round(
        self, t: TournamentState, division: int = 1, *, rematches: bool = False, byes: Collection[int] = ()
    ) -> Sequence[Game]:
        """Plan the games of the next round, in formats where all start at once of the whole tournament.

        ``rematches``, ``byes``: the moderator's word for a Swiss round. Raises ``swiss.NoPairing`` with what can be
        done, OperatorError for a round that cannot be paired yet."""
        following, settings = self.row.round + 1, self.settings
        return get_format(t).pair(t, following, settings, division=division, rematches=rematches, byes=byes)

    def pair_next_round(self, *, rematches: bool = False, byes: Collection[int] = ()) -> None:
        """Pair the next round, write it down with its latest end, and get its matches ready. As ``plan_round``."""
        ends_at = self.compute_latest_end(self.work.config, self.now)
        if self.format.laid_out and self.row.round:  # all was laid out with the first round
            self.row.round += 1
            for row in tournament_rows.filter_open_games(self.list_round_pairings()):
                row.ends_at = ends_at
            return
        plans = {
            division: self.plan_round(self.build_tournament_state(division), division, rematches=rematches, byes=byes)
            for division in self.list_own_divisions()
        }
        for division, planned in plans.items():
            self.create_tournament_games(division, planned, ends_at)
        self.row.round += 1

    def create_tournament_games(
        self, division: int, planned: Sequence[Game], ends_at: datetime
    ) -> list[TournamentGame]:
        """Write games down, each with an open match if it has to be played."""
        who = self.load_numbered_players(division)
        made = self.save_pairings(division, planned, ends_at)
        for row in made:
            if row.kind == GameKind.GAME:
                row.match_id = self._create_game_match(row, who).id
        self.session.flush()
        return made

    def save_pairings(self, division: int, paired: Iterable[Game], ends_at: datetime | None) -> list[TournamentGame]:
        """Save pairings, byes and walkovers with their results."""
        rows = [
            TournamentGame(
                tournament_id=self.row.number,
                division=division,
                round=game.round,
                board=game.table,
                kind=game.kind,
                seats=list(game.seats),
                result=None if game.result is None else game.result.to_json(),
                ends_at=None if game.kind == GameKind.BYE else ends_at,
            )
            for game in paired
        ]
        self.session.add_all(rows)
        self.session.flush()
        return rows

    def _create_game_match(self, row: TournamentGame, who: Mapping[int, PlayerRow]) -> MatchRow:
        return create_match(
            self.work,
            self.row.game,
            self._name_game_match(row),
            [who[number] for number in row.seats],
            get_game_options(self.row),
            early=self.settings.early,
            terms=self.row.terms,
            tried=True,
            tournament=self.row.id,
        )

    def _name_game_match(self, row: TournamentGame) -> str:
        """Return ``Herbstcup 1.2``; in the language of the club ``Liga · Saison 2 · 2. Liga 3.1``, ``Pokal · Halbfinale
        2.1``."""
        language, name, season = self.work.config.club.language, self.row.name, self.count_seasons()
        parts, at = [name.removesuffix(f" {season}") if season else name], f"{row.round}.{row.board}"
        if self.format.divisions:
            parts += [render_label("cup-season", language, season=season)] if season else []
            several = len(self.list_own_divisions()) > 1
            parts += [render_label("cup-section-division", language, division=row.division)] if several else []
        elif self.format.in_rounds and not self.format.table:
            left = self.build_tournament_state(row.division).rounds - row.round
            stage = f"cup-stage-{'third' if not left and row.board > 2 else 2**left}"
            if stage in load_labels(language):
                leg = (row.board + 1) % 2 + 1 if self.settings.get_own_setting("legs", 2) == 2 else 0
                parts.append(render_label(stage, language))
                at = ".".join(str(one) for one in ((row.board + 1) // 2 if left else 0, leg) if one)
        return f"{' · '.join(parts)} {at}".rstrip()

    # ---- a single game ----

    def find_deal_step(self, games: list[TournamentGame]) -> GameStep | None:
        """Find the next pairing whose match is not dealt yet."""
        waiting = [row for row in tournament_rows.filter_open_games(games) if row.match_id is not None]
        undealt = tournaments.load_undealt_match_ids(self.session, self.row) if waiting else set()
        for row in waiting:
            if row.match_id in undealt:
                match = self.session.get_one(MatchRow, row.match_id)
                return GameStep(f"deal:{row.number}", partial(start_match, self.work, match))
        return None

    def find_judging_step(self, row: TournamentGame, done: Container[str]) -> GameStep | None:
        """Find the judging of an open game whose latest end has come; once for each latest end that it had."""
        if row.ends_at is None or row.ends_at > self.now:
            return None
        name = f"judge:{row.number}:{row.ends_at:%Y-%m-%dT%H:%M}"
        return None if name in done else GameStep(name, partial(self.judge_game, row))

    def judge_game(self, row: TournamentGame) -> None:
        """Judge a game whose latest end has come."""
        if not self.end_by_score(row):
            match = tournament_rows.find_game_match(self.session, row)
            notify_chief(self.work, Note("cup-judge", {"cup": self.row.code, "match": match.code if match else "?"}))

    def end_by_score(self, row: TournamentGame) -> bool:
        """End the game of ``row`` as it stands; its score, less what is on the racks, counts. False = only the
        moderator can say what it is worth."""
        match = tournament_rows.find_game_match(self.session, row)
        if match is None or match.status != MatchStatus.RUNNING or self.settings.adjudicate != "score":
            return False
        try:
            playing = Match.load(self.work, match)
        except MatchSuspended:
            return False
        if compute_stopped_scores(playing.live.game, playing.live.table) is None:
            return False
        if (
            playing.live.table.is_simultaneous
            and any(playing.live.has_submitted(seat) for seat in playing.live.seats_to_act)
            and not match.held
        ):
            playing.evaluate_round()  # what was sent in time counts
            if playing.live.table.state.over:
                playing.advance_match()
                return True
        row.ruling = TournamentRuling.SCORE
        playing.stop_match()
        return True

    def rule_on_game(self, row: TournamentGame, result: Result, reopen: bool = False) -> None:
        """Enter the moderator's word on a game, running or finished. Raises OperatorError where something that stays
        was built on the result that it has, but for ``reopen``."""
        if not (reopen or is_played_again(row) or self.can_change_result(row)):
            why = f"is {self.row.status}" if self.row.status != TournamentStatus.RUNNING else "has gone on"
            raise OperatorError(
                f"{self.row.code} {why} with the result of this game.",
                "--reopen corrects it all the same: table, places, rungs and ratings follow, pairings stay, "
                "all are told.",
            )
        kind = GameKind.FORFEIT if result.forfeits else GameKind.GAME
        self.record_game_result(row, result, kind, TournamentRuling.MODERATOR)
        match = tournament_rows.find_game_match(self.session, row)
        if match is not None and match.status == MatchStatus.RUNNING:
            playing = Match.load(self.work, match)
            playing.stop_match()
        elif match is not None and match.status in (MatchStatus.OPEN, MatchStatus.SUSPENDED):
            self.remove_undealt_match(row, match)
        self.row.next_at = self.now

    def _give_up_game(self, row: TournamentGame, number: int) -> None:
        match = tournament_rows.find_game_match(self.session, row)
        if match is not None and match.status == MatchStatus.RUNNING:
            playing = Match.load(self.work, match)
            seat = row.seats.index(number)
            if seat not in playing.live.table.out:
                playing.retire_seat(seat, SeatLeftReason.RESIGNED)
            return
        if (
            match is not None
            and match.status == MatchStatus.OPEN
            and len(row.seats) > max(2, games.load_game(match.game).min_seats)
        ):
            self._remove_undealt_seat(row, match, number)
            return
        game = decide_by_absence(tournament_rows.as_game(row), [number])
        assert game.result is not None
        row.result, row.kind = game.result.to_json(), GameKind.FORFEIT
        if match is not None:
            self.remove_undealt_match(row, match)

    def _remove_undealt_seat(self, row: TournamentGame, match: MatchRow, number: int) -> None:
        """Remove one seat of a table that was not dealt yet."""
        gone = row.seats.index(number)
        row.seats = [other for other in row.seats if other != number]
        matches.delete_seats(self.session, match.number, gone)
        for seat, _ in self.work.list_seated(match):
            if seat.number > gone:
                seat.number -= 1
        self.session.flush()
        self.work.forget_seats(match)

    def remove_undealt_match(self, row: TournamentGame, match: MatchRow) -> None:
        """Delete a match that nobody has seen yet; one that is suspended stays for the operator to look at."""
        if match.status != MatchStatus.OPEN:
            return
        row.match_id = None
        self.session.flush()
        matches.delete_seats(self.session, match.number)
        self.session.delete(match)

    def release_open_games(self) -> list[str]:
        """Take the open games out of the tournament: running matches become ordinary ones (their codes are returned),
        those that nobody has seen yet are deleted."""
        codes = []
        for row in self.list_open_pairings():
            match = tournament_rows.find_game_match(self.session, row)
            if match is not None and match.status == MatchStatus.OPEN:
                self.remove_undealt_match(row, match)
            elif match is not None:
                codes.append(match.code)
                halt.release_from_tournament(match)
            row.match_id = None
        self.session.flush()
        return codes
