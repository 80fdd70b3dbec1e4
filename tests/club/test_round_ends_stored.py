"""A stored move ends with the round it was made for: it names a board that is gone. Standing orders stay."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from moderator.cli.run import cli
from moderator.match.replay import Entry
from tests.club.club import Club, make_club, plain_boards, text
from tests.club.tile_club import NAMES, WITH_STANDING, robot_move
from tests.club.tournament_club import fixed

GAMES = ["domijongg", "dominos", "supertridom", "tridom"]
STANDING = "nach Ziehen: bester"
GONE = "war für die Runde, die zu Ende ist"


@pytest.fixture
def club(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Club:
    fixed(monkeypatch)  # the deal is the same each time, and a round of it ends with something stored
    made = make_club(tmp_path / "club")
    made.players("Anna", "Bert", "R2")
    plain_boards(made)
    return made


LONGEST = 5
"""Rounds that are played on until one ends with a move that is stored."""


def play(club: Club, code: str, *, standing: bool, rounds: int, most: int = 400) -> list[Entry]:
    """Whoever is not to move stores what the other one is about to play, until so many rounds are over. Each mail to
    somebody whose move was dropped says so. Returns the log."""
    dropped = 0
    for _ in range(most):
        live = club.live(code)
        state = live.table.state
        if state.over or (state.public.round > rounds and dropped) or state.public.round > rounds + LONGEST:
            break
        seat, order = state.to_move[0], robot_move(club, code)
        other = 1 - seat
        if live.table.orders.get(other, STANDING) == STANDING:
            club.order(NAMES[other], code, other, f"{order}\n{STANDING}" if standing else order)
            club.tick()
            live = club.live(code)
            assert other in live.table.orders
        club.mails()
        club.order(NAMES[seat], code, seat, order)
        assert club.tick().troubles == []
        after = club.live(code)
        if after.table.state.public.round != state.public.round and not after.table.state.over:
            kept = set(after.table.orders.values())
            assert kept <= {STANDING}, kept
            told = [name for name in NAMES[:2] for mail in club.mails(name) if GONE in text(mail)]
            assert NAMES[other] in told or not any(e.outcome.get("dropped") for e in club.log(code)[-8:])
            dropped += len(told)
    assert dropped
    return club.log(code)


@pytest.mark.matrix("club")
@pytest.mark.parametrize("game", GAMES)
def test_nothing_stored_is_tried_on_the_next_deal(club: Club, game: str, tmp_path: Path) -> None:
    code = club.match("Anna", "Bert", game=game)
    club.tick()
    log = play(club, code, standing=game in WITH_STANDING, rounds=1)
    drops = [entry for entry in log if "dropped" in entry.outcome]
    assert drops
    assert {entry.kind for entry in drops} == ({"order"} if game in WITH_STANDING else {"withdraw"})
    _ends(club, code)
    done = CliRunner().invoke(cli, ["--config", str(club.config.file), "export", code])
    assert json.loads(done.stdout)["game"] == game
    record = tmp_path / "record.json"
    record.write_text(done.stdout, encoding="utf-8")
    assert CliRunner().invoke(cli, ["verify", str(record)]).exit_code == 0
    assert CliRunner().invoke(cli, ["--config", str(club.config.file), "match", "check", code]).exit_code == 0


def _ends(club: Club, code: str) -> None:
    from moderator.play import lifecycle
    from moderator.play.announce import announce
    from moderator.play.create import find_match

    with club.desk() as desk:
        match = find_match(desk.session, code)
        if match.status == "running":
            lifecycle.stop(desk, match, desk.cache.live(desk.session, match))
            announce(desk)


@pytest.mark.slow
def test_a_move_that_is_taken_back_over_the_end_of_a_round_brings_the_stored_one_back(club: Club) -> None:
    code = club.match("Anna", "Bert", game="dominos")
    club.tick()
    log = play(club, code, standing=False, rounds=1)
    number = max(n for n, entry in enumerate(log, 1) if "dropped" in entry.outcome)
    ended = max(n for n, entry in enumerate(log[:number], 1) if entry.kind == "move")
    dropped = log[number - 1]
    done = CliRunner().invoke(
        cli, ["--config", str(club.config.file), "match", "rollback", code, "--entry", str(ended)]
    )
    assert done.exit_code == 0, done.output
    assert dropped.seat is not None
    assert club.live(code).table.orders[dropped.seat] == dropped.outcome["dropped"]


@pytest.mark.slow
def test_a_log_from_before_is_played_as_it_was(club: Club) -> None:
    """The same log without the entries that drop anything: what was stored is still there, and tried."""
    from moderator.match import replay

    code = club.match("Anna", "Bert", game="dominos")
    club.tick()
    log = play(club, code, standing=False, rounds=1)
    old = [entry for entry in log if "dropped" not in entry.outcome]
    live = club.live(code)
    tables, _, _ = replay.walk(live.game, 2, live.options, live.context, None, old)
    assert tables[-1].orders != live.table.orders
    assert tables[-1].state == live.table.state
