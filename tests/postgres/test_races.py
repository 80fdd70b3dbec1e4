"""Two workers at the same thing at the same moment; and what several workers find to do, of which one dies now and
then: every mail once, a sender's in their order, and nothing is lost with a worker."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import pytest
from sqlalchemy import delete, event, text
from sqlmodel import Session, col, func, select

from moderator.backup.integrity import CheckedCounts, iter_integrity_faults
from moderator.common.errors import ClashError, TransientError
from moderator.common.mails import RawMail
from moderator.mail.transports import open_mailbox, open_sender
from moderator.run import context
from moderator.run import handle as handling_module
from moderator.run.fetch import fetch_mails
from moderator.run.handle import MailHandler
from moderator.run.log import RunSummary
from moderator.run.steps import run_steps
from moderator.store import inbox, outbox
from moderator.store.database import Store, open_reading_session, open_store
from moderator.store.key_values import ensure_moderator_token
from moderator.store.mail_queue import NEAR, SharedQueue
from moderator.store.tables import (
    EventRow,
    InboxRow,
    KeyValue,
    LetterRow,
    MailboxKey,
    MatchRow,
    OutboxBody,
    OutboxRow,
    PlayerRow,
)
from moderator.views.match_cache import MatchCache
from moderator.views.match_state import MODERATOR
from moderator.views.unit_of_work import UnitOfWork
from moderator.words import house_rulings
from tests.cli.running import type_command
from tests.club.club import START, Club, plain_boards
from tests.postgres.season import SETTINGS, Season, prepare
from tests.servers import eventually

T = TypeVar("T")
HOLDERS = (
    "FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid() "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)

pytestmark = pytest.mark.slow


def at_once(*works: Callable[[], T]) -> list[T]:
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


@pytest.fixture
def code(club: Club) -> str:
    plain_boards(club)
    return club.start("Anna", "Bert", game="dominos")


def mail_a_move(club: Club, code: str) -> None:
    seat = club.live(code).table.state.to_move[0]
    club.order(("Anna", "Bert")[seat], code, seat, club.moves(code, seat)[0])


def test_the_moderators_secret_is_made_once(club: Club, stores: list[Store]) -> None:
    for _ in range(10):
        with stores[0].begin_transaction() as session:
            session.execute(delete(KeyValue).where(col(KeyValue.key) == "moderator-token"))
        begun = threading.Barrier(2)

        def make(store: Store, begun: threading.Barrier = begun) -> str:
            with store.begin_transaction() as session:
                assert session.get(KeyValue, "moderator-token") is None
                begun.wait(timeout=20)
                session.expire_all()
                return ensure_moderator_token(session)

        first, second = at_once(*(lambda store=store: make(store) for store in stores))
        assert first == second


def test_a_row_that_both_make_is_made_anew_by_the_second(club: Club, stores: list[Store]) -> None:
    """Say, a wish of the same player in two mails: the one that comes second sees what the first did."""
    begun = threading.Barrier(2)

    def act(work: UnitOfWork) -> str:
        found = work.session.exec(select(PlayerRow).where(PlayerRow.name_key == "dora")).first()
        if not begun.broken and begun.n_waiting < 2 and found is None:
            begun.wait(timeout=20)
        if found is None:
            work.session.add(PlayerRow(name="Dora", name_key="dora", created_at=club.now))
            work.session.flush()
            return "made"
        return "found"

    done = at_once(*(lambda store=store: club.context(store).run_action(act) for store in stores))
    assert sorted(done) == ["found", "made"]


@pytest.mark.slow
def test_workers_that_wait_for_each_other_both_get_through(club: Club, stores: list[Store]) -> None:
    codes = [club.match("Anna", "Bert", game="dominos") for _ in range(2)]
    numbers = [club.row(code).number for code in codes]
    tries: list[int] = []
    begun, through = threading.Barrier(2), threading.Event()

    def act(work: UnitOfWork, order: list[int]) -> None:
        tries.append(order[0])
        if len(tries) > 2:  # or who has lost could be back before the other has gone on, and both would wait again
            assert through.wait(timeout=20)
        for place, number in enumerate(order):
            work.session.get_one(MatchRow, number, with_for_update=True).trouble += "x"
            work.session.flush()
            if not place and len(tries) <= 2:
                begun.wait(timeout=20)

    def go(store: Store, order: list[int]) -> None:
        club.context(store).run_action(lambda work: act(work, order))
        through.set()

    orders = [numbers, numbers[::-1]]
    at_once(*(lambda store=store, order=order: go(store, order) for store, order in zip(stores, orders, strict=True)))
    assert len(tries) == 3
    assert [club.row(code).trouble for code in codes] == ["xx", "xx"]


def test_a_clash_that_does_not_end_is_told(club: Club, stores: list[Store]) -> None:
    tries = []

    def act(work: UnitOfWork) -> None:
        tries.append(work)
        raise ClashError("in the way")

    with pytest.raises(TransientError):
        club.context(stores[0]).run_action(act)
    assert len(tries) == context.TRIES


@pytest.mark.slow
def test_two_workers_on_one_match(club: Club, code: str, stores: list[Store]) -> None:
    caches = [MatchCache(club.config) for _ in stores]
    for store, cache in zip(stores, caches, strict=True):
        with store.begin_transaction() as session:
            cache.load_match(session, session.exec(select(MatchRow)).one())
    for name, seat in (("Anna", 0), ("Bert", 1)):
        club.order(name, code, seat, "passe")
        club.order(name, code, seat, "Status")
    box = club.config.resolve_path(club.config.maildir.inbox) / "new"
    assert len(list(box.iterdir())) == 4
    taken = at_once(*(lambda s=s, h=h: run_once(club, s, h) for s, h in zip(stores, caches, strict=True)))
    assert sum(summary.handled for summary in taken) == 4
    assert [summary.troubles for summary in taken] == [[], []]
    club.tick()
    with club.work() as work:
        events = work.session.exec(select(EventRow.n).order_by(col(EventRow.n))).all()
        assert events == list(range(1, len(events) + 1))
        assert set(work.session.exec(select(InboxRow.state)).all()) == {"done"}
    assert len(club.live(code).table.state.to_move) == 1


def run_once(club: Club, store: Store, cache: MatchCache) -> RunSummary:
    run = club.context(store, cache)
    run_steps(run, open_mailbox(club.config), open_sender(club.config))
    return run.summary


def test_a_mail_whose_hold_was_lost_is_not_handled_twice(club: Club, code: str, stores: list[Store]) -> None:
    """The server cuts the connection that holds a mail, and another worker handles it meanwhile."""
    mail_a_move(club, code)
    fetch_mails(club.context(stores[0]), open_mailbox(club.config))
    first, second = (MailHandler(club.context(store)) for store in stores)
    number = first.queue.begin_next_mail()
    assert number is not None
    assert next(second, None) is None
    with stores[1].autocommit_connection() as connection:
        connection.execute(text(f"SELECT pg_terminate_backend(pid) {HOLDERS}"))
        assert eventually(lambda: not connection.execute(text(f"SELECT count(*) {HOLDERS}")).scalar())
    assert next(second, None) is not None
    assert first._handle_mail(number) == ()
    assert club.row(code).entries == 1


@pytest.mark.slow
def test_deadlines_wait_for_what_others_handle(club: Club, code: str, stores: list[Store], monkeypatch: Any) -> None:
    """Bert's order is in time, but another worker is still reading it when the turn is over."""
    club.wait(hours=1)
    mail_a_move(club, code)
    fetch_mails(club.context(stores[0]), open_mailbox(club.config))
    slow = MailHandler(club.context(stores[0]))
    number = slow.queue.begin_next_mail()
    assert number is not None
    club.wait(days=20)
    monkeypatch.setattr(handling_module, "WAIT", 0.2)
    assert club.tick().deadlines == 0
    slow._handle_mail(number)
    slow.queue.finish_mail()
    club.tick()
    with club.work() as work:
        assert work.session.exec(select(EventRow.kind)).first() == "move"


