from pathlib import Path

import pytest

from tests.attack.post import Still
from tests.club.club import Club, club_of


@pytest.fixture
def club(tmp_path: Path) -> Club:
    """Three players, all at home.example, whose mails have no pictures."""
    return club_of(tmp_path / "club", "Anna", "Bert", "Cici")


@pytest.fixture(scope="session")
def still(tmp_path_factory: pytest.TempPathFactory) -> Still:
    """A club where Anna is to move against Bert, and in another match against Cici. What a mail leads to is undone."""
    club = club_of(tmp_path_factory.mktemp("still") / "club", "Anna", "Bert", "Cici")
    one, two = club.match("Anna", "Bert"), club.match("Anna", "Cici")
    club.tick_unread()
    return Still(club, one, two)
