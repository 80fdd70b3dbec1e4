"""What stands first in a mail about a match, for all that may have happened, in every pace and however things stand:
none says what is not so; and what stands first in an answer, for all that may become of an order. All of them stand
in tests/golden/headlines.txt to be read; MODERATOR_REGOLD=1 writes it anew. And subjects: the news first, the token
last; what comes back with one is brought home by it, and is no order itself."""

import os
import typing
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from moderator.commands.player import tournament_words
from moderator.common import tokens
from moderator.common.enums import MailKind
from moderator.common.mails import Line
from moderator.inbox.read import split_sections, strip_reply_prefixes
from moderator.inbox.staff_mail import parse_staff_commands
from moderator.notifications.pages import LineOutcome, SeatView
from moderator.render.mails.headline import Gone, Lost, Missed, ReaderSituation, render_headline
from moderator.render.mails.subject import SUBJECT_LENGTH, build_mail_head
from moderator.rules import outcomes
from moderator.rules.game import Note, Pace
from moderator.rules.orders.parse import parse_order_lines
from moderator.rules.silence import MissEffect, SeatStatus
from moderator.rules.state import view_for
from tests.pages.all_pages import pages
from tests.pages.match_pages import NAMES, TILE_GAMES, page, played
from tests.pages.sample_pages import Language, receipt

GOLDEN = Path(__file__).parent.parent / "golden" / "headlines.txt"
LANGUAGES = ("de", "en")
MISSING = "Bert, Cora"
PACES: tuple[Pace, ...] = typing.get_args(Pace)
LOST: tuple[Lost, ...] = typing.get_args(Lost)[1:]
MISSED_SO: tuple[Missed, ...] = typing.get_args(Missed)[1:]
EFFECTS = [effect for effect in MissEffect if effect not in (MissEffect.ELIMINATED, MissEffect.ROUND_LOST)]
NEWS = dict(
    zip(
        typing.get_args(outcomes.MatchDecision),
        ["MatchStarted", "TurnEnded", "MatchCorrected", "MatchEnded", "ReminderDue", "StatusAsked", "StaffActed"],
        strict=True,
    )
)
GONE: tuple[Gone, ...] = typing.get_args(Gone)[1:]


@dataclass(frozen=True)
class Case:
    news: outcomes.MatchDecision
    view: ReaderSituation

    def said(self, language: str) -> str:
        names = MISSING if self.view.others else ""
        return render_headline(self.news, self.view, language, names=names, gone=MISSING)


def views() -> Iterator[ReaderSituation]:
    """How things may stand, and then also after something has happened to the reader's own seat."""
    for view in standing():
        yield view
        if view.status in (SeatStatus.TO_MOVE, SeatStatus.IDLE):
            yield from (replace(view, lost=lost) for lost in LOST if not view.status.is_to_act or lost == "eliminated")
            yield from (replace(view, missed=missed, effect=e) for missed in MISSED_SO for e in EFFECTS)
            yield from (replace(view, gone=gone) for gone in GONE)
            yield replace(view, dealt=True)


def standing() -> Iterator[ReaderSituation]:
    for pace, status, others in product(PACES, SeatStatus, (True, False)):
        if status is SeatStatus.PASSED_ROUND and pace != "race":
            continue  # there is nothing to give up
        if status is SeatStatus.SUBMITTED and pace == "sequential":
            continue  # it has been tried
        if status is SeatStatus.DEFERRED and pace != "sequential":
            continue  # elsewhere all is tried when its time comes
        yield ReaderSituation(pace, status, others)


def cases() -> list[Case]:
    return [
        Case(happened, view)
        for happened, view in product(NEWS, views())
        if happened == MailKind.TURN or not (view.lost or view.missed or view.gone or view.dealt)
    ]


CASES = cases()
both = pytest.mark.parametrize("language", LANGUAGES)


@cache
def texts(language: str) -> tuple[tuple[Case, str], ...]:
    return tuple((case, case.said(language)) for case in CASES)


def table() -> str:
    """A block for each sentence, with all cases in which it is said."""
    blocks: dict[tuple[str, ...], list[Case]] = {}
    for said in zip(*map(texts, LANGUAGES), strict=True):
        blocks.setdefault(tuple(text for _, text in said), []).append(said[0][0])
    return "\n\n".join("\n".join((*said, *_cases(found))) for said, found in blocks.items()) + "\n"


def _cases(found: list[Case]) -> list[str]:
    lines: dict[str, list[ReaderSituation]] = {}
    for case in found:
        lines.setdefault(NEWS[case.news], []).append(case.view)
    return [f"  {happened}: {_when(views)}" for happened, views in lines.items()]


def _when(found: list[ReaderSituation]) -> str:
    """What is the same for all of them, in few words."""
    parts = [" ".join(dict.fromkeys(view.pace for view in found))]
    possible = {view.status for view in views() if view.pace in {one.pace for one in found}}
    if len(known := dict.fromkeys(view.status for view in found)) < len(possible):
        parts.append(" or ".join(known))
    if len(others := {view.others for view in found}) == 1:
        parts.append("others awaited" if True in others else "nobody else awaited")
    for happened in ("lost", "missed", "effect", "gone", "dealt"):
        own = dict.fromkeys(getattr(view, happened) for view in found)
        if happened == "effect" and not all(view.missed for view in found):
            continue
        if all(own):
            parts.append("dealt anew" if happened == "dealt" else f"{happened} ({' or '.join(own)})")
    return ", ".join(parts)


