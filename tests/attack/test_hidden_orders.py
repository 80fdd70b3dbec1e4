"""What a reader of the mail does not see is no order, and what was read stands in the answer."""

import base64
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import pytest
from sqlmodel import select

from moderator.mail.maildir import deliver_to_maildir
from moderator.mail.parse import parse_mail_bytes
from moderator.run.watch import receive_mail
from moderator.store.tables import InboxRow, OutboxRow, PlayerRow
from tests.attack.post import VOUCHED, Still, Tried, as_bytes, everything, raw, started
from tests.attack.post import ticked as handled
from tests.club.club import Club

HTML = "Content-Type: text/html; charset=utf-8"
ORDER = "passe"
ANNA, BERT = "anna@home.example", "bert@home.example"
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
    "<noframes>{0}</noframes>", "<template>{0}</template>", "<!--[if mso]>{0}<![endif]-->",
    "<textarea>{0}</textarea>", "<svg><text>{0}</text></svg>",
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
    return f"<html><body><p>Hallo zusammen</p>{inside}<p>Gruß</p></body></html>"


def sent(still: Still, body: str, *headers: str) -> Tried:
    sender = [] if any(line.startswith("From") for line in headers) else ["From: anna@home.example"]
    return still.tried(body, *sender, *headers, to=still.seat(0))


def lines(body: str, *headers: str) -> list[str]:
    head = ["From: anna@home.example", *headers, "MIME-Version: 1.0"]
    return [line.text for line in parse_mail_bytes("\r\n".join([*head, "", body]).encode("utf-8")).lines]


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style[:40])
def test_text_that_cannot_be_seen_is_not_read(style: str) -> None:
    body = html(f'<div style="{style}">{ORDER}</div><div style="{style}"><p><b>{ORDER}</b></p></div>')
    assert lines(body, HTML) == ["Hallo zusammen", "Gruß"]


@pytest.mark.parametrize("markup", MARKUP)
def test_markup_that_is_not_shown_is_not_read(markup: str) -> None:
    assert lines(html(markup.format(ORDER)), HTML) == ["Hallo zusammen", "Gruß"]


SEEN = (
    "", "color:black", "color:#333", "background:#000;color:#fff", "color:white;background:url(x.png)",
    "font-size:10pt", "font-size:0.9em", "opacity:1", "width:100%", "margin-left:10px", "color:#1F497D", "color:#000",
    "opacity:0.5", "max-height:0.5em", "background:white;color:windowtext", "line-height:0", "font-size:90%",
    "font-size:12.5px", "opacity:0.9",
)  # fmt: skip


@pytest.mark.parametrize("style", SEEN)
def test_text_that_can_be_seen_is_read(style: str) -> None:
    assert lines(html(f'<div style="{style}">{ORDER}</div>'), HTML) == ["Hallo zusammen", ORDER, "Gruß"]


def test_a_dark_page_with_light_text_is_read() -> None:
    body = f'<html><body bgcolor="#222222" text="#eeeeee"><p>{ORDER}</p><font color=white>Gruß</font></body></html>'
    assert lines(body, HTML) == [ORDER, "Gruß"]
    body = f'<body style="color:#fff"><div style="background-color:#111"><p>{ORDER}</p></div></body>'
    assert lines(body, HTML) == [ORDER]


@pytest.mark.parametrize("where", PLAIN)
def test_what_is_not_new_text_is_no_order(still: Still, where: str) -> None:
    assert not sent(still, PLAIN[where].format(ORDER).replace("\n", "\r\n")).moved


@pytest.mark.parametrize("style", STYLES[::9], ids=lambda style: style[:40])
def test_nor_is_it_played(still: Still, style: str) -> None:
    assert not sent(still, html(f'<div style="{style}">{ORDER}</div>'), HTML).moved
    found = sent(still, html(f"<div>{ORDER}</div>"), HTML)
    assert found.moved
    assert "Du hast gepasst" in everything(found.mails[found.to.index(ANNA)])


