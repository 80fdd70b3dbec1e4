"""Addresses: a new one counts when both mailboxes have said yes; an old one stands still when mails come back."""

from email.message import EmailMessage

import pytest
from sqlmodel import select

from moderator.common.disk import LANGUAGES
from moderator.inbox.pipeline import record_undeliverable
from moderator.language.messages import render_code
from moderator.mail.maildir import deliver_to_maildir
from moderator.store.tables import AddressChange, EventRow, OutboxRow
from tests.club.club import Club, taken_once, text
from tests.club.steps import VOUCHED, begin, change, deal, play, player, run, run_well

NEW = "anna@new.example"
OLD = "anna@home.example"
Questions = tuple[EmailMessage, EmailMessage]


@pytest.fixture
@taken_once
def questions(club: Club) -> Questions:
    """What the old mailbox is asked, and the new one."""
    club.say("Anna", f"Adresse {NEW}", **VOUCHED)
    old, receipt = club.mails("anna@home")
    assert "games+ADDR" not in str(receipt["Reply-To"])
    return old, club.mail(NEW)


def says(club: Club, mail: EmailMessage, word: str) -> None:
    assert not club.say("somebody@else.example", word, to=str(mail["Reply-To"])).quarantined


@pytest.mark.parametrize("first", [0, 1])
def test_both_must_say_yes(club: Club, questions: Questions, first: int) -> None:
    code = begin(club)
    says(club, questions[first], "Wie bitte?")
    assert str(club.mail((OLD, NEW)[first])["Reply-To"]) == str(questions[first]["Reply-To"])
    for _ in range(2):  # yes twice from one mailbox is one yes
        says(club, questions[first], "JA")
        assert player(club, "Anna").address == OLD
    assert "JA" in text(club.mails()[-1])
    says(club, questions[1 - first], "yes, please")
    assert player(club, "Anna").address == NEW
    assert len(club.mails("anna@home")) == len(club.mails(NEW)) == 1
    club.say(NEW, club.moves(code, 0)[0], to=f"games+{code}-{club.token(code, 0)}@club.example")
    assert club.live(code).table.state.to_move == (1,)
    assert club.mails(NEW)


@pytest.mark.parametrize("who", [0, 1])
def test_one_no_ends_it(club: Club, questions: Questions, who: int) -> None:
    says(club, questions[who], "NEIN")
    assert len(club.mails()) == 2
    for mail in questions:
        says(club, mail, "JA")
    assert player(club, "Anna").address == OLD
    assert club.mails() == []


def test_the_question_stands_for_a_week_and_no_longer(club: Club, questions: Questions) -> None:
    old, new = questions
    says(club, old, "JA")
    club.let_pass(days=7, minutes=1)
    club.skip_mails()
    says(club, new, "JA")
    assert player(club, "Anna").address == OLD
    assert "vorbei" in text(club.mail(NEW))


@pytest.mark.parametrize("meanwhile", ["another wish", "taken", "set by the moderator"])
def test_a_yes_comes_too_late(club: Club, questions: Questions, meanwhile: str) -> None:
    kept = OLD
    if meanwhile == "another wish":
        club.say("Anna", "Adresse: anna@third.example", **VOUCHED)
        assert [row.closed_at is None for row in club.stored(AddressChange)] == [False, True]
    elif meanwhile == "taken":
        change(club, "Cici", address=NEW)
    else:
        kept = "anna@fourth.example"
        run_well(club, "player", "set", "Anna", "--address", kept)
        assert player(club, "Anna").address == kept
    for mail in questions:
        says(club, mail, "JA")
    assert player(club, "Anna").address == kept


@pytest.mark.parametrize("wanted", ["games+x-1@club.example", "a@b@c"])
def test_addresses_that_cannot_be_are_refused(club: Club, wanted: str) -> None:
    club.say("Anna", f"Adresse {wanted}", **VOUCHED)
    assert [str(mail["To"]).split("<")[-1].rstrip(">") for mail in club.mails()] == [OLD]
    assert club.stored(AddressChange) == []


