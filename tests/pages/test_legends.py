"""Under a picture stands what its signs mean: of those that are drawn, and of no others."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from moderator.games import REGISTRY, load
from moderator.games.typdom.tiles import VALUES
from moderator.match.contract import Valued, view_for
from moderator.match.scenes import Scene
from moderator.pages import boards, theme
from moderator.pages.boards.layers import MARKS, Shape
from moderator.pages.mail import render
from moderator.pages.messages import label
from moderator.pages.rack import letter_values
from moderator.states import BoardForm
from tests.pages.all_pages import mail, pages
from tests.pages.match_pages import TILE_GAMES, played

LANGUAGES = ("de", "en")
EXPLAINED = ("word", "fresh", "sign")
"""Layers on which there is nothing but signs."""


@cache
def scenes() -> tuple[Scene, ...]:
    """Boards of every game, from the first to the last."""
    found = [page.scene for page in pages("de").values() if page.scene is not None]
    for key in TILE_GAMES:
        match = played(key)
        found += [match.game.scene(view_for(one.after.state, None)) for one in match.moments[::5]]
    return tuple(dict.fromkeys(found))


def drawn(scene: Scene) -> list[Shape]:
    family = boards.family_of(scene)
    return list(family.parts(scene, family.canvas(scene)))


def test_every_sign_has_a_name() -> None:
    for scene in scenes():
        for shape in drawn(scene):
            assert shape.marks or shape.layer not in EXPLAINED
            if shape.layer == "tile" and "<circle" in shape.svg and theme.VOWEL in shape.svg:
                assert shape.marks


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_drawn_is_explained_and_nothing_else(language: str) -> None:
    seen = set()
    for scene in scenes():
        told = " ".join(boards.beneath(scene, language)).lower()
        marks = {mark for shape in drawn(scene) for mark in shape.marks}
        seen |= marks
        for mark in MARKS:
            assert (label(f"mark-{mark}", language).lower() in told) == (mark in marks), (mark, told)
    assert seen == set(MARKS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_stands_under_each_picture_of_a_mail(language: str) -> None:
    for name in ("turn", *(f"{key}-turn" for key in REGISTRY if f"{key}-turn" in pages("de"))):
        page = pages(language)[name]
        if not mail(language, name).images or page.scene is None:
            continue
        html = mail(language, name).html.replace("\u00a0", " ").replace("&nbsp;", " ")
        behind = html[html.index('src="cid:') :]
        for line in boards.beneath(page.scene, language):
            assert line in behind, (name, line)
        without = render(replace(page, reader=replace(page.reader, board=BoardForm.TEXT))).html
        assert 'class="legend' not in without


# ---- values of letters ----


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", list(REGISTRY))
def test_letters_with_values_show_them_on_tiles_and_in_words(key: str, language: str) -> None:
    game = load(key)
    page = pages(language).get(f"{key}-turn", pages(language)["turn"])
    made = mail(language, f"{key}-turn" if f"{key}-turn" in pages(language) else "turn")
    if not isinstance(game, Valued):
        assert letter_values(page) == ""
        assert "font-size: 11px;font-weight: normal;vertical-align: sub" not in made.html
        return
    told = letter_values(page)
    assert told in " ".join(made.text.split())
    for letters in told.split(":", 1)[1].rstrip(".").split(";")[0].split(", "):
        value, *names = letters.replace(" für ", " ").replace(" for ", " ").split()
        assert {game.values[name] for name in names} == {int(value)}
    assert page.rack
    for name in page.rack:
        assert f">{name}<span" in made.html or name not in game.values
    assert any(cell.value == game.values[cell.letter] for cell in page.scene.cells)
    assert all((cell.value is None) == cell.joker for cell in page.scene.cells)


def test_the_values_are_those_of_the_box() -> None:
    game = load("point")
    assert isinstance(game, Valued)
    assert game.values == VALUES
    assert sum(game.values.values()) == 99
