"""Every mail in German and in English, some in further languages, word for word, and of its HTML how it is built; and
every mail in every language suits mail programs.

MODERATOR_REGOLD=1 writes the files anew; then look at the diff.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from moderator.common.disk import LANGUAGES
from moderator.common.enums import MailKind
from moderator.common.mails import RenderedMail
from moderator.language.messages import has_sentence
from moderator.notifications.content import NewAddress
from moderator.notifications.pages import WITHOUT_PAGE, Page
from moderator.render.mail import SECTIONS
from moderator.rules.game import Note
from tests.pages.all_pages import mail, names, pages
from tests.pages.sample_pages import turn

GOLDEN = Path(__file__).parent.parent / "golden"
BUILT = GOLDEN / "html.txt"
REGOLD = os.environ.get("MODERATOR_REGOLD") == "1"
WHOLE = {
    "de": frozenset({
        "backlog", "boss-judged", "calendar", "confirm", "correction", "cup-table-14", "digest", "domijongg-end",
        "domijongg-history", "domijongg-rack", "news-leave", "point-round", "protest", "repeated", "recht-rules",
        "recht-start", "reminder", "ruled", "signup", "turn", "turn-common", "welcome",
    }),
    "en": frozenset({
        "address-changed", "ask-resign", "board-table", "cup-report-swiss-archive",
        "closed", "cup-final-league", "domijongg-help", "dominos-status-table",
        "done", "notice", "official", "overview", "receipt-unopened", "referee-extended", "ruling", "turn-text",
        "review", "unread", "end-archive", "puzzle",
    }),
}  # fmt: skip
"""Mails whose HTML is kept as it is sent; of all others a line of html.txt says how it is built."""
SOME = {
    "fr": frozenset({
        "turn", "start", "receipt-stored", "help", "dominos-turn", "dominos-end", "recht-refused", "overview",
        "digest", "welcome", "misused-settings", "cup-invite-swiss", "cup-report-swiss", "ruling", "review",
    }),
}  # fmt: skip
"""Of further languages only these are kept, so that a change of sentences is read twice and not more often."""


def golden(language: str, name: str) -> dict[str, str]:
    """What is kept of a mail, by the name of its file."""
    made = mail(language, name)
    attached = "".join(f"<{file.name}: {file.kind}>\n" for file in made.files)
    kept = {f"{language}/{name}.txt": f"Subject: {made.subject}\n{attached}\n{made.text}"}
    if name in WHOLE.get(language, ()):
        kept[f"{language}/{name}.html"] = made.html
    return kept


def read(file: Path) -> str:
    return file.read_text(encoding="utf-8") if file.exists() else ""


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8", newline="\n")


@pytest.mark.slow
@pytest.mark.parametrize("language", [*WHOLE, *SOME])
def test_every_mail_says_what_it_said(language: str) -> None:
    made: dict[str, str] = {}
    for name in names() if language in WHOLE else SOME[language]:
        made |= golden(language, name)
    if REGOLD:
        for file, text in made.items():
            write(GOLDEN / file, text)
    changed = {file: text for file, text in made.items() if read(GOLDEN / file) != text}
    assert changed == {file: read(GOLDEN / file) for file in changed}, "MODERATOR_REGOLD=1 if that is meant"
    left_over = {f"{file.parent.name}/{file.name}" for file in (GOLDEN / language).iterdir()} - made.keys()
    assert left_over == set()


class Html(HTMLParser):
    """What a mail program may or may not do with it, and how it is built."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.built: list[str] = []
        """Tags with their classes, links and figures, in order."""
        self.words: list[str] = []
        self.parts: set[str] = set()
        self.links: list[str] = []
        self.unstyled: list[str] = []
        self.images: list[dict[str, str | None]] = []
        self.open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.built.append(f"{tag} {sorted((key, values[key]) for key in values if key not in ('style', 'alt'))}")
        self.parts.add(".".join([tag, *(values.get("class") or "").split()]))
        self.links += [link for key in ("href", "src", "background") if (link := values.get(key))]
        if values.get("class") not in (None, "t", "m", "plain") and "style" not in values:
            self.unstyled.append(f"{tag}.{values['class']}")
        self._say(values.get("alt") or "")
        if tag == "img":
            self.images.append(values)
        elif tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        self.built.append(f"/{tag}")

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self._say(data)

    def _say(self, text: str) -> None:
        words = re.findall(r"\w+", text)
        self.words += words
        self.built += [word for word in words if word.isdigit()]


