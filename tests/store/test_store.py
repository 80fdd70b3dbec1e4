"""The database: migrations match the models, mails are taken in once, outgoing mails are retried sensibly."""

import inspect
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlmodel import SQLModel, select

from moderator.errors import StoreError
from moderator.mail.model import RawMail, Sent
from moderator.states import MailKind
from moderator.store import copies, inbox, key_values, outbox, probe, schema, sqlite
from moderator.store.db import Store, open_engine, open_store
from moderator.store.models import Inbox, Match, Outbox, Player, Seat

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


def return_path(token: str) -> str:
    return f"games+{token}@x" if token else "games@x"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "moderator.sqlite"
    engine = open_engine(file)
    schema.migrate(engine)
    engine.dispose()
    return file


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    opened = open_store(path)
    yield opened
    opened.close()


def mail(key: str, body: str = "E5 w HAUS", message_id: str = "<1@x>") -> RawMail:
    data = f"Message-ID: {message_id}\r\nFrom: Anna <anna@x>\r\n\r\n{body}\r\n".encode()
    return RawMail(key, data, NOW, len(data))


def test_migrations_make_what_the_models_say(store: Store) -> None:
    with store.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), SQLModel.metadata) == []


def test_head_is_the_newest_migration() -> None:
    scripts = ScriptDirectory(str(Path(schema.__file__).parent / "migrations"))
    assert scripts.get_heads() == [schema.HEAD]


def test_times_come_back_aware(store: Store) -> None:
    with store.transaction() as session:
        session.add(Match(code="K7Q2", name="Arratia", game="topwords", created_at=NOW, deadline=NOW))
    with store.transaction() as session:
        assert session.exec(select(Match.deadline)).one() == NOW


def test_a_missing_database_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="moderator init"):
        open_store(tmp_path / "none.sqlite")


def test_a_database_of_another_version_is_not_opened(path: Path, store: Store) -> None:
    with store.transaction() as session:
        session.connection().exec_driver_sql("UPDATE alembic_version SET version_num = '0000'")
    with pytest.raises(StoreError, match="moderator upgrade"):
        open_store(path)


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    file = tmp_path / "text.sqlite"
    file.write_text("nothing of the kind, but long enough to have a header of one hundred bytes" * 3)
    with pytest.raises(StoreError, match="no database of ours"):
        probe.look(file, NOW, HOUR, NOW)


def looked(store: Store) -> None:
    """The moderator's day was begun."""
    with store.transaction() as session:
        key_values.write(session, probe.LOOKED, probe.stamp(NOW))


def test_the_probe_sees_each_kind_of_work(path: Path, store: Store) -> None:
    looked(store)
    assert not probe.look(path, NOW, HOUR, NOW).due
    with store.transaction() as session:
        # Nobody is late before the settling time is over.
        row = Match(
            code="K7Q2",
            name="Arratia",
            game="topwords",
            created_at=NOW,
            status="running",
            final=NOW - timedelta(hours=1),
        )
        session.add_all([row, Player(name="Anna", name_key="anna", created_at=NOW)])
        session.flush()
        session.add(Seat(match_id=row.number, number=0, player_id=1, token="x"))
    assert probe.look(path, NOW, HOUR, NOW).due
    assert not probe.look(path, NOW - timedelta(seconds=1), HOUR, NOW).due
    with store.transaction() as session:
        match = session.exec(select(Match)).one()
        match.status, match.remind_at = "finished", NOW
        session.add(match)
    assert not probe.look(path, NOW, HOUR, NOW).due
    with store.transaction() as session:
        inbox.take_in(session, [mail("1:1")], NOW)
    assert probe.look(path, NOW, HOUR, NOW).due


def test_the_probe_sees_matches_in_which_only_robots_are_left(path: Path, store: Store) -> None:
    """They have no deadline and get no mail: nothing else ever moves them."""
    looked(store)
    with store.transaction() as session:
        for name, robot in (("Anna", False), ("R2D2", True)):
            session.add(Player(name=name, name_key=name.lower(), created_at=NOW, robot=robot))
        session.add(Match(code="K7Q2", name="Arratia", game="topwords", created_at=NOW, status="running"))
        session.flush()
        session.add_all(Seat(match_id=1, number=n, player_id=2 - n, token=str(n)) for n in (0, 1))
    assert not probe.look(path, NOW, HOUR, NOW).due
    for what, due in (
        ({"robot": True}, True),
        ({"held": True}, True),
        ({"held": False, "stopped": "pause"}, False),
        ({"stopped": "", "status": "finished"}, False),
    ):
        with store.transaction() as session:
            for row in (session.get_one(Match, 1), session.get_one(Player, 1)):
                for key, value in what.items():
                    if hasattr(row, key):
                        setattr(row, key, value)
                session.add(row)
        assert probe.look(path, NOW, HOUR, NOW).due == due, what


