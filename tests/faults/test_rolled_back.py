"""A mail's transaction fails, after each step of each command, and the next mails of the same run are handled as if
that mail had never come: nothing that it put into memory stays.

The steps of a command are all that it runs through, each statement and each function of ours that returns, found by
running it once; none is picked by hand.
"""

from __future__ import annotations

import dataclasses
import email
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache, lru_cache
from inspect import CO_GENERATOR
from pathlib import Path
from types import FrameType
from typing import Any

import jinja2
import pytest
from sqlalchemy import event
from sqlalchemy import text as sql
from sqlalchemy.engine import Engine
from sqlalchemy.exc import IntegrityError
from sqlmodel import SQLModel, col, select

import moderator
from moderator.club.run_cache import RunCache
from moderator.club.tokens import moderator_token
from moderator.commands import declaration
from moderator.commands.declaration import find, find_of_moderator
from moderator.mail.model import RawMail
from moderator.pages import mail as rendering
from moderator.run import handling
from moderator.run.handling import Handling
from moderator.run.intake import Summary, store_mails
from moderator.store import db
from moderator.store.db import open_store
from moderator.store.models import Inbox, Leave, Letter
from tests.club import pair_scenes
from tests.club.club import Club, copied, make_club
from tests.club.test_pairs import FILES, Prepared, Secrets, fix, named, read, send

pytestmark = pytest.mark.sqlite
PACKAGE = str(Path(moderator.__file__).parent)
PURE = tuple(f"{PACKAGE}/{name}/" for name in ("games", "pages", "site", "tournaments"))
"""What is worked out there from what it is given; nothing is looked up, written or kept."""
Step = tuple[str, str]
"""The function that returned and who called it, or "sql" and the statement's beginning."""
Moment = tuple[Step, int]
"""A step, and how often it has been done by then."""
NEVER: Moment = (("", ""), 0)
DEEP = 6
"""So far into a run's cache it is looked for changes: its matches, their tables, the orders on those."""
PLAIN = {str, int, bool, type(None)}
READING = ("SELECT", "SAVEPOINT", "RELEASE")
"""How statements begin that change no row."""
WITHOUT = {"outbox": {"id", "message_id"}, "seat": {"thread"}}
"""Columns that differ from run to run: numbers, Message-IDs."""


class Injected(Exception):
    """What fails."""


