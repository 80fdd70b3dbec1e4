"""A tournament in the round letter: results of the time, and the table as it stood at its end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from moderator.desk.cup import rows
from moderator.desk.cup.view import Seen
from moderator.render.cup_tables import number
from moderator.site.cup_log import Logged
from moderator.site.discreet import discreet
from moderator.site.feed_cups import pairing
from moderator.site.letter_parts import CupPart, Period
from moderator.site.site import View
from moderator.store.models import Cup, CupGame
from moderator.tournament.crosstable import crosstable
from moderator.tournament.field import Tournament
from moderator.tournament.formats import of

Table = tuple[tuple[str, str, str], ...]


def part(view: View, period: Period, cup: Logged) -> CupPart:
    """The tournament for the letter."""
    desk = view.site.desk
    seen = Seen(desk, desk.session.get_one(Cup, cup.listed.id))
    ended = {match.id: match.finished for match in view.site.matches}
    games = rows.games(desk.session, seen.cup)
    shown = [row for row in games if row.result is not None and period.holds(ended.get(row.match_id or 0))]
    return CupPart(
        cup.listed.code,
        discreet(view.t("site.quoted", name=cup.listed.name)),
        tuple(_facts(view, period, cup)),
        tuple(discreet(pairing(seen.line(row), view)) for row in shown),
        tuple(_tables(seen, view, period, cup, games, ended)),
    )


def _facts(view: View, period: Period, cup: Logged) -> Iterator[str]:
    yield cup.listed.code
    yield view.game(cup.listed.game)
    done = cup.at("finish")
    if done is not None and done < period.until:
        yield view.t("site.letter-cup-over")
        return
    paired = [step for step, at in cup.steps if step.startswith("pair:") and at < period.until]
    if paired:
        yield view.t("site.letter-cup-round", round=len(paired))


def _tables(
    seen: Seen,
    view: View,
    period: Period,
    cup: Logged,
    games: list[CupGame],
    ended: dict[int, datetime | None],
) -> Iterator[Table]:
    if not of(cup.listed).table:
        done = cup.at("finish")
        if period.until >= view.site.desk.now or (done and done < period.until):
            order = seen.tables(last=done is not None)[0].order if seen.divisions else ()
            yield tuple((str(place), discreet(name), "") for place, name in order)
        return
    for division, t in sorted(seen.tournaments.items()):
        played = [row for row in games if row.division == division]
        yield tuple(
            (line.place, discreet(line.name), number(line.points, view.lang))
            for line in crosstable(_then(t, played, period, cup, ended)).lines
        )


def _then(
    t: Tournament, games: list[CupGame], period: Period, cup: Logged, ended: dict[int, datetime | None]
) -> Tournament:
    """The tournament at the end of the time: without rounds that began and results that came later."""
    begun = {step: at for step, at in cup.steps if step.startswith("pair:")}
    kept = []
    for row, game in zip(games, t.games, strict=True):
        start = begun.get(f"pair:{row.round}")
        if start is not None and start >= period.until:
            continue
        end = ended.get(row.match_id or 0)
        # A ruling on a match that runs on has no time of its own: it counts.
        late = end >= period.until if end else row.match_id in ended and not row.ruling
        kept.append(replace(game, result=None) if late else game)
    return replace(t, games=tuple(kept))
