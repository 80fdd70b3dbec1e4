"""What the moderator looks at: who is missing, how a match stands, what an evaluation would give now, which mails wait
for a word, and what can be commanded."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from moderator.commands.declaration import (
    Command,
    CommandArgument,
    CommandGiver,
    CommandReach,
    CommandScope,
    ShellCommand,
    get_staff_commands,
)
from moderator.commands.moderator.turns import build_move_notes
from moderator.commands.moderator_call import (
    ABOUT_A_MATCH,
    HERE,
    MATCH,
    RUNNING,
    Outcome,
    StaffCommandContext,
    require_running_match,
)
from moderator.common.enums import MatchStatus, SeatLeftReason
from moderator.common.errors import Impossible, Misused, OperatorError
from moderator.common.mails import Line
from moderator.common.message_files import load_word_pattern
from moderator.notifications.task import StaffMember
from moderator.rules.events import SeatLost
from moderator.rules.game import Note
from moderator.service import held_mails
from moderator.service.match.match import Match
from moderator.service.orders import preview_lines
from moderator.store import questions
from moderator.store.tables import LOOK, MatchRow, PlayerRow
from moderator.views import people
from moderator.views.loaded_match import LiveMatch, MatchSuspended
from moderator.views.people import get_play_style
from moderator.views.unit_of_work import UnitOfWork

Detail = dict[str, Any]
ROBOT = {
    "beginner": "boss-robot-beginner",
    "club": "boss-robot-club",
    "strong": "boss-robot-strong",
    "program": "boss-robot-program",
}
"""By how it plays."""


_declare = partial(Command, scope=CommandScope.EITHER, who=CommandGiver.MODERATOR, reach=CommandReach.MATCHES)


@_declare(
    "missing",
    rank=20,
    pattern=ABOUT_A_MATCH,
    arguments=(RUNNING,),
    shell=ShellCommand("missing", "List the players whose move is missing, and what is known about them."),
)
def report_missing_players(work: UnitOfWork, matches: Sequence[MatchRow]) -> Outcome:
    """Return the seats that each of these matches waits for, and what is known about them."""
    for match in matches:
        if match.status != MatchStatus.SUSPENDED:
            require_running_match(work, match)
    return tuple(note for match in matches for note in _report_match(work, match))


def _report_match(work: UnitOfWork, match: MatchRow) -> Outcome:
    try:
        playing = Match.load(work, match)
    except MatchSuspended as error:
        return (Note("boss-suspended", {"text": error.reason}),)
    heads = [_build_match_head(playing)]
    plans = playing.awaited.build_schedules()
    for seat, player in work.list_seated(match):
        if seat.number in playing.live.table.out:
            heads.append(Note("boss-seat-plays-no-more", {"name": player.name}))
            continue
        # What waits is let count by the chief alone.
        waits = held_mails.list_held_of_seat(work.session, match, player) if people.get_commander(work).is_chief else []
        if waits or _needs_mention(playing.live, seat.number, player):
            plan = plans.get(seat.number)
            details = _list_seat_details(playing, seat.number, player, plan.final if plan else None) + waits
            due = plan.final if plan else match.deadline
            facts = {"match": match.code, "seat": seat.number, "deadline": due}
            heads.append(Note("boss-seat", {"name": player.name, "faults": details, **facts}))
    return tuple(heads)


def _build_match_head(match: Match) -> Note:
    state = match.live.table.state
    values = {
        "game": match.row.game,
        "name": match.row.name,
        "match": match.row.code,
        "round": state.public.round,
        "deadline": match.row.deadline,
        "since": match.row.stopped_at,
        "words": questions.list_open_words(match.session, match.row.number) if match.row.held else [],
    }
    stopped = f"-{match.row.stopped}" if match.row.stopped else ""
    code = "boss-match-held" if match.row.held else "boss-match-over" if state.over else f"boss-match{stopped}"
    return Note(code if match.row.deadline or match.row.held or state.over else "boss-match-free", values)


def _needs_mention(live: LiveMatch, seat: int, player: PlayerRow) -> bool:
    known = live.get_stored_order_state(seat) != "none" or live.table.flags.get(seat) or player.undeliverable
    return seat in live.seats_to_act or bool(known)


def _list_seat_details(match: Match, seat: int, player: PlayerRow, final: Any) -> list[Detail]:
    """Return all that is known about one seat, as codes with their parameters."""
    work, live = match.work, match.live
    account = live.ledger.seats[seat]
    found: list[Detail] = [{"code": code}] if (code := find_order_code(live, seat)) else []
    if player.robot:
        return [*found, {"code": ROBOT[get_play_style(work.config, player)]}]
    if final is not None:
        found.append({"code": "boss-final", "deadline": final})
    if live.terms.bank or account.bank:
        found.append({"code": "boss-bank", "count": account.bank})
    if flag := live.table.flags.get(seat):
        found.append({"code": f"boss-flag-{flag}"})
    if account.missed:
        found.append({"code": "boss-missed", "count": account.missed, "row": account.in_row})
    if player.undeliverable:
        found.append({"code": "boss-bounced"})
    today = work.today
    for leave in work.cache.list_player_leaves(work.session, player.number):
        if leave.last >= today:
            found.append({"code": "boss-leave", "first": leave.first, "last": leave.last})
    return found


def find_order_code(live: LiveMatch, seat: int) -> str:
    """Return the code that says to the moderator whether a seat has submitted; "" where nothing is wanted and nothing
    stored."""
    order = live.get_stored_order_state(seat)
    if seat not in live.seats_to_act:
        return {"none": "", "possible": "boss-ordered-ahead", "impossible": "boss-ordered-ahead-in-vain"}[order]
    if live.has_submitted(seat):
        return "boss-ordered"
    if order == "impossible" or live.table.tried.get(seat):
        return "boss-missing-in-vain" if order == "impossible" else "boss-missing-tried"
    return "boss-missing-put-off" if order == "possible" else "boss-no-order-yet"


@_declare(
    "status", scope=CommandScope.MATCH, rank=30, pattern=ABOUT_A_MATCH, arguments=(MATCH,), elsewhere="match show"
)
def report_match_status(work: UnitOfWork, match: MatchRow) -> Outcome:
    """Return the scores, and the seats that are awaited. Raises MatchSuspended."""
    playing = Match.load(work, match) if match.status != MatchStatus.OPEN else require_running_match(work, match)
    players = work.list_players(match)
    scores = [f"{player.name} {playing.live.table.state.scores[seat]}" for seat, player in enumerate(players)]
    told = _report_match(work, match) if match.status == MatchStatus.RUNNING else (_build_match_head(playing),)
    return (told[0], Note("boss-scores", {"names": scores}), *told[1:])


@_declare(
    "preview",
    scope=CommandScope.MATCH,
    rank=40,
    pattern=ABOUT_A_MATCH,
    arguments=(MATCH,),
    shell=ShellCommand("preview", "Show what ending the round now would give. Nothing changes, nobody is told."),
)
def preview_evaluation(work: UnitOfWork, match: MatchRow) -> Outcome:
    """Return the result that an evaluation would have now. It is carried out, and taken back before anybody sees it."""
    playing = require_running_match(work, match)
    if match.held:
        raise Impossible("boss-held", match=match.code, words=questions.list_open_words(work.session, match.number))
    tried = _preview_stored_orders(playing)
    with work.begin_trial() as apart:
        row = apart.session.get_one(MatchRow, match.number)
        foreseen = Match.load(apart, row)
        foreseen.settle_turn()
        told = _report_foreseen(foreseen)
    work.session.refresh(match)
    heading = Note("boss-preview", {"match": match.code, "round": playing.live.table.state.public.round})
    return (heading, *tried, *told, Note("boss-preview-only"))


def _preview_stored_orders(match: Match) -> tuple[Note, ...]:
    """Return, where one seat acts at a time, the stored order of the awaited seat, which was not possible so far."""
    if match.live.table.pace != "sequential":
        return ()
    told = []
    for seat, player in match.seated:
        text = match.live.table.orders.get(seat.number, "")
        if text and seat.number in match.live.seats_to_act:
            found = preview_lines(match, player, seat, [Line(1, text)])
            possible = any(line.points is not None for line in found)
            code = "boss-stored-possible" if possible else "boss-stored-impossible"
            told.append(Note(code, {"name": player.name, "move": text}))
    return tuple(told)


def _report_foreseen(match: Match) -> Outcome:
    if match.row.held:
        return (Note("boss-would-hold", {"words": questions.list_open_words(match.session, match.row.number)}),)
    progress = match.events
    told = list(build_move_notes(match, progress.results))
    if progress.new_holders:
        names = [match.players[seat].name for seat in sorted(progress.new_holders)]
        told.append(Note("boss-would-hand-over", {"names": names}))
    players = match.players
    gone = [one for one in progress.happened if isinstance(one, SeatLost)]
    lost = [one.seat for one in gone if one.why == SeatLeftReason.ABANDONED]
    told += [Note("boss-would-give-up", {"name": players[seat].name}) for seat in lost]
    scores = [f"{player.name} {match.live.table.state.scores[seat]}" for seat, player in enumerate(players)]
    return (*told, Note("boss-then-over" if match.live.table.state.over else "boss-then", {"names": scores}))


@_declare(
    "today",
    scope=CommandScope.CLUB,
    rank=15,
    reach=CommandReach.SELF,
    arguments=(CommandArgument("waiting", lambda call: call.today),),
    elsewhere="today",
)
def report_pending_tasks(work: UnitOfWork, waiting: Callable[[], Outcome]) -> Outcome:
    """Return everything that waits for the moderator, see the package ``report_pending_tasks``."""
    return waiting()


_THROUGH = re.compile(rf"\s+{load_word_pattern(HERE, 'boss-through')}\s+", re.IGNORECASE)
_AND = re.compile(rf"\s+{load_word_pattern(HERE, 'boss-and')}\s+", re.IGNORECASE)


def _parse_mail_numbers(call: StaffCommandContext) -> list[int]:
    """Return the numbers of mails that wait: ``17``, ``17 and 18``, ``33-99``."""
    text = call.whole_argument
    ranges = held_mails.parse_mail_ranges(_AND.sub(", ", _THROUGH.sub("-", text)))
    if not ranges:
        raise Misused("boss-which-number")
    try:
        return held_mails.list_mail_numbers(call.work.session, ranges, LOOK)
    except OperatorError:
        raise Impossible("boss-nothing-waits", number=text) from None


NUMBERS = CommandArgument("numbers", _parse_mail_numbers)


@_declare(
    "accept",
    rank=170,
    reach=CommandReach.CLUB,
    pattern=r"#?\d.*",
    arguments=(NUMBERS, CommandArgument("let_count", lambda call: call.accept)),
    elsewhere="quarantine accept",
)
def accept_held_mails(
    work: UnitOfWork, numbers: Sequence[int], let_count: Callable[[UnitOfWork, int], Note]
) -> Outcome:
    """Let held mails count. Raises OperatorError for one that says nothing that could."""
    return tuple(let_count(work, number) for number in numbers)


@_declare(
    "drop", rank=180, reach=CommandReach.CLUB, pattern=r"#?\d.*", arguments=(NUMBERS,), elsewhere="quarantine drop"
)
def discard_held_mails(work: UnitOfWork, numbers: Sequence[int]) -> Outcome:
    return tuple(held_mails.discard_held(work.session, number) for number in numbers)


@_declare("help", rank=10, reach=CommandReach.SELF, elsewhere="match --help")
def report_staff_commands(work: UnitOfWork) -> Outcome:
    who = people.get_commander(work)
    return tuple(Note("boss-help", {"text": one.get_text(who.language).help}) for one in list_permitted_commands(who))


def list_permitted_commands(who: StaffMember) -> list[Command]:
    return [one for one in get_staff_commands().values() if who.is_chief or one.reach is not CommandReach.CLUB]
