"""A season of twelve months: forty players with their habits, leave, drop-outs, a week without the moderator's machine,
both changes of the clock. Tick is called once a day on a moving clock, and nothing else moves the matches. And how
often a single order asks the database."""

import random
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlmodel import Session, col, select

from bench.statements import MARKS, STATEMENTS, TRANSACTIONS, one_order
from moderator import games
from moderator.rules.game import read_options
from moderator.rules.records import record
from moderator.rules.robots import choose
from moderator.rules.time import clock
from moderator.service.create import create_match, get_player
from moderator.service.match.start import start_match
from moderator.settings import Config
from moderator.store.tables import EventRow, InboxRow, MatchRow, OutboxRow, PlayerRow, SeatRow, StandbyRow
from moderator.views.loaded_match import LiveMatch, load_log_entries, rebuild_with_history
from moderator.views.match_cache import MatchCache
from tests.club.club import START, Club, make_club
from tests.club.steps import VOUCHED

STEP = timedelta(days=1)
AWAY = (datetime(2027, 2, 8, 12, 0, tzinfo=UTC), datetime(2027, 2, 15, 12, 0, tzinfo=UTC))
NAMES = tuple(f"P{number:02}" for number in range(1, 41))
PLAN: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("topwords", 2, {}),
    ("dominos", 2, {"target": 40}),
    ("topwords", 4, {"pace": "rounds", "rounds": 6}),
    ("tridom", 2, {"target": 120}),
    ("topwords", 3, {"pace": "common", "rounds": 6}),
    ("domijongg", 3, {"games": 1}),
    ("kreuzwort", 2, {}),
    ("supertridom", 3, {"target": 120}),
)
TERMS = {
    "days": 5,
    "bank": 3,
    "bank_increment": 1,
    "bank_cap": 5,
    "grace": 1,
    "skip_weekdays": ["sun"],
    "holidays": ["12-25"],
}


@dataclass
class Habits:
    """How somebody answers. ``leaves``: days on which they go away; ``patience``: turns that they answer before they
    never answer again; None = they stay."""

    slowest: float
    forgets: float
    leaves: list[tuple[date, date]] = field(default_factory=list)
    patience: int | None = None


