"""`moderator review`: a finished match turn by turn, beside the best there was."""

from __future__ import annotations

from pathlib import Path

import click

from moderator.cli import names
from moderator.cli.listing import printing
from moderator.paths import LANGUAGES


@click.command()
@click.argument("code", type=names.ANY_MATCH)
@printing("review")
@click.option("--language", type=click.Choice(LANGUAGES), help="Of the text. [default: the club's]")
@click.option("--anew", is_flag=True, help="Make it again, by today's dictionary.")
@click.pass_obj
def review(config_file: Path | None, code: str, as_json: bool, language: str | None, anew: bool) -> None:
    """What each turn of a finished match was, the best there was, the turning point, the find, luck and skill."""
    from moderator.cli.session import opened
    from moderator.club.live_match import Suspended
    from moderator.club.reviews import at_once
    from moderator.errors import OperatorError
    from moderator.outbox.reviews import tell_waiting
    from moderator.pages.review import text
    from moderator.play.create import find_match
    from moderator.printable import json_spelt_out, spelt_out

    with opened(config_file) as desk:
        match = find_match(desk.session, code)
        try:
            found, new = at_once(desk.session, desk.cache, match, desk.now, anew)
        except Suspended as error:
            raise OperatorError(f"{error.reason}.", "See `moderator match log`.") from error
        if new:
            tell_waiting(desk, match, found)
        called = [player.name for player in desk.players(match)]
        if as_json:
            click.echo(json_spelt_out({"match": match.code, "names": called} | found.to_json()))
        else:
            lines = text(found, match.code, match.name, called, language or desk.config.club.language)
            click.echo(spelt_out("\n".join(lines)))
