"""Two worlds that differ in nothing but what a player cannot see give that player the same mails, byte by byte.

Everything that a mail is made of is fixed (seed, codes, tokens, Message-IDs, clock); only the order of the hidden
tiles in the deal is changed, or what others have sent. So no tile of another hand or of the stock can stand, or leave
a trace, anywhere: text, HTML, pictures, their names, headers, receipts for wrong orders, and what is told in pace
``common`` of what would have been possible.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from moderator import games
from moderator.club import tokens
from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch
from moderator.match import rng
from moderator.match.contract import Context, Game, State, Step, view_for
from moderator.match.result import Result
from moderator.match.robot import ranked
from moderator.match.table import Table
from moderator.match.words import AnyWords
from moderator.play import turns
from moderator.play.possible import possible
from moderator.store.models import MatchReview, TurnReview
from tests.club.club import Club, make_club, plain_boards, text
from tests.club.steps import begin, play
from tests.club.test_reviews import PLENTY, with_seconds
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


@pytest.mark.matrix("hidden tiles", seconds=2)
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
    assert ours == theirs


# The same of words, with what was possible


DEALT = 40
"""Tiles from the front of the stack that both worlds have in common: more than these turns draw."""
ANNA_LAYS = bytes(31) + b"\x03"
"""With this seed she has something to lay."""


def turned(shuffle: Shuffle) -> Shuffle:
    """The other world of pace ``common``: what nobody has drawn yet lies the other way round."""

    def other(label: str, items: Sequence[str]) -> tuple[str, ...]:
        tiles = shuffle(label, items)
        return (*tiles[:DEALT], *reversed(tiles[DEALT:])) if len(tiles) > DEALT else tiles

    return other


def swapped(shuffle: Shuffle) -> Shuffle:
    """The other world of pace ``rounds``: the second seat holds other tiles."""

    def other(label: str, items: Sequence[str]) -> tuple[str, ...]:
        tiles = shuffle(label, items)
        return (*tiles[:7], *tiles[-7:], *tiles[14:-7], *tiles[7:14]) if len(tiles) > DEALT else tiles

    return other


def passes(moves: list[str]) -> list[str]:
    return ["passe"]


def one_word(moves: list[str]) -> list[str]:
    """An order that he changes, a line that is no move, and an alternative to the pass."""
    return [moves[-1], "E5 w QXQ", f"passe\nsonst {moves[0]}"]


def another_word(moves: list[str]) -> list[str]:
    """The same with other words in all places."""
    return [moves[-2], "E5 w XQX", f"passe\nsonst {moves[1]}"]


def reports(club: Club, pace: str, bert: Callable[[list[str]], list[str]]) -> Iterator[tuple[bytes, tuple[str, ...]]]:
    """The mails to Anna, and to Dora who watches in English, of three rounds in which Anna lays once, each with what
    was hidden from them. ``bert``: of his legal moves, what he sends before and besides the pass that is played."""
    club.players("Anna", "Bert", "Dora", Dora="en")
    code = club.match("Anna", "Bert", early=True, pace=pace, seed=lambda match: ANNA_LAYS)
    club.write("Dora", f"watch {code}", Authentication_Results="mx.club.example; dkim=pass header.d=home.example")
    club.tick()
    said = 0
    for number in range(3):
        moves, his = club.moves(code, 0), club.moves(code, 1)
        sent = bert(his) if len(his) > 3 else ["passe"]
        state = club.live(code).table.state
        secret = (*(state.stock if pace == "common" else state.hand(1)), *sent)
        for name, seat, body in (
            *(("Bert", 1, body) for body in sent),
            ("Anna", 0, "Stand"),  # while what Bert has sent is stored
            ("Anna", 0, moves[0] if moves else "passe"),
        ):
            club.order(name, code, seat, body, subject=f"Runde {number + 1}")
            club.tick()
        found = [mail for reader in ("Anna@", "Dora@") for mail in club.mails(reader)]
        assert len({str(mail["To"]) for mail in found}) == 2
        for mail in found:
            yield mail.as_bytes(), secret
        said += any("Möglich war" in text(mail) for mail in found)
        club.mails()
    assert (said > 1) is (pace == "common")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pace", "change"), [("common", turned), ("rounds", swapped), ("common", None), ("rounds", None)]
)
def test_no_byte_depends_on_hidden_tiles_or_on_orders_that_were_not_played(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fixed: Callable[[], None],
    pace: str,
    change: Callable[[Shuffle], Shuffle] | None,
) -> None:
    first, second = (passes, passes) if change else (one_word, another_word)
    fixed()
    ours = list(reports(make_club(tmp_path / "ours"), pace, first))
    if change:
        real = rng.shuffler
        monkeypatch.setattr(rng, "shuffler", lambda *values: change(real(*values)))
    fixed()
    theirs = list(reports(make_club(tmp_path / "theirs"), pace, second))
    assert len(ours) >= 9
    assert [mail for mail, _ in ours] == [mail for mail, _ in theirs]
    differ = sum(mine != yours for (_, mine), (_, yours) in zip(ours, theirs, strict=True))
    assert differ >= (len(ours) if change else 2)


@pytest.fixture
def three(tmp_path: Path) -> Club:
    made = make_club(tmp_path)
    made.players(*NAMES, Cici="en")
    plain_boards(made)
    return made


def test_the_order_of_the_stock_leaves_no_trace(three: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    """In pace ``common``: the same line whatever is drawn next."""
    told = []

    def twice(desk: Desk, live: LiveMatch, before: Table[Any], result: Result) -> object:
        state = before.state
        other = replace(before, state=replace(state, stock=tuple(reversed(state.stock))))
        assert state.stock != other.state.stock
        told.append((possible(desk, live, before, result), possible(desk, live, other, result)))
        return told[-1][0]

    monkeypatch.setattr(turns, "possible", twice)
    code = begin(three, game="topwords", early=True, pace="common")
    for seat in (0, 1):
        play(three, code, seat)
    ((first, second),) = told
    assert first
    assert first == second


def test_nothing_is_worked_out_of_a_running_match(three: Club) -> None:
    code = begin(three)
    three.order("Anna", code, 0, f"REVIEW {code}")
    for _ in range(2):
        with_seconds(three, PLENTY).tick()
    with three.desk() as desk:
        assert desk.session.exec(select(MatchReview)).all() == desk.session.exec(select(TurnReview)).all() == []


# What is told of what was possible


def report(club: Club, code: str, *moves: str) -> str:
    """What Anna reads when all have sent."""
    for seat, move in enumerate(moves):
        club.order(NAMES[seat], code, seat, move)
    club.tick()
    return " ".join(text(club.mails("Anna")[-1]).split())


def best(club: Club, code: str) -> tuple[str, int, str]:
    """The best move, its points, and one that is worth less."""
    live = club.live(code)
    context = replace(live.context, words=club.dictionary(live.options, live.code))
    found = ranked(live.game, live.table.state, 0, context)
    return *found[0], next(move for move, points in found if points < found[0][1])


def test_what_was_possible_is_told_when_the_round_is_over_with_who_has_found_it(three: Club) -> None:
    code = begin(three, *NAMES, game="topwords", pace="common", early=True)
    move, points, less = best(three, code)
    for seat in (0, 1):
        play(three, code, seat, less)
    assert not any("Möglich waren" in text(mail) or move in text(mail) for mail in three.mails())
    assert f"Möglich waren {points} Punkte (»{move}«); so viele hat: Bert." in report(three, code, less, move, "passe")
    three.wait(minutes=11)
    move, points, less = best(three, code)
    told = report(three, code, less, "passe", "passe")
    assert f"Möglich waren {points} Punkte (»{move}«); gefunden von niemandem." in told, "of the board that was"
    english = " ".join(text(three.mails("Cici")[-1]).split())
    assert f"Possible: {points} points (“" in english
    assert "found by nobody." in english


def test_of_racks_that_are_secret_nothing_is_told(three: Club) -> None:
    code = begin(three, *NAMES, game="topwords", pace="rounds", early=True)
    assert "Möglich waren" not in report(three, code, *(three.moves(code, seat)[0] for seat in range(3)))


def test_a_round_in_which_nobody_played_is_over_like_any_other(three: Club) -> None:
    code = begin(three, *NAMES, game="topwords", pace="common", common_end=False)
    move, points, _ = best(three, code)
    three.wait(days=9)
    assert not three.tick().troubles
    told = " ".join(text(three.mails("Anna")[-1]).split())
    assert f"Möglich waren {points} Punkte (»{move}«); gefunden von niemandem." in told
