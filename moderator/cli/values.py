"""Values as they are typed: options of a game, settings of a tournament, dates."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import click

from moderator.errors import OperatorError

if TYPE_CHECKING:
    from moderator.config import Config


def read_option(text: str) -> tuple[str, Any]:
    """``rack_size=8`` as (name, value); values are read as TOML, anything else is a text."""
    import tomllib

    name, equals, value = text.partition("=")
    if not equals:
        raise click.BadParameter(f"{text!r}: write it as name=value, e.g. pace=rounds")
    try:
        return name.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name.strip(), value.strip()


def read_setting(text: str) -> tuple[str, Any]:
    """``rounds=5`` as (name, value), see club/tournaments/settings.py."""
    name, value = read_option(text)
    if name == "late_points":  # 0 and 1/2 are both texts there
        value = str(value)
    if name == "tiebreaks" and isinstance(value, str):
        value = [code.strip() for code in value.split(",") if code.strip()]
    return name, value


# ---- dates as an operator types them, and moments as the command line prints them: on the club's clock ----


_FORMS = (r"(?P<y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})", r"(?P<d>\d{1,2})\.\s?(?P<m>\d{1,2})\.\s?(?P<y>\d{4})")


def read_day(text: str) -> date:
    """``2026-12-24`` or ``24.12.2026``. Raises OperatorError."""
    for form in _FORMS:
        found = re.fullmatch(form, text.strip())
        if found:
            try:
                return date(int(found["y"]), int(found["m"]), int(found["d"]))
            except ValueError:
                break
    raise OperatorError(f"{text!r} is no date.", "Write it as 2026-12-24 or 24.12.2026.")


def end_of(text: str, config: Config, now: datetime | None = None) -> datetime:
    """The hour of the ZAT on that day, in the club's zone. Raises OperatorError for a moment before ``now``."""
    from moderator.match.time.calendar import local

    moment = local(read_day(text), config.deadlines.hour, ZoneInfo(config.club.zone))
    if now is not None and moment <= now:
        raise OperatorError(f"{shown(moment, config)} is over.", "Name a later day.")
    return moment


def start_of(text: str, config: Config) -> datetime:
    """The beginning of that day in the club's zone. Raises OperatorError."""
    from moderator.match.time.calendar import local

    return local(read_day(text), 0, ZoneInfo(config.club.zone))


def shown(moment: datetime | None, config: Config) -> str:
    """``2026-12-24 20:00`` in the club's zone; "" for none."""
    return "" if moment is None else f"{moment.astimezone(ZoneInfo(config.club.zone)):%Y-%m-%d %H:%M}"
