"""What the moderator looks at: who is missing, how a match stands, what an evaluation would give now, which mails wait
for a word, and what can be commanded."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from moderator.club import clock, referees
from moderator.club.desk import Desk, Progress
from moderator.club.live_match import LiveMatch, Suspended
from moderator.club.names import plays_as
from moderator.club.referees import Official
from moderator.commands.declaration import Argument, Command, Reach, Scope, Shell, Who, moderators
from moderator.commands.moderator.judging import moves_told
from moderator.commands.moderator_call import ABOUT_A_MATCH, HERE, MATCH, RUNNING, ModeratorCall, Outcome, running
from moderator.errors import Impossible, Misused, OperatorError
from moderator.mail.model import Line
from moderator.match.contract import Note
from moderator.match.happened import SeatLost
from moderator.people import waiting
from moderator.play import deadlines
from moderator.play.orders import probe
from moderator.states import MatchStatus, SeatLoss
from moderator.store import questions
from moderator.store.models import LOOK, Match, Player
from moderator.texts import pattern

Detail = dict[str, Any]
ROBOT = {
    "beginner": "boss-robot-beginner",
    "club": "boss-robot-club",
    "strong": "boss-robot-strong",
    "program": "boss-robot-program",
}
"""By how it plays."""


@Command(
    "missing",
    scope=Scope.EITHER,
    rank=20,
    who=Who.MODERATOR,
    reach=Reach.MATCHES,
    pattern=ABOUT_A_MATCH,
    arguments=(RUNNING,),
    shell=Shell("missing", "Whom the running matches wait for, and what is known about them."),
)
def missing(desk: Desk, matches: Sequence[Match]) -> Outcome:
    """Whom each of these matches waits for, and what is known about them."""
    for match in matches:
        if match.status != MatchStatus.SUSPENDED:
            running(desk, match)
    return tuple(note for match in matches for note in _missing(desk, match))


def _missing(desk: Desk, match: Match) -> Outcome:
    try:
        live = desk.cache.live(desk.session, match)
    except Suspended as error:
        return (Note("boss-suspended", {"text": error.reason}),)
    heads = [_head(desk, match, live)]
    plans = clock.plans(desk, match, live)
    for seat, player in desk.seated(match):
        if seat.number in live.table.out:
            heads.append(Note("boss-seat-plays-no-more", {"name": player.name}))
            continue
        # What waits is let count by the chief alone.
        waits = waiting.of_seat(desk, match, player) if referees.commanding(desk).chief else []
        if waits or _worth_telling(live, seat.number, player):
            plan = plans.get(seat.number)
            details = _details(desk, live, seat.number, player, plan.final if plan else None) + waits
            due = plan.final if plan else match.deadline
            facts = {"match": match.code, "seat": seat.number, "deadline": due}
            heads.append(Note("boss-seat", {"name": player.name, "faults": details, **facts}))
    return tuple(heads)


def _head(desk: Desk, match: Match, live: LiveMatch) -> Note:
    state = live.table.state
    values = {
        "game": match.game,
        "name": match.name,
        "match": match.code,
        "round": state.public.round,
        "deadline": match.deadline,
        "since": match.stopped_at,
        "words": questions.open_words(desk.session, match.number) if match.held else [],
    }
    stopped = f"-{match.stopped}" if match.stopped else ""
    code = "boss-match-held" if match.held else "boss-match-over" if state.over else f"boss-match{stopped}"
    return Note(code if match.deadline or match.held or state.over else "boss-match-free", values)


def _worth_telling(live: LiveMatch, seat: int, player: Player) -> bool:
    known = live.order(seat) != "none" or _flag(live, seat) or player.undeliverable
    return seat in live.awaited or bool(known)


def _flag(live: LiveMatch, seat: int) -> str:
    return live.table.flags.get(seat, "")


def _details(desk: Desk, live: LiveMatch, seat: int, player: Player, final: Any) -> list[Detail]:
    """What there is to know about one seat, as codes with their parameters."""
    account = live.ledger.seats[seat]
    found: list[Detail] = [{"code": code}] if (code := order_code(live, seat)) else []
    if player.robot:
        return [*found, {"code": ROBOT[plays_as(desk.config, player)]}]
    if final is not None:
        found.append({"code": "boss-final", "deadline": final})
    if live.terms.bank or account.bank:
        found.append({"code": "boss-bank", "count": account.bank})
    if flag := _flag(live, seat):
        found.append({"code": f"boss-flag-{flag}"})
    if account.missed:
        found.append({"code": "boss-missed", "count": account.missed, "row": account.in_row})
    if player.undeliverable:
        found.append({"code": "boss-bounced"})
    today = desk.today
    for leave in desk.cache.leaves_of(desk.session, player.number):
        if leave.last >= today:
            found.append({"code": "boss-leave", "first": leave.first, "last": leave.last})
    return found


def order_code(live: LiveMatch, seat: int) -> str:
    """Whether a seat is in, as the moderator reads it; "" where nothing is wanted and nothing stored."""
    order = live.order(seat)
    if seat not in live.awaited:
        return {"none": "", "possible": "boss-ordered-ahead", "impossible": "boss-ordered-ahead-in-vain"}[order]
    if live.is_in(seat):
        return "boss-ordered"
    if order == "impossible" or live.table.tried.get(seat):
        return "boss-missing-in-vain" if order == "impossible" else "boss-missing-tried"
    return "boss-missing-put-off" if order == "possible" else "boss-no-order-yet"


@Command(
    "status",
    scope=Scope.MATCH,
    rank=30,
    who=Who.MODERATOR,
    reach=Reach.MATCHES,
    pattern=ABOUT_A_MATCH,
    arguments=(MATCH,),
    elsewhere="match show",
)
def standing(desk: Desk, match: Match) -> Outcome:
    """Scores, and who is awaited. Raises Suspended."""
    live = desk.cache.live(desk.session, match) if match.status != MatchStatus.OPEN else running(desk, match)
    players = desk.players(match)
    scores = [f"{player.name} {live.table.state.scores[seat]}" for seat, player in enumerate(players)]
    told = _missing(desk, match) if match.status == MatchStatus.RUNNING else (_head(desk, match, live),)
    return (told[0], Note("boss-scores", {"names": scores}), *told[1:])


@Command(
    "preview",
    scope=Scope.MATCH,
    rank=40,
    who=Who.MODERATOR,
    reach=Reach.MATCHES,
    pattern=ABOUT_A_MATCH,
    arguments=(MATCH,),
    shell=Shell("preview", "What an evaluation would give now. Nothing changes, nobody is told."),
)
def preview(desk: Desk, match: Match) -> Outcome:
    """What an evaluation would give now. It is carried out as it would be, and taken back before anybody sees it."""
    live = running(desk, match)
    if match.held:
        raise Impossible("boss-held", match=match.code, words=questions.open_words(desk.session, match.number))
    tried = _stored(desk, match, live)
    with desk.trial() as apart:
        row = apart.session.get_one(Match, match.number)
        tried_live = apart.cache.live(apart.session, row)
        deadlines.settle_turn(apart, row, tried_live)
        told = _foreseen(apart, row, tried_live)
    desk.session.refresh(match)
    heading = Note("boss-preview", {"match": match.code, "round": live.table.state.public.round})
    return (heading, *tried, *told, Note("boss-preview-only"))


def _stored(desk: Desk, match: Match, live: LiveMatch) -> tuple[Note, ...]:
    """Where one seat acts at a time: the stored order of the awaited one, which was not possible so far."""
    if live.table.pace != "sequential":
        return ()
    told = []
    for seat, player in desk.seated(match):
        text = live.table.orders.get(seat.number, "")
        if text and seat.number in live.awaited:
            found = probe(desk, player, live, seat, [Line(1, text)])
            possible = any(line.points is not None for line in found)
            code = "boss-stored-possible" if possible else "boss-stored-impossible"
            told.append(Note(code, {"name": player.name, "move": text}))
    return tuple(told)


def _foreseen(desk: Desk, match: Match, live: LiveMatch) -> Outcome:
    if match.held:
        return (Note("boss-would-hold", {"words": questions.open_words(desk.session, match.number)}),)
    progress = desk.of(match)
    told = list(moves_told(desk, match, live, progress.results))
    if progress.newcomers:
        names = [desk.players(match)[seat].name for seat in sorted(progress.newcomers)]
        told.append(Note("boss-would-hand-over", {"names": names}))
    players = desk.players(match)
    told += [Note("boss-would-give-up", {"name": players[seat].name}) for seat in _given_up(progress)]
    scores = [f"{player.name} {live.table.state.scores[seat]}" for seat, player in enumerate(players)]
    return (*told, Note("boss-then-over" if live.table.state.over else "boss-then", {"names": scores}))


def _given_up(progress: Progress) -> list[int]:
    lost = [one for one in progress.happened if isinstance(one, SeatLost)]
    return [one.seat for one in lost if one.why == SeatLoss.ABANDONED]


@Command(
    "today",
    scope=Scope.CLUB,
    rank=15,
    who=Who.MODERATOR,
    reach=Reach.SELF,
    arguments=(Argument("waiting", lambda call: call.today),),
    elsewhere="today",
)
def today(desk: Desk, waiting: Callable[[Desk], Outcome]) -> Outcome:
    """Everything that waits for the moderator, see the package ``today``."""
    return waiting(desk)


_THROUGH = re.compile(rf"\s+{pattern(HERE, 'boss-through')}\s+", re.IGNORECASE)
_AND = re.compile(rf"\s+{pattern(HERE, 'boss-and')}\s+", re.IGNORECASE)


def _mails(call: ModeratorCall) -> list[int]:
    """Numbers of mails that wait: ``17``, ``17 and 18``, ``33-99``."""
    text = call.all
    ranges = waiting.ranges_in(_AND.sub(", ", _THROUGH.sub("-", text)))
    if not ranges:
        raise Misused("boss-which-number")
    try:
        return waiting.in_ranges(call.desk, ranges, LOOK)
    except OperatorError:
        raise Impossible("boss-nothing-waits", number=text) from None


NUMBERS = Argument("numbers", _mails)


@Command(
    "accept",
    scope=Scope.EITHER,
    rank=170,
    who=Who.MODERATOR,
    reach=Reach.CLUB,
    pattern=r"#?\d.*",
    arguments=(NUMBERS, Argument("let_count", lambda call: call.accept)),
    elsewhere="quarantine accept",
)
def accept(desk: Desk, numbers: Sequence[int], let_count: Callable[[Desk, int], Note]) -> Outcome:
    """Let them count. Raises OperatorError for one that says nothing that could."""
    return tuple(let_count(desk, number) for number in numbers)


@Command(
    "drop",
    scope=Scope.EITHER,
    rank=180,
    who=Who.MODERATOR,
    reach=Reach.CLUB,
    pattern=r"#?\d.*",
    arguments=(NUMBERS,),
    elsewhere="quarantine drop",
)
def drop(desk: Desk, numbers: Sequence[int]) -> Outcome:
    """Take them off the list."""
    return tuple(waiting.drop(desk, number) for number in numbers)


@Command(
    "help",
    scope=Scope.EITHER,
    rank=10,
    who=Who.MODERATOR,
    reach=Reach.SELF,
    elsewhere="match --help",
)
def all_commands(desk: Desk) -> Outcome:
    """Those that the writer may give."""
    return lines(referees.commanding(desk))


def lines(who: Official) -> Outcome:
    return tuple(Note("boss-help", {"text": one.text(who.language).help}) for one in given_by(who))


def given_by(who: Official) -> list[Command]:
    """The commands that the chief, or a referee, may give."""
    return [one for one in moderators().values() if who.chief or one.reach is not Reach.CLUB]
