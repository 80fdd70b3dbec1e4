"""What several workers find to do: every mail once, a sender's in their order, and nothing is lost with a worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import event, text
from sqlmodel import select

from moderator.mail.model import RawMail
from moderator.store import inbox
from moderator.store.db import Store, open_store
from moderator.store.mail_queue import NEAR, Shared
from moderator.store.models import Inbox
from tests.club.club import START, Club
from tests.servers import eventually


@pytest.fixture
def new_store(club: Club) -> Iterator[Callable[[], Store]]:
    """Opens the club's database once more, as another worker would."""
    with ExitStack() as stack:

        def opened() -> Store:
            store = open_store(club.config.database)
            stack.callback(store.close)
            return store

        yield opened


def fill(store: Store, *senders: str) -> list[int]:
    """A mail of each of these, one after the other."""
    mails = []
    for n, sender in enumerate(senders):
        data = f"Message-ID: <{n}@x>\r\nFrom: {sender}@x\r\n\r\n{n}\r\n".encode()
        mails.append(RawMail(f"1:{n}", data, START + timedelta(seconds=n), len(data)))
    with store.transaction() as session:
        return inbox.take_in(session, mails, START)


def handled(store: Store, queue: Shared, number: int) -> None:
    with store.transaction() as session:
        session.get_one(Inbox, number).state = "done"
    queue.done()


def attempts(store: Store) -> list[int]:
    with store.transaction() as session:
        return list(session.exec(select(Inbox.attempts).order_by(Inbox.id)))  # type: ignore[arg-type]


def test_two_workers_take_different_mails_in_the_order_of_arrival(new_store: Callable[[], Store]) -> None:
    one, two = new_store(), new_store()
    first, second, third = fill(one, "anna", "bert", "cici")
    left, right = Shared(one), Shared(two)
    assert (left.next(), right.next()) == (first, second)
    handled(one, left, first)
    assert left.next() == third
    assert not right.settled()
    handled(two, right, second)
    handled(one, left, third)
    assert (left.next(), right.next()) == (None, None)
    assert left.settled()
    assert right.settled()
    assert attempts(one) == [1, 1, 1]


def test_mails_of_one_sender_are_handled_one_after_the_other(new_store: Callable[[], Store]) -> None:
    one, two = new_store(), new_store()
    first, second, bert = fill(one, "anna", "anna", "bert")
    left, right = Shared(one), Shared(two)
    assert left.next() == first
    assert right.next() == bert
    handled(two, right, bert)
    assert right.next() is None
    assert not right.settled()
    handled(one, left, first)
    assert right.next() == second


@pytest.mark.matrix("growth")
def test_a_sender_of_thousands_keeps_no_worker_from_the_others(new_store: Callable[[], Store]) -> None:
    one, two = new_store(), new_store()
    *flood, bert = fill(one, *["anna"] * (3 * NEAR), "bert")
    left, right = Shared(one), Shared(two)
    assert left.next() == flood[0]
    assert right.next() == bert
    handled(two, right, bert)
    for number in flood[:-1]:
        handled(one, left, number)
        assert left.next() == number + 1
    assert right.next() is None


def test_a_worker_that_dies_leaves_its_mail_to_the_others_with_the_attempt_counted(
    new_store: Callable[[], Store],
) -> None:
    one, two = new_store(), new_store()
    (number,) = fill(two, "anna")
    assert Shared(one).next() == number
    assert Shared(two).next() is None
    one.close()  # what the server sees when the process has gone
    later = Shared(two)
    assert eventually(lambda: later.next() == number)
    assert attempts(two) == [2]


def test_what_is_put_aside_waits_for_another_run_and_keeps_nobody_waiting(new_store: Callable[[], Store]) -> None:
    store = new_store()
    first, second, bert = fill(store, "anna", "anna", "bert")
    queue = Shared(store)
    assert queue.next() == first
    queue.put_aside()
    assert queue.next() == second
    handled(store, queue, second)
    assert queue.next() == bert
    handled(store, queue, bert)
    assert queue.next() is None
    assert queue.settled()
    assert attempts(store)[0] == 0
    assert Shared(store).next() == first


def test_what_is_given_back_is_free_at_once(new_store: Callable[[], Store]) -> None:
    one, two = new_store(), new_store()
    first, second = fill(one, "anna", "bert")
    left, right = Shared(one), Shared(two)
    assert left.next() == first
    left.give_back()
    assert attempts(one) == [0, 0]
    assert right.next() == first
    handled(two, right, first)
    assert right.next() == second


def test_what_came_after_the_beginning_is_not_waited_for(new_store: Callable[[], Store]) -> None:
    one, two = new_store(), new_store()
    queue = Shared(one)
    (number,) = fill(two, "anna")
    assert queue.settled()
    assert queue.next() == number


@pytest.mark.parametrize("turns", [1, 2])
def test_only_one_worker_has_the_mailbox(new_store: Callable[[], Store], turns: int) -> None:
    one, two = new_store(), new_store()
    for _ in range(turns):
        with one.turn("mailbox") as mine, two.turn("mailbox") as too, two.turn("other") as other:
            assert (mine, too, other) == (True, False, True)


WAITING = """
INSERT INTO inbox (digest, message_id, sender, subject, received_at, taken_at, size, raw, state, attempts, lane, token,
    note)
SELECT n::text, '', '', '', now() + n * interval '1 second', now(), 9, 'x',
    CASE WHEN n % 3 = 0 THEN 'done' ELSE 'received' END, 0, n % 500, '', ''
FROM generate_series(1, 15000) AS n
"""


def test_the_next_mail_is_found_by_index_however_many_wait(new_store: Callable[[], Store]) -> None:
    """10,000 of them: a worker reads some dozens of rows for its next mail, not all."""
    store = new_store()
    with store.marks() as connection:
        connection.execute(text(WAITING))
        connection.execute(text("ANALYZE inbox"))
    plans: list[dict[str, Any]] = []

    def explain(connection: Any, cursor: Any, statement: str, values: Any, *_: Any) -> None:
        if "inbox" in statement and not statement.startswith("EXPLAIN"):
            found = connection.connection.cursor()
            found.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}", values)
            plans.append(found.fetchone()[0][0]["Plan"])

    with store.marks() as connection:
        event.listen(connection.engine, "before_cursor_execute", explain)
        assert inbox.held_lane(connection, limit=NEAR) == 1
        inbox.begin_oldest(connection, 7)
        assert inbox.left(connection, 15000)
        assert inbox.newest(connection) == 15000
    assert len(plans) == 4
    for plan in plans:
        assert sum(rows(plan)) <= 4 * NEAR, plan


def rows(plan: dict[str, Any]) -> Iterator[int]:
    """How many rows each step of a plan has read."""
    yield plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)
    for part in plan.get("Plans", ()):
        yield from rows(part)
