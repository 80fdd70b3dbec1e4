"""Authentication-Results: only our own server's topmost word counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moderator.mail.authentication import verdict

MX = "mx.example.net"


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (f"{MX}; dmarc=pass (p=none) header.from=example.org", "pass"),
        (f"{MX}; dmarc=pass header.from=evil.example", "none"),
        (f"{MX} 1; dmarc=fail (p=reject) header.from=example.org; dkim=pass header.d=example.org", "fail"),
        (f"{MX}; dkim=pass header.d=example.org header.s=a", "pass"),
        (f"{MX}; dkim=pass header.i=@example.org", "pass"),
        (f"{MX}; dkim=pass header.i=anna@sub.example.org", "none"),
        (f"{MX}; dkim=pass header.d=org", "none"),
        (f"{MX}; dkim=pass header.d=ample.org", "none"),
        (f"{MX}; dkim=fail header.d=example.org; spf=pass smtp.mailfrom=anna@example.org", "pass"),
        (f"{MX}; spf=pass smtp.mailfrom=bounces.example.org", "none"),
        (f"{MX}; spf=fail smtp.mailfrom=example.org; dkim=fail header.d=example.org", "none"),
        (f"{MX}; none", "none"),
        (f'"{MX}"; dmarc=pass', "pass"),
        ("MX.Example.NET;\r\n\tdkim=pass\r\n\theader.d=EXAMPLE.ORG", "pass"),
        (f"(odd) {MX} (very; odd); dkim (a=b)=pass header.d=example.org", "pass"),
        (f"{MX}; dkim=none (dmarc=pass; dkim=pass header.d=example.org)", "none"),
        (f'{MX}; dkim=neutral reason="; dmarc=pass" header.d=example.org', "none"),
        ("other.example; dmarc=pass header.from=example.org", "none"),
        ("spf=pass (sender IP is 192.0.2.1) smtp.mailfrom=example.org; dmarc=pass action=none", "none"),
        ("", "none"),
    ],
)  # fmt: skip
def test_verdict(header: str, expected: str) -> None:
    assert verdict([header], MX, "example.org") == expected


def test_only_one_header_of_our_server_counts() -> None:
    """Our server writes one, so of two one is the sender's own, whichever it is."""
    good, bad = f"{MX}; dmarc=pass header.from=example.org", f"{MX}; dmarc=fail header.from=example.org"
    assert verdict(["x.example; dmarc=fail", good, "y.example; dmarc=fail"], MX, "example.org") == "pass"
    assert verdict([good, good], MX, "example.org") == "none"
    assert verdict([good, bad], MX, "example.org") == verdict([bad, good], MX, "example.org") == "fail"


def test_nobody_is_trusted_without_a_name() -> None:
    header = f"{MX}; dmarc=pass header.from=example.org"
    assert verdict([header], "", "example.org") == "none"
    assert verdict([header], MX, "") == "none"
    assert verdict([], MX, "example.org") == "none"


@given(st.lists(st.text(max_size=80).map(lambda text: f"{MX};{text}"), max_size=4))
def test_never_raises(headers: list[str]) -> None:
    assert verdict(headers, MX, "example.org") in ("pass", "fail", "none")
