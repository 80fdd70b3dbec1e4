"""Match codes, seat tokens and the addresses and subjects that carry them.

A seat's mails invite answers to ``games+K7Q2-8J3MZP4QXA@…`` with the subject ``… [K7Q2-8J3MZP4QXA]``. Whoever
has that token may move for that seat, so no mail carries another seat's. The same form serves mails that ask
something: ``OK-…`` (was it you?) and ``WORD-…`` (does this word count?), and ``BOSS-…`` the moderator's own commands.
"""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Iterable

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
INNER = "BCEFGJKLMNPQRTUXYZ"
"""Third character of a code: none that names a direction, so that E5wAH stays a move."""
DIGITS = "23456789"
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
TOKEN_LENGTH = 10
"""50 bits."""
MOST = 8
"""Different tokens of one mail that are looked at: a mail of ours carries one."""
CONFIRM = "OK"
WORD = "WORD"
PROTEST = "PROT"
BOSS = "BOSS"
STOP = "STOP"
"""No more invitations, nor what else nobody waits for, see service/players/wanted_mails.py."""
DAILY = "DAY"
"""No more daily mails. (No more reports of a match that one watches: its code, with the same token.)"""
PUZZLE = "PUZZ"
"""An answer to the puzzle of the week; with it the token of the two above."""
NO_PUZZLE = "NOPUZ"
"""No more puzzles."""
ADDRESS = "ADDR"
"""Is this your new address, or shall the old one be given up?"""
PLAYER = "ME"
"""An answer to a mail that is about no match: with the same token as the addresses to unsubscribe."""
RETURN = "BACK"
"""The address that a mail leaves under. Who writes there proves that the mail was sent to them, and nothing else."""

CODE = re.compile(rf"[A-HJ-NP-Z][2-9][{INNER}][A-HJ-NP-Z2-9]{{1,2}}", re.IGNORECASE)
"""A match code: letter, digit, letter, then one or two more; never a board coordinate."""
CODE_WORD = re.compile(rf"(?<![^\W_])(?<![+@/])({CODE.pattern})(?:-[0-9A-Z]*)?(?![^\W_])(?!@)", re.IGNORECASE)
"""A code as a word of its own, maybe with its token; not in an address."""

_CARRIED = re.compile(
    rf"(?<![0-9A-Z])(OK|ME|PROT|WORD|BOSS|ADDR|STOP|DAY|PUZZ|NOPUZ|{CODE.pattern})-([0-9A-Z]{{10}})(?![0-9A-Z])"
)
_RETURNED = re.compile(rf"(?<![0-9A-Z]){RETURN}-([0-9A-Z]{{10}})(?![0-9A-Z])")
_IN_TEXT = re.compile(r"\b([A-Z0-9]{2,5})-[0-9A-Z]{10}\b", re.IGNORECASE)
"""As they are made, and as they come back with O for 0."""
_READ_ALIKE = str.maketrans("OIL", "011")


def generate_match_code(long: bool = False) -> str:
    """Generate a random match code of four characters, or five."""
    tail = "".join(secrets.choice(LETTERS + DIGITS) for _ in range(2 if long else 1))
    return secrets.choice(LETTERS) + secrets.choice(DIGITS) + secrets.choice(INNER) + tail


def generate_token() -> str:
    """Generate a fresh secret in Crockford's alphabet (no I, L, O, U)."""
    return "".join(secrets.choice(CROCKFORD) for _ in range(TOKEN_LENGTH))


def tokens_equal(given: str, expected: str) -> bool:
    """Compare secrets in constant time; O reads as 0, I and L as 1."""
    return hmac.compare_digest(given.upper().translate(_READ_ALIKE).encode(), expected.encode())


def find_tokens(texts: Iterable[str]) -> list[tuple[str, str]]:
    """Find the first (code, token) pairs in addresses and subjects, in the order found, without repeats."""
    found: dict[tuple[str, str], None] = {}
    for text in texts:
        for match in _CARRIED.finditer(text.upper()[:2000]):
            found[match.group(1), match.group(2).translate(_READ_ALIKE)] = None
    return list(found)[:MOST]


def find_return_tokens(recipients: Iterable[str]) -> list[str]:
    """Find the first tokens of return paths in addresses, without repeats."""
    found = (match.group(1) for text in recipients for match in _RETURNED.finditer(text.upper()[:2000]))
    return list(dict.fromkeys(token.translate(_READ_ALIKE) for token in found))[:MOST]


def mask_tokens(text: str) -> str:
    """Put an ellipsis in place of each token that stands in the text behind its code."""
    return _IN_TEXT.sub(r"\1-…", text)


def find_bracketed_code(text: str) -> str:
    """Find a match code in square brackets, as in our subjects, with or without a token; "" if there is none. Of
    several the last, as ours stand at the end; before them may stand a name in brackets."""
    found = re.findall(rf"\[({CODE.pattern})(?:-[0-9A-Z]*)?\]", text[:2000], re.IGNORECASE)
    return found[-1].upper() if found else ""


def find_code_words(text: str) -> list[str]:
    """Find all that may be match codes in a text, as words of their own."""
    return [hit[1].upper() for hit in CODE_WORD.finditer(text[:2000])]


def build_token_address(mailbox: str, separator: str, code: str, token: str) -> str:
    """Build the reply address that carries the token, or the plain one where sub-addresses do not work."""
    if not separator:
        return mailbox
    local, _, domain = mailbox.partition("@")
    return f"{local}{separator}{code}-{token}@{domain}"


def build_return_path(mailbox: str, separator: str, token: str) -> str:
    """Build the envelope sender of a mail with this token; the plain address for "" or where sub-addresses do not
    work."""
    return build_token_address(mailbox, separator, RETURN, token) if token else mailbox
