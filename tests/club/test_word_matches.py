"""The games of Typ-Dom by mail, from the deal to a record that verifies: a person against a robot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from moderator.cli.run import cli
from moderator.club.run_cache import RunCache
from moderator.match.robot import choose
from moderator.words import letters
from tests.club.club import WORDS, Club, make_club, plain_boards, text


@pytest.fixture
def club(tmp_path: Path) -> Club:
    made = make_club(tmp_path / "club", words=[word for word in WORDS if len(letters.key(word, "typdom")) < 12])
    made.players("Anna", "R2", Anna="en")
    plain_boards(made)
    return made


def robot_order(club: Club, code: str) -> tuple[int | None, str]:
    """The seat to move and what a robot would send for it; None when the match is over."""
    live = club.live(code)
    state = live.table.state
    if state.over:
        return None, ""
    return state.to_move[0], choose(live.game, state, state.to_move[0], RunCache(club.config).context(live))


@pytest.mark.matrix("club")
@pytest.mark.parametrize("game", ["kreuzwort", "point", "recht"])
def test_a_match_goes_to_its_end_by_mail(club: Club, game: str, tmp_path: Path) -> None:
    code = club.match("Anna", "R2", game=game)
    for _ in range(120):
        seat, order = robot_order(club, code)
        if seat is None:
            break
        assert seat == 0
        club.order("Anna", code, 0, order)
        club.wait(minutes=11)  # who passes twice within ten minutes is asked whether that was meant
        club.tick()
        answer = text(club.mails("anna")[-1])
        assert "{" not in answer
    live = club.live(code)
    assert live.table.state.over
    assert club.row(code).status == "finished"
    assert club.row(code).seed not in answer
    done = CliRunner().invoke(cli, ["--config", str(club.config.file), "export", code])
    record = tmp_path / "record.json"
    record.write_text(done.stdout, encoding="utf-8")
    assert json.loads(done.stdout)["game"] == game
    assert CliRunner().invoke(cli, ["verify", str(record)]).exit_code == 0
