from pathlib import Path

import pytest

from tests.club.club import Club, taken_once
from tests.club.memory import club_for
from tests.club.steps import begin


@pytest.fixture
def club(request: pytest.FixtureRequest, tmp_path: Path) -> Club:
    """Of Anna, Bert, who reads English, and Cici; nobody wants pictures."""
    return club_for(request, tmp_path, "Anna", "Bert", "Cici", Bert="en")


@pytest.fixture
@taken_once
def code(club: Club) -> str:
    """A match of Anna, who is to move, and Bert; its first mails are read."""
    return begin(club, game="topwords")
