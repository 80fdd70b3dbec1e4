"""Challenges on a ladder: ``Turnier T3 fordern Bert``, ``annehmen``, ``ablehnen``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NoReturn

from moderator.club.desk import Desk
from moderator.club.spelling import plain
from moderator.club.tournaments import rows, rungs
from moderator.commands.call import Answer, Call, said
from moderator.commands.player import cup_find
from moderator.commands.player.cup_words import Wish
from moderator.errors import Illegal, Impossible
from moderator.match.contract import Note
from moderator.play.tournaments import challenges
from moderator.states import CupStatus, EntryState
from moderator.store.models import Cup, Player
from moderator.tournaments import ladder
from moderator.tournaments.formats import of
from moderator.tournaments.ladder import Challenge

SHORTEST = 2
"""Letters of the beginning of a name."""


def challenge(call: Call, wish: Wish) -> Answer:
    """Ask somebody above for a game. A robot accepts at once."""
    cup = _ladder(call, wish)
    if isinstance(cup, Answer):
        return cup
    desk, own = call.desk, _number(call, cup)
    there = rows.numbered(desk.session, cup, 1)
    possible = ladder.possible(rungs.ladder_of(cup), own, rungs.today(desk), rungs.away(desk, cup))
    names = [there[number].name for number in possible]
    if not wish.rest:
        _refused("cups-challenge-whom", cup, names)
    number = _called(wish.rest, {n: there[n] for n in rungs.ladder_of(cup).rungs}, cup, names)
    if number == own:
        _refused("cups-challenge-self", cup, names)
    try:
        challenges.challenge(desk, cup, own, number)
    except Illegal as error:
        faults = [{"code": error.code, **error.params}]
        code = "cups-challenge-no" if names else "cups-challenge-nobody"
        raise Impossible(code, faults=faults, names=names, cup=cup.code, name=names[0] if names else "") from None
    known = {"cup": cup.code, "title": cup.name, "name": there[number].name}
    made = next(one for one in rungs.ladder_of(cup).challenges if one.challenger == own)
    if there[number].robot:
        if made.accepted is None:
            challenges.accept(desk, cup, number)
        return Answer(mailed=True)  # by the robot, so to speak
    return said("cups-challenged", until=made.due(rungs.ladder_of(cup).terms), **known)


def _refused(code: str, cup: Cup, names: Sequence[str]) -> NoReturn:
    """Raises Impossible, with the line to write for somebody who may be challenged now."""
    if not names:
        raise Impossible("cups-challenge-none", cup=cup.code)
    raise Impossible(code, cup=cup.code, names=names, name=names[0])


def _called(wanted: str, people: Mapping[int, Player], cup: Cup, names: Sequence[str]) -> int:
    """Number of the one who is called so on the ladder. Raises Impossible."""
    found = [number for number, player in people.items() if plain(player.name) == wanted]
    if not found and len(wanted) >= SHORTEST:
        found = [number for number, player in people.items() if plain(player.name).startswith(wanted)]
    if len(found) != 1:
        _refused("cups-challenge-several" if found else "cups-challenge-unknown", cup, names)
    return found[0]


def accept(call: Call, wish: Wish) -> Answer:
    """The game will be played."""
    return _answered(call, wish, accepted=True)


def refuse(call: Call, wish: Wish) -> Answer:
    """No game, at the price that this ladder has."""
    return _answered(call, wish, accepted=False)


def _answered(call: Call, wish: Wish, accepted: bool) -> Answer:
    cup = _ladder(call, wish)
    if isinstance(cup, Answer):
        return cup
    desk, own = call.desk, _number(call, cup)
    waiting = _waiting(cup, own)
    if waiting is None:
        raise Impossible("cups-challenge-not-there", cup=cup.code, title=cup.name)
    name = rows.numbered(desk.session, cup, 1)[waiting.challenger].name
    if accepted:
        challenges.accept(desk, cup, own)
        return said("cups-accepted", cup=cup.code, title=cup.name, name=name)
    challenges.refuse(desk, cup, own)
    now = rungs.ladder_of(cup)
    note = Note("cups-refused", {"cup": cup.code, "title": cup.name, "name": name, "place": now.rung(own)})
    return Answer((note,), mailed=now.terms.refusal != "none")  # what it costs is told in a mail of its own


def _waiting(cup: Cup, number: int) -> Challenge | None:
    """The open challenge to ``number``."""
    made = rungs.ladder_of(cup).challenges
    return next((one for one in made if one.challenged == number and one.accepted is None), None)


def _ladder(call: Call, wish: Wish) -> Cup | Answer:
    """The ladder that is meant, running. Raises Misused."""
    cup = cup_find.meant(call, wish, _asked_to if wish.what in ("accept", "refuse") else _ladders)
    if isinstance(cup, Answer):
        return cup
    if not of(cup).challenges:
        raise Impossible("cups-no-ladder", cup=cup.code, title=cup.name)
    if cup.status != CupStatus.RUNNING:
        over = cup.status in (CupStatus.FINISHED, CupStatus.CANCELLED)
        raise Impossible("cups-over" if over else "cups-not-begun", cup=cup.code, title=cup.name)
    return cup


def _number(call: Call, cup: Cup) -> int:
    entry = rows.entry_of(call.desk.session, cup, call.player)
    if entry is None or entry.state != EntryState.IN:
        raise Impossible("cups-not-in", cup=cup.code, title=cup.name)
    return entry.number


def _ladders(desk: Desk, call: Call) -> Sequence[Cup]:
    return [cup for cup in cup_find.entered(CupStatus.RUNNING)(desk, call) if of(cup).challenges]


def _asked_to(desk: Desk, call: Call) -> Sequence[Cup]:
    """Ladders on which somebody waits for the writer's answer."""
    return [cup for cup in _ladders(desk, call) if _waiting(cup, _number(call, cup)) is not None]
