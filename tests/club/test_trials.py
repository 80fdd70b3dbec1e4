"""Mails by which `moderator doctor --mail` tries the mailbox are no mails for the games: a run that comes across one
neither takes it in nor answers it, and nobody else can write such a mail."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlmodel import select

from moderator.config import Config
from moderator.mail.inbound import read_mail
from moderator.mail.maildir import deliver
from moderator.mail.trial import letter
from moderator.run.rehearsal import rehearse
from moderator.run.watch import receive
from moderator.store import trials
from moderator.store.models import Inbox, Outbox
from tests.club.club import Club

ADDRESS = "games@club.example"
NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)


def written(secret: str) -> bytes:
    return letter.write(ADDRESS, "Testrunde", "", secret, NOW).data


def report(mail: bytes) -> bytes:
    """A delivery report that quotes the mail's head, as servers write it."""
    head = mail.partition(b"\r\n\r\n")[0]
    return (
        b"From: MAILER-DAEMON@mx.example\r\nTo: games@club.example\r\nSubject: Undelivered\r\n"
        b'Content-Type: multipart/report; report-type=delivery-status; boundary="b"\r\n\r\n'
        b"--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example\r\n\r\n"
        b"Final-Recipient: rfc822; games+probe@club.example\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n"
        b"--b\r\nContent-Type: text/rfc822-headers\r\n\r\n" + head + b"\r\n\r\n--b--\r\n"
    )


def put(config: Config, *mails: bytes) -> None:
    for mail in mails:
        deliver(config.path(config.maildir.inbox), mail)


def taken(club: Club) -> int:
    with club.desk() as desk:
        return len(desk.session.exec(select(Inbox)).all())


def sent(club: Club) -> int:
    with club.desk() as desk:
        return len(desk.session.exec(select(Outbox)).all())


def test_a_run_puts_mails_of_a_trial_and_reports_on_them_out_of_the_way(club: Club) -> None:
    mail = written(trials.made_secret(club.config.database))
    put(club.config, mail, report(mail))
    summary = club.tick()
    assert (summary.taken, summary.handled, taken(club), sent(club)) == (0, 0, 0, 0)
    assert summary.quiet
    inbox = club.config.path(club.config.maildir.inbox)
    assert len(list((inbox / ".Processed" / "cur").iterdir())) == 2
    assert not any((inbox / "new").iterdir())


def test_a_players_mail_beside_them_is_handled(club: Club) -> None:
    put(club.config, written(trials.made_secret(club.config.database)))
    club.write("anna@home.example", "Hilfe")
    assert club.tick().handled == 1
    assert sent(club) == 1


def test_without_the_secret_nobody_writes_such_a_mail(club: Club) -> None:
    put(club.config, written(letter.new_secret()), written(""))  # no trial was ever made
    assert club.tick().taken == 2
    trials.made_secret(club.config.database)
    put(club.config, written(letter.new_secret()), written(""))
    assert club.tick().taken == 2


def test_one_that_is_not_known_any_more_is_not_answered_either(club: Club) -> None:
    """The database is another one, say."""
    mail = written(letter.new_secret())
    assert read_mail(mail).machine == "auto-submitted"
    put(club.config, mail, report(mail))
    assert not club.tick().quarantined
    assert (taken(club), sent(club)) == (2, 0)


def test_a_pipe_takes_none_in(club: Club) -> None:
    mail = written(trials.made_secret(club.config.database))
    assert receive(club.config, mail).taken == 0
    assert taken(club) == 0


def test_a_rehearsal_moves_none(club: Club) -> None:
    put(club.config, written(trials.made_secret(club.config.database)))
    assert next(rehearse(club.config)).startswith("0 new mails")
    assert len(list((club.config.path(club.config.maildir.inbox) / "new").iterdir())) == 1


def test_the_secret_stays_the_same(club: Club) -> None:
    place = club.config.database
    assert trials.secret(place) == ""
    assert trials.made_secret(place) == trials.made_secret(place) == trials.secret(place) != ""


def test_the_mark_is_in_head_and_message_id_and_no_other_passes() -> None:
    secret = letter.new_secret()
    mail = written(secret)
    head = mail.partition(b"\r\n\r\n")[0]
    assert head.count(b"moderator-trial.") == 2
    assert all(len(line) < 120 for line in head.splitlines())
    assert letter.is_trial(mail, secret)
    assert not letter.is_trial(mail, letter.new_secret())
    assert not letter.is_trial(written(""), "")  # before the first trial anybody could write that
    nonce = head.partition(b"moderator-trial.")[2][:16]
    assert not letter.is_trial(mail.replace(nonce, b"0123456789abcdef"), secret)
