"""What waits besides matches: mails, mailboxes that nothing reaches, tournaments, and the machine itself."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from moderator import disk
from moderator.club.desk import Desk
from moderator.club.tournaments import rows
from moderator.commands.player import newcomer
from moderator.mail.clean import one_line
from moderator.mail.inbound import read_mail
from moderator.match.contract import Note
from moderator.people import waiting
from moderator.people.identify import REPEATED
from moderator.states import InboxState, MatchStatus
from moderator.store import audit, club_time, inbox, key_values, matches, players, probe, tournaments
from moderator.store.club_time import Doubt
from moderator.store.models import Inbox, Match, Player, Tournament
from moderator.today.task import LATELY, Facts, Remedy, Task, TaskKind

MOST = 50
"""Mails that are told one by one; the rest is counted: strangers may send thousands."""
MORE = "more"
"""Key of the task that counts them."""
WORDS = 200
"""Characters of what a stranger wrote."""
NEW_ADDRESS = "NEW-ADDRESS"
"""What stands for it in a line: no address, so that the line is refused as long as nobody has put one in."""
FEWEST = 2
"""Entrants with whom a tournament may begin all the same."""
OPEN_LONGER = timedelta(days=7)
"""So much longer a registration is kept open by the line that does it."""


def tasks(desk: Desk) -> Iterator[Task]:
    yield from _machine(desk)
    yield from _tournaments(desk)
    yield from _bounced(desk)
    yield from _mails(desk)
    yield from _robots(desk)
    yield from _backup(desk)


def _machine(desk: Desk) -> Iterator[Task]:
    time = desk.clock or club_time.tell(desk.config.database, desk.now)
    polled = key_values.read(desk.session, probe.POLLED)
    last = datetime.fromisoformat(polled) if polled else None
    lost = time.lost(desk.config.guard.outage_hours)
    if time.doubt is not Doubt.NONE or (lost and key_values.read(desk.session, key_values.ASKED)):
        doubt = time.doubt.value or Doubt.AHEAD.value
        note = Note(f"today-clock-{doubt}", {"now": time.shown, "since": time.newest})
        yield Task(TaskKind.CLOCK, doubt, note, (Remedy(("clock", "right")), Remedy(("doctor",))), time.newest)
    elif last is not None and desk.config.guard.outage(last, desk.now):
        yield Task(TaskKind.OUTAGE, "", Note("today-outage", {"since": last}), (Remedy(("doctor",)),), last)
    folder = desk.config.path(desk.config.store.path).parent
    left = disk.free(folder)
    if left is not None and left < disk.LEAST_ROOM:
        note = Note("today-disk", {"folder": str(folder), "count": left // 1_000_000})
        yield Task(TaskKind.DISK, "", note, (Remedy(("doctor",)),), desk.now)


def _robots(desk: Desk) -> Iterator[Task]:
    for name in sorted(desk.config.bots):
        failed = key_values.read(desk.session, key_values.bot(name))
        if failed is None:
            continue
        moment, code, why = failed.split(" ", 2)
        at = datetime.fromisoformat(moment)
        if desk.now - at < LATELY:
            note = Note("today-robot", {"name": name, "match": code, "at": at, "text": why})
            show = Remedy(("match", "show", code), Note("do-status", {"match": code}))
            about: Facts = {"match": code, "player": name}
            yield Task(TaskKind.ROBOT, f"{name} {at:%Y-%m-%d}", note, (show, Remedy(("doctor",))), at, about)


def _backup(desk: Desk) -> Iterator[Task]:
    days, first = desk.config.club.backup_days, players.first_came(desk.session)
    if not days or first is None or not isinstance(desk.config.database, Path):
        return  # what pg_dump did is known to nobody here
    last = audit.last(desk.session, "backup")
    if desk.now - (last or first) < timedelta(days=days):
        return
    note = Note("today-backup", {"since": last}) if last else Note("today-no-backup")
    folder = str(desk.config.path(Path("backups")))
    yield Task(TaskKind.BACKUP, "", note, (Remedy(("backup", folder, "--keep", "10")),), last or first)


# ---- tournaments ----


def _tournaments(desk: Desk) -> Iterator[Task]:
    for tournament in tournaments.in_trouble(desk.session):
        about: Facts = {"tournament": tournament.code, "name": tournament.name}
        remedies = _ways_out(desk, tournament)
        failed = key_values.read(desk.session, key_values.tournament_failed(tournament.code))
        facts = {"cup": tournament.code, "title": tournament.name, "reason": failed or "?"}
        yield Task(
            TaskKind.TOURNAMENT,
            f"{tournament.code} {tournament.trouble} {tournament.round}",
            Note(f"today-{tournament.trouble}", facts),
            remedies,
            None,
            about,
            told=True,
        )
    for game, tournament in tournaments.with_latest_end(desk.session):
        match = desk.session.get(Match, game.match_id) if game.match_id else None
        if match is None or game.ends_at is None or game.ends_at > desk.now or game.result is not None:
            continue
        if match.status == MatchStatus.FINISHED:
            continue
        note = Note(
            "today-adjudication",
            {"cup": tournament.code, "title": tournament.name, "match": match.code, "since": game.ends_at},
        )
        results = ("1-0", "0-1", "1/2-1/2") if len(game.seats) == 2 else ()
        ways = [("cup", "adjudicate", tournament.code, match.code, result) for result in results]
        remedies = tuple(Remedy(way) for way in (("cup", "extend", tournament.code, "7"), *ways))
        game_of: Facts = {"tournament": tournament.code, "match": match.code}
        yield Task(
            TaskKind.ADJUDICATION, f"{tournament.code} {match.code}", note, remedies, game.ends_at, game_of, told=True
        )


def _ways_out(desk: Desk, tournament: Tournament) -> tuple[Remedy, ...]:
    if tournament.trouble == "cup-too-few":
        until = f"{desk.today + OPEN_LONGER:%Y-%m-%d}"
        longer = Remedy(("cup", "open", tournament.code, "--until", until))
        if rows.taken(desk.session, tournament) < FEWEST:
            return (longer, Remedy(("cup", "cancel", tournament.code, "--yes")))
        return (longer, Remedy(("cup", "start", tournament.code, "--anyway")))
    if tournament.trouble == "cup-no-pairing":
        return tuple(Remedy(("cup", "pair", tournament.code, way)) for way in ("--rematches", "--end"))
    return (Remedy(("cup", "pair", tournament.code)), Remedy(("cup", "show", tournament.code)))


# ---- mailboxes and mails ----


def _bounced(desk: Desk) -> Iterator[Task]:
    for player in players.unreachable(desk.session):
        playing = [match for match, _ in matches.seats_of(desk.session, player.number)]
        stopped = [match for match in playing if match.status == MatchStatus.RUNNING and match.stopped]
        codes = [match.code for match in stopped]
        code = "today-bounced-stopped" if stopped else "today-bounced"
        note = Note(code, {"name": player.name, "address": player.address or "?", "matches": codes})
        new = Remedy(("player", "set", player.name, "--address", NEW_ADDRESS))
        remedies = (new, Remedy(("player", "reachable", player.name)))
        about: Facts = {"player": player.name}
        if codes:
            about["match"] = " ".join(codes)
        since = min((match.stopped_at for match in stopped if match.stopped_at), default=None)
        yield Task(TaskKind.BOUNCED, player.name, note, remedies, since, about, told=True, idle=not playing)


def _mails(desk: Desk) -> Iterator[Task]:
    rows = sorted(inbox.to_look_at(desk.session, but=REPEATED), key=lambda row: row.told_at is not None)
    for row in rows[:MOST]:
        yield _broken(row) if row.state == InboxState.QUARANTINE else _waiting(desk, row)
    if left := rows[MOST:]:
        note = Note("today-more-mails", {"count": len(left)})
        told = all(row.told_at is not None for row in left)
        yield Task(TaskKind.MAIL, MORE, note, (Remedy(("quarantine", "list")),), left[0].received_at, told=told)


def _broken(row: Inbox) -> Task:
    number = str(row.id)
    facts = {"number": number, "at": row.received_at, "address": row.sender or "?", "text": row.reason or "?"}
    note = Note("today-quarantine", facts)
    remedies = (Remedy(("quarantine", "retry", number)), Remedy(("quarantine", "show", number)))
    return Task(TaskKind.QUARANTINE, number, note, remedies, row.received_at, {"mail": number}, told=True)


def _waiting(desk: Desk, row: Inbox) -> Task:
    """One mail that waits: what it is, and how to let it count."""
    number = str(row.id)
    facts = waiting.facts(row) | {"address": row.sender or "?"}
    sort = waiting.sort(row)
    drop = Remedy(("quarantine", "drop", number), Note("do-drop", {"number": number}))
    accept = Remedy(("quarantine", "accept", number), Note("do-accept", {"number": number}))
    told = row.told_at is not None
    if sort.startswith("joins"):
        mail = read_mail(row.raw, full=not row.truncated)
        wanted = newcomer.wish(mail)
        facts["words"] = one_line(" ".join((mail.subject, *(line.text for line in mail.lines))), WORDS)
        called_so = newcomer.free_name(desk, wanted.name if wanted else "", row.sender)
        note = Note(f"look-{sort}", facts | {"name": called_so})
        about: Facts = {"mail": number, "name": called_so, "address": row.sender}
        return Task(TaskKind.STRANGER, number, note, (accept, drop), row.received_at, about, told)
    player = desk.session.get(Player, row.player_id) if row.player_id else None
    match = desk.session.get(Match, row.match_id) if row.match_id else None
    place = "-seat" if player and match else "-player" if player else ""
    facts |= {"name": player.name if player else "", "match": match.code if match else ""}
    show = Remedy(("quarantine", "show", number))
    remedies = (show, accept, drop) if sort == "other" else (accept, drop)
    note = Note(f"look-{sort}{place}", facts)
    return Task(TaskKind.MAIL, number, note, remedies, row.received_at, {"mail": number}, told)
