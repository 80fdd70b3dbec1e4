"""Single settings of moderator.toml changed in place: remarks, order and all other lines stay as they are.

A line is looked for that sets the key, or that shows its default as a remark. What comes out is read again, and is only
taken if it says what the file said before, but for the settings that were to change."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from moderator.common import disk
from moderator.common.errors import ConfigError


@dataclass(frozen=True)
class Setting:
    section: str
    key: str
    value: str | int

    def __str__(self) -> str:
        return f"[{self.section}] {self.toml_line}"

    @property
    def toml_line(self) -> str:
        # JSON's way to write texts without control characters, and whole numbers, is TOML's, too.
        return f"{self.key} = {json.dumps(self.value, ensure_ascii=False)}"


_VALUE = r"(?:\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|[-+.\w]+)"


def replace_setting_line(text: str, setting: Setting, key: str = "") -> str:
    """Replace one line of the text: the first of the section that sets ``key``, or else that shows its default as a
    remark.

    ``key``: another than the setting's own where one stands in place of the other. Raises LookupError where there is no
    such line."""
    begin, end = _locate_section(text, setting.section)
    body = text[begin:end]
    for mark in ("", "# ?"):
        pattern = (
            rf"^[ \t]*{mark}{re.escape(key or setting.key)}[ \t]*=[ \t]*{_VALUE}[ \t]*(?P<remark>#[^\r\n]*)?(?=\r?$)"
        )
        if found := re.search(pattern, body, re.MULTILINE):
            remark = found["remark"] or ""
            column = found.start("remark") - found.start() - 1 if remark else 0  # where it stays if there is room
            line = f"{setting.toml_line.ljust(column)} {remark}".rstrip()
            return text[: begin + found.start()] + line + text[begin + found.end() :]
    raise LookupError(f"[{setting.section}] {key or setting.key} is not there")


def _locate_section(text: str, name: str) -> tuple[int, int]:
    """Locate where the section's lines begin and end. Raises LookupError where there is no such section."""
    head = re.search(
        rf"^[ \t]*\[[ \t]*{re.escape(name)}[ \t]*\][ \t]*(?:#[^\n]*)?$\n?", text.replace("\r", " "), re.MULTILINE
    )
    if head is None:
        raise LookupError(name)
    following = re.compile(r"^[ \t]*\[", re.MULTILINE).search(text, head.end())
    return head.end(), following.start() if following else len(text)


def change_settings(text: str, settings: Sequence[Setting]) -> str:
    """Change all these settings in the text. Raises ValueError where the lines cannot be found for sure."""
    values = tomllib.loads(text)
    for setting in settings:
        values.setdefault(setting.section, {})[setting.key] = setting.value
        try:
            text = replace_setting_line(text, setting)
        except LookupError:
            text = _insert_setting_line(text, setting)
    if tomllib.loads(text) != values:
        raise ValueError("the lines are written in a way of their own")
    return text


def _insert_setting_line(text: str, setting: Setting) -> str:
    """Insert a line right below the section's head; a section that is not there is appended."""
    newline = "\r\n" if "\r\n" in text else "\n"
    try:
        begin, _ = _locate_section(text, setting.section)
    except LookupError:
        return f"{text.rstrip()}{newline}{newline}[{setting.section}]{newline}{setting.toml_line}{newline}"
    end = "" if text[:begin].endswith("\n") else newline
    return f"{text[:begin]}{end}{setting.toml_line}{newline}{text[begin:]}"


def change_settings_file(file: Path, settings: Sequence[Setting]) -> None:
    """Change the settings in the file, which at any moment is there whole, with its owner and permissions. Raises
    ConfigError; then it is as it was."""
    by_hand = "Write there by hand: " + "; ".join(map(str, settings))
    file = file.resolve()  # the file itself, where its name is a link
    try:
        before = file.read_bytes()
        text = change_settings(before.decode("utf-8"), settings)
    except OSError as error:
        raise ConfigError(*disk.describe_os_error(error, "read", file, by_hand)) from error
    except ValueError as error:  # also of TOML and of UTF-8
        raise ConfigError(f"{file} was left as it is: {error}.", by_hand) from error
    try:
        disk.replace_file(file, text.encode("utf-8"))
    except OSError as error:
        raise ConfigError(*disk.describe_os_error(error, "write", file, by_hand)) from error
