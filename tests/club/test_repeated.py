"""A mail that comes twice: what was played is asked about, what still waits says that nothing has changed."""

from __future__ import annotations

import re
from email.message import EmailMessage
from typing import Any

import pytest
from sqlmodel import select

from moderator.inbox import handle, repeated
from moderator.inbox.accepting import accept
from moderator.mail.inbound import read_mail
from moderator.pages.messages import label, say
from moderator.states import EntryKind, InboxState
from moderator.store.models import Inbox
from tests.club.club import Club, plain_boards, text

ASKED = "Noch einmal?"


@pytest.fixture
def club(club: Club) -> Club:
    plain_boards(club)
    return club


def begun(club: Club, game: str = "topwords", *players: str, **options: Any) -> str:
    code = club.match(*(players or ("Anna", "Bert")), game=game, **options)
    club.tick()
    club.mails()
    return code


def moves(club: Club, code: str) -> list[tuple[int | None, str]]:
    return [(entry.seat, entry.text) for entry in club.log(code) if entry.kind in (EntryKind.MOVE, EntryKind.ORDER)]


def asked(club: Club, name: str) -> EmailMessage:
    mail = club.mail(name)
    assert str(mail["Subject"]).startswith(ASKED), mail["Subject"]
    return mail


def answer(club: Club, name: str, mail: EmailMessage, body: str) -> None:
    club.write(name, body, to=str(mail["Reply-To"]), subject=f"Re: {mail['Subject']}", in_reply_to=mail["Message-ID"])
    club.tick()


def passed_twice(club: Club, code: str, **between: float) -> None:
    for _ in range(2):
        club.order("Anna", code, 0, "passe")
        club.tick()
        club.wait(**between)


def states(club: Club) -> list[InboxState]:
    with club.desk() as desk:
        return [row.state for row in desk.session.exec(select(Inbox).order_by(Inbox.id))]  # type: ignore[arg-type]


def test_a_pass_that_comes_twice_does_not_pass_the_next_turn(club: Club) -> None:
    code = begun(club)
    passed_twice(club, code, seconds=30)
    assert moves(club, code) == [(0, "passe")]
    assert not club.live(code).table.orders
    played, question = club.mails("Anna")
    assert label("news-played", "de") in str(played["Subject"])
    said = text(question)
    assert str(question["Subject"]).startswith(ASKED)
    assert f"In der Partie „{club.row(code).name}“ ({code}) ist aus der ersten Mail angenommen: »passe«." in said
    assert "Gewartet wird dort auf Bert." in said
    assert states(club) == [InboxState.DONE, InboxState.CONFIRM]


def test_yes_plays_it_and_no_leaves_it(club: Club) -> None:
    code = begun(club)
    passed_twice(club, code)
    question = club.mails("Anna")[-1]
    answer(club, "Anna", question, "Nein")
    assert moves(club, code) == [(0, "passe")]
    assert not club.mails("Anna")
    assert states(club)[1] == InboxState.DROPPED
    club.order("Anna", code, 0, "passe")
    club.tick()
    answer(club, "Anna", asked(club, "Anna"), "Ja")
    assert moves(club, code) == [(0, "passe"), (0, "passe")]
    assert club.live(code).table.orders == {0: "passe"}, "for the next turn"
    assert label("news-stored-ahead", "de") in str(club.mail("Anna")["Subject"])


def test_another_move_as_the_answer_counts_in_its_place(club: Club) -> None:
    code = begun(club)
    move = club.moves(code, 0)[0]
    passed_twice(club, code)
    question = club.mails("Anna")[-1]
    answer(club, "Anna", question, move)
    assert club.live(code).table.orders == {0: move}
    assert states(club)[1] == InboxState.DROPPED
    answer(club, "Anna", question, "Ja")
    assert club.live(code).table.orders == {0: move}, "the question is answered"


def test_when_it_is_her_turn_again_she_reads_that(club: Club) -> None:
    code = begun(club)
    club.order("Anna", code, 0, "passe")
    club.tick()
    club.order("Bert", code, 1, "passe")
    club.tick()
    club.mails()
    club.wait(minutes=9)
    club.order("Anna", code, 0, "passe")
    club.tick()
    question = asked(club, "Anna")
    assert "Gewartet wird dort auf deinen nächsten Zug." in text(question)
    answer(club, "Anna", question, "Ja.\n\nGruß, Anna")
    assert moves(club, code) == [(0, "passe"), (1, "passe"), (0, "passe")]


