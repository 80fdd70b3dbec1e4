"""The rules of a game as its players get them by mail, read from ``rules.<key>.<language>.md`` in the game's folder.

Such a file holds only what any mail can show, each part between empty lines: ``# title``, ``## heading``, paragraphs,
and lists whose items begin with ``- ``. Moves stand in quotation marks inside a sentence, so that no line is one
when it is quoted.

What an option changes is a template of Jinja, with the options by their names: ``{{ target }}``, ``{% if leader ==
"round_winner" %}…{% else %}…{% endif %}``. ``agreed`` is true for the rules of one match, so that nothing is said there
of what else could have been agreed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import cache
from typing import Any

from jinja2 import StrictUndefined, TemplateError
from jinja2.sandbox import SandboxedEnvironment

from moderator.common.disk import FALLBACK, LANGUAGES
from moderator.common.errors import OperatorError
from moderator.common.message_files import typeset_sentence
from moderator.common.rules_text import Block, RulesSection, RulesText
from moderator.common.text import suggest
from moderator.games import REGISTRY, folder, load_game

_RULES = SandboxedEnvironment(undefined=StrictUndefined, trim_blocks=False, autoescape=False)


def load_rules_text(key: str, language: str, options: Mapping[str, Any] | None = None) -> RulesText:
    """Return the rules of a game in a language, or in English where there are none in that one. ``options``: those that
    are agreed for the match that is asked about; None = the rules as they are where nothing is agreed. Raises
    OperatorError if there are none at all, or the file has another shape."""
    return _load_rules_text(key, language, None if options is None else json.dumps(options, sort_keys=True))


@cache
def _load_rules_text(key: str, language: str, options: str | None) -> RulesText:
    if key not in REGISTRY:
        raise OperatorError(f"There is no game {key!r}.", suggest(key, sorted(REGISTRY)))
    if language not in LANGUAGES:
        raise OperatorError(f"There are no rules in {language!r}.", f"Known languages: {', '.join(LANGUAGES)}.")
    file = folder(key) / f"rules.{key}.{language}.md"
    if not file.exists():
        language, file = FALLBACK, file.with_name(f"rules.{key}.{FALLBACK}.md")
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise OperatorError(f"The rules {file} cannot be read: {error.strerror}.", "Install moderator anew.") from error
    agreed = None if options is None else json.loads(options)
    return replace(parse_rules_text(fill_rules_template(text, file.name, key, agreed), file.name), language=language)


def fill_rules_template(text: str, name: str, key: str, agreed: Mapping[str, Any] | None) -> str:
    """Return the text with the options of the game in it. Raises OperatorError where it is no template."""
    values = {**asdict(load_game(key).options()), **(agreed or {})}
    try:
        return _RULES.from_string(text).render(values, agreed=agreed is not None)
    except TemplateError as error:
        raise OperatorError(f"{name} cannot be filled in: {error}.", "Its shape: language/rules_text.py.") from error


def parse_rules_text(text: str, name: str) -> RulesText:
    """Return the rules in the text of the file ``name``. Raises OperatorError where it has another shape."""
    first, *parts = re.split(r"\n\s*\n", text.strip())
    if not first.startswith("# ") or "\n" in first:
        raise _build_shape_error(name, first)
    sections: list[RulesSection] = []
    for part in parts:
        if part.startswith("## ") and "\n" not in part:
            sections.append(RulesSection(typeset_sentence(part[3:].strip()), ()))
        elif part.startswith("#") or not sections:
            raise _build_shape_error(name, part)
        else:
            heading, blocks = sections[-1].heading, sections[-1].blocks
            sections[-1] = RulesSection(heading, (*blocks, _parse_block(part, name)))
    return RulesText(typeset_sentence(first[2:].strip()), tuple(sections))


def _parse_block(part: str, name: str) -> Block:
    if part.startswith("- "):
        return tuple(typeset_sentence(" ".join(item.split())) for item in f"\n{part}".split("\n- ")[1:])
    if "\n- " in part:  # the list needs an empty line before it
        raise _build_shape_error(name, part)
    return typeset_sentence(" ".join(part.split()))


def _build_shape_error(name: str, part: str) -> OperatorError:
    return OperatorError(f"{name} cannot have {part[:60]!r} where it stands.", "Its shape: language/rules_text.py.")
