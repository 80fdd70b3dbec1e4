"""The reply cutter: what players wrote stays, what they answered to goes; whatever program has quoted our mail, in
whatever language."""

import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from moderator.common.mails import UnreadReason
from moderator.language.messages import render_label
from moderator.mail.clean import decode_text
from moderator.mail.parse import parse_mail_bytes
from moderator.mail.reply import normalize_line
from tests.helpers import list_lines
from tests.mail.new_text import new_text

WRITTEN = Path(__file__).parent / "quotes.txt"
"""What mail programs write above a quote."""
NEW = "E5 w HAUS (AH) 12; sonst C3 s MOND"
QUOTED = ["Hallo Jörg,", "", "bitte sende deinen Zug.", "E6 w GEHEIM", "", "Dein Moderator"]
MARKED = "\n".join(f"> {line}" for line in QUOTED)
PLAIN = "\n".join(QUOTED)


def texts(text: str, ours: tuple[str, ...] = ()) -> list[str]:
    return [line.text for line in new_text(text, ours)[0]]


@pytest.mark.parametrize("attribution", list_lines(WRITTEN, "attributions"))
def test_an_attribution_begins_a_quote_that_is_marked_or_not(attribution: str) -> None:
    name, line = attribution.split(" | ", 1)
    assert texts(f"{NEW}\n\n{line}\n\n{MARKED}\n") == [NEW]
    assert texts(f"{NEW}\n\n{line}\n{PLAIN}\n") == [NEW]
    assert texts(f"{line}\n{MARKED}\n\n{NEW}\n") == [NEW], "an answer below a marked quote is kept"
    if name not in ("Gmail de, narrow", "Gmail de, wrapped at the name"):
        assert texts(f"{NEW}\n\n{line}\n{PLAIN}\n".replace("\n", "\n\n")) == [NEW], "set with empty lines"


@pytest.mark.parametrize("line", ["Moderator schrieb:", "Der Moderator hat geschrieben:", "Moderator wrote:"])
def test_bare_attribution_counts_only_above_marked_lines(line: str) -> None:
    assert texts(f"{NEW}\n{line}\n{MARKED}") == [NEW]
    assert texts(f"{line}\n{NEW}") == [line, NEW]


@pytest.mark.parametrize("block", list_lines(WRITTEN, "blocks"))
def test_unmarked_quotes_end_the_mail(block: str) -> None:
    text = f"{NEW}\n\n{block.partition(' | ')[2]}\n\n{PLAIN}\n"
    assert texts(text) == [NEW]
    assert texts(text.replace("\n", "\r\n")) == [NEW]
    _, ignored = new_text(text)
    assert set(ignored) == {"quote"}


@pytest.mark.parametrize("signature", list_lines(WRITTEN, "signatures"))
def test_a_phones_signature_ends_the_text_but_an_answer_below_the_quote_is_found(signature: str) -> None:
    lines, ignored = new_text(f"{NEW}\n\n{signature}\n")
    assert [line.text for line in lines] == [NEW]
    assert ignored == {"signature": 1}
    below = f"{signature}\n\n> Am 20.11.2026 um 10:15 schrieb Moderator:\n{MARKED}\n{NEW}\n"
    assert texts(below) == [NEW], "an answer typed below the quote is found, though the signature stands above"
    assert texts(f"{NEW}\n{signature}\n\nE6 w GEHEIM\n") == [NEW]


@pytest.mark.parametrize("dashes", ["--", "-- ", "—", "--\u00a0"])
def test_signature_separator_ends_the_mail(dashes: str) -> None:
    lines, ignored = new_text(f"{NEW}\n{dashes}\nAnna\nE6 w GEHEIM\n> mehr\n")
    assert [line.text for line in lines] == [NEW]
    assert ignored == {"signature": 3, "quote": 1}


