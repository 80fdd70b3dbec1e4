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
    "fr": r"\w+ (?P<day>\d+)(?:er)? (?P<month>\w+)(?: \d{4})?(?:,| à) (?P<time>\d+:\d\d)(?: \(encore [^)]*\))?",
}
ROUND = {
    "de": r"(?:Runde|Spiel) (?P<round>\d+)",
    "en": r"(?:round|game) (?P<round>\d+)",
    "fr": r"(?:manche|jeu|partie|tour) (?P<round>\d+) ?",
}
GAINED = {"de": r"[-−]?\d+ Punkte?", "en": r"[-−]?\d+ points?", "fr": r"[-−]?\d+ points?"}
EFFECT = {
    "de": r"Du (?:hast ausgesetzt|bekommst einen (?:Stein|Strafziegel))|Dein Wort ist vollendet",
    "en": r"Your turn was missed|You get a (?:penalty )?tile|Your word is complete",
    "fr": r"Tu (?:as perdu ton tour|reçois (?:un jeton|une tuile de pénalité)) ?|Ton mot est complété ?",
}
EVALUATED = {"de": "(die )?letzte Runde( ist)?|die Runde ist", "en": "(the )?(last )?round( is)?", "fr": ""}
MOVE = r"(?:[»“„«] ?(?P<move>[^«”»“„]*?) ?[«”“»]|(?P<word>[\w*]+))"
"""A move in quotation marks, or the word that it laid."""