@pytest.mark.parametrize(
    ("minutes", "body", "headers"),
    [
        (11, "passe", {}),
        (1, "passe\n\nJetzt aber wirklich", {}),
        (1, "passe", {"in_reply_to": "<another@club.example>"}),
        (1, "passe", {"subject": "passe ich eben wieder"}),
    ],
)
def test_what_is_no_copy_is_played_at_once(club: Club, minutes: int, body: str, headers: dict[str, str]) -> None:
    code = begun(club)
    club.order("Anna", code, 0, "passe")
    club.tick()
    club.wait(minutes=minutes)
    club.order("Anna", code, 0, body, **headers)
    club.tick()
    assert moves(club, code) == [(0, "passe"), (0, "passe")]
    assert ASKED not in {str(mail["Subject"])[: len(ASKED)] for mail in club.mails("Anna")}


def test_two_that_come_before_one_tick_and_a_third(club: Club) -> None:
    code = begun(club)
    for _ in range(3):
        club.order("Anna", code, 0, "passe")
    club.tick()
    assert moves(club, code) == [(0, "passe")]
    assert [str(mail["Subject"])[: len(ASKED)] == ASKED for mail in club.mails("Anna")] == [False, True], "asked once"
    assert states(club) == [InboxState.DONE, InboxState.CONFIRM, InboxState.DROPPED]


@pytest.mark.parametrize("pace", ["rounds", "common"])
def test_what_still_waits_is_not_asked_about(club: Club, pace: str) -> None:
    code = begun(club, pace=pace)
    move = club.moves(code, 0)[0]
    for _ in range(2):
        club.order("Anna", code, 0, move)
        club.tick()
    assert moves(club, code) == [(0, move)], "the clock neither"
    first, second = map(text, club.mails("Anna"))
    said = say("same-order", "de")
    assert said not in first
    assert said in second


def test_the_copy_of_what_ended_the_round_is_asked_about(club: Club) -> None:
    code = begun(club, pace="rounds", early=True)
    moves_of = [club.moves(code, seat)[0] for seat in (0, 1)]
    club.order("Anna", code, 0, moves_of[0])
    for _ in range(2):
        club.order("Bert", code, 1, moves_of[1])
    club.tick()
    live = club.live(code)
    assert (live.table.state.public.round, live.table.orders) == (2, {})
    assert "It waits for your next move." in text(club.mails("Bert")[-1])


def test_what_was_refused_or_taken_back_may_come_again(club: Club) -> None:
    code = begun(club, pace="rounds")
    move = club.moves(code, 0)[0]
    for body in (move, "ZURÜCK", move, "A1 w XYZ", "A1 w XYZ"):
        club.order("Anna", code, 0, body)
        club.tick()
    assert not [mail for mail in club.mails("Anna") if str(mail["Subject"]).startswith(ASKED)]
    assert club.live(code).table.orders == {0: move}


def test_the_moderator_can_let_it_count(club: Club) -> None:
    code = begun(club)
    passed_twice(club, code)
    with club.desk() as desk:
        held = desk.session.exec(select(Inbox).where(Inbox.state == InboxState.CONFIRM)).one()
        assert held.told_at is not None, "no matter for the daily notice"
        accept(desk, held.id or 0, handle.act_upon)
        desk.session.commit()
    assert moves(club, code) == [(0, "passe"), (0, "passe")]


def test_in_her_language(club: Club) -> None:
    club.players("Carl", Carl="en")
    code = begun(club, "topwords", "Carl", "Bert")
    for _ in range(2):
        club.order("Carl", code, 0, "passe")
        club.tick()
    question = club.mails("Carl")[-1]
    assert str(question["Subject"]).startswith("Once more?")
    assert "accepted from the first mail: “pass”." in text(question)
    assert re.search(r"It waits for Bert\.", text(question))


def test_of_many_mails_before_it_one_is_read_again(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    code = begun(club)
    read: list[bytes] = []
    monkeypatch.setattr(repeated, "read_mail", lambda raw, **more: (read.append(raw), read_mail(raw, **more))[1])
    club.order("Anna", code, 0, "passe")
    club.tick()
    for number in range(12):
        club.order("Anna", code, 0, f"kein Zug {number}")
        club.tick()
    read.clear()
    club.order("Anna", code, 0, "passe")
    club.tick()
    assert moves(club, code) == [(0, "passe")]
    assert len(read) == 1
