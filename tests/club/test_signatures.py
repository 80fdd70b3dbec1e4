"""Ordinary lines of signatures and letters: which of them are read as commands, and that none changes an address."""

import pytest

from moderator.commands.declaration import find
from moderator.inbox.sections import cut
from moderator.mail.model import Line
from tests.club.club import Club, text

GERMAN = """
Mit freundlichen Grüßen
Viele Grüße
Liebe Grüße
Herzliche Grüße, Anna
LG Anna
VG
Gruß
Grüße aus Köln
Schöne Grüße
Alles Gute
Bis bald
Bis morgen
Bis dann!
Tschüs
Ciao
Anna Muster
Muster GmbH
Muster & Söhne KG
Musterstraße 5
12345 Musterstadt
Tel.: 030 12345-67
Tel. 030/1234567
Telefon: 030 1234567
Fon: 030 1234567
Mobil: 0170 1234567
Handy 0170 1234567
Fax: 030 12345-68
E-Mail: anna.muster@firma.example
Email: anna@firma.example
eMail: anna@firma.example
eMail anna@firma.example
Mail: anna@firma.example
E-Mail anna@firma.example
mailto:anna@firma.example
Mailadresse: anna@firma.example
Adresse: Musterstr. 5, 12345 Musterstadt
Adresse: anna@firma.example
Anschrift: Musterweg 3
www.firma.example
Web: www.firma.example
Internet: http://firma.example
Homepage: https://firma.example
Bank: Sparkasse Musterstadt
Bank
Bankverbindung: DE12 3456 7890
IBAN DE12 3456 7890 1234 5678 90
BIC MUSTDE12
Steuernummer 12/345/67890
USt-IdNr. DE123456789
Geschäftsführer: Bert Muster
Sitz der Gesellschaft: Musterstadt
Amtsgericht Musterstadt HRB 1234
Diese E-Mail enthält vertrauliche Informationen.
Diese Nachricht ist nur für den Empfänger bestimmt.
Nachricht vom iPhone
Bitte denken Sie an die Umwelt, bevor Sie diese Mail drucken.
Nachricht: vertraulich
Presse- und Öffentlichkeitsarbeit
Presse: Tel. 030 123456
Presse
Pressestelle
Pressesprecherin
Leitung Presse
Termine nach Vereinbarung
Termine: nur nach Vereinbarung
Termin am Montag
Termin: Montag 10 Uhr
Öffnungszeiten: Mo-Fr 9-17 Uhr
Urlaub vom 1.12. bis 5.12.
Urlaub ab morgen
Urlaub!
Urlaub wäre schön
Urlaub war toll, 14 Tage Sonne
Urlaub 2025 war schön
Im Urlaub 2025 waren wir in Rom.
Abwesend bis 5.12.
Bin im Urlaub bis 5.12.
Stand 11/2026
Stand: November 2026
Stand: 22.11.2026
Stand
Standort Köln
Spielstand?
Liste
Liste anbei
Partien
Brett
Brettspielfreunde Köln
Hilfe!
Hilfe, ist das schwer!
Regeln
Regeln sind Regeln
Regeln: keine
Anleitung gibt es hier
Anleitung
Verlauf
Bericht
Bericht folgt
Bericht 3
Nochmal danke
Nochmal
Nochmal!
Kalender
Probe
Probe aufs Exempel
Probe am Montag
Vorschau auf morgen
Warten
Warten wir's ab
Warten wir mal
Fertig!
Fertig.
Fertig ist die Laube
Aufgeben gilt nicht
Aufgeben? Nie!
Ich gebe auf
Ich gebe auf keinen Fall auf
Ich gebe auf dich acht
Rücknahme ausgeschlossen
Zug zurück?
Einverstanden
Einverstanden!
Einverstanden, machen wir so
Zustimmen kann ich da nicht
Annehmen kann ich das nicht
Ablehnen muss ich leider
Einspruch, Euer Ehren!
Einspruch!
Protest!
Mitspielen macht Spaß
Mitspielen möchte ich auch beim Turnier
Anmelden muss ich mich noch
Anmelden
Zuschauen macht Spaß
Zuschauen
Zusehen kostet nichts
Übernehmen wir uns nicht
Übernehmen Sie!
Einspringen kann Bert
Ersatzspieler gesucht
Ersatzspieler
Ersatzbank
Bank drücken
Turnier?
Turnier war schön
Turnierleitung
Turnier 2026
Liga 3
Meisterschaft
Rangliste
Bewertung: super
Wertung
Tabelle
Sprache: Deutsch
Sprachen: Deutsch, Englisch
Sprache verschlagen
Zone
Zone 30
Zeitzone Berlin
Sammelmail
Form: gut
Form follows function
Form
Formsache
Einzelzug
Einzelzug ja
Steine
Steine raus!
Hand drauf!
Hand aufs Herz
Hand
Danke!
Danke schön
Vielen Dank
Prima
Super Zug!
Glückwunsch
Gute Besserung
Schönes Wochenende
Schönen Sonntag
Frohe Weihnachten
Frohes Fest!
Guten Rutsch
Hallo Bert,
Hallo
Moin
Servus
Guten Morgen
Guten Tag
Sehr geehrte Damen und Herren
Lieber Bert
Liebe Anna
Na, wie geht's?
Kommst du am Samstag?
Ja
Ja, gern
Nein
Nein danke
Ok
PS: bis Samstag
P.S. Grüß Cici
Ende gut, alles gut
Von meinem iPhone gesendet
Beste Grüße Anna Muster, 1. Vorsitzende
1. Vorsitzende
Schriftführer
Kassenwart
Stan
Form und Farbe
Alle Züge fahren heute später
Alle Züge
Befehle nehme ich nicht an
Befehl ist Befehl
Spiel gut!
Abgelehnt
Widerspruch zwecklos
Cup der guten Hoffnung
Herausforderung angenommen
Forderung
Fordere dich heraus
""".strip().splitlines()
ENGLISH = """
Kind regards
Best regards, Anna
Best wishes
Cheers
Cheers, Anna
Thanks
Thank you!
Many thanks
Yours sincerely
Take care
See you
Love, Anna
Phone: 030 123
Tel: 030 123
Mobile: 0170 123
Cell 0170 123
Fax: 123
Email: anna@firm.example
E-mail: anna@firm.example
e-mail anna@firm.example
Mail: anna@firm.example
Address: 5 Main Street
Address: anna@firm.example
Web: firm.example
Press office
Press: 030 123
Press contact
Press
Message ends
Message sent from my phone
Message: hello
Report to follow
Report
Resend
Status
Status: retired
Status quo
List
Listen
Matches
Board of directors
Board
Board member
Rack
Hand
Hand on heart
Help!
Help yourself
Rules
Rules are rules
Calendar
History
History repeats itself
Preview of things to come
Wait
Wait for it
Wait and see
Ready
Ready when you are
Ready!
No wait
Resign? Never!
I resign
Undo
Take back control
Agree
Agreed!
Agreed, let us do that
Accept my apologies
Refuse
Reject
Decline and fall
Complaint department
Protest songs
Leave it to me
Leave
Leave 5 for me
Leave it, 3 is enough
Vacation
Vacation was great, 2 weeks
Holiday
Holiday in 3 weeks!
Holidays
Holiday season 2026
Absence makes the heart grow fonder
Join us
Join the club
Join
Sign up
Sign up for our newsletter
Watch out
Watch this space
Watch
Observe
Take over
Takeover
Standby
Standby for more
Language: English
Language barrier
Zone 2
Time zone CET
Digest
Form
Form guide
Single
Single and happy
Single yes
Single move
Cup of tea?
Cup
League
Ladder
Tournament
Tournament next week
Challenge accepted
Challenge
Ratings
Rating
Table
Standings
Stop watching TV
Hello Bert
Hi
Dear Bert
Good morning
Have a nice weekend
Merry Christmas
Happy New Year
Good luck
Well played
Nice move!
Sent from my iPhone
Yes
No
OK
All moves
All good
Commands
Tiles
Termin
Accept
Decline
Preview
Board form
This email is confidential.
Unsubscribe
Unwatch
Managing Director
Confidential
""".strip().splitlines()
MEANT = frozenset(
    """
Abgelehnt
Abwesend bis 5.12.
Accept
Address: anna@firm.example
Adresse: anna@firma.example
Agree
Agreed!
All moves
Alle Züge
Anleitung
Anleitung gibt es hier
Anmelden
Anmelden muss ich mich noch
Bank
Bericht
Bericht 3
Board
Board form
Brett
Calendar
Commands
Complaint department
Cup
Decline
Digest
Einspringen kann Bert
Einspruch!
Einspruch, Euer Ehren!
Einverstanden
Einverstanden!
Einzelzug
Einzelzug ja
Ersatzbank
Ersatzspieler
Ersatzspieler gesucht
Fertig!
Fertig.
Form
Form follows function
Form guide
Form und Farbe
Form: gut
Hand
Help!
Hilfe!
History
Holiday
Holiday in 3 weeks!
Holiday season 2026
I resign
Ich gebe auf
Join
Join the club
Join us
Kalender
Language barrier
Language: English
League
Leave
Leave 5 for me
Leave it, 3 is enough
List
Liste
Matches
Mitspielen macht Spaß
Mitspielen möchte ich auch beim Turnier
No wait
Nochmal
Nochmal!
Observe
Partien
Press
Presse
Preview of things to come
Probe am Montag
Probe aufs Exempel
Protest songs
Protest!
Rack
Ready
Ready!
Refuse
Regeln
Regeln sind Regeln
Regeln: keine
Reject
Report
Resend
Rules
Rules are rules
Sammelmail
Sign up
Sign up for our newsletter
Single
Single and happy
Single move
Single yes
Sprache verschlagen
Sprache: Deutsch
Stan
Stand
Standby
Standby for more
Status
Steine
Stop watching TV
Take over
Takeover
Termin
Tiles
Time zone CET
Tournament
Undo
Unsubscribe
Unwatch
Urlaub 2025 war schön
Urlaub ab morgen
Urlaub vom 1.12. bis 5.12.
Urlaub war toll, 14 Tage Sonne
Urlaub wäre schön
Urlaub!
Vacation
Vacation was great, 2 weeks
Verlauf
Vorschau auf morgen
Wait
Warten
Watch
Watch out
Watch this space
Zeitzone Berlin
Zone
Zone 2
Zone 30
Zuschauen
Zuschauen macht Spaß
Zusehen kostet nichts
Übernehmen Sie!
Übernehmen wir uns nicht
""".strip().splitlines()
)
"""Those of them that are commands, word for word, or of which nobody can say that they are not; each was looked at.
They show something, or ask back, or are what somebody writes who wants just that."""


