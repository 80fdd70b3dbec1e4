"""What a mail to the address in ``List-Unsubscribe`` does (which mails have it: outbox/lists.py).

What others wait for cannot be stopped that way: the mails of a match that one plays in, and answers. They carry no such
header, because it would be a promise that nobody keeps.
"""

from __future__ import annotations

from moderator.club import tokens
from moderator.club.desk import Desk
from moderator.match.contract import Note
from moderator.outbox import digest
from moderator.outbox.post import new_page, personal_reply, reader
from moderator.outbox.tell import To, tell
from moderator.states import MailKind, MatchStatus
from moderator.store import bystanders, tournaments
from moderator.store.matches import OVER, by_code, seats_of
from moderator.store.models import Player

ANSWER = MailKind.DONE
"""Kind of the mail that says what was stopped: no board, nothing to play."""


def unsubscribe(desk: Desk, player: Player, what: str = tokens.STOP) -> tuple[Note, ...]:
    """End the list that the address is of. Returns what was ended, which mails still come and how each of them is
    stopped, and how to have it again."""
    plays = [
        match.code
        for match, _ in seats_of(desk.session, player.number)
        if match.status in (MatchStatus.RUNNING, MatchStatus.SUSPENDED)
    ]
    if what == tokens.STOP:
        return _all(desk, player, plays)
    if what == tokens.DAILY:
        return _daily(desk, player, plays)
    if what == tokens.NO_PUZZLE:
        player.puzzles = False
        desk.session.add(player)
        return Note("unsubscribed-puzzles"), Note("still-rest"), Note("puzzles-again")
    return _watching(desk, player, what)


def _all(desk: Desk, player: Player, plays: list[str]) -> tuple[Note, ...]:
    """All that the club sends unasked and nobody waits for."""
    followed = [match.code for match in bystanders.watched(desk.session, player.number)]
    waits = bool(bystanders.waits_for(desk.session, player.number))
    puzzled, player.puzzles = player.puzzles, False
    player.invitations = False
    bystanders.follow_no_more(desk.session, player.number)
    bystanders.wait_no_more(desk.session, player.number)
    if player.digest and not plays:
        player.digest, player.digest_at = False, None
    desk.session.add(player)
    found = [Note("unsubscribed")]
    if followed:
        found.append(Note("unsubscribed-watching", {"matches": followed}))
    if waits:
        found.append(Note("unsubscribed-standby"))
    if puzzled:
        found.append(Note("unsubscribed-puzzles-too"))
    again = [Note("watch-again", {"match": code}) for code in followed]
    again += [Note("puzzles-again")] if puzzled else []
    return (*found, *_still(desk, player, plays), Note("subscribe-again"), *again)


def _daily(desk: Desk, player: Player, plays: list[str]) -> tuple[Note, ...]:
    """The daily mail. What has waited for it comes once more: nobody's turn is kept from them."""
    digest.switch(desk, player, on=False)
    found = [Note("unsubscribed-daily")]
    if plays:
        found += [Note("daily-each"), *(Note("still-match", {"match": code}) for code in plays)]
    return (*found, Note("still-rest"), Note("daily-again"))


def _watching(desk: Desk, player: Player, code: str) -> tuple[Note, ...]:
    """The reports of one match."""
    match = by_code(desk.session, code)
    if match is not None:
        bystanders.follow_no_more(desk.session, player.number, match.number)
    found = (Note("unsubscribed-watching", {"matches": [code]}), Note("still-rest"))
    over = match is None or match.status in OVER
    return found if over else (*found, Note("watch-again", {"match": code}))


def _still(desk: Desk, player: Player, plays: list[str]) -> list[Note]:
    """Which mails come all the same, and what ends them."""
    entered = tournaments.of_player(desk.session, player.number, tournaments.GOING)
    found = [Note("still-match", {"match": code}) for code in plays]
    found += [Note("still-cup", {"cup": tournament.code}) for tournament in entered]
    if plays:
        found.append(Note("still-digest" if player.digest else "still-each"))
    return found or [Note("still-nothing")]


def answer(desk: Desk, player: Player, what: str = tokens.STOP) -> None:
    """Unsubscribe, and say so by one mail."""
    notes = unsubscribe(desk, player, what)
    page = new_page(desk, ANSWER, reader(player), reply=personal_reply(desk, player), notes=notes)
    tell(desk, To(player), page, answers=True)


def switch_invitations(desk: Desk, player: Player, on: bool) -> None:
    """Whether the player is told of tournaments that open."""
    player.invitations = on
    desk.session.add(player)
