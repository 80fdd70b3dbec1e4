"""A mail in its writer's own words: a yes to an invitation or to a question of ours, a wish that is asked back, a
question that is passed on, and lines that only look like commands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from string import ascii_uppercase

from moderator.commands.declaration import CommandGroup, CommandLine, find_command, get_player_commands
from moderator.commands.player import tournament_words
from moderator.commands.player.letters import forward_to_staff
from moderator.common import tokens
from moderator.common.disk import LANGUAGES
from moderator.common.enums import EntryState, LogEntryKind, TournamentStatus
from moderator.common.errors import PlayerError
from moderator.common.mails import Line, ParsedMail
from moderator.inbox import wishes
from moderator.inbox.job import MailJob, MailSection, UnplacedLines
from moderator.inbox.places import find_move_lines, find_order_lines, load_readonly_match
from moderator.inbox.uncertain_mails import iter_last_mails
from moderator.inbox.wishes import WishScene, iter_moves_with_tile, offer_possible_move, parse_move
from moderator.language.messages import load_labels, write_move
from moderator.language.spelling import parse_yes_no
from moderator.mail.parse import parse_mail_bytes
from moderator.mail.reply import normalize_line
from moderator.notifications.pages import LineOffer, LineOutcome
from moderator.rules.game import Note
from moderator.service import orders
from moderator.service.match.match import Match
from moderator.service.tournaments.club_tournament import ClubTournament
from moderator.store import inbox, matches_log, outbox, tournaments
from moderator.store.matches import Place
from moderator.store.tables import InboxRow, MatchRow, PlayerRow, SeatRow, Tournament
from moderator.views import tournament_view
from moderator.views.loaded_match import LiveMatch
from moderator.views.tournament_rows import StoredTournament

QUESTION = Note("question-passed-on")
"""Of a line that went to whoever is in charge."""
FOOTERS = frozenset({"help", "leave", "rules"})
"""Commands besides those of the settings that lines under a mail may read like."""
FEW_WORDS = 4
"""Of fewer it is asked whether they are to be passed on: people say such things beside a move."""
YES_AND_NAME = 3
"""Lines: an answer to a question, with a greeting and a name."""

_YES = "|".join(load_labels(one)["yes-move"].partition(",")[0] for one in LANGUAGES)
_ANSWER_AND_MOVE = re.compile(rf"\W*(?:{_YES})\W+[»«“„\"](.+?)[«»”“\"]\s*(?:[–-].*)?", re.IGNORECASE)
"""»Ja, »J4 s RUHT« – 8 Punkte«: the label of a button (``yes-move-points``), as a mail shows it in its text."""


def strip_answer_label(lines: Sequence[Line]) -> list[Line]:
    """Return the lines with the bare move of an answer that was copied out of a mail."""
    labels = [(line, _ANSWER_AND_MOVE.fullmatch(line.text.strip())) for line in lines]
    return [Line(line.number, label[1].strip()) if label else line for line, label in labels]


def expand_plain_answer(job: MailJob, lines: list[Line]) -> list[Line]:
    """Return the line that a mail stands for which says no more than yes or no: what we have offered, or the answer to
    a wish of another player's; else the lines of the mail."""
    said = parse_yes_no(lines)
    if said is None or len(lines) > YES_AND_NAME or len(lines[0].text.split()) > 2:
        return lines
    if offered := _find_offered_line(job):
        return [Line(lines[0].number, offered)] if said else lines
    if not _is_asked_by_another(job):
        return lines
    answer = get_player_commands()["agree" if said else "refuse"].get_text(job.player.language)
    return [Line(lines[0].number, answer.first_word.upper())]


def _is_asked_by_another(job: MailJob) -> bool:
    """Return whether a player's wish waits for the writer's answer, in the match or tournament that the mail is about:
    to take back a move, to play a game on a ladder."""
    work, writer = job.work, job.writer
    if writer.match is not None and writer.seat is not None:
        live = load_readonly_match(work, writer.match)
        asked = live.table.asked if live is not None else None
        return asked is not None and writer.seat.number not in asked.agreed
    code = tournament_words.find_tournament_in_subject(job.mail.subject)
    tournament = next((one for one in tournaments.list_all_tournaments(job.session) if one.code == code), None)
    if tournament is None or tournament.status != TournamentStatus.RUNNING:
        return False
    if StoredTournament(job.session, tournament).format.in_rounds:
        return False
    entry = tournaments.find_tournament_entry(job.session, tournament, job.player)
    return entry is not None and ClubTournament(work, tournament).find_waiting_challenge(entry.number) is not None