def summary(html: Html, text: str) -> str:
    """One line: a digest of how it is built, and the words that stand in the HTML and nowhere in the text."""
    said = set(re.findall(r"\w+", text))
    only_here = dict.fromkeys(word for word in html.words if word not in said)
    return " ".join([hashlib.sha256("\n".join(html.built).encode()).hexdigest()[:16], *only_here])


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_mail_suits_every_program_and_its_html_is_built_as_before(language: str) -> None:
    """Where it is built in another way, the same change is seen in full in the ``html`` files of the mails in WHOLE."""
    built: dict[str, str] = {}
    parts: set[str] = set()
    for name in names():
        page, made = pages(language)[name], mail(language, name)
        html = Html(made.html)
        parts |= html.parts
        try:
            check_mail(page, made, html)
        except AssertionError as wrong:
            wrong.add_note(f"in {language}/{name}")
            raise
        built[f"{language}/{name}"] = summary(html, made.text)
    if language not in WHOLE:
        return
    kept_whole = [read(GOLDEN / language / f"{name}.html") for language, kept in WHOLE.items() for name in kept]
    assert parts == {part for html in kept_whole for part in Html(html).parts}, "WHOLE shows every part of a mail"
    built = {name: line for name, line in built.items() if name.partition("/")[2] not in WHOLE[language]}
    before = dict(line.split(" ", 1) for line in read(BUILT).splitlines())
    others = {name: line for name, line in before.items() if not name.startswith(f"{language}/")}
    if REGOLD:
        write(BUILT, "".join(f"{name} {line}\n" for name, line in sorted({**others, **built}.items())))
    changed = [name for name in {**before, **built} if {**others, **built}.get(name) != before.get(name)]
    assert not changed, "MODERATOR_REGOLD=1 if that is meant"


def check_mail(page: Page, made: RenderedMail, html: Html) -> None:
    language = page.reader.language
    for line in made.text.splitlines():
        assert line == line.rstrip()
        assert not line.startswith((">", "From "))
    assert "\n\n\n" not in made.text
    assert "##- " in made.text
    assert not {note.code for note in notes(page) if not has_sentence(note.code, language, page.game)}
    for said in (made.subject, made.text, made.html.split("</head>")[1]):
        assert not set("{}") & set(said)
        assert "–, –" not in said
    assert html.open == []
    elsewhere = {link for link in html.links if not link.startswith(("mailto:", "cid:"))}
    assert elsewhere == ({page.archive} if page.archive else set())
    assert html.unstyled == [], "a class without inline style: mail.css has no rule for it"
    assert {f"cid:{cid}" for cid in made.images} == {image["src"] for image in html.images}
    # The name of a tile is printed below it.
    assert all(len(image["alt"] or "") > 20 or "cid:tile-" in (image["src"] or "") for image in html.images)
    assert f'lang="{language}"' in made.html
    assert "@media (prefers-color-scheme: dark)" in made.html
    assert len(made.html.encode()) < 60_000


def notes(page: Page) -> Iterator[Note]:
    """Every note that the page holds."""
    yield from page.notes
    for report in page.reports:
        yield from (*report.notes, *report.then, *(failed.reason for failed in report.failed))
    for line in page.receipt.lines if page.receipt else ():
        yield from line.notes


def test_every_kind_of_mail_has_a_sample_whose_html_is_kept_whole() -> None:
    kinds = set(MailKind) - WITHOUT_PAGE
    assert {page.kind for page in pages("de").values()} == {page.kind for page in pages("en").values()} == kinds
    assert {pages("de")[name].kind for kept in WHOLE.values() for name in kept} == kinds


def test_what_is_kept_is_of_languages_and_of_all_mails_together() -> None:
    found = {str(file.relative_to(GOLDEN)) for file in GOLDEN.iterdir()}
    assert found == {*WHOLE, *SOME, BUILT.name, "headlines.txt"}  # see test_headline.py


def test_each_kind_of_mail_has_sections() -> None:
    assert SECTIONS.keys() == set(MailKind) - WITHOUT_PAGE


def test_a_page_says_what_its_kind_declares() -> None:
    with pytest.raises(TypeError, match="A mail confirm says"):
        turn("de", kind=MailKind.CONFIRM)
    with pytest.raises(TypeError, match="A mail turn says None"):
        turn("de", content=NewAddress(asks=True))
