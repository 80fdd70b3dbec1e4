"""The tournaments: a list of all, and a page for each with its tables, pairings and courses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from moderator.club.tournaments.rows import latest_ends
from moderator.pages.cup_sheet import how
from moderator.pages.messages import label, say
from moderator.pages.sheet import option_line
from moderator.site.cup_list import ListedCup
from moderator.site.cup_page import Division, Shown
from moderator.site.site import Site, View
from moderator.site.tree import File
from moderator.states import CupStatus
from moderator.tournaments.formats import of


def files(site: Site) -> Iterator[File]:
    """``tournaments.html`` and ``tournaments/T1.html`` in each language."""
    seasons = _seasons(site)
    paged = frozenset(site.people)
    for language in site.languages:
        make = partial(site.render, "cups.html.j2", "tournaments.html", language)
        yield File(site.path("tournaments.html", language), site.key("cups", site.cups), make)
    for cup in site.cups:
        shown = Shown(site, cup)
        began = tuple(match.id for match in site.matches if match.cup == cup.id)
        who = tuple(one.player in paged for one in cup.entered)
        around = tuple(other and (other.code, other.name) for other in seasons[cup.id])
        key = site.key("cup", cup, began, who, around)
        for language in site.languages:
            page = f"tournaments/{cup.code}.html"
            make = partial(_page, site, shown, seasons[cup.id], page, language)
            yield File(site.path(page, language), key, make)


def _seasons(site: Site) -> Mapping[int, tuple[ListedCup | None, ListedCup | None]]:
    """The seasons before and after each tournament."""
    by_id = {cup.id: cup for cup in site.cups}
    following = {cup.previous: cup for cup in site.cups if cup.previous}
    return {cup.id: (by_id.get(cup.previous or 0), following.get(cup.id)) for cup in site.cups}


def _page(
    site: Site, shown: Shown, seasons: tuple[ListedCup | None, ListedCup | None], page: str, language: str
) -> bytes:
    view, divisions = View(site, page, language), shown.divisions(language)
    return site.render(
        "cup.html.j2",
        page,
        language,
        c=shown.cup,
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
    cup, settings = shown.cup, shown.seen.settings
    for name, value in shown.seen.cup.options.items():
        yield option_line(name, value, view.lang, cup.game)
    if cup.status == CupStatus.OPEN:
        if cup.closes:
            yield view.t("site.cup-closes", day=view.day(cup.closes))
        return
    yield view.t(f"site.cup-seeding-{settings.seeding}")
    ends = _end(shown)
    if ends:
        yield view.t("site.cup-ends", day=view.day(ends))
    yield view.t(f"cup-after-{settings.adjudicate}")
    if of(cup).challenges:
        yield view.t("site.cup-answer", days=settings.answer_days)
        yield view.t(f"site.cup-refusal-{settings.refusal}")


def _end(shown: Shown) -> datetime | None:
    """The latest end of what is being played."""
    return None if shown.cup.over else max(latest_ends(shown.seen.round), default=None)
