"""How far a run over many waiting mails has come: one line on a terminal, written anew; nothing elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click._termui_impl import ProgressBar

MANY = 50
"""Fewer mails are handled before anybody has read a line."""


@contextmanager
def progress() -> Iterator[Callable[[int, int], None] | None]:
    """What ``Summary.show`` wants; None where standard error is no terminal, as in cron."""
    if not sys.stderr.isatty():
        yield None
        return
    line = _Line()
    try:
        yield line.show
    finally:
        line.end()


class _Line:
    def __init__(self) -> None:
        self._bar: ProgressBar[int] | None = None
        self._began = time.monotonic()

    def show(self, handled: int, waiting: int) -> None:
        """``handled`` of ``waiting`` mails, how many in a second, and how long it will still take."""
        if waiting <= MANY:
            return
        if self._bar is None:
            self._bar = click.progressbar(
                length=waiting,
                label="Mails",
                bar_template="%(label)s %(info)s",
                show_pos=True,
                item_show_func=self._pace,
                file=sys.stderr,
                update_min_steps=max(1, waiting // 1000),
            )
            self._bar.render_progress()
        self._bar.update(1, handled)

    def _pace(self, handled: int | None) -> str:
        return f"{(handled or 0) / (time.monotonic() - self._began):.0f}/s"

    def end(self) -> None:
        """The line stays as it is; what comes next begins below it."""
        if self._bar is not None:
            self._bar.render_finish()
