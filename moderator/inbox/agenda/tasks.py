"""What waits: in matches (rulings, faults, who is late, clocks that stand, seats that were
given up), and besides them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from moderator.commands.player import joining
from moderator.common import disk
from moderator.common.enums import ClockStop, InboxState, LogEntryKind, MatchStatus
from moderator.language.dates import get_time_zone
from moderator.mail.clean import clean_to_one_line
from moderator.mail.parse import parse_mail_bytes
from moderator.notifications.task import Remedy, StaffMember, Task, TaskFacts, TaskKind
from moderator.rules.game import Note
from moderator.rules.replay import drop_undone
from moderator.service import held_mails
from moderator.service.deadlines import list_missing_today, loses_seat
from moderator.store import (
    audit,
    club_tables,
    due_work,
    inbox,
    key_values,
    matches,
    matches_log,
    players,
    questions,
    tournaments,
)
from moderator.store.database import Session
from moderator.store.due_work import LATELY, LONG, UNCONFIRMED, UNKNOWN, ClockDoubt
from moderator.store.tables import DeferredNews, EventRow, InboxRow, MatchRow, PlayerRow, Tournament
from moderator.views.loaded_match import MatchSuspended, load_log_entries
from moderator.views.match_state import AwaitedSeats
from moderator.views.people import MatchCharge, get_chief
from moderator.views.tournament_rows import StoredTournament
from moderator.views.unit_of_work import UnitOfWork

MORE_DAYS = 3
"""What the line that gives somebody who is late more time offers."""
ONE_DAY = 1
"""The same, for a deadline that is not over."""
TOGETHER = 5
"""Where more mails of one kind wait, one line tells of all: strangers may send thousands."""
MOST_RANGES = 20
"""Numbers and ranges of such mails in one line; the next look has the others."""
BROKEN = "broken"
"""Kind of the mails that our own code could not handle; that of others is ``held_mails.classify_held``."""
WORDS = 200
"""Characters of what somebody wrote."""
NEW_ADDRESS = "NEW"
"""What stands for it in a line: no address, so that the line is refused as long as nobody has put one in."""
FEWEST = 2
"""Entrants with whom a tournament may begin all the same."""
OPEN_LONGER = timedelta(days=7)
"""So much longer a registration is kept open by the line that does it."""


@dataclass(frozen=True)
class DueMatch:
    """A match whose turn ends this day, and in which moves are missing."""

    code: str
    deadline: datetime
    seats: tuple[dict[str, Any], ...]
    """Who is missing, see ``list_missing_today``."""
    expected: int
    """So many moves of people are awaited, with those that are here."""
    costs_seat: bool
    """Somebody would lose a seat by it."""


@dataclass(frozen=True)
class MatchTasks:
    """The tasks in matches, as far as ``who`` may look at them; None = at the machine, all of it."""

    work: UnitOfWork
    who: StaffMember | None

    def iter_tasks(self) -> Iterator[Task]:
        session = self.work.session
        yield from self._iter_word_tasks()
        yield from self._iter_protest_tasks()
        running = [match for match in matches.list_running(session) if self._may_look_at(match)]
        yield from self._iter_due_tasks(running)
        for match in (*running, *filter(self._may_look_at, matches.list_undealt_matches(session))):
            yield from self._iter_tasks_of_match(match)
        yield from self._iter_vacated_seat_tasks()

    def _may_look_at(self, match: MatchRow) -> bool:
        return self.who is None or MatchCharge(self.work, match).may_command(self.who)

    def _get_referee_name(self, match: MatchRow) -> str:
        """Return the name of the referee in charge of the match; "" = it is the chief."""
        return _get_referee_name(MatchCharge(self.work, match).find_staff())

    def _iter_word_tasks(self) -> Iterator[Task]:
        """Yield the words that wait for a ruling; one that several matches in one charge wait for is asked about
        once."""
        waits: dict[tuple[str, StaffMember], list[tuple[datetime, MatchRow]]] = {}
        for question, match in questions.list_open_questions(self.work.session):
            if self._may_look_at(match):
                who = MatchCharge(self.work, match).find_staff()
                waits.setdefault((question.word, who), []).append((question.asked_at, match))
        for (word, who), places in waits.items():
            codes = [match.code for _, match in places]
            remedies = tuple(
                remedy
                for ruling in ("allow", "deny")
                for remedy in _iter_ruling_remedies(word, ruling, () if who.is_chief else codes)
            )
            note = Note("today-word", {"word": word, "matches": codes})
            since = min(at for at, _ in places)
            key = word if who.is_chief else f"{word} {' '.join(codes)}"
            facts: TaskFacts = {"word": word, "match": " ".join(codes)}
            yield Task(TaskKind.WORD, key, note, remedies, since, facts, told=True, led_by=_get_referee_name(who))

    def _iter_protest_tasks(self) -> Iterator[Task]:
        for row, match, player in questions.list_protests(self.work.session):
            if not self._may_look_at(match):
                continue
            led_by = self._get_referee_name(match)
            number = str(row.id)
            said = {"name": player.name, "line": " ".join(row.text.split()), "number": number}
            remedies = tuple(
                Remedy(("match", "rule-protest", number, ruling), Note(f"do-protest-{ruling}", {"number": number}))
                for ruling in ("uphold", "deny")
            )
            note = Note("today-protest", {**said, "match": match.code, "title": match.name})
            about: TaskFacts = {"match": match.code, "player": player.name}
            yield Task(TaskKind.PROTEST, number, note, remedies, row.at, about, told=True, led_by=led_by)

    def _iter_tasks_of_match(self, match: MatchRow) -> Iterator[Task]:
        for task in self._iter_state_tasks(match):
            yield replace(task, led_by=self._get_referee_name(match))

    def _iter_state_tasks(self, match: MatchRow) -> Iterator[Task]:
        """Yield the tasks of a match, by its row alone where that says that nothing waits: a club has hundreds of
        matches."""
        facts = {"match": match.code, "title": match.name}
        if match.status == MatchStatus.SUSPENDED:
            resume = Remedy(("match", "resume", match.code), Note("do-go-on", {"match": match.code}))
            note = Note("today-suspended", {**facts, "text": match.trouble})
            yield Task(TaskKind.SUSPENDED, match.code, note, (resume,), None, _build_match_facts(match), told=True)
        elif match.status == MatchStatus.OPEN:
            start = Remedy(("match", "start", match.code))
            note = Note("today-not-begun", {**facts, "text": match.trouble})
            yield Task(TaskKind.NOT_BEGUN, match.code, note, (start,), None, _build_match_facts(match), told=True)
        elif match.stopped == ClockStop.PAUSE:
            since = match.stopped_at or self.work.now
            if self.work.now - since >= LONG:
                go_on = Remedy(("match", "resume", match.code), Note("do-go-on", {"match": match.code}))
                note = Note("today-paused", {**facts, "since": since})
                yield Task(TaskKind.PAUSED, match.code, note, (go_on,), since, _build_match_facts(match))
        elif match.stopped == ClockStop.CONFIRM:
            yield from self._iter_confirmation_tasks(match)
        elif not (match.held or match.stopped or match.training) and _may_be_late(self.work.now, match):
            yield from self._iter_late_tasks(match)

    def _iter_due_tasks(self, running: Sequence[MatchRow]) -> Iterator[Task]:
        """Yield one task for all whose move is missing for a deadline of this day, in each one's charge. It makes a
        notice where somebody would lose a seat by it."""
        due: dict[str, list[DueMatch]] = {}
        for match in running:
            if (one := self._find_due_match(match)) is not None:
                due.setdefault(self._get_referee_name(match), []).append(one)
        for led_by, found in due.items():
            seats = [seat for one in found for seat in one.seats]
            first = min(one.deadline for one in found)
            zone = get_time_zone(self.work.config.club.zone)
            note = Note(
                "today-due",
                {
                    "missing": len(seats),
                    "expected": sum(one.expected for one in found),
                    "time": f"{first.astimezone(zone):%H:%M}",
                    "names": [f"{seat['name']} ({seat['title']})" for seat in seats],
                    "seats": seats,
                },
            )
            days = str(ONE_DAY)
            remedies = tuple(
                Remedy(("match", "extend", one.code, days), Note("do-extend", {"match": one.code, "days": days}))
                for one in found
            )
            about: TaskFacts = {
                "match": " ".join(one.code for one in found),
                "players": ", ".join(seat["name"] for seat in seats),
            }
            yield Task(
                TaskKind.DUE,
                f"{led_by} {self.work.today:%Y-%m-%d}".strip(),
                note,
                remedies,
                None,
                about,
                told=not any(one.costs_seat for one in found),
                until=first,
                led_by=led_by,
            )

    def _find_due_match(self, match: MatchRow) -> DueMatch | None:
        """Return who is missing in a match for the deadline of this day; None where nobody is, or it is another day."""
        missing = list_missing_today(self.work, match)
        if not missing or match.deadline is None:
            return None
        live = self.work.cache.load_readonly(self.work.session, match)
        plans = AwaitedSeats(self.work, match, live).build_schedules()
        costs_seat = any(loses_seat(live, seat) for seat in missing)
        return DueMatch(match.code, match.deadline, tuple(missing.values()), len(plans), costs_seat)

    def _iter_confirmation_tasks(self, match: MatchRow) -> Iterator[Task]:
        """Yield the task of a match that waits for a player's word that it stands as it stood."""
        since = match.stopped_at or self.work.now
        if self.work.now - since < UNCONFIRMED:
            return
        try:
            live = self.work.cache.load_readonly(self.work.session, match)
        except MatchSuspended:
            return
        names = [
            self.work.list_players(match)[seat].name for seat in AwaitedSeats(self.work, match, live).list_unconfirmed()
        ]
        go_on = Remedy(("match", "resume", match.code), Note("do-go-on", {"match": match.code}))
        note = Note("today-moving-in", {"match": match.code, "title": match.name, "names": names, "since": since})
        about: TaskFacts = {**_build_match_facts(match), "players": ", ".join(names)}
        yield Task(TaskKind.PAUSED, match.code, note, (go_on,), since, about)

    def _iter_late_tasks(self, match: MatchRow) -> Iterator[Task]:
        """Yield one line for a match, however many are late in it: the same line gives all of them more time."""
        try:
            live = self.work.cache.load_readonly(self.work.session, match)
        except MatchSuspended:
            return  # the next run finds that, too, and tells of it
        players = self.work.list_players(match)
        names = [players[seat].name for seat in sorted(live.seats_awaited) if not players[seat].robot]
        if not names:
            return
        facts = {"match": match.code, "title": match.name, "names": names}
        about: TaskFacts = {**_build_match_facts(match), "players": ", ".join(names)}
        since = match.deadline or match.turn_at or self.work.now
        key = f"{match.code} {since:%Y-%m-%d}"
        if match.deadline is None and self.work.now - since >= LONG:
            look = Remedy(("match", "missing", match.code), Note("do-missing", {"match": match.code}))
            yield Task(TaskKind.LATE, key, Note("today-idle", {**facts, "since": since}), (look,), since, about)
        elif match.deadline is not None and match.deadline < self.work.now:
            until = AwaitedSeats(self.work, match, live).compute_final_deadline() or match.deadline
            note, days = Note("today-late", {**facts, "deadline": match.deadline, "until": until}), str(MORE_DAYS)
            more = Note("do-extend", {"match": match.code, "days": days})
            extend = Remedy(("match", "extend", match.code, days), more)
            yield Task(TaskKind.LATE, key, note, (extend,), since, about, until=until)

    def _iter_vacated_seat_tasks(self) -> Iterator[Task]:
        for event, match, name in matches_log.list_vacated_seats(self.work.session, self.work.now - LATELY):
            if (
                match.status == MatchStatus.FINISHED
                or not self._may_look_at(match)
                or not _is_still_vacated(self.work.session, match, event)
            ):
                continue
            look = Remedy(("match", "show", match.code), Note("do-status", {"match": match.code}))
            code = "today-given-up" if event.kind == LogEntryKind.RETIRE else "today-stand-in"
            note = Note(code, {"match": match.code, "title": match.name, "name": name, "at": event.at})
            key = f"{match.code} {event.n}"
            led_by = self._get_referee_name(match)
            about: TaskFacts = {**_build_match_facts(match), "player": name}
            yield Task(TaskKind.GIVEN_UP, key, note, (look,), event.at, about, led_by=led_by)