def multipart(kind: str, *parts: str) -> tuple[str, str]:
    body = "".join(f"--zz\r\n{part}\r\n" for part in parts) + "--zz--\r\n"
    return body, f'Content-Type: multipart/{kind}; boundary="zz"'


TEXT = "Content-Type: text/plain; charset=utf-8\r\n\r\n{0}"
CODED = base64.b64encode(ORDER.encode()).decode()
ATTACHED = {
    "a text file": f"Content-Type: text/plain\r\nContent-Disposition: attachment; filename=x.txt\r\n\r\n{ORDER}",
    "a text file without a name": f"Content-Type: text/plain\r\nContent-Disposition: attachment\r\n\r\n{ORDER}",
    "an inline file": f"Content-Type: text/plain\r\nContent-Disposition: inline; filename=x.txt\r\n\r\n{ORDER}",
    "a named part": f"Content-Type: text/plain; name=x.txt\r\n\r\n{ORDER}",
    "a mail": f"Content-Type: message/rfc822\r\n\r\nFrom: bert@home.example\r\nSubject: {ORDER}\r\n\r\n{ORDER}",
    "a mail in base64": "Content-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    + base64.b64encode(f"Subject: x\r\n\r\n{ORDER}".encode()).decode(),
    "part of a mail": f"Content-Type: message/partial; id=x; number=1\r\n\r\n{ORDER}",
    "a calendar": f"Content-Type: text/calendar\r\n\r\nSUMMARY:{ORDER}",
    "enriched text": f"Content-Type: text/enriched\r\n\r\n{ORDER}",
    "a picture": f"Content-Type: image/svg+xml\r\n\r\n<svg><text>{ORDER}</text></svg>",
    "bytes": f"Content-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n\r\n{CODED}",
    "a multipart's preamble": "Content-Type: multipart/mixed; boundary=q\r\n\r\n"
    + f"{ORDER}\r\n--q\r\n\r\nx\r\n--q--\r\n{ORDER}",
}


@pytest.mark.parametrize("what", ATTACHED)
def test_what_is_attached_is_no_order(what: str) -> None:
    for kind in ("mixed", "alternative", "related"):
        body, header = multipart(kind, TEXT.format("Hallo"), ATTACHED[what])
        assert ORDER not in lines(body, header)
        assert "Hallo" in lines(body, header) or "preamble" in what
        if what not in ("a named part", "enriched text"):  # which are the text then
            assert ORDER not in lines(*multipart(kind, ATTACHED[what]))
        body, header = multipart(kind, TEXT.format("Hallo"))
        assert lines(f"{ORDER}\r\n{body}\r\n{ORDER}", header) == ["Hallo"], "around the parts"


def test_of_two_versions_the_one_that_is_seen_counts_and_is_shown(still: Still) -> None:
    """The plain text may say something else: then the answer says what was read."""
    seen = f"Content-Type: text/html\r\n\r\n<p>{ORDER}</p>"
    body, header = multipart("alternative", TEXT.format("tausche alles"), seen)
    found = sent(still, body, header)
    assert found.moved
    told = everything(found.mails[found.to.index(ANNA)])
    assert "Du hast gepasst" in told
    assert "tausche alles" not in told


def test_no_header_holds_an_order(still: Still) -> None:
    for header in ("From", "Reply-To", "X-Order", "Comments", "Keywords", "Content-Description"):
        address = f" <{ANNA}>" if header in ("From", "Reply-To") else ""
        assert not sent(still, "Gruß an alle", f"{header}: {ORDER}{address}").moved, header


def test_each_line_that_was_read_stands_in_the_answer(still: Still) -> None:
    """Invisible characters are gone before it is read, so that what is shown is what was understood."""
    body = "E5\u200b w QU\u202eARK\r\nE6 w XYZQ\u2066QQ\r\nmir faellt nichts ein"
    told = sent(still, body).told
    for line in ("E5 w QUARK", "E6 w XYZQQQ", "mir faellt nichts ein"):
        assert line in " ".join(told.replace("\u00a0", " ").split())
    assert not set(told) & set("\u200b\u202e\u2066")


