"""`moderator doctor --deep` finds nothing in a sound club, and each kind of damage in one that is not."""

import json
import os
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlmodel import select

from moderator.backup.integrity import RESTORE, CheckedCounts, count_check_steps, iter_integrity_faults
from moderator.conformance.subject import build_check_context
from moderator.games import load_game
from moderator.rules import replay
from moderator.rules.ending import MatchOutcome
from moderator.rules.replay import LogEntry, walk_log
from moderator.rules.robots.choose import choose_robot_move
from moderator.store.database import open_engine, open_reading_session, open_store
from moderator.store.tables import MatchRow, Tournament, TournamentGame
from moderator.tournaments.field import build_result
from tests.cli.running import refuse_command, run_command, type_command
from tests.club.club import Club, club_of, copied


def faults(club: Club) -> list[str]:
    with open_reading_session(club.config.database) as session:
        return [str(fault) for fault in iter_integrity_faults(session, club.config, CheckedCounts())]


def change(club: Club, statement: str, **values: object) -> None:
    if not isinstance(club.config.database, Path):
        engine = open_engine(club.config.database)
        with engine.begin() as there:
            assert there.execute(text(statement), values).rowcount > 0
        engine.dispose()
        return
    with closing(sqlite3.connect(club.config.database)) as connection:
        assert connection.execute(statement, values).rowcount > 0
        connection.commit()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Club:
    """A club in a folder, to be copied: a match of each kind, running and finished, undone and held, a tournament."""
    club = club_of(tmp_path_factory.mktemp("model"), "Anna", "Bert", "R2D2", "R2X")
    running = club.match("Anna", "Bert", game="dominos")
    rounds = club.match("Anna", "Bert", game="topwords", pace="rounds", rounds=3, early=True)
    done = club.match("R2D2", "R2X", game="tridom", target=60)
    club.match("R2D2", "R2X", game="dominos", target=30)
    club.tick()
    for _ in range(4):
        seat = club.live(running).table.state.to_move[0]
        club.hand_in(("Anna", "Bert")[seat], running, seat, club.moves(running, seat)[0])
    type_command(club, "match", "rollback", running, "--entry", "4")
    for seat, name in enumerate(("Anna", "Bert")):
        club.order(name, rounds, seat, club.moves(rounds, seat)[0])
    club.say("stranger@x.example", "hello")
    club.wait(days=1)
    club.hand_in("Anna", rounds, 0, "passe")
    _tournament(club, done)
    return club


def _tournament(club: Club, code: str) -> None:
    cup = Tournament(
        code="T2", name="Cup", game="tridom", format="robin", seed="5", status="running", created_at=club.now
    )
    with club.work() as work:
        match = work.session.exec(select(MatchRow).where(MatchRow.code == code)).one()
        assert match.result is not None
        work.session.add(cup)
        work.session.flush()
        match.tournament_id = cup.id
        result = build_result(MatchOutcome.from_json(match.result).points or ()).to_json()
        which = {"tournament_id": cup.number, "match_id": match.id}
        work.session.add(TournamentGame(round=1, board=1, seats=[1, 2], result=result, **which))


@pytest.fixture
def club(model: Club, tmp_path: Path) -> Club:
    return copied(model, tmp_path / "club")


def test_a_sound_club_has_no_faults(club: Club) -> None:
    looked = CheckedCounts()
    steps: list[str] = []
    with open_reading_session(club.config.database) as session:
        assert [str(fault) for fault in iter_integrity_faults(session, club.config, looked, steps.append)] == []
        assert len(steps) == count_check_steps(session)
    assert looked.matches == 4
    assert looked.moves > 20
    assert len(looked.undone) == 1
    assert looked.mails > 10
    os.chmod(club.config.file, 0o600)
    done = run_command(club, "doctor", "--deep")
    assert done.exit_code == 0, done.output
    assert "4 matches with" in done.output
    assert "0 faults" in done.output


def test_it_says_what_is_wrong_with_exit_code_1(club: Club) -> None:
    os.chmod(club.config.file, 0o600)
    change(club, "UPDATE event SET n = 99999 WHERE id = 1")
    assert "FAIL  match " in refuse_command(club, "doctor", "--deep")
    type_command(club, "doctor")


