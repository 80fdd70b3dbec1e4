"""A match in a file: replayed, analysed, exported and verified, without configuration or database.

``file.py`` reads the file; docs/build/record.md documents it and the JSON that comes out of here, of the types
below."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NotRequired, TypedDict

from moderator.common.enums import LogEntryKind
from moderator.common.errors import OperatorError, PlayerError, RecordError
from moderator.rules.ending import EndCause, Ending, list_match_winners
from moderator.rules.game import Game, InForce, State, Step, resolve_option_values
from moderator.rules.log import EngineResult, PlayedMove, build_refusal, to_plain_value
from moderator.rules.records.file import (
    VERSION,
    MatchRecord,
    RecordMove,
    parse_record_text,
    parse_record_values,
    read_record_file,
)
from moderator.rules.replay import LogEntry, drop_undone, find_import_entry, rebuild_from_log
from moderator.rules.robots.choose import rank_moves
from moderator.rules.shuffling import build_round_seeds, build_shuffle, commit_seed, derive_round_seed
from moderator.rules.state import Context, Note, Shuffle, Words, view_for
from moderator.rules.table import (
    MatchState,
    evaluate_in_state,
    miss_seat,
    open_match_state,
    replace_holder_in_state,
    retire_in_state,
    stop_in_state,
    try_order,
)
from moderator.rules.words import AnyWords, WordList, WordsWithout


class Formed(TypedDict):
    """A word that a move formed."""

    word: str
    points: int


class Refused(TypedDict):
    """An alternative that was reached and not played."""

    alternative: int
    """From 1 = the main move."""
    text: str
    code: str
    """Why not."""
    params: Mapping[str, Any]


class Moved(TypedDict):
    """The outcome of an order."""

    n: int
    """Number of the entry in the record's moves, from 1."""
    seat: int
    text: str
    """The order as it was sent; "" = nothing."""
    played: str | None
    """The move in canonical notation; null = nothing legal was sent."""
    alternative: int
    """Which was played, from 1; 0 = none."""
    points: int
    words: list[Formed]
    """The laid one first."""
    refused: list[Refused]
    laid: NotRequired[bool]
    """Pace common: whether this move lies on the board."""
    same: NotRequired[int]
    """Pace common: how many other seats sent the same."""


class Event(TypedDict):
    """An event besides the moves."""

    n: int
    """Number of the entry that it belongs to; 0 = the deal."""
    seat: int | None
    """null = all."""
    code: str
    params: Mapping[str, Any]
    points: int


class Legal(TypedDict):
    """A legal move."""

    move: str
    points: int


class Traced(TypedDict):
    """The match after an entry."""

    after: int
    """Number of the entry; 0 = the deal."""
    scores: list[int]
    to_move: list[int]
    public: Mapping[str, Any]
    legal: list[Legal] | None
    """All legal moves of the first seat to move; null where they cannot be listed."""


class Report(TypedDict):
    """The report of `moderator replay` on a record."""

    report: int
    """Version of the format."""
    game: str
    over: bool
    to_move: list[int]
    """Seats awaited, from 0."""
    scores: list[int]
    """By seat."""
    winners: list[int]
    hands: list[list[str]]
    """Tiles by seat; one shared list in pace common."""
    stock: int
    """Number of tiles."""
    moves: list[Moved]
    events: list[Event]
    public: Mapping[str, Any]
    """What lies on the table, by game."""
    trace: NotRequired[list[Traced]]
    """With --trace."""


class Analysis(TypedDict):
    """The moves that the seat to move could make after all entries of a record."""

    seat: int | None
    """null = the match is over."""
    moves: list[Legal]
    """Best first."""


class Check(TypedDict):
    """Something that was compared."""

    check: str
    ok: bool
    detail: str


class Deal(TypedDict):
    """The position after the first deal."""

    hands: list[list[str]]
    stock: list[str]
    """Next first."""


class Shuffled(TypedDict):
    """The tiles of a deal as they were shuffled."""

    label: str
    tiles: list[str]
    """Next first."""


