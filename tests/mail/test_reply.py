"""The reply cutter: what players wrote stays, what they answered to goes."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moderator.mail.clean import clean_mail_text, decode_text
from moderator.mail.reply import normalize_line
from tests.mail.new_text import new_text

NEW = "E5 w HAUS (AH) 12; sonst C3 s MOND"
QUOTED = ["Hallo Jörg,", "", "bitte sende deinen Zug.", "E6 w GEHEIM", "", "Dein Moderator"]
MARKED = "\n".join(f"> {line}" for line in QUOTED)
PLAIN = "\n".join(QUOTED)


def texts(text: str, ours: tuple[str, ...] = ()) -> list[str]:
    return [line.text for line in new_text(text, ours)[0]]


ATTRIBUTIONS = {
    "Thunderbird de": "Am 20.11.2026 um 10:15 schrieb Moderator:",
    "Thunderbird en": "On 11/20/2026 10:15 AM, Moderator wrote:",
    "Gmail de": "Am Fr., 20. Nov. 2026 um 10:15 Uhr schrieb Moderator <gm@example.org>:",
    "Gmail en": "On Fri, Nov 20, 2026 at 10:15 AM Moderator <gm@example.org> wrote:",
    "Gmail en, wrapped": "On Fri, Nov 20, 2026 at 10:15 AM Postal Games Moderator, Referee <\ngm@example.org> wrote:",
    "Gmail de, wrapped at the name": "Am Fr., 20. Nov. 2026 um 10:15 Uhr schrieb Der Moderator der Runde\n"
    "'Briefspiel am See' via Verteiler <gm@example.org>:",
    "Gmail de, narrow": "Am Fr., 20. Nov. 2026 um 10:15 Uhr\nschrieb Moderator <\ngm@example.org>:",
    "Gmail old": "2026-11-20 10:15 GMT+01:00 Moderator <gm@example.org>:",
    "Apple de": "Am 20.11.2026 um 10:15 schrieb Moderator <gm@example.org>:",
    "Apple en": "On 20 Nov 2026, at 10:15, Moderator <gm@example.org> wrote:",
    "Apple, narrow no-break space": "On Nov 20, 2026, at 10:15\u202fAM, Moderator <gm@example.org> wrote:",
    "Yahoo de": "  Am Freitag, 20. November 2026, 10:15:00 MEZ hat Moderator <gm@example.org> Folgendes geschrieben:  ",
    "Yahoo en": "    On Friday, November 20, 2026 at 10:15:00 AM GMT+1, Moderator <gm@example.org> wrote:  ",
    "Open-Xchange": "Moderator <gm@example.org> hat am 20.11.2026 10:15 CET geschrieben:",
    "Proton": "Moderator <gm@example.org> schrieb am Freitag, 20. November 2026 um 10:15:",
    "Proton, verb last": "Am Freitag, 20. November 2026 um 10:15, Moderator <gm@example.org> schrieb:",
    "Roundcube": "Am 2026-11-20 10:15, schrieb Moderator:",
    "SOGo": "Am Freitag, 20. November 2026 10:15 CET, schrieb Moderator <gm@example.org>:",
    "mutt": "On Fri, Nov 20, 2026 at 10:15:00AM +0100, Moderator wrote:",
    "K-9": "Am 20. November 2026 10:15:00 MEZ schrieb Moderator <gm@example.org>:",
    "Spark": "Am 20. Nov. 2026, 10:15 +0100 schrieb Moderator <gm@example.org>:",
    "Horde": "Zitat von Moderator <gm@example.org>:",
    "FairEmail": "20.11.2026 10:15:00 Moderator <gm@example.org>:",
    "Zoho": "On Fri, 20 Nov 2026 10:15:00 +0100 Moderator <gm@example.org> wrote",
    "French": "Le ven. 20 nov. 2026 à 10:15, Moderator <gm@example.org> a écrit :",
    "Russian": "пт, 20 нояб. 2026 г. в 10:15, Moderator <gm@example.org>:",
    "WEB.DE app": "Am 20.11.26, 10:15 schrieb Moderator <gm@example.org>:",
    "bold": "*Am 20.11.2026 um 10:15 schrieb Moderator:*",
}


@pytest.mark.parametrize("name", ATTRIBUTIONS)
def test_an_attribution_begins_a_quote_that_is_marked_or_not(name: str) -> None:
    line = ATTRIBUTIONS[name]
    assert texts(f"{NEW}\n\n{line}\n\n{MARKED}\n") == [NEW]
    assert texts(f"{NEW}\n\n{line}\n{PLAIN}\n") == [NEW]
    assert texts(f"{line}\n{MARKED}\n\n{NEW}\n") == [NEW], "an answer below a marked quote is kept"
    if name not in ("Gmail de, narrow", "Gmail de, wrapped at the name"):
        assert texts(f"{NEW}\n\n{line}\n{PLAIN}\n".replace("\n", "\n\n")) == [NEW], "set with empty lines"


@pytest.mark.parametrize("line", ["Moderator schrieb:", "Der Moderator hat geschrieben:", "Moderator wrote:"])
def test_bare_attribution_counts_only_above_marked_lines(line: str) -> None:
    assert texts(f"{NEW}\n{line}\n{MARKED}") == [NEW]
    assert texts(f"{line}\n{NEW}") == [line, NEW]


BLOCKS = {
    "Outlook de": "Von: Moderator <gm@example.org>\nGesendet: Freitag, 20. November 2026 10:15\n"
    "An: Jörg <j@example.org>\nBetreff: Runde 3",
    "Outlook en": "From: Moderator <gm@example.org>\nSent: Friday, November 20, 2026 10:15 AM\n"
    "To: Jörg\nSubject: Round 3",
    "Outlook bold": "*Von:* Moderator <gm@example.org>\n*Gesendet:* Freitag, 20. November 2026 10:15\n*An:* Jörg",
    "recipients on two lines": "From: Moderator\nTo: Jörg,\nAnna Lind\nSubject: Round 3",
    "recipients with addresses": "From: Moderator\nTo: Jörg\n<j@example.org>\nSubject: Round 3",
    "Outlook spaced": "Von: Moderator <gm@example.org>\n\nGesendet: Freitag, 20. November 2026 10:15\n\nAn: Jörg",
    "Outlook rule": "________________________________\nVon: Moderator <gm@example.org>\n"
    "Gesendet: Freitag, 20. November 2026 10:15",
    "Outlook Express": "-----Ursprüngliche Nachricht-----\nVon: Moderator [mailto:gm@example.org]\n"
    "Gesendet: Freitag, 20. November 2026 10:15",
    "Outlook Express en": "-----Original Message-----\nFrom: Moderator",
    "t-online": '-----Original-Nachricht-----\nBetreff: Runde 3\nDatum: 2026-11-20T10:15:00+0100\nVon: "Moderator"',
    "GMX": 'Gesendet: Freitag, 20. November 2026 um 10:15 Uhr\nVon: "Moderator" <gm@example.org>\nAn: "Jörg"',
    "Bluewin": "----Ursprüngliche Nachricht----\nVon : gm@example.org\nDatum : 20/11/2026 - 10:15 (MN)\nAn : j",
    "Bluewin block alone": "Von : gm@example.org\nDatum : 20/11/2026 - 10:15 (MN)\nAn : j@example.org",
    "Samsung": "-------- Ursprüngliche Nachricht --------\nVon: Moderator\nDatum: 20.11.26 10:15 (GMT+01:00)",
    "eM Client": '------ Originalnachricht ------\nVon "Moderator" <gm@example.org>\nAn j@example.org',
    "Zimbra": "----- Ursprüngliche Mail -----\nVon: Moderator",
    "Notes": "-----Moderator/Verein schrieb: -----",
    "BlackBerry": "Originalnachricht\nVon: Moderator\nGesendet: Freitag, 20. November 2026 10:15",
    "Gmail forward": "---------- Forwarded message ---------\nVon: Moderator <gm@example.org>",
    "Thunderbird forward": "-------- Weitergeleitete Nachricht --------\nBetreff: \tRunde 3",
    "Apple forward": "Anfang der weitergeleiteten Nachricht:\n\nVon: Moderator",
    "own marker": "##- Bitte oberhalb dieser Zeile antworten -##",
    "own marker en": "##- Please reply above this line -##",
    "own marker bold": "*##- Bitte oberhalb dieser Zeile antworten -##*",
    "own marker wrapped": "##- Bitte oberhalb dieser\nZeile antworten -##",
    "own marker, sign lost": "Please reply above this line",
}


@pytest.mark.parametrize("name", BLOCKS)
def test_unmarked_quotes_end_the_mail(name: str) -> None:
    text = f"{NEW}\n\n{BLOCKS[name]}\n\n{PLAIN}\n"
    assert texts(text) == [NEW]
    assert texts(text.replace("\n", "\r\n")) == [NEW]
    _, ignored = new_text(text)
    assert set(ignored) == {"quote"}


SIGNATURES = [
    "Von meinem iPhone gesendet", "Von meinem/meiner Galaxy gesendet",
    "Von meinem Samsung Galaxy Smartphone gesendet.",
    "Diese Nachricht wurde von meinem Android-Gerät mit K-9 Mail gesendet.",
    "Diese Nachricht wurde von meinem Android Mobiltelefon mit GMX Mail gesendet.", "Gesendet mit der WEB.DE Mail App",
    "Gesendet von Mail für Windows", "Gesendet von Outlook für Android<https://example.org/x>",
    "Outlook für iOS beziehen", "Sent from my iPhone", "Sent from my mobile device", "Sent from Yahoo Mail on Android",
    "Get Outlook for iOS", "Sent with Proton Mail secure email.",
]  # fmt: skip


@pytest.mark.parametrize("signature", SIGNATURES)
def test_phone_signatures(signature: str) -> None:
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


PROSE = [
    "Am Sonntag bin ich weg, daher jetzt schon:", "Wie du schriebst: Ersatz bitte auch.",
    "Am 20.11. schrieb ich dir schon:",
    "Am 20.11.2026 bin ich im Urlaub und komme erst spät in der Nacht wieder heim,", "On the other hand: yes.",
    "- passe", "Von: hinten nach vorn gelesen ist es auch ein Wort", "An alle: gutes Spiel!",
    "An anna@example.org schreibe ich noch.", "Datum: morgen", "----", "____________",
    "One outstanding question I had:", "Du > ich", "## Überschrift", "Sent from my desk, is easier than a phone.",
    "Von meinem Onkel: Grüße an alle.",
]  # fmt: skip


@pytest.mark.parametrize("prose", PROSE)
def test_prose_stays(prose: str) -> None:
    assert texts(f"{prose}\n{NEW}\n\nAm 20.11.2026 um 10:15 schrieb Moderator:\n{MARKED}") == [prose, NEW]


def test_prose_with_a_date_does_not_swallow_the_move_below() -> None:
    text = f"Am 19.11. bin ich wieder da,\n{NEW}\nAm 20.11.2026 um 10:15 schrieb Moderator:\n{MARKED}"
    assert texts(text) == ["Am 19.11. bin ich wieder da,", NEW]


def test_inline_replies_and_their_numbers() -> None:
    text = f"Hallo,\n\n\n> Dein Zug?\n{NEW}\n> Und danach?\n\nH3 w TOR\n> E6 w GEHEIM\n"
    lines, ignored = new_text(text)
    assert [(line.number, line.text) for line in lines] == [(1, "Hallo,"), (3, NEW), (5, "H3 w TOR")]
    assert ignored == {"quote": 3}


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


def test_the_tail_of_a_rewrapped_quote_is_a_quote_and_a_marked_marker_of_ours_keeps_answers_below() -> None:
    long = "> hier steht der Stand nach der dritten Runde, und zum Beispiel brachte"
    assert texts(f"{NEW}\n{long}\nE6 w GEHEIM\n> vierzehn Punkte\n") == [NEW]
    assert texts(f"> ##- Bitte oberhalb dieser Zeile antworten -##\n{MARKED}\n{NEW}\n") == [NEW]


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
def test_charsets(data: bytes, declared: str, text: str) -> None:
    assert decode_text(data, declared) == text


@settings(max_examples=50, deadline=None)
@given(st.text())
def test_any_text_is_cleaned_for_good(text: str) -> None:
    once = clean_mail_text(text)
    assert clean_mail_text(once) == once
    for line in new_text(text)[0]:
        assert "\n" not in line.text
        assert clean_mail_text(line.text) == line.text
