"""Real mails lying beside the repository (see MODERATOR_CORPORA); without them these tests are skipped."""

from __future__ import annotations

import time
from pathlib import Path

from moderator.mail.html_text import html_lines
from moderator.mail.inbound import read_mail
from tests.beside import CORPORA, needs_corpora
from tests.mail.new_text import new_text

pytestmark = needs_corpora


def test_german_replies_are_exact() -> None:
    def check(path: Path) -> None:
        lines, _ = new_text(path.with_name(path.name.replace(".expected", "")).read_bytes().decode())
        assert "\n".join(line.text for line in lines) == path.read_text(encoding="utf-8").strip("\n")

    expected = sorted(CORPORA.glob("own-german/*.expected.txt"))
    assert len(expected) >= 20
    for case in expected:
        check(case)


def test_every_mail_is_read_quickly() -> None:
    paths = sorted(CORPORA.glob("*/*.eml"))
    assert len(paths) > 100
    for path in paths:
        data = path.read_bytes()
        start = time.process_time()
        got = read_mail(data)
        assert time.process_time() - start < 2.0, path.name
        assert got.machine or not got.bounce, path.name


def test_every_body_is_cut() -> None:
    for path in sorted(CORPORA.glob("*/*.txt")):
        text = path.read_bytes().decode("utf-8", "surrogateescape")
        lines, ignored = new_text(text)
        assert len(lines) + sum(ignored.values()) <= len(text.splitlines()), path.name
        assert not any(line.text.lstrip().startswith(">") for line in lines), path.name


def test_every_html_body_is_read() -> None:
    for path in sorted(CORPORA.glob("*/*.html")):
        assert html_lines(path.read_bytes().decode("utf-8", "replace")), path.name


def test_most_delivery_reports_are_recognised() -> None:
    """117 reports that other programs learned from; what is left are answering machines and lists."""
    mails = [read_mail(path.read_bytes()) for path in sorted(CORPORA.glob("flufl-bounce/*.eml"))]
    assert sum(bool(got.machine) for got in mails) >= 0.9 * len(mails)
    assert sum(bool(got.bounce and got.bounce.addresses) for got in mails) >= 0.6 * len(mails)
