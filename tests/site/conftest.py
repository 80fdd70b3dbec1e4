from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from moderator.views import links
from tests.club.club import Club, make_club, plain_boards
from tests.site.people_club import build, whole


@contextmanager
def in_two_languages() -> Iterator[None]:
    """A site in more languages takes longer to write, and shows no more; test_publish.py has all."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(links, "LANGUAGES", ("de", "en"))
        yield


@pytest.fixture(scope="package", autouse=True)
def two_languages() -> Iterator[None]:
    with in_two_languages():
        yield


@pytest.fixture(scope="session")
def people(tmp_path_factory: pytest.TempPathFactory) -> tuple[Club, Path]:
    """A club with something on every page, and its site; for tests that only read."""
    root = tmp_path_factory.mktemp("people")
    club = build(root / "club")
    with in_two_languages():  # it is made before what holds for the folder
        whole(club, root / "site")
    del club.write  # type: ignore[method-assign]  # mails of those whose names bite; nobody writes any more
    return club, root / "site"


@pytest.fixture
def club(tmp_path: Path) -> Club:
    """Anna and Cici read German, Bert English."""
    made = make_club(tmp_path)
    made.players("Anna", "Bert", "Cici", Bert="en")
    plain_boards(made)
    return made
