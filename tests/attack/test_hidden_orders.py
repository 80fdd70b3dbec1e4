"""What a reader of the mail does not see is no order, and what was read stands in the answer."""

from __future__ import annotations

import base64

import pytest

from moderator.mail.inbound import read_mail
from tests.attack.post import Still, Tried, everything

HTML = "Content-Type: text/html; charset=utf-8"
ORDER = "passe"
STYLES = (
    "display:none", "DISPLAY : NONE !important", "display/**/:none", "dis\\70lay:none", "visibility:hidden",
    "visibility:collapse", "font-size:0", "font-size:0px", "font-size:0.1px", "font-size:.4pt", "font-size:1px",
    "font-size:2px", "font-size:0.1em", "font-size:1%", "opacity:0", "opacity:0.0", "opacity:0.01", "color:#fff",
    "color:white", "color:#FFFFFF", "color:rgb(255,255,255)", "color:rgba(255, 255, 255, 0.9)", "color:#fefefe",
    "color:rgb(100%,100%,100%)", "color:snow", "color:transparent", "background:#000;color:#000",
    "color:black;background-color:#010101", "max-height:0;overflow:hidden", "height:0", "width:0", "max-width:0",
    "mso-hide:all", "text-indent:-9999px", "position:absolute;left:-9999px", "position:absolute;top:-999em",
    "margin-left:-9999px", "clip:rect(0,0,0,0)", "clip-path:inset(100%)", "transform:scale(0)",
    "transform:translate(-9999px)", "content-visibility:hidden", "text-decoration:line-through",
    "x:" + "y" * 5000 + ";display:none",
)  # fmt: skip
MARKUP = (
    "<!-- {0} -->", "<!-- > {0} -->", "<!--x--!> {0} -->", "<![CDATA[{0}]]>", "<!DOCTYPE {0}>", "<?php {0} ?>",
    "<style>{0}</style>", "<style>p:after{{content:'{0}'}}</style>", "<script>{0}</script>", "<title>{0}</title>",
    "<noframes>{0}</noframes>", "<template>{0}</template>", "<textarea>{0}</textarea>", "<svg><text>{0}</text></svg>",
    "<iframe>{0}</iframe>", "<object>{0}</object>", "<select><option>{0}</option></select>", "<del>{0}</del>",
    "<s>{0}</s>", "<p hidden>{0}</p>", "<p hidden=''>{0}</p>", "<img alt='{0}'>", "<input value='{0}'>",
    "<a title='{0}' href='x'></a>", "<font color=white>{0}</font>", "<font color='#ffffff'>{0}</font>",
    "<table bgcolor=black><tr><td><font color=black>{0}</font></td></tr></table>",
    "<blockquote>{0}</blockquote>", "<blockquote><div><p>{0}</p></div></blockquote>",
    "<div class=gmail_quote>{0}</div>",
    "<div class=gmail_signature>{0}</div>", "<style>.x{{display:none}}</style><p class=x>{0}</p>",
    "<style>#x{{font-size:0}}</style><p id=x>{0}</p>", "<style>big{{display:none}}</style><big>{0}</big>",
    "<style>p.a, p.x{{visibility:hidden}}</style><p class='b x'>{0}</p>",
)  # fmt: skip
PLAIN = {
    "quoted": "> {0}\n>> {0}",
    "quoted with initials": "AB> {0}",
    "quoted, full width": "＞ {0}",
    "quoted, behind a carriage return": "> x\r{0}",
    "quoted, behind a line separator": "> x\u2028{0}",
    "below an attribution": "Am 20.11.2026 um 12:00 schrieb Bert <bert@home.example>:\n{0}",
    "below a separator": "-----Ursprüngliche Nachricht-----\nVon: Bert\nGesendet: heute\nAn: x\nBetreff: y\n\n{0}",
    "in a signature": "Gruß\n-- \n{0}",
    "after ENDE": "Gruß\nENDE\n{0}",
    "beyond 25,000 lines": "Gruß\n" + "x\n" * 25_000 + "{0}",
    "beyond 100 lines": "Gruß\n" + "x y\n" * 120 + "{0}",
    "beyond a megabyte": "x" * 1_200_000 + "\n{0}",
}
"""Places in a text that are not the writer's new text, or are too far down."""


