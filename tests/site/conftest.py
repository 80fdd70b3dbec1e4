from pathlib import Path

import pytest

from tests.club.club import Club, make_club
from tests.site.people_club import build, whole


@pytest.fixture(scope="session")
def people(tmp_path_factory: pytest.TempPathFactory) -> tuple[Club, Path]:
    """A club with something on every page, and its site; for tests that only read."""
    root = tmp_path_factory.mktemp("people")
    club = build(root / "club")
    whole(club, root / "site")
    return club, root / "site"


@pytest.fixture
def club(tmp_path: Path) -> Club:
    """Anna and Cici read German, Bert English."""
    made = make_club(tmp_path)
    made.players("Anna", "Bert", "Cici", Bert="en")
    return made