def test_a_ruling_that_another_worker_wrote_is_read(club: Club, stores: list[Store]) -> None:
    cache = MatchCache(club.config)
    with stores[0].begin_transaction() as session:
        work = UnitOfWork(club.config, session, club.now, cache)
        code = club.match("Anna", "Bert")
        options = club.live(code).options
        assert work.cache.get_dictionary(options).judge("QUARKIG").ruling == "reject"
        house_rulings.append_ruling(
            club.config.resolve_path(club.config.words.house), house_rulings.HouseRuling("QUARKIG", "allow")
        )
    with stores[0].begin_transaction() as session:
        work = UnitOfWork(club.config, session, club.now, cache)
        assert work.cache.get_dictionary(options).judge("QUARKIG").ruling == "accept"


def test_one_mail_is_leased_by_one_worker(club: Club, stores: list[Store]) -> None:
    club.match("Anna", "Bert")
    with club.work() as work:
        rows = [row for row in work.session.exec(select(OutboxRow.id)).all() if row is not None]

    def lease(store: Store) -> set[int]:
        with store.autocommit_connection() as connection:
            return outbox.lease_mails(connection, rows, club.now + timedelta(seconds=1))

    first, second = at_once(*(lambda store=store: lease(store) for store in stores))
    assert first | second == set(rows)
    assert not first & second