def commands(lines: list[str]) -> list[str]:
    given = [Line(n, line) for n, line in enumerate(lines, start=1)]
    return [command.name for section in cut(given) for command in section.commands]


def test_of_ordinary_lines_only_those_are_commands_that_were_looked_at() -> None:
    """A line that comes to be one by a new word of the vocabulary shows here."""
    assert {line for line in GERMAN + ENGLISH if commands([line])} == MEANT


def test_no_ordinary_line_is_a_wish_to_change_the_address() -> None:
    named = [line for line in GERMAN + ENGLISH if (found := find(line)) is not None and found[0].name == "address"]
    assert named == ["Adresse: anna@firma.example", "Address: anna@firm.example"]  # as the help has it, but see below


SIGNED = ("Mit freundlichen Grüßen", "Viele Grüße", "LG Anna", "Gruß", "Kind regards", "Cheers", "-- Best wishes --")
REACHED = (
    "Tel.: 030 12345-67",
    "www.firma.example",
    "Mobil 0170 1234567",
    "Fax: 030 12345-68",
    "https://firma.example",
)
MAILBOXES = tuple(
    f"{word}{sign}anna@firma.example"
    for word in ("E-Mail", "Email", "eMail", "Mail", "e-mail", "Mailadresse", "E-Mail-Adresse", "Adresse", "Address")
    for sign in (": ", " ", ":")
)