@pytest.mark.parametrize("word", ["ENDE", "Ende", "STOP", "SCHLUSS", "Schluß", "END", "end.", "*ENDE*"])
def test_an_end_word_alone_on_its_line_ends_the_mail(word: str) -> None:
    lines, ignored = new_text(f"{NEW}\n{word}\nnoch ein Satz\nE6 w GEHEIM\n> Zitat\n")
    assert [line.text for line in lines] == [NEW]
    assert ignored == {"after-end": 3, "quote": 1}
    assert texts("E5 w ENDE\nEnde gut, alles gut") == ["E5 w ENDE", "Ende gut, alles gut"]


@pytest.mark.parametrize("prose", list_lines(WRITTEN, "prose"))
def test_prose_that_resembles_the_start_of_a_quote_stays(prose: str) -> None:
    assert texts(f"{prose}\n{NEW}\n\nAm 20.11.2026 um 10:15 schrieb Moderator:\n{MARKED}") == [prose, NEW]
    assert texts(f"{prose}\n{NEW}\nAm 20.11.2026 um 10:15 schrieb Moderator:\n{MARKED}") == [prose, NEW]


def test_inline_replies_have_their_numbers_and_the_tail_of_a_rewrapped_quote_is_a_quote() -> None:
    text = f"Hallo,\n\n\n> Dein Zug?\n{NEW}\n> Und danach?\n\nH3 w TOR\n> E6 w GEHEIM\n"
    lines, ignored = new_text(text)
    assert [(line.number, line.text) for line in lines] == [(1, "Hallo,"), (3, NEW), (5, "H3 w TOR")]
    assert ignored == {"quote": 3}
    long = "> hier steht der Stand nach der dritten Runde, und zum Beispiel brachte"
    assert texts(f"{NEW}\n{long}\nE6 w GEHEIM\n> vierzehn Punkte\n") == [NEW]
    assert texts(f"> ##- Bitte oberhalb dieser Zeile antworten -##\n{MARKED}\n{NEW}\n") == [NEW]


@pytest.mark.parametrize(
    "mark", ["> ", ">", ">> ", "> > ", "  > ", "AB> ", "| ", "&gt; ", "\u200b> ", "\ufeff> ", "＞ "]
)
def test_marked_moves_never_appear(mark: str) -> None:
    assert texts(f"{NEW}\n{mark}E6 w GEHEIM\n") == [NEW]


@pytest.mark.parametrize("gap", ["\r", "\u2028", "\x0b", "\x0c", "\x85"])
def test_odd_line_breaks_do_not_free_a_quote(gap: str) -> None:
    assert texts(f"> Hallo{gap}E6 w GEHEIM\n{NEW}") == [NEW]
    assert texts(f"{NEW}{gap}> Hallo{gap}> E6 w GEHEIM") == [NEW]
    assert texts(f"{NEW}{gap}H3 w TOR") == [NEW, "H3 w TOR"]


def test_our_own_lines_are_left_out() -> None:
    ours = ("Dein Zug für Runde 3:", "  E6  w geheim")
    lines, ignored = new_text(f"{NEW}\ndein zug  für Runde 3:\nE6 w GEHEIM\n", ours)
    assert [line.text for line in lines] == [NEW]
    assert ignored == {"own": 2}
    assert normalize_line("> >  E5\u00a0 w\tHÄUSER ") == normalize_line(unicodedata.normalize("NFD", "e5 W häuser"))


def test_what_is_not_seen_is_cleaned_away() -> None:
    decomposed = unicodedata.normalize("NFD", "HÄUSER")
    assert texts(f"\ufeffE5\u00a0w\t{decomposed}\u200b\u00ad  ") == ["E5 w HÄUSER"]
    assert texts("E5 w \u202eH\u2066AUS\u2069\x00") == ["E5 w HAUS"]
    assert texts("a\ud800b") == ["a\ufffdb"]
    assert texts("   eingerückt bleibt  ") == ["   eingerückt bleibt"]


