"""Rulings on a word or a protest, where no mail that asks about it is at hand."""

from __future__ import annotations

import re
from typing import Literal

from moderator.commands.declaration import Command, CommandArgument, CommandGiver, CommandReach, CommandScope
from moderator.commands.moderator_call import HERE, MAYBE_MATCH, Outcome, StaffCommandContext, build_staff_outcome
from moderator.common.enums import MatchStatus, WordRuling
from moderator.common.errors import Impossible, Misused
from moderator.common.message_files import load_distinct_words, normalize_spelling
from moderator.rules.game import Note
from moderator.service import word_rulings
from moderator.service.questions import DENIED, RULING
from moderator.service.word_rulings import ProtestCase
from moderator.store import questions
from moderator.store.tables import MatchRow, Protest
from moderator.views.people import MatchCharge
from moderator.views.unit_of_work import UnitOfWork
from moderator.words import house_rulings

_RULED = re.compile(rf"\W*(\w+)\W+({RULING})\W*", re.IGNORECASE)
_PROTEST = re.compile(r"#?(\d+)[\s.,]+(\w+)")
_UPHELD, _DENIED = load_distinct_words(HERE, "boss-upheld", "boss-denied")


def _parse_word_ruling(call: StaffCommandContext) -> tuple[str, Literal["allow", "deny"], str]:
    """Return (word, ruling, reason) of ``HUGO erlaubt: Grund``. Raises Misused."""
    found = _RULED.fullmatch(call.head_without_code)
    if found is None:
        raise Misused("boss-which-ruling")
    ruling: Literal["allow", "deny"] = "deny" if normalize_spelling(found.group(2)) in DENIED else "allow"
    return found.group(1), ruling, call.text.strip(" .:,;-–")


def _parse_protest_ruling(call: StaffCommandContext) -> tuple[int, bool, str]:
    """Return (number, whether it is upheld, reason) of ``12 stattgegeben: Grund``. Raises Misused."""
    found = _PROTEST.fullmatch(call.head_without_code)
    said = normalize_spelling(found.group(2)) if found else ""
    if found is None or said not in _UPHELD | _DENIED:
        raise Misused("boss-which-protest")
    return int(found.group(1)), said in _UPHELD, call.text.strip(" .:,;-–")


def _get_open_protest(call: StaffCommandContext) -> Protest:
    """Return the protest that the line names. Raises Impossible for one that is not open, or not of the match that is
    named."""
    match = call.find_match() if call.match_code else None
    number = _parse_protest_ruling(call)[0]
    row = call.work.session.get(Protest, number)
    if row is None or row.answered_at is not None or (match and match.id != row.match_id):
        raise Impossible("boss-no-protest", number=number)
    return row


@Command(
    "word",
    scope=CommandScope.EITHER,
    rank=70,
    who=CommandGiver.MODERATOR,
    reach=CommandReach.MATCHES,
    pattern=r"\w.*",
    arguments=(
        MAYBE_MATCH,
        CommandArgument("word", lambda call: _parse_word_ruling(call)[0]),
        CommandArgument("ruling", lambda call: _parse_word_ruling(call)[1]),
        CommandArgument("reason", lambda call: _parse_word_ruling(call)[2]),
    ),
    elsewhere="words rule",
)
def rule_on_word_by_staff(
    work: UnitOfWork, word: str, ruling: Literal["allow", "deny"], reason: str = "", match: MatchRow | None = None
) -> Outcome:
    """Rule on a word that nobody need have asked for; for one match alone if it is named. Matches that waited for it go
    on."""
    word = word.upper()
    scope = match.code if match else house_rulings.ALL
    made = house_rulings.HouseRuling(word, ruling, reason=reason, date=work.today.isoformat(), scope=scope)
    word_rulings.record_house_ruling(work.session, work.cache, made)
    waited = questions.list_open_questions_about(work.session, word, match.number if match else None)
    for question in waited:
        question.ruling, question.answered_at = WordRuling(ruling), work.now
        work.session.add(question)
    work.session.flush()
    freed = []
    for number in dict.fromkeys(question.match_id for question in waited):
        row = work.session.get_one(MatchRow, number)
        if row.status == MatchStatus.RUNNING:
            held = row.held
            word_rulings.resume_held_match(work, number)
            freed += [row.code] if held and MatchCharge(work, row).may_commander_act() else []
    if match:
        word_rulings.tell_players(work, match, made)
    code = f"boss-word-{ruling}"
    done = build_staff_outcome(f"{code}-here" if match else code, word=word, match=scope)
    return (*done, *((Note("boss-went-on", {"matches": freed}),) if freed else ()))


@Command(
    "protest",
    scope=CommandScope.EITHER,
    rank=80,
    who=CommandGiver.MODERATOR,
    reach=CommandReach.MATCHES,
    pattern=r"#?\d.*",
    arguments=(
        CommandArgument("protest", lambda call: _get_open_protest(call)),
        CommandArgument("upheld", lambda call: _parse_protest_ruling(call)[1]),
        CommandArgument("reason", lambda call: _parse_protest_ruling(call)[2]),
    ),
    elsewhere="match rule-protest",
)
def rule_on_protest_by_staff(work: UnitOfWork, protest: Protest, upheld: bool, reason: str) -> Outcome:
    """Enter the ruling and tell all players."""
    match = work.session.get_one(MatchRow, protest.match_id)
    ProtestCase(work, protest).rule_on_protest(upheld, reason)
    return build_staff_outcome(
        "boss-protest-upheld" if upheld else "boss-protest-denied", number=protest.id, match=match.code
    )
