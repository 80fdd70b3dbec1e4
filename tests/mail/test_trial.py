"""Whom a trial of the mailbox believes: heads of mails as servers write them, that came back to who had sent them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moderator.common.mails import Ready, Sent
from moderator.diagnostics.headers import extract_report_reason, find_dkim_signature, inspect_auth_headers
from moderator.diagnostics.mailbox import (
    LONGER,
    ArrivedMail,
    Journey,
    Kind,
    MoveTrialResult,
    RoundTrip,
    TrialStep,
    build_plain_step,
    iter_way_steps,
)
from moderator.diagnostics.settings_file import Setting
from moderator.mail.trial_letter import TrialMail, compose_trial_mail
from tests.helpers import list_lines

HEADS = Path(__file__).parent / "heads.txt"
GMAIL, OWN, RELAYED, MICROSOFT, WITHIN, TWO, BARE = (
    "\n".join([*list_lines(HEADS, name), ""])
    for name in ("GMAIL", "OWN", "RELAYED", "MICROSOFT", "WITHIN", "TWO", "BARE")
)
DKIM = "DKIM-Signature: v=1;"


def mail(head: str, ends: str = "\r\n") -> bytes:
    return (head + "Subject: x\n\nAuthentication-Results: body.example; dmarc=pass\n").replace("\n", ends).encode()


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_the_receiving_server_is_named(ends: str) -> None:
    names = {GMAIL: "mx.google.com", BARE: "mail"} | dict.fromkeys((OWN, WITHIN, TWO), "mx.club.example")
    assert {head: inspect_auth_headers(mail(head, ends)).name for head in names} == names
    assert [inspect_auth_headers(mail(head, ends)).times for head in (GMAIL, TWO, TWO + WITHIN, BARE * 3)] == [
        1,
        1,
        2,
        3,
    ]


@pytest.mark.parametrize(
    ("head", "why"),
    [
        ("", "has no Authentication-Results"),
        ("Received: by a.example\n", "has no Authentication-Results"),
        (RELAYED, "is of relay.example, and mx.club.example received it after that"),
        (MICROSOFT, "names no server (spf=pass"),
        ("Authentication-Results: mx.club.example\n", "names no server"),
        # The topmost one counts, or none: what stands below may have been written by anybody.
        (MICROSOFT + "Authentication-Results: mx.club.example; dmarc=pass\n", "names no server"),
    ],
)
def test_nobody_is_believed_who_is_not_the_receiving_server(head: str, why: str) -> None:
    found = inspect_auth_headers(mail(head))
    assert found.name == ""
    assert why in found.why


@pytest.mark.parametrize(
    ("head", "domain", "signed"),
    [
        (GMAIL, "gmail.com", ("20230601", "gmail.com")),
        (OWN, "club.example", None),
        (
            f"{DKIM} s=a; d=relay.example\n{DKIM} d=Club.example; s=b; b=x\n",
            "games.club.example",
            ("b", "club.example"),
        ),
        (f"{DKIM} s=a; d=relay.example\n", "club.example", ("a", "relay.example")),
        (f"{DKIM} d=club.example\n", "club.example", None),
        (f"{DKIM} s=a; d=ub.example\n", "club.example", ("a", "ub.example")),
    ],
)
def test_the_signature_that_vouches_for_the_domain(head: str, domain: str, signed: tuple[str, str] | None) -> None:
    assert find_dkim_signature(mail(head), domain) == signed


def test_a_report_says_why() -> None:
    long = b"Status: 5.1.1\r\nDiagnostic-Code: smtp; 550 5.1.1\r\n  no such user.\r\nX: y"
    assert extract_report_reason(long) == "smtp; 550 5.1.1 no such user"
    assert extract_report_reason(b"Action: failed\nStatus: 5.2.2\n") == "5.2.2"
    assert extract_report_reason(b"sorry") == ""


LOGGED_IN = "Authentication-Results: a; auth=pass\nReceived: by SMTP.a.example. with ESMTPSA\n"


@pytest.mark.parametrize(
    ("head", "senders", "after"),
    [
        (OWN, True, ("mx.club.example",)),
        (TWO, True, ("mx.club.example",)),
        (LOGGED_IN, False, ("smtp.a.example",)),
        ("Authentication-Results: smtp.a.example; none\n", False, ()),
        (RELAYED, False, ("out.relay.example",)),
    ],
)
def test_what_a_header_tells_of_and_who_had_the_mail_before(head: str, senders: bool, after: tuple[str, ...]) -> None:
    found = inspect_auth_headers(mail(head))
    assert (found.senders, found.after) == (senders, after)


# ---- the way of the letters ----

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
ADDRESS = "games@club.example"


@dataclass
class Post:
    """Mailbox, sender and clock in one. ``plan``: way -> (seconds, kind), else never; ``refused``: way -> words."""

    plan: dict[str, tuple[float, Kind]]
    refused: dict[str, str] = field(default_factory=dict)
    now: float = 1000.0
    letters: list[TrialMail] = field(default_factory=list)
    shown: set[str] = field(default_factory=set)
    everywhere: int = 0

    def skip_present_mails(self) -> None:
        """Nothing was there."""

    def fetch_arrived(self, everywhere: bool = False) -> list[ArrivedMail]:
        self.everywhere += everywhere
        found = []
        for letter in self.letters:
            after, kind = self.plan.get(letter.way, (1e9, "inbox"))
            if letter.mark not in self.shown and self.now - 1000 >= after and (everywhere or kind != "other"):
                self.shown.add(letter.mark)
                found.append(ArrivedMail(kind, kind.title(), letter.data))
        return found

    def move_trial_mail(self, letter: TrialMail) -> MoveTrialResult:
        raise AssertionError

    def remove_trial_mails(self, letters: Sequence[TrialMail]) -> list[bytes]:
        raise AssertionError

    def close(self) -> None:
        raise AssertionError

    def send(
        self,
        mails: Sequence[Ready],
        begin: Callable[[Ready], bool],
        report: Callable[[Sent], None],
        more: Callable[[], Sequence[Ready]] = tuple,
    ) -> None:
        for mail in mails:
            way = "+" if "+" in mail.recipient else "-" if "-" in mail.recipient else ""
            words = self.refused.get(way, "")
            report(Sent(mail.row, "dead" if words else "sent", words))

    def check(self) -> None:
        raise AssertionError

    def pause(self, seconds: float) -> None:
        self.now += seconds


def travelled(post: Post, *ways: str, longest: float = 60) -> list[Journey]:
    post.letters = [compose_trial_mail(ADDRESS, "Club", way, "secret", NOW) for way in ("", *ways)]
    return RoundTrip(post, longest, clock=lambda: post.now, pause=post.pause).run(post, ADDRESS, post.letters)


def told(journeys: Sequence[Journey], configured: str) -> list[TrialStep]:
    return [build_plain_step(journeys[0]), *iter_way_steps(journeys, configured)]


@pytest.mark.parametrize(
    ("plan", "least", "most"),
    [
        ({"": (0.0, "inbox"), "+": (0.0, "inbox")}, 0, 0.1),
        ({"": (5.0, "inbox"), "+": (20.0, "inbox")}, 20, 23),
        ({"": (5.0, "inbox")}, 5 + LONGER, 5 + LONGER + 5),
        ({"": (40.0, "inbox")}, 60, 63),
        ({"+": (1.0, "inbox")}, 60, 63),
        ({}, 60, 63),
    ],
)
def test_it_waits_no_longer_than_it_must(plan: dict[str, tuple[float, Kind]], least: float, most: float) -> None:
    post = Post(plan)
    assert all(journey.came for way, journey in zip(("", "+"), travelled(post, "+"), strict=True) if way in plan)
    assert bool(post.everywhere) == (len(plan) < 2)
    assert least <= post.now - 1000 <= most


@pytest.mark.parametrize(
    ("plan", "configured", "verdicts", "setting"),
    [
        ({"": (0.0, "inbox"), "+": (0.0, "inbox")}, "+", ["ok", "ok"], None),
        ({"": (0.0, "inbox"), "+": (0.0, "inbox")}, "", ["ok", "note"], "+"),
        ({"": (0.0, "inbox")}, "+", ["ok", "FAIL"], ""),
        ({"": (0.0, "inbox")}, "", ["ok", "ok"], None),
        ({"": (0.0, "inbox"), "+": (0.0, "junk")}, "+", ["ok", "FAIL"], ""),
        ({"": (0.0, "inbox"), "+": (0.0, "other")}, "+", ["ok", "FAIL"], ""),
        ({"": (0.0, "junk"), "+": (0.0, "inbox")}, "+", ["FAIL", "ok"], None),
        ({"": (0.0, "junk"), "+": (0.0, "junk")}, "+", ["FAIL", "note"], None),
        ({"": (0.0, "other")}, "+", ["FAIL", "note"], None),
        ({}, "+", ["FAIL", "note"], None),
    ],
)
def test_what_is_concluded(
    plan: dict[str, tuple[float, Kind]], configured: str, verdicts: list[str], setting: str | None
) -> None:
    steps = told(travelled(Post(plan), "+"), configured)
    assert [step.verdict for step in steps] == verdicts, steps
    settings = [one for step in steps for one in step.settings]
    assert settings == ([] if setting is None else [Setting("mail", "subaddress", setting)])


def test_of_two_ways_that_is_offered_which_works() -> None:
    journeys = travelled(Post({"": (0.0, "inbox"), "+": (0.0, "inbox")}), "-", "+")
    steps = told(journeys, "-")
    assert [step.verdict for step in steps] == ["ok", "FAIL", "note"]
    assert {one for step in steps for one in step.settings} == {Setting("mail", "subaddress", "+")}
    journeys = travelled(Post(dict.fromkeys(("", "-", "+"), (0.0, "inbox"))), "-", "+")
    assert [step.verdict for step in told(journeys, "-")] == ["ok", "ok", "ok"]
