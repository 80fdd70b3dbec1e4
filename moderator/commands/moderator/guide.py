"""``Hilfe``: one sentence for each command of the moderator's."""

from __future__ import annotations

from moderator.club.desk import Desk
from moderator.commands.declaration import Command, Scope, Text, Who, moderators
from moderator.commands.outcome import Outcome
from moderator.match.contract import Note


@Command(
    "help",
    {
        "de": Text("hilfe|befehle", "»Hilfe« nennt alle Befehle."),
        "en": Text("help|commands", "»Help« names all commands."),
    },
    scope=Scope.EITHER,
    rank=10,
    who=Who.MODERATOR,
    elsewhere="match --help",
)
def all_commands(desk: Desk) -> Outcome:
    """In the club's language, as all that the moderator reads."""
    return lines(desk.config.club.language)


def lines(language: str) -> Outcome:
    return tuple(Note("boss-help", {"text": one.text(language).help}) for one in moderators().values())
