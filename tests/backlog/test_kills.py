"""A run over a backlog that dies before or after any of its commits: the next one tells everybody everything, once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from moderator.store.db import Store
from tests.backlog.test_one_mail import deferred_news, kinds, two_matches
from tests.club.club import Club, make_club, plain_boards, text

POINTS = 24
"""Of the run below; a test sees to it that there are no more."""
LINES = ("Hallo 1. Mal", "Hallo 2. Mal", "Hallo 3. Mal", "Hallo 4. Mal")


class Died(BaseException):
    """The process is gone; nobody catches that."""


def dying(monkeypatch: pytest.MonkeyPatch, fatal: int) -> Callable[[], int]:
    """Die at the ``fatal``-th moment before or after a commit. Returns how many there were."""
    count = 0

    def step() -> None:
        nonlocal count
        count += 1
        if count == fatal:
            raise Died

    def around(real: Callable[[Store], Any]) -> Callable[[Store], Any]:
        @contextmanager
        def stepped(self: Store) -> Iterator[Any]:
            with real(self) as opened:
                yield opened
                step()
            step()

        return stepped

    monkeypatch.setattr(Store, "transaction", around(Store.transaction))
    return lambda: count


def backlog(folder: Path) -> tuple[Club, list[str]]:
    club = make_club(folder, extra="[guard]\nbacklog = 2\n")
    club.players("Anna", "Bert", Bert="de")
    plain_boards(club)
    codes = two_matches(club)
    for number, line in enumerate(LINES):
        club.order("Anna", codes[number % 2], 0, line)
    for code in codes:
        club.order("Anna", code, 0, "passe")
    club.order("Anna", codes[0], 0, "HILFE")
    return club, codes


@pytest.mark.matrix("backlog")
@pytest.mark.parametrize("fatal", range(1, POINTS + 1))
def test_nothing_is_lost_and_nothing_told_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fatal: int) -> None:
    club, codes = backlog(tmp_path)
    with monkeypatch.context() as patch:
        dying(patch, fatal)
        with suppress(Died):
            club.tick()
    club.tick()
    assert deferred_news(club) == 0
    assert [club.row(code).entries for code in codes] == [1, 1]
    anna = [text(mail) for mail in club.mails("anna")]
    for line in LINES:
        assert sum(line in mail for mail in anna) == 1, line
    assert [kind for who, kind in kinds(club) if who == "anna"].count("help") == 1
    bert = [text(mail) for mail in club.mails("bert")]
    for code in codes:
        assert sum(f"({code})" in mail for mail in bert) == 1


def test_the_points_are_all_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    club, _ = backlog(tmp_path)
    with monkeypatch.context() as patch:
        count = dying(patch, 0)
        club.tick()
    assert POINTS - 8 <= count() <= POINTS