PLAIN_REPORT = "games@club.example"
HEAD = ("Return-Path: <>", "From: MAILER-DAEMON@mx.far.example")


@dataclass(frozen=True)
class Mail:
    """What its recipient knows of a mail of ours."""

    message_id: str
    return_path: str


Shape = Callable[[list[str], str], tuple[list[str], str]]
"""(addresses that failed, Message-ID of the mail or "") -> (header lines, body)"""


def standard(failed: list[str], message_id: str, kind: str = "text/rfc822-headers") -> tuple[list[str], str]:
    """RFC 3464, as Postfix and most others write it."""
    blocks = "".join(f"Final-Recipient: rfc822; {one}\nAction: failed\nStatus: 5.1.1\n\n" for one in failed)
    original = f"{named(message_id)}To: {failed[0]}\n"
    body = "--b\nContent-Type: text/plain\n\nSorry.\n\n--b\nContent-Type: message/delivery-status\n\n"
    body += f"Reporting-MTA: dns; mx.far.example\n\n{blocks}--b\nContent-Type: {kind}\n\n{original}\n\n--b--\n"
    return ['Content-Type: multipart/report; report-type=delivery-status; boundary="b"', "Subject: Undelivered"], body


def named(message_id: str) -> str:
    return f"Message-ID: {message_id}\n" if message_id else ""


def attached(failed: list[str], message_id: str) -> tuple[list[str], str]:
    """With the whole mail."""
    return standard(failed, message_id, "message/rfc822")


def qmail(failed: list[str], message_id: str) -> tuple[list[str], str]:
    body = "".join(f"<{one}>:\nSorry, no mailbox here by that name. (#5.1.1)\n\n" for one in failed)
    copy = f"--- Below this line is a copy of the message.\n\n{named(message_id)}"
    return ["Subject: failure notice"], f"Hi. This is the qmail-send program at far.example.\n\n{body}{copy}"


def exim(failed: list[str], message_id: str) -> tuple[list[str], str]:
    body = "".join(f"  {one}\n    550 5.1.1 user unknown\n" for one in failed)
    heads = ["Subject: Mail delivery failed: returning message to sender", "X-Failed-Recipients: " + ", ".join(failed)]
    copy = f"\n------ This is a copy of the message ------\n\n{named(message_id)}"
    return heads, f"A message that you sent could not be delivered:\n\n{body}{copy}"


def threaded(failed: list[str], message_id: str) -> tuple[list[str], str]:
    """An answer that names the mail in its own header only."""
    lines = "".join(f"RCPT TO: {one}\n" for one in failed)
    heads = ["Subject: Re: Topwords", "From: post_master@far.example"]
    return heads + ([f"In-Reply-To: {message_id}"] if message_id else []), f"550 - no such user here\n\n{lines}"


SHAPES: tuple[Shape, ...] = (standard, attached, qmail, exim, threaded)


def send(still: Still, shape: Shape, failed: list[str], message_id: str, to: str, *more: str) -> tuple[str, str]:
    """(who is marked, state of the report): what a report would lead to."""
    heads, body = shape(failed, message_id)
    first = HEAD if not any(head.startswith("From:") for head in heads) else HEAD[:1]
    found = still.tried(body, *first, *heads, *more, to=to)
    marked = " ".join(player["name"] for player in found.players if player["undeliverable"])
    stopped = [match["stopped"] == "mail" for match in found.matches]
    assert stopped == ["Anna" in marked] * 2  # her turn in both
    assert bool(found.to) == bool(marked)  # the moderator is told, and nobody else ever
    assert set(found.to) <= {"boss@club.example"}
    return marked, found.state


