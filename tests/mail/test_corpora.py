"""Real mails lying beside the repository (see MODERATOR_SHARED); without them these tests are skipped."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from moderator.mail.html_text import html_lines
from moderator.mail.inbound import read_mail
from tests.every import for_every
from tests.mail.new_text import new_text

SHARED = Path(os.environ.get("MODERATOR_SHARED", Path(__file__).parents[3] / "shared")) / "corpora"
GERMAN = sorted(path for path in SHARED.glob("own-german/*.txt") if not path.name.endswith(".expected.txt"))

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="no corpora beside the repository")


@for_every("path", GERMAN, ids=[path.stem for path in GERMAN])
def test_german_replies_are_exact(path: Path) -> None:
    expected = path.with_suffix(".expected.txt").read_text(encoding="utf-8")
    lines, _ = new_text(path.read_bytes().decode())
    assert "\n".join(line.text for line in lines) == expected.strip("\n")


def test_every_mail_is_read_quickly() -> None:
    paths = sorted(SHARED.glob("*/*.eml"))
    assert len(paths) > 100
    for path in paths:
        data = path.read_bytes()
        start = time.process_time()
        got = read_mail(data)
        assert time.process_time() - start < 2.0, path.name
        assert got.machine or not got.bounce, path.name


def test_every_body_is_cut() -> None:
    for path in sorted(SHARED.glob("*/*.txt")):
        text = path.read_bytes().decode("utf-8", "surrogateescape")
        lines, ignored = new_text(text)
        assert len(lines) + sum(ignored.values()) <= len(text.splitlines()), path.name
        assert not any(line.text.lstrip().startswith(">") for line in lines), path.name


def test_every_html_body_is_read() -> None:
    for path in sorted(SHARED.glob("*/*.html")):
        assert html_lines(path.read_bytes().decode("utf-8", "replace")), path.name


def test_most_delivery_reports_are_recognised() -> None:
    """117 reports that other programs learned from; what is left are answering machines and lists."""
    mails = [read_mail(path.read_bytes()) for path in sorted(SHARED.glob("flufl-bounce/*.eml"))]
    assert sum(bool(got.machine) for got in mails) >= 0.9 * len(mails)
    assert sum(bool(got.bounce and got.bounce.addresses) for got in mails) >= 0.6 * len(mails)