@pytest.mark.parametrize(
    ("data", "declared", "text"),
    [
        ("MÜLL".encode(), "utf-8", "MÜLL"),
        ("MÜLL".encode("latin-1"), "utf-8", "MÜLL"),
        ("MÜLL".encode("latin-1"), "", "MÜLL"),
        ("MÜLL".encode(), "us-ascii", "MÜLL"),
        ("MÜLL".encode(), "iso-8859-1", "MÜLL"),
        ("„MÜLL“".encode("cp1252"), "iso-8859-1", "„MÜLL“"),
        *(("MÜLL".encode(), name, "MÜLL") for name in ("klingon", "base64", "idna", "x" * 1000)),
        ("MÜLL".encode("utf-16"), "utf-16", "MÜLL"),
        ("MÜLL".encode("utf-16-le"), "utf-16", "MÜLL"),
        ("MÜLL".encode("utf-16-be"), "utf-16", "MÜLL"),
        ("MÜLL".encode("utf-16-be"), "utf-16be", "MÜLL"),
        ("MÜLL".encode("utf-8-sig"), "latin-1", "MÜLL"),
        ("MÜLL".encode("cp850"), "cp850", "MÜLL"),
        (b"M\x81LL", "utf-8", "M\x81LL"),
    ],
)
def test_text_is_decoded_whatever_charset_is_declared(data: bytes, declared: str, text: str) -> None:
    assert decode_text(data, declared) == text


XYLO = "E5 w XYLO"
OLD = "E5 w HAUS"
ADDRESS = "Nora Lind <nora@home.example>"


def check_cut(*quote: str) -> None:
    for gap in ("\n", "\n\n"):
        lines, _ = new_text("\n".join([XYLO, "", *quote, *([""] if gap == "\n\n" else []), OLD]))
        assert [line.text for line in lines] == [XYLO], quote


@pytest.mark.parametrize("header", list_lines(WRITTEN, "headers"))
def test_a_header_block_ends_the_new_text(header: str) -> None:
    _, sender, date, to, subject, when = header.split(" | ")
    rows = [f"{sender}: {ADDRESS}", f"{date}: {when}", f"{to}: games@club.example", f"{subject}: Re: Topwords [K7Q2]"]
    check_cut(*rows)
    check_cut("________________________________", *rows)
    check_cut(*(f"*{row.replace(': ', ':* ', 1)}" for row in rows))
    check_cut(*(row.replace(": ", "：", 1) for row in rows))
    check_cut(*"\n\n".join(rows).split("\n"))
    check_cut(*(row.replace(ADDRESS, "Nora Lind").replace("games@club.example", "Spielleiter") for row in rows))
    check_cut(*rows[:2])


@pytest.mark.parametrize("wrote", list_lines(WRITTEN, "wrote"))
def test_a_line_that_says_who_wrote_ends_the_new_text(wrote: str) -> None:
    line = wrote.partition(" | ")[2].format(ADDRESS)
    check_cut(line)
    at = line.find("<")
    if at > 0 and any(
        one.isdigit() for one in line[:at]
    ):  # a line that is wrapped before the date leaves a name, no order
        check_cut(line[:at], line[at:])


def invented() -> Iterator[tuple[str, ...]]:
    """Heads of quotes in languages that nobody speaks: their words mean nothing, only the shape counts."""
    words = ("Zorp", "Ka vim", "Ылгэ", "Ōhu", "מרק", "ฎฏ")
    dates = ("2026/11/20 10:15", "20.11.2026 10:15", "20 Vimkor 2026, 10.15", "11-20-2026", "2026-11-20T10:15:00Z")
    for number, word in enumerate(words):
        date = dates[number % len(dates)]
        yield f"{word}: {ADDRESS}", f"{word}i: {date}", f"{word}o: games@club.example", f"{word}u: [K7Q2-8J3MZP4QXA]"
        yield f"{word}o: games@club.example", f"{word}: nora@home.example", f"{word}u: Re: Topwords"
        yield f"{word}: {date}", f"{word}i: Nora", f"{word}u: Re: Topwords [K7Q2-8J3MZP4QXA]"
        yield (f"{word} {date} {ADDRESS} {word}:",)
        yield (f"{word}u: {word}: Du bist am Zug: Topwords „Lindau“ [K7Q2-8J3MZP4QXA]",)
        yield ("Message-ID: <K7Q2.0.aeb90f99df40e887@club.example>",)
        yield (f"{ADDRESS} {word} ({date}):",)
        yield f"{word} {date} Nora Lind von Hinterwald, Mitspielerin und Kassenwartin", "<nora@home.example>:"


