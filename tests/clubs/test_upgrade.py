"""A club of every version since moderator 0.2.0 comes into today's: whole or not at all, and its matches go on."""

import re
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import event
from sqlmodel import SQLModel, select

from moderator.backup import archive as backup
from moderator.common import tokens
from moderator.common.errors import OperatorError, StoreError
from moderator.settings import load_config
from moderator.store import due_work, schema
from moderator.store.database import open_engine
from moderator.store.due_work import Place
from moderator.store.schema import BASE, HEAD
from moderator.store.tables import InboxRow, MatchRow, OutboxRow, PlayerRow, Question, SeatRow
from tests.cli.running import run_command
from tests.club.club import Club
from tests.clubs.make import HELD, packed, resume_matches, unpack, versions
from tests.servers import postgres

pytestmark = pytest.mark.sqlite

OLD = [version for version in versions() if version != HEAD]
UPGRADED = [OLD[0], *(pytest.param(version, marks=pytest.mark.slow) for version in OLD[1:])]
STATEMENTS, ON_POSTGRES = 66, 50
"""So many are an upgrade from the oldest version to the newest."""


def open_club(version: str, folder: Path) -> Club:
    """The club as it was left, an hour later. Its mails go on behind those that it has had: the same once more, under
    the same Message-ID, is none."""
    left = unpack(version, folder)
    return Club(folder, load_config(folder / "moderator.toml"), left + timedelta(hours=1), sent=1000)


def database_of(club: Club) -> Path:
    return club.folder / "moderator.sqlite"


def execute(file: Path, *statements: str) -> list[Any]:
    """The rows of the last statement."""
    rows: list[Any] = []
    with closing(sqlite3.connect(file)) as connection:
        for statement in statements:
            rows = connection.execute(statement).fetchall()
        connection.commit()
    return rows


def read_columns(file: Path) -> dict[str, list[str]]:
    tables = [table for (table,) in execute(file, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")]
    return {table: sorted(row[1] for row in execute(file, f'PRAGMA table_info("{table}")')) for table in tables}


def read_rows(file: Path, shape: dict[str, list[str]]) -> dict[str, list[Any]]:
    """All rows of the tables and columns in ``shape``."""
    listed = {table: ", ".join(f'"{name}"' for name in columns) for table, columns in shape.items()}
    return {table: sorted(execute(file, f'SELECT {names} FROM "{table}"'), key=repr) for table, names in listed.items()}


def read_all(place: Place) -> list[Any]:
    """Everything in it: columns, indices, rows."""
    if isinstance(place, Path):
        with closing(sqlite3.connect(place)) as connection:
            return list(connection.iterdump())
    import psycopg

    shape = """SELECT table_name, column_name, data_type, is_nullable, column_default
        FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2"""
    with psycopg.connect(place) as server:
        columns = server.execute(shape).fetchall()
        found = server.execute("SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1").fetchall()
        for table in sorted({row[0] for row in columns}):
            found += server.execute(f'SELECT "{table}"::text FROM "{table}" ORDER BY 1'.encode()).fetchall()
    return [*columns, *found]


def assert_sound(club: Club) -> None:
    resume_matches(club)
    done = run_command(club, "doctor", "--deep")
    (last,) = [line for line in done.output.splitlines() if "played again" in line]
    assert last.endswith(": 0 faults"), done.output
    assert due_work.load_schema_version(club.config.database) == HEAD


# ---- the clubs ----


def test_every_version_has_its_club() -> None:
    """So that no migration comes without one: see make.py."""
    scripts = ScriptDirectory(str(Path(schema.__file__).parent / "migrations"))
    revisions = sorted(script.revision for script in scripts.walk_revisions())
    assert sorted([*versions(), "0011"]) == revisions  # 0011 and 0012 came in one commit: no program needed the former
    assert versions()[0] == BASE
    assert all(packed(version).stat().st_size < 60_000 for version in versions())


def test_the_newest_club_is_of_these_sources(tmp_path: Path) -> None:
    """Where a column comes into a migration that is not out yet, its club has to be made again."""
    club = open_club(HEAD, tmp_path / "club")
    fresh = tmp_path / "fresh.sqlite"
    migrate(fresh)
    remake = "run `python -m tests.clubs.make` and commit tests/clubs/packed"
    assert read_columns(database_of(club)) == read_columns(fresh), remake


# ---- the way up ----


def migrate(place: Place, target: str = HEAD) -> int:
    """Returns how many statements it took."""
    done: list[str] = []
    engine = open_engine(place)
    event.listen(engine, "after_cursor_execute", lambda *told: done.append(told[2]))
    try:
        schema.migrate_database(engine, target)
    finally:
        engine.dispose()
    return len(done)


@pytest.mark.slow
@pytest.mark.parametrize("version", UPGRADED)
def test_nothing_is_lost_and_nothing_is_wrong(version: str, tmp_path: Path) -> None:
    club = open_club(version, tmp_path)
    shape = read_columns(database_of(club))
    del shape["alembic_version"]
    before = read_rows(database_of(club), shape)
    done = run_command(club, "upgrade")
    assert done.exit_code == 0, done.exception
    if version == "0016":  # now it is known for which match a mail waits
        execute(database_of(club), "UPDATE inbox SET match_id = NULL WHERE held_for = 'match-suspended'")
    assert read_rows(database_of(club), shape) == before
    assert_sound(club)
    engine = open_engine(database_of(club))
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), SQLModel.metadata) == []
    engine.dispose()


