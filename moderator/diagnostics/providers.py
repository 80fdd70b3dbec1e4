"""What is known of mail providers: servers, sub-addresses, how one logs in. Most are known by the address alone; of a
domain of its own, the hosts that take its mails (MX) say whose they are. And what the DNS says of a mail domain: who
takes its mails, who may send them (SPF, RFC 7208), how they are signed (DKIM, RFC 6376) and what others shall do with
forged ones (DMARC, RFC 7489).

dnspython is imported inside the functions. Each question has an answer, maybe none, or raises ``DnsUnavailable``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from moderator.common.errors import TransientError
from moderator.common.typed import build_dataclass
from moderator.diagnostics.settings_file import Setting, replace_setting_line
from moderator.mail.network import format_server_words
from moderator.mail.settings import Security

if TYPE_CHECKING:
    from dns.resolver import Resolver

TABLE = Path(__file__).with_suffix(".toml")
TOKEN_COMMAND = "~/moderator/bin/python ~/moderator-token"
"""Where docs/run/tokens.md puts the script that fetches tokens."""


@dataclass(frozen=True)
class ProviderServer:
    host: str
    port: int
    security: Security


@dataclass(frozen=True)
class Provider:
    name: str
    domains: tuple[str, ...]
    """With a dot in front: whatever is below it."""
    imap: ProviderServer
    smtp: ProviderServer
    subaddress: str
    """As in [mail]; "" unless it is known to work: a reply address that leads nowhere is worse than none."""
    note: str
    """What must be done there first, in one or two sentences."""
    login: Literal["password", "token"] = "password"
    mx: tuple[str, ...] = ()
    """Domains of the hosts that take mails for its customers' own domains."""
    user: Literal["address", "name"] = "address"
    """What one logs in with: the address, or its part before the @."""


def find_provider_by_address(address: str) -> Provider | None:
    """Find the provider of this mailbox; None where its domain does not say."""
    domain = address.rpartition("@")[2].lower()
    for provider in load_providers().values():
        if any(domain == one or (one.startswith(".") and domain.endswith(one)) for one in provider.domains):
            return provider
    return None


def find_provider_by_servers(hosts: Sequence[str]) -> Provider | None:
    """Find the provider of the mailboxes of a domain whose mails are taken by these hosts; None where the table has
    none."""
    for provider in load_providers().values():
        if any(host == one or host.endswith(f".{one}") for host in hosts for one in provider.mx):
            return provider
    return None


@cache
def load_providers() -> Mapping[str, Provider]:
    """Load the table, by the names of its sections."""
    with TABLE.open("rb") as stream:
        values = tomllib.load(stream)
    return {name: build_dataclass(Provider, value, f"{TABLE.name} [{name}]") for name, value in values.items()}


def fill_mail_settings(text: str, address: str, provider: Provider | None) -> str:
    """Fill the mailbox's settings into the text of a configuration file, config.example.toml as it is; remarks stay.

    Without ``provider`` only what follows from the address itself. Raises LookupError where a line is missing."""
    for setting, instead_of in _iter_settings(address, provider):
        text = replace_setting_line(text, setting, instead_of)
    return text


def _iter_settings(address: str, provider: Provider | None) -> Iterator[tuple[Setting, str]]:
    """Yield each setting with the key that stands there, where that is another."""
    name = address.rpartition("@")[0]
    yield Setting("mail", "address", address), ""
    if provider:
        yield Setting("mail", "subaddress", provider.subaddress), ""
    for section in ("imap", "smtp"):
        yield Setting(section, "user", name if provider and provider.user == "name" else address), ""
        if not provider:
            continue
        server = provider.imap if section == "imap" else provider.smtp
        yield Setting(section, "host", server.host), ""
        yield Setting(section, "security", server.security), ""
        yield Setting(section, "port", server.port), ""
        if provider.login == "token":
            yield Setting(section, "token_command", TOKEN_COMMAND), "password_command"


SECONDS = 5.0
"""For all tries of one question."""


class DnsUnavailable(TransientError):
    """The error of a DNS that gives no answer now, or none that can be used."""


@dataclass(frozen=True)
class DnsFinding:
    """The record that was found, in words; and what is wrong with it and what to do, "" = nothing."""

    says: str
    trouble: str = ""


def build_system_resolver() -> Resolver:
    """Build the resolver that this machine is set up with. Raises DnsUnavailable."""
    from dns.exception import DNSException
    from dns.resolver import Resolver

    try:
        resolver = Resolver()
    except (DNSException, OSError) as error:
        raise DnsUnavailable(f"this machine has no DNS: {format_server_words(error)}") from error
    resolver.lifetime = SECONDS
    return resolver


