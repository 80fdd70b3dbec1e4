"""The reply cutter: what the writer of a mail added, without quotes, attributions and signatures.

The order of the rules is safety first: a line that might come from the mail replied to is left out, and counted,
because a quoted move must never be played. Every line is looked at a bounded number of times.

Quotes are cut in two ways. Marked ones (``>``, blockquote) are left out line by line, so replies between and
below them stay. Unmarked ones begin at a separator, a block of header lines, an attribution with nothing marked
behind it, or our own marker line, and go on to the end of the mail. Separators, header blocks and attributions are
known by their words in some languages, and by their shape in all: dates, addresses and colons look alike everywhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from moderator.common.mails import Line
from moderator.mail.clean import clean_mail_text, is_quoted_line, normalize_unicode

# ---- what mail programs write around a reply, each row with the program it serves ----
# Every pattern is matched on one line of at most LONGEST characters and is linear.


LONGEST = 500
"""Characters; a longer line is neither an attribution nor a header, separator or signature."""

_I = re.IGNORECASE

# ---- our own line, with the hint below it; clients may make it bold, escape it, wrap it or join it with others ----
MARKER = re.compile(
    r"[\s*_\\]*(?:##-|(?:#{1,2}-?\s*)?\b(?:Bitte oberhalb dieser Zeile antworten|Please reply above this line"
    r"|Merci de répondre au-dessus de cette ligne))",
    _I,
)
_MARKER_END = re.compile(r".{0,80}?-##[\s*_\\]*")
_HINT = re.compile(
    r"Schreib über diese Zeile; was darunter steht, lese ich nicht\."
    r"|Write above this line; I do not read what is below it\."
    r"|Écris au-dessus de cette ligne ; je ne lis pas ce qui est en dessous\."
)
BELOW_MARKER = "below-marker"
"""Lines that somebody seems to have typed below it: counted beside those of the quote."""
_FEW_BELOW = 6
"""Lines below our marker: more are a mail of ours that is quoted without marks, fewer are what somebody typed there."""

# ---- "I have finished", and the signature separator of RFC 3676 (also as Apple and Word beautify it) ----
END_WORDS = {"ende", "stop", "stopp", "schluss", "end"}
SIGNATURES = {"--", "—", "–", "-----BEGIN PGP SIGNATURE-----"}

# ---- lines that a program puts under each mail ----
MOBILE = re.compile(
    r"\s*[*_(\[]*(?:"
    + "|".join(
        (
            r"Von mein\w*(?:/\w+)? [^,;:]{2,60} gesendet",  # Apple, Samsung: "Von meinem/meiner Galaxy gesendet"
            r"Von (?:Outlook|Yahoo|Samsung|Windows|Mail)\b[^,;:]{0,60} gesendet",  # Outlook, Yahoo, Samsung
            r"Gesendet (?:von|mit|aus|über|via) [^,;:]{2,80}",  # Outlook, GMX, WEB.DE, Telekom, Spark, Proton
            r"Diese (?:Nachricht|E-?Mail) wurde (?:von|mit|über) [^,;:]{2,90} (?:gesendet|verschickt|versandt)",  # K-9
            r"Diese (?:Nachricht|E-?Mail) wurde (?:von Avast\w*|auf Viren)\b.{0,90}",  # Avast
            r"(?:Outlook|Yahoo Mail) f(?:ü|ue)r (?:iOS|Android)\b.{0,60}",  # Outlook: "… beziehen"
            r"Virenfrei\.? .{0,60}",  # Avast
            r"(?:Sent|Written) from (?:my|a|an) [^,;:]{2,60}",  # Apple, Samsung, BlackBerry
            r"Sent (?:from|via|with|using) (?:the )?(?:Mail|Yahoo|Outlook|Samsung|Windows|Proton|Spark|Gmail|AOL|Aqua"
            r"|Mailbird|BlueMail|BlackBerry|K-9|FairEmail|eM|Thunderbird|Nine|Hey|iPhone|iPad|Galaxy)\b[^,;:]{0,80}",
            r"Get (?:Outlook|BlueMail|Typ?eApp) for \w+.{0,60}",  # Outlook, BlueMail
            r"(?:Get|Download) the .{2,30} app\b.{0,60}",
            r"(?:Envoyé (?:de|depuis|à partir)|Inviato da|Enviado des?de|Enviado do|Verzonden (?:vanaf|met)"
            r"|Verstuurd vanaf|Skickat från|Sendt fra|Wysłan[eo] z)\b [^,;:]{2,60}",  # Apple in other languages
        )
    )
    + r")(?:<[^<>]*>|[\s.!*_)\]])*\Z",
    _I,
)

MOBILE_STARTS = {
    "von", "gesendet", "diese", "outlook", "yahoo", "virenfrei", "virenfrei.", "sent", "written", "get", "download",
    "envoyé", "inviato", "enviado", "verzonden", "verstuurd", "skickat", "sendt", "wysłane", "wysłano",
}  # fmt: skip
"""First words of the lines above, to look no further at most lines."""

# ---- what people write under a letter themselves ----
CLOSING = re.compile(
    r"\s*[-–—*_]*\s*(?:(?:mit |with )?(?:(?:vielen?|liebe[nr]?|freundliche[nmr]?|herzliche[nmr]?|beste[nr]?"
    r"|schöne[nr]?|sonnige[nr]?|kind|best|warm|many) ){0,3}"
    r"(?:grüße?n?|gruß|gruss|gruesse?n?|grüsse?n?|regards|wishes|greetings)\b"
    r"|(?:mfg|lg|vg|glg|hg|bg)\b|(?:hochachtungsvoll|cheers|sincerely|yours|bis (?:bald|dann|morgen)|tschüss?|ciao)\b"
    r"|(?:bien )?(?:cordialement|amicalement)\b|(?:amiti[ée]s|bises|bisous|[àa] bient[ôo]t)\b"
    r"|(?:alles (?:gute|liebe)|take care|all the best|(?:dein|deine|eure?|ihre?) \w+\s*\Z)).{0,60}\Z",
    _I,
)
"""A closing formula: what stands below it is about the writer, not for us."""
CONTACT = re.compile(
    r"^\W*(?:tel|telefon|phone|fon|mobil|mobile|handy|cell|fax|telefax)\b[\s.:/+()-]*\d|\bwww\.\w|\bhttps?://"
    r"|\b(?:GmbH|e\. ?V\.|Ltd|USt-?Id|HRB|IBAN|BIC)\b|\b(?:\+|00)\d{2}[ /(-]*\d{2,4}[ /)-]*\d{4,}",
    _I,
)
"""A line of a signature that says how to reach somebody."""

# ---- "-----Ursprüngliche Nachricht-----" and its kin ----
_ORIGINAL = (
    r"Urspr(?:ü|ue?)ngliche (?:Nachricht|E-?Mail|Mail)"  # Outlook Express, Samsung, Bluewin, Zimbra
    r"|Original(?:[- ]?(?:Nachricht|E-?Mail|Message|Mail))"  # t-online, freenet, GMX, eM Client, Proton
    r"|Original message|Reply message|Antwort-?Nachricht"  # Outlook, Samsung
    r"|(?:Weitergeleitete|Forwarded) (?:Nachricht|message|E-?Mail)|Nachricht weitergeleitet"  # Gmail, Thunderbird
    r"|(?:Forwarded|Weitergeleitet) (?:by|von) .{1,80}"  # Notes, Yahoo
    r"|Message (?:d'origine|original|transféré)|Messaggio (?:originale|inoltrato)|Mensaje original"
    r"|Mensagem original|Oorspronkelijk bericht|Ursprungligt meddelande|Oprindelig meddelelse"
    r"|Opprinnelig melding|Wiadomość oryginalna"
)
SEPARATOR = re.compile(
    rf"[\s*]*[-_=–—─]{{2,}}[\s*]*(?:{_ORIGINAL})[\s*:]*[-_=–—─]*[\s*]*\Z"
    r"|\s*-{3,}\s*.{1,120} (?:schrieb|wrote):?\s*-{3,}\s*\Z"  # Notes
    r"|\s*[*_]*(?:Anfang der weitergeleiteten|Beginn der weitergeleiteten) (?:E-?Mail|Nachricht):[*_\s]*\Z"  # Apple
    r"|\s*[*_]*Begin forwarded message:[*_\s]*\Z",  # Apple
    _I,
)
BARE_ORIGINAL = re.compile(rf"[\s*_]*(?:{_ORIGINAL})[\s*_:]*\Z", _I)
"""BlackBerry, old Outlook: the same words without dashes; counts only above a block of header lines."""
RULE = re.compile(r"\s*[_\-=–—─]{5,}\s*\Z")
"""Outlook's underscores; counts only above a block of header lines."""

