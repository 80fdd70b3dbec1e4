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
    """``unknown`` of a sentence that is not in the list; nothing behind it is read."""
    value: str = ""


TITLE = r"[^„“”«»:]+ [„“«][^„“”«»]*[“”»]"
NAME = r"\w+"
NAMES = rf"(?P<names>{NAME}(?:, {NAME})*(?:,? (?:und|and|et) {NAME})?)"
DAY = {
    "de": r"\w+, (?P<day>\d+)\. (?P<month>\w+)(?: \d{4})?, (?P<time>\d+:\d\d) Uhr(?: \(noch [^)]*\))?",
    "en": r"\w+, (?P<day>\d+) (?P<month>\w+)(?: \d{4})?, (?P<time>\d+:\d\d)(?: \([^)]* left\))?",
    "fr": r"\w+ (?P<day>\d+)(?:er)? (?P<month>\w+)(?: \d{4})?, (?P<time>\d+:\d\d)(?: \(encore [^)]*\))?",
}
MISSED = {
    "de": "(kein Zug von dir|nichts war möglich)",
    "en": "(no move from you|no move was possible)",
    "fr": "(aucun coup de toi|aucun coup possible)",
}
COST = {
    "de": "(ausgesetzt|Stein für dich|Strafziegel für dich|dein Wort liegt)",
    "en": "(turn missed|a tile for you|a penalty tile for you|your word is laid)",
    "fr": "(tour passé|un jeton pour toi|une tuile de pénalité|ton mot est posé)",
}
EVALUATED = {"de": "(die )?letzte Runde( ist)?|die Runde ist", "en": "(the )?(last )?round( is)?", "fr": ""}
MOVE = r"[»“„«] ?(?P<move>.*?) ?[«”“»]"

