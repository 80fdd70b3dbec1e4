"""Whose name is meant is read in one way, by whatever command it is typed or mailed."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from moderator.cli import club_names
from moderator.cli.group import cli
from moderator.service.create import get_player, set_player
from moderator.views.people import UnclearName, resolve_name_index
from tests.cli.running import commands
from tests.club.club import Club, club_of
from tests.club.steps import run

NAMES = ("Jörg Weiß", "Anna", "Annegret", "Mueller", "Müller", "Bert")


def test_exact_then_the_only_beginning_then_nobody() -> None:
    for wanted, meant in {
        "Jörg Weiß": 0, "joerg weiss": 0, "  JÖRG  weiß ": 0, "Jörg": 0, "joe": 0, "Anna": 1, "anne": 2, "mueller": 3,
        "Müller": 4, "ber": 5,
    }.items():  # fmt: skip
        assert resolve_name_index(wanted, NAMES) == meant, wanted
    for wanted, several, names in (
        ("Ann", True, ("Anna", "Annegret")), ("mull", False, ("Mueller", "Müller")), ("B", False, ()),
        ("", False, ()), ("Weiß", False, ("Jörg Weiß",)), ("Berta", False, ("Bert",)),
    ):  # fmt: skip
        with pytest.raises(UnclearName) as unclear:
            resolve_name_index(wanted, NAMES)
        assert unclear.value.several == several, wanted
        assert unclear.value.names == names, wanted


def typed() -> Iterator[tuple[tuple[str, ...], click.Parameter]]:
    """Each parameter of the command line that takes the name of a player, with the words of its command."""
    for words, command in commands(cli):
        for parameter in command.params:
            if parameter.type is club_names.PLAYER or parameter.name in ("byes", "player", "players", "successor"):
                yield words, parameter


LINES = {
    "player set": "{name} --digest", "player reachable": "{name}", "player forget": "{name} --yes",
    "player export": "{name} {folder}/{name}.zip", "match add": "topwords {name} Bert --name x",
    "match excuse": "{code} {name}", "match replace": "{code} {name} Emil", "match eject": "{code} {name}",
    "match move": "{code} {name} passe", "cup join": "T1 {name}", "cup withdraw": "T1 {name} --yes",
    "cup pair": "T1 --bye {name}",
}  # fmt: skip
SECOND = {("match replace", "successor"): "{code} Bert {name}"}


@pytest.fixture
def club(tmp_path: Path) -> Club:
    made = club_of(tmp_path, "Annegret", "Bert", "Emil", "Anton", "Antonia")
    with made.work() as work:
        set_player(work.session, get_player(work.session, "Annegret"), name="Jörg Weiß")
    return made


def said(club: Club, *words: str) -> str:
    done = run(club, *words)
    return f"{done.output}{done.exception or ''}"


@pytest.mark.slow
def test_every_command_of_the_command_line_knows_a_cut_short_name(club: Club) -> None:
    there = sorted({(" ".join(words), str(one.name)) for words, one in typed()})
    assert len(there) >= 11
    for words, parameter in there:
        line = SECOND.get((words, parameter)) or LINES.get(words)
        assert line is not None, f"{words} takes a name: say here how it is called"
        for wanted, refused in (("joerg", False), ("jör", False), ("Georg", True), ("ant", True)):
            if line.startswith("T1"):  # there is no such tournament: that is said first, or of the name
                continue
            code = club.match("Jörg Weiß", "Bert", game="dominos")
            answer = said(club, *words.split(), *line.format(name=wanted, code=code, folder=club.folder).split())
            unknown = re.search("no player|several players|There is no “|does not play in this tournament", answer)
            assert bool(unknown) == refused, (words, wanted, answer)


def test_in_a_tournament_too(club: Club) -> None:
    assert "T1" in said(club, "cup", "add", "Herbst", "--game", "dominos", "--format", "swiss")
    said(club, "cup", "open", "T1")
    assert "Jörg Weiß" in said(club, "cup", "join", "T1", "jör")
    assert "Did you mean 'Anton' or 'Antonia'?" in said(club, "cup", "join", "T1", "ant")
    assert "There is no player 'Georg'." in said(club, "cup", "join", "T1", "Georg")
    assert "Jörg Weiß is out of T1" in said(club, "cup", "withdraw", "T1", "joerg", "--yes")
