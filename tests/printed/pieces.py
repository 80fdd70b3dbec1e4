"""Finds what a document prints in another voice (code spans, blocks, quotations, and what is quoted inside of these),
what the mails of tests/golden and tests/pairs have in quotation marks, and what of it is a command."""

import dataclasses
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import click

from moderator.cli.group import cli
from moderator.commands import declaration
from moderator.language.messages import fill_rules_template

ROOT = Path(__file__).parent.parent.parent
GAMES = ROOT / "moderator" / "games"
GENERAL = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
RULES = sorted(GAMES.glob("*/*.md"))
DOCUMENTS = [*GENERAL, *RULES]

_FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_BLOCK = re.compile(r"(?:^    .*\n?)+", re.MULTILINE)
_MAIL = re.compile(r"(?:^> .*\n?)+", re.MULTILINE)
_CODE = re.compile(r"`([^`]+)`")
_QUOTED = re.compile(r"»([^«»]*)«|“([^“”„]*)”|„([^“”„]*)“|\"([^\"]*)\"")
FRENCH = r"«\s([^«»]*?)\s»"
_IN_FRENCH = re.compile(rf"{FRENCH}|“([^“”„]*)”|\"([^\"]*)\"")
"""There what stands between ``«`` and ``»`` is quoted, in German what stands between the others."""
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
_EXPLAINED = re.compile(r"\s{3,}")
"""Parts a line of a block from what it does."""
_FOR_A_MATCH = re.compile(r"(?:(?:Zug|Move) )?[A-Z0-9]{4}(?: [A-Z]\w+)?: (.+)")
"""»K7Q2: E5 w HAUS«, »Zug K7Q2 Anna: E5 w HAUS«: the move in it."""


@dataclass(frozen=True)
class Piece:
    text: str
    section: str
    """The heading above it."""
    mail: bool = False
    """Set off with ``>``, as somebody's mail."""
    said: bool = False
    """Between quotation marks in prose, as what somebody reads or says."""


def pieces(path: Path) -> Iterator[Piece]:
    """All of a document, in order within a section; a mail before the prose around it."""
    text = path.read_text(encoding="utf-8")
    if path.name.startswith("rules."):  # as they are where nothing was agreed
        text = fill_rules_template(text, path.name, path.name.split(".")[1], None)
    headings = [*_HEADING.finditer(_FENCE.sub(lambda found: "x" * len(found[0]), text))]
    starts = [0, *(found.start() for found in headings)]
    titles = ["", *(found[1] for found in headings)]
    for start, end, title in zip(starts, [*starts[1:], len(text)], titles, strict=True):
        yield from _of_section(text[start:end], title, _IN_FRENCH if path.name.endswith(".fr.md") else _QUOTED)


def _of_section(text: str, title: str, quoted: re.Pattern[str]) -> Iterator[Piece]:
    for pattern in (_FENCE, _MAIL, _BLOCK):
        for found in pattern.findall(text):
            lines = [line.removeprefix("> " if pattern is _MAIL else "    ") for line in found.strip("\n").splitlines()]
            if pattern is _MAIL:
                yield Piece("\n".join(lines), title, mail=True)
            else:
                yield from (
                    Piece(one, title) for line in lines for one in _inside(_EXPLAINED.split(line.strip())[0], quoted)
                )
        text = pattern.sub("", text)
    for found in _CODE.findall(text):
        yield from (Piece(one, title) for one in _inside(found, quoted))
    for several in quoted.findall(_CODE.sub("", text)):
        yield from (Piece(one, title, said=True) for said in several for one in _inside(said, quoted) if one)


def _inside(text: str, quoted: re.Pattern[str]) -> Iterator[str]:
    """A span, and what it quotes or names for a match."""
    text = " ".join(text.split())
    yield text
    yield from (one for several in quoted.findall(text) for one in several if one)
    if found := _FOR_A_MATCH.fullmatch(text):
        yield found[1]


