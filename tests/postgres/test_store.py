"""The same club on PostgreSQL: what is stored comes back as it was, `moderator move-store` carries it there and back,
and the scripted evening leads to the same as on SQLite."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import JSON, BigInteger, Column, delete, insert
from sqlmodel import SQLModel, select

from moderator.backup.integrity import CheckedCounts, iter_integrity_faults
from moderator.common.errors import OperatorError
from moderator.mail.maildir import MaildirMailbox
from moderator.settings import load_config
from moderator.store import installation
from moderator.store.club_tables import StoredEnumType
from moderator.store.database import open_engine, open_reading_session, open_store
from moderator.store.due_work import Place
from moderator.store.tables import EventRow
from tests import machine
from tests.cli.running import refuse_command, type_command
from tests.club.club import START, Club, club_of
from tests.faults.evening import differences, faults, file_club, picture, prepare, recover, run
from tests.servers import postgres

LONG = timedelta(hours=7)
"""After that each tick looks whether the mailbox is still its own."""


def rows(place: Place) -> dict[str, list[Any]]:
    engine = open_engine(place)
    with engine.connect() as connection:
        found = {
            table.name: [tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key))]
            for table in SQLModel.metadata.sorted_tables
        }
    engine.dispose()
    return found


def play(club: Club, code: str) -> None:
    seat = club.live(code).table.state.to_move[0]
    club.hand_in(("Anna", "Bert")[seat], code, seat, club.moves(code, seat)[0])


def values(found: dict[str, list[Any]]) -> dict[str, str]:
    """What stands there about the installation itself."""
    return {key: value for key, value in found["keyvalue"] if key in ("installation", "installation-takes-over")}


def besides_the_place(found: dict[str, list[Any]]) -> dict[str, list[Any]]:
    return found | {"keyvalue": [key for key in found["keyvalue"] if key[0] not in values(found)]}


def stopped(club: Club) -> None:
    """What still runs with the old database takes nothing from the mailbox."""
    with pytest.raises(OperatorError, match="Another installation"):
        club.tick()


@pytest.fixture
def club(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Club:
    monkeypatch.delenv(postgres.VARIABLE, raising=False)
    made = club_of(tmp_path / "club", "Anna", "Bert", "R2D2", "R2X")
    made.match("R2D2", "R2X", game="dominos", target=30)
    return made


@pytest.mark.slow
def test_a_club_goes_on_on_postgresql_and_comes_back(club: Club, postgres_url: str) -> None:
    code = club.match("Anna", "Bert")
    play(club, code)
    club.say("stranger@far.example", "Wer seid ihr?")
    before = rows(club.config.database)
    url = postgres.new_database(postgres_url, f"moved_{club.folder.parent.name}")
    assert "set url in [store]" in type_command(club, "move-store", url)
    assert besides_the_place(rows(url)) == besides_the_place(before)
    assert len(before["event"]) > 5

    settings = club.config.file.read_text(encoding="utf-8")
    club.config.file.write_text(f'{settings}[store]\nurl = "{url}"\n', encoding="utf-8")
    there = replace(club, config=load_config(club.config.file))
    play(there, code)
    club.now += LONG
    stopped(club)
    with open_reading_session(there.config.database) as session:
        assert [str(fault) for fault in iter_integrity_faults(session, there.config, CheckedCounts())] == []
        numbers = session.exec(select(EventRow.id).order_by(EventRow.id)).all()  # type: ignore[arg-type]
        assert len(numbers) == len(before["event"]) + 1

    back = club.folder / "back.sqlite"
    type_command(there, "move-store", back)
    assert rows(back) == rows(url)
    assert back.stat().st_mode & 0o077 == 0
    open_store(back).close()
    club.config.file.write_text(f'{settings}[store]\npath = "{back}"\n', encoding="utf-8")
    home = replace(club, config=load_config(club.config.file))
    play(home, code)
    there.now = home.now = home.now + LONG
    stopped(there)
    play(home, code)

    again = postgres.new_database(postgres_url, f"again_{club.folder.parent.name}")
    type_command(home, "move-store", again)
    assert installation.get_or_create_identity(there.config.database, "Club").id not in str(values(rows(again)))


@pytest.mark.slow
def test_a_database_in_use_is_left_alone(club: Club, postgres_url: str) -> None:
    url = postgres.club_database(postgres_url)
    engine = open_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("INSERT INTO keyvalue (key, value) VALUES ('a', 'b')")
    engine.dispose()
    assert "not empty" in refuse_command(club, "move-store", url)
    found = rows(url)
    assert {name for name, every in found.items() if every} == {"keyvalue"}


@pytest.mark.slow
def test_backups_are_postgresqls_own(new_club: Callable[..., Club]) -> None:
    club = new_club()
    for word, hint in (("backup", "pg_dump"), ("restore", "pg_restore")):
        assert hint in refuse_command(club, word, "b.zip")


@pytest.mark.slow
def test_workers_on_one_database_are_one_installation(new_club: Callable[..., Club], tmp_path: Path) -> None:
    one = new_club()
    shutil.copytree(one.folder, tmp_path / "other")
    other = load_config(tmp_path / "other" / one.config.file.name)
    with MaildirMailbox(tmp_path / "inbox") as box:
        for hours, config in enumerate((one.config, other)):
            installation.claim_mailbox(
                config.database, box, START + timedelta(hours=hours), 1, False, name="Club", zone=config.club.zone
            )
    assert (
        installation.get_or_create_identity(one.config.database, "Club").id
        == installation.get_or_create_identity(other.database, "Club").id
    )


@pytest.mark.slow
def test_the_evening_leads_to_the_same_as_on_sqlite(new_club: Callable[..., Club], tmp_path: Path) -> None:
    found = []
    for make in (lambda: file_club(tmp_path / "file"), new_club):
        with machine.lots_of("evening"):
            club = make()
            prepare(club)
            assert run(club) == ""
            recover(club)
        assert faults(club) == []
        found.append(picture(club))
    # There an installation is known by a row, and not by a file beside the database.
    assert [line for line in differences(*found) if "'installation'" not in line] == []


INSTANT = datetime(2026, 3, 29, 0, 59, 59, 999999, tzinfo=UTC)
"""In the night in which clocks change in Europe."""
VALUES: dict[type, Any] = {
    str: "Zürich, 東京, 🂱 and 'quotes' \\ %s \n\t",
    bytes: bytes(range(256)),
    bool: True,
    int: 2**31 - 1,
    float: 0.1 + 0.2,
    datetime: INSTANT,
    date: INSTANT.date(),
    dict: {"deep": [1, 0.5, None, True, {"ä": "東京 \\u0041"}], "big": 2**60},
}
"""What a careless database would change, by the type in Python."""


def value_of(column: Column[Any]) -> Any:
    kind = getattr(column.type, "impl_instance", column.type)
    if column.foreign_keys or (column.primary_key and kind.python_type is int):
        return 1
    if isinstance(column.type, StoredEnumType):
        return list(column.type.choice)[-1]
    if isinstance(kind, BigInteger):
        return 2**62
    return VALUES[dict if isinstance(kind, JSON) else kind.python_type]


def test_a_value_of_each_column_comes_back_as_it_was(postgres_url: str) -> None:
    engine = open_engine(postgres.club_database(postgres_url))
    with engine.begin() as connection:
        for table in SQLModel.metadata.sorted_tables:
            written = {column.name: value_of(column) for column in table.columns}
            connection.execute(delete(table))
            connection.execute(insert(table).values(written))
            assert dict(connection.execute(select(table)).mappings().one()) == written, table.name
    engine.dispose()
