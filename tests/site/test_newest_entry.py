"""What the archive tells a page to lay tiles on of a match: the number of the entry that its own page shows last, and
nothing that this page does not show. And two worlds that differ in hidden tiles alone have the same archive."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from moderator import games
from moderator.club.live_match import Suspended
from moderator.match import rng
from moderator.match.contract import Note
from moderator.play import create, lifecycle
from moderator.play.announce import announce
from moderator.site import matches, run
from moderator.site.board import frames
from moderator.store.models import Match
from tests.club.club import Club, make_club, plain_boards
from tests.club.test_hidden_tiles import fixed, other, worlds
from tests.club.test_hidden_tiles import played as mails_of
from tests.club.tile_club import TILE_GAMES

__all__ = ["fixed"]


@pytest.fixture
def club(club: Club) -> Club:
    plain_boards(club)
    return club


def told(club: Club, code: str) -> int:
    """Of the match, after bringing the archive up to date."""
    run.bring_up(club.config, club.now, club.folder / "site")
    found: dict[str, Any] = json.loads((club.folder / "site" / "matches" / f"{code}.now.json").read_text())
    assert list(found) == ["entry"]
    assert type(found["entry"]) is int
    return int(found["entry"])


def play(club: Club, code: str, seat: int) -> None:
    club.order(("Anna", "Bert")[seat], code, seat, club.moves(code, seat)[0])
    club.tick()


@pytest.mark.slow
def test_a_move_and_what_is_taken_back_are_told(club: Club) -> None:
    code = club.match("Anna", "Bert")
    assert told(club, code) == 0
    play(club, code, 0)
    assert told(club, code) == club.row(code).entries == 1
    play(club, code, 1)
    assert told(club, code) == 2
    with club.desk() as desk:
        match = create.find_match(desk.session, code)
        lifecycle.undo(desk, match, desk.cache.live(desk.session, match), 1, Note("rolled-back-to-plain"))
        announce(desk)
    assert told(club, code) == club.row(code).entries == 3
    play(club, code, 1)
    assert told(club, code) == 4


@pytest.mark.slow
def test_an_order_that_is_only_stored_is_not_told(club: Club) -> None:
    """It has a number in the log, but that it is there is nobody's business until the round is over."""
    code = club.match("Anna", "Bert", pace="rounds")
    play(club, code, 0)
    assert club.row(code).entries == 1
    assert told(club, code) == 0
    play(club, code, 1)
    assert club.row(code).entries == 2
    assert told(club, code) == 0
    club.wait(days=9)
    club.tick()
    assert told(club, code) == club.row(code).entries == 3
    with club.desk() as desk:
        shown = frames(desk, create.find_match(desk.session, code))
    assert [frame.entry for frame in shown] == [0, 3]


def test_a_match_that_has_no_page_has_no_number(club: Club) -> None:
    with club.desk() as desk:
        seats = [create.find_player(desk.session, name) for name in ("Anna", "Bert")]
        code = create.new_match(desk.session, "topwords", "Arratia", seats, {}, club.now).code
    run.bring_up(club.config, club.now, club.folder / "site")
    assert list((club.folder / "site").rglob(f"{code}*")) == []


def test_of_a_match_whose_log_does_not_fit_nothing_is_known(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    def unfit(_: object, row: Match) -> None:
        raise Suspended(row, "its log does not fit")

    code = club.match("Anna", "Bert")
    monkeypatch.setattr(matches, "frames", unfit)
    assert told(club, code) == 0


@pytest.mark.matrix("site")
@pytest.mark.parametrize("reader", [0, 1])
@pytest.mark.parametrize("game", TILE_GAMES)
def test_hidden_tiles_leave_no_trace_in_the_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fixed: Callable[[], None], game: str, reader: int
) -> None:
    rules = games.load(game)
    world = worlds(rules, reader)
    fixed()
    ours = archived(tmp_path / "ours", rules, world)
    real = rng.shuffler
    monkeypatch.setattr(rng, "shuffler", lambda *values: other(real(*values), world.exchanged))
    fixed()
    theirs = archived(tmp_path / "theirs", rules, world)
    assert ours.keys() == theirs.keys()
    assert [path for path in ours if ours[path] != theirs[path]] == []
    assert json.loads(ours["matches/K7Q2.now.json"])["entry"] >= len(world.moves)


def archived(folder: Path, rules: Any, world: Any) -> dict[str, bytes]:
    """Every file of the archive after the moves of a world."""
    club = make_club(folder)
    assert list(mails_of(club, rules, world))
    run.bring_up(club.config, club.now, folder / "site")
    return {
        str(file.relative_to(folder / "site")): file.read_bytes()
        for file in (folder / "site").rglob("*")
        if file.is_file()
    }
