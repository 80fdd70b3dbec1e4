"""The year of an organiser who does each morning what `today` says, and nothing else: forty players with their habits,
and what goes wrong in a year. How much there was to read and to do, and whether all of it was there for a reason."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

import pytest
from sqlmodel import col, select

from moderator.club.desk import Desk
from moderator.club.tokens import moderator_token
from moderator.people import bounced
from moderator.play.create import find_player
from moderator.store.models import Inbox, Match
from moderator.today import daily_notice
from moderator.today.task import Task, TaskKind
from tests.club.club import make_club
from tests.club.test_season import Season, played

pytestmark = pytest.mark.matrix("today")
ADDRESS = "boss@club.example"
LOOKED_AT = frozenset({TaskKind.LATE, TaskKind.GIVEN_UP, TaskKind.OUTAGE})
"""What settles itself where nobody decides otherwise; the organiser reads it and lets it."""


@dataclass
class Organised(Season):
    read: dict[tuple[TaskKind, str], list[datetime]] = field(default_factory=dict)
    """Each thing that `today` has shown, and the mornings on which it did."""
    mornings: list[int] = field(default_factory=list)
    """How many lines there were each morning."""
    settled: Counter[TaskKind] = field(default_factory=Counter)
    mishaps: Counter[TaskKind] = field(default_factory=Counter)
    bounced: set[str] = field(default_factory=set)
    """Whose mail has come back."""

    def mishap(self, day: int) -> None:
        """What goes wrong in a year, each now and then, never two within three days."""
        if day % 30 == 10:
            self.club.write(f"fremd{day}@far.example", f"Mitspielen als Gast{day}")
            self.mishaps[TaskKind.STRANGER] += 1
        seats = self.seats()
        if day % 40 == 20 and seats:
            code, seat, name = self.random.choice(seats)
            self.club.order(name, code, seat, "passe", Precedence="bulk")
            self.mishaps[TaskKind.MAIL] += 1
        if day % 50 == 30 and seats:
            code, seat, name = self.random.choice(seats)
            self.club.order(name, code, seat, f"Einspruch: das war am {day}. Tag nicht richtig")
            self.mishaps[TaskKind.PROTEST] += 1
        if day % 60 == 45 and (silent := self.silent(seats)):
            name = self.random.choice(silent)
            with self.club.desk() as desk:
                find_player(desk.session, name).undeliverable = "552 mailbox full"
            self.bounced.add(name)
            self.mishaps[TaskKind.BOUNCED] += 1

    def silent(self, seats: list[tuple[str, int, str]]) -> list[str]:
        """Who plays and writes nothing before the next run, neither a move nor a leave: who writes is reachable by
        that."""
        writing = {name for when, _, _, name, _ in self.pending if when <= self.club.now}
        writing |= {name for name, habits in self.habits.items() if habits.leaves}
        return sorted({name for _, _, name in seats} - writing - self.bounced)

    def seats(self) -> list[tuple[str, int, str]]:
        with self.club.desk() as desk:
            running = desk.session.exec(select(Match).where(Match.status == "running").order_by(col(Match.code))).all()
            return [(match.code, seat.number, player.name) for match in running for seat, player in desk.seated(match)]

    def morning(self) -> None:
        """Reads what waits, and answers what wants an answer: the first line that is offered for it."""
        lines = []
        with self.club.desk() as desk:
            found = daily_notice.tasks(desk)
            for task in found:
                self.read.setdefault((task.kind, task.key), []).append(self.club.now)
                if task.kind not in LOOKED_AT:
                    self.settled[task.kind] += 1
                    lines += self.done(desk, task)
            token = moderator_token(desk.session)
        self.mornings.append(len(found))
        if lines:
            self.club.write(ADDRESS, "\n".join(lines), to=f"games+BOSS-{token}@club.example")

    def done(self, desk: Desk, task: Task) -> list[str]:
        if task.kind is TaskKind.BOUNCED:
            bounced.reachable(desk, find_player(desk.session, task.key))
            return []
        return [task.remedies[0].line("de")]


@pytest.fixture(scope="module")
def year(tmp_path_factory: pytest.TempPathFactory) -> Organised:
    return played(Organised, make_club(tmp_path_factory.mktemp("year") / "club", 'subaddress = "+"'))


def test_whatever_wants_a_decision_is_shown_until_the_line_that_is_offered_has_settled_it(year: Organised) -> None:
    for (kind, key), mornings in year.read.items():
        if kind in (TaskKind.STRANGER, TaskKind.MAIL, TaskKind.PROTEST):
            assert len(mornings) == 1, (kind, key)
    shown = Counter(kind for kind, _ in year.read)
    for kind in (TaskKind.STRANGER, TaskKind.MAIL):
        assert shown[kind] == year.mishaps[kind]
    assert {key for kind, key in year.read if kind is TaskKind.BOUNCED} == year.bounced
    assert 0 < shown[TaskKind.PROTEST] <= year.mishaps[TaskKind.PROTEST], "a match that ends first takes it with it"


def test_what_nobody_sees_to_goes_by_itself(year: Organised) -> None:
    """Who is late moves, or loses the turn; a seat that was given up is news for a week."""
    assert {kind for kind, _ in year.read} - set(year.mishaps) <= LOOKED_AT
    for (kind, key), mornings in year.read.items():
        if kind in LOOKED_AT:
            assert len(mornings) <= 9, (kind, key)


def test_a_year_is_a_minute_or_two_a_week(year: Organised) -> None:
    weeks = len(year.mornings) / 7
    assert len(year.read) / weeks < 2
    notices = [mail for mail in year.club.mails("boss") if str(mail["Subject"]).startswith("Bitte einmal nachsehen")]
    assert 0 < len(notices) < len(year.mornings) * 2 / 5, "what waits is told when it is new, and again after some days"


def test_no_mail_waits_in_the_end(year: Organised) -> None:
    with year.club.desk() as desk:
        assert not desk.session.exec(select(Inbox).where(Inbox.state == "waiting")).all()