@pytest.mark.slow
def test_what_another_worker_has_entered_is_played_on_top(
    club: Club, code: str, stores: list[Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not from the deal on; but after an undo the match is rebuilt. Both ways give what a fresh look gives."""
    from moderator.views import loaded_match, match_cache

    cache = MatchCache(club.config)
    rebuilt: list[int] = []
    real = loaded_match.rebuild_match

    def counted(session: Session, match: MatchRow, defaults: Any) -> Any:
        rebuilt.append(match.entries)
        return real(session, match, defaults)

    monkeypatch.setattr(match_cache, "rebuild_match", counted)

    def at_hand() -> Any:
        with stores[0].begin_transaction() as session:
            return cache.load_match(session, session.exec(select(MatchRow)).one())

    at_hand()
    for _ in range(3):
        mail_a_move(club, code)
        club.tick()
    rebuilt.clear()
    caught_up = at_hand()
    assert rebuilt == []
    fresh = club.live(code)
    assert caught_up == replace(fresh, context=caught_up.context, words=caught_up.words)
    type_command(club, "match", "rollback", code, "--entry", "2")
    rebuilt.clear()
    assert at_hand().table == club.live(code).table
    assert len(rebuilt) == 2


def test_what_was_not_committed_does_not_stay_at_hand(club: Club, stores: list[Store]) -> None:
    """Another worker's entry may come in its place, and then the number of entries does not tell."""
    club.match("Anna", "Bert", game="dominos")
    cache = MatchCache(club.config)

    def act(work: UnitOfWork) -> None:
        cache.load_match(work.session, work.session.exec(select(MatchRow)).one())
        raise RuntimeError

    with pytest.raises(RuntimeError):
        club.context(stores[0], cache).run_action(act)
    assert cache.matches == {}


# ---- the queue of mails ----


def fill(store: Store, *senders: str) -> list[int]:
    """A mail of each of these, one after the other."""
    mails = []
    for n, sender in enumerate(senders):
        data = f"Message-ID: <{n}@x>\r\nFrom: {sender}@x\r\n\r\n{n}\r\n".encode()
        mails.append(RawMail(f"1:{n}", data, START + timedelta(seconds=n), len(data)))
    with store.begin_transaction() as session:
        return inbox.insert_mails(session, mails, START)


def handled(store: Store, queue: SharedQueue, number: int) -> None:
    with store.begin_transaction() as session:
        session.get_one(InboxRow, number).state = "done"
    queue.finish_mail()


def attempts(store: Store) -> list[int]:
    with store.begin_transaction() as session:
        return list(session.exec(select(InboxRow.attempts).order_by(InboxRow.id)))  # type: ignore[arg-type]


def test_two_workers_take_different_mails_in_the_order_of_arrival(stores: list[Store]) -> None:
    one, two = stores
    first, second, third = fill(one, "anna", "bert", "cici")
    left, right = SharedQueue(one), SharedQueue(two)
    assert (left.begin_next_mail(), right.begin_next_mail()) == (first, second)
    handled(one, left, first)
    assert left.begin_next_mail() == third
    assert not right.is_settled()
    handled(two, right, second)
    handled(one, left, third)
    assert (left.begin_next_mail(), right.begin_next_mail()) == (None, None)
    assert left.is_settled()
    assert right.is_settled()
    assert attempts(one) == [1, 1, 1]


def test_mails_of_one_sender_are_handled_one_after_the_other(stores: list[Store]) -> None:
    one, two = stores
    first, second, bert = fill(one, "anna", "anna", "bert")
    left, right = SharedQueue(one), SharedQueue(two)
    assert left.begin_next_mail() == first
    assert right.begin_next_mail() == bert
    handled(two, right, bert)
    assert right.begin_next_mail() is None
    assert not right.is_settled()
    handled(one, left, first)
    assert right.begin_next_mail() == second


@pytest.mark.slow
def test_a_sender_of_thousands_keeps_no_worker_from_the_others(stores: list[Store]) -> None:
    one, two = stores
    *flood, bert = fill(one, *["anna"] * (3 * NEAR), "bert")
    left, right = SharedQueue(one), SharedQueue(two)
    assert left.begin_next_mail() == flood[0]
    assert right.begin_next_mail() == bert
    handled(two, right, bert)
    for number in flood[:-1]:
        handled(one, left, number)
        assert left.begin_next_mail() == number + 1
    assert right.begin_next_mail() is None


def test_a_worker_that_dies_leaves_its_mail_to_the_others_with_the_attempt_counted(stores: list[Store]) -> None:
    one, two = stores
    (number,) = fill(two, "anna")
    assert SharedQueue(one).begin_next_mail() == number
    assert SharedQueue(two).begin_next_mail() is None
    one.close()  # what the server sees when the process has gone
    later = SharedQueue(two)
    assert eventually(lambda: later.begin_next_mail() == number)
    assert attempts(two) == [2]


def test_what_is_put_aside_waits_for_another_run_and_keeps_nobody_waiting(stores: list[Store]) -> None:
    store = stores[0]
    first, second, bert = fill(store, "anna", "anna", "bert")
    queue = SharedQueue(store)
    assert queue.begin_next_mail() == first
    queue.defer_mail()
    assert queue.begin_next_mail() == second
    handled(store, queue, second)
    assert queue.begin_next_mail() == bert
    handled(store, queue, bert)
    assert queue.begin_next_mail() is None
    assert queue.is_settled()
    assert attempts(store)[0] == 0
    assert SharedQueue(store).begin_next_mail() == first


def test_what_is_given_back_is_free_at_once_and_what_came_later_is_not_waited_for(stores: list[Store]) -> None:
    one, two = stores
    left = SharedQueue(one)
    first, second = fill(two, "anna", "bert")
    assert left.is_settled()
    right = SharedQueue(two)
    assert left.begin_next_mail() == first
    left.requeue_all()
    assert attempts(one) == [0, 0]
    assert right.begin_next_mail() == first
    handled(two, right, first)
    assert right.begin_next_mail() == second


def test_only_one_worker_has_the_mailbox(stores: list[Store]) -> None:
    one, two = stores
    for _ in range(2):
        with (
            one.advisory_lock("mailbox") as mine,
            two.advisory_lock("mailbox") as too,
            two.advisory_lock("other") as other,
        ):
            assert (mine, too, other) == (True, False, True)


WAITING = """
INSERT INTO inbox (digest, message_id, sender, subject, received_at, taken_at, size, raw, state, attempts, lane, token,
    note)
SELECT n::text, '', '', '', now() + n * interval '1 second', now(), 9, 'x',
    CASE WHEN n % 3 = 0 THEN 'done' ELSE 'received' END, 0, n % 500, '', ''
FROM generate_series(1, 15000) AS n
"""


def test_the_next_mail_is_found_by_index_however_many_wait(stores: list[Store]) -> None:
    """10,000 of them: a worker reads some dozens of rows for its next mail, not all."""
    store = stores[0]
    with store.autocommit_connection() as connection:
        connection.execute(text(WAITING))
        connection.execute(text("ANALYZE inbox"))
    plans: list[dict[str, Any]] = []

    def explain(connection: Any, cursor: Any, statement: str, values: Any, *_: Any) -> None:
        if "inbox" in statement and not statement.startswith("EXPLAIN"):
            found = connection.connection.cursor()
            found.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}", values)
            plans.append(found.fetchone()[0][0]["Plan"])

    with store.autocommit_connection() as connection:
        event.listen(connection.engine, "before_cursor_execute", explain)
        assert inbox.lock_oldest_sender(connection, limit=NEAR) == 1
        inbox.begin_oldest_mail(connection, 7)
        assert inbox.has_waiting_mail(connection, 15000)
        assert inbox.get_newest_inbox_id(connection) == 15000
    assert len(plans) == 4
    for plan in plans:
        assert sum(rows_read(plan)) <= 4 * NEAR, plan


def rows_read(plan: dict[str, Any]) -> Iterator[int]:
    """How many rows each step of a plan has read."""
    yield plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)
    for part in plan.get("Plans", ()):
        yield from rows_read(part)


