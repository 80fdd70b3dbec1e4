"""What the DNS says of a mail domain, asked of a name server that serves real zone data; and `init`, which asks it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from moderator import config
from moderator.cli import cli
from moderator.mail import domain
from moderator.mail.providers import known, of_servers
from tests.servers.name_server import NameServer

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
def server() -> Iterator[NameServer]:
    with NameServer(ZONE).started() as made:
        yield made


@pytest.fixture(autouse=True)
def _well(server: NameServer) -> None:
    server.mood = "well"


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


# ---- moderator init ----


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
