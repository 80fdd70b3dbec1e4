"""What one mail states, wherever it stands in it, and which two statements cannot both be so.

Nothing but the mail is known here: no match, no log, no model. What subject and first line claim is read by claims.py,
the rest by the sentences below, in every language; a sentence that is in neither list states nothing.

    MODERATOR_MAILS=/tmp/mails pytest tests/club tests/pages tests/tournaments
    python -m tests.outside.statements /tmp/mails
"""

import calendar
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from tests.outside import claims
from tests.outside.claims import DAY, Claim
from tests.outside.line import CODE, Letter

READER = "(the reader)"


class Statement(NamedTuple):
    kind: str
    who: str
    """Whom it is about; "" = the match, or the mail."""
    value: str
    words: str
    """As it stands in the mail."""


class Contradiction(NamedTuple):
    one: Statement
    other: Statement

    @property
    def kinds(self) -> str:
        return " / ".join(sorted({self.one.kind, self.other.kind}))

    def __str__(self) -> str:
        return f"{self.kinds}, {self.one.who or 'the match'}: “{self.one.words}”, and “{self.other.words}”"


# What a sentence states = in German = in English = in French. Behind @ stands whom it is about: the reader, or who is
# named; a statement without it is about the match.
TABLE = r"""
wanted@you deadline@you = Kommt bis {day} kein \w+ \w+ von dir
    = If (?:I have no \w+ \w+ from you|no correct crossword has arrived) by {day}
    = (?:Si|Sans) [^.]{1,60} (?:avant le|d’ici au|jusqu’au) {day}
wanted@you = Bitte schick einen neuen Zug = Please send a new move = Merci d’envoyer un nouveau coup
wanted@you = \) -* ?Du bist am Zug\. = \) -* ?It is your move\. = \) -* ?C’est ton tour\.
idle@you = Von dir ist ein Zug gespeichert\. = A move of yours is stored\. = Un coup de toi est enregistré\.
idle@you deadline@you = gilt dieser Zug, sobald ausgewertet wird, spätestens am ZAT: {day}
    = this move holds when the round is evaluated, at the deadline at the latest: {day}
    = ce coup vaudra au dépouillement, au plus tard à la date limite : {day}
idle@you = Wenn du nichts mehr schickst, gilt dein gespeicherter Zug|du musst nichts mehr tun
    = If you send nothing more, your stored move holds|there is nothing more for you to do
    = Si tu n’envoies plus rien, ton coup enregistré vaut|tu n’as plus rien à faire
idle@you = Damit bist du in dieser Runde fertig = So you are out of this round = Tu es donc hors de cette manche
idle@you may-send@you = Du bist noch nicht dran, kannst deinen Zug aber schon schicken
    = It is not your turn yet, but you may send your move already
    = Ce n’est pas encore ton tour, mais tu peux déjà envoyer ton coup
latest@you = Spätestes Ende der Partie: {day} = Latest end of the game: {day} = Fin de la partie au plus tard : {day}
vain@you = Auf dem jetzigen Brett geht davon nichts = Nothing of it is possible on the board as it is
    = Rien de tout cela n’est possible sur le plateau actuel
else@you = Geht das nicht, dann gilt = If that fails, next comes = Si cela échoue, j’essaie ensuite
worked@you = \+ Zeile \d+ lautet [^+!]{1,300}?möglich, bevor ausgewertet wurde
    = \+ Line \d+ reads [^+!]{1,300}?possible before the evaluation
    = \+ Ligne \d+ dit [^+!]{1,300}?possible avant le dépouillement
undone = (?:[Nn]och|Bis jetzt) ist nichts geschehen = [Nn]othing (?:is done yet|has happened (?:yet|so far))
    = rien n’est fait encore|Rien ne s’est (?:encore )?passé
out@who = Spiel(?:t|en) nicht mehr mit: {names}\. = Plays? no more: {names}\. = Ne joue(?:nt)? plus : {names}\.
out@who = {who} ist ausgeschieden\. = {who} is out of the game\. = {who} est hors jeu pour cette manche\.
silent@who = {who}: kein Zug - Hat nichts geschickt = {who}: no move - Sent nothing(?! right)
    = {who} : pas de coup - N’a rien envoyé(?! de juste)
tried@who = {who}: kein Zug - Hat nichts Richtiges geschickt = {who}: no move - Sent nothing right
    = {who} : pas de coup - N’a rien envoyé de juste
searched = hat niemand einen Zug gefunden = Nobody found a move in this round = [Pp]ersonne n’a trouvé de coup
runs = läuft die Partie weiter = the match goes on = la partie continue
free = zählt \d+: noch nichts|Frei, (?:alle )?\w+ Ecken bekannt
    = counts \d+: nothing yet|Free, (?:all )?\w+ corners known
    = compte \d+ : rien encore|Libres, (?:les )?\w+ coins connus
nobody-won = Die Partie endet ohne Sieger = The match ends without a winner = La partie finit sans vainqueur
won@who = {who}(?: gewinnt|: Hat) die Partie mit {value} Punkt = {who}(?: wins|: Has won) the match with {value} point
    = {who}(?: gagne| : A gagné) la partie avec {value} point
last = Das ist die letzte Runde|(?:Runde|Spiel) (\d+) von \1\b|Spiele in der Serie: 1\b|1 Spiel wird|werden 1 Runde
    = This is the last round|(?:round|game) (\d+) of \1\b|Games in the series: 1\b|1 (?:game|round) is played
    = C’est le dernier tour|manche (\d+) sur \1\b|Manches de la série : 1\b|On joue 1 manche\b
more = Danach wird neu gemischt|zur nächsten Runde kommt
    = Then the tiles are shuffled anew|the next round brings a mail
    = Ensuite on mélange de nouveau|préviendra pour le prochain tour
file-used = leg die Datei ab, die an der Mail hängt = drop the file there that came with the mail
    = dépose-y le fichier joint
file-idle = Stellung für Programme; du brauchst sie nicht = position for programs; you do not need it
    = position pour des programmes ; tu n’en as pas besoin
final@you = Im Finale! = In the final! = En finale !
third@you = du spielst um Platz 3 = you play for third place = tu joues pour la 3e place
through@you = Eine Runde weiter = One round further = Un tour de plus
knocked-out@you = Ausgeschieden: (?!.*um Platz 3) = Out: (?!.*third place) = Fini pour toi :
up@you = Aufgestiegen! = Promoted! = Tu montes !
down@you = Abgestiegen: = Relegated: = Tu descends :
stays@you = Du bleibst in der \d+. Liga = You stay in division = Tu restes en division
place@you = Du (?:bist|stehst)(?: jetzt)? auf (?:Platz|Stufe) {value} = You are(?: now)? (?:in place|on rung) {value}
    = Tu es(?: maintenant)? (?:à la place|sur l’échelon) {value}
starts@who = , (?:und )?{who} f[aä]ngs?t an \({code}\) = , (?:and )?{who} starts? \({code}\)
    = , (?:et )?{who} commences? \({code}\)
"""

