"""A match in a file: replayed, analysed, exported and verified, without configuration or database.

``recordfile`` reads the file; docs/record.md documents it and the JSON that comes out of here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

from moderator.errors import OperatorError, PlayerError, RecordError
from moderator.match.contract import Context, Game, InForce, Note, Shuffle, State, Step, View, Words, agreed, view_for
from moderator.match.ending import Ending, How
from moderator.match.outcome import winners
from moderator.match.recordfile import VERSION, Record, RecordMove, load, loads, parse
from moderator.match.replay import Entry, effective, moved_in, rebuild
from moderator.match.reports import (
    Analysis,
    Check,
    Event,
    Legal,
    Moved,
    Report,
    Shuffled,
    Traced,
    Verification,
)
from moderator.match.result import Played, Result, plain, refusal
from moderator.match.rng import commit, round_seed, round_seeds, shuffler
from moderator.match.robot import ranked
from moderator.match.seats import hand_over, retire, stop
from moderator.match.table import Table, evaluate, miss, open_table, submit
from moderator.match.words import AnyWords, Without, WordList
from moderator.states import EntryKind

REPORT = 1
"""Version of what ``replay`` tells. A higher one may mean anything; new keys alone do not raise it."""

__all__ = ["Record", "analyse", "export", "load", "loads", "parse", "play", "replay", "verify"]


def replay(record: Record, words: Words | None = None, trace: bool = False) -> Report:
    """Play a record and report as in docs/record.md. ``words`` decides where the record has no lexicon."""
    lexicon = words_of(record, words)
    moments = play(record, lexicon)
    table, game = moments[-1].table, record.game
    state = table.state
    report: Report = {
        "report": REPORT,
        "game": game.key,
        "over": state.over,
        "to_move": list(state.to_move),
        "scores": list(state.scores),
        "winners": list(winners(game, table, _stopped(record))),
        "hands": [list(hand) for hand in state.hands],
        "stock": len(state.stock),
        "moves": [
            _move_json(moment.n, move, record.options.pace) for moment in moments for move in moment.result.moves
        ],
        "events": [_event_json(moment.n, note) for moment in moments for note in _notes(moment.result)],
        "public": plain(game.export(state.public)),
    }
    if trace:
        ctx = Context(lexicon, record.shuffle)
        report["trace"] = [_trace(game, moment, ctx) for moment in moments if _changed(moment)]
    return report


def analyse(record: Record, words: Words | None = None, limit: int | None = 20) -> Analysis:
    """What the seat to move could do after all moves, best first, ties
    by notation. ``limit=None`` lists all. "seat" is None when the match is over. RecordError if ``any`` word counts
    in a game of words."""
    lexicon = words_of(record, words)
    table = play(record, lexicon)[-1].table
    legal = _legal(record.game, table, Context(lexicon, record.shuffle))
    if legal is None:
        if isinstance(lexicon, AnyWords):
            raise RecordError('With "lexicon": "any" the moves cannot be listed.', "Give a list of words instead.")
        raise RecordError("The moves of this position cannot be listed: too many.", "docs/record.md says where.")
    return {"seat": next(iter(table.state.to_move), None), "moves": legal[:limit]}


def export(
    match: str,
    game: Game[Any, Any],
    options: InForce,
    seats: Sequence[str],
    seed: str | bytes,
    salts: Sequence[str],
    entries: Iterable[Entry],
    fixed: Mapping[str, Any] | None = None,
    ending: Ending | None = None,
) -> dict[str, Any]:
    """The record of a match as JSON values. ``seats`` are the names, ``seed`` bytes or hex; ``fixed`` what was not
    dealt from it. All options stand in it with what is in force: a default may be another one next year. Where rounds
    have seeds of their own, those of the rounds that were dealt are in it instead of ``seed``.

    "lexicon" becomes what was accepted on the way, so that nobody needs the dictionary; where a word counted only
    later, the earlier entries name it in "rejected". What was undone is left out.
    "result" holds the moves as the log has them, for ``verify``, and what ``ending`` says.
    """
    log = [entry for _, entry in effective(entries)]
    fixed = moved_in(log) or fixed
    master = seed if isinstance(seed, bytes) else bytes.fromhex(seed)
    accepted = {
        word for entry in log for word, verdict in _verdicts(entry).items() if verdict.get("ruling") == "accept"
    }
    listed = [(entry, _exported(entry, options.pace, accepted)) for entry in log]
    record: dict[str, Any] = {
        "record": VERSION,
        "game": game.key,
        "match": match,
        "options": plain(agreed(game, options, len(seats))),
        "seats": list(seats),
        "setup": {"seed": master.hex(), "salts": list(salts), **plain(fixed or {})},
        "commitment": commit(master),
        "lexicon": sorted(accepted),
        "moves": [move for _, moves in listed for move in moves],
    }
    if not game.uses_words:
        del record["lexicon"]
    if game.seeded_rounds:
        shuffle = shuffler(round_seeds(master), salts, match)
        rounds = _rounds_dealt(game, options, len(seats), shuffle, fixed, log)
        del record["setup"]["seed"], record["commitment"]
        seeds = [round_seed(master, number) for number in range(1, rounds + 1)]
        record["setup"]["seeds"] = [seed.hex() for seed in seeds]
        record["commitments"] = [commit(seed) for seed in seeds]
    report = replay(parse(record, lambda _: game))
    moves = [
        {"n": n, "seat": move["seat"], "played": move["played"], "points": move["points"]}
        for n, entry in enumerate((entry for entry, moves in listed if moves), start=1)
        for move in entry.outcome.get("moves", ())
    ]
    record["result"] = {"scores": report["scores"], "winners": report["winners"], "moves": moves}
    if ending is not None:
        record["result"] |= ending.as_json() | ({"winners": list(ending.winners)} if ending.how == How.RULED else {})
    return record


def _rounds_dealt(
    game: Game[Any, Any], options: InForce, seats: int, shuffle: Shuffle, fixed: Any, log: list[Entry]
) -> int:
    """Number of the last round of a match."""
    ctx = Context(AnyWords(), shuffle)
    table, _, _ = rebuild(game, seats, options, ctx, fixed or None, log, check=False)
    return int(table.state.public.round)


def verify(record: Record, words: Words | None = None) -> Verification:
    """Deals all rounds again from their seeds, checks the commitments and compares the replay with the record's
    "result". What the record does not hold is not checked; a record with nothing to check is not ok.

    "deal" is the position after the first deal, "deals" the order of the tiles in each deal, next first.
    """
    checks = _commitments_kept(record)
    report: Mapping[str, Any] = replay(record, words)
    for key, claimed in record.result.items():
        if key == "moves" and isinstance(claimed, list):
            checks += _compare_moves(claimed, report["moves"])
        elif key in report and not (key == "winners" and _decided_elsewhere(record)):
            same = plain(claimed) == report[key]
            checks.append(_check(key, same, f"{report[key]}" if same else f"{report[key]} instead of {claimed}"))
    deal, deals = _deals(record, words)
    return {
        "ok": bool(checks) and all(check["ok"] for check in checks),
        "checks": checks,
        "deal": {"hands": [list(hand) for hand in deal.hands], "stock": list(deal.stock)},
        "deals": deals,
    }


def _stopped(record: Record) -> bool:
    return any(move.kind == "stop" for move in record.moves)


def _decided_elsewhere(record: Record) -> bool:
    """The winners are the moderator's word; or, in a record from before they counted the racks, of a stopped game."""
    how = record.result.get("how")
    return how == How.RULED or (how is None and _stopped(record))


