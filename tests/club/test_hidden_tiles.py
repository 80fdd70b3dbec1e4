"""Two worlds that differ in nothing but tiles that a player cannot see give that player the same mails, byte by byte.

Everything that a mail is made of is fixed (seed, codes, tokens, Message-IDs, clock); only the order of the hidden
tiles in the first deal is changed. So no tile of another hand or of the stock can stand, or leave a trace, anywhere:
text, HTML, pictures, their names, headers, receipts for wrong orders.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from moderator import games
from moderator.club import tokens
from moderator.match import rng
from moderator.match.contract import Context, Game, State, Step, view_for
from moderator.match.words import AnyWords
from tests.club.club import Club, make_club
from tests.club.tile_club import NAMES, TILE_GAMES

CODE = "K7Q2"
MOVES = 4
Shuffle = Callable[[str, Sequence[str]], tuple[str, ...]]
WRONG: dict[str, Callable[[str], str]] = {
    "dominos": lambda tile: f"{tile}@L",
    "tridom": lambda tile: f"{tile}@2",
    "supertridom": lambda tile: f"{tile}@2",
    "domijongg": lambda tile: f"1: {tile}",
}
"""How a tile is laid that the reader does not hold; a new game adds its own."""


@dataclass(frozen=True)
class Worlds:
    """One match in two worlds, and what is played in both."""

    seed: bytes
    reader: int
    exchanged: dict[str, str]
    """Tile -> the tile that lies in its place in the other world."""
    moves: tuple[str, ...]
    unseen: tuple[str, ...]
    """Names of tiles that the reader never holds."""


def other(shuffle: Shuffle, exchanged: dict[str, str]) -> Shuffle:
    def exchanging(label: str, items: Sequence[str]) -> tuple[str, ...]:
        tiles = shuffle(label, items)
        return tuple(exchanged.get(tile, tile) for tile in tiles) if label == "round1" else tiles

    return exchanging


def shown(step: Step[Any], reader: int) -> Any:
    """All that the reader may know after a step."""
    notes = [note for note in (*step.notes, *step.after) if note.only in (None, reader)]
    return view_for(step.state, reader), notes, step.points, step.played, step.detail


def alike(game: Game[Any, Any], ours: State[Any], theirs: State[Any], one: Context, two: Context, reader: int) -> Any:
    """A move of the seat to move after which both worlds still look the same: (notation, state, state, whether
    there were notes that the reader must not see)."""
    seat = ours.to_move[0]
    found = itertools.islice(game.moves(view_for(ours, seat), one), 40)
    legal = {game.format(move) for move, _ in itertools.islice(game.moves(view_for(theirs, seat), two), 400)}
    for move, _ in found:
        if game.format(move) not in legal:
            continue
        first, second = game.apply(ours, seat, move, one), game.apply(theirs, seat, move, two)
        if shown(first, reader) == shown(second, reader) and not first.state.over:
            secret = any(note.only == 1 - reader for note in (*first.notes, *first.after))
            return game.format(move), first.state, second.state, secret
    return None


def worlds(game: Game[Any, Any], reader: int) -> Worlds:
    """Two worlds that look alike to the reader for some moves, found by trying."""
    dice = random.Random(f"{game.key}/{reader}")
    for number in range(2000):
        seed = number.to_bytes(32, "big")
        shuffle = rng.shuffler(rng.round_seeds(seed), (), CODE)
        one = Context(AnyWords(), shuffle)
        start = game.setup(2, game.options(), one)
        hidden = [*start.state.hands[1 - reader], *start.state.stock]
        if len(set(hidden)) < len(hidden):  # all of a kind are exchanged, for one that has as many: the set is known
            count = Counter(hidden)
            usual = Counter(count.values()).most_common(1)[0][0]
            hidden = [tile for tile in count if tile not in start.state.hands[reader] and count[tile] == usual]
        chosen = dice.sample(hidden, min(8, len(hidden)))
        exchanged = dict(zip(chosen, [*chosen[1:], chosen[0]], strict=True))
        two = Context(AnyWords(), other(shuffle, exchanged))
        mirrored = game.setup(2, game.options(), two)
        ours, theirs = start.state, mirrored.state
        if shown(start, reader) != shown(mirrored, reader) or sorted(ours.hands[1 - reader]) == sorted(
            theirs.hands[1 - reader]
        ):
            continue
        moves: list[str] = []
        movers, held, secrets = {ours.to_move[0]}, set(ours.hands[reader]), False
        while len(moves) < MOVES and (found := alike(game, ours, theirs, one, two, reader)):
            move, ours, theirs, secret = found
            secrets = secrets or secret
            moves.append(move)
            movers.add(ours.to_move[0])
            held |= set(ours.hands[reader])
        if len(moves) == MOVES and len(movers) == 2 and ours.stock != theirs.stock and secrets:
            unseen = tuple(sorted({*ours.hands[1 - reader], *ours.stock} - held))
            return Worlds(seed, reader, exchanged, tuple(moves), unseen)
    raise AssertionError("no two such worlds")


@pytest.fixture
def fixed(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Call it before each world: codes, tokens and Message-IDs come out the same."""

    def begin() -> None:
        numbers = itertools.count(1)
        monkeypatch.setattr(tokens, "new_code", lambda long=False: CODE)
        monkeypatch.setattr(tokens, "new_token", lambda: f"{next(numbers):010d}")
        monkeypatch.setattr("moderator.outbox.post.secrets.token_hex", lambda size: f"{next(numbers):016d}")

    return begin


def played(club: Club, game: Game[Any, Any], world: Worlds) -> Iterator[bytes]:
    """All mails to the reader of the match in one world, with wrong orders and questions between the moves."""
    reader = NAMES[world.reader]
    club.players(*NAMES[:2])
    code = club.match(*NAMES[:2], game=game.key, seed=lambda match: world.seed)
    wrong = [WRONG[game.key](tile) for tile in world.unseen]
    for move in (*world.moves, ""):
        club.tick()
        ahead = world.reader not in club.live(code).table.state.to_move
        lines = [*wrong[:40], *(["nach Ziehen: bester"] if ahead else []), "Unsinn@@"]
        for body in ("\n".join(lines), "ZURÜCKZIEHEN", "STAND"):
            club.order(reader, code, world.reader, body)
        club.tick()
        if move:
            seat = club.live(code).table.state.to_move[0]
            club.order(NAMES[seat], code, seat, move)
            club.tick()
            assert club.live(code).last[seat][0].split(" (")[0] == move
    for mail in club.mails(f"{reader}@"):
        yield mail.as_bytes()


@pytest.mark.matrix("club")
@pytest.mark.parametrize("reader", [0, 1])
@pytest.mark.parametrize("game", TILE_GAMES)
def test_hidden_tiles_leave_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fixed: Callable[[], None], game: str, reader: int
) -> None:
    rules = games.load(game)
    world = worlds(rules, reader)
    fixed()
    ours = list(played(make_club(tmp_path / "ours"), rules, world))
    real = rng.shuffler
    monkeypatch.setattr(rng, "shuffler", lambda *values: other(real(*values), world.exchanged))
    fixed()
    theirs = list(played(make_club(tmp_path / "theirs"), rules, world))
    assert len(ours) == len(theirs) >= 3 * MOVES
    for mine, yours in zip(ours, theirs, strict=True):
        assert mine == yours