# ---- a block of header lines: Outlook, GMX, WEB.DE, t-online, Bluewin ("Von : …"), Apple forwards ----
_HEADER_NAMES = {
    "sender": "Von|From|Absender|De|Da|Van|Från|Fra|Od|Expéditeur|Mittente|Remitente|Lähettäjä|От|От кого",
    "date": "Gesendet|Gesendet am|Sent|Datum|Dato|Date|Sendedatum|Envoyé|Envoyé le|Enviado|Fecha|Data|Inviato|Verzonden"
    "|Skickat|Sendt|Wysłano|Дата|Отправлено",
    "to": "An|To|Empfänger|À|A|Para|Aan|Till|Til|Do|Кому|Destinataire|Kopie|Cc|Bcc|Copie",
    "subject": "Betreff|Betr|Subject|Thema|Objet|Asunto|Oggetto|Assunto|Onderwerp|Ämne|Emne|Temat|Тема",
    "other": "Antwort an|Antworten an|Reply-To|Priorität|Wichtigkeit|Importance|Priority|Anlagen|Anhänge|Attachments",
}
HEADER_KIND = {name.casefold(): kind for kind, names in _HEADER_NAMES.items() for name in names.split("|")}
HEADER = re.compile(r"[\s*_]{0,8}([^\W\d_][\w\- ]{0,14}?)[ *_]{0,3}:[ *_]{0,3}(?:\s|\Z|(?=[\"'<\w\[]))")

