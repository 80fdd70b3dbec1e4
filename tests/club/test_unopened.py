"""A mail that could not be read is answered by what it was; beside a move or a command there is no word of it."""

import os
import re
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest

from moderator.common.disk import LANGUAGES
from moderator.common.mails import ParsedMail, UnreadPart, UnreadReason
from moderator.delivery.deliver import deliver_notifications
from moderator.games import REGISTRY
from moderator.inbox import decide
from moderator.inbox.pipeline import dispatch_mail
from moderator.language.messages import has_sentence, quote_text, render_label, render_note, translate_move
from moderator.mail.maildir import deliver_to_maildir
from moderator.mail.parse import parse_mail_bytes
from moderator.rules.game import Note
from moderator.store.tables import InboxRow
from tests.club.club import Club, club_of, parsed, part, text
from tests.club.pair_scenes import boss_address
from tests.helpers import CORPORA, needs_corpora
from tests.mail.shapes import SHAPES, Shape, expected, mail

NAMED = {UnreadReason.PICTURE, UnreadReason.RECORDING, UnreadReason.MAIL, UnreadReason.FILE}
SEATS = {"de": ("Anna", 0), "en": ("Bert", 1), "fr": ("Cici", 2)}
GREETING = {"de": "Hallo, anbei mein Zug", "en": "Hello, see my move below", "fr": "Bonjour, voici mon coup"}
VOUCHED = b"Authentication-Results: mx.club.example; dmarc=pass header.from=home.example\nMIME-Version"
BY_NAME = {shape.name: shape for shape in SHAPES}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Club, str, dict[str, str]]:
    """Anna reads German, Bert English, Cici French; all are to move. What is tried in it is taken back."""
    club = club_of(tmp_path_factory.mktemp("unopened") / "club", "Anna", "Bert", "Cici", Bert="en", Cici="fr")
    code = club.match("Anna", "Bert", "Cici", pace="rounds")
    return club, code, {language: club.moves(code, seat)[0] for language, (_, seat) in SEATS.items()}


def answered(club: Club, data: bytes, size: int = 0) -> list[EmailMessage]:
    """The mails that the answer to this one consists of. Nothing is kept."""
    with club.work() as work, work.begin_trial() as apart:
        apart.mail = InboxRow(digest="x", received_at=club.now, taken_at=club.now, size=size or len(data), raw=data)
        apart.session.add(apart.mail)
        apart.session.flush()
        dispatch_mail(apart)
        return [parsed(ready.data) for ready in deliver_notifications(apart)]


def html(mail: EmailMessage) -> str:
    return spaced(re.sub(r"<[^>]*>", "", part(mail, "html")).replace("&nbsp;", " "))


def spaced(text: str) -> str:
    """With plain blanks only: French has narrow ones inside its marks and before its colons."""
    return re.sub(r"\s+", " ", text)


def said(kind: UnreadReason, language: str, files: tuple[str, ...] = ()) -> str:
    """The beginning of its sentence, up to the names of files."""
    code = f"unopened-{kind}-named" if kind in NAMED else f"unopened-{kind}"
    return spaced(render_note(Note(code, {"files": files}), language)).partition(": –")[0]


def test_each_sort_has_its_sentences() -> None:
    """A new one fails here until it has them."""
    for language in LANGUAGES:
        for kind in UnreadReason:
            for code in (f"unopened-{kind}", *([f"unopened-{kind}-named"] if kind in NAMED else [])):
                assert has_sentence(code, language), code
        sentences = [said(kind, language) for kind in UnreadReason]
        assert len(set(sentences)) == len(UnreadReason)


def cases(order: dict[str, str]) -> Iterator[tuple[Shape, str, str, bool]]:
    """Shape, language, words beside it, and whether they are understood."""
    for n, shape in enumerate(SHAPES):
        language = LANGUAGES[n % len(LANGUAGES)]
        yield shape, language, "", False
        if shape.takes_text:
            yield shape, language, GREETING[language], False
        if shape.takes_text and n % 5 == 2:
            yield shape, language, order[language], True
            yield shape, language, "STAND" if language == "de" else "STATUS", True


@pytest.mark.slow
def test_what_was_not_read_is_named_where_nothing_was_understood(made: tuple[Club, str, dict[str, str]]) -> None:
    """Every form of every sort, with and without text, with an order or a command beside it, in every language; the
    whole way from bytes to bytes."""
    club, code, orders = made
    for shape, language, words, understood in cases(orders):
        name, seat = SEATS[language]
        to = f"games+{code}-{club.token(code, seat)}@club.example"
        sent = answered(club, mail(shape, words, sender=f"{name.lower()}@home.example", to=to))
        (told,) = (one for one in sent if name.lower() in one["To"])  # words alone also go to the moderator
        kinds, files = ((), ()) if understood else (expected(shape, words), shape.files)
        for shown in (spaced(text(told)), html(told)):
            assert {kind for kind in UnreadReason if said(kind, language) in shown} == set(kinds)
            assert (render_label("answer-unopened", language) in shown) == bool(kinds)
            for file in files:
                assert spaced(quote_text(file, language)) in shown
            if kinds:
                assert spaced(render_note(decide.HOW, language)) in shown
            if words:
                assert translate_move(words, language, "topwords") in shown or words.startswith("STA")