@pytest.mark.slow
@pytest.mark.parametrize("version", versions())
def test_the_club_plays_on(version: str, tmp_path: Path) -> None:
    club = open_club(version, tmp_path)
    assert run_command(club, "upgrade").exit_code == 0
    with club.work() as work:
        running = [row.code for row in work.session.exec(select(MatchRow).where(MatchRow.status == "running"))]
        held = work.session.exec(select(MatchRow.code).where(MatchRow.held)).one()
        (ruling,) = work.session.exec(select(Question.token).where(Question.ruling == ""))
        waits = work.session.exec(select(OutboxRow.message_id).where(OutboxRow.state == "queued")).one()
    summary = club.tick()
    assert (summary.handled, summary.quarantined, summary.troubles) == (1, [], [])
    first = club.mails()
    assert waits in [mail["Message-ID"] for mail in first]  # it had been made and not sent
    assert "bert@home.example" in [mail["To"].addresses[0].addr_spec for mail in first]  # a mail that was not read yet
    entries = {code: club.row(code).entries for code in running if code != held}
    for code in entries:
        mail_the_best_move(club, code)
    summary = club.say("boss@club.example", "ERLAUBT", to=f"games+{tokens.WORD}-{ruling}@club.example")
    assert (summary.handled, summary.quarantined, summary.troubles) == (len(entries) + 1, [], [])
    subjects = " ".join(mail["Subject"] for mail in club.mails())
    for code, before in entries.items():
        assert club.row(code).entries > before, code
        assert code in subjects
    assert not club.row(held).held
    assert run_command(club, "quarantine", "list").output.count("a fault of ours") == 1
    assert_sound(club)


HOLDING = [version for version in versions() if version >= "0016"]
"""Those in which a mail is held for each reason that there is."""


