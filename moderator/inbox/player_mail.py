"""A known player's mail: what is read in it, and that every line of it is answered for.

Where nothing in it was an order or a command, what could not be read of it is named, and what to do instead: a photo
beside a move needs no word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from moderator.commands.declaration import CommandLine, CommandScope, find_command, with_tournament_names
from moderator.commands.player import tournament_words
from moderator.common import tokens
from moderator.common.errors import Impossible
from moderator.common.mails import Line, ParsedMail
from moderator.inbox.decide import (
    add_unopened_notes,
    answer_unplaced,
    build_context,
    build_unopened_notes,
    decide_doubtful_section,
    decide_section,
    decide_without_match,
    drop_own_lines,
    has_instruction,
    run_or_defer_command,
)
from moderator.inbox.identify import list_other_seat_codes
from moderator.inbox.job import DoubtfulSection, Instructions, MailJob, MailSection, Purpose, UnplacedLines
from moderator.inbox.match_names import MatchNameReader
from moderator.inbox.own_words import (
    answer_declined_offer,
    drop_own_quote,
    expand_plain_answer,
    read_invitation_answer,
    strip_answer_label,
)
from moderator.inbox.places import build_name_reader, find_place
from moderator.inbox.read import limit_lines, split_sections
from moderator.notifications.pages import LineOutcome
from moderator.rules.game import Note
from moderator.service import puzzles
from moderator.store import outbox
from moderator.store.database import Session
from moderator.store.matches import Place

MAX_LINES = 100
"""More lines of new text than that are no orders; the rest is counted in the receipt."""
MAX_CHARS = 30_000
"""Nor is more text than that."""


def read_player_mail(job: MailJob) -> None:
    """Read what the mail says: a plain answer in its writer's own words, or orders and commands per match."""
    lines, own = drop_own_lines(job.session, job.mail)
    lines, quoted = drop_own_quote(job, lines)
    lines = expand_plain_answer(job, strip_answer_label(lines))
    read = job.instructions = Instructions(lines, dict(job.mail.ignored))
    read.heard = answer_declined_offer(job, lines) or read_invitation_answer(job, _find_tournament(job), lines)
    if read.heard is not None:
        return
    kept = limit_lines(lines, MAX_LINES, MAX_CHARS)
    beyond = len(lines) - len(kept) + read.ignored.pop("too-long", 0)
    counts = {"own": own, "quote": read.ignored.get("quote", 0) + quoted, "beyond": beyond}
    read.lines, read.ignored = kept, read.ignored | {kind: count for kind, count in counts.items() if count}
    read.naming = build_name_reader(job, "\n".join([job.mail.subject, *(line.text for line in kept)]))
    read.sections = _split_player_sections(job)


def _find_tournament(job: MailJob) -> str:
    """Return the code of the tournament that the mail is about by its subject; "" = none."""
    return "" if job.writer.match else tournament_words.find_tournament_in_subject(job.mail.subject)


def _split_player_sections(job: MailJob) -> list[MailSection]:
    """Split the lines into what concerns which match; lines for several seats once for each."""
    mail, read = job.mail, job.instructions
    verbs = with_tournament_names(cache(lambda: tournament_words.list_all_name_keys(job.session)))
    ended, elsewhere = bool(mail.ignored.get("after-end")), _list_other_subject_codes(job, read.naming)
    return split_sections(read.lines, mail.subject, verbs, ended, job.player.name, read.naming, elsewhere)


def decide_player_mail(job: MailJob) -> None:
    """Act on everything in the mail. Raises MatchSuspended when one of its matches cannot go on."""
    read = job.instructions
    if read.heard is not None:
        _answer_own_words(job, read.heard)
        return
    doubtful = [one for one in read.sections if isinstance(one, DoubtfulSection)]
    asked = [line for one in doubtful for line in decide_doubtful_section(job, one)]
    clear = [one for one in read.sections if not isinstance(one, DoubtfulSection)]
    clear += _copy_to_other_seats(clear, list_other_seat_codes(job) if job.writer.seat else ())
    wanted = any(one.commands for one in (*clear, *doubtful)) or any(line.is_unfulfilled for line in asked)
    placed, unplaced = _decide_sections(job, clear or [MailSection("")], asked)
    why = () if wanted else _report_unread_parts(job, placed, unplaced)
    answer_unplaced(job, unplaced, why)


def _answer_own_words(job: MailJob, heard: UnplacedLines | CommandLine) -> None:
    """Answer a mail that is an answer in its writer's own words."""
    if isinstance(heard, CommandLine):
        done, lines = run_or_defer_command(job, build_context(job, heard))
        heard = UnplacedLines([] if done.mailed else lines, None, failed=any(line.is_unfulfilled for line in lines))
    if heard.lines:
        answer_unplaced(job, [heard])


