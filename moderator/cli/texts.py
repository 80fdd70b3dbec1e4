"""What the command line says, in the language of whoever sits at the terminal: texts with a code from message files;
all else is English where it is said, and ``sentences.<language>.json`` has what that is in another language, by the
English sentence, with a ``{name}`` where a value stands."""

from __future__ import annotations

import copy
import gettext
import json
import os
import re
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeVar

import click

from moderator.common.disk import FALLBACK, LANGUAGES, choose_settings_file
from moderator.common.errors import OperatorError, TransientError
from moderator.common.message_files import load_message_files

HERE = Path(__file__).parent
WHERE_NONE_IS_SET = "de"
Command = TypeVar("Command", bound=click.Command)
SPOKEN = ContextVar("SPOKEN", default=FALLBACK)
"""The language of the command that runs."""
HOLE = re.compile(r"\{(\w+)(?:![rs])?\}")
_VALUE, _VALUES = r"(?:(?!\. [A-Z`]).)+?", {"number": r"\d+"}
"""What stands in a hole: within one sentence."""
_CLUB_LANGUAGE = re.compile(r"""^\s*language\s*=\s*["'](\w\w)["']""", re.MULTILINE)
_PART_END = re.compile(r"(?<=\S[.!?:;,…)]) |  +| (?=\()")
"""Where a part of a line may end that is said by itself."""


def choose_language(file: Path | None) -> str:
    """Choose the language of what people read: that of the terminal, where it names one that we speak, or else that of
    the club with these settings."""
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            if value[:2] in LANGUAGES:
                return value[:2]
            break
    try:
        text = choose_settings_file(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):  # no club is there, or what runs says what is wrong with it
        return FALLBACK
    found = _CLUB_LANGUAGE.search(text)
    return found[1] if found and found[1] in LANGUAGES else WHERE_NONE_IS_SET


def render_text(code: str, **values: object) -> str:
    """Return the text of a code."""
    texts = _load_texts(SPOKEN.get())
    return texts.get(code, _load_texts(FALLBACK).get(code, code)).format(**values)


@cache
def _load_texts(language: str) -> Mapping[str, str]:
    return {key: str(text) for table in load_message_files(HERE, language).values() for key, text in table.items()}


def say_lines(text: str, err: bool = False) -> None:
    """Print lines of ours."""
    click.echo(translate_text(text), err=err)


def translate_text(text: str) -> str:
    """Return lines that are English in the code in the language that is spoken; what it does not know stays."""
    if not load_translations(SPOKEN.get()):
        return text
    return "\n".join(_translate_line(line) for line in text.split("\n"))


@cache
def load_translations(language: str) -> Mapping[str, str]:
    """Load a mapping, English sentence -> that of the language; empty where there is none."""
    try:
        known: Mapping[str, str] = json.loads((HERE / f"sentences.{language}.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    return known


class SentencePattern(NamedTuple):
    """One that has values in it."""

    pieces: Sequence[str]
    pattern: str
    told: str

    def fill_from(self, text: str, others: Sequence[SentencePattern]) -> str | None:
        """Return what is told, with the values that stand in the English text, which may be sentences of ``others``
        themselves; None if that is another one."""
        if not text.startswith(self.pieces[0]) or not text.endswith(self.pieces[-1]):
            return None
        if not (found := re.fullmatch(self.pattern, text)):
            return None
        values = {name: _find_translation(value, others) or value for name, value in found.groupdict().items()}
        return HOLE.sub(lambda hole: values[hole[1]], self.told)


@cache
def _list_patterns(language: str) -> Sequence[SentencePattern]:
    """List the sentences with values, those first that say most by themselves."""
    found = []
    for english, told in load_translations(language).items():
        pieces, names = HOLE.split(english)[::2], HOLE.findall(english)
        if names:
            groups = [_build_group(name, repeated=name in names[:at]) for at, name in enumerate(names)]
            pattern = "".join(f"{re.escape(piece)}{group}" for piece, group in zip(pieces, [*groups, ""], strict=True))
            found.append(SentencePattern(pieces, pattern, told))
    return sorted(found, key=lambda one: -sum(map(len, one.pieces)))


def _build_group(name: str, repeated: bool) -> str:
    return f"(?P={name})" if repeated else f"(?P<{name}>{_VALUES.get(name, _VALUE)})"


def _find_translation(text: str, patterns: Sequence[SentencePattern]) -> str | None:
    if (known := load_translations(SPOKEN.get()).get(text)) is not None:
        return known
    return next((said for one in patterns if (said := one.fill_from(text, patterns)) is not None), None)


def _translate_line(line: str) -> str:
    """Return a line with each part of it that is known said in the language: the longest that begins there."""
    said, at = "", len(line) - len(line.lstrip())
    patterns = [one for one in _list_patterns(SPOKEN.get()) if all(piece in line for piece in one.pieces)]
    ends = [(found.start(), found.end()) for found in _PART_END.finditer(line)]
    while at < len(line):
        possible = [*(one for one in ends if one[0] > at), (len(line), len(line))]
        known = ((_find_translation(line[at:last], patterns), last, after) for last, after in reversed(possible))
        first = (line[at : possible[0][0]], *possible[0])
        told, last, after = next((one for one in known if one[0] is not None), first)
        said, at = f"{said}{told}{line[last:after]}", after
    return line[: len(line) - len(line.lstrip())] + said


class MisuseError(click.UsageError):
    """A command that is not written as it should be."""

    def __init__(self, message: str, ctx: click.Context | None = None) -> None:
        super().__init__(translate_text(message), ctx)


def translate_error(error: OperatorError | TransientError) -> None:
    """Let an error of ours say what it says in the language that is spoken."""
    if isinstance(error, OperatorError):
        error.message, error.hint = translate_text(error.message), translate_text(error.hint)
    else:
        error.args = tuple(translate_text(one) if isinstance(one, str) else one for one in error.args)


def translate_command(command: Command) -> Command:
    """Return a command whose help is in the language that is spoken."""
    if not load_translations(SPOKEN.get()):
        return command
    told = copy.copy(command)
    told._help_option = None  # click keeps it, in the language of its first reader
    told.params = [copy.copy(one) for one in command.params]
    for one in told.params:
        if isinstance(one, click.Option) and one.help:
            one.help = translate_text(one.help)
    told.help = "\n\n".join(map(_translate_paragraph, (command.help or "").split("\n\n")))
    told.epilog = translate_text(command.epilog or "")
    return told


def _translate_paragraph(text: str) -> str:
    return translate_text(text if text.startswith("\b") else " ".join(text.split()))


def _get_message(domain: str, message: str) -> str:
    return load_translations(SPOKEN.get()).get(message, message)


def _get_plural_message(domain: str, msgid1: str, msgid2: str, n: int) -> str:
    return _get_message(domain, msgid1 if n == 1 else msgid2)


# Click says its own by gettext, which knows no other catalogues than compiled ones.
gettext.dgettext, gettext.dngettext = _get_message, _get_plural_message
