"""Mails read: bytes to sender, delivery report and new text, as a tick does it before it looks at the database.

`python -m bench.corpus` prints mails per second on one core, and the ratio to the standard library's bare parser in the
same run. The mails are those of other programs' tests, where they lie beside the repository (see MODERATOR_SHARED),
else ours as players would quote them. Target: 1,500 mails per second.
"""

from __future__ import annotations

import email
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.target import at_least
from moderator.mail.parse import parse_mail_bytes

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("MODERATOR_SHARED", ROOT.parent / "shared")) / "corpora"
ROUNDS = 7
HEAD = "From: Anna <anna@home.example>\nTo: games@club.example\nContent-Type: text/plain; charset=utf-8\n"


def mails() -> list[bytes]:
    """The corpora's, or answers to our own golden mails."""
    found = [file.read_bytes() for file in sorted(SHARED.glob("*/*.eml"))]
    return found or [_answer(file) for file in sorted((ROOT / "tests" / "golden").glob("*/*.txt"))]


def _answer(file: Path) -> bytes:
    quoted = "\n".join(f"> {line}" for line in file.read_text(encoding="utf-8").splitlines())
    return f"{HEAD}\nE5 w HAUS\nsonst C3 s MOND\n\nAm 20.11.2026 um 10:15 schrieb Testrunde:\n{quoted}\n".encode()


def bare(given: Sequence[bytes]) -> None:
    """What any reader of mails must do at least."""
    for data in given:
        for _ in email.message_from_bytes(data).walk():
            pass


def ours(given: Sequence[bytes]) -> None:
    for data in given:
        parse_mail_bytes(data)


def seconds(action: Callable[[Sequence[bytes]], None], given: Sequence[bytes]) -> float:
    """Processor time of one round."""
    start = time.process_time()
    action(given)
    return time.process_time() - start


def run() -> dict[str, float]:
    """Measure, print and return mails per second: the best of some rounds, which take turns."""
    given = mails()
    ours(given)
    best = {"bare": float("inf"), "ours": float("inf")}
    for _ in range(ROUNDS):
        best["bare"] = min(best["bare"], seconds(bare, given))
        best["ours"] = min(best["ours"], seconds(ours, given))
    figures = {label: len(given) / spent for label, spent in best.items()}
    size = sum(map(len, given)) / len(given)
    print(f"corpus: {len(given)} mails of {size:.0f} bytes on average")
    print(f"  bare  {figures['bare']:8.0f} mails/s")
    print(f"  ours  {figures['ours']:8.0f} mails/s   {best['ours'] / best['bare']:.2f} x bare")
    at_least("mails a second", figures["ours"], 1500)
    return figures


if __name__ == "__main__":
    run()
