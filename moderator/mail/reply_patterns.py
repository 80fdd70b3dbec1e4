"""What mail programs write around a reply: the tables of the reply cutter, each row with the program it serves.

Every pattern is matched on one line of at most LONGEST characters and is linear.
"""

from __future__ import annotations

import re

LONGEST = 500
"""Characters; a longer line is neither an attribution nor a header, separator or signature."""

_I = re.IGNORECASE

# ---- our own line; clients may make it bold, escape it or wrap it ----
MARKER = re.compile(r"[\s*_\\]*##-|.*\b(?:Bitte oberhalb dieser Zeile antworten|Please reply above this line)", _I)

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


def verb(text: str) -> bool:
    """Whether ``VERB`` is in the text. Most lines have none, and that is found out faster by their letters."""
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
