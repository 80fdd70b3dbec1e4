"""The pages of what was decided on words: by the club, and by the list that comes with moderator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from moderator.games import REGISTRY
from moderator.site.rulings import ShownRuling, shown_ruling
from moderator.site.site import Site
from moderator.site.tree import File
from moderator.words import house


def files(site: Site) -> Iterator[File]:
    """``words.html`` and ``words-shipped.html`` in each language."""
    own, shipped = site.rulings, house.state(house.SHIPPED)
    wanted = {one.scope for one in own}
    scopes = {scope: page for scope, page in _scopes(site).items() if scope in wanted}
    for language in site.languages:
        page = partial(_page, site, own, scopes, language)
        yield File(site.path("words.html", language), site.key("words", own, sorted(scopes.items())), page)
        yield File(
            site.path("words-shipped.html", language), site.key("shipped", shipped), partial(_shipped, site, language)
        )


def _scopes(site: Site) -> Mapping[str, str]:
    """Pages of matches and tournaments by code."""
    matches = {match.code: f"matches/{match.code}.html" for match in site.matches}
    return matches | {tournament.code: f"tournaments/{tournament.code}.html" for tournament in site.tournaments}


def _page(site: Site, shown_ruling: Sequence[ShownRuling], scopes: Mapping[str, str], language: str) -> bytes:
    dated = [one for one in shown_ruling if one.on]
    words = sorted(shown_ruling, key=lambda one: (one.letter, one.word.upper()))
    return site.render(
        "words.html.j2", "words.html", language, dated=dated, words=words, scopes=scopes, games=frozenset(REGISTRY)
    )


def _shipped(site: Site, language: str) -> bytes:
    found = sorted(map(shown_ruling, house.read(house.SHIPPED)), key=lambda one: (one.letter, one.word.upper()))
    kinds: dict[str, list[ShownRuling]] = {}
    for one in found:
        if one.allowed:
            kinds.setdefault(one.kinds[0] if one.kinds else "", []).append(one)
    denied = [one for one in found if not one.allowed]
    return site.render("words_shipped.html.j2", "words-shipped.html", language, kinds=kinds, denied=denied)
