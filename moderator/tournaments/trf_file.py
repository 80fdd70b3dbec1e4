"""Tournament report files (FIDE's TRF16, and of TRF26 the number of rounds): export and import, two seats.

One line per entrant, one block of ten columns per round. What such a file cannot say (tables, game points, long names,
who came late or left) stands in remarks ``### moderator …``, so that our own files come back whole; a file of another
program needs none. Where somebody changed a block by hand the block counts, not the remark.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

from moderator.common.enums import GameKind
from moderator.common.errors import OperatorError
from moderator.common.text import suggest
from moderator.tournaments import formats
from moderator.tournaments.field import HALF, Entrant, Game, TournamentState, build_bye, build_result, decide_by_absence
from moderator.tournaments.standings import compute_standings

REMARK: Final = "### moderator "
NAME_WIDTH: Final = 33


def format_trf(t: TournamentState, title: str = "") -> str:
    """Return ``t`` as a TRF. Raises OperatorError for tables of more than two and for several games of one in a
    round."""
    blocks: dict[tuple[int, int], str] = {}
    for game in t.games:
        if len(game.seats) > 2:
            raise OperatorError("A TRF holds games of two seats only.", "Export this tournament as CSV.")
        for seat, number in enumerate(game.seats):
            if (number, game.round) in blocks:
                raise OperatorError(
                    f"In round {game.round} entrant {number} has several games; a TRF holds one a round.",
                    "Export this tournament as CSV.",
                )
            blocks[number, game.round] = format_trf_block(game, seat)
    table = {row.entrant.number: row for row in compute_standings(t).rows}
    last = max((game.round for game in t.games), default=0)
    lines = [
        f"012 {_join_words(title)}",
        f"062 {len(t.entrants)}",
        f"142 {t.rounds or last}",
        f"XXR {t.rounds or last}",
    ]
    for one in t.entrants:
        row = table[one.number]
        place = row.place or len(t.entrants)
        games = "".join(blocks.get((one.number, round), " " * 10) for round in range(1, last + 1))
        lines.append(
            f"001 {one.number:4}      {_join_words(one.name)[:NAME_WIDTH]:{NAME_WIDTH}} {round(one.rating):4}{' ' * 28}"
            f"{_format_points(row.points):>4} {place:4}  {games}".rstrip()
        )
    data = t.to_json()
    head = {key: data[key] for key in ("format", "rounds", "seed", "options")}
    lines.append(f"{REMARK}tournament {_to_sorted_json(head)}")
    lines += [f"{REMARK}entrant {_to_sorted_json(one)}" for one in data["entrants"]]
    lines += [f"{REMARK}game {_to_sorted_json(game)}" for game in data["games"]]
    return "\n".join(lines) + "\n"


def _join_words(text: str) -> str:
    return " ".join(text.split())


def _to_sorted_json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _format_points(points: Fraction) -> str:
    return f"{float(points):.1f}"


def parse_trf(text: str, default_format: str = "swiss") -> TournamentState:
    """Return the tournament in a TRF; ``default_format`` is taken where no remark of ours says it. Raises OperatorError
    with the number of the line and what to do."""
    entrants: list[Entrant] = []
    blocks: dict[tuple[int, int], TrfBlock] = {}
    head: dict[str, Any] = {"format": default_format, "rounds": 0}
    remarks: dict[str, list[dict[str, Any]]] = {"tournament": [], "entrant": [], "game": []}
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        if line.startswith("001"):
            entrant = _parse_entrant(line, number)
            if any(entrant.number == other.number for other in entrants):
                raise OperatorError(f"Line {number}: entrant {entrant.number} stands there twice.", "Remove one line.")
            entrants.append(entrant)
            blocks |= parse_trf_blocks(line, number, entrant.number)
        elif line.startswith(("XXR", "142")):
            head["rounds"] = _parse_whole(line[3:], number, "the number of rounds", 1)
        elif line.startswith(REMARK):
            _add_remark(remarks, line.removeprefix(REMARK), number)
    if not entrants:
        raise OperatorError("No line begins with 001: there are no entrants.", "Is this a tournament report (TRF)?")
    for own in remarks["tournament"]:
        head |= own
    entrants = sorted(_merge_entrant_remarks(entrants, remarks["entrant"]), key=lambda one: one.number)
    games = _build_games(blocks, {one.number for one in entrants})
    games = _merge_game_remarks(games, remarks["game"])
    head["rounds"] = head["rounds"] or max((game.round for game in games), default=0)
    if head["format"] not in formats.REGISTRY:
        raise OperatorError(f"There is no format {head['format']!r}.", suggest(head["format"], formats.REGISTRY))
    bare = TournamentState.from_json({**head, "entrants": []})
    return replace(bare, entrants=tuple(entrants)).with_games(games)


def _add_remark(remarks: dict[str, list[dict[str, Any]]], text: str, number: int) -> None:
    kind, _, rest = text.partition(" ")
    try:
        value = json.loads(rest)
        remarks[kind].append(dict(value))
    except (ValueError, KeyError, TypeError) as error:
        raise OperatorError(f"Line {number}: this remark is damaged.", "Remove the line; it is not needed.") from error


def _parse_entrant(line: str, number: int) -> Entrant:
    own = _parse_whole(line[4:8], number, "the starting number (columns 5 to 8)", 1)
    name = line[14:47].strip()
    if not name:
        raise OperatorError(f"Line {number}: the name is missing (columns 15 to 47).", "Write it there.")
    rating = line[48:52].strip()
    return Entrant(
        own, name, float(_parse_whole(rating, number, "the rating (columns 49 to 52)", 0)) if rating else 0.0
    )


def _parse_whole(text: str, line: int, what: str, least: int) -> int:
    if not text.strip().isascii() or not text.strip().isdigit() or int(text) < least:
        raise OperatorError(f"Line {line}: {what} is {text.strip()!r}.", f"Write a whole number from {least}.")
    return int(text)


def _merge_entrant_remarks(entrants: Sequence[Entrant], remarks: Sequence[Mapping[str, Any]]) -> list[Entrant]:
    """Return the entrants with what the remarks know besides, where name and rating in the line are still those."""
    own = {one.number: one for one in map(Entrant.from_json, remarks)}
    found = []
    for one in entrants:
        more = own.get(one.number)
        same = more and _join_words(more.name)[:NAME_WIDTH].strip() == one.name and round(more.rating) == one.rating
        found.append(more if more and same else one)
    return found


def _build_games(blocks: Mapping[tuple[int, int], TrfBlock], numbers: set[int]) -> list[Game]:
    tables: dict[int, int] = {}
    games = []
    for (number, round), block in sorted(blocks.items(), key=lambda item: (item[0][1], item[0][0])):
        if block.opponent and block.opponent < number and (block.opponent, round) in blocks:
            _check_mutual(blocks, number, round)
            continue
        if block.opponent and (block.opponent not in numbers or (block.opponent, round) not in blocks):
            raise OperatorError(
                f"Line {block.line}: in round {round} entrant {number} meets {block.opponent}, who has no such game.",
                "Correct one of the two lines.",
            )
        table = tables[round] = tables.get(round, 0) + 1
        if not block.opponent:
            games.append(
                build_bye(round, table, number, {"H": HALF, "D": HALF, "Z": Fraction(0)}.get(block.result, Fraction(1)))
            )
            continue
        _check_mutual(blocks, number, round)
        games.append(build_block_game(round, table, number, block, blocks[block.opponent, round]))
    return games


def _check_mutual(blocks: Mapping[tuple[int, int], TrfBlock], number: int, round_number: int) -> None:
    block = blocks[number, round_number]
    other = blocks[block.opponent, round_number]
    if other.opponent != number:
        raise OperatorError(
            f"Line {block.line}: in round {round_number} entrant {number} meets {block.opponent}, but not vice versa.",
            f"Correct this line or line {other.line}.",
        )


def _merge_game_remarks(games: Sequence[Game], remarks: Sequence[Mapping[str, Any]]) -> list[Game]:
    """Return the games with tables and game points from the remarks, where they say the same as the blocks. The tables
    are those of the remarks only if every game has one, so that no two games of a round share one."""
    own = {(game.round, frozenset(game.seats)): game for game in map(Game.from_json, remarks)}
    found = [own.get((game.round, frozenset(game.seats))) for game in games]
    if any(more is None for more in found):
        return list(games)
    return [
        more if more and _is_same_game(more, game) else replace(game, table=more.table if more else game.table)
        for game, more in zip(games, found, strict=True)
    ]


def _is_same_game(one: Game, other: Game) -> bool:
    blocks = [
        [format_trf_block(game, game.seats.index(number)) for number in sorted(game.seats)] for game in (one, other)
    ]
    return blocks[0] == blocks[1]


# ---- trf blocks ----
# The blocks of a tournament report: ``  12 w 1`` = first seat against 12, won. Ten columns a round, from 92.


FIRST: Final = 91
WIDTH: Final = 10
COLOURS: Final = "wb"
BYES: Final = {Fraction(1): "U", HALF: "H", Fraction(0): "Z"}
PAIRS: Final = {"10": (1, 0), "01": (0, 1), "==": (0, 0), "WL": (1, 0), "LW": (0, 1), "DD": (0, 0)}
"""Letters of both, as scores that stand for the result where the points of the game are not known."""


@dataclass(frozen=True)
class TrfBlock:
    opponent: int
    """0 = none: a bye or a round without anything."""
    seat: int | None
    result: str
    """One of ``1 0 = W L D + - H F U Z``, or a blank for a running game."""
    line: int


def format_trf_block(game: Game, seat: int) -> str:
    """Return the ten columns of a game. Raises OperatorError for points that a TRF cannot say."""
    if game.kind == GameKind.BYE:
        points = game.get_points(game.seats[0])
        if points not in BYES:
            raise OperatorError(f"A TRF has no bye of {points} points.", "Export this tournament as CSV.")
        return f"0000 - {BYES[points]}  " if game.result else " " * WIDTH
    opponent = game.seats[1 - seat]
    return f"{opponent:4} {COLOURS[seat]} {_get_block_letter(game, seat)}  "


def _get_block_letter(game: Game, seat: int) -> str:
    if game.result is None:
        return " "
    points = game.result.points[seat]
    if game.kind == GameKind.FORFEIT:
        return "-" if seat in game.result.forfeits else "+"
    letters = {Fraction(1): "1", HALF: "=", Fraction(0): "0"}
    if points not in letters:
        raise OperatorError(f"A TRF has no result of {points} points.", "Export this tournament as CSV.")
    return letters[points]


def parse_trf_blocks(line: str, number: int, entrant: int) -> dict[tuple[int, int], TrfBlock]:
    """Return the blocks of line ``number`` by (entrant, round)."""
    found = {}
    for start in range(FIRST, len(line.rstrip()), WIDTH):
        round = (start - FIRST) // WIDTH + 1
        block = line[start : start + WIDTH].ljust(WIDTH)
        if block.strip():
            found[entrant, round] = _parse_block(block, number, round)
    return found


def _parse_block(text: str, line: int, round_number: int) -> TrfBlock:
    opponent, colour, result = text[:4].strip(), text[5].lower(), text[7].upper()
    first, last = FIRST + 1 + WIDTH * (round_number - 1), FIRST + WIDTH * round_number - 2
    where = f"Line {line}, round {round_number} (columns {first} to {last})"
    fine = opponent.isascii() and opponent.isdigit() and colour in "wb- " and not (text[4] + text[6] + text[8:]).strip()
    if not fine:
        raise OperatorError(f"{where}: {text.strip()!r} is no result.", 'Write it like "  12 w 1" or "0000 - U".')
    if result not in ("HFUZ" if int(opponent) == 0 else "10=WLD+- "):
        kind = "a bye: U, F, H or Z" if int(opponent) == 0 else "a game: 1, 0, =, +, -, W, D, L or a blank"
        raise OperatorError(f"{where}: there is no result {result!r} here.", f"Write that of {kind}.")
    return TrfBlock(int(opponent), COLOURS.index(colour) if colour in COLOURS else None, result, line)


def build_block_game(round_number: int, table: int, number: int, own: TrfBlock, other: TrfBlock) -> Game:
    """Return the game that two blocks tell of; ``own`` is that of ``number``. Raises OperatorError where they
    contradict."""
    if own.seat is not None and own.seat == other.seat:
        raise OperatorError(
            f"Line {own.line}: in round {round_number} {number} and {own.opponent} both have the colour "
            f"{COLOURS[own.seat]}.",
            f"Correct this line or line {other.line}.",
        )
    first = own.seat == 0 or (own.seat is None and other.seat != 0)
    game = Game(round_number, table, (number, own.opponent) if first else (own.opponent, number))
    pair = own.result + other.result if first else other.result + own.result
    if pair == "  ":
        return game
    if pair in ("+-", "-+", "--"):
        return decide_by_absence(game, [seat for seat, letter in zip(game.seats, pair, strict=True) if letter == "-"])
    if pair == "00":
        return Game(round_number, table, game.seats, build_result((0, 0), (0, 1)))
    if pair not in PAIRS:
        raise OperatorError(
            f"Line {own.line}: in round {round_number} {number} has {own.result!r} and {own.opponent} "
            f"{other.result!r}.",
            f"Correct this line or line {other.line}.",
        )
    return Game(round_number, table, game.seats, build_result(PAIRS[pair]))
