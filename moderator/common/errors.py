"""Every error this project raises on purpose.

    ModeratorError
    ├── PlayerError            becomes a friendly mail in the player's language; codes, never sentences
    │   ├── Unreadable         the line is no move (it quotes the line)
    │   ├── Ambiguous          the line could mean several moves
    │   ├── Illegal            the rules forbid the move
    │   ├── Misused            a command cannot be carried out as written
    │   │   └── Impossible     … nor in any other way
    │   └── Undecided          the move hangs on words that the moderator must rule on first
    ├── OperatorError          one line on stderr with the fix; exit code 78 (configuration), 2 (mistyped) or 1
    │   ├── MistypedError
    │   ├── ConfigError
    │   ├── LexiconError
    │   ├── RecordError
    │   └── StoreError
    │       └── DamageError    perhaps only for this moment: `moderator doctor --deep` has to look first
    ├── TransientError         a server is away; silent until it lasts, then exit code 75
    └── ReplayMismatch         a match's log gives another outcome than the recorded one; suspends that match

Anything else that escapes is our own bug: the mail at hand is quarantined with its traceback and the run exits 70.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any


class ExitCode(IntEnum):
    """The exit codes of the command line for the shell, for cron and for a mail server: all that there are, and nowhere
    else. ``moderator --help`` prints them."""

    def __new__(cls, number: int, meaning: str) -> ExitCode:
        member = int.__new__(cls, number)
        member._value_ = number
        member.meaning = meaning
        return member

    meaning: str
    FINE = 0, "done; also where there was nothing to do"
    OPERATOR = 1, "something to mend, told in one line; or a check that found something"
    USAGE = (
        2,
        "the command is not written as it should be, or names what is not there; `compose`, `replay --strict`: an "
        "order that cannot be played",
    )
    BUG = 70, "a fault in moderator itself, with its traceback; `tick`: a mail was quarantined for one"
    AWAY = 75, "a server is away; trying again later may help (`receive`: any fault, so that the mail comes again)"
    CONFIG = 78, "the settings, or a dictionary they name, are not as they should be"


class ModeratorError(Exception):
    """Root of the tree."""


class PlayerError(ModeratorError):
    """Something a player can put right. ``code`` names a sentence in messages.<language>.toml, ``params`` fill it."""

    def __init__(self, code: str, **params: Any) -> None:
        super().__init__(code, params)
        self.code = code
        self.params: dict[str, Any] = params


class Unreadable(PlayerError):
    """The line is not a move. ``params["line"]`` quotes it."""


class Ambiguous(PlayerError):
    """The line has more than one reading. ``params["line"]`` quotes it, ``params["readings"]`` lists them."""


class Illegal(PlayerError):
    """The rules forbid the move, with the reason as ``code``."""


class NeverLegal(Illegal):
    """The rules forbid the move whatever comes to lie on the board before its turn."""


class Undecided(PlayerError):
    """The move is legal but for ``words`` that wait for the moderator's ruling."""

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__("words-undecided", words=list(words))
        self.words = tuple(words)


class Misused(PlayerError):
    """A command that cannot be carried out as written. ``code`` is the sentence that says why; the answer adds the
    command's own example."""


class Impossible(Misused):
    """A command that is well written, so that it was understood, and cannot be carried out all the same; an example
    would not help."""


class OperatorError(ModeratorError):
    """Something the operator must fix. ``hint`` says how, in one sentence."""

    exit_code = ExitCode.OPERATOR

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class MistypedError(OperatorError):
    """Something typed that names nothing, or cannot be meant so. ``hint`` says what may be meant, or what lists it."""

    exit_code = ExitCode.USAGE


class ConfigError(OperatorError):
    """The configuration file is missing, unreadable or wrong."""

    exit_code = ExitCode.CONFIG


class LexiconError(OperatorError):
    """A dictionary is missing, damaged or cannot be built."""

    exit_code = ExitCode.CONFIG


class RecordError(OperatorError):
    """A record file cannot be read."""


class StoreError(OperatorError):
    """The database is missing, of another version, full or locked."""


class DamageError(StoreError):
    """The database, or what was read of it just now, is not as it was written. A disk that fails for a moment looks the
    same, so a backup is restored only after a deep look."""

    def __init__(self, message: str, hint: str = "") -> None:
        look = "Run `moderator doctor --deep`; only if that finds damage, restore the newest backup."
        super().__init__(message, f"{hint} {look}".strip())


class TransientError(ModeratorError):
    """A server did not answer as it should; trying again later may help."""

    exit_code = ExitCode.AWAY


class ClashError(TransientError):
    """Another worker was in the way; the same again may well succeed at once."""


class ReplayMismatch(ModeratorError):
    """Replaying a log gave another outcome than the recorded one."""

    def __init__(self, entry: int, recorded: Any, replayed: Any) -> None:
        super().__init__(f"entry {entry}: recorded {recorded!r}, replayed {replayed!r}")
        self.entry = entry


def format_error_place(error: BaseException) -> str:
    """Return the kind and the place of an error, ``ValueError at handle.py:120``, without its text, which may quote the
    mail, or the tiles, that the code fell over."""
    import os
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    at = f" at {os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{at}"
