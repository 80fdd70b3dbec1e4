"""Fair shuffles that anybody can check: a committed seed, HMAC-SHA256, Fisher–Yates.

The byte-exact description, for a check with other software, stands in docs/build/record.md ("The shuffle").
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Callable, Iterator, Sequence

from moderator.common.errors import OperatorError
from moderator.rules.state import Shuffle

Seeds = Callable[[int], bytes]
"""The seed of each round, from 1."""

SEED_BYTES = 32
_ROUND = re.compile(r"round([1-9]\d{0,5})(?!\d)")
_WORDS = 2**32


def commit_seed(seed: bytes) -> str:
    """Return the commitment that the starting mail publishes: the SHA-256 of ``moderator/1|`` and the seed, 64 hex
    digits."""
    return hashlib.sha256(b"moderator/1|" + seed).hexdigest()


def derive_round_seed(master: bytes, number: int) -> bytes:
    """Return the seed of round ``number`` (from 1) of a match whose rounds have seeds of their own: it can be revealed
    when the round is over without telling anything about the next ones."""
    return hmac.digest(master, f"round {number}".encode(), "sha256")


def build_round_seeds(master: bytes) -> Seeds:
    """Return ``derive_round_seed`` for a match, as a function of the round."""
    return lambda number: derive_round_seed(master, number)


def build_fixed_seeds(seeds: Sequence[bytes]) -> Seeds:
    """Return the given seeds of the rounds 1, 2, …; the last one serves all further rounds."""
    return lambda number: seeds[min(number, len(seeds)) - 1]


def build_shuffle(seed: bytes | Seeds, salts: Sequence[str] = (), prefix: str = "") -> Shuffle:
    """Return a shuffle for ``Context``. ``salts`` are the players' words in the order in which they are published,
    ``prefix`` (the match code) goes before every label: ``prefix/label``; an empty one leaves the label alone. Where
    there are several seeds, the label's ``round1``, ``round2``, … says which one counts; such a shuffle raises
    OperatorError for a label that names none."""
    salt = "|".join(salts).encode()

    def shuffle_items(label: str, items: Sequence[str]) -> tuple[str, ...]:
        own = seed if isinstance(seed, bytes) else seed(parse_round_label(label))
        key = hmac.digest(own, salt, "sha256")
        words = _iter_numbers(key, f"{prefix}/{label}" if prefix else label)
        mixed = list(items)
        for last in range(len(mixed) - 1, 0, -1):
            other = _draw_below(words, last + 1)
            mixed[last], mixed[other] = mixed[other], mixed[last]
        return tuple(mixed)

    return shuffle_items


def parse_round_label(label: str) -> int:
    """Return the round, from 1, whose seed a label asks for. Raises OperatorError: the seed of any other round would be
    known while tiles that were mixed by it are still hidden."""
    found = _ROUND.match(label)
    if found is None:
        raise OperatorError(
            f"A game shuffles under the label {label!r}, which names no round.",
            "In a game with seeded_rounds labels begin with round1, round2, …; its package has to be mended.",
        )
    return int(found[1])


def keep_order(label: str, items: Sequence[str]) -> tuple[str, ...]:
    """Leave everything as it is: for records that fix the deal."""
    return tuple(items)


def _iter_numbers(key: bytes, label: str) -> Iterator[int]:
    """Yield whole numbers below 2**32: eight per digest, big endian, the counter in decimal digits from 0."""
    counter = 0
    while True:
        digest = hmac.digest(key, f"{label}|{counter}".encode(), "sha256")
        for start in range(0, len(digest), 4):
            yield int.from_bytes(digest[start : start + 4], "big")
        counter += 1


def _draw_below(words: Iterator[int], bound: int) -> int:
    """Draw the next number below ``bound``; words that would favour small numbers are thrown away."""
    limit = _WORDS - _WORDS % bound
    for word in words:
        if word < limit:
            return word % bound
    raise AssertionError("the stream of words has no end")