CLAIMED = {
    "yours": "wanted", "until": "wanted", "movers": "wanted", "deadline": "idle", "counts": "idle", "here": "idle",
    "gave-up": "idle", "ahead": "idle", "over": "over", "done": "done", "out": "out", "eliminated": "out",
    "gone": "out", "held": "idle", "fell-out": "fell-out", "won": "won", "won-you": "won",
    "nobody-won": "nobody-won", "level": "nobody-lost", "lost": "lost", "place": "place",
    "nothing": "idle", "undone": "undone",
}  # fmt: skip
"""What a claim of subject or first line states."""
NAMELESS = {"over", "done", "undone", "nobody-won", "nobody-lost"}

CANNOT = {
    frozenset(pair.split(" / "))
    for pair in (
        "wanted / idle", "wanted / out", "wanted / over", "may-send / out", "may-send / over", "vain / else",
        "worked / fell-out", "undone / done", "tried / out", "silent / searched", "runs / over", "free / over",
        "nobody-won / won", "nobody-won / nobody-lost", "nobody-lost / lost", "won / lost", "last / more",
        "file-used / file-idle", "final / third", "final / knocked-out", "third / knocked-out", "through / knocked-out",
        "through / third", "up / down", "up / stays", "down / stays",
    )
}  # fmt: skip
"""Two that cannot both be so of one player, or of the match."""
OF_ALL = {"silent", "searched", "nobody-won", "nobody-lost"}
"""Kinds that say something of everybody."""
ONE = {"deadline", "place", "points", "total", "goes-on", "starts"}
"""Kinds with one value for each of whom they are about."""

NAME = r"(?:[^\W\d_][\w’-]*)"
FILLS = {
    "{who}": rf"(?P<who>{NAME})",
    "{names}": r"(?P<names>[^.:;!?]{1,200}?)",
    "{value}": r"(?P<value>[-−]?\d+)",
    "{code}": r"(?P<code>[A-Z0-9]{4})",
}


