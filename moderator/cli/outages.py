"""Servers that are away, from run to run: told once when it lasts, then once a day, and once when it is over.

Remembered in a small file beside the database: where that is what cannot be reached, there is no other place.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    from moderator.config import Config

_ADDRESS = re.compile(r"(?<!\S)[^\s:]*[A-Za-z.\]][^\s:]*:\d{1,5}(?!\d)")
PATIENCE = timedelta(minutes=30)
AGAIN = timedelta(days=1)


@dataclass
class Outage:
    """Of one server."""

    began: datetime
    told: datetime | None = None


def told(config: Config, away: Sequence[str], reached: Collection[str], now: datetime) -> tuple[bool, list[str]]:
    """(whether an outage has lasted so long that it counts, lines to print). ``away``: what is wrong at this run, a
    line for each server; ``reached``: see ``Summary``. A server that was not asked is neither away nor back."""
    file, moment = _file(config), _clock(config)
    try:
        before = _read(file)
    except OSError:
        before = {}
    known = {server: before.get(server) or before.get("") or Outage(now) for server in map(_server, away)}
    lines = []
    for server, one in before.items():
        if server not in known and not _over(server, reached):
            known[server] = one
        elif server not in known and one.told is not None:
            lines.append(f"Over: {_named(server)}; it was so from {moment(one.began)} to {moment(now)}.")
    lasting = False
    for line in dict.fromkeys(away):
        outage = known[_server(line)]
        if now - outage.began >= PATIENCE:
            lasting = True
            if outage.told is None or not timedelta() <= now - outage.told < AGAIN:
                lines.append(f"{line} So since {moment(outage.began)}; told once a day while it lasts.")
                known[_server(line)] = Outage(outage.began, now)
    try:
        if known != before:
            _write(file, known)
    except OSError:  # a full disk, say: what cannot be remembered is better said
        return bool(away), [*lines, *(line for line in away if not any(one.startswith(line) for one in lines))]
    return lasting, lines


def _server(line: str) -> str:
    """What a line is about: ``host:port`` where it names one. Its words change from run to run."""
    found = _ADDRESS.search(line)
    return found[0] if found else line.partition(": ")[0].removesuffix(".")


def _over(server: str, reached: Collection[str]) -> bool:
    return (server if _ADDRESS.fullmatch(server) else "") in reached


def _named(server: str) -> str:
    return f"{server} answers again" if _ADDRESS.fullmatch(server) else server


def _clock(config: Config) -> Any:
    zone = ZoneInfo(config.club.zone)
    return lambda moment: f"{moment.astimezone(zone):%Y-%m-%d %H:%M}"


def _file(config: Config) -> Path:
    path = config.path(config.store.path)
    return path.with_name(path.name + ".away")


def _read(file: Path) -> dict[str, Outage]:
    """By server. An empty file, as former versions wrote it, tells by its age when an outage began. Raises OSError."""
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    if not text:
        return {"": Outage(datetime.fromtimestamp(file.stat().st_mtime, UTC))}
    with suppress(ValueError, TypeError, AttributeError):
        return {name: Outage(*map(_moment, times)) for name, times in json.loads(text).items()}
    return {}


def _moment(text: str | None) -> Any:
    return datetime.fromisoformat(text) if text else None


def _write(file: Path, known: dict[str, Outage]) -> None:
    """Raises OSError; then the file is as it was."""
    if not known:
        file.unlink(missing_ok=True)
        return
    values = {name: [one.began.isoformat(), one.told and one.told.isoformat()] for name, one in known.items()}
    part = file.with_name(file.name + ".part")
    part.write_text(json.dumps(values), encoding="utf-8")
    os.replace(part, file)
