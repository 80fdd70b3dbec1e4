"""What stands first in a mail about a match, for every pair of what happened and what became of an order, in every pace
and however things stand: none of them says what is not so. All of them stand in tests/golden/headlines.txt to be read;
MODERATOR_REGOLD=1 writes it anew."""

from __future__ import annotations

import os
import typing
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from moderator.match import decision
from moderator.match.contract import Pace
from moderator.match.decision import (
    OF_KIND,
    Corrected,
    Ended,
    GaveUp,
    MatchDecision,
    NoOrder,
    NotDone,
    NothingStored,
    NotPossible,
    NotPossibleYet,
    OrderDecision,
    Played,
    Refereed,
    Reminded,
    RoundPlayed,
    Shown,
    StandingStored,
    Started,
    Stored,
    TooLate,
    TurnOver,
)
from moderator.pages.headline import InStore, Lost, Missed, View, headline

GOLDEN = Path(__file__).parent.parent / "golden" / "headlines.txt"
LANGUAGES = ("de", "en")
MISSING = "Bert, Cora"
PACES: tuple[Pace, ...] = typing.get_args(Pace)
IN_STORE: tuple[InStore, ...] = typing.get_args(InStore)
LOST: tuple[Lost, ...] = typing.get_args(Lost)[1:]
MISSED_SO: tuple[Missed, ...] = typing.get_args(Missed)[1:]


@dataclass(frozen=True)
class Case:
    news: MatchDecision | None
    decided: OrderDecision | None
    view: View

    def said(self, language: str) -> str:
        names = MISSING if self.view.others else ""
        return headline(self.news, self.decided, self.view, language, names=names)

    @property
    def answers(self) -> bool:
        """What became of the order is what the mail is about."""
        return self.decided is not None and self.news in (None, TurnOver())


def views() -> Iterator[View]:
    """How things may stand, and then also after something has happened to the reader's own seat."""
    for view in standing():
        yield view
        if view.in_store == "nothing":
            yield from (replace(view, lost=lost) for lost in LOST if not view.your_turn or lost == "eliminated")
            yield from (replace(view, missed=missed) for missed in MISSED_SO)
            yield replace(view, dealt=True)


def standing() -> Iterator[View]:
    for pace, your_turn, in_store, others in product(PACES, (True, False), IN_STORE, (True, False)):
        if in_store == "gave-up" and pace != "race":
            continue  # there is nothing to give up
        if in_store == "ready" and your_turn and pace == "sequential":
            continue  # it has been tried
        if in_store == "put-off" and not (your_turn and pace == "sequential"):
            continue  # elsewhere all is tried when its time comes
        yield View(pace, your_turn, in_store, others)


def decided_in(pace: Pace) -> tuple[OrderDecision | None, ...]:
    """What may become of an order: where turns are played together nothing is played at once, and so on."""
    never: dict[Pace, Any] = {
        "sequential": GaveUp | RoundPlayed,
        "rounds": GaveUp | Played,
        "common": GaveUp | Played,
        "race": Played | RoundPlayed | NotPossibleYet | StandingStored,
    }
    return (None, *(one for one in decision.every(("HAUSEN",)) if not isinstance(one, never[pace])))


def cases() -> list[Case]:
    news: list[MatchDecision | None] = [None, *OF_KIND.values()]
    return [
        Case(happened, decided, view)
        for happened, view in product(news, views())
        for decided in decided_in(view.pace)  # type: ignore[arg-type]
        if (happened is not None or decided is not None)
        and (happened == TurnOver() or not (view.lost or view.missed or view.dealt))
    ]


CASES = cases()
both = pytest.mark.parametrize("language", LANGUAGES)


def texts(language: str) -> Iterator[tuple[Case, str]]:
    for case in CASES:
        yield case, case.said(language)


