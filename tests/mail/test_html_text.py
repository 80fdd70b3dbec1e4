"""HTML mails: what is seen and new counts, nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moderator.mail.html_text import html_lines
from moderator.mail.reply import cut

NEW = "E5 w HAUS"


def texts(html: str) -> list[str]:
    return [line.text for line in cut(html_lines(html))[0]]


SECRET = "<div>E6 w GEHEIM</div>"
QUOTES = {
    "cite": f"<blockquote type='cite'>{SECRET}</blockquote>",
    "gmail": "<div class='gmail_quote gmail_quote_container'><div class='gmail_attr'>пт: &lt;a@b.example&gt;</div>"
    f"<blockquote class='gmail_quote'>{SECRET}</blockquote>{SECRET}</div>",
    "outlook web": f"<div id='appendonsend'></div><hr><div id='divRplyFwdMsg'><b>Od:</b> x</div>{SECRET}",
    "outlook web, prefixed": f"<div id='x_divRplyFwdMsg'>x</div>{SECRET}",
    "outlook desktop": "<div style='border:none;border-top:solid #E1E1E1 1.0pt'><p><b>Von:</b> Moderator<br>"
    f"<b>Gesendet:</b> Freitag, 20. November 2026 10:15<br><b>An:</b> Anna</p></div>{SECRET}",
    "outlook 2003": f"<div style='border:none;border-left:solid blue 1.5pt;padding:0cm'>{SECRET}</div>",
    "thunderbird": "<div class='moz-cite-prefix'>Am 20.11.2026 um 10:15 schrieb M:<br></div>"
    f"<blockquote>{SECRET}</blockquote>",
    "thunderbird forward": f"<div class='moz-forward-container'>{SECRET}</div>",
    "yahoo": f"<div id='yahoo_quoted_1234' class='yahoo_quoted'>{SECRET}</div>",
    "proton": f"<div class='protonmail_quote'>{SECRET}</div>",
    "zimbra": f"<hr id='zwchr' data-marker='__DIVIDER__'><div data-marker='__HEADERS__'>x</div>{SECRET}",
    "gmx": f"<div name='quote' style='margin:10px'>{SECRET}</div>",
    "hotmail": f"<hr id='stopSpelling'>Date: x{SECRET}",
    "mac outlook": f"<span id='OLK_SRC_BODY_SECTION'>{SECRET}</span>",
    "roundcube": f"<p id='reply-intro'>Am 20.11.2026 schrieb M:</p><blockquote>{SECRET}</blockquote>",
    "yahoo text": "<div>Am Freitag, 20. November 2026, 10:15 hat M &lt;gm@example.org&gt; Folgendes geschrieben:</div>"
    + SECRET,
    "signature": f"<div class='gmail_signature'>{SECRET}</div>",
    "unclosed cite": f"<blockquote>{SECRET}<p>E6 w GEHEIM",
    "misnested": f"<b><blockquote>x</b>{SECRET}</blockquote>",
}
HIDDEN = {
    "display": f"<div style='display : none'>{SECRET}</div>",
    "display important": f"<span style='DISPLAY:none !important'>{SECRET}</span>",
    "visibility": f"<p style='visibility:hidden'>{SECRET}</p>",
    "font": f"<span style='color:red;font-size:0px'>{SECRET}</span>",
    "mso": f"<span style='mso-hide:all'>{SECRET}</span>",
    "height": f"<div style='max-height:0;overflow:hidden'>{SECRET}</div>",
    "opacity": f"<div style='opacity:0'>{SECRET}</div>",
    "attribute": f"<div hidden>{SECRET}</div>",
    "class": f"<head><style>p.x, .pre {{ color:red; display:none }}</style></head><div class='pre'>{SECRET}</div>",
    "comment": "<!-- E6 w GEHEIM --><!--[if mso]>E6 w GEHEIM<![endif]-->",
    "unclosed comment": "<!-- E6 w GEHEIM",
    "script": "<script>E6 w GEHEIM</script>",
    "style": "<style>E6 w GEHEIM</style>",
    "head": "<html><head><title>E6 w GEHEIM</title></head><body></body></html>",
    "input": "<textarea>E6 w GEHEIM</textarea><select><option>E6 w GEHEIM</select>",
    "struck out": "<div><s>E6 w GEHEIM</s></div><div><del>E6 w GEHEIM</del></div>",
    "strike style": "<span style='text-decoration:line-through'>E6 w GEHEIM</span>",
    "in a quote": f"<blockquote><div>{SECRET}</div></blockquote>",
}


@pytest.mark.parametrize("name", QUOTES)
def test_quotes_are_cut(name: str) -> None:
    assert texts(f"<html><body><div>{NEW}</div><br>{QUOTES[name]}</body></html>") == [NEW]


@pytest.mark.parametrize("name", HIDDEN)
def test_what_is_not_seen_does_not_count(name: str) -> None:
    assert texts(f"<div>{NEW}</div>{HIDDEN[name]}") == [NEW]


@pytest.mark.parametrize("name", [name for name in HIDDEN if "unclosed" not in name])
def test_what_is_seen_after_hidden_text_counts(name: str) -> None:
    assert texts(f"{HIDDEN[name]}<div>{NEW}</div>") == [NEW]


@pytest.mark.parametrize("style", ["font-size:0.9em", "opacity:0.5", "max-height:0.5em", "line-height:0", "color:#000"])
def test_small_is_not_hidden(style: str) -> None:
    assert texts(f"<p style='{style}'>{NEW}</p>") == [NEW]


def test_lines() -> None:
    html = """<p>Hallo&nbsp;Moderator,<br>mein   Zug:</p><ul><li>E5 w <b>HÄ</b>USER</li>
    <li>C3 s MOND &amp; mehr</li></ul>
    <table><tr><td>H3 w</td><td>TOR</td></tr><tr><td>passe</td></tr></table>
    <pre>a  b\nc</pre><div>Gr&uuml;&szlig;e</div>"""
    expected = [
        "Hallo Moderator,",
        "mein Zug:",
        "E5 w HÄUSER",
        "C3 s MOND & mehr",
        "H3 w TOR",
        "passe",
        "a  b",
        "c",
        "Grüße",
    ]
    assert texts(html) == expected


def test_answers_between_quotes_stay() -> None:
    html = "<blockquote>Dein Zug?</blockquote><p>E5 w HAUS</p><blockquote>E6 w GEHEIM</blockquote><p>H3 w TOR</p>"
    assert texts(html) == ["E5 w HAUS", "H3 w TOR"]


def test_invisible_characters_within_a_word() -> None:
    assert texts("<p>E5 w H&shy;A&#8203;U&zwnj;S</p>") == ["E5 w HAUS"]


TAGS = [
    "<div>",
    "</div>",
    "<blockquote>",
    "</blockquote>",
    "<b>",
    "</b>",
    "<p",
    ">",
    "<!--",
    "-->",
    "<![CDATA[",
    "&#x",
    "'",
]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(TAGS), st.text(max_size=8)), max_size=40).map("".join))
def test_any_html_gives_lines(html: str) -> None:
    for text, kind in html_lines(html):
        assert "\n" not in text
        assert kind in ("", "quote", "signature")


@pytest.mark.slow
def test_tags_beyond_the_limit_are_left_out() -> None:
    """What stands before them is read."""
    assert [text for text, _ in html_lines("<p>E5 w HAUS</p>" + "<p>x</p>" * 40_000) if text][:2] == ["E5 w HAUS", "x"]
    assert len([text for text, _ in html_lines("<p>x</p>" * 40_000) if text]) == 25_000
