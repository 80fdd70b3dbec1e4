"""A ruling on a word is a row first and a line of the house list after the commit; nothing that happens in between
loses it."""

from __future__ import annotations

import errno
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlmodel import select

from moderator import games
from moderator.cli.run import cli
from moderator.club import house_list
from moderator.commands.moderator import rulings
from moderator.store import probe
from moderator.store.models import Match
from moderator.words import house
from tests.club.club import Club, make_club
from tests.club.test_trouble import ask_club

pytestmark = pytest.mark.sqlite


@dataclass
class Asked:
    """A club that was asked about a word; the moderator's answer lies in the mailbox."""

    club: Club
    word: str


@pytest.fixture
def asked(tmp_path: Path) -> Asked:
    club = make_club(tmp_path / "club")
    club.players("Anna", "Bert", "Cici")
    code, word = ask_club(club)
    club.order("Anna", code, 0, f"E5 w {word}")
    club.tick()
    (question,) = club.mails("boss")
    club.write("boss@club.example", f"{word} erlaubt", to=str(question["Reply-To"]))
    return Asked(club, word)


def listed(club: Club) -> list[str]:
    return [ruling.word for ruling in house.read(club.config.path(club.config.words.house))]


def waiting(club: Club) -> list[str]:
    with club.desk() as desk:
        return [ruling.word for ruling in house_list.waiting(desk.session)]


def test_a_ruling_is_in_the_list_after_the_commit_and_never_before(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    append, seen = house.append, []

    def committed(path: Any, ruling: Any) -> bool:
        with sqlite3.connect(f"file:{asked.club.config.database}?mode=ro", uri=True) as reader:
            seen.append(reader.execute("SELECT count(*) FROM question WHERE ruling = 'allow'").fetchone()[0])
        return append(path, ruling)

    monkeypatch.setattr(house, "append", committed)
    asked.club.tick()
    assert seen == [1]
    assert (listed(asked.club), waiting(asked.club)) == ([asked.word], [])


def test_a_process_that_dies_before_the_list_is_written_leaves_it_to_the_next(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    club = asked.club
    with monkeypatch.context() as patch:
        patch.setattr(house, "append", _dies)
        with pytest.raises(KeyboardInterrupt):
            club.tick()
    assert (listed(club), waiting(club)) == ([], [asked.word])
    assert probe.look(club.config.database, club.now, club.config.guard.settle, club.now).due
    assert club.tick().troubles == []
    assert (listed(club), waiting(club)) == ([asked.word], [])


def _dies(*_more: Any) -> bool:
    raise KeyboardInterrupt


def test_a_list_that_cannot_be_written_is_told_at_each_run_and_the_ruling_counts(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    club = asked.club
    place = club.config.path(club.config.words.house)
    with monkeypatch.context() as patch:
        patch.setattr(house, "_append", _full)
        for _ in range(2):
            summary = club.tick()
            assert any(str(place) in line for line in summary.troubles), summary
            assert summary.quarantined == []
        with club.desk() as desk:
            options = games.load("topwords").options()
            assert desk.cache.dictionary(options).judge(asked.word).ruling == "accept"
        assert not any(match.held for match in rows(club))
    assert (listed(club), waiting(club)) == ([], [asked.word])
    assert (club.tick().troubles, listed(club), waiting(club)) == ([], [asked.word], [])


def _full(*_more: Any) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def rows(club: Club) -> list[Match]:
    with club.desk() as desk:
        return list(desk.session.exec(select(Match)))


def test_rulings_are_written_in_the_order_in_which_they_were_made(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    club = asked.club
    with monkeypatch.context() as patch:
        patch.setattr(house, "_append", _full)
        for word, ruling in (("QUARK", "allow"), ("ZIRKUS", "deny"), ("QUARK", "deny")):
            with club.desk() as desk:
                rulings.rule_word(desk, word, ruling)
    assert waiting(club) == ["QUARK", "ZIRKUS", "QUARK"]
    result = CliRunner().invoke(cli, ["--config", str(club.config.file), "words", "rule", "ZIRKUS", "allow"])
    assert result.exit_code == 0, result.output
    found = house.read(club.config.path(club.config.words.house))
    assert [(one.word, one.ruling) for one in found] == [
        ("QUARK", "allow"), ("ZIRKUS", "deny"), ("QUARK", "deny"), ("ZIRKUS", "allow"),
    ]  # fmt: skip