def _rows() -> Iterator[tuple[list[tuple[str, str]], re.Pattern[str]]]:
    """(Kind, about whom) of all that a sentence states, and the sentence."""
    for row in re.split(r"\n+(?! )", TABLE.strip()):
        kinds, *sentences = re.split(r"\s+= ", row)
        for language, sentence in zip(DAY, sentences, strict=True):
            for word, fill in (FILLS | {"{day}": DAY[language]}).items():
                sentence = sentence.replace(word, fill)
            yield [kind.partition("@")[::2] for kind in kinds.split()], re.compile(sentence)


ROWS = list(_rows())
MONTH_NUMBERS = {name: number for number, name in enumerate(calendar.month_name)}
YOU = {"du", "you", "toi", "tu"}
SEATS = re.compile(r"^  (?:Spieler|Player|Joueur) .*(?:Gesamt|Total)\n(?P<rows>(?:[* ] .*(?:\n|$))+)", re.MULTILINE)
SEAT = re.compile(
    r"^(?P<star>[* ]) (?P<name>\S.*?)(?P<you> \((?:du|you|toi)\))?(?: +(?:–|[+−-]?\d+))? +(?P<total>[−-]?\d+)\n"
    r"(?P<more>(?: {4}.*\n)*)",
    re.MULTILINE,
)
ROW_WORDS = {
    "wanted": re.compile(
        r"^ *(?:am Zug|fehlt noch|noch im Rennen|to move|not sent yet|still in the race|doit jouer|rien reçu|"
        r"toujours dans la course)"
    ),
    "idle": re.compile(
        r"^ *(?:hat geschickt|ist fertig|hat diese Runde aufgegeben|wartet auf den Spielleiter|"
        r"has sent|is done|gave this round up|waits for the moderator|"
        r"coup reçu|fini|manche abandonnée|attend une décision)"
    ),
    "out": re.compile(r"^ *(?:ist ausgeschieden|spielt nicht mehr mit|is out|has left|hors jeu|ne joue plus)"),
}
WON = re.compile(r"\b(?:gewonnen|winner|gagne)\b")
COUNTS = re.compile(r"\b(?:zählt|counts|compte) ([−-]?\d+)")
WINNERS_POINTS = re.compile(r"\b(?:mit(?: je)?|with|avec|à) ([−-]?\d+) (?:Punkt|point)")
SUMS = re.compile(r"^ {2}(?P<name>[^\W\d]\S*)\n(?P<lines>(?: {4}.*\n)+)", re.MULTILINE)
TOTAL = re.compile(r"\b(?:insgesamt|Gesamtstand|in all|total|en tout) ([−-]?\d+)|([−-]?\d+) in all\b")
COUNTED = re.compile(
    r"(?:zählt diese Partie so|game counts like this|partie compte ainsi) ?: (?P<results>.+?)\.(?: |$)"
)
ITEM = re.compile(r"^- (.*(?:\n {2}\S.*)*)", re.MULTILINE)
TIE = re.compile(
    r"^(?P<one>[^:–]+) – (?P<other>[^:–]+?) ?:\s(?P<a>[\d½]+)–(?P<b>[\d½]+), (?:weiter kommt |gewonnen hat )?"
    r"(?P<who>.+?)(?: goes on| has won| continue| gagne)?"
    r"(?: \((?:Partiepunkte|game points|points de partie) (?P<x>[−-]?\d+) : (?P<y>[−-]?\d+)\))?$"
)
OWN_ROW = re.compile(r"^\*\s\w+\s(?P<place>\d+)\s?:\s", re.MULTILINE)
OPENED = re.compile(rf"- (?P<who>{NAME}) ?: (?:Eröffnet mit|Opens with|Ouvre avec)")
BLOCK = re.compile(r"^(?=(?:\S.* \([A-Z0-9]{4}\)|[„“«].*)\n-{3,}$)", re.MULTILINE)
"""Begins what a mail about several matches or tournaments says of one of them."""


def find_contradictions(letter: Letter) -> list[Contradiction]:
    """Two statements of the mail that cannot both be so, one pair for each two kinds and each player."""
    return compare(read_statements(letter))


