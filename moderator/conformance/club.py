"""A club in a folder that is gone afterwards: real mail files, a clock that is turned by hand, players whose names are
what nobody should be called."""

from __future__ import annotations

import email
import email.policy
import itertools
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from moderator.config import Config, load
from moderator.conformance.subject import CODE, TEXT, Subject, as_if
from moderator.errors import OperatorError
from moderator.match.contract import Shuffle, View, view_for
from moderator.states import BoardForm

if TYPE_CHECKING:
    from moderator.club.desk import Desk
    from moderator.club.live_match import LiveMatch
    from moderator.store.models import Match

START = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
NAMES = (
    'Ada <x-evil onload="1">&amp;',
    "Wilhelmine-Charlotte-von-Größenbrückstei",
    "{{ name }} {0} %s »C«",
    'Zoë "Quote" O\'Hara',
)
"""Of the players; more of them have numbers."""
SETTINGS = """\
[club]
name = "Conformance"
moderator = "boss@club.example"
backup_days = 0
[mail]
address = "games@club.example"
transport = "maildir"
[review]
seconds_per_tick = 0
"""


@dataclass(frozen=True)
class Mail:
    """A mail that has left."""

    seat: int
    """Of its reader."""
    language: str
    raw: bytes
    when: str
    """What had been done before."""
    view: View[Any] | None = None
    """What its reader saw then, were it their turn; None behind the end."""

    @property
    def parsed(self) -> EmailMessage:
        made = email.message_from_bytes(self.raw, policy=email.policy.default)
        assert isinstance(made, EmailMessage)
        return made

    def part(self, kind: str) -> str:
        """The text or HTML of it; "" without."""
        found = self.parsed.get_body((kind,))
        return str(found.get_content()) if found else ""

    def files(self, kind: str) -> list[bytes]:
        """The parts of that content type."""
        return [bytes(p.get_payload(decode=True)) for p in self.parsed.walk() if p.get_content_type() == kind]

    @property
    def where(self) -> str:
        return f"the mail {str(self.parsed['Subject'])!r} to seat {self.seat} ({self.language}), after {self.when}"


@dataclass
class Club:
    """One match in a club of its own."""

    subject: Subject
    config: Config
    languages: Sequence[str]
    now: datetime = START
    mails: list[Mail] = field(default_factory=list)
    read: set[str] = field(default_factory=set)
    sent: int = 0
    doing: str = "the deal"
    done: list[str] = field(default_factory=list)
    """All that has been done, as ``Mail.when`` says it."""

    @contextmanager
    def desk(self) -> Iterator[Desk]:
        """A desk in a transaction."""
        from moderator.club.desk import Desk
        from moderator.club.run_cache import RunCache
        from moderator.store.db import open_store

        store = open_store(self.config.database)
        try:
            with store.transaction() as session:
                yield Desk(self.config, session, self.now, RunCache(self.config))
        finally:
            store.close()

    @contextmanager
    def match(self) -> Iterator[tuple[Desk, Match, LiveMatch]]:
        """The match as it stands."""
        from moderator.store import matches

        with self.desk() as desk:
            (row,) = matches.every(desk.session)
            yield desk, row, desk.cache.live(desk.session, row)

    def wait(self, **span: float) -> None:
        """Let time pass, in which the mailbox was read."""
        from moderator.store import probe

        self.now += timedelta(**span)
        probe.polled(self.config.database, self.now)

    def tick(self, doing: str = "") -> None:
        """One run, and the mails that it made. Raises OperatorError for what a run cannot handle."""
        from moderator.run.tick import tick

        self.doing = doing or self.doing
        self.done.append(self.doing)
        summary = tick(self.config, lambda: self.now)
        self._collect()
        if summary.quarantined or summary.troubles:
            raise OperatorError(f"After {self.doing}: {'; '.join([*summary.quarantined, *summary.troubles])}")

    def _collect(self) -> None:
        folder = self.config.path(self.config.maildir.outbox) / "new"
        for path in sorted(folder.glob("*"), key=lambda one: (one.stat().st_mtime_ns, one.name)):
            if path.name not in self.read:
                self.read.add(path.name)
                raw = path.read_bytes()
                to = str(email.message_from_bytes(raw, policy=email.policy.default)["To"])
                for seat, language in enumerate(self.languages):
                    if f"seat{seat}@" in to:
                        self.mails.append(Mail(seat, language, raw, self.doing, self._view(seat)))

    def _view(self, seat: int) -> View[Any] | None:
        with self.match() as (_, _, live):
            state = live.table.state
            return None if state.over else view_for(as_if(state, seat), seat)

    def write(self, seat: int, body: str) -> None:
        """A mail to the seat's own address."""
        from moderator.mail.maildir import deliver

        with self.match() as (desk, row, _):
            token = desk.seated(row)[seat][0].token
        self.sent += 1
        mail = EmailMessage(policy=email.policy.SMTP)
        mail["From"], mail["To"] = f"seat{seat}@home.example", f"games+{CODE}-{token}@club.example"
        mail["Message-ID"] = f"<conformance-{self.sent}@home.example>"
        mail.set_content(body)
        file = deliver(self.config.path(self.config.maildir.inbox), mail.as_bytes())
        os.utime(file, (self.now.timestamp(), self.now.timestamp()))

    def order(self, seat: int, body: str, doing: str) -> None:
        """The same, and what comes of it."""
        self.write(seat, body)
        self.wait(minutes=1)
        self.tick(doing)