@pytest.mark.parametrize("version", HOLDING)
def test_each_mail_that_is_held_can_be_answered(version: str, tmp_path: Path) -> None:
    """Each by whom it may be answered: its mailbox, the moderator, the match that goes on."""
    club = open_club(version, tmp_path)
    assert run_command(club, "upgrade").exit_code == 0
    held = {name: find_held_mail(club, name) for name in ("sender", "guessing", "repeat", "newcomer-open")}
    assert all(row.state == "confirm" for row in held.values())
    for row in held.values():
        club.write(row.sender if "guesser" not in row.sender else "Dora", "Ja", to=f"games+OK-{row.token}@club.example")
    for name in ("machine-header", "unproven-bounce", "newcomer-closed"):
        held[name] = find_held_mail(club, name)
        assert run_command(club, "quarantine", "accept", str(held[name].id)).exit_code == 0, name
    assert club.stored(select(PlayerRow.undeliverable).where(PlayerRow.name == "Dora")) == [
        "returned, says the moderator"
    ]
    held |= {name: find_held_mail(club, name) for name in ("crash", "match-suspended")}
    assert run_command(club, "quarantine", "retry", str(held["crash"].id)).exit_code == 0
    resume_matches(club)
    summary = club.tick()
    assert (summary.quarantined, summary.troubles) == ([], [])
    assert {name: find_held_mail(club, name).state for name in held} == dict.fromkeys(held, "done")
    written = {str(mail["To"].addresses[0].addr_spec) for mail in club.mails()}
    assert {"cora@home.example", "dora@home.example", "open@far.example", "closed@far.example"} <= written
    with club.work() as work:
        assert {"open@far.example", "closed@far.example"} <= set(work.session.exec(select(PlayerRow.address)))


def find_held_mail(club: Club, name: str) -> InboxRow:
    found: list[InboxRow] = [row for row in club.stored(InboxRow) if HELD.format(name).encode() in row.raw]
    (row,) = found
    return row


# Per game what `match show` says of a match that was set up before it was read otherwise (docs/run/start.md).
READINGS = {
    "recht": ("You may pass without buying", "The winner gets points, and the others lose nothing"),
    "kreuzwort": ("The winner gets points, and the others lose nothing",),
    "point": ("Whoever passes buys a tile",),
    "domijongg": ("Who leads the first game: whoever stands first in the list of players",),
    "topwords": ("Who begins: whoever stands first in the list of players",),
}


@pytest.mark.slow
@pytest.mark.parametrize("version", [version for version in OLD if version < "0016"])  # later ones store all options
def test_a_match_goes_on_by_the_readings_that_it_began_with(version: str, tmp_path: Path) -> None:
    club = open_club(version, tmp_path)
    assert run_command(club, "upgrade").exit_code == 0
    found = club.stored(select(MatchRow).where(MatchRow.status == "running"))
    running = {row.game: row.code for row in found if not row.held and not row.wanted}
    for game, lines in READINGS.items():
        shown = run_command(club, "match", "show", running[game]).output.splitlines()
        assert set(lines) <= set(shown), (game, shown)
    for game, held in (("recht", 0), ("point", 1)):
        code = running[game]
        seat = club.live(code).seats_awaited[0]
        before = len(club.live(code).table.state.hands[seat])
        club.hand_in(name_of(club, code, seat), code, seat, "passe")
        assert len(club.live(code).table.state.hands[seat]) == before + held, game


def name_of(club: Club, code: str, seat: int) -> str:
    query = select(PlayerRow.name).join(SeatRow).join(MatchRow).where(MatchRow.code == code, SeatRow.number == seat)
    with club.work() as work:
        return work.session.exec(query).one()


def mail_the_best_move(club: Club, code: str) -> None:
    seat = club.live(code).seats_awaited[0]
    club.order(name_of(club, code, seat), code, seat, (*club.moves(code, seat), "passe")[0])


@pytest.mark.parametrize("version", UPGRADED)
def test_an_old_backup_is_restored(version: str, tmp_path: Path) -> None:
    """Made by the program of that time. It comes into an empty place from the oldest one, else beside what is there."""
    club = open_club(version, tmp_path / "club")
    file = packed_backup(club)
    if version == BASE:
        database_of(club).unlink()
    else:
        assert run_command(club, "upgrade").exit_code == 0
    done = run_command(club, "restore", str(file), *["--force"] * (version != BASE))
    assert done.exit_code == 0, done.exception
    assert_sound(club)
    assert club.stored(MatchRow)