def _build_match_facts(match: MatchRow) -> TaskFacts:
    return {"match": match.code, "name": match.name}


def _iter_ruling_remedies(word: str, ruling: str, codes: Sequence[str]) -> Iterator[Remedy]:
    """Yield remedies for the whole club, or for the matches of one referee."""
    if not codes:
        yield Remedy(("words", "rule", word, ruling), Note(f"do-word-{ruling}", {"word": word}))
    for code in codes:
        shell = ("words", "rule", word, ruling, "--scope", code)
        yield Remedy(shell, Note(f"do-word-{ruling}-here", {"word": word, "match": code}))


def _get_referee_name(who: StaffMember) -> str:
    return "" if who.is_chief else who.name


def _may_be_late(now: datetime, match: MatchRow) -> bool:
    if match.deadline is not None:
        return match.deadline < now
    return match.turn_at is not None and now - match.turn_at >= LONG


def _is_still_vacated(session: Session, match: MatchRow, event: EventRow) -> bool:
    """Return whether the seat is still vacated: not if that was undone, or somebody else has had the seat since: the
    name would be theirs."""
    changes = (LogEntryKind.RETIRE, LogEntryKind.HAND_OVER)
    own = [
        number
        for number, entry in drop_undone(load_log_entries(session, match))
        if entry.seat == event.seat and entry.kind in changes
    ]
    return bool(own) and own[-1] == event.n


