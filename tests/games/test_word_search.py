"""The move generator against a plain search, and its speed-independent promises."""

import gc
import itertools
import random
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from moderator.common.errors import Illegal
from moderator.games.topwords.generate import index_for, list_topwords_placements
from moderator.games.topwords.rules import GAME
from moderator.games.topwords.state import LETTERS, TopwordsOptions, TopwordsPlacement, TopwordsPublic
from moderator.games.typdom.board import Placement as Laid
from moderator.games.typdom.board import TypdomTable, lay_typdom_word, list_column_names
from moderator.games.typdom.search import can_lay_word
from moderator.games.typdom.search import iter_typdom_placements as typdom_placements
from moderator.games.typdom.tiles import BLACK, RED, STAR
from moderator.rules.game import State
from moderator.rules.state import Context, Words, view_for
from moderator.rules.words import (
    AnyWords,
    AssumingWords,
    RecordingWords,
    WordList,
    WordsWithout,
    listed,
    unwrapped,
)
from tests.games.topwords_table import context, table

WORDS = (
    "AB AH AN AU DA DU EI EN ER ES IN JA NU OB OH SO TU UM UR US WO XI ZU ÄH ART AST AUS BAR DAS DEN DER DES EIN EIS "
    "ERZ GUT HAT HUT IST LOS MUT NIE NOT NUN ODE OHR ORT RAT ROT RUF SEE SIE TAT TEE TOR TUN UHR UND VOR WAR WER WIE "
    "ZOO ÄRA ÖDE ÜBEL ABER ALLE AUTO BEIN BROT BUCH DANN EINE ESEL FEST GELD HAUS HERZ HUND JUXE KIND LAST MAUS MOND "
    "NASE NUSS REIS REST ROSE SEIN SINN STEIN STERN STUR TANTE TASSE TEIL TIER TRAUM UNTER WEIN WIESE XENIE ZEIT "
    "REISTEN STEINE STERNE TANTEN UNTERE SEINE EINEN ASTERN RASTEN NISTEN TRISTEN REISENDER EINREISEN TRAUMREISE"
)


def slowly(state: State[TopwordsPublic], seat: int, ctx: Context, words: Iterable[str]) -> dict[TopwordsPlacement, int]:
    """Every word on every square in both directions, as the referee sees it."""
    found = {}
    for word in words:
        for letter in LETTERS:
            for number in range(1, 11):
                for direction in ("w", "s"):
                    move = TopwordsPlacement(f"{letter}{number}", direction, word)
                    try:
                        found[move] = GAME.apply_move(state, seat, move, ctx).points
                    except Illegal:
                        continue
    return found


def game(seed: int, options: TopwordsOptions, ctx: Context, turns: int) -> State[TopwordsPublic]:
    """A position after some random legal moves."""
    dice = random.Random(seed)
    shuffled = Context(ctx.words, lambda label, items: tuple(dice.sample(list(items), len(items))))
    state = GAME.setup(2, options, shuffled).state
    for _ in range(turns):
        if state.over:
            break
        if options.pace == "common":
            choices = [m for m, _ in GAME.list_moves(view_for(state, 0), shuffled)]
            state = GAME.evaluate_round(state, {0: dice.choice(choices) if choices else None}, shuffled).state
            continue
        seat = state.to_move[0]
        legal = [m for m, _ in GAME.list_moves(view_for(state, seat), shuffled)]
        state = (
            GAME.apply_move(state, seat, dice.choice(legal), shuffled)
            if legal
            else GAME.pass_turn(state, seat, shuffled)
        ).state
    return state


CASES: list[tuple[int, dict[str, Any], int]] = [
    (1, {}, 0),
    (2, {}, 3),
    (3, {}, 8),
    (4, {"max_height": 2}, 9),
    (5, {"max_height": 1}, 6),
    (6, {"cover_whole_word": False}, 7),
    (7, {"cover_whole_word": False}, 12),
    (8, {"letter_axis": "rows"}, 6),
    (9, {"pace": "common"}, 6),
    (10, {"pace": "rounds", "rack_size": 9}, 5),
    (11, {"rack_size": 5}, 6),
    (12, {"tiles": {"E": 12, "S": 12, "T": 6, "N": 6, "I": 6, "X": 2}}, 8),
]


@pytest.mark.matrix("move lists", seconds=1)
@pytest.mark.parametrize(("seed", "options", "turns"), CASES)
def test_the_generator_finds_what_a_plain_search_finds(seed: int, options: dict[str, Any], turns: int) -> None:
    ctx = context(WORDS)
    state = game(seed, TopwordsOptions(**options), ctx, turns)
    assert not state.over
    seat = state.to_move[0]
    moves = list_topwords_placements(view_for(state, seat), ctx)
    assert len(moves) == len(dict(moves))
    assert dict(moves) == slowly(state, seat, ctx, WORDS.split())