GOLDEN = ROOT / "tests" / "golden"
PAIRS = ROOT / "tests" / "pairs"
RULE = "\n====="
MOVE = re.compile(r"»([^«»]*)«|“([^“”„]*)”")
"""What somebody writes, or has written; in English, what something is called, too."""
IN_FRENCH = re.compile(FRENCH)
_WRITTEN = re.compile(r"[»“]([^«»“”]+)[«”]")


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


def quotes() -> Iterator[tuple[Quote, Mail]]:
    """Each with its mail."""
    for mail in mails():
        for found in (IN_FRENCH if mail.name.startswith("fr/") else MOVE).finditer(mail.text):
            text = one_line(next(group for group in found.groups() if group is not None))
            yield Quote(text, mail.name), mail


def written(text: str, language: str) -> list[str]:
    """What a sentence of a mail has in quotation marks for somebody to write."""
    found = (IN_FRENCH if language == "fr" else _WRITTEN).findall(text)
    return [one for one in found if one and not {"{", "}"} & {*one}]  # not what stands for a value


def strings(value: Any) -> Iterator[str]:
    """All of them that a value holds."""
    if isinstance(value, str):
        yield value
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from strings(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from strings(key)
            yield from strings(one)
    elif isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from strings(one)


def repeats(mail: Mail, text: str) -> bool:
    """Whether a quotation gives back what the mail that is answered says, perhaps cut short."""
    return text.strip("… ") in mail.written or text.strip("… ").casefold() in mail.written.casefold()


ANSWERS = frozenset({
    "JA", "NEIN", "YES", "NO", "ERLAUBT", "UNGÜLTIG", "ALLOWED", "INVALID", "STATTGEGEBEN", "ABGELEHNT", "UPHELD",
    "DENIED", "VALABLE", "INTERDIT", "ungültig", "abgelehnt", "invalid", "denied", "STIMMT", "STIMMT NICHT:", "RIGHT",
    "WRONG:",
})  # fmt: skip
"""Words that answer a question of a mail: test_commands.py, test_who_wrote.py, test_protests.py, test_asking.py,
test_move_in.py."""
HEADING = re.compile(r"(?:Partie|Match) [A-Z]\d[A-Z]{2}|(?:Partie|Match) [A-Z0-9]{4}")
"""Says which match the lines below it mean: tests/club/test_headings.py."""
_LEFT_OPEN = re.compile(r"…|\bJJJJ-MM-TT\b|\bYYYY-MM-DD\b")


_ABOUT_A_MATCH = re.compile(r"^[A-Z0-9]{4} ")


def is_command(text: str) -> bool:
    """Whether each line is one: »STAND«, »K7Q2 STAND; M4RA STAND«, »URLAUB vom … bis …«."""
    lines = [_LEFT_OPEN.sub("24.12.2026", line.strip()) for line in text.split(";")]
    return all(_names_command(line) or _names_command(_ABOUT_A_MATCH.sub("", line)) for line in lines)


def _names_command(line: str) -> bool:
    return declaration.find_command(line) is not None or declaration.find_staff_command(line) is not None


def is_typed(text: str) -> bool:
    """Whether the command line takes it, with all its options."""
    if not text.startswith("moderator "):
        return False
    words = shlex.split(_LEFT_OPEN.sub("2026-12-24", text))[1:]
    asks = words[-1:] == ["--help"]
    words = words[:-1] if asks else words
    command: click.Command = cli
    ctx = click.Context(command, info_name="moderator")
    try:
        while isinstance(command, click.Group):
            if asks and not words:
                return True
            name, found, words = command.resolve_command(ctx, words)
            command = found
            if isinstance(command, click.Group):
                ctx = click.Context(command, parent=ctx, info_name=name)
        command.make_context(name or "", words, parent=ctx)
    except click.MissingParameter:
        return not words  # its name alone
    except (click.ClickException, click.exceptions.Exit):
        return False
    return True
