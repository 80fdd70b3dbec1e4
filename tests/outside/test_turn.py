"""Whole matches played by a program that reads nothing but the attachment, and answers by ``moderator compose``."""

from __future__ import annotations

import email
import json
import os
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest

from tests.outside import client
from tests.outside.line import CommandFailed, Line, Program
from tests.outside.observer import Observer
from tests.policies import READ

KIND = "application/vnd.moderator.turn+json"
MATCHES = {
    "topwords": ("Anna Bert", ""),
    "dominos": ("Anna Bert", "-o target=10"),
    "tridom": ("Anna Bert Cora", "-o target=50"),
    "supertridom": ("Anna Bert", "-o target=50"),
    "domijongg": ("Anna Bert", "-o games=1 -o start_count=12"),
    "kreuzwort": ("Anna Bert", ""),
    "point": ("Anna Bert", ""),
    "recht": ("Anna Bert", ""),
    "presto": ("Anna Bert Cora", "-o rounds=2"),
}
LEAST = {"topwords": 8, "kreuzwort": 12, "point": 12, "recht": 3, "domijongg": 12, "presto": 4}
"""Moves that are no passes."""
MOST_MAILS = 900
"""To be answered in one match."""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """It has played a little of each kind where it keeps what it has loaded."""
    program = Program()
    try:
        for game in ("dominos", "presto"):
            table = Table(program, tmp_path_factory.mktemp(game) / "club", game, here=True)
            table.play(rounds=3)
        yield program
    finally:
        program.close()


class Table:
    """A club with one match, and the client for all its players."""

    def __init__(self, program: Program, folder: Path, game: str, here: bool = False) -> None:
        self.line = Line(program, game)
        self.line.here = here
        self.club = Observer(self.line, folder, game)
        self.known: set[str] = set()
        self.sent: set[str] = set()
        self.answered = self.moves = 0
        names, options = MATCHES[game]
        self.club.open(game, names, options)

    def fresh(self) -> list[Path]:
        self.line(self.club.folder, "tick")
        found = sorted(file for file in self.club.post.out.iterdir() if file.name not in self.known)
        self.known |= {file.name for file in found}
        return found

    def play(self, rounds: int = MOST_MAILS) -> None:
        """Until nobody is asked for anything more."""
        for _ in range(rounds):
            mails = [(file, turn) for file in self.fresh() if (turn := attached(file)) is not None]
            if not mails:
                return
            for file, turn in mails:
                self.answer(file, turn)

    def answer(self, file: Path, turn: client.Turn) -> None:
        """The first order of the client that ``compose`` takes, and that the referee has not refused here before."""
        self.answered += 1
        assert self.answered < MOST_MAILS
        answer = self.club.post.into / "new" / f"{self.answered:06}.eml"
        for order in client.orders(turn):
            asked = json.dumps([turn["seat"], turn["round"], turn["rack"], turn["board"], order])
            if asked in self.sent:
                continue
            try:
                self.line(self.club.folder, "compose", str(file), order, "--output", str(answer))
            except CommandFailed as told:
                if "Traceback" in str(told):
                    raise
                continue
            arrived = self.line.now.timestamp()  # by the program's clock, not by the real one
            os.utime(answer, (arrived, arrived))
            self.sent.add(asked)
            self.moves += order != "passe"
            return
        raise AssertionError(f"Nothing to send: {turn}")


def attached(file: Path) -> client.Turn | None:
    mail = email.message_from_bytes(file.read_bytes(), policy=READ)
    assert isinstance(mail, EmailMessage)
    found = [part for part in mail.walk() if part.get_content_type() == KIND]
    assert len(found) < 2
    for part in found:
        data = part.get_payload(decode=True)
        assert isinstance(data, bytes)
        assert len(data) <= 4096
        turn: client.Turn = json.loads(data)
        return turn
    return None


@pytest.mark.slow
def test_the_client_knows_every_game(program: Program, tmp_path: Path) -> None:
    assert set(MATCHES) == set(client.GAMES)


@pytest.mark.matrix("outside")
@pytest.mark.parametrize("game", [*MATCHES])
def test_a_match_is_played_from_the_attachments_alone(program: Program, tmp_path: Path, game: str) -> None:
    table = Table(program, tmp_path / "club", game)
    table.play()
    listed = table.line(table.club.folder, "match", "list", "--all")
    assert "finished" in listed, listed
    assert table.moves >= LEAST.get(game, 2)