@contextmanager
def opened(
    subject: Subject, pace: str, languages: Sequence[str], seed: bytes = bytes(32), seats: int = 0
) -> Iterator[Club]:
    """A club with one match that has been dealt. Codes and tokens come out the same each time."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="conformance-")))
        for one in _always_the_same():
            stack.enter_context(one)
        config = _made(folder, subject)
        count = max(seats or subject.game.min_seats, subject.game.min_seats)
        club = Club(subject, config, [languages[seat % len(languages)] for seat in range(count)])
        _deal(club, pace, count, seed)
        club.tick()
        yield club


def _always_the_same() -> Iterator[Any]:
    numbers, others = itertools.count(1), itertools.count(1)
    yield patch("moderator.club.tokens.new_code", lambda long=False: CODE)
    yield patch("moderator.club.tokens.new_token", lambda: f"{next(numbers):010d}")
    yield patch("moderator.outbox.post.secrets.token_hex", lambda size=8: f"{next(others):016d}")


def shuffled(exchange: Callable[[Shuffle], Shuffle]) -> Any:
    """While it lasts, all shuffles are those that ``exchange`` makes of the real ones."""
    from moderator.match import rng

    real = rng.shuffler
    return patch.object(rng, "shuffler", lambda *given: exchange(real(*given)))


def _made(folder: Path, subject: Subject) -> Config:
    from moderator.store.db import open_engine, translated
    from moderator.store.schema import migrate
    from moderator.words.sources import build

    file = folder / "moderator.toml"
    file.write_text(SETTINGS, encoding="utf-8")
    config = load(file)
    with translated():
        engine = open_engine(config.database)
        try:
            migrate(engine)
        finally:
            engine.dispose()
    if subject.game.uses_words:
        (folder / "words.txt").write_text("\n".join(getattr(subject.words, "words", TEXT.split())), encoding="utf-8")
        build("de", [str(folder / "words.txt")], folder / "lexicons")
    return config


def _deal(club: Club, pace: str, count: int, seed: bytes) -> None:
    from moderator.play.create import add_player, new_match, start_match
    from moderator.store.models import KeyValue

    boards = (BoardForm.PNG, BoardForm.TEXT, BoardForm.TABLE)
    with club.desk() as desk:
        desk.session.add(KeyValue(key="secret", value="5ec2e7" * 10))
        seated = []
        for seat in range(count):
            name = NAMES[seat] if seat < len(NAMES) else f"Player {seat}"
            language, board = club.languages[seat], boards[seat % len(boards)]
            address = f"seat{seat}@home.example"
            seated.append(add_player(desk.session, name, address, club.now, language=language, board=board))
        options = {**club.subject.settings, "pace": pace}
        start_match(desk, new_match(desk, club.subject.key, "Arratia", seated, options), seed=seed)
