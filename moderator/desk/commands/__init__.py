"""The players' commands: a word of vocabulary.py, and the function that carries it out."""

from __future__ import annotations

from moderator.desk.commands import asking, guide, joining, leave, letters, settings, together, turn
from moderator.desk.commands.calendar import calendar
from moderator.desk.commands.call import Action
from moderator.desk.commands.cup import cup

ACTIONS: dict[str, Action] = {
    "help": guide.how_to,
    "status": asking.status,
    "board": asking.board,
    "rack": asking.rack,
    "history": asking.history,
    "resend": asking.resend,
    "calendar": calendar,
    "rules": guide.rules,
    "preview": turn.preview,
    "withdraw": turn.withdraw,
    "wait": turn.wait,
    "ready": turn.ready,
    "resign": turn.resign,
    "undo": together.ask_undo,
    "agree": together.agree,
    "refuse": together.refuse,
    "protest": letters.protest,
    "press": letters.press,
    "leave": leave.leave,
    "join": joining.join,
    "watch": joining.watch,
    "unwatch": joining.unwatch,
    "takeover": joining.take_over,
    "standby": joining.standby,
    "cup": cup,
    "address": settings.address,
    "language": settings.language,
    "zone": settings.zone,
    "digest": settings.digest,
    "invitations": settings.invitations,
    "unsubscribe": settings.unsubscribe,
    "form": settings.form,
    "single": settings.single,
}
