"""Mails of the tile games: seals, racks, score tables, what the game words itself, own draws."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest

from moderator.games import load
from moderator.match.contract import PLAIN
from moderator.pages import traits
from moderator.pages.mail import render
from moderator.pages.mail_context import context_of
from moderator.pages.pages import Seal
from tests.pages import match_pages
from tests.pages.all_pages import mail, pages
from tests.pages.sample_pages import NOTHING_MORE, turn

TILE_GAMES = pytest.mark.parametrize("key", match_pages.TILE_GAMES)
WORDLESS = pytest.mark.parametrize("key", [key for key in match_pages.TILE_GAMES if key not in match_pages.WORD_GAMES])
ENDED, BEGUN = Seal(1, "a1" * 32, "b2" * 32), Seal(2, "c3" * 32)


def shown(made):
    """Text and HTML of a mail, each without white space."""
    return "".join(made.text.split()), "".join(unescape(made.html).split())


def with_seals(kind, *seals):
    page = pages("de")["dominos-turn"]
    match = replace(page.match, seals=seals)
    return shown(render(replace(page, kind=kind, content=NOTHING_MORE.get(kind), match=match)))


def test_the_first_mail_names_the_seal_of_the_first_round():
    for text in with_seals("start", Seal(1, "a1" * 32)):
        assert "a1" * 32 in text


@pytest.mark.parametrize("kind", ["turn", "receipt", "status"])
def test_a_round_that_is_over_shows_its_key_and_the_next_its_seal(kind):
    for text in with_seals(kind, ENDED, BEGUN):
        assert text.index("b2" * 32) < text.index("c3" * 32)
        assert "a1" * 32 not in text


def test_the_last_mail_names_all_seals_and_keys_and_how_to_check():
    for text in with_seals("end", ENDED, replace(BEGUN, seed="d4" * 32)):
        assert all(number * 32 in text for number in ("a1", "b2", "c3", "d4"))
        assert "moderatorverify" in text


@WORDLESS
def test_the_board_in_words_stands_alone(key):
    made = mail("de", f"{key}-turn")
    assert "Dasselbe Zeile für Zeile" not in made.text
    assert "<img" in made.html
    assert "<img" not in mail("de", f"{key}-status-table").html


@WORDLESS
def test_general_sentences_about_words_and_squares_are_not_said(key):
    for name in ("help", "turn", "start"):
        assert "Feld des ersten Buchstabens" not in mail("de", f"{key}-{name}").text
    assert context_of(pages("de")[f"{key}-turn"]).how_to[0].startswith("Schreib")


@TILE_GAMES
def test_the_rack_fits_on_a_phone(key):
    page = pages("de")[f"{key}-turn"]
    for count in (0, 1, 6, 7, 8, 23):
        said = context_of(replace(page, rack=(page.rack * 23)[:count]))
        assert sum(map(len, said.rack_rows)) == count
        assert all(len(row) * (said.tile_width + 4) <= 340 for row in said.rack_rows)


@TILE_GAMES
def test_no_number_stands_alone_in_a_cell_of_the_scores(key):
    cells = re.findall(r"<td[^>]*>(.*?)</td>", mail("de", f"{key}-end").html, re.DOTALL)
    alone = [re.sub(r"<[^>]+>", "", cell).strip() for cell in cells]
    assert not [cell for cell in alone if re.fullmatch(r"\d\d+", cell)]


@TILE_GAMES
@pytest.mark.parametrize("name", ["start", "turn", "missed"])
def test_only_own_draws_are_named(key, name):
    page = pages("de")[f"{key}-{name}"]
    notes = [*page.notes, *(note for report in page.reports for note in (*report.notes, *report.then))]
    drawn = [tile for note in notes if note.code == "drew-tiles" for tile in note.params["tiles"]]
    assert set(drawn) <= set(page.rack)
    text = " ".join(mail("de", f"{key}-{name}").text.split())
    assert text.count("Du hast gezogen") == sum(note.code == "drew-tiles" for note in notes)


def test_a_game_has_its_own_words():
    assert "In der Mauer:" in mail("de", "domijongg-turn").text
    assert "Spiel 2" in mail("de", "domijongg-round").subject
    assert "Strafziegel" in context_of(pages("de")["domijongg-turn"]).then
    assert "round 2" in mail("en", "dominos-round").subject


def test_a_column_of_its_own_for_the_last_turn():
    assert context_of(pages("de")["tridom-turn"]).gained == "Zug"
    assert context_of(turn("de")).gained == "Runde"
    assert context_of(pages("en")["tridom-turn"]).scores_title == "Scores in round 1"


def test_scores_are_numbered_by_the_round_that_they_are_after():
    assert context_of(pages("de")["dominos-round"]).scores_title == "Stand nach Runde 1"
    assert context_of(pages("en")["kreuzwort-round"]).scores_title == "Scores after game 1"
    for pace, number, title in [
        ("rounds", 7, "Scores after round 6"),
        ("common", 2, "Scores after round 1"),
        ("race", 2, "Scores after round 1"),
        ("rounds", 1, "Scores"),
        ("race", 1, "Scores"),
        ("sequential", 1, "Scores in round 1"),
        ("sequential", 7, "Scores in round 7"),
    ]:
        made = turn("en")
        made = replace(made, match=replace(made.match, pace=pace, round=number))
        assert context_of(made).scores_title == title, (pace, number)


def test_traits_of_games_and_of_none():
    assert traits.style("domijongg") == load("domijongg").style != PLAIN
    assert traits.style(None) == traits.style("chess") == PLAIN
    assert traits.dealt_anew("dominos")
    assert not traits.dealt_anew("topwords")
    assert not traits.dealt_anew(None)
    assert traits.tile("dominos", "64") == "6\u01c04"
    assert traits.tile("topwords", "E") == traits.tile(None, "E") == "E"


def test_the_picture_after_the_next_deal_is_of_the_new_round():
    assert "Letzter Zug" in mail("de", "dominos-turn").html
    assert "Letzter Zug" not in mail("de", "dominos-round").html


@WORDLESS
def test_file_names_of_pictures_name_game_match_and_round(key):
    (cid,) = mail("de", f"{key}-turn").images
    assert re.fullmatch(rf"{key}-k7q2-\d\d@example\.org", cid)


@pytest.mark.parametrize("language", ["de", "en"])
def test_the_words_mixed_into_the_shuffle_stand_in_the_first_mail(language):
    page = pages(language)["dominos-start"]
    salted = replace(page, match=replace(page.match, salts=("anna:herbst", "bert:regen")))
    assert "anna:herbst, bert:regen" in " ".join(render(salted).text.split())
    assert "anna:herbst" not in render(page).text
