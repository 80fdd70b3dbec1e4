"""What the transport of another package does against its contract is told in one line, and what we raise ourselves in
the midst of it comes out as it is."""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from moderator.config import TRANSPORTS
from moderator.errors import OperatorError, StoreError, TransientError
from moderator.mail.guarded import BATCH_MAILS, HEAD_BYTES, Guarded, GuardedMailbox, GuardedSender
from moderator.mail.model import RawMail, Ready, Sent
from moderator.mail.transport import OneByOne, Refused, Setup, Way

NOW = datetime(2026, 11, 20, tzinfo=UTC)
MAIL = RawMail("1", b"From: a@b.example\n\nHi", NOW, 22)
SETUP = Setup("odd", "games@club.example", Path("/nowhere"))
OUT = [Ready(number, "games+1@club.example", "anna@home.example", b"x") for number in (1, 2, 3)]


class Odd:
    """Each call does what it was given."""

    contract = 1

    def __init__(self, **does: Any) -> None:
        self.does = does
        self.closed = False

    def __getattr__(self, name: str) -> Any:
        return self.does[name]

    def mailbox(self, setup: Setup) -> Any:
        return self

    def sender(self, setup: Setup) -> Any:
        return self

    def ways(self, setup: Setup) -> tuple[Way, Way]:
        return Way("in.example:1"), Way("out.example:2")


def box(**does: Any) -> GuardedMailbox:
    made = Guarded("odd", Odd(**does)).mailbox(SETUP)
    assert isinstance(made, GuardedMailbox)
    return made


def sender(send: Callable[..., None]) -> GuardedSender:
    made = Guarded("odd", Odd(send=send)).sender(SETUP)
    assert isinstance(made, GuardedSender)
    return made


def raising(error: BaseException) -> Callable[..., Any]:
    def call(*words: Any) -> Any:
        raise error

    return call


def fetched(mails: Any, known: Callable[[Sequence[str]], set[str]] = lambda keys: set()) -> list[list[RawMail]]:
    return [*box(fetch=lambda asked, most: mails).fetch(known, 1_000_000)]


@pytest.mark.parametrize("name", list(TRANSPORTS.own))
def test_our_own_need_no_guard_and_say_which_contract_they_keep(name: str) -> None:
    assert TRANSPORTS.load(name).contract == TRANSPORTS.contract


@pytest.mark.parametrize(
    ("error", "kind", "told"),
    [
        (KeyError("secret"), OperatorError, "The transport 'odd' has a fault: KeyError at test_guarded.py:"),
        (ConnectionRefusedError(111, "refused"), TransientError, "mails at in.example:1: [Errno 111] refused"),
        (TimeoutError(), TransientError, "cannot read mails at in.example:1: TimeoutError"),
        (TransientError("Away."), TransientError, "cannot read mails at in.example:1: Away."),
        (OperatorError("Wrong.", "Mend it."), OperatorError, "Wrong. Mend it."),
        (OSError(errno.EACCES, "denied"), OperatorError, "what it needs: [Errno 13] denied. Correct [transport.odd]"),
    ],
)  # fmt: skip
def test_what_it_raises_is_one_of_our_errors(error: Exception, kind: type[Exception], told: str) -> None:
    for call in ("waiting", "marks"):
        with pytest.raises(kind) as raised:
            getattr(box(**{call: raising(error)}), call)()
        assert told in str(raised.value)
        assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("mails", "why"),
    [
        ([[b"From: a"]], "bytes is no RawMail"),
        ([[replace(MAIL, key="")]], "has no key"),
        ([[replace(MAIL, data="text")]], "are no bytes"),  # type: ignore[arg-type]
        ([[replace(MAIL, size=None)]], "size is no number"),  # type: ignore[arg-type]
        ([[replace(MAIL, key="a\0")]], "cannot be printed"),
        ([[replace(MAIL, place="\udc80")]], "cannot be printed"),
        ([[replace(MAIL, received=datetime(1, 1, 1, tzinfo=UTC))]], "in the year 1"),
        ([[replace(MAIL, received=datetime(2026, 11, 20))]], "needs a time zone"),  # noqa: DTZ001
        (None, "TypeError"),
    ],
)
def test_what_is_no_mail_is_not_taken_in(mails: Any, why: str) -> None:
    with pytest.raises(OperatorError, match=why):
        fetched(mails)


