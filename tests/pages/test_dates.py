"""Local times as sentences, across the change of clocks and for readers elsewhere."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from moderator.pages.dates import deadline, left, moment

BERLIN = "Europe/Berlin"
NOW = datetime(2025, 11, 20, 18, 30, tzinfo=UTC)
ZAT = datetime(2025, 11, 24, 19, 0, tzinfo=UTC)


def test_german_and_english():
    assert deadline(ZAT, NOW, "de", BERLIN, BERLIN) == "Montag, 24. November, 20:00 Uhr (noch 4 Tage)"
    assert deadline(ZAT, NOW, "en", BERLIN, BERLIN) == "Monday, 24 November, 20:00 (4 days left)"


@pytest.mark.parametrize(
    ("zone", "language", "text"),
    [
        ("Europe/Vienna", "de", "Montag, 24. November, 20:00 Uhr"),
        ("Europe/London", "de", "Montag, 24. November, 19:00 Uhr GMT"),
        ("America/New_York", "en", "Monday, 24 November, 14:00 EST"),
        ("America/Sao_Paulo", "de", "Montag, 24. November, 16:00 Uhr UTC-3"),
        ("Asia/Kathmandu", "en", "Tuesday, 25 November, 00:45 UTC+5:45"),
        ("No/Where", "de", "Montag, 24. November, 19:00 Uhr UTC"),
    ],
)
def test_the_zone_is_named_when_its_clock_differs_from_the_clubs(zone, language, text):
    assert moment(ZAT, NOW, language, zone, BERLIN) == text


def test_german_names_of_the_zone():
    summer = datetime(2025, 7, 1, 18, 0, tzinfo=UTC)
    assert moment(summer, NOW, "de", BERLIN, "Europe/London") == "Dienstag, 1. Juli, 20:00 Uhr MESZ"
    assert moment(ZAT, NOW, "de", BERLIN, "Europe/London") == "Montag, 24. November, 20:00 Uhr MEZ"


def test_another_year_is_named():
    new_year = datetime(2025, 12, 31, 23, 30, tzinfo=UTC)
    assert moment(new_year, NOW, "de", BERLIN, BERLIN) == "Donnerstag, 1. Januar 2026, 00:30 Uhr"
    assert moment(new_year, NOW, "en", "Europe/London", "Europe/London") == "Wednesday, 31 December, 23:30"


def test_the_hour_stays_when_clocks_change():
    before = datetime(2025, 10, 25, 18, 0, tzinfo=UTC)
    after = datetime(2025, 10, 26, 19, 0, tzinfo=UTC)
    assert moment(before, before, "de", BERLIN, BERLIN).endswith("20:00 Uhr")
    assert moment(after, before, "de", BERLIN, BERLIN).endswith("20:00 Uhr")
    assert left(after, before, "de", BERLIN) == "noch 25 Stunden"


@pytest.mark.parametrize(
    ("gap", "german", "english"),
    [
        (timedelta(days=4), "noch 4 Tage", "4 days left"),
        (timedelta(hours=48), "noch 2 Tage", "2 days left"),
        (timedelta(hours=47, minutes=59), "noch 47 Stunden", "47 hours left"),
        (timedelta(minutes=119), "noch 119 Minuten", "119 minutes left"),
        (timedelta(seconds=61), "noch 1 Minute", "1 minute left"),
        (timedelta(seconds=1), "noch 1 Minute", "1 minute left"),
        (timedelta(0), "abgelaufen", "over"),
        (timedelta(days=-3), "abgelaufen", "over"),
    ],
)
def test_time_left(gap, german, english):
    assert left(NOW + gap, NOW, "de", BERLIN) == german
    assert left(NOW + gap, NOW, "en", BERLIN) == english