def test_words_that_cannot_be_laid_are_left_out() -> None:
    class Odd(Words):
        def judge(self, word: str, base: str | None = None) -> Any:
            raise AssertionError("the generator does not judge")

        def playable(self, max_length: int) -> list[str]:
            return ["AH", "CAFÉ", "HA", "H", "AHHHHHHHHHHH"]

    ctx = Context(Odd(), lambda label, items: tuple(items))
    found = list_topwords_placements(view_for(table("HAE", "A"), 0), ctx)
    assert {move.word for move, _ in found} == {"AH", "HA"}


def test_an_empty_dictionary_or_rack_gives_no_moves() -> None:
    assert list_topwords_placements(view_for(table("HAUS", "A"), 0), context("")) == []
    assert list_topwords_placements(view_for(table("", "A"), 0), context("HAUS")) == []
    assert list(typdom_placements(TypdomTable(), (), WordList(FEW_WORDS))) == []
    assert can_lay_word(TypdomTable(), ("X", "Q"), words_alone(FEW_WORDS)) is False


def test_the_index_is_kept_as_long_as_its_dictionary() -> None:
    ctx = context("HAUS MAUS")
    first = index_for(ctx.words)
    assert index_for(ctx.words) is first
    assert index_for(context("HAUS MAUS").words) is not first
    key = id(ctx.words)
    assert key in index_for.known
    del ctx
    gc.collect()
    assert key not in index_for.known or index_for.known[key][1] is not first


def test_a_dictionary_without_weak_references_is_not_kept() -> None:
    class Slotted:
        __slots__ = ()

        def judge(self, word: str, base: str | None = None) -> Any:
            raise AssertionError

        def playable(self, max_length: int) -> list[str]:
            return ["HAUS"]

    words = Slotted()
    assert index_for(words).words == {"HAUS"}
    assert id(words) not in index_for.known


FEW_WORDS = [
    *("AN", "AS", "DU", "EI", "EIN", "EIS", "ES", "HUT", "IN", "NASE", "NUN", "OHR", "ORT", "RAT", "REISE", "ROT"),
    *("RUF", "SEE", "SO", "TEE", "TOR", "TUN", "UHR", "WORT", "WORTE", "ZU"),
]
SIZE = 15


def words_alone(words: list[str]) -> Context:
    return Context(WordList(words), lambda label, items: tuple(items))


def everything(lying: TypdomTable, hand: tuple[str, ...], words: list[str]) -> Iterator[Laid]:
    """Every word at every square in both directions, jollies only for letters that the rack lacks, tried one by one."""
    most = sum(tile.startswith(STAR) for tile in hand)
    for word, x, y, direction in itertools.product(words, range(SIZE), range(1, SIZE + 1), ("w", "s")):
        square = f"{list_column_names(SIZE)[x]}{y}"
        for stars in itertools.product((False, True), repeat=len(word)):
            if sum(stars) > most:
                continue
            text = "".join(STAR + c if star else c for c, star in zip(word, stars, strict=True))
            place = Laid(square, direction, text)  # type: ignore[arg-type]
            try:
                laying = lay_typdom_word(lying, place, hand)
            except Illegal:
                continue
            used = [tile for _, tile in laying.laid]
            needed = all(hand.count(tile[-1]) == used.count(tile[-1]) for tile in used if tile.startswith(STAR))
            if laying.placement == place and set(laying.words) <= set(words) and needed:
                yield place


def positions(seed: int, jollies: bool) -> Iterator[tuple[TypdomTable, tuple[str, ...]]]:
    dice = random.Random(seed)
    bag = [tile for tile in RED + BLACK if jollies or not tile.startswith(STAR)]
    dice.shuffle(bag)
    lying = TypdomTable(SIZE)
    for _ in range(4):
        hand = (*bag[:7], "*r", "*b") if jollies else tuple(bag[:7])
        yield lying, hand
        found = sorted(
            typdom_placements(lying, hand, WordList(FEW_WORDS)), key=lambda p: (p.square, p.word, p.direction)
        )
        if not found:
            return
        laying = lay_typdom_word(lying, dice.choice(found), hand)
        lying, bag = laying.table, bag[5:]


@pytest.mark.matrix("move lists", seconds=1)
@pytest.mark.parametrize("seed", range(2))
def test_with_jollies_too(seed: int) -> None:
    few = FEW_WORDS[::3]
    for lying, hand in itertools.islice(positions(seed, jollies=True), 3):
        found = list(typdom_placements(lying, hand, WordList(few)))
        assert len(found) == len(set(found))
        assert set(found) == set(everything(lying, hand, few))


def test_any_word_cannot_be_listed() -> None:
    assert can_lay_word(TypdomTable(), ("A", "B"), Context(AnyWords(), lambda label, items: tuple(items))) is None
    for watched in (RecordingWords(AnyWords()), AssumingWords(AnyWords()), WordsWithout(AnyWords(), [])):
        assert not listed(watched)
    assert listed(RecordingWords(WordsWithout(WordList([]), [])))
    plain = WordList(["AB"])
    assert unwrapped(RecordingWords(AssumingWords(plain))) is plain