class Verification(TypedDict):
    """A record dealt again and compared with what was published."""

    ok: bool
    """Everything that was compared agrees, and something was."""
    checks: list[Check]
    deal: Deal
    deals: list[Shuffled]
    """By round, where it was dealt from seeds."""


REPORT = 1
"""Version of what ``build_replay_report`` tells. A higher one may mean anything; new keys alone do not raise it."""

__all__ = [
    "MatchRecord",
    "build_record",
    "build_record_analysis",
    "build_replay_report",
    "parse_record_text",
    "parse_record_values",
    "play_record",
    "read_record_file",
    "verify_record",
]


def build_replay_report(record: MatchRecord, words: Words | None = None, trace: bool = False) -> Report:
    """Return the report on a record that is played again, as docs/build/record.md has it. ``words`` decides where the
    record has no lexicon."""
    lexicon = get_record_words(record, words)
    moments = play_record(record, lexicon)
    table, game = moments[-1].table, record.game
    state = table.state
    report: Report = {
        "report": REPORT,
        "game": game.key,
        "over": state.over,
        "to_move": list(state.to_move),
        "scores": list(state.scores),
        "winners": list(list_match_winners(game, table, _is_stopped(record))),
        "hands": [list(hand) for hand in state.hands],
        "stock": len(state.stock),
        "moves": [
            _encode_move(moment.n, move, record.options.pace) for moment in moments for move in moment.result.moves
        ],
        "events": [_encode_event(moment.n, note) for moment in moments for note in _list_notes(moment.result)],
        "public": to_plain_value(game.export(state.public)),
    }
    if trace:
        ctx = Context(lexicon, record.shuffle)
        report["trace"] = [
            _build_trace(game, moment, ctx) for moment in moments if moment.n == 0 or bool(moment.result.moves)
        ]
    return report


def build_record_analysis(record: MatchRecord, words: Words | None = None, limit: int | None = 20) -> Analysis:
    """Return what the seat to move could do after all moves, best first, ties by notation. ``limit=None`` lists all.
    "seat" is None when the match is over. RecordError if ``any`` word counts in a game of words."""
    lexicon = get_record_words(record, words)
    table = play_record(record, lexicon)[-1].table
    legal = _find_legal_moves(record.game, table, Context(lexicon, record.shuffle))
    if legal is None:
        if isinstance(lexicon, AnyWords):
            raise RecordError('With "lexicon": "any" the moves cannot be listed.', "Give a list of words instead.")
        raise RecordError("The moves of this position cannot be listed: too many.", "docs/build/record.md says where.")
    return {"seat": next(iter(table.state.to_move), None), "moves": legal[:limit]}