def table() -> str:
    """A block for each sentence, with all cases in which it is said."""
    blocks: dict[tuple[str, ...], list[Case]] = {}
    for case in CASES:
        blocks.setdefault(tuple(case.said(language) for language in LANGUAGES), []).append(case)
    return "\n\n".join("\n".join((*said, *_cases(found))) for said, found in blocks.items()) + "\n"


def _cases(found: list[Case]) -> list[str]:
    lines: dict[str, list[View]] = {}
    for case in found:
        answer = type(case.decided).__name__ if case.answers else "whatever became of an order"
        if isinstance(case.decided, RoundPlayed | NoOrder) and case.answers:
            answer = repr(case.decided)
        answer = "no order" if case.decided is None and case.news == TurnOver() else answer
        happened = type(case.news).__name__ if case.news else "nothing else"
        lines.setdefault(f"{happened}, {answer}", []).append(case.view)
    return [f"  {pair}: {_when(views)}" for pair, views in lines.items()]


def _when(found: list[View]) -> str:
    """What is the same for all of them, in few words."""
    parts = [" ".join(dict.fromkeys(view.pace for view in found))]
    if len(turns := {view.your_turn for view in found}) == 1:
        parts.append("your turn" if True in turns else "not your turn")
    stands = {(view.pace, view.your_turn) for view in found}
    possible = {view.in_store for view in views() if (view.pace, view.your_turn) in stands}
    if len(stored := dict.fromkeys(view.in_store for view in found)) < len(possible):
        parts.append("in store " + " or ".join(stored))
    if len(others := {view.others for view in found}) == 1:
        parts.append("others awaited" if True in others else "nobody else awaited")
    for happened in ("lost", "missed", "dealt"):
        own = dict.fromkeys(getattr(view, happened) for view in found)
        if all(own):
            parts.append("dealt anew" if happened == "dealt" else f"{happened} ({' or '.join(own)})")
    return ", ".join(parts)


def test_all_of_them_are_kept_to_be_read() -> None:
    made = table()
    if os.environ.get("MODERATOR_REGOLD") == "1":
        GOLDEN.write_text(made, encoding="utf-8", newline="\n")
    assert GOLDEN.read_text(encoding="utf-8") == made


def test_every_decision_is_tried() -> None:
    assert {type(one) for one in decision.every()} == set(typing.get_args(OrderDecision))
    assert {type(one) for one in OF_KIND.values()} == set(typing.get_args(MatchDecision))


@pytest.mark.parametrize("decided", decision.every(("HAUSEN", "ÄHEN")), ids=repr)
def test_a_decision_is_read_back_by_its_name(decided: OrderDecision) -> None:
    assert decision.of_code(decision.code(decided), decision.words(decided)) == decided


COUNTS = {"de": "zählt", "en": "counts"}
NOT = {"de": "NICHT", "en": "NOT"}
YOU = {
    "de": ("du bist am Zug", "bist wieder am Zug"),
    "en": ("it is your move", "your turn again", "it is your turn", "your turn"),
}
LATER = {"de": "sobald du dran bist", "en": "as soon as it is your turn"}
OVER = {"de": "ausgewertet", "en": "evaluated"}
REMINDED = {"de": "fehlt noch", "en": "still missing"}


@both
def test_it_counts_only_what_was_played_or_is_stored_and_possible(language: str) -> None:
    for case, text in texts(language):
        if COUNTS[language] not in text:
            continue
        assert case.answers, case
        if NOT[language] in text:
            assert decision.alarming(case.decided), case  # type: ignore[arg-type]
        else:
            assert isinstance(case.decided, Played | Stored) or case.decided == RoundPlayed(possible=True), case


