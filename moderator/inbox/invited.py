"""The answer to the invitation to a tournament, in whatever words: a plain yes enters, a plain no is heard, and
whatever may be either is asked back."""

from __future__ import annotations

from moderator.club.desk import Desk
from moderator.club.spelling import consent
from moderator.club.tournaments import view
from moderator.commands.call import Request
from moderator.commands.declaration import find, players
from moderator.commands.player import tournament_words
from moderator.inbox import wishes
from moderator.inbox.own_words import Unplaced, ask_back
from moderator.inbox.places import orders_among
from moderator.mail.model import Line
from moderator.match.contract import Note
from moderator.pages.pages import LineRead, Offer
from moderator.people.identify import Identity
from moderator.states import EntryState, TournamentStatus
from moderator.store import tournaments
from moderator.store.models import Tournament

MOST = 300
"""Characters; a longer mail says more than yes or no."""


def hear_invitation(desk: Desk, writer: Identity, code: str, lines: list[Line]) -> Unplaced | Request | None:
    """What becomes of the answer to a mail about tournament ``code``: the command to join, what its writer hears, or
    None where it is no such answer."""
    every = tournaments.every(desk.session) if code else ()
    tournament = next((one for one in every if one.code == code), None)
    text = "\n".join(line.text for line in lines)
    if tournament is None or not lines or len(text) > MOST or not _may_answer(desk, writer, tournament):
        return None
    commands = [line for line in lines if find(line.text) is not None]
    joins = [line for line in commands if _is_to_join(line, code)]
    own = [line for line in lines if line not in joins]
    if len(commands) > len(joins) or not own or orders_among(desk, writer, (), lines):
        return None
    said = "\n".join(line.text for line in own)
    denied = consent(own) is False or wishes.denies(said)
    agreed = bool(joins) or consent(own) is True or wishes.wants_to_join(said)
    if agreed and not denied and "?" not in said:
        return Request(players()[tournament_words.COMMAND], lines[0], f"{code} {tournament_words.called('join')}")
    return _not_joined(desk, writer, tournament, own, said, declined=denied and not agreed and "?" not in said)


def _may_answer(desk: Desk, writer: Identity, tournament: Tournament) -> bool:
    return tournament.status == TournamentStatus.OPEN or tournament in view.joinable(desk, writer.player)


def _is_to_join(line: Line, code: str) -> bool:
    found = find(line.text)
    wish = tournament_words.read(found[1]) if found and found[0].name == tournament_words.COMMAND else None
    return wish is not None and wish.what == "join" and wish.tournament.upper() in ("", code)


def _not_joined(
    desk: Desk, writer: Identity, tournament: Tournament, own: list[Line], said: str, *, declined: bool
) -> Unplaced:
    """A no, a question, or words that may mean either."""
    language, facts = writer.player.language, {"cup": tournament.name, "code": tournament.code}
    entry = tournaments.entry_of(desk.session, tournament, writer.player)
    is_in = entry is not None and entry.state in (EntryState.IN, EntryState.STANDBY)
    word = players()[tournament_words.COMMAND].text(language).first.capitalize()
    enter, leave = (f"{word} {tournament.code} {tournament_words.called(what, language)}" for what in ("join", "leave"))
    if declined and not is_in:
        heard = Note("invitation-declined", {**facts, "line": enter})
        return Unplaced([LineRead(own[0].number, own[0].text, "command", notes=(heard,))], None, failed=False)
    offers = [Offer(Note("wish-cup-leave"), leave)] if is_in and wishes.denies(said) else []
    offers += [] if is_in else [Offer(Note("wish-enter"), enter)]
    if not declined:
        question = players()["question"].text(language).first.upper()
        offers.append(Offer(Note("wish-question"), f"{question}: {' '.join(said.split())}"))
    state = Note("invitation-entered" if is_in else "invitation-open", facts)
    read = [LineRead(own[0].number, own[0].text, "text", notes=(state,))]
    return Unplaced(read, None, failed=False, offers=ask_back(desk, offers))