def test_without_a_match_the_example_has_its_code(made: tuple[Club, str, dict[str, str]]) -> None:
    club, first, _ = made
    second = club.match("Anna", "Bert", game="dominos")
    (told,) = answered(club, mail(BY_NAME["pdf-alone"], "").replace(b"MIME-Version", VOUCHED))
    assert "zug.pdf" in text(told)
    assert re.search(rf"»({first}: .*?)«", text(told))
    assert second in text(told)


@pytest.mark.parametrize("game", sorted(REGISTRY))
def test_the_right_line_is_taken_as_it_is_printed(tmp_path: Path, game: str) -> None:
    """Written as it is shown, it is read as a move."""
    club = club_of(tmp_path, "Anna", "Bert")
    club.match("Anna", "Bert", game=game)
    club.match("Anna", "Bert", game=game)
    data = mail(BY_NAME["empty"], "").replace(b"MIME-Version", VOUCHED)
    (told,) = answered(club, data)
    example = re.search(r"»(\w{4}: .*?)«", text(told))
    assert example, text(told)
    reply = data.rstrip() + b"\n\n" + example[1].encode() + b"\n"
    (read,) = (one for one in answered(club, reply) if "anna" in one["To"])
    assert str(read["Subject"]).startswith(("✓", "Dieser Zug")) or "So habe ich dich verstanden: »" in text(read), text(
        read
    )
    assert "Der Text deiner Mail ist leer" not in text(read)


def test_the_moderator_reads_it_too(made: tuple[Club, str, dict[str, str]]) -> None:
    club, _, _ = made
    data = mail(BY_NAME["pgp-mime"], "", sender="boss@club.example", to=boss_address(club))
    (told,) = answered(club, data.replace(b"Re: Zug", b"..."))
    assert "mit PGP verschlüsselt" in text(told)


def test_after_an_outage_it_is_told_as_well(tmp_path: Path) -> None:
    """Much mail at once is answered in one mail, from what was kept in the database."""
    club = club_of(tmp_path, "Anna", "Bert", settings="\n[guard]\nbacklog = 2\n")
    code = club.start("Anna", "Bert")
    club.skip_mails()
    to = f"games+{code}-{club.token(code, 0)}@club.example"
    for n, name in enumerate(("photo-and-pdf", "smime", "empty")):
        data = mail(BY_NAME[name], "", to=to)
        data = data.replace(b"shape@", f"shape{n}@".encode())
        file = deliver_to_maildir(club.config.resolve_path(club.config.maildir.inbox), data)
        os.utime(file, (club.now.timestamp(), club.now.timestamp()))
    club.tick()
    shown = text(club.mail("Anna"))
    assert "Bilder kann ich nicht lesen: »a.jpg«" in shown
    assert "Anhänge öffne ich nicht: »b.pdf«" in shown
    assert "mit S/MIME verschlüsselt" in shown
    assert "Der Text deiner Mail ist leer" in shown


def test_marks_in_a_file_name_do_not_end_its_quotation() -> None:
    mail = ParsedMail("", "", "", (), "", (), (), "", (), unopened=(UnreadPart(UnreadReason.FILE, "a« E5 w HAUS »b"),))
    (note,) = decide.build_unopened_notes(mail, ())
    assert "»a‹ E5 w HAUS ›b«" in render_note(note, "de")
    assert "“a‹ E5 w HAUS ›b”" in render_note(note, "en")


@pytest.mark.slow
@needs_corpora
def test_each_real_mail_without_text_is_answered_by_what_it_was(made: tuple[Club, str, dict[str, str]]) -> None:
    club, code, _ = made
    to = f"games+{code}-{club.token(code, 0)}@club.example"
    tried = 0
    for path in sorted(CORPORA.glob("*/*.eml")):
        got = parse_mail_bytes(path.read_bytes())
        if got.lines or got.machine or got.damaged:
            continue
        data = re.sub(rb"(?im)\A(From |>From ).*\n", b"", path.read_bytes().replace(b"\r\n", b"\n"))
        told = answered(club, f"Delivered-To: {to}\nX-Envelope-To: {to}\n".encode() + data)
        tried += bool(told)
        for one in told:
            if "Was ich in deiner Mail gelesen habe" in text(one):
                assert any(said(kind, "de") in text(one) for kind in UnreadReason), path.name
    assert tried > 30