def test_the_probe_knows_the_last_poll(path: Path, store: Store) -> None:
    looked(store)
    assert probe.look(path, NOW, HOUR, NOW).last_poll is None
    probe.polled(path, NOW - HOUR)
    probe.polled(path, NOW)
    assert probe.look(path, NOW, HOUR, NOW)[:2] == (NOW, False)


def test_the_same_mail_in_two_places_is_taken_in_once(store: Store) -> None:
    with store.transaction() as session:
        assert len(inbox.take_in(session, [mail("1:1"), mail("1:2")], NOW)) == 1
    with store.transaction() as session:
        assert inbox.take_in(session, [mail("2:1")], NOW) == []
        assert inbox.known(session.connection(), ["1:1", "1:2", "2:1", "2:2"]) == {"1:1", "1:2", "2:1"}


def test_a_reused_message_id_with_other_text_is_another_mail(store: Store) -> None:
    with store.transaction() as session:
        assert len(inbox.take_in(session, [mail("1:1"), mail("1:2", "C3 s MOND")], NOW)) == 2


def test_the_digest_ignores_what_the_way_adds() -> None:
    plain = mail("1").data
    digest = copies.read(plain).digest()
    assert digest == copies.read(b"Received: from elsewhere\r\n" + plain).digest()
    assert digest == copies.read(plain.replace(b"\r\n", b"\n")).digest()


def test_handled_mails_are_filed_once(store: Store) -> None:
    with store.transaction() as session:
        inbox.take_in(session, [mail("1:1"), mail("1:2", message_id="<2@x>")], NOW)
    with store.transaction() as session:
        assert inbox.unfiled(session.connection()) == ([], [])
        first, second = session.exec(select(Inbox).order_by(Inbox.id)).all()
        first.state, second.state = "done", "quarantine"
    with store.transaction() as session:
        assert inbox.unfiled(session.connection()) == (["1:1"], ["1:2"])
        inbox.set_filed(session.connection(), ["1:1"])
    with store.transaction() as session:
        assert inbox.unfiled(session.connection()) == ([], ["1:2"])


def test_only_the_mail_that_was_begun_again_counts_attempts(store: Store) -> None:
    with store.transaction() as session:
        inbox.take_in(session, [mail("1:1"), mail("1:2", message_id="<2@x>")], NOW)
    for expected in (0, 1, 2):
        with store.transaction() as session:
            (first, attempts), (second, others) = inbox.waiting(session.connection(), begun=True)
            assert (attempts, others) == (expected, min(expected, 1))
        if attempts:
            with store.transaction() as session:
                inbox.count_attempt(session, first)
    with store.transaction() as session:
        inbox.begin_anew(session, [first, second])
        assert [attempts for _, attempts in inbox.waiting(session.connection(), begun=True)] == [0, 0]


def queued(store: Store, created: datetime = NOW) -> int:
    with store.transaction() as session:
        made = outbox.Made(b"raw", message_id="<a@x>", recipient="anna@x", kind=MailKind.TURN, now=created)
        return outbox.put(session, [made])[0]


def test_mails_that_are_queued_together_keep_their_order(store: Store) -> None:
    names = [f"<{number}@x>" for number in (3, 1, 2)]
    mails = [outbox.Made(name.encode(), name, recipient="anna@x", kind=MailKind.TURN, now=NOW) for name in names]
    with store.transaction() as session:
        numbers = outbox.put(session, mails)
        assert outbox.put(session, []) == []
    with store.transaction() as session:
        due = outbox.due(session.connection(), return_path, NOW, 10)
    assert [(mail.row, mail.data) for mail in due] == list(zip(numbers, [name.encode() for name in names], strict=True))
    assert numbers == sorted(numbers)