RUNNING = "(SELECT id FROM \"match\" WHERE status = 'running' AND game = 'dominos')"
FINISHED = "(SELECT id FROM \"match\" WHERE status = 'finished' AND game = 'tridom')"
FLIPPED = "CASE substr(seed, 1, 1) WHEN '0' THEN '1' ELSE '0' END || substr(seed, 2)"
"""The seed with its first digit changed."""


def of_match(values: str, which: str) -> str:
    return f'UPDATE "match" SET {values} WHERE id = {which}'


DAMAGE = {
    "an entry is gone": (f"DELETE FROM event WHERE match_id = {RUNNING} AND n = 2", "its log should have the entries"),
    "the last entry is gone": (
        f"DELETE FROM event WHERE match_id = {RUNNING} AND n = (SELECT MAX(n) FROM event WHERE match_id = {RUNNING})",
        "its log should have the entries",
    ),
    "another move": (f"UPDATE event SET text = '66@1' WHERE match_id = {RUNNING} AND n = 1", "does not replay"),
    "another seed": (of_match(f"seed = {FLIPPED}", FINISHED), "does not replay"),
    "another seed before a move": ("UPDATE \"match\" SET seed = hex(randomblob(32)) WHERE game = 'topwords'", ""),
    "no hex": (of_match("seed = 'zz'", RUNNING), "cannot be played again"),
    "another game": (of_match("game = 'chess'", RUNNING), "There is no game 'chess'"),
    "not finished": (of_match("status = 'running'", FINISHED), "by its log it is over"),
    "finished too early": (of_match("status = 'finished'", RUNNING), "by its log it is not over"),
    "suspended": (
        of_match("status = 'suspended', trouble = 'the cat'", RUNNING),
        "it is suspended: the cat. Run `moderator match resume",
    ),
    "unknown status": (of_match("status = 'lost'", RUNNING), "its status is 'lost'"),
    "open with a log": (of_match("status = 'open'", RUNNING), "it is open, and has"),
    "another result": (of_match(f"result = '{json.dumps({'scores': [1, 2]})}'", FINISHED), "its result is"),
    "no result": (of_match("result = NULL", FINISHED), "its result is None"),
    "a result too early": (
        of_match(f"result = '{json.dumps({'scores': [1, 2]})}'", RUNNING),
        "it has a result and is not finished",
    ),
    "no deadline": (of_match("deadline = NULL", RUNNING), "awaited without a deadline"),
    "a deadline for ever": (of_match("final = '2026-12-01 12:00:00.000000'", FINISHED), "finished and has a deadline"),
    "held for nothing": (of_match("held = 1", RUNNING), "a ruling that nobody was asked for"),
    "a seat is gone": (f"DELETE FROM seat WHERE match_id = {RUNNING} AND number = 0", "its seats are numbered [1]"),
    "a seat twice": (f"UPDATE seat SET token = 'X' WHERE match_id = {RUNNING}", "seats share a token"),
    "another dictionary": (
        "UPDATE \"match\" SET fingerprint = 'x' WHERE game = 'topwords'",
        "started with another dictionary",
    ),
    "a mail in": (
        "UPDATE inbox SET raw = CAST(replace(CAST(raw AS TEXT), 'hello', 'hullo') AS BLOB) WHERE state = 'unknown'",
        "its bytes are not those that came",
    ),
    "a mail in of no state": ("UPDATE inbox SET state = 'eaten' WHERE id = 1", "its state is 'eaten'"),
    "a mail out without text": ("DELETE FROM letter WHERE outbox_id = 2", "outgoing mail 2: its text is missing"),
    "a mail out with another's text": (
        "UPDATE letter SET raw = (SELECT raw FROM letter WHERE outbox_id = 1) WHERE outbox_id = 2",
        "outgoing mail 2: its text is that of another one",
    ),
    "a mail out of no state": ("UPDATE outbox SET state = 'eaten' WHERE id = 1", "its state is 'eaten'"),
    "a row that points nowhere": ("DELETE FROM inbox WHERE id = 1", "points to a row of inbox that is not there"),
    "another result in the tournament": (
        "UPDATE tournamentgame SET result = json_set(result, '$.scores[0]', 999)",
        "tournament T2, round 1, table 1: its result is",
    ),
    "no result in the tournament": (
        "UPDATE tournamentgame SET result = NULL",
        "tournament T2, round 1, table 1: its result",
    ),
    "a match of another tournament": (of_match("tournament_id = NULL", FINISHED), "belongs to another"),
}


