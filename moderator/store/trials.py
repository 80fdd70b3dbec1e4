"""What this club's mails to itself are known by, and what the last of them have shown (mail/trial/)."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from moderator.mail.trial.letter import new_secret
from moderator.store import probe

_SECRET = "trial-secret"
_TRIED = "trial-tried"


@dataclass(frozen=True)
class Tried:
    """The ways of sub-addressing that were tried with this address, and those that led into the inbox."""

    address: str
    day: str
    """ISO 8601."""
    ways: tuple[str, ...]
    good: tuple[str, ...]


def secret(place: probe.Place) -> str:
    """ "" where no mail was ever sent. Raises StoreError."""
    return probe.noted(place, _SECRET)


def made_secret(place: probe.Place) -> str:
    """The secret, made at the first call. Raises StoreError."""
    if not secret(place):
        probe.note(place, _SECRET, new_secret())
    return secret(place)


def note(place: probe.Place, tried: Tried) -> None:
    probe.note(place, _TRIED, json.dumps(asdict(tried)))


def last(place: probe.Place) -> Tried | None:
    """None where nothing was ever tried, or nothing that can be read."""
    try:
        values = json.loads(probe.noted(place, _TRIED))
        return Tried(values["address"], values["day"], tuple(values["ways"]), tuple(values["good"]))
    except (ValueError, KeyError, TypeError):
        return None
