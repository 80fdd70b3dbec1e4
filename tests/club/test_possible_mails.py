"""Whole mails of two worlds: with the line about what was possible, too, a report has no byte that depends on a tile
which its reader cannot see, nor on an order of somebody else that was not played."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from moderator.club import tokens
from moderator.match import rng
from tests.club.club import Club, make_club, text

NAMES = ("Anna", "Bert", "Dora")
READERS = ("Anna@", "Dora@")
"""Who has a seat, and who watches (in English)."""
DEALT = 40
"""Tiles from the front of the stack that both worlds have in common: more than these turns draw."""
SEED = bytes(31) + b"\x03"
"""With it Anna has something to lay."""
Shuffle = Callable[[str, Sequence[str]], tuple[str, ...]]
Stores = Callable[[list[str]], list[str]]
"""Of Bert's legal moves, what he sends before and besides the pass that is played: a mail each."""


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


def same(shuffle: Shuffle) -> Shuffle:
    """The other world differs in what Bert sends alone."""
    return shuffle


def nothing(moves: list[str]) -> list[str]:
    return ["passe"]


def one_word(moves: list[str]) -> list[str]:
    """An order that he changes, a line that is no move, and an alternative to the pass."""
    return [moves[-1], "E5 w QXQ", f"passe\nsonst {moves[0]}"]


def another_word(moves: list[str]) -> list[str]:
    """The same with other words in all places."""
    return [moves[-2], "E5 w XQX", f"passe\nsonst {moves[1]}"]


def hidden(club: Club, code: str, pace: str, sent: Sequence[str]) -> tuple[str, ...]:
    """What lies where Anna cannot see it, and what Bert sends."""
    state = club.live(code).table.state
    return (*(state.stock if pace == "common" else state.hand(1)), *sent)


def reports(club: Club, pace: str, stores: Stores) -> Iterator[tuple[bytes, tuple[str, ...]]]:
    """The readers' mails of three rounds, in which Anna lays once, and what was hidden from them; Bert passes. Each
    round in pace ``common`` tells what was possible."""
    club.players(*NAMES, Dora="en")
    code = club.match(*NAMES[:2], game="topwords", early=True, pace=pace, seed=lambda match: SEED)
    club.write("Dora", f"watch {code}", Authentication_Results="mx.club.example; dkim=pass header.d=home.example")
    club.tick()
    said = 0
    for number in range(3):
        moves, other = club.moves(code, 0), club.moves(code, 1)
        sent = stores(other) if len(other) > 3 else ["passe"]
        secret = hidden(club, code, pace, sent)
        for body in sent:
            club.order("Bert", code, 1, body, subject=f"Runde {number + 1}")
            club.tick()
        club.order("Anna", code, 0, "Stand", subject=f"Runde {number + 1}")  # while what Bert has sent is stored
        club.tick()
        club.order("Anna", code, 0, moves[0] if moves else "passe")
        club.tick()
        found = [mail for name in READERS for mail in club.mails(name)]
        assert len({str(mail["To"]) for mail in found}) == len(READERS)
        for mail in found:
            yield mail.as_bytes(), secret
        said += any("Möglich war" in text(mail) for mail in found)
        club.mails()
    assert (said > 1) is (pace == "common")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pace", "change", "first", "second"),
    [
        ("common", turned, nothing, nothing),
        ("rounds", swapped, nothing, nothing),
        ("common", same, one_word, another_word),
        ("rounds", same, one_word, another_word),
    ],
)
def test_no_byte_depends_on_what_is_hidden(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fixed: Callable[[], None],
    pace: str,
    change: Callable[[Shuffle], Shuffle],
    first: Stores,
    second: Stores,
) -> None:
    fixed()
    ours = list(reports(make_club(tmp_path / "ours"), pace, first))
    real = rng.shuffler
    monkeypatch.setattr(rng, "shuffler", lambda *values: change(real(*values)))
    fixed()
    theirs = list(reports(make_club(tmp_path / "theirs"), pace, second))
    assert len(ours) == len(theirs) >= 9
    differ = 0
    for (mine, secret), (yours, other) in zip(ours, theirs, strict=True):
        differ += secret != other
        assert mine == yours
    assert differ >= (len(ours) if change is not same else 2)
