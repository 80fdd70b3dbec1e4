"""A club of every version that ever was comes into today's: whole or not at all, and its matches go on."""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from click.testing import CliRunner, Result
from sqlalchemy import event
from sqlmodel import SQLModel, select

from moderator.backup import backup
from moderator.backup.restore import restore
from moderator.cli import cli
from moderator.club import tokens
from moderator.config import load
from moderator.errors import StoreError
from moderator.store import probe, schema
from moderator.store.db import open_engine
from moderator.store.migrations.versions import v0010_names
from moderator.store.models import Match, Outbox, Player, Question, Seat
from moderator.store.probe import Place
from moderator.store.schema import HEAD
from tests.club.club import Club
from tests.clubs import commit_of, make, unpack, versions

pytestmark = pytest.mark.sqlite

OLD = [version for version in versions() if version != HEAD]
REMAKE = "run `python -m tests.clubs.make head` and commit tests/clubs/packed"


NOW = {
    "cup": "tournament",
    "cupentry": "tournamententry",
    "cupgame": "tournamentgame",
    "cupstep": "tournamentstep",
    "cup_id": "tournament_id",
    "memo": "keyvalue",
    "untold": "deferrednews",
}
"""Tables and a column -> what they are called from 0010 on."""


def opened(version: str, folder: Path) -> Club:
    """The club as it was left, an hour later. Its mails go on behind those that it has had: the same once more, under
    the same Message-ID, is none."""
    left = unpack(version, folder)
    return Club(folder, load(folder / "moderator.toml"), left + timedelta(hours=1), sent=1000)


def typed(club: Club, *words: str) -> Result:
    return CliRunner().invoke(cli, ["--config", str(club.config.file), *words])


def path(club: Club) -> Path:
    return club.folder / "moderator.sqlite"


def rows(file: Path, shape: dict[str, list[str]] | None = None) -> dict[str, list[Any]]:
    """All rows of all tables, or of the tables and columns in ``shape``."""
    there = columns_of(file)
    with closing(sqlite3.connect(file)) as connection:
        return {
            table: sorted(connection.execute(_select(table, columns, there)), key=repr)
            for table, columns in (shape or there).items()
        }


def _select(table: str, columns: list[str], there: dict[str, list[str]]) -> str:
    """By the names that a table and its columns have in this file."""
    name = table if table in there else NOW[table]
    known = [column if column in there[name] else NOW[column] for column in columns]
    return f'SELECT {", ".join(map(_quoted, known))} FROM "{name}"'


def _quoted(name: str) -> str:
    return f'"{name}"'


