"""What the mails of tournaments say to whom, beside what stands in tests/golden."""

from dataclasses import replace

from moderator.notifications.content import TournamentTable, TournamentView
from moderator.render.mail import render_mail
from moderator.tournaments.field import Entrant, TournamentState
from moderator.tournaments.standings import build_crosstable
from tests.pages.sample_tournaments import bracket, following, ladder, league, page, paired, robin, swiss_of, view

ROWS = 8


def mail(one: TournamentView, name: str = "Jörg") -> tuple[str, str]:
    """Subject and text of the German mail to ``name``, white space folded."""
    made = page("de", one, board="text")
    done = render_mail(replace(made, reader=replace(made.reader, name=name)))
    return done.subject, " ".join(done.text.split())


def test_the_fate_in_a_knock_out_is_the_subject() -> None:
    over = view(bracket(1), "report")
    assert mail(over)[0] == "Freilos: eine Runde weiter · Herbstturnier (T3)"
    assert mail(over, "Dora")[0].startswith("Ausgeschieden: ½ : 1½ gegen passe · ")
    assert mail(view(bracket(2), "report"))[0].startswith("Ausgeschieden: ½ : 1½ gegen Fritz · ")
    assert mail(view(bracket(2), "report"), "Anna")[0].startswith("Im Finale! 2 : 0 gegen passe")
    last = view(paired(bracket(2)), "pairings")
    for board, said in ((1, "Finale: du gegen "), (3, "Um Platz 3: du gegen ")):
        own = next(one for one in last.games if one.board == board)
        assert mail(replace(last, yours=(replace(own, you=0),)))[0].startswith(said)


def test_a_tie_that_game_points_decided_says_by_how_many() -> None:
    over = view(bracket(2), "report")
    table = over.tables[0].table
    level = tuple(replace(t, points=("1", "1"), sums=(10, 15)) if "Fritz" in t.names else t for t in table.ties)
    said = mail(replace(over, tables=(replace(over.tables[0], table=replace(table, ties=level)),)))[1]
    assert ", 5 Punkte zu wenig" in said or "mit 5 Punkten mehr" in said


def test_a_round_that_begins_says_how_the_last_one_was_and_whom_one_meets() -> None:
    subject, said = mail(following(swiss_of(8, 2, 5)))
    assert subject.startswith("Runde 2: du verlierst gegen Hilfe · ")
    assert said.startswith("Runde 2: du verlierst gegen Hilfe, Platz 8 – Runde 3 gegen ")
    assert "Fritz führt mit 2 Punkten, du hast 0." in said


def test_a_tie_break_is_named_only_where_it_decided_for_the_reader() -> None:
    report = view(swiss_of(9, 2, 5), "report")
    assert "Gleich viele Punkte wie du: Gerda." in mail(report)[1]
    alone = next(line for line in report.tables[0].cross.lines if line.name == "Jörg")
    lines = tuple(replace(line, points="9") if line is alone else line for line in report.tables[0].cross.lines)
    table = replace(report.tables[0], table=replace(report.tables[0].cross, lines=lines))
    assert "Den Ausschlag" not in mail(replace(report, tables=(table,)))[1]


def test_a_warning_says_what_would_count_now() -> None:
    one = view(paired(swiss_of(8, 2, 5)), "warning")
    own = tuple(replace(game, standing=(-28, -42), awaited=(game.names[1 - game.you],), you=0) for game in one.yours)
    said = mail(replace(one, yours=own))[1]
    assert "du kannst nichts tun" in said
    assert "du −28" in said
    assert "Damit würdest du gewinnen." in said
    assert "entscheidet der Spielleiter" in mail(view(robin(8, 0.5), "warning", adjudicate="moderator"))[1]


def test_the_final_report_says_ones_own_place_and_who_has_won() -> None:
    final = view(robin(8, 1), "final")
    table = final.tables[0]
    for number, head in ((6, "Turniersieg! Platz 1 von 8"), (7, "Platz 3 von 8")):
        subject, said = mail(replace(final, tables=(replace(table, you=number),)))
        assert subject.startswith(head)
        assert ("Gewonnen hat Fritz." in said) == (number != 6)
    assert mail(league("final"))[0].startswith("Abgestiegen: Platz 6 der 2. Liga · Liga Nord 2 (T3)")
    first, own, last = league("final").tables
    left = replace(league("final"), tables=(first, replace(own, you=99), last))
    assert mail(left)[0].startswith("Zu Ende; du warst ausgestiegen")


def test_whoever_may_be_challenged_is_a_button() -> None:
    assert "»Turnier T3 fordern Anna«" in mail(ladder())[1]
    assert "fordern" not in mail(replace(ladder(), challengeable=()))[1]


def test_a_table_in_a_mail_has_eight_rows_and_the_reader_is_in_it() -> None:
    entrants = tuple(Entrant(n, f"Spielerin {n}") for n in range(1, 201))
    t = TournamentState("swiss", entrants, rounds=9)
    table = TournamentTable(1, build_crosstable(t), {n: (n,) for n in range(1, 201)}, you=180)
    made = render_mail(page("de", replace(view(robin(4, 0), "final"), format="swiss", tables=(table,))))
    assert not made.images
    assert made.text.count("Spielerin") == ROWS
    assert "Spielerin 180 " in made.text.replace("\u00a0", " ")
    assert f"… und noch {200 - ROWS} Namen." in made.text.replace("\u00a0", " ")
