"""What the DNS says of a mail domain: who takes its mails (MX), who may send them (SPF, RFC 7208), how they are signed
(DKIM, RFC 6376) and what others shall do with forged ones (DMARC, RFC 7489).

dnspython is imported inside the functions. Each question has an answer, maybe none, or raises ``Away``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from moderator.errors import TransientError
from moderator.mail.network import one_line

if TYPE_CHECKING:
    from dns.resolver import Resolver

SECONDS = 5.0
"""For all tries of one question."""


class Away(TransientError):
    """The DNS gives no answer now, or none that can be used."""


@dataclass(frozen=True)
class Finding:
    """What was found, in words; what is wrong with it and what to do, "" = nothing."""

    says: str
    trouble: str = ""


def system_resolver() -> Resolver:
    """The one that this machine is set up with. Raises Away."""
    from dns.exception import DNSException
    from dns.resolver import Resolver

    try:
        resolver = Resolver()
    except (DNSException, OSError) as error:
        raise Away(f"this machine has no DNS: {one_line(error)}") from error
    resolver.lifetime = SECONDS
    return resolver


def servers(resolver: Resolver, domain: str) -> tuple[str, ...]:
    """Hosts that take mails for ``domain``, the preferred one first, in lower case without the last dot; () = no MX.
    Raises Away."""
    found = _asked(resolver, domain, "MX")
    ranked = sorted((one.preference, one.exchange.to_text(omit_final_dot=True).lower()) for one in found)
    return tuple(host for _, host in ranked if host not in ("", "."))


def spf(resolver: Resolver, domain: str) -> Finding:
    """Raises Away."""
    found = [text for text in _texts(resolver, domain) if re.match(r"v=spf1(?: |$)", text, re.IGNORECASE)]
    if not found:
        fix = f"Ask your mail provider for the line to enter as TXT record of {domain}; it begins with v=spf1."
        return Finding("", f"{domain} does not say who may send its mails. {fix}")
    if len(found) > 1:
        return Finding("", f"{domain} has {len(found)} records, so none counts. Join them to one TXT record.")
    if re.search(r"(?:^| )\+?all(?: |$)", found[0], re.IGNORECASE):
        return Finding("", f"{found[0]!r} lets anybody send mails as {domain}. End it with ~all or -all.")
    return Finding(found[0])


def dmarc(resolver: Resolver, domain: str) -> Finding:
    """Of the domain, or of the nearest one above it that has a policy. Raises Away."""
    labels = domain.split(".")
    for start in range(max(1, len(labels) - 1)):
        at = ".".join(labels[start:])
        found = [text for text in _texts(resolver, f"_dmarc.{at}") if re.match(r"v=DMARC1 *(?:;|$)", text)]
        if len(found) == 1:
            return Finding(f"{found[0]} (of {at})" if at != domain else found[0])
        if found:
            return Finding("", f"_dmarc.{at} has {len(found)} records, so none counts. Keep one TXT record.")
    fix = f'Enter a TXT record for _dmarc.{domain}: "v=DMARC1; p=none" to begin with.'
    return Finding("", f"{domain} does not say what others shall do with forged mails. {fix}")


def dkim(resolver: Resolver, selector: str, signer: str, domain: str) -> Finding:
    """The key that a mail of ``domain`` was signed with. Raises Away."""
    name = f"{selector}._domainkey.{signer}"
    found = [text for text in _texts(resolver, name) if re.search(r"(?:^|;)\s*p=", text)]
    if not found:
        fix = f"Enter there the TXT record that your mail provider, or the signing program, shows for {selector}."
        return Finding("", f"mails are signed by {signer}, but {name} holds no key. {fix}")
    if not any(re.search(r"(?:^|;)\s*p=\s*[A-Za-z0-9+/]", text) for text in found):
        return Finding("", f"the key {name} was taken back. Have your mail provider sign with a newer one.")
    if domain != signer and not domain.endswith(f".{signer}"):
        fix = f"Switch on DKIM for {domain} at your mail provider."
        return Finding("", f"mails are signed by {signer}, which does not vouch for {domain}. {fix}")
    return Finding(f"signed by {signer}, key {selector}")


def _texts(resolver: Resolver, name: str) -> list[str]:
    """TXT records; the pieces of each are joined."""
    return [b"".join(one.strings).decode("utf-8", "replace") for one in _asked(resolver, name, "TXT")]


def _asked(resolver: Resolver, name: str, kind: str) -> list[Any]:
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
            why = "no name server can tell" if isinstance(error, NoNameservers) else one_line(error, 120)
        raise Away(f"the DNS does not answer about {name} ({why})") from error
