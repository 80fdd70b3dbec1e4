"""Authentication-Results: only our own server's topmost word counts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import authres
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from moderator import config
from moderator.cli import cli
from moderator.mail import domain
from moderator.mail.authentication import verdict
from moderator.mail.providers import known, of_servers
from tests.mail.auth_headers import LOOSE, MX, SERVERS, VICTIM, bent, hostile
from tests.servers.name_server import NameServer

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
        (f'"{OUR_MX}"; dmarc=pass', "pass"),
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
    assert verdict([header], OUR_MX, "example.org") == expected


def test_only_one_header_of_our_server_counts() -> None:
    """Our server writes one, so of two one is the sender's own, whichever it is."""
    good, bad = f"{OUR_MX}; dmarc=pass header.from=example.org", f"{OUR_MX}; dmarc=fail header.from=example.org"
    assert verdict(["x.example; dmarc=fail", good, "y.example; dmarc=fail"], OUR_MX, "example.org") == "pass"
    assert verdict([good, good], OUR_MX, "example.org") == "none"
    assert verdict([good, bad], OUR_MX, "example.org") == verdict([bad, good], OUR_MX, "example.org") == "fail"


def test_nobody_is_trusted_without_a_name() -> None:
    header = f"{OUR_MX}; dmarc=pass header.from=example.org"
    assert verdict([header], "", "example.org") == "none"
    assert verdict([header], OUR_MX, "") == "none"
    assert verdict([], OUR_MX, "example.org") == "none"


@given(st.lists(st.text(max_size=80).map(lambda text: f"{OUR_MX};{text}"), max_size=4))
def test_never_raises(headers: list[str]) -> None:
    assert verdict(headers, OUR_MX, "example.org") in ("pass", "fail", "none")


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


@pytest.mark.parametrize("header", SERVERS.values(), ids=SERVERS)
def test_an_honest_header_of_every_server_counts(header: str) -> None:
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


ZONE = """
club        IN MX 20 mx01.kundenserver.de.
club        IN MX 10 MX00.Kundenserver.DE.
club        IN TXT "v=spf1 include:_spf-eu.ionos.com" " ~all"
club        IN TXT "some-verification=1"
_dmarc.club IN TXT "v=DMARC1; p=quarantine"
s1._domainkey.club  IN TXT "v=DKIM1; p=MIGfMA0G" "CSqGSIb3"
old._domainkey.club IN TXT "v=DKIM1; p="
odd._domainkey.club IN TXT "nothing"
games.club  IN A 127.0.0.1
own         IN MX 10 mail.own.example.
none        IN MX 0 .
twice       IN TXT "v=spf1 -all"
twice       IN TXT "v=spf1 mx ~all"
_dmarc.twice IN TXT "v=DMARC1; p=none"
_dmarc.twice IN TXT "v=DMARC1; p=reject"
open        IN TXT "v=spf1 +all"
like        IN TXT "v=spf10 ~all"
"""


@pytest.fixture(scope="module")
def name_server() -> Iterator[NameServer]:
    with NameServer(ZONE).started() as made:
        yield made


@pytest.fixture
def server(name_server: NameServer) -> NameServer:
    name_server.mood = "well"
    return name_server


@pytest.mark.parametrize(
    ("name", "hosts"),
    [
        ("club.example", ("mx00.kundenserver.de", "mx01.kundenserver.de")),
        ("games.club.example", ()),
        ("nowhere.example", ()),
        ("none.example", ()),
    ],
)
def test_servers_stand_in_order(server: NameServer, name: str, hosts: tuple[str, ...]) -> None:
    assert domain.servers(server.resolver(), name) == hosts


def test_a_record_in_pieces_is_one_text(server: NameServer) -> None:
    assert domain.spf(server.resolver(), "club.example") == domain.Finding("v=spf1 include:_spf-eu.ionos.com ~all")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("own.example", "does not say who may send.*TXT record of own.example"),
        ("nowhere.example", "does not say who may send"),
        ("like.example", "does not say who may send"),
        ("twice.example", "2 records, so none counts"),
        ("open.example", r"anybody.*End it with ~all"),
    ],
)
def test_what_is_wrong_with_an_spf_record(server: NameServer, name: str, words: str) -> None:
    found = domain.spf(server.resolver(), name)
    assert (found.says, bool(__import__("re").search(words, found.trouble))) == ("", True), found