@pytest.fixture
def known(still: Still) -> dict[str, Mail]:
    """What everybody finds in their own mailbox."""
    rows = still.club.stored(select(OutboxRow).order_by(OutboxRow.id.desc()))  # type: ignore[union-attr]
    return {row.recipient: Mail(row.message_id, f"games+BACK-{row.return_token}@club.example") for row in rows}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_true_report_stops_the_clock(still: Still, known: dict[str, Mail], shape: Shape) -> None:
    anna = known[ANNA]
    more = [
        ("<another@far.example>", anna.return_path),
        ("", anna.return_path.lower()),
        ("", f"Testrunde <{anna.return_path}>"),
        (anna.message_id, still.seat(0)),
    ]
    for message_id, to in (*proofs(anna), *more):
        assert send(still, shape, [ANNA], message_id, to) == ("Anna", "machine"), (message_id, to)
    for field in ("Delivered-To", "X-Original-To", "Envelope-To"):
        assert send(still, shape, [ANNA], "", "undisclosed:;", f"{field}: {anna.return_path}")[0] == "Anna"
    # Her mail is sent on to another mailbox, and that does not take it.
    assert send(still, shape, ["anna@office.example"], "", anna.return_path) == ("Anna", "machine")


@pytest.mark.parametrize("shape", SHAPES)
def test_a_stranger_stops_no_clock(still: Still, known: dict[str, Mail], shape: Shape) -> None:
    made_up = ["", f"<{still.one}.0.0123456789abcdef@club.example>", "<turn.0123456789abcdef@club.example>"]
    back = ("games+BACK-0000000000@club.example", "games+BACK-@club.example")
    for message_id, to in product(made_up, (PLAIN_REPORT, *back, f"games+{still.one}@club.example")):
        subject = f"X-Failed-Recipients: {ANNA}"
        assert send(still, shape, [ANNA], message_id, to, subject) == ("", "waiting"), (message_id, to)
        assert send(still, shape, [ANNA, BERT], message_id, to) == ("", "waiting")
        assert send(still, shape, ["zoe@far.example"], message_id, to) == ("", "unknown")


@pytest.mark.parametrize("shape", SHAPES)
def test_a_co_player_stops_no_clock_but_the_own(still: Still, known: dict[str, Mail], shape: Shape) -> None:
    """Bert knows the codes, his own tokens, and the Message-IDs and return paths of his own mails."""
    bert = known[BERT]
    for to in (PLAIN_REPORT, still.seat(1), f"{still.seat(1)}, {PLAIN_REPORT}"):
        assert send(still, shape, [ANNA], bert.message_id, to) == ("", "waiting")
    for failed in ([ANNA], [ANNA, BERT], [BERT, ANNA]):
        assert send(still, shape, failed, bert.message_id, bert.return_path) == ("Bert", "machine")
        assert send(still, shape, failed, "", bert.return_path) == ("Bert", "machine")
    assert send(still, shape, [BERT, ANNA], bert.message_id, PLAIN_REPORT) == ("Bert", "machine")
    # What Anna has shown him of a mail of hers is about her mail only, and about no other address.
    assert send(still, shape, [BERT], known[ANNA].message_id, PLAIN_REPORT) == ("", "waiting")
    both = f"{bert.return_path}, {known[ANNA].return_path}"
    assert send(still, shape, [ANNA], "", both) == ("", "waiting")


def forged(club: Club, failed: str, message_id: str, to: str) -> bytes:
    heads, body = standard([failed], message_id)
    return as_bytes(club, body, [*HEAD, *heads], to)


def ticked(club: Club, data: bytes) -> tuple[str, bool, str]:
    """(state and note of the report, whether the clock stands)."""
    deliver_to_maildir(club.config.resolve_path(club.config.maildir.inbox), data)
    handled(club)
    return seen(club)


def seen(club: Club) -> tuple[str, bool, str]:
    with club.work() as work:
        row = work.session.exec(select(InboxRow).order_by(InboxRow.id.desc())).first()  # type: ignore[union-attr]
        anna = work.session.exec(select(PlayerRow).where(PlayerRow.name == "Anna")).one()
        assert row.player_id == (anna.id if row.state == "waiting" else None)
        return row.state, bool(anna.undeliverable), row.note


