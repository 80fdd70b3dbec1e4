"""A mail's transaction fails, after each step of each command, and the next mails of the same run are handled as if
that mail had never come: nothing that it put into memory stays.

The steps of a command are all that its transaction writes, and the commit: whatever was put into memory on the way was
put there before one of them.
"""

import dataclasses
import email
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text as sql
from sqlalchemy.exc import IntegrityError
from sqlmodel import SQLModel, col, select

import moderator
from moderator.commands import declaration
from moderator.commands.declaration import find_command, find_staff_command
from moderator.common.mails import RawMail
from moderator.render import mail as rendering
from moderator.run import handle as handling
from moderator.run.fetch import save_mails
from moderator.run.handle import MailHandler
from moderator.store import database
from moderator.store.database import open_store
from moderator.store.key_values import ensure_moderator_token
from moderator.store.tables import InboxRow, Leave, OutboxBody
from moderator.views.match_cache import MatchCache
from tests.club import pair_scenes
from tests.club.club import Club, copied, make_club
from tests.club.test_pairs import FILES, Prepared, Secrets, fix, named, read, send
from tests.faults.injector import CHANGING, Plan, watching

pytestmark = pytest.mark.sqlite
PACKAGE = Path(moderator.__file__).parent
WITHOUT = {"outbox": {"id", "message_id"}, "seat": {"thread"}}
"""Columns that differ from run to run: numbers, Message-IDs."""


class Injected(Exception):
    """What fails."""


def fail(name: str) -> None:
    raise Injected(name)


@dataclass
class Work(Plan):
    """Counts what a mail's transaction writes, its commit included; fails at one of these."""

    act: Callable[[str], None] = fail
    active: bool = False

    def step(self, name: str) -> None:
        if self.active and name.startswith((*CHANGING, "COMMIT")):
            self.active = name != "COMMIT"
            super().step(name)


def handle(
    club: Club, model: Path, mails: Sequence[bytes], plan: Work | None, begin: Callable[[Any], None]
) -> tuple[str, dict[str, Any]]:
    """Handle the mails in one process; the first one fails in ``plan``, or (None) is left out. ``begin`` is called
    before each with its unit of work. Returns the state of the first one, and the database afterwards without what that
    mail, and the word about it, have left."""
    place = Path(club.config.database)
    for ending in ("-wal", "-shm"):
        place.with_name(place.name + ending).unlink(missing_ok=True)
    club.config.resolve_path(club.config.words.house).unlink(missing_ok=True)
    shutil.copyfile(model, place)
    act = handling._handle_or_quarantine

    def watched(work: Any) -> None:
        begin(work)
        if plan is None or work.mail.id != first:
            return act(work)
        plan.active = True
        try:
            return act(work)
        except BaseException:
            plan.active = False
            raise

    with pytest.MonkeyPatch.context() as patched, watching(club.folder, plan or Plan()):
        patched.setattr(handling, "_handle_or_quarantine", watched)
        store = open_store(place)
        save_mails(store, [RawMail(f"m{n}", raw, club.now, len(raw)) for n, raw in enumerate(mails)], club.now)
        with store.begin_transaction() as session:
            first = min(session.exec(select(InboxRow.id).where(InboxRow.state == "received")).all())
            session.get_one(InboxRow, first).state = "received" if plan else "dropped"
        MailHandler(club.context(store)).handle_rest()
        with store.begin_transaction() as session:
            found = session.get_one(InboxRow, first).state, _dump(session, first)
        store.close()
    return found


def _dump(session: Any, first: int) -> dict[str, Any]:
    """Table -> rows, as texts; "letters" -> what each mail says."""
    letters = {
        row.outbox_id: _said(row.raw) for row in session.exec(select(OutboxBody).order_by(col(OutboxBody.outbox_id)))
    }
    about_it = {number for number, (_, _, said) in letters.items() if Injected.__name__ in said}
    gone = {"inbox": {first}, "outbox": about_it, "letter": set(letters)}
    found: dict[str, Any] = {"letters": [said for number, said in letters.items() if number not in about_it]}
    for table in SQLModel.metadata.sorted_tables:
        rows = session.connection().execute(select(table).order_by(*table.primary_key)).mappings()
        away, without = gone.get(table.name, set()), WITHOUT.get(table.name, set())
        found[table.name] = [
            {name: str(value) for name, value in row.items() if name not in without}
            for row in rows
            if next(iter(row.values())) not in away
        ]
    return found


