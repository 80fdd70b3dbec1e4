"""What mails say beforehand of a turn that nobody takes, beside what such a turn does."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from moderator.common.resources import FALLBACK, LANGUAGES
from moderator.conformance.finding import CheckFigure, Finding, Found, Unseen, format_in_one_line
from moderator.conformance.subject import GameSubject, SampleMatch
from moderator.language.messages import has_sentence, render_code, render_label
from moderator.rules.game import Conserving, State

OWN = "mail.then-missing"
IF = re.compile(r"\bif\b[^,]*,", re.IGNORECASE)
NOTHING = re.compile(r"\b(?:nothing|not|no (?:card|tile|bid|move)s?)\b", re.IGNORECASE)
LOSES = re.compile(r"\b(?:laid|lays?|bids?|played|plays?|puts?|discards?|discarded|thrown|dropped)\b", re.IGNORECASE)
GETS = re.compile(r"\b(?:gets?|takes?|draws?|drawn|receives?|loses?)\b", re.IGNORECASE)
LOWEST = re.compile(r"\b(?:lowest|smallest)\b", re.IGNORECASE)
HIGHEST = re.compile(r"\b(?:highest|largest|biggest)\b", re.IGNORECASE)
"""As the English sentence says it: each game has one."""


@dataclass(frozen=True)
class MissedTurn:
    """A turn that nobody took."""

    match: SampleMatch
    number: int
    seat: int
    before: State[Any]
    after: State[Any]
    """In pace ``rounds`` when the round has been evaluated."""

    @property
    def lost_tiles(self) -> list[str]:
        """The tiles that are no longer in the hand."""
        return list((Counter(self.before.hands[self.seat]) - Counter(self.after.hands[self.seat])).elements())

    @property
    def has_other_change(self) -> bool:
        """True where the hand or the score became another one otherwise."""
        more = Counter(self.after.hands[self.seat]) - Counter(self.before.hands[self.seat])
        return bool(more) or self.after.scores[self.seat] != self.before.scores[self.seat]

    def build_finding(self, what: str, promised: str) -> Finding:
        call = self.match.calls[self.number]
        return Finding(
            f"{call.format_call()} after {self.match.describe_moment(self.number)}",
            f"{what}, and mails say before it: {format_in_one_line(promised)}",
            self.match.seed,
        )


def iter_missed_turn_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that without a sentence of the game's own, where mails say that the turn is missed, nothing else happens
    then."""
    turns = list(_iter_missed_turns(subject))
    lacking = [language for language in LANGUAGES if not has_sentence(OWN, language, subject.key)]
    if lacking:
        said = render_label("then-missing", lacking[0], deadline="…")
        for turn in turns:
            if what := _describe_effect(subject, turn):
                yield turn.build_finding(f"{what} (say what happens: {OWN!r} in {lacking})", said)
                return
        return
    promised = render_code(OWN, FALLBACK, subject.key, deadline="…")
    yield CheckFigure("(in the game's own words)")
    what = IF.sub("", promised, count=1)
    if NOTHING.search(what) or not (LOSES.search(what) or GETS.search(what)):
        return
    if not turns:
        yield Unseen("no turn was missed")
    elif LOSES.search(what) and not any(turn.lost_tiles for turn in turns):
        yield turns[0].build_finding("nothing leaves the hand", promised)
    elif not LOSES.search(what) and not any(turn.has_other_change for turn in turns):
        yield turns[0].build_finding("nothing comes to the hand, and the score stays", promised)
    else:
        yield from _iter_outermost_findings(turns, promised)


def _iter_outermost_findings(turns: list[MissedTurn], promised: str) -> Iterator[Found]:
    """Check that it is the lowest or the highest, where mails say so and tiles are numbers."""
    for pattern, chosen in ((LOWEST, min), (HIGHEST, max)):
        for turn in turns if pattern.search(promised) else ():
            hand, lost = turn.before.hands[turn.seat], turn.lost_tiles
            if len(lost) == 1 and all(tile.isdecimal() for tile in hand) and int(lost[0]) != chosen(map(int, hand)):
                yield turn.build_finding(f"of {', '.join(hand)} it is {lost[0]} that leaves the hand", promised)
                return


def _iter_missed_turns(subject: GameSubject) -> Iterator[MissedTurn]:
    """Yield the missed turns in which each seat has a hand of its own, and nothing is dealt anew."""
    for match in subject.matches:
        ends = [n for n, call in enumerate(match.calls) if call.seat is None]
        for number, call in enumerate(match.calls):
            if call.name != "miss" or call.seat is None:
                continue
            last = next((n for n in ends if n > number), number)
            before, after = call.before, match.calls[last].step.state
            if len(after.hands) == after.seats and before.past == after.past:
                yield MissedTurn(match, number, call.seat, before, after)


def _describe_effect(subject: GameSubject, turn: MissedTurn) -> str:
    """Return the effect of the turn besides being over; "" for nothing. Where the round or the match ends with it,
    there is nothing to compare, and where all share one hand nothing is the seat's own."""
    call, before = turn.match.calls[turn.number], turn.before
    after = call.step.state
    if after.over or before.public.round != after.public.round:
        return ""
    if lost := list((Counter(before.hands[turn.seat]) - Counter(after.hands[turn.seat])).elements()):
        return f"{format_in_one_line(lost)} has left the hand"
    if isinstance(subject.game, Conserving):
        lying = Counter(subject.game.on_table(after.public)) - Counter(subject.game.on_table(before.public))
        if lying:
            return f"{format_in_one_line(list(lying.elements()))} lies on the table"
    return f"it scored {call.step.points} points" if call.step.points else ""
