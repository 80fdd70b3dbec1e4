"""A ladder at the desk: challenges, answers, the games between two who have agreed, and the rungs after them."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from functools import partial
from zoneinfo import ZoneInfo

from moderator.club.desk import Desk
from moderator.club.tournaments import rows
from moderator.club.tournaments.rows import ladder_of, latest_end, on_leave, save_ladder, settings_of
from moderator.match.contract import Note
from moderator.match.time.calendar import local
from moderator.outbox import tournament_mails
from moderator.play.tournaments import pairing
from moderator.play.tournaments.step import Step, deal_next, judge_now
from moderator.store import tournaments
from moderator.store.models import Player, Tournament, TournamentGame
from moderator.tournaments.field import HALF, Game, Result, lot
from moderator.tournaments.formats import ladder
from moderator.tournaments.formats.ladder import Challenge, Ladder


def begin(desk: Desk, tournament: Tournament) -> None:
    """The first rungs are the numbers of the entrants."""
    own = settings_of(tournament).own
    terms = ladder.Terms(own.reach, own.answer_days, own.lock_days, own.refusal)
    numbers = [entry.number for entry, _ in tournaments.entries(desk.session, tournament) if entry.number]
    tournament.round = 1
    save_ladder(desk, tournament, Ladder(tuple(numbers), terms=terms))
    desk.session.flush()
    tournament_mails.send(
        desk,
        tournament,
        "table",
        tournament_mails.players(desk, tournament),
        [Note("cup-ladder-begins", {"cup": tournament.name})],
    )


def challenge(desk: Desk, tournament: Tournament, challenger: int, challenged: int) -> None:
    """Ask for a game; the other one gets a mail. Raises Illegal, see ladder.challenge."""
    now = ladder.challenge(ladder_of(tournament), challenger, challenged, desk.today, on_leave(desk, tournament))
    save_ladder(desk, tournament, now)
    last = next(one for one in now.challenges if one.challenger == challenger).due(now.terms)
    who = rows.numbered(desk.session, tournament, 1)
    _tell(desk, tournament, who[challenged], "cup-challenged", who[challenger], last)


def accept(desk: Desk, tournament: Tournament, challenged: int) -> TournamentGame:
    """The game is to be played; it is dealt by the next step. Raises Illegal("ladder-no-challenge")."""
    now = ladder.accept(ladder_of(tournament), challenged, desk.today)
    save_ladder(desk, tournament, now)
    taken = next(one for one in now.challenges if one.challenged == challenged and one.accepted is not None)
    who = rows.numbered(desk.session, tournament, 1)
    _tell(desk, tournament, who[taken.challenger], "cup-accepted", who[challenged])
    number = 1 + len(tournaments.pairings(desk.session, tournament))
    seats = (taken.challenger, taken.challenged)
    if lot(int(tournament.seed), "starts", number) % 2:
        seats = seats[::-1]
    ends_at = latest_end(desk.config, tournament, desk.now)
    return pairing.lay_out(desk, tournament, 1, [Game(number, 1, seats)], ends_at)[0]


def refuse(desk: Desk, tournament: Tournament, challenged: int) -> None:
    """No game, at the price that the ladder has for it. Raises Illegal("ladder-no-challenge")."""
    before = ladder_of(tournament)
    now = ladder.refuse(before, challenged, desk.today)
    save_ladder(desk, tournament, now)
    gone = next(one for one in before.challenges if one.challenged == challenged and one.accepted is None)
    _told_of_refusal(desk, tournament, gone)


def _told_of_refusal(desk: Desk, tournament: Tournament, gone: Challenge) -> None:
    who = rows.numbered(desk.session, tournament, 1)
    _tell(desk, tournament, who[gone.challenger], "cup-refused", who[gone.challenged])
    if ladder_of(tournament).terms.refusal != "none":
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
    late = ladder.unanswered(ladder_of(tournament), desk.today)
    if late:
        name = f"unanswered:{late[0].challenger}:{late[0].challenged}:{late[0].made}"
        return Step(name, partial(unanswered, late=late[0]))
    return None


def settle(desk: Desk, tournament: Tournament, row: TournamentGame) -> None:
    """A game is over: the rungs after it; both read how it stands."""
    now = ladder_of(tournament)
    running = next((c for c in now.challenges if {c.challenger, c.challenged} == set(row.seats) and c.accepted), None)
    if running is None or row.result is None:  # one of them has left the ladder
        return
    points = Result.from_json(row.result).points[row.seats.index(running.challenger)]
    outcome: ladder.Outcome = "won" if points > HALF else "drawn" if points == HALF else "lost"
    save_ladder(desk, tournament, ladder.decide(now, running.challenger, outcome, desk.today))
    who = rows.numbered(desk.session, tournament, 1)
    tournament_mails.send(
        desk, tournament, "table", [who[number] for number in row.seats], [Note("cup-rungs", {"cup": tournament.name})]
    )


def unanswered(desk: Desk, tournament: Tournament, late: Challenge) -> None:
    """Nobody has answered in time: that counts as refused."""
    save_ladder(desk, tournament, ladder.refuse(ladder_of(tournament), late.challenged, desk.today))
    _told_of_refusal(desk, tournament, late)


def next_moment(desk: Desk, tournament: Tournament) -> datetime | None:
    """When time alone will bring the next step: a challenge lapses, or a game comes to its latest end."""
    zone = ZoneInfo(desk.config.club.zone)
    now = ladder_of(tournament)
    moments = [
        row.ends_at
        for row in rows.open_games(tournaments.pairings(desk.session, tournament))
        if row.ends_at is not None
    ]
    moments += [local(c.due(now.terms) + timedelta(days=1), 0, zone) for c in now.challenges if c.accepted is None]
    return min((moment for moment in moments if moment > desk.now), default=None)