def _said(raw: bytes) -> tuple[str, str, str]:
    """To whom, subject, text; the first two as they are written (the policy that decodes them takes ten times as
    long)."""
    mail = email.message_from_bytes(raw)
    text = next((part for part in mail.walk() if part.get_content_type() == "text/plain"), None)
    said = text.get_payload(decode=True) if text else b""
    assert isinstance(said, bytes)
    return mail["To"], mail["Subject"], said.decode()


# ---- the commands ----


@dataclass
class Case:
    """A pair of tests/pairs: the mail that fails, and those that come after it."""

    club: Club
    model: Path
    """The database before any of them."""
    mails: Sequence[bytes]
    secrets: Secrets

    def run(self, plan: Work | None, alone: bool = False) -> tuple[str, Any]:
        """The mails or, ``alone``, the first of them; each has tokens and codes of its own, whatever others used."""
        with pytest.MonkeyPatch.context() as patch:
            now = replace(self.secrets)
            fix(patch, now)
            # The HTML looks only, nobody compares it here, and it takes a third of the time.
            patch.setattr(rendering, "_render_html", lambda document: "")

            def begin(work: Any) -> None:
                now.tokens, now.codes = 1000 * work.mail.id, self.secrets.codes

            return handle(self.club, self.model, self.mails[:1] if alone else self.mails, plan, begin)

    def steps(self) -> list[str]:
        counted = Work()
        state, _ = self.run(counted, alone=True)
        assert state != "quarantine", "it fails by itself"
        return counted.names


class Cases:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.empty = make_club(folder / "empty", kept=True)
        self.prepared = cache(self._prepared)

    def _prepared(self, scene: str) -> Prepared:
        club, secrets = copied(self.empty, self.folder / scene), Secrets()
        with pytest.MonkeyPatch.context() as patch:
            fix(patch, secrets)
            made = pair_scenes.SCENES[scene](club)
            with club.work() as work:
                ensure_moderator_token(work.session)  # made once, be it by the word about a mail that failed
        shutil.copyfile(club.config.database, self.folder / f"{scene}.sqlite")
        return Prepared(club, made, secrets)

    def of(self, file: Path) -> Case:
        headers, mail, _ = read(file)
        before = self.prepared(headers["scene"])
        model, club, sent = self.folder / f"{headers['scene']}.sqlite", before.club, []
        for ending in ("", "-wal", "-shm"):
            club.config.database.with_name(club.config.database.name + ending).unlink(missing_ok=True)
        shutil.copyfile(model, club.config.database)
        write = type(club).write
        club.write = lambda *a, **more: sent.append(write(club, *a, **more))
        try:
            send(club, before.scene, headers, mail)
            for name, next_mail in _next(club, before.scene, headers["from"]):
                to = "seat" if name in before.scene.get("seats", ()) else "plain"
                send(club, before.scene, {"from": name, "to": to}, next_mail)
            with club.work() as work:
                boss = f"games+BOSS-{ensure_moderator_token(work.session)}@club.example"
            send(club, {"boss": boss}, {"from": "boss@club.example", "to": "boss"}, _boss(club, before.scene))
        finally:
            del club.write
        return Case(club, model, sent, before.secrets)


def _next(club: Club, scene: dict[str, Any], first: str) -> Iterator[tuple[str, str]]:
    """What the others write: who is to move a word from the rack; everybody asks how things stand and who is away."""
    live = club.live(scene["code"]) if scene.get("code") and club.row(scene["code"]).status == "running" else None
    seats = scene.get("seats", ())
    for name in [one for one in ("Bert", "Anna") if one != first]:
        asks = "STAND\nURLAUB\nLISTE\n" if name in seats else "LISTE\nURLAUB\n"
        if live is not None and name in seats and seats.index(name) in live.seats_to_act:
            hand = "".join(map(str, live.table.state.hand(seats.index(name))[:3])) if live.game.uses_words else ""
            yield name, f"E5 w {hand}; sonst passe\n" if hand else "passe\n"
        yield name, asks


def _boss(club: Club, scene: dict[str, Any]) -> str:
    """The moderator ends the turn, by which a new deadline is set."""
    code = scene.get("code")
    if not code or club.row(code).status != "running":
        return "Wer fehlt\n"
    round_ = club.live(code).table.state.public.round
    return f"Wer fehlt\nProbeauswertung {code}\nAuswerten {code} R{round_}!\nStand {code}\n"


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Cases:
    return Cases(tmp_path_factory.mktemp("scenes"))


