"""What happened by itself: chapters, the sums of a round by player, who is named; and how a round ended, which is shown
with the next deal, before it."""

import re
from dataclasses import replace

import pytest

from moderator.common.enums import BoardForm
from moderator.notifications.content import MoveView
from moderator.render.mail import render_mail
from moderator.render.mails.report import build_event_chapters, has_new_deal
from moderator.rules.events import RoundEnded, TurnMissed, build_final_positions
from moderator.rules.game import State
from moderator.rules.state import Note, view_for
from tests.pages.all_pages import mail, pages
from tests.pages.match_pages import NAMES as SEATED
from tests.pages.match_pages import played
from tests.pages.sample_pages import match, turn

NAMES = ("Anna", "Jörg", "Cäcilie")


def page():
    over = (Note("went-out", seat=0), Note("next-round", {"round": 3}))
    reports = (MoveView(0, "Anna", played="D5 s RATTE", alternative=1, points=21, then=over),)
    return turn(
        "de", reports=reports, names=tuple(NAMES), notes=(), match=match("de", round=3), happened=(RoundEnded(2),)
    )


def test_the_head_says_that_a_round_is_over_where_one_has_ended():
    for made in (page(), replace(page(), reports=())):
        assert "Runde 2 ist zu Ende." in " ".join(render_mail(made).text.split("\n\n")[0].split())
    quiet = replace(page(), happened=())
    assert "zu Ende" not in render_mail(quiet).text.split("\n\n")[0], "whatever the notes look like"


def test_after_the_next_deal_the_picture_shows_no_last_move():
    assert has_new_deal(page())
    assert not has_new_deal(replace(page(), happened=()))
    assert not has_new_deal(replace(page(), kind="end"))
    assert "Letzter Zug" not in render_mail(page()).html
    assert "Letzter Zug" in render_mail(replace(page(), happened=(TurnMissed(1, tried=False),))).html


@pytest.mark.parametrize("language", ["de", "en"])
def test_penalties_of_several_circles_are_one_line_for_each_player(language):
    notes = [Note("penalty", {"count": 1}, seat, -1) for _ in range(5) for seat in (0, 2)]
    notes.append(Note("penalty", {"count": 1}, 1, -1))
    (chapter,) = build_event_chapters(notes, language, "domijongg", NAMES)
    said = {
        "de": ("Anna kann 5-mal nicht anlegen: 5 Strafziegel, 5 Minuspunkte.", "1 Strafziegel, 1 Minuspunkt."),
        "en": ("Anna cannot lay 5 times: 5 penalty tiles, 5 points off.", "1 penalty tile"),
    }[language]
    assert len(chapter.before) == 3
    assert chapter.before[0] == said[0]
    assert NAMES[2] in chapter.before[1]
    assert said[1] in chapter.before[2]


DEALT_ANEW = ("dominos", "tridom", "domijongg", "kreuzwort", "point", "presto")
"""Games whose sample match has a second round."""


def ended(key: str) -> tuple[State, State]:
    """The state after the deal of the second round, and the last one of the first, which it keeps."""
    after = next(one.after.state for one in played(key).moments if one.after.state.public.round > 1)
    (before,) = after.past
    return after, before


@pytest.mark.parametrize("key", DEALT_ANEW)
def test_it_is_shown_with_the_sums_of_the_round(key):
    (after, before), game = ended(key), played(key).game
    names = SEATED[: after.seats]
    (shown,) = build_final_positions(game, after, names, [RoundEnded(1)])
    assert (shown.round, shown.scene) == (1, game.build_scene(replace(view_for(before, None), to_move=())))
    assert shown.scores == tuple((name, score, score) for name, score in zip(names, before.scores, strict=True))
    assert build_final_positions(game, after, names, []) == ()
    assert build_final_positions(game, before, names, [RoundEnded(1)]) == ()  # the deal was undone


@pytest.mark.parametrize("key", DEALT_ANEW)
def test_a_mail_shows_it_in_every_form_before_the_new_board(key):
    """In a race, of which the new board is empty, the new tiles come before it."""
    page, told = pages("de")[f"{key}-round"], mail("de", f"{key}-round")
    assert [final.round for final in page.finals] == [1]
    tiles = told.html.index('"Deine Ziegel"' if key == "domijongg" else '"Deine Steine"')
    assert (tiles < told.html.index('src="cid:')) == (key == "presto")
    for form in (BoardForm.TABLE, BoardForm.TEXT):
        told = render_mail(replace(page, reader=replace(page.reader, board=form)))
        assert not told.images
        title = re.search(r"<h2[^>]*>((?:Runde|Spiel) 1: [^<]*)</h2>", told.html)
        assert title[1] in told.text
