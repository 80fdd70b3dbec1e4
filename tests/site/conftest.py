from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

import pytest

from moderator.render import touch_board
from moderator.views import links
from tests.club.club import Club, club_of
from tests.site.people_club import build, whole

PAGES = lru_cache(touch_board.render_board_page)


@contextmanager
def in_two_languages() -> Iterator[None]:
    """A site in more languages takes longer to write, and shows no more; test_publish.py has all. And its pages to lay
    tiles on are the same for each club."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(links, "LANGUAGES", ("de", "en"))
        patch.setattr(touch_board, "render_board_page", PAGES)
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
    return club_of(tmp_path, "Anna", "Bert", "Cici", Bert="en")
