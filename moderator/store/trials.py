"""What this club's mails to itself are known by, and what the last of them have shown (mail/trial/)."""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict, dataclass

from moderator.store import due_work

_SECRET = "trial-secret"
_TRIED = "trial-tried"


@dataclass(frozen=True)
class TrialResult:
    """The separators of sub-addresses that were tried with this address, and those that led into the inbox."""

    address: str
    day: str
    """ISO 8601."""
    ways: tuple[str, ...]
    good: tuple[str, ...]


def find_trial_secret(place: due_work.Place) -> str:
    """Find the secret; "" where no mail was ever sent. Raises StoreError."""
    return due_work.load_value_at(place, _SECRET)


def get_or_create_trial_secret(place: due_work.Place) -> str:
    """Return the secret, created at the first call. Raises StoreError."""
    if not find_trial_secret(place):
        due_work.save_value_at(place, _SECRET, secrets.token_hex(16))
    return find_trial_secret(place)


def record_trial(place: due_work.Place, tried: TrialResult) -> None:
    due_work.save_value_at(place, _TRIED, json.dumps(asdict(tried)))


def find_last_trial(place: due_work.Place) -> TrialResult | None:
    """Find the last result; None where nothing was ever tried, or nothing that can be read."""
    try:
        values = json.loads(due_work.load_value_at(place, _TRIED))
        return TrialResult(values["address"], values["day"], tuple(values["ways"]), tuple(values["good"]))
    except (ValueError, KeyError, TypeError):
        return None
