"""What a mail holds that is not read: each sort in each form in which programs send it."""

from __future__ import annotations

import time

import pytest

from moderator.mail.inbound import read_mail, without_ciphertext
from moderator.mail.model import Unopened
from tests.beside import CORPORA, needs_corpora
from tests.mail.shapes import BLOB, SHAPES, Shape, beside, expected, file, mail

NOTHING = {Unopened.HTML, Unopened.QUOTED, Unopened.EMPTY}


def test_every_sort_is_found_in_every_form() -> None:
    assert {kind for shape in SHAPES for kind in (*shape.kinds, *shape.alone)} == set(Unopened)

    def check(case: tuple[Shape, str]) -> None:
        shape, text = case
        got = read_mail(mail(shape, text))
        assert [line.text for line in got.lines] == ([text] if text and shape.takes_text else []), shape.name
        assert tuple(dict.fromkeys(left.kind for left in got.unopened)) == expected(shape, text), shape.name
        if shape.files:
            assert tuple(left.name for left in got.unopened) == shape.files, shape.name

    for case in [(shape, text) for shape in SHAPES for text in ("", "Hallo", "E5 w HAUS")]:
        check(case)


def test_of_a_mail_whose_beginning_is_there_the_files_are_known() -> None:
    data = mail(Shape("", (), (), beside(file("image/jpeg", "IMG_1.jpg", content=BLOB * 3))), "E5 w HAUS")[:64_000]
    got = read_mail(data, full=False)
    assert got.damaged == "truncated"
    assert [(left.kind, left.name) for left in got.unopened] == [(Unopened.PICTURE, "IMG_1.jpg")]


def test_cipher_is_no_text() -> None:
    """Not even a line of it that looks like a move; a quoted one is the quote's, and what follows is read."""
    lines = ["-----BEGIN PGP MESSAGE-----", "E5 w HAUS", "-----END PGP MESSAGE-----", "C3 s MOND"]
    assert without_ciphertext([(line, "") for line in lines]) == ([("C3 s MOND", "")], 3)
    quoted = [(line, "quote") for line in lines]
    assert without_ciphertext(quoted) == (quoted, 0)  # type: ignore[comparison-overlap,arg-type]


@pytest.mark.parametrize("name", ["zug\r\nBcc: x.pdf", "=?utf-8?q?z=C3=BCg=E2=80=AE.pdf?=", "x" * 5000, "\x00\x1b[1m"])
def test_a_file_name_is_one_short_line(name: str) -> None:
    got = read_mail(mail(Shape("", (), (), beside(file("application/pdf", name))), "Hallo"))
    for left in got.unopened:
        assert len(left.name) <= 80
        assert "\n" not in left.name


@pytest.mark.parametrize("unit", ["<!-- ", "<style>", "<", "<a ", "&a", "<img", "</style", "<style", "&" + "a" * 29])
def test_html_of_nothing_is_looked_at_in_linear_time(unit: str) -> None:
    source = f"Content-Type: text/html\n\n<div hidden>{unit * (400_000 // len(unit))}"
    start = time.process_time()
    read_mail(source.encode())
    assert time.process_time() - start < 4


@needs_corpora
def test_of_all_real_mails_none_without_lines_goes_unnamed() -> None:
    """More than fifty of them have no text to read: each says why, or is told that it is damaged."""
    silent = 0
    for path in sorted(CORPORA.glob("*/*.eml")):
        got = read_mail(path.read_bytes())
        if got.lines:
            assert not NOTHING & {left.kind for left in got.unopened}, path.name
            continue
        silent += 1
        assert got.unopened or got.damaged or got.machine, path.name
    assert silent > 50
