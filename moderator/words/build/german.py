"""What can be told of a German form, while a dictionary is built: of each from its base form, of all from each other.

The sources know base forms at best, but not parts of speech. How often the rules here are right stands in
docs/inside/dictionaries.md; participles are the weak spot.

The forms of a verb come from its infinitive: regular endings, and strong stems where ``strong`` has them. They are
made for telling what a listed word is, not for making words: some forms come out that nobody uses. What a list does
not have does no harm."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from moderator.words.dictionary import SEPARABLE, is_infinitive
from moderator.words.kinds import COMMON, INFINITIVE, NAME, PARTICIPLE, PLACE, VERB_FORM, Reading

# ---- German strong and irregular verbs: the stems that no rule gives.
#
# One verb a line: infinitive, stem of the second and third person singular where it differs, preterite, subjunctive,
# participle. ``-`` = regular or missing, ``/`` parts several. Prefixed verbs (ausgehen, verstehen) follow their base.


class VerbStems(NamedTuple):
    """The irregular stems of one verb; each may be empty. ``participles`` are whole words."""

    present: tuple[str, ...]
    preterite: tuple[str, ...]
    subjunctive: tuple[str, ...]
    participles: tuple[str, ...]


_TABLE = """
backen bäck buk bük gebacken
befehlen befiehl befahl befähl/beföhl befohlen
beginnen - begann begänn/begönn begonnen
beißen - biss biss gebissen
bergen birg barg bärg geborgen
bersten birst barst bärst geborsten
bewegen - bewog bewög bewogen
biegen - bog bög gebogen
bieten - bot böt geboten
binden - band bänd gebunden
bitten - bat bät gebeten
blasen bläs blies blies geblasen
bleiben - blieb blieb geblieben
braten brät briet briet gebraten
brechen brich brach bräch gebrochen
brennen - brannte brennte gebrannt
bringen - brachte brächte gebracht
denken - dachte dächte gedacht
dingen - dang däng gedungen
dreschen drisch drosch drösch gedroschen
dringen - drang dräng gedrungen
dürfen darf durfte dürfte gedurft
empfehlen empfiehl empfahl empfähl/empföhl empfohlen
essen iss aß äß gegessen
fahren fähr fuhr führ gefahren
fallen fäll fiel fiel gefallen
fangen fäng fing fing gefangen
fechten ficht focht föcht gefochten
finden - fand fänd gefunden
flechten flicht flocht flöcht geflochten
fliegen - flog flög geflogen
fliehen - floh flöh geflohen
fließen - floss flöss geflossen
fressen friss fraß fräß gefressen
frieren - fror frör gefroren
gären - gor gör gegoren
gebären gebier gebar gebär geboren
geben gib gab gäb gegeben
gedeihen - gedieh gedieh gediehen
gehen - ging ging gegangen
gelten gilt galt gält/gölt gegolten
genesen - genas genäs genesen
genießen - genoss genöss genossen
geschehen geschieh geschah geschäh geschehen
gewinnen - gewann gewänn/gewönn gewonnen
gießen - goss göss gegossen
gleichen - glich glich geglichen
gleiten - glitt glitt geglitten
glimmen - glomm glömm geglommen
graben gräb grub grüb gegraben
greifen - griff griff gegriffen
haben ha hatte hätte gehabt
halten hält hielt hielt gehalten
hängen - hing hing gehangen
hauen - hieb hieb gehauen
heben - hob höb/hüb gehoben
heißen - hieß hieß geheißen
helfen hilf half hälf/hülf geholfen
kennen - kannte kennte gekannt
klimmen - klomm klömm geklommen
klingen - klang kläng geklungen
kneifen - kniff kniff gekniffen
kommen - kam käm gekommen
können kann konnte könnte gekonnt
kriechen - kroch kröch gekrochen
küren - kor kör gekoren
laden läd lud lüd geladen
lassen läss ließ ließ gelassen
laufen läuf lief lief gelaufen
leiden - litt litt gelitten
leihen - lieh lieh geliehen
lesen lies las läs gelesen
liegen - lag läg gelegen
lingen - lang läng gelungen
löschen lisch losch lösch geloschen
lügen - log lög gelogen
mahlen - - - gemahlen
meiden - mied mied gemieden
melken milk molk mölk gemolken
messen miss maß mäß gemessen
mögen mag mochte möchte gemocht
müssen muss musste müsste gemusst
nehmen nimm nahm nähm genommen
nennen - nannte nennte genannt
pfeifen - pfiff pfiff gepfiffen
preisen - pries pries gepriesen
quellen quill quoll quöll gequollen
raten rät riet riet geraten
reiben - rieb rieb gerieben
reißen - riss riss gerissen
reiten - ritt ritt geritten
rennen - rannte rennte gerannt
riechen - roch röch gerochen
ringen - rang räng gerungen
rinnen - rann ränn/rönn geronnen
rufen - rief rief gerufen
salzen - - - gesalzen
saufen säuf soff söff gesoffen
saugen - sog sög gesogen
schaffen - schuf schüf geschaffen
schallen - scholl schöll geschollen
scheiden - schied schied geschieden
scheinen - schien schien geschienen
scheißen - schiss schiss geschissen
schelten schilt schalt schölt gescholten
scheren schier schor schör geschoren
schieben - schob schöb geschoben
schießen - schoss schöss geschossen
schinden - schund schünd geschunden
schlafen schläf schlief schlief geschlafen
schlagen schläg schlug schlüg geschlagen
schleichen - schlich schlich geschlichen
schleifen - schliff schliff geschliffen
schleißen - schliss schliss geschlissen
schließen - schloss schlöss geschlossen
schlingen - schlang schläng geschlungen
schmeißen - schmiss schmiss geschmissen
schmelzen schmilz schmolz schmölz geschmolzen
schnauben - schnob schnöb geschnoben
schneiden - schnitt schnitt geschnitten
schrecken schrick schrak schräk geschrocken
schreiben - schrieb schrieb geschrieben
schreien - schrie schrie geschrien/geschrieen
schreiten - schritt schritt geschritten
schweigen - schwieg schwieg geschwiegen
schwellen schwill schwoll schwöll geschwollen
schwimmen - schwamm schwämm/schwömm geschwommen
schwinden - schwand schwänd geschwunden
schwingen - schwang schwäng geschwungen
schwören - schwor/schwur schwör/schwür geschworen
sehen sieh sah säh gesehen
senden - sandte sendete gesandt
sieden - sott sött gesotten
singen - sang säng gesungen
sinken - sank sänk gesunken
sinnen - sann sänn/sönn gesonnen
sitzen - saß säß gesessen
sollen soll sollte sollte gesollt
speien - spie spie gespien
spinnen - spann spänn/spönn gesponnen
spleißen - spliss spliss gesplissen
sprechen sprich sprach spräch gesprochen
sprießen - spross spröss gesprossen
springen - sprang spräng gesprungen
stechen stich stach stäch gestochen
stecken - stak stäk gesteckt
stehen - stand/stund ständ/stünd gestanden
stehlen stiehl stahl stähl/stöhl gestohlen
steigen - stieg stieg gestiegen
sterben stirb starb stürb gestorben
stieben - stob stöb gestoben
stinken - stank stänk gestunken
stoßen stöß stieß stieß gestoßen
streichen - strich strich gestrichen
streiten - stritt stritt gestritten
tragen träg trug trüg getragen
treffen triff traf träf getroffen
treiben - trieb trieb getrieben
treten tritt trat trät getreten
triefen - troff tröff getroffen
trinken - trank tränk getrunken
trügen - trog trög getrogen
tun tu tat tät getan
verderben verdirb verdarb verdürb verdorben
verdrießen - verdross verdröss verdrossen
vergessen vergiss vergaß vergäß vergessen
verlieren - verlor verlör verloren
wachsen wächs wuchs wüchs gewachsen
wägen - wog wög gewogen
waschen wäsch wusch wüsch gewaschen
weben - wob wöb gewoben
weichen - wich wich gewichen
weisen - wies wies gewiesen
wenden - wandte wendete gewandt
werben wirb warb würb geworben
werden wird/wirs wurde/ward würde geworden/worden
werfen wirf warf würf geworfen
wiegen - wog wög gewogen
winden - wand wänd gewunden
wissen weiß wusste wüsste gewusst
wollen will wollte wollte gewollt
wringen - wrang wräng gewrungen
zeihen - zieh zieh geziehen
ziehen - zog zög gezogen
zwingen - zwang zwäng gezwungen
"""


def _parse_stems(cells: list[str]) -> VerbStems:
    present, preterite, subjunctive, participles = (tuple(cell.split("/")) if cell != "-" else () for cell in cells)
    return VerbStems(present, preterite, subjunctive, participles)


STRONG = {cells[0]: _parse_stems(cells[1:]) for cells in map(str.split, _TABLE.strip().split("\n"))}
"""Infinitive -> stems."""

BEING = (
    *("bin", "bist", "ist", "sind", "seid", "sei", "seist", "seiest", "seien", "seiet", "war", "warst", "waren"),
    *("wart", "wäre", "wärst", "wärest", "wären", "wärt", "wäret"),
)
"""The finite forms of sein, which has no stems at all."""


_PREFIX = "|".join(sorted(SEPARABLE, key=len, reverse=True))
_GE = re.compile(rf"({_PREFIX})?ge")
_PRESENT = re.compile(r"d(e[rmns]?)?$")
_DECLINED = re.compile(r"t(em|er|es)$")
_ADJECTIVAL = ("", "e", "em", "en", "er", "es")
OLD = re.compile(
    r"(?i)(ab|aus|de|durch|ein|ge|um|un|ver)*(bleu(e?[nst]|et|te|end)|schneuz|plazier|numerier)|belemmer|behend|zäheit|"
    r"überschwenglich|greuel|greulich|gems(e|en|bart|bock|wild|leder)|quentchen|känguruh|rauh(?!eit|aar|n[aä]cht)|zierat|"
    r"stengel|roheit|stukkat|karamel(?!l)|tolpatsch|schiffahrt|brennessel|stilleben|ballettänzer"
)
"""Beginnings of words as they were spelled before 1996, where a spelling with ss for ß is not all that has changed."""
_AUXILIARIES = frozenset(("sein", "haben", "werden", "dürfen", "können", "mögen", "müssen", "sollen", "wollen"))
_NOUN = re.compile(
    r"(anz|chen|eit|enz|erei|erie|eur|gie|ik|ion|ismus|ismen|ist|itis|ität|ium|lein|nis|ose|phie|schaft|tum|um|ung)$"
)
_TOWN = re.compile(
    r"(brück|brücken|burg|büttel|dorf|furt|hausen|heim|hofen|ingen|kirchen|münde|rode|stadt|städt|stetten|weiler)$"
)


def classify_form(spelling: str, lemma: str) -> int:
    """Return the kinds of a form with that base form; 0 for capitalised ones, which may be nouns or names."""
    if not spelling.islower():
        return VERB_FORM if lemma in _AUXILIARIES and spelling.lower() != lemma else 0
    if not is_infinitive(lemma):
        return COMMON
    if spelling == lemma:
        return INFINITIVE
    if spelling.startswith(lemma):  # machend is a participle, but offene belongs to an adjective
        return PARTICIPLE if _PRESENT.fullmatch(spelling, len(lemma)) else COMMON
    if "zu" in spelling and spelling.replace("zu", "", 1) == lemma:
        return INFINITIVE
    return PARTICIPLE if _is_past_participle(spelling, lemma) else VERB_FORM


def _is_past_participle(spelling: str, lemma: str) -> bool:
    """Return whether a form is a past participle: geht and gehst are none (gehen has a ge of its own), gegangen and
    ausgegangen are."""
    if _DECLINED.search(spelling):
        return True
    found = _GE.match(spelling) if "ge" in spelling else None
    if found is None:
        return False
    prefix = found.group(1) or ""
    if lemma.startswith(prefix + "ge"):
        return spelling.startswith(prefix + "geg")
    return lemma.startswith(prefix)


def classify_entry(spelling: str, stem: str, bare: bool) -> int:
    """Return the kinds of a form in a spell checker's dictionary, where ging and gegangen are stems of their own, so
    that small letters tell nothing. ``bare``: the stem neither makes compounds nor has a plural; capitalised ones of
    that sort are mostly names."""
    if spelling.islower():
        return 0
    return NAME if bare and not _NOUN.search(stem) else COMMON


# ---- a whole list ----


def settle_form_kinds(readings: dict[str, Reading], nameless: bool) -> None:
    """Settle the kinds of a whole list: tell verb forms from other words by all forms of a dictionary together, and put
    that into ``readings``.

    ``nameless``: one of the sources is a list that leaves names out, so that what it lacks and another source takes for
    a name is one."""
    verbs = _map_verb_forms(readings)
    others = _collect_adjective_forms(readings, verbs) | PARTICLES
    capitalised = []
    for spelling, reading in readings.items():
        if spelling.islower():
            readings[spelling] = _settle_lowercase(reading, verbs, others)
        else:
            capitalised.append(reading)
    for reading in capitalised:
        if reading.kinds & NAME:
            readings[reading.spelling] = reading._replace(
                kinds=_settle_name_kinds(reading) if nameless else reading.kinds & ~NAME
            )
        else:
            readings[reading.spelling] = _settle_nominal(reading, readings)


def _map_verb_forms(readings: dict[str, Reading]) -> dict[str, tuple[int, str]]:
    """Return a mapping, form -> kinds and infinitive, for all forms in the list of all verbs in the list."""
    verbs: dict[str, tuple[int, str]] = {}
    for infinitive in list_infinitives(readings):
        for form, kind in iter_verb_forms(infinitive):
            for ending in _ADJECTIVAL if kind == PARTICIPLE and form in readings else ("",):
                if form + ending in readings:
                    kinds, first = verbs.get(form + ending, (0, infinitive))
                    verbs[form + ending] = kinds | kind, first
    return verbs


def list_infinitives(readings: Collection[str]) -> list[str]:
    """List the infinitives: machen is a verb because there is machend; gegen and selten are none. einmachen is one,
    too, with Einmachen."""
    plain = [word[:-1] for word in readings if word.endswith("nd") and is_infinitive(word[:-1])]
    known = {*plain, *(verb for verb in STRONG if verb in readings), "sein"} - {"seien", "wesen"}
    names = {word.lower() for word in readings if word.endswith("n")} - known
    prefixed = {word for word in names if is_infinitive(word) and list_base_verbs(word) & known}
    return sorted(known | prefixed)


def _collect_adjective_forms(readings: dict[str, Reading], verbs: dict[str, tuple[int, str]]) -> set[str]:
    """Collect the forms of adjectives: of what is declined (rotem, rotes) and no participle, or one with an entry of
    its own."""
    stems = {word[:-2] for word in readings if word.endswith(("em", "es")) and word.islower() and word not in verbs}
    stems = {*ADJECTIVES, *(stem for stem in stems if not verbs.get(stem, (0, ""))[0] & PARTICIPLE)}
    return {stem + ending for stem in stems for ending in (*_ADJECTIVAL, "s")}


def _settle_lowercase(reading: Reading, verbs: dict[str, tuple[int, str]], others: set[str]) -> Reading:
    """Settle the kinds of a word in small letters: a verb's form if it can be one, and common as well if it is one of
    the others."""
    spelling, kinds, lemma, _ = reading
    if spelling in verbs:
        if not verbs[spelling][1].startswith(spelling):  # a source may take gedüngt for an adjective, but munter is one
            kinds &= ~COMMON
        kinds |= verbs[spelling][0]
        if lemma is None or not verbs.get(lemma, (0, ""))[0] & INFINITIVE:
            lemma = verbs[spelling][1]
    if kinds and spelling in others:
        kinds |= COMMON
    return reading if kinds == reading.kinds and lemma == reading.lemma else Reading(spelling, kinds, lemma)


def _settle_name_kinds(reading: Reading) -> int:
    """Return the kinds of a name that no list calls a word; of a town, if it ends like one."""
    if reading.kinds & COMMON:
        return reading.kinds & ~NAME
    return reading.kinds | PLACE if _TOWN.search(reading.lemma or reading.spelling) else reading.kinds


def _settle_nominal(reading: Reading, readings: dict[str, Reading]) -> Reading:
    """Settle the kinds of a capitalised form: Verkaufte (from verkauft) is what verkaufte is: such forms stand at the
    beginning of sentences."""
    if reading.kinds or reading.lemma is None or not reading.lemma.islower() or is_infinitive(reading.lemma):
        return reading
    small = readings.get(reading.spelling.lower())
    return reading if small is None else reading._replace(kinds=small.kinds)


# ---- homographs ----
# Small words and adjectives that look like forms of a verb and are words of their own.
#
# What is declined (lautes, lautem) is known for an adjective without being listed here; participles never are.


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


# ---- the forms of a verb ----


_EITHER = ("durch", "hinter", "miss", "über", "um", "unter", "voll", "wider", "wieder")
"""Prefixes that may or may not come off: unterstellen has unterstellt and untergestellt."""
_FIRM = ("be", "emp", "ent", "er", "ge", "ver", "zer", *_EITHER)
"""Prefixes that stay on; their participles have no ge-."""
_WORDS = (
    *("acht", "bereit", "blank", "breit", "dafür", "dagegen", "daher", "daneben", "drein", "drin", "einher", "fertig"),
    *("flach", "gegen", "glatt", "groß", "gut", "hier", "hops", "kahl", "kalt", "kaputt", "kehrt", "kennen", "klar"),
    *("klein", "krank", "kund", "kurz", "lahm", "lang", "leer", "lieb", "lob", "locker", "maß", "nahe", "näher"),
    *("not", "offen", "sauber", "scharf", "schief", "schön", "schwarz", "schwer", "sicher", "spazieren", "stecken"),
    *(
        "stehen",
        "still",
        "stramm",
        "tief",
        "treu",
        "trocken",
        "umher",
        "wach",
        "wahr",
        "warm",
        "weich",
        "wett",
        "übrig",
    ),
)
"""Words that verbs are put together with as if they were prefixes."""
_LOOSE = frozenset((*SEPARABLE, *_EITHER, *_WORDS))
_PREFIXES = _LOOSE | frozenset(_FIRM)
_LONGEST = max(map(len, _PREFIXES))
_PRESENT_ENDINGS = ("e", "st", "est", "t", "et")
_WEAK = ("te", "test", "ten", "tet", "ete", "etest", "eten", "etet")
_PRETERITE = ("", "st", "est", "en", "n", "t", "et")
_SUBJUNCTIVE = ("e", "st", "est", "en", "n", "t", "et")
_AFTER_E = ("", "st", "n", "t")


def iter_verb_forms(infinitive: str) -> Iterator[tuple[str, int]]:
    """Yield (form, kind) for every form, participles not declined. Some come twice: verkauft is finite and a
    participle."""
    yield infinitive, INFINITIVE
    for whole in iter_zu_infinitives(infinitive):
        yield whole, INFINITIVE
    yield "seiend" if infinitive == "sein" else f"{infinitive}d", PARTICIPLE
    for form in _iter_finite_forms(infinitive):
        yield form, VERB_FORM
    for participle in _iter_participles(infinitive):
        yield participle, PARTICIPLE


def find_strong_stems(infinitive: str) -> VerbStems | None:
    """Return the strong stems of a verb, prefixes included; None for a weak one."""
    found = STRONG.get(infinitive)
    if found is not None:
        return found
    for prefix in list_leading_prefixes(infinitive, _PREFIXES):
        base = find_strong_stems(infinitive[len(prefix) :])
        if base is not None:
            return _add_prefix(prefix, base)
    return None


_LAST_VOWELS = re.compile(r"[aeiouäöü]+(?=[^aeiouäöü]*$)")
_WEAK_TOO = frozenset(("melken", "quellen", "scheren", "schmelzen", "schrecken", "schwellen", "werden"))
"""Verbs with e and i whose imperative may keep the e: melk, quell, werd."""
_OTHERS = frozenset(("angelt", "gelt", "herberg", "mangelt", "rangelt"))
"""They look like stems of strong verbs, and are forms of weak ones or an exclamation."""
_NEEDS_E = re.compile(r"(ch|[^aeiouyäöülrhmnw])[mn]$")
"""atm, rechn, öffn: nobody can say that without an e."""


def find_imperative(stem: str) -> str | None:
    """Return the imperative that a verb has instead of its bare stem, where that is no form of its own: hilf for helf,
    vergiss for vergess, lies for les, atme for atm. None for a stem that is good, or no verb's."""
    if _NEEDS_E.search(stem):
        return f"{stem}e"
    verb = f"{stem}en"
    for base in () if stem in _OTHERS else (verb, *sorted(list_base_verbs(verb), key=len)):
        found = STRONG.get(base)
        if found is None or base in _WEAK_TOO or not found.present:
            continue
        old, new = (_LAST_VOWELS.search(one) for one in (base[:-2], found.present[0]))
        if old and new and old.group() == "e" and new.group() in ("i", "ie"):
            return found.present[0]
    return None


