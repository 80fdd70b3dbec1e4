"""Every mail in German and in English, some in further languages, word for word, and of its HTML how it is built.

MODERATOR_REGOLD=1 writes the files anew; then look at the diff.
"""

from __future__ import annotations

import os
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from moderator.pages.flow import HOLD
from moderator.pages.messages import known
from moderator.pages.pages import WITHOUT_PAGE
from moderator.paths import LANGUAGES
from moderator.states import MailKind
from tests.pages import match_pages
from tests.pages.all_pages import mail, names, pages
from tests.pages.skeleton import Skeleton, summary

GOLDEN = Path(__file__).parent.parent / "golden"
SKELETONS = GOLDEN / "html.txt"
REGOLD = os.environ.get("MODERATOR_REGOLD") == "1"
IN_EVERY = pytest.mark.parametrize("language", LANGUAGES)

WHOLE = {
    "de": (
        *("backlog", "boss-judged", "calendar", "confirm", "correction", "cup-table-14", "digest", "domijongg-end"),
        *(
            "domijongg-history",
            "domijongg-rack",
            "news-leave",
            "point-round",
            "protest",
            "repeated",
            "recht-rules",
            "recht-start",
            "reminder",
        ),
        *("ruled", "signup", "turn", "turn-common", "welcome"),
    ),
    "en": (
        *("address-changed", "board-table", "closed", "cup-final-league", "domijongg-help", "dominos-status-table"),
        *("done", "notice", "official", "overview", "receipt-unopened", "referee-extended", "ruling", "turn-text"),
        *("review", "unread", "end-archive", "puzzle"),
    ),
}
"""Mails whose HTML is kept as it is sent; of all others a line of SKELETONS says how it is built."""
SOME = {
    "fr": (
        *(
            "turn",
            "start",
            "receipt-stored",
            "help",
            "dominos-turn",
            "dominos-end",
            "recht-refused",
            "overview",
            "digest",
        ),
        *("welcome", "misused-settings", "cup-invite-swiss", "cup-report-swiss", "ruling", "review"),
    ),
}
"""Of further languages only these are kept, so that a change of sentences is read twice and not more often."""


def kept(language):
    return names() if language in WHOLE else SOME[language]


@pytest.mark.slow
@pytest.mark.parametrize("language", [*WHOLE, *SOME])
def test_golden(language):
    for name in kept(language):
        compare(language, name)


def compare(language, name):
    made = mail(language, name)
    attached = "".join(f"<{file.name}: {file.kind}>\n" for file in made.files)
    found = {"txt": f"Subject: {made.subject}\n{attached}\n{made.text}"}
    if name in WHOLE.get(language, ()):
        found["html"] = made.html
    for ending, text in found.items():
        same(GOLDEN / language / f"{name}.{ending}", text)


def same(file, text):
    if REGOLD:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")
    assert file.read_text(encoding="utf-8") == text, f"{file.name} changed; MODERATOR_REGOLD=1 if that is meant"


@pytest.mark.slow
def test_html_is_built_as_before():
    """One that fails: the same change is seen in full in the ``html`` files of the mails in WHOLE."""
    built = {
        f"{language}/{name}": summary(mail(language, name).html, mail(language, name).text)
        for language in WHOLE
        for name in names()
        if name not in WHOLE[language]
    }
    if REGOLD:
        SKELETONS.write_text(
            "".join(f"{name} {line}\n" for name, line in built.items()), encoding="utf-8", newline="\n"
        )
    kept = dict(line.split(" ", 1) for line in SKELETONS.read_text(encoding="utf-8").splitlines())
    changed = sorted(name for name in kept.keys() | built.keys() if kept.get(name) != built.get(name))
    assert not changed, "MODERATOR_REGOLD=1 if that is meant"


def test_the_whole_ones_show_every_part_of_a_mail():
    kept = [(language, name) for language, kept in WHOLE.items() for name in kept]
    assert {pages(language)[name].kind for language, name in kept} == set(MailKind) - WITHOUT_PAGE
    everywhere = {part for name in names() for part in Skeleton(mail("de", name).html).parts}
    assert {part for language, name in kept for part in Skeleton(mail(language, name).html).parts} == everywhere


def test_no_golden_file_is_left_over():
    expected = {f"{language}/{name}.txt" for language in (*WHOLE, *SOME) for name in kept(language)}
    expected |= {f"{language}/{name}.html" for language, kept in WHOLE.items() for name in kept} | {SKELETONS.name}
    expected.add("headlines.txt")  # see test_headline.py
    assert {str(file.relative_to(GOLDEN)) for file in GOLDEN.rglob("*.*")} == expected


def test_every_kind_has_a_sample():
    assert {page.kind for page in pages("de").values()} == set(MailKind) - WITHOUT_PAGE


