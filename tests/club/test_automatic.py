"""Mails that nobody has written, known by what they do: no answer, nothing done, and the moderator can see them."""

from email.message import EmailMessage

import pytest

from moderator.store.tables import InboxRow
from tests.club.club import Club, taken_once

AWAY = {
    "pl": "Automatyczna odpowiedź", "ru": "Автоматический ответ", "zh": "自动答复", "ja": "自動応答",
    "pt": "Resposta automática",
    "da": "Ikke til stede", "hu": "Szabadságon vagyok", "tr": "Otomatik yanıt", "ko": "자동 회신", "ar": "رد تلقائي",
    "de, holiday": "Urlaubsmeldung", "de, absent": "Abwesend", "en": "OOO", "nobody's": "Zorp vimka",
}  # fmt: skip


Seated = tuple[str, str, str]


@pytest.fixture
@taken_once
def seated(club: Club) -> Seated:
    """A match, and subject and Message-ID of the mail that Anna was sent about it."""
    code = club.start("Anna", "Bert")
    mail = club.mails("anna")[-1]
    return code, str(mail["Subject"]), str(mail["Message-ID"])


def answers(club: Club, code: str, body: str, subject: str, **headers: str) -> list[EmailMessage]:
    """The mails that Anna gets as the answer to one from her seat."""
    club.mails("anna")
    club.hand_in("Anna", code, 0, body, subject=subject, **headers)
    return club.mails("anna")


def last_state(club: Club) -> str:
    with club.work() as work:
        return str(work.session.get_one(InboxRow, club.sent).state)


@pytest.mark.parametrize("language", AWAY)
@pytest.mark.parametrize("body", ["Ich bin bis 15.12. nicht da.", "Urlaub 1.12. bis 15.12.", "Zorp 15.12. vimka"])
def test_an_absence_note_gets_no_answer_and_enters_nothing(
    club: Club, seated: Seated, language: str, body: str
) -> None:
    code, subject, number = seated
    assert answers(club, code, body, f"{AWAY[language]}: {subject}", In_Reply_To=number) == []
    assert last_state(club) == "waiting"
    with club.work() as work:
        assert work.cache.list_player_leaves(work.session, 1) == []


@pytest.mark.parametrize("prefix", ["Re", "AW", "Antw", "Odp", "Vá", "回复", "Antwort", "Re: AW", "[extern] Re"])
def test_an_answer_of_a_person_is_answered(club: Club, seated: Seated, prefix: str) -> None:
    code, subject, number = seated
    assert len(answers(club, code, "Was ist hier los?", f"{prefix}: {subject}", In_Reply_To=number)) == 1


def test_an_order_counts_under_any_subject(club: Club, seated: Seated) -> None:
    code, subject, number = seated
    assert len(answers(club, code, "passe", f"Automatyczna odpowiedź: {subject}", In_Reply_To=number)) == 1


def test_the_same_text_again_is_answered_once(club: Club, seated: Seated) -> None:
    code, subject, number = seated
    text = "Vielen Dank für Ihre Nachricht, wir melden uns bald."
    (first,) = answers(club, code, text, subject, In_Reply_To=number)
    assert answers(club, code, text, subject, In_Reply_To=str(first["Message-ID"])) == []


@pytest.mark.parametrize(
    "body",
    [
        "😂", "👍 👍", "❤️", "Anna Lind reacted to your message:\n\n👍", "👍 Anna hat auf Ihre Nachricht reagiert",
        "Please click here to confirm that you are human:\nhttps://filter.example/c?x=1",
        "Ihre Nachricht wird zugestellt, sobald Sie sie bestätigen: https://filter.example/c?x=1",
    ],
)  # fmt: skip
def test_smileys_and_filters_get_no_board(club: Club, seated: Seated, body: str) -> None:
    code, subject, number = seated
    assert answers(club, code, body, f"Re: {subject}", In_Reply_To=number) == []