def list_base_verbs(infinitive: str) -> set[str]:
    """Return what is left of a verb without each of its prefixes: machen of einmachen. Not of ge-, which begins
    participles."""
    return {infinitive[len(prefix) :] for prefix in list_leading_prefixes(infinitive, _PREFIXES) if prefix != "ge"}


def _add_prefix(prefix: str, base: VerbStems) -> VerbStems:
    participles = []
    if prefix in _LOOSE:
        participles += [prefix + whole for whole in base.participles]
    if prefix in _FIRM:
        participles += [prefix + whole.removeprefix("ge") for whole in base.participles]
    present, preterite, subjunctive = (tuple(prefix + stem for stem in part) for part in base[:3])
    return VerbStems(present, preterite, subjunctive, tuple(participles))


def strip_infinitive_ending(infinitive: str) -> str:
    """Return the stem of a verb: mach of machen, sammel of sammeln, tu of tun."""
    return infinitive[:-2] if infinitive.endswith("en") else infinitive[:-1]


def _iter_finite_forms(infinitive: str) -> Iterator[str]:
    if infinitive == "sein":
        yield from BEING
        return
    stem = strip_infinitive_ending(infinitive)
    for ending in (*_PRESENT_ENDINGS, *_WEAK):
        yield stem + ending
    yield stem
    if stem.endswith(("el", "er")) and infinitive.endswith(("ln", "rn")):
        for ending in ("e", "est", "et", "en"):  # sammle, wandre
            yield stem[:-2] + stem[-1] + ending
    strong = find_strong_stems(infinitive)
    if strong is not None:
        for form in _iter_strong_forms(strong):
            yield form
            if "ss" in form:  # the spelling before 1996: mußte, floß
                yield form.replace("ss", "ß")