def columns_of(file: Path) -> dict[str, list[str]]:
    with closing(sqlite3.connect(file)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {
            table: sorted(row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')) for (table,) in tables
        }


def content(file: Path) -> str:
    """A hash of everything in it: tables, indices and rows in their order."""
    with closing(sqlite3.connect(file)) as connection:
        return hashlib.sha256("\n".join(connection.iterdump()).encode()).hexdigest()


def sound(club: Club) -> None:
    """`doctor --deep` finds nothing."""
    done = typed(club, "doctor", "--deep")
    (last,) = [line for line in done.output.splitlines() if "played again" in line]
    assert last.endswith(": 0 faults"), done.output
    assert probe.version(path(club)) == HEAD


# ---- the clubs ----


def revisions() -> list[str]:
    scripts = ScriptDirectory(str(Path(schema.__file__).parent / "migrations"))
    return sorted(script.revision for script in scripts.walk_revisions())


def test_every_version_has_its_club() -> None:
    """So that no migration comes without one: see make.py."""
    assert sorted([*versions(), *make.PASSED_BY]) == revisions()
    assert sorted([*make.COMMITS, HEAD]) == versions()
    for passed, with_it in make.PASSED_BY.items():
        assert passed < with_it < HEAD
        assert with_it in make.COMMITS
    assert sum(make.packed(version).stat().st_size for version in make.COMMITS) <= 450_000


@pytest.mark.parametrize("version", versions())
def test_there_is_something_in_each_club(version: str, tmp_path: Path) -> None:
    club = opened(version, tmp_path)
    assert commit_of(club.folder) == make.COMMITS.get(version, make.HERE)
    assert probe.version(path(club)) == version
    with closing(sqlite3.connect(path(club))) as connection:

        def one(query: str) -> Any:
            return connection.execute(f"SELECT {query}").fetchone()[0]

        assert one("""count(DISTINCT game) FROM "match" WHERE status = 'running'""") == (9 if version > "0001" else 1)
        for count in (
            """count(*) FROM "match" WHERE status = 'finished' AND entries > 1""",
            'count(*) FROM "match" WHERE held',
            "count(*) FROM event WHERE kind = 'order'",
            *(f"count(*) FROM inbox WHERE state = '{state}'" for state in ("quarantine", "unknown", "received")),
            "count(*) FROM inbox WHERE message_id = ''",
            "count(*) FROM outbox WHERE state = 'queued'",
        ):
            assert one(count) > 0, count
        later = {"0003": "leave standby watcher press protest addresschange memo", "0006": "cup cupentry cupgame audit"}
        for table in " ".join(tables for since, tables in later.items() if since <= version).split():
            name = NOW.get(table, table) if version >= "0010" else table
            assert one(f'count(*) FROM "{name}"') > 0, name
    assert (club.folder / "backup").is_dir() == (version >= "0006")


def test_the_newest_club_is_of_these_sources(tmp_path: Path) -> None:
    """Where a column comes into a migration that is not out yet, its club has to be made again."""
    club = opened(HEAD, tmp_path / "club")
    fresh = tmp_path / "fresh.sqlite"
    migrated(fresh)
    assert columns_of(path(club)) == columns_of(fresh), REMAKE


# ---- the way up ----


def migrated(file: Path, target: str = HEAD) -> None:
    engine = open_engine(file)
    try:
        schema.migrate(engine, target)
    finally:
        engine.dispose()


@pytest.mark.matrix("clubs")
@pytest.mark.parametrize("version", OLD)
def test_nothing_is_lost_and_nothing_is_wrong(version: str, tmp_path: Path) -> None:
    club = opened(version, tmp_path)
    shape = columns_of(path(club))
    del shape["alembic_version"]
    before = rows(path(club), shape)
    done = typed(club, "upgrade")
    assert done.exit_code == 0, done.exception
    if "result" in shape["match"]:
        assert rows(path(club), shape) == before
    else:
        shape["match"] = [name for name in shape["match"] if name != "result"]
        assert rows(path(club), shape) == before
    sound(club)
    engine = open_engine(path(club))
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), SQLModel.metadata) == []
    engine.dispose()


def test_the_names_of_tables_go_there_and_back(tmp_path: Path) -> None:
    club = opened("0009", tmp_path)
    before, every = structure(path(club)), rows(path(club))
    migrated(path(club), "0010")
    names = " ".join(name for _, name, _ in structure(path(club)))
    assert "cup" not in names
    assert "memo" not in names
    engine = open_engine(path(club))
    with engine.connect() as connection:
        schema._watch_no_links(connection)
        with connection.begin(), Operations.context(MigrationContext.configure(connection)):
            v0010_names.downgrade()
            connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0009'")
    engine.dispose()
    assert structure(path(club)) == before
    assert rows(path(club)) == every


def structure(file: Path) -> list[tuple[str, str, str]]:
    """Kind, name and definition of every table and index, but for quotes and the order of columns."""
    with closing(sqlite3.connect(file)) as connection:
        found = connection.execute("SELECT type, name, COALESCE(sql, '') FROM sqlite_master").fetchall()
    return sorted((kind, name, " ".join(sorted(re.findall(r"\w+", sql)))) for kind, name, sql in found)


@pytest.mark.matrix("clubs")
@pytest.mark.parametrize("version", OLD)
def test_every_halt_on_the_way_is_a_version_to_go_on_from(version: str, tmp_path: Path) -> None:
    """As a club that an upgrade of the first programs left half way."""
    club = opened(version, tmp_path)
    for target in revisions():
        if target > version:
            migrated(path(club), target)
            assert probe.version(path(club)) == target
    assert typed(club, "upgrade").exit_code == 0
    sound(club)


