"""Which words can be laid: against trying everything, with jollies, and on the whole dictionary in time."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Iterator

import pytest

from moderator.errors import Illegal
from moderator.games.typdom import board
from moderator.games.typdom.board import Place, Table, columns, lay, letters_of
from moderator.games.typdom.search import can_lay, placements
from moderator.games.typdom.tiles import BLACK, RED, STAR, VOWELS, as_held
from moderator.match.contract import Context
from moderator.match.words import AnyWords, Assuming, Recorded, Recording, Without, WordList, listed, unwrapped

WORDS = [
    *("AN", "AS", "DU", "EI", "EIN", "EIS", "ES", "HUT", "IN", "NASE", "NUN", "OHR", "ORT", "RAT", "REISE", "ROT"),
    *("RUF", "SEE", "SO", "TEE", "TOR", "TUN", "UHR", "WORT", "WORTE", "ZU"),
]
SIZE = 15


def context(words: list[str]) -> Context:
    return Context(WordList(words), lambda label, items: tuple(items))


def everything(table: Table, hand: tuple[str, ...], words: list[str]) -> set[Place]:
    """Every word at every square in both directions, jollies only for letters that the rack lacks, tried one by one."""
    return set(_tried(table, hand, words))


def _tried(table: Table, hand: tuple[str, ...], words: list[str]) -> Iterator[Place]:
    most = sum(tile.startswith(STAR) for tile in hand)
    for word, x, y, direction in itertools.product(words, range(SIZE), range(1, SIZE + 1), ("w", "s")):
        square = f"{columns(SIZE)[x]}{y}"
        for stars in itertools.product((False, True), repeat=len(word)):
            if sum(stars) > most:
                continue
            text = "".join(STAR + c if star else c for c, star in zip(word, stars, strict=True))
            place = Place(square, direction, text)  # type: ignore[arg-type]
            try:
                laying = lay(table, place, hand)
            except Illegal:
                continue
            if laying.place == place and set(laying.words) <= set(words) and _needed(laying.laid, hand):
                yield place


def _needed(laid: tuple[tuple[int, str], ...], hand: tuple[str, ...]) -> bool:
    """No jolly is laid for a letter of which the rack still has one."""
    used = [tile for _, tile in laid]
    return all(hand.count(tile[-1]) == used.count(tile[-1]) for tile in used if tile.startswith(STAR))


def positions(seed: int, jollies: bool) -> Iterator[tuple[Table, tuple[str, ...]]]:
    dice = random.Random(seed)
    bag = [tile for tile in RED + BLACK if jollies or not tile.startswith(STAR)]
    dice.shuffle(bag)
    table = Table(SIZE)
    for _ in range(4):
        hand = (*bag[:7], "*r", "*b") if jollies else tuple(bag[:7])
        yield table, hand
        found = sorted(placements(table, hand, WordList(WORDS)), key=lambda p: (p.square, p.word, p.direction))
        if not found:
            return
        laying = lay(table, dice.choice(found), hand)
        table, bag = laying.table, bag[5:]


@pytest.mark.matrix("games")
@pytest.mark.parametrize("seed", range(2))
def test_it_finds_what_trying_everything_finds(seed: int) -> None:
    for table, hand in positions(seed, jollies=False):
        found = list(placements(table, hand, WordList(WORDS)))
        assert len(found) == len(set(found))
        assert set(found) == everything(table, hand, WORDS)


@pytest.mark.matrix("games")
@pytest.mark.parametrize("seed", range(2))
def test_with_jollies_too(seed: int) -> None:
    few = WORDS[::3]
    for table, hand in itertools.islice(positions(seed, jollies=True), 3):
        found = list(placements(table, hand, WordList(few)))
        assert len(found) == len(set(found))
        assert set(found) == everything(table, hand, few)


def test_nothing_fits_an_empty_hand() -> None:
    assert list(placements(Table(), (), WordList(WORDS))) == []
    assert can_lay(Table(), ("X", "Q"), context(WORDS)) is False


def test_exchanging_a_jolly_may_make_a_word_possible() -> None:
    table = Table(40, {board.index("T20"): "*R", board.index("U20"): "X"})
    assert can_lay(table, ("R",), context(["RXO"])) is False
    assert can_lay(table, ("R",), context(["SRX"])) is True
    built = Table(40, {**table.squares, board.index("T19"): "A", board.index("T21"): "A"})
    assert can_lay(built, ("R",), context(["SRX"])) is False


def test_both_jollies_may_be_exchanged() -> None:
    table = Table(40, {board.index("T20"): "*R", board.index("U20"): "*A"})
    assert can_lay(table, ("R", "A"), context(["TRAU"])) is True
    assert can_lay(table, ("R", "R"), context(["TRAU"])) is False


def test_any_word_cannot_be_listed() -> None:
    assert can_lay(Table(), ("A", "B"), Context(AnyWords(), lambda label, items: tuple(items))) is None
    for watched in (Recording(AnyWords()), Assuming(AnyWords()), Without(AnyWords(), [])):
        assert not listed(watched)
    assert listed(Recording(Without(WordList([]), [])))
    plain = WordList(["AB"])
    assert unwrapped(Recording(Assuming(plain))) is plain


def test_a_replay_finds_what_was_found() -> None:
    """The log's verdicts are enough to answer the question again, both ways."""
    for hand, answer in ((tuple("SEAX"), True), (("X", "Q"), False)):
        recording = Recording(WordList(WORDS))
        assert can_lay(Table(), hand, Context(recording, lambda label, items: tuple(items))) is answer
        again = Context(Recorded(recording.verdicts), lambda label, items: tuple(items))
        assert can_lay(Table(), hand, again) is answer
    assert Recorded({"AB": {"ruling": "accept"}, "ABCDE": {"ruling": "accept"}, "AC": {"ruling": "reject"}}).playable(
        4
    ) == ["AB"]


def test_words_with_other_signs_are_left_aside() -> None:
    assert {place.word for place in placements(Table(), tuple("ABX"), WordList(["AB", "ÄB", "A-B", "ab"]))} == {"AB"}


def test_it_is_quick_with_thirteen_tiles_and_two_jollies() -> None:
    """200 ms are asked for on the whole dictionary; this is a tenth of it, so that a slow machine passes."""
    dice = random.Random(1)
    letters = [*"EEEEENNNIIRRSSTTAADHULGO"]
    words = sorted({"".join(dice.choices(letters, k=dice.randint(3, 9))) for _ in range(40_000)})
    table, hand = Table(), (*"EIUOCFHLMNP", "*r", "*b")
    ctx = context(words)
    assert can_lay(table, hand, ctx)
    for place in itertools.islice(placements(table, hand, ctx.words), 500, 501):
        table = lay(table, place, hand).table
    start = time.perf_counter()
    assert can_lay(table, hand, ctx) is not None
    assert time.perf_counter() - start < 2


def test_letters_of_a_word() -> None:
    assert letters_of("TE*X") == ("T", "E", "*X")
    assert {as_held("*" + letter) for letter in VOWELS} == {"*r"}
