"""What is known of mail providers and domains: table, DNS and what `init` writes say the same."""

import re
from collections.abc import Iterator
from pathlib import Path

import dns.resolver
import pytest
from click.testing import CliRunner

from moderator import settings as config
from moderator.cli import cli, session
from moderator.common.disk import get_example_config
from moderator.common.errors import ConfigError
from moderator.diagnostics import providers
from moderator.diagnostics.providers import (
    fill_mail_settings,
    find_provider_by_address,
    find_provider_by_servers,
    load_providers,
)
from tests.servers.name_server import NameServer

PROVIDERS = {provider.name: provider for provider in load_providers().values()}


@pytest.mark.parametrize("name", sorted(PROVIDERS))
def test_init_writes_what_the_table_says(name: str, tmp_path: Path) -> None:
    provider = PROVIDERS[name]
    address = f"games@{(provider.domains or ('club.example',))[0].replace('.onmicrosoft', 'club.onmicrosoft')}"
    assert find_provider_by_address(address) is (provider if provider.domains else None)
    text = fill_mail_settings(get_example_config().read_text(encoding="utf-8"), address, provider)
    file = tmp_path / "moderator.toml"
    file.write_text(text, encoding="utf-8")
    read = config.load_config(file)
    assert (read.mail.address, read.mail.subaddress) == (address, provider.subaddress)
    for server, known in ((read.imap, provider.imap), (read.smtp, provider.smtp)):
        assert (server.host, server.port, server.security) == (known.host, known.port, known.security)
        assert server.user == (address.partition("@")[0] if provider.user == "name" else address)
        assert bool(server.token_command) == (provider.login == "token")
        assert bool(server.password_command) == (provider.login != "token")


# ---- the address ----


@pytest.mark.parametrize(
    ("name", "addresses"),
    [
        ("GMX", ("games@gmx.de", "Games@GMX.De")),
        ("Gmail", ("games+x@googlemail.com",)),
        ("Microsoft 365", ("games@club.onmicrosoft.com",)),
        ("", ("games@club.example", "games@gmx.de.example", "games@mail.gmx.de", "games@onmicrosoft.com", "x", "")),
    ],
)
def test_the_domain_says_who_it_is_and_nothing_is_guessed(name: str, addresses: tuple[str, ...]) -> None:
    for address in addresses:
        found = find_provider_by_address(address)
        assert (found.name if found else "") == name, address


def test_remarks_of_the_example_stay() -> None:
    example = get_example_config().read_text(encoding="utf-8")
    text = fill_mail_settings(example, "games@gmx.de", PROVIDERS["GMX"])
    assert len(text.splitlines()) == len(example.splitlines())
    assert 'security = "tls"                     # "tls" (port 993), "starttls" (143)' in text
    assert "# [" not in example, "a setting whose heading is a remark lands in the section above"
    with pytest.raises(LookupError, match="mail"):
        fill_mail_settings("[imap]\n", "games@gmx.de", None)


# ---- what the DNS says of a domain ----


@pytest.fixture(scope="module")
def name_server() -> Iterator[NameServer]:
    with NameServer((Path(__file__).parent / "zone.txt").read_text(encoding="utf-8")).started() as made:
        yield made


@pytest.fixture
def server(name_server: NameServer, monkeypatch: pytest.MonkeyPatch) -> NameServer:
    """All is well with it, and it is the one that `init` asks."""
    monkeypatch.setattr(providers, "build_system_resolver", name_server.resolver)
    name_server.mood = "well"
    name_server.asked.clear()
    return name_server


def test_servers_stand_in_order_and_an_spf_record_in_pieces_is_one_text(server: NameServer) -> None:
    assert providers.list_mail_servers(server.resolver(), "club.example") == (
        "mx00.kundenserver.de",
        "mx01.kundenserver.de",
    )
    assert not any(
        providers.list_mail_servers(server.resolver(), f"{name}.example") for name in ("games.club", "nowhere", "none")
    )
    assert providers.inspect_spf(server.resolver(), "club.example") == providers.DnsFinding(
        "v=spf1 include:_spf-eu.ionos.com ~all"
    )


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
    found = providers.inspect_spf(server.resolver(), name)
    assert (found.says, bool(re.search(words, found.trouble))) == ("", True), found


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
    found = providers.inspect_dmarc(server.resolver(), name)
    assert found.says == says
    assert words in found.trouble
    assert bool(words) == bool(found.trouble)


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
    found = providers.inspect_dkim(server.resolver(), selector, signer, of)
    assert words in found.trouble
    assert bool(words) != bool(found.says)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mood", "words"), [("broken", "no name server can tell"), ("silent", "not within 0.6 seconds")]
)
def test_a_dns_that_is_away_is_one_line(server: NameServer, mood: str, words: str) -> None:
    server.mood = mood
    with pytest.raises(providers.DnsUnavailable, match=words) as raised:
        providers.list_mail_servers(server.resolver(), "club.example")
    assert "\n" not in str(raised.value)