# A sentence in German, in English, in French, and what it claims. {names} are those the match waits for. The same words
# stand in the subject and in the first line, and the match may be named behind them.
TABLE = r"""
die Partie beginnt, los geht’s = the match begins, off you go = la partie commence, à toi de jouer = begins yours
die Partie beginnt, du bist am Zug = the match begins, it is your move
    = la partie commence, c’est ton tour = begins yours
die Partie beginnt = the match begins = la partie commence = begins
du bist am Zug, dein gespeicherter Zug wartet = it is your move, and your stored one waits
    = c’est ton tour, ton coup enregistré attend = yours waits
du bist am Zug = your turn = c’est ton tour = yours
du bist noch im Rennen = you are still in the race = tu es toujours dans la course = yours
es ist neu ausgeteilt, los geht’s = new tiles are dealt, off you go
    = nouvelle distribution, à toi de jouer = dealt yours
du hast die Partie aufgegeben = you have resigned = tu as abandonné la partie = out
du spielst nicht mehr mit = you are no longer in this match = tu ne joues plus dans cette partie = out
du bist ausgeschieden = you are out of this game = tu es hors jeu = eliminated
du bist ausgeschieden und im nächsten Spiel am Zug = you were out, and it is your move in the next game
    = tu étais hors jeu, et c’est ton tour dans la suite = eliminated dealt yours
du bist dran, {gone} nicht mehr dabei = your turn, {gone} no longer in the match
    = à toi, ne joue plus : {gone} = gone yours
{gone} nicht mehr dabei = {gone} no longer in the match = ne joue plus : {gone} = gone
du bist dran, {gone} ausgeschieden = your turn, {gone} out of the game = à toi, hors jeu : {gone} = gone yours
{gone} ausgeschieden = {gone} out of the game = hors jeu : {gone} = gone
{missed} – {cost} = {missed} – {cost} = {missed} – {cost} = missed
{missed} – ausgeschieden = {missed} – you are out = {missed} – tu es hors jeu = missed eliminated
du bist dran, {missed} – {cost} = your turn, {missed} – {cost} = à toi, {missed} – {cost} = missed yours
du bist dran, {missed} – ausgeschieden = your turn, {missed} – you are out
    = à toi, {missed} – tu es hors jeu = missed eliminated dealt yours
die Partie wartet auf den Spielleiter = the match waits for the moderator = la partie attend une décision = held
die Partie wartet auf eine Entscheidung des Spielleiters = the match waits for a ruling of the moderator
    = la partie attend une décision de l’organisateur = held
von dir kam keine fehlerfreie Lösung = you sent no faultless solution
    = tu n’as pas envoyé de solution sans faute = missed
von dir kam keine fehlerfreie Lösung, es ist neu ausgeteilt = you sent no faultless solution, new tiles are dealt
    = tu n’as pas envoyé de solution sans faute, nouvelle distribution = missed dealt yours
deine Lösung ist gespeichert = your solution is kept = ta solution est enregistrée = here
du hast diese Runde aufgegeben = you gave up this round = tu as abandonné cette manche = gave-up
dein Zug liegt bereit = your move is ready = ton coup est prêt = here
{names} am Zug = {names} to move = c’est à {names} de jouer = movers
Bericht = report = compte rendu = nobody-else
dein Zug zählt( – und|,) du bist wieder am Zug = your move counts( – and it is)?,? your turn again
    = ton coup compte, c’est de nouveau à toi = counts yours
dein Zug zählt, sobald du dran bist = your move counts as soon as it is your turn
    = ton coup comptera dès que ce sera ton tour = ahead
dein Zug zählt noch NICHT = your move does NOT count yet = ton coup ne compte PAS encore = not-yet
dein Zug zählt NICHT = your move does NOT count = ton coup ne compte PAS = not
dein Zug zählt = your move counts = ton coup compte = counts
dein Zug ist gespeichert und wartet = your move is stored and waits = ton coup est enregistré et attend = waits
dein Zug ist gespeichert, geht aber jetzt NICHT = your move is stored, but it is NOT possible now
    = ton coup est enregistré, mais il n’est PAS possible maintenant = in-vain
dein Dauerauftrag ist gespeichert = your standing order is kept = ton ordre permanent est enregistré = standing
fehlerfrei[,!] deine Lösung ist gespeichert = faultless[,!] your solution is kept
    = sans faute ! ta solution est enregistrée = here faultless
du gibst diese Runde auf = you give up this round = tu abandonnes cette manche = gave-up
dein gespeicherter Zug ist zurückgezogen = your stored move is withdrawn = ton coup enregistré est retiré = withdrawn
da war nichts zurückzuziehen = there was nothing to take back = il n’y avait rien à retirer = nothing-stored
({evaluated}) ausgewertet, dein Zug zählt( – und|,) du bist wieder am Zug
    = ({evaluated}) evaluated, your move counts( – and|,) it is your turn again
    = tour précédent dépouillé, ton coup compte, c’est de nouveau à toi = evaluated took-part yours
({evaluated}) ausgewertet, keiner deiner Züge war möglich( – und|,) du bist wieder am Zug
    = ({evaluated}) evaluated, none of your moves was possible( – and|,) it is your turn again
    = tour précédent dépouillé, aucun de tes coups n’était possible, c’est de nouveau à toi = evaluated fell-out yours
die Runde ist ausgewertet, dein Zug zählt = the round is evaluated, your move counts
    = le tour est dépouillé, ton coup compte = evaluated took-part
die Runde ist ausgewertet, keiner deiner Züge war möglich = the round is evaluated, none of your moves was possible
    = le tour est dépouillé, aucun de tes coups n’était possible = evaluated fell-out
(ich konnte in deiner Mail keinen Zug lesen|ich konnte keinen Zug lesen) = I could not read a move( in your mail)?
    = je n’ai pas pu lire de coup dans ton message = no-move
kein Zug in deiner Mail = no move in your mail = pas de coup dans ton message = no-move
eine Rückfrage, noch ist nichts geschehen = a question back, nothing is done yet
    = une question, rien n’est fait encore = no-move
dein Zug fehlt noch = your move is still missing = ton coup manque encore = yours reminder
dein gespeicherter Zug wartet noch = your stored move still waits
    = ton coup enregistré attend toujours = waits reminder
erledigt = carried out = c’est fait = done
ein Befehl ließ sich nicht ausführen = a command could not be carried out
    = une commande n’a pas pu être exécutée = not-done
dein Zug kam zu spät = your move came too late = ton coup est arrivé trop tard = late
Berichtigung = correction = rectification = correction
die Partie ist zu Ende = the match is over = la partie est terminée = over
so steht es = where it stands = où en est la partie = status
so geht’s = how it works = comment ça marche = help
kurz gemeldet|kurze Nachricht = in short|short news = en bref = note
in der Partie \w{4} spielst du nicht mehr mit = you no longer play in match \w{4}
    = tu ne joues plus dans la partie \w{4} = note
Runde (?P<round>\d+) ist zu Ende|Spiel (?P<game>\d+) ist zu Ende = (?:Round|Game) (?P<round>\d+) is over
    = Manche (?P<round>\d+) terminée = round-over
Jetzt am Zug: {names} = Now to move: {names} = C’est à {names} de jouer = movers
Es fehlen noch: {names} = Still missing: {names} = On attend encore {names} = movers
(Die Zeit war um|Die Partie wurde abgebrochen)(, darum zählt der Stand, .*)?
    = (The time was up|The match was broken off)(, so the score counts, .*)?
    = (Le temps était écoulé|La partie a été interrompue)( : on compte les points, .*)? = settled
Der Spielleiter hat so entschieden(: .*)? = The referee has decided( that|: .*)
    = L’arbitre en a décidé ainsi( : .*)? = settled
dein Zug wartet auf den Spielleiter = your move waits for the moderator = ton coup attend l’organisateur = asked
dein Zug ist gespeichert, ein Wort ist noch zu entscheiden = your move is stored, a word is still to be decided
    = ton coup est enregistré, un mot reste à décider = asked
die Partie zieht hierher um, bitte bestätige sie = the match moves here, please confirm it
    = la partie continue ici, merci de la confirmer = begins
(Bis|ZAT:) {day} \(abgelaufen\) = (By|Deadline:) {day} \(over\)
    = (Jusqu’au|Date limite :) {day} \(passée?\) = expired
Bis {day} = By {day} = Jusqu’au {day} = until
ZAT: {day} = Deadline: {day} = Date limite : {day} = deadline
{who} legt {move}: {points} Punkte? = {who} plays {move}: {points} points?
    = {who} joue {move} : {points} points? = last-move
{who}: {move}, {points} Punkte? = {who}: {move}, {points} points? = {who} : {move}, {points} points? = last-move
{who}: {move} = {who}: {move} = {who} : {move} = last-move
{who} (legt|meldet) {move} = {who} (plays|reports) {move} = {who} (joue|annonce) {move} = last-move
Gewonnen gegen {names}(, {score} : {score})?{how} = Won against {names}(, {score} : {score})?{how}
    = Gagné contre {names}(, {score} à {score})?{how} = won-you
Gewonnen( zusammen mit {names})?( mit {score} Punkte?n?|, je {score} Punkte?)?{how}
    = Won( together with {names})?( with {score} points?|, {score} points? each)?{how}
    = Gagné( à égalité avec {names})?( avec {score} points?|, {score} points? chacun)?{how} = won-you
Verloren gegen {names}(, {score} : {score})?{how} = Lost to {names}(, {score} : {score})?{how}
    = Perdu contre {names}(, {score} à {score})?{how} = lost
Unentschieden( gegen {names}, {score} : {score}|, je {score} Punkte?){how}
    = A draw( with {names}, {score} : {score}|, {score} points? each){how}
    = Partie nulle( contre {names}, {score} à {score}|, {score} points? chacun){how} = level
(Ausgestiegen, )?Platz {place} von \d+(, {score} Punkte?)?{how}
    = (You left, )?Place {place} of \d+(, {score} points?)?{how}
    = (Abandon, )?Place {place} sur \d+(, {score} points?)?{how} = place
Niemand hat gewonnen = Nobody has won = Personne n’a gagné = nobody-won
Gewonnen (hat|haben) {names}( mit( je)? {points} Punkte?n?)? = {names} (has|have) won( with {points} points?( each)?)?
    = {names} gagne(nt à égalité)?,?( avec {points} points?)? = won
Unentschieden(, mit je {points} Punkte?n?)? = A draw(, with {points} points? each)?
    = Partie nulle(, à {points} points?)? = level
{names} (ist|sind) ausgestiegen = {names} (has|have) left the match = {names} (a|ont) quitté la partie = left
Danke fürs Mitspielen = Thank you for playing = Merci d’avoir joué = thanks
"""
SENTENCES = [tuple(re.split(r"\s+= ", sentence)) for sentence in re.split(r"\n+(?! )", TABLE.strip())]

