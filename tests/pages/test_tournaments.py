"""What the mails of tournaments say to whom, and what they weigh, beside what stands in tests/golden."""

from dataclasses import replace

from moderator.notifications.content import TournamentTable, TournamentView
from moderator.render import png
from moderator.render.mail import render_mail
from moderator.tournaments.field import Entrant, TournamentState
from moderator.tournaments.standings import build_crosstable
from tests.pages.sample_tournaments import bracket, ladder, league, page, paired, robin, view

CLIPPED = 100_000
"""Large services cut a mail that has more bytes of HTML."""


def text(one: TournamentView, name: str = "Jörg") -> str:
    """The text of the German mail to ``name``, white space folded."""
    made = page("de", one, board="text")
    return " ".join(render_mail(replace(made, reader=replace(made.reader, name=name))).text.split())


def test_what_a_mail_says_depends_on_its_reader_and_on_how_things_stand() -> None:
    assert "entscheidet der Spielleiter" in text(view(robin(8, 0.5), "warning", adjudicate="moderator"))
    over = view(bracket(1), "report")
    assert "Du bist eine Runde weiter." in text(over)
    assert "Du bist ausgeschieden." in text(over, "Dora")
    assert "Ins Finale kommst du nicht; du spielst noch um Platz 3." in text(view(bracket(2), "report"))
    assert "Du stehst im Finale." in text(view(bracket(2), "report"), "Anna")
    last = view(paired(bracket(2)), "pairings")
    for board, said in ((1, "Das Finale beginnt"), (3, "Das Spiel um Platz 3 beginnt")):
        own = next(one for one in last.games if one.board == board)
        assert text(replace(last, yours=(replace(own, you=0),))).startswith(said)
    assert "Herausfordern" not in text(replace(ladder(), challengeable=()))


def test_the_final_report_names_the_winner_and_ones_own_place() -> None:
    final = view(robin(8, 1), "final")
    table = final.tables[0]
    for number, said in ((6, "Du hast gewonnen."), (7, "Du bist auf Platz 3 von 8. Glückwunsch!")):
        assert said in text(replace(final, tables=(replace(table, you=number),)))
    first, own, last = league("final").tables
    left = replace(league("final"), tables=(first, replace(own, you=99), last))
    assert "Du bist unterwegs ausgestiegen" in text(left)


def test_the_pictures_are_drawn_once_for_all_readers() -> None:
    final = view(robin(7, 1), "final")
    render_mail(page("de", final))
    before = png.render_png.cache_info().misses
    for number in (1, 4, 7):
        made = render_mail(page("de", replace(final, tables=(replace(final.tables[0], you=number),))))
        assert {name.partition("@")[0] for name in made.images} == {"t3-table", "t3-progress"}
        assert all(data.startswith(b"\x89PNG") for data in made.images.values())
    assert png.render_png.cache_info().misses == before


def test_a_large_field_stays_small() -> None:
    entrants = tuple(Entrant(n, f"Spielerin Nummer {n} mit langem Namen") for n in range(1, 201))
    t = TournamentState("swiss", entrants, rounds=9)
    table = TournamentTable(1, build_crosstable(t), {n: (n,) for n in range(1, 201)}, you=180)
    made = render_mail(page("de", replace(view(robin(4, 0), "final"), format="swiss", tables=(table,))))
    assert len(made.html.encode()) < CLIPPED
    assert not made.images
    assert "Nr.&nbsp;180" in made.html
    assert "Und 165 weitere." in made.html
    assert made.text.count("Spielerin") >= 200
