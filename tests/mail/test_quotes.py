"""Unmarked quotes in any language: what stands below a header block or below "… wrote:" is never new text."""

from collections.abc import Iterator

import pytest

from moderator.common.mails import UnreadReason
from moderator.language.messages import render_label
from moderator.mail.parse import parse_mail_bytes
from tests.mail.new_text import new_text

NEW = "E5 w XYLO"
OLD = "E5 w HAUS"
ADDRESS = "Nora Lind <nora@home.example>"

HEADERS = {
    "cs": ("Od", "Odesláno", "Komu", "Předmět", "pátek 20. listopadu 2026 10:15"),
    "sk": ("Od", "Odoslané", "Komu", "Predmet", "piatok 20. novembra 2026 10:15"),
    "pl": ("Od", "Wysłano", "Do", "Temat", "piątek, 20 listopada 2026 10:15"),
    "hu": ("Feladó", "Elküldve", "Címzett", "Tárgy", "2026. november 20., péntek 10:15"),
    "ro": ("De la", "Trimis", "Către", "Subiect", "vineri, 20 noiembrie 2026 10:15"),
    "hr": ("Šalje", "Poslano", "Prima", "Predmet", "petak, 20. studenoga 2026. 10:15"),
    "sl": ("Od", "Poslano", "Za", "Zadeva", "petek, 20. november 2026 10:15"),
    "sr": ("Од", "Послато", "За", "Тема", "петак, 20. новембар 2026. 10:15"),
    "bg": ("От", "Изпратено", "До", "Относно", "петък, 20 ноември 2026 г. 10:15"),
    "mk": ("Од", "Испратено", "До", "Предмет", "петок, 20 ноември 2026 10:15"),
    "uk": ("Від", "Надіслано", "Кому", "Тема", "п’ятниця, 20 листопада 2026 р. 10:15"),
    "ru": ("От", "Отправлено", "Кому", "Тема", "пятница, 20 ноября 2026 г. 10:15"),
    "el": ("Από", "Στάλθηκε", "Προς", "Θέμα", "Παρασκευή, 20 Νοεμβρίου 2026 10:15 πμ"),
    "tr": ("Kimden", "Gönderildi", "Kime", "Konu", "20 Kasım 2026 Cuma 10:15"),
    "et": ("Saatja", "Saatmisaeg", "Adressaat", "Teema", "reede, 20. november 2026 10:15"),
    "lv": ("No", "Nosūtīts", "Kam", "Tēma", "piektdiena, 2026. gada 20. novembris 10:15"),
    "lt": ("Nuo", "Išsiųsta", "Kam", "Tema", "2026 m. lapkričio 20 d., penktadienis 10:15"),
    "fi": ("Lähettäjä", "Lähetetty", "Vastaanottaja", "Aihe", "perjantai 20. marraskuuta 2026 10.15"),
    "sv": ("Från", "Skickat", "Till", "Ämne", "den 20 november 2026 10:15"),
    "nb": ("Fra", "Sendt", "Til", "Emne", "fredag 20. november 2026 10:15"),
    "is": ("Frá", "Sent", "Til", "Efni", "föstudagur, 20. nóvember 2026 10:15"),
    "nl": ("Van", "Verzonden", "Aan", "Onderwerp", "vrijdag 20 november 2026 10:15"),
    "it": ("Da", "Inviato", "A", "Oggetto", "venerdì 20 novembre 2026 10:15"),
    "es": ("De", "Enviado el", "Para", "Asunto", "viernes, 20 de noviembre de 2026 10:15"),
    "ca": ("De", "Enviat el", "Per a", "Assumpte", "divendres, 20 de novembre de 2026 10:15"),
    "pt": ("De", "Enviada em", "Para", "Assunto", "sexta-feira, 20 de novembro de 2026 10:15"),
    "eu": ("Nork", "Bidalia", "Nori", "Gaia", "ostirala, 2026(e)ko azaroaren 20a 10:15"),
    "cy": ("Oddi wrth", "Anfonwyd", "At", "Pwnc", "Dydd Gwener, 20 Tachwedd 2026 10:15"),
    "sq": ("Nga", "Dërguar", "Për", "Tema", "e premte, 20 nëntor 2026 10:15"),
    "ja": ("差出人", "送信日時", "宛先", "件名", "2026年11月20日 10:15"),
    "zh": ("发件人", "发送时间", "收件人", "主题", "2026年11月20日 10:15"),
    "zh-TW": ("寄件者", "寄件日期", "收件者", "主旨", "2026年11月20日 上午 10:15"),
    "ko": ("보낸 사람", "보낸 날짜", "받는 사람", "제목", "2026년 11월 20일 금요일 오전 10:15"),
    "vi": ("Từ", "Đã gửi", "Đến", "Chủ đề", "Thứ Sáu, 20 tháng 11, 2026 10:15"),
    "id": ("Dari", "Dikirim", "Kepada", "Subjek", "Jumat, 20 November 2026 10.15"),
    "th": ("จาก", "ส่ง", "ถึง", "เรื่อง", "20 พฤศจิกายน 2569 10:15"),
    "ar": ("من", "تم الإرسال", "إلى", "الموضوع", "٢٠ نوفمبر ٢٠٢٦ ١٠:١٥"),
    "he": ("מאת", "נשלח", "אל", "נושא", "יום שישי 20 נובמבר 2026 10:15"),
    "fa": ("از", "ارسال شده", "به", "موضوع", "جمعه ۲۹ آبان ۱۴۰۵ ۱۰:۱۵"),
    "hi": ("प्रेषक", "भेजा गया", "प्रति", "विषय", "20 नवंबर 2026 10:15"),
    "ka": ("გამომგზავნი", "გაგზავნილია", "მიმღები", "თემა", "20 ნოემბერი 2026 10:15"),
    "sw": ("Kutoka", "Ilitumwa", "Kwa", "Mada", "Ijumaa, 20 Novemba 2026 10:15"),
}
"""Sender, date, recipient, subject, and the date as Outlook writes it."""