def _commitments_kept(record: Record) -> list[Check]:
    """One check for each commitment in the record."""
    checks = []
    for number, claimed in enumerate(record.commitments, start=1):
        name = f"commitment of round {number}" if len(record.commitments) > 1 else "commitment"
        if number > len(record.seeds):
            checks.append(_check(name, False, "the record holds no seed"))
            continue
        found = commit(record.seeds[number - 1])
        same = found == claimed.strip().lower()
        checks.append(_check(name, same, found if same else f"{found} instead of {claimed}"))
    return checks


def _deals(record: Record, words: Words | None) -> tuple[State[Any], list[Shuffled]]:
    """The position after the first deal, and the tiles of all deals as they were shuffled."""
    deals: list[Shuffled] = []

    def watching(label: str, items: Sequence[str]) -> tuple[str, ...]:
        tiles = record.shuffle(label, items)
        if label.startswith("round"):
            deals.append({"label": label, "tiles": list(tiles)})
        return tiles

    first = play(record, words_of(record, words), watching)[0].table.state
    found = {deal["label"]: deal for deal in deals}
    return first, list(found.values()) if record.seeds else []


def _compare_moves(claimed: list[Any], replayed: Sequence[Mapping[str, Any]]) -> list[Check]:
    """Move by move, only what the record claims of each; one line for all if they agree."""
    if len(claimed) != len(replayed):
        return [_check("moves", False, f"{len(replayed)} moves instead of {len(claimed)}")]
    wrong = []
    for n, (one, other) in enumerate(zip(claimed, replayed, strict=True), start=1):
        seen = {key: other.get(key) for key in one} if isinstance(one, Mapping) else other
        if seen != one:
            wrong.append(_check(f"move {n}", False, f"{seen} instead of {one}"))
    return wrong or [_check("moves", True, f"{len(replayed)}")]