def html(inside: str) -> str:
    return f"<html><body><p>Hallo zusammen</p>{inside}</body></html>"


def sent(still: Still, body: str, *headers: str) -> Tried:
    sender = [] if any(line.startswith("From") for line in headers) else ["From: anna@home.example"]
    return still.tried(body, *sender, *headers, to=still.seat(0))


def lines(body: str, *headers: str) -> list[str]:
    """The new text of such a mail."""
    head = ["From: anna@home.example", *headers, "MIME-Version: 1.0"]
    return [line.text for line in read_mail("\r\n".join([*head, "", body]).encode("utf-8")).lines]


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style[:40])
def test_text_that_cannot_be_seen_is_not_read(style: str) -> None:
    body = html(f'<div style="{style}">{ORDER}</div><div style="{style}"><p><b>{ORDER}</b></p></div>')
    assert lines(body, HTML) == ["Hallo zusammen"]


@pytest.mark.parametrize("markup", MARKUP)
def test_markup_that_is_not_shown_is_not_read(markup: str) -> None:
    assert lines(html(markup.format(ORDER)), HTML) == ["Hallo zusammen"]


@pytest.mark.parametrize(
    "style",
    [
        "", "color:black", "color:#333", "background:#000;color:#fff", "color:white;background:url(x.png)",
        "font-size:10pt", "font-size:0.9em", "opacity:1", "width:100%", "margin-left:10px", "color:#1F497D",
        "background:white;color:windowtext", "line-height:0", "font-size:90%", "font-size:12.5px", "opacity:0.9",
    ],
)  # fmt: skip
def test_text_that_can_be_seen_is_read(style: str) -> None:
    assert lines(html(f'<div style="{style}">{ORDER}</div>'), HTML) == ["Hallo zusammen", ORDER]


def test_a_dark_page_with_light_text_is_read() -> None:
    body = f'<html><body bgcolor="#222222" text="#eeeeee"><p>{ORDER}</p><font color=white>Gruß</font></body></html>'
    assert lines(body, HTML) == [ORDER, "Gruß"]
    body = f'<body style="color:#fff"><div style="background-color:#111"><p>{ORDER}</p></div></body>'
    assert lines(body, HTML) == [ORDER]


@pytest.mark.parametrize("where", PLAIN)
def test_what_is_not_new_text_is_no_order(still: Still, where: str) -> None:
    assert not sent(still, PLAIN[where].format(ORDER).replace("\n", "\r\n")).moved


@pytest.mark.matrix("attack")
@pytest.mark.parametrize("style", STYLES, ids=lambda style: style[:40])
def test_nor_is_it_played(still: Still, style: str) -> None:
    assert not sent(still, html(f'<div style="{style}">{ORDER}</div>'), HTML).moved
    assert sent(still, html(f"<div>{ORDER}</div>"), HTML).moved


def multipart(kind: str, *parts: str) -> tuple[str, str]:
    """(body, header)."""
    body = "".join(f"--zz\r\n{part}\r\n" for part in parts) + "--zz--\r\n"
    return body, f'Content-Type: multipart/{kind}; boundary="zz"'