MONTHS_OF = (
    "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
)
MONTHS = {name: calendar.month_name[at] for names in MONTHS_OF for at, name in enumerate(names.split(), 1)}


def _pattern(language: str, sentence: str) -> re.Pattern[str]:
    fills = {
        "{evaluated}": EVALUATED[language], "{missed}": MISSED[language], "{cost}": COST[language],
        "{names}": NAMES, "{gone}": NAMES, "{day}": DAY[language], "{move}": MOVE, "{place}": r"(?P<place>\d+)",
        "{who}": rf"(?P<who>{NAME})", "{points}": r"(?P<points>[-−]?\d+)",
        "{score}": r"[-−]?\d+", "{how}": r"(?: \([^)]+\))?",
    }  # fmt: skip
    for word, fill in fills.items():
        sentence = sentence.replace(word, fill)
    return re.compile(rf"(?:{sentence})(?: ?: {TITLE})?(?= ?[.!]( |$)|$) ?[.!]?\s*", re.IGNORECASE)


GRAMMAR = [
    (_pattern(language, sentence), claims.split())
    for *sentences, claims in SENTENCES
    for language, sentence in zip(DAY, sentences, strict=True)
]
NEWS = re.compile(rf"^(?P<news>.+?)(?: ?:|(?<=[!?])) {TITLE}(?:, (?:Runde|Spiel|round|game|manche) (?P<round>\d+))?$")


