from pathlib import Path

import pytest

from tests.club.club import Club, make_club


@pytest.fixture
def club(tmp_path: Path) -> Club:
    made = make_club(tmp_path)
    made.players("Anna", "Bert", "Cici", Bert="en")
    return made
