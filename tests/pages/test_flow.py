"""Wrapping of text mails, and what players write stays harmless in HTML."""

import re
import textwrap
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from moderator.render.mail import render_mail
from moderator.render.text import render_prose, split_orders, wrap_text
from moderator.rules.game import Note, Style
from tests.pages.sample_pages import keep, pages


@settings(max_examples=50, deadline=None)
@given(st.text(alphabet="ab »«„“”>From -E5ws\n.", max_size=400))
def test_every_line_suits_a_mail(text):
    for line in wrap_text(text).splitlines():
        assert len(line) <= 62
        assert line == line.rstrip()
        assert not line.startswith((">", "From "))


def test_words_are_kept_in_order():
    text = "- " + " ".join(f"wort{n}" for n in range(60))
    assert wrap_text(text).split() == text.split()
    assert all(line.startswith(("- wort0", "  wort")) for line in wrap_text(text).splitlines())


def test_a_move_keeps_the_word_before_it_and_a_sum_its_end():
    for length in range(20, 62):
        before = "x" * length
        if length >= 30:
            assert "gilt »E5 w HAUS (AH, US) 14«" in wrap_text(
                f"{before} gilt »E5 w HAUS (AH, US) 14« ja ja ja ja ja ja ja"
            )
        pieces = wrap_text(f"{before} so: »2-2-5 an 8«. Oder: »225@8« ja ja ja").splitlines()
        assert not any(re.match(r"\W*(?:Oder|»)", piece) for piece in pieces), "what announces a fallback keeps it, too"
        line = f"{before} 10 + 5 + 25 + 20 = 60"
        assert not any(re.match(r"\+? ?20 = 60", piece) for piece in wrap_text(line).splitlines())
        assert "25 +\u00a020\u00a0=\u00a060".replace(" ", "\u00a0") in render_prose(line)


def test_no_break_spaces_hold_a_move_together_in_html():
    assert render_prose("das gilt »E5 w HAUS« <b>") == "das gilt\u00a0»E5\u00a0w\u00a0HAUS« &lt;b&gt;"
    assert render_prose("schreib tausche A E") == "schreib\u00a0tausche A E"


HEADS = Style(joined=re.compile(r"\d{1,2} *:"), colon_numbers=False)


def test_alternatives_are_parted_and_a_semicolon_inside_a_move_parts_nothing():
    assert split_orders("E5 w HAUS; sonst C3 s MOND\nErsatz: passe") == ["E5 w HAUS", "C3 s MOND", "passe"]
    assert split_orders("E5 w SONST") == ["E5 w SONST"]
    assert split_orders("") == []
    assert split_orders("1: T3+E, T2; 3: N, DR; sonst 2: B3", HEADS) == ["1: T3+E, T2; 3: N, DR", "2: B3"]
    assert split_orders("64@L ab 10; sonst 31@R; sonst nach Ziehen: bester") == [
        "64@L ab 10",
        "31@R",
        "nach Ziehen: bester",
    ]


def test_no_line_begins_with_another_head_of_a_move():
    kept = render_prose("Anna zieht »1: T3+E, T2; 3: N, DR, DW, S, S, W; 4: K2, K3«").replace("\u00a0", "\x00")
    for width in range(12, 60):
        assert not any(re.match(r"\d:", line) for line in textwrap.wrap(kept, width, break_long_words=False))


EVIL = '<script>alert(1)</script>"&\x00\r\n> x'


def test_what_players_write_is_escaped_and_kept_on_its_line():
    page = pages("de")["receipt-refused"]
    lines = tuple(
        replace(line, text=EVIL, notes=(Note("square-off-board", {"square": EVIL}),)) for line in page.receipt.lines
    )
    seats = tuple(replace(seat, name=EVIL, last=EVIL) for seat in page.seats)
    match = replace(page.match, name=EVIL, game_name=EVIL, lexicon=EVIL, code="K7Q2")
    evil = replace(
        page, seats=seats, match=match, club=EVIL, stored=keep(EVIL), receipt=replace(page.receipt, lines=lines)
    )
    mail = render_mail(evil)
    assert "<script" not in mail.html
    assert "\x00" not in mail.html + mail.text + mail.subject
    assert "\n" not in mail.subject + "".join(mail.images)
    assert all(not line.startswith(">") and len(line) <= 62 for line in mail.text.splitlines())


def test_every_kind_can_do_without_everything_optional():
    for page in pages("en").values():
        bare = replace(
            page, match=None, reply=None, deadline=None, scene=None, rack=None, stock=None, seats=(), ending=None
        )
        mail = render_mail(replace(bare, reports=(), receipt=None, notes=(), stored=None, names=(), examples={}))
        assert mail.subject
        assert "</html>" in mail.html
