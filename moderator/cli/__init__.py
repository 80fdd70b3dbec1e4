"""The command line: `moderator …`. Each command's module is imported only when it is asked for."""

from __future__ import annotations

from moderator.cli.run import cli, main

__all__ = ["cli", "main"]
