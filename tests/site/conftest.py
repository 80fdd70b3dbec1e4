from pathlib import Path

import pytest

from tests.club.club import Club, make_club
from tests.once import made_once
from tests.site.people_club import build, whole


@pytest.fixture(scope="session")
def people(tmp_path_factory: pytest.TempPathFactory) -> tuple[Club, Path]:
    """A club with something on every page, and its site; for tests that only read."""

    def make(root: Path) -> tuple[Club, Path]:
        club = build(root / "club")
        whole(club, root / "site")
        del club.write  # type: ignore[method-assign]  # mails of those whose names bite; nobody writes any more
        return club, root / "site"

    return made_once(tmp_path_factory, "people", make)


@pytest.fixture
def club(tmp_path: Path) -> Club:
    """Anna and Cici read German, Bert English."""
    made = make_club(tmp_path)
    made.players("Anna", "Bert", "Cici", Bert="en")
    return made
