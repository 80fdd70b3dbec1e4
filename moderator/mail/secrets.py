"""Passwords and tokens: written in the configuration, or printed by a command of the operator's choice.

A secret is handed to the login and kept nowhere; it is in no error, no log and no ``repr``.
"""

from __future__ import annotations

import base64
import subprocess
from typing import Protocol

from moderator.errors import ConfigError, ModeratorError, OperatorError

COMMAND_SECONDS = 30
HIDDEN = "…"
SHORTEST = 4
"""A shorter secret is not looked for: its letters stand in every sentence."""


class Account(Protocol):
    """The part of [imap] or [smtp] that says who logs in."""

    @property
    def user(self) -> str: ...
    @property
    def password(self) -> str: ...
    @property
    def password_command(self) -> str: ...
    @property
    def token_command(self) -> str: ...


def password(section: str, account: Account) -> str:
    """The password of ``account``; ``section`` ("imap", "smtp") names it in errors. Raises ConfigError."""
    if account.password and account.password_command:
        raise ConfigError(f"[{section}] has both password and password_command.", "Keep one of them.")
    if account.password:
        return account.password
    if account.password_command:
        return first_line(f"[{section}] password_command", account.password_command)
    raise ConfigError(
        f"[{section}] has a user but no password.", "Add password_command (or password, or token_command)."
    )


def token(section: str, account: Account) -> str:
    """A fresh OAuth2 access token of ``account``. Raises ConfigError."""
    if not account.user:
        raise ConfigError(f"[{section}] token_command needs a user.", "Add user = the address that the token is for.")
    return first_line(f"[{section}] token_command", account.token_command)


def first_line(where: str, command: str, seconds: float = COMMAND_SECONDS) -> str:
    """First line that the shell prints for ``command``, without its line end. Raises ConfigError.

    What the command writes to stderr is not repeated: it could hold the secret.
    """
    again = "Run the command by hand to see why."
    try:
        done = subprocess.run(
            command, shell=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        # "from None": the exception's own text holds what the command printed so far.
        raise ConfigError(f"{where} gave no answer in {seconds:g} seconds.", again) from None
    except (OSError, ValueError):
        raise ConfigError(f"{where} cannot be run.", again) from None
    if done.returncode != 0:
        raise ConfigError(f"{where} failed with exit code {done.returncode}.", again)
    try:
        line = done.stdout.decode().split("\n", 1)[0].rstrip("\r")
    except UnicodeDecodeError:
        raise ConfigError(f"{where} printed something that is no UTF-8 text.", again) from None
    if not line:
        raise ConfigError(f"{where} printed an empty first line.", again)
    return line


def masked(error: ModeratorError, user: str, secret: str) -> ModeratorError:
    """The same error without the secret: some servers repeat what they were sent when they refuse it."""
    if len(secret) < SHORTEST:
        return error
    sent = (f"\0{user}\0{secret}", f"{user}\0{user}\0{secret}", f"user={user}\1auth=Bearer {secret}\1\1", secret)
    forms = (*(base64.b64encode(text.encode()).decode() for text in sent), secret)
    error.args = tuple(_without(arg, forms) for arg in error.args)
    if isinstance(error, OperatorError):
        error.message = _without(error.message, forms)
    return error


def _without(text: str, forms: tuple[str, ...]) -> str:
    for form in forms:
        text = text.replace(form, HIDDEN)
    return text
