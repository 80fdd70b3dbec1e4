"""Every two claims of one mail against each other: over outcomes, statuses, paces, games and languages.

Each sentence that asks or promises makes a claim about the reader. Which sentences a mail has is seen by a mark behind
each of them; that no two claims contradict each other is asked of all mails that can be.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations
from typing import Any

import pytest

from moderator.common.enums import MailKind
from moderator.games import OWN
from moderator.language import messages
from moderator.notifications.pages import AlternativeState, Page, Receipt, SeatView
from moderator.render.mail import render_mail
from moderator.render.mails import report, stored_order, task
from moderator.rules import outcomes
from moderator.rules.game import Pace
from moderator.rules.outcomes import OrderDecision
from moderator.rules.silence import MissEffect, SeatStatus, Silence
from tests.pages import match_pages
from tests.pages.sample_pages import DEADLINE, NOTHING_MORE, arrange, keep


class Claim(StrEnum):
    WANTED = "a move is wanted of the reader"
    SETTLED = "what is here of the reader counts, nothing more is wanted"
    NOT_TO_MOVE = "it is not the reader's turn"
    NOT_YET = "it is not yet the reader's turn"
    OUT = "the reader is out"
    RETRIED = "what is stored may still be played"
    HOPELESS = "what is stored can never be played"
    UNDONE = "nothing was done"
    DONE = "something was done"


S, C = SeatStatus, Claim
CLAIMS = {
    r"news-(turn-you|start-you|turn-dealt|reminder$|.*-again|.*-other-you).*|task-another.*": C.WANTED,
    r"until|then-missing.*|mail\.then-missing.*|reminder-(missing|in-vain)|overview-yours": C.WANTED,
    r"news-(turn-ready.*|turn-gave-up-race)|answer-(stored-race|round-passed)|task-(race-)?sent": C.SETTLED,
    r"then-(stored-race|gave-up-race|ready)": C.SETTLED,
    r"task-(turn|round|race)(-open)?|tail-you": C.WANTED,
    r"task-sent": C.SETTLED,
    r"news-(turn-other|turn-none)|task-nothing|tail-other": C.NOT_TO_MOVE,
    r"answer-ahead|then-(ahead|vain-ahead)": C.NOT_YET,
    r"news-out-.*(?<!again)": C.OUT,
    r"then-(vain|vain-ahead|not-now)|standing-not-now|standing-(first|else)": C.RETRIED,
    r"then-hopeless": C.HOPELESS,
    r"answer-undone": C.UNDONE,
    r"answer-(done|withdrawn|laid.*|played|passed|stored|stored-standing|stored-race)": C.DONE,
}
OF_OWN_ROW = {
    **dict.fromkeys(("row-missing", "racing"), C.WANTED),
    **dict.fromkeys(("row-sent", "row-finished", "row-gave-up"), C.SETTLED),
    **dict.fromkeys(("row-eliminated", "row-left"), C.OUT),
}
"""What the score table says of the reader; "to move" is also said of who has a move that waits."""
CONTRADICTIONS = {
    frozenset(pair)
    for pair in (
        (C.WANTED, C.SETTLED),
        (C.WANTED, C.NOT_TO_MOVE),
        (C.WANTED, C.OUT),
        (C.SETTLED, C.NOT_TO_MOVE),
        (C.WANTED, C.NOT_YET),
        (C.SETTLED, C.NOT_YET),
        (C.OUT, C.NOT_YET),
        (C.OUT, C.RETRIED),
        (C.RETRIED, C.HOPELESS),
        (C.UNDONE, C.DONE),
    )
}


@dataclass(frozen=True)
class Situation:
    """What the match has of the reader, and what became of the reader's mail; None = there was none."""

    status: SeatStatus
    stored: AlternativeState | None = None
    decided: OrderDecision | None = None