def _check(name: str, ok: bool, detail: str) -> Check:
    return {"check": name, "ok": ok, "detail": detail}


def _verdicts(entry: Entry) -> Mapping[str, Mapping[str, Any]]:
    verdicts: Mapping[str, Mapping[str, Any]] = entry.outcome.get("verdicts", {})
    return verdicts


def _exported(entry: Entry, pace: str, accepted: set[str]) -> list[dict[str, Any]]:
    """A log entry as entries of the record; an order that is only held by the moderator is none."""
    refused = sorted(
        w for w, verdict in _verdicts(entry).items() if verdict.get("ruling") != "accept" and w in accepted
    )
    rejected = {"rejected": refused} if refused else {}
    if entry.kind == EntryKind.EVALUATE:
        return [] if entry.outcome.get("undecided") else [{"evaluate": True, **rejected}]
    if entry.kind == EntryKind.MISS:
        return [{"seat": entry.seat, "miss": True}]
    if entry.kind in (EntryKind.RETIRE, EntryKind.HAND_OVER):
        return [{"seat": entry.seat, "out": entry.kind == EntryKind.RETIRE}]
    if entry.kind == EntryKind.STOP:
        return [{"stop": True}]
    together = pace in ("rounds", "common")
    if entry.kind == EntryKind.MOVE or (entry.kind == EntryKind.ORDER and together):
        return [{"seat": entry.seat, "text": entry.text, **rejected}]
    return [{"seat": entry.seat, "text": ""}] if together and entry.kind == EntryKind.WITHDRAW else []


def _move_json(n: int, move: Played, pace: str) -> Moved:
    values: Moved = {
        "n": n,
        "seat": move.seat,
        "text": move.text,
        "played": move.played,
        "alternative": move.alternative,
        "points": move.points,
        "words": move.detail.get("words", []),
        "refused": [
            {"alternative": r.alternative, "text": r.text, "code": r.code, "params": plain(r.params)}
            for r in move.refused
        ],
    }
    if pace == "common":
        values |= {"laid": move.laid, "same": move.same}
    return values


def _notes(result: Result) -> list[Note]:
    return [*(note for move in result.moves for note in move.notes), *result.notes]


def _event_json(n: int, note: Note) -> Event:
    return {"n": n, "seat": note.seat, "code": note.code, "params": plain(note.params), "points": note.points}


def _changed(moment: Moment) -> bool:
    """Orders that are only stored leave no trace."""
    return moment.n == 0 or bool(moment.result.moves)


