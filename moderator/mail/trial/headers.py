"""What the head of a mail tells that came back to us: the server that checked it, the key that signed it; and why a
mail was sent back."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from moderator.mail import authentication
from moderator.mail.network import one_line

_BY = re.compile(r"\bby\s+([A-Za-z0-9_.:-]+)")
_LOCAL = re.compile(r"\bwith\s+[A-Za-z]*LMTP", re.IGNORECASE)
_TAG = re.compile(r"(?:^|;)\s*([a-z]+)\s*=\s*([^;]*)")
_WORDS = re.compile(rb"^Diagnostic-Code:[ \t]*([^\r\n]*(?:\r?\n[ \t]+[^\r\n]*)*)", re.IGNORECASE | re.MULTILINE)
_STATUS = re.compile(rb"^Status:[ \t]*([^\r\n]*)", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True)
class Checked:
    """By which server the mail was checked."""

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


def head_of(data: bytes) -> bytes:
    return re.split(rb"\r?\n\r?\n", data, maxsplit=1)[0]


def fields(data: bytes) -> list[tuple[str, str]]:
    """Names in lower case, and values without folds, from the top."""
    lines = re.split(r"\r?\n(?![ \t])", head_of(data).decode("utf-8", "replace"))
    pairs = (line.partition(":") for line in lines)
    return [(name.strip().lower(), re.sub(r"\r?\n(?=[ \t])", "", value).strip()) for name, _, value in pairs]


def checked_by(data: bytes) -> Checked:
    """Whose Authentication-Results stands at the top of a mail that we sent ourselves, without any.

    The server that received it writes above what it got, so only the topmost one can be of it; and one that stands
    below a line of another server was written on the way (by the server that we sent it through, say).
    """
    above: list[str] = []
    all_fields = fields(data)
    for at, (field, value) in enumerate(all_fields):
        if field == "received":
            above.append(value)
        elif field == "authentication-results":
            found = _judged(value, above)
            others = (value for field, value in all_fields if field == "authentication-results")
            return replace(
                found,
                times=sum(authentication.author(other) == found.name for other in others),
                senders=authentication.checks_senders(value),
                after=tuple(_host(value) for field, value in all_fields[at:] if field == "received"),
            )
    return Checked(why="what came has no Authentication-Results")


def _judged(header: str, above: list[str]) -> Checked:
    name = authentication.author(header)
    if not name:
        return Checked(why=f"the Authentication-Results of what came names no server ({one_line(header, 60)})")
    for received in above:
        host = _host(received)
        if "." in host and ":" not in host and not _LOCAL.search(received) and _kin(host) != _kin(name):
            return Checked(
                why=f"the Authentication-Results of what came is of {name}, and {host} received it after that"
            )
    return Checked(name)


def _host(received: str) -> str:
    by = _BY.search(received)
    return by[1].lower().rstrip(".") if by else ""


def _kin(host: str) -> str:
    return ".".join(host.split(".")[-2:])


def signed_by(data: bytes, domain: str) -> tuple[str, str] | None:
    """(selector, signing domain) of the DKIM signature that vouches for ``domain``, or else of the topmost one."""
    found = []
    for field, value in fields(data):
        tags = dict(_TAG.findall(value)) if field == "dkim-signature" else {}
        if tags.get("s") and tags.get("d"):
            found.append((tags["s"].strip(), tags["d"].strip().lower()))
    aligned = [one for one in found if domain == one[1] or domain.endswith(f".{one[1]}")]
    return next(iter(aligned or found), None)


def said_in_report(data: bytes) -> str:
    """Why a mail was sent back, in the words of the server that did not take it; "" = the report does not say."""
    found = _WORDS.search(data) or _STATUS.search(data)
    return one_line(found[1], 160).rstrip(".") if found else ""
