"""A busy evening of a club of Maildirs, as a folder to be copied, and what must have come of it in the end.

In the next run: an order, a wish for help, the moderator's ruling on a word (written to the house list, it lets a held
match go on), a player who is late, a daily mail.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select

from moderator.backup.backup import reading
from moderator.backup.integrity import Looked, examine
from moderator.config import load
from moderator.outbox import digest
from moderator.store.models import Event, Inbox, Letter, Match, Outbox, Player, Question, Seen
from tests.club.club import START, Club, make_club, plain_boards
from tests.club.test_trouble import ask_club
from tests.servers import postgres

sqlite_only = pytest.mark.skipif(postgres.VARIABLE in os.environ, reason="about the database in a file")
EVENING = START + timedelta(days=8)
LATER = timedelta(minutes=40)
"""After it no lease of a dead run holds any more."""


def busy(folder: Path) -> Path:
    """Make the club in ``folder``, up to the moment before the evening's run."""
    club = make_club(folder)
    club.players("Anna", "Bert", "Cici")
    plain_boards(club)
    late = club.match("Cici", "Anna")
    club.tick()
    club.wait(days=6)
    held, word = ask_club(club)
    code = club.match("Anna", "Bert")
    with club.desk() as desk:
        bert = desk.session.exec(select(Player).where(Player.name == "Bert")).one()
        digest.switch(desk, bert, True)
    club.order("Anna", held, 0, f"E5 w {word}")
    club.tick()
    (question,) = club.mails("boss")
    club.wait(seconds=(EVENING - club.now).total_seconds())
    club.order("Anna", code, 0, "passe")
    club.order("Anna", code, 0, "HILFE")
    club.write("boss@club.example", f"{word} erlaubt", to=str(question["Reply-To"]))
    assert club.row(late).entries == 0
    return folder


def copied(model: Path, folder: Path) -> Club:
    """The club once more, on the same evening."""
    shutil.copytree(model, folder)
    return Club(folder, load(folder / "moderator.toml"), EVENING)


def recover(club: Club) -> None:
    """The next run, in which nothing goes wrong."""
    club.wait(seconds=LATER.total_seconds(), away=True)
    summary = club.tick()
    assert (summary.quarantined, summary.troubles, summary.away) == ([], [], [])


def outcome(club: Club) -> dict[str, Any]:
    """All that the evening has led to, but for times, numbers and secrets."""
    with club.desk() as desk:
        ask = desk.session.exec
        codes = {match.id: match.code for match in ask(select(Match))}
        events = ask(select(Event).order_by(col(Event.match_id), col(Event.n)))
        return {
            "events": [(codes[each.match_id], each.n, each.kind, each.seat, each.text) for each in events],
            "mails": Counter(ask(select(Outbox.kind, Outbox.recipient, Outbox.state)).all()),
            "inbox": Counter(ask(select(Inbox.state, Inbox.sender)).all()),
            "filed": Counter(ask(select(Seen.filed)).all()),
            "rulings": Counter(ask(select(Question.word, Question.ruling)).all()),
            "daily": ask(select(Player.name, Player.digest_at).order_by(col(Player.name))).all(),
            "house": (club.folder / "house.tsv").read_text(),
            "matches": [(m.code, m.status, m.held, m.entries) for m in ask(select(Match).order_by(col(Match.id)))],
        }


def lost_or_doubled(club: Club, expected: dict[str, Any]) -> list[str]:
    """What differs from ``expected``, and every fault that `doctor --deep` or a look at the folders finds."""
    found = outcome(club)
    wrong = [f"{name}: {found[name]} instead of {value}" for name, value in expected.items() if found[name] != value]
    with reading(club.config) as session:
        wrong += [str(fault) for fault in examine(session, club.config, Looked())]
        made = Counter(raw for raw in session.exec(select(Letter.raw)))
    inbox = club.config.path(club.config.maildir.inbox)
    wrong += [f"still in the mailbox: {path.name}" for part in ("new", "cur") for path in (inbox / part).iterdir()]
    outbox = club.config.path(club.config.maildir.outbox) / "new"
    # The first line is their Return-Path, of the envelope.
    sent = Counter(path.read_bytes().partition(b"\r\n")[2] for path in outbox.iterdir())
    if sent != made:
        wrong.append(f"{sum((made - sent).values())} mails were not sent, {sum((sent - made).values())} too often")
    return wrong


def undisturbed(model: Path, folder: Path) -> dict[str, Any]:
    """The outcome of an evening on which nothing goes wrong."""
    club = copied(model, folder)
    club.tick()
    recover(club)
    return outcome(club)
