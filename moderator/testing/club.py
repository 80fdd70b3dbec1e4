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
from typing import Any
from unittest.mock import patch

from moderator.common.enums import BoardForm
from moderator.common.errors import OperatorError
from moderator.conformance.subject import CODE, TEXT, GameSubject, with_seat_to_move
from moderator.delivery.deliver import open_delivering_work
from moderator.mail.maildir import deliver_to_maildir
from moderator.rules import shuffling
from moderator.rules.game import Shuffle, View, view_for
from moderator.rules.words import WordList
from moderator.run.tick import run_tick
from moderator.service.create import add_player, create_match
from moderator.service.match.start import start_match
from moderator.settings import Config, load_config
from moderator.store import due_work, matches
from moderator.store.database import open_engine, open_store, translate_database_errors
from moderator.store.schema import migrate_database
from moderator.store.tables import KeyValue, MatchRow
from moderator.views.loaded_match import LiveMatch
from moderator.views.match_cache import MatchCache
from moderator.views.unit_of_work import UnitOfWork
from moderator.words.build.sources import build_lexicon

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
class SentMail:
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
    def message(self) -> EmailMessage:
        made = email.message_from_bytes(self.raw, policy=email.policy.default)
        assert isinstance(made, EmailMessage)
        return made

    def get_body_part(self, kind: str) -> str:
        """Return its text or HTML; "" without."""
        found = self.message.get_body((kind,))
        return str(found.get_content()) if found else ""

    def list_files_of_kind(self, kind: str) -> list[bytes]:
        """Return the parts of that content type."""
        return [bytes(p.get_payload(decode=True)) for p in self.message.walk() if p.get_content_type() == kind]

    @property
    def description(self) -> str:
        return f"the mail {str(self.message['Subject'])!r} to seat {self.seat} ({self.language}), after {self.when}"


@dataclass
class SampleClub:
    """One match in a club of its own."""

    subject: GameSubject
    config: Config
    languages: Sequence[str]
    now: datetime = START
    mails: list[SentMail] = field(default_factory=list)
    read: set[str] = field(default_factory=set)
    sent: int = 0
    doing: str = "the deal"
    done: list[str] = field(default_factory=list)
    """All that has been done."""

    @contextmanager
    def open_unit_of_work(self) -> Iterator[UnitOfWork]:
        """Open a unit of work in a transaction."""
        store = open_store(self.config.database)
        try:
            with (
                store.begin_transaction() as session,
                open_delivering_work(self.config, session, self.now, MatchCache(self.config)) as work,
            ):
                yield work
        finally:
            store.close()

    @contextmanager
    def open_match(self) -> Iterator[tuple[UnitOfWork, MatchRow, LiveMatch]]:
        """Open the match as it is now."""
        with self.open_unit_of_work() as work:
            (row,) = matches.list_all_matches(work.session)
            yield work, row, work.cache.load_match(work.session, row)

    def pass_time(self, **span: float) -> None:
        """Let time pass, in which the mailbox was read."""
        self.now += timedelta(**span)
        due_work.record_poll_at(self.config.database, self.now)

    def run_and_collect(self, doing: str = "") -> None:
        """Run one tick and collect the mails that it made. Raises OperatorError for all that a run cannot handle."""
        self.doing = doing or self.doing
        self.done.append(self.doing)
        summary = run_tick(self.config, lambda: self.now)
        self._collect_mails()
        if summary.quarantined or summary.troubles:
            raise OperatorError(f"After {self.doing}: {'; '.join([*summary.quarantined, *summary.troubles])}")

    def _collect_mails(self) -> None:
        folder = self.config.resolve_path(self.config.maildir.outbox) / "new"
        for path in sorted(folder.glob("*"), key=lambda one: (one.stat().st_mtime_ns, one.name)):
            if path.name not in self.read:
                self.read.add(path.name)
                raw = path.read_bytes()
                to = str(email.message_from_bytes(raw, policy=email.policy.default)["To"])
                for seat, language in enumerate(self.languages):
                    if f"seat{seat}@" in to:
                        self.mails.append(SentMail(seat, language, raw, self.doing, self._find_view(seat)))

    def _find_view(self, seat: int) -> View[Any] | None:
        with self.open_match() as (_, _, live):
            state = live.table.state
            return None if state.over else view_for(with_seat_to_move(state, seat), seat)

    def deliver_seat_mail(self, seat: int, body: str) -> None:
        """Deliver a mail to the seat's own address."""
        with self.open_match() as (work, row, _):
            token = work.list_seated(row)[seat][0].token
        self.sent += 1
        mail = EmailMessage(policy=email.policy.SMTP)
        mail["From"], mail["To"] = f"seat{seat}@home.example", f"games+{CODE}-{token}@club.example"
        mail["Message-ID"] = f"<conformance-{self.sent}@home.example>"
        mail.set_content(body)
        file = deliver_to_maildir(self.config.resolve_path(self.config.maildir.inbox), mail.as_bytes())
        os.utime(file, (self.now.timestamp(), self.now.timestamp()))

    def deliver_and_run(self, seat: int, body: str, doing: str) -> None:
        """Deliver a mail to the seat's own address, and run a tick."""
        self.deliver_seat_mail(seat, body)
        self.pass_time(minutes=1)
        self.run_and_collect(doing)


