"""Authentication-Results: what our own mail server found out about the sender, by the grammar of RFC 8601 and nothing
looser.

Such a header quotes what the sender chose: envelope address, signing domain, HELO. Where it can be read in two ways, a
sender chose it so. So it is read by the grammar alone, and a header that leaves it anywhere vouches for nobody. Where
the grammar itself lets two readings stand (a comment right behind a domain, a quotation within a comment that holds a
bracket), nobody is vouched for either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from moderator.mail.clean import FIELD_LIMIT

Verdict = Literal["pass", "fail", "none"]

_FOLD = re.compile(r"\r?\n(?=[ \t])")
_STRANGE = re.compile(r"[^\t\x20-\x7e]")
_SPACE = re.compile(r"[ \t]+")
_VERSION = re.compile(r"\d{1,9}")
_KEYWORD = re.compile(r"(?:[A-Za-z0-9-]{0,62}[A-Za-z0-9])")
_PROPERTY = re.compile(r"(?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])")
"""A keyword; Fastmail also writes ones with an underscore, policy.is_org."""
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_TOKEN = re.compile(r"[!#$%&'*+.^_`{|}~0-9A-Za-z-]+")
_BASE64 = re.compile(r"[A-Za-z0-9+/=]+")
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_DOMAIN = rf"{_LABEL}(?:\.{_LABEL})*"
_ATEXT = r"[!#$%&'*+/=?^_`{|}~0-9A-Za-z-]+"
_PLAIN = re.compile(rf"(?:{_ATEXT}(?:\.{_ATEXT})*)?@(?P<domain>{_DOMAIN})")
"""A mailbox, or a domain with its @, without a quoted part."""
_QUOTED_LOCAL = re.compile(rf"{_QUOTED.pattern}@(?P<domain>{_DOMAIN})")
_BARE = re.compile(_DOMAIN)
_REMARKS = frozenset({"reason", "action", "x-bits"})
"""``reason=…`` is of the grammar. Microsoft writes ``action=…`` and Fastmail ``x-bits=…`` in the same form; they name
nobody, so they are read past."""
_FAILED = re.compile(r"dmarc[^;=]{0,99}=[^;]{0,99}?fail", re.IGNORECASE)


def judge_sender_domain(headers: Sequence[str], authserv_id: str, domain: str) -> Verdict:
    """Judge whether the mail comes from ``domain`` (the domain of From). ``headers`` are raw, topmost first. Never
    raises.

    - "none" without a configured ``authserv_id``, without a header of it, with two of them (one of them is not our
    server's), with one that leaves the grammar, or if nothing below applies;
    - "fail" if dmarc=fail, whatever else passed;
    - "pass" if dmarc=pass with header.from=``domain``, or dkim=pass for ``domain`` or a parent of it, or spf=pass with
    an envelope sender at exactly ``domain``. A failed or missing dkim or spf alone says nothing: forwarding breaks
    both."""
    wanted, domain = authserv_id.strip().lower(), domain.strip().lower().rstrip(".")
    if not wanted or not domain:
        return "none"
    ours = [header for header in headers if _find_server(header) == wanted]
    found = [_judge_header(header, domain) for header in ours]
    if "fail" in found:
        return "fail"
    return found[0] if len(found) == 1 else "none"


def find_authserv_id(header: str) -> str:
    """Find the authserv-id of a raw header that keeps to the grammar; "" of another."""
    try:
        for _ in _Reader(header).iter_results():
            pass
    except _MalformedError:
        return ""
    return _find_server(header)


def has_sender_check(header: str) -> bool:
    """Return whether a raw header holds a result of SPF, DKIM or DMARC; "auth" reports a login, "none" nothing."""
    try:
        return any(result.method in ("spf", "dkim", "dmarc") for result in _Reader(header).iter_results())
    except _MalformedError:
        return False


class _MalformedError(Exception):
    """The error for a header that leaves the grammar."""


@dataclass
class _Result:
    """``method=outcome`` with its properties, all in lower case: "header.from" -> the domain that the value names, ""
    where it names none."""

    method: str
    outcome: str
    domains: dict[str, str] = field(default_factory=dict)


def _find_server(header: str) -> str:
    """Find the name of the server that the header says it is of; "" for none.

    It counts whatever follows: a header of ours that cannot be read must not make room for one below it."""
    try:
        return _Reader(header).parse_server()
    except _MalformedError:
        return ""


def _judge_header(header: str, domain: str) -> Verdict:
    try:
        results = list(_Reader(header).iter_results())
    except _MalformedError:
        # Not even what is said in a doubtful place may be worth more than a plain "fail".
        return "fail" if _FAILED.search(header) else "none"
    dmarc = [result.outcome for result in results if result.method == "dmarc"]
    if "fail" in dmarc:
        return "fail"
    passed = any(result.outcome == "pass" and _is_aligned(result, domain) for result in results)
    return "pass" if passed and len(dmarc) <= 1 else "none"


def _is_aligned(result: _Result, domain: str) -> bool:
    named = result.domains
    if result.method == "dmarc":
        return named.get("header.from") == domain  # without it, a HELO may have put the whole result there
    if result.method == "dkim":
        signer, author = named.get("header.d"), named.get("header.i")
        if signer is None:
            signer = author or ""
        if author is not None and not _is_within_domain(author, signer):
            return False
        return _is_within_domain(domain, signer)
    return result.method == "spf" and named.get("smtp.mailfrom", "") == domain


def _is_within_domain(domain: str, parent: str) -> bool:
    return "." in parent and (domain == parent or domain.endswith(f".{parent}"))


class _Reader:
    """One header, read from left to right."""

    def __init__(self, header: str) -> None:
        self.text = _FOLD.sub("", header)
        self.at = 0

    def parse_server(self) -> str:
        """Parse the name that the header begins with; in lower case."""
        self._skip_gap()
        return (self._parse_quoted() or self._require_text(_TOKEN)).lower()

    def iter_results(self) -> Iterator[_Result]:
        """Yield all results. "none" must be the only one, and there must be something. Raises _MalformedError."""
        if len(self.text) >= FIELD_LIMIT or _STRANGE.search(self.text):
            raise _MalformedError  # cut off, or with characters that other programs read in ways of their own
        self.parse_server()
        if self._skip_gap() and (version := self._take_text(_VERSION)):
            self._skip_gap()
            if int(version) != 1:
                raise _MalformedError
        first = True
        while not self._is_at_end():
            self._require_char(";")
            self._skip_gap()
            method = self._require_text(_KEYWORD).lower()
            self._skip_gap()
            if first and method == "none" and self._is_at_end():
                return
            first = False
            yield self._parse_result(method)
        if first:
            raise _MalformedError

    def _parse_result(self, method: str) -> _Result:
        if self._has_next("/"):
            self._require_char("/")
            self._skip_gap()
            if int(self._require_text(_VERSION)) != 1:
                raise _MalformedError
            self._skip_gap()
        self._require_char("=")
        self._skip_gap()
        result = _Result(method, self._require_text(_KEYWORD).lower())
        parted, seen = self._skip_gap(), set[str]()
        while not self._is_at_end() and not self._has_next(";"):
            name = self._parse_property_name() if parted else ""
            if not name or name in seen:
                raise _MalformedError
            seen.add(name)
            self._require_char("=")
            self._skip_gap()
            value = (
                (self._parse_quoted() or self._require_text(_TOKEN))
                if name in _REMARKS
                else self._skip_signature()
                if name == "header.b"
                else self._parse_value()
            )
            if name not in _REMARKS:
                result.domains[name] = value
            # What a sender chose ends at white space; a comment that begins at once might be a part of it.
            parted = bool(self._take_text(_SPACE))
            if not parted and not self._is_at_end() and not self._has_next(";"):
                raise _MalformedError
            self._skip_gap()
        return result

    def _parse_property_name(self) -> str:
        """Parse a type and a property with a dot between them, or a remark's name."""
        kind = self._require_text(_KEYWORD).lower()
        self._skip_gap()
        if kind in _REMARKS and self._has_next("="):
            return kind
        self._require_char(".")
        self._skip_gap()
        name = self._require_text(_PROPERTY).lower()
        self._skip_gap()
        return f"{kind}.{name}"

    def _skip_signature(self) -> str:
        """Skip the beginning of a DKIM signature, which many servers leave unquoted; it names nobody."""
        if not self._parse_quoted():
            self._require_text(_BASE64)
        return ""

    def _parse_value(self) -> str:
        """Parse a property's value; returns the domain that it names, in lower case, "" if it names none."""
        for pattern in (_QUOTED_LOCAL, _PLAIN):
            if match := self._match_pattern(pattern):
                return match["domain"].lower()
        if self._has_next('"'):  # Gmail puts an address with a "=" in quotes, whole
            whole = self._parse_quoted()
            match = _PLAIN.fullmatch(whole) or _BARE.fullmatch(whole)
            return match[0].rpartition("@")[2].lower() if match else ""
        value = self._require_text(_TOKEN)
        return value.lower() if _BARE.fullmatch(value) else ""

    def _parse_quoted(self) -> str:
        """Parse the content of a quoted string; "" where none begins, or an empty one."""
        text = self._take_text(_QUOTED)
        return re.sub(r"\\(.)", r"\1", text[1:-1])

    def _skip_gap(self) -> bool:
        """Skip white space and comments; returns whether there was any."""
        start = self.at
        while self._take_text(_SPACE) or self._has_next("("):
            if self._has_next("("):
                self._skip_comment()
        return self.at > start

    def _skip_comment(self) -> None:
        """Skip a comment with all within it. Raises _MalformedError.

        Quotes within it are in pairs, with something between them, and hold no bracket: where they are part of what a
        sender chose (an address with a quoted name), a bracket in them would end the comment at a place of the sender's
        choice."""
        depth, quoted, escaped = 0, False, False
        for at in range(self.at, len(self.text)):
            char = self.text[at]
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == '"':
                if quoted and self.text[at - 1] == '"':
                    raise _MalformedError
                quoted = not quoted
            elif char in "()" and quoted:
                raise _MalformedError
            elif char in "()":
                depth += 1 if char == "(" else -1
                if not depth:
                    self.at = at + 1
                    return
        raise _MalformedError

    def _match_pattern(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self.text, self.at)
        if match:
            self.at = match.end()
        return match

    def _take_text(self, pattern: re.Pattern[str]) -> str:
        match = self._match_pattern(pattern)
        return match[0] if match else ""

    def _require_text(self, pattern: re.Pattern[str]) -> str:
        found = self._take_text(pattern)
        if not found:
            raise _MalformedError
        return found

    def _require_char(self, char: str) -> None:
        if not self._has_next(char):
            raise _MalformedError
        self.at += 1

    def _has_next(self, char: str) -> bool:
        return self.text.startswith(char, self.at)

    def _is_at_end(self) -> bool:
        return self.at >= len(self.text)
