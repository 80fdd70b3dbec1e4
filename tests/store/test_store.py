"""The database: migrations match the models, states are words, mails are taken in and retried sensibly; and whoever has
played hundreds of matches costs a mail no more than somebody who has played none."""

import inspect
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Enum, event
from sqlalchemy.exc import StatementError
from sqlalchemy.orm import Mapper
from sqlmodel import SQLModel, select

from bench.statements import counted
from moderator.common.enums import REVIEWER, MailKind, MatchStatus
from moderator.common.errors import StoreError
from moderator.common.mails import RawMail, Ready, Sent
from moderator.run.deadlines import deliver_daily_mail
from moderator.service.create import get_player
from moderator.store import due_work, engines, inbox, key_values, matches, outbox, schema
from moderator.store.database import Store, open_engine, open_store
from moderator.store.tables import InboxRow, MatchReview, MatchRow, OutboxRow, PlayerRow, SeatRow, TurnReview
from tests.club.club import Club, club_of, copied, text
from tests.club.steps import VOUCHED
from tests.club.test_reviews import with_seconds

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    engine = open_engine(tmp_path / "moderator.sqlite")
    schema.migrate_database(engine)
    engine.dispose()
    opened = open_store(tmp_path / "moderator.sqlite")
    yield opened
    opened.close()


def a_match() -> MatchRow:
    return MatchRow(code="K7Q2", name="Arratia", game="topwords", created_at=NOW, status=MatchStatus.RUNNING)


def test_migrations_make_what_the_models_say(store: Store) -> None:
    with store.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), SQLModel.metadata) == []


def test_what_is_no_database_of_this_version_says_what_to_do(store: Store, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="moderator init"):
        open_store(tmp_path / "none.sqlite")
    with store.begin_transaction() as session:
        session.connection().exec_driver_sql("UPDATE alembic_version SET version_num = '0000'")
    with pytest.raises(StoreError, match="moderator upgrade"):
        open_store(store.place)
    file = tmp_path / "text.sqlite"
    file.write_text("nothing of the kind, but long enough to have a header of one hundred bytes" * 3)
    with pytest.raises(StoreError, match="no database of ours"):
        due_work.check_idle(file, NOW, HOUR, NOW)


@pytest.mark.sqlite
@pytest.mark.parametrize(("marks", "level"), [(False, 2), (True, 1)])
def test_what_is_committed_is_on_the_disk_and_marks_may_wait(tmp_path: Path, marks: bool, level: int) -> None:
    """2 = FULL, 1 = NORMAL. The other tests do not wait for the disk, see tests/machine.py."""
    engine = inspect.unwrap(engines.open_sqlite_engine)(tmp_path / "club.sqlite", marks)
    with engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == level
    engine.dispose()


def test_no_column_stores_the_names_of_members() -> None:
    """That is what SQLModel makes of an enumeration by itself."""
    columns = [column for table in SQLModel.metadata.tables.values() for column in table.columns]
    assert not [column for column in columns if isinstance(column.type, Enum)]


@pytest.mark.slow
def test_a_word_comes_back_as_a_member_and_one_that_there_is_not_is_neither_stored_nor_read(store: Store) -> None:
    with store.begin_transaction() as session:
        session.add(a_match())
    with store.begin_transaction() as session:
        assert session.connection().exec_driver_sql('SELECT status FROM "match"').scalar() == "running"
        found = session.exec(select(MatchRow).where(MatchRow.status == MatchStatus.RUNNING)).one()
        assert found.status is MatchStatus.RUNNING
    with (
        pytest.raises(StatementError, match="'runing' is not a valid MatchStatus"),
        store.begin_transaction() as session,
    ):
        session.exec(select(MatchRow).where(MatchRow.status == "runing")).all()  # type: ignore[comparison-overlap]
    with store.begin_transaction() as session:
        session.connection().exec_driver_sql("UPDATE \"match\" SET status = 'runing'")
    words = "has 'runing' as MatchStatus; this program knows 'open', 'running'"
    with pytest.raises(StoreError, match=words), store.begin_transaction() as session:
        session.exec(select(MatchRow)).all()


