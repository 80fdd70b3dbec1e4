"""The scripted evening, on which everything happens at once in a club with Maildir folders; and what has come of it,
written down so that two runs that did the same have the same picture.

In the mailbox: a move against a robot, a pass that ends a match, two orders in one match of which one waits, a word
that the moderator has to be asked about, the moderator's answer about another one, a wish for help, a letter from a
stranger. And a ZAT that somebody has missed, a reminder, a daily mail, a tournament that closes, pairs and deals.
"""

from __future__ import annotations

import itertools
import random
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from sqlmodel import SQLModel, col, select

from moderator.backup.integrity import CheckedCounts, iter_integrity_faults
from moderator.common.errors import OperatorError, TransientError
from moderator.service.create import create_match, get_player
from moderator.service.match import start
from moderator.service.players import wanted_mails
from moderator.service.tournaments import pairings
from moderator.settings import load_config
from moderator.store.database import open_reading_session
from moderator.store.tables import EventRow, InboxRow, MailboxKey, MatchRow, OutboxRow, PlayerRow, SeatRow
from moderator.views.match_cache import MatchCache
from tests.club.club import Club, make_club
from tests.club.tournament_club import found
from tests.faults.injector import Plan, watching
from tests.servers import postgres

PEOPLE = ("Anna", "Bert", "Cici", "Dora")
LETTERS = ("move", "end", "order", "help", "asking", "ruling", "stranger")
"""What lies in the mailbox, in this order."""
LATER = 1900
"""Seconds after which a mail that was under way when its sender died is sent again."""
RANDOM = {"id", "code", "token", "unsubscribe", "old_token", "new_token", "message_id", "return_token", "thread"}
RANDOM |= {"seed", "salts", "raw"}
"""What two runs may choose differently."""
PROGRESS = {"attempts", "next_at", "sent_at", "answer", "filed", "size"}
"""What two runs may differ in, because one of them was stopped, or got another copy of a mail."""
CODE = re.compile(r"\b[A-Z][2-9][A-Z0-9]{2,3}\b")
INSTALLATION = re.compile(r"\binstallation-[0-9a-f]{16}\b")
"""The note of when it last looked for others in its mailbox; each copy of the club is an installation of its own."""
UNDONE = ("received", "quarantine")


MATCHES = ("late", "reminder", "robot", "ending", "waiting", "asked", "asking")


@dataclass(frozen=True)
class Evening:
    """The club before the evening's run, to be copied, and what comes of it when nothing goes wrong."""

    folder: Path
    at: datetime
    expected: dict[str, Any] = field(default_factory=dict)
    after: Path = Path()
    """The club when it was over."""
    steps: tuple[str, ...] = ()
    """What its run did, see injector.py."""

    def copy(self, folder: Path) -> Club:
        shutil.copytree(self.folder, folder)
        return Club(folder, load_config(folder / "moderator.toml"), self.at)

    def undisturbed(self, folder: Path) -> Evening:
        club = self.copy(folder)
        with same_deals(), watching(folder, Plan(only=lambda name: True)) as plan:
            assert club.tick().handled == len(LETTERS)
        recover(club)
        assert faults(club) == []
        with club.work() as work:
            states = Counter(work.session.exec(select(MatchRow.status)))
            kinds = set(work.session.exec(select(OutboxRow.kind)))
        assert states == {"running": 7, "finished": 1}
        assert kinds >= {"start", "turn", "end", "help", "ruling", "ruled", "reminder", "digest", "cup"}
        return replace(self, expected=picture(club), after=folder, steps=tuple(plan.names))

    def wrong(self, club: Club) -> list[str]:
        """What is not as on the undisturbed evening, or not in order."""
        return faults(club) + differences(self.expected, picture(club))


def letters(club: Club, part: str = "new") -> list[Path]:
    """The files of mails in the mailbox, as they came."""
    return sorted((club.config.resolve_path(club.config.maildir.inbox) / part).glob("*"))


