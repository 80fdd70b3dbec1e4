from pathlib import Path

import pytest

from tests.club.club import Club, make_club
from tests.club.steps import begin


@pytest.fixture
def club(tmp_path: Path) -> Club:
    """Of Anna, Bert, who reads English, and Cici; nobody wants pictures."""
    made = make_club(tmp_path)
    made.players("Anna", "Bert", "Cici", Bert="en")
    return made


@pytest.fixture
def code(club: Club) -> str:
    """A match of Anna, who is to move, and Bert; its first mails are read."""
    return begin(club, game="topwords")
