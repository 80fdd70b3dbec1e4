"""German strong and irregular verbs: the stems that no rule gives.

One verb a line: infinitive, stem of the second and third person singular where it differs, preterite, subjunctive,
participle. ``-`` = regular or missing, ``/`` parts several. Prefixed verbs (ausgehen, verstehen) follow their base.
"""

from __future__ import annotations

from typing import NamedTuple


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