@pytest.mark.parametrize("quote", list(invented()), ids="/".join)
def test_a_head_is_known_by_its_shape(quote: tuple[str, ...]) -> None:
    check_cut(*quote)


@pytest.mark.parametrize(
    "lines",
    [
        ["Name: Nora Lind", "Sprache: de", "Zeitzone: Europe/Berlin"],
        ["Sprache: de", "Urlaub: 1.12.2026 bis 15.12.2026", "Zusammenfassung: an"],
        ["Zug: E5 w HAUS", "Ersatz: C3 s MOND", "Frage: zählt Ö doppelt?"],
        ["Bert sagte um 10:15:", "E5 w HAUS"],
        ["Mein Zug:", "64@L", "12@R:"],
        ["Antwort an nora@home.example:", "E5 w HAUS"],
        ["2026 wird ein gutes Jahr:", "E5 w HAUS"],
        ["E5 w HAUS (AH) 12; sonst C3 s MOND", "F7 w OHR 10; sonst F8 w OHR 2026"],
    ],
)
def test_what_only_looks_a_little_like_a_head_stays(lines: list[str]) -> None:
    assert [line.text for line in new_text("\n".join(lines))[0]] == lines


HINTS = {
    "de": "Schreib über diese Zeile; was darunter steht, lese ich nicht.",
    "en": "Write above this line; I do not read what is below it.",
    "fr": "Écris au-dessus de cette ligne ; je ne lis pas ce qui est en dessous.",
}
"""Stood below our marker in the prefilled answers of versions up to 0.3; such answers still come."""


@pytest.mark.parametrize("language", ["de", "en", "fr"])
@pytest.mark.parametrize("joint", ["\n", " ", "", "   "], ids=["lines", "space", "nothing", "spaces"])
def test_what_stands_before_our_marker_on_its_line_counts(language: str, joint: str) -> None:
    """Mail programs make one line of the body that a button fills in."""
    marker = joint.join([render_label("marker", language), HINTS[language]])
    for order in (XYLO, "passe", "64@L 12@R; sonst ziehe", "Y20 s NACHT, T20 w EXAM*EN"):
        assert [line.text for line in new_text(f"{order}{joint}{marker}")[0]] == [order]
        assert [line.text for line in new_text(f"{order} *{marker}*\n{OLD}")[0]] == [order]
    assert new_text(f"Am 20.11.2026 um 10:15 schrieb Nora: {marker}\n{OLD}")[0] == []


@pytest.mark.parametrize("language", ["de", "en", "fr"])
def test_who_writes_below_our_marker_is_told_so(language: str) -> None:
    marker, hint = render_label("marker", language), HINTS[language]

    def kinds(body: str) -> list[UnreadReason]:
        return [one.kind for one in parse_mail_bytes(f"From: nora@home.example\n\n{body}\n".encode()).unopened]

    assert kinds(f"{marker} {XYLO}") == kinds(f"{marker} {hint} {XYLO}") == [UnreadReason.BELOW]
    assert kinds(f"\n\n{marker}\n{hint}\n{XYLO}\nGruß, Nora") == [UnreadReason.BELOW]
    assert kinds(f"{marker}\n{hint}") == kinds(f"{marker} {hint}") == [UnreadReason.QUOTED]
    assert kinds("\n".join([marker, hint, *("Zeile aus unserer Mail" for _ in range(20))])) == [UnreadReason.QUOTED]
