"""Mails of Typ-Dom: racks by colour, what is in the stock, words without points, the race, standing facts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from moderator.games.typdom.notation import STYLE
from moderator.match.contract import Note
from moderator.match.decision import Played, Stored
from moderator.match.happened import SeatEliminated, of_result
from moderator.pages import traits
from moderator.pages.aftermath import chapters
from moderator.pages.flow import orders, prose
from moderator.pages.head import head
from moderator.pages.mail import render
from moderator.pages.mail_context import context_of
from moderator.pages.messages import sentence, tile
from moderator.pages.pages import LineRead, MoveReport, Receipt, WordSum
from moderator.pages.rack import Cell, groups
from tests.pages import match_pages
from tests.pages.all_pages import mail, pages
from tests.pages.sample_pages import NOTHING_MORE

NAMES = ("Anna", "Jörg", "Max")
WORD_GAMES = pytest.mark.parametrize("key", match_pages.WORD_GAMES)


def text(made):
    """A text mail as one line."""
    return " ".join(made.text.split())


def with_rack(*names, language="de"):
    return replace(pages(language)["kreuzwort-turn"], rack=names)


def test_a_rack_has_vowels_first_each_colour_sorted_and_jollies_last():
    red, black = groups(with_rack("*b", "N", "*r", "U", "B", "A"))
    assert (red.name, red.tiles) == ("rot", ("A", "U", "*Jolly"))
    assert (black.name, black.tiles) == ("schwarz", ("B", "N", "*Jolly"))
    assert red.cells == (Cell("A", "red"), Cell("U", "red"), Cell("★", "red"))
    assert [group.name for group in groups(with_rack("B", language="en"))] == ["black"]


def test_other_racks_stand_as_they_are():
    (group,) = groups(replace(pages("de")["dominos-turn"], rack=("66", "10")))
    assert (group.name, group.tiles) == ("", ("6\u01c06", "1\u01c00"))
    assert groups(replace(pages("de")["dominos-turn"], rack=None)) == ()


def test_colours_are_a_trait_of_the_game():
    assert [traits.colour("point", name) for name in ("E", "N", "*r", "*b")] == ["red", "black", "red", "black"]
    assert traits.colour("topwords", "E") == traits.colour("dominos", "64") == traits.colour(None, "E") == ""


def test_sentences_name_jollies_by_their_colour():
    assert tile("*r", "de", "kreuzwort") == "roter Jolly"
    assert tile("*b", "en", "presto") == "black jolly"
    drawn = Note("drew-tiles", {"tiles": ["E", "*b"]}, only=1)
    assert sentence(drawn, "de", "recht") == "Du hast bekommen: E, schwarzer Jolly."


def test_the_stock_is_told_by_colour():
    page = pages("de")["kreuzwort-turn"]
    assert context_of(page).stock == "Im Vorrat: 15 rote Steine und 26 schwarze Steine."
    one = replace(page, stock=3, stock_kinds={"red": 1, "black": 2})
    assert context_of(one).stock == "Im Vorrat: 1 roter Stein und 2 schwarze Steine."
    assert context_of(replace(page, stock=0, stock_kinds={"red": 0, "black": 0})).stock == "Der Vorrat ist leer."
    assert context_of(replace(page, stock_kinds={})).stock == "Im Vorrat: 41 Steine."


@WORD_GAMES
def test_a_missed_turn_costs_what_the_game_says(key):
    said = context_of(replace(pages("de")[f"{key}-turn"], receipt=None)).then
    assert ("gehst du in dieser Runde leer aus" if key == "presto" else "bekommst du einen Stein") in said
    assert "setzt du aus" not in said


def test_words_without_points_are_named_only_where_the_move_does_not():
    page = pages("de")["kreuzwort-turn"]
    report = MoveReport(0, "Anna", played="T20 w HA*US", alternative=1, words=(WordSum("HAUS", 0), WordSum("AH", 0)))
    (told,) = context_of(replace(page, reports=(report,))).happenings
    assert (told.points, told.sums) == ("", "Dabei entsteht auch: AH")
    (told,) = context_of(replace(page, reports=(replace(report, words=(WordSum("HAUS", 0),)),))).happenings
    assert told.sums == ""
    pointed = replace(pages("de")["point-turn"], reports=(replace(report, points=8, words=(WordSum("HAUS", 8),)),))
    assert context_of(pointed).happenings[0].points == "8 Punkte"


def test_no_column_for_points_of_turns_that_bring_none():
    assert "Zug" not in context_of(pages("de")["kreuzwort-turn"]).score_lines[0]
    assert "Zug" in context_of(pages("de")["point-turn"]).score_lines[0]
    assert ">Zug<" not in mail("de", "recht-turn").html
    assert ">Zug<" in mail("de", "point-turn").html


def test_a_legal_line_without_points_is_said_to_be_valid():
    page = replace(
        pages("de")["kreuzwort-turn"], kind="receipt", receipt=Receipt(Played(), (LineRead(1, "x", "move", "x", 0),))
    )
    assert context_of(page).read[0].verdict == "Zug: gilt"


def test_what_is_left_over_belongs_to_the_sums_of_its_seat():
    notes = (
        Note("out", seat=1),
        Note("sum-laid", {"items": [7], "points": 7}, seat=0),
        Note("left-over", {"tiles": ["E", "*r"], "cost": 11}, seat=0, points=-11),
        Note("sum-total", {"round": 1, "points": -4, "total": -4}, seat=0),
        Note("match-won", {"points": 9}, seat=1),
    )
    (over,) = chapters(notes, "de", "point", NAMES)
    assert over.heading == "Spiel 1 ist zu Ende"
    assert over.sums[0].lines == ("Aus den Zügen: 7", "Übrig: E, roter Jolly, das kostet 11 Punkte.")
    assert over.after == ("Jörg: Hat die Partie mit 9 Punkten gewonnen.",)


def test_a_game_without_sums_ends_under_its_own_name():
    notes = (Note("cannot-lay", seat=0), Note("blocked"), Note("rest", {"tiles": ["E"], "rest": 3}, seat=1))
    before, over = chapters(notes, "de", "kreuzwort", NAMES)
    assert (before.heading, over.heading) == ("", "Das Spiel ist zu Ende")
    following = (*notes, Note("next-round-double", {"round": 2}))
    assert [chapter.heading for chapter in chapters(following, "de", "kreuzwort", NAMES)][-1] == ""


def test_a_seat_that_is_out_ends_no_game():
    (told,) = (report.then for report in pages("de")["recht-out"].reports)
    assert [chapter.heading for chapter in chapters(told, "de", "recht", NAMES)] == [""]


def test_an_exchange_and_what_follows_it_are_one_order():
    stored = "tausche A an H7; H9 w WORT; sonst tausche E an K3, A an H7; kaufe rot; sonst passe"
    assert orders(stored, STYLE) == ["tausche A an H7; H9 w WORT", "tausche E an K3, A an H7; kaufe rot", "passe"]
    page = replace(pages("de")["kreuzwort-ahead"], standing=stored)
    assert "»tausche A an H7; H9 w WORT«" in text(render(page))


def test_html_breaks_no_line_before_what_is_a_move_by_itself():
    moves = "tausche E an K3; vorn S + hinten *N = STERNWARTE", "E an T21 + R an T22 w = KERNGEHAEUSE"
    first, second = (str(prose(f"gilt »{move}«")).split(" ") for move in moves)
    assert [part.replace("\u00a0", " ") for part in first] == [
        "gilt »tausche E an K3; vorn S + hinten *N = STERNWARTE«"
    ]
    assert [part.replace("\u00a0", " ") for part in second] == ["gilt »E an T21 + R", "an T22", "w = KERNGEHAEUSE«"]


@pytest.mark.parametrize("language", ["de", "en"])
def test_standing_facts_stand_above_the_board(language):
    made, page = mail(language, "recht-turn"), pages(language)["recht-turn"]
    said = sentence(page.situation[0], language, "recht", [seat.name for seat in page.seats])
    assert said in text(made)
    assert text(made).index(said) < text(made).index("20ǀ")
    assert "SCHAL" in made.html[: made.html.index("<img")]
    assert not pages(language)["recht-end"].situation


def test_an_empty_field_of_the_race_is_not_shown():
    assert not mail("de", "presto-turn").images
    assert "das Kreuzwort, das gewonnen hat" in mail("de", "presto-round").text
    assert mail("de", "presto-round").images


def test_a_race_has_its_own_words():
    assert "Du bist noch im Rennen" in mail("de", "presto-turn").subject
    assert "los geht’s" in mail("de", "presto-start").subject
    assert "am Zug" not in mail("de", "presto-turn").text
    assert "Ersatzzüge" not in mail("de", "presto-turn").text
    assert "Einzelzug" not in mail("de", "presto-help").text


def test_a_right_solution_is_kept_until_the_round_is_over():
    grid = "Gitter (HAUS / U / T)"
    receipt = Receipt(Stored(), (LineRead(1, grid, "move", grid, 4),), {}, grid)
    page = replace(pages("de")["presto-turn"], kind="receipt", reports=(), receipt=receipt, standing=grid)
    made = render(page)
    assert "Fehlerfrei!" in made.subject
    assert "Es zählt, wessen Mail zuerst da war" in text(made)
    assert "gehst du in dieser Runde leer aus" not in text(made)
    later = render(replace(page, kind="status", content=NOTHING_MORE["status"], receipt=None))
    assert "lösch sie zuerst" in text(later)
    assert "Es zählt, wessen Mail zuerst da war" in text(later)


def test_who_is_out_reads_that_first_and_nobody_else_does() -> None:
    """In the script of »Wer behält recht?« somebody cannot complete an announcement."""
    one, told = match_pages.played("recht"), 0
    for at, moment in enumerate(one.moments):
        happened = of_result(one.game, moment.before, moment.after, moment.result)
        out = {each.seat for each in happened if isinstance(each, SeatEliminated)}
        if moment.after.state.over:
            continue
        made = match_pages.page("recht", "de", at)
        for reader in range(moment.after.state.seats):
            seats = tuple(replace(seat, you=seat.number == reader) for seat in made.seats)
            read = head(replace(made, seats=seats, your_turn=reader in moment.after.state.to_move))
            assert read.subject.startswith("Du bist ausgeschieden") == (reader in out), (at, reader)
            assert read.headline.startswith("Du bist ausgeschieden") == (reader in out), (at, reader)
            told += reader in out
    assert told
