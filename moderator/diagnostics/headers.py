"""What the head of a mail tells that came back to us: the server that checked it, the key that signed it; and why a
mail was sent back."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from moderator.mail import authentication
from moderator.mail.network import format_server_words

_BY = re.compile(r"\bby\s+([A-Za-z0-9_.:-]+)")
_LOCAL = re.compile(r"\bwith\s+[A-Za-z]*LMTP", re.IGNORECASE)
_TAG = re.compile(r"(?:^|;)\s*([a-z]+)\s*=\s*([^;]*)")
_WORDS = re.compile(rb"^Diagnostic-Code:[ \t]*([^\r\n]*(?:\r?\n[ \t]+[^\r\n]*)*)", re.IGNORECASE | re.MULTILINE)
_STATUS = re.compile(rb"^Status:[ \t]*([^\r\n]*)", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True)
class HeaderCheck:
    """The server that checked a mail, as far as it can be trusted."""

    name: str = ""
    """Its authserv-id; "" = there is none that could be trusted."""
    why: str = ""
    """Why not."""
    times: int = 1
    """How many such headers of it are there."""
    senders: bool = False
    """Whether it tells of the sender, and not only of a login."""
    after: tuple[str, ...] = ()
    """The servers that had taken the mail in before the header was written, in lower case."""


def get_mail_head(data: bytes) -> bytes:
    return re.split(rb"\r?\n\r?\n", data, maxsplit=1)[0]


def parse_header_fields(data: bytes) -> list[tuple[str, str]]:
    """Parse the head of a mail into (name in lower case, value without folds), from the top."""
    lines = re.split(r"\r?\n(?![ \t])", get_mail_head(data).decode("utf-8", "replace"))
    pairs = (line.partition(":") for line in lines)
    return [(name.strip().lower(), re.sub(r"\r?\n(?=[ \t])", "", value).strip()) for name, _, value in pairs]


def inspect_auth_headers(data: bytes) -> HeaderCheck:
    """Determine the server whose Authentication-Results stands at the top of a mail that we sent ourselves, without
    any.

    The server that received it writes above what it got, so only the topmost one can be of it; and one that stands
    below a line of another server was written on the way (by the server that we sent it through, say)."""
    above: list[str] = []
    all_fields = parse_header_fields(data)
    for at, (name, value) in enumerate(all_fields):
        if name == "received":
            above.append(value)
        elif name == "authentication-results":
            found = _judge_header(value, above)
            others = (value for name, value in all_fields if name == "authentication-results")
            return replace(
                found,
                times=sum(authentication.find_authserv_id(other) == found.name for other in others),
                senders=authentication.has_sender_check(value),
                after=tuple(_find_receiving_host(value) for name, value in all_fields[at:] if name == "received"),
            )
    return HeaderCheck(why="what came has no Authentication-Results")


def _judge_header(header: str, above: list[str]) -> HeaderCheck:
    name = authentication.find_authserv_id(header)
    if not name:
        return HeaderCheck(
            why=f"the Authentication-Results of what came names no server ({format_server_words(header, 60)})"
        )
    for received in above:
        host = _find_receiving_host(received)
        if (
            "." in host
            and ":" not in host
            and not _LOCAL.search(received)
            and _get_parent_domain(host) != _get_parent_domain(name)
        ):
            return HeaderCheck(
                why=f"the Authentication-Results of what came is of {name}, and {host} received it after that"
            )
    return HeaderCheck(name)


def _find_receiving_host(received: str) -> str:
    by = _BY.search(received)
    return by[1].lower().rstrip(".") if by else ""


def _get_parent_domain(host: str) -> str:
    return ".".join(host.split(".")[-2:])


def find_dkim_signature(data: bytes, domain: str) -> tuple[str, str] | None:
    """Find (selector, signing domain) of the DKIM signature that vouches for ``domain``, or else of the topmost one."""
    found = []
    for name, value in parse_header_fields(data):
        tags = dict(_TAG.findall(value)) if name == "dkim-signature" else {}
        if tags.get("s") and tags.get("d"):
            found.append((tags["s"].strip(), tags["d"].strip().lower()))
    aligned = [one for one in found if domain == one[1] or domain.endswith(f".{one[1]}")]
    return next(iter(aligned or found), None)


def extract_report_reason(data: bytes) -> str:
    """Extract why a mail was sent back, in the words of the server that did not take it; "" = the report does not
    say."""
    found = _WORDS.search(data) or _STATUS.search(data)
    return format_server_words(found[1], 160).rstrip(".") if found else ""