def test_batches_are_parted_mails_cut_and_none_is_given_twice() -> None:
    many = [replace(MAIL, key=str(number)) for number in range(250)]
    assert [len(batch) for batch in fetched([many])] == [BATCH_MAILS, BATCH_MAILS, 50]
    assert fetched([[MAIL], [MAIL, MAIL]]) == [[MAIL]]
    assert fetched([[MAIL, replace(MAIL, key="2")]], lambda keys: {"1"} & {*keys}) == [[replace(MAIL, key="2")]]
    large = replace(MAIL, data=b"x" * 2_000_000, size=2_000_000)
    (((cut,),),) = [fetched([[large]])]
    assert (len(cut.data), cut.size, cut.truncated) == (HEAD_BYTES, 2_000_000, True)


def test_what_we_raise_comes_out_as_it_is() -> None:
    """Also where the transport has caught it."""

    def fetch(known: Callable[[Sequence[str]], set[str]], most: int) -> Any:
        try:
            known(["1"])
        except Exception:
            yield [MAIL]

    locked = StoreError("The database is locked.")
    with pytest.raises(StoreError) as raised:
        [*box(fetch=fetch).fetch(raising(locked), 10)]
    assert raised.value is locked
    ours = ZeroDivisionError()
    with pytest.raises(ZeroDivisionError):
        sender(lambda mails, begin, report, more: begin(mails[0])).send(OUT, raising(ours), lambda sent: None)


def test_a_number_of_mails_is_one() -> None:
    with pytest.raises(OperatorError, match="says that None mails wait"):
        box(waiting=lambda: None).waiting()


def test_closing_never_fails() -> None:
    box(close=raising(KeyError())).close()


# ---- sending ----


def sent_by(send: Callable[..., None]) -> tuple[list[tuple[int, str]], str]:
    """What was reported, and what was raised."""
    reported: list[tuple[int, str]] = []
    try:
        sender(send).send(OUT, lambda mail: True, lambda sent: reported.append((sent.row, sent.result)))
    except (OperatorError, TransientError) as error:
        return reported, str(error)
    return reported, ""


def test_a_mail_at_which_it_fails_is_tried_again_and_the_others_are_as_they_were() -> None:
    def send(mails: Sequence[Ready], begin: Any, report: Any, more: Any) -> None:
        for mail in mails:
            begin(mail)
            if mail.row == 2:
                raise KeyError("bug")
            report(Sent(mail.row, "sent"))

    reported, told = sent_by(send)
    assert reported == [(1, "sent"), (2, "retry")]
    assert "has a fault: KeyError" in told


def test_who_sent_it_is_known_and_a_mail_is_reported_once() -> None:
    found: list[Sent] = []

    def send(mails: Sequence[Ready], begin: Any, report: Any, more: Any) -> None:
        begin(mails[0])
        report(Sent(1, "sent", "250 OK"))
        report(Sent(1, "retry"))

    with pytest.raises(OperatorError, match="reports 'retry' of a mail that it has not begun, or has reported already"):
        sender(send).send(OUT, lambda mail: True, found.append)
    assert found == [Sent(1, "sent", "250 OK", "games+1@club.example")]


def test_a_mail_is_begun_once_and_results_are_known_ones() -> None:
    def twice(mails: Sequence[Ready], begin: Any, report: Any, more: Any) -> None:
        assert [begin(mails[0]), begin(mails[0])] == [True, False]
        report(Sent(1, "gone"))  # type: ignore[arg-type]

    reported, told = sent_by(twice)
    assert reported == [(1, "retry")]
    assert "reports 'gone'" in told


def test_one_by_one() -> None:
    class Post(OneByOne):
        def check(self) -> None: ...

        def deliver(self, mail: Ready) -> str:
            if mail.row == 1:
                raise Refused("no such mailbox")
            if mail.row == 3:
                raise TransientError("The office is closed.")
            return f"took {mail.row}"

    reported: list[Sent] = []
    with pytest.raises(TransientError):
        Post().send(OUT, lambda mail: True, reported.append)
    assert reported == [
        Sent(1, "dead", "no such mailbox"),
        Sent(2, "sent", "took 2", "games+1@club.example"),
        Sent(3, "retry", "The office is closed."),
    ]
