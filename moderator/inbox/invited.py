"""The answer to the invitation to a tournament, in whatever words: a plain yes enters, a plain no is heard, and
whatever may be either is asked back."""

from __future__ import annotations

from moderator.commands.call import CommandLine
from moderator.commands.declaration import find_command, get_player_commands
from moderator.commands.player import tournament_words
from moderator.common.enums import EntryState, TournamentStatus
from moderator.inbox import wishes
from moderator.inbox.identify import Identity
from moderator.inbox.match_names import find_order_lines
from moderator.inbox.own_words import UnplacedLines, ask_confirmation
from moderator.language.spelling import parse_yes_no
from moderator.mail.model import Line
from moderator.notifications.pages import LineOffer, LineOutcome
from moderator.rules.game import Note
from moderator.service.desk import Desk
from moderator.store import tournaments
from moderator.store.tables import Tournament
from moderator.views import tournament_view

MOST = 300
"""Characters; a longer mail says more than yes or no."""


def read_invitation_answer(
    desk: Desk, writer: Identity, code: str, lines: list[Line]
) -> UnplacedLines | CommandLine | None:
    """Return what becomes of the answer to a mail about tournament ``code``: the command to join, the lines that its
    writer gets back, or None where it is no such answer."""
    every = tournaments.list_all_tournaments(desk.session) if code else ()
    tournament = next((one for one in every if one.code == code), None)
    text = "\n".join(line.text for line in lines)
    if tournament is None or not lines or len(text) > MOST or not _may_answer_invitation(desk, writer, tournament):
        return None
    commands = [line for line in lines if find_command(line.text) is not None]
    joins = [line for line in commands if _is_join_line(line, code)]
    own = [line for line in lines if line not in joins]
    if len(commands) > len(joins) or not own or find_order_lines(desk, writer, (), lines):
        return None
    said = "\n".join(line.text for line in own)
    denied = parse_yes_no(own) is False or wishes.is_denial(said)
    agreed = bool(joins) or parse_yes_no(own) is True or wishes.is_wish_to_join(said)
    if agreed and not denied and "?" not in said:
        return CommandLine(
            get_player_commands()[tournament_words.COMMAND],
            lines[0],
            f"{code} {tournament_words.get_wish_phrase('join')}",
        )
    return _answer_without_joining(
        desk, writer, tournament, own, said, declined=denied and not agreed and "?" not in said
    )


def _may_answer_invitation(desk: Desk, writer: Identity, tournament: Tournament) -> bool:
    return tournament.status == TournamentStatus.OPEN or tournament in tournament_view.list_joinable_tournaments(
        desk, writer.player
    )


def _is_join_line(line: Line, code: str) -> bool:
    found = find_command(line.text)
    wish = (
        tournament_words.parse_tournament_wish(found[1])
        if found and found[0].name == tournament_words.COMMAND
        else None
    )
    return wish is not None and wish.what == "join" and wish.tournament.upper() in ("", code)


def _answer_without_joining(
    desk: Desk, writer: Identity, tournament: Tournament, own: list[Line], said: str, *, declined: bool
) -> UnplacedLines:
    """Return the answer to a no, to a question, or to words that may mean either."""
    language, facts = writer.player.language, {"cup": tournament.name, "code": tournament.code}
    entry = tournaments.find_tournament_entry(desk.session, tournament, writer.player)
    is_in = entry is not None and entry.state in (EntryState.IN, EntryState.STANDBY)
    word = get_player_commands()[tournament_words.COMMAND].get_text(language).first_word.capitalize()
    enter, leave = (
        f"{word} {tournament.code} {tournament_words.get_wish_phrase(what, language)}" for what in ("join", "leave")
    )
    if declined and not is_in:
        heard = Note("invitation-declined", {**facts, "line": enter})
        return UnplacedLines([LineOutcome(own[0].number, own[0].text, "command", notes=(heard,))], None, failed=False)
    offers = [LineOffer(Note("wish-cup-leave"), leave)] if is_in and wishes.is_denial(said) else []
    offers += [] if is_in else [LineOffer(Note("wish-enter"), enter)]
    if not declined:
        question = get_player_commands()["question"].get_text(language).first_word.upper()
        offers.append(LineOffer(Note("wish-question"), f"{question}: {' '.join(said.split())}"))
    state = Note("invitation-entered" if is_in else "invitation-open", facts)
    read = [LineOutcome(own[0].number, own[0].text, "text", notes=(state,))]
    return UnplacedLines(read, None, failed=False, offers=ask_confirmation(desk, offers))
