"""Tournaments without rounds: challenges, answers, the games between two who have agreed, and the rungs after them.

What a challenge may be and what follows from it is the format's to say."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from functools import partial
from zoneinfo import ZoneInfo

from moderator.club.desk import Desk
from moderator.club.tournaments import rows
from moderator.club.tournaments.rows import latest_end, on_leave, save_state, settings_of
from moderator.match.contract import Note
from moderator.match.time.calendar import local
from moderator.outbox import tournament_mails
from moderator.play.tournaments import pairing
from moderator.play.tournaments.judging import Step, deal_next, judge_now
from moderator.store import tournaments
from moderator.store.models import Player, Tournament, TournamentGame
from moderator.tournaments.field import Game, lot
from moderator.tournaments.formats import of
from moderator.tournaments.formats.contract import Asked


def begin(desk: Desk, tournament: Tournament) -> None:
    """It is open: everybody reads how it stands."""
    numbers = [entry.number for entry, _ in tournaments.entries(desk.session, tournament) if entry.number]
    tournament.round = 1
    save_state(desk, tournament, of(tournament).begin(numbers, settings_of(tournament)))
    desk.session.flush()
    tournament_mails.send(
        desk,
        tournament,
        "table",
        tournament_mails.players(desk, tournament),
        [Note("cup-ladder-begins", {"cup": tournament.name})],
    )


def waiting(tournament: Tournament, challenged: int) -> Asked | None:
    """The challenge that waits for an answer of ``challenged``."""
    every = of(tournament).asked(tournament.state)
    return next((one for one in every if one.challenged == challenged and not one.accepted), None)


def challenge(desk: Desk, tournament: Tournament, challenger: int, challenged: int) -> Asked:
    """Ask for a game; the other one gets a mail. Raises Illegal, see ``Format.challenge``."""
    away = on_leave(desk, tournament)
    now = of(tournament).challenge(tournament.state, challenger, challenged, desk.today, away)
    save_state(desk, tournament, now)
    made = next(one for one in of(tournament).asked(now) if one.challenger == challenger)
    who = rows.numbered(desk.session, tournament, 1)
    _tell(desk, tournament, who[challenged], "cup-challenged", who[challenger], made.until)
    return made


def accept(desk: Desk, tournament: Tournament, challenged: int) -> TournamentGame:
    """The game is to be played; it is dealt by the next step. Raises Illegal("ladder-no-challenge")."""
    now = of(tournament).accept(tournament.state, challenged, desk.today)
    save_state(desk, tournament, now)
    taken = next(one for one in of(tournament).asked(now) if one.challenged == challenged and one.accepted)
    who = rows.numbered(desk.session, tournament, 1)
    _tell(desk, tournament, who[taken.challenger], "cup-accepted", who[challenged])
    number = 1 + len(tournaments.pairings(desk.session, tournament))
    seats = (taken.challenger, taken.challenged)
    if lot(int(tournament.seed), "starts", number) % 2:
        seats = seats[::-1]
    ends_at = latest_end(desk.config, tournament, desk.now)
    return pairing.lay_out(desk, tournament, 1, [Game(number, 1, seats)], ends_at)[0]


def refuse(desk: Desk, tournament: Tournament, challenged: int) -> None:
    """No game, at the price that the format has for it. Raises Illegal("ladder-no-challenge")."""
    gone = waiting(tournament, challenged)
    save_state(desk, tournament, of(tournament).refuse(tournament.state, challenged, desk.today))
    assert gone is not None, "or refuse would have raised"
    who = rows.numbered(desk.session, tournament, 1)
    _tell(desk, tournament, who[gone.challenger], "cup-refused", who[gone.challenged])
    if gone.costs:
        _tell(desk, tournament, who[gone.challenged], "cup-refused-cost", who[gone.challenger])


def _tell(desk: Desk, tournament: Tournament, to: Player, code: str, other: Player, until: date | None = None) -> None:
    facts = {"cup": tournament.name, "code": tournament.code, "name": other.name} | ({"until": until} if until else {})
    tournament_mails.send(desk, tournament, "table", [to], [Note(code, facts)])


# ---- in tick ----


def next_step(desk: Desk, tournament: Tournament) -> Step | None:
    """What is to be done now, as steps.next_step has it."""
    games = tournaments.pairings(desk.session, tournament)
    done = tournaments.steps_done(desk.session, tournament)
    dealt = deal_next(desk, tournament, games)
    if dealt is not None:
        return dealt
    for row in games:
        if row.result is not None and f"rungs:{row.number}" not in done:
            return Step(f"rungs:{row.number}", partial(settle, row=row))
        if row.result is None and (step := judge_now(desk, row, done)):
            return step
    late = next((one for one in of(tournament).asked(tournament.state) if one.late(desk.today)), None)
    if late is not None:
        name = f"unanswered:{late.challenger}:{late.challenged}:{late.made}"
        return Step(name, partial(unanswered, late=late))
    return None


def settle(desk: Desk, tournament: Tournament, row: TournamentGame) -> None:
    """A game is over: how it stands after it; both read it."""
    now = of(tournament).after(tournament.state, rows.as_game(row), desk.today)
    if now is None:  # one of them has left
        return
    save_state(desk, tournament, now)
    who = rows.numbered(desk.session, tournament, 1)
    tournament_mails.send(
        desk, tournament, "table", [who[number] for number in row.seats], [Note("cup-rungs", {"cup": tournament.name})]
    )


def unanswered(desk: Desk, tournament: Tournament, late: Asked) -> None:
    """Nobody has answered in time: that counts as refused."""
    refuse(desk, tournament, late.challenged)


def next_moment(desk: Desk, tournament: Tournament) -> datetime | None:
    """When time alone will bring the next step: a challenge lapses, or a game comes to its latest end."""
    zone = ZoneInfo(desk.config.club.zone)
    moments = [
        row.ends_at
        for row in rows.open_games(tournaments.pairings(desk.session, tournament))
        if row.ends_at is not None
    ]
    asked = of(tournament).asked(tournament.state)
    moments += [local(one.until + timedelta(days=1), 0, zone) for one in asked if not one.accepted]
    return min((moment for moment in moments if moment > desk.now), default=None)