def answer_declined_offer(job: MailJob, lines: list[Line]) -> UnplacedLines | None:
    """Return the answer to a no, where we have asked and nothing else is ordered; else None."""
    if len(lines) > YES_AND_NAME or parse_yes_no(lines) is not False or not _find_offered_line(job):
        return None
    if any(find_command(line.text) is not None for line in lines) or find_order_lines(job, (), lines):
        return None
    notes = (Note("offer-declined"),)
    return UnplacedLines([LineOutcome(lines[0].number, lines[0].text, "command", notes=notes)], None, failed=False)


def _find_offered_line(job: MailJob) -> str:
    """Return the line that was offered by the mail of ours that this one answers; for a mail that answers none, by the
    last one to the same place. "" = nothing was offered there."""
    session, mail, acts_on = job.session, job.mail, job.work.acts_on
    sent = outbox.list_mails_by_message_id(session, mail.in_reply_to[-10:])
    asked: InboxRow | None = None
    if sent:  # References name the whole thread; the newest is the one that was answered
        number = max(sent, key=lambda one: one.id or 0).inbox_id
        asked = session.get(InboxRow, number) if number else None
    elif acts_on is not None:
        before = inbox.list_last_mails_of_sender(session, acts_on, timedelta(days=14), 1)
        asked = next(
            (one for one in before if _get_mail_tokens(parse_mail_bytes(one.raw)) == _get_mail_tokens(mail)), None
        )
    return asked.offered if asked is not None and asked.sender == mail.sender else ""


def _get_mail_tokens(mail: ParsedMail) -> set[tuple[str, str]]:
    """Return the tokens to which a mail was sent."""
    return {*tokens.find_tokens((*mail.recipients, mail.subject))}


def drop_own_quote(job: MailJob, lines: list[Line]) -> tuple[list[Line], int]:
    """Return (the lines, how many are left out) without what the writer has sent before and quotes below a line with a
    colon, without a mark: in any language that line says who wrote it."""
    heads = [at for at, line in enumerate(lines) if at and line.text.rstrip().endswith((":", "："))]
    if not heads or job.work.acts_on is None:
        return lines, 0
    last = iter_last_mails(job.session, job.work.acts_on)
    known = {normalize_line(line.text) for mail in last for line in mail.lines}
    for at in heads:
        if at + 1 < len(lines) and all(normalize_line(line.text) in known for line in lines[at + 1 :]):
            return lines[:at], len(lines) - at
    return lines, 0


def find_recalled_move(live: LiveMatch, player: PlayerRow, seat: SeatRow, section: MailSection) -> LineOffer | None:
    """Return the move of a mail whose other words say that it shall not count; it is not played, but asked about."""
    if len(section.lines) < 2 or live.table.state.over or live.table.pace == "race":
        return None  # nearly every order is one line, and is read only once
    moves = find_move_lines(live, seat.number, section.lines)
    if not moves or not wishes.is_recall(" ".join(one.text for one in section.lines if one.number not in moves)):
        return None
    return LineOffer(Note("wish-recalled"), write_move(next(iter(moves.values())), player.language, live.game.key))


def find_footer_commands(live: LiveMatch, seat: SeatRow, section: MailSection) -> list[CommandLine]:
    """Return the commands that change settings, but stand below a move and a blank line, as what programs put under a
    mail."""
    doubtful = [one for one in section.commands if one.command.group is CommandGroup.SETTINGS or one.name in FOOTERS]
    if not doubtful or not section.lines:
        return []
    moves = find_move_lines(live, seat.number, section.lines)
    if not moves:
        return []
    written = {line.number for line in section.lines} | {one.line.number for one in section.commands}
    blank = [number for number in range(min(moves) + 1, max(written)) if number not in written]
    return [one for one in doubtful if any(number < one.line.number for number in blank)]