def is_due(store: Store, now: datetime = NOW) -> bool:
    """Whether the probe finds work, on a day that the moderator has begun."""
    with store.begin_transaction() as session:
        key_values.save_value(session, due_work.LOOKED, due_work.format_database_time(NOW))
    return due_work.check_idle(store.place, now, HOUR, NOW).due


def test_the_probe_sees_each_kind_of_work_and_the_last_poll(store: Store) -> None:
    assert not is_due(store)
    assert due_work.check_idle(store.place, NOW, HOUR, NOW).known.polled is None
    for at in (NOW - HOUR, NOW):
        due_work.record_poll_at(store.place, at)
    assert due_work.check_idle(store.place, NOW, HOUR, NOW).known.polled == NOW
    with store.begin_transaction() as session:
        match = a_match()
        match.final = NOW - HOUR  # nobody is late before the settling time is over
        session.add_all([match, PlayerRow(name="Anna", name_key="anna", created_at=NOW)])
        session.flush()
        session.add(SeatRow(match_id=match.number, number=0, player_id=1, token="x"))
    assert is_due(store)
    assert not is_due(store, NOW - timedelta(seconds=1))
    with store.begin_transaction() as session:
        match = session.exec(select(MatchRow)).one()
        match.status, match.remind_at = MatchStatus.FINISHED, NOW
    assert not is_due(store)
    with store.begin_transaction() as session:
        inbox.insert_mails(session, [mail("1")], NOW)
    assert is_due(store)


def test_the_probe_sees_matches_in_which_only_robots_are_left(store: Store) -> None:
    """They have no deadline and get no mail: nothing else ever moves them."""
    with store.begin_transaction() as session:
        for name, robot in (("Anna", False), ("R2D2", True)):
            session.add(PlayerRow(name=name, name_key=name.lower(), created_at=NOW, robot=robot))
        session.add(a_match())
        session.flush()
        session.add_all(SeatRow(match_id=1, number=n, player_id=2 - n, token=str(n)) for n in (0, 1))
    assert not is_due(store)
    for model, values, due in (
        (PlayerRow, {"robot": True}, True),
        (MatchRow, {"held": True}, True),
        (MatchRow, {"held": False, "stopped": "pause"}, False),
        (MatchRow, {"stopped": "", "status": MatchStatus.FINISHED}, False),
    ):
        with store.begin_transaction() as session:
            for key, value in values.items():
                setattr(session.get_one(model, 1), key, value)
        assert is_due(store) == due, values


def mail(number: str) -> RawMail:
    data = f"Message-ID: <{number}@x>\r\nFrom: Anna <anna@x>\r\n\r\nE5 w HAUS\r\n".encode()
    return RawMail(f"1:{number}", data, NOW, len(data))


def test_handled_mails_are_filed_once(store: Store) -> None:
    with store.begin_transaction() as session:
        inbox.insert_mails(session, [mail("1"), mail("2")], NOW)
    with store.begin_transaction() as session:
        assert inbox.list_unfiled_keys(session.connection()) == ([], [])
        first, second = session.exec(select(InboxRow).order_by(InboxRow.id)).all()
        first.state, second.state = "done", "quarantine"
    with store.begin_transaction() as session:
        assert inbox.list_unfiled_keys(session.connection()) == (["1:1"], ["1:2"])
        inbox.mark_filed(session.connection(), ["1:1"])
        assert inbox.list_unfiled_keys(session.connection()) == ([], ["1:2"])


def test_only_the_mail_that_was_begun_again_counts_attempts(store: Store) -> None:
    with store.begin_transaction() as session:
        inbox.insert_mails(session, [mail("1"), mail("2")], NOW)
    for expected in (0, 1, 2):
        with store.begin_transaction() as session:
            (first, attempts), (second, others) = inbox.begin_waiting_mails(session.connection(), begun=True)
            assert (attempts, others) == (expected, min(expected, 1))
        if attempts:
            with store.begin_transaction() as session:
                inbox.add_attempt(session, first)
    with store.begin_transaction() as session:
        inbox.reset_attempts(session, [first, second])
        assert [attempts for _, attempts in inbox.begin_waiting_mails(session.connection(), begun=True)] == [0, 0]


