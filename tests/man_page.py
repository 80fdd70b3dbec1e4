"""The manual page, made from the commands: ``python -m tests.man_page`` writes docs/moderator.1 anew."""

import re
from collections.abc import Iterator
from pathlib import Path

import click

from moderator.cli.group import cli
from moderator.common.errors import ExitCode
from tests.cli.running import commands

FILE = Path(__file__).resolve().parent.parent / "docs" / "moderator.1"
FILES = {
    "moderator.toml": "The settings; config.example.toml explains every line.",
    "moderator.sqlite": "The database, where the settings name no other.",
    "house.tsv": "The club's own rulings on words.",
}


def page() -> str:
    """In the language of man(7)."""
    return "\n".join(
        [
            '.\\" Made from the commands by tests/man_page.py.',
            '.TH MODERATOR 1 "" moderator "User commands"',
            ".SH NAME",
            "moderator \\- a referee for postal games that are played by e\\-mail",
            ".SH SYNOPSIS",
            ".B moderator",
            "[\\fB\\-\\-config\\fR \\fIFILE\\fR] \\fICOMMAND\\fR [\\fIARGUMENT\\fR ...]",
            ".SH DESCRIPTION",
            plain(cli.help or ""),
            "Cron starts \\fBmoderator tick\\fR: it reads the mails of a mailbox, referees them, sends the answers.",
            ".SH OPTIONS",
            *options(cli),
            ".SH COMMANDS",
            *describe_commands(),
            ".SH EXIT STATUS",
            *(line for code in ExitCode for line in (".TP", f".B {code.value}", plain(code.meaning))),
            ".SH ENVIRONMENT",
            *(".TP", ".B MODERATOR_CONFIG", "The settings file, where \\fB\\-\\-config\\fR names none."),
            ".SH FILES",
            *(line for name, said in FILES.items() for line in (".TP", f".I {plain(name)}", plain(said))),
            "",
        ]
    )


def describe_commands() -> Iterator[str]:
    """Each with its arguments, help and options."""
    for words, command in commands():
        ctx = click.Context(command)
        taken = " ".join(one.make_metavar(ctx) for one in command.params if isinstance(one, click.Argument))
        yield f".SS {plain(' '.join(words))} \\fR{plain(taken)}".rstrip()
        yield plain(command.help or "")
        yield from options(command)


def options(command: click.Command) -> Iterator[str]:
    ctx = click.Context(command)
    for one in command.params:
        if isinstance(one, click.Option) and not one.hidden:
            value = "" if one.is_flag or one.count else f" \\fI{plain(one.make_metavar(ctx))}\\fR"
            yield ".TP"
            yield f"\\fB{plain(', '.join([*one.opts, *one.secondary_opts]))}\\fR{value}"
            yield plain(one.help or "")


def plain(text: str) -> str:
    """No line of it is a request, no letter of it an escape; hyphens as they are typed."""
    text = re.sub(r"\s+", " ", text.replace("\b", "")).strip()
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = "".join(c if c.isascii() else f"\\[u{ord(c):04X}]" for c in text)
    return f"\\&{text}" if text[:1] in (".", "'") else text


if __name__ == "__main__":
    FILE.write_text(page(), encoding="utf-8")