def packed_backup(club: Club, version: str = "") -> Path:
    """``version``: what its list says instead."""
    with zipfile.ZipFile(club.folder / "b.zip", "w") as archive:
        for part in (club.folder / "backup").iterdir():
            data = part.read_bytes()
            if version and part.name == "manifest.json":
                data = re.sub(rb'"schema": "\d+"', f'"schema": "{version}"'.encode(), data)
            archive.writestr(part.name, data)
    return club.folder / "b.zip"


# ---- killed on the way ----

KILLED = """
import os, sys
from sqlalchemy import event
from moderator.backup.restore import parse_database_place
from moderator.store import schema
from moderator.store.database import open_engine
engine, left = open_engine(parse_database_place(sys.argv[1])), int(sys.argv[2])
def count(*_):
    global left
    left -= 1
    if left < 1:
        os.kill(os.getpid(), 9)
event.listen(engine, "after_cursor_execute" if left else "commit", count)
schema.migrate_database(engine)
"""


def assert_killed_in_vain(place: Place, number: int, statements: int) -> None:
    """By kill -9 after that statement, or (0) as it commits. The next upgrade goes through."""
    before = read_all(place)
    assert subprocess.run([sys.executable, "-c", KILLED, str(place), str(number)], check=False).returncode == -9
    assert read_all(place) == before
    assert migrate(place) == statements
    assert due_work.load_schema_version(place) == HEAD


@pytest.mark.matrix("upgrade killed", seconds=2)
@pytest.mark.parametrize("number", range(STATEMENTS + 1))
def test_an_upgrade_that_is_killed_changes_nothing(number: int, tmp_path: Path) -> None:
    assert_killed_in_vain(database_of(open_club(BASE, tmp_path)), number, STATEMENTS)


@pytest.mark.matrix("upgrade killed on PostgreSQL", seconds=2)
@pytest.mark.parametrize("number", range(ON_POSTGRES + 1))
def test_nor_does_one_on_postgres(number: int, on_postgres: str) -> None:
    assert_killed_in_vain(on_postgres, number, ON_POSTGRES)