def test_mails_that_were_begun_are_listed_beside_the_others_by_arrival(store: Store) -> None:
    for number, begun, listed in (("1", False, [0]), ("2", True, [1, 0]), ("3", False, [0])):
        with store.begin_transaction() as session:
            inbox.insert_mails(session, [mail(number)], NOW)
        with store.begin_transaction() as session:
            assert [attempts for _, attempts in inbox.begin_waiting_mails(session.connection(), begun=begun)] == listed


def put(store: Store, *names: str, return_token: str = "") -> list[int]:
    """Queue mails of which each says its name."""
    mails = [
        outbox.NewOutboxRow(
            name.encode(), name, recipient="anna@x", kind=MailKind.TURN, now=NOW, return_token=return_token
        )
        for name in names
    ]
    with store.begin_transaction() as session:
        return outbox.add_mails(session, mails)


def due(store: Store, now: datetime = NOW) -> list[Ready]:
    with store.begin_transaction() as session:
        return outbox.list_due_mails(
            session.connection(), lambda token: f"games+{token}@x" if token else "games@x", now, 10
        )


def settle(store: Store, number: int, result: str, now: datetime = NOW) -> tuple[bool, OutboxRow]:
    """Whether a mail with this answer of a server is given up, and its row."""
    with store.begin_transaction() as session:
        assert outbox.lease_mails(session.connection(), [number], now) == {number}
        dead = outbox.record_result_of_send(session, Sent(number, result, "said so"), now)
        return dead is not None, session.get_one(OutboxRow, number)


def test_mails_that_are_queued_together_keep_their_order(store: Store) -> None:
    names = ["<3@x>", "<1@x>", "<2@x>"]
    numbers = put(store, *names)
    assert put(store) == []
    assert [(mail.row, mail.data.decode()) for mail in due(store)] == list(zip(numbers, names, strict=True))
    assert numbers == sorted(numbers)


def test_a_leased_mail_is_sent_by_nobody_until_it_is_given_back_or_the_lease_ends(store: Store) -> None:
    numbers = put(store, "<a@x>")
    with store.begin_transaction() as session:
        outbox.lease_mails(session.connection(), numbers, NOW)
    assert due(store) == []
    assert len(due(store, NOW + outbox.LEASE)) == 1
    with store.begin_transaction() as session:
        outbox.release_leases(session, numbers, NOW)
    assert len(due(store)) == 1
    with store.begin_transaction() as session:
        assert session.get_one(OutboxRow, numbers[0]).attempts == 0


def test_a_mail_that_was_tried_twice_leaves_under_the_plain_address(store: Store) -> None:
    """So that no server that takes no other holds it back for ever; then it has no return path any more."""
    (number,) = put(store, "<a@x>", return_token="secret")
    now, senders = NOW, []
    for _ in range(3):
        (ready,) = due(store, now)
        senders.append((ready.sender, ready.plain))
        settle(store, number, "retry", now)
        now += timedelta(hours=5)
    assert senders == [("games+secret@x", "games@x")] * 2 + [("games@x", "games@x")]
    for sender, kept in (("games+secret@x", "secret"), ("games@x", "")):
        with store.begin_transaction() as session:
            outbox.mark_sent(session.connection(), Sent(number, "sent", "250", sender), now, plain="games@x")
            assert session.get_one(OutboxRow, number, populate_existing=True).return_token == kept