def differences(case: Case) -> list[str]:
    """What differs after a failure at each step from a run without the mail that failed."""
    wrong = []
    _, expected = case.run(None)
    for number, step in enumerate(case.steps(), 1):
        state, found = case.run(Work(number))
        if state != "quarantine":  # caught on the way, as a failure of that one thing
            continue
        wrong += [
            f"{step}: {table}: {[row for row in rows if row not in expected[table]]} instead of "
            f"{[row for row in expected[table] if row not in rows]}"
            for table, rows in found.items()
            if rows != expected[table]
        ]
    return wrong


PAIRS = list({named(file).rpartition(".")[0]: file for file in FILES}.values())
"""One language of each: that of the sentences is no step."""


@pytest.mark.matrix("rolled-back commands", seconds=1.5)
@pytest.mark.parametrize("file", PAIRS, ids=named)
def test_a_mail_that_fails_at_any_step_leaves_nothing_in_memory(cases: Cases, file: Path) -> None:
    assert differences(cases.of(file)) == []


def test_every_command_has_a_pair_whose_mail_can_fail() -> None:
    players, boss = set(), set()
    for file in FILES:
        _, mail, _ = read(file)
        for line in mail.splitlines():
            players |= {found[0].name} if (found := find_command(line)) else set()
            boss |= {found[0].name} if (found := find_staff_command(line)) else set()
    assert players >= declaration.get_player_commands().keys()
    assert boss >= declaration.get_staff_commands().keys()


# ---- the mechanism ----


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[tuple[database.Store, MatchCache]]:
    club = make_club(tmp_path / "club")
    store = open_store(club.config.database)
    yield store, MatchCache(club.config)
    store.close()


def test_whatever_a_shelf_holds_is_dropped_and_only_the_rest_stays(memory: tuple[database.Store, MatchCache]) -> None:
    """A cache that somebody adds is dropped, too; a field that stays is named."""
    store, cache = memory
    empty = {each.name: getattr(cache, each.name) for each in dataclasses.fields(cache)}

    def fill() -> None:
        with store.begin_transaction() as session:
            cache.attach(session)
            for name in empty:
                setattr(cache, name, name)
            raise Injected

    with pytest.raises(Injected):
        fill()
    assert {name: value for name, value in vars(cache).items() if value != empty[name]} == {
        name: name for name in ("config", "catching_up", "session", "turns_left", "review_spent", "bots")
    }


def test_a_commit_that_fails_drops_it_as_well(memory: tuple[database.Store, MatchCache]) -> None:
    (store, cache), done, day = memory, [], datetime(2026, 11, 20, tzinfo=UTC)

    def fail() -> None:
        with store.begin_transaction() as session:
            cache.attach(session)
            cache.replies["anna"] = 3
            database.on_commit(session, lambda store: done.append(1))
            session.connection().execute(sql("PRAGMA defer_foreign_keys=ON"))
            session.add(Leave(player_id=999, first=day.date(), last=day.date(), announced_at=day))

    with pytest.raises(IntegrityError):
        fail()
    assert (cache.replies, done) == ({}, [])


def test_a_savepoint_takes_back_what_was_noted_and_asked_for_within_it(
    memory: tuple[database.Store, MatchCache],
) -> None:
    (store, cache), done = memory, []
    first, second, third = (lambda store, n=n: done.append(n) for n in (1, 2, 3))
    with store.begin_transaction() as session:
        cache.attach(session)
        database.on_commit(session, first)
        point = session.begin_nested()
        database.on_commit(session, second)
        database.transaction_notes(session)["locked"] = {7}
        cache.replies["anna"] = 3
        point.rollback()
        assert (database.transaction_notes(session), cache.replies) == ({}, {})
        database.on_commit(session, third)
        assert done == []
    assert done == [1, 3]


def test_savepoints_are_made_and_caches_emptied_in_one_place() -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    assert [path.name for path, source in sources.items() if "begin_nested" in source] == ["unit_of_work.py"]
    appending = [path.name for path, source in sources.items() if "append_ruling(" in source]
    assert set(appending) == {"house_rulings.py", "match_cache.py", "words.py"}  # the last is the shell's
    assert not any("matches.clear" in source for source in sources.values())
