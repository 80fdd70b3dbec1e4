"""What mails about a match say in a game's own words: seals, racks by colour, sums, scores, the race, the link to the
touch board. What the sample mails say as they are stands in tests/golden."""

import re
from dataclasses import replace

import pytest

from moderator.common.disk import LANGUAGES
from moderator.common.enums import MailKind
from moderator.common.mails import RenderedMail
from moderator.games import OWN, load_game
from moderator.language import traits
from moderator.language.messages import load_move_words, render_code, render_label
from moderator.notifications.content import MoveView, WordScore
from moderator.notifications.pages import DigestNotification, LineOutcome, Page, Receipt
from moderator.render.boards import describe_board, describe_board_lines, render_legend_lines
from moderator.render.document import Bench
from moderator.render.mail import render_mail
from moderator.render.mails.position import render_stock, show_tiles
from moderator.render.mails.report import (
    build_event_chapters,
    build_reported_moves,
)
from moderator.render.mails.subject import build_mail_head
from moderator.render.text import render_prose
from moderator.render.turn_picture import add_moves
from moderator.rules import turn_data
from moderator.rules.events import SeatEliminated, events_of_result
from moderator.rules.game import PLAIN, Note
from moderator.rules.outcomes import OrderIllegal, OrderStored
from moderator.rules.silence import SeatStatus
from tests.games.test_presto_notation import DRAWINGS
from tests.pages import match_pages
from tests.pages.all_pages import mail, names, pages
from tests.pages.sample_pages import NOTHING_MORE, Language, arrange, keep

TILE_GAMES = pytest.mark.parametrize("key", match_pages.TILE_GAMES)
NAMES = ("Anna", "Jörg", "Max")


def text(made: RenderedMail) -> str:
    """A text mail as one line."""
    return " ".join(made.text.split())


@pytest.mark.parametrize("language", ["de", "en"])
def test_the_words_mixed_into_the_shuffle_stand_in_the_first_mail(language: str) -> None:
    page = pages(language)["dominos-start"]
    salted = replace(page, match=replace(page.match, salts=("anna:herbst", "bert:regen")))
    assert "anna:herbst, bert:regen" in text(render_mail(salted))
    assert "anna:herbst" not in mail(language, "dominos-start").text


@TILE_GAMES
def test_the_rack_fits_on_a_phone(key: str) -> None:
    page = pages("de")[f"{key}-turn"]
    for count in (0, 1, 6, 7, 8, 23):
        blocks = show_tiles(replace(page, rack=(page.rack * 23)[:count]))
        shown = [block for block in blocks if isinstance(block, Bench)]
        assert sum(len(row) for block in shown for row in block.rows) == count
        assert all(sum(tile.width + 4 for tile in row) <= 340 for block in shown for row in block.rows)


def test_the_stock_is_told_by_colour() -> None:
    page = pages("de")["kreuzwort-turn"]
    one = replace(page, stock=3, stock_kinds={"red": 1, "black": 2})
    assert render_stock(one) == "Im Vorrat: 1 roter Stein und 2 schwarze Steine."
    assert render_stock(replace(page, stock=0, stock_kinds={"red": 0, "black": 0})) == "Der Vorrat ist leer."
    assert render_stock(replace(page, stock_kinds={})) == "Im Vorrat: 41 Steine."


def test_traits_of_games_and_of_none() -> None:
    assert traits.get_notation_style("domijongg") == load_game("domijongg").style != PLAIN
    assert traits.get_notation_style(None) == traits.get_notation_style("chess") == PLAIN
    assert traits.has_seeded_rounds("dominos")
    assert not traits.has_seeded_rounds("topwords")
    assert not traits.has_seeded_rounds(None)
    assert traits.format_tile("dominos", "64") == "6\u01c04"
    assert traits.format_tile("topwords", "E") == traits.format_tile(None, "E") == "E"
    assert [traits.get_rack_colour("point", name) for name in ("E", "N", "*r", "*b")] == [
        "red",
        "black",
        "red",
        "black",
    ]
    assert (
        traits.get_rack_colour("topwords", "E")
        == traits.get_rack_colour("dominos", "64")
        == traits.get_rack_colour(None, "E")
        == ""
    )


def test_words_without_points_are_named_only_where_the_move_does_not() -> None:
    page = pages("de")["kreuzwort-turn"]
    report = MoveView(0, "Anna", played="T20 w HA*US", alternative=1, words=(WordScore("HAUS", 0), WordScore("AH", 0)))
    (told,) = build_reported_moves(replace(page, reports=(report,)), NAMES)
    assert (told.points, told.sums) == ("", "Dabei entsteht auch: AH")
    (told,) = build_reported_moves(replace(page, reports=(replace(report, words=(WordScore("HAUS", 0),)),)), NAMES)
    assert told.sums == ""
    pointed = replace(pages("de")["point-turn"], reports=(replace(report, points=8, words=(WordScore("HAUS", 8),)),))
    assert build_reported_moves(pointed, NAMES)[0].points == "8 Punkte"


