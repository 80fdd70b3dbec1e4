"""Every mail that the clubs of the tests write, as text: the witness when something inside is built anew.

    MODERATOR_MAILS=/tmp/before make test
    MODERATOR_MAILS=/tmp/after make test          # after the change
    diff -r /tmp/before /tmp/after

What tests draw is the same in each run, so two runs of one commit write the same files: one for each test, and one for
each fixture that several share.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from moderator.delivery import compose
from tests import machine

FOLDER = os.environ.get("MODERATOR_MAILS", "")
_begun: set[Path] = set()


def begin() -> None:
    """Note each mail down as it is composed, where the environment names a folder."""
    if not FOLDER:
        return
    Path(FOLDER).mkdir(parents=True, exist_ok=True)
    compose_mail = compose.compose_mail  # type: ignore[attr-defined]

    def compose_and_note(rendered: Any, **headers: Any) -> bytes:
        path = Path(FOLDER) / (re.sub(r"[^\w.-]+", "_", machine.get_name())[:200] + ".txt")
        text = f"To: {headers['recipient']}\nSubject: {rendered.subject}\n\n{rendered.text}\n{'=' * 70}\n"
        with suppress(OSError), path.open("a" if path in _begun else "w", encoding="utf-8") as file:
            file.write(text)  # but in a test in which no file may grow
        _begun.add(path)
        return compose_mail(rendered, **headers)

    compose.compose_mail = compose_and_note  # type: ignore[attr-defined]
