"""What mails say beforehand of a turn that nobody takes, beside what such a turn does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from moderator.conformance.finding import Finding, Found, Said, shown
from moderator.conformance.subject import Call, Subject
from moderator.match.contract import Conserving
from moderator.pages.messages import known, label
from moderator.paths import LANGUAGES

OWN = "mail.then-missing"


def told(subject: Subject) -> Iterator[Found]:
    """Without a sentence of the game's own they say that the turn is missed, and that alone has to happen then."""
    lacking = [language for language in LANGUAGES if not known(OWN, language, subject.key)]
    if not lacking:
        yield Said("(in the game's own words)")
        return
    said = label("then-missing", lacking[0], deadline="…")
    for match in subject.matches:
        for number, call in enumerate(match.calls):
            if call.name == "miss" and (what := _happened(subject, call)):
                found = f"{what}, and mails say before it: {shown(said)} Say what happens: {OWN!r} in {lacking}"
                yield Finding(f"{call.shown()} after {match.at(number)}", found, match.seed)
                return


def _happened(subject: Subject, call: Call) -> str:
    """What the turn did besides being over; "" for nothing. Where the round or the match ends with it, there is nothing
    to compare, and where all share one hand nothing is the seat's own."""
    before, after, seat = call.before, call.step.state, call.seat
    if after.over or seat is None or before.public.round != after.public.round or len(after.hands) != after.seats:
        return ""
    if lost := list((Counter(before.hands[seat]) - Counter(after.hands[seat])).elements()):
        return f"{shown(lost)} has left the hand"
    if isinstance(subject.game, Conserving):
        lying = Counter(subject.game.on_table(after.public)) - Counter(subject.game.on_table(before.public))
        if lying:
            return f"{shown(list(lying.elements()))} lies on the table"
    return f"it scored {call.step.points} points" if call.step.points else ""
