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

from moderator.backup.backup import reading
from moderator.backup.integrity import Looked, examine
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
from moderator.store.models import Event, Inbox, KeyValue, Letter, Match, Outbox, Player, Press, Seen
from moderator.words import house
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
    made = club.match("Anna", "Bert", game="dominos")
    club.tick()
    return made


def mail_a_move(club: Club, code: str) -> None:
    seat = club.live(code).table.state.to_move[0]
    club.order(("Anna", "Bert")[seat], code, seat, club.moves(code, seat)[0])


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
def test_two_workers_on_one_match(club: Club, code: str, stores: list[Store]) -> None:
    caches = [RunCache(club.config) for _ in stores]
    for store, cache in zip(stores, caches, strict=True):
        with store.transaction() as session:
            cache.live(session, session.exec(select(Match)).one())
    for name, seat in (("Anna", 0), ("Bert", 1)):
        club.order(name, code, seat, "passe")
        club.order(name, code, seat, "Status")
    box = club.config.path(club.config.maildir.inbox) / "new"
    assert len(list(box.iterdir())) == 4
    taken = at_once(*(lambda s=s, h=h: run_once(club, s, h) for s, h in zip(stores, caches, strict=True)))
    assert sum(summary.handled for summary in taken) == 4
    assert [summary.troubles for summary in taken] == [[], []]
    club.tick()
    with club.desk() as desk:
        events = desk.session.exec(select(Event.n).order_by(col(Event.n))).all()
        assert events == list(range(1, len(events) + 1))
        assert set(desk.session.exec(select(Inbox.state)).all()) == {"done"}
    assert len(club.live(code).table.state.to_move) == 1


def run_once(club: Club, store: Store, cache: RunCache) -> Summary:
    summary = Summary()
    once(club.config, store, cache, open_mailbox(club.config), open_sender(club.config), club.clock, summary)
    return summary


def test_a_mail_whose_hold_was_lost_is_not_handled_twice(club: Club, code: str, stores: list[Store]) -> None:
    """The server cuts the connection that holds a mail, and another worker handles it meanwhile."""
    mail_a_move(club, code)
    take_in(club.config, stores[0], open_mailbox(club.config), club.clock, Summary())
    first, second = (Handling(club.config, store, RunCache(club.config), club.clock, Summary()) for store in stores)
    number = first.queue.next()
    assert number is not None
    assert second.step() is None
    with stores[1].marks() as connection:
        connection.execute(text(f"SELECT pg_terminate_backend(pid) {HOLDERS}"))
        assert eventually(lambda: not connection.execute(text(f"SELECT count(*) {HOLDERS}")).scalar())
    assert second.step() is not None
    assert first._handle(number) == ()
    assert club.row(code).entries == 1


