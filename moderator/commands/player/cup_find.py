"""Which tournament a line means: the one it names, the one of the mail that it answers, or the only one in question."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from sqlmodel import Session, col, select

from moderator.club.desk import Desk
from moderator.club.spelling import plain
from moderator.commands.call import Answer, Call, Request
from moderator.commands.declaration import players
from moderator.commands.player.cup_words import What, Wish, keys
from moderator.errors import Impossible
from moderator.match.contract import Note
from moderator.states import CupStatus, EntryState
from moderator.store.models import Cup, CupEntry

_IN_SUBJECT = re.compile(r"\((T\d{1,4})\)")
_ANSWERS = {
    "join": "mitspielen",
    "agree": "annehmen",
    "refuse": "ablehnen",
    "status": "stand",
    "withdraw": "aussteigen",
}
"""Commands of one word, and what they mean in the answer to a mail about a tournament."""
MOST_NAMED = 8


def names(session: Session) -> tuple[str, ...]:
    """What all tournaments may be called in a line."""
    query = select(Cup.name).where(Cup.status != CupStatus.CANCELLED).order_by(col(Cup.id))
    return tuple(dict.fromkeys(key for one in session.exec(query) for key in keys(one)))


def in_subject(subject: str) -> str:
    """Code of the tournament that a mail of ours was about, from the subject of the answer; "" = none."""
    found = _IN_SUBJECT.findall(subject[:500])
    return found[-1] if found else ""


def about(code: str, request: Request) -> Request:
    """``annehmen`` alone, in the answer to a mail about tournament ``code``, is ``Turnier T3 annehmen``."""
    if not code or request.argument or request.body or request.name not in _ANSWERS:
        return request
    if request.name == "status" and not plain(request.line.text).startswith("sta"):  # all matches: Liste, matches
        return request
    return replace(request, command=players()["cup"], argument=f"{code} {_ANSWERS[request.name]}")


def meant(call: Call, wish: Wish, among: Callable[[Desk, Call], Sequence[Cup]]) -> Cup | Answer:
    """The tournament; or a list, if nobody can tell which of several. ``among``: those in question where none is named.
    Raises Impossible for a name that none has, or if none is in question."""
    if wish.cup:
        return _named(call, wish.cup)
    found = among(call.desk, call)
    code = in_subject(call.desk.mail.subject) if call.desk.mail else ""
    of_mail = [cup for cup in found if cup.code == code]
    if len(found) == 1 or of_mail:
        return (of_mail or found)[0]
    if not found:
        raise Impossible(f"cups-none-{wish.what}")
    return which(wish.what, found)


def which(what: What, found: Sequence[Cup]) -> Answer:
    """Several may be meant: what to write for each."""
    ways = (Note(f"cups-way-{what}", {"cup": cup.code, "title": cup.name}) for cup in found)
    return Answer((Note("cups-which"), *ways))


def _named(call: Call, wanted: str) -> Cup:
    cups = call.desk.session.exec(select(Cup).order_by(col(Cup.id).desc())).all()
    found = [cup for cup in cups if cup.code.lower() == wanted]
    found = found or [cup for cup in cups if wanted in keys(cup.name)]
    found = found or [cup for cup in cups if any(key.startswith(wanted) for key in keys(cup.name))]
    if len(found) > 1:  # seasons of the same name, or the beginning of several
        on = (CupStatus.PLANNED, CupStatus.OPEN, CupStatus.RUNNING)
        found = [cup for cup in found if cup.status in on] or found[:1]
    if len(found) == 1:
        return found[0]
    known = sorted(found or (cup for cup in cups if cup.status != CupStatus.CANCELLED), key=lambda cup: cup.number)
    if not known:
        raise Impossible("cups-none-here")
    raise Impossible("cups-several" if found else "cups-unknown", cups=[_title(cup) for cup in known[-MOST_NAMED:]])


def _title(cup: Cup) -> str:
    return f"{cup.code} ({cup.name})"


def entered(*states: CupStatus) -> Callable[[Desk, Call], Sequence[Cup]]:
    """Tournaments in one of these states in which the writer takes part or waits to."""

    def among(desk: Desk, call: Call) -> Sequence[Cup]:
        query = select(Cup).join(CupEntry).where(CupEntry.player_id == call.player.number)
        query = query.where(CupEntry.state != EntryState.WITHDRAWN, col(Cup.status).in_(states))
        return desk.session.exec(query.order_by(col(Cup.id))).all()

    return among


def shown(desk: Desk, call: Call) -> Sequence[Cup]:
    """Those that somebody may ask about without a name: their own that are on, else all that are on, else the last one
    of their own."""
    on = (CupStatus.OPEN, CupStatus.RUNNING)
    every = desk.session.exec(select(Cup).where(col(Cup.status).in_(on)).order_by(col(Cup.id))).all()
    return (
        entered(CupStatus.RUNNING)(desk, call)
        or entered(CupStatus.OPEN)(desk, call)
        or every
        or entered(CupStatus.FINISHED)(desk, call)[-1:]
    )