@pytest.mark.matrix("clubs")
@pytest.mark.parametrize("version", versions())
def test_the_club_plays_on(version: str, tmp_path: Path) -> None:
    """An order for each match that runs, with the tokens of old mails; what waited is read, sent, ruled on."""
    club = opened(version, tmp_path)
    assert typed(club, "upgrade").exit_code == 0
    with club.desk() as desk:
        running = [row.code for row in desk.session.exec(select(Match).where(Match.status == "running"))]
        held = desk.session.exec(select(Match.code).where(Match.held)).one()
        (ruling,) = desk.session.exec(select(Question.token).where(Question.ruling == ""))
        waits = desk.session.exec(select(Outbox.message_id).where(Outbox.state == "queued")).one()
    summary = club.tick()
    assert (summary.handled, summary.quarantined, summary.troubles) == (1, [], [])
    first = club.mails()
    assert waits in [mail["Message-ID"] for mail in first]  # it had been made and not sent
    assert "bert@home.example" in [mail["To"].addresses[0].addr_spec for mail in first]  # a mail that was not read yet
    entries = {code: club.row(code).entries for code in running if code != held}
    for code in entries:
        _order(club, code)
    club.write("boss@club.example", "ERLAUBT", to=f"games+{tokens.WORD}-{ruling}@club.example")
    summary = club.tick()
    assert (summary.handled, summary.quarantined, summary.troubles) == (len(entries) + 1, [], [])
    subjects = " ".join(mail["Subject"] for mail in club.mails())
    for code, before in entries.items():
        assert club.row(code).entries > before, code
        assert code in subjects
    assert not club.row(held).held
    assert typed(club, "quarantine", "list").output.count("a fault of ours") == 1
    sound(club)


def _order(club: Club, code: str) -> None:
    """Whoever is missing mails the best move."""
    seat = club.live(code).missing[0]
    with club.desk() as desk:
        query = select(Player.name).join(Seat).join(Match).where(Match.code == code, Seat.number == seat)
        name = desk.session.exec(query).one()
    moves = club.moves(code, seat)
    club.order(name, code, seat, moves[0] if moves else "passe")


# ---- dying on the way ----


class Died(Exception):
    """Nothing of ours catches this."""