def build_record(
    match: str,
    game: Game[Any, Any],
    options: InForce,
    seats: Sequence[str],
    seed: str | bytes,
    salts: Sequence[str],
    entries: Iterable[LogEntry],
    fixed: Mapping[str, Any] | None = None,
    ending: Ending | None = None,
) -> dict[str, Any]:
    """Return the record of a match as JSON values. ``options`` are plain values, ``seats`` the names, ``seed`` bytes or
    hex; ``fixed`` what was not dealt from it. Where rounds have seeds of their own, those of the rounds that were dealt
    are in it instead of ``seed``.

    "lexicon" becomes what was accepted on the way, so that nobody needs the dictionary; where a word counted only
    later, the earlier entries name it in "rejected". What was undone is left out. "result" holds the moves as the log
    has them, for ``verify_record``, and what ``ending`` says."""
    log = [entry for _, entry in drop_undone(entries)]
    fixed = find_import_entry(log) or fixed
    master = seed if isinstance(seed, bytes) else bytes.fromhex(seed)
    accepted = {
        word for entry in log for word, verdict in _get_verdicts(entry).items() if verdict.get("ruling") == "accept"
    }
    listed = [(entry, _convert_entry(entry, options.pace, accepted)) for entry in log]
    record: dict[str, Any] = {
        "record": VERSION,
        "game": game.key,
        "match": match,
        "options": to_plain_value(resolve_option_values(game, options, len(seats))),
        "seats": list(seats),
        "setup": {"seed": master.hex(), "salts": list(salts), **to_plain_value(fixed or {})},
        "commitment": commit_seed(master),
        "lexicon": sorted(accepted),
        "moves": [move for _, moves in listed for move in moves],
    }
    if not game.uses_words:
        del record["lexicon"]
    if game.seeded_rounds:
        shuffle = build_shuffle(build_round_seeds(master), salts, match)
        rounds = _count_rounds_dealt(game, options, len(seats), shuffle, fixed, log)
        del record["setup"]["seed"], record["commitment"]
        seeds = [derive_round_seed(master, number) for number in range(1, rounds + 1)]
        record["setup"]["seeds"] = [seed.hex() for seed in seeds]
        record["commitments"] = [commit_seed(seed) for seed in seeds]
    report = build_replay_report(parse_record_values(record, lambda _: game))
    moves = [
        {"n": n, "seat": move["seat"], "played": move["played"], "points": move["points"]}
        for n, entry in enumerate((entry for entry, moves in listed if moves), start=1)
        for move in entry.outcome.get("moves", ())
    ]
    record["result"] = {"scores": report["scores"], "winners": report["winners"], "moves": moves}
    if ending is not None:
        record["result"] |= ending.to_json() | (
            {"winners": list(ending.winners)} if ending.how == EndCause.RULED else {}
        )
    return record


def _count_rounds_dealt(
    game: Game[Any, Any], options: InForce, seats: int, shuffle: Shuffle, fixed: Any, log: list[LogEntry]
) -> int:
    """Count the rounds of a match that were dealt."""
    ctx = Context(AnyWords(), shuffle)
    table, _, _ = rebuild_from_log(game, seats, options, ctx, fixed or None, log, check=False)
    return int(table.state.public.round)


def verify_record(record: MatchRecord, words: Words | None = None) -> Verification:
    """Deal all rounds again from their seeds, check the commitments and compare the replay with the record's "result".
    What the record does not hold is not checked; a record with nothing to check is not ok.

    "deal" is the position after the first deal, "deals" the order of the tiles in each deal, next first."""
    checks = []
    for number, claimed in enumerate(record.commitments, start=1):
        name = f"commitment of round {number}" if len(record.commitments) > 1 else "commitment"
        if number > len(record.seeds):
            checks.append(_build_check(name, False, "the record holds no seed"))
            continue
        found = commit_seed(record.seeds[number - 1])
        same = found == claimed.strip().lower()
        checks.append(_build_check(name, same, found if same else f"{found} instead of {claimed}"))
    report: Mapping[str, Any] = build_replay_report(record, words)
    for key, claimed in record.result.items():
        if key == "moves" and isinstance(claimed, list):
            checks += _compare_moves(claimed, report["moves"])
        elif key in report and not (key == "winners" and _is_decided_elsewhere(record, report)):
            same = to_plain_value(claimed) == report[key]
            checks.append(_build_check(key, same, f"{report[key]}" if same else f"{report[key]} instead of {claimed}"))
    deal, deals = _list_deals(record, words)
    return {
        "ok": bool(checks) and all(check["ok"] for check in checks),
        "checks": checks,
        "deal": {"hands": [list(hand) for hand in deal.hands], "stock": list(deal.stock)},
        "deals": deals,
    }


def _is_stopped(record: MatchRecord) -> bool:
    return any(move.kind == "stop" for move in record.moves)


def _is_decided_elsewhere(record: MatchRecord, report: Mapping[str, Any]) -> bool:
    """Return whether the winners are the moderator's word; or those, in a record from before they counted the racks, of
    a stopped game; or those, from before the game was asked when somebody had left, of one that nobody won."""
    how = record.result.get("how")
    nobody = report["over"] and not report["winners"] and bool(record.result.get("out"))
    return how == EndCause.RULED or nobody or (how is None and _is_stopped(record))


