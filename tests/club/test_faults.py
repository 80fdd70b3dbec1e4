"""A full disk, a locked database, a missing dictionary, a letter that cannot be drawn: one line, and nothing lost."""

import sqlite3
from typing import Any

import pytest
from sqlmodel import select

from moderator.errors import StoreError, TransientError
from moderator.store import db, probe, sqlite
from moderator.store.models import Inbox
from tests.club.club import Club


def attempts(club: Club) -> list[tuple[str, int]]:
    with club.desk() as desk:
        return list(desk.session.exec(select(Inbox.state, Inbox.attempts).order_by(Inbox.id)))


@pytest.mark.sqlite
def test_a_full_disk_stops_the_run_and_the_next_one_goes_on(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    code = club.match("Anna", "Bert")
    club.order("Anna", code, 0, "passe\n" + "x" * 400_000)
    real = db.open_engine

    def small(path: Any, marks: bool = False) -> Any:
        from sqlalchemy import event

        engine = real(path, marks)

        @event.listens_for(engine, "connect")
        def _limit(connection: Any, _record: Any) -> None:
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            connection.execute(f"PRAGMA max_page_count = {pages + 2}")

        return engine

    monkeypatch.setattr(db, "_IDLE", {})
    monkeypatch.setattr(db, "open_engine", small)
    with pytest.raises(StoreError, match=r"disk (is full|takes no more)"):
        club.tick()
    monkeypatch.undo()
    club.tick()
    assert club.row(code).entries == 1


@pytest.mark.sqlite
def test_a_locked_database_is_tried_again_later(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    code = club.match("Anna", "Bert")
    club.order("Anna", code, 0, "passe")
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.1)
    other = sqlite3.connect(club.config.database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(TransientError, match="locked"):
        club.tick()
    other.execute("ROLLBACK")
    other.close()
    club.tick()
    assert club.row(code).entries == 1


def test_a_missing_dictionary_is_nobodys_fault(club: Club) -> None:
    code = club.match("Anna", "Bert")
    lexicon = club.folder / "lexicons" / "de.lex"
    kept = lexicon.read_bytes()
    lexicon.unlink()
    club.order("Anna", code, 0, "passe")
    club.order("Anna", code, 0, "HILFE")
    for _ in range(6):
        (trouble,) = club.tick().troubles
        assert "lexicon build" in trouble
    assert attempts(club) == [("received", 0), ("received", 0)]
    lexicon.write_bytes(kept)
    club.tick()
    assert club.row(code).entries == 1
    assert [state for state, _ in attempts(club)] == ["done", "done"]


def test_a_letter_that_would_come_out_blank_is_not_sent(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    from moderator.pages import boards, png

    code = club.match("Anna", "Bert")
    move = club.moves(code, 0)[0]
    club.tick()
    club.mails()
    club.order("Anna", code, 0, move)
    boards.png.cache_clear()
    png._DRAWN.clear()
    monkeypatch.setattr(png, "covered", lambda: frozenset("0123456789"))
    assert any("blank" in trouble for trouble in club.tick().troubles)
    assert not club.mails("anna")
    assert club.row(code).entries == 0
    monkeypatch.undo()
    club.tick()
    assert club.row(code).entries == 1


def test_a_newer_database_is_left_alone(club: Club) -> None:
    club.match("Anna", "Bert")
    with club.desk() as desk:
        desk.session.connection().exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreError, match="9999"):
        club.tick()
    assert probe.version(club.config.database) == "9999"


def test_a_mailbox_that_is_away_does_not_stop_what_is_ready(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    from moderator.run import tick

    club.match("Anna", "Bert")

    def away(config: Any) -> Any:
        raise TransientError("the mailbox is away")

    monkeypatch.setattr(tick, "open_mailbox", away)
    summary = club.tick()
    assert summary.sent == 2
    assert summary.away == ["the mailbox is away"]


def test_without_a_good_poll_nobody_is_late(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    from moderator.run import tick

    code = club.match("Anna", "Bert")
    club.tick()
    club.wait(days=10)

    def away(config: Any) -> Any:
        raise TransientError("the mailbox is away")

    monkeypatch.setattr(tick, "open_mailbox", away)
    assert club.tick().deadlines == 0
    monkeypatch.undo()
    assert club.tick().deadlines == 1
    assert club.row(code).entries == 1