def test_all_of_them_are_kept_to_be_read() -> None:
    made = table()
    if os.environ.get("MODERATOR_REGOLD") == "1":
        GOLDEN.write_text(made, encoding="utf-8", newline="\n")
    assert GOLDEN.read_text(encoding="utf-8") == made


@pytest.mark.parametrize("decided", outcomes.all_outcomes(("HAUSEN",)), ids=repr)
@pytest.mark.parametrize("language", ["de", "en", "fr"])
def test_an_answer_says_first_what_became_of_the_order(decided: outcomes.OrderDecision, language: Language) -> None:
    """A tick stands before what was done, and before nothing else."""
    why = Note("not-connected", {"word": "ZZZ", "square": "A1"})
    lines = (LineOutcome(1, "A1 w ZZZ", "move", "A1 w ZZZ", notes=(why,)),)
    refused = isinstance(decided, outcomes.OrderIllegal)
    made = receipt(language, decided, lines if refused else (), status=SeatStatus.IDLE)
    head = build_mail_head(replace(made, kind=MailKind.RECEIPT))
    waits = isinstance(decided, outcomes.OrderUndecided | outcomes.MatchOnHold)
    read = decided == outcomes.OrderMissing()
    assert head.headline.startswith("✓") is (read or not (waits or outcomes.needs_attention(decided)))
    assert head.alarming is (
        outcomes.needs_attention(decided) and not read and not isinstance(decided, outcomes.ConfirmationAsked)
    )


def test_every_decision_is_tried() -> None:
    assert {type(one) for one in outcomes.all_outcomes()} == set(typing.get_args(outcomes.OrderDecision))


@pytest.mark.parametrize("decided", outcomes.all_outcomes(("HAUSEN", "ÄHEN")), ids=repr)
def test_a_decision_is_read_back_by_its_name(decided: outcomes.OrderDecision) -> None:
    assert (
        outcomes.get_outcome_by_code(outcomes.outcome_code(decided), outcomes.list_undecided_words(decided)) == decided
    )


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


@cache
def subjects(language: Language) -> dict[str, str]:
    return {name: build_mail_head(made).subject for name, made in pages(language).items()}


@both
def test_the_news_stand_first_and_the_token_last(language: Language) -> None:
    """The first forty characters tell the mails of a match apart."""
    said = {text for _, text in texts(language)}
    assert 20 < len(said) == len({f"{news}: Topwords „Arratia“, Runde 8"[:40] for news in said})
    for name, subject in subjects(language).items():
        made = pages(language)[name]
        kinds = (MailKind.START, MailKind.REMINDER, MailKind.NEWS, MailKind.BACKLOG, MailKind.NOTICE)
        if made.receipt is None and made.kind not in kinds:  # the subjects of these have the event in fewer words
            begins = subject.partition("…")[0][:40]  # what stands behind a long name is not compared
            for sign in (" · ", " – ", " ["):
                begins = begins.partition(sign)[0]
            headline = build_mail_head(made).headline.rstrip(".").replace("\u00a0", " ")
            assert headline.startswith(begins) or subject.startswith(headline), (name, subject)
        assert subject.endswith(made.reply.subject if made.reply else ""), (name, subject)
        if made.match and made.match.name:
            assert made.match.name in subject, (name, subject)


@pytest.mark.slow
@both
@pytest.mark.parametrize("before", BEFORE)
def test_what_comes_back_is_brought_home_and_is_no_order(language: Language, before: str) -> None:
    made = pages(language)
    read = [(f"{before}{subject}", made[name].reply.subject if made[name].reply else "", name)
            for name, subject in subjects(language).items()]  # fmt: skip
    read += [(f"{before}{subject}", subject[: subject.find("]") + 1], subject) for subject in OLD]
    for subject, token, name in read:
        if "-" in token:
            code, _, secret = token.strip("[]").partition("-")
            assert tokens.find_tokens([subject]) == [(code, secret)], name
        if token.startswith("[K7Q2"):
            assert tokens.find_bracketed_code(subject) == "K7Q2", name
        assert split_sections([], subject) == [], f"{subject} is read as a command"
        if "(T3)" in subject:
            assert tournament_words.find_tournament_in_subject(subject) == "T3", name
        if name in made and made[name].kind in TO_MODERATOR:
            assert parse_staff_commands([], subject, ended=False) == ([], []), f"{subject} is read as a command"


@pytest.mark.slow
@pytest.mark.parametrize("key", ["topwords", *TILE_GAMES])
def test_no_subject_of_ours_is_a_move(key: str) -> None:
    one = played(key)
    view = view_for(one.opened.state, 0)
    for subject in {*subjects("de").values(), *subjects("en").values(), *OLD}:
        for end in (len(subject), 60, 30):  # cut by a program
            lines = [Line(0, strip_reply_prefixes(subject[:end]))]
            sheet = parse_order_lines(
                lines, lambda text: one.game.parse_move(text, view), one.game.format_move, one.game.style
            )
            assert not sheet.orders, subject


@both
def test_a_long_subject_is_cut_before_its_token(language: Language) -> None:
    made = page("tridom", language, 3)
    names = tuple(f"{name} von und zu Größenbrück" for name in NAMES)
    seats = tuple(SeatView(number, name, 0, status=SeatStatus.TO_MOVE) for number, name in enumerate(names))
    match = replace(made.match, name="Vereinsmeisterschaft der Postspieler 2026")
    long = replace(made, seats=seats, match=match)
    assert long.kind == MailKind.TURN
    subject = build_mail_head(long).subject
    assert subject.endswith(f" [K7Q2-{TOKEN}]")
    assert len(subject.removesuffix(f" [K7Q2-{TOKEN}]")) <= SUBJECT_LENGTH
    assert "……" not in subject
