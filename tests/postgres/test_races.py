"""Two workers at the same thing at the same moment; and what several workers find to do: every mail once, a sender's in
their order, and nothing is lost with a worker."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypeVar

import pytest
from click.testing import CliRunner
from sqlalchemy import delete, event, text
from sqlmodel import Session, col, select

from moderator.cli import cli
from moderator.club.desk import Desk
from moderator.club.run_cache import RunCache
from moderator.club.tokens import moderator_token
from moderator.errors import ClashError, TransientError
from moderator.mail.model import RawMail
from moderator.mail.open import open_mailbox, open_sender
from moderator.run import handling as handling_module
from moderator.run.handling import Handling, attempt
from moderator.run.intake import Summary, take_in
from moderator.run.tick import once
from moderator.store import inbox, outbox
from moderator.store.db import Store, open_store
from moderator.store.mail_queue import NEAR, Shared
from moderator.store.models import Event, Inbox, KeyValue, Match, Outbox, Player
from moderator.words import house
from tests.club.club import START, Club, plain_boards
from tests.servers import eventually

T = TypeVar("T")
HOLDERS = (
    "FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid() "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


def at_once(*works: Callable[[], T]) -> list[T]:
    """What each of these returns; they begin together."""
    barrier, results = threading.Barrier(len(works)), {}

    def run(number: int) -> None:
        barrier.wait(timeout=20)
        results[number] = works[number]()

    threads = [threading.Thread(target=run, args=(n,)) for n in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    return [results[n] for n in range(len(works))]


@pytest.fixture
def stores(club: Club) -> Any:
    made = [open_store(club.config.database) for _ in range(2)]
    yield made
    for store in made:
        store.close()


def test_the_moderators_secret_is_made_once(club: Club, stores: list[Store]) -> None:
    for _ in range(10):
        with stores[0].transaction() as session:
            session.execute(delete(KeyValue).where(col(KeyValue.key) == "moderator-token"))
        begun = threading.Barrier(2)

        def make(store: Store, begun: threading.Barrier = begun) -> str:
            with store.transaction() as session:
                assert session.get(KeyValue, "moderator-token") is None
                begun.wait(timeout=20)
                session.expire_all()
                return moderator_token(session)

        first, second = at_once(*(lambda store=store: make(store) for store in stores))
        assert first == second


def test_a_row_that_both_make_is_made_anew_by_the_second(club: Club, stores: list[Store]) -> None:
    """Say, a wish of the same player in two mails: the one that comes second sees what the first did."""
    begun = threading.Barrier(2)

    def work(session: Session) -> str:
        found = session.exec(select(Player).where(Player.name_key == "dora")).first()
        if not begun.broken and begun.n_waiting < 2 and found is None:
            begun.wait(timeout=20)
        if found is None:
            session.add(Player(name="Dora", name_key="dora", created_at=club.now))
            session.flush()
            return "made"
        return "found"

    done = at_once(*(lambda store=store: attempt(store, RunCache(club.config), work) for store in stores))
    assert sorted(done) == ["found", "made"]


@pytest.mark.slow
def test_workers_that_wait_for_each_other_both_get_through(club: Club, stores: list[Store]) -> None:
    codes = [club.match("Anna", "Bert", game="dominos") for _ in range(2)]
    numbers = [club.row(code).number for code in codes]
    tries: list[int] = []
    begun, through = threading.Barrier(2), threading.Event()

    def work(session: Session, order: list[int]) -> None:
        tries.append(order[0])
        if len(tries) > 2:  # or who has lost could be back before the other has gone on, and both would wait again
            assert through.wait(timeout=20)
        for place, number in enumerate(order):
            session.get_one(Match, number, with_for_update=True).trouble += "x"
            session.flush()
            if not place and len(tries) <= 2:
                begun.wait(timeout=20)

    def go(store: Store, order: list[int]) -> None:
        attempt(store, RunCache(club.config), lambda session: work(session, order))
        through.set()

    orders = [numbers, numbers[::-1]]
    at_once(*(lambda store=store, order=order: go(store, order) for store, order in zip(stores, orders, strict=True)))
    assert len(tries) == 3
    assert [club.row(code).trouble for code in codes] == ["xx", "xx"]


def test_a_clash_that_does_not_end_is_told(club: Club, stores: list[Store]) -> None:
    tries = []

    def work(session: Session) -> None:
        tries.append(session)
        raise ClashError("in the way")

    with pytest.raises(TransientError):
        attempt(stores[0], RunCache(club.config), work)
    assert len(tries) == handling_module.TRIES


@pytest.mark.slow
def test_two_workers_on_one_match(club: Club, stores: list[Store]) -> None:
    """Both have the match at hand as it was; the second sees the move of the first."""
    plain_boards(club)
    code = club.match("Anna", "Bert", game="dominos")
    club.tick()
    caches = [RunCache(club.config) for _ in stores]
    for store, cache in zip(stores, caches, strict=True):
        with store.transaction() as session:
            cache.live(session, session.exec(select(Match)).one())
    for name, seat in (("Anna", 0), ("Bert", 1)):
        club.order(name, code, seat, "passe")
        club.order(name, code, seat, "Status")
    box = club.config.path(club.config.maildir.inbox) / "new"
    assert len(list(box.iterdir())) == 4
    taken = at_once(*(lambda s=s, h=h: run(club, s, h) for s, h in zip(stores, caches, strict=True)))
    assert sum(summary.handled for summary in taken) == 4
    assert [summary.troubles for summary in taken] == [[], []]
    club.tick()
    with club.desk() as desk:
        events = desk.session.exec(select(Event.n).order_by(col(Event.n))).all()
        assert events == list(range(1, len(events) + 1))
        assert set(desk.session.exec(select(Inbox.state)).all()) == {"done"}
    assert len(club.live(code).table.state.to_move) == 1


def run(club: Club, store: Store, cache: RunCache) -> Summary:
    summary = Summary()
    once(club.config, store, cache, open_mailbox(club.config), open_sender(club.config), club.clock, summary)
    return summary


def test_a_mail_whose_hold_was_lost_is_not_handled_twice(club: Club, stores: list[Store]) -> None:
    """The server cuts the connection that holds a mail, and another worker handles it meanwhile."""
    plain_boards(club)
    code = club.match("Anna", "Bert", game="dominos")
    club.tick()
    seat = club.live(code).table.state.to_move[0]
    club.order(("Anna", "Bert")[seat], code, seat, club.moves(code, seat)[0])
    take_in(stores[0], open_mailbox(club.config), 10**6, club.clock, Summary())
    first, second = (Handling(club.config, store, RunCache(club.config), club.clock, Summary()) for store in stores)
    number = first.queue.next()
    assert number is not None
    assert second.step() is None
    with stores[1].marks() as connection:
        connection.execute(text(f"SELECT pg_terminate_backend(pid) {HOLDERS}"))
        for _ in range(200):
            if not connection.execute(text(f"SELECT count(*) {HOLDERS}")).scalar():
                break
            time.sleep(0.05)
    assert second.step() is not None
    assert first._handle(number) == ()
    assert club.row(code).entries == 1


@pytest.mark.slow
def test_deadlines_wait_for_what_others_are_handling(club: Club, stores: list[Store], monkeypatch: Any) -> None:
    """Bert's order is in time, but another worker is still reading it when the turn is over."""
    plain_boards(club)
    code = club.match("Anna", "Bert", game="dominos")
    club.tick()
    seat = club.live(code).table.state.to_move[0]
    name = ("Anna", "Bert")[seat]
    club.wait(hours=1)
    club.order(name, code, seat, club.moves(code, seat)[0])
    take_in(stores[0], open_mailbox(club.config), 10**6, club.clock, Summary())
    slow = Handling(club.config, stores[0], RunCache(club.config), club.clock, Summary())
    number = slow.queue.next()
    assert number is not None
    club.wait(days=20)
    monkeypatch.setattr(handling_module, "WAIT", 0.2)
    assert club.tick().deadlines == 0
    slow._handle(number)
    slow.queue.done()
    club.tick()
    with club.desk() as desk:
        assert desk.session.exec(select(Event.kind)).first() == "move"


