"""What mails say about the clock: only what is special, and the time rules once."""

import pytest

from moderator.language.messages import has_sentence
from moderator.rules.time.clock import TimeRules
from moderator.service.match.match import Match
from moderator.views.match_view import list_time_rule_notes
from tests.club.club import Club, text
from tests.club.steps import NAMES, begin, play


def status(club: Club, code: str, name: str) -> str:
    """What the answer to ``status`` says."""
    club.skip_mails()
    club.hand_in(name, code, NAMES.index(name), "status")
    return " ".join(text(club.mail(name)).split())


def test_only_what_is_special_is_said(club: Club, code: str) -> None:
    """That mail comes back, and that the match stands still, from when on it is so."""
    assert "comes back" not in status(club, code, "Bert")
    with club.at(code) as (work, match):
        anna = work.list_players(match)[0]
        anna.undeliverable = "550 no such user"
        Match.load(work, match).schedule_turn()
    assert "mail to Anna comes back" in status(club, code, "Bert")
    with club.at(code) as (work, match):
        Match.load(work, match).pause_clock()
    assert "paused" in status(club, code, "Bert")


def test_extra_days_and_grace_are_told_to_who_is_awaited(club: Club) -> None:
    code = begin(club, game="topwords", terms={"bank": 5, "grace": 2})
    told = status(club, code, "Anna")
    assert "hast du noch 5 Zusatztage. - Ganz am Ende warte ich noch 2 Tage." in told
    assert "extra days" not in status(club, code, "Bert")


def test_extra_days_that_are_used_up_are_not_told(club: Club) -> None:
    code = begin(club, game="topwords", terms={"bank": 2})
    club.wait(days=8)
    for seat in (0, 1):
        play(club, code, seat, "passe")
    assert "noch 1 Zusatztag." in status(club, code, "Anna")


def test_who_has_left_is_told(club: Club) -> None:
    code = begin(club, *NAMES, game="topwords")
    club.hand_in("Cici", code, 2, f"aufgeben {code} JA")
    assert "Cici 0 (has left" in status(club, code, "Bert")


def test_own_signs_are_told_to_their_owner_only(club: Club) -> None:
    code = begin(club, game="topwords", pace="rounds")
    club.hand_in("Anna", code, 0, "warten")
    assert "»WARTEN«" in status(club, code, "Anna")
    assert "WAIT" not in status(club, code, "Bert")


def test_the_first_mail_names_the_time_rules(club: Club) -> None:
    club.start("Anna", "Bert", terms={"days": 5, "bank": 3, "leave": False})
    first = text(club.mails("Anna")[0])
    for told in (
        "Für jeden Zug hast du 5 Tage",
        "3 Zusatztage für die ganze Partie",
        "läuft die Frist auch im Urlaub weiter",
    ):
        assert told in first


@pytest.mark.parametrize(
    ("terms", "codes"),
    [
        (TimeRules(evening=-1, abandon_after=0), ["terms-days", "terms-leave"]),
        (TimeRules(), ["terms-days", "terms-leave", "terms-abandon-excused"]),
        (
            TimeRules(bank=2, bank_increment=1, grace=1, skip_weekdays=("so", "sat"), holidays=("12-24",), excused=0),
            [
                *("terms-days", "terms-bank", "terms-increment", "terms-grace"),
                *("terms-weekday-5", "terms-weekday-6", "terms-holidays", "terms-leave", "terms-abandon"),
            ],
        ),
    ],
)
def test_only_rules_in_force_are_named(terms: TimeRules, codes: list[str]) -> None:
    assert [note.code for note in list_time_rule_notes(terms)] == codes


def test_every_day_of_the_week_has_its_sentence() -> None:
    for language in ("de", "en"):
        assert all(has_sentence(f"terms-weekday-{day}", language) for day in range(7))