WROTE = {
    "cs": "pá 20. 11. 2026 v 10:15 odesílatel {} napsal:",
    "cs, no address": "Dne 20. 11. 2026 v 10:15 Nora Lind napsala:",
    "sk": "pi 20. 11. 2026 o 10:15 {} napísal(a):",
    "hu": "{} ezt írta (időpont: 2026. nov. 20., P, 10:15):",
    "ro": "În vin., 20 nov. 2026 la 10:15, {} a scris:",
    "hr": "pet, 20. stu 2026. u 10:15 {} napisao je:",
    "sl": "V V pet., 20. nov. 2026 ob 10:15 je oseba {} napisala:",
    "sr": "пет, 20. нов 2026. у 10:15 {} је написао/ла:",
    "bg": "На пт, 20.11.2026 г. в 10:15 {} написа:",
    "uk": "пт, 20 лист. 2026 р. о 10:15 {} пише:",
    "el": "Στις Παρ 20 Νοε 2026 στις 10:15 π.μ., ο χρήστης {} έγραψε:",
    "tr": "{}, 20 Kas 2026 Cum, 10:15 tarihinde şunu yazdı:",
    "et": "Kuupäev R, 20. november 2026 kell 10:15 kirjutas {}:",
    "lv": "piektd., 2026. g. 20. nov., plkst. 10:15 — lietotājs {} rakstīja:",
    "lt": "2026-11-20, pn, 10:15 {} rašė:",
    "fi": "pe 20. marrask. 2026 klo 10.15 {} kirjoitti:",
    "is": "fös., 20. nóv. 2026 kl. 10:15 skrifaði {}:",
    "ca": "Missatge de {} del dia dv., 20 de nov. 2026 a les 10:15:",
    "pt": "{} escreveu (sexta, 20/11/2026 à(s) 10:15):",
    "eu": "{} erabiltzaileak hau idatzi du (2026 aza. 20, or. (10:15)):",
    "ja": "2026年11月20日(金) 10:15 {}:",
    "zh": "{} 于2026年11月20日周五 10:15写道：",
    "zh, no address": "在 2026年11月20日，10:15，诺拉 写道：",
    "ko": "2026년 11월 20일 (금) 오전 10:15, {}님이 작성:",
    "vi": "Vào Th 6, 20 thg 11, 2026 vào lúc 10:15 {} đã viết:",
    "id": "Pada tanggal Jum, 20 Nov 2026 pukul 10.15 {} menulis:",
    "th": "ในวันที่ ศ. 20 พ.ย. 2026 เวลา 10:15 {} เขียนว่า:",
    "ar": "في الجمعة، ٢٠ نوفمبر ٢٠٢٦ في ١٠:١٥ ص تمت كتابة ما يلي بواسطة {}:",
    "he": "‫בתאריך יום ו׳, 20 בנוב׳ 2026 ב-10:15 מאת {}:",
    "hi": "शुक्र, 20 नव॰ 2026 को 10:15 पर {} ने लिखा:",
    "fa": "در تاریخ جمعه ۲۰ نوامبر ۲۰۲۶، ۱۰:۱۵ {} نوشت:",
}

