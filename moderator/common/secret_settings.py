"""What of the settings is a secret: the one answer for all that print, log, copy or check them.

By its name, whoever it is of: ``api_key`` of a transport that we do not know is one, and so is all that stands below a
table of such a name. A command that only fetches one from its place is none; any other may have it in it. In whatever
text, the password of a URL and what follows ``token=`` is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

HIDDEN = "…"
_ANYWHERE = (
    "password", "passwd", "passphrase", "passcode", "secret", "token", "credential", "authoriz", "bearer",
    "passwort", "kennwort", "geheim", "schlüssel", "schluessel", "jeton",
)  # fmt: skip
"""In any word of a name."""
_WHOLE = frozenset({"auth", "pass", "passe", "pw", "pwd", "pin", "psk", "otp", "cookie", "cred", "creds", "cle", "clé"})
_WORD = re.compile(r"[^\W\d_]+")
_PLACE = re.compile(r"_(?:file|path)$")
"""Ends a name that says where a secret is."""
_COMMAND = re.compile(r"_?command$")
_FETCHES = re.compile(
    r"(?:cat|head -(?:n ?)?1|pass|gopass|gpg2?|age|secret-tool|keyring|security|op|bw|rbw|lpass|systemd-creds)"
    r" [\w./~@:%+ -]*"
)
"""A command that has no secret in it: a key store, or a program that reads a file, and plain words."""
_IN_TEXT = re.compile(
    r"(?P<url>://[^\s/:@\"']*:)(?P<password>[^\s\"']+)(?=@)"
    r"|(?P<name>\b[\w-]*(?:passw(?:or)?d|passphrase|secret|token|api[_-]?key)[\w-]*=)(?P<value>[^\s&\"';,]+)",
    re.IGNORECASE,
)
SHORTEST = 4
"""Letters of a word of a command that is looked for elsewhere."""


def is_secret(name: str) -> bool:
    """Return whether what stands under that name is one."""
    if _PLACE.search(name):
        return False
    words = [word.lower() for part in _WORD.findall(name) for word in re.sub(r"(?<=[a-z])(?=[A-Z])", " ", part).split()]
    return any(
        word in _WHOLE or word.endswith(("key", "keys")) or any(part in word for part in _ANYWHERE) for word in words
    )


def is_secret_value(name: str, value: object) -> bool:
    """Return whether a value at hand is a secret by its name: that of a command that only fetches one is none."""
    fetches = _COMMAND.search(name) and isinstance(value, str) and _FETCHES.fullmatch(value)
    return is_secret(name) and not fetches and value not in ("", None) and not isinstance(value, bool)


def iter_secrets(table: Mapping[str, Any]) -> Iterator[str]:
    """Yield every secret text of a table, of those in it, and of their lists."""
    for name, value in table.items():
        yield from _iter_secrets_in(name, value, False)


def _iter_secrets_in(name: str, value: Any, below: bool) -> Iterator[str]:
    """Yield every secret text of one value; ``below``: it stands in a table or list that is secret as a whole."""
    if isinstance(value, Mapping):
        below = below or is_secret(name)
        for key, one in value.items():
            yield from _iter_secrets_in(key, one, below)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _iter_secrets_in(name, one, below)
    elif below and value not in ("", None) and not isinstance(value, bool):
        yield str(value)
    elif is_secret_value(name, value):
        yield str(value)
        if _COMMAND.search(name):
            words = re.findall(r"[^\s\"'=]+", str(value))[1:]
            yield from (word for word in words if len(word) >= SHORTEST and word not in _ANYWHERE)
    elif isinstance(value, str):
        yield from (match["password"] or match["value"] for match in _IN_TEXT.finditer(value))


def mask_secrets(text: str, secrets: Iterable[str] = ()) -> str:
    """Return a text of ours with "…" in place of these secrets, and of those that show by themselves."""
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return _IN_TEXT.sub(lambda match: f"{match['url'] or match['name']}{HIDDEN}", text)


def remove_secrets(text: str) -> str:
    """Return a text without the secrets that show by themselves, to be used further: nothing stands in their place."""
    return _IN_TEXT.sub(lambda match: match["url"].removesuffix(":") if match["url"] else match["name"], text)


# ---- the settings file without them ----

_HEAD = re.compile(r"^\s*#?\s*\[+([^\]]+)\]")
_LINE = re.compile(
    r"^(\s*#?\s*)((?:[\w-]+|\"[^\"]*\"|'[^']*')(?:\s*\.\s*(?:[\w-]+|\"[^\"]*\"|'[^']*'))*)(\s*=\s*)(\S.*?)(\r?)$"
)
_EMPTY = {'"': '""', "'": '""', "[": "[]", "{": "{}"}


def clear_settings_text(text: str) -> str:
    """Return the text of the settings file with empty secrets, remarks included. The caller has to see whether it reads
    as ``clear_settings_values``: a text over several lines does not."""
    lines, below = [], False
    for line in text.split("\n"):
        if head := _HEAD.match(line):
            below = any(map(is_secret, head[1].split(".")))
        elif (set_ := _LINE.match(line)) and _is_secret_line(set_[2], set_[4], below):
            line = f"{set_[1]}{set_[2]}{set_[3]}{_EMPTY.get(set_[4][0], '0')}{set_[5]}"
        lines.append(remove_secrets(line))
    return "\n".join(lines)


def _is_secret_line(name: str, value: str, below: bool) -> bool:
    if value.startswith(("true", "false")):
        return False
    *above, last = re.split(r"\s*\.\s*", name)
    return (
        below
        or any(map(is_secret, above))
        or is_secret_value(last.strip("\"'"), re.sub(r"^[\"'](.*?)[\"'].*", r"\1", value))
    )


def clear_settings_values(values: Mapping[str, Any], below: bool = False) -> dict[str, Any]:
    """Return the values of the settings without their secrets."""
    return {name: _clear_value(name, value, below) for name, value in values.items()}


def _clear_value(name: str, value: Any, below: bool) -> Any:
    if isinstance(value, Mapping):
        return clear_settings_values(value, below or is_secret(name))
    if isinstance(value, bool):
        return value
    if below or (is_secret(name) if isinstance(value, list) else is_secret_value(name, value)):
        return "" if isinstance(value, str) else [] if isinstance(value, list) else 0
    if isinstance(value, list):
        return [_clear_value(name, one, False) for one in value]
    return remove_secrets(value) if isinstance(value, str) else value
