"""What only one kind of mail says: a small dataclass for each kind that has something of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from moderator.states import MailKind, WordRuling


@dataclass(frozen=True)
class Doubted:
    """CONFIRM: a mail that claims to be from the reader."""

    lines: tuple[str, ...]
    """How it begins."""
    more: int = 0
    """So many further lines."""


@dataclass(frozen=True)
class WordAsked:
    """RULING: a word that no dictionary of the match settles."""

    word: str
    match: str
    """Code of the match that waits."""
    match_name: str
    lexicon: str
    """What was consulted; "" = nothing."""


@dataclass(frozen=True)
class WordRuled:
    """RULED: what the moderator's answer was read as."""

    word: str
    ruling: WordRuling
    reason: str


@dataclass(frozen=True)
class NewAddress:
    """ADDRESS: ``asks`` whether it is right, or says that it is done."""

    asks: bool


@dataclass(frozen=True)
class Spoken:
    """OFFICIAL: about which match the moderator speaks; "" = about none."""

    match: str = ""
    """Its code."""
    match_name: str = ""


@dataclass(frozen=True)
class Objection:
    """PROTEST: whether it is ``ruled`` on already."""

    ruled: bool


Content = Doubted | WordAsked | WordRuled | NewAddress | Spoken | Objection

CONTENT: Mapping[MailKind, type[Content]] = {
    MailKind.CONFIRM: Doubted,
    MailKind.RULING: WordAsked,
    MailKind.RULED: WordRuled,
    MailKind.ADDRESS: NewAddress,
    MailKind.OFFICIAL: Spoken,
    MailKind.PROTEST: Objection,
}
"""Kinds that say something of their own, and what. All others say what a Page has for every kind."""