def report(club: Club, mail: EmailMessage, status: str, *, action: str = "failed", whom: str = "anna") -> None:
    """A delivery report (RFC 3464) about a mail of ours, or about an address alone."""
    address = f"{whom}@home.example"
    to = str(mail["Return-Path"]).strip("<>")
    raw = (
        f"Return-Path: <>\nFrom: MAILER-DAEMON@mx.example\nTo: {to}\nSubject: Undelivered\n"
        f"Message-ID: <{status}.{action}.{club.sent}@mx.example>\n"
        'Content-Type: multipart/report; report-type=delivery-status; boundary="b"\n\n'
        "--b\nContent-Type: text/plain\n\nSorry.\n\n--b\nContent-Type: message/delivery-status\n\n"
        f"Reporting-MTA: dns; mx.example\n\nFinal-Recipient: rfc822; {address}\nAction: {action}\nStatus: {status}\n\n"
        f"--b\nContent-Type: text/rfc822-headers\n\nMessage-ID: {mail['Message-ID']}\n\n--b--\n"
    )
    club.sent += 1
    deliver_to_maildir(club.config.resolve_path(club.config.maildir.inbox), raw.encode())
    assert not club.tick().quarantined


@pytest.fixture
@taken_once
def code(club: Club) -> str:
    """A match whose first mails have not been read."""
    found = deal(club)
    club.tick()
    return found


def test_the_clock_stands_and_the_moderator_is_told_once(club: Club, code: str) -> None:
    mail = club.mail("anna")
    report(club, mail, "5.1.1")
    assert player(club, "Anna").undeliverable == "5.1.1"
    assert club.row(code).stopped == "mail"
    told = text(club.mail("boss"))
    for said in (OLD, "»moderator player set Anna --address …«", "»moderator player reachable Anna«", code):
        assert said in told
    report(club, mail, "5.1.1")
    assert club.mails("boss") == []
    assert club.stored(select(EventRow.text).where(EventRow.kind == "clock")) == ["mail"]
    club.let_pass(days=30)
    assert club.live(code).table.state.to_move == (0,)


def test_what_is_not_for_good_and_notes_of_absence_mark_nobody(club: Club, code: str) -> None:
    mail = club.mail("anna")
    for status, action in (("4.4.1", "delayed"), ("4.2.2", "failed"), ("2.0.0", "delivered")):
        report(club, mail, status, action=action)
    away = {"In_Reply_To": str(mail["Message-ID"]), "Auto_Submitted": "auto-replied"}
    play(club, code, 0, f"Ich bin weg. Mails an {OLD} werden nicht gelesen.", **away)
    club.say("Anna", "Back on Monday", subject="Out of office", Return_Path="<>")
    assert player(club, "Anna").undeliverable == club.row(code).stopped == ""
    assert club.mails("anna") == club.mails("boss") == []


def test_whose_turn_it_is_not_stops_nothing_yet(club: Club, code: str) -> None:
    report(club, club.mail("bert"), "5.1.1", whom="bert")
    assert club.row(code).stopped == ""
    play(club, code, 0)
    assert club.row(code).stopped == "mail"


def test_all_matches_that_wait_stop(club: Club, code: str) -> None:
    other, third = (deal(club, *names) for names in (("Anna", "Cici"), ("Cici", "Anna")))
    club.tick()
    report(club, club.mails("anna")[0], "5.1.1")
    assert [club.row(one).stopped for one in (code, other, third)] == ["mail", "mail", ""]


def test_a_mail_from_there_starts_the_clock_and_one_from_elsewhere_does_not(club: Club, code: str) -> None:
    report(club, club.mail("anna"), "5.2.2")
    club.wait(days=10)
    club.hand_in("anna@office.example", code, 0, "Stand")
    assert player(club, "Anna").undeliverable
    club.say("Anna", "Stand", **VOUCHED)
    row = club.row(code)
    assert player(club, "Anna").undeliverable == row.stopped == ""
    assert row.deadline is not None
    assert (row.deadline - club.now).days in (6, 7)


@pytest.mark.parametrize("command", ["reachable Anna", f"set Anna --address {NEW}"])
def test_the_moderator_starts_it(club: Club, code: str, command: str) -> None:
    report(club, club.mail("anna"), "5.1.1")
    run_well(club, "player", *command.split())
    assert player(club, "Anna").undeliverable == club.row(code).stopped == ""
    assert run(club, "player", "reachable", "Anna").exit_code != 0


@pytest.mark.parametrize("status", ["5.3.4", "5.2.3"])
def test_a_report_that_a_mail_was_too_large_marks_nobody_and_it_goes_again_with_less_in_it(
    club: Club, code: str, status: str
) -> None:
    change(club, "Anna", board="png")
    other = deal(club)
    club.tick()
    sizes = []
    for mail in club.mails("anna"):
        said, less = text(mail), mail
        while less is not None:
            sizes.append(len(less.as_bytes()))
            report(club, less, status)
            less = next(iter(club.mails("anna")), None)
            assert less is None or text(less).startswith(said.rstrip())
    assert player(club, "Anna").undeliverable == club.row(code).stopped == club.row(other).stopped == ""
    assert len(sizes) > 3
    assert club.mails("boss") == []