@pytest.fixture(scope="module")
def old_club(postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The name of the database with the club of the oldest version."""
    club = open_club(BASE, tmp_path_factory.mktemp("old"))
    fill(postgres.new_database(postgres_url, "old"), database_of(club))
    return "old"


@pytest.fixture
def on_postgres(postgres_url: str, old_club: str) -> Iterator[str]:
    import psycopg

    yield postgres.new_database(postgres_url, "club", old_club)
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("DROP DATABASE club WITH (FORCE)")


def fill(url: str, file: Path) -> None:
    """All rows of the file come into the tables of their version."""
    import psycopg

    migrate(url, due_work.load_schema_version(file))
    with psycopg.connect(url, options="-c timezone=UTC") as target:
        target.execute("SET session_replication_role = replica")  # so that tables may come in any order
        flags = "SELECT table_name, column_name FROM information_schema.columns WHERE data_type = 'boolean'"
        booleans = set(target.execute(flags).fetchall())
        for table, columns in read_columns(file).items():
            if table == "alembic_version":
                continue
            names, places = ", ".join(f'"{name}"' for name in columns), ", ".join(["%s"] * len(columns))
            for row in execute(file, f'SELECT {names} FROM "{table}"'):
                named = zip(columns, row, strict=True)
                values = [bool(value) if (table, name) in booleans else value for name, value in named]
                target.execute(f'INSERT INTO "{table}" ({names}) VALUES ({places})'.encode(), values)
            if "id" in columns:
                highest = f"SELECT setval(pg_get_serial_sequence('\"{table}\"', 'id'), max(id)) FROM \"{table}\""
                target.execute(highest.encode())


@pytest.mark.slow
def test_a_club_on_postgres_is_upgraded(on_postgres: str, tmp_path: Path) -> None:
    import psycopg

    club = open_club(BASE, tmp_path)
    with club.config.file.open("a", encoding="utf-8") as settings:
        settings.write(f'[store]\nurl = "{on_postgres}"\n')
    club = Club(club.folder, load_config(club.config.file), club.now)
    with psycopg.connect(on_postgres) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0009'")
    for command in ("tick", "upgrade"):
        assert_one_line(run_command(club, command).exception, OLDER.format("0009"))
    with psycopg.connect(on_postgres) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0010'")
    assert_one_line(run_command(club, "tick").exception, "Run `moderator upgrade`")
    assert run_command(club, "upgrade").exit_code == 0
    assert_sound(club)


# ---- what does not fit ----

OLDER = (
    "is of version {}, which is older than moderator 0.2.0. "
    "Install moderator 0.2.0 and run `moderator upgrade`, then install this version and run `moderator upgrade`."
)


def assert_one_line(error: BaseException | None, said: str) -> None:
    assert isinstance(error, StoreError)
    assert "\n" not in str(error)
    assert said in str(error)


@pytest.mark.parametrize("version", [f"{number:04}" for number in range(1, int(BASE))])
def test_an_older_club_is_told_which_version_to_install_first(version: str, tmp_path: Path) -> None:
    """And nothing is changed: no row, no file, no mail that waits."""
    club = open_club(BASE, tmp_path / "club")
    execute(
        database_of(club),
        f"UPDATE alembic_version SET version_num = '{version}'",
        "ALTER TABLE keyvalue RENAME TO memo",
    )
    club.write("Anna", "STAND")
    file = packed_backup(club, version)
    before, there = read_all(database_of(club)), list_files(club)
    for words in ("upgrade", "tick", "today", f"backup {tmp_path}/c.zip", f"move-store {tmp_path}/c"):
        assert_one_line(run_command(club, *words.split()).exception, OLDER.format(version))
    assert f"FAIL  database: it {OLDER.format(version)}" in run_command(club, "doctor").output
    restored = OLDER.format(version).replace("run `moderator upgrade`,", "run `moderator restore`,")
    assert_one_line(run_command(club, "restore", str(file), "--force").exception, f"{file} {restored}")
    assert read_all(database_of(club)) == before
    assert list_files(club) == there
    club.config.file.unlink()
    assert_one_line(run_command(club, "restore", str(file)).exception, restored)
    assert not club.config.file.exists()


def list_files(club: Club) -> set[Path]:
    """But for SQLite's own beside the database, and the tick's lock."""
    files = {file for file in club.folder.rglob("*") if file.is_file()}
    return {file for file in files if not re.search(r"-wal$|-shm$|lock$", file.name)}


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (
            "INSERT INTO seat (match_id, number, player_id, token, thread) VALUES (99, 0, 1, 'x', '')",
            "of seat points to a row of match that is not there",
        ),
        ("CREATE TABLE puzzle (id INTEGER)", "table puzzle already exists"),
        ("DROP TABLE tournament", "no such table: tournament"),
        ("UPDATE alembic_version SET version_num = '9999'", "Install a newer moderator"),
        ("UPDATE alembic_version SET version_num = '0100b'", "Install a newer moderator"),
        ("UPDATE alembic_version SET version_num = '0010b'", "0010b"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(statement: str, said: str, tmp_path: Path) -> None:
    club = open_club(BASE, tmp_path / "club")
    execute(database_of(club), statement)
    before = read_all(database_of(club))
    assert_one_line(run_command(club, "upgrade").exception, said)
    assert read_all(database_of(club)) == before

    try:
        file, _ = backup.create_backup(club.config, tmp_path / "b.zip", club.now)
    except OperatorError:  # it is that bad
        return
    other = open_club(BASE, tmp_path / "other")
    before = read_all(database_of(other))
    assert_one_line(run_command(other, "restore", str(file), "--force").exception, said)
    assert read_all(database_of(other)) == before
    assert not list(other.folder.glob("*restor*"))