def test_what_is_left_over_belongs_to_the_sums_of_its_seat() -> None:
    notes = (
        Note("out", seat=1),
        Note("sum-laid", {"items": [7], "points": 7}, seat=0),
        Note("left-over", {"tiles": ["E", "*r"], "cost": 11}, seat=0, points=-11),
        Note("sum-total", {"round": 1, "points": -4, "total": -4}, seat=0),
        Note("match-won", {"points": 9}, seat=1),
    )
    (over,) = build_event_chapters(notes, "de", "point", NAMES)
    assert over.heading == "Spiel 1 ist zu Ende"
    assert over.sums[0].lines == ("Züge: 7.", "Übrig: E, roter Jolly, das kostet 11 Punkte.")
    assert over.after == ("Jörg gewinnt die Partie mit 9 Punkten.",)


def test_a_game_without_sums_ends_under_its_own_name() -> None:
    notes = (Note("cannot-lay", seat=0), Note("blocked"), Note("rest", {"tiles": ["E"], "rest": 3}, seat=1))
    before, over = build_event_chapters(notes, "de", "kreuzwort", NAMES)
    assert (before.heading, over.heading) == ("", "Das Spiel ist zu Ende")
    following = (*notes, Note("next-round-double", {"round": 2}))
    assert [chapter.heading for chapter in build_event_chapters(following, "de", "kreuzwort", NAMES)][-1] == ""
    (out,) = (report.then for report in pages("de")["recht-out"].reports)
    assert [chapter.heading for chapter in build_event_chapters(out, "de", "recht", NAMES)] == [""], (
        "a seat that is out ends none"
    )


def test_who_is_out_reads_that_first_and_nobody_else_does() -> None:
    """In the script of »Wer behält recht?« somebody cannot complete an announcement."""
    one, told = match_pages.played("recht"), 0
    for at, moment in enumerate(one.moments):
        happened = events_of_result(one.game, moment.before, moment.after, moment.result)
        out = {each.seat for each in happened if isinstance(each, SeatEliminated)}
        if moment.after.state.over:
            continue
        made = match_pages.page("recht", "de", at)
        for reader in range(moment.after.state.seats):
            seats = tuple(replace(seat, you=seat.number == reader) for seat in made.seats)
            read = build_mail_head(replace(made, seats=seats))
            assert read.subject.startswith("Du bist ausgeschieden") == (reader in out), (at, reader)
            assert read.headline.startswith("Du bist ausgeschieden") == (reader in out), (at, reader)
            told += reader in out
    assert told


def test_html_breaks_no_line_before_what_is_a_move_by_itself() -> None:
    moves = "tausche E an K3; vorn S + hinten *N = STERNWARTE", "E an T21 + R an T22 w = KERNGEHAEUSE"
    first, second = (str(render_prose(f"gilt »{move}«")).split(" ") for move in moves)
    assert [part.replace("\u00a0", " ") for part in first] == [
        "gilt »tausche E an K3; vorn S + hinten *N = STERNWARTE«"
    ]
    assert [part.replace("\u00a0", " ") for part in second] == ["gilt »E an T21 + R", "an T22", "w = KERNGEHAEUSE«"]


def test_a_right_solution_is_kept_until_the_round_is_over() -> None:
    grid = "Gitter (HAUS / U / T)"
    receipt = Receipt(OrderStored(), (LineOutcome(1, grid, "move", grid, 4),))
    page = replace(pages("de")["presto-turn"], kind="receipt", reports=(), receipt=receipt, stored=keep(grid))
    page = arrange(page, SeatStatus.SUBMITTED)
    made = render_mail(page)
    assert "Fehlerfrei!" in made.subject
    assert "Es zählt, wessen Mail zuerst da war" in text(made)
    assert "gehst du in dieser Runde leer aus" not in text(made)
    later = render_mail(replace(page, kind="status", content=NOTHING_MORE["status"], receipt=None))
    assert "Es zählt, wessen Mail zuerst da war" in text(later)


URL = "https://club.example/archive/zug/topwords.html"