# ---- several workers, of which one dies now and then ----

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 300
MAILS, KILLS = 40, 3


@pytest.mark.machine_clock
@pytest.mark.matrix("workers killed", seconds=6)
@pytest.mark.parametrize("seed", range(1, 61))
def test_everything_happens_once(new_club: Callable[..., Club], tmp_path: Path, seed: int) -> None:
    club, workers = new_club(SETTINGS), 2 + seed % 3
    season = prepare(club, seed, matches=4, orders=5, mails=MAILS, late=3)
    sent = tmp_path / "sent"
    killed = herd(season, seed, workers, KILLS, sent)
    if free(club):
        herd(season, seed, workers, 0, sent)
    troubles = Path(f"{sent}.err")
    assert not troubles.exists(), troubles.read_text(encoding="utf-8")
    assert season.mails == MAILS
    with open_reading_session(club.config.database) as session:
        nothing_waits(session, MAILS)
        orders_count_once(session, season)
        answers_are_made_once(session, season)
        mails_left_once(session, season, sent, killed)
        assert [str(fault) for fault in iter_integrity_faults(session, club.config, CheckedCounts())] == []
    assert lying(club) == 0


def herd(season: Season, seed: int, workers: int, kills: int, sent: Path) -> int:
    """Let the workers do all there is to do; how many of them have died."""
    config = str(season.club.config.file)
    command = [sys.executable, "-m", "tests.postgres.season", config, str(workers), str(seed), str(kills), str(sent)]
    began = time.monotonic()
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        store = open_store(season.club.config.database)
        while True:
            assert time.monotonic() - began < PATIENCE, "the workers are not getting on"
            assert process.poll() is None
            with store.begin_transaction() as session:
                more = season.feed(session)
                if not (more or left(session, dying=bool(kills)) or lying(season.club)):
                    break
            time.sleep(0.1)
        store.close()
        out, _ = process.communicate()
    assert process.returncode == 0
    return int(out)


