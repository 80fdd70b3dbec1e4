"""``ab 10`` and ``nach Ziehen: bester`` are read in German and English, and nothing else is taken for them."""

from __future__ import annotations

import pytest

from moderator.errors import Illegal
from moderator.match import conditions


@pytest.mark.parametrize(
    "text",
    [
        "64@L ab 10",
        "64@L, ab 10 Punkte",
        "64@L (ab 10)",
        "64@L from 10",
        "64@L at least 10 points",
        "64@L >= 10",
        "64@L nur ab 10 Pkt.",
        "64@L mindestens 10",
        "64@L falls mind. 10 Punkte",
    ],
)
def test_a_condition_is_taken_off(text: str) -> None:
    assert conditions.take(text) == ("64@L", 10)


@pytest.mark.parametrize("text", ["64@L", "64 an 4", "ab 10", "64@L 10", "225@8", "grab 10"])
def test_what_is_no_condition_stays(text: str) -> None:
    assert conditions.take(text) == (text, None)


def test_it_prints_as_it_is_read() -> None:
    assert conditions.take("225@8" + conditions.write(40)) == ("225@8", 40)
    assert conditions.write(None) == ""


def test_too_few_points() -> None:
    conditions.check(10, 10)
    conditions.check(None, -3)
    with pytest.raises(Illegal) as raised:
        conditions.check(10, 9)
    assert (raised.value.code, raised.value.params) == ("scores-less", {"points": 9, "at_least": 10})


@pytest.mark.parametrize(
    "text",
    [
        "nach Ziehen: bester",
        "Nach dem Ziehen den besten",
        "NACH ZIEHEN bester Platz",
        "after drawing: best",
        "after the draw: the best place.",
        "after draw best move",
    ],
)
def test_the_standing_order(text: str) -> None:
    assert conditions.read_after_draw(text) == conditions.AfterDraw()


@pytest.mark.parametrize("text", ["nach Ziehen", "bester", "64@L", "nach Ziehen: 64@L", ""])
def test_what_is_no_standing_order(text: str) -> None:
    assert conditions.read_after_draw(text) is None
