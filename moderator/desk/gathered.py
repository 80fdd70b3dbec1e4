"""The one mail to a player after a backlog: what became of each of his mails, and his matches as they stand now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from moderator.desk import digest
from moderator.desk.desk import Desk
from moderator.desk.game_names import name as game_name
from moderator.desk.kept import MOST_MAILS, Said
from moderator.desk.live import Live, Suspended
from moderator.desk.match_pages import match_page, watch_page
from moderator.desk.outbox import To, now
from moderator.desk.places import seats_of
from moderator.desk.post import new_page, reader, reply_to
from moderator.engine.contract import Note
from moderator.errors import OperatorError
from moderator.render.pages import Kind, MatchInfo, Page, PressItem
from moderator.states import MatchStatus
from moderator.store.models import Inbox, Match, Player, Seat, Untold

MOST_LINES = 400
"""Of the player's mails so many are answered for; the rest is counted, and so are mails beyond MOST_MAILS."""
_NEVER = datetime.max.replace(tzinfo=UTC)

Rows = Sequence[tuple[Untold, Said]]


def gathered(desk: Desk, player: Player, rows: Rows) -> None:
    """Make the mail."""
    parts = _parts(desk, player, rows)
    turns = tuple(part for part in parts if part.your_turn)
    titles = {part.match.code: part.match for part in parts if part.match}
    mails, more = _mails(desk, player, rows, titles)
    alone = _alone(desk, player, rows, turns)
    reply = reply_to(desk, alone[0].code, alone[1].token) if alone else digest.reply(desk, player, turns)
    page = new_page(
        desk,
        "backlog",
        reader(player),
        reply=reply,
        parts=parts,
        mails=mails,
        notes=tuple(note for row, said in rows if row.kind == "news" and not row.match_id for note in said.notes),
        press=_letters(desk, rows),
        remarks=(Note("backlog-why"), *((Note("backlog-more-mails", {"count": more}),) if more else ())),
    )
    match, seat = alone or (None, None)
    # It answers the last of the mails, so that it counts for the daily cap as any answer does.
    last = max((row.inbox_id for row, said in rows if said.receipt and row.inbox_id), default=None)
    apart = replace(desk, mail=desk.session.get_one(Inbox, last) if last else None)
    news = any(said.reports or said.press for _, said in rows)
    now(apart, To(player, match, seat), page, answers=last is not None, once=news)


def _alone(desk: Desk, player: Player, rows: Rows, turns: Sequence[Page]) -> tuple[Match, Seat] | None:
    """The only match and seat that the mail is about; None = there are several, or none."""
    matches = {row.match_id for row, _ in rows}
    found = [place for place in seats_of(desk, player.number) if place[0].id in matches]
    codes = {part.match.code for part in turns if part.match}
    return found[0] if len(matches) == len(found) == 1 and codes <= {found[0][0].code} else None


def _parts(desk: Desk, player: Player, rows: Rows) -> tuple[Page, ...]:
    """A page for each match that waits for the player, the nearest ZAT first, then one for each in which something has
    happened. Who wants a daily mail reads there of matches without news."""
    said: dict[int, list[Said]] = {}
    for row, one in rows:
        if row.match_id is not None:
            said.setdefault(row.match_id, []).append(one)
    places: list[tuple[Match, Seat | None]] = list(seats_of(desk, player.number))
    seated = {match.number for match, _ in places}
    places += [(desk.session.get_one(Match, number), None) for number in said if number not in seated]
    found = []
    for match, seat in places:
        news = _together(said.get(match.number, ()))
        page = _part(desk, player, match, seat, news, match.number in said)
        if page is not None and (match.number in said or (page.your_turn and not player.digest)):
            found.append(page)
    found.sort(key=lambda page: (not page.your_turn, page.deadline or _NEVER))
    return tuple(found)


def _together(said: Sequence[Said]) -> Said:
    """What happened at one match, told at once."""
    notes = {repr(note): note for one in said for note in one.notes}
    since = [one.since for one in said if one.since is not None]
    reports = tuple(report for one in said for report in one.reports)
    return Said(reports=reports, notes=tuple(notes.values()), since=min(since, default=None))


def _part(desk: Desk, player: Player, match: Match, seat: Seat | None, news: Said, told: bool) -> Page | None:
    """One match as it stands now, with what happened; None = it has nothing to do with the mail."""
    if match.status != MatchStatus.RUNNING and not told:
        return None
    kind: Kind = "end" if match.status == MatchStatus.FINISHED else "turn"
    try:
        live: Live = desk.shelf.live(desk.session, match)
    except (Suspended, OperatorError):  # the moderator knows; the other matches are not kept waiting
        return replace(_bare(desk, player, match), reports=news.reports, notes=news.notes) if told else None
    if seat is None:
        page = watch_page(desk, live, match, player, kind, news)
    else:
        page = match_page(desk, live, match, seat, kind, news)
    open_ = seat is not None and match.status == MatchStatus.RUNNING
    return replace(page, reply=page.reply if open_ else None)


def _bare(desk: Desk, player: Player, match: Match) -> Page:
    """A match that cannot be shown."""
    game = game_name(match.game, player.language)
    info = MatchInfo(match.code, match.name, match.game, game, "sequential", 0)
    names = [seated.name for seated in desk.players(match)]
    return new_page(desk, "turn", reader(player), match=info, facts={"names": names})


def _mails(desk: Desk, player: Player, rows: Rows, known: dict[str, MatchInfo]) -> tuple[tuple[Page, ...], int]:
    """What became of each mail of the player's, oldest first, and of how many it is not said."""
    found: list[Page] = []
    lines = more = 0
    for row, said in rows:
        if said.receipt is None and row.kind not in ("unread", "done"):
            continue
        lines += len(said.receipt.lines) if said.receipt else 1
        if len(found) == MOST_MAILS or (found and lines > MOST_LINES):
            more += 1
            continue
        found.append(_mail(desk, player, row, said, known))
    return tuple(found), more


def _mail(desk: Desk, player: Player, row: Untold, said: Said, known: dict[str, MatchInfo]) -> Page:
    match = desk.session.get_one(Match, row.match_id) if row.match_id else None
    info = (known.get(match.code) or _bare(desk, player, match).match) if match else None
    facts = {"at": row.at, "match": match.code if match else "", "title": match.name if match else ""}
    return new_page(
        desk,
        "receipt" if match and row.kind != "unread" else "unread" if row.kind == "unread" else "done",
        reader(player),
        match=info,
        receipt=said.receipt,
        standing=said.receipt.standing if said.receipt else "",
        notes=said.notes if row.kind in ("unread", "done") else (),
        remarks=(Note("backlog-mail-about" if match else "backlog-mail", facts),),
        facts={"names": [seated.name for seated in desk.players(match)] if match else []},
    )


def _letters(desk: Desk, rows: Rows) -> tuple[PressItem, ...]:
    found = []
    for row, said in rows:
        code = desk.session.get_one(Match, row.match_id).code if row.match_id and said.press else ""
        found += [replace(item, match=code) for item in said.press]
    return tuple(found)