def filter_new_footers(job: MailJob, footers: Sequence[CommandLine]) -> list[CommandLine]:
    """Return the commands that did not stand under one of the writer's last mails: nobody is asked twice about
    these."""
    if not footers or job.work.acts_on is None:
        return []
    known = {line.text for mail in iter_last_mails(job.session, job.work.acts_on) for line in mail.lines}
    return [one for one in footers if one.line.text not in known]


def interpret_prose(
    job: MailJob, place: Place, section: MailSection, read: Sequence[LineOutcome], *, beside: bool
) -> tuple[list[LineOutcome], tuple[LineOffer, ...]]:
    """Return (the lines, what is asked back) for what is neither move nor command: a question goes to whoever is in
    charge, a wish is asked back. ``beside``: something else in the mail was understood."""
    work, player, (match, seat) = job.work, job.player, place
    prose = [one for one in read if one.status in ("text", "error") and one.number not in section.courteous]
    prose = [one for one in prose if one.status == "text" or wishes.is_sentence(one.text)]
    text = "\n".join(one.text for one in prose)
    if not prose and (beside or not any(one.status in ("move", "error") for one in read)):
        return list(read), ()
    if wishes.is_question_to_referee(text):
        notes = forward_question(job, match, text)
        return [replace(one, status="command", notes=notes, example="") if one in prose else one for one in read], ()
    live = load_readonly_match(work, match)
    last = matches_log.find_last_seat_event(
        job.session, match.number, seat.number, (LogEntryKind.ORDER, LogEntryKind.MOVE, LogEntryKind.TRIED)
    )
    scene = wishes.WishScene(work, player, match.code, live, seat.number, last.text if last is not None else "")
    near = [] if beside else list_near_readings(scene, read)
    if near or not prose:
        return list(read), ask_confirmation(job, near)
    found = wishes.list_offers(scene, text, beside=beside)
    unexplained = live is not None and not beside and all(one.note.code == "wish-question" for one in found)
    tried = wishes.list_meant_moves(scene, text) if unexplained else []
    if live is not None and len(tried) == 1:
        line = Line(prose[0].number, write_move(tried[0], player.language, live.game.key))
        found, why = (), orders.preview_lines(Match(work, match, live), player, seat, [line])
        read = [one for one in read if one not in prose] + [*why]
    if not found:
        return list(read), ()
    if is_nobodys_wish(found, text) and not beside and (told := pass_words_on(job, match, text)):
        return [replace(one, status="text", notes=told, example="") if one in prose else one for one in read], ()
    calm = [replace(one, status="text", notes=(), example="") if one in prose else one for one in read]
    return calm, ask_confirmation(job, found)


def forward_question(job: MailJob, match: MatchRow | None, text: str) -> tuple[Note, ...]:
    try:
        forward_to_staff(job.work, job.player, match, text)
    except PlayerError as error:
        return (Note(error.code, error.params),)
    return (QUESTION,)


def is_nobodys_wish(found: Sequence[LineOffer], text: str) -> bool:
    """Return whether nothing else comes to mind for a sentence than to pass it on."""
    said = len(text.split()) >= FEW_WORDS and wishes.is_sentence(text)
    return said and [one.note.code for one in found] == ["wish-question"]


def pass_words_on(job: MailJob, match: MatchRow | None, text: str) -> tuple[Note, ...]:
    """Pass on what nobody understands, and return the note that says so; () where it was too much, or where words only
    go with something that could not be opened."""
    if job.mail.unopened:
        return ()
    try:
        forward_to_staff(job.work, job.player, match, text)
    except PlayerError:
        return ()
    return (Note("words-passed-on"),)


def ask_confirmation(job: MailJob, found: Sequence[LineOffer]) -> tuple[LineOffer, ...]:
    """Return the offers; if there is only one, store it with the mail, so that yes is enough as an answer."""
    asked = job.work.acts_on
    if [one.whole for one in found] == [True] and asked is not None:
        asked.offered, asked.note = found[0].line, f"asked back: {found[0].line}"
        job.session.add(asked)
    return tuple(found)


# ---- The answer to the invitation to a tournament, in whatever words: a plain yes enters, a plain no is heard, and
# whatever may be either is asked back.


MOST = 300
"""Characters; a longer mail says more than yes or no."""


