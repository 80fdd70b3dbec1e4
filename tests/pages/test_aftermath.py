"""What happened by itself: chapters, the sums of a round by player, and who is named."""

from __future__ import annotations

from dataclasses import replace
from html import unescape

import pytest

from moderator.match.contract import Note
from moderator.match.happened import RoundEnded, TurnMissed
from moderator.pages import messages
from moderator.pages.aftermath import Chapter, Sums, chapters, next_deal, rounds_over
from moderator.pages.mail import render
from moderator.pages.pages import MoveReport
from tests.pages.sample_pages import match, turn

NAMES = ("Anna", "Jörg", "Cäcilie")
OVER = (
    Note("drew", {"count": 2}, seat=1),
    Note("passed", seat=1),
    Note("went-out", seat=0),
    Note("rest", {"tiles": ["64"]}, seat=1),
    Note("sum-laid", {"items": "10 + 5", "points": 15}, seat=0),
    Note("sum-total", {"round": 2, "points": 15, "total": 40}, seat=0),
    Note("sum-laid", {"items": "5", "points": 5}, seat=1),
    Note("sum-rests", {"points": -4}, seat=1),
    Note("sum-total", {"round": 2, "points": 1, "total": 21}, seat=1),
    Note("next-round", {"round": 3}),
    Note("opened", {"tile": "66"}, seat=1),
)
SENTENCES = {
    "yes": "ja",
    "no": "nein",
    "drew": "zieht {count:Stein|Steine}",
    "passed": "{name} setzt aus",
    "went-out": "hat alles gelegt",
    "rest": "hat noch {tiles}",
    "sum-laid": "Gelegt {items}",
    "sum-rests": "Rest {points}",
    "sum-total": "{points}, zusammen {total}",
    "next-round": "Runde {round} beginnt",
    "opened": "eröffnet mit {tile}",
}


@pytest.fixture
def sentences(monkeypatch):
    own = dict(SENTENCES)
    monkeypatch.setattr(messages, "table", lambda language, game=None: own)
    return own


def test_a_round_that_ends_has_its_sums_by_player(sentences):
    before, ending, after = chapters(OVER, "de", "topwords", NAMES)
    assert before == Chapter("", ("Jörg: zieht 2 Steine", "Jörg setzt aus"))
    assert ending.heading == "Runde 2 ist zu Ende"
    assert ending.before == ("Anna: hat alles gelegt", "Jörg: hat noch 64")
    assert ending.sums == (
        Sums("Anna", ("Gelegt 10 + 5",), "15, zusammen 40"),
        Sums("Jörg", ("Gelegt 5", "Rest −4"), "1, zusammen 21"),
    )
    assert ending.after == ()
    assert after == Chapter("", ("Runde 3 beginnt", "Jörg: eröffnet mit 66"))


def test_two_rounds_in_one_mail_are_two_chapters(sentences):
    found = chapters((*OVER, *OVER[2:9]), "en", None, NAMES)
    assert [chapter.heading for chapter in found] == ["", "Round 2 is over", "", "Round 2 is over"]
    assert found[-1].sums[1].name == "Jörg"


def test_who_has_won_stands_behind_the_sums(sentences):
    sentences["match-won"] = "gewinnt die Partie"
    (ending,) = chapters((*OVER[2:9], Note("match-won", seat=0)), "de", None, NAMES)
    assert ending.after == ("Anna: gewinnt die Partie",)


def test_a_code_without_a_sentence_is_no_crash(sentences):
    sentences.clear()
    sentences.update({"yes": "ja", "no": "nein"})
    found = chapters(OVER, "de", None, ())
    assert found[1].sums[0].name == ""
    assert found[1].sums[0].lines == ("sum-laid (items = 10 + 5, points = 15)",)


def test_without_anything_there_is_no_chapter():
    assert chapters((), "de", "topwords", NAMES) == ()


def page():
    reports = (MoveReport(0, "Anna", played="D5 s RATTE", alternative=1, points=21, then=OVER),)
    return turn(
        "de", reports=reports, names=tuple(NAMES), notes=(), match=match("de", round=3), happened=(RoundEnded(2),)
    )


def test_the_head_says_that_a_round_is_over():
    assert rounds_over(page()) == ("Runde 2 ist zu Ende",)
    assert "Runde 2 ist zu Ende." in " ".join(render(page()).text.split("\n\n")[0].split())


def test_the_mail_tells_it_in_order(sentences):
    mail = render(page())
    told = ["Jörg setzt aus", "Runde 2 ist zu Ende", "Gelegt 10 + 5", "15, zusammen 40", "Rest −4", "Runde 3 beginnt"]
    for text in (mail.text.split("Was geschehen ist")[1], mail.html.split("Was geschehen ist")[1]):
        places = [unescape(text).replace("\u00a0", " ").index(words) for words in told]
        assert places == sorted(places)


def test_after_the_next_deal_the_picture_shows_no_last_move():
    assert next_deal(page())
    assert not next_deal(replace(page(), happened=()))
    assert not next_deal(replace(page(), kind="end"))
    assert "Letzter Zug" not in render(page()).html
    assert "Letzter Zug" in render(replace(page(), happened=(TurnMissed(1, tried=False),))).html


def test_the_head_says_nothing_by_the_look_of_the_notes():
    assert rounds_over(replace(page(), happened=())) == ()
    assert rounds_over(replace(page(), reports=())) == ("Runde 2 ist zu Ende",)


@pytest.mark.parametrize("language", ["de", "en"])
def test_penalties_of_several_circles_are_one_line_for_each_player(language):
    notes = [Note("penalty", {"count": 1}, seat, -1) for _ in range(5) for seat in (0, 2)]
    notes.append(Note("penalty", {"count": 1}, 1, -1))
    (chapter,) = chapters(notes, language, "domijongg", NAMES)
    said = {
        "de": ("Anna kann 5-mal nicht anlegen: 5 Strafziegel, 5 Minuspunkte.", "1 Strafziegel, 1 Minuspunkt."),
        "en": ("Anna cannot lay 5 times: 5 penalty tiles, 5 points off.", "1 penalty tile"),
    }[language]
    assert len(chapter.before) == 3
    assert chapter.before[0] == said[0]
    assert NAMES[2] in chapter.before[1]
    assert said[1] in chapter.before[2]
