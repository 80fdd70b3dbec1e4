"""``Annehmen 17``, ``Verwerfen 17``: mails that wait for the moderator's look."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from moderator.club.desk import Desk
from moderator.commands.declaration import Argument, Command, Scope, Text, Who
from moderator.commands.moderator_call import ModeratorCall
from moderator.commands.outcome import Outcome
from moderator.errors import Impossible, Misused
from moderator.match.contract import Note
from moderator.people import waiting


def _mails(call: ModeratorCall) -> list[int]:
    """Numbers of mails: ``17``, ``17, 18``."""
    numbers = [int(number) for number in re.findall(r"\d{1,9}", call.request.argument)]
    if not numbers:
        raise Misused("boss-which-number")
    for number in numbers:
        if not waiting.waits(call.desk, number):
            raise Impossible("boss-nothing-waits", number=str(number))
    return list(dict.fromkeys(numbers))


NUMBERS = Argument("numbers", _mails)


@Command(
    "accept",
    {
        "de": Text(
            "annehmen",
            (
                "»Annehmen 17« lässt die Mail 17 zählen, die auf deinen Blick wartet; welche warten, "
                "steht in meiner täglichen Nachricht und bei »Wer fehlt«."
            ),
            example="Annehmen 17",
        ),
        "en": Text(
            "accept",
            (
                "»Accept 17« lets mail 17 count, which waits for your look; my daily notice and »Who is "
                "missing« say which ones wait."
            ),
            example="Accept 17",
        ),
    },
    scope=Scope.EITHER,
    rank=170,
    who=Who.MODERATOR,
    pattern=r"#?\d.*",
    arguments=(NUMBERS, Argument("let_count", lambda call: call.accept)),
    elsewhere="quarantine accept",
)
def accept(desk: Desk, numbers: Sequence[int], let_count: Callable[[Desk, int], Note]) -> Outcome:
    """Let them count. Raises OperatorError for one that says nothing that could."""
    return tuple(let_count(desk, number) for number in numbers)


@Command(
    "drop",
    {
        "de": Text("verwerfen", "»Verwerfen 17« nimmt die Mail 17 von der Liste.", example="Verwerfen 17"),
        "en": Text("drop|discard", "»Drop 17« takes mail 17 off the list.", example="Drop 17"),
    },
    scope=Scope.EITHER,
    rank=180,
    who=Who.MODERATOR,
    pattern=r"#?\d.*",
    arguments=(NUMBERS,),
    elsewhere="quarantine drop",
)
def drop(desk: Desk, numbers: Sequence[int]) -> Outcome:
    """Take them off the list."""
    return tuple(waiting.drop(desk, number) for number in numbers)
