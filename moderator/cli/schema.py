"""`moderator schema`: what programs read and write here, as JSON Schemas; nothing is needed for it."""

from __future__ import annotations

import json

import click

from moderator import schemas


@click.command("schema")
@click.argument("name", required=False)
def schema(name: str | None) -> None:
    """Print the JSON Schema NAME; without a name, what there is. docs/schemas.md says which command prints what."""
    if name is not None:
        click.echo(schemas.text(name), nl=False)
        return
    for one in schemas.names():
        found = json.loads(schemas.text(one))
        click.echo(f"{one:<14} {found['$id'].rpartition(':')[2]:>2}  {found['title']}")