@dataclass
class Steps:
    """Watches the steps between the beginning of a mail's transaction and its commit; fails at ``fatal``.

    A failure is the same one at every step until something is changed that it could leave behind: a row, or what the
    run's cache holds. ``telling`` are the first moments at which something is another than before. What only reads
    changes no row.
    """

    fatal: Moment | None = None
    seen: Counter[Step] = field(default_factory=Counter)
    telling: list[Moment] = field(default_factory=list)
    cache: RunCache | None = None
    """Of the desk at work; None = nobody is."""
    before: Held | None = None

    def step(self, step: Step, telling: bool) -> None:
        self.seen[step] += 1
        moment = step, self.seen[step]
        if telling:
            self.telling.append(moment)
        if moment == self.fatal:
            self.cache = None
            sys.setprofile(None)
            raise Injected(f"after {step}")

    def profile(self, frame: FrameType, kind: str, _argument: Any) -> None:
        code = frame.f_code
        name = code.co_filename
        # A generator may be closed by whoever collects the garbage: nothing can fail there.
        if kind != "return" or self.cache is None or code.co_flags & CO_GENERATOR:
            return
        if not name.startswith(PACKAGE) or name.startswith(PURE):
            return
        caller = frame.f_back.f_code.co_qualname if frame.f_back else ""
        self.step((code.co_qualname, caller), self._holds_another())

    def statement(self, _connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        if self.cache is not None:
            reads = statement.split()[0].upper() in READING
            self.step(("sql", " ".join(statement.split())[:120]), self._holds_another() or not reads)

    def _holds_another(self) -> bool:
        """Whether the cache holds something else than at the step before."""
        if self.fatal is not None or self.cache is None:
            return False
        held = Held(self.cache)
        changed, self.before = held != self.before, held
        return changed


@lru_cache
def _names(kind: type) -> tuple[str, ...] | None:
    """Of the fields of a dataclass; None for what is none."""
    return tuple(each.name for each in fields(kind)) if is_dataclass(kind) else None


class Held:
    """What a run's cache holds at one moment: the same as at another if it is built the same of the same objects."""

    def __init__(self, cache: RunCache) -> None:
        self.values: list[object] = []
        """Kept, so that no other object gets the number of one of them."""
        self.form = tuple(
            self._form(value, 0) for name, value in vars(cache).items() if name not in ("config", "session")
        )

    def _form(self, value: Any, depth: int) -> Any:
        kind = type(value)
        if kind in PLAIN:
            return value
        if depth < DEEP:
            deeper = depth + 1
            if isinstance(value, dict):
                return tuple([(key, self._form(each, deeper)) for key, each in value.items()])
            if isinstance(value, list | tuple):
                return tuple([self._form(each, deeper) for each in value])
            if isinstance(value, set | frozenset):
                return frozenset(value)
            if (names := _names(kind)) is not None:
                return tuple([self._form(getattr(value, name), deeper) for name in names])
        if isinstance(value, str | int):
            return value
        self.values.append(value)
        return id(value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Held) and self.form == other.form

    __hash__ = None  # type: ignore[assignment]


@contextmanager
def failing(steps: Steps | None, begin: Callable[[Any], None]) -> Iterator[None]:
    """Every mail's work goes past ``steps``, if there are any; ``begin`` is called before it with its desk."""
    act = handling._act

    def watched(desk: Any) -> None:
        begin(desk)
        if steps is None:
            return act(desk)
        steps.cache = desk.cache
        sys.setprofile(steps.profile)
        try:
            act(desk)
            desk.session.flush()
        finally:
            sys.setprofile(None)
            steps.cache = None
        return None

    handling._act = watched
    counted = steps.statement if steps else _nothing
    event.listen(Engine, "after_cursor_execute", counted)
    try:
        yield
    finally:
        event.remove(Engine, "after_cursor_execute", counted)
        handling._act = act


def _nothing(*_more: Any) -> None:
    """Of no interest."""


def _hurry(connection: Any, _record: Any) -> None:
    """The disk is not waited for: nobody dies here."""
    connection.execute("PRAGMA synchronous=OFF")


def handle(
    club: Club, model: Path, mails: Sequence[bytes], steps: Steps | None, begin: Callable[[Any], None]
) -> tuple[str, dict[str, Any]]:
    """Handle the mails in one process; the first one fails at ``steps``, or (None) is left out. Returns the state of
    the first one, and the database afterwards without what that mail, and the word about it, have left."""
    place = Path(club.config.database)
    for ending in ("-wal", "-shm"):
        place.with_name(place.name + ending).unlink(missing_ok=True)
    club.config.path(club.config.words.house).unlink(missing_ok=True)
    shutil.copyfile(model, place)
    store = open_store(place)
    if not event.contains(store.engine, "connect", _hurry):
        event.listen(store.engine, "connect", _hurry)
    try:
        store_mails(store, [RawMail(f"m{n}", raw, club.now, len(raw)) for n, raw in enumerate(mails)], club.now)
        with store.transaction() as session:
            first = min(session.exec(select(Inbox.id).where(Inbox.state == "received")).all())
            row = session.get_one(Inbox, first)
            row.state = "received" if steps else "dropped"
        cache, summary = RunCache(club.config), Summary()
        loop = Handling(club.config, store, cache, club.clock, summary)
        if steps:
            with failing(steps, begin):
                loop.step()
        with failing(None, begin):
            loop.rest()
        with store.transaction() as session:
            state = session.get_one(Inbox, first).state
            return state, _dump(session, first)
    finally:
        store.close()


def _dump(session: Any, first: int) -> dict[str, Any]:
    """Table -> rows, as texts; "letters" -> what each mail says."""
    letters = {row.outbox_id: _said(row.raw) for row in session.exec(select(Letter).order_by(col(Letter.outbox_id)))}
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

    def run(self, steps: Steps | None, alone: bool = False) -> tuple[str, Any]:
        """The mails or, ``alone``, the first of them; each has tokens and codes of its own, whatever others used."""
        with pytest.MonkeyPatch.context() as patch:
            now = replace(self.secrets)
            fix(patch, now)
            patch.setattr(rendering, "_template", _text_alone(rendering._template))

            def begin(desk: Any) -> None:
                now.tokens, now.codes = 1000 * desk.mail.id, self.secrets.codes

            return handle(self.club, self.model, self.mails[:1] if alone else self.mails, steps, begin)

    def moments(self) -> list[Moment]:
        """Those in the first mail's transaction at which a failure could leave something else behind than before."""
        counted = Steps()
        self.run(Steps(NEVER), alone=True)  # what is worked out once in a process is no step
        state, _ = self.run(counted, alone=True)
        assert state != "quarantine", "it fails by itself"
        return counted.telling


def _text_alone(template: Callable[[str], Any]) -> Callable[[str], Any]:
    """Mails without their HTML: it looks only, nobody compares it here, and it takes a third of the time."""
    blank = jinja2.Template("")
    return lambda name: blank if name.endswith(".html.j2") else template(name)


class Cases:
    """Clubs that were set up once for each scene."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.empty = make_club(folder / "empty", kept=True)
        self.prepared = cache(self._prepared)

    def _prepared(self, scene: str) -> Prepared:
        club, secrets = copied(self.empty, self.folder / scene), Secrets()
        with pytest.MonkeyPatch.context() as patch:
            fix(patch, secrets)
            made = pair_scenes.SCENES[scene](club)
            with club.desk() as desk:
                moderator_token(desk.session)  # made once, be it by the word about a mail that failed
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
            with club.desk() as desk:
                boss = f"games+BOSS-{moderator_token(desk.session)}@club.example"
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
        if live is not None and name in seats and seats.index(name) in live.awaited:
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
    """What differs after a failure from a run without the mail that failed."""
    wrong = []
    _, expected = case.run(None)
    for moment in case.moments():
        state, found = case.run(Steps(moment))
        if state != "quarantine":  # caught on the way, as a failure of that one thing
            continue
        wrong += [
            f"{moment}: {table}: {[row for row in rows if row not in expected[table]]} instead of "
            f"{[row for row in expected[table] if row not in rows]}"
            for table, rows in found.items()
            if rows != expected[table]
        ]
    return wrong


PAIRS = list({named(file).rpartition(".")[0]: file for file in FILES}.values())
"""One language of each: that of the sentences is no step."""


@pytest.mark.matrix("rolled-back commands", seconds=2)
@pytest.mark.parametrize("file", PAIRS, ids=named)
def test_a_mail_that_fails_at_any_step_leaves_nothing_in_memory(cases: Cases, file: Path) -> None:
    assert differences(cases.of(file)) == []


@pytest.mark.slow
def test_what_stays_in_memory_is_found(cases: Cases, monkeypatch: pytest.MonkeyPatch) -> None:
    """If nothing were dropped, the moments that are tried would show it."""
    monkeypatch.setattr(RunCache, "rolled_back", lambda cache: None)
    assert differences(cases.of(next(file for file in PAIRS if named(file).startswith("leave/announce."))))


def test_every_command_has_a_pair_whose_mail_can_fail() -> None:
    players, boss = set(), set()
    for file in FILES:
        _, mail, _ = read(file)
        for line in mail.splitlines():
            players |= {found[0].name} if (found := find(line)) else set()
            boss |= {found[0].name} if (found := find_of_moderator(line)) else set()
    assert players >= declaration.players().keys()
    assert boss >= declaration.moderators().keys()


# ---- the mechanism ----


def test_whatever_a_shelf_holds_is_dropped_and_only_the_rest_stays(tmp_path: Path) -> None:
    """A cache that somebody adds is dropped, too; a field that stays is named."""
    club = make_club(tmp_path / "club")
    cache = RunCache(club.config)
    empty = {each.name: getattr(cache, each.name) for each in dataclasses.fields(cache)}

    def fill() -> None:
        with club_store(club).transaction() as session:
            cache.used_in(session)
            for name in empty:
                setattr(cache, name, name)
            raise Injected

    with pytest.raises(Injected):
        fill()
    assert {name: value for name, value in vars(cache).items() if value != empty[name]} == {
        name: name for name in ("config", "catching_up", "session", "turns_left", "review_spent", "bots")
    }


def club_store(club: Club) -> Any:
    return open_store(club.config.database)


def test_a_commit_that_fails_drops_it_as_well(tmp_path: Path) -> None:
    club = make_club(tmp_path / "club")
    store, cache, done = club_store(club), RunCache(club.config), []

    def fail() -> None:
        with store.transaction() as session:
            cache.used_in(session)
            cache.replies["anna"] = 3
            db.afterwards(session, lambda store: done.append(1))
            session.connection().execute(sql("PRAGMA defer_foreign_keys=ON"))
            session.add(Leave(player_id=999, first=club.now.date(), last=club.now.date(), announced_at=club.now))

    with pytest.raises(IntegrityError):
        fail()
    assert (cache.replies, done) == ({}, [])


def test_a_savepoint_takes_back_what_was_noted_and_asked_for_within_it(tmp_path: Path) -> None:
    club = make_club(tmp_path / "club")
    store, cache, done = club_store(club), RunCache(club.config), []
    first, second, third = (lambda store, n=n: done.append(n) for n in (1, 2, 3))
    with store.transaction() as session:
        cache.used_in(session)
        db.afterwards(session, first)
        point = session.begin_nested()
        db.afterwards(session, second)
        db.notes(session)["locked"] = {7}
        cache.replies["anna"] = 3
        point.rollback()
        assert (db.notes(session), cache.replies) == ({}, {})
        db.afterwards(session, third)
        assert done == []
    assert done == [1, 3]


def test_savepoints_are_made_and_caches_emptied_in_one_place() -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in Path(PACKAGE).rglob("*.py")}
    assert [path.name for path, source in sources.items() if "begin_nested" in source] == ["desk.py"]
    assert [path for path, source in sources.items() if "matches.clear" in source or "house.append" in source] == [
        Path(PACKAGE) / "club" / "house_list.py"
    ]