def recover(club: Club, *waits: int) -> None:
    """The next runs, after so many seconds each, in which nothing goes wrong: usually one at once, and one when no
    lease of a dead run holds any more."""
    for later in waits or (0, LATER):
        club.wait(seconds=later, away=True)
        with same_deals():
            summary = club.tick()
        assert (summary.quarantined, summary.troubles, summary.away) == ([], [], [])


def run(club: Club) -> str:
    """What the operator is told by a run."""
    try:
        with same_deals():
            summary = club.tick()
    except (OperatorError, TransientError) as error:
        return str(error)
    assert summary.quarantined == []
    return "\n".join(summary.troubles + summary.away)


@contextmanager
def same_deals() -> Iterator[None]:
    """Two runs deal the same tiles in tournaments, so that what they come to can be compared."""

    def dealt(work: Any, match: Any) -> None:
        start.start_match(work, match, seed=random.Random(match.name).randbytes(32))

    with mock.patch.object(pairings, "start_match", dealt):
        yield


def file_club(folder: Path, extra: str = "") -> Club:
    """Its database is a file wherever the others' are, so that a copied folder is a copied club."""
    with pytest.MonkeyPatch.context() as patched:
        patched.delenv(postgres.VARIABLE, raising=False)
        return make_club(folder, extra)


def prepare(club: Club) -> Evening:
    """Play in a new club up to the evening."""
    club.players(*PEOPLE, "R2a")
    with club.work() as work:
        wanted_mails.switch_digest(work, get_player(work.session, "Dora"), True)
    begun = {
        "late": dealt(club, "Cici", "Bert", terms={"days": 1, "bank": 0, "grace": 0}),
        "reminder": dealt(club, "Bert", "Cici", terms={"days": 4}),
        "robot": dealt(club, "Anna", "R2a", game="tridom"),
        "ending": dealt(club, "Anna", "Bert"),
        "waiting": dealt(club, "Anna", "Dora"),
        "asked": dealt(club, "Anna", "Bert", unknown_words="ask"),
        "asking": dealt(club, "Bert", "Anna", unknown_words="ask"),
    }
    club.tick()
    for turn, (seat, name) in enumerate(((0, "Anna"), (1, "Bert"), (0, "Anna"))):
        # Each answers another mail: else it would be the same order twice.
        club.order(name, begun["ending"], seat, "passe", In_Reply_To=f"<turn{turn}@club.example>")
        club.wait(minutes=1)
    word = unknown_word(club, begun["asked"])
    club.hand_in("Anna", begun["asked"], 0, f"E5 w {word}")
    (question,) = club.mails("boss")
    found(club, "knockout", ("Anna", "Bert"), legs=1, days=1, round_days=6, seeding="order")
    club.tick()
    club.wait(days=2, hours=18)
    write_letters(club, begun, str(question["Reply-To"]), word)
    return Evening(club.folder, club.now)


def dealt(club: Club, *names: str, game: str = "topwords", terms: Any = None, **options: Any) -> str:
    """A match with any tiles, as ``Club.match`` takes its time to look for good ones."""
    with club.work() as work:
        seats = [get_player(work.session, name) for name in names]
        match = create_match(work, game, "Arratia", seats, options, terms=terms)
        start.start_match(work, match, seed=bytes([match.number] * 32))
        return match.code


def unknown_word(club: Club, code: str) -> str:
    """A word that the seat to move could lay and that the moderator must be asked about."""
    live = club.live(code)
    hand, words = live.table.state.hands[0], MatchCache(club.config).get_dictionary(live.options)
    tries = ("".join(tiles) for tiles in itertools.permutations([tile for tile in hand if tile.isalpha()], 4))
    return next(word for word in tries if words.judge(word).ruling == "ask")


def write_letters(club: Club, begun: dict[str, str], answer_to: str, word: str) -> None:
    club.order("Anna", begun["robot"], 0, club.moves(begun["robot"], 0)[0])
    club.order("Bert", begun["ending"], 1, "passe", In_Reply_To="<turn3@club.example>")
    club.order("Anna", begun["waiting"], 0, "passe\nan alle: Guten Abend!")
    club.order("Anna", begun["waiting"], 0, "HILFE")
    club.order("Bert", begun["asking"], 0, f"E5 w {unknown_word(club, begun['asking'])}")
    club.write("boss@club.example", f"{word} ERLAUBT steht im Duden", to=answer_to)
    club.write("stranger@nowhere.example", "Was ist das hier?")


