"""The checks of `moderator doctor --deep`: every match is played again and compared with what is stored of it; every
mail, every tournament and the database itself are looked over. Reads only.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import String, func, text, type_coerce
from sqlalchemy import select as sql_select
from sqlmodel import Session, SQLModel, select

from moderator.backup import stored_reviews
from moderator.club import ratings
from moderator.club.endings import to_result
from moderator.club.live_match import Suspended, Walked, walk
from moderator.club.ratings import result_of
from moderator.club.run_cache import RunCache
from moderator.config import Config
from moderator.errors import ConfigError, LexiconError, ModeratorError
from moderator.mail.compose import plain_text
from moderator.match import invariants, rng
from moderator.match.outcome import Outcome
from moderator.states import EntryKind, MailKind, MatchStatus, Stopped, TournamentRuling, TournamentStatus
from moderator.store import copies, events, matches, old_results, outbox, players, questions
from moderator.store import tournaments as store
from moderator.store.column import OneOf
from moderator.store.models import (
    Inbox,
    Letter,
    Match,
    Outbox,
    Player,
    Seat,
    Tournament,
    TournamentGame,
)
from moderator.tournaments.rating import ordered

DAMAGE = (ModeratorError, Suspended, ValueError, LookupError, TypeError, AttributeError, ArithmeticError)
"""What reading damaged rows may throw."""
RESTORE = "Restore the newest backup that passes this check, or ask for help with a copy of the database."
_WHERE = {
    "inbox": "incoming mail",
    "outbox": "outgoing mail",
}
"""What rows are called where it is not as their table."""
_MESSAGE_ID = re.compile(rb"^Message-ID:\s*(\S+)", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True)
class Fault:
    """Something that is not as it should be."""

    where: str
    what: str
    fix: str = RESTORE

    def __str__(self) -> str:
        return f"{self.where}: {self.what}. {self.fix}"


@dataclass
class Looked:
    """How much was looked at."""

    matches: int = 0
    moves: int = 0
    """Moves that were played again."""
    mails: int = 0
    undone: set[int] = field(default_factory=set)
    """Matches in which something was taken back."""


Step = Callable[[str], None]
"""Called before each piece of work with its name."""


def examine(session: Session, config: Config, looked: Looked, step: Step = lambda what: None) -> Iterator[Fault]:
    """All faults of the database of ``session``, which sees one moment of it. Counts in ``looked``."""
    step("database")
    yield from database(session)
    unread: set[tuple[str, int]] = set()
    for table, row_id, fault in unknown_words(session):
        unread.add((table, row_id))
        yield fault
    cache = RunCache(config)
    for number in matches.numbers(session):
        if ("match", number) in unread:
            step(f"match {number}")
            continue
        row = session.get_one(Match, number)
        step(row.code)
        yield from (Fault(f"match {row.code}", what, fix) for what, fix in _match(session, cache, row, looked))
        session.expunge_all()
    step("mails")
    yield from mails(session, looked)
    step("tournaments")
    yield from tournaments(session, looked, unread)
    yield from brought(session)


def size(session: Session) -> int:
    """How often ``examine`` calls ``step``."""
    return int(session.exec(select(func.count()).select_from(Match)).one()) + 3


# ---- the database ----


def database(session: Session) -> Iterator[Fault]:
    """What SQLite itself finds; other databases see to that by themselves."""
    connection = session.connection()
    if connection.dialect.name != "sqlite":
        return
    for (line,) in connection.execute(text("PRAGMA integrity_check(20)")):
        if line != "ok":
            yield Fault("database", line)
    for table, row, parent, _ in connection.execute(text("PRAGMA foreign_key_check")):
        yield Fault("database", f"row {row} of {table} points to a row of {parent} that is not there")


def unknown_words(session: Session) -> Iterator[tuple[str, int, Fault]]:
    """(table, row, fault): columns that hold a state or kind that there is not. Such rows cannot be read."""
    for name, table in SQLModel.metadata.tables.items():
        for column in table.columns:
            if not isinstance(column.type, OneOf):
                continue
            word, known = type_coerce(column, String), [member.value for member in column.type.choice]
            odd = sql_select(table.c.id, table.c.get("code", table.c.id), word).where(word.not_in(known))
            for row, called, value in session.connection().execute(odd.order_by(table.c.id)):
                yield name, row, Fault(f"{_WHERE.get(name, name)} {called}", f"its {column.name} is {value!r}")


# ---- matches ----


def _match(session: Session, cache: RunCache, match: Match, looked: Looked) -> Iterator[tuple[str, str]]:
    """(what, fix) of one match."""
    looked.matches += 1
    numbers = events.numbers(session, match.number)
    if numbers != list(range(1, match.entries + 1)):
        yield f"its log should have the entries 1 to {match.entries}, it has {_shown(numbers)}", RESTORE
        return
    seated = session.exec(select(Seat, Player).join(Player).where(Seat.match_id == match.id)).all()
    for what in _seats(match, [seat for seat, _ in seated]):
        yield what, RESTORE
    if match.status == MatchStatus.OPEN:
        yield from _unplayed(match)
        return
    try:
        walked = walk(session, match, cache.config.deadlines)
    except DAMAGE as error:
        yield str(error) if isinstance(error, Suspended) else f"cannot be played again: {_named(error)}", RESTORE
        return
    looked.moves += sum(len(result.moves) for result in walked.results)
    if any(entry.kind == EntryKind.UNDO for entry in walked.entries):
        looked.undone.add(match.number)
    live = walked.live
    for number, what in invariants.broken(live.game, walked.past, walked.results):
        yield f"after entry {number}: {what}", "Keep a copy of the database and report it: this is a bug of the game's."
    robots = {seat.number for seat, player in seated if player.robot}
    yield from stored(
        match, walked, waits=bool(set(live.awaited) - robots), asked=questions.any_asked(session, match.number)
    )
    yield from _words(cache, match, walked)
    yield from _sealed(session, match, walked)
    yield from stored_reviews.faults(session, match, walked)


def _shown(numbers: Any) -> str:
    """``1 to 7`` or the like of a list of numbers."""
    return f"{len(numbers)}, from {numbers[0]} to {numbers[-1]}" if numbers else "none"


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _seats(match: Match, seats: list[Seat]) -> Iterator[str]:
    numbers = sorted(seat.number for seat in seats)
    if numbers != list(range(len(numbers))):
        yield f"its seats are numbered {numbers}"
    if match.status != MatchStatus.OPEN and not numbers:
        yield "it has no seats"
    twice = [token for token, count in Counter(seat.token for seat in seats).items() if count > 1 or not token]
    if twice:
        yield "seats share a token, or have none"


def _unplayed(match: Match) -> Iterator[tuple[str, str]]:
    """An open match has nothing of a game yet."""
    if match.entries or match.deadline or match.held or match.result:
        yield "it is open, and has a log, a deadline, a ruling to wait for or a result all the same", RESTORE


def stored(match: Match, walked: Walked, *, waits: bool, asked: bool) -> Iterator[tuple[str, str]]:
    """(what, fix): the columns of a match that was dealt, against its log. ``waits``: for a person; ``asked``: the
    moderator was ever asked about a word of it."""
    over, code = walked.live.table.state.over, match.code
    if match.status == MatchStatus.CANCELLED:
        return
    if match.status == MatchStatus.SUSPENDED:
        yield f"it is suspended: {match.trouble}", f"Run `moderator match resume {code}`."
    elif over != (match.status == MatchStatus.FINISHED):
        yield f"it is {match.status}, and by its log it is {'over' if over else 'not over'}", RESTORE
    if match.status == MatchStatus.FINISHED:
        yield from _finished(match, walked)
    elif match.result is not None:
        yield "it has a result and is not finished", RESTORE
    clock = (match.deadline, match.final)
    if match.status == MatchStatus.FINISHED and any(clock):
        yield "it is finished and has a deadline", RESTORE
    waits = waits and match.stopped != Stopped.CONFIRM
    if match.status == MatchStatus.RUNNING and waits and not match.held and not all(clock):
        yield "somebody is awaited without a deadline", f"`moderator match evaluate {code} --force` ends the turn."
    if match.status == MatchStatus.RUNNING and match.held and not asked:
        yield "it waits for a ruling that nobody was asked for", f"Run `moderator match evaluate {code} --force`."


def _finished(match: Match, walked: Walked) -> Iterator[tuple[str, str]]:
    expected = result_of(walked.live, walked.entries).to_json()
    if match.result != expected:
        yield f"its result is {match.result}, by its log it is {expected}", "`moderator ratings --rebuild` mends that."


def _words(cache: RunCache, match: Match, walked: Walked) -> Iterator[tuple[str, str]]:
    """Whether a running match can go on with the dictionary that is installed."""
    if match.status != MatchStatus.RUNNING:
        return
    try:
        same = cache.same_words(walked.live, match)
    except (LexiconError, ConfigError) as error:
        yield str(error), ""
        return
    if not same:
        again = f"Put that one back, or `moderator match resume {match.code} --accept-lexicon` when it has stopped."
        yield f"it was started with another dictionary ({match.lexicon})", again


def _sealed(session: Session, match: Match, walked: Walked) -> Iterator[tuple[str, str]]:
    """The seed is the one whose hash the players have from the starting mail, the last one if it was dealt anew."""
    raw = outbox.latest_letter(session, match.number, MailKind.START)
    if raw is None:
        return
    seed = bytes.fromhex(match.seed)
    commitment = rng.commit(rng.round_seed(seed, walked.live.first) if walked.live.game.seeded_rounds else seed)
    if commitment not in "".join(plain_text(raw).split()):
        yield "its seed is not the one that the starting mail has sealed", RESTORE


# ---- mails ----


def mails(session: Session, looked: Looked) -> Iterator[Fault]:
    """Mails in: unchanged since they came. Mails out: whole, and each its own."""
    incoming = select(Inbox.id, Inbox.digest, Inbox.raw).where(Inbox.size > 0)  # of 0 are those of who was forgotten
    for number, digest, raw in session.exec(incoming.execution_options(yield_per=100)):
        looked.mails += 1
        if not copies.intact(raw, digest):
            yield Fault(f"incoming mail {number}", "its bytes are not those that came")
    head = func.substr(Letter.raw, 1, 4000)
    query = select(Outbox.id, Outbox.message_id, head).join(Letter, isouter=True)
    seen: set[str] = set()
    for number, message_id, raw in session.exec(query.execution_options(yield_per=500)):
        looked.mails += 1
        for what in _outgoing(message_id, raw, seen):
            yield Fault(f"outgoing mail {number}", what)


def _outgoing(message_id: str, raw: bytes | None, seen: set[str]) -> Iterator[str]:
    if message_id in seen:
        yield f"another one has its Message-ID {message_id}, too"
    seen.add(message_id)
    found = _MESSAGE_ID.search(raw) if raw else None
    if raw is None:
        yield "its text is missing"
    elif found is None or found[1].decode("ascii", "replace") != message_id:
        yield f"its text is that of another one: it lacks the Message-ID {message_id}"


# ---- tournaments ----


def tournaments(session: Session, looked: Looked, unread: Collection[tuple[str, int]] = ()) -> Iterator[Fault]:
    """Pairings and their matches say the same, but for rows that cannot be read."""
    for row, tournament, match in store.with_matches(session, unread):
        where = f"tournament {tournament.code}, round {row.round}, table {row.board}"
        if match.tournament_id != tournament.id:
            yield Fault(where, f"its match {match.code} belongs to another tournament or to none")
        what = _disagree(row, tournament, match)
        # What is taken back after a tournament has gone on leaves its tables as they are.
        if what and match.number not in looked.undone:
            yield Fault(where, what, "See `moderator cup adjudicate --help`.")


def _disagree(row: TournamentGame, tournament: Tournament, match: Match) -> str:
    """How a pairing and its match differ; "" = they don't."""
    if row.ruling == TournamentRuling.MODERATOR:
        return ""
    if match.status == MatchStatus.FINISHED and match.result is not None:
        try:
            ended = Outcome.from_json(match.result)
        except DAMAGE as error:
            return f"the result of match {match.code} cannot be read ({_named(error)})"
        expected = to_result(ended).to_json()
        if row.result != expected and (row.result is not None or tournament.status == TournamentStatus.RUNNING):
            return f"its result is {row.result}, that of match {match.code} is {expected}"
    elif match.status == MatchStatus.RUNNING and row.result is not None:
        return f"it has a result, and match {match.code} still runs"
    return ""


# ---- old results and ratings ----


def brought(session: Session) -> Iterator[Fault]:
    """What was brought along names players that there are, and can be counted."""
    known = {player.number for player in players.every(session)}
    try:
        ordered(ratings.brought(session))
    except DAMAGE as error:
        yield Fault("old results", f"they cannot be read ({_named(error)})")
        return
    for part in old_results.every(session):
        named = {player for one in part.results for player in one.players} | {one.player for one in part.ratings}
        if named - known:
            gone = ", ".join(map(str, sorted(named - known)))
            yield Fault(f"old results {part.code}", f"they name players that there are not: {gone}")
