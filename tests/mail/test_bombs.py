"""Mails made to hurt (see bombs.py): an answer comes soon. And what of a mail is not read (see shapes.py)."""

import time
import unicodedata
from itertools import product

import pytest

from moderator.common.mails import ParsedMail, UnreadReason
from moderator.mail.parse import drop_ciphertext, parse_mail_bytes
from tests.fuzz.targets import clean, texts
from tests.mail.bombs import BOMBS, HEAD, build
from tests.mail.shapes import BLOB, SHAPES, Shape, beside, expected, file, mail

GUARD = 4.0
"""Seconds of processor time; on a machine with nothing else to do the slowest takes one."""


def quick(data: bytes) -> ParsedMail:
    start = time.process_time()
    got = parse_mail_bytes(data)
    assert time.process_time() - start < GUARD
    return got


@pytest.mark.matrix("bombs", seconds=1)
@pytest.mark.parametrize("name", BOMBS)
def test_every_bomb_is_read_soon_and_gives_clean_text(name: str) -> None:
    assert [text[:80] for text in texts(quick(build(name))) if not clean(text)] == []


@pytest.mark.parametrize(
    "name",
    [
        "1,000 multiparts", "1,000 multiparts, closed", "1,000 mails", "lines in multiparts", "lines in 20 multiparts",
        "50,000 parts", "parts without a head", "status in a mail",
    ],
)  # fmt: skip
def test_a_mail_of_parts_without_end_is_read_by_its_head(name: str) -> None:
    got = quick(build(name))
    assert (got.lines, got.damaged, got.ignored) == ((), "nested", {"unparsable": 1})
    assert got.sender == "anna@home.example"


@pytest.mark.parametrize(
    "name", [name for name in BOMBS if "From" in name and name not in ("umlauts in From", "nul in a name")]
)
def test_a_strange_sender_is_none(name: str) -> None:
    assert quick(build(name)).sender == ""


def test_an_address_may_have_umlauts_and_a_name_loses_what_is_not_seen() -> None:
    assert quick(build("umlauts in From")).sender == "änna@xn--hm-cja4c.example"
    got = quick(build("nul in a name"))
    assert (got.sender, got.sender_name[:4]) == ("anna@home.example", "Anna")


@pytest.mark.parametrize(
    "name",
    ["5,000 parameters", "5,000 split parameters", "semicolons in a type", "backslashes in a type", "header of 10 MB"],
)
def test_the_text_below_a_long_header(name: str) -> None:
    assert [line.text for line in quick(build(name)).lines] == ["E5 w HAUS"]


@pytest.mark.slow
def test_what_is_beyond_the_limits_is_counted_and_what_is_below_is_read() -> None:
    data = HEAD + b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * 9000 + b"--b--\n"
    assert len(quick(data).lines) == 9000
    got = quick(build("10,000 order lines"))
    assert len(got.lines) == 10_000
    assert got.lines[-1].number == 10_000
    got = quick(build("large base64"))
    assert len(got.lines) == 1_000_000 // 56
    assert got.ignored == {"too-long": 270_001 - len(got.lines)}
    got = quick(HEAD + b"\n" + b"x\n" * 30_000)
    assert (len(got.lines), got.ignored) == (20_000, {"too-long": 10_001})


def test_a_line_beyond_the_limit_is_not_cut_in_two_nor_a_decomposed_umlaut() -> None:
    got = quick(HEAD + b"\nE5 w HAUS\n" + b"C3 s MOND " * 120_000 + b"\nA1 w EIS\n")
    assert [line.text for line in got.lines] == ["E5 w HAUS"]
    assert got.ignored == {"too-long": 3}
    for before in range(195, 205):
        line = "x" * before + unicodedata.normalize("NFD", "Ä" * 300)
        got = quick(HEAD + b"Content-Type: text/plain; charset=utf-8\n\n" + line.encode() + b"\n")
        assert [line.text for line in got.lines] == ["x" * before + "Ä" * 300]


# ---- what a mail holds that is not read: each sort in each form in which programs send it ----


def test_every_sort_is_found_in_every_form() -> None:
    assert {kind for shape in SHAPES for kind in (*shape.kinds, *shape.alone)} == set(UnreadReason) - {
        UnreadReason.BELOW
    }
    for shape, text in product(SHAPES, ("", "Hallo", "E5 w HAUS")):
        got = parse_mail_bytes(mail(shape, text))
        assert [line.text for line in got.lines] == ([text] if text and shape.takes_text else []), shape.name
        assert tuple(dict.fromkeys(left.kind for left in got.unopened)) == expected(shape, text), shape.name
        if shape.files:
            assert tuple(left.name for left in got.unopened) == shape.files, shape.name


def test_of_a_mail_whose_beginning_is_there_the_files_are_known() -> None:
    data = mail(Shape("", (), (), beside(file("image/jpeg", "IMG_1.jpg", content=BLOB * 3))), "E5 w HAUS")[:64_000]
    got = parse_mail_bytes(data, full=False)
    assert got.damaged == "truncated"
    assert [(left.kind, left.name) for left in got.unopened] == [(UnreadReason.PICTURE, "IMG_1.jpg")]


def test_cipher_is_no_text() -> None:
    """Not even a line of it that looks like a move; a quoted one is the quote's, and what follows is read."""
    lines = ["-----BEGIN PGP MESSAGE-----", "E5 w HAUS", "-----END PGP MESSAGE-----", "C3 s MOND"]
    assert drop_ciphertext([(line, "") for line in lines]) == ([("C3 s MOND", "")], 3)
    quoted = [(line, "quote") for line in lines]
    assert drop_ciphertext(quoted) == (quoted, 0)  # type: ignore[comparison-overlap,arg-type]


@pytest.mark.parametrize("name", ["zug\r\nBcc: x.pdf", "=?utf-8?q?z=C3=BCg=E2=80=AE.pdf?=", "x" * 5000, "\x00\x1b[1m"])
def test_a_file_name_is_one_short_line(name: str) -> None:
    got = parse_mail_bytes(mail(Shape("", (), (), beside(file("application/pdf", name))), "Hallo"))
    for left in got.unopened:
        assert len(left.name) <= 80
        assert "\n" not in left.name