def _list_deals(record: MatchRecord, words: Words | None) -> tuple[State[Any], list[Shuffled]]:
    """Return the position after the first deal, and the tiles of all deals as they were shuffled."""
    deals: list[Shuffled] = []

    def record_shuffle(label: str, items: Sequence[str]) -> tuple[str, ...]:
        tiles = record.shuffle(label, items)
        if label.startswith("round"):
            deals.append({"label": label, "tiles": list(tiles)})
        return tiles

    first = play_record(record, get_record_words(record, words), record_shuffle)[0].table.state
    found = {deal["label"]: deal for deal in deals}
    return first, list(found.values()) if record.seeds else []


def _compare_moves(claimed: list[Any], replayed: Sequence[Mapping[str, Any]]) -> list[Check]:
    """Compare move by move, only what the record claims of each; one line for all if they agree."""
    if len(claimed) != len(replayed):
        return [_build_check("moves", False, f"{len(replayed)} moves instead of {len(claimed)}")]
    wrong = []
    for n, (one, other) in enumerate(zip(claimed, replayed, strict=True), start=1):
        seen = {key: other.get(key) for key in one} if isinstance(one, Mapping) else other
        if seen != one:
            wrong.append(_build_check(f"move {n}", False, f"{seen} instead of {one}"))
    return wrong or [_build_check("moves", True, f"{len(replayed)}")]


def _build_check(name: str, ok: bool, detail: str) -> Check:
    return {"check": name, "ok": ok, "detail": detail}


def _get_verdicts(entry: LogEntry) -> Mapping[str, Mapping[str, Any]]:
    verdicts: Mapping[str, Mapping[str, Any]] = entry.outcome.get("verdicts", {})
    return verdicts


def _convert_entry(entry: LogEntry, pace: str, accepted: set[str]) -> list[dict[str, Any]]:
    """Return a log entry as entries of the record; an order that is only held by the moderator is none."""
    refused = sorted(
        w for w, verdict in _get_verdicts(entry).items() if verdict.get("ruling") != "accept" and w in accepted
    )
    rejected = {"rejected": refused} if refused else {}
    if entry.kind == LogEntryKind.EVALUATE:
        return [] if entry.outcome.get("undecided") else [{"evaluate": True, **rejected}]
    if entry.kind == LogEntryKind.MISS:
        return [{"seat": entry.seat, "miss": True}]
    if entry.kind in (LogEntryKind.RETIRE, LogEntryKind.HAND_OVER):
        return [{"seat": entry.seat, "out": entry.kind == LogEntryKind.RETIRE}]
    if entry.kind == LogEntryKind.STOP:
        return [{"stop": True}]
    together = pace in ("rounds", "common")
    if entry.kind == LogEntryKind.MOVE or (entry.kind == LogEntryKind.ORDER and together):
        return [{"seat": entry.seat, "text": entry.text, **rejected}]
    return [{"seat": entry.seat, "text": ""}] if together and entry.kind == LogEntryKind.WITHDRAW else []


def _encode_move(n: int, move: PlayedMove, pace: str) -> Moved:
    values: Moved = {
        "n": n,
        "seat": move.seat,
        "text": move.text,
        "played": move.played,
        "alternative": move.alternative,
        "points": move.points,
        "words": move.detail.get("words", []),
        "refused": [
            {"alternative": r.alternative, "text": r.text, "code": r.code, "params": to_plain_value(r.params)}
            for r in move.refused
        ],
    }
    if pace == "common":
        values |= {"laid": move.laid, "same": move.same}
    return values


def _list_notes(result: EngineResult) -> list[Note]:
    return [*(note for move in result.moves for note in move.notes), *result.notes]


def _encode_event(n: int, note: Note) -> Event:
    return {"n": n, "seat": note.seat, "code": note.code, "params": to_plain_value(note.params), "points": note.points}


