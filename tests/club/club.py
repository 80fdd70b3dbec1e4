"""A small club for tests: real mail files in a Maildir, a small dictionary, and a clock that tests turn by hand."""

import atexit
import email
import filecmp
import os
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from functools import lru_cache, wraps
from itertools import islice, permutations
from pathlib import Path
from typing import Any, TypeVar

from sqlmodel import select

from moderator.cli.init import create_database
from moderator.common.enums import BoardForm
from moderator.delivery.deliver import open_delivering_work
from moderator.games import load_game as load_game
from moderator.mail.maildir import deliver_to_maildir
from moderator.rules.game import FIRST
from moderator.rules.replay import LogEntry
from moderator.run.context import RunContext
from moderator.run.log import RunSummary
from moderator.run.tick import run_tick
from moderator.service.create import add_player, create_match, get_match, get_player
from moderator.service.match.start import start_match
from moderator.settings import Config, StoreSettings, load_config
from moderator.store import due_work
from moderator.store.database import Store, open_store
from moderator.store.schema import HEAD
from moderator.store.tables import KeyValue, MatchRow
from moderator.views.loaded_match import LiveMatch, build_match_context, load_log_entries, load_match_rules
from moderator.views.match_cache import MatchCache
from moderator.views.unit_of_work import UnitOfWork
from moderator.words.build.sources import build_lexicon
from moderator.words.dictionary import Dictionary
from tests import machine
from tests.helpers import READ, WRITE
from tests.servers import postgres

HEAD_ENDS = re.compile(rb"\r?\n\r?\n")
Made = TypeVar("Made")
When = datetime | None
GAMES = "games@club.example"
START = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
WORDS = (Path(__file__).parent / "words.txt").read_text(encoding="utf-8").split()
CONFIG = """\
[review]
seconds_per_tick = 0
[club]
name = "Testrunde"
moderator = "boss@club.example"
backup_days = 0
[mail]
address = "games@club.example"
transport = "maildir"
authserv_id = "mx.club.example"
{mail}
"""


def first_begins(game: str) -> dict[str, Any]:
    """The option by which the first seat begins, where the rules name nobody: most tests are not about lots."""
    return {FIRST: "seat"} if hasattr(load_game(game).options(), FIRST) else {}


