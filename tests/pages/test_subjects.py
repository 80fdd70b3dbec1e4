"""Subjects: the news first, the token last; what comes back with one is brought home by it, and is no order itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from moderator.club import tokens
from moderator.commands.player import tournament_words
from moderator.inbox.moderator_mail import read_commands
from moderator.inbox.sections import bare_subject, cut
from moderator.mail.model import Line
from moderator.match.contract import view_for
from moderator.match.orders import read_lines
from moderator.pages.head import SUBJECT_LENGTH, head
from moderator.states import MailKind
from tests.pages.all_pages import names, pages
from tests.pages.match_pages import NAMES, TILE_GAMES, page, played
from tests.pages.sample_pages import Language
from tests.pages.test_headline import CASES

LANGUAGES: tuple[Language, ...] = ("de", "en")
TOKEN = "8J3MZP4QXA"
BEFORE = (
    "", "Re: ", "RE: Re: ", "AW: ", "Antw: ", "WG: ", "Fwd: ", "Fw: ", "Aw[2]: ", "RE : ", "Rép : ", "TR : ",
    "[Spiele] Re: ",
)  # fmt: skip
"""What programs and lists put before a subject."""
TO_MODERATOR = (MailKind.BOSS, MailKind.NOTICE, MailKind.RULING, MailKind.RULED, MailKind.PROTEST)
OLD = (
    f"[K7Q2-{TOKEN}] Topwords Arratia, Runde 7: du bist am Zug",
    f"[K7Q2-{TOKEN}] Topwords Arratia, round 7: your move counts, your turn again",
    f"[OK-{TOKEN}] Postspielrunde: warst du das?",
    "Herbstturnier (T3): Runde 2 beginnt",
)
"""As versions up to 0.2 wrote them: they are answered for weeks."""


def subjects(language: Language) -> dict[str, str]:
    return {name: head(made).subject for name, made in pages(language).items()}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_forty_characters_tell_the_mails_of_a_match_apart(language: Language) -> None:
    said = {case.said(language) for case in CASES}
    shown = {f"{news}: Topwords „Arratia“, Runde 8"[:40] for news in said}
    assert len(said) > 20
    assert len(shown) == len(said)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_news_stand_first_and_the_token_last(language: Language) -> None:
    made = pages(language)
    for name, subject in subjects(language).items():
        news = head(made[name]).headline.partition(": ")[0]
        assert subject.startswith(news), (name, subject)
        token = made[name].reply.subject if made[name].reply else ""
        assert subject.endswith(token), (name, subject)
        if made[name].match and made[name].match.name:
            assert made[name].match.name in subject, (name, subject)


@pytest.mark.slow
@pytest.mark.parametrize(("language", "before"), [(language, before) for language in LANGUAGES for before in BEFORE])
def test_what_comes_back_is_brought_home_and_is_no_order(language: Language, before: str) -> None:
    made = pages(language)
    read = [(f"{before}{subject}", made[name].reply.subject if made[name].reply else "", name)
            for name, subject in subjects(language).items()]  # fmt: skip
    read += [(f"{before}{subject}", subject[: subject.find("]") + 1], subject) for subject in OLD]
    for subject, token, name in read:
        if "-" in token:
            code, _, secret = token.strip("[]").partition("-")
            assert tokens.carried([subject]) == [(code, secret)], name
        if token.startswith("[K7Q2"):
            assert tokens.code_in(subject) == "K7Q2", name
        assert cut([], subject) == [], f"{subject} is read as a command"
        if "(T3)" in subject:
            assert tournament_words.in_subject(subject) == "T3", name
        if name in made and made[name].kind in TO_MODERATOR:
            assert read_commands([], subject, ended=False) == ([], []), f"{subject} is read as a command"


@pytest.mark.slow
@pytest.mark.parametrize("key", ["topwords", *TILE_GAMES])
def test_no_subject_of_ours_is_a_move(key: str) -> None:
    one = played(key)
    view = view_for(one.opened.state, 0)
    for language in LANGUAGES:
        for subject in {*subjects(language).values(), *OLD}:
            for end in (len(subject), 60, 30):  # cut by a program
                lines = [Line(0, bare_subject(subject[:end]))]
                sheet = read_lines(lines, lambda text: one.game.parse(text, view), one.game.format, one.game.style)
                assert not sheet.orders, subject


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_long_subject_is_cut_before_its_token(language: Language) -> None:
    made = page("tridom", language, 3)
    assert made.match is not None
    long = replace(
        made,
        your_turn=False,
        awaited=tuple(f"{name} {'von und zu Größenbrück'}" for name in NAMES),
        match=replace(made.match, name="Vereinsmeisterschaft der Postspieler 2026"),
    )
    assert long.kind == MailKind.TURN
    subject = head(long).subject
    assert len(subject) <= SUBJECT_LENGTH
    assert subject.endswith(f" [K7Q2-{TOKEN}]")
    assert "Tridom" in subject


def test_every_golden_mail_is_here() -> None:
    assert set(names()) == set(subjects("de"))
