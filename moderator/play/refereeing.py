"""Who is named referee or deputy, and what follows from it: whoever is in charge has been asked what waits.

``follow`` sees to that, once a day and whenever somebody is named: what was put to one who is not in charge any more,
or is on leave, is put to the one who is; what has had no answer for days goes to the chief, once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from datetime import date, datetime
from functools import partial

from moderator.club import same_person, tokens
from moderator.club.desk import Desk
from moderator.club.live_match import Suspended
from moderator.club.names import Unclear, one_of
from moderator.club.referees import Official, chief, commanding, in_charge, may, official, plays
from moderator.errors import Impossible, OperatorError
from moderator.match.contract import Note
from moderator.match.time.calendar import local_day
from moderator.outbox import questions as words
from moderator.outbox.tell import notify
from moderator.play import lifecycle, rulings
from moderator.play.create import mail_address
from moderator.printable import NAME_LENGTH, clean_name
from moderator.states import MatchStatus, MatterKind
from moderator.store import matches, questions, referees
from moderator.store.models import Match, Referee, Tournament

PATIENCE = 3
"""Days after which the chief is asked what a referee has not answered."""


# ---- referees ----


def find_referee(desk: Desk, name: str) -> Referee:
    """By name or address. Raises OperatorError."""
    try:
        return referee_called(desk, name)
    except Unclear as error:
        if error.several:
            raise OperatorError(f"{name!r} may be {' or '.join(error.names)}.", "Write more of the name.") from error
        known = ", ".join(row.name for row in referees.every(desk.session))
        meant = f"Did you mean {' or '.join(error.names)}? " if error.names else ""
        fix = f"{meant}There are: {known}." if known else "`moderator referee add` enters one."
        raise OperatorError(f"There is no referee {name!r}.", fix) from error


def referee_called(desk: Desk, name: str) -> Referee:
    """The same. Raises Unclear."""
    found = referees.by_address(desk.session, name.strip().lower())
    if found is not None:
        return found
    known = referees.every(desk.session)
    return known[one_of(name, [row.name for row in known])]


def add(desk: Desk, name: str, address: str, language: str) -> Referee:
    """Enter a referee, who is told how to command. Raises OperatorError for a name or an address in use."""
    called = _name_free(desk, None, name)
    row = Referee(
        name=called,
        name_key=called.casefold(),
        address=_address_free(desk, None, address),
        language=language,
        token=tokens.new_token(),
        created_at=desk.now,
    )
    desk.session.add(row)
    desk.session.flush()
    notify(desk, official(row), Note("referee-welcome", {"name": row.name, "club": desk.config.club.name}))
    return row


def change(
    desk: Desk,
    row: Referee,
    *,
    name: str | None = None,
    address: str | None = None,
    language: str | None = None,
    renew: bool = False,
) -> None:
    """Of a new address, or token (``renew``), the referee is told there. Raises OperatorError, also where a
    referee who plays would be another person than the player by it."""
    new_name = _name_free(desk, row, name) if name is not None else row.name
    new_address = _address_free(desk, row, address) if address is not None else row.address
    same_person.check_stays(desk.session, row, new_address, new_name.casefold())
    row.name, row.name_key, row.address = new_name, new_name.casefold(), new_address
    row.language = language or row.language
    desk.session.add(row)
    desk.session.flush()
    if renew:
        _renew(desk, row)
    if address is not None or renew:
        notify(desk, official(row), Note("referee-welcome", {"name": row.name, "club": desk.config.club.name}))


def _renew(desk: Desk, row: Referee) -> None:
    """No address that was mailed before opens anything; what waits for this referee is asked again, from a new one."""
    row.token = tokens.new_token()
    for matter in referees.matters_of(desk.session, row.number):
        matter.token = tokens.new_token() if matter.token else ""
    desk.session.flush()
    for kind, about, match, put in list(_waiting(desk)):
        asked = {one.referee_id for one in referees.put_before(desk.session, kind, about)}
        # What a suspended match needs is a command, for which the new token is mailed anyway.
        if kind is not MatterKind.SUSPENDED and row.number in asked and in_charge(desk, match) == official(row):
            _apart(desk, match, partial(put, official(row)))


def _name_free(desk: Desk, row: Referee | None, name: str) -> str:
    called = clean_name(name)
    if not called or called.casefold() == desk.config.club.name.casefold():
        raise OperatorError(f"{name!r} is no name.", f"Take 1 to {NAME_LENGTH} letters.")
    taken = referees.by_name(desk.session, called.casefold())
    if taken is not None and taken is not row:
        raise OperatorError(f"There is a referee {called!r} already.", "Choose another name.")
    return called


def _address_free(desk: Desk, row: Referee | None, address: str) -> str:
    plain = mail_address(address)
    if plain in (desk.config.club.moderator.lower(), desk.config.mail.address.lower()):
        raise OperatorError(f"{plain} is the club's own address or the chief's.", "Give the referee's own.")
    taken = referees.by_address(desk.session, plain)
    if taken is not None and taken is not row:
        raise OperatorError(f"{plain} belongs to the referee {taken.name} already.", "One address is one referee.")
    return plain


def remove(desk: Desk, row: Referee) -> tuple[list[str], list[str]]:
    """All that the referee was named for goes back to the chief, or stays with who else is named. Returns the codes of
    the matches and tournaments."""
    led = referees.led(desk.session, row.number)
    notify(desk, official(row), Note("referee-removed", {"club": desk.config.club.name}))
    asked = referees.put_to(desk.session, row.number)
    referees.remove(desk.session, row)
    follow(desk, asked)
    return led


def go_on_leave(desk: Desk, row: Referee, first: date | None, last: date | None) -> None:
    """From the first day to the last one; None = no leave. Raises OperatorError for one that is over."""
    if first is not None and last is not None and (last < first or last < desk.today):
        raise OperatorError(f"A leave from {first} to {last} is none.", "Name the first day, then the last one.")
    row.away_from, row.away_until = first, last
    desk.session.add(row)
    desk.session.flush()
    follow(desk)


# ---- who is named ----


def name_for(desk: Desk, place: Match | Tournament, referee: Referee | None, deputy: bool = False) -> None:
    """Make somebody referee or deputy there; None = nobody. Raises Impossible("charge-seated") for who plays there,
    ("charge-both") for a referee as the own deputy, ("charge-of-cup") for taking back what the tournament says."""
    before = place.deputy_id if deputy else place.referee_id
    _check_nameable(desk, place, referee, before, deputy)
    number = referee.number if referee else None
    if deputy:
        place.deputy_id = number
    else:
        place.referee_id = number
        place.deputy_id = None if place.deputy_id == number else place.deputy_id
    desk.session.add(place)
    desk.session.flush()
    if before != number:
        _tell_named(desk, place, referee, before, deputy)
        follow(desk)


def _check_nameable(
    desk: Desk, place: Match | Tournament, referee: Referee | None, before: int | None, deputy: bool
) -> None:
    """Raises Impossible as ``name_for``; ``before``: who is named now."""
    if referee is not None and deputy and place.referee_id == referee.number:
        raise Impossible("charge-both", name=referee.name, match=place.code)
    if isinstance(place, Match) and referee is not None and plays(desk, place, official(referee)):
        raise Impossible("charge-seated", name=referee.name, match=place.code)
    if isinstance(place, Match) and referee is None and before is None:
        _check_not_of_tournament(desk, place, deputy)


def _tell_named(
    desk: Desk, place: Match | Tournament, referee: Referee | None, before: int | None, deputy: bool
) -> None:
    """Who was named, who is it no more, and the chief where a match comes back."""
    facts = {"match": place.code, "title": place.name}
    sort = "cup" if isinstance(place, Tournament) else "match"
    role = "deputy" if deputy else "referee"
    if before is not None and (desk.official is None or desk.official.number != before):
        notify(desk, official(desk.session.get_one(Referee, before)), Note(f"{role}-no-more-{sort}", facts))
    if referee is not None:
        notify(desk, official(referee), Note(f"{role}-of-{sort}", facts))
    giver = commanding(desk)
    if isinstance(place, Match) and not deputy and not giver.chief and in_charge(desk, place).chief:
        notify(desk, chief(desk), Note("charge-back", {**facts, "name": giver.name}))


def _check_not_of_tournament(desk: Desk, match: Match, deputy: bool) -> None:
    """Raises Impossible("charge-of-cup") where nothing can be taken back in the match alone."""
    tournament = desk.session.get(Tournament, match.tournament_id) if match.tournament_id else None
    number = (tournament.deputy_id if deputy else tournament.referee_id) if tournament else None
    if tournament is not None and number is not None:
        name = desk.session.get_one(Referee, number).name
        raise Impossible("charge-of-cup", match=match.code, tournament=tournament.code, name=name)


# ---- what waits ----

Put = Callable[..., None]
"""Puts something to somebody, with notes."""


def follow(desk: Desk, gone: Collection[tuple[MatterKind, int]] = ()) -> None:
    """See above. ``gone``: what was put to somebody who is a referee no more, of which no row is left."""
    for kind, about, match, put in list(_waiting(desk)):
        if kind is MatterKind.PROTEST and match.status == MatchStatus.SUSPENDED:  # by another protest, just now
            continue
        _apart(desk, match, partial(_see_to, desk, kind, about, match, put, gone))


def _apart(desk: Desk, match: Match, act: Callable[[], None]) -> None:
    """One match's fault keeps no other from being followed."""
    try:
        act()
    except Suspended as error:
        lifecycle.suspend(desk, match.number, error.reason)


