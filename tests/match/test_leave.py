"""Leave: what may be announced, and for which turns it counts. 2026-11-21 is a Saturday."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from moderator.common.errors import ConfigError
from moderator.common.typed import build_dataclass
from moderator.rules.game import Note
from moderator.rules.time.calendar import (
    LeaveRules,
    LeaveSpan,
    count_leave_days_left,
    find_leave_problem,
    list_counting_leaves,
)

TODAY = date(2026, 11, 21)
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def day(text: str) -> date:
    return date.fromisoformat(text if text[:2] == "20" else f"2026-{text}")


def leave(first: str, last: str, announced: datetime = NOW) -> LeaveSpan:
    return LeaveSpan(day(first), day(last), announced)


AUTUMN = (leave("10-01", "10-28"), leave("12-01", "12-05"))
"""33 of the 42 days of 2026."""


@pytest.mark.parametrize(
    ("first", "last", "others", "rules", "expected"),
    [
        ("11-21", "11-23", (), {}, None),  # from today on
        ("12-12", "12-10", (), {}, Note("leave-backwards", {"first": day("12-12"), "last": day("12-10")})),
        ("11-20", "11-30", (), {}, Note("leave-past", {"first": day("11-20")})),
        ("11-23", "11-30", (), {"announce": 3}, Note("leave-short-notice", {"announce": 3})),
        ("11-24", "11-30", (), {"announce": 3}, None),
        ("12-10", "12-11", (), {}, Note("leave-too-short", {"minimum": 3})),
        ("12-01", "12-29", (), {}, Note("leave-too-long", {"longest": 28})),
        ("12-05", "12-08", AUTUMN, {}, Note("leave-overlap", {"first": day("12-01"), "last": day("12-05")})),
        ("12-06", "12-06", AUTUMN, {}, None),  # a day more of the leave before
        ("12-06", "12-09", AUTUMN, {"longest": 8}, Note("leave-too-long", {"longest": 8})),
        ("11-30", "12-02", (leave("12-06", "12-08"), leave("12-03", "12-05")), {"longest": 9}, None),
        ("12-07", "12-16", AUTUMN, {}, Note("leave-quota", {"year": 2026, "quota": 42, "left": 9})),
        ("12-22", "2027-01-10", AUTUMN, {}, Note("leave-quota", {"year": 2026, "quota": 42, "left": 9})),
        ("12-30", "2027-01-08", (), {"quota": 7}, Note("leave-quota", {"year": 2027, "quota": 7, "left": 7})),
    ],
)
def test_what_may_be_announced(
    first: str, last: str, others: tuple[LeaveSpan, ...], rules: dict[str, int], expected: Note | None
) -> None:
    assert find_leave_problem(day(first), day(last), others, TODAY, LeaveRules(**rules)) == expected


@pytest.mark.parametrize(
    ("year", "leaves", "left"),
    [
        (2026, (), 42),
        (2026, AUTUMN, 9),
        (2027, AUTUMN, 42),
        (2026, (leave("12-30", "2027-01-08"),), 40),
        (2027, (leave("12-30", "2027-01-08"),), 34),
        (2026, (leave("01-01", "12-31"),), 0),  # given by the moderator: not below nothing
    ],
)
def test_days_that_are_left_of_a_year(year: int, leaves: tuple[LeaveSpan, ...], left: int) -> None:
    assert count_leave_days_left(year, leaves, LeaveRules()) == left


def test_only_leave_announced_before_the_turn_counts() -> None:
    before, after = NOW - timedelta(seconds=1), NOW + timedelta(seconds=1)
    leaves = [leave("12-20", "12-24", before), leave("12-10", "12-12", before), leave("12-01", "12-03", after)]
    assert list_counting_leaves([*leaves, leave("12-26", "12-28", NOW)], NOW) == (
        (day("12-10"), day("12-12")),
        (day("12-20"), day("12-24")),
    )


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"quota": -1}, "quota = -1"),
        ({"minimum": 0}, "minimum = 0"),
        ({"minimum": 10, "longest": 9}, "longest = 9"),
        ({"announce": -1}, "announce = -1"),
        ({"quota": 400}, "quota = 400"),
    ],
)
def test_rules_that_cannot_be(values: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as error:
        build_dataclass(LeaveRules, values, "[leave]").check_values("[leave]")
    assert error.value.message == f"[leave]: {said} cannot be."
    LeaveRules(quota=0, minimum=1, longest=1, announce=14).check_values()
