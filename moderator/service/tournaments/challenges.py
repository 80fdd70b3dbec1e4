"""Tournaments without rounds: challenges, answers, the games between two who have agreed, and the rungs after them.

What a challenge may be and what follows from it is the format's to say."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from fractions import Fraction
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from moderator.common.enums import EntryState
from moderator.rules.game import Note
from moderator.rules.time.calendar import resolve_local_hour
from moderator.service.tournaments.pairings import GameStep
from moderator.service.tournaments.registration import TournamentEntrants
from moderator.store.tables import PlayerRow, TournamentGame
from moderator.tournaments.field import HALF, Game, draw_lot
from moderator.tournaments.formats.contract import Asked, Rungs, State
from moderator.views import tournament_rows


def _choose_rung_code(is_challenger: bool, points: Fraction, facts: Mapping[str, int]) -> str:
    """Return what a game has brought one of its two on the ladder: ``same`` where other games have put them in this
    order meanwhile."""
    if facts["own"] != facts["before"]:
        return "cup-rungs-won" if is_challenger else "cup-rungs-lost"
    if is_challenger:
        return "cup-rungs-same" if points > HALF else "cup-rungs-kept"
    return "cup-rungs-same" if points < HALF else "cup-rungs-defended"


class TournamentChallenges(TournamentEntrants):
    """A tournament and the challenges in it, if it is one without rounds."""

    def begin_challenges(self) -> None:
        """Begin: everybody reads how it stands."""
        numbers = [entry.number for entry, _ in self.list_entered() if entry.number]
        self.row.round = 1
        self.save_format_state(self.format.begin(numbers, self.settings))
        self.session.flush()
        for entry, player in self.list_entered():
            if entry.number and entry.state == EntryState.IN:
                own = self._find_rung(self.row.state, entry.number)
                self.notify_about_tournament("table", [player], [Note("cup-ladder-begins", {"own": own})])

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
        refused = self.format.refuse(now, challenged, self.work.today)
        facts = {
            "own": self._find_rung(now, challenged),
            "theirs": self._find_rung(now, challenger),
            "down": self._find_rung(refused, challenged),
            "until": self._compute_last_moment(made),
        }
        code = "cup-challenged" if made.costs else "cup-challenged-free"
        self._notify_challenge(who[challenged], code, who[challenger], facts)
        return made

    def _compute_last_moment(self, made: Asked) -> datetime:
        """Compute the last minute in which the challenge can be answered."""
        zone = ZoneInfo(self.work.config.club.zone)
        return resolve_local_hour(made.until + timedelta(days=1), 0, zone) - timedelta(minutes=1)

    def _find_rung(self, state: State, number: int) -> int:
        """Find the rung of an entrant where the format keeps ``state``."""
        stands = self.format.build_standing(self.build_tournament_state(), state, self.row.round)
        return stands.find_rung(number) if isinstance(stands, Rungs) else 0

    def accept_ladder_game(self, challenged: int) -> TournamentGame:
        """Accept the challenge: the game is to be played; it is dealt by the next step. Raises
        Illegal("ladder-no-challenge")."""
        now = self.format.accept(self.row.state, challenged, self.work.today)
        self.save_format_state(now)
        taken = next(one for one in self.format.list_challenges(now) if one.challenged == challenged and one.accepted)
        who = self.load_numbered_players(1)
        self._notify_challenge(who[taken.challenger], "cup-accepted", who[challenged], {})
        number = 1 + len(self.list_all_pairings())
        seats = (taken.challenger, taken.challenged)
        if draw_lot(int(self.row.seed), "starts", number) % 2:
            seats = seats[::-1]
        ends_at = self.compute_latest_end(self.work.config, self.now)
        return self.create_tournament_games(1, [Game(number, 1, seats)], ends_at)[0]

    def refuse_ladder_game(self, challenged: int, late: bool = False) -> None:
        """Refuse the challenge, at the price that the format has for it; ``late``: nobody has answered it. Raises
        Illegal("ladder-no-challenge")."""
        gone, before = self.find_waiting_challenge(challenged), self.row.state
        self.save_format_state(self.format.refuse(self.row.state, challenged, self.work.today))
        assert gone is not None, "or refuse would have raised"
        who, ending = self.load_numbered_players(1), "-late" if late else ""
        challenger = self._build_rung_facts(before, gone.challenger)
        up = "-up" if challenger["own"] < challenger["before"] else ""
        self._notify_challenge(who[gone.challenger], f"cup-refused{ending}{up}", who[gone.challenged], challenger)
        if gone.costs:
            facts = self._build_rung_facts(before, challenged) | {"until": self._compute_last_moment(gone)}
            self._notify_challenge(who[challenged], f"cup-refused-cost{ending}", who[gone.challenger], facts)

    def _build_rung_facts(self, before: State, number: int) -> dict[str, Any]:
        """Return the rung of an entrant before and now."""
        return {"before": self._find_rung(before, number), "own": self._find_rung(self.row.state, number)}

    def _notify_challenge(self, to: PlayerRow, code: str, other: PlayerRow, facts: Mapping[str, Any]) -> None:
        self.notify_about_tournament("table", [to], [Note(code, {"name": other.name, **facts})])

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
            return GameStep(name, partial(self.refuse_ladder_game, late.challenged, late=True))
        return None

    def settle_challenge_game(self, row: TournamentGame) -> None:
        """Write down how the tournament stands after a game that is over; both read it."""
        now = self.format.apply_result(self.row.state, tournament_rows.as_game(row), self.work.today)
        if now is None:  # one of them has left
            return
        before, asked = self.row.state, self.format.list_challenges(self.row.state)
        self.save_format_state(now)
        who, game = self.load_numbered_players(1), tournament_rows.as_game(row)
        pairs = ((one.challenger, {one.challenger, one.challenged}) for one in asked if one.accepted)
        challengers = {challenger for challenger, pair in pairs if pair == {*row.seats}}
        for seat, number in enumerate(row.seats):
            facts = self._build_rung_facts(before, number)
            code = _choose_rung_code(number in challengers, game.get_points(number), facts)
            notes = [Note(code, {"name": who[row.seats[1 - seat]].name, **facts})]
            if game.result is not None and any(game.result.scores):
                own, theirs = game.result.scores[seat], game.result.scores[1 - seat]
                notes.append(Note("cup-rungs-sums", {"own": own, "theirs": theirs}))
            self.notify_about_tournament("table", [who[number]], notes)

    def compute_next_challenge_time(self) -> datetime | None:
        """Compute when time alone will bring the next step: a challenge lapses, or a game comes to its latest end."""
        zone = ZoneInfo(self.work.config.club.zone)
        moments = [row.ends_at for row in self.list_open_pairings() if row.ends_at is not None]
        asked = self.format.list_challenges(self.row.state)
        moments += [resolve_local_hour(one.until + timedelta(days=1), 0, zone) for one in asked if not one.accepted]
        return min((moment for moment in moments if moment > self.now), default=None)