def read_invitation_answer(job: MailJob, code: str, lines: list[Line]) -> UnplacedLines | CommandLine | None:
    """Return what becomes of the answer to a mail about tournament ``code``: the command to join, the lines that its
    writer gets back, or None where it is no such answer."""
    every = tournaments.list_all_tournaments(job.session) if code else ()
    tournament = next((one for one in every if one.code == code), None)
    text = "\n".join(line.text for line in lines)
    if tournament is None or not lines or len(text) > MOST or not _may_answer_invitation(job, tournament):
        return None
    commands = [line for line in lines if find_command(line.text) is not None]
    joins = [line for line in commands if _is_join_line(line, code)]
    own = [line for line in lines if line not in joins]
    if len(commands) > len(joins) or not own or find_order_lines(job, (), lines):
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
    return _answer_without_joining(job, tournament, own, said, declined=denied and not agreed and "?" not in said)


def _may_answer_invitation(job: MailJob, tournament: Tournament) -> bool:
    return tournament.status == TournamentStatus.OPEN or tournament in tournament_view.list_joinable_tournaments(
        job.work.session, job.player
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
    job: MailJob, tournament: Tournament, own: list[Line], said: str, *, declined: bool
) -> UnplacedLines:
    """Return the answer to a no, to a question, or to words that may mean either."""
    language, facts = job.player.language, {"cup": tournament.name, "code": tournament.code}
    entry = tournaments.find_tournament_entry(job.session, tournament, job.player)
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
    return UnplacedLines(read, None, failed=False, offers=ask_confirmation(job, offers))


# ---- near readings of an order that cannot be played, or not be read: the same with another square, direction or end
#
# A referee changes notation, and never finds a word for anybody: what is offered has the words and tiles that were
# written, can be read, and can be played now. More than a few readings are none.


_PLACED = re.compile(r"(\w+) ([ws]) (.+)")
"""A word on a board, in notation."""
_SQUARE = re.compile(r"(?<!\w)(?:[A-Za-z]{1,2}\s?\d{1,2}|\d{1,2}\s?[A-Za-z])(?!\w)")
_COLUMN = re.compile(r"(?<!\w)[A-Za-z](?=\s+[A-Za-z])")
_ROW = re.compile(r"(?<!\w)\d{1,2}(?!\w)")
_ROWS = 26
_BY_TIME = frozenset(
    {"too-late", "older-round", "seat-is-out", "move-in-first", "race-given-up", "race-stands", "scores-less"}
)
"""Reasons that no other notation changes."""


def list_near_readings(scene: WishScene, read: Sequence[LineOutcome]) -> list[LineOffer]:
    """Return the moves that the only order of a mail may mean; [] where there are none, or too many to ask."""
    live = scene.live
    orders = [one for one in read if one.status in ("move", "fallback", "error")]
    if live is None or live.table.state.over or live.table.pace == "race" or len(orders) != 1:
        return []
    (line,) = orders
    if line.points is not None or any(note.code in _BY_TIME for note in line.notes):
        return []
    moves = dict.fromkeys(parse_move(live, scene.seat, text) for text in _iter_readings(scene, live, line))
    found: list[LineOffer] = []
    for move in moves:
        if move and move != line.canonical and (offer := offer_possible_move(scene, live, move)):
            found.append(offer)
        if len(found) > wishes.MOST:
            return []
    return found


def _iter_readings(scene: WishScene, live: LiveMatch, line: LineOutcome) -> Iterator[str]:
    """Yield what the line may mean, possible or not."""
    codes = {note.code for note in line.notes}
    for note in line.notes:
        yield from (str(one) for one in note.params.get("readings", ()))
    if placed := _PLACED.fullmatch(line.canonical):
        square, direction, rest = placed.groups()
        yield f"{square} {'s' if direction == 'w' else 'w'} {rest}"
    elif "no-direction" in codes:
        yield from (_SQUARE.sub(rf"\g<0> {way}", line.text, count=1) for way in ("w", "s"))
    elif "no-square" in codes:
        yield from (_COLUMN.sub(rf"\g<0>{row}", line.text, count=1) for row in range(1, _ROWS + 1))
        yield from (_ROW.sub(rf"{column}\g<0>", line.text, count=1) for column in ascii_uppercase)
    if not live.game.uses_words:
        words = [line.canonical.partition("@")[0]] if "@" in line.canonical else re.findall(r"\w+", line.text)
        yield from iter_moves_with_tile(scene, live, words)
