"""Formats stand behind one contract: nobody else knows them by name, and one more needs no change elsewhere."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from moderator.cli.run import cli
from moderator.cli.tournament import tournament as group
from moderator.club.tournaments import rows
from moderator.errors import OperatorError
from moderator.pages.messages import labels, table
from moderator.states import TournamentStatus
from moderator.store import tournaments
from moderator.tournaments import formats
from moderator.tournaments.field import Game, TournamentState
from moderator.tournaments.formats.contract import Chosen, Format
from moderator.tournaments.tiebreaks import COLUMNS
from tests.club.club import make_club, plain_boards
from tests.every import for_every

PACKAGE = Path(__file__).resolve().parents[2] / "moderator"
NAMES = frozenset(formats.REGISTRY)
TEMPLATE = re.compile(r"format *(?:[!=]=|in|not in) *[(\[\"']")


def _texts(node: ast.expr) -> Iterator[str]:
    for part in node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]:
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def suspects() -> Iterator[tuple[Path, str]]:
    """The files that hold the name of a format at all; to parse all others takes seconds."""
    quoted = re.compile(f"[\"']({'|'.join(NAMES)})[\"']")
    for path in PACKAGE.rglob("*.py"):
        if "formats" not in path.parts and quoted.search(text := path.read_text(encoding="utf-8")):
            yield path, text


def compared(source: str) -> list[int]:
    """Lines that compare something called format with names of formats."""
    found = []
    for node in ast.walk(ast.parse(source)):
        sides: list[ast.expr] = []
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
        elif isinstance(node, ast.Match):
            patterns = (part for case in node.cases for part in ast.walk(case.pattern))
            sides = [node.subject, *(part.value for part in patterns if isinstance(part, ast.MatchValue))]
        called = any(getattr(side, "attr", getattr(side, "id", "")) in ("format", "form") for side in sides)
        if called and NAMES.intersection(text for side in sides for text in _texts(side)):
            found.append(getattr(node, "lineno", 0))
    return found


def named(source: str) -> list[int]:
    """Lines with collections of names of formats: sets and dictionaries to look a format up in."""
    found = []
    for node in ast.walk(ast.parse(source)):
        keys = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", [])
        texts = [text for key in keys if key is not None for text in _texts(key)]
        if len(texts) > 1 and NAMES.issuperset(texts):
            found.append(getattr(node, "lineno", 0))
    return found


def test_nobody_outside_compares_the_name_of_a_format() -> None:
    found = [f"{path.relative_to(PACKAGE)}:{n}" for path, text in suspects() for n in compared(text) + named(text)]
    templates = [path for path in (PACKAGE.parent / "templates").rglob("*.j2") if TEMPLATE.search(path.read_text())]
    assert (found, templates) == ([], [])


@for_every(
    "source",
    [
        'if t.format == "ladder": pass',
        'if "swiss" != cup.format: pass',
        'found = view.format in ("knockout", "ladder")',
        'match t.format:\n    case "league": pass',
    ],
)
def test_such_a_comparison_would_be_seen(source: str) -> None:
    assert compared(source)


def test_such_a_table_would_be_seen() -> None:
    assert named('A = frozenset({"robin", "league"})')
    assert named('A = {"robin": 120, "double": 180}')
    assert TEMPLATE.search('{% if c.format == "ladder" %}')


@for_every("key", formats.REGISTRY)
def test_every_format_answers(key: str) -> None:
    found = formats.load(key)
    assert found.key == key
    assert set(found.tiebreaks) <= set(COLUMNS)
    assert found.days > 0
    for language in ("de", "en"):
        assert f"word.cups-{found.words}" in table(language)
        assert f"cup-format-{found.words}" in labels(language)
        assert f"format-{found.words}" in labels(language) or f"site.format-{found.words}" in labels(language)


def test_an_unknown_format_is_named_with_the_known_ones() -> None:
    with pytest.raises(OperatorError, match="There is no format 'chess'") as error:
        formats.load("chess")
    assert "robin, double, swiss" in error.value.hint


class Chain(Format):
    """An eighth format: one round, in which each plays the next one in the table; an odd one out waits."""

    key = "chain"
    days = 9

    @property
    def words(self) -> str:
        return "robin"

    def rounds(self, t: TournamentState, settings: Chosen) -> int:
        return 1

    def pair(
        self,
        t: TournamentState,
        round: int,
        settings: Chosen,
        *,
        division: int = 1,
        rematches: bool = False,
        byes: Collection[int] = (),
    ) -> Sequence[Game]:
        numbers = [one.number for one in t.entrants if one.active(round)]
        pairs = zip(numbers[::2], numbers[1::2], strict=False)
        return [Game(round, table, pair) for table, pair in enumerate(pairs, 1)]


CHAIN = Chain()


def test_an_eighth_format_needs_no_change_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """New, joined, started, dealt, ruled, shown, finished."""
    monkeypatch.setitem(formats.REGISTRY, "chain", f"{__name__}:CHAIN")
    monkeypatch.setattr(formats, "import_module", lambda name: sys.modules[name])
    choice = next(param for param in group.commands["new"].params if param.name == "form")
    monkeypatch.setattr(choice.type, "choices", tuple(formats.REGISTRY))
    club = make_club(tmp_path / "club")
    club.players("Anna", "Bert", "Cici", "Dora")
    plain_boards(club)

    class Clock:
        @staticmethod
        def now(zone: object) -> datetime:
            return club.now

    monkeypatch.setattr("moderator.cli.session.datetime", Clock)

    def run(*words: str) -> str:
        done = CliRunner().invoke(cli, ["--config", str(club.config.file), "cup", *words], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.output

    run("new", "Kette", "--game", "dominos", "--format", "chain", "--seed", "7")
    run("join", "T1", "Anna", "Bert", "Cici", "Dora")
    run("start", "T1")
    club.tick()
    assert "Open games: 2" in run("show", "T1")
    with club.desk() as desk:
        tournament = rows.find_tournament(desk.session, "T1")
        matches = [match.code for match in tournaments.matches_of(desk.session, tournament).values()]
        ends = rows.latest_ends(tournaments.pairings(desk.session, tournament))
    assert [(end.date() - club.now.date()).days for end in ends] == [Chain.days] * 2
    for match in matches:
        run("adjudicate", "T1", match, "1-0")
    club.tick()
    lines = run("standings", "T1").splitlines()
    assert [line.split()[0] for line in lines if re.match(r" *[1-4]", line)][:2] == ["1", "1"], lines
    with club.desk() as desk:
        tournament = rows.find_tournament(desk.session, "T1")
        places = [entry.place for entry, _ in tournaments.entries(desk.session, tournament)]
        assert (tournament.status, sorted(places, key=str)) == (TournamentStatus.FINISHED, [1, 1, 3, 3])
    assert {str(mail["Subject"]) for mail in club.mails("Anna") if "Kette" in str(mail["Subject"])}
