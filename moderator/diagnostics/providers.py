"""What is known of mail providers: servers, sub-addresses, how one logs in. Most are known by the address alone; of a
domain of its own, the hosts that take its mails (MX) say whose they are. Nothing here asks the network.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from moderator.common.typed import build_dataclass
from moderator.diagnostics.settings_file import Setting, replace_setting_line
from moderator.mail.settings import Security

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
