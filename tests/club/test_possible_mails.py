"""Whole mails of two worlds: with the line about what was possible, too, a report has no byte that depends on a tile
which its reader cannot see."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from moderator.club import tokens
from moderator.match import rng
from tests.club.club import Club, make_club, text

NAMES = ("Anna", "Bert")
DEALT = 40
"""Tiles from the front of the stack that both worlds have in common: more than these turns draw."""
SEED = bytes(31) + b"\x03"
"""With it Anna has something to lay."""
Shuffle = Callable[[str, Sequence[str]], tuple[str, ...]]


@pytest.fixture
def fixed(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Call it before each world: codes, tokens and Message-IDs come out the same."""

    def begin() -> None:
        numbers = itertools.count(1)
        monkeypatch.setattr(tokens, "new_code", lambda long=False: "K7Q2")
        monkeypatch.setattr(tokens, "new_token", lambda: f"{next(numbers):010d}")
        monkeypatch.setattr("moderator.outbox.post.secrets.token_hex", lambda size: f"{next(numbers):016d}")

    return begin


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


def hidden(club: Club, code: str, pace: str) -> tuple[str, ...]:
    state = club.live(code).table.state
    return state.stock if pace == "common" else state.hand(1)


def reports(club: Club, pace: str) -> Iterator[tuple[bytes, tuple[str, ...]]]:
    """Anna's mails of three rounds, in which she lays once, and what was hidden from her; Bert passes. Each round in
    pace ``common`` tells what was possible."""
    club.players(*NAMES)
    code = club.match(*NAMES, game="topwords", early=True, pace=pace, seed=lambda match: SEED)
    said = 0
    for number in range(3):
        secret = hidden(club, code, pace)
        club.order("Anna", code, 0, club.moves(code, 0)[0] if club.moves(code, 0) else "passe")
        club.order("Bert", code, 1, "passe", subject=f"Runde {number + 1}")
        club.tick()
        found = club.mails("Anna@")
        assert found
        for mail in found:
            yield mail.as_bytes(), secret
        said += any("Möglich war" in text(mail) for mail in found)
        club.mails()
    assert (said > 1) is (pace == "common")


@pytest.mark.parametrize(("pace", "change"), [("common", turned), ("rounds", swapped)])
def test_no_byte_depends_on_what_is_hidden(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fixed: Callable[[], None],
    pace: str,
    change: Callable[[Shuffle], Shuffle],
) -> None:
    fixed()
    ours = list(reports(make_club(tmp_path / "ours"), pace))
    real = rng.shuffler
    monkeypatch.setattr(rng, "shuffler", lambda *values: change(real(*values)))
    fixed()
    theirs = list(reports(make_club(tmp_path / "theirs"), pace))
    assert len(ours) == len(theirs) >= 3
    for (mine, secret), (yours, other) in zip(ours, theirs, strict=True):
        assert secret != other
        assert mine == yours