def _see_to(
    desk: Desk, kind: MatterKind, about: int, match: Match, put: Put, gone: Collection[tuple[MatterKind, int]]
) -> None:
    who = in_charge(desk, match)
    rows = referees.put_before(desk.session, kind, about)
    mine = next((row for row in rows if row.referee_id == who.number), None)
    if mine is None:
        # Without any row it was put to the chief by an earlier version, or to who is gone.
        if rows or not who.chief or (kind, about) in gone:
            put(who)
        return
    if rows[-1] is not mine:  # the charge has come back, and with it the time to answer
        mine.put_at = desk.now
    elif not who.chief and not any(row.passed_at for row in rows) and _long_ago(desk, mine.put_at):
        _pass_on(desk, match, who, put)
        mine.passed_at = desk.now
    desk.session.add(mine)


def _long_ago(desk: Desk, moment: datetime) -> bool:
    """By the club's calendar: the daily look is not taken at the very hour."""
    return (desk.today - local_day(moment, desk.config.club.zone)).days >= PATIENCE


def _pass_on(desk: Desk, match: Match, who: Official, put: Put) -> None:
    """To the chief, who reads no more than that if he plays there."""
    boss, facts = chief(desk), {"match": match.code, "name": who.name, "count": PATIENCE}
    if may(desk, boss, match):
        put(boss, Note("passed-on", facts))
    else:
        notify(desk, boss, Note("passed-on-hidden", facts))
    notify(desk, who, Note("was-passed-on", facts))


def _waiting(desk: Desk) -> Iterator[tuple[MatterKind, int, Match, Put]]:
    """All that is put to somebody in charge and waits for an answer."""
    for question, match in questions.open_ones(desk.session):
        yield MatterKind.WORD, question.number, match, _bound(words.put, desk, match, question)
    for protest, match, _ in questions.protests_listed(desk.session):
        if match.status != MatchStatus.SUSPENDED:
            yield MatterKind.PROTEST, protest.number, match, _bound(rulings.put, desk, match, protest)
    for match in matches.going(desk.session):
        if match.status == MatchStatus.SUSPENDED:
            yield MatterKind.SUSPENDED, match.number, match, _bound(lifecycle.tell_suspended, desk, match)


def _bound(put: Put, *about: object) -> Put:
    return lambda who, *notes: put(*about, who, *notes)