def _build_trace(game: Game[Any, Any], moment: RecordMoment, ctx: Context) -> Traced:
    state = moment.table.state
    return {
        "after": moment.n,
        "scores": list(state.scores),
        "to_move": list(state.to_move),
        "public": to_plain_value(game.export(state.public)),
        "legal": _find_legal_moves(game, moment.table, ctx),
    }


def _find_legal_moves(game: Game[Any, Any], table: MatchState[Any], ctx: Context) -> list[Legal] | None:
    """Return all moves of the first seat to move; None where they cannot be listed."""
    if table.state.over:
        return []
    if not game.can_list_moves(view_for(table.state, table.state.to_move[0])):
        return None
    legal = rank_moves(game, table.state, table.state.to_move[0], ctx)
    if isinstance(ctx.words, WatchedAnyWords) and ctx.words.asked:
        return None
    return [{"move": move, "points": points} for move, points in legal]


# ---- a record played move by move, by the same functions that play a live match ----


class WatchedAnyWords(AnyWords):
    """Accepts any word, and notes in ``asked`` whether all of them were asked for, which nobody can list."""

    asked = False

    def playable(self, max_length: int) -> Sequence[str]:
        self.asked = True
        return ()


@dataclass(frozen=True)
class RecordMoment:
    """The match after one entry of the record."""

    n: int
    """Number of the entry, from 1; 0 = the deal."""
    table: MatchState[Any]
    result: EngineResult
    setup: Step[Any] | None = None


def get_record_words(record: MatchRecord, words: Words | None = None) -> Words:
    """Return the dictionary that decides: the record's own, else ``words``; any where the game uses none. Raises
    RecordError if there is none."""
    if not record.game.uses_words:
        return AnyWords()
    if record.lexicon == "any":
        return WatchedAnyWords()
    if record.lexicon is not None:
        return WordList(record.lexicon, "record")
    if words is None:
        raise RecordError("The record has no lexicon.", 'Add "lexicon": ["WORD", …] or "any", or name a --config.')
    return words


def play_record(record: MatchRecord, words: Words, shuffle: Shuffle | None = None) -> list[RecordMoment]:
    """Play a record and return the match, moment by moment, the deal first. ``shuffle`` takes the place of the
    record's. Raises RecordError for entries that cannot be."""
    ctx = Context(words, shuffle or record.shuffle)
    table, setup = open_match_state(record.game, len(record.seats), record.options, ctx, record.fixed or None)
    moments = [RecordMoment(0, table, EngineResult(notes=(*setup.notes, *setup.after)), setup)]
    for n, move in enumerate(record.moves, start=1):
        here = replace(ctx, words=WordsWithout(words, move.rejected)) if move.rejected else ctx
        table, result = _play_record_move(record, table, move, here, n)
        moments.append(RecordMoment(n, table, result))
    return moments


def _play_record_move(
    record: MatchRecord, table: MatchState[Any], move: RecordMove, ctx: Context, n: int
) -> tuple[MatchState[Any], EngineResult]:
    try:
        if move.kind == "evaluate":
            return evaluate_in_state(record.game, table, ctx, "reject")
        if move.kind == "miss":
            return miss_seat(record.game, table, move.seat, ctx)
        if move.kind == "stop":
            return stop_in_state(table), EngineResult()
        if move.kind in ("out", "in"):
            return (retire_in_state if move.kind == "out" else replace_holder_in_state)(
                table, move.seat
            ), EngineResult()
        return try_order(record.game, table, move.seat, move.text, ctx, "reject")
    except PlayerError as error:
        if move.kind == "evaluate":
            raise RecordError(f"moves, entry {n}: {error.code}.", "Remove the evaluation.") from error
        return table, EngineResult((PlayedMove(move.seat, move.text, refused=(build_refusal(1, move.text, error),)),))
    except OperatorError as error:
        raise RecordError(f"moves, entry {n}: {error.message}", error.hint) from error
