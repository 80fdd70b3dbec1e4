"""The reference in the docs, made from what the program declares: ``python -m tests.docs.reference`` writes it anew.

What is made stands between two marks of a page, ``<!-- made: NAME -->`` and ``<!-- /made -->``; what is around them is
written by hand."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from pathlib import Path

from moderator.cli.command_tree import ANYWHERE, TREE
from moderator.commands import declaration
from moderator.common.errors import ExitCode
from moderator.conformance.checks import CHECKS
from moderator.conformance.promised import PROMISED, TRANSPORTS
from moderator.diagnostics.providers import load_providers
from moderator.language.messages import render_code
from moderator.schemas import list_schemas, read_schema
from moderator.tournaments import formats
from tests.cli.outlines import get_first_sentence
from tests.cli.running import commands

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
MARKED = re.compile(r"(<!-- made: (\S+) -->\n).*?(<!-- /made -->)", re.DOTALL)


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table of Markdown; a bar within a cell is escaped."""
    heads = list(head)
    lines = ([cell.replace("|", "\\|") for cell in row] for row in (heads, *rows))
    first, *others = (f"| {' | '.join(row)} |\n" for row in lines)
    return "".join((first, f"|{'---|' * len(heads)}\n", *others))


# ---- the command line ----


SHORT = re.compile(r"(?:\S+ ){2}.*?(?=[;:] | \(|$)|.*")
"""The beginning of a sentence, up to what it adds."""


def make_commands() -> str:
    """All commands under the headings of ``moderator --help``."""
    rows: dict[str, list[tuple[str, str]]] = {heading: [] for heading in TREE[""]}
    for words, command in commands():
        (heading,) = (one for one, names in TREE[""].items() if words[0] in names)
        said = SHORT.match(get_first_sentence(command))
        rows[heading].append((f"`{' '.join(words)}`", said[0].rstrip(".") if said else ""))
    return "\n".join(
        f"## {heading}\n\n{table(('command', 'what it does'), listed)}" for heading, listed in rows.items() if listed
    )


def make_exit_codes() -> str:
    return table(("code", "meaning"), ((str(code.value), code.meaning) for code in ExitCode))


# ---- the settings ----

SETTING = re.compile(r"(?:# )?([\w.]+) = (.*?)(?:\s{2,}# ?(.*))?$")
"""A line of config.example.toml: a setting, its value and what is said of it."""


def make_settings() -> str:
    """All settings with their defaults, as config.example.toml explains them."""
    found: dict[str, list[list[str]]] = {}
    heading = ""
    for line in (ROOT / "config.example.toml").read_text(encoding="utf-8").splitlines():
        if section := re.match(r"(?:# )?(\[[\w.]+\])(?:\s+# ?(.*))?", line):
            heading = section[1]
            found[heading] = [["", section[2]]] if section[2] else []
        elif setting := SETTING.match(line):
            default = f"`{setting[1]} = {setting[2]}`"
            found[heading].append([default, setting[3] or ""])
        elif (more := re.match(r"\s+# ?(.*)", line)) and found[heading]:
            found[heading][-1][1] += f" {more[1]}"
    parts = []
    for title, rows in found.items():
        (head, *others) = rows if rows and not rows[0][0] else (["", ""], *rows)
        told = f"{head[1][0].upper()}{head[1][1:]}.\n\n" if head[1] else ""
        parts.append(f"### {title}\n\n{told}{table(('setting', 'meaning'), others) if others else ''}")
    return "\n".join(parts)


# ---- commands by mail ----

WRITE = {
    "en": ("you write", "what happens"),
    "de": ("du schreibst", "was geschieht"),
    "fr": ("tu écris", "ce qui arrive"),
}
GROUPS: Mapping[str, Mapping[declaration.CommandGroup, str]] = {
    language: dict(zip(declaration.CommandGroup, titles, strict=True))
    for language, titles in {
        "en": ("Your turn", "Looking", "Talking", "Matches, tournaments, leave", "Settings"),
        "de": ("Dein Zug", "Nachsehen", "Reden", "Partien, Turniere, Urlaub", "Einstellungen"),
        "fr": ("Ton coup", "Regarder", "Parler", "Parties, tournois, congés", "Réglages"),
    }.items()
}


