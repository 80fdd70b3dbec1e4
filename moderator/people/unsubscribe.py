"""What a mail to the address in ``List-Unsubscribe`` does (which mails have it: outbox/post.py).

What others wait for cannot be stopped that way: the mails of a match that one plays in, and answers. They carry no such
header, because it would be a promise that nobody keeps.
"""

from __future__ import annotations

from moderator.club.desk import Desk
from moderator.match.contract import Note
from moderator.outbox.post import new_page, plain_reply, reader
from moderator.outbox.tell import To, tell
from moderator.states import MailKind, MatchStatus
from moderator.store import bystanders, tournaments
from moderator.store.matches import seats_of
from moderator.store.models import Player

ANSWER = MailKind.DONE
"""Kind of the mail that says what was stopped: no board, nothing to play."""


def unsubscribe(desk: Desk, player: Player) -> tuple[Note, ...]:
    """End all that the club sends unasked and nobody waits for. Returns what was ended, and which mails still come and
    how each of them is stopped."""
    plays = [
        match.code
        for match, _ in seats_of(desk.session, player.number)
        if match.status in (MatchStatus.RUNNING, MatchStatus.SUSPENDED)
    ]
    followed = [match.code for match in bystanders.watched(desk.session, player.number)]
    waits = bool(bystanders.waits_for(desk.session, player.number))
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
    return (*found, *_still(desk, player, plays))


def _still(desk: Desk, player: Player, plays: list[str]) -> list[Note]:
    """Which mails come all the same, and what ends them."""
    entered = tournaments.of_player(desk.session, player.number, tournaments.GOING)
    found = [Note("still-match", {"match": code}) for code in plays]
    found += [Note("still-cup", {"cup": tournament.code}) for tournament in entered]
    if plays:
        found.append(Note("still-digest" if player.digest else "still-each"))
    return found or [Note("still-nothing")]


def answer(desk: Desk, player: Player) -> None:
    """Unsubscribe, and say so by one mail."""
    notes = (*unsubscribe(desk, player), Note("subscribe-again"))
    page = new_page(desk, ANSWER, reader(player), reply=plain_reply(desk), notes=notes)
    tell(desk, To(player), page, answers=True)


def switch_invitations(desk: Desk, player: Player, on: bool) -> None:
    """Whether the player is told of tournaments that open."""
    player.invitations = on
    desk.session.add(player)
