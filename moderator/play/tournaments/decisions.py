"""The moderator's decisions about a tournament: when it begins and ends, what cannot go by itself.

They change rows and queue mails in the transaction at hand; what follows from them is done by tick (steps.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from sqlmodel import delete

from moderator.club.desk import Desk
from moderator.club.tournaments import results, rows
from moderator.club.tournaments.phases import at_once, begun
from moderator.club.tournaments.settings import plain, settings_of
from moderator.errors import OperatorError
from moderator.match.contract import Note
from moderator.match.time.calendar import local
from moderator.outbox import tournament_mails
from moderator.play.create import find_match, find_player
from moderator.play.tournaments import judging, pairing, registration, steps
from moderator.states import CupStatus, EntryState, MatchStatus
from moderator.store.models import Cup, CupEntry, CupStep, Player
from moderator.tournaments.field import Game, Tournament
from moderator.tournaments.formats import of
from moderator.tournaments.standings import finished_share

LONGEST = 366


def must_be(cup: Cup, *states: CupStatus) -> None:
    """Raises OperatorError for a tournament that is in none of ``states``."""
    if cup.status not in states:
        hints = {
            CupStatus.PLANNED: f"`moderator cup open {cup.code}` opens the registration.",
            CupStatus.OPEN: f"`moderator cup start {cup.code}` ends the registration.",
        }
        hint = hints.get(cup.status, f"See `moderator cup show {cup.code}`.")
        raise OperatorError(f"Tournament {cup.code} is {cup.status}.", hint)


def open_now(desk: Desk, cup: Cup, until: datetime | None = None) -> None:
    """Open the registration with the next tick, or prolong it; entrants are told of a new end. Raises OperatorError."""
    must_be(cup, CupStatus.PLANNED, CupStatus.OPEN)
    if cup.status == CupStatus.OPEN and until is None:
        raise OperatorError(f"The registration of {cup.code} is open already.", "--until DATE prolongs it.")
    ends = until or cup.closes_at
    if ends is not None and ends <= desk.now:
        raise OperatorError("The registration would be over at once.", "Name a later --until.")
    if cup.status == CupStatus.PLANNED:
        cup.opens_at = desk.now
    elif cup.closes_at != ends:
        _news(desk, cup, Note("cup-prolonged", {"cup": cup.name, "until": ends}))
    cup.closes_at = ends
    steps.settle(desk, cup)


def start_now(desk: Desk, cup: Cup, anyway: bool = False) -> int:
    """End the registration with the next tick; returns how many take part. ``anyway``: even if they are fewer than
    ``least``, which is lowered then. Raises OperatorError for too few."""
    must_be(cup, CupStatus.PLANNED, CupStatus.OPEN)
    settings = settings_of(cup)
    count = expected(desk, cup)
    if count < 2:
        raise OperatorError(f"{cup.code} has {count} entrants; nobody could play.", "`moderator cup join` enters some.")
    if count < settings.least:
        if not anyway:
            few = f"{cup.code} has {count} entrants, fewer than least = {settings.least}."
            raise OperatorError(few, "--anyway begins all the same.")
        cup.settings = plain(replace(settings, least=count))
    cup.status, cup.closes_at = CupStatus.OPEN, desk.now
    steps.settle(desk, cup)
    return count


def expected(desk: Desk, cup: Cup) -> int:
    """How many would take part if it began now: who is in, and who moves up from the standby list."""
    taken, waiting = rows.taken(desk.session, cup), len(rows.standby(desk.session, cup))
    most = settings_of(cup).most
    return min(taken + waiting, max(most, taken)) if most else taken + waiting


def preview(desk: Desk, cup: Cup) -> dict[int, tuple[Tournament, Sequence[Game]]]:
    """By division the tournament and the games that the next round would have; nothing changes. Before the start: if it
    began now. Raises OperatorError, also where there is no next round."""
    must_be(cup, CupStatus.PLANNED, CupStatus.OPEN, CupStatus.RUNNING)
    if cup.round and at_once(cup):
        raise OperatorError(f"All games of {cup.code} are paired.", f"See `moderator cup show {cup.code}`.")
    settings = settings_of(cup)
    found: dict[int, tuple[Tournament, Sequence[Game]]] = {}
    with desk.trial() as apart:
        if cup.status != CupStatus.RUNNING:
            registration.move_up(apart, cup)
            apart.session.flush()
            registration.number(apart, cup)
        for division in rows.divisions(desk.session, cup):
            t = rows.tournament(desk.session, cup, division)
            if cup.round and cup.round >= t.rounds and not of(cup).challenges:
                raise OperatorError(f"Round {cup.round} is the last one of {cup.code}.", "Nothing comes after it.")
            laid_out = of(cup).laid_out and cup.round
            games = t.games if laid_out else pairing.plan(cup, settings, t, cup.round + 1, division)
            found[division] = (t, [game for game in games if at_once(cup) or game.round == cup.round + 1])
    return found


def pair_round(desk: Desk, cup: Cup, *, rematches: bool = False, byes: Sequence[str] = ()) -> int:
    """Pair the next round of a Swiss tournament by the moderator's word: with rematches, with byes for the named.
    Returns its number. Raises OperatorError."""
    must_be(cup, CupStatus.RUNNING)
    if not of(cup).pairs_by_table or cup.trouble != "cup-no-pairing":
        raise OperatorError(
            f"Nothing of {cup.code} waits for your word: tick pairs its rounds.",
            f"`moderator cup pair {cup.code} --dry-run` shows the next one.",
        )
    t = rows.tournament(desk.session, cup)
    pairing.pair(desk, cup, rematches=rematches, byes=[_number(t, name) for name in byes])
    rows.stamp(desk.session, cup, f"pair:{cup.round}", desk.now)
    tournament_mails.pairings(desk, cup)
    steps.settle(desk, cup)
    return cup.round


def _number(t: Tournament, name: str) -> int:
    for one in t.entrants:
        if one.name.casefold() == name.casefold() and one.left is None:
            return one.number
    raise OperatorError(f"{name!r} does not play in this tournament.", "`moderator cup show` lists the entrants.")


def try_again(desk: Desk, cup: Cup) -> None:
    """Let tick try the step once more that the moderator was asked about. Raises OperatorError if there is none."""
    if not cup.trouble:
        raise OperatorError(f"Nothing of {cup.code} waits for your word.", f"See `moderator cup show {cup.code}`.")
    steps.settle(desk, cup)


def end_here(desk: Desk, cup: Cup) -> None:
    """A Swiss tournament ends with the round that was paired last. Raises OperatorError."""
    must_be(cup, CupStatus.RUNNING)
    if not of(cup).pairs_by_table or not cup.round:
        why = "is no Swiss tournament" if not of(cup).pairs_by_table else "has not played a round"
        raise OperatorError(f"{cup.code} {why}.", f"`moderator cup cancel {cup.code}` ends it without a winner.")
    cup.settings = plain(replace(settings_of(cup), rounds=cup.round))
    steps.settle(desk, cup)


def adjudicate(desk: Desk, cup: Cup, code: str, text: str) -> list[str]:
    """Give the game of match ``code`` the result ``text`` (see judging.read_result), running or over; a running match
    ends by it. Returns the names in seat order. Raises OperatorError, also where the result has led to something that
    stays: the next round of a knock-out, the rungs of a ladder."""
    must_be(cup, CupStatus.RUNNING)
    match = find_match(desk.session, code)
    row = results.game_of(desk, match) if match.cup_id == cup.number else None
    if row is None:
        raise OperatorError(
            f"Match {match.code} is no game of {cup.code}.", f"`moderator cup show {cup.code}` lists its open games."
        )
    if f"rungs:{row.number}" in rows.done(desk.session, cup):
        raise OperatorError("The rungs have changed after this game already.", "Its result stays as it is.")
    names = [player.name for player in desk.players(match)]
    judging.by_moderator(desk, cup, row, judging.read_result(text, len(row.seats)))
    return names


def extend(desk: Desk, cup: Cup, days: int) -> datetime:
    """Put off the latest end of all open games; everybody is told, and those who still play are warned anew.
    Returns the new end (the last one). Raises OperatorError."""
    must_be(cup, CupStatus.RUNNING)
    if not 1 <= days <= LONGEST:
        raise OperatorError(f"{days} days cannot be.", f"Possible: 1 to {LONGEST}.")
    every = rows.games(desk.session, cup) if of(cup).challenges else begun(desk.session, cup)
    zone = ZoneInfo(desk.config.club.zone)
    ends = []
    for row in rows.open_games(every):
        if row.ends_at is not None:
            there = row.ends_at.astimezone(zone)
            row.ends_at = local(there.date() + timedelta(days=days), there.hour, zone, there.minute)
            ends.append(row.ends_at)
            desk.session.add(row)
    if not ends:
        raise OperatorError(f"No game of {cup.code} is open.", f"See `moderator cup show {cup.code}`.")
    warned = delete(CupStep).where(CupStep.cup_id == cup.number, CupStep.step == f"warn:{cup.round}")  # type: ignore[arg-type]
    desk.session.exec(warned)
    desk.session.flush()
    _news(desk, cup, Note("cup-extended", {"cup": cup.name, "until": max(ends)}))
    cup.next_at = desk.now
    desk.session.add(cup)
    return max(ends)


def cancel(desk: Desk, cup: Cup) -> list[str]:
    """End it without a result: its running matches go on as ordinary ones, everybody is told. Returns their codes.
    Raises OperatorError for one that is over."""
    must_be(cup, CupStatus.PLANNED, CupStatus.OPEN, CupStatus.RUNNING)
    running = release(desk, cup)
    _news(desk, cup, Note("cup-cancelled-games" if running else "cup-cancelled", {"cup": cup.name}))
    cup.status, cup.trouble, cup.finished_at, cup.next_at = CupStatus.CANCELLED, "", desk.now, None
    desk.session.add(cup)
    return running


def finish_ladder(desk: Desk, cup: Cup, anyway: bool = False) -> list[str]:
    """A ladder ends as it stands, with its final report. ``anyway``: games that still run go on as ordinary ones;
    returns their codes. Raises OperatorError."""
    must_be(cup, CupStatus.RUNNING)
    if not of(cup).challenges:
        swiss = f"`moderator cup pair {cup.code} --end` ends it with this round."
        other = f"`moderator cup cancel {cup.code}` breaks it off."
        hint = swiss if of(cup).pairs_by_table else other
        raise OperatorError(f"{cup.code} ends by itself with its last game.", hint)
    open_ = rows.open_games(rows.games(desk.session, cup))
    if open_ and not anyway:
        still = ", ".join(judging.unsettled(desk, open_))
        raise OperatorError(
            f"Games of {cup.code} still run: {still}.", "--anyway ends it; they go on as ordinary ones."
        )
    codes = release(desk, cup)
    steps.finish(desk, cup)
    rows.stamp(desk.session, cup, "finish", desk.now)
    return codes


def release(desk: Desk, cup: Cup) -> list[str]:
    """Open games of the tournament belong to it no more: running matches become ordinary ones (their codes are
    returned), those that nobody has seen yet go."""
    codes = []
    for row in rows.open_games(rows.games(desk.session, cup)):
        match = rows.match_of(desk.session, row)
        if match is not None and match.status == MatchStatus.OPEN:
            judging.never_played(desk, row, match)
        elif match is not None:
            codes.append(match.code)
            match.cup_id = None
            desk.session.add(match)
        row.match_id = None
        desk.session.add(row)
    desk.session.flush()
    return codes


def _news(desk: Desk, cup: Cup, note: Note) -> None:
    """To everybody who takes part or waits to."""
    to = [player for entry, player in rows.entries(desk.session, cup) if entry.state != EntryState.WITHDRAWN]
    tournament_mails.send(desk, cup, "news", to, [note])


# ---- somebody is taken out ----
#
# Somebody leaves a tournament by the moderator's word: what it would mean, and doing it.


@dataclass(frozen=True)
class Withdrawal:
    name: str
    open: int
    """Games that are given up."""
    void: bool = False
    """Of a round robin: fewer than half of the games are finished, so that none of them counts."""


def withdrawal_of(desk: Desk, cup: Cup, name: str) -> Withdrawal:
    """What it would mean. Raises OperatorError for someone who is not in it."""
    return _coming(desk, cup, *_entry(desk, cup, name))


def _coming(desk: Desk, cup: Cup, entry: CupEntry, player: Player) -> Withdrawal:
    if cup.status != CupStatus.RUNNING or entry.state != EntryState.IN:
        return Withdrawal(player.name, 0)
    games = rows.open_games(rows.games(desk.session, cup, entry.division))
    count = sum(entry.number in game.seats for game in games)
    done, total = finished_share(rows.tournament(desk.session, cup, entry.division), entry.number)
    return Withdrawal(player.name, count, of(cup).round_robin and 2 * done < total)


def withdraw(desk: Desk, cup: Cup, name: str) -> Withdrawal:
    """Do it; the player is told. Raises OperatorError for someone who is not in it."""
    entry, player = _entry(desk, cup, name)
    coming = _coming(desk, cup, entry, player)
    judging.withdraw(desk, cup, entry, player)
    tournament_mails.send(desk, cup, "news", [player], [Note("cup-taken-out", {"cup": cup.name})])
    return coming


def _entry(desk: Desk, cup: Cup, name: str) -> tuple[CupEntry, Player]:
    player = find_player(desk.session, name)
    entry = rows.entry_of(desk.session, cup, player)
    if entry is None or entry.state == EntryState.WITHDRAWN or cup.status in (CupStatus.FINISHED, CupStatus.CANCELLED):
        raise OperatorError(f"{player.name} does not play in {cup.code}.", f"See `moderator cup show {cup.code}`.")
    return entry, player