LANGUAGES = [*HEADERS]


def check_cut(*quote: str) -> None:
    for gap in ("\n", "\n\n"):
        lines, _ = new_text("\n".join([NEW, "", *quote, *([""] if gap == "\n\n" else []), OLD]))
        assert [line.text for line in lines] == [NEW], quote


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_header_block_ends_the_new_text(language: str) -> None:
    sender, date, to, subject, when = HEADERS[language]
    rows = [f"{sender}: {ADDRESS}", f"{date}: {when}", f"{to}: games@club.example", f"{subject}: Re: Topwords [K7Q2]"]
    check_cut(*rows)
    check_cut("________________________________", *rows)
    check_cut(*(f"*{row.replace(': ', ':* ', 1)}" for row in rows))
    check_cut(*(row.replace(": ", "：", 1) for row in rows))
    check_cut(*"\n\n".join(rows).split("\n"))
    check_cut(*(row.replace(ADDRESS, "Nora Lind").replace("games@club.example", "Spielleiter") for row in rows))
    check_cut(*rows[:2])


@pytest.mark.parametrize("wrote", WROTE)
def test_a_line_that_says_who_wrote_ends_the_new_text(wrote: str) -> None:
    line = WROTE[wrote].format(ADDRESS)
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
    for order in (NEW, "passe", "64@L 12@R; sonst ziehe", "Y20 s NACHT, T20 w EXAM*EN"):
        assert [line.text for line in new_text(f"{order}{joint}{marker}")[0]] == [order]
        assert [line.text for line in new_text(f"{order} *{marker}*\n{OLD}")[0]] == [order]
    assert new_text(f"Am 20.11.2026 um 10:15 schrieb Nora: {marker}\n{OLD}")[0] == []


@pytest.mark.parametrize("language", ["de", "en", "fr"])
def test_who_writes_below_our_marker_is_told_so(language: str) -> None:
    marker, hint = render_label("marker", language), HINTS[language]

    def kinds(body: str) -> list[UnreadReason]:
        return [one.kind for one in parse_mail_bytes(f"From: nora@home.example\n\n{body}\n".encode()).unopened]

    assert kinds(f"{marker} {NEW}") == kinds(f"{marker} {hint} {NEW}") == [UnreadReason.BELOW]
    assert kinds(f"\n\n{marker}\n{hint}\n{NEW}\nGruß, Nora") == [UnreadReason.BELOW]
    assert kinds(f"{marker}\n{hint}") == kinds(f"{marker} {hint}") == [UnreadReason.QUOTED]
    assert kinds("\n".join([marker, hint, *("Zeile aus unserer Mail" for _ in range(20))])) == [UnreadReason.QUOTED]
