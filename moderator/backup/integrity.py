"""The checks of `moderator doctor --deep`: every match is played again and compared with what is stored of it; every
mail, every tournament and the database itself are looked over. Reads only.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import String, func, text, type_coerce
from sqlalchemy import select as sql_select
from sqlmodel import Session, SQLModel, select

from moderator.common.enums import (
    REVIEWER,
    ClockStop,
    LogEntryKind,
    MailKind,
    MatchStatus,
    TournamentRuling,
    TournamentStatus,
)
from moderator.common.errors import ConfigError, LexiconError, ModeratorError
from moderator.mail.build import extract_all_text
from moderator.review.review import Reviewed, count_moves_made, decode_review, decode_turn_comparison, sum_losses
from moderator.rules import replay, shuffling
from moderator.rules.ending import MatchOutcome
from moderator.rules.replay import drop_undone
from moderator.settings import Config
from moderator.store import inbox, matches, matches_log, outbox, players, questions, reviews, tournaments
from moderator.store.club_tables import MatchReview, StoredEnumType
from moderator.store.tables import (
    InboxRow,
    MatchRow,
    OutboxBody,
    OutboxRow,
    PlayerRow,
    SeatRow,
    Tournament,
    TournamentGame,
)
from moderator.tournaments.ratings import order_ledger
from moderator.views import ratings
from moderator.views.loaded_match import MatchSuspended, ReplayedMatch, rebuild_with_history, to_tournament_result
from moderator.views.match_cache import MatchCache
from moderator.views.ratings import build_rated_outcome


def iter_review_faults(session: Session, match: MatchRow, walked: ReplayedMatch) -> Iterator[tuple[str, str]]:
    """Yield (what, fix) of a match's review, where there is one. One that an older version has made, or of a shorter
    log, is read by nobody and made anew."""
    row = session.get(MatchReview, match.number)
    anew = f"Run `moderator review {match.code} --anew`."
    if row is None or (row.version, row.entries) != (REVIEWER, match.entries):
        return
    if match.status != MatchStatus.FINISHED:
        yield "it has a review, and is not over", "Keep a copy of the database and report it."
        return
    if row.trouble:
        yield f"its review cannot be made: {row.trouble}", anew
    turns = reviews.list_turn_reviews(session, match.number)
    try:
        made = [decode_turn_comparison(content) for content in turns]
        if row.due_at is None:
            decode_review((row.content or {}) | {"turns": turns})
    except (ConfigError, LookupError, TypeError, ValueError) as error:
        yield f"its review cannot be read ({type(error).__name__}: {error})", anew
        return
    yield from ((what, anew) for what in _iter_foreign_turns(made, walked))
    if row.due_at is None and (what := _describe_wrong_sums(made, row.content or {})):
        yield what, anew


def _iter_foreign_turns(made: list[Reviewed], walked: ReplayedMatch) -> Iterator[str]:
    """Yield the turns that the match has not."""
    together = walked.live.table.pace == "rounds"
    played = {
        (number, move.seat): ("" if together else move.played or "", move.points)
        for number, _ in drop_undone(walked.entries)
        for move in walked.results[number - 1].moves
    }
    for at, one in enumerate(made, start=1):
        there = played.get((one.n, one.seat))
        if there is None:
            yield f"turn {at} of its review is of entry {one.n}, where seat {one.seat + 1} had no turn"
        elif (one.played if not together else "", one.counted) != there:
            yield f"turn {at} of its review is {one.played!r}, by the log it was {there[0]!r}"
    if len({(one.n, one.seat) for one in made}) < len(made):
        yield "its review has a turn twice"


def _describe_wrong_sums(made: list[Reviewed], content: Mapping[str, Any]) -> str:
    """Describe how the sums of a complete review differ from its turns; "" = they do not."""
    seats = range(int(content["seats"]))
    left = [sum(one.left for one in made if one.seat == seat) for seat in seats]
    moves = [count_moves_made(one for one in made if one.seat == seat) for seat in seats]
    if (list(content["left"]), list(content["moves"])) != (left, moves):
        return f"its review counts {content['left']} left in {content['moves']} turns, its turns {left} in {moves}"
    loss = [float(sum_losses(one for one in made if one.seat == seat)) for seat in seats]
    if list(content["loss"]) != loss:
        return f"its review counts {content['loss']} lost looking ahead, its turns {loss}"
    return ""


DAMAGE = (ModeratorError, MatchSuspended, ValueError, LookupError, TypeError, AttributeError, ArithmeticError)
"""What reading damaged rows may throw."""
RESTORE = "Restore the newest backup that passes this check, or ask for help with a copy of the database."
_WHERE = {"inbox": "incoming mail", "outbox": "outgoing mail"}
"""What rows are called where it is not as their table."""
_MESSAGE_ID = re.compile(rb"^Message-ID:\s*(\S+)", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True)
class IntegrityFault:
    """Something in the database that is not as it should be."""

    where: str
    what: str
    fix: str = RESTORE

    def __str__(self) -> str:
        return f"{self.where}: {self.what}. {self.fix}"


@dataclass
class CheckedCounts:
    """The amounts that were checked."""

    matches: int = 0
    moves: int = 0
    """Moves that were played again."""
    mails: int = 0
    undone: set[int] = field(default_factory=set)
    """Matches in which something was taken back."""


Step = Callable[[str], None]
"""Called before each piece of work with its name."""


def iter_integrity_faults(
    session: Session, config: Config, looked: CheckedCounts, step: Step = lambda what: None
) -> Iterator[IntegrityFault]:
    """Yield all faults of the database of ``session``, which sees one moment of it. Counts in ``looked``."""
    step("database")
    yield from iter_database_faults(session)
    unread: set[tuple[str, int]] = set()
    for table, row_id, fault in iter_unknown_words(session):
        unread.add((table, row_id))
        yield fault
    cache = MatchCache(config)
    for number in matches.list_match_ids(session):
        if ("match", number) in unread:
            step(f"match {number}")
            continue
        row = session.get_one(MatchRow, number)
        step(row.code)
        yield from (
            IntegrityFault(f"match {row.code}", what, fix)
            for what, fix in _iter_match_faults(session, cache, row, looked)
        )
        session.expunge_all()
    step("mails")
    yield from iter_mail_faults(session, looked)
    step("tournaments")
    yield from iter_tournament_faults(session, looked, unread)
    yield from iter_old_result_faults(session)


def count_check_steps(session: Session) -> int:
    """Count how often ``iter_integrity_faults`` calls ``step``."""
    return int(session.exec(select(func.count()).select_from(MatchRow)).one()) + 3


# ---- the database ----


def iter_database_faults(session: Session) -> Iterator[IntegrityFault]:
    """Yield what SQLite itself finds; other databases check that by themselves."""
    connection = session.connection()
    if connection.dialect.name != "sqlite":
        return
    for (line,) in connection.execute(text("PRAGMA integrity_check(20)")):
        if line != "ok":
            yield IntegrityFault("database", line)
    for table, row, parent, _ in connection.execute(text("PRAGMA foreign_key_check")):
        yield IntegrityFault("database", f"row {row} of {table} points to a row of {parent} that is not there")


def iter_unknown_words(session: Session) -> Iterator[tuple[str, int, IntegrityFault]]:
    """Yield (table, row, fault) where columns hold a state or kind that there is not. Such rows cannot be read."""
    for name, table in SQLModel.metadata.tables.items():
        for column in table.columns:
            if not isinstance(column.type, StoredEnumType):
                continue
            word, known = type_coerce(column, String), [member.value for member in column.type.choice]
            odd = sql_select(table.c.id, table.c.get("code", table.c.id), word).where(word.not_in(known))
            for row, called, value in session.connection().execute(odd.order_by(table.c.id)):
                yield name, row, IntegrityFault(f"{_WHERE.get(name, name)} {called}", f"its {column.name} is {value!r}")


# ---- matches ----


def _iter_match_faults(
    session: Session, cache: MatchCache, match: MatchRow, looked: CheckedCounts
) -> Iterator[tuple[str, str]]:
    """Yield (what, fix) of one match."""
    looked.matches += 1
    numbers = matches_log.list_event_numbers(session, match.number)
    if numbers != list(range(1, match.entries + 1)):
        yield f"its log should have the entries 1 to {match.entries}, it has {_format_range(numbers)}", RESTORE
        return
    seated = session.exec(select(SeatRow, PlayerRow).join(PlayerRow).where(SeatRow.match_id == match.id)).all()
    for what in _iter_seat_faults(match, [seat for seat, _ in seated]):
        yield what, RESTORE
    if match.status == MatchStatus.OPEN:
        if match.entries or match.deadline or match.held or match.result:
            yield "it is open, and has a log, a deadline, a ruling to wait for or a result all the same", RESTORE
        return
    try:
        walked = rebuild_with_history(session, match, cache.config.deadlines)
    except DAMAGE as error:
        yield (
            str(error) if isinstance(error, MatchSuspended) else f"cannot be played again: {_format_error(error)}",
            RESTORE,
        )
        return
    looked.moves += sum(len(result.moves) for result in walked.results)
    if any(entry.kind == LogEntryKind.UNDO for entry in walked.entries):
        looked.undone.add(match.number)
    live = walked.live
    for number, what in replay.iter_broken_invariants(live.game, walked.past, walked.results):
        yield f"after entry {number}: {what}", "Keep a copy of the database and report it: this is a bug of the game's."
    robots = {seat.number for seat, player in seated if player.robot}
    yield from iter_stored_faults(
        match,
        walked,
        waits=bool(set(live.seats_to_act) - robots),
        asked=questions.has_asked_words(session, match.number),
    )
    yield from _iter_dictionary_faults(cache, match, walked)
    yield from _iter_seed_faults(session, match, walked)
    yield from iter_review_faults(session, match, walked)


def _format_range(numbers: Any) -> str:
    """Format ``1 to 7`` or the like of a list of numbers."""
    return f"{len(numbers)}, from {numbers[0]} to {numbers[-1]}" if numbers else "none"


def _format_error(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _iter_seat_faults(match: MatchRow, seats: list[SeatRow]) -> Iterator[str]:
    numbers = sorted(seat.number for seat in seats)
    if numbers != list(range(len(numbers))):
        yield f"its seats are numbered {numbers}"
    if match.status != MatchStatus.OPEN and not numbers:
        yield "it has no seats"
    twice = [token for token, count in Counter(seat.token for seat in seats).items() if count > 1 or not token]
    if twice:
        yield "seats share a token, or have none"


def iter_stored_faults(
    match: MatchRow, walked: ReplayedMatch, *, waits: bool, asked: bool
) -> Iterator[tuple[str, str]]:
    """Yield (what, fix) where the columns of a match that was dealt differ from its log.

    ``waits``: for a person; ``asked``: the moderator was ever asked about a word of it."""
    over, code = walked.live.table.state.over, match.code
    if match.status == MatchStatus.CANCELLED:
        return
    if match.status == MatchStatus.SUSPENDED:
        yield f"it is suspended: {match.trouble}", f"Run `moderator match resume {code}`."
    elif over != (match.status == MatchStatus.FINISHED):
        yield f"it is {match.status}, and by its log it is {'over' if over else 'not over'}", RESTORE
    if match.status == MatchStatus.FINISHED:
        yield from _iter_result_faults(match, walked)
    elif match.result is not None:
        yield "it has a result and is not finished", RESTORE
    clock = (match.deadline, match.final)
    if match.status == MatchStatus.FINISHED and any(clock):
        yield "it is finished and has a deadline", RESTORE
    waits = waits and match.stopped != ClockStop.CONFIRM
    if match.status == MatchStatus.RUNNING and waits and not match.held and not all(clock):
        yield "somebody is awaited without a deadline", f"`moderator match evaluate {code} --force` ends the turn."
    if match.status == MatchStatus.RUNNING and match.held and not asked:
        yield "it waits for a ruling that nobody was asked for", f"Run `moderator match evaluate {code} --force`."


def _iter_result_faults(match: MatchRow, walked: ReplayedMatch) -> Iterator[tuple[str, str]]:
    expected = build_rated_outcome(walked.live, walked.entries).to_json()
    if match.result not in (expected, {key: value for key, value in expected.items() if key != "undecided"}):
        yield f"its result is {match.result}, by its log it is {expected}", "`moderator ratings --rebuild` mends that."


def _iter_dictionary_faults(cache: MatchCache, match: MatchRow, walked: ReplayedMatch) -> Iterator[tuple[str, str]]:
    """Yield a fault where a running match cannot go on with the dictionary that is installed."""
    if match.status != MatchStatus.RUNNING:
        return
    try:
        same = cache.has_same_dictionary(walked.live, match)
    except (LexiconError, ConfigError) as error:
        yield str(error), ""
        return
    if not same:
        again = f"Put that one back, or `moderator match resume {match.code} --accept-lexicon` when it has stopped."
        yield f"it was started with another dictionary ({match.lexicon})", again


def _iter_seed_faults(session: Session, match: MatchRow, walked: ReplayedMatch) -> Iterator[tuple[str, str]]:
    """Yield a fault where the seed is not the one whose hash the players have from the starting mail, the last one if
    it was dealt anew."""
    raw = outbox.find_latest_mail_bytes(session, match.number, MailKind.START)
    if raw is None:
        return
    seed = bytes.fromhex(match.seed)
    commitment = shuffling.commit_seed(
        shuffling.derive_round_seed(seed, walked.live.first) if walked.live.game.seeded_rounds else seed
    )
    if commitment not in "".join(extract_all_text(raw).split()):
        yield "its seed is not the one that the starting mail has sealed", RESTORE


# ---- mails ----


def iter_mail_faults(session: Session, looked: CheckedCounts) -> Iterator[IntegrityFault]:
    """Yield faults of mails in (unchanged since they came) and of mails out (whole, and each its own)."""
    incoming = select(InboxRow.id, InboxRow.digest, InboxRow.raw).where(
        InboxRow.size > 0
    )  # of 0 are those of who was forgotten
    for number, digest, raw in session.exec(incoming.execution_options(yield_per=100)):
        looked.mails += 1
        if not inbox.is_intact_mail(raw, digest):
            yield IntegrityFault(f"incoming mail {number}", "its bytes are not those that came")
    head = func.substr(OutboxBody.raw, 1, 4000)
    query = select(OutboxRow.id, OutboxRow.message_id, head).join(OutboxBody, isouter=True)
    seen: set[str] = set()
    for number, message_id, raw in session.exec(query.execution_options(yield_per=500)):
        looked.mails += 1
        for what in _iter_outgoing_faults(message_id, raw, seen):
            yield IntegrityFault(f"outgoing mail {number}", what)


def _iter_outgoing_faults(message_id: str, raw: bytes | None, seen: set[str]) -> Iterator[str]:
    if message_id in seen:
        yield f"another one has its Message-ID {message_id}, too"
    seen.add(message_id)
    found = _MESSAGE_ID.search(raw) if raw else None
    if raw is None:
        yield "its text is missing"
    elif found is None or found[1].decode("ascii", "replace") != message_id:
        yield f"its text is that of another one: it lacks the Message-ID {message_id}"


# ---- tournaments ----


def iter_tournament_faults(
    session: Session, looked: CheckedCounts, unread: Collection[tuple[str, int]] = ()
) -> Iterator[IntegrityFault]:
    """Yield faults where pairings and their matches do not say the same, except for rows that cannot be read."""
    for row, tournament, match in tournaments.list_pairings_with_matches(session, unread):
        where = f"tournament {tournament.code}, round {row.round}, table {row.board}"
        if match.tournament_id != tournament.id:
            yield IntegrityFault(where, f"its match {match.code} belongs to another tournament or to none")
        what = _describe_disagreement(row, tournament, match)
        # What is taken back after a tournament has gone on leaves its tables as they are.
        if what and match.number not in looked.undone:
            yield IntegrityFault(where, what, "See `moderator cup adjudicate --help`.")


def _describe_disagreement(row: TournamentGame, tournament: Tournament, match: MatchRow) -> str:
    """Describe how a pairing and its match differ; "" = they don't."""
    if row.ruling == TournamentRuling.MODERATOR:
        return ""
    if match.status == MatchStatus.FINISHED and match.result is not None:
        try:
            ended = MatchOutcome.from_json(match.result)
        except DAMAGE as error:
            return f"the result of match {match.code} cannot be read ({_format_error(error)})"
        expected = to_tournament_result(ended).to_json()
        if row.result != expected and (row.result is not None or tournament.status == TournamentStatus.RUNNING):
            return f"its result is {row.result}, that of match {match.code} is {expected}"
    elif match.status == MatchStatus.RUNNING and row.result is not None:
        return f"it has a result, and match {match.code} still runs"
    return ""


# ---- old results and ratings ----


def iter_old_result_faults(session: Session) -> Iterator[IntegrityFault]:
    """Yield faults where what was moved in names players that there are not, or cannot be counted."""
    known = {player.number for player in players.list_all_players(session)}
    try:
        order_ledger(ratings.load_brought_entries(session))
    except DAMAGE as error:
        yield IntegrityFault("old results", f"they cannot be read ({_format_error(error)})")
        return
    for part in tournaments.list_old_results(session):
        named = {player for one in part.results for player in one.players} | {one.player for one in part.ratings}
        if named - known:
            gone = ", ".join(map(str, sorted(named - known)))
            yield IntegrityFault(f"old results {part.code}", f"they name players that there are not: {gone}")
