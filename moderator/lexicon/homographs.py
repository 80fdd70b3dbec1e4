"""Small words and adjectives that look like forms of a verb and are words of their own.

What is declined (lautes, lautem) is known for an adjective without being listed here; participles never are.
"""

from __future__ import annotations

_PARTICLES = """
ab aber acht all alle allein alles als also am an anbei ander ans anstatt anstelle auch auf aus außer bar bei
beide beim bis bitte bleu bums da daheim daher dahin dank danke dann dar darum das dass dein dem den denn deren
des dessen dich die dies dir doch dort dran drauf drei drin drum du durch eben ehe eher ein eine einem einen
einer eines einmal eins einst elf entgegen entlang entzwei er erst es etwa etwas euch euer fast fehl feind fern
fort fünf für gar gegen gen genug gern gerne gestern gewärtig hallo halt happ heil heim her heraus herbei heut
heute hie hier hin hinter hoch hopp hops hott hui hundert husch ich ihm ihn ihr im immer in indem ja je jetzt
juch just kaum kein klapp klatsch kling klirr knacks knapp kraft kreuz kund lang lange laut leider links los mal
man mang mehr mein meist mich minder mir mit mithin morgen nach nahe neben nebst nein neun nicht nichts nie
nieder noch nun nur nütze ob oben oder oft ohne paar paff patsch pfui piep piff platsch plumps pro prost puff
quer ratsch ratz rauf raus recht rechts ritsch rüber ruck rum rums rund samt schade schnapp schnips schon
schwupp sechs sehr sein seit selbst selten sich sie sieben so sonder sondern sonst statt still tapp tatsch
tausend teils trotz über um umso und uns unser unter via viel vier voll von vor wann warum was weder weg wegen
weil weit weiter wem wen wenig wenn wer wert wes wett wider wie wieder wir wo wohl wums zack zehn zu zuerst
zuletzt zum zumute zur zuteil zuvor zwar zwei zwischen zwölf
"""
_ADJECTIVES = """
abgelegen abgeschieden abwesend alliiert angehend angemessen angenehm angesehen angespannt anhaltend anstrengend
anwesend ätzend aufgeklärt aufgelegt aufgeregt aufgeschlossen aufgeweckt aufregend ausgedehnt ausgefallen
ausgelassen ausgesucht ausgewogen ausgezeichnet ausreichend bedeutend bedingt befangen befreundet befristet
befugt begabt begeistert begnadet behaftet behindert bekannt belebt beleibt belesen beliebt bemittelt benebelt
berechtigt beredt bereit berufen berühmt bescheiden beschränkt besessen besonnen besorgt bestimmt bestürzt
betagt betont betreten betroffen betrübt betrunken beunruhigt bewandert bewegt bewölkt bewusst bezeichnend
blendend brennend dauernd dringend durchtrieben eingebildet eingehend einleuchtend entartet entfernt entlegen
entscheidend entschieden entschlossen entspannt entzückend erbost erfahren ergeben erhaben erlaucht erlesen
ermüdend erneut erwachsen erwünscht feig feist fließend folgend führend geartet geballt gebildet geboren geboten
gebrochen gediegen gedrungen geeignet gefasst gefragt gegeben gehoben gekonnt geladen gelassen gelaunt gelegen
gelehrt gelungen gemessen gemischt gerecht gerieben gerissen gerührt gesalzen gesandt geschickt geschlossen
geschraubt gesinnt gesittet gesonnen gespannt gestreng gesucht getragen getreu getrost gewagt gewählt gewandt
gewesen gewillt gewiss gewogen gewohnt gezielt geziert glänzend glühend hervorragend hinreißend kariert kommend
laufend lebend leidend liniert missvergnügt niederschlagend passend rasend reizend schlagend schreiend spannend
treffend überlebend überlegen überraschend überzeugend umfassend uniert unterlegen verbissen verblichen
verborgen verbunden verdient verdorben verdrossen vereint verfahren verflixt verflossen verflucht vergangen
vergebens vergnügt verhasst verheiratet verkehrt verkommen verlassen verlebt verlegen verletzt verliebt verlobt
verlogen verloren vermessen vermögend vernarrt verpönt verrucht verrückt verschieden verschlafen verschlagen
verschlossen verschnupft verschollen verschroben verschwiegen verschwommen versessen versiert versonnen
verstohlen verstört vertraut verwachsen verwandt verwegen verwirrt verwitwet verwöhnt verworfen verworren
verwundert verzagt verzweifelt vollendet vollkommen vorübergehend während welk wissend wohlhabend wütend
zerstreut zufrieden zurückhaltend zusammenhängend zutreffend
"""

PARTICLES = frozenset(_PARTICLES.split())
"""As they stand."""
ADJECTIVES = frozenset(_ADJECTIVES.split())
"""Stems; each may be declined. Most are participles that have become adjectives with an entry of their own."""