def compare(statements: Sequence[Statement]) -> list[Contradiction]:
    """The same for statements of whatever mails."""
    found: dict[tuple[str, str], Contradiction] = {}
    for one, other in combinations(statements, 2):
        pair = Contradiction(one, other)
        same = one.who == other.who or OF_ALL & {one.kind, other.kind}
        if same and (
            frozenset((one.kind, other.kind)) in CANNOT
            or ((one.kind, other.kind) == ("deadline", "latest") and _is_later(one.value, other.value))
            or (one.kind == other.kind and one.kind in ONE and one.value != other.value)
        ):
            found.setdefault((pair.kinds, one.who), pair)
    return list(found.values())


def _is_later(day: str, other: str) -> bool:
    """Whether ``3 December 20:00`` is after the other, of days that are within half a year."""
    moments = [(MONTH_NUMBERS[month] * 31 + int(number), time) for number, month, time in (day.split(), other.split())]
    days = (moments[0][0] - moments[1][0] + 186) % 372 - 186
    return days > 0 or (days == 0 and moments[0][1] > moments[1][1])


def read_statements(letter: Letter) -> list[Statement]:
    """What the mail states. Of one about several matches what is said of each is looked at by itself."""
    body = "\n".join(line for line in letter.body.splitlines() if not line.startswith(("¦", ">"))) + "\n"
    first, *blocks = BLOCK.split(body)
    if blocks:
        return [
            one._replace(who=f"{one.who} in {number}")
            for number, block in enumerate((first, *blocks))
            for one in _of_sentences(block)
        ]
    seats = [row for table in SEATS.finditer(body) for row in SEAT.finditer(table["rows"])]
    reader = next((row["name"] for row in seats if row["you"]), letter.reader.partition("@")[0].capitalize())
    found = [*_of_head(letter), *_of_sentences(body), *_of_results(letter, body)]
    over = any(one.kind == "over" for one in found)
    for row in seats:
        found += _of_end_row(row) if over else _of_row(row)
    found += _of_first_line(letter.first, found, seats)
    found = [one._replace(who=reader) if one.who == READER else one for one in found]
    return [one._replace(value=reader) if one.value == READER else one for one in found]


def _of_row(row: re.Match[str]) -> Iterator[Statement]:
    """What the score table says of who plays, by a mark and by words."""
    words = row["more"]
    yield Statement("wanted" if row["star"] == "*" else "idle", _name(row), "", _words(row))
    for kind, pattern in ROW_WORDS.items():
        if pattern.search(words):
            yield Statement(kind, _name(row), "", _words(row))


def _of_end_row(row: re.Match[str]) -> Iterator[Statement]:
    """The same at the end; nobody is marked where all are level."""
    if WON.search(row["more"]):
        yield Statement("won", _name(row), "", _words(row))
    total = row["total"].replace("−", "-")
    yield Statement("total", _name(row), total, _words(row))
    counts = COUNTS.search(row["more"])
    yield Statement("points", _name(row), counts[1].replace("−", "-") if counts else total, _words(row))


def _name(row: re.Match[str]) -> str:
    return READER if row["you"] else row["name"]


def _words(row: re.Match[str]) -> str:
    return " ".join(row[0].split())


def _of_first_line(first: str, found: Sequence[Statement], seats: Sequence[re.Match[str]]) -> Iterator[Statement]:
    """What follows from a list of names in the first line: of those in the table no others are meant."""
    named = {kind: {one.who for one in found if one.kind == kind and one.words == first} for kind in ("won", "wanted")}
    points = WINNERS_POINTS.search(first)
    for name in map(_name, seats):
        if named["won"] and name not in named["won"]:
            yield Statement("lost", name, "", first)
        if points and (name in named["won"] or any(one.kind == "nobody-lost" for one in found)):
            yield Statement("points", name, points[1].replace("−", "-"), first)
        if named["wanted"] and READER not in named["wanted"] and name not in named["wanted"] and "(+" not in first:
            yield Statement("idle", name, "", first)


def _of_head(letter: Letter) -> Iterator[Statement]:
    """What subject and first line claim."""
    for read, text in ((claims.of_subject, letter.subject), (claims.of_first_line, letter.first)):
        claimed = read(text)
        kinds = {claim.kind for claim in claimed}
        for claim in claimed:
            again = CLAIMED.get(claim.kind) in ("idle", "out") and "yours" in kinds  # of the turn, or the game, before
            if claim.kind in ("until", "deadline"):
                yield Statement("deadline", READER, claim.value, text)
            if claim.kind in CLAIMED and not again:
                yield from _of_claim(claim, text)


def _of_claim(claim: Claim, text: str) -> Iterator[Statement]:
    kind = CLAIMED[claim.kind]
    if claim.kind in ("movers", "won", "gone"):
        for name in claim.value.split(",") if claim.value else ():
            yield Statement(kind, name, "named" if claim.kind == "movers" else "", text)
    else:
        who = "" if kind in NAMELESS else READER
        yield Statement(kind, who, claim.value if kind == "place" else "", text)