def make_player_commands(language: str) -> str:
    parts = []
    for part, title in GROUPS[language].items():
        commands = [one for one in declaration.get_player_commands().values() if one.group is part]
        texts = [command.get_text(language) for command in commands]
        rows = [(f"`{text.name}`", text.help) for text in texts]
        parts.append(f"## {title}\n\n{table(WRITE[language], rows)}")
    return "\n".join(parts)


def make_staff_commands() -> str:
    """What the person in charge may command by mail, and the same on the command line."""
    rows = []
    for command in declaration.get_staff_commands().values():
        german, french = (f"`{command.get_text(language).name.capitalize()}`" for language in ("de", "fr"))
        typed = f"match {command.shell.name}" if command.shell else command.elsewhere
        rows.append((command.get_text("en").help, german, french, f"`moderator {typed}`"))
    return table(("by mail", "German", "French", "on the command line"), rows)


# ---- tournaments, providers ----


def make_format_settings() -> str:
    rows = []
    for form in formats.OWN:
        for one in fields(formats.load_format(form).options):
            value = str(one.default).lower() if isinstance(one.default, bool) else str(one.default)
            said = render_code(f"cup-option-{form}-{one.name}", "en").replace("\u00a0", " ")
            rows.append((f"`{form}`", f"`{one.name}`", value, said))
    return table(("format", "setting", "default", "meaning"), rows)


def make_providers() -> str:
    rows = []
    for one in load_providers().values():
        servers = [f"`{way.host}` {way.port} {way.security}" for way in (one.imap, one.smtp)]
        rows.append((one.name, ", ".join(one.domains), *servers, "yes" if one.subaddress else "no", one.note))
    return table(("provider", "addresses", "IMAP", "SMTP", "`+`", "before you begin"), rows)


# ---- for authors ----


def make_checks() -> str:
    return table(("check", "what the contract says"), ((f"`{check.name}`", check.promise) for check in CHECKS))


def make_names(promised: Mapping[str, Iterable[str]]) -> str:
    """The names that a package may import, by module."""
    rows = ((f"`{module}`", ", ".join(f"`{name}`" for name in names)) for module, names in promised.items())
    return table(("module", "names"), rows)


def make_schemas() -> str:
    """The schemas with a number."""
    rows = []
    for name in list_schemas():
        schema = json.loads(read_schema(name))
        rows.append((f"`{name}`", schema["$id"].rpartition(":")[2], schema["title"]))
    return table(("name", "number", "of what"), rows)


def format_code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names)) + "\n"


BLOCKS: Mapping[str, Callable[[], str]] = {
    "commands": make_commands,
    "exit-codes": make_exit_codes,
    "file-commands": lambda: format_code(ANYWHERE),
    "settings": make_settings,
    "player-commands-en": lambda: make_player_commands("en"),
    "player-commands-de": lambda: make_player_commands("de"),
    "player-commands-fr": lambda: make_player_commands("fr"),
    "staff-commands": make_staff_commands,
    "format-settings": make_format_settings,
    "providers": make_providers,
    "checks": make_checks,
    "names-of-games": lambda: make_names(PROMISED),
    "names-of-transports": lambda: make_names(TRANSPORTS),
    "schemas": make_schemas,
}


def renew(text: str) -> str:
    """Return a page with everything between its marks made anew."""
    return MARKED.sub(lambda found: f"{found[1]}{BLOCKS[found[2]]()}{found[3]}", text)


if __name__ == "__main__":
    for page in sorted(DOCS.rglob("*.md")):
        page.write_text(renew(page.read_text(encoding="utf-8")), encoding="utf-8")
