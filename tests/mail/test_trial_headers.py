"""Whom a trial of the mailbox believes: heads of mails as servers write them, that came back to who had sent them."""

from __future__ import annotations

import pytest

from moderator.mail.trial.headers import checked_by, said_in_report, signed_by

GMAIL = """Delivered-To: games@gmail.com
Received: by 2002:a05:7022:6284:b0:6d:1 with SMTP id hs4csp1;
        Mon, 23 Nov 2026 04:00:02 -0800 (PST)
X-Received: by 2002:a17:907:9722:b0:a9a:1 with SMTP id jg34;
ARC-Authentication-Results: i=1; other.example; dmarc=pass
Return-Path: <games@gmail.com>
Received: from mail-sor-f41.google.com (mail-sor-f41.google.com. [209.85.220.41])
        by mx.google.com with SMTPS id a640c23a62f3a-1
Authentication-Results: mx.google.com;
       dkim=pass header.i=@gmail.com header.s=20230601 header.b=AbCd;
       spf=pass smtp.mailfrom=games@gmail.com;
       dmarc=pass (p=NONE sp=QUARANTINE dis=NONE) header.from=gmail.com
DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed;
        d=gmail.com; s=20230601; t=1; darn=gmail.com;
        h=to:subject; bh=x=; b=y
Received: from [192.0.2.1] by smtp.gmail.com with ESMTPSA id 1
"""
OWN = """Return-Path: <games@club.example>
Received: from mx.club.example by box.hosting.example with LMTP id 1
Authentication-Results: mx.club.example; dmarc=pass header.from=club.example
Received: from me by mx.club.example with ESMTPSA
"""
RELAYED = """Received: from out.relay.example by mx.club.example with ESMTPS
Authentication-Results: relay.example; auth=pass smtp.auth=games
Received: from me by out.relay.example with ESMTPSA
"""
MICROSOFT = """Received: from A.prod.outlook.com by B.prod.outlook.com with HTTPS
Authentication-Results: spf=pass (sender IP is 192.0.2.1) smtp.mailfrom=club.example; dkim=none
"""
WITHIN = """Received: from mx.club.example by store.club.example with ESMTP
Authentication-Results: mx.club.example; spf=pass smtp.mailfrom=club.example
"""
TWO = """Authentication-Results: mx.club.example; spf=pass smtp.mailfrom=club.example
Received: from out.relay.example by mx.club.example with ESMTPS
Authentication-Results: relay.example; auth=pass smtp.auth=games
"""
BARE = """Received: from x by mailstore with SMTP
Authentication-Results: mail; dmarc=pass header.from=club.example
"""


def mail(head: str, ends: str = "\r\n") -> bytes:
    return (head + "Subject: x\n\nAuthentication-Results: body.example; dmarc=pass\n").replace("\n", ends).encode()


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (GMAIL, "mx.google.com"),
        (OWN, "mx.club.example"),
        (WITHIN, "mx.club.example"),
        (TWO, "mx.club.example"),
        (BARE, "mail"),
    ],
)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_the_receiving_server_is_named(head: str, name: str, ends: str) -> None:
    assert checked_by(mail(head, ends)).name == name


@pytest.mark.parametrize(("head", "times"), [(GMAIL, 1), (TWO, 1), (TWO + WITHIN, 2), (BARE + BARE + BARE, 3)])
def test_headers_of_the_same_server_are_counted(head: str, times: int) -> None:
    assert checked_by(mail(head)).times == times


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
    found = checked_by(mail(head))
    assert found.name == ""
    assert why in found.why


@pytest.mark.parametrize(
    ("head", "domain", "signed"),
    [
        (GMAIL, "gmail.com", ("20230601", "gmail.com")),
        (OWN, "club.example", None),
        (
            "DKIM-Signature: v=1; s=a; d=relay.example\nDKIM-Signature: v=1; d=Club.example; s=b; b=x\n",
            "games.club.example",
            ("b", "club.example"),
        ),
        ("DKIM-Signature: v=1; s=a; d=relay.example\n", "club.example", ("a", "relay.example")),
        ("DKIM-Signature: v=1; d=club.example\n", "club.example", None),
        ("DKIM-Signature: v=1; s=a; d=ub.example\n", "club.example", ("a", "ub.example")),
    ],
)
def test_the_signature_that_vouches_for_the_domain(head: str, domain: str, signed: tuple[str, str] | None) -> None:
    assert signed_by(mail(head), domain) == signed


@pytest.mark.parametrize(
    ("report", "words"),
    [
        (
            b"Status: 5.1.1\r\nDiagnostic-Code: smtp; 550 5.1.1\r\n  no such user.\r\nX: y",
            "smtp; 550 5.1.1 no such user",
        ),
        (b"Action: failed\nStatus: 5.2.2\n", "5.2.2"),
        (b"sorry", ""),
    ],
)
def test_a_report_says_why(report: bytes, words: str) -> None:
    assert said_in_report(report) == words


@pytest.mark.parametrize(
    ("head", "senders", "after"),
    [
        (OWN, True, ("mx.club.example",)),
        (TWO, True, ("mx.club.example",)),
        (
            "Authentication-Results: a; auth=pass\nReceived: by SMTP.a.example. with ESMTPSA\n",
            False,
            ("smtp.a.example",),
        ),
        ("Authentication-Results: smtp.a.example; none\n", False, ()),
        (RELAYED, False, ("out.relay.example",)),
    ],
)
def test_what_a_header_tells_of_and_who_had_the_mail_before(head: str, senders: bool, after: tuple[str, ...]) -> None:
    found = checked_by(mail(head))
    assert (found.senders, found.after) == (senders, after)
