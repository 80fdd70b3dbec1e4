"""Which tournament a line means: the one it names, the one of the mail that it answers, or the only one in question."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from moderator.club.desk import Desk
from moderator.club.spelling import plain
from moderator.commands.call import Answer, Call, Request
from moderator.commands.declaration import players
from moderator.commands.player.tournament_words import What, Wish, keys
from moderator.errors import Impossible
from moderator.match.contract import Note
from moderator.states import TournamentStatus
from moderator.store import tournaments
from moderator.store.models import Tournament
from moderator.store.transaction import Session

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
    return tuple(dict.fromkeys(key for one in tournaments.names(session) for key in keys(one)))


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


def meant(call: Call, wish: Wish, among: Callable[[Desk, Call], Sequence[Tournament]]) -> Tournament | Answer:
    """The tournament; or a list, if nobody can tell which of several. ``among``: those in question where none is named.
    Raises Impossible for a name that none has, or if none is in question."""
    if wish.tournament:
        return _named(call, wish.tournament)
    found = among(call.desk, call)
    code = in_subject(call.desk.mail.subject) if call.desk.mail else ""
    of_mail = [tournament for tournament in found if tournament.code == code]
    if len(found) == 1 or of_mail:
        return (of_mail or found)[0]
    if not found:
        raise Impossible(f"cups-none-{wish.what}")
    return which(wish.what, found)


def which(what: What, found: Sequence[Tournament]) -> Answer:
    """Several may be meant: what to write for each."""
    ways = (Note(f"cups-way-{what}", {"cup": tournament.code, "title": tournament.name}) for tournament in found)
    return Answer((Note("cups-which"), *ways))


def _named(call: Call, wanted: str) -> Tournament:
    every = tournaments.every(call.desk.session)[::-1]
    found = [tournament for tournament in every if tournament.code.lower() == wanted]
    found = found or [tournament for tournament in every if wanted in keys(tournament.name)]
    found = found or [
        tournament for tournament in every if any(key.startswith(wanted) for key in keys(tournament.name))
    ]
    if len(found) > 1:  # seasons of the same name, or the beginning of several
        found = [tournament for tournament in found if tournament.status in tournaments.GOING] or found[:1]
    if len(found) == 1:
        return found[0]
    known = sorted(
        found or (tournament for tournament in every if tournament.status != TournamentStatus.CANCELLED),
        key=lambda tournament: tournament.number,
    )
    if not known:
        raise Impossible("cups-none-here")
    raise Impossible(
        "cups-several" if found else "cups-unknown", cups=[_title(tournament) for tournament in known[-MOST_NAMED:]]
    )


def _title(tournament: Tournament) -> str:
    return f"{tournament.code} ({tournament.name})"


def entered(*states: TournamentStatus) -> Callable[[Desk, Call], Sequence[Tournament]]:
    """Tournaments in one of these states in which the writer takes part or waits to."""

    def among(desk: Desk, call: Call) -> Sequence[Tournament]:
        return tournaments.of_player(desk.session, call.player.number, states)

    return among


def shown(desk: Desk, call: Call) -> Sequence[Tournament]:
    """Those that somebody may ask about without a name: their own that are on, else all that are on, else the last one
    of their own."""
    on = (TournamentStatus.OPEN, TournamentStatus.RUNNING)
    every = tournaments.in_states(desk.session, on)
    return (
        entered(TournamentStatus.RUNNING)(desk, call)
        or entered(TournamentStatus.OPEN)(desk, call)
        or every
        or entered(TournamentStatus.FINISHED)(desk, call)[-1:]
    )
