"""A house list that is written anew stays whose it was, as far as we may say so, and is written in any case."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from moderator import disk
from moderator.words import house

SELF, OTHER, GROUP = 54321, 54322, 54323


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that a group may write; nobody but root gets to those of ``tmp_path``."""
    with TemporaryDirectory() as made:
        os.chown(made, -1, GROUP)
        os.chmod(made, 0o770)
        yield Path(made)


@contextmanager
def _somebody() -> Iterator[None]:
    """This process is a member of the group, and not root."""
    groups = os.getgroups()
    os.setgroups([GROUP])
    os.setegid(GROUP + 1)
    os.seteuid(SELF)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(groups)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_a_house_list_of_another_user_in_a_folder_of_the_group_is_written(shared: Path) -> None:
    file = shared / "house.tsv"
    file.write_text("QUARK\t\t\tallow\tBert sagt ja\n", encoding="utf-8")
    os.chown(file, OTHER, GROUP)
    file.chmod(0o664)
    with _somebody():
        house.rewrite(file, lambda words: words.replace("Bert", "-"))
    found = file.stat()
    assert file.read_text(encoding="utf-8") == "QUARK\t\t\tallow\t- sagt ja\n"
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (SELF, GROUP, 0o664)
    assert [path.name for path in shared.iterdir()] == ["house.tsv"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_root_leaves_a_file_to_whose_it_was(tmp_path: Path) -> None:
    file = tmp_path / "house.tsv"
    file.write_bytes(b"old")
    os.chown(file, OTHER, GROUP)
    disk.replace(file, b"new")
    assert (file.read_bytes(), file.stat().st_uid, file.stat().st_gid) == (b"new", OTHER, GROUP)