def test_mails_that_were_begun_are_listed_beside_the_others_by_arrival(store: Store) -> None:
    with store.transaction() as session:
        inbox.take_in(session, [mail("1:1")], NOW)
    with store.transaction() as session:
        assert [attempts for _, attempts in inbox.waiting(session.connection(), begun=False)] == [0]
        inbox.take_in(session, [mail("1:2", message_id="<2@x>")], NOW)
    with store.transaction() as session:
        found = inbox.waiting(session.connection(), begun=True)
    assert [attempts for _, attempts in found] == [1, 0]
    with store.transaction() as session:
        assert inbox.waiting(session.connection(), begun=False) == []


def test_a_leased_mail_is_not_sent_twice_until_the_lease_ends(store: Store) -> None:
    number = queued(store)
    with store.transaction() as session:
        assert [mail.row for mail in outbox.due(session.connection(), return_path, NOW, 10)] == [number]
        outbox.lease(session.connection(), [number], NOW)
    with store.transaction() as session:
        assert outbox.due(session.connection(), return_path, NOW, 10) == []
        assert len(outbox.due(session.connection(), return_path, NOW + outbox.LEASE, 10)) == 1


def test_a_mail_that_was_tried_twice_leaves_under_the_plain_address(store: Store) -> None:
    """So that no server that takes no other holds it back for ever; then it has no return path any more."""
    with store.transaction() as session:
        made = outbox.Made(b"raw", "<a@x>", recipient="anna@x", kind=MailKind.TURN, now=NOW, return_token="secret")
        (number,) = outbox.put(session, [made])
    now, senders = NOW, []
    for _ in range(3):
        with store.transaction() as session:
            (ready,) = outbox.due(session.connection(), return_path, now, 10)
            senders.append((ready.sender, ready.plain))
            assert outbox.lease(session.connection(), [number], now) == {number}
            outbox.settle(session, Sent(number, "retry", "450 later"), now)
        now += timedelta(hours=5)
    assert senders == [("games+secret@x", "games@x")] * 2 + [("games@x", "games@x")]
    for sender, kept in (("games+secret@x", "secret"), ("games@x", "")):
        with store.transaction() as session:
            outbox.sent_well(session.connection(), Sent(number, "sent", "250", sender), now, plain="games@x")
            assert session.get_one(Outbox, number, populate_existing=True).return_token == kept


def test_a_temporary_failure_is_tried_later_and_later_and_then_given_up(store: Store) -> None:
    number = queued(store)
    now, waits = NOW, []
    for _ in range(100):
        with store.transaction() as session:
            outbox.lease(session.connection(), [number], now)
            dead = outbox.settle(session, Sent(number, "retry", "451 later"), now)
            row = session.get_one(Outbox, number)
            if dead:
                break
            waits.append(int((row.next_at - now).total_seconds() // 60))
            now = row.next_at
    assert waits[:6] == [1, 5, 15, 60, 120, 240]
    assert timedelta(days=5) <= now - NOW <= timedelta(days=5, hours=4)


def test_a_refused_login_counts_no_attempt(store: Store) -> None:
    number = queued(store)
    with store.transaction() as session:
        outbox.lease(session.connection(), [number], NOW)
        assert outbox.settle(session, Sent(number, "auth", "535 no"), NOW) is None
    with store.transaction() as session:
        row = session.get_one(Outbox, number)
        assert (row.state, row.attempts) == ("queued", 0)


def test_a_permanent_failure_is_buried(store: Store) -> None:
    number = queued(store)
    with store.transaction() as session:
        outbox.lease(session.connection(), [number], NOW)
        dead = outbox.settle(session, Sent(number, "dead", "550 no such user"), NOW)
    assert dead is not None
    assert (dead.state, dead.answer) == ("dead", "550 no such user")


def test_what_was_leased_but_not_handed_over_is_free_again(store: Store) -> None:
    number = queued(store)
    with store.transaction() as session:
        outbox.lease(session.connection(), [number], NOW)
        outbox.release(session, [number], NOW)
    with store.transaction() as session:
        assert len(outbox.due(session.connection(), return_path, NOW, 10)) == 1
        assert session.get_one(Outbox, number).attempts == 0


@pytest.mark.sqlite
@pytest.mark.parametrize(("marks", "level"), [(False, 2), (True, 1)])
def test_what_is_committed_is_on_the_disk_and_marks_may_wait(tmp_path: Path, marks: bool, level: int) -> None:
    """2 = FULL, 1 = NORMAL. The other tests do not wait for the disk, see tests/unflushed.py."""
    engine = inspect.unwrap(sqlite.open_engine)(tmp_path / "club.sqlite", marks)
    with engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == level
    engine.dispose()
