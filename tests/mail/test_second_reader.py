"""What we take for a sender's own mail, the library ``authres`` would take for it, too; and no forger is taken so."""

from __future__ import annotations

from random import Random

import authres
import pytest

from moderator.mail.authentication import verdict
from tests.mail.auth_headers import LOOSE, MX, SERVERS, VICTIM, bent, hostile

HEADERS = 2_000


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
    trusted = [header for header in headers if verdict([header], MX, VICTIM) == "pass"]
    assert len(trusted) > HEADERS / 50  # it is no comparison of nothing with nothing
    assert [header for header in trusted if not trusted_by_authres(header)] == []


@pytest.mark.parametrize("server", SERVERS)
def test_an_honest_header_of_every_server_counts(server: str) -> None:
    header = SERVERS[server]
    assert verdict([header], MX, VICTIM) == "pass"
    assert trusted_by_authres(header)
    assert verdict([header], "mx.other.example", VICTIM) == "none"
    assert verdict([header], MX, "other.example") in ("none", "pass" if "header.from" not in header else "none")


def test_no_forger_is_taken_for_the_victim() -> None:
    """Every local part and domain, in every property and comment, in every way to quote them."""
    found = [header for header in hostile() if verdict([header], MX, VICTIM) == "pass"]
    assert found == []


@pytest.mark.slow
def test_no_second_header_of_our_server_counts() -> None:
    """One of two is not our server's; a header of ours that nobody can read makes no room for one below it."""
    good = SERVERS["OpenDMARC"]
    for other in (*SERVERS.values(), *hostile()):
        if other.lower().startswith((f"{MX};", f"{MX} ")):
            assert verdict([other, good], MX, VICTIM) != "pass", other
            assert verdict([good, other], MX, VICTIM) != "pass", other


def test_a_failure_is_heard_wherever_it_stands() -> None:
    failed = f"dmarc=fail (p=reject) header.from={VICTIM}"
    for header in SERVERS.values():
        server, _, rest = header.partition(";")
        if server.strip().lower().endswith(MX):
            added = [f"{header}; {failed}", f"{server}; {failed}; {rest}"]
            added += [f'{header}; {failed} "', f"{header} ({failed}"]
            for one in added:
                assert verdict([one], MX, VICTIM) in ("fail", "none"), one
