"""The tournaments: a list of all, and a page for each with its tables, pairings and courses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from moderator.club.tournaments.rows import latest_ends
from moderator.pages.mail_context import option_line
from moderator.pages.messages import label, say
from moderator.pages.tournament_sections import how
from moderator.site.site import Site, View
from moderator.site.tournament_list import ListedTournament
from moderator.site.tournament_page import Division, Shown
from moderator.site.tree import File
from moderator.states import TournamentStatus
from moderator.tournaments.formats import of


def files(site: Site) -> Iterator[File]:
    """``tournaments.html`` and ``tournaments/T1.html`` in each language."""
    seasons = _seasons(site)
    paged = frozenset(site.people)
    for language in site.languages:
        make = partial(site.render, "tournaments.html.j2", "tournaments.html", language)
        yield File(site.path("tournaments.html", language), site.key("cups", site.tournaments), make)
    for tournament in site.tournaments:
        shown = Shown(site, tournament)
        began = tuple(match.id for match in site.matches if match.tournament == tournament.id)
        who = tuple(one.player in paged for one in tournament.entered)
        around = tuple(other and (other.code, other.name) for other in seasons[tournament.id])
        key = site.key("cup", tournament, began, who, around)
        for language in site.languages:
            page = f"tournaments/{tournament.code}.html"
            make = partial(_page, site, shown, seasons[tournament.id], page, language)
            yield File(site.path(page, language), key, make)


def _seasons(site: Site) -> Mapping[int, tuple[ListedTournament | None, ListedTournament | None]]:
    """The seasons before and after each tournament."""
    by_id = {tournament.id: tournament for tournament in site.tournaments}
    following = {tournament.previous: tournament for tournament in site.tournaments if tournament.previous}
    return {
        tournament.id: (by_id.get(tournament.previous or 0), following.get(tournament.id))
        for tournament in site.tournaments
    }


def _page(
    site: Site, shown: Shown, seasons: tuple[ListedTournament | None, ListedTournament | None], page: str, language: str
) -> bytes:
    view, divisions = View(site, page, language), shown.divisions(language)
    return site.render(
        "tournament.html.j2",
        page,
        language,
        c=shown.tournament,
        shown=shown,
        how=tuple(how(shown.view, language)),
        settings=tuple(_settings(shown, view)),
        divisions=divisions,
        ties=_ties(divisions, language),
        stages=shown.stages(language),
        before=seasons[0],
        after=seasons[1],
    )


@dataclass(frozen=True)
class Tie:
    """What separates those with equal points."""

    code: str
    short: str
    name: str


def _ties(divisions: Sequence[Division], language: str) -> tuple[Tie, ...]:
    """In the order applied."""
    tables = [division.table.table for division in divisions if division.table.table is not None]
    return tuple(
        Tie(code, say(f"cup-tie-{code}", language), _capital(label(f"cup-tie-name-{code}", language)))
        for code in (tables[0].columns if tables else ())
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _settings(shown: Shown, view: View) -> Iterator[str]:
    """What else was agreed, in words."""
    tournament, settings = shown.tournament, shown.seen.settings
    for name, value in shown.seen.tournament.options.items():
        yield option_line(name, value, view.lang, tournament.game)
    if tournament.status == TournamentStatus.OPEN:
        if tournament.closes:
            yield view.t("site.cup-closes", day=view.day(tournament.closes))
        return
    yield view.t(f"site.cup-seeding-{settings.seeding}")
    ends = _end(shown)
    if ends:
        yield view.t("site.cup-ends", day=view.day(ends))
    yield view.t(f"cup-after-{settings.adjudicate}")
    if of(tournament).challenges:
        yield view.t("site.cup-answer", days=settings.answer_days)
        yield view.t(f"site.cup-refusal-{settings.refusal}")


def _end(shown: Shown) -> datetime | None:
    """The latest end of what is being played."""
    return None if shown.tournament.over else max(latest_ends(shown.seen.round), default=None)