def test_a_temporary_failure_is_tried_later_and_later_and_then_given_up(store: Store) -> None:
    (number,) = put(store, "<a@x>")
    now, waits = NOW, []
    for _ in range(100):
        dead, row = settle(store, number, "retry", now)
        if dead:
            break
        waits.append(int((row.next_at - now).total_seconds() // 60))
        now = row.next_at
    assert waits[:6] == [1, 5, 15, 60, 120, 240]
    assert timedelta(days=5) <= now - NOW <= timedelta(days=5, hours=4)


def test_a_refused_login_counts_no_attempt_and_a_permanent_failure_buries(store: Store) -> None:
    first, second = put(store, "<a@x>", "<b@x>")
    dead, row = settle(store, first, "auth")
    assert (dead, row.state, row.attempts) == (False, "queued", 0)
    dead, row = settle(store, second, "dead")
    assert (dead, row.state, row.answer) == (True, "dead", "said so")


MANY = 300
FINISHED = "M4XZ"


@contextmanager
def loaded() -> Iterator[Counter[str]]:
    """How many rows of each table become objects meanwhile."""
    found: Counter[str] = Counter()

    def note(row: object, context: object) -> None:
        found[type(row).__name__] += 1

    event.listen(Mapper, "load", note)
    try:
        yield found
    finally:
        event.remove(Mapper, "load", note)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[int, tuple[Club, str]]:
    """A club of each sort, to be copied."""
    return {over: experienced(tmp_path_factory.mktemp("club"), over) for over in (0, MANY)}


def experienced(folder: Path, over: int) -> tuple[Club, str]:
    """Anna plays in two matches of the same deal, and has played in ``over`` before them, all reviewed."""
    club = club_of(folder, "Anna", "Bert")
    with club.work() as work:
        players = [get_player(work.session, name) for name in ("Anna", "Bert")]
        for number in range(over):
            code = FINISHED if number == 0 else f"Z9{number:04}"
            match = MatchRow(
                code=code,
                name=f"Alt {number}",
                game="dominos",
                status=MatchStatus.FINISHED,
                created_at=work.now - timedelta(days=99),
                finished_at=work.now - timedelta(days=9),
            )
            work.session.add(match)
            work.session.flush()
            for seat, player in enumerate(players):
                work.session.add(
                    SeatRow(match_id=match.number, number=seat, player_id=player.number, token=f"T{number}")
                )
            content = {"unit": "points", "left": [1, 2], "moves": [1, 1], "find": None}
            known = {"match_id": match.number, "version": REVIEWER, "entries": 0, "due_at": None, "content": content}
            work.session.add(MatchReview(**known))
            work.session.add(TurnReview(match_id=match.number, number=1, content={}))
    code = club.match("Anna", "Bert")
    club.start("Anna", "Bert")
    return club, code


def written(club: Club, body: str) -> str:
    """What comes back for a mail to the club's own address that is Anna's for sure."""
    club.say("Anna", body, **VOUCHED)
    answer = text(club.mails("Anna")[-1])
    assert "Warst du das" not in answer
    return answer


def order(club: Club, code: str) -> None:
    """By the match's own address."""
    club.hand_in("Anna", code, 0, club.moves(code, 0)[0])


def order_by_heading(club: Club, code: str) -> None:
    """To the club, with the match above the line."""
    written(club, f"{code}:\n{club.moves(code, 0)[0]}")


def ask_for_the_list(club: Club, code: str) -> None:
    written(club, "Liste")


def go_on_leave(club: Club, code: str) -> None:
    written(club, "Urlaub 24.12. bis 2.1.")


def get_the_daily_mail(club: Club, code: str) -> None:
    with club.work() as work:
        assert deliver_daily_mail(work, get_player(work.session, "Anna").number)


@pytest.mark.slow
@pytest.mark.parametrize("act", [order, order_by_heading, ask_for_the_list, go_on_leave, get_the_daily_mail])
def test_a_mail_costs_the_same_whatever_its_writer_has_played(
    models: dict[int, tuple[Club, str]], tmp_path: Path, act: Callable[[Club, str], None]
) -> None:
    costs = []  # on PostgreSQL no statements are counted
    for over, (model, code) in models.items():
        club = copied(model, tmp_path / str(over))
        club.moves(code, 0)  # what a fresh process reads once
        club.mails()
        with loaded() as rows, counted() as asked:
            act(club, code)
        costs.append((dict(rows), len(asked.statements)))
    assert costs[1] == costs[0]
    assert 1 <= costs[0][0]["MatchRow"] <= 4


@pytest.mark.slow
def test_an_idle_run_loads_no_review_and_asking_loads_all(models: dict[int, tuple[Club, str]], tmp_path: Path) -> None:
    club = copied(models[MANY][0], tmp_path / "club")
    club.let_pass(hours=30)
    with loaded() as rows:
        assert with_seconds(club, 5).tick().is_quiet
    assert rows == {}
    with club.work() as work, loaded() as rows:
        anna = get_player(work.session, "Anna").number
        assert len(matches.list_seats_ever_taken(work.session, anna)) == MANY + 2
    assert rows["MatchRow"] == rows["SeatRow"] == MANY + 2
    club.mails()
    assert "Alt 0" in written(club, f"{FINISHED}: 61")
