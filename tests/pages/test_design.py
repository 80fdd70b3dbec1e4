"""The design of mails as a list that is checked: of every sample mail, and of an evening that was played. What a kind
of mail may have of words, telephone screens and pixels to its first button stands in bench/reach.py.

What is wrong today stands in KNOWN and KNOWN_PLAYED: what no longer is must go there."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page as Tab

from bench.reach import REACH, by_kind, collect, play_evening
from bench.screens import WIDTH, Row, Shown, measure, telephone
from moderator.commands.declaration import find_staff_command
from moderator.commands.player.tournament_words import COMMAND, parse_tournament_wish
from moderator.common.disk import LANGUAGES
from moderator.common.mails import RenderedMail
from moderator.common.tokens import CODE
from moderator.conformance.sentences import build_full_hand_view
from moderator.games import load_game
from moderator.inbox.read import extract_race_claims, split_sections
from moderator.language.messages import load_labels, load_sentences
from moderator.language.spelling import parse_yes_no
from moderator.rules.game import Game
from moderator.rules.orders.parse import parse_order_lines
from moderator.rules.state import View
from tests.chromium import chromium
from tests.mail.new_text import new_text
from tests.outside.statements import find_contradictions, to_letter
from tests.pages.all_pages import mail, names, pages
from tests.pages.sample_pages import NOW

SUBJECT, TOLD_APART, APART = 60, 40, 0.9
"""Characters of a subject before its token; so many of its first differ within a match's mails in so large a share."""
COLUMNS = 66
MARKS = " ›»«„“”"
"""Around a label."""
LOWEST = 42
"""CSS pixels of a button."""
HOW_TO = 0.04
TEACHING = r"how-to-.*|example|example-.*|answer-fallbacks|hint-.*|link-how"
"""The share of words that may teach how a move is written, and the codes of the sentences that do."""
FORBIDDEN = re.compile(
    r"\bZAT\b|\bSHA\b|::|\bKopf\b|Prüfsumme|checksum|somme de contrôle|wordlist|igerman|SCOWL|hunspell|wamerican"
    r"|Singlestone|\bBefehle?\b|\bErledigt\b|Carried out|C’est fait\b|kein Zug\b|not a move|pas un coup"
    r"|Es gibt etwas Neues|There is news|Il y a du nouveau|Rückfrage"
)
"""Words that no reader has chosen, and subjects that say nothing."""
READS: Mapping[str, str] = {
    **dict.fromkeys(("answer-button", "puzzle-button", "match-write", "button-reply"), "room"),
    **dict.fromkeys(("link-board", "link-boards", "link-boards-first", "match-board"), "status"),
    **dict.fromkeys(("button-mine", "button-right", "button-again"), "yes"),
    **dict.fromkeys(("button-not-mine", "button-wrong", "button-nobody"), "no"),
    **dict.fromkeys(("button-join", "link-join"), "join"),
    # Rulings, which their reader may give a reason; how they are read: test_answer_lines.py.
    **dict.fromkeys(("button-allow", "button-deny", "button-uphold", "button-deny-protest"), "room"),
    **dict.fromkeys(("label-do-extend", "label-do-extend-all", "label-do-extend-of"), "staff extend"),
    "button-agree": "agree",
    "button-refuse": "refuse",
    "link-each": "digest",
    "link-help": "help",
    **dict.fromkeys(("link-how", *(f"help-topic-{one}" for one in ("moves", "mails", "joining", "all"))), "help"),
    **dict.fromkeys(("link-question", "link-time"), "question"),
    "link-again": "status",
    "foot-less": "digest",
    "link-away": "leave",
    "link-rules": "rules",
    "cup-join-button": "cup join",
    "cup-accept-button": "cup accept",
    "cup-leave-button": "cup leave",
    "cup-challenge-button": "cup challenge",
    "cup-leave-for-good-button": "cup leave",
    "cup-refuse-button": "cup refuse",
    "no-write-anew": "room",
    **dict.fromkeys(("yes-leave", "yes-leave-days", "guess-away"), "leave"),
    **dict.fromkeys(("yes-resign", "yes-resign-confirm"), "resign"),
    **dict.fromkeys(("yes-withdraw", "yes-undo", "link-withdraw"), "undo"),
    **dict.fromkeys(("yes-question", "link-word", "link-other"), "question"),
    **dict.fromkeys(("yes-status", "yes-join"), "status"),
    "yes-pass": "move passe",
    "yes-help": "help",
    "yes-rules": "rules",
    "yes-protest": "protest",
    "yes-unsubscribe": "unsubscribe",
    "yes-address": "address",
    "yes-enter": "cup join",
    "yes-cup-leave": "cup leave",
    "yes-again": "yes",
    "cup-table-button": "cup table",
    "end-link-review": "review",
    **dict.fromkeys(("yes-move-points", "yes-move"), "said"),
}
"""What is read in the mail that a button or link writes, by the code of its label: ``room`` = nothing, its reader
writes there; ``said`` = the line in its quotation marks. A label that is a line itself, as in »E5 w MUSE«, is read as
what it says."""