@contextmanager
def open_sample_club(
    subject: GameSubject, pace: str, languages: Sequence[str], seed: bytes = bytes(32)
) -> Iterator[SampleClub]:
    """Open a club with one match that has been dealt. Codes and tokens come out the same each time."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="conformance-")))
        for one in _iter_fixed_draws():
            stack.enter_context(one)
        config = _create_club(folder, subject)
        count = subject.game.min_seats
        club = SampleClub(subject, config, [languages[seat % len(languages)] for seat in range(count)])
        _deal_match(club, pace, count, seed)
        club.run_and_collect()
        yield club


def _iter_fixed_draws() -> Iterator[Any]:
    numbers, others = itertools.count(1), itertools.count(1)
    yield patch("moderator.common.tokens.generate_match_code", lambda long=False: CODE)
    yield patch("moderator.common.tokens.generate_token", lambda: f"{next(numbers):010d}")
    yield patch("moderator.delivery.compose.secrets.token_hex", lambda size=8: f"{next(others):016d}")


def patch_shuffles(exchange: Callable[[Shuffle], Shuffle]) -> Any:
    """Replace, as long as it lasts, all shuffles by those that ``exchange`` makes of the real ones."""
    real = shuffling.build_shuffle
    return patch.object(shuffling, "build_shuffle", lambda *given: exchange(real(*given)))


def _create_club(folder: Path, subject: GameSubject) -> Config:
    file = folder / "moderator.toml"
    file.write_text(SETTINGS, encoding="utf-8")
    config = load_config(file)
    with translate_database_errors():
        engine = open_engine(config.database)
        try:
            migrate_database(engine)
        finally:
            engine.dispose()
    if subject.game.uses_words:
        listed = subject.words.words if isinstance(subject.words, WordList) else TEXT.split()
        (folder / "words.txt").write_text("\n".join(listed), encoding="utf-8")
        build_lexicon("de", [str(folder / "words.txt")], folder / "lexicons")
    return config


def _deal_match(club: SampleClub, pace: str, count: int, seed: bytes) -> None:
    boards = (BoardForm.PNG, BoardForm.TEXT, BoardForm.TABLE)
    with club.open_unit_of_work() as work:
        work.session.add(KeyValue(key="secret", value="5ec2e7" * 10))
        seated = []
        for seat in range(count):
            name = NAMES[seat] if seat < len(NAMES) else f"Player {seat}"
            language, board = club.languages[seat], boards[seat % len(boards)]
            address = f"seat{seat}@home.example"
            seated.append(add_player(work.session, name, address, club.now, language=language, board=board))
        options = {**club.subject.settings, "pace": pace}
        start_match(work, create_match(work, club.subject.key, "Arratia", seated, options), seed=seed)
