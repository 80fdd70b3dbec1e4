"""What the sentences of a subject and of a first line claim.

This is all the observer knows of the wording. A sentence that is not here is a failure: who adds one to the program
writes down here what it claims, and tests/outside/told.py says when that is so.
"""

import calendar
import re
from collections.abc import Iterator
from typing import NamedTuple


class Claim(NamedTuple):
    kind: str
    value: str = ""


class Unknown(Exception):
    """A sentence that is not in the list."""


TITLE = r"[^„“”:]+ [„“][^„“”]*[“”]"
NAME = r"\w+"
NAMES = rf"(?P<names>{NAME}(?:, {NAME})*(?:,? (?:und|and) {NAME})?)"
DAY_DE = r"\w+, (?P<day>\d+)\. (?P<month>\w+)(?: \d{4})?, (?P<time>\d+:\d\d) Uhr(?: \(noch [^)]*\))?"
DAY_EN = r"\w+, (?P<day>\d+) (?P<month>\w+)(?: \d{4})?, (?P<time>\d+:\d\d)(?: \([^)]* left\))?"
EVALUATED = ("(the )?(last )?round( is)?", "(die )?letzte Runde( ist)?|die Runde ist")
MOVE = r"[»“„](?P<move>.*?)[«”“]"

# A sentence in German, in English, and what it claims. {names} are those the match waits for. The same words stand in
# the subject and in the first line, and the match may be named behind them.
TABLE = r"""
die Partie beginnt, los geht’s = the match begins, off you go = begins yours
die Partie beginnt, du bist am Zug = the match begins, it is your move = begins yours
die Partie beginnt = the match begins = begins
du bist am Zug, dein gespeicherter Zug wartet = it is your move, and your stored one waits = yours waits
du bist am Zug = your turn = yours
du bist noch im Rennen = you are still in the race = yours
es ist neu ausgeteilt, los geht’s = new tiles are dealt, off you go = dealt yours
du hast die Partie aufgegeben = you have resigned = out
du spielst nicht mehr mit = you are no longer in this match = out
du bist ausgeschieden = you are out of this game = eliminated
du bist ausgeschieden und im nächsten Spiel am Zug
    = you were out, and it is your move in the next game = eliminated dealt yours
du hast ausgesetzt = you missed your turn = missed
du hast ausgesetzt und bist wieder am Zug = you missed your turn, and it is your turn again = missed yours
keiner deiner Züge war möglich, du hast ausgesetzt = none of your moves was possible, you missed your turn = missed
keiner deiner Züge war möglich, du bist wieder am Zug
    = none of your moves was possible, it is your turn again = missed yours
von dir kam keine fehlerfreie Lösung = you sent no faultless solution = missed
von dir kam keine fehlerfreie Lösung, es ist neu ausgeteilt
    = you sent no faultless solution, new tiles are dealt = missed dealt yours
deine Lösung ist gespeichert = your solution is kept = here
du hast diese Runde aufgegeben = you gave up this round = gave-up
dein Zug liegt bereit = your move is ready = here
{names} am Zug = {names} to move = movers
Bericht = report = nobody-else
dein Zug zählt( – und|,) du bist wieder am Zug = your move counts( – and it is)?,? your turn again = counts yours
dein Zug zählt, sobald du dran bist = your move counts as soon as it is your turn = ahead
dein Zug zählt noch NICHT = your move does NOT count yet = not-yet
dein Zug zählt NICHT = your move does NOT count = not
dein Zug zählt = your move counts = counts
dein Zug ist gespeichert und wartet = your move is stored and waits = waits
dein Zug ist gespeichert, geht aber jetzt NICHT = your move is stored, but it is NOT possible now = in-vain
dein Dauerauftrag ist gespeichert = your standing order is kept = standing
fehlerfrei[,!] deine Lösung ist gespeichert = faultless[,!] your solution is kept = here faultless
du gibst diese Runde auf = you give up this round = gave-up
dein gespeicherter Zug ist zurückgezogen = your stored move is withdrawn = withdrawn
da war nichts zurückzuziehen = there was nothing to take back = nothing-stored
({evaluated}) ausgewertet, dein Zug zählt( – und|,) du bist wieder am Zug
    = ({evaluated}) evaluated, your move counts( – and|,) it is your turn again = evaluated took-part yours
({evaluated}) ausgewertet, keiner deiner Züge war möglich( – und|,) du bist wieder am Zug
    = ({evaluated}) evaluated, none of your moves was possible( – and|,) it is your turn again
    = evaluated fell-out yours
die Runde ist ausgewertet, dein Zug zählt = the round is evaluated, your move counts = evaluated took-part
die Runde ist ausgewertet, keiner deiner Züge war möglich
    = the round is evaluated, none of your moves was possible = evaluated fell-out
(ich konnte in deiner Mail keinen Zug lesen|ich konnte keinen Zug lesen)
    = I could not read a move( in your mail)? = no-move
kein Zug in deiner Mail = no move in your mail = no-move
eine Rückfrage, noch ist nichts geschehen = a question back, nothing is done yet = no-move
dein Zug fehlt noch = your move is still missing = yours reminder
dein gespeicherter Zug wartet noch = your stored move still waits = waits reminder
erledigt = carried out = done
ein Befehl ließ sich nicht ausführen = a command could not be carried out = not-done
dein Zug kam zu spät = your move came too late = late
Berichtigung = correction = correction
die Partie ist zu Ende = the match is over = over
so steht es = where it stands = status
so schreibst du deinen Zug = how to write your move = help
kurz gemeldet|kurze Nachricht = in short|short news = note
in der Partie \w{4} spielst du nicht mehr mit = you no longer play in match \w{4} = note

Runde (?P<round>\d+) ist zu Ende|Spiel (?P<game>\d+) ist zu Ende = (?:Round|Game) (?P<round>\d+) is over = round-over
Jetzt am Zug: {names} = Now to move: {names} = movers
Es fehlen noch: {names} = Still missing: {names} = movers
(Bis|ZAT:) {day} \(abgelaufen\) = (By|Deadline:) {day} \(over\) = expired
Bis {day} = By {day} = until
ZAT: {day} = Deadline: {day} = deadline
{who} legt {move}: {points} Punkte? = {who} plays {move}: {points} points? = last-move
{who}: {move}, {points} Punkte? = {who}: {move}, {points} points? = last-move
{who} (legt|meldet) {move} = {who} (plays|reports) {move} = last-move
Du hast gewonnen, mit {points} Punkte?n?. Glückwunsch!?
    = You have won, with {points} points?. Congratulations!? = won-you
Gewonnen hat {names} mit {points} Punkte?n? = {names} has won with {points} points? = won
Gewonnen haben {names} mit je {points} Punkte?n? = {names} have won with {points} points? each = won
Niemand hat gewonnen = Nobody has won = won
"""
SENTENCES = [tuple(re.split(r"\s+= ", sentence)) for sentence in re.split(r"\n+(?! )", TABLE.strip())]