# What is wrong today: check -> kinds of mail.
KNOWN: Mapping[str, str] = {}
KNOWN_PLAYED: Mapping[str, str] = {
    "button": "ask-leave refused-word round-over",
    "screens": "first outage round round-over",
    "words": (
        "confirm cup-final cup-invite cup-report digest end first organiser outage refused-near reminder "
        "round round-over stored"
    ),
}


# ---- what a mail's text and HTML show at once ----


def list_subject_faults(made: RenderedMail) -> Iterator[str]:
    subject = re.sub(r" ?\[[^\]]*\]$", "", made.subject)
    if len(subject) > SUBJECT:
        yield f"{len(subject)} characters: {subject}"


def list_headline_faults(made: RenderedMail) -> Iterator[str]:
    found = [" ".join(flat(one).split()) for one in re.findall(r"(?s)<h1\b.*?</h1>", made.html)]
    said = " ".join(made.text.split())
    if len(found) != 1 or not said.startswith(found[0]):
        yield f"{found}, and the text begins {said[:60]}"


def list_forbidden_words(made: RenderedMail) -> Iterator[str]:
    for said in (made.subject, made.text, flat(made.html)):
        yield from FORBIDDEN.findall(said)


def list_wide_lines(made: RenderedMail) -> Iterator[str]:
    yield from (line for line in made.text.splitlines() if len(line) > COLUMNS and "://" not in line)


def list_contradictions(made: RenderedMail) -> Iterator[str]:
    yield from map(str, find_contradictions(to_letter(f"To: \nSubject: {made.subject}\n\n{made.text}")))


def list_french_faults(made: RenderedMail) -> Iterator[str]:
    """Signs without the blank that French has before them, where a sentence of ours is put together; what somebody has
    written, names and rules in English aside."""
    told = re.sub(
        r"«[^»]*»|^¦.*|recht\?|\S+[@/]\S+|demande\W: .*", "", f"{made.subject}\n{made.text}", flags=re.MULTILINE
    )
    yield from re.findall(r".*[^\W\d_][.)]?[;:!?](?=\s|$).*", told)


def list_drawings(made: RenderedMail) -> Iterator[str]:
    yield from re.findall("<svg", made.html)


def flat(html: str) -> str:
    """The words of a piece of HTML."""
    return unescape(re.sub(r"(?s)<style.*?</style>|<title.*?</title>|<[^>]*>", "", html)).replace("\u00a0", " ")


# ---- what its prefilled answers say ----


def list_wrong_answers(made: RenderedMail, language: str, game: str, joined: bool) -> Iterator[str]:
    """Prefilled answers that are not read as what their labels say; or not if a mail program has ``joined`` their
    lines and dropped the space behind them."""
    for link, inner in re.findall(r'(?s)<a [^>]*href="(mailto:[^"]*)"[^>]*>(.*?)</a>', made.html):
        label = flat(inner).strip(MARKS)
        body = parse_qs(urlsplit(unescape(link)).query, keep_blank_values=True).get("body", [""])[0]
        wanted = find_meaning(label, language, game)
        found = read_answer(fill_in(" ".join(body.split()) if joined else body), game)
        if not body:
            yield f"»{label}« has no text"
        elif found != wanted:
            yield f"»{label}« is {wanted or 'room'}, and {body!r} is read as {found}"


