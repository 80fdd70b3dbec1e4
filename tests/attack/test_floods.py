"""Many mails, of one address or of many forged ones: few are answered (every day: tests/club/test_faults.py)."""

from __future__ import annotations

from collections import Counter

import pytest
from sqlmodel import func, select

from moderator.inbox.handle import QUESTIONS
from moderator.inbox.signup import MOST_A_DAY
from moderator.store.models import Inbox, Outbox
from tests.attack.post import VOUCHED, raw, seat_address, started, ticked, to_move
from tests.club.club import Club

MANY = 80
pytestmark = pytest.mark.matrix("attack")


def flood(club: Club, count: int, sender: str, body: str, to: str = "games@club.example") -> Counter[str]:
    """So many mails in one run; whom the answers went to."""
    for number in range(count):
        club.write(sender.format(number), f"{body.format(number)}\n{number}", to=to)
    ticked(club)
    return Counter(str(mail["To"]).partition("<")[2].strip(">") for mail in club.mails())


@pytest.mark.parametrize(
    "body", ["Hallo {0}", "passe", "Hilfe", "Stand", "Presse an alle: hu", "HUGO ungültig", "Ja", ""]
)
def test_unknown_senders_get_nothing_at_all(club: Club, body: str) -> None:
    started(club)
    assert flood(club, 20, "x{0}@far.example", body) == {}


def test_who_asks_to_join_is_bounded_in_all_and_once_each(club: Club) -> None:
    told = flood(club, MANY, "x{0}@far.example", "Mitspielen")
    assert (len(told), set(told.values())) == (MOST_A_DAY, {1}), "one answer each, the moderator's notice comes later"
    assert flood(club, 10, "y@far.example", "Mitspielen {0}") == {}


def test_forged_players_are_asked_a_few_times_a_day_each(club: Club) -> None:
    """The most that somebody who forges all players can make the club send: so many questions to each of them."""
    started(club)
    for name in ("anna", "bert", "cici"):
        told = flood(club, 3 * QUESTIONS, f"{name}@home.example", "passe {0}")
        assert told == {f"{name}@home.example": QUESTIONS}
    club.wait(days=1, minutes=1)
    assert flood(club, 1, "anna@home.example", "passe")["anna@home.example"] == 1


def test_the_moderators_address_forged(club: Club) -> None:
    started(club)
    told = flood(club, MANY, "boss@club.example", "Fehlende {0}")
    assert told["boss@club.example"] <= club.config.mail.replies_per_day
    assert set(told) <= {"boss@club.example"}


def test_a_player_who_floods_is_answered_up_to_the_cap_and_the_others_play_on(club: Club) -> None:
    code = started(club)
    told = flood(club, MANY, "bert@home.example", "E5 w QUARK{0}", to=seat_address(club, code, 1))
    assert told["bert@home.example"] <= club.config.mail.replies_per_day + 1
    assert "anna@home.example" not in told
    club.order("Anna", code, 0, "passe")
    ticked(club)
    assert to_move(club, code) == (1,)
    assert len(club.mails("anna")) == 1


def test_huge_mails_are_not_kept_whole_and_answered_once(club: Club) -> None:
    code = started(club)
    body = "passe\r\n" + "x" * 3_000_000
    row = raw(
        club, body, "From: anna@home.example", "Authentication-Results: " + VOUCHED, to=seat_address(club, code, 0)
    )
    assert (len(row.raw) < 100_000, row.size > 3_000_000) == (True, True)
    assert to_move(club, code) == (0,)
    assert len(club.mails("anna")) == 1
    assert raw(club, body, "From: x@far.example").state == "unknown"
    assert club.mails() == []


def test_the_same_mail_a_hundred_times_is_one_mail(club: Club) -> None:
    code = started(club)
    data = club.order("Anna", code, 0, "passe")
    from moderator.mail.maildir import deliver

    for number in range(100):
        deliver(club.config.path(club.config.maildir.inbox), b"Received: from x%d\r\n" % number + data)
    ticked(club)
    with club.desk() as desk:
        assert desk.session.exec(select(func.count()).select_from(Inbox)).one() == 1
        assert desk.session.exec(select(func.count()).where(Outbox.inbox_id.is_not(None))).one() <= 2  # type: ignore[union-attr]
