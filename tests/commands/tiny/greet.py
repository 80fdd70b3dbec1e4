"""A moderator's command in one file."""

from __future__ import annotations

from moderator.club.desk import Desk
from moderator.commands.declaration import Command, Scope, Shell, Text, Who
from moderator.commands.moderator_call import MATCH, PLAYER, WHY, Outcome, outcome, seat_of
from moderator.errors import Misused
from moderator.store.models import Match


@Command(
    "greet",
    {
        "de": Text("grüßen|grüße", "»Grüßen K7Q2 Anna: Text« grüßt Anna.", example="Grüßen K7Q2 Anna: Moin"),
        "en": Text("greet|hail", "»Greet K7Q2 Anna: text« greets Anna.", example="Greet K7Q2 Anna: hello"),
    },
    scope=Scope.MATCH,
    who=Who.MODERATOR,
    pattern=r".*",
    arguments=(MATCH, PLAYER, WHY),
    shell=Shell("greet", "Say hello to PLAYER."),
)
def greet(desk: Desk, match: Match, name: str, why: str) -> Outcome:
    if not why:
        raise Misused("greet-how")
    _, player = seat_of(desk, match, name)
    return outcome("greeted", name=player.name, match=match.code, line=why)
