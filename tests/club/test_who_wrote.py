"""Identity: tokens, vouched senders, doubt, machines, unknown writers."""

import pytest
from sqlmodel import select

from moderator.store.models import Inbox, Outbox
from tests.club.club import Club, text

VOUCHED = "mx.club.example; dmarc=pass header.from=home.example"


def states(club: Club) -> list[str]:
    with club.desk() as desk:
        return list(desk.session.exec(select(Inbox.state).order_by(Inbox.id)))


def test_a_token_in_the_subject_is_enough(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.write("Anna", "passe", subject=f"Re: [{code}-{club.token(code, 0)}] Topwords")
    club.tick()
    assert club.live(code).table.state.to_move == (1,)


def test_a_token_works_from_another_address_for_its_own_seat_only(club: Club) -> None:
    one, two = club.match("Anna", "Bert"), club.match("Anna", "Cici")
    club.write("anna@office.example", f"passe\n{two}: passe", to=f"games+{one}-{club.token(one, 0)}@club.example")
    club.tick()
    assert club.live(one).table.state.to_move == (1,)
    assert club.live(two).table.state.to_move == (0,)
    assert not club.mails("office")
    assert club.mails("anna@home")


def test_a_wrong_token_is_no_token(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.tick()
    club.mails()
    club.write("stranger@else.example", "passe", to=f"games+{code}-0000000000@club.example")
    club.tick()
    assert states(club) == ["unknown"]
    assert club.live(code).table.state.to_move == (0,)
    assert not club.mails()


def test_one_seats_token_does_not_move_another(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.write("Bert", "passe", to=f"games+{code}-{club.token(code, 1)}@club.example")
    club.tick()
    assert club.live(code).table.state.to_move == (0,)


def test_a_vouched_sender_needs_no_token(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.write("Anna", "passe", Authentication_Results=VOUCHED)
    club.tick()
    assert club.live(code).table.state.to_move == (1,)


def test_a_foreign_authentication_header_proves_nothing(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.write("Anna", "passe", Authentication_Results="mx.else.example; dmarc=pass header.from=home.example")
    club.tick()
    assert club.live(code).table.state.to_move == (0,)
    assert states(club) == ["confirm"]


def test_a_doubtful_mail_counts_after_the_registered_address_has_confirmed_it(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.tick()
    club.mails()
    club.write("Anna", "passe")
    club.tick()
    asked = club.mail("anna")
    assert club.live(code).table.state.to_move == (0,)
    club.write("Anna", "Wie bitte?", to=str(asked["Reply-To"]))
    club.tick()
    assert states(club) == ["confirm", "done"]
    assert str(club.mail("anna")["Reply-To"]) == str(asked["Reply-To"])
    club.write("Anna", "Ja, das war ich.", to=str(asked["Reply-To"]))
    club.tick()
    assert club.live(code).table.state.to_move == (1,)
    assert states(club) == ["done", "done", "done"]


def test_a_doubtful_mail_is_dropped_when_it_is_not_confirmed(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.tick()
    club.mails()
    club.write("Anna", "passe")
    club.tick()
    asked = club.mail("anna")
    club.write("Anna", "Nein, das war ich nicht", to=str(asked["Reply-To"]))
    club.tick()
    club.write("Anna", "Ja", to=str(asked["Reply-To"]))
    club.tick()
    assert club.live(code).table.state.to_move == (0,)
    assert states(club)[:2] == ["dropped", "done"]


def test_machines_are_never_answered(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.tick()
    club.mails()
    for headers in (
        {"Auto_Submitted": "auto-replied"},
        {"Precedence": "bulk"},
        {"List_Id": "<x.example>"},
        {"Return_Path": "<>"},
        {"X_Auto_Response_Suppress": "All"},
    ):
        club.order("Anna", code, 0, "passe", **headers)
    club.order("Anna", code, 0, "passe", subject="Abwesenheitsnotiz: Urlaub")
    club.tick()
    assert states(club) == ["waiting"] * 6
    assert not club.mails()
    assert club.live(code).table.state.to_move == (0,)


@pytest.mark.slow
def test_answers_to_one_address_are_capped_but_orders_still_count(club: Club) -> None:
    code = club.match("Anna", "Bert", pace="rounds")
    for n in range(60):
        club.order("Anna", code, 0, f"HILFE\nGruß {n}" if n < 59 else "passe")
    club.tick()
    with club.desk() as desk:
        answers = desk.session.exec(select(Outbox).where(Outbox.inbox_id.is_not(None))).all()  # type: ignore[union-attr]
    assert len(answers) == club.config.mail.replies_per_day
    assert club.live(code).table.orders == {0: "passe"}


def test_a_bounce_marks_the_player_and_tells_the_moderator_once(club: Club) -> None:
    club.match("Anna", "Bert")
    club.tick()
    sent = club.mail("anna")
    for _ in range(2):
        club.write(
            "mailer-daemon@home.example",
            f"Your message could not be delivered.\n\n550 5.1.1 no such user\nFinal-Recipient: rfc822; "
            f"anna@home.example\nMessage-ID: {sent['Message-ID']}\n",
            subject="Undelivered Mail Returned to Sender",
            Return_Path="<>",
            X_Failed_Recipients="anna@home.example",
        )
        club.tick()
    told = club.mails("boss")
    assert len(told) == 1
    assert "anna@home.example" in text(told[0])


def test_a_confirmed_mail_that_is_too_large_is_not_acted_on(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.tick()
    club.mails()
    club.write("Anna", "passe\n" + "x" * 1_200_000)
    club.tick()
    club.write("Anna", "Ja", to=str(club.mail("anna")["Reply-To"]))
    club.tick()
    assert club.live(code).table.state.to_move == (0,)
    assert "zu groß" in text(club.mail("anna"))
