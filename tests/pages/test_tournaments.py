"""What the mails of tournaments say to whom, and what they weigh; word for word they stand in tests/golden."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest

from moderator.match.contract import Note
from moderator.pages import png
from moderator.pages.mail import render
from moderator.pages.messages import in_marks
from moderator.pages.tournament_view import TournamentTable, TournamentView
from moderator.tournaments.crosstable import crosstable
from moderator.tournaments.field import Entrant, TournamentState
from tests.pages import sample_tournaments
from tests.pages.all_pages import mail
from tests.pages.sample_tournaments import invite, ladder, league, page, robin, view

CLIPPED = 100_000
"""Large services cut a mail that has more bytes of HTML."""


def text(one: TournamentView, name: str = "Jörg", board: str = "text") -> str:
    """The text of the German mail to ``name``, white space folded."""
    made = page("de", one, board=board)
    return " ".join(render(replace(made, reader=replace(made.reader, name=name))).text.split())


@pytest.mark.parametrize(
    ("name", "subject"),
    [
        ("cup-invite-robin", "Wer spielt mit? „Herbstturnier“ (T3)"),
        ("cup-pairings-robin", "Es geht los: „Herbstturnier“ (T3)"),
        ("cup-pairings-swiss", "Runde 3 beginnt: „Herbstturnier“ (T3)"),
        ("cup-warning-swiss", "Runde 3 geht zu Ende: „Herbstturnier“ (T3)"),
        ("cup-report-swiss", "Runde 2 ist zu Ende: „Herbstturnier“ (T3)"),
        ("cup-final-swiss", "Das Turnier ist zu Ende: „Herbstturnier“ (T3)"),
        ("cup-final-league", "Die Saison ist zu Ende: „Liga Nord 2“ (T3)"),
        ("cup-ladder-challenged", "Du wirst herausgefordert: „Leiter“ (T3)"),
    ],
)
def test_the_subject_says_what_it_is_about(name: str, subject: str) -> None:
    assert mail("de", name).subject == subject


@pytest.mark.parametrize(("language", "line"), [("de", "Turnier T3 mitspielen"), ("en", "Cup T3 join")])
def test_the_button_joins(language: sample_tournaments.Language, line: str) -> None:
    link = re.search(r'href="(mailto:[^"]+)"', render(page(language, invite("robin"))).html)
    assert link
    parts = urlsplit(unescape(link[1]))
    assert parts.path == "games@example.org"
    assert parse_qs(parts.query)["body"][0].splitlines()[0] == line
    assert in_marks(line, language) in render(page(language, invite("robin"))).text


def test_who_is_in_has_no_button_but_a_way_out() -> None:
    made = render(page("de", invite("swiss", you_in=True)))
    assert "mailto:" not in made.html
    assert "»Turnier T3 aussteigen«" in made.text


def test_a_full_tournament_says_so() -> None:
    assert "Alle 5 Plätze sind vergeben" in text(invite("robin", places=5))
    assert "Es gibt 6 Plätze" in text(invite("robin", places=6))


def test_ones_own_games_come_first() -> None:
    said = text(view(sample_tournaments.paired(sample_tournaments.bracket(1)), "pairings"))
    assert said.index("Gegen Fritz, du fängst an (P8TE)") < said.index("Alle Paarungen")
    report = text(view(sample_tournaments.swiss_of(8, 2, 5), "report"))
    assert "Jörg" in report.partition("Die Ergebnisse")[2].partition("- Tisch")[2].partition("- Tisch")[0]


def test_only_open_games_are_warned_of() -> None:
    said = text(view(robin(8, 0.5), "warning"))
    assert said.count("Gegen ") == 4
    assert "gewonnen" not in said
    assert "wird abgeschätzt" in said
    assert "entscheidet der Spielleiter" in text(view(robin(8, 0.5), "warning", adjudicate="moderator"))


def test_ones_own_line_is_marked() -> None:
    made = render(page("de", view(robin(8, 0.5), "table")))
    assert [line for line in made.text.splitlines() if "*" in line] == [
        line for line in made.text.splitlines() if line.strip().startswith("6") and "Jörg" in line
    ]
    assert "<b>6. Jörg" in made.html


def test_the_league_shows_ones_own_division_first() -> None:
    said = text(league("table"))
    assert said.index("2. Liga") < said.index("1. Liga") < said.index("3. Liga")
    assert "SoBe" in said.partition("1. Liga")[0]
    assert "SoBe" not in said.partition("1. Liga")[2]


def test_the_end_of_a_season_says_who_goes_up_and_down() -> None:
    assert "Aufsteigen dürfen: Anna. Absteigen müssen: Jörg." in text(league("final"))
    assert "steigen" not in text(league("table"))


def test_a_knock_out_tells_who_goes_on_and_who_is_out() -> None:
    over = view(sample_tournaments.bracket(1), "report")
    assert "Du bist eine Runde weiter." in text(over)
    assert "Du bist ausgeschieden." in text(over, "Dora")
    semi_finals = view(sample_tournaments.bracket(2), "report")
    assert "ausgeschieden" not in text(semi_finals), "there is a match for third place"


def test_a_ladder_tells_whom_one_may_challenge() -> None:
    assert "Herausfordern kannst du jetzt Anna und passe." in text(ladder())
    assert "Herausfordern" not in text(replace(ladder(), challengeable=()))


def test_the_final_report_names_the_winner_and_ones_own_place() -> None:
    final = view(robin(8, 1), "final")
    assert "Gewonnen hat Fritz. Du bist auf Platz 6 von 8. Danke fürs Mitspielen!" in text(final)
    table = final.tables[0]
    for number, said in ((6, "Du hast gewonnen."), (7, "Du bist auf Platz 3 von 8. Glückwunsch!")):
        assert said in text(replace(final, tables=(replace(table, you=number),)))


def test_who_left_early_has_no_place() -> None:
    final = league("final")
    own = replace(final.tables[1], you=99)
    assert "Du bist unterwegs ausgestiegen" in text(replace(final, tables=(final.tables[0], own, final.tables[2])))


def test_the_pictures_are_drawn_once_for_all_readers() -> None:
    final = view(robin(7, 1), "final")
    render(page("de", final))
    before = png.png.cache_info().misses
    for number in range(1, 8):
        made = render(page("de", replace(final, tables=(replace(final.tables[0], you=number),))))
        assert {name.partition("@")[0] for name in made.images} == {"t3-table", "t3-progress"}
    assert png.png.cache_info().misses == before


def test_a_large_field_stays_small() -> None:
    entrants = tuple(Entrant(n, f"Spielerin Nummer {n} mit langem Namen") for n in range(1, 201))
    t = TournamentState("swiss", entrants, rounds=9)
    table = TournamentTable(1, crosstable(t), {n: (n,) for n in range(1, 201)}, you=180)
    made = render(page("de", replace(view(robin(4, 0), "final"), format="swiss", tables=(table,))))
    assert len(made.html.encode()) < CLIPPED
    assert not made.images
    assert "Nr.&nbsp;180" in made.html
    assert "Und 165 weitere." in made.html
    assert made.text.count("Spielerin") >= 200


@pytest.mark.parametrize("language", ["de", "en"])
def test_the_daily_mail_has_a_short_table(language: sample_tournaments.Language) -> None:
    made = mail(language, "digest-cup")
    assert "»Turnier T5«" in made.text or "“Cup T5”" in made.text
    assert not re.search("SoBe|Bh", made.text)
    assert not made.images


def test_news_is_only_what_happened() -> None:
    made = render(page("de", replace(ladder("news"), tables=()), Note("cup-moved-up", {"cup": "Herbst"})))
    assert made.text.startswith("Du bist dabei: „Leiter“.\n")
    assert "Rangleiter" not in made.text
