"""Who gave which command by mail, and whether it was done. Moves are in the log of their match and not told here."""

from __future__ import annotations

import re

from moderator.commands.declaration import CommandContext, CommandLine, LoggedPart
from moderator.common import tokens
from moderator.common.enums import Actor
from moderator.common.tokens import CODE
from moderator.inbox.job import MailJob, Purpose
from moderator.notifications.task import StaffMember
from moderator.store import audit
from moderator.store.tables import AddressChange, InboxRow, Protest, Question
from moderator.views.people import MatchCharge, get_commander
from moderator.views.unit_of_work import UnitOfWork

NOT_IN_CHARGE = "not in charge"
"""Why an answer did not count: somebody else decides now."""
NOT_UNDERSTOOD = "not understood"
_CODE = re.compile(rf"(?<!\w){CODE.pattern}(?!\w)", re.IGNORECASE)


def record_player_command(call: CommandContext, outcome: str = "") -> None:
    """Record a player's command that was done, or was not (``outcome``: the code of the sentence that says why)."""
    name, argument, logged = call.request.name, call.request.argument, call.request.command.logged
    told = {LoggedPart.ALL: argument, LoggedPart.HEAD: argument.partition(":")[0], LoggedPart.NOTHING: ""}[logged]
    about = call.match.code if call.match else ""
    _record_action(call.work, Actor.PLAYER, call.player.name, name, about, told, outcome)


def record_staff_command(work: UnitOfWork, request: CommandLine, section: str, outcome: str = "") -> None:
    """Record a command of the chief or a referee, under the heading of match ``section``."""
    named = _CODE.search(request.argument.partition(":")[0])
    about = named.group().upper() if named else section
    _record_action(work, *_get_actor(get_commander(work)), request.name, about, request.argument, outcome)


def _get_actor(who: StaffMember) -> tuple[Actor, str]:
    return (Actor.MODERATOR, "") if who.is_chief else (Actor.REFEREE, who.name)


def record_answer(job: MailJob) -> None:
    """Record a mail that answers a question of ours: about a word, a protest, an address."""
    work, writer = job.work, job.writer
    match writer.purpose:
        case Purpose.RULE_WORD:
            question = job.session.get_one(Question, writer.about)
            _record_ruling(job, "word", f"{question.word}: {question.ruling.value or NOT_UNDERSTOOD}")
        case Purpose.RULE_PROTEST:
            protest = job.session.get_one(Protest, writer.about)
            ruling = NOT_UNDERSTOOD if protest.answered_at is None else "upheld" if protest.upheld else "denied"
            _record_ruling(job, "protest", f"{protest.id}: {ruling}")
        case Purpose.CONFIRM_SENDER:
            held, name = job.session.get_one(InboxRow, writer.about), " or ".join(one.name for one in writer.people)
            _record_action(work, Actor.PLAYER, name, "confirm", "", f"mail {held.id}: {held.state}")
        case Purpose.CONFIRM_SIGNUP:
            who = work.mail.sender if work.mail else ""
            _record_action(work, Actor.PLAYER, who, "confirm address", "", f"mail {writer.about}")
        case Purpose.CONFIRM_OLD_ADDRESS | Purpose.CONFIRM_NEW_ADDRESS:
            change = job.session.get_one(AddressChange, writer.about)
            _record_action(work, Actor.PLAYER, writer.player.name, "confirm address", "", change.address)


def _record_ruling(job: MailJob, action: str, detail: str) -> None:
    """Record a ruling on what was asked about ``writer.match``, and whether its writer may rule there."""
    work, match = job.work, job.writer.match
    if match is not None:
        outcome = "" if MatchCharge(work, match).may_commander_act() else NOT_IN_CHARGE
        _record_action(work, *_get_actor(job.writer.official), action, match.code, detail, outcome)


def _record_action(
    work: UnitOfWork, by: Actor, who: str, action: str, about: str, detail: str, outcome: str = ""
) -> None:
    more = {"about": about, "detail": tokens.mask_tokens(detail), "outcome": outcome}
    audit.record_audit(work.session, work.now, by, who, action, **more, inbox_id=work.inbox_id)