def find_meaning(label: str, language: str, game: str) -> list[str]:
    """What a label promises; [] = room."""
    known = load_labels(language)
    for code, meaning in READS.items():
        pattern = re.sub(r"\\\{.*?\\\}", ".+", re.escape(known[code].replace("\u00a0", " ").strip(MARKS)))
        if not re.fullmatch(pattern, label):
            continue
        if meaning != "said":
            return [] if meaning == "room" else [meaning]
        if quoted := re.search("[»“«]([^«»“”]+)", label):
            return read_answer(quoted[1].strip(), game)
    return read_answer(label, game) or ["not in READS"]


def fill_in(body: str) -> str:
    """The answer as its writer completes it: days for dots, a question behind a colon."""
    first, last = NOW + timedelta(days=9), NOW + timedelta(days=12)
    for day in (first, last):
        body = body.replace("…", f"{day.day}.{day.month}.", 1)
    return f"{body}Darf ich das?" if body.rstrip().endswith(":") else body


def read_answer(body: str, game: str) -> list[str]:
    """What the referee takes out of a mail with this text: commands, moves, a yes or a no."""
    lines, _ = new_text(re.sub(rf"(?:^|; ){CODE.pattern} ", "\n", body.strip()))
    if (said := parse_yes_no(lines)) is not None:
        return ["yes" if said else "no"]
    rules, view = full_view(game or "topwords")
    found = []
    for section in split_sections(lines):
        if "race" in rules.paces:
            extract_race_claims(section)
        for one in section.commands:
            wish = parse_tournament_wish(one.argument) if one.name == COMMAND else None
            found.append(f"{one.name} {wish.what}" if wish else one.name)
        moves = parse_order_lines(
            section.lines, lambda text: rules.parse_move(text, view), rules.format_move, rules.style
        )
        found += [f"move {one.canonical}" for one in moves.orders]
    staff = [told for line in lines if not found and (told := find_staff_command(line.text))]
    return [*dict.fromkeys(found), *(f"staff {command.name}" for command, _ in staff)]


@cache
def full_view(game: str) -> tuple[Game[Any, Any], View[Any]]:
    """The rules, and a position in which every tile of the game is in the hand."""
    return load_game(game), build_full_hand_view(load_game(game))


# ---- every mail against the list ----


CHECKS: Mapping[str, Callable[[RenderedMail], Iterator[str]]] = {
    "subject": list_subject_faults,
    "headline": list_headline_faults,
    "forbidden": list_forbidden_words,
    "columns": list_wide_lines,
    "drawing": list_drawings,
}
ON_A_TELEPHONE = ("filled", "low", "wide", "words", "screens", "button")


def find_faults(made: RenderedMail, language: str, game: str) -> dict[str, str]:
    """What is wrong with a mail, by check: the first of each."""
    told = {name: next(check(made), "") for name, check in CHECKS.items()}
    if language == "fr" and not re.search(r" is | the |cannot|moderator ", made.text):
        told["french"] = next(list_french_faults(made), "")
    for name, joined in (("mailto", False), ("joined", True)):
        told[name] = next(list_wrong_answers(made, language, game, joined), "")
    return told


def find_faults_shown(shown: Shown) -> dict[str, str]:
    return {
        "filled": f"{shown.filled} filled buttons" if shown.filled > 1 else "",
        "low": f"a button of {shown.lowest} pixels" if shown.lowest is not None and shown.lowest < LOWEST else "",
        "wide": f"{shown.width} pixels" if shown.width > WIDTH else "",
    }


@dataclass
class Found:
    """What is wrong, beside what is known to be."""

    known: Mapping[str, str]
    checks: Collection[str]
    faults: dict[tuple[str, str], str] = field(default_factory=dict)
    """(check, kind) -> an example."""

    def add(self, kind: str, where: str, told: Mapping[str, str]) -> None:
        for check, fault in told.items():
            if fault:
                self.faults.setdefault((check, kind), f"{check} of {kind} ({where}): {fault}")

    def hold(self) -> None:
        """Fail where something is wrong that is not known, and where something known is not wrong any more."""
        known = {(check, kind) for check in self.checks for kind in self.known.get(check, "").split()}
        new = [told for key, told in sorted(self.faults.items()) if key not in known]
        gone = [f"{check}: {kind} is right now, take it out" for check, kind in sorted(known - self.faults.keys())]
        assert not new + gone, "\n" + "\n".join(new + gone)