@dataclass
class Club:
    folder: Path
    config: Config
    now: datetime = START
    read: set[str] = field(default_factory=set)
    sent: int = 0
    begun: bool = False
    """By a fixture that is ``taken_once``."""

    def __post_init__(self) -> None:
        machine.keep_clock(self.config.file.parent, self)

    def clock(self) -> datetime:
        return self.now

    def wait(self, *, away: bool = False, **span: float) -> None:
        """Let time pass. The mailbox was read all the while (with nothing in it), unless ``away``."""
        self.now += timedelta(**span)
        if not away:
            due_work.record_poll_at(self.config.database, self.now)

    def context(self, store: Store, cache: MatchCache | None = None) -> RunContext:
        """For a run on that database, step by step."""
        return RunContext(self.config, store, cache or MatchCache(self.config), self.clock, RunSummary())

    def tick(self) -> RunSummary:
        return run_tick(self.config, self.clock)

    def tick_unread(self) -> None:
        """A run after which nobody reads what has been mailed so far."""
        self.tick()
        self.skip_mails()

    @contextmanager
    def work(self) -> Iterator[UnitOfWork]:
        """A unit of work in a transaction. Which version the database is of is not asked anew: that took longer than
        opening it."""
        store = open_store(self.config.database, HEAD)
        try:
            with (
                store.begin_transaction() as session,
                open_delivering_work(self.config, session, self.now, MatchCache(self.config)) as work,
            ):
                yield work
        finally:
            store.close()

    def players(self, *names: str, board: BoardForm = BoardForm.TEXT, **languages: str) -> None:
        """Enter players as name@home.example; a name that begins with R2 is a robot. Without other words they get no
        pictures, which take most of a test's time."""
        with self.work() as work:
            for name in names:
                address = None if name.startswith("R2") else f"{name.lower()}@home.example"
                made = add_player(work.session, name, address, self.now, language=languages.get(name, "de"))
                made.board = board

    def match(
        self,
        *names: str,
        game: str = "topwords",
        early: bool = False,
        seed: Callable[[MatchRow], bytes] | None = None,
        terms: dict[str, Any] | None = None,
        **options: Any,
    ) -> str:
        """Set up and deal a match; returns its code. Without ``seed`` it is dealt words, or from 00 … 00. Where the
        rules name nobody the first of ``names`` begins, so that a test knows who it is."""
        options = first_begins(game) | options
        with self.work() as work:
            seats = [get_player(work.session, name) for name in names]
            match = create_match(work, game, "Arratia", seats, options, early=early, terms=terms)
            kind = self._kind_seed(match, len(names)) if game == "topwords" else bytes(32)
            start_match(work, match, seed=seed(match) if seed else kind)
            return match.code

    def start(self, *names: str, **how: Any) -> str:
        """A match whose first mails are out; returns its code."""
        code = self.match(*names, **how)
        self.tick()
        return code

    def _kind_seed(self, match: MatchRow, seats: int) -> bytes:
        """A seed that deals every seat some words of the small dictionary."""
        game, options = load_match_rules(match)
        words = _playable(self.dictionary(options))
        for number in range(10_000):
            seed = number.to_bytes(32, "big")
            match.seed = seed.hex()
            hands = game.setup(seats, options, build_match_context(match)).state.hands
            if all(_lays_three(words, hand) for hand in hands):
                return seed
        raise AssertionError("the dictionary is too small")

    def dictionary(self, options: Any, code: str = "") -> Dictionary:
        """As the program would open it now; the same for all clubs with the same words and no rulings."""
        config, fresh = self.config, _fresh(tuple((self.folder / "words.txt").read_text(encoding="utf-8").split("\n")))
        ruled = config.resolve_path(config.words.house).exists()
        if ruled or filecmp.dircmp(self.folder / "lexicons", fresh / "lexicons").diff_files:
            return MatchCache(config).get_dictionary(options, code)
        key = (fresh, repr(config.words))
        if key not in _CACHES:
            _CACHES[key] = MatchCache(replace(config))
            object.__setattr__(_CACHES[key].config, "file", fresh / config.file.name)
        return _CACHES[key].get_dictionary(options)

    def stored(self, what: Any) -> list[Any]:
        """All rows of a table, or what a statement finds."""
        with self.work() as work:
            return list(work.session.exec(select(what) if isinstance(what, type) else what))

    @contextmanager
    def at(self, code: str) -> Iterator[tuple[UnitOfWork, MatchRow]]:
        """A unit of work and the match, in a transaction."""
        with self.work() as work:
            yield work, get_match(work.session, code)

    def live(self, code: str) -> LiveMatch:
        with self.at(code) as (work, row):
            return work.cache.load_match(work.session, row)

    def log(self, code: str) -> list[LogEntry]:
        with self.at(code) as (work, match):
            return load_log_entries(work.session, match)

    def row(self, code: str) -> MatchRow:
        with self.at(code) as (_, match):
            return match

    def token(self, code: str, seat: int) -> str:
        with self.at(code) as (work, match):
            return work.list_seated(match)[seat][0].token

    def moves(self, code: str, seat: int) -> list[str]:
        """Legal moves of a seat, best first."""
        from moderator.rules.robots.choose import rank_moves

        live = self.live(code)
        words = self.dictionary(live.options, live.code) if live.game.uses_words else live.context.words
        return [text for text, _ in rank_moves(live.game, live.table.state, seat, replace(live.context, words=words))]

    def write(
        self, sender: str, body: str, *, to: str = GAMES, subject: str = "", at: When = None, **headers: str
    ) -> bytes:
        """Put a mail into the mailbox, which has come now, or ``at``. ``headers`` with _ for -."""
        self.sent += 1
        mail = EmailMessage(policy=WRITE)
        address = sender if "@" in sender else f"{sender.lower()}@home.example"
        mail["From"], mail["To"], mail["Subject"] = f"{sender.partition('@')[0]} <{address}>", to, subject
        for name, value in {"Message_ID": f"<test-{self.sent}@home.example>", **headers}.items():
            mail[name.replace("_", "-")] = value
        mail.set_content(body)
        data = mail.as_bytes()
        self.deliver(data, at or self.now)
        return data

    def deliver(self, data: bytes, at: datetime) -> None:
        """Put a mail that has come at that time into the mailbox."""
        file = deliver_to_maildir(self.config.resolve_path(self.config.maildir.inbox), data)
        os.utime(file, (at.timestamp(), at.timestamp()))

    def order(self, name: str, code: str, seat: int, body: str, at: When = None, **headers: str) -> bytes:
        """A mail to the seat's own address."""
        return self.write(name, body, to=f"games+{code}-{self.token(code, seat)}@club.example", at=at, **headers)

    def hand_in(self, name: str, code: str, seat: int, body: str, **headers: str) -> RunSummary:
        """A mail to the seat's own address, which is read at once."""
        self.order(name, code, seat, body, **headers)
        return self.tick()

    def say(self, sender: str, body: str, **headers: str) -> RunSummary:
        """A mail that is read at once."""
        self.write(sender, body, **headers)
        return self.tick()

    def let_pass(self, *, away: bool = False, **span: float) -> RunSummary:
        """Time passes, and the mailbox is read."""
        self.wait(away=away, **span)
        return self.tick()

    def mails(self, name: str = "") -> list[EmailMessage]:
        """New outgoing mails since the last call, to ``name`` or to anybody, oldest first."""
        folder = self.config.resolve_path(self.config.maildir.outbox) / "new"
        found = []
        for path in sorted(folder.glob("*"), key=lambda p: (p.stat().st_mtime_ns, p.name)):
            if path.name in self.read:
                continue
            data = path.read_bytes()
            if not name or name.lower() in str(parsed(HEAD_ENDS.split(data, maxsplit=1)[0])["To"]).lower():
                self.read.add(path.name)
                found.append(parsed(data))
        return found

    def skip_mails(self) -> None:
        """Leave all mails aside that have gone out so far."""
        self.read |= {path.name for path in (self.config.resolve_path(self.config.maildir.outbox) / "new").glob("*")}

    def mail(self, name: str) -> EmailMessage:
        """The one new mail to ``name``."""
        found = self.mails(name)
        assert len(found) == 1, [str(mail["Subject"]) for mail in found]
        return found[0]

    def copy(self, folder: Path) -> "Club":
        """The same club in another folder; files keep their times, by which mails are told."""
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)
        file = folder / "moderator.toml"
        config = self.config_at(file)
        if config.store.url:
            url = postgres.copied_database(config.store.url)
            file.write_text(file.read_text(encoding="utf-8").replace(config.store.url, url), encoding="utf-8")
            object.__setattr__(config, "store", StoreSettings(url=url))
        return Club(folder, config, self.now, set(self.read), self.sent)

    def config_at(self, file: Path) -> Config:
        """Its settings, as those of another file; a test may have changed one, and another one may change it anew."""
        config = deepcopy(self.config)
        object.__setattr__(config, "file", file)
        return config