GERMAN_MONTHS = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember"
MONTHS = dict(zip(GERMAN_MONTHS.split(), calendar.month_name[1:], strict=True))


def _pattern(german: bool, sentence: str) -> re.Pattern[str]:
    fills = {
        "{evaluated}": EVALUATED[german],
        "{names}": NAMES, "{day}": DAY_DE if german else DAY_EN, "{move}": MOVE,
        "{who}": rf"(?P<who>{NAME})", "{points}": r"(?P<points>[-−]?\d+)",
    }  # fmt: skip
    for word, fill in fills.items():
        sentence = sentence.replace(word, fill)
    return re.compile(rf"(?:{sentence})(?:: {TITLE})?(?=[.!]( |$)|$)[.!]?\s*", re.IGNORECASE)


GRAMMAR = [
    (_pattern(german, sentence), claims.split())
    for german_words, english, claims in SENTENCES
    for german, sentence in ((True, german_words), (False, english))
]
NEWS = re.compile(rf"^(?P<news>.+?)(?::|(?<=[!?])) {TITLE}(?:, (?:Runde|Spiel|round|game) (?P<round>\d+))?$")


def of_subject(subject: str) -> list[Claim]:
    """``Du bist am Zug: Topwords „Arratia“, Runde 2``."""
    news = NEWS.match(subject)
    if not news:
        raise Unknown(subject)
    head = [Claim("round", news["round"])] if news["round"] else []
    return head + list(_sentences(news["news"]))


def of_first_line(first: str) -> list[Claim]:
    return list(_sentences(first))


def _sentences(text: str) -> Iterator[Claim]:
    """The claims of one sentence after the other; the longest that fits is taken."""
    while text:
        found = [(match.end(), match, claims) for pattern, claims in GRAMMAR if (match := pattern.match(text))]
        if not found:
            raise Unknown(text)
        end, match, claims = max(found, key=lambda each: each[0])
        for claim in claims:
            yield Claim(claim, _value(claim, match.groupdict()))
        text = text[end:]


def _value(claim: str, found: dict[str, str | None]) -> str:
    if claim in ("until", "deadline", "expired"):
        month = found["month"] or ""
        return f"{found['day']} {MONTHS.get(month, month)} {found['time']}"
    if claim == "movers":
        return ",".join(sorted(re.split(r",? (?:und|and) |, ", found["names"] or "")))
    if claim == "last-move":
        return f"{found['who']} {found['move']} {found.get('points') or ''}".strip()
    if claim == "round-over":
        return found.get("round") or found.get("game") or ""
    return ""
