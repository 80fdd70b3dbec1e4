"""Challenges on a ladder: ``Turnier T3 fordern Bert``, ``annehmen``, ``ablehnen``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NoReturn

from moderator.club.desk import Desk
from moderator.club.spelling import plain
from moderator.club.tournaments import rows
from moderator.commands.call import Answer, Call, said
from moderator.commands.player import tournament_words
from moderator.commands.player.tournament_words import Wish
from moderator.errors import Illegal, Impossible
from moderator.match.contract import Note
from moderator.play.tournaments import challenges
from moderator.states import EntryState, TournamentStatus
from moderator.store import tournaments
from moderator.store.models import Player, Tournament
from moderator.tournaments.formats import ladder, of
from moderator.tournaments.formats.ladder import Challenge

SHORTEST = 2
"""Letters of the beginning of a name."""


def challenge(call: Call, wish: Wish) -> Answer:
    """Ask somebody above for a game. A robot accepts at once."""
    tournament = _ladder(call, wish)
    if isinstance(tournament, Answer):
        return tournament
    desk, own = call.desk, _number(call, tournament)
    there = rows.numbered(desk.session, tournament, 1)
    possible = ladder.possible(rows.ladder_of(tournament), own, desk.today, rows.on_leave(desk, tournament))
    names = [there[number].name for number in possible]
    if not wish.rest:
        _refused("cups-challenge-whom", tournament, names)
    number = _called(wish.rest, {n: there[n] for n in rows.ladder_of(tournament).rungs}, tournament, names)
    if number == own:
        _refused("cups-challenge-self", tournament, names)
    try:
        challenges.challenge(desk, tournament, own, number)
    except Illegal as error:
        faults = [{"code": error.code, **error.params}]
        code = "cups-challenge-no" if names else "cups-challenge-nobody"
        raise Impossible(
            code, faults=faults, names=names, cup=tournament.code, name=names[0] if names else ""
        ) from None
    known = {"cup": tournament.code, "title": tournament.name, "name": there[number].name}
    made = next(one for one in rows.ladder_of(tournament).challenges if one.challenger == own)
    if there[number].robot:
        if made.accepted is None:
            challenges.accept(desk, tournament, number)
        return Answer(mailed=True)  # by the robot, so to speak
    return said("cups-challenged", until=made.due(rows.ladder_of(tournament).terms), **known)


def _refused(code: str, tournament: Tournament, names: Sequence[str]) -> NoReturn:
    """Raises Impossible, with the line to write for somebody who may be challenged now."""
    if not names:
        raise Impossible("cups-challenge-none", cup=tournament.code)
    raise Impossible(code, cup=tournament.code, names=names, name=names[0])


def _called(wanted: str, people: Mapping[int, Player], tournament: Tournament, names: Sequence[str]) -> int:
    """Number of the one who is called so on the ladder. Raises Impossible."""
    found = [number for number, player in people.items() if plain(player.name) == wanted]
    if not found and len(wanted) >= SHORTEST:
        found = [number for number, player in people.items() if plain(player.name).startswith(wanted)]
    if len(found) != 1:
        _refused("cups-challenge-several" if found else "cups-challenge-unknown", tournament, names)
    return found[0]


def accept(call: Call, wish: Wish) -> Answer:
    """The game will be played."""
    return _answered(call, wish, accepted=True)


def refuse(call: Call, wish: Wish) -> Answer:
    """No game, at the price that this ladder has."""
    return _answered(call, wish, accepted=False)


def _answered(call: Call, wish: Wish, accepted: bool) -> Answer:
    tournament = _ladder(call, wish)
    if isinstance(tournament, Answer):
        return tournament
    desk, own = call.desk, _number(call, tournament)
    waiting = _waiting(tournament, own)
    if waiting is None:
        raise Impossible("cups-challenge-not-there", cup=tournament.code, title=tournament.name)
    name = rows.numbered(desk.session, tournament, 1)[waiting.challenger].name
    if accepted:
        challenges.accept(desk, tournament, own)
        return said("cups-accepted", cup=tournament.code, title=tournament.name, name=name)
    challenges.refuse(desk, tournament, own)
    now = rows.ladder_of(tournament)
    note = Note(
        "cups-refused", {"cup": tournament.code, "title": tournament.name, "name": name, "place": now.rung(own)}
    )
    return Answer((note,), mailed=now.terms.refusal != "none")  # what it costs is told in a mail of its own


def _waiting(tournament: Tournament, number: int) -> Challenge | None:
    """The open challenge to ``number``."""
    made = rows.ladder_of(tournament).challenges
    return next((one for one in made if one.challenged == number and one.accepted is None), None)


def _ladder(call: Call, wish: Wish) -> Tournament | Answer:
    """The ladder that is meant, running. Raises Misused."""
    tournament = tournament_words.meant(call, wish, _asked_to if wish.what in ("accept", "refuse") else _ladders)
    if isinstance(tournament, Answer):
        return tournament
    if not of(tournament).challenges:
        raise Impossible("cups-no-ladder", cup=tournament.code, title=tournament.name)
    if tournament.status != TournamentStatus.RUNNING:
        over = tournament.status in (TournamentStatus.FINISHED, TournamentStatus.CANCELLED)
        raise Impossible("cups-over" if over else "cups-not-begun", cup=tournament.code, title=tournament.name)
    return tournament


def _number(call: Call, tournament: Tournament) -> int:
    entry = tournaments.entry_of(call.desk.session, tournament, call.player)
    if entry is None or entry.state != EntryState.IN:
        raise Impossible("cups-not-in", cup=tournament.code, title=tournament.name)
    return entry.number


def _ladders(desk: Desk, call: Call) -> Sequence[Tournament]:
    return [
        tournament
        for tournament in tournament_words.entered(TournamentStatus.RUNNING)(desk, call)
        if of(tournament).challenges
    ]


def _asked_to(desk: Desk, call: Call) -> Sequence[Tournament]:
    """Ladders on which somebody waits for the writer's answer."""
    return [
        tournament for tournament in _ladders(desk, call) if _waiting(tournament, _number(call, tournament)) is not None
    ]
