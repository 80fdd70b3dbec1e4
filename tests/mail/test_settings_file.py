"""Settings are changed in place: whatever else stands in the file stays as it was, and what cannot be changed for sure
is left alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from moderator.errors import ConfigError
from moderator.mail.settings_file import Setting, change, changed
from moderator.paths import example_config

NONE = Setting("mail", "subaddress", "")
ID = Setting("mail", "authserv_id", "mx.club.example")
FOLDER = Setting("imap", "processed", "INBOX.Erledigte Züge")
EXAMPLE = example_config().read_text(encoding="utf-8")


def differing(before: str, after: str) -> list[tuple[str, str]]:
    lines = zip(before.splitlines(), after.splitlines(), strict=True)
    return [(old, new) for old, new in lines if old != new]


def test_what_init_wrote_changes_in_the_lines_alone() -> None:
    text = changed(EXAMPLE, [NONE, ID, FOLDER])
    old, new = zip(*differing(EXAMPLE, text), strict=True)
    assert [line.partition("#")[0].rstrip() for line in new] == [
        'subaddress = ""', 'authserv_id = "mx.club.example"', 'processed = "INBOX.Erledigte Züge"'
    ]  # fmt: skip
    assert all(line.startswith("# ") for line in old)
    assert [line.rpartition("#")[2] for line in new] == [line.rpartition("#")[2] for line in old]
    assert changed(text, [NONE, ID, FOLDER]) == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('[mail]\nsubaddress = "+" # mine\n', '[mail]\nsubaddress = ""  # mine\n'),
        ("[mail]\n  subaddress='+'\n", '[mail]\nsubaddress = ""\n'),
        ('# [mail]\n[ mail ]  # here\r\nsubaddress = "+"\r\n', '# [mail]\n[ mail ]  # here\r\nsubaddress = ""\r\n'),
        # What is set counts, not the remark above it, nor another section's.
        (
            '[imap]\nsubaddress = "x"\n[mail]\n# subaddress = "-"\nsubaddress = "+"\n',
            '[imap]\nsubaddress = "x"\n[mail]\n# subaddress = "-"\nsubaddress = ""\n',
        ),
        ('[mail]\naddress = "a@b"\n', '[mail]\nsubaddress = ""\naddress = "a@b"\n'),
        ("[mail]", '[mail]\nsubaddress = ""\n'),
        ('[club]\nname = "x"\n\n', '[club]\nname = "x"\n\n[mail]\nsubaddress = ""\n'),
    ],
)
def test_a_line_is_set_where_it_belongs(before: str, after: str) -> None:
    assert changed(before, [NONE]) == after


@pytest.mark.parametrize(
    "text",
    [
        'mail = {address = "a@b", subaddress = "+"}\n',
        'mail.subaddress = "+"\n',
        '[mail]\nname = """\n[mail]\nsubaddress = "+"\n"""\nsubaddress = "+"\n[imap]\nx = """\n[mail]\n"""\n',
        '"mail".address = "a"\n',
    ],
)
def test_what_is_written_in_ways_of_its_own_is_never_spoilt(text: str, tmp_path: Path) -> None:
    file = tmp_path / "moderator.toml"
    file.write_text(text)
    with pytest.raises(ConfigError) as raised:
        change(file, [NONE])
    assert '[mail] subaddress = ""' in raised.value.hint
    assert file.read_text() == text


def test_owner_permissions_and_links_stay(tmp_path: Path) -> None:
    real, link = tmp_path / "real.toml", tmp_path / "moderator.toml"
    real.write_text(EXAMPLE)
    real.chmod(0o640)
    link.symlink_to(real)
    change(link, [ID])
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert 'authserv_id = "mx.club.example"' in real.read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["moderator.toml", "real.toml"]


def test_a_file_that_cannot_be_replaced_stays_and_the_lines_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "moderator.toml"
    file.write_text(EXAMPLE)

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ConfigError) as raised:
        change(file, [ID])
    assert "[mail] authserv_id" in raised.value.hint or "room" in raised.value.hint
    assert file.read_text() == EXAMPLE
    assert [path.name for path in tmp_path.iterdir()] == ["moderator.toml"]