def of_subject(subject: str) -> list[Claim]:
    """``Verloren gegen Anna, 5 : 60 · Arratia``; of older mails ``Du bist am Zug: Topwords „Arratia“, Runde 2``."""
    said, dot, _ = subject.rpartition(" · ")
    if dot:
        return list(_sentences(said))
    news = NEWS.match(subject)
    if not news:
        return [Claim("unknown", subject)]
    head = [Claim("round", news["round"])] if news["round"] else []
    return head + list(_sentences(news["news"]))


def of_first_line(first: str) -> list[Claim]:
    return list(_sentences(first))


def _sentences(text: str) -> Iterator[Claim]:
    """The claims of one sentence after the other; the longest that fits is taken."""
    while text:
        found = [(match.end(), match, claims) for pattern, claims in GRAMMAR if (match := pattern.match(text))]
        if not found:
            yield Claim("unknown", text)
            return
        end, match, claims = max(found, key=lambda each: each[0])
        for claim in claims:
            yield Claim(claim, _value(claim, match.groupdict()))
        text = text[end:]


def _value(claim: str, found: dict[str, str | None]) -> str:
    if claim in ("until", "deadline", "expired"):
        return read_day(found)
    if claim in ("movers", "won", "left", "gone"):
        return ",".join(sorted(split_names(found.get("names") or "")))
    if claim == "place":
        return found["place"] or ""
    if claim == "last-move":
        return f"{found['who']} {found['move']} {found.get('points') or ''}".strip()
    if claim == "round-over":
        return found.get("round") or found.get("game") or ""
    return ""


def read_day(found: dict[str, str | None]) -> str:
    """``27 November 20:00`` of a match of ``DAY``."""
    month = found["month"] or ""
    return f"{found['day']} {MONTHS.get(month, month)} {found['time']}"


def split_names(names: str) -> list[str]:
    """``Anna, Bert und Cora``."""
    return [name for name in re.split(r",? (?:und|and|et) |, ", names) if name]