def list_mail_servers(resolver: Resolver, domain: str) -> tuple[str, ...]:
    """List the hosts that take mails for ``domain``, the preferred one first, in lower case without the last dot; () =
    no MX. Raises DnsUnavailable."""
    found = _query_records(resolver, domain, "MX")
    ranked = sorted((one.preference, one.exchange.to_text(omit_final_dot=True).lower()) for one in found)
    return tuple(host for _, host in ranked if host not in ("", "."))


def inspect_spf(resolver: Resolver, domain: str) -> DnsFinding:
    """Inspect the SPF record of the domain. Raises DnsUnavailable."""
    found = [text for text in _list_txt_records(resolver, domain) if re.match(r"v=spf1(?: |$)", text, re.IGNORECASE)]
    if not found:
        fix = f"Ask your mail provider for the line to enter as TXT record of {domain}; it begins with v=spf1."
        return DnsFinding("", f"{domain} does not say who may send its mails. {fix}")
    if len(found) > 1:
        return DnsFinding("", f"{domain} has {len(found)} records, so none counts. Join them to one TXT record.")
    if re.search(r"(?:^| )\+?all(?: |$)", found[0], re.IGNORECASE):
        return DnsFinding("", f"{found[0]!r} lets anybody send mails as {domain}. End it with ~all or -all.")
    return DnsFinding(found[0])


def inspect_dmarc(resolver: Resolver, domain: str) -> DnsFinding:
    """Inspect the policy of the domain, or of the nearest one above it that has one. Raises DnsUnavailable."""
    labels = domain.split(".")
    for start in range(max(1, len(labels) - 1)):
        at = ".".join(labels[start:])
        found = [text for text in _list_txt_records(resolver, f"_dmarc.{at}") if re.match(r"v=DMARC1 *(?:;|$)", text)]
        if len(found) == 1:
            return DnsFinding(f"{found[0]} (of {at})" if at != domain else found[0])
        if found:
            return DnsFinding("", f"_dmarc.{at} has {len(found)} records, so none counts. Keep one TXT record.")
    fix = f'Enter a TXT record for _dmarc.{domain}: "v=DMARC1; p=none" to begin with.'
    return DnsFinding("", f"{domain} does not say what others shall do with forged mails. {fix}")


def inspect_dkim(resolver: Resolver, selector: str, signer: str, domain: str) -> DnsFinding:
    """Inspect the key that a mail of ``domain`` was signed with. Raises DnsUnavailable."""
    name = f"{selector}._domainkey.{signer}"
    found = [text for text in _list_txt_records(resolver, name) if re.search(r"(?:^|;)\s*p=", text)]
    if not found:
        fix = f"Enter there the TXT record that your mail provider, or the signing program, shows for {selector}."
        return DnsFinding("", f"mails are signed by {signer}, but {name} holds no key. {fix}")
    if not any(re.search(r"(?:^|;)\s*p=\s*[A-Za-z0-9+/]", text) for text in found):
        return DnsFinding("", f"the key {name} was taken back. Have your mail provider sign with a newer one.")
    if domain != signer and not domain.endswith(f".{signer}"):
        fix = f"Switch on DKIM for {domain} at your mail provider."
        return DnsFinding("", f"mails are signed by {signer}, which does not vouch for {domain}. {fix}")
    return DnsFinding(f"signed by {signer}, key {selector}")


def _list_txt_records(resolver: Resolver, name: str) -> list[str]:
    """List the TXT records; the pieces of each are joined."""
    return [b"".join(one.strings).decode("utf-8", "replace") for one in _query_records(resolver, name, "TXT")]


def _query_records(resolver: Resolver, name: str, kind: str) -> list[Any]:
    from dns.exception import DNSException, Timeout
    from dns.resolver import NXDOMAIN, NoAnswer, NoNameservers

    try:
        return list(resolver.resolve(f"{name}.", kind))
    except (NXDOMAIN, NoAnswer):
        return []
    except (DNSException, OSError, UnicodeError) as error:
        if isinstance(error, Timeout):
            why = f"not within {resolver.lifetime:g} seconds"
        else:
            why = "no name server can tell" if isinstance(error, NoNameservers) else format_server_words(error, 120)
        raise DnsUnavailable(f"the DNS does not answer about {name} ({why})") from error