def test_a_ruling_that_another_worker_wrote_is_read(club: Club, stores: list[Store]) -> None:
    cache = RunCache(club.config)
    with stores[0].transaction() as session:
        desk = Desk(club.config, session, club.now, cache)
        code = club.match("Anna", "Bert")
        options = club.live(code).options
        assert desk.cache.dictionary(options).judge("QUARKIG").ruling == "reject"
        house.append(club.config.path(club.config.words.house), house.Ruling("QUARKIG", "allow"))
    with stores[0].transaction() as session:
        desk = Desk(club.config, session, club.now, cache)
        assert desk.cache.dictionary(options).judge("QUARKIG").ruling == "accept"


def test_one_mail_is_leased_by_one_worker(club: Club, stores: list[Store]) -> None:
    club.match("Anna", "Bert")
    with club.desk() as desk:
        rows = [row for row in desk.session.exec(select(Outbox.id)).all() if row is not None]

    def lease(store: Store) -> set[int]:
        with store.marks() as connection:
            return outbox.lease(connection, rows, club.now + timedelta(seconds=1))

    first, second = at_once(*(lambda store=store: lease(store) for store in stores))
    assert first | second == set(rows)
    assert not first & second


@pytest.mark.slow
def test_what_another_worker_has_entered_is_played_on_top(
    club: Club, stores: list[Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not from the deal on; but after an undo the match is rebuilt. Both ways give what a fresh look gives."""
    from moderator.club import live_match, run_cache

    plain_boards(club)
    code = club.match("Anna", "Bert", game="dominos")
    cache = RunCache(club.config)
    rebuilt: list[int] = []
    real = live_match.rebuild

    def counted(session: Session, match: Match, defaults: Any) -> Any:
        rebuilt.append(match.entries)
        return real(session, match, defaults)

    monkeypatch.setattr(run_cache, "rebuild", counted)

    def at_hand() -> Any:
        with stores[0].transaction() as session:
            return cache.live(session, session.exec(select(Match)).one())

    def play() -> None:
        seat = club.live(code).table.state.to_move[0]
        club.order(("Anna", "Bert")[seat], code, seat, club.moves(code, seat)[0])
        club.tick()

    at_hand()
    for _ in range(3):
        play()
    rebuilt.clear()
    caught_up = at_hand()
    assert rebuilt == []
    fresh = club.live(code)
    assert caught_up == replace(fresh, context=caught_up.context, words=caught_up.words)
    done = CliRunner().invoke(cli, ["--config", str(club.config.file), "match", "rollback", code, "--entry", "2"])
    assert done.exit_code == 0, done.output
    rebuilt.clear()
    assert at_hand().table == club.live(code).table
    assert len(rebuilt) == 2


def test_what_was_not_committed_does_not_stay_at_hand(club: Club, stores: list[Store]) -> None:
    """Another worker's entry may come in its place, and then the number of entries does not tell."""
    code = club.match("Anna", "Bert", game="dominos")
    cache = RunCache(club.config)

    def work(session: Session) -> None:
        cache.live(session, session.exec(select(Match)).one())
        raise RuntimeError(code)

    with pytest.raises(RuntimeError):
        attempt(stores[0], cache, work)
    assert cache.matches == {}


# ---- the queue of mails ----


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


@pytest.mark.slow
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
        assert sum(rows_read(plan)) <= 4 * NEAR, plan


def rows_read(plan: dict[str, Any]) -> Iterator[int]:
    """How many rows each step of a plan has read."""
    yield plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)
    for part in plan.get("Plans", ()):
        yield from rows_read(part)