def _of_sentences(body: str) -> Iterator[Statement]:
    """What the sentences of the list state, wherever they stand."""
    text = " ".join(body.split())
    for states, pattern in ROWS:
        for match in pattern.finditer(text):
            said: dict[str, str | None] = match.groupdict()
            value = claims.read_day(said) if said.get("day") else said.get("value") or ""
            names = claims.split_names(said.get("names") or "") or [said.get("who") or ""]
            for kind, about in states:
                for name in names if about == "who" else [READER if about == "you" else ""]:
                    who = READER if name.lower() in YOU else name
                    if code := said.get("code"):
                        who, value = code, who
                    yield Statement(kind, who, value if kind in {*ONE, "latest"} else "", match[0][-300:])


def _of_results(letter: Letter, body: str) -> Iterator[Statement]:
    """What lists of results state: sums, what a match counts in its tournament, ties, places, who opened."""
    text = " ".join(body.split())
    for sums in SUMS.finditer(body):
        if totals := TOTAL.findall(" ".join(sums["lines"].split())):
            yield Statement("total", sums["name"], "".join(totals[-1]).replace("−", "-"), _words(sums))
    for opened in OPENED.finditer(text) if letter.code else ():
        yield Statement("starts", letter.code, opened["who"], opened[0])
    for counted in COUNTED.finditer(text):
        for name, points in re.findall(r"([^,]+?) ([\d½.]+)(?:, |$)", counted["results"]):
            if points in ("0", "1"):
                yield Statement("won" if points == "1" else "lost", name.strip(), "", counted[0])
    for row in OWN_ROW.finditer(body):
        yield Statement("place", READER, row["place"], body[row.start() :].splitlines()[0])
    for item in ITEM.findall(body):
        tie = TIE.match(" ".join(item.replace("\u00a0", " ").split()))
        if tie is None:
            continue
        both = f"{tie['one']} – {tie['other']}"
        yield Statement("goes-on", both, tie["who"], tie[0])
        sides = [tuple(_number(one) for one in side if one) for side in ((tie["a"], tie["x"]), (tie["b"], tie["y"]))]
        if sides[0] != sides[1]:
            yield Statement("goes-on", both, tie["one" if sides[0] > sides[1] else "other"], tie[0])


def _number(text: str) -> float:
    return float(text.replace("−", "-").replace("½", ".5"))


# ---- a folder of mails that tests/mail_log.py has written ----

BETWEEN = "=" * 70


def read_folder(folder: Path) -> Iterator[list[Letter]]:
    """The mails of each test."""
    for file in sorted(folder.glob("*.txt")):
        texts = file.read_text(encoding="utf-8").split(f"\n{BETWEEN}\n")
        yield [to_letter(text) for text in texts if text.startswith("To: ")]


def to_letter(text: str) -> Letter:
    """A mail as it is written down: reader, subject, a blank line, text."""
    head, _, body = text.partition("\n\n")
    reader, subject = (line.partition(": ")[2] for line in head.split("\n", 1))
    token = CODE.search(subject)
    first = " ".join(body.partition("\n\n")[0].split())
    return Letter(reader, token["code"] if token else "", CODE.sub("", subject), first, body, "", "")


def count_contradictions(folder: Path) -> Counter[str]:
    """Print how many mails of the folder contradict themselves, or each other on who begins, with an example of each
    kind."""
    figures, examples = Counter[str](), dict[str, str]()
    for letters in read_folder(folder):
        figures["mails"] += len(letters)
        found = [(str(letter), pair) for letter in letters for pair in find_contradictions(letter)]
        read = [one for letter in letters for one in read_statements(letter)]
        figures["statements"] += len(read)
        begins = [one for one in read if one.kind == "starts"]
        for about, pair in found + [("Several mails", pair) for pair in compare(begins)]:
            figures[pair.kinds] += 1
            examples.setdefault(pair.kinds, f"{about}\n  {pair}")
    for kinds, example in examples.items():
        print(f"{figures[kinds]} × {kinds}\n{example}\n")
    mails, read = figures.pop("mails"), figures.pop("statements")
    print(f"{mails} mails, {read} statements, {figures.total()} contradictions")
    return figures


if __name__ == "__main__":
    sys.exit(len(count_contradictions(Path(sys.argv[1]))) > 0)