def picture(club: Club) -> dict[str, Any]:
    """Everything in the database but what is drawn by lot; codes stand as numbers of their matches. Times stay, where
    they don't say when a mail left."""
    with club.work() as work:
        codes = {match.code: f"match{match.id}" for match in work.session.exec(select(MatchRow))}
        shown: dict[str, Any] = {}
        for model in SQLModel.__subclasses__():
            if getattr(model, "__table__", None) is not None and model not in (OutboxRow, MailboxKey):
                shown[model.__name__] = sorted(_plain(row, codes) for row in work.session.exec(select(model)))
        mails = work.session.exec(select(OutboxRow))
        shown["mails"] = Counter((m.kind, m.match_id, m.recipient, m.state) for m in mails)
        house = club.config.resolve_path(club.config.words.house)
        shown["house"] = sorted(set(house.read_text(encoding="utf-8").splitlines())) if house.exists() else []
    return shown


def _plain(row: Any, codes: dict[str, str]) -> str:
    values = {name: value for name, value in row.model_dump().items() if name not in RANDOM | PROGRESS}
    text = INSTALLATION.sub("installation", repr(sorted(values.items())))
    return CODE.sub(lambda code: codes.get(code[0], code[0]), text)


def differences(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """What is not the same in two pictures."""
    lines = []
    for name in one.keys() | other.keys():
        mine, theirs = (Counter(map(str, _items(shown.get(name, ())))) for shown in (one, other))
        lines += [f"{name} only undisturbed: {item}" for item in sorted((mine - theirs).elements())]
        lines += [f"{name} only after dying: {item}" for item in sorted((theirs - mine).elements())]
    return lines


def _items(values: Any) -> Any:
    return values.items() if isinstance(values, dict) else values


def faults(club: Club) -> list[str]:
    """What `doctor --deep` finds, and what is left undone: mails not handled, not filed, not sent."""
    with open_reading_session(club.config.database) as session:
        found = [str(fault) for fault in iter_integrity_faults(session, club.config, CheckedCounts())]
    with club.work() as work:
        found += [
            f"incoming mail {m.id} is {m.state}" for m in work.session.exec(select(InboxRow)) if m.state in UNDONE
        ]
        found += [
            f"{s.key} is not filed"
            for s in work.session.exec(select(MailboxKey).where(col(MailboxKey.filed).is_(False)))
        ]
        found += [f"mail {m.id} is {m.state}" for m in work.session.exec(select(OutboxRow)) if m.state != "sent"]
        people = select(SeatRow.match_id, SeatRow.number).join(PlayerRow, col(PlayerRow.id) == col(SeatRow.player_id))
        seats = set(work.session.exec(people.where(col(PlayerRow.robot).is_(False))))
        events = work.session.exec(select(EventRow.inbox_id, EventRow.match_id, EventRow.kind, EventRow.seat))
        # A robot may move several times in a row, when the other seat can't.
        played = Counter(event for event in events if (event[1], event[3]) in seats)
        found += [f"{what} {count} times" for what, count in played.items() if count > 1 and what[0]]
        promised = Counter(work.session.exec(select(OutboxRow.message_id)))
    if (sent := sent_files(club)) != promised:
        found.append(f"these mails did not go out once each: {sent - promised or promised - sent}")
    return found + [f"{path} lies there" for part in ("new", "cur", "tmp") for path in letters(club, part)]


def sent_files(club: Club) -> Counter[str]:
    folder = club.config.resolve_path(club.config.maildir.outbox)
    heads = (path.read_bytes() for part in ("new", "cur") for path in (folder / part).glob("*"))
    return Counter(re.findall(rb"^Message-ID: (.*)$", head, re.MULTILINE)[0].decode().strip() for head in heads)
