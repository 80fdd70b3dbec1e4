"""The first mail of a match tells what has happened in its order: how it was opened, then what robots have moved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from moderator.club.live_match import context_of, rules_of
from moderator.games import REGISTRY, load
from moderator.match.contract import Note
from moderator.match.table import open_table
from moderator.pages.messages import sentence
from moderator.store.models import Match
from tests.club.club import Club, make_club, plain_boards, text

NAMES = ("R2a", "R2b", "Anna")
GAMES = [key for key in REGISTRY if load(key).seeded_rounds and "sequential" in load(key).paces]


@pytest.fixture
def club(tmp_path: Path) -> Club:
    made = make_club(tmp_path / "club")
    made.players(*NAMES)
    plain_boards(made)
    return made


class Deal:
    """A deal that robots have a move of before Anna, and the sentences of its opening."""

    def __init__(self, seats: int) -> None:
        self.seats, self.opening = seats, tuple[Note, ...]()

    def __call__(self, match: Match) -> bytes:
        game, options = rules_of(match)
        for number in range(200):
            seed = number.to_bytes(32, "big")
            match.seed = seed.hex()
            opened, step = open_table(game, self.seats, options, context_of(match))
            self.opening = (*step.notes, *step.after)
            if opened.state.to_move != (self.seats - 1,):
                return seed
        raise AssertionError("Anna is always first")


def told(note: Note, game: str, names: tuple[str, ...]) -> str:
    return " ".join(sentence(note, "de", game, names).split())


@pytest.mark.parametrize("game", GAMES)
def test_the_opening_stands_before_what_robots_have_moved(club: Club, game: str) -> None:
    names = NAMES[-min(load(game).max_seats, len(NAMES)) :]
    deal = Deal(len(names))
    options: dict[str, Any] = {}
    code = club.match(*names, game=game, seed=deal, **options)
    club.tick()
    body = text(club.mails("Anna")[0])
    happened = " ".join(body[body.index("Was geschehen ist") :].split())
    moved = min(
        happened.find(f"{name} {verb}") % 10**6 for name in names[:-1] for verb in ("legt", "»", "kauft", "tauscht")
    )
    assert 0 < moved < 10**6
    assert club.live(code).table.entries
    public = [note for note in deal.opening if note.only is None]
    assert public
    for note in public:
        assert 0 < happened.index(told(note, game, names)) < moved, note
