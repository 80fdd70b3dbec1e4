from pathlib import Path

import pytest

from tests.club.club import Club, make_club, plain_boards


@pytest.fixture
def club(tmp_path: Path) -> Club:
    """A club for which three mails are a backlog."""
    made = make_club(tmp_path, extra="[guard]\nbacklog = 2\n")
    made.players("Anna", "Bert", "Cici", Bert="en")
    plain_boards(made)
    return made
