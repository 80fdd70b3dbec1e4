"""The words of a move in Dominos, German and English, in small letters."""

from __future__ import annotations


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_PLACES = {
    "L": "l li lks links linke linken linkes linker left west westen ←",
    "R": "r re rts rechts rechte rechten rechtes rechter right ost osten east →",
    "N": "n nord norden north oben obere oberen oberes top up above rauf hinauf ↑",
    "S": "s süd sued süden sueden south unten untere unteren unteres bottom down below runter hinunter ↓",
}
PLACE_OF = {word: place for place, words in _PLACES.items() for word in words.split()}

_NUMBERS = (
    "null zero blank leer",
    "eins eine einer one",
    "zwei two",
    "drei three",
    "vier four",
    "fünf fuenf five",
    "sechs six",
)
NUMBER_OF = {word: str(value) for value, words in enumerate(_NUMBERS) for word in words.split()}

LAYING = _set("lege leg legen setze setz setzen spiele spiel spielen lay put play anlegen")
"""Verbs that make a lone tile a move beyond doubt."""
FILLERS = LAYING | _set(
    "ich i wir place to zu zur zum an am ans at auf on onto bei beim nach in ins im the a der die das den dem des er "
    "mein meine meinen my stein steine tile domino bitte please ende seite end side platz arm mit with wo where "
    "showing zeigt hin dran"
)
SIGNS = frozenset("@-–—−>=,;.!:/|⇒")
