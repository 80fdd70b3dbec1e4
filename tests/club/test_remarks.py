"""What mails say about the clock: only what is special, and the time rules once."""

from __future__ import annotations

import pytest
from sqlmodel import select

from moderator.club import clock
from moderator.match.time.clock import Terms
from moderator.outbox.match_pages import rules_of_time
from moderator.pages.messages import known
from moderator.store.models import Match
from tests.club.club import Club, text


def dealt(club: Club, *names: str, **more: object) -> str:
    code = club.match(*(names or ("Anna", "Bert")), **more)
    club.tick()
    return code


def status(club: Club, code: str, name: str) -> str:
    """What stands above the line of the answer to ``status``."""
    club.mails()
    club.order(name, code, ("Anna", "Bert").index(name), "status")
    club.tick()
    return text(club.mail(name)).partition("##-")[0]


def test_only_what_is_special_is_said(club: Club) -> None:
    """That mail comes back, and that the match stands still, from when on it is so."""
    code = dealt(club)
    assert status(club, code, "Bert").rstrip().endswith("(7 days left).")
    with club.desk() as desk:
        match = desk.session.exec(select(Match)).one()
        anna = desk.players(match)[0]
        anna.undeliverable = "550 no such user"
        desk.session.add(anna)
        clock.lay_out(desk, match, desk.cache.live(desk.session, match))
    assert "mail to Anna comes back" in status(club, code, "Bert")
    with club.desk() as desk:
        match = desk.session.exec(select(Match)).one()
        clock.pause(desk, match, desk.cache.live(desk.session, match))
    assert "paused" in status(club, code, "Bert")


def test_extra_days_and_grace_are_told_to_who_is_awaited(club: Club) -> None:
    code = dealt(club, terms={"bank": 5, "grace": 2})
    told = status(club, code, "Anna")
    assert "Danach hast du noch 5 Zusatztage. - Ganz zuletzt folgt eine Nachfrist von 2 Tagen." in told
    assert "extra days" not in status(club, code, "Bert")


def test_extra_days_that_are_used_up_are_not_told(club: Club) -> None:
    code = dealt(club, terms={"bank": 2})
    club.wait(days=8)
    for name, seat in (("Anna", 0), ("Bert", 1)):
        club.order(name, code, seat, "passe")
        club.tick()
    assert "noch 1 Zusatztag." in status(club, code, "Anna")


def test_who_has_left_is_told(club: Club) -> None:
    code = dealt(club, "Anna", "Bert", "Cici")
    club.order("Cici", code, 2, f"aufgeben {code}")
    club.tick()
    assert "Plays no more: Cici." in status(club, code, "Bert")


def test_own_signs_are_told_to_their_owner_only(club: Club) -> None:
    code = dealt(club, pace="rounds")
    club.order("Anna", code, 0, "warten")
    club.tick()
    assert "»WARTEN«" in status(club, code, "Anna")
    assert "WAIT" not in status(club, code, "Bert")


def test_the_first_mail_names_the_time_rules(club: Club) -> None:
    dealt(club, terms={"days": 5, "bank": 3, "leave": False})
    first = text(club.mails("Anna")[0])
    for told in ("Antwortzeit: 5 Tage", "3 Zusatztage für die ganze Partie", "Urlaub zählt in dieser Partie nicht"):
        assert told in first


@pytest.mark.parametrize(
    ("terms", "codes"),
    [
        (Terms(evening=-1, abandon_after=0), ["terms-days", "terms-leave"]),
        (Terms(), ["terms-days", "terms-evening", "terms-leave", "terms-abandon-excused"]),
        (
            Terms(bank=2, bank_increment=1, grace=1, skip_weekdays=("so", "sat"), holidays=("12-24",), excused=0),
            [
                *("terms-days", "terms-evening", "terms-bank", "terms-increment", "terms-grace"),
                *("terms-weekday-5", "terms-weekday-6", "terms-holidays", "terms-leave", "terms-abandon"),
            ],
        ),
    ],
)
def test_only_rules_in_force_are_named(terms: Terms, codes: list[str]) -> None:
    assert [note.code for note in rules_of_time(terms)] == codes


def test_every_day_of_the_week_has_its_sentence() -> None:
    for language in ("de", "en"):
        assert all(known(f"terms-weekday-{day}", language) for day in range(7))
