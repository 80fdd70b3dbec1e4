"""Finds what the mails of tests/golden and tests/pairs have in quotation marks, each once with a mail that has it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.printed.pieces import FRENCH, ROOT

GOLDEN = ROOT / "tests" / "golden"
PAIRS = ROOT / "tests" / "pairs"
RULE = "\n====="
MOVE = re.compile(r"»([^«»]*)«|“([^“”„]*)”")
"""What somebody writes, or has written; in English, what something is called, too."""
IN_FRENCH = re.compile(FRENCH)
"""There both are; one walk through them is enough, which ``MOVE`` asks for."""
_WRITTEN = re.compile(r"[»“]([^«»“”]+)[«”]")
NAME = re.compile(r"„([^“”„]*)“|\"([^\"\n]*)\"")
"""What something is called, in German."""


@dataclass(frozen=True)
class Quote:
    text: str
    mail: str
    """Where it stands first: ``de/turn``, ``pairs/boss/pause``."""

    @property
    def to_the_moderator(self) -> bool:
        return "/boss" in self.mail


@dataclass(frozen=True)
class Mail:
    name: str
    written: str
    """What a pair's mail says that is answered; of a golden mail nothing."""
    text: str


@cache
def mails() -> tuple[Mail, ...]:
    golden = [Mail(f"{p.parent.name}/{p.stem}", "", _read(p)) for p in sorted(GOLDEN.rglob("*.txt"))]
    pairs = []
    for path in sorted(PAIRS.rglob("*.txt")):
        written, _, answers = _read(path).partition(RULE)
        pairs.append(Mail(f"pairs/{path.relative_to(PAIRS).with_suffix('')}", one_line(written), answers))
    return (*golden, *pairs)


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def one_line(text: str) -> str:
    return " ".join(text.split())


def quotes(pattern: re.Pattern[str]) -> Iterator[tuple[Quote, Mail]]:
    """Each with its mail."""
    for mail in mails():
        french = mail.name.startswith("fr/")
        if french and pattern is NAME:
            continue
        for found in (IN_FRENCH if french else pattern).finditer(mail.text):
            text = one_line(next(group for group in found.groups() if group is not None))
            yield Quote(text, mail.name), mail


def written(text: str, language: str) -> list[str]:
    """What a sentence of a mail has in quotation marks for somebody to write."""
    found = (IN_FRENCH if language == "fr" else _WRITTEN).findall(text)
    return [one for one in found if one and not {"{", "}"} & {*one}]  # not what stands for a value


def repeats(mail: Mail, text: str) -> bool:
    """Whether a quotation gives back what the mail that is answered says, perhaps cut short."""
    return text.strip("… ") in mail.written or text.strip("… ").casefold() in mail.written.casefold()
