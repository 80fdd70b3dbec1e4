"""What the moderator decides about moves: end a turn now, take one back, rule on a word, move for somebody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from sqlmodel import col, select

from moderator.desk import clock, course, deadlines, house_list, orders, paces, play, questions
from moderator.desk.announce import announce, send_status
from moderator.desk.boss.call import Outcome, outcome, running, seat_of, words_of
from moderator.desk.cup import hanging
from moderator.desk.desk import Desk
from moderator.desk.live import Live, log_of
from moderator.desk.log import enter
from moderator.engine import replay
from moderator.engine.contract import Note
from moderator.engine.replay import Entry
from moderator.engine.result import Played, Result
from moderator.engine.table import Table
from moderator.errors import Misused
from moderator.lexicon import house
from moderator.mail.model import Line
from moderator.states import MatchStatus, WordRuling
from moderator.store.models import Match, Question

MOST_TOLD = 30
"""Moves taken back that a correction names one by one."""
_PLAYS = ("move", "miss", "evaluate")
_TURNS = (*_PLAYS, "retire", "hand-over", "stop", "undo")
"""Entries before which one may go back."""


def evaluate(desk: Desk, match: Match, round: int | None, force: bool = False, why: str = "") -> Outcome:
    """End the turn or round now. ``round`` must be the one that is being played; ``force`` also where orders are
    missing before the ZAT. Raises Misused."""
    live = running(desk, match)
    now = live.table.state.public.round
    if round != now:
        raise Misused("boss-round" if round else "boss-needs-round", match=match.code, round=round or 0, now=now)
    if match.held:
        raise Misused("boss-held", match=match.code, words=open_words(desk, match))
    missing = [desk.players(match)[seat].name for seat in live.missing if not desk.players(match)[seat].robot]
    early = match.deadline is not None and desk.now < match.deadline
    if missing and early and not force:
        raise Misused("boss-missing", match=match.code, round=now, names=missing, deadline=match.deadline)
    deadlines.settle_turn(desk, match, live)
    progress = desk.of(match)
    if early and not match.held:
        progress.notes.insert(0, Note("evaluated-early"))
    told = moves_told(desk, match, live, progress.results)
    if why:
        progress.notes.append(Note("boss-why", {"line": why}))
    announce(desk)
    if match.held:
        return outcome("boss-now-held", match=match.code, words=open_words(desk, match))
    if match.status == MatchStatus.FINISHED:
        return (*outcome("boss-evaluated-end", match=match.code, round=now), *told)
    values = {"match": match.code, "round": now, "now": _round(live), "deadline": match.deadline}
    if not live.table.together and now == _round(live):
        names = [desk.players(match)[seat].name for seat in live.awaited]
        return (*outcome("boss-turn-over", **values, names=names), *told)
    return (*outcome("boss-evaluated", **values), *told)


def _round(live: Live) -> int:
    return int(live.table.state.public.round)


def open_words(desk: Desk, match: Match) -> list[str]:
    """Words of a match that wait for a ruling."""
    query = select(Question.word).where(Question.match_id == match.id, col(Question.answered_at).is_(None))
    return list(desk.session.exec(query.order_by(col(Question.id))))


def moves_told(desk: Desk, match: Match, live: Live, results: Sequence[Result]) -> Outcome:
    """What was moved, one sentence for each; nothing that only one seat may know."""
    players = desk.players(match)
    return tuple(
        _move_told(players[move.seat].name, move)
        for result in results
        for move in result.moves
        if move.alternative or live.table.together or not move.refused
    )


def _move_told(name: str, move: Played) -> Note:
    if move.played:
        return Note("boss-moved", {"name": name, "move": move.played, "points": move.points})
    return Note("boss-nothing", {"name": name, "points": move.points})


def rollback(
    desk: Desk, match: Match, round: int | None, entry: int | None = None, why: str = "", force: bool = False
) -> Outcome:
    """Back to just before ``round`` was evaluated (where one seat acts at a time: before its first move), or to just
    before log entry number ``entry``; also of a match that is over, and with ``force`` of one that a tournament has
    built on. Raises Misused."""
    if match.status not in (MatchStatus.RUNNING, MatchStatus.FINISHED):
        running(desk, match)
    live = desk.shelf.live(desk.session, match)
    log = log_of(desk.session, match)
    if entry is None:
        if round is None:
            raise Misused("boss-needs-round", match=match.code, round=0, now=_round(live))
        entry = first_of_round(live, len(desk.seated(match)), log, round)
        if entry is None:
            raise Misused("boss-round-untouched", match=match.code, round=round, now=_round(live))
    gone = _gone(log, entry, match)
    finished, reached = match.status == MatchStatus.FINISHED, _round(live)
    hung = hanging.hanging(desk, match) if finished else None
    note = Note("rolled-back" if why else "rolled-back-plain", {"round": round or 0, "line": why})
    if round is None:
        note = Note("rolled-back-to" if why else "rolled-back-to-plain", {"line": why})
    now = course.undo(desk, match, live, entry - 1, note, force)
    _let_robots_act(desk, match, now)
    told = _taken_back(desk, match, live, gone)
    progress = desk.of(match)
    progress.notes[1:1] = told
    announce(desk)
    done = outcome("boss-rolled-back", match=match.code, now=_round(now), deadline=match.deadline, entry=match.entries)
    # The seed of a round, or of the whole match, is mailed when it is over.
    known = finished or (now.game.seeded_rounds and _round(now) < reached)
    shown = (Note("boss-seed-known"),) if known else ()
    return (*done, *((hung.built, hung.worth) if hung else ()), *told, *shown)


def first_of_round(live: Live, seats: int, log: Sequence[Entry], round: int) -> int | None:
    """The entry that first moved or evaluated in ``round`` as things stand (nothing that was undone); None if there is
    none."""
    for number, entry, table in walked(live, seats, log):
        if entry.kind in _PLAYS and table.state.public.round == round and not table.state.over:
            return number
    return None


def walked(live: Live, seats: int, log: Sequence[Entry]) -> list[tuple[int, Entry, Table[Any]]]:
    """(number, entry, the table before it) of all that holds."""
    from moderator.engine.table import open_table

    table, _ = open_table(live.game, seats, live.options, live.context)
    past = [table]
    for entry in log:
        if entry.kind == "undo":
            table = replace(past[int(entry.text)], entries=len(past), asked=None)
        else:
            table, _ = replay.step(live.game, table, entry, live.context, check=False)
        past.append(table)
    return [(number, entry, past[number - 1]) for number, entry in replay.effective(log)]


def _gone(log: Sequence[Entry], entry: int, match: Match) -> list[Entry]:
    """What a return to before ``entry`` takes back. Raises Misused for an entry that one cannot go back to."""
    holds = dict(replay.effective(log))
    if not 1 <= entry <= len(log) or log[entry - 1].kind not in _TURNS:
        raise Misused("boss-no-entry", match=match.code, entry=entry)
    if entry not in holds and log[entry - 1].kind != "undo":
        raise Misused("boss-entry-undone", match=match.code, entry=entry)
    return [one for number, one in holds.items() if number >= entry and one.kind in _PLAYS]


def _taken_back(desk: Desk, match: Match, live: Live, gone: Sequence[Entry]) -> tuple[Note, ...]:
    """For the correction: every move that does not count any more."""
    players = desk.players(match)
    moves = [move for entry in gone for move in Result.from_json(entry.outcome).moves]
    told = [
        Note("taken-back", {"name": players[move.seat].name, "move": move.played, "points": move.points})
        if move.played
        else Note("taken-back-miss", {"name": players[move.seat].name})
        for move in moves
    ]
    if len(told) > MOST_TOLD:
        return (*told[:MOST_TOLD], Note("taken-back-more", {"count": len(told) - MOST_TOLD}))
    return tuple(told)


def _let_robots_act(desk: Desk, match: Match, live: Live) -> None:
    """Nobody waits for a robot or for a seat that plays no more; what people had stored waits for the moderator or
    the ZAT."""
    moved = False
    if live.table.pace == "sequential":
        while not live.table.state.over and not match.held and play.unmanned(desk, match, live):
            moved = True
    if live.table.together:
        play.robots_order(desk, match, live)
    if moved:
        clock.begin_turn(desk, match, live)


def rule_word(
    desk: Desk, word: str, ruling: Literal["allow", "deny"], reason: str = "", match: Match | None = None
) -> Outcome:
    """A ruling on a word that nobody need have asked for; for one match alone if it is named. Matches that waited for
    it go on."""
    word = word.upper()
    scope = match.code if match else house.ALL
    made = house.Ruling(word, ruling, reason=reason, date=desk.now.date().isoformat(), scope=scope)
    house_list.enter(desk, made)
    query = select(Question).where(Question.word == word, col(Question.answered_at).is_(None))
    waited = list(desk.session.exec(query.where(Question.match_id == match.id) if match else query))
    for question in waited:
        question.ruling, question.answered_at = WordRuling(ruling), desk.now
        desk.session.add(question)
    desk.session.flush()
    freed = []
    for number in dict.fromkeys(question.match_id for question in waited):
        row = desk.session.get_one(Match, number)
        if row.status == MatchStatus.RUNNING:
            held = row.held
            questions.release(desk, number)
            freed += [row.code] if held else []
    code = f"boss-word-{ruling}"
    done = outcome(f"{code}-here" if match else code, word=word, match=scope)
    return (*done, *((Note("boss-went-on", {"matches": freed}),) if freed else ()))


def move(desk: Desk, match: Match, name: str, text: str) -> Outcome:
    """An order in a player's name, marked as such. Raises Misused if it cannot be read or played."""
    live = running(desk, match)
    seat, player = seat_of(desk, match, name)
    if seat.number in live.table.out:
        raise Misused("boss-seat-out", name=player.name, match=match.code)
    sheet = orders.read_sheet(live, seat.number, [Line(1, text)])
    language = desk.config.club.language
    if sheet.errors or not sheet.text:
        error = next((line.error for line in sheet.errors if line.error), None)
        why = Note(error.code, error.params) if error else Note("boss-no-order")
        raise Misused("boss-unread-order", line=text, text=words_of(desk, live, match, why, language))
    note = Note("ordered-for", {"name": player.name})
    before = live.table.orders.get(seat.number)
    result = paces.give(desk, match, live, seat.number, sheet.text)
    if result is not None and result.moves and not play.was_played(result):
        refused = result.moves[0].refused[-1]
        why = Note(refused.code, refused.params)
        raise Misused("boss-refused-order", move=sheet.text, text=words_of(desk, live, match, why, language))
    enter(desk, match, live, Entry("notice", seat.number, "by the moderator"))
    played = bool(desk.of(match).moved)
    if played:
        desk.of(match).notes.insert(0, note)
        announce(desk)
    elif player.address and not match.held and live.table.orders.get(seat.number) != before:
        send_status(replace(desk, mail=None), match, seat, "referee", [Note("ordered-for-you")])
    code = "boss-order-held" if match.held else "boss-order-played" if played else "boss-order-stored"
    return outcome(code, name=player.name, match=match.code, move=sheet.text)
