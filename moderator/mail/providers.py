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

from moderator.config import Security
from moderator.mail.settings_file import Setting, with_line
from moderator.typed import build

TABLE = Path(__file__).with_suffix(".toml")
TOKEN_COMMAND = "~/moderator/bin/python ~/moderator-token"
"""Where docs/mailboxes.md puts the script that fetches tokens."""


@dataclass(frozen=True)
class Server:
    host: str
    port: int
    security: Security


@dataclass(frozen=True)
class Provider:
    name: str
    domains: tuple[str, ...]
    """With a dot in front: whatever is below it."""
    imap: Server
    smtp: Server
    subaddress: str
    """As in [mail]; "" unless it is known to work: a reply address that leads nowhere is worse than none."""
    note: str
    """What must be done there first, in one or two sentences."""
    login: Literal["password", "token"] = "password"
    mx: tuple[str, ...] = ()
    """Domains of the hosts that take mails for its customers' own domains."""
    user: Literal["address", "name"] = "address"
    """What one logs in with: the address, or its part before the @."""


def of_address(address: str) -> Provider | None:
    """Who has this mailbox; None where its domain does not say."""
    domain = address.rpartition("@")[2].lower()
    for provider in known().values():
        if any(domain == one or (one.startswith(".") and domain.endswith(one)) for one in provider.domains):
            return provider
    return None


def of_servers(hosts: Sequence[str]) -> Provider | None:
    """Who has the mailboxes of a domain whose mails go to these hosts; None where they are nobody's of the table."""
    for provider in known().values():
        if any(host == one or host.endswith(f".{one}") for host in hosts for one in provider.mx):
            return provider
    return None


@cache
def known() -> Mapping[str, Provider]:
    """The table, by the names of its sections."""
    with TABLE.open("rb") as stream:
        values = tomllib.load(stream)
    return {name: build(Provider, value, f"{TABLE.name} [{name}]") for name, value in values.items()}


def filled(text: str, address: str, provider: Provider | None) -> str:
    """The text of a configuration file, config.example.toml as it is, with the mailbox's settings filled in; remarks
    stay. Without ``provider`` only what follows from the address itself. Raises LookupError where a line is missing."""
    for setting, instead_of in _settings(address, provider):
        text = with_line(text, setting, instead_of)
    return text


def _settings(address: str, provider: Provider | None) -> Iterator[tuple[Setting, str]]:
    """Each with the key that stands there, where that is another."""
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
