"""Who gave which command by mail, and whether it was done. Moves are in the log of their match and not told here."""

from __future__ import annotations

import re

from moderator.commands.declaration import CommandContext, CommandLine, LoggedPart
from moderator.common import tokens
from moderator.common.enums import Actor
from moderator.common.tokens import CODE
from moderator.inbox.identify import ProtestAnswer, SenderConfirmation, SignupAnswer, WordRulingAnswer
from moderator.notifications.task import StaffMember
from moderator.service.players.address_change import AddressChangeAnswer
from moderator.store import audit
from moderator.store.tables import MatchRow, PlayerRow
from moderator.views.desk import Desk
from moderator.views.people import get_commander, may_commander_act

NOT_IN_CHARGE = "not in charge"
"""Why an answer did not count: somebody else decides now."""
_CODE = re.compile(rf"(?<!\w){CODE.pattern}(?!\w)", re.IGNORECASE)


def record_player_command(call: CommandContext, outcome: str = "") -> None:
    """Record a player's command that was done, or was not (``outcome``: the code of the sentence that says why)."""
    name, argument, logged = call.request.name, call.request.argument, call.request.command.logged
    told = {LoggedPart.ALL: argument, LoggedPart.HEAD: argument.partition(":")[0], LoggedPart.NOTHING: ""}[logged]
    about = call.match.code if call.match else ""
    _record_action(call.desk, Actor.PLAYER, call.player.name, name, about, told, outcome)


def record_staff_command(desk: Desk, request: CommandLine, section: str, outcome: str = "") -> None:
    """Record a command of the chief or a referee, under the heading of match ``section``."""
    named = _CODE.search(request.argument.partition(":")[0])
    about = named.group().upper() if named else section
    _record_action(desk, *_get_actor(get_commander(desk)), request.name, about, request.argument, outcome)


def _get_actor(who: StaffMember) -> tuple[Actor, str]:
    return (Actor.MODERATOR, "") if who.is_chief else (Actor.REFEREE, who.name)


def record_answer_to_question(desk: Desk, writer: object) -> None:
    """Record a mail that answers a question of ours: about a word, a protest, an address."""
    if isinstance(writer, WordRulingAnswer):
        ruling = writer.question.ruling.value or "not understood"
        match = desk.session.get_one(MatchRow, writer.question.match_id)
        _record_action(
            desk,
            *_get_actor(writer.official),
            "word",
            match.code,
            f"{writer.question.word}: {ruling}",
            _explain_not_in_charge(desk, match),
        )
    elif isinstance(writer, ProtestAnswer):
        match = desk.session.get_one(MatchRow, writer.protest.match_id)
        ruling = "not understood" if writer.protest.answered_at is None else _format_upheld(writer.protest.upheld)
        _record_action(
            desk,
            *_get_actor(writer.official),
            "protest",
            match.code,
            f"{writer.protest.id}: {ruling}",
            _explain_not_in_charge(desk, match),
        )
    elif isinstance(writer, SenderConfirmation):
        name = " or ".join(player.name for player in writer.players)
        _record_action(desk, Actor.PLAYER, name, "confirm", "", f"mail {writer.held.id}: {writer.held.state}")
    elif isinstance(writer, SignupAnswer):
        _record_action(
            desk, Actor.PLAYER, desk.mail.sender if desk.mail else "", "confirm address", "", f"mail {writer.held.id}"
        )
    elif isinstance(writer, AddressChangeAnswer):
        name = desk.session.get_one(PlayerRow, writer.change.player_id).name
        _record_action(desk, Actor.PLAYER, name, "confirm address", "", writer.change.address)


def _explain_not_in_charge(desk: Desk, match: MatchRow) -> str:
    return "" if may_commander_act(desk, match) else NOT_IN_CHARGE


def _format_upheld(upheld: bool) -> str:
    return "upheld" if upheld else "denied"


def _record_action(desk: Desk, by: Actor, who: str, action: str, about: str, detail: str, outcome: str = "") -> None:
    more = {"about": about, "detail": tokens.mask_tokens(detail), "outcome": outcome}
    audit.record_audit(desk.session, desk.now, by, who, action, **more, inbox_id=desk.inbox_id)
