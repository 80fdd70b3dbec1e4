from pathlib import Path

import pytest

from tests.attack.post import Still
from tests.club.club import Club, make_club, plain_boards


@pytest.fixture
def club(tmp_path: Path) -> Club:
    """Three players, all at home.example, whose mails have no pictures."""
    return a_club(tmp_path)


@pytest.fixture(scope="session")
def still(tmp_path_factory: pytest.TempPathFactory) -> Still:
    """A club where Anna is to move against Bert, and in another match against Cici. What a mail leads to is undone."""
    club = a_club(tmp_path_factory.mktemp("still"))
    one, two = club.match("Anna", "Bert"), club.match("Anna", "Cici")
    club.tick()
    club.mails()
    return Still(club, one, two)


def a_club(folder: Path) -> Club:
    made = make_club(folder / "club")
    made.players("Anna", "Bert", "Cici")
    plain_boards(made)
    return made
