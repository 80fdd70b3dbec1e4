"""Authentication-Results: only our own server's topmost word counts."""

from random import Random

import authres
import pytest
from hypothesis import given
from hypothesis import strategies as st

from moderator.mail.authentication import judge_sender_domain
from tests.mail.auth_headers import LOOSE, MX, SERVERS, VICTIM, bent, hostile

OUR_MX = "mx.example.net"


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (f"{OUR_MX}; dmarc=pass (p=none) header.from=example.org", "pass"),
        (f"{OUR_MX}; dmarc=pass header.from=evil.example", "none"),
        (f"{OUR_MX} 1; dmarc=fail (p=reject) header.from=example.org; dkim=pass header.d=example.org", "fail"),
        (f"{OUR_MX}; dkim=pass header.d=example.org header.s=a", "pass"),
        (f"{OUR_MX}; dkim=pass header.i=@example.org", "pass"),
        (f"{OUR_MX}; dkim=pass header.i=anna@sub.example.org", "none"),
        (f"{OUR_MX}; dkim=pass header.d=org", "none"),
        (f"{OUR_MX}; dkim=pass header.d=ample.org", "none"),
        (f"{OUR_MX}; dkim=fail header.d=example.org; spf=pass smtp.mailfrom=anna@example.org", "pass"),
        (f"{OUR_MX}; spf=pass smtp.mailfrom=bounces.example.org", "none"),
        (f"{OUR_MX}; spf=fail smtp.mailfrom=example.org; dkim=fail header.d=example.org", "none"),
        (f"{OUR_MX}; none", "none"),
        (f'"{OUR_MX}"; dmarc=pass header.from=example.org', "pass"),
        (f"{OUR_MX}; dmarc=pass", "none"),
        (f"{OUR_MX}; dmarc=pass header.from=sub.example.org", "none"),
        (f"{OUR_MX}; dkim=pass header.d=example.org header.b=a/b+c/9=", "pass"),
        (f"{OUR_MX}; dkim=pass header.b=/ab header.d=other.example; dmarc=pass header.from=example.org", "pass"),
        ("MX.Example.NET;\r\n\tdkim=pass\r\n\theader.d=EXAMPLE.ORG", "pass"),
        (f"(odd) {OUR_MX} (very; odd); dkim (a=b)=pass header.d=example.org", "pass"),
        (f"{OUR_MX}; dkim=none (dmarc=pass; dkim=pass header.d=example.org)", "none"),
        (f'{OUR_MX}; dkim=neutral reason="; dmarc=pass" header.d=example.org', "none"),
        ("other.example; dmarc=pass header.from=example.org", "none"),
        ("spf=pass (sender IP is 192.0.2.1) smtp.mailfrom=example.org; dmarc=pass action=none", "none"),
        ("", "none"),
    ],
)  # fmt: skip
def test_verdict(header: str, expected: str) -> None:
    assert judge_sender_domain([header], OUR_MX, "example.org") == expected


def test_only_one_header_of_our_server_counts_and_nobody_is_trusted_without_a_name() -> None:
    """Our server writes one, so of two one is the sender's own, whichever it is."""
    good, bad = f"{OUR_MX}; dmarc=pass header.from=example.org", f"{OUR_MX}; dmarc=fail header.from=example.org"
    assert (
        judge_sender_domain(["x.example; dmarc=fail", good, "y.example; dmarc=fail"], OUR_MX, "example.org") == "pass"
    )
    assert judge_sender_domain([good, good], OUR_MX, "example.org") == "none"
    assert (
        judge_sender_domain([good, bad], OUR_MX, "example.org")
        == judge_sender_domain([bad, good], OUR_MX, "example.org")
        == "fail"
    )
    assert judge_sender_domain([good], "", "example.org") == judge_sender_domain([good], OUR_MX, "") == "none"
    assert judge_sender_domain([], OUR_MX, "example.org") == "none"


@given(st.lists(st.text(max_size=40).map(lambda text: f"{OUR_MX};{text}"), max_size=4))
def test_never_raises(headers: list[str]) -> None:
    assert judge_sender_domain(headers, OUR_MX, "example.org") in ("pass", "fail", "none")


HEADERS = 1_000


def trusted_by_authres(header: str) -> bool:
    """By its reading, and the plainest of rules about what it has read."""
    try:
        read = authres.all_features().parse_value(header.replace("\r\n", "").replace("\n", ""))
    except Exception:  # among them its own errors of syntax and of version
        return False
    if read.authserv_id != MX or any(one.method == "dmarc" and one.result == "fail" for one in read.results):
        return False
    return any(one.result == "pass" and _names_the_victim(one) for one in read.results)


def _names_the_victim(result: authres.core.AuthenticationResult) -> bool:
    names = {"dmarc": ("from",), "dkim": ("d", "i"), "spf": ("mailfrom",)}.get(result.method, ())
    named = [str(one.value or "").lower().rpartition("@")[2] for one in result.properties if one.name in names]
    return VICTIM in named or (result.method == "dmarc" and not named)


def test_what_we_trust_the_second_reader_trusts() -> None:
    random = Random(8601)
    crossings = list(hostile())
    random.shuffle(crossings)
    headers = [*SERVERS.values(), *LOOSE, *crossings[: HEADERS // 4]]
    headers += [bent(random) for _ in range(HEADERS - len(headers))]
    trusted = [header for header in headers if judge_sender_domain([header], MX, VICTIM) == "pass"]
    assert len(trusted) > HEADERS / 50  # it is no comparison of nothing with nothing
    assert [header for header in trusted if not trusted_by_authres(header)] == []


@pytest.mark.parametrize("header", SERVERS.values(), ids=SERVERS)
def test_an_honest_header_of_every_server_counts(header: str) -> None:
    assert judge_sender_domain([header], MX, VICTIM) == "pass"
    assert trusted_by_authres(header)
    assert judge_sender_domain([header], "mx.other.example", VICTIM) == "none"
    assert judge_sender_domain([header], MX, "other.example") in (
        "none",
        "pass" if "header.from" not in header else "none",
    )


def test_no_forger_is_taken_for_the_victim() -> None:
    """Every local part and domain, in every property and comment, in every way to quote them."""
    found = [header for header in hostile() if judge_sender_domain([header], MX, VICTIM) == "pass"]
    assert found == []


@pytest.mark.slow
def test_no_second_header_of_our_server_counts() -> None:
    """One of two is not our server's; a header of ours that nobody can read makes no room for one below it."""
    good = SERVERS["OpenDMARC"]
    for other in (*SERVERS.values(), *hostile()):
        if other.lower().startswith((f"{MX};", f"{MX} ")):
            assert judge_sender_domain([other, good], MX, VICTIM) != "pass", other
            assert judge_sender_domain([good, other], MX, VICTIM) != "pass", other


def test_a_failure_is_heard_wherever_it_stands() -> None:
    failed = f"dmarc=fail (p=reject) header.from={VICTIM}"
    for header in SERVERS.values():
        server, _, rest = header.partition(";")
        if server.strip().lower().endswith(MX):
            added = [f"{header}; {failed}", f"{server}; {failed}; {rest}"]
            added += [f'{header}; {failed} "', f"{header} ({failed}"]
            for one in added:
                assert judge_sender_domain([one], MX, VICTIM) in ("fail", "none"), one
