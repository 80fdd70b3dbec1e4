"""The command line: `moderator …`. Each command's module is imported only when it is asked for."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from moderator.common import disk

if TYPE_CHECKING:
    from moderator.cli.group import cli

__all__ = ["cli", "main"]


def __getattr__(name: str) -> Any:
    if name != "cli":
        raise AttributeError(name)
    from moderator.cli.group import cli

    return cli


def main() -> None:
    """Run the program: its entry point. A machine that cannot load the program is told of in one line, as everything
    else is there."""
    try:
        from moderator.cli.group import run_command_line
    except Exception as error:
        fault = disk.find_operator_fault(error)
        if fault is None:
            raise
        print(f"moderator: {fault}", file=sys.stderr)
        sys.exit(fault.exit_code)
    run_command_line()