def list_pages() -> Iterator[tuple[str, str, str, str]]:
    """Kind, name, language, game of every sample mail."""
    for language in LANGUAGES:
        for name in names():
            page = pages(language)[name]  # type: ignore[index]
            yield page.kind, name, language, page.game or page.about_game


@pytest.mark.slow
def test_every_mail_keeps_to_the_list() -> None:
    found = Found(KNOWN, [*CHECKS, "french", "mailto", "joined"])
    for kind, name, language, game in list_pages():
        found.add(kind, f"{language}/{name}", find_faults(mail(language, name), language, game))
    found.hold()


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    with chromium() as browser, telephone(browser) as page:
        yield page


@pytest.mark.slow
def test_every_mail_fits_on_a_telephone(tab: Tab) -> None:
    found = Found(KNOWN, ("filled", "low", "wide"))
    for kind, name, language, _ in list_pages():
        found.add(kind, f"{language}/{name}", find_faults_shown(measure(tab, mail(language, name))))
    found.hold()


@pytest.mark.slow
def test_a_played_evening_keeps_to_the_list() -> None:
    found = Found(KNOWN_PLAYED, [*CHECKS, "french", "mailto", "joined", "contradiction"])
    for sent in play_evening():
        faults = find_faults(sent.mail, sent.language, sent.game)
        faults["contradiction"] = next(list_contradictions(sent.mail), "")
        found.add(sent.kind, f"{sent.name} {sent.language}", faults)
    found.hold()


@pytest.mark.slow
def test_a_played_evening_is_short_and_its_buttons_stand_high(tab: Tab) -> None:
    found = Found(KNOWN_PLAYED, ON_A_TELEPHONE)
    for kind, samples in by_kind(collect(few=1)).items():
        assert samples, kind
        for language in LANGUAGES:
            rows = []
            for one in (one for one in samples if one.language == language):
                shown = measure(tab, one.mail)
                rows.append(Row.of(one.mail, shown))
                found.add(kind, f"{one.name} {language}", find_faults_shown(shown))
            middle = Row.between(rows)
            far = {name: value for name, value in middle.list_missed(REACH[kind]).items() if name in ON_A_TELEPHONE}
            found.add(kind, f"median {language}", far)
    found.hold()


@pytest.mark.slow
def test_the_mails_of_a_match_are_told_apart_by_how_their_subjects_begin() -> None:
    found, begun = Found(KNOWN_PLAYED, ("apart",)), defaultdict[tuple[str, str], list[str]](list)
    for sent in play_evening():
        if sent.match:
            begun[sent.to, sent.match].append(sent.mail.subject[:TOLD_APART])
    share = sum(len(set(some)) for some in begun.values()) / sum(map(len, begun.values()))
    worst = Counter(max(begun.values(), key=lambda some: len(some) - len(set(some)))).most_common(3)
    found.add("match", "all", {"apart": f"{share:.2f}, as in {worst}" if share < APART else ""})
    found.hold()


@pytest.mark.slow
def test_few_words_teach_how_a_move_is_written() -> None:
    """But for mails that somebody has asked for."""
    found, taught, said = Found(KNOWN_PLAYED, ("how-to",)), 0, 0
    for sent in play_evening():
        if sent.kind != "help":
            text = " ".join(sent.mail.text.split())
            taught += sum(len(one.split()) for one in how_to(sent.language, sent.game).findall(text))
            said += len(text.split())
    found.add("match", "all", {"how-to": f"{taught / said:.1%}" if taught > HOW_TO * said else ""})
    found.hold()


@cache
def how_to(language: str, game: str) -> re.Pattern[str]:
    """Each sentence on how a move is written."""
    known = {**load_labels(language), **load_sentences(language, game or None)}
    sentences = [" ".join(one.split()) for code, one in known.items() if re.fullmatch(TEACHING, code)]
    parts = [".{0,80}?".join(map(re.escape, re.split(r"\{[^{}]*\}", one))) for one in sentences]
    return re.compile("|".join(sorted(parts, key=len, reverse=True)))