@pytest.mark.sqlite
@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_found(club: Club, name: str) -> None:
    statement, words = DAMAGE[name]
    change(club, statement)
    found = faults(club)
    assert any(words in fault for fault in found), found
    assert len(found) <= 4, found
    assert all(fault.endswith(".") for fault in found), found


def test_the_seal_of_a_match_that_nobody_has_moved_in(club: Club) -> None:
    """Its log replays with any seed; only the starting mail tells."""
    code = club.match("Anna", "Bert", game="tridom")
    assert faults(club) == []
    change(club, 'UPDATE "match" SET seed = :seed WHERE code = :code', seed="ab" * 32, code=code)
    assert faults(club) == [f"match {code}: its seed is not the one that the starting mail has sealed. {RESTORE}"]


def test_a_game_that_the_moderator_has_settled_is_left_alone(club: Club) -> None:
    change(club, "UPDATE tournamentgame SET result = NULL, ruling = 'moderator'")
    assert faults(club) == []


@pytest.mark.sqlite
def test_a_damaged_file(club: Club) -> None:
    path = club.folder / "moderator.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'seat_player'").fetchone()
        (page,) = connection.execute("PRAGMA page_size").fetchone()
    data = bytearray(path.read_bytes())
    data[root * page - 30 : root * page] = bytes(30)
    path.write_bytes(data)
    assert any(fault.startswith("database: ") for fault in faults(club))


def test_it_keeps_nobody_from_writing_and_sees_one_moment(club: Club) -> None:
    store = open_store(club.config.database)
    with open_reading_session(club.config.database) as session:
        before = session.get_one(MatchRow, 1).entries
        session.expunge_all()
        with store.begin_transaction() as other:
            match = other.get_one(MatchRow, 1)
            match.entries += 1
            other.add(match)
        assert session.get_one(MatchRow, 1).entries == before
        if isinstance(club.config.database, Path):
            with pytest.raises(Exception, match="readonly"):
                session.connection().exec_driver_sql('UPDATE "match" SET held = 1')
    store.close()


# ---- permissions ----


def test_who_may_read_and_write_the_settings(club: Club) -> None:
    text = club.config.file.read_text(encoding="utf-8")
    for mode, password, trouble in (
        (0o600, True, ""),
        (0o644, False, ""),
        (0o644, True, "read the password"),
        (0o640, True, "read the password"),
        (0o620, False, "others can change it"),
        (0o602, False, "others can change it"),
        (0o666, True, "others can change it"),
    ):
        secret = 'password = "geheim-1"' if password else 'password_command = "cat x"'
        club.config.file.write_text(f"{text}\n[imap]\n{secret}\n", encoding="utf-8")
        os.chmod(club.config.file, mode)
        said = run_command(club, "doctor").output
        first = said.splitlines()[0]
        assert trouble in first
        assert first.startswith("FAIL" if trouble else "ok")
        assert ("chmod 600" in first) == bool(trouble)
        assert "geheim" not in said


@pytest.mark.sqlite
def test_who_may_read_the_database(club: Club) -> None:
    path = club.folder / "moderator.sqlite"
    assert path.stat().st_mode & 0o077 == 0
    os.chmod(path, 0o640)
    assert "database: others can read it" in run_command(club, "doctor").output


# ---- what must hold in every match ----


def test_lost_tiles_and_astray_points_are_noticed() -> None:
    game = load_game("dominos")
    options = game.options()
    moves: list[LogEntry] = []
    past, results, _ = walk_log(game, 2, options, build_check_context(3), None, moves)
    for _ in range(5):
        state = past[-1].state
        moves.append(
            LogEntry("move", state.to_move[0], choose_robot_move(game, state, state.to_move[0], build_check_context(3)))
        )
        past, results, _ = walk_log(game, 2, options, build_check_context(3), None, moves)
    assert list(replay.iter_broken_invariants(game, past, results)) == []
    state = past[3].state
    stolen = replace(past[3], state=replace(state, hands=(state.hands[0][1:], *state.hands[1:])))
    assert list(replay.iter_broken_invariants(game, [*past[:3], stolen, *past[4:]], results)) == [
        (3, "1 tiles are missing and 0 are too many")
    ]
    gift = replace(past[5], state=replace(past[5].state, scores=(past[5].state.scores[0] + 5, past[5].state.scores[1])))
    ((number, what),) = replay.iter_broken_invariants(game, [*past[:5], gift], results)
    assert number == 5
    assert "seat 0 got" in what