@both
def test_what_came_to_nothing_is_never_said_to_count(language: str) -> None:
    vain = NotPossible | NotPossibleYet | TooLate | NoOrder | NotDone | NothingStored
    for case, text in texts(language):
        if case.answers and isinstance(case.decided, vain):
            assert COUNTS[language] not in text or NOT[language] in text, (case, text)
        if case.answers and isinstance(case.decided, NotPossible | NotPossibleYet):
            out = case.news == TurnOver() and case.view.lost  # that comes first, and nothing is said of the order
            assert out or NOT[language] in text, (case, text)
        if case.answers and case.decided == RoundPlayed(possible=False):
            assert COUNTS[language] not in text, (case, text)


def _own_seat(view: View) -> bool:
    return bool(view.lost or view.missed)


OUT = {
    "de": ("aufgegeben", "nicht mehr mit", "ausgeschieden"),
    "en": ("resigned", "no longer in", "out of", "were out"),
}
PASSED = {"de": ("ausgesetzt", "keiner deiner züge", "keine fehlerfreie"), "en": ("missed", "none of", "no faultless")}


@both
def test_what_happened_to_the_own_seat_is_said_first_and_never_else(language: str) -> None:
    for case, text in texts(language):
        follows = case.news == TurnOver() and case.decided is None
        out, passed = (any(word in text.lower() for word in words[language]) for words in (OUT, PASSED))
        gave_up = case.view.in_store == "gave-up" or isinstance(case.decided, GaveUp)
        if case.view.lost and case.news == TurnOver():
            assert out, (case, text)
        elif out and not gave_up:
            assert case.view.lost, (case, text)
        if case.view.missed and follows:
            assert passed, (case, text)
        elif passed and not isinstance(case.decided, RoundPlayed):
            assert case.view.missed, (case, text)


def _yours(text: str, language: str) -> bool:
    said = text.lower().replace("missed your turn", "")
    return any(words.lower() in said for words in YOU[language])


@both
def test_whose_turn_it_is(language: str) -> None:
    for case, text in texts(language):
        if _yours(text, language) and LATER[language] not in text:
            assert case.view.your_turn, (case, text)
        if LATER[language] in text:
            assert not case.view.your_turn, (case, text)
            assert case.view.pace == "sequential", (case, text)
        if (
            case.news == TurnOver()
            and case.decided in (None, Played(), RoundPlayed(possible=True))
            and case.view.wanted
        ):
            said = _yours(text, language) or case.view.pace == "race"
            said = said or case.view.lost == "eliminated"  # it says so of the next game
            assert said, (case, text)


@both
def test_who_is_missing_is_named_and_nobody_else(language: str) -> None:
    for case, text in texts(language):
        assert (MISSING in text) <= case.view.others, (case, text)
        if case.news == TurnOver() and case.decided is None and not case.view.your_turn and not _own_seat(case.view):
            assert (MISSING in text) == case.view.others, (case, text)
        if REMINDED[language] in text:
            assert case.news == Reminded(), (case, text)


@both
def test_only_what_is_decided_is_said(language: str) -> None:
    """A round is over, a match begins or ends, where that was decided; solutions and giving up are of a race alone."""
    race = {"de": ("Lösung", "Rennen", "aufgegeben", "Fehlerfrei"), "en": ("solution", "race", "gave up", "Faultless")}
    for case, text in texts(language):
        if OVER[language] in text:
            assert isinstance(case.decided, RoundPlayed), (case, text)
        if any(word in text for word in race[language]) and not case.view.lost:
            assert case.view.pace == "race", (case, text)
        begins, ends = {"de": ("beginnt", "zu Ende"), "en": ("begins", "is over")}[language]
        assert (begins in text) == (case.news == Started()), (case, text)
        assert (ends in text) == (case.news == Ended()), (case, text)


@both
@pytest.mark.parametrize("news", [Started(), Corrected(), Ended(), Reminded(), Shown(), Refereed()], ids=repr)
def test_what_happened_to_the_match_goes_before_the_answer(news: MatchDecision, language: str) -> None:
    said = {(case.view, case.said(language)) for case in CASES if case.news == news}
    assert len(said) == len(list(standing()))