def parsed(data: bytes) -> EmailMessage:
    mail = email.message_from_bytes(data, policy=READ)
    assert isinstance(mail, EmailMessage)
    return mail


def part(mail: EmailMessage, kind: str = "plain") -> str:
    """Its text, or its HTML, as it stands."""
    found = mail.get_body((kind,))
    return str(found.get_content())


def text(mail: EmailMessage) -> str:
    """The text part, white space folded."""
    return re.sub(r"\s+", " ", part(mail))


def plain_boards(club: Club) -> None:
    """Mails without pictures, which take most of a test's time."""
    from moderator.store.tables import PlayerRow

    with club.work() as work:
        for player in work.session.exec(select(PlayerRow)):
            player.board = "text"


def copied(club: Club, folder: Path) -> Club:
    """The same club in another folder."""
    return club.copy(folder)


_CACHES: dict[tuple[Path, str], MatchCache] = {}


def taken_once(steps: Callable[[Club], Made]) -> Callable[[Club], Made]:
    """For a fixture that takes steps in the fixture ``club`` and returns what they lead to, but not the club itself:
    they are taken once in a process; from then on the club becomes a copy of the one after them."""
    kept: dict[type[Club], tuple[Club, Made]] = {}

    @wraps(steps)
    def taken(club: Club) -> Made:
        assert not club.begun, "another fixture has begun, and its steps would be lost"
        if type(club) not in kept:  # what they draw is the same whichever test comes first
            with machine.lots_of(f"{steps.__module__} {steps.__qualname__}"):
                made = steps(club)
            kept[type(club)] = club.copy(_folder() / "club"), made
        else:
            after, made = kept[type(club)]
            vars(club).update(vars(after.copy(club.folder / "after")))
            machine.keep_clock(club.config.file.parent, club)
        club.begun = True
        return made

    return taken


