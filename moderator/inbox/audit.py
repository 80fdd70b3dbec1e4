"""Who gave which command by mail, and whether it was done. Moves are in the log of their match and not told here."""

from __future__ import annotations

import re

from moderator.club import tokens
from moderator.club.desk import Desk
from moderator.club.referees import Official, commanding, open_to_commander
from moderator.club.tokens import CODE
from moderator.commands.call import Call, Request
from moderator.commands.declaration import Logged
from moderator.people.identify import Confirmed, Moving, Newcomer, Objection, Ruling
from moderator.states import By
from moderator.store import audit
from moderator.store.models import Match, Player

NOT_IN_CHARGE = "not in charge"
"""Why an answer did not count: somebody else decides now."""
_CODE = re.compile(rf"(?<!\w){CODE.pattern}(?!\w)", re.IGNORECASE)


def by_player(call: Call, outcome: str = "") -> None:
    """A player's command was done, or was not (``outcome``: the code of the sentence that says why)."""
    name, argument, logged = call.request.name, call.request.argument, call.request.command.logged
    told = {Logged.ALL: argument, Logged.HEAD: argument.partition(":")[0], Logged.NOTHING: ""}[logged]
    about = call.match.code if call.match else ""
    _record(call.desk, By.PLAYER, call.player.name, name, about, told, outcome)


def by_official(desk: Desk, request: Request, section: str, outcome: str = "") -> None:
    """The same for a command of the chief or a referee, under the heading of match ``section``."""
    named = _CODE.search(request.argument.partition(":")[0])
    about = named.group().upper() if named else section
    _record(desk, *_signed(commanding(desk)), request.name, about, request.argument, outcome)


def _signed(who: Official) -> tuple[By, str]:
    return (By.MODERATOR, "") if who.chief else (By.REFEREE, who.name)


def answered(desk: Desk, writer: object) -> None:
    """A mail that answers a question of ours: about a word, a protest, an address."""
    if isinstance(writer, Ruling):
        ruling = writer.question.ruling.value or "not understood"
        match = desk.session.get_one(Match, writer.question.match_id)
        _record(
            desk,
            *_signed(writer.official),
            "word",
            match.code,
            f"{writer.question.word}: {ruling}",
            _refused(desk, match),
        )
    elif isinstance(writer, Objection):
        match = desk.session.get_one(Match, writer.protest.match_id)
        ruling = "not understood" if writer.protest.answered_at is None else _ruled(writer.protest.upheld)
        _record(
            desk,
            *_signed(writer.official),
            "protest",
            match.code,
            f"{writer.protest.id}: {ruling}",
            _refused(desk, match),
        )
    elif isinstance(writer, Confirmed):
        name = " or ".join(player.name for player in writer.players)
        _record(desk, By.PLAYER, name, "confirm", "", f"mail {writer.held.id}: {writer.held.state}")
    elif isinstance(writer, Newcomer):
        _record(desk, By.PLAYER, desk.mail.sender if desk.mail else "", "confirm address", "", f"mail {writer.held.id}")
    elif isinstance(writer, Moving):
        name = desk.session.get_one(Player, writer.change.player_id).name
        _record(desk, By.PLAYER, name, "confirm address", "", writer.change.address)


def _refused(desk: Desk, match: Match) -> str:
    return "" if open_to_commander(desk, match) else NOT_IN_CHARGE


def _ruled(upheld: bool) -> str:
    return "upheld" if upheld else "denied"


def _record(desk: Desk, by: By, who: str, action: str, about: str, detail: str, outcome: str = "") -> None:
    more = {"about": about, "detail": tokens.hidden(detail), "outcome": outcome}
    audit.record(desk.session, desk.now, by, who, action, **more, inbox_id=desk.inbox_id)
