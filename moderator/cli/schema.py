"""`moderator schema`: what programs read and write here, as JSON Schemas; nothing is needed for it."""

from __future__ import annotations

import json

import click

from moderator import schemas


def _beginning(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """For the shell."""
    return [name for name in schemas.names() if name.startswith(typed)]


@click.command("schema")
@click.argument("which", metavar="[NAME]", required=False, shell_complete=_beginning)
def schema(which: str | None) -> None:
    """Print the JSON Schema NAME; without a name, what there is. docs/schemas.md says which command prints what."""
    if which is not None:
        click.echo(schemas.text(which), nl=False)
        return
    for one in schemas.names():
        found = json.loads(schemas.text(one))
        click.echo(f"{one:<17} {found['$id'].rpartition(':')[2]:>2}  {found['title']}")