def left(session: Session, dying: bool) -> int:
    """How much is still to be done; where workers are ``dying``, but for mails that one may have been sending."""
    waiting = session.exec(select(func.count()).where(InboxRow.state == "received")).one()
    states = ("queued",) if dying else ("queued", "sending")
    unsent = session.exec(select(func.count()).where(col(OutboxRow.state).in_(states))).one()
    return waiting + unsent + session.exec(select(func.count()).where(col(MailboxKey.filed).is_(False))).one()


def free(club: Club) -> bool:
    """All workers have gone; what one of them was sending when it died can be sent by another when its lease is over.
    That time is not waited for. Whether there is any such mail."""
    with club.work() as work:
        rows = work.session.exec(select(OutboxRow).where(OutboxRow.state == "sending")).all()
        for row in rows:
            row.next_at = row.created_at
            work.session.add(row)
        return bool(rows)


def lying(club: Club) -> int:
    inbox = club.config.resolve_path(club.config.maildir.inbox)
    return sum(len(os.listdir(inbox / part)) for part in ("new", "cur"))


def nothing_waits(session: Session, mails: int) -> None:
    states = Counter(session.exec(select(InboxRow.state)).all())
    kept = session.exec(select(InboxRow.note).where(InboxRow.state == "quarantine")).all()
    assert states.keys() <= {"done", "unknown", "machine", "confirm"}, (states, kept)
    assert states.total() == mails


def orders_count_once(session: Session, season: Season) -> None:
    moves = session.exec(
        select(EventRow.match_id, EventRow.inbox_id, EventRow.text).where(EventRow.kind == "move")
    ).all()
    assert len({inbox for _, inbox, _ in moves}) == len(moves) == season.orders
    expected = Counter({line.match: len(line.orders) for line in season.lines})
    assert Counter(match for match, _, _ in moves) == expected
    for number in season.late:
        missed = session.exec(select(EventRow.kind).where(EventRow.match_id == number)).all()
        assert len(missed) == 1, missed
        assert session.get_one(MatchRow, number).entries == 1


def answers_are_made_once(session: Session, season: Season) -> None:
    rows = session.exec(select(OutboxRow.inbox_id, OutboxRow.recipient, OutboxRow.kind, OutboxRow.match_id)).all()
    answers = Counter(row for row in rows if row[0] is not None)
    assert [row for row, count in answers.items() if count > 1] == []
    letters = [seats for seats in session.exec(select(LetterRow.seats)).all() if seats != [MODERATOR]]
    assert len(letters) == season.press


def mails_left_once(session: Session, season: Season, sent: Path, killed: int) -> None:
    """All that was made went out; twice only what was under way when a worker died, and then it was the same."""
    assert set(session.exec(select(OutboxRow.state)).all()) == {"sent"}
    rows = session.exec(
        select(OutboxRow.id, OutboxBody.raw).join(OutboxBody).where(col(OutboxRow.id) > season.before)
    ).all()
    accepted = Counter(sent.read_text().splitlines())
    assert accepted.keys() == {f"{number} {sha256(raw).hexdigest()}" for number, raw in rows}
    assert accepted.total() - len(accepted) <= killed