LABEL = re.compile(r"[\s*_]{0,8}([^\W\d_][^:：@<>\"\d]{0,24}?)[ *_\u00a0]{0,3}[:：][ *_\u00a0]{0,3}(\S.*)?\Z")
"""A header line in any language: its name and what it says."""
ADDRESS = re.compile(r"[\w.+=-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_OF_OURS = re.compile(r"(?i:\b[A-Z0-9]{2,5}-[0-9A-Z]{10}\b)|\A\s*(?i:re|aw|antw|sv|vs|odp|ynt|rv|res|r|fwd?|wg)\s*:")
"""A subject with one of our tokens, or of an answer."""
_OUR_HEADER = re.compile(
    r"[\s*_]{0,8}(?:(?:Message-ID|In-Reply-To|References)\b[ *_]{0,3}:|[^\W\d_][^:：@<>\"\d]{0,24}?[ *_]{0,3}[:：]"
    r".{0,200}\[[A-Z0-9]{2,5}-[0-9A-Z]{10}\]\s*\Z)",
    _I,
)
"""A header line that is enough by itself: a Message-ID, or the subject of a mail of ours with its token at the end."""

# ---- attributions: "Am 20.11.2026 um 10:15 schrieb Anna:" ----
VERB = re.compile(
    r"\b(?:schrieb|geschrieben|wrote|writes|a écrit|ha scritto|escribió|escreveu|schreef|skrev|kirjoitti"
    r"|napisał\w?|pisze|написал\w?|пишет)\b",
    _I,
)
_VERB_STEMS = (
    "schrieb", "wrote", "writes", "écrit", "scritto", "escrib", "escrev", "schreef", "skrev", "kirjoit", "napisa",
    "pisze", "напис", "пишет",
)  # fmt: skip


def has_verb(text: str) -> bool:
    """Return whether ``VERB`` is in the text. Most lines have none, and that is found out faster by their letters."""
    lowered = text.lower()
    return any(stem in lowered for stem in _VERB_STEMS) and VERB.search(text) is not None


OPENER = re.compile(r"(?:Am|On|Le|Il|El|Em|Op|Den|Dnia|W dniu|Den|Il giorno)\s", _I)
CITED = re.compile(r"(?:Zitat von|Quoting|Citando|Quoted from) .{2,}:\Z", _I)  # Horde
PRONOUN = re.compile(
    r"\b(?:(?:I|you|we|he|she|they) wrote|schrieb(?:en)? (?:ich|du|er|sie|wir|ihr)\b|(?:ich|wir|du) .{0,60}geschrieben"
    r"|(?:habe?|hast|haben) .{0,60}geschrieben|ich .{0,60}schrieb\b)",
    _I,
)
_MONTH = r"(?:jan|feb|mär|mar|mrz|apr|mai|may|jun|jul|aug|sep|okt|oct|nov|dez|dec)[a-zä]*\.?"
DATE = re.compile(
    rf"\d{{1,4}}[./-] ?\d{{1,2}}[./-]|\b\d{{1,2}}\.? ?{_MONTH}\b|\b{_MONTH} \d{{1,2}}\b|\b(?:19|20)\d\d\b", _I
)
FULL_DATE = re.compile(r"\b(?:19|20)\d\d\b|\d[./-] ?\d{1,2}[./-] ?\d\d\b")
TIME = re.compile(r"\b\d{1,2}[:.]\d\d\b")
STAMP = re.compile(r"(?:\d{4}-\d\d-\d\d|\d{1,2}\.\d{1,2}\.\d{2,4}),? \d{1,2}:\d\d.{0,200}\S@\S.{0,200}:\Z")
"""No verb at all: old Gmail ("2026-11-20 10:15 GMT+01:00 Anna <…>:"), FairEmail."""
NAMED_AT_END = re.compile(r"<[^<>\s]+@[^<>\s]+>[:：]\Z")
"""With a time: any language, mail.ru, Yandex, Apple in Russian, newer Gmail ("ср, 30 апр. 2025 г. в 15:19, … <…>:")."""
VERB_AT_END = re.compile(r"> (?:wrote|schrieb)\Z", _I)
"""Zoho leaves the colon out."""


# ---- the reply cutter ----


Kind = Literal["", "quote", "signature"]
"""What the HTML reader knows of a line already; "" = nothing."""

_QUOTE_MARKS = re.compile(r"^(?:\s*[>＞|])+\s*")
_MOST_LINES = 20_000
"""Lines that are looked at; a mail of more is no mail of moves, the rest is counted as "too-long"."""
_NEAR = 6
"""Lines: how far a block of header lines or a quote may lie behind its first line, blank ones included."""


_TAIL = 6
"""Words of ours in a row, at the end of a line, that nobody has written by chance."""


def drop_known_lines(lines: Sequence[Line], ours: Sequence[str]) -> tuple[list[Line], int]:
    """Drop the lines that stand in a mail of ours, whose lines are ``ours``; returns the others and how many were
    dropped.

    Of a line that goes on with words of ours, as where a program has joined the lines, only the beginning is kept."""
    normal = [normalize_line(line) for line in ours]
    own, joined = {*normal} - {""}, f" {' '.join(normal)} "
    kept = [line for line in lines if not own or normalize_line(line.text) not in own]
    return [replace(line, text=_cut_known_tail(line.text, joined)) for line in kept], len(lines) - len(kept)


def _cut_known_tail(text: str, joined: str) -> str:
    """Return the line up to where all the rest stands in our mail, word by word."""
    words = list(re.finditer(r"\S+", text))
    normal = [normalize_line(word[0]) for word in words]
    for at in range(1, len(words) - _TAIL + 1):
        if f" {' '.join(normal[at : at + _TAIL])} " in joined and f" {' '.join(normal[at:])} " in joined:
            return text[: words[at].start()].rstrip()
    return text


def normalize_line(line: str) -> str:
    """Return the form in which lines are compared with those we sent: no quote marks, single spaces, case folded."""
    return normalize_unicode(" ".join(_QUOTE_MARKS.sub("", clean_mail_text(line)).split())).casefold()


def cut_quotes(source: Sequence[tuple[str, Kind]]) -> tuple[list[Line], dict[str, int]]:
    """Cut quotes and signatures from cleaned lines, whose kind may be known.

    Returns the new lines, and how many lines were left out, by kind."""
    texts = [text for text, _ in source[:_MOST_LINES]]
    kinds: list[str] = [kind or ("quote" if is_quoted_line(text) else "") for text, kind in source[:_MOST_LINES]]
    kept: list[str] = []
    ignored: Counter[str] = Counter({"too-long": len(source) - len(texts)} if len(source) > len(texts) else {})
    mode = ""  # "" new text, "mobile" below a phone's line, "after-end"; "quote" and "signature" to the end
    at = 0
    while at < len(texts):
        found = _Cut(1, kinds[at]) if kinds[at] else None
        if not texts[at].strip():
            kept.append("")
        elif mode in ("quote", "signature"):
            ignored[kinds[at] or mode] += 1
        elif found or (found := _find_boundary(texts, kinds, at)):
            if found.head and not mode:
                kept.append(normalize_unicode(found.head))
            elif not mode and not any(kept) and (below := _count_lines_below(texts, kinds, at)):
                ignored[BELOW_MARKER] += below
            ignored[found.kind] += found.length
            mode = found.then or ("" if mode == "mobile" and kinds[at] == "quote" else mode)
            at += found.length - 1
        elif mode:
            ignored["signature" if mode == "mobile" else mode] += 1
        else:
            kept.append(normalize_unicode(texts[at]))
        at += 1
    return _build_lines(kept), dict(ignored)


def _build_lines(kept: Iterable[str]) -> list[Line]:
    lines: list[Line] = []
    number, gap = 0, False
    for text in kept:
        if not text.strip():
            gap = True
            continue
        number += 2 if gap and lines else 1
        gap = False
        lines.append(Line(number, text))
    return lines


@dataclass(frozen=True)
class _Cut:
    """A cut: ``length`` lines are of ``kind``; ``then`` is the mode for what follows, "" = as before. ``head``: new
    text that stands before it on its line."""

    length: int
    kind: str
    then: str = ""
    head: str = ""


def _find_boundary(texts: Sequence[str], kinds: Sequence[str], at: int) -> _Cut | None:
    """Find the cut that begins at line ``at``, which is neither blank nor marked as a quote; None = new text."""
    text = texts[at]
    if found := _find_marker(text):
        head = text[: found.start()].strip(" *_\\")
        introduced = head and _find_attribution([head], [""], 0) is not None
        return _Cut(1, "quote", "quote", "" if introduced else head)
    if len(text) > LONGEST:
        return None
    bare = text.strip("*_ ([")
    if text.strip() in SIGNATURES:
        return _Cut(1, "signature", "signature")
    if len(bare) < 16 and bare.rstrip("*_.! ").casefold() in END_WORDS:
        return _Cut(1, "after-end", "after-end")
    if bare.partition(" ")[0].casefold() in MOBILE_STARTS and MOBILE.match(text):
        return _Cut(1, "signature", "mobile")
    if SEPARATOR.match(text):
        return _Cut(1, "quote", "" if _is_followed_by_quote(texts, kinds, at + 1) else "quote")
    if _has_header_block(texts, kinds, at) or _OUR_HEADER.match(text):
        return _Cut(1, "quote", "quote")
    if _is_wrapped_tail(texts, kinds, at):
        return _Cut(1, "quote")
    return _find_attribution(texts, kinds, at)


def _find_marker(text: str) -> re.Match[str] | None:
    """Find our own line in this one."""
    if not ("##" in text or "eile" in text or "above" in text or "ligne" in text):
        return None
    return MARKER.search(text[:LONGEST])


def _count_lines_below(texts: Sequence[str], kinds: Sequence[str], at: int) -> int:
    """Count the lines that somebody seems to have typed below our marker at line ``at``; 0 where a mail of ours is
    quoted."""
    if (found := _find_marker(texts[at])) is None:
        return 0
    end = _MARKER_END.match(texts[at], found.start())
    below = [texts[at][end.end() :] if end else "", *texts[at + 1 :]]
    typed = [text for text in (_HINT.sub("", one).strip(" *_\\") for one in below) if text]
    return 0 if len(typed) > _FEW_BELOW or "quote" in kinds[at:] else len(typed)


def _is_followed_by_quote(texts: Sequence[str], kinds: Sequence[str], at: int) -> bool:
    """Return whether the next line that is not blank is a marked quote."""
    for index in range(at, min(at + _NEAR, len(texts))):
        if texts[index].strip():
            return kinds[index] == "quote"
    return False


def _has_header_block(texts: Sequence[str], kinds: Sequence[str], at: int) -> bool:
    """Return whether copied header lines begin here: sender and date, or three kinds. A line above them may be a
    rule."""
    if RULE.match(texts[at]) or BARE_ORIGINAL.match(texts[at]):
        at += 1
        while at < len(texts) and not texts[at].strip():
            if at + 1 < len(texts) and not texts[at + 1].strip():
                return False
            at += 1
        if at >= len(texts):
            return False
    if _has_header_shape(texts, kinds, at):
        return True
    if not _find_header_kind(texts[at]):
        return False
    seen: set[str] = set()
    loose = False
    for index in range(at, min(at + 2 * _NEAR, len(texts))):
        text = texts[index]
        if not text.strip():
            continue
        kind = "" if kinds[index] else _find_header_kind(text)
        if not kind and not (loose or "@" in text):
            break
        seen.add(kind)
        loose = text.endswith((",", ";", "<"))  # a list of recipients goes on in the next line
    seen -= {""}
    return {"sender", "date"} <= seen or len(seen - {"other"}) >= 3


def _has_header_shape(texts: Sequence[str], kinds: Sequence[str], at: int) -> bool:
    """Return whether lines ``Word: value`` begin here of which two tell sender, date or a subject of ours, in whatever
    language. Two lines suffice where one has an address and another a date."""
    lines = 0
    told: list[str] = []
    for index in range(at, min(at + 2 * _NEAR, len(texts))):
        text = texts[index]
        if not text.strip():
            continue
        found = None if kinds[index] or len(text) > LONGEST else LABEL.match(text)
        if found is None:
            if not (lines and ADDRESS.search(text[:LONGEST])):  # a list of recipients goes on
                break
            continue
        lines += 1
        told.append(_classify_header_value(found[2] or ""))
    found_out = [one for one in told if one]
    return (lines >= 3 and len(found_out) >= 2) or {"address", "date"} <= set(found_out)


def _classify_header_value(value: str) -> str:
    """Classify the value of a header line: "address", "date", "subject" or "" for anything."""
    if _OF_OURS.search(value):
        return "subject"
    if ADDRESS.search(value):
        return "address"
    return "date" if (_YEAR.search(value) and len(re.findall(r"\d+", value)) >= 2) or DATE.search(value) else ""


def _find_header_kind(text: str) -> str:
    match = HEADER.match(text[:LONGEST])
    return HEADER_KIND.get(match[1].casefold(), "") if match else ""


def _is_wrapped_tail(texts: Sequence[str], kinds: Sequence[str], at: int) -> bool:
    """Return whether the line is the end of a quoted line that a mail program wrapped and forgot to mark again.

    It stands between two quoted lines, and the one above was too long for one more word."""
    if not 0 < at < len(texts) - 1 or not (kinds[at - 1] == kinds[at + 1] == "quote"):
        return False
    above = texts[at - 1][-200:].rstrip()
    word = texts[at].lstrip()[:80].partition(" ")[0]
    return len(above) + 1 + len(word) > 70 and above[-1:] not in ".:?!>" and len(texts[at]) < 60


def _find_attribution(texts: Sequence[str], kinds: Sequence[str], at: int) -> _Cut | None:
    """Find an attribution, maybe wrapped over a few lines."""
    if not _may_be_attribution(texts[at]):
        return None
    joined = ""
    for index in range(at, min(at + _NEAR, len(texts))):
        text, length = texts[index].strip(), index - at + 1
        if not text and _has_address_next(joined, texts, index + 1):
            continue  # a mail that was set with an empty line after each line
        if kinds[index] or not text or (length > 1 and not _can_continue(joined, text)):
            return None
        joined = f"{joined} {text}".strip()
        if len(joined) > LONGEST:
            return None
        strength = _judge_attribution(joined.strip("*_ "))
        marked = strength is not None and _is_followed_by_quote(texts, kinds, index + 1)
        if marked or strength == "strong":
            return _Cut(length, "quote", "" if marked else "quote")
        if joined.endswith(":"):
            return None
    return None


def _has_address_next(joined: str, texts: Sequence[str], at: int) -> bool:
    return at < len(texts) and (joined.endswith("<") or texts[at].lstrip().startswith("<"))


def _may_be_attribution(text: str) -> bool:
    stripped = text.lstrip("*_ ")
    if _YEAR.search(text) or TIME.search(text):
        return True
    return bool(
        "@" in text or OPENER.match(stripped) or stripped[:1].isdigit() or CITED.match(stripped) or has_verb(text)
    )


def _can_continue(joined: str, text: str) -> bool:
    """Return whether ``text`` can be the rest of a wrapped attribution. A short line followed by anything else was no
    wrap."""
    if OPENER.match(text) and has_verb(text):
        return False
    wrapped = len(joined) + 1 + len(text.partition(" ")[0]) > 60
    return wrapped or joined.endswith(("<", ",")) or text.startswith("<") or VERB.match(text) is not None


def _has_attribution_shape(text: str) -> bool:
    """Return whether a line that ends with a colon names the writer, in <…>, and the year, or a whole date with the
    time."""
    if not text.endswith((":", "：")) or not _YEAR.search(text):
        return False
    if ADDRESS.search(text):
        return True
    return TIME.search(text) is not None and len(re.findall(r"\d+", text)) >= 5 and not PRONOUN.search(text)


def _judge_attribution(text: str) -> Literal["strong", "weak"] | None:
    """Judge how surely ``text`` introduces a quote. A weak one counts only if marked lines follow.

    Strong needs a verb with a date and more (time, address, year), or with an address; prose that says "schrieb ich" is
    weak, and so is a bare "Anna schrieb:"."""
    open_end = not text.endswith((":", "：", ">"))
    if open_end and not VERB_AT_END.search(text):
        return None
    address, date, time = "@" in text, DATE.search(text) is not None, TIME.search(text) is not None
    if open_end:
        return "strong" if date and time else None
    if time and NAMED_AT_END.search(text):
        return "strong"
    if _has_attribution_shape(text):
        return "strong"
    if not has_verb(text):
        cited = CITED.match(text) is not None
        if STAMP.match(text) or (cited and address):
            return "strong"
        return "weak" if cited else None
    closed = not text.endswith(">")
    if PRONOUN.search(text):
        return "weak" if date else None
    if date and (time or address or FULL_DATE.search(text)):
        return "strong" if closed or address else "weak"
    if address:
        return "strong" if closed else "weak"
    return "weak" if closed and len(text) <= 120 and (date or not re.search(r"\d", text)) else None