@pytest.mark.parametrize(
    ("name", "says", "words"),
    [
        ("club.example", "v=DMARC1; p=quarantine", ""),
        ("games.club.example", "v=DMARC1; p=quarantine (of club.example)", ""),
        ("twice.example", "", "2 records"),
        ("own.example", "", "_dmarc.own.example"),
    ],
)
def test_a_policy_is_that_of_the_domain_or_of_the_nearest_above(
    server: NameServer, name: str, says: str, words: str
) -> None:
    found = domain.dmarc(server.resolver(), name)
    assert found.says == says
    assert words in found.trouble
    assert bool(words) == bool(found.trouble)


def test_no_policy_is_looked_for_at_the_top(server: NameServer) -> None:
    server.asked.clear()
    domain.dmarc(server.resolver(), "own.example")
    assert server.asked == ["_dmarc.own.example. TXT"]


@pytest.mark.parametrize(
    ("selector", "signer", "of", "words"),
    [
        ("s1", "club.example", "club.example", ""),
        ("s1", "club.example", "games.club.example", ""),
        ("s1", "club.example", "own.example", "does not vouch for own.example"),
        ("old", "club.example", "club.example", "taken back"),
        ("odd", "club.example", "club.example", "holds no key"),
        ("s2", "club.example", "club.example", "s2._domainkey.club.example holds no key"),
    ],
)
def test_a_key_is_there_and_is_the_domains(server: NameServer, selector: str, signer: str, of: str, words: str) -> None:
    found = domain.dkim(server.resolver(), selector, signer, of)
    assert words in found.trouble
    assert bool(words) != bool(found.says)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mood", "words"), [("broken", "no name server can tell"), ("silent", "not within 0.6 seconds")]
)
def test_a_dns_that_is_away_is_one_line(server: NameServer, mood: str, words: str) -> None:
    server.mood = mood
    with pytest.raises(domain.Away, match=words) as raised:
        domain.servers(server.resolver(), "club.example")
    assert "\n" not in str(raised.value)


def test_a_name_that_is_none_is_one_line(server: NameServer) -> None:
    with pytest.raises(domain.Away):
        domain.servers(server.resolver(), "a" * 70 + ".example")


def test_a_machine_without_dns_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    import dns.resolver

    def nothing(self: object, *words: object) -> None:
        raise dns.resolver.NoResolverConfiguration

    monkeypatch.setattr(dns.resolver.Resolver, "read_resolv_conf", nothing)
    with pytest.raises(domain.Away, match="has no DNS"):
        domain.system_resolver()


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("mx00.kundenserver.de", "ionos"),
        ("smtpin.rzone.de", "strato"),
        ("club-example.mail.protection.outlook.com", "microsoft365"),
        ("club-example.a-v1.mx.microsoft", "microsoft365"),
        ("alt1.aspmx.l.google.com", "gmail"),
        ("mxext1.mailbox.org", "mailboxorg"),
        ("evilgoogle.com", ""),
        ("google.com.example", ""),
    ],
)
def test_the_servers_say_whose_customer_a_domain_is(host: str, name: str) -> None:
    assert of_servers([host]) is (known()[name] if name else None)


def run_init(file: Path, *words: str) -> str:
    done = CliRunner().invoke(cli, ["--config", str(file), "init", *words])
    assert done.exit_code == 0, done.output
    return done.output


def test_init_fills_in_who_takes_the_mails_of_a_domain(
    server: NameServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(domain, "system_resolver", server.resolver)
    file = tmp_path / "moderator.toml"
    said = run_init(file, "--address", "games@club.example")
    assert "servers of IONOS, to whose mx00.kundenserver.de the mails for club.example go." in said
    read = config.load(file)
    assert (read.imap.host, read.smtp.host, read.imap.user) == (
        "imap.ionos.de", "smtp.ionos.de", "games@club.example"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "mood", "words"),
    [
        ("own.example", "well", "go to mail.own.example; where one logs in does not follow from that"),
        ("nowhere.example", "well", "names no server that takes mails for nowhere.example"),
        ("club.example", "broken", "could not be looked up: the DNS does not answer about club.example"),
    ],
)
def test_init_says_why_it_does_not_know(
    server: NameServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, mood: str, words: str
) -> None:
    monkeypatch.setattr(domain, "system_resolver", server.resolver)
    server.mood = mood
    file = tmp_path / f"{mood}-{name}.toml"
    assert words in run_init(file, "--address", f"games@{name}")
    assert config.load(file).imap.host == "imap.example.org"


def test_init_asks_nobody_offline_or_where_the_address_says_it(
    server: NameServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(domain, "system_resolver", server.resolver)
    server.asked.clear()
    said = run_init(tmp_path / "a.toml", "--address", "games@club.example", "--offline")
    assert "was not looked up (--offline)" in said
    run_init(tmp_path / "b.toml", "--address", "games@gmx.de")
    assert server.asked == []