@IN_EVERY
def test_text_part_suits_every_mail_program(language):
    def suits(name):
        text = mail(language, name).text
        for line in text.splitlines():
            of_a_table = HOLD in line and " " not in line
            assert len(line) <= (78 if of_a_table else 62), line
            assert line == line.rstrip()
            assert not line.startswith((">", "From "))
        assert "\n\n\n" not in text
        assert "##- " in text

    for case in names():
        suits(case)


def notes(page):
    """Every note that the page holds."""
    yield from page.notes
    for report in page.reports:
        yield from (*report.notes, *report.then, *(failed.reason for failed in report.failed))
    for line in page.receipt.lines if page.receipt else ():
        yield from line.notes


@IN_EVERY
def test_everything_is_said_in_words(language):
    def is_said(name):
        page, made = pages(language)[name], mail(language, name)
        unsaid = {note.code for note in notes(page) if not known(note.code, language, page.game)}
        assert not unsaid
        css_left_out = made.html.split("</head>")[1]
        for text in (made.subject, made.text, css_left_out):
            assert not set("{}") & set(text)
            assert "–, –" not in text

    for case in names():
        is_said(case)


class Reader(HTMLParser):
    """Collects what a mail program may or may not do with the HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.open: list[str] = []
        self.unstyled: list[str] = []
        self.images: list[dict[str, str | None]] = []

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.links += [values[key] for key in ("href", "src", "background") if values.get(key)]
        if tag == "img":
            self.images.append(values)
        if values.get("class") not in (None, "t", "m", "plain") and "style" not in values:
            self.unstyled.append(f"{tag}.{values['class']}")
        if tag not in ("meta", "img", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@IN_EVERY
def test_html_part_suits_every_mail_program(language):
    for name in names():
        suits(mail(language, name), pages(language)[name].archive, language)


def suits(made, archive, language):
    reader = Reader()
    reader.feed(made.html)
    assert reader.open == []
    elsewhere = {link for link in reader.links if not link.startswith(("mailto:", "cid:"))}
    assert elsewhere == ({archive} if archive else set())
    assert reader.unstyled == [], "a class without inline style: mail.css has no rule for it"
    assert {f"cid:{cid}" for cid in made.images} == {image["src"] for image in reader.images}
    assert all(len(image["alt"] or "") > 20 for image in reader.images)
    assert f'lang="{language}"' in made.html
    assert "<svg" not in made.html
    assert "@media (prefers-color-scheme: dark)" in made.html
    assert len(made.html.encode()) < 60_000


def test_subject_says_the_news_and_names_the_round_and_ends_with_the_token():
    assert mail("de", "turn").subject == "Du bist am Zug: Topwords „Arratia“, Runde 7 [K7Q2-8J3MZP4QXA]"


@pytest.mark.parametrize(
    ("name", "headline"),
    [
        ("receipt-stored", "Dein Zug zählt"),
        ("receipt-stored-ahead", "Dein Zug zählt, sobald du dran bist"),
        ("receipt-refused", "Dein Zug zählt NICHT"),
        ("receipt-held", "Dein Zug wartet auf den Spielleiter"),
    ],
)
def test_receipt_says_at_once_what_counts(name, headline):
    made = mail("de", name)
    assert made.text.startswith(headline + ".")
    assert f">{headline}</h1>" in made.html


def test_without_commands_for_moves_the_last_move_and_heights_are_in_the_alt_text():
    html = mail("de", "turn").html
    alt = html.split('alt="')[1].split('"')[0]
    assert "Anna legt »D5 s RATTE«, 21 Punkte" in alt
    assert "R D5, T D8" in alt
    assert "F3 H5" in alt


@pytest.mark.parametrize("key", [key for key in match_pages.TILE_GAMES if key not in match_pages.WORD_GAMES])
@pytest.mark.parametrize(
    ("language", "conditions", "standing", "single"),
    [
        ("de", r"»[^«]+ ab \d+«", "»nach Ziehen: bester«", "»Einzelzug an«"),
        ("en", r"“[^”]+ (?:from|at least) \d+”", "“after drawing: best”", "“auto single on”"),
    ],
)
def test_the_help_names_all_that_a_player_may_write(key, language, conditions, standing, single):
    text = " ".join(mail(language, f"{key}-help").text.split())
    assert re.search(conditions, text)
    assert (standing in text) == known("no-draw", language, key)
    assert single in text
    assert ("»ZURÜCKZIEHEN«" if language == "de" else "“WITHDRAW”") in text


def test_the_line_of_a_mail_changes_with_what_is_built_and_with_what_only_the_html_says():
    html = '<p class="t">Anna hat <b>21 Punkte</b></p>'
    line = summary(html, "Anna hat 21 Punkte")
    assert line == summary(html.replace("hat", "macht"), "Anna macht 21 Punkte")
    assert line == summary(html.replace('"t"', '"t" style="color: red"'), "Anna hat 21 Punkte")
    for old, new in [("21", "12"), ('"t"', '"m"'), ("<b>", "<u>"), ("hat", "Bert"), ("<b>", '<img alt="Bild"><b>')]:
        assert line != summary(html.replace(old, new), "Anna hat 21 12 Punkte"), new