def _folder() -> Path:
    """Gone with this process."""
    folder = Path(tempfile.mkdtemp(prefix="club-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@lru_cache
def _playable(dictionary: Dictionary) -> list[tuple[set[str], Counter[str]]]:
    return [(set(word), Counter(word)) for word in dictionary.playable(7)]


def _lays_three(words: list[tuple[set[str], Counter[str]]], hand: Iterable[str]) -> bool:
    """Whether the hand has three of the words. Most are ruled out by their letters, which is quick."""
    tiles = Counter(hand)
    laid = (word for letters, word in words if letters <= tiles.keys() and word <= tiles)
    return len(list(islice(laid, 3))) == 3


@lru_cache
def _fresh(words: tuple[str, ...]) -> Path:
    """A folder with a dictionary and an empty database, to be copied."""
    folder = _folder()
    (folder / "words.txt").write_text("\n".join(words), encoding="utf-8")
    build_lexicon("de", [str(folder / "words.txt")], folder / "lexicons")
    file = folder / "moderator.toml"
    file.write_text(CONFIG.format(mail=""), encoding="utf-8")
    create_database(load_config(file))
    file.unlink()
    return folder


def make_club(folder: Path, extra: str = "", words: list[str] | None = None, kept: bool = False) -> Club:
    """A club with a dictionary ``de`` and no players. ``kept``: for more than one test."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "moderator.toml"
    text = CONFIG.format(mail=extra)
    server = os.environ.get(postgres.VARIABLE)
    if server:
        text += f'[store]\nurl = "{postgres.club_database(server, kept)}"\n'
    file.write_text(text, encoding="utf-8")
    shutil.copytree(_fresh(tuple(words or WORDS)), folder, dirs_exist_ok=True)
    config = load_config(file)
    if server:
        (folder / "moderator.sqlite").unlink()
    made = Club(folder, config)
    with made.work() as work:  # so that the same match gives the same mails
        work.session.add(KeyValue(key="secret", value="5ec2e7" * 10))
    return made


def club_of(folder: Path, *names: str, settings: str = "", **languages: str) -> Club:
    """A club with these players, as ``Club.players`` enters them: once in a process, then it is copied."""
    server = os.environ.get(postgres.VARIABLE, "")
    return kept_club(names, settings, tuple(languages.items()), server).copy(folder)


@lru_cache
def kept_club(names: tuple[str, ...], settings: str, languages: tuple[tuple[str, str], ...], _server: str) -> Club:
    with machine.lots_of(f"club of {' '.join(names)}"):
        made = make_club(_folder() / "club", settings, kept=True)
        made.players(*names, **dict(languages))
        made.tick()  # which only begins the day
    return made


def no_word(club: Club, code: str, seat: int, length: int) -> str:
    """So many of the seat's own letters, in an order that is no word there."""
    live = club.live(code)
    words = club.dictionary(live.options, live.code)
    laid = ("".join(tiles) for tiles in permutations(live.table.state.hand(seat), length))
    return next(word for word in laid if words.judge(word).ruling != "accept")
