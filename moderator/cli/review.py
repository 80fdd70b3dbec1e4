"""`moderator review`: a finished match turn by turn, beside the best there was."""

from __future__ import annotations

from pathlib import Path

import click

from moderator.cli import names
from moderator.cli.listing import with_json_option
from moderator.common.resources import LANGUAGES


@click.command()
@click.argument("code", type=names.ANY_MATCH)
@with_json_option("review")
@click.option("--language", type=click.Choice(LANGUAGES), help="Of the text. [default: the club's]")
@click.option("--anew", is_flag=True, help="Make it again, by today's dictionary.")
@click.pass_obj
def review(config_file: Path | None, code: str, as_json: bool, language: str | None, anew: bool) -> None:
    """What each turn of a finished match was, the best there was, the turning point, the find, luck and skill."""
    from moderator.cli.session import open_club
    from moderator.common.errors import OperatorError
    from moderator.common.printable import escape_unprintable, to_escaped_json
    from moderator.render.mails.review import iter_review_lines
    from moderator.service.create import get_match
    from moderator.service.reviews import notify_review_requesters
    from moderator.views.loaded_match import MatchSuspended
    from moderator.views.reviews import complete_match_review

    with open_club(config_file) as desk:
        match = get_match(desk.session, code)
        try:
            found, new = complete_match_review(desk.session, desk.cache, match, desk.now, anew)
        except MatchSuspended as error:
            raise OperatorError(f"{error.reason}.", "See `moderator match log`.") from error
        if new:
            notify_review_requesters(desk, match, found)
        called = [player.name for player in desk.list_players(match)]
        if as_json:
            click.echo(to_escaped_json({"match": match.code, "names": called} | found.to_json()))
        else:
            lines = iter_review_lines(found, match.code, match.name, called, language or desk.config.club.language)
            click.echo(escape_unprintable("\n".join(lines)))