@pytest.mark.slow
def test_deadlines_wait_for_what_others_handle(club: Club, code: str, stores: list[Store], monkeypatch: Any) -> None:
    """Bert's order is in time, but another worker is still reading it when the turn is over."""
    club.wait(hours=1)
    mail_a_move(club, code)
    take_in(club.config, stores[0], open_mailbox(club.config), club.clock, Summary())
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
    club: Club, code: str, stores: list[Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not from the deal on; but after an undo the match is rebuilt. Both ways give what a fresh look gives."""
    from moderator.club import live_match, run_cache

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
    cache = RunCache(club.config)

    def work(session: Session) -> None:
        cache.live(session, session.exec(select(Match)).one())
        raise RuntimeError

    with pytest.raises(RuntimeError):
        attempt(stores[0], cache, work)
    assert cache.matches == {}


# ---- the queue of mails ----


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


def test_two_workers_take_different_mails_in_the_order_of_arrival(stores: list[Store]) -> None:
    one, two = stores
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


def test_mails_of_one_sender_are_handled_one_after_the_other(stores: list[Store]) -> None:
    one, two = stores
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
def test_a_sender_of_thousands_keeps_no_worker_from_the_others(stores: list[Store]) -> None:
    one, two = stores
    *flood, bert = fill(one, *["anna"] * (3 * NEAR), "bert")
    left, right = Shared(one), Shared(two)
    assert left.next() == flood[0]
    assert right.next() == bert
    handled(two, right, bert)
    for number in flood[:-1]:
        handled(one, left, number)
        assert left.next() == number + 1
    assert right.next() is None


def test_a_worker_that_dies_leaves_its_mail_to_the_others_with_the_attempt_counted(stores: list[Store]) -> None:
    one, two = stores
    (number,) = fill(two, "anna")
    assert Shared(one).next() == number
    assert Shared(two).next() is None
    one.close()  # what the server sees when the process has gone
    later = Shared(two)
    assert eventually(lambda: later.next() == number)
    assert attempts(two) == [2]


def test_what_is_put_aside_waits_for_another_run_and_keeps_nobody_waiting(stores: list[Store]) -> None:
    store = stores[0]
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


def test_what_is_given_back_is_free_at_once_and_what_came_later_is_not_waited_for(stores: list[Store]) -> None:
    one, two = stores
    left = Shared(one)
    first, second = fill(two, "anna", "bert")
    assert left.settled()
    right = Shared(two)
    assert left.next() == first
    left.give_back()
    assert attempts(one) == [0, 0]
    assert right.next() == first
    handled(two, right, first)
    assert right.next() == second


def test_only_one_worker_has_the_mailbox(stores: list[Store]) -> None:
    one, two = stores
    for _ in range(2):
        with one.turn("mailbox") as mine, two.turn("mailbox") as too, two.turn("other") as other:
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
    with reading(club.config) as session:
        nothing_waits(session, MAILS)
        orders_count_once(session, season)
        answers_are_made_once(session, season)
        mails_left_once(session, season, sent, killed)
        assert [str(fault) for fault in examine(session, club.config, Looked())] == []
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
            with store.transaction() as session:
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
    waiting = session.exec(select(func.count()).where(Inbox.state == "received")).one()
    states = ("queued",) if dying else ("queued", "sending")
    unsent = session.exec(select(func.count()).where(col(Outbox.state).in_(states))).one()
    return waiting + unsent + session.exec(select(func.count()).where(col(Seen.filed).is_(False))).one()


def free(club: Club) -> bool:
    """All workers have gone; what one of them was sending when it died can be sent by another when its lease is over.
    That time is not waited for. Whether there is any such mail."""
    with club.desk() as desk:
        rows = desk.session.exec(select(Outbox).where(Outbox.state == "sending")).all()
        for row in rows:
            row.next_at = row.created_at
            desk.session.add(row)
        return bool(rows)


def lying(club: Club) -> int:
    inbox = club.config.path(club.config.maildir.inbox)
    return sum(len(os.listdir(inbox / part)) for part in ("new", "cur"))


def nothing_waits(session: Session, mails: int) -> None:
    states = Counter(session.exec(select(Inbox.state)).all())
    kept = session.exec(select(Inbox.note).where(Inbox.state == "quarantine")).all()
    assert states.keys() <= {"done", "unknown", "machine", "confirm"}, (states, kept)
    assert states.total() == mails


def orders_count_once(session: Session, season: Season) -> None:
    moves = session.exec(select(Event.match_id, Event.inbox_id, Event.text).where(Event.kind == "move")).all()
    assert len({inbox for _, inbox, _ in moves}) == len(moves) == season.orders
    expected = Counter({line.match: len(line.orders) for line in season.lines})
    assert Counter(match for match, _, _ in moves) == expected
    for number in season.late:
        missed = session.exec(select(Event.kind).where(Event.match_id == number)).all()
        assert len(missed) == 1, missed
        assert session.get_one(Match, number).entries == 1


def answers_are_made_once(session: Session, season: Season) -> None:
    rows = session.exec(select(Outbox.inbox_id, Outbox.recipient, Outbox.kind, Outbox.match_id)).all()
    answers = Counter(row for row in rows if row[0] is not None)
    assert [row for row, count in answers.items() if count > 1] == []
    assert session.exec(select(func.count()).select_from(Press)).one() == season.press


def mails_left_once(session: Session, season: Season, sent: Path, killed: int) -> None:
    """All that was made went out; twice only what was under way when a worker died, and then it was the same."""
    assert set(session.exec(select(Outbox.state)).all()) == {"sent"}
    rows = session.exec(select(Outbox.id, Letter.raw).join(Letter).where(col(Outbox.id) > season.before)).all()
    accepted = Counter(sent.read_text().splitlines())
    assert accepted.keys() == {f"{number} {sha256(raw).hexdigest()}" for number, raw in rows}
    assert accepted.total() - len(accepted) <= killed
