"""The mails of a tournament: invitations, pairings, warnings, reports, and who gets which."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from sqlmodel import col, select

from moderator.desk.cup import rows
from moderator.desk.cup.phases import of_round
from moderator.desk.cup.view import Seen
from moderator.desk.desk import Desk
from moderator.desk.outbox import To, made, tell
from moderator.desk.post import new_page, plain_reply, reader
from moderator.engine.contract import Note
from moderator.render.cups import Topic
from moderator.render.pages import Page
from moderator.states import EntryState
from moderator.store.models import Cup, Player


def invite(desk: Desk, cup: Cup) -> None:
    """The registration is open: a mail to everybody who could play and wants to know."""
    people = desk.session.exec(select(Player).where(col(Player.address).is_not(None)).order_by(col(Player.id)))
    send(desk, cup, "invite", [player for player in people if player.invitations and not player.undeliverable])


def pairings(desk: Desk, cup: Cup) -> None:
    """The pairings of the round that begins, to everybody who takes part."""
    send(desk, cup, "pairings", players(desk, cup))


def warning(desk: Desk, cup: Cup) -> None:
    """To those whose games of the round are open, shortly before its latest end."""
    still = {(row.division, number) for row in rows.open_games(of_round(desk.session, cup)) for number in row.seats}
    late = [p for entry, p in rows.entries(desk.session, cup) if (entry.division, entry.number) in still]
    send(desk, cup, "warning", late)


def report(desk: Desk, cup: Cup) -> None:
    """The results of the round and the table."""
    send(desk, cup, "report", players(desk, cup))


def final(desk: Desk, cup: Cup) -> None:
    """The end of it, also to those who left on the way."""
    send(desk, cup, "final", [player for entry, player in rows.entries(desk.session, cup) if entry.number])


def players(desk: Desk, cup: Cup) -> list[Player]:
    """Those who take part now."""
    return [player for entry, player in rows.entries(desk.session, cup) if entry.state == EntryState.IN]


def send(desk: Desk, cup: Cup, topic: Topic, to: Iterable[Player], notes: Sequence[Note] = ()) -> None:
    """One mail to each of them; robots read nothing, and dead addresses get nothing."""
    seen = Seen(desk, cup)
    for player in to:
        tell(desk, To(player), made("cup", partial(_page, desk, seen, topic, player, notes)))


def answer(desk: Desk, cup: Cup, player: Player, topic: Topic = "table", notes: Sequence[Note] = ()) -> None:
    """The same to one player, as the answer to the mail at hand."""
    tell(desk, To(player), _page(desk, Seen(desk, cup), topic, player, notes), answers=True)


def _page(desk: Desk, seen: Seen, topic: Topic, player: Player, notes: Sequence[Note]) -> Page:
    views = (seen.view(topic, player),)
    return new_page(desk, "cup", reader(player), reply=plain_reply(desk), cups=views, notes=tuple(notes))