@pytest.mark.parametrize(("who", "moved"), [("Anna", False), ("Bert", False), ("Bert", True)])
@pytest.mark.parametrize("heals", ["reachable", "set", "mail"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_never_came_is_said_anew_as_things_stand_and_once(
    club: Club, code: str, language: str, heals: str, who: str, moved: bool
) -> None:
    change(club, who, language=language)
    report(club, club.mail(who.lower()), "5.1.1", whom=who.lower())
    if moved:
        play(club, code, 0)
        report(club, club.mails(who.lower())[-1], "5.1.1", whom=who.lower())
    club.skip_mails()
    club.wait(days=2)
    if heals == "mail":
        club.say(who, "Hilfe", **VOUCHED)
    else:
        run_well(club, "player", *(("reachable", who) if heals == "reachable" else ("set", who, "--address", NEW)))
        club.tick()
    mails = club.mails(NEW if heals == "set" else who.lower())
    (mail,) = (mail for mail in mails if render_code("opening-again", language) in " ".join(text(mail).split()))
    deadline = club.row(code).deadline
    assert deadline
    assert f"{deadline:%Y-%m-%d}" in str(mail["X-Moderator-State"])
    assert len([mail for mail in mails if code in str(mail["Subject"])]) <= 1 + (heals == "mail")
    change(club, who, undeliverable="5.1.1")
    run_well(club, "player", "reachable", who)
    club.tick()
    assert not any(render_code("opening-again", language) in " ".join(text(mail).split()) for mail in club.mails())


def test_a_refusal_at_once_counts_the_same(club: Club, code: str) -> None:
    with club.work() as work:
        dead = work.session.exec(select(OutboxRow).where(OutboxRow.recipient == OLD)).first()
        dead.answer = "550 no such user"
        record_undeliverable(work, dead)
    assert club.row(code).stopped == "mail"
    assert player(club, "Anna").undeliverable == "550 no such user"


# ---- two people with one mailbox ----


@pytest.fixture
def couple(club: Club) -> Club:
    """Anna's mailbox is Dora's, too."""
    assert "Anna has that address, too" in run_well(club, "player", "add", "Dora", OLD)
    return club


TELLS = {
    "the match": {"subject": "Mein Zug in {code}"},
    "the mail that it answers": {"In_Reply_To": "{theirs}"},
    "the name below": {"below": "\n\nDora"},
}


@pytest.mark.parametrize("how", TELLS)
def test_of_two_people_with_one_mailbox_the_mail_tells_who_wrote_it(couple: Club, how: str) -> None:
    code = deal(couple, "Dora", "Bert")
    couple.tick()
    theirs = couple.mails("anna@home")[-1]
    said = {key: value.format(code=code, theirs=theirs["Message-ID"]) for key, value in TELLS[how].items()}
    body = f"{couple.moves(code, 0)[0]}{said.pop('below', '')}"
    couple.say(OLD, body, **VOUCHED, **said)
    assert couple.live(code).table.state.to_move == (1,)


@pytest.mark.parametrize("proof", [VOUCHED, {}])
@pytest.mark.parametrize("answer", ["Dora", "JA, Dora", "Das war dora.", "JA", "NEIN"])
def test_who_of_two_people_it_was_is_asked_once_and_a_name_is_the_answer(
    couple: Club, proof: dict[str, str], answer: str
) -> None:
    code = deal(couple, "Dora", "Anna")
    couple.tick_unread()
    couple.say(OLD, couple.moves(code, 0)[0], subject="Mein Zug", **proof)
    question = couple.mail(OLD)
    assert str(question["Subject"]).startswith("Wer von euch war das?")
    assert "Hier spielen Anna und Dora. Antworte mit dem Namen" in text(question)
    couple.say(OLD, answer, to=str(question["Reply-To"]))
    played = couple.live(code).table.state.to_move == (1,)
    assert played == ("ora" in answer)
    if answer == "JA":
        assert "Anna und Dora" in text(couple.mail(OLD))


def test_a_mailbox_that_is_gone_is_gone_for_both(couple: Club) -> None:
    deal(couple, "Anna", "Bert")
    couple.tick()
    report(couple, couple.mail("anna"), "5.1.1")
    assert all(player(couple, name).undeliverable for name in ("Anna", "Dora"))
    couple.say(OLD, "STAND\n\nAnna", **VOUCHED)
    assert not any(player(couple, name).undeliverable for name in ("Anna", "Dora"))
