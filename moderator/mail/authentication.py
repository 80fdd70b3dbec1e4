"""Authentication-Results (RFC 8601): what our own mail server found out about the sender.

Only the topmost header that carries the configured server's name counts; whatever lies below may be forged.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

_LIMIT = 16_000
_RESULT = re.compile(r"\s*([\w-]{1,40})(?:\s*/\s*\d+)?\s*=\s*([\w-]{1,40})")
_PROPERTY = re.compile(r"([\w-]{1,40})\s*\.\s*([\w-]{1,40})\s*=\s*(\"[^\"]*\"|[^\s;]+)")

Verdict = Literal["pass", "fail", "none"]


def verdict(headers: Sequence[str], authserv_id: str, domain: str) -> Verdict:
    """Does the mail come from ``domain`` (the domain of From)? ``headers`` are raw, topmost first. Never raises.

    - "none" without a configured ``authserv_id``, without a header of it, or if nothing below applies;
    - "fail" if dmarc=fail, whatever else passed;
    - "pass" if dmarc=pass (its header.from, if named, must be ``domain``), or dkim=pass for ``domain`` or a parent
      of it, or spf=pass with an envelope sender at exactly ``domain``. A failed or missing dkim or spf alone says
      nothing: forwarding breaks both.
    """
    wanted, domain = authserv_id.strip().lower(), domain.strip().lower().rstrip(".")
    if not wanted or not domain:
        return "none"
    for header in headers:
        name, *results = _without_comments(header[:_LIMIT]).split(";")
        words = name.split()
        if words and words[0].lower().strip('"') == wanted:
            return _judge(results, domain)
    return "none"


def _judge(results: Sequence[str], domain: str) -> Verdict:
    passed = False
    for text in results:
        match = _RESULT.match(text)
        if not match:
            continue
        method, outcome = match[1].lower(), match[2].lower()
        found = {f"{kind}.{name}".lower(): value.strip('"').lower() for kind, name, value in _PROPERTY.findall(text)}
        if method == "dmarc" and outcome == "fail":
            return "fail"
        passed |= outcome == "pass" and _aligned(method, found, domain)
    return "pass" if passed else "none"


def _aligned(method: str, found: dict[str, str], domain: str) -> bool:
    if method == "dmarc":
        return _domain(found.get("header.from", domain)) == domain
    if method == "dkim":
        signer = _domain(found.get("header.d") or found.get("header.i", ""))
        return "." in signer and (domain == signer or domain.endswith(f".{signer}"))
    return method == "spf" and _domain(found.get("smtp.mailfrom", "")) == domain


def _domain(value: str) -> str:
    return value.strip("<>").rpartition("@")[2].rstrip(".")


def _without_comments(text: str) -> str:
    """Without (nested) comments; brackets and semicolons inside quoted strings are kept from confusing the split."""
    kept: list[str] = []
    depth, quoted, escaped = 0, False, False
    for char in text:
        if escaped:
            escaped = False
        elif char == "\\":
            escaped = True
        elif quoted:
            quoted = char != '"'
            kept.append("_" if char == ";" else char)
        elif char == '"' and not depth:
            quoted = True
            kept.append(char)
        elif char in "()":
            depth = max(0, depth + (1 if char == "(" else -1))
        elif not depth:
            kept.append(char)
    return "".join(kept)