@pytest.mark.slow
def test_text_and_html_lead_from_the_same_mails_to_the_page_to_lay_tiles_on() -> None:
    led = set()
    for name in names():
        page = pages("de")[name]
        assert "/zug/" not in mail("de", name).html, "where there is no such page"
        if page.table is None:
            continue
        made = render_mail(replace(page, board_page=URL, reader=replace(page.reader, board="text")))
        links = re.findall(rf'href="{URL}#([\w-]+)"', made.html)
        assert len(links) <= 1
        assert (URL in made.text) == bool(links), name
        if links:
            led.add(name.partition("-")[2])
            assert links == [turn_data.encode_turn_link(add_moves(turn_data.decode_turn(made.files[0].data)))]
    assert led >= {"start", "turn", "refused", "round"}


def test_a_daily_mail_leads_there_for_each_match() -> None:
    page = replace(pages("de")["dominos-turn"], board_page=URL, scene=None)
    for parts in ((page,), (page, page)):
        made = render_mail(
            Page(MailKind.DIGEST, page.reader, page.club, page.now, reply=page.reply, content=DigestNotification(parts))
        )
        assert len(re.findall(rf'href="{URL}#', made.html)) == len(parts)
        assert not made.files


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("typed", [*DRAWINGS.values(), "Grid:\nHAUS\nU..N", "Gitter (HAUS / U)", "grid (HAUS / U)"])
def test_a_receipt_names_a_line_as_typed_or_a_drawing_as_its_reader_writes_it(typed: str, language: Language) -> None:
    match = match_pages.played("presto")
    rows = [row for row in typed.splitlines() if row.strip()]
    lines = match_pages.read(match, match.opened, rows, language)
    asked = match_pages.page("presto", language, -1, kind="receipt", receipt=Receipt(OrderIllegal(), lines))
    own = load_move_words(language, "presto")["Gitter"]
    first = typed.partition(" ")[0] if "(" in typed and not asked.receipt.lines[0].canonical else own
    assert re.search(rf"[»“«]\s?{first} \(", render_mail(asked).text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_end_of_a_race_says_what_was_laid_in_words_and_whose_crossword_is_drawn(language: Language) -> None:
    laid = Note("layout", {"move": "Gitter (..B / EXAMEN / ..R)", "words": ["EXAMEN", "BAR"]}, seat=0)
    ended = match_pages.page("presto", language, len(match_pages.played("presto").moments) - 1)
    scene = (
        match_pages.page("presto", language, match_pages.moment(match_pages.played("presto"), "round")).finals[0].scene
    )
    said = render_mail(replace(ended, notes=(laid,), reports=(), scene=scene)).text
    assert "EXAMEN" in said
    assert not re.search(r"G(itter|rid|rille) \(", said)
    assert " ".join(render_label("end-crossword", language, name="Anna").split()) in " ".join(said.split())


@pytest.mark.parametrize("key", [key for key in sorted(OWN) if traits.get_pass_text(key)])
def test_a_move_by_which_nothing_is_laid_has_no_points_where_moves_bring_none(key: str) -> None:
    made = match_pages.page(key, "en", 1)
    told = replace(made.reports[-1], seat=0, name="Anna", you=False, played=traits.get_pass_text(key), points=0)
    said = build_mail_head(replace(made, kind=MailKind.TURN, reports=(told,), happened=(), receipt=None)).headline
    assert made.match is not None
    if made.match.pace == "sequential":
        assert said == "Anna passes."


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("status", SeatStatus)
def test_who_is_out_is_not_told_how_to_send_a_move(language: Language, status: SeatStatus) -> None:
    made = match_pages.page("recht", language, match_pages.moment(match_pages.played("recht"), "turn"))
    seats = tuple(replace(seat, status=status) if seat.you else seat for seat in made.seats)
    said = render_mail(replace(made, seats=seats)).text
    assert (render_label("link-how", language) in said) != status.is_out


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", ["dominos", "tridom", "supertridom", "domijongg"])
def test_no_place_is_free_once_the_match_is_over(key: str, language: Language) -> None:
    match = match_pages.played(key)
    free = {"dominos": ("board.none", "board.sum"), "domijongg": ()}.get(key, ("board.two", "board.three"))
    words = [render_code(code, language, key, total=0).partition(":")[0] for code in free]
    for at, is_over in ((len(match.moments) // 2, False), (len(match.moments) - 1, True)):
        scene = match_pages.page(key, language, at).scene
        assert scene is not None
        told = "\n".join((*describe_board_lines(scene, language), describe_board(scene, language)))
        told += "\n".join(render_legend_lines(scene, language))
        assert not (is_over and [word for word in words if word in told]), told
        assert is_over or not words or any(word in told for word in words)
    ended = match_pages.page(key, language, match_pages.moment(match, "round"))
    for final in ended.finals:
        assert not [word for word in words if word in "\n".join(describe_board_lines(final.scene, language))]