def dying(place: Place, after: int) -> list[str]:
    """``migrate`` dies after so many statements (-1: as it commits, 0: never); returns the statements, and "died"."""
    done: list[str] = []

    def executed(_connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        done.append(statement)
        if len(done) == after:
            raise Died

    def committing(_connection: Any) -> None:
        if after == -1:
            raise Died

    engine = open_engine(place)
    event.listen(engine, "after_cursor_execute", executed)
    event.listen(engine, "commit", committing)
    try:
        schema.migrate(engine)
    except Died:
        done.append("died")
    finally:
        engine.dispose()
    return done


SOME = 9
"""Of the statements of later migrations, each so many: to die after each of them is up to the club just before it."""


def points(version: str, statements: list[str], every: int = 1) -> list[int]:
    """After which statements to die on the way from a version: ``every`` so many of them up to the next version that
    has a club, some of those behind it, the last one."""
    following = [one for one in revisions() if one > version]
    after_next = next((one for one in OLD if one > version), following[-1])
    ends = [n for n, told in enumerate(statements, start=1) if told.startswith("UPDATE alembic_version")]
    own = ends[following.index(after_next)]
    return sorted({*range(1, own + 1, every), *range(own, len(statements), SOME), len(statements)})


def test_between_them_the_clubs_die_after_each_statement() -> None:
    """Whatever a migration does is left in its middle by the club just before it."""
    way = [f"{kind} {version}" for version in revisions()[1:] for kind in ("ALTER", "UPDATE alembic_version")]
    seen = {
        way[-len(left) :][n - 1] for version in OLD if (left := _behind(way, version)) for n in points(version, left)
    }
    assert seen == set(way)
    assert points(OLD[-1], ["ALTER"] * 20 + ["UPDATE alembic_version"], every=7) == [1, 8, 15, 21]


def _behind(way: list[str], version: str) -> list[str]:
    return [told for told in way if told.rpartition(" ")[2] > version]


@pytest.mark.matrix("clubs")
@pytest.mark.parametrize("version", OLD)
def test_who_dies_on_the_way_is_where_he_began(version: str, tmp_path: Path) -> None:
    club = opened(version, tmp_path / "club")
    counted = opened(version, tmp_path / "counted")
    statements = dying(path(counted), 0)
    before = content(path(club))
    for after in [*points(version, statements, len(statements) // 4), -1]:
        done = dying(path(club), after)
        assert done[-1] == "died", after
        assert content(path(club)) == before, (after, done[-2:])
        assert probe.version(path(club)) == version
    assert typed(club, "upgrade").exit_code == 0
    sound(club)


_KILLED = """
import os, sys
from pathlib import Path
from sqlalchemy import event
from moderator.store import schema
from moderator.store.db import open_engine
engine, left = open_engine(Path(sys.argv[1])), int(sys.argv[2])
@event.listens_for(engine, "after_cursor_execute")
def executed(*_):
    global left
    left -= 1
    if not left:
        os.kill(os.getpid(), 9)
schema.migrate(engine)
"""


@pytest.mark.matrix("clubs")
@pytest.mark.parametrize("version", OLD)
def test_a_process_that_is_killed(version: str, tmp_path: Path) -> None:
    """The same with kill -9, which leaves a write-ahead log beside the file."""
    club = opened(version, tmp_path / "club")
    counted = opened(version, tmp_path / "counted")
    statements = dying(path(counted), 0)
    before = content(path(club))
    for after in points(version, statements, 9)[:-1:2]:
        command = [sys.executable, "-c", _KILLED, str(path(club)), str(after)]
        assert subprocess.run(command, env=os.environ, check=False).returncode == -9
        assert content(path(club)) == before
    assert typed(club, "upgrade").exit_code == 0
    sound(club)


# ---- what does not fit ----


def spoilt(file: Path, *statements: str) -> str:
    """Somebody's hand was in it; returns what is in it now."""
    with closing(sqlite3.connect(file)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    return content(file)


ORPHAN = "INSERT INTO seat (match_id, number, player_id, token, thread) VALUES (99, 0, 1, 'x', '')"


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (ORPHAN, "row .* of seat points to a row of match that is not there"),
        ("CREATE TABLE cup (id INTEGER)", "table cup already exists"),
        ("DROP TABLE outbox", "no such table: outbox"),
        ("UPDATE alembic_version SET version_num = '9999'", "Install a newer moderator"),
        ("UPDATE alembic_version SET version_num = '0000'", "0000"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(statement: str, said: str, tmp_path: Path) -> None:
    """By `upgrade`, and by `restore`, which then leaves what is there as it is."""
    club = opened("0003", tmp_path / "club")
    before = spoilt(path(club), statement)
    refused = typed(club, "upgrade").exception
    assert isinstance(refused, StoreError)
    _one_line(refused, said)
    assert content(path(club)) == before

    try:
        file, _ = backup.make(club.config, tmp_path / "b.zip", club.now)
    except StoreError as error:  # it is that bad
        _one_line(error, said)
        return
    other = opened("0002", tmp_path / "other")
    before = content(path(other))
    again = typed(other, "restore", str(file), "--force").exception
    _one_line(again, said)
    assert content(path(other)) == before
    assert not list(other.folder.glob("*restor*"))


def _one_line(error: BaseException | None, said: str) -> None:
    assert "\n" not in str(error)
    assert re.search(said, str(error)), error


# ---- backups ----


@pytest.mark.matrix("clubs")
@pytest.mark.parametrize("version", OLD)
@pytest.mark.parametrize("place", ["empty", "upgraded"])
def test_an_old_backup_is_restored(version: str, place: str, tmp_path: Path) -> None:
    """Made by the program of that time, where it could; else of its database, before it is upgraded."""
    club = opened(version, tmp_path / "club")
    file = _old_backup(club, tmp_path / "b.zip")
    if place == "empty":
        path(club).unlink()
    else:
        assert typed(club, "upgrade").exit_code == 0
    manifest, _ = restore(club.config, file, club.now, force=place == "upgraded")
    assert manifest.schema == version
    assert typed(club, "upgrade").exit_code == 0
    sound(club)
    with club.desk() as desk:
        assert desk.session.exec(select(Match)).all()


def _old_backup(club: Club, file: Path) -> Path:
    parts = club.folder / "backup"
    if not parts.is_dir():
        return backup.make(club.config, file, club.now)[0]
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for part in parts.iterdir():
            archive.write(part, part.name)
    return file
