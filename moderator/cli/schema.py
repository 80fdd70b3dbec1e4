"""`moderator schema`: what programs read and write here, as JSON Schemas; nothing is needed for it."""

from __future__ import annotations

import json

import click

from moderator import schemas


def _complete_schema_name(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """Return the names of schemas that begin so, for the shell."""
    from moderator.cli.derived import LISTINGS

    return [name for name in (*schemas.list_schemas(), *LISTINGS) if name.startswith(typed)]


@click.command("schema")
@click.argument("which", metavar="[NAME]", required=False, shell_complete=_complete_schema_name)
def print_schema(which: str | None) -> None:
    """Print the JSON Schema NAME; without a name, what there is. docs/schemas.md says which command prints what."""
    from moderator.cli.derived import LISTINGS, build_line_schema

    if which in LISTINGS:
        click.echo(json.dumps(build_line_schema(which), ensure_ascii=False, indent=1))
    elif which is not None:
        click.echo(schemas.read_schema(which, LISTINGS), nl=False)
    else:
        for one in (
            *map(json.loads, map(schemas.read_schema, schemas.list_schemas())),
            *map(build_line_schema, LISTINGS),
        ):
            name, number = (*one["$id"].split(":")[3:], "")[:2]
            click.echo(f"{name:<12} {number:>2}  {one['title']}")