# A sentence in German, in English, in French, and what it claims. {names} are those the match waits for. The same words
# stand in the subject and in the first line, and the match may be named behind them.
TABLE = r"""
die Partie beginnt = the match begins = la partie commence = begins
du bist am Zug, dein gespeicherter Zug wartet = it is your move, and your stored one waits
    = c’est ton tour, ton coup enregistré attend = yours waits
du bist am Zug = your turn = c’est ton tour = yours
du bist noch im Rennen = you are still in the race = tu (?:es toujours dans la course|joues encore cette manche) = yours
es ist neu ausgeteilt, los geht’s = new tiles are dealt, off you go
    = nouvelle distribution, à toi de jouer = dealt yours
du hast die Partie aufgegeben = you have resigned = tu as abandonné la partie = out
du spielst nicht mehr mit = you are no longer in this match = tu ne joues plus dans cette partie = out
du bist ausgeschieden = you are out of this game = tu es hors jeu = eliminated
du bist ausgeschieden und im nächsten Spiel am Zug = you were out, and it is your move in the next game
    = tu étais hors jeu, et c’est ton tour dans la suite = eliminated dealt yours
die Partie wartet auf den Spielleiter = the match waits for the moderator = la partie attend une décision = held
die Partie wartet auf eine Entscheidung des Spielleiters = the match waits for a ruling of the moderator
    = la partie attend une décision de l’organisateur = held
von dir kam keine fehlerfreie Lösung = you sent no faultless solution
    = tu n’as pas envoyé de solution sans faute = missed
von dir kam keine fehlerfreie Lösung, es ist neu ausgeteilt = you sent no faultless solution, new tiles are dealt
    = tu n’as pas envoyé de solution sans faute, nouvelle distribution = missed dealt yours
deine Lösung ist gespeichert = your solution is (?:kept|stored) = ta solution est enregistrée = here
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
(?:dein Dauerauftrag ist gespeichert|Gemerkt für jedes Mal, wenn du ziehen musst)
    = your standing order is (?:kept|stored) = ton ordre permanent est enregistré = standing
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
dein Zug fehlt noch = your move is still missing = (?:ton coup manque encore|j’attends toujours ton coup)
    = yours reminder
dein gespeicherter Zug wartet noch = your stored move is still waiting
    = ton coup enregistré attend toujours = waits reminder
erledigt = (?:carried out|done) = c’est fait = done
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
Es fehlen noch: {names} = Still missing: {names} = On attend encore {names} = movers
(Die Zeit war um|Die Partie wurde abgebrochen)(, darum zählt der Stand, .*)?
    = (The time was up|The match was broken off)(, so the score counts, .*)?
    = (Le temps était écoulé|La partie a été interrompue)( : on compte les points, .*)? = settled
Der Spielleiter hat so entschieden(: .*)? = The referee has decided( that|: .*)
    = L’arbitre en a décidé ainsi( : .*)? = settled
dein Zug wartet auf den Spielleiter = your move waits for the moderator = ton coup attend l’organisateur = asked
(?:dein Zug ist )?gespeichert, ein Wort ist noch zu entscheiden = your move is stored, a word is still to be decided
    = ton coup est enregistré, un mot reste à décider = asked
die Partie zieht hierher um, bitte bestätige sie = the match moves here, please confirm it
    = la partie continue ici, merci de la confirmer = begins
(Bis|ZAT:) {day} \(abgelaufen\) = (By|Deadline:) {day} \(over\)
    = (Jusqu’au|Date limite :) {day} \(passée?\) = expired
Bis {day} = By {day} = Jusqu’au {day} = until
ZAT: {day} = Deadline: {day} = Date limite : {day} = deadline
{who} legt {move}(, {points} Punkte?)? = {who} plays {move}(, {points} points?)?
    = {who} pose {move}(, {points} points?)? = last-move
{who}: {move} = {who}: {move} = {who} : {move} = last-move
{who} (?:meldet {move}|sagt {move} an) = {who} (?:calls|announces) {move} = {who} annonce {move} = last-move
{who} passt = {who} passes = {who} passe = last-move
{who} setzt aus = {who} misses a turn = {who} perd son tour = they-missed
Eine neue Partie(: {game})?(, los geht’s)? = (?:A )?new match(: {game})?( – off you go)?
    = Une nouvelle partie( : {game})?(, c’est parti)? = begins
Es geht los, du bist dran = New match – your turn = C’est parti, à toi de jouer = begins yours
(?:Du bist dran, bis|Zeit hast du bis) {day} = It’s your turn, until {day} = À toi de jouer, jusqu’au {day}
    = yours until
Du bist dran|jetzt du = It’s your turn|your turn = À toi de jouer|à toi = yours
{round}: Schick deinen Zug bis {day} = {round}: send your move by {day}
    = {round}: envoie (?:ton coup|ta solution), (?:jusqu’au|avant le) {day}
    = yours until round
{round}: Schick deinen Zug = {round}: send your move = {round}: envoie ton coup = yours round
{round} läuft bis {day}(: [^.]+)?
    = {round} runs until {day}(: [^.]+)?
    = {round}: (?:tu as |envoie ta solution, )?jusqu’au {day}( ?[,;] [^.]+)? = yours until round
{round} läuft = {round} is on(: [^.]+)? = {round} (?:commence|en cours) = yours round
Je früher deine Lösung da ist, desto mehr zählt sie = The sooner your solution is here, the more it counts
    = Plus ta solution arrive tôt, plus elle rapporte = yours
Schick mir bitte bis {day} einen anderen Zug = I need another move by {day}
    = Tu as jusqu’au {day} pour envoyer un autre coup = yours until
Schick mir bitte einen anderen Zug = I need another move = Envoie un autre coup = yours
Schickt in dieser Runde niemand etwas Gültiges, ist die Partie zu Ende
    = If nobody sends a valid move in this round, the match is over
    = Si personne n’envoie de coup valable dans cette manche, la partie est finie = last-chance
Kommt bis {day} kein \w+ \w+ von dir, [^.]+
    = If (?:I have no \w+ \w+ from you|no correct crossword has arrived) by {day}, [^.]+
    = Sans [^.]{1,60} jusqu’au {day}, [^.]+ = yours until
Jetzt (?:ist|sind) {names} dran = It’s (?:the turn of )?{names}(?:’s turn)? = Maintenant, c’est à {names} = movers
jetzt {names} = now {names} = à {names} = movers
{names} fehl(?:t|en) noch(, die Frist läuft bis {other-day})? = Still waiting for {names}(, until {other-day})?
    = On attend(?: encore)? {names}(, jusqu’au {other-day})? = movers
Schick bis {day} [^.]+ = send [^.]+ by {day}[^.]* = Tu as jusqu’au {day} pour envoyer [^.]+ = yours until
gewartet wird auf {names} = still waiting for {names} = on attend {names} = movers
Du musst nichts tun = Nothing for you to do = Tu n’as rien à faire = nothing
Dein Zug ist da, du musst nichts weiter tun = I have your move = J’ai ton coup, tu n’as rien à faire = here
Nichts weiter zu tun = Nothing else for you to do = Rien d’autre à faire = nothing
Wenn du nichts mehr schickst, wird dein gespeicherter Zug gespielt, sobald du dran bist
    = If you send nothing more, your stored move is played as soon as it is your turn
    = Si tu n’envoies plus rien, ton coup enregistré sera joué dès que ce sera ton tour = ahead
Dein früherer Zug gilt weiter, bis du einen schickst, der geht = Your earlier move still holds
    = Ton coup précédent vaut toujours = kept
Ein neuer gültiger ersetzt ihn = A new valid one replaces it = Un nouveau coup valable le remplacera = kept
Du bekommst Bescheid, sobald der Spielleiter entschieden hat = You will hear from me as soon as the referee has decided
    = Je t’écris dès que l’arbitre a décidé = held
Bis dahin läuft keine Frist = Until then no deadline runs = D’ici là, aucun délai ne court = held
{move} liegt([:,] {points} Punkte?)? = {move} is on the board([:,] {points} points?)?
    = {move} est posé(?:(?: ?:|,) {points} points?)? = counts
{move} ist gespielt|Du hast {move} angesagt|Du hast gepasst = {move} (?:is announced|has been played)|You have passed
    = {move} (?:est annoncé|: c’est joué)|Tu as passé = counts
Dein gespeicherter Zug {move} ist gespielt(, {points} Punkte?)?
    = Your stored move {move} has been played(, {points} points?)?
    = Ton coup enregistré {move} est joué(, {points} points?)? = own-move
Gespeichert: {moves} = Stored: {moves} = Enregistré : {moves} = stored
So wie das Brett jetzt aussieht, bringt dein Zug {points} Punkte? = As the board is now: {points} points?
    = Sur le plateau actuel, il rapporterait {points} points? = stored
Fehlerfrei! Deine Lösung ist gespeichert = No mistakes! Your solution is stored
    = Sans faute ! Ta solution est enregistrée = here faultless
Fehlerfrei! = No mistakes! = Sans faute ! = faultless
Was sie bringt, steht fest, wenn die Runde zu Ende ist: Es zählt, wessen Mail zuerst da war
    = You’ll know what it is worth when the round is over: what counts is whose mail arrived first
    = Tu sauras à la fin de la manche combien elle rapporte = here
Dein gespeicherter Zug ist zurückgenommen = Your stored move has been taken back
    = Ton coup enregistré est retiré = withdrawn
Von dir war kein Zug gespeichert = No move of yours was stored = Aucun coup de toi n’était enregistré = nothing-stored
Ich habe in deiner Mail keinen Zug gefunden = I found no move in your mail
    = Je n’ai pas trouvé de coup dans ton message = no-move
Das habe ich nicht (?:als Zug )?verstanden = I did not understand that[^.]* = Je n’ai pas compris[^.]* = no-move
Noch ist nichts geschehen = Nothing has happened yet = Rien n’a encore changé = undone
{gained} für dich in {round}(, mehr hatte niemand)? = {gained} for you in {round}(, nobody scored more)?
    = {gained} pour toi, {round}(, personne n’a fait mieux)? = round-over gained
{round}: {gained} für dich = {round}: {gained} for you = {round}: {gained} pour toi = round-over fell-out
{round} geht an {names}, {gained} = {round} goes to {names}, {gained} = {round} pour {names}, {gained} = round-over
{round} ist (?:ausgewertet|zu Ende) = {round} is (?:scored|over)
    = {round}: (?:les points sont comptés|c’est fini)|{round} terminée = round-over
Damit stehst du auf Platz {place} von \d+ = That puts you in place {place} of \d+
    = Tu es à la place {place} sur \d+ = rank
Auf dem Brett liegt (?:{move} von {who}, {points} Punkte?|dein {word})
    = (?:{move} by {who} is on the board, {points} points?|Your {word} is on the board)
    = Sur le plateau : (?:{move} \({who}\), {points} points?|ton {word}) = laid
\d+ (?:Tage?|Stunden?|Minuten?) für deinen Zug|Noch \d+ \w+ für deinen Zug = \d+ \w+ left for your move
    = (?:Encore )?\d+ \w+ (?:restante?s? )?pour ton coup = reminder
Hast du ihn schon geschickt? = Have you sent it already? = Tu l’as déjà envoyé ? = reminder
{effect}: es kam kein Zug von dir = {effect}: no move came from you = {effect}: tu n’as rien envoyé = missed
{effect}: keiner deiner Züge war möglich = {effect}: none of your moves was possible
    = {effect}: aucun de tes coups n’était possible = missed
Du bist ausgeschieden: (?:es kam kein Zug von dir|keiner deiner Züge war möglich)
    = You are out: (?:no move came from you|none of your moves was possible)
    = Tu es hors jeu ?: (?:tu n’as rien envoyé|aucun de tes coups n’était possible) = missed eliminated
{gone}: nicht mehr dabei = {gone} no longer in the match = Hors de la partie : {gone} = gone
{gone}: ausgeschieden = {gone} out of the game = Hors jeu : {gone} = gone
Berichtigt: so steht die Partie jetzt = Corrected: how the match stands now
    = Rectifié : voici où en est la partie = correction
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


def _name_once(pattern: str) -> str:
    """The pattern with each group of a name captured where it stands first."""
    seen = set[str]()

    def keep(group: re.Match[str]) -> str:
        again = group[1] in seen
        seen.add(group[1])
        return "(?:" if again else group[0]

    return re.sub(r"\(\?P<(\w+)>", keep, pattern)


def _pattern(language: str, sentence: str) -> re.Pattern[str]:
    fills = {
        "{evaluated}": EVALUATED[language], "{effect}": f"(?:{EFFECT[language]})", "{gained}": GAINED[language],
        "{round}": ROUND[language], "{other-day}": DAY[language], "{moves}": r"[^.]+?", "{word}": r"\*?[^\W\d_]+",
        "{game}": r"[^.!?]+?\??",
        "{names}": NAMES, "{gone}": NAMES, "{day}": DAY[language], "{move}": MOVE, "{place}": r"(?P<place>\d+)",
        "{who}": rf"(?P<who>(?!Gespeichert|Stored|Enregistré){NAME})", "{points}": r"(?P<points>[-−]?\d+)",
        "{score}": r"[-−]?\d+", "{how}": r"(?: \([^)]+\))?",
    }  # fmt: skip
    for word, fill in fills.items():
        sentence = sentence.replace(word, fill)
    end = r"(?= ?[.!?]( |$)| – |$)(?: – | ?[.!?]?\s*)"
    return re.compile(rf"(?:{_name_once(sentence)})(?: ?: {TITLE})?{end}", re.IGNORECASE)


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


NEXT = re.compile(rf".+?(?:[!?]|\.(?! (?:{'|'.join(MONTHS)}))) (?=\S)|.+")
"""A sentence with the blank behind it."""


def _sentences(text: str) -> Iterator[Claim]:
    """The claims of one sentence after the other; the longest that fits is taken. What is in no list is a ``reason``:
    the words of a game, a dictionary or a question, which only an answer may say."""
    text = text.removeprefix("✓ ")
    while text:
        found = [(match.end(), match, claims) for pattern, claims in GRAMMAR if (match := pattern.match(text))]
        if found:
            end, match, claims = max(found, key=lambda each: each[0])
            for claim in claims:
                yield Claim(claim, _value(claim, match.groupdict()))
        else:
            unread = NEXT.match(text)
            assert unread
            end = unread.end()
            yield Claim("reason", unread[0].strip())
        text = text[end:]


def _value(claim: str, found: dict[str, str | None]) -> str:
    if claim in ("until", "deadline", "expired"):
        return read_day(found)
    if claim in ("movers", "won", "left", "gone"):
        return ",".join(sorted(split_names(found.get("names") or "")))
    if claim in ("place", "rank"):
        return found["place"] or ""
    if claim == "last-move":
        move = found.get("move") or found.get("word") or ""
        return f"{found['who']} {move} {found.get('points') or ''}".strip()
    if claim in ("round", "round-over"):
        return found.get("round") or found.get("game") or ""
    return ""


def read_day(found: dict[str, str | None]) -> str:
    """``27 November 20:00`` of a match of ``DAY``."""
    month = found["month"] or ""
    return f"{found['day']} {MONTHS.get(month, month)} {found['time']}"


def split_names(names: str) -> list[str]:
    """``Anna, Bert und Cora``."""
    return [name for name in re.split(r",? (?:und|and|et) |, ", names) if name]