def _iter_strong_forms(strong: VerbStems) -> Iterator[str]:
    for stem in strong.present:
        yield from (stem, stem + "st", stem + "t")
    for stem in strong.preterite:
        yield from (stem + ending for ending in (_AFTER_E if stem.endswith("e") else _PRETERITE))
    for stem in strong.subjunctive:
        yield from (stem + ending for ending in (_AFTER_E if stem.endswith("e") else _SUBJUNCTIVE))


def _iter_participles(infinitive: str) -> Iterator[str]:
    """Yield the past participles, not declined."""
    strong = find_strong_stems(infinitive)
    if strong is not None:
        yield from strong.participles
    stem = strip_infinitive_ending(infinitive)
    loose = list_leading_prefixes(stem)
    firm = any(stem.startswith(_FIRM, len(prefix)) for prefix in ("", *loose))  # verkauft, anvertraut
    for ending in ("t", "et"):
        if firm or infinitive.endswith("ieren"):
            yield stem + ending
        for prefix in ("", *loose):
            yield f"{prefix}ge{stem[len(prefix) :]}{ending}"


def iter_zu_infinitives(infinitive: str) -> Iterator[str]:
    for prefix in list_leading_prefixes(infinitive):
        yield f"{prefix}zu{infinitive[len(prefix) :]}"


def list_leading_prefixes(text: str, prefixes: frozenset[str] = _LOOSE) -> list[str]:
    """List the prefixes that the text begins with, the longest first."""
    longest = min(_LONGEST, len(text) - 2)
    return [text[:end] for end in range(longest, 1, -1) if text[:end] in prefixes]