def _decide_sections(
    job: MailJob, sections: Sequence[MailSection], asked: Sequence[LineOutcome]
) -> tuple[list[Place], list[UnplacedLines]]:
    """Decide one section after the other; what one of them does may give the next its place. Returns (the places, what
    has none). ``asked``: lines in doubt, which are answered for with the first place."""
    rounds, tournament = _find_answered_rounds(job.session, job.mail), _find_tournament(job)
    placed: list[Place] = []
    unplaced: list[UnplacedLines] = []
    for section in sections:
        section.commands = _drop_repeated_commands(section.commands)
        if not section.code:
            section.commands = [tournament_words.expand_short_answer(tournament, one) for one in section.commands]
        place = find_place(job.session, job.writer, section.code, bool(section.lines))
        if isinstance(place, Note):
            unplaced += decide_without_match(job, section, place)
        else:
            decide_section(job, section, place, asked, rounds.get(place[0].number, 0))
            placed.append(place)
            asked = ()
    return placed, [*unplaced, *([UnplacedLines(asked, None, failed=True)] if asked else [])]


def _copy_to_other_seats(sections: Sequence[MailSection], codes: Sequence[str]) -> list[MailSection]:
    """Return the lines above any heading once more for each other match to whose seat the mail is addressed."""
    first = next((one for one in sections if not one.code and not isinstance(one, DoubtfulSection)), None)
    named = {one.code for one in sections}
    if first is None:
        return []
    commands = [one for one in first.commands if one.command.scope is CommandScope.MATCH]
    return [
        MailSection(code, lines=list(first.lines), commands=list(commands), courteous=set(first.courteous))
        for code in codes
        if code not in named
    ]


def _report_unread_parts(job: MailJob, placed: Sequence[Place], unplaced: Sequence[UnplacedLines]) -> tuple[Note, ...]:
    """Return notes about what was not read of a mail in which there is neither order nor command, and enter them into
    the receipts of its matches."""
    work, number = job.work, job.player.number
    why = build_unopened_notes(job.mail, job.instructions.lines)
    receipts = [work.events_of(match).receipts.get(number) for match, _ in placed]
    read = [line for one in (*receipts, *unplaced) if one is not None for line in one.lines]
    if not why or has_instruction(job, read):
        return ()
    for place, receipt in zip(placed, receipts, strict=True):
        if receipt is not None:
            work.events_of(place[0]).receipts[number] = add_unopened_notes(job, receipt, why, place)
    return why


def _find_answered_rounds(session: Session, mail: ParsedMail) -> dict[int, int]:
    """Return match id -> the latest round of that match that a mail of ours was about to which this one refers."""
    if not mail.in_reply_to:
        return {}
    return outbox.load_latest_rounds(session, (mail.in_reply_to[0], *mail.in_reply_to[-10:]))


def _list_other_subject_codes(job: MailJob, naming: MatchNameReader) -> tuple[str, ...]:
    """Return the codes of other matches of the writer's that the subject of an answer to a match's own address names,
    if it does not name that match."""
    codes = tokens.find_code_words(job.mail.subject) if job.writer.seat else []
    return () if naming.here in codes else tuple(code for code in codes if code in naming.matches_by_code)


def _drop_repeated_commands(commands: Sequence[CommandLine]) -> list[CommandLine]:
    """Return the commands without repetitions of those that lead to a mail."""
    asked: set[tuple[str, str]] = set()
    kept: list[CommandLine] = []
    for request in commands:
        what = request.name, request.argument.casefold()
        if not (request.command.asks or request.command.once) or what not in asked:
            kept.append(request)
        asked.add(what)
    return kept


# ---- the puzzle of the week ----


def decide_puzzle_answer(job: MailJob) -> None:
    """Act on a mail to the address for answers to the puzzle of the week: a move alone is the answer. Commands in it
    are done like those of any other mail, if it is its owner's own; lines below one that brings a text are that text.
    Nothing in it is ever an order in a match."""
    lines, _ = drop_own_lines(job.session, job.mail)
    lines = limit_lines(lines, MAX_LINES, MAX_CHARS)
    commands, rest = _split_commands(lines) if job.writer.whole else ([], lines)
    if commands:
        apart = job.read_as(commands, replace(job.writer, purpose=Purpose.PLAY))
        read_player_mail(apart)
        decide_player_mail(apart)
    said = [line for line in rest if line.text.strip()]
    if commands and not said:
        return
    try:
        game, read = puzzles.PuzzleReader(job.work, job.player).answer_puzzle(said)
    except Impossible as error:
        game, read = puzzles.refuse_puzzle_answer(job.work.session, said, error)
    if commands and all(line.status == "text" for line in read):
        return  # a greeting beside a command
    puzzles.PuzzleReader(job.work, job.player).notify_receipt(game, read)


def _split_commands(lines: Sequence[Line]) -> tuple[list[Line], list[Line]]:
    """Return the lines of commands, and all others."""
    commands: list[Line] = []
    rest: list[Line] = []
    for at, line in enumerate(lines):
        found = find_command(line.text)
        if found is not None and found[0].body:
            return [*commands, *lines[at:]], rest
        (rest if found is None else commands).append(line)
    return commands, rest
