"""Tournaments without rounds: challenges, answers, the games between two who have agreed, and the rungs after them.

What a challenge may be and what follows from it is the format's to say."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from functools import partial
from zoneinfo import ZoneInfo

from moderator.rules.game import Note
from moderator.rules.time.calendar import resolve_local_hour
from moderator.service.tournaments.pairings import GameStep
from moderator.service.tournaments.registration import TournamentEntrants
from moderator.store.tables import PlayerRow, TournamentGame
from moderator.tournaments.field import Game, draw_lot
from moderator.tournaments.formats.contract import Asked
from moderator.views import tournament_rows


class TournamentChallenges(TournamentEntrants):
    """A tournament and the challenges in it, if it is one without rounds."""

    def begin_challenges(self) -> None:
        """Begin: everybody reads how it stands."""
        numbers = [entry.number for entry, _ in self.list_entered() if entry.number]
        self.row.round = 1
        self.save_format_state(self.format.begin(numbers, self.settings))
        self.session.flush()
        self.notify_about_tournament(
            "table", self.list_tournament_players(), [Note("cup-ladder-begins", {"cup": self.row.name})]
        )

    def find_waiting_challenge(self, challenged: int) -> Asked | None:
        """Find the challenge that waits for an answer of ``challenged``."""
        every = self.format.list_challenges(self.row.state)
        return next((one for one in every if one.challenged == challenged and not one.accepted), None)

    def challenge_entrant(self, challenger: int, challenged: int) -> Asked:
        """Ask for a game; the other one gets a mail. Raises Illegal, see ``Format.challenge``."""
        away = self.find_numbers_on_leave(self.work)
        now = self.format.challenge(self.row.state, challenger, challenged, self.work.today, away)
        self.save_format_state(now)
        made = next(one for one in self.format.list_challenges(now) if one.challenger == challenger)
        who = self.load_numbered_players(1)
        self._notify_challenge(who[challenged], "cup-challenged", who[challenger], made.until)
        return made

    def accept_ladder_game(self, challenged: int) -> TournamentGame:
        """Accept the challenge: the game is to be played; it is dealt by the next step. Raises
        Illegal("ladder-no-challenge")."""
        now = self.format.accept(self.row.state, challenged, self.work.today)
        self.save_format_state(now)
        taken = next(one for one in self.format.list_challenges(now) if one.challenged == challenged and one.accepted)
        who = self.load_numbered_players(1)
        self._notify_challenge(who[taken.challenger], "cup-accepted", who[challenged])
        number = 1 + len(self.list_all_pairings())
        seats = (taken.challenger, taken.challenged)
        if draw_lot(int(self.row.seed), "starts", number) % 2:
            seats = seats[::-1]
        ends_at = self.compute_latest_end(self.work.config, self.now)
        return self.create_tournament_games(1, [Game(number, 1, seats)], ends_at)[0]

    def refuse_ladder_game(self, challenged: int) -> None:
        """Refuse the challenge, at the price that the format has for it. Raises Illegal("ladder-no-challenge")."""
        gone = self.find_waiting_challenge(challenged)
        self.save_format_state(self.format.refuse(self.row.state, challenged, self.work.today))
        assert gone is not None, "or refuse would have raised"
        who = self.load_numbered_players(1)
        self._notify_challenge(who[gone.challenger], "cup-refused", who[gone.challenged])
        if gone.costs:
            self._notify_challenge(who[gone.challenged], "cup-refused-cost", who[gone.challenger])

    def _notify_challenge(self, to: PlayerRow, code: str, other: PlayerRow, until: date | None = None) -> None:
        facts = {"cup": self.row.name, "code": self.row.code, "name": other.name} | ({"until": until} if until else {})
        self.notify_about_tournament("table", [to], [Note(code, facts)])

    # ---- in tick ----

    def find_challenge_step(self) -> GameStep | None:
        """Find what is to be done now, as ``find_next_step`` of steps.py has it."""
        games = self.list_all_pairings()
        done = self.load_stamps()
        dealt = self.find_deal_step(games)
        if dealt is not None:
            return dealt
        for row in games:
            if row.result is not None and f"rungs:{row.number}" not in done:
                return GameStep(f"rungs:{row.number}", partial(self.settle_challenge_game, row))
            if row.result is None and (step := self.find_judging_step(row, done)):
                return step
        late = next((one for one in self.format.list_challenges(self.row.state) if one.is_late(self.work.today)), None)
        if late is not None:  # what nobody has answered in time counts as refused
            name = f"unanswered:{late.challenger}:{late.challenged}:{late.made}"
            return GameStep(name, partial(self.refuse_ladder_game, late.challenged))
        return None

    def settle_challenge_game(self, row: TournamentGame) -> None:
        """Write down how the tournament stands after a game that is over; both read it."""
        now = self.format.apply_result(self.row.state, tournament_rows.as_game(row), self.work.today)
        if now is None:  # one of them has left
            return
        self.save_format_state(now)
        who = self.load_numbered_players(1)
        self.notify_about_tournament(
            "table", [who[number] for number in row.seats], [Note("cup-rungs", {"cup": self.row.name})]
        )

    def compute_next_challenge_time(self) -> datetime | None:
        """Compute when time alone will bring the next step: a challenge lapses, or a game comes to its latest end."""
        zone = ZoneInfo(self.work.config.club.zone)
        moments = [row.ends_at for row in self.list_open_pairings() if row.ends_at is not None]
        asked = self.format.list_challenges(self.row.state)
        moments += [resolve_local_hour(one.until + timedelta(days=1), 0, zone) for one in asked if not one.accepted]
        return min((moment for moment in moments if moment > self.now), default=None)
