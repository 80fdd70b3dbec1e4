"""Shuffles: the published vector, and that another program written from docs/record.md deals the same."""

from __future__ import annotations

import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moderator.errors import OperatorError
from moderator.match.rng import commit, round_seeds, shuffler, unshuffled

SEED = bytes(range(32))
SALTS = ["anna:herbst", "bert:regen"]
DOMINOES = [f"{high}-{low}" for high in range(7) for low in range(high + 1)]


def test_commitment_of_the_vector() -> None:
    assert commit(SEED) == "0f103d4b884b1542ef9419ce2df44e33d0fc3633633b4fcf3915ed2cb391ad09"


def test_deal_of_the_vector() -> None:
    dealt = shuffler(SEED, SALTS, "D1")("round1", DOMINOES)
    assert dealt[:7] == ("6-0", "3-0", "3-1", "0-0", "5-1", "6-1", "6-2")
    assert dealt[7:14] == ("5-0", "4-1", "6-3", "3-3", "2-2", "4-3", "6-6")
    assert sorted(dealt) == sorted(DOMINOES)


def by_the_book(seed: bytes, salts: list[str], label: str, items: list[str]) -> list[str]:
    """Written from docs/record.md alone, in another shape than the engine's: all words first, then swaps."""
    key = hmac.new(seed, "|".join(salts).encode("utf-8"), hashlib.sha256).digest()
    stream = b"".join(
        hmac.new(key, (label + "|" + str(n)).encode("utf-8"), hashlib.sha256).digest() for n in range(len(items) + 4)
    )
    words = [int(stream[i : i + 4].hex(), 16) for i in range(0, len(stream), 4)]
    mixed = items.copy()
    for i in reversed(range(1, len(mixed))):
        while words[0] >= (2**32 // (i + 1)) * (i + 1):
            words.pop(0)
        j = words.pop(0) % (i + 1)
        mixed[i], mixed[j] = mixed[j], mixed[i]
    return mixed


@given(st.binary(min_size=1, max_size=40), st.lists(st.text(max_size=8), max_size=3), st.integers(0, 150))
def test_another_program_deals_the_same(seed: bytes, salts: list[str], count: int) -> None:
    items = [str(n) for n in range(count)]
    assert list(shuffler(seed, salts, "K7Q2")("round1", items)) == by_the_book(seed, salts, "K7Q2/round1", items)


def test_label_salts_seed_and_match_change_the_order() -> None:
    one = shuffler(SEED, SALTS, "D1")("round1", DOMINOES)
    others = [
        shuffler(SEED, SALTS, "D1")("round2", DOMINOES),
        shuffler(SEED, SALTS, "D2")("round1", DOMINOES),
        shuffler(SEED, SALTS[::-1], "D1")("round1", DOMINOES),
        shuffler(SEED[::-1], SALTS, "D1")("round1", DOMINOES),
        shuffler(SEED, SALTS)("round1", DOMINOES),
    ]
    assert len({one, *others}) == 6


def test_empty_prefix_leaves_the_label_alone() -> None:
    assert shuffler(SEED, SALTS)("D1/round1", DOMINOES) == shuffler(SEED, SALTS, "D1")("round1", DOMINOES)


@pytest.mark.parametrize("label", ["deal2", "exchange1", "around2", "round", "round0", "round02", "round1234567"])
def test_a_label_that_names_no_round_is_no_label_where_each_round_has_a_seed(label: str) -> None:
    with pytest.raises(OperatorError, match=label):
        shuffler(round_seeds(SEED))(label, DOMINOES)
    assert sorted(shuffler(SEED)(label, DOMINOES)) == sorted(DOMINOES)


def test_every_place_gets_every_item_about_equally_often() -> None:
    """2,000 shuffles of five: each item stands in each place 400 times, give or take; 100 is five sigma."""
    counts = {(place, item): 0 for place in range(5) for item in "ABCDE"}
    for n in range(2000):
        for place, item in enumerate(shuffler(SEED)(str(n), "ABCDE")):
            counts[place, item] += 1
    assert all(300 < count < 500 for count in counts.values())


def test_unshuffled_keeps_the_order() -> None:
    assert unshuffled("deal", ["B", "A"]) == ("B", "A")