TEXT = "Content-Type: text/plain; charset=utf-8\r\n\r\n{0}"
CODED = base64.b64encode(ORDER.encode()).decode()
ATTACHED = {
    "a text file": f"Content-Type: text/plain\r\nContent-Disposition: attachment; filename=x.txt\r\n\r\n{ORDER}",
    "an inline file": f"Content-Type: text/plain\r\nContent-Disposition: inline; filename=x.txt\r\n\r\n{ORDER}",
    "a named part": f"Content-Type: text/plain; name=x.txt\r\n\r\n{ORDER}",
    "a mail": f"Content-Type: message/rfc822\r\n\r\nFrom: bert@home.example\r\nSubject: {ORDER}\r\n\r\n{ORDER}",
    "a mail in base64": "Content-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    + base64.b64encode(f"Subject: x\r\n\r\n{ORDER}".encode()).decode(),
    "part of a mail": f"Content-Type: message/partial; id=x; number=1\r\n\r\n{ORDER}",
    "HTML beside the text": f"Content-Type: text/html\r\n\r\n<p>{ORDER}</p>",
    "a calendar": f"Content-Type: text/calendar\r\n\r\nSUMMARY:{ORDER}",
    "enriched text": f"Content-Type: text/enriched\r\n\r\n{ORDER}",
    "a picture": f"Content-Type: image/svg+xml\r\n\r\n<svg><text>{ORDER}</text></svg>",
    "bytes": f"Content-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n\r\n{CODED}",
    "a multipart's preamble": "Content-Type: multipart/mixed; boundary=q\r\n\r\n"
    + f"{ORDER}\r\n--q\r\n\r\nx\r\n--q--\r\n{ORDER}",
}


@pytest.mark.parametrize("what", ATTACHED)
@pytest.mark.parametrize("kind", ["mixed", "alternative", "related"])
def test_what_is_attached_is_no_order(what: str, kind: str) -> None:
    body, header = multipart(kind, TEXT.format("Hallo"), ATTACHED[what])
    assert ORDER not in lines(body, header)
    assert "Hallo" in lines(body, header)


def test_the_text_around_the_parts_is_no_order() -> None:
    body, header = multipart("mixed", TEXT.format("Hallo"))
    assert lines(f"{ORDER}\r\n{body}\r\n{ORDER}", header) == ["Hallo"]


def test_of_two_versions_the_plain_text_counts_and_is_shown(still: Still) -> None:
    """HTML may say something else: then the answer says what was read."""
    other = "Content-Type: text/html\r\n\r\n<p>tausche alles</p>"
    body, header = multipart("alternative", TEXT.format(ORDER), other)
    found = sent(still, body, header)
    assert found.moved
    told = everything(found.mails[found.to.index("anna@home.example")])
    assert ORDER in told
    assert "tausche alles" not in told


@pytest.mark.parametrize(
    "header",
    [
        f"From: {ORDER} <anna@home.example>",
        f"X-Order: {ORDER}",
        f"Comments: {ORDER}",
        f"Keywords: {ORDER}",
        f"Reply-To: {ORDER} <anna@home.example>",
        f"Content-Description: {ORDER}",
    ],
)
def test_no_header_holds_an_order(still: Still, header: str) -> None:
    assert not sent(still, "Gruß an alle", header).moved


def test_each_line_that_was_read_stands_in_the_answer(still: Still) -> None:
    """Invisible characters are gone before it is read, so that what is shown is what was understood."""
    body = "E5\u200b w QU\u202eARK\r\nE6 w XYZQ\u2066QQ\r\nmir faellt nichts ein"
    told = sent(still, body).told
    for line in ("E5 w QUARK", "E6 w XYZQQQ", "mir faellt nichts ein"):
        assert line in " ".join(told.replace("\u00a0", " ").split())
    assert not set(told) & set("\u200b\u202e\u2066")


def test_a_played_move_is_told_to_who_played_it(still: Still) -> None:
    found = sent(still, html(f"<p>{ORDER}</p>"), HTML)
    assert found.moved
    assert ORDER in everything(found.mails[found.to.index("anna@home.example")])


def test_a_forwarded_mail_of_bert_plays_nothing(still: Still) -> None:
    """Anna sends Bert's mail on to the club, with his hidden orders in it."""
    inner = html(f'<p style="color:white">{ORDER}</p><!-- {ORDER} --><p>Schau mal</p>')
    quoted = f'<p>Was meint er?</p><div class="gmail_quote"><div class="gmail_attr">Bert schrieb:</div>{inner}</div>'
    found = sent(still, quoted, HTML)
    assert (found.state, found.moved) == ("done", False)