def newest(club: Club) -> Mail:
    """Anna's newest mail; it is her turn."""
    started(club)
    (row,) = club.stored(select(OutboxRow).where(OutboxRow.recipient == ANNA))
    return Mail(row.message_id, f"games+BACK-{row.return_token}@club.example" if row.return_token else "")


@pytest.fixture
def anna(club: Club) -> Mail:
    return newest(club)


def proofs(anna: Mail) -> tuple[tuple[str, str], ...]:
    """Each way to show that a report is about that mail: Message-ID and recipient."""
    from_who_heeds_no_return_path = (anna.message_id, PLAIN_REPORT)
    return (anna.message_id, anna.return_path), ("", anna.return_path), from_who_heeds_no_return_path


def test_a_report_that_is_replayed_stops_nothing_again(club: Club, anna: Mail) -> None:
    assert ticked(club, forged(club, ANNA, anna.message_id, anna.return_path)) == ("machine", True, "bounce")
    assert ticked(club, forged(club, ANNA, anna.message_id, anna.return_path))[:2] == ("machine", True)
    raw(club, "Stand", f"From: {ANNA}", f"Authentication-Results: {VOUCHED}")
    for message_id, to in proofs(anna):
        again = ticked(club, forged(club, ANNA, message_id, to))
        assert again == ("waiting", False, f"a delivery report for {ANNA} that has counted before")


def test_a_report_about_a_mail_of_long_ago_stops_nothing(club: Club, anna: Mail) -> None:
    club.wait(days=15)
    note = f"a delivery report for {ANNA} about a mail of 2026-11-20, long ago"
    for message_id, to in proofs(anna):
        assert ticked(club, forged(club, ANNA, message_id, to)) == ("waiting", False, note)


def test_a_report_for_an_address_that_was_given_up_is_about_nobody(club: Club, anna: Mail) -> None:
    with club.work() as work:
        work.session.exec(select(PlayerRow).where(PlayerRow.name == "Anna")).one().address = "anna@new.example"
    assert ticked(club, forged(club, ANNA, anna.message_id, anna.return_path))[:2] == ("machine", False)
    assert ticked(club, forged(club, ANNA, "", PLAIN_REPORT))[:2] == ("unknown", False)


def test_what_waits_is_left_alone_when_it_is_read_again(club: Club, anna: Mail) -> None:
    assert ticked(club, forged(club, ANNA, "", PLAIN_REPORT))[:2] == ("waiting", False)
    with club.work() as work:
        row = work.session.get_one(InboxRow, 1)
        row.state, row.attempts = "received", 0
    club.tick()
    assert seen(club) == ("waiting", False, f"a delivery report for {ANNA} that proves nothing")
    # By pipe it is the same.
    receive_mail(club.config, forged(club, ANNA, "", PLAIN_REPORT))
    assert seen(club)[:2] == ("waiting", False)
    receive_mail(club.config, forged(club, ANNA, "", anna.return_path))
    assert seen(club)[:2] == ("machine", True)


def test_a_mailbox_with_one_address_knows_reports_by_the_message_id(club: Club) -> None:
    object.__setattr__(club.config.mail, "subaddress", "")
    anna = newest(club)
    assert anna.return_path == ""
    for known, to in (("", PLAIN_REPORT), ("", "games+BACK-@club.example"), ("<x@club.example>", PLAIN_REPORT)):
        assert ticked(club, forged(club, ANNA, known, to))[:2] == ("waiting", False)
    assert ticked(club, forged(club, ANNA, anna.message_id, PLAIN_REPORT))[:2] == ("machine", True)


def test_every_mail_has_a_return_path_of_its_own(still: Still) -> None:
    with still.club.work() as work:
        tokens = work.session.exec(select(OutboxRow.return_token)).all()
        message_ids = " ".join(work.session.exec(select(OutboxRow.message_id)))
    assert len(set(tokens)) == len(tokens) >= 4
    assert "" not in tokens
    assert not any(token in message_ids for token in tokens)