def list_standing(pace: Pace) -> Iterator[Situation]:
    """The statuses that there are in a pace, each with what may be stored then."""
    legal, undecided = AlternativeState.LEGAL, AlternativeState.UNDECIDED
    yield from map(Situation, (S.TO_MOVE, S.ILLEGAL, S.ON_HOLD, S.IDLE, S.ELIMINATED, S.LEFT, S.UNCONFIRMED))
    if pace == "sequential":
        yield from (Situation(S.DEFERRED, legal), Situation(S.DEFERRED, undecided))
        yield from (Situation(S.IDLE, state) for state in AlternativeState)
    else:
        yield from (Situation(S.SUBMITTED, legal), Situation(S.SUBMITTED, undecided))
    if pace == "race":
        yield Situation(S.PASSED_ROUND, legal)
    else:
        yield Situation(S.ILLEGAL, AlternativeState.ILLEGAL)
        yield Situation(S.ILLEGAL, AlternativeState.HOPELESS)


def can_follow(decided: OrderDecision, at: Situation, pace: Pace) -> bool:
    """Whether this may be how things stand after a mail of which that became."""
    match decided:
        case outcomes.OrderPlayed():
            return pace == "sequential" and at.stored is None and at.status not in (S.ILLEGAL, S.LEFT, S.UNCONFIRMED)
        case outcomes.OrderEvaluated():
            return pace in ("rounds", "common") and at.status in (S.TO_MOVE, S.IDLE, S.ELIMINATED)
        case outcomes.OrderStored():
            return at.stored is AlternativeState.LEGAL and at.status is not S.PASSED_ROUND
        case outcomes.RoundPassed():
            return at.status is S.PASSED_ROUND
        case outcomes.OrderUndecided():
            return at.stored is AlternativeState.UNDECIDED
        case outcomes.OrderStoredIllegal():
            return at.stored in (AlternativeState.ILLEGAL, AlternativeState.HOPELESS)
        case outcomes.MatchOnHold():
            return at.status is S.ON_HOLD
        case outcomes.StandingOrderStored():
            return pace == "sequential" and at.status not in (S.LEFT, S.UNCONFIRMED, S.ELIMINATED)
        case outcomes.OrderIllegal():
            return at.status not in (S.TO_MOVE, S.UNCONFIRMED)
        case outcomes.OrderWithdrawn():
            return at.stored is None
    return True


def list_situations(pace: Pace) -> Iterator[Situation]:
    for at in list_standing(pace):
        yield at
        for decided in outcomes.all_outcomes(("HAUSEN",)):
            if can_follow(decided, at, pace):
                yield replace(at, decided=decided)


def build_page(key: str, language: Any, pace: Pace, kind: MailKind, at: Situation) -> Page:
    made = match_pages.page(key, language, match_pages.moment(match_pages.played(key), "turn"), 0)
    assert made.match is not None
    more: dict[str, Any] = {"content": NOTHING_MORE.get(kind), "scene": None, "rack": None, "table": None}
    more |= {"ending": None, "deadline": DEADLINE}
    more["match"] = replace(made.match, pace=pace)
    more["stored"] = keep("E5 w HAUS; sonst C3 s MOND", at.stored) if at.stored else None
    if more["stored"] and pace in ("common", "race"):
        more["stored"] = replace(more["stored"], is_retried=False)
    more["silence"] = Silence(MissEffect.ROUND_LOST if pace == "race" else MissEffect.PASSED)
    more |= {"held": at.status is S.ON_HOLD, "moving_in": at.status is S.UNCONFIRMED}
    more["receipt"] = Receipt(at.decided) if at.decided else None
    return arrange(replace(made, kind=kind, **more), at.status, () if at.status.is_to_act else ("Anna",))


def suits(kind: MailKind, at: Situation) -> bool:
    """Whether a mail of that kind is sent then."""
    if kind == MailKind.REMINDER:
        return at.decided is None and at.status.is_awaited
    if kind == MailKind.RECEIPT:
        return at.decided is not None
    return kind == MailKind.TURN or at.decided is None


KINDS = (MailKind.RECEIPT, MailKind.TURN, MailKind.STATUS, MailKind.REMINDER, MailKind.REFEREE)
MARK = re.compile(r"⟦([^⟧]*)⟧")


class MarkedSentences(dict[str, str]):
    """Sentences of which each is printed with its own name behind it."""

    def __getitem__(self, code: str) -> str:
        return f"{super().__getitem__(code)}⟦{code}⟧"


