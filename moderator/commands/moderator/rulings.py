"""Rulings on a word or a protest, where no mail that asks about it is at hand."""

from __future__ import annotations

import re
from typing import Literal

from moderator.club import house_list
from moderator.club.desk import Desk
from moderator.club.referees import open_to_commander
from moderator.commands.declaration import Argument, Command, Reach, Scope, Who
from moderator.commands.moderator_call import HERE, MAYBE_MATCH, ModeratorCall, Outcome, outcome
from moderator.errors import Impossible, Misused
from moderator.match.contract import Note
from moderator.outbox.questions import DENIED, RULING
from moderator.play import rulings
from moderator.states import MatchStatus, WordRuling
from moderator.store import questions
from moderator.store.models import Match, Protest
from moderator.texts import apart, plain
from moderator.words import house

_RULED = re.compile(rf"\W*(\w+)\W+({RULING})\W*", re.IGNORECASE)
_PROTEST = re.compile(r"#?(\d+)[\s.,]+(\w+)")
_UPHELD, _DENIED = apart(HERE, "boss-upheld", "boss-denied")


def _on_a_word(call: ModeratorCall) -> tuple[str, Literal["allow", "deny"], str]:
    """``HUGO erlaubt: Grund``."""
    found = _RULED.fullmatch(call.rest)
    if found is None:
        raise Misused("boss-which-ruling")
    ruling: Literal["allow", "deny"] = "deny" if plain(found.group(2)) in DENIED else "allow"
    return found.group(1), ruling, call.text.strip(" .:,;-–")


def _on_a_protest(call: ModeratorCall) -> tuple[int, bool, str]:
    """``12 stattgegeben: Grund``."""
    found = _PROTEST.fullmatch(call.rest)
    said = plain(found.group(2)) if found else ""
    if found is None or said not in _UPHELD | _DENIED:
        raise Misused("boss-which-protest")
    return int(found.group(1)), said in _UPHELD, call.text.strip(" .:,;-–")


def _protest(call: ModeratorCall) -> Protest:
    """Raises Impossible for one that is not open, or not of the match that is named."""
    match = call.match() if call.code else None
    number = _on_a_protest(call)[0]
    row = call.desk.session.get(Protest, number)
    if row is None or row.answered_at is not None or (match and match.id != row.match_id):
        raise Impossible("boss-no-protest", number=number)
    return row


@Command(
    "word",
    scope=Scope.EITHER,
    rank=70,
    who=Who.MODERATOR,
    reach=Reach.MATCHES,
    pattern=r"\w.*",
    arguments=(
        MAYBE_MATCH,
        Argument("word", lambda call: _on_a_word(call)[0]),
        Argument("ruling", lambda call: _on_a_word(call)[1]),
        Argument("reason", lambda call: _on_a_word(call)[2]),
    ),
    elsewhere="words rule",
)
def rule_word(
    desk: Desk, word: str, ruling: Literal["allow", "deny"], reason: str = "", match: Match | None = None
) -> Outcome:
    """A ruling on a word that nobody need have asked for; for one match alone if it is named. Matches that waited for
    it go on."""
    word = word.upper()
    scope = match.code if match else house.ALL
    made = house.Ruling(word, ruling, reason=reason, date=desk.today.isoformat(), scope=scope)
    house_list.enter(desk, made)
    waited = questions.open_about(desk.session, word, match.number if match else None)
    for question in waited:
        question.ruling, question.answered_at = WordRuling(ruling), desk.now
        desk.session.add(question)
    desk.session.flush()
    freed = []
    for number in dict.fromkeys(question.match_id for question in waited):
        row = desk.session.get_one(Match, number)
        if row.status == MatchStatus.RUNNING:
            held = row.held
            rulings.release(desk, number)
            freed += [row.code] if held and open_to_commander(desk, row) else []
    if match:
        rulings.tell_players(desk, match, made)
    code = f"boss-word-{ruling}"
    done = outcome(f"{code}-here" if match else code, word=word, match=scope)
    return (*done, *((Note("boss-went-on", {"matches": freed}),) if freed else ()))


@Command(
    "protest",
    scope=Scope.EITHER,
    rank=80,
    who=Who.MODERATOR,
    reach=Reach.MATCHES,
    pattern=r"#?\d.*",
    arguments=(
        Argument("protest", lambda call: _protest(call)),
        Argument("upheld", lambda call: _on_a_protest(call)[1]),
        Argument("reason", lambda call: _on_a_protest(call)[2]),
    ),
    elsewhere="match rule-protest",
)
def rule(desk: Desk, protest: Protest, upheld: bool, reason: str) -> Outcome:
    """Enter the ruling and tell all players."""
    match = desk.session.get_one(Match, protest.match_id)
    rulings.rule(desk, protest, upheld, reason)
    return outcome("boss-protest-upheld" if upheld else "boss-protest-denied", number=protest.id, match=match.code)