def test_a_machine_without_dns_says_so_and_a_name_may_be_none(
    name_server: NameServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(providers.DnsUnavailable):
        providers.list_mail_servers(name_server.resolver(), "a" * 70 + ".example")

    def nothing(self: object, *words: object) -> None:
        raise dns.resolver.NoResolverConfiguration

    monkeypatch.setattr(dns.resolver.Resolver, "read_resolv_conf", nothing)
    with pytest.raises(providers.DnsUnavailable, match="has no DNS"):
        providers.build_system_resolver()


def test_the_servers_say_whose_customer_a_domain_is() -> None:
    hosts = {
        "ionos": ["mx00.kundenserver.de"],
        "strato": ["smtpin.rzone.de"],
        "microsoft365": ["club-example.mail.protection.outlook.com", "club-example.a-v1.mx.microsoft"],
        "gmail": ["alt1.aspmx.l.google.com"],
        "mailboxorg": ["mxext1.mailbox.org"],
        "nobody": ["evilgoogle.com", "google.com.example"],
    }
    for name, found in hosts.items():
        assert {find_provider_by_servers([host]) for host in found} == {load_providers().get(name)}


# ---- moderator init ----


def run_init(file: Path, *options: str, keys: str | None = None) -> str:
    done = CliRunner().invoke(cli, ["--config", str(file), "init", *options], input=keys)
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.output


def test_init_fills_in_what_follows_from_the_address_and_nothing_for_what_is_none(tmp_path: Path) -> None:
    file = tmp_path / "moderator.toml"
    for address in ("games", "games@", "@gmx.de", "a@b@c", "games@gmx.de\n", "jörg@gmx.de", "Games <g@gmx.de>"):
        with pytest.raises(ConfigError, match="no mail address"):
            run_init(file, "--address", address)
    assert not file.exists()
    said = run_init(file, "--address", "games@gmx.de")
    assert "GMX" in said
    assert "application-specific password" in said
    assert file.stat().st_mode & 0o077 == 0
    read = config.load_config(file)
    assert (read.imap.host, read.smtp.host, read.mail.subaddress) == ("imap.gmx.net", "mail.gmx.net", "")
    assert "is ready" in run_init(file, "--address", "games@gmx.de")  # the second time makes the database


@pytest.mark.parametrize("address", ['"a"@gmx.de', "a\\b@gmx.de", "a'#b@gmx.de"])
def test_an_odd_address_is_written_as_it_is_and_stays(address: str, tmp_path: Path) -> None:
    file = tmp_path / "moderator.toml"
    run_init(file, "--address", address)
    before = file.read_bytes()
    with pytest.raises(ConfigError, match="is there already"):
        run_init(file, "--address", "games@web.de")
    assert file.read_bytes() == before
    assert config.load_config(file).mail.address == address


def test_init_asks_who_sits_there_and_nobody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "moderator.toml"
    assert "Still as in the example" in run_init(file, keys="games@gmx.de\n")
    assert file.read_bytes() == get_example_config().read_bytes()
    monkeypatch.setattr(session, "can_ask_operator", lambda: True)
    for keys, host in (("games@web.de\n\nme@club.example\n\n\n", "imap.web.de"), ("\n", "imap.example.org")):
        file.unlink()
        run_init(file, keys=keys)
        assert config.load_config(file).imap.host == host


def test_init_asks_for_all_in_one_go_and_says_what_comes_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "moderator.toml"
    monkeypatch.setattr(session, "can_ask_operator", lambda: True)
    said = run_init(file, keys="games@web.de\nSteinreich\nerika@club.example\nfr\ngeh#eim\n")
    assert "geh#eim" not in said
    read = config.load_config(file)
    assert (read.club.name, read.club.moderator, read.club.language) == ("Steinreich", "erika@club.example", "fr")
    assert (read.imap.password, read.smtp.password) == ("geh#eim", "geh#eim")
    assert "Still as in the example" not in said
    assert Path(read.database).exists()
    for line in ("lexicon build de", "doctor --mail", f"--config {file} tick", "backup"):
        assert line in said


def test_init_fills_in_who_takes_the_mails_of_a_domain(server: NameServer, tmp_path: Path) -> None:
    file = tmp_path / "moderator.toml"
    said = run_init(file, "--address", "games@club.example")
    assert "The servers are those of IONOS, to whose mx00.kundenserver.de the mails for club.example go." in said
    read = config.load_config(file)
    assert (read.imap.host, read.smtp.host) == ("imap.ionos.de", "smtp.ionos.de")
    assert read.imap.user == "games@club.example"


@pytest.mark.parametrize(
    ("name", "mood", "words"),
    [
        ("own.example", "well", "go to mail.own.example; where one logs in does not follow from that"),
        ("nowhere.example", "well", "names no server that takes mails for nowhere.example"),
        ("club.example", "broken", "could not be looked up: the DNS does not answer about club.example"),
    ],
)
def test_init_says_why_it_does_not_know(server: NameServer, tmp_path: Path, name: str, mood: str, words: str) -> None:
    server.mood = mood
    file = tmp_path / f"{mood}-{name}.toml"
    assert words in run_init(file, "--address", f"games@{name}")
    assert config.load_config(file).imap.host == "imap.example.org"


def test_init_asks_nobody_offline_or_where_the_address_says_it(server: NameServer, tmp_path: Path) -> None:
    said = run_init(tmp_path / "a.toml", "--address", "games@club.example", "--offline")
    assert "was not looked up (--offline)" in said
    run_init(tmp_path / "b.toml", "--address", "games@gmx.de")
    assert server.asked == []