@dataclass(frozen=True)
class ClubTasks:
    """The tasks besides matches: mails, mailboxes that nothing reaches, tournaments, and the machine itself."""

    work: UnitOfWork

    def iter_tasks(self) -> Iterator[Task]:
        yield from self._iter_machine_tasks()
        yield from self._iter_tournament_tasks()
        yield from self._iter_bounced_tasks()
        yield from self._iter_mail_tasks()
        yield from self._iter_unsent_tasks()
        yield from self._iter_robot_tasks()
        yield from self._iter_backup_tasks()

    def _iter_machine_tasks(self) -> Iterator[Task]:
        time = self.work.clock or due_work.load_club_time(self.work.config.database, self.work.now)
        polled = key_values.find_value(self.work.session, due_work.POLLED)
        last = datetime.fromisoformat(polled) if polled else None
        lost = time.has_poll_gap(self.work.config.guard.outage_hours)
        if time.doubt is not ClockDoubt.NONE or (lost and key_values.find_value(self.work.session, key_values.ASKED)):
            doubt = time.doubt.value or ClockDoubt.AHEAD.value
            note = Note(f"today-clock-{doubt}", {"now": time.shown, "since": time.newest})
            yield Task(TaskKind.CLOCK, doubt, note, (Remedy(("clock", "right")), Remedy(("doctor",))), time.newest)
        elif last is not None and self.work.config.guard.is_outage(last, self.work.now):
            yield Task(TaskKind.OUTAGE, "", Note("today-outage", {"since": last}), (Remedy(("doctor",)),), last)
        folder = self.work.config.resolve_path(self.work.config.store.path).parent
        left = disk.find_free_bytes(folder)
        if left is not None and left < disk.LEAST_ROOM:
            note = Note("today-disk", {"folder": str(folder), "count": left // 1_000_000})
            yield Task(TaskKind.DISK, "", note, (Remedy(("doctor",)),), self.work.now)
        for key, mail in key_values.UnreadableMail.decode_all(
            key_values.find_value(self.work.session, due_work.UNREAD)
        ).items():
            note = Note("today-unread", {"since": mail.since, "text": mail.where})
            yield Task(TaskKind.UNREAD, key, note, (Remedy(("doctor",)),), mail.since)

    def _iter_unsent_tasks(self) -> Iterator[Task]:
        """Yield a task for each fault that keeps mails from being made."""
        by_fault: dict[str, list[DeferredNews]] = {}
        for row in club_tables.list_failed_news(self.work.session):
            by_fault.setdefault(row.fault, []).append(row)
        for fault, rows in by_fault.items():
            found = (self.work.session.get_one(PlayerRow, row.player_id).name for row in rows if row.player_id)
            names = [*dict.fromkeys(found)] or [get_chief(self.work.config).name]
            note = Note("today-unsent", {"count": len(rows), "names": names, "text": fault})
            yield Task(
                TaskKind.UNSENT, fault, note, (Remedy(("doctor",)),), rows[0].at, TaskFacts(players=", ".join(names))
            )

    def _iter_robot_tasks(self) -> Iterator[Task]:
        for name in sorted(self.work.config.bots):
            failed = key_values.find_value(self.work.session, key_values.build_bot_key(name))
            if failed is None:
                continue
            moment, code, why = failed.split(" ", 2)
            at = datetime.fromisoformat(moment)
            if self.work.now - at < LATELY:
                note = Note("today-robot", {"name": name, "match": code, "at": at, "text": why})
                show = Remedy(("match", "show", code), Note("do-status", {"match": code}))
                about: TaskFacts = {"match": code, "player": name}
                yield Task(TaskKind.ROBOT, f"{name} {at:%Y-%m-%d}", note, (show, Remedy(("doctor",))), at, about)

    def _iter_backup_tasks(self) -> Iterator[Task]:
        days, first = self.work.config.club.backup_days, players.find_first_joining_time(self.work.session)
        if not days or first is None or not isinstance(self.work.config.database, Path):
            return  # what pg_dump did is known to nobody here
        last = audit.find_last_command_time(self.work.session, "backup")
        if self.work.now - (last or first) < timedelta(days=days):
            return
        note = Note("today-backup", {"since": last}) if last else Note("today-no-backup")
        folder = str(self.work.config.resolve_path(Path("backups")))
        yield Task(TaskKind.BACKUP, "", note, (Remedy(("backup", folder, "--keep", "10")),), last or first)

    def iter_hints(self) -> Iterator[Task]:
        """Yield tasks of which no notice is sent: a server whose word about senders could be taken, and mails of people
        whom nobody knows, which got no answer."""
        server = key_values.find_value(self.work.session, due_work.CHECKED_BY)
        if server and not self.work.config.mail.authserv_id:
            note = Note("today-senders", {"server": server})
            yield Task(TaskKind.SENDERS, "", note, (Remedy(("doctor", "--mail")),), None, told=True, idle=True)
        if count := inbox.count_unknown_mails(self.work.session, self.work.now - UNKNOWN):
            note, look = Note("today-unknown", {"count": count}), Remedy(("quarantine", "list", "--all"))
            yield Task(TaskKind.UNKNOWN, "", note, (look,), None, told=True, idle=True)

    def _iter_tournament_tasks(self) -> Iterator[Task]:
        for tournament in tournaments.list_troubled_tournaments(self.work.session):
            about: TaskFacts = {"tournament": tournament.code, "name": tournament.name}
            remedies = self._list_tournament_remedies(tournament)
            failed = key_values.find_value(self.work.session, key_values.build_failure_key(tournament.code))
            facts = {"cup": tournament.code, "title": tournament.name, "reason": failed or "?"}
            key, note = (
                f"{tournament.code} {tournament.trouble} {tournament.round}",
                Note(f"today-{tournament.trouble}", facts),
            )
            yield Task(TaskKind.TOURNAMENT, key, note, remedies, None, about, told=True)
        for game, tournament in tournaments.list_pairings_with_end(self.work.session):
            match = self.work.session.get(MatchRow, game.match_id) if game.match_id else None
            if match is None or game.ends_at is None or game.ends_at > self.work.now or game.result is not None:
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
            game_of: TaskFacts = {"tournament": tournament.code, "match": match.code}
            key = f"{tournament.code} {match.code}"
            yield Task(TaskKind.ADJUDICATION, key, note, remedies, game.ends_at, game_of, told=True)

    def _list_tournament_remedies(self, tournament: Tournament) -> tuple[Remedy, ...]:
        if tournament.trouble == "cup-too-few":
            until = f"{self.work.today + OPEN_LONGER:%Y-%m-%d}"
            longer = Remedy(("cup", "open", tournament.code, "--until", until))
            if StoredTournament(self.work.session, tournament).count_taken_places() < FEWEST:
                return (longer, Remedy(("cup", "cancel", tournament.code, "--yes")))
            return (longer, Remedy(("cup", "start", tournament.code, "--anyway")))
        if tournament.trouble == "cup-no-pairing":
            return tuple(Remedy(("cup", "pair", tournament.code, way)) for way in ("--rematches", "--end"))
        return (Remedy(("cup", "pair", tournament.code)), Remedy(("cup", "show", tournament.code)))

    def _iter_bounced_tasks(self) -> Iterator[Task]:
        for player in players.list_unreachable_players(self.work.session):
            playing = [match for match, _ in matches.list_current_seats(self.work.session, player.number)]
            stopped = [match for match in playing if match.status == MatchStatus.RUNNING and match.stopped]
            codes = [match.code for match in stopped]
            code = "today-bounced-stopped" if stopped else "today-bounced"
            note = Note(code, {"name": player.name, "address": player.address or "?", "matches": codes})
            new = Remedy(("player", "set", player.name, "--address", NEW_ADDRESS))
            remedies = (new, Remedy(("player", "reachable", player.name)))
            about: TaskFacts = {"player": player.name}
            if codes:
                about["match"] = " ".join(codes)
            since = min((match.stopped_at for match in stopped if match.stopped_at), default=None)
            yield Task(TaskKind.BOUNCED, player.name, note, remedies, since, about, told=True, idle=not playing)

    def _iter_mail_tasks(self) -> Iterator[Task]:
        rows = inbox.list_mails_for_staff(self.work.session)
        kinds: dict[str, list[InboxRow]] = {}
        for row in rows:
            kinds.setdefault(
                BROKEN if row.state == InboxState.QUARANTINE else held_mails.classify_held(row), []
            ).append(row)
        for kind, found in kinds.items():
            if len(found) <= TOGETHER:
                yield from (self._build_mail_task(row, kind, [str(row.id)]) for row in found)
                continue
            yield self._build_mail_group_task(found, kind)

    def _build_mail_group_task(self, found: Sequence[InboxRow], kind: str) -> Task:
        """Build one task for mails of one kind; a new one among them makes it new."""
        numbers = [row.id or 0 for row in found]
        between = inbox.list_mail_ids_between(self.work.session, numbers[0], numbers[-1], held_mails.LISTED)
        ranges = list(held_mails.iter_mail_ranges(numbers, set(between) - set(numbers)))[:MOST_RANGES]
        newest = self._build_mail_task(found[-1], kind, ranges)
        said = {"code": newest.note.code, **newest.note.params}
        note = Note("look-many", {"count": len(found), "numbers": ranges, "faults": [said]})
        key, told = (
            f"{kind} {numbers[0]}-{numbers[-1]}",
            kind == BROKEN or all(row.told_at is not None for row in found),
        )
        return replace(newest, key=key, note=note, since=found[0].received_at, told=told)

    def _build_mail_task(self, row: InboxRow, kind: str, ranges: Sequence[str]) -> Task:
        """Build the task of a mail that waits; ``ranges``: the numbers that its lines are to settle."""
        number, listed = str(row.id), ", ".join(ranges)
        about: TaskFacts = {"mail": " ".join(ranges), "address": row.sender}
        drop = Remedy(("quarantine", "drop", *ranges), Note("do-drop", {"number": listed}))
        accept = Remedy(("quarantine", "accept", *ranges), Note("do-accept", {"number": listed}))
        show = Remedy(("quarantine", "show", number))
        if kind == BROKEN:
            facts = {"number": number, "at": row.received_at, "address": row.sender or "?", "text": row.reason or "?"}
            note = _with_first_words(Note("today-quarantine", facts), row.subject)
            again = Remedy(("quarantine", "retry", *ranges))
            return Task(TaskKind.QUARANTINE, number, note, (again, show), row.received_at, about, told=True)
        note = self._build_waiting_mail_note(row, kind)
        remedies = (show, drop) if listed != number else (show, accept, drop) if kind == "other" else (accept, drop)
        task = TaskKind.STRANGER if kind.startswith("joins") else TaskKind.MAIL
        if name := note.params.get("name") if task is TaskKind.STRANGER else "":
            about["name"] = name
        return Task(task, number, note, remedies, row.received_at, about, row.told_at is not None)

    def _build_waiting_mail_note(self, row: InboxRow, kind: str) -> Note:
        """Build the sentence about a mail that waits, with its first words."""
        mail = parse_mail_bytes(row.raw, full=not row.is_truncated)
        words = clean_to_one_line(" ".join((mail.subject, *(line.text for line in mail.lines))), WORDS)
        facts = held_mails.build_held_facts(row) | {"address": row.sender or "?"}
        if kind.startswith("joins"):
            wanted = joining.find_join_wish(mail)
            name = (
                joining.clean_player_name(wanted.name) if wanted else ""
            )  # what they will be called is seen when they are let in
            who = f"{name} ({row.sender})" if name else row.sender
            return Note(f"look-{kind}", facts | {"name": name, "who": who, "words": words})
        player = self.work.session.get(PlayerRow, row.player_id) if row.player_id else None
        match = self.work.session.get(MatchRow, row.match_id) if row.match_id else None
        place = "-seat" if player and match else "-player" if player else ""
        facts |= {"name": player.name if player else "", "match": match.code if match else ""}
        # What a player writes may be a move, which is nobody's business before it is played.
        shown = "" if kind == "report" or row.player_id is not None else words
        return _with_first_words(Note(f"look-{kind}{place}", facts), shown)


def _with_first_words(note: Note, words: str) -> Note:
    if not words.strip():
        return note
    return Note("look-words", {"faults": [{"code": note.code, **note.params}], "words": words})