def _trace(game: Game[Any, Any], moment: Moment, ctx: Context) -> Traced:
    state = moment.table.state
    return {
        "after": moment.n,
        "scores": list(state.scores),
        "to_move": list(state.to_move),
        "public": plain(game.export(state.public)),
        "legal": _legal(game, moment.table, ctx),
    }


def _legal(game: Game[Any, Any], table: Table[Any], ctx: Context) -> list[Legal] | None:
    """All moves of the first seat to move; None where they cannot be listed."""
    if table.state.over:
        return []
    if not listable(game, view_for(table.state, table.state.to_move[0])):
        return None
    legal = ranked(game, table.state, table.state.to_move[0], ctx)
    if isinstance(ctx.words, AnyListed) and ctx.words.asked:
        return None
    return [{"move": move, "points": points} for move, points in legal]


# ---- a record played move by move, by the same functions that play a live match ----


class AnyListed(AnyWords):
    """Any word counts; knows whether somebody wanted them all, which nobody can list."""

    asked = False

    def playable(self, max_length: int) -> Sequence[str]:
        self.asked = True
        return ()


@dataclass(frozen=True)
class Moment:
    """The match after one entry of the record."""

    n: int
    """Number of the entry, from 1; 0 = the deal."""
    table: Table[Any]
    result: Result
    setup: Step[Any] | None = None


def words_of(record: Record, words: Words | None = None) -> Words:
    """The dictionary that decides: the record's own, else ``words``; any where the game uses none. Raises RecordError
    if there is none."""
    if not record.game.uses_words:
        return AnyWords()
    if record.lexicon == "any":
        return AnyListed()
    if record.lexicon is not None:
        return WordList(record.lexicon, "record")
    if words is None:
        raise RecordError("The record has no lexicon.", 'Add "lexicon": ["WORD", …] or "any", or name a --config.')
    return words


def play(record: Record, words: Words, shuffle: Shuffle | None = None) -> list[Moment]:
    """The match, moment by moment, the deal first. ``shuffle`` takes the place of the record's. Raises RecordError for
    entries that cannot be."""
    ctx = Context(words, shuffle or record.shuffle)
    table, setup = open_table(record.game, len(record.seats), record.options, ctx, record.fixed or None)
    moments = [Moment(0, table, Result(notes=(*setup.notes, *setup.after)), setup)]
    for n, move in enumerate(record.moves, start=1):
        here = replace(ctx, words=Without(words, move.rejected)) if move.rejected else ctx
        table, result = _play_move(record, table, move, here, n)
        moments.append(Moment(n, table, result))
    return moments


def _play_move(record: Record, table: Table[Any], move: RecordMove, ctx: Context, n: int) -> tuple[Table[Any], Result]:
    try:
        if move.kind == "evaluate":
            return evaluate(record.game, table, ctx, "reject")
        if move.kind == "miss":
            return miss(record.game, table, move.seat, ctx)
        if move.kind == "stop":
            return stop(table), Result()
        if move.kind in ("out", "in"):
            return (retire if move.kind == "out" else hand_over)(table, move.seat), Result()
        return submit(record.game, table, move.seat, move.text, ctx, "reject")
    except PlayerError as error:
        if move.kind == "evaluate":
            raise RecordError(f"moves, entry {n}: {error.code}.", "Remove the evaluation.") from error
        return table, Result((Played(move.seat, move.text, refused=(refusal(1, move.text, error),)),))
    except OperatorError as error:
        raise RecordError(f"moves, entry {n}: {error.message}", error.hint) from error


# ---- games whose legal moves are too many to be listed in some positions ----


@runtime_checkable
class Partly(Protocol):
    """A game that can list its moves in some positions only."""

    def listable(self, view: View[Any]) -> bool:
        """Whether ``moves`` is complete for this view."""
        ...


def listable(game: Game[Any, Any], view: View[Any]) -> bool:
    """Whether all moves of a seat can be listed."""
    return game.listable(view) if isinstance(game, Partly) else True