@pytest.fixture
def marked(monkeypatch: pytest.MonkeyPatch) -> None:
    labels: Callable[[str], Any] = messages.load_labels
    sentences: Callable[..., Any] = messages.load_sentences
    monkeypatch.setattr(messages, "load_labels", lambda language: MarkedSentences(labels(language)))
    monkeypatch.setattr(messages, "load_sentences", lambda *where: MarkedSentences(sentences(*where)))


def find_claims(page: Page) -> dict[Claim, str]:
    """What a mail claims, each with a sentence that does."""
    own = " ".join(report.render_seat_status(seat, page) for seat in page.seats if seat.you)
    found = {OF_OWN_ROW[code]: f"the score table's {code}" for code in MARK.findall(own) if code in OF_OWN_ROW}
    made = render_mail(page)
    for code in MARK.findall(made.subject + made.text):
        found |= {claim: code for pattern, claim in CLAIMS.items() if re.fullmatch(pattern, code)}
    return found


def find_contradiction(page: Page) -> str:
    """Two sentences of a mail that cannot both be so; "" = there are none."""
    claims = find_claims(page)
    for pair in combinations(claims, 2):
        if frozenset(pair) in CONTRADICTIONS:
            return " / ".join(f"{claims[one]}: {one}" for one in pair)
    return ""


def list_paces() -> list[tuple[str, Pace]]:
    return [(key, pace) for key in sorted(OWN) for pace in match_pages.played(key).game.paces]


@pytest.mark.parametrize(("key", "pace"), list_paces(), ids=lambda one: str(one))
@pytest.mark.parametrize("language", ["de", "en", "fr"])
def test_no_two_sentences_of_a_mail_contradict_each_other(
    marked: None, key: str, pace: Pace, language: str, request: pytest.FixtureRequest
) -> None:
    cases = [(kind, at) for at in list_situations(pace) for kind in KINDS if suits(kind, at)]
    if not request.config.getoption("soak"):
        cases = cases[hash_of(key, language) % 7 :: 7]
    found = {}
    for kind, at in cases:
        if wrong := find_contradiction(build_page(key, language, pace, kind, at)):
            found[f"{kind} {at.status} {at.stored} {at.decided}"] = wrong
    assert not found


def hash_of(*parts: str) -> int:
    return sum(map(ord, "".join(parts)))


# ---- what strangers have found, put back: the sentences of then, wherever they stood ----


def say_to_move(seat: SeatView, page: Page) -> str:
    return "row-missing" if seat.status.is_to_act else ""


def ask_for_a_move(page: Page) -> tuple[str, ...]:
    return (messages.render_label("task-turn-open", page.reader.language),)


def promise_all(page: Page) -> tuple[str, ...]:
    first, *others = page.stored.moves if page.stored else ()
    return (
        messages.render_label("standing-not-now", "de", move=first.move, why=""),
        *(messages.render_label("standing-else", "de", move=one.move) for one in others),
    )


@pytest.mark.parametrize(
    ("place", "sentence", "at"),
    [
        (report, ("_choose_status_label", say_to_move), Situation(S.SUBMITTED, AlternativeState.LEGAL)),
        (task, ("_list_sentences", ask_for_a_move), Situation(S.SUBMITTED, AlternativeState.LEGAL)),
        (task, ("_list_sentences", ask_for_a_move), Situation(S.ELIMINATED)),
        (stored_order, ("render_stored_order", promise_all), Situation(S.ILLEGAL, AlternativeState.HOPELESS)),
    ],
    ids=["F3 F4", "F2", "E7", "F8"],
)
def test_what_was_false_once_is_found_when_it_is_put_back(
    marked: None, monkeypatch: pytest.MonkeyPatch, place: Any, sentence: tuple[str, Any], at: Situation
) -> None:
    kind = MailKind.STATUS if at.status is S.ILLEGAL else MailKind.TURN
    made = build_page("topwords", "de", "rounds", kind, at)
    assert not find_contradiction(made)
    monkeypatch.setattr(place, *sentence)
    assert find_contradiction(made)