@dataclass
class Season:
    club: Club
    random: random.Random
    habits: dict[str, Habits]
    pending: list[tuple[datetime, str, int, str, str]] = field(default_factory=list)
    """When, match, seat, player, text."""
    asked: set[tuple[str, int, int]] = field(default_factory=set)
    """Match, entry, seat: turns that were thought about already."""
    sent: list[tuple[datetime, str, int]] = field(default_factory=list)
    started: int = 0

    def start_matches(self) -> None:
        """Two new matches a month, their players in turn."""
        while self.started < 2 * ((self.club.now - START).days // 30 + 1) and self.started < 20:
            game, seats, options = PLAN[self.started % len(PLAN)]
            first = (self.started * 3) % len(NAMES)
            names = [NAMES[(first + n) % len(NAMES)] for n in range(seats)]
            known = {key: options[key] for key in options.keys() & games.load_game(game).options.__dataclass_fields__}
            with self.club.work() as work:
                players = [get_player(work.session, name) for name in names]
                match = create_match(work, game, f"M{self.started}", players, known, terms=TERMS)
                start_match(work, match, seed=self.started.to_bytes(32, "big"))
            self.started += 1

    def think(self) -> None:
        """Whoever is awaited and has not thought about this turn decides when to write what."""
        with self.club.work() as work:
            query = select(MatchRow).where(MatchRow.status == "running", col(MatchRow.deadline).is_not(None))
            for match in work.session.exec(query):
                live = work.cache.load_match(work.session, match)
                for seat, player in work.list_seated(match):
                    turn = (match.code, live.table.round if live.table.is_simultaneous else match.entries, seat.number)
                    if seat.number in live.seats_awaited and turn not in self.asked:
                        self.asked.add(turn)
                        self.decide(match, live, seat, player, work.cache)

    def decide(self, match: MatchRow, live: LiveMatch, seat: SeatRow, player: PlayerRow, cache: MatchCache) -> None:
        habits = self.habits[player.name]
        when = self.club.now + timedelta(days=self.random.uniform(0.1, habits.slowest))
        for first, last in habits.leaves:
            if first <= when.date() <= last:
                when = datetime(last.year, last.month, last.day, 12, 0, tzinfo=UTC) + timedelta(days=2)
        if self.random.random() < habits.forgets or habits.patience == 0:
            return
        if habits.patience is not None:
            habits.patience -= 1
        text = choose.choose_robot_move(live.game, live.table.state, seat.number, cache.build_context(live))
        unwritten = [mail for mail in self.pending if mail[1:3] == (match.code, seat.number)]
        for earlier in unwritten:  # nobody writes about a turn that is gone when there is a new one
            self.pending.remove(earlier)
        self.pending.append((when, match.code, seat.number, player.name, text))

    def write(self, until: datetime) -> None:
        """Put the mails of the time up to ``until`` into the mailbox, each with its own time of arrival."""
        due = sorted(mail for mail in self.pending if mail[0] <= until)
        self.pending = [mail for mail in self.pending if mail[0] > until]
        now = self.club.now
        for when, code, seat, name, text in due:
            self.club.now = when
            if self.club.row(code).status == "running":
                self.club.order(name, code, seat, text)
                self.sent.append((when, code, seat))
        self.club.now = now

    def announce_leave(self) -> None:
        for name, habits in self.habits.items():
            for first, last in habits.leaves:
                if timedelta(0) <= datetime(first.year, first.month, first.day, tzinfo=UTC) - self.club.now < STEP:
                    self.club.write(name, f"Urlaub {first:%d.%m.%Y} bis {last:%d.%m.%Y}", **VOUCHED)


def habits(chance: random.Random) -> dict[str, Habits]:
    found = {}
    for number, name in enumerate(NAMES):
        one = Habits(slowest=chance.choice((1.5, 3, 5.5)), forgets=chance.choice((0, 0, 0.05)))
        if number % 4 == 0:
            first = (START + timedelta(days=chance.randrange(20, 330))).date()
            one.leaves.append((first, first + timedelta(days=chance.randrange(6, 20))))
        if number % 5 == 3:
            one.patience = chance.randrange(3, 12)
        found[name] = one
    return found


def played(club: Club, days: int) -> Season:
    """A season of the club, from its first day to its last."""
    club.players(*NAMES)
    with club.work() as work:
        for name in NAMES[-2:]:
            work.session.add(StandbyRow(player_id=get_player(work.session, name).number, since=club.now))
    chance = random.Random(20261120)
    made = Season(club, chance, habits(chance))
    for _ in range(days):
        made.start_matches()
        made.announce_leave()

        made.write(club.now)
        if not AWAY[0] < club.now < AWAY[1]:
            summary = club.tick()
            assert not summary.quarantined, summary.quarantined
            made.think()
        club.now += STEP
    return made


@pytest.mark.parametrize(
    ("days", "finished", "sent", "lost"),
    [
        pytest.param(135, 2, 120, {"hand-over"}, marks=pytest.mark.slow),
        pytest.param(365, 12, 400, {"hand-over", "retire"}, marks=pytest.mark.matrix("seasons", seconds=45)),
    ],
)
def test_a_season_loses_no_order_and_all_adds_up(
    days: int, finished: int, sent: int, lost: set[str], tmp_path: Path
) -> None:
    """The shorter one ends after the first change of the clock. ``finished``, ``sent``: matches and mails, at least;
    ``lost``: how seats were given up."""
    season = played(make_club(tmp_path / "club"), days)
    with season.club.work() as work:
        session = work.session
        assert len(season.sent) > sent
        check_matches(session, season.started, finished, lost)
        check_ledgers(session, season.club.config)
        check_records(session)
        check_mails(session, len(season.sent))
        check_missed_turns(session)
        check_outage(session)
        check_hours(session)


def check_matches(session: Session, started: int, finished: int, lost: set[str]) -> None:
    """They were played to their ends; seats were given up and taken over."""
    matches = session.exec(select(MatchRow)).all()
    assert len(matches) == started
    assert len([match for match in matches if match.status == "finished"]) >= finished
    assert not [match.trouble for match in matches if match.status == "suspended"]
    kinds = {event.kind for event in session.exec(select(EventRow))}
    assert {"miss", "move", "evaluate", "clock", *lost} <= kinds


def check_ledgers(session: Session, config: Config) -> None:
    cache = MatchCache(config)
    for match in session.exec(select(MatchRow)):
        kept, fresh = cache.load_match(session, match), rebuild_with_history(session, match, config.deadlines).live
        assert kept.table == fresh.table
        assert (
            kept.ledger
            == fresh.ledger
            == clock.build_accounts(len(fresh.ledger.seats), fresh.terms, load_log_entries(session, match))
        )


def check_records(session: Session) -> None:
    for match in session.exec(select(MatchRow).where(MatchRow.status == "finished")):
        game = games.load_game(match.game)
        seats = session.exec(select(SeatRow).where(SeatRow.match_id == match.id)).all()
        exported = record.build_record(
            match=match.code,
            game=game,
            options=read_options(game, match.options),
            seats=[f"S{n}" for n in range(len(seats))],
            seed=match.seed,
            salts=match.salts,
            entries=load_log_entries(session, match),
        )
        report = record.verify_record(record.parse_record_values(exported, games.load_game))
        assert report["ok"], (match.game, [check for check in report["checks"] if not check["ok"]])


def check_mails(session: Session, sent: int) -> None:
    """No order was lost, and no mail stayed behind."""
    assert {row.state for row in session.exec(select(InboxRow))} == {"done"}
    assert {row.state for row in session.exec(select(OutboxRow))} == {"sent"}
    by_mail = session.exec(select(EventRow).where(col(EventRow.inbox_id).is_not(None))).all()
    acted = len({event.inbox_id for event in by_mail})
    assert acted >= 0.85 * sent, "what is left came too late, or for a seat that somebody else has now"


def check_missed_turns(session: Session) -> None:
    """By the log alone: between a seat's missed turn and what happened before it at the match lie at least the reply
    days (less the hours of the first day) and the hour after the ZAT."""
    least = timedelta(days=4)
    for match in session.exec(select(MatchRow)):
        events = session.exec(select(EventRow).where(EventRow.match_id == match.id).order_by(col(EventRow.n))).all()
        out: set[int] = set()
        board = [match.started_at, *(event.at for event in events if event.kind in ("move", "miss", "evaluate"))]
        for event in events:
            if event.kind == "retire" and event.seat is not None:
                out.add(event.seat)
            if event.kind == "hand-over" and event.seat is not None:
                out.discard(event.seat)
            if event.kind == "miss" and event.seat not in out:
                before = max(at for at in board if at is not None and at < event.at)
                assert event.at - before > least, (match.code, event.n)


def check_outage(session: Session) -> None:
    """The week without the machine cost nobody a turn."""
    moved = session.exec(select(EventRow).where(EventRow.kind == "clock", EventRow.text == "outage")).all()
    assert moved
    assert all(event.at >= AWAY[1] for event in moved)
    soon = AWAY[1] + timedelta(days=1)
    assert not session.exec(
        select(EventRow).where(EventRow.kind == "miss", EventRow.at >= AWAY[0], EventRow.at <= soon)
    ).all()


def check_hours(session: Session) -> None:
    """The hour of the ZAT is the same all year."""
    hours = set()
    for event in session.exec(select(EventRow).where(EventRow.kind == "clock")):
        for moment in (event.outcome.get("from"), event.outcome.get("to")):
            if moment:
                local = datetime.fromisoformat(moment).astimezone(ZoneInfo("Europe/Berlin"))
                hours.add((local.hour, local.minute))
    assert hours == {(20, 0)}


@pytest.mark.sqlite
def test_one_order_asks_the_database_no_more_often_than_it_must(tmp_path: Path) -> None:
    """``python -m bench statements`` prints each question and who asks it."""
    asked = one_order(make_club(tmp_path / "club"))
    assert len(asked.statements) <= STATEMENTS, "\n".join(map(str, asked.statements))
    assert len(asked.transactions) <= TRANSACTIONS, asked.transactions
    assert 2 <= len(asked.marks) <= MARKS, asked.marks
