"""How the matches of Typ-Dom's sample mails begin: fixed racks, the orders that lead to all that a mail can tell, and
the words that count. What follows is up to robots."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from moderator.games.typdom.tiles import BLACK, RED
from moderator.match.verdict import Verdict
from moderator.match.words import WordList

KNOWN = """
ABER ACHT ADLER AFFE ALLE ALT AM AMEISE AN ANGEL APFEL ARM ART AST AUGE AUS AXT BACH BAD BAER BALL BAND BANK
BAR BAUER BAUM BEIN BERG BETT BILD BIN BIRNE BLATT BLAU BLEI BODEN BOOT BOTE BRETT BROT BUCH BUNT BUS CLUB
DACH DAME DANK DAS DER DORF DOSE DREI DU DURST EBER ECHO ECKE EHE EI EIMER EIN EIS ELF ENDE ENTE ER ERBE ERDE
ERNTE ES ESEL ESSEN EULE EXAMEN FADEN FAHNE FARBE FELD FEST FEUER FISCH FLUR FROH FUSS GABEL GANS GAST GAUL
GELB GELD GLAS GOLD GRAS GRUEN GUT HAAR HAFEN HAHN HALM HALS HAND HASE HAUS HAUT HEFT HEIM HELD HEMD HERZ
HIMMEL HIRSCH HOCH HOF HOLZ HONIG HOSE HUHN HUND HUT IDEE IGEL IM IN INSEL JA JAHR KAMM KANNE KATZE KERN KIND
KINO KLEE KNIE KOCH KOPF KORB KRONE KUH LAMPE LAND LATTE LAUB LEITER LICHT LIED LINDE LOB LOS LUFT MAI MANN
MAST MAUS MEER MEHL MESSER MILCH MOND MOOS MUT NACHT NADEL NAHT NAME NASE NEIN NEST NETZ NEU NOT NUSS OBEN
OBST OFEN OHR OMA OPA ORT OSTEN PAAR PFERD PLATZ POST RABE RAD RAND RAT RAUM REGEN REH REIM REIS REISE RING
ROCK ROSE ROT RUF RUND SAAL SACK SAFT SALZ SAND SATZ SCHAF SCHAL SEE SEGEL SEIFE SEIL SIEB SILBER SO SOFA SOHN
SONNE SPIEL STADT STALL STAR STEIN STERN STIER STROH STUHL TAG TAL TANNE TASSE TAUBE TAXI TEE TEIL TIER TISCH
TOPF TOR TUCH TUER TURM UFER UHR UM UND UNTEN VATER VIER VOGEL WAGEN WALD WAND WEG WEIN WELT WIESE WIND WOLF
WOLKE WORT ZAHL ZAUN ZEIT ZELT ZIEL ZU ZUG ZWEI
"""


class Words(WordList):
    """Some words are refused for a reason that only a real dictionary has."""

    def judge(self, word: str, base: str | None = None) -> Verdict:
        if word == "KAM":
            return Verdict(word, "reject", "verb-form", self.source, {"lemma": "kommen"})
        return super().judge(word, base)


WORDS = Words(KNOWN.split(), "Probewörter")


@dataclass(frozen=True)
class Script:
    """A match with fixed racks; ``orders`` are (seat, text), "" = nothing comes before the ZAT."""

    racks: tuple[str, ...]
    orders: tuple[tuple[int, str], ...]
    options: dict[str, Any] = field(default_factory=dict)

    def fixed(self) -> dict[str, Any]:
        """The deal as a record would fix it."""
        racks = [rack.split() for rack in self.racks]
        gone = Counter(tile for rack in racks for tile in rack)
        left = list((Counter((*RED, *BLACK)) - gone).elements())
        # Neither sorted nor shuffled: every third tile, so that both colours come soon.
        mixed = [*left[::3], *left[1::3], *left[2::3]]
        return {"racks": racks, "stock": mixed, "starter": 0}


_RACKS = (
    "A U U E I H S T N R D L B",
    "*r I E A O F B N N R K G M",
    "E I E A O M R X T S L C H",
)
_WORDS = (
    (0, "T20 w HAUS"),
    (1, "W20 s S*EIFE"),
    (2, "tausche E an W21; W24 w EIMER"),
    (0, "T20 s HUT"),
    (1, "kaufe rot"),
    (2, "T22 w TAXI + AA24 s ROT"),
    (0, ""),
)

SCRIPTS = {
    "kreuzwort": Script(_RACKS, _WORDS, {"games": 2}),
    "point": Script(_RACKS, _WORDS, {"games": 2}),
    "recht": Script(
        ("H E L T I R", "A N O B E *b", "C S L"),
        (
            (0, "H an T20 w = HAUS"),
            (1, "passe"),
            (2, "passe"),
            (1, "hinten A = HALM"),
            (2, "vorn C = SCHAL"),
            (1, "kaufe rot"),
            (1, "passe"),
        ),
    ),
    "presto": Script(
        ("E A E X M N B R", "A U U H S T", "A E I O N D *b"),
        (
            (0, "Gitter (..B / EXAMEN / ..R)"),
            (1, "Gitter (HAUS / U / T)"),
            (0, "passe"),
            (2, ""),
            (1, ""),
        ),
        {"rounds": 2},
    ),
}

MAILS = {
    "kreuzwort": ("Y24 s MOABN", "Y22 s KAM", "sonst Y24 s M*OND", "Y24 MOND", "Viele Grüße an alle!"),
    "point": ("Y24 s MOABN", "Y22 s KAM", "sonst Y24 s M*OND", "Y24 MOND", "Viele Grüße an alle!"),
    "recht": ("hinten *L = SCHALK", "sonst weiter L", "hinten T", "Viele Grüße an alle!"),
    "presto": ("HAUS", "U...", "ZIEL", "", "Viele Grüße an alle!"),
}
"""Nothing of these mails can be played in the positions that they are sent to."""