def test_a_signature_changes_no_address() -> None:
    """Below a closing formula, or beside a telephone number, even the documented words are none."""
    for mailbox in MAILBOXES:
        for closing in SIGNED:
            assert commands(["E5 w HAUS", closing, "Anna Muster", mailbox]) == [], (closing, mailbox)
        for contact in REACHED:
            assert commands(["E5 w HAUS", "Anna Muster", contact, mailbox]) == [], (contact, mailbox)
            assert commands(["E5 w HAUS", "Anna Muster", mailbox, contact]) == [], (contact, mailbox)


WISHES = (
    "Adresse neu@home.example", "Adresse: neu@home.example", "Adresse auf neu@home.example", "ADRESSE NEU@HOME.EXAMPLE",
    "Neue Adresse: neu@home.example", "Meine neue E-Mail-Adresse ist neu@home.example", "neue Mail: neu@home.example",
    "Meine neue Adresse lautet: neu@home.example", "Adresse ändern: neu@home.example", "Neue E-Mail neu@home.example",
    "E-Mail-Adresse ändern in neu@home.example", "Mailadresse neu: neu@home.example", "Address neu@home.example",
    "New address: neu@home.example", "My new email address is neu@home.example", "Change address to neu@home.example",
    "My new e-mail address is now neu@home.example", "Change my email: neu@home.example", "address to neu@home.example",
)  # fmt: skip


def test_explicit_wishes_are_understood() -> None:
    for wish in WISHES:
        found = find(wish)
        assert found is not None, wish
        assert (found[0].name, found[1].split()[-1].lower()) == ("address", "neu@home.example"), wish


@pytest.mark.parametrize("line", ["E-Mail: anna@firma.example", "Email: anna@home.example"])
def test_a_move_above_a_signature_is_all_that_a_mail_says(club: Club, line: str) -> None:
    code = club.match("Anna", "Bert")
    club.tick()
    club.mails()
    body = (
        f"passe\n\nMit freundlichen Grüßen\nAnna Muster\nMuster GmbH\nTel.: 030 12345-67\n{line}\nwww.firma.example\n"
    )
    club.order("Anna", code, 0, body)
    club.tick()
    told = club.mail("Anna")
    assert "Dein Zug zählt" in told["Subject"]
    assert "nicht verstanden" not in text(told)
    assert not club.mails("firma")
