"""What people write instead of the canonical notation of each game."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from moderator.games.domijongg.rules import GAME as DOMIJONGG
from moderator.games.dominos.rules import GAME as DOMINOS
from moderator.games.topwords.rules import GAME as TOPWORDS
from moderator.games.topwords.state import TopwordsOptions, TopwordsPublic
from moderator.games.tridom.rules import GAME as TRIDOM
from moderator.games.tridom.rules import SUPER
from moderator.games.typdom.recht import GAME as RECHT
from moderator.games.typdom.rules import KREUZWORT
from moderator.rules.game import Game
from moderator.rules.state import View, view_for
from tests.games import domijongg_table, dominos_table, tridom_table
from tests.games.typdom_table import Match


@dataclass(frozen=True)
class Written:
    """What is written in one position of a game."""

    game: Game[Any, Any]
    view: View[Any]
    read: Mapping[str, Sequence[str]]
    """Canonical notation -> what is read as it."""
    unreadable: Mapping[str, Sequence[str]]
    """Code -> lines that are answered with it."""
    named: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Unreadable line -> what its answer names."""
    ambiguous: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Line -> its readings."""
    mails: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Text of a mail -> the orders in it."""
    meant: Sequence[str] = ()
    """Lines that are no chat."""
    chat: Sequence[str] = ()

    def canonical(self, line: str) -> str:
        return self.game.format_move(self.game.parse_move(line, self.view))


GROWING = {
    "squares": {"T20": "A", "T21": "H"},
    "running": {"square": "T20", "direction": "s", "word": "NAHT", "author": 1},
}
FINISHED = {
    "squares": dict(zip(("S20", "T20", "U20", "V20"), "NAHT", strict=True)),
    "finished": {"square": "S20", "direction": "w"},
}

GAMES = {
    "domijongg": Written(
        DOMIJONGG,
        view_for(domijongg_table.table("B3 K4 DR", "DW"), 0),
        read={
            "2: B3": [
                "2: B3", "rechts: B3", "rechts B3", "B3 rechts", "b3 right", "B3@2", "B3 @ 2", "B3 an 2",
                "B3 an Kopf 2", "an 2 B3", "Kopf 2: B3", "head 2: B3", "Kopf 2 B3", "2 : b 3", "2 = B3",
                "lege B3 rechts", "ich lege den B3 an 2.", "I play B3 on the right", "2: Bambus 3", "2: bamboo 3",
                "2: 3 Bambus", "2: Bambus-3",
            ],
            "1: B3": ["links: B3", "LINKS B3", "left: B3", "L: B3", "B3 links an", "Ich lege links B3 an"],
            "10: B3": ["B3 at head 10"],
            "3: N, DR": ["lege an Kopf 3 Nord, DR an"],
            "2: K3, K4": ["2: Kreis 3, Kreise 4"],
            "2: K3, K4, K5": ["2: circle 3, dot 4, circles 5"],
            "2: T3, T4": ["2: Tausend 3, Tausender 4", "2: character 3, thousand 4"],
            "2: E, S, W, N": ["2: Ost, Süd, West, Nord", "2: O, SUED, W, N", "2: east, south, west wind, north"],
            "2: E, N": ["2: Ostwind, Nord Wind"],
            "2: DR, DG, DW": [
                "2: roter Drache, Drache grün, weiß", "2: red dragon, green, white dragon", "2: ROT, GRUEN, WEISS",
            ],
            "2: F2, J4": ["2: Blume 2, Jahreszeit 4", "2: flower 2, season 4"],
            "2: J3": ["2: die 3. Jahreszeit"],
            "1: T3+E, T2; 3: N, DR": [
                "1: T3+E, T2; 3: N, DR", "1: T3 + Ost, T2 ; 3 : Nord DR", "links: T3&E T2; Kopf 3 N, dann DR",
            ],
            "1: T3+E, T2; 3: N": ["1: T3+E; 1: T2; 3: N"],
            "2: T3, T3": ["rechts: T3 T3"],
            "2: T3, T2, T1": ["rechts: T3 > T2 - T1"],
            "2: T3, T2": ["rechts: t3t2"],
            "2: B3, T3 ab 3": ["2: B3, T3 (at least 3 points)"],
            "1: F3, B3+E, B2; 3: S ab 4": ["1: F3; 1: B3+E, B2; 3: S ab 4"],
        },
        unreadable={
            "empty-line": ["", "; ;"],
            "no-head": [
                "B3", "B3 K4 DR", "B3, K4, DR", "B3 2", "2 B3", "0", "B3 an", "an", "@", "B3 an X", "Kopf: B3",
                "Ende: B3",
            ],
            "no-tile": ["2:", "rechts"],
            "unknown-tile": [
                "2: B0", "2: B", "2: F5", "2: X3", "2: DB", "2: Hallo", "2: 3", "Links: siehe unten", "3: Danke",
            ],
            "unfinished": ["2: B3,", "2: , B3", "2: B3 +", "2: B3 + + E", "2: +B3"],
            "fork-of-three": ["1: T3+E+N"],
            "head-too-large": ["123: B3", "99999999999: B3"],
            "no-standing-order": ["nach Ziehen: bester", "after the draw: best"],
            "no-pass": ["passe", "ich ziehe"],
            "our-line": ["Ende 1 (links) ǀ K3 · J3", "1: K3 · J3", "»2: B3«"],
            "line-too-long": ["2: B3 " + "x" * 1000],
        },
        ambiguous={
            "1: T3 und Ost": ["1: T3, E", "1: T3+E"],
            "1: T3/E": ["1: T3, E", "1: T3+E"],
            "left: T3 and E": ["1: T3, E", "1: T3+E"],
            "1: T2, T3 und E": ["1: T2, T3, E", "1: T2, T3+E"],
        },
        mails={
            "1: T3+E, T2; 3: N, DR": ["1: T3+E, T2; 3: N, DR"],
            "1: T3+E, T2; 3: N, DR; sonst 2: B3": ["1: T3+E, T2; 3: N, DR", "2: B3"],
            "1: T3+E;3: N; sonst rechts B3; sonst B4@1 ab 1": ["1: T3+E; 3: N", "2: B3", "1: B4 ab 1"],
            "links: T3+E; Kopf 3: N": ["1: T3+E; 3: N"],
            "1: B3; 2: K4": ["1: B3; 2: K4"],  # no silent fallback: it is told that a turn goes to one head
            "2: B3\n1: K4": ["2: B3", "1: K4"],
            "2: B3\nsonst 1: K4\nErsatz: 1: E": ["2: B3", "1: K4", "1: E"],
            "2: B3 sonst 1: K4": ["2: B3", "1: K4"],
            "2: B3; else left: K4": ["2: B3", "1: K4"],
            "1. 2: B3\n2. 1: K4": ["2: B3", "1: K4"],
            "- 10: B3": ["10: B3"],
            "Zug: 2: B3": ["2: B3"],
            "Ersatz 1: 2: B3\nErsatz 2: 1: K4": ["2: B3", "1: K4"],
            "Hallo zusammen,\n\nB3 rechts\n\nGruß\nAnna": ["2: B3"],
            "Bambus 3 rechts": ["2: B3"],
        },
        meant=["2: B3, X9", "B3", "B3 K4", "1: T3 und E", "nach Ziehen: bester", "rechts: Bambus", "passe"],
        chat=["Bis 10: dann", "Um 18:30 bin ich da", "Heute West rechts?!"],
    ),
    "dominos": Written(
        DOMINOS,
        dominos_table.view("66 62@L 61@R 64@N", "42 21 65 33 10 22 43"),  # ends L 2, R 1, N 4, S 6
        read={
            "42@L": [
                "42@L", "24@L", "42 @ L", "42@l", "42 L", "42L", "L42", "L: 42", "4-2 L", "4:2 L", "4/2 L", "4|2 L",
                "4.2 L", "[4|2] L", "(4-2) links", "4 2 links", "42 links", "LINKS 42", "42 left", "42 li", "42 ←",
                "42 -> L", "42 auf L", "lege 42 links an", "Ich lege den Stein 42 bitte links an.",
                "lay 4-2 on the left side", "play 42 at L", "42 an 2", "42@2", "42 an die 2", "42 an zwei",
                "vier-zwei links", "four-two left", "42 2", "42 an der 2 links", "42 ans linke Ende", "42@L = 8",
                "42@L, 8 Punkte", "42 L macht 8 Punkte", "»42@L«", "*42@L*", "４２@L",
            ],
            "64@R": ["64 R", "64 rechts", "64 Right", "64 re", "64 →"],
            "64@N": ["64 N", "64 Nord", "64 NORTH", "64 oben", "64 top", "64 ↑"],
            "64@S": ["64 S", "64 Süd", "64 SUED", "64 sued", "64 South", "64 unten", "64 bottom", "64 ↓"],
            "66@S": ["Doppelsechs unten", "double six bottom", "Doppel-6 S", "6er Pasch S", "Sechserpasch S"],
            "22@L": ["Pasch 2 links", "22"],
            "00@L": ["doppelnull L"],
            "65@S": ["65 an 6", "65", "6-5", "lege 65"],
            "33": ["33"],
            "22@L ab 5": ["22 ab 5"],
            "42@L ab 10": ["42@L ab 10", "42 links (mindestens 10 Punkte)", "42 left if at least 10"],
            "nach Ziehen: bester": ["nach Ziehen: bester", "After drawing: best"],
        },
        unreadable={
            "empty-line": ["", "  »« "],
            "line-too-long": ["6" * 300],
            "printed-tile": ["6ǀ5", "6ǀ5@S"],
            "no-tile": ["links", "6 links", "6 5"],
            "several-tiles": ["an die 2: 42", "42 21 65", "42@L 21@R", "42 an 2 4", "24.12."],
            "no-such-tile": ["87 L", "7-1 L", "420 L"],
            "no-such-place": ["42@X"],
            "extra-words": ["42 L oder so", "42 Grüße"],
            "no-such-end": ["42 an 5"],
            "tile-not-held": ["31", "3:1"],
        },
        ambiguous={
            "42": ["42@L", "42@N"],
            "42 ab 5": ["42@L ab 5", "42@N ab 5"],
            "65 links rechts": ["65@L", "65@R"],
            "21": ["21@L", "21@R"],
        },
        mails={"64@L ab 10; sonst 6:4 rechts\nErsatz 2: 64 oben": ["64@L ab 10", "64@R", "64@N"]},
        meant=["64@L", "6-4 links", "64 an 4", "[6|4] oben", "lege 64 links", "64"],
        chat=["12 Uhr passt mir", "6ǀ4", "Gruß Anna", "links ist es schön"],
    ),
    "tridom": Written(
        TRIDOM,
        # Tiles on the places 1 to 6, free cells 7 to 14; 8 is (1,1).
        tridom_table.view(tridom_table.fixed("225 345 123", "001 002", stock="003", board=tridom_table.BOARD).state),
        read={
            "225@8": [
                "225@8", "225@ 8", "522@8", "225@08", "225 AN 8", "225 at 8", "225 auf 8", "225 on 8", "225 bei 8",
                "225 to 8", "225 8", "225 : 8", "225 -> 8", "225 → 8", "2-2-5 an 8", "2/2/5@8", "2.2.5@8",
                "2,2,5 an 8", "2:2:5 an 8", "2|2|5 an 8", "2 2 5 an 8", "2 - 2 - 5 an 8", "2–2–5 an 8", "(2,2,5) an 8",
                "[225] an 8", "225 auf den Platz 8", "225 auf Platz Nr. 8", "225 an PLATZ 8!", "225 on place no. 8",
                "225 place #8", "225, Platz 8", "Ich lege 225 an 8 an.", "ich lege den Stein 225 an Platz 8 an",
                "Lege die 225 auf Platz 8 bitte", "I lay the tile 225 at 8", "place 225 on 8", "play 225 at 8 please",
                "tile 225 at place 8", "225 stein an 8", "an 8: 225", "auf Platz 8 die 225", "place 8 = 2-2-5",
                "at 8: lay 225", "225@8 (9 Punkte)", "225 an 8 = 9", "225 an 8 (9)", "»225@8«", "„225 an 8“",
                " 225\u00a0an\t8 ", "２２５＠８", "22\u00ad5@8", "225@(1,1)", "225 an Platz (1, 1)",
            ],
            "225@10": ["225@(-2,0)", "225 an ( −2 , 0 )"],
            "225@8 ab 10": ["225@8 ab 10"],
            "225@8 ab 40": ["225 at place 8 if at least 40 points", "lege 225 an 8 an, nur ab 40 P"],
            "123@8": ["132@8", "321@8", "213@8"],
            "nach Ziehen: bester": ["Nach dem Ziehen immer der beste Platz", "AFTER DRAW: THE BEST PLACE"],
        },
        unreadable={
            "empty-line": ["", "  "],
            "line-too-long": ["225@8" + " " * 300],
            "no-place": ["225", "lege 2-2-5", "225 @"],
            "no-such-tile": ["678@8", "226 an 8"],
            "no-such-place": ["225@99", "225@0", "225@(9,9)"],
            "no-pass": ["passe"],
            "no-move": [
                "225 344 355", "225 344", "001 112", "225, 344, 355", "2ǀ2ǀ5@8", "2ǀ2ǀ5 an 8", "8 ▲ 2·2·5", "2·2·5 8",
                "225@1,0", "225@8 344@3", "225 passt an 8", "225@acht", "22@8", "2255@8", "225 8 9", "225 8 Punkte",
                "22 5 an 8", "hallo zusammen", "225@٨",
            ],
        },
        named={"225@99": {"free": [7, 8, 9, 10, 11, 12, 13, 14]}},
        mails={
            **{
                mail: ["225@8", "345@3"]
                for mail in (
                    "225@8; sonst 345@3", "225@8\n345@3", "1. 225@8\n2. 3-4-5 an 3",
                    "- 225 an Platz 8\n- 345 an Platz 3", "Ersatz: 345 3\n225 8", "2-2-5 an 8, sonst 3-4-5 an 3",
                    "2.2.5@8 oder 3.4.5@3", "Zug: 225 8\nErsatz 1: 345 3", "lay 225 at 8 else lay 345 at 3",
                    "Hallo,\n225@8\nfalls das nicht geht: 345@3\nGruß, Anna",
                )
            },
            "225@8 ab 40; sonst 345@3; sonst nach Ziehen: bester": ["225@8 ab 40", "345@3", "nach Ziehen: bester"],
        },
        meant=["225@", "2-2-5 an 88", "225 8", "225: 8", "225", "lege 225 an 99", "225 place x", "225 auf x"],
        chat=["Platz", "225 344 355", "Deine Steine: 225 344", "8 ▲ 2·2·5", "12 ▼ 3·5·?, 14 ▲ 0·0·?"],
    ),
    "supertridom": Written(
        SUPER,
        tridom_table.view(
            tridom_table.fixed("225 345 123", "001 002", stock="003", board=tridom_table.BOARD, game=SUPER).state
        ),
        read={"132@8": ["132@8", "321@8", "213@8"], "123@8": ["123@8"]},  # clockwise
        unreadable={},
    ),
    "topwords": Written(
        TOPWORDS,
        View(0, TopwordsPublic(TopwordsOptions()), tuple("ALLESXY"), (7, 7), 86, (0, 0), (0,)),
        read={
            "E5 w HAUS": [
                "E5 w HAUS", "E5w HAUS", "5E w haus", "5Ew Haus", "e5 W hAUS", "HAUS E5 w", "Haus ab E5 waagerecht",
                "haus, e5, w", "E5 HAUS w", "w E5 HAUS", "E5 waagrecht HAUS", "E5 waag. HAUS", "E5 across HAUS",
                "E5 horizontal Haus", "E5 h HAUS", "E5 a HAUS", "E5 quer HAUS", "E5 rechts HAUS", "E5 → HAUS",
                "E5: w: HAUS!", "E 5 w HAUS", "E05 w HAUS", " E5\tw\u00a0HAUS. ", "Ｅ５ ｗ ＨＡＵＳ", "E5 w HA\u00adUS",
                "E5 w „HAUS“", "Ich lege HAUS ab E5 waagerecht", "E5 w HAUS ()",
            ],
            "J10 s MAUS": [
                f"J10 {way} Maus"
                for way in ["s", "S", "senk", "senkrecht", "v", "vertikal", "vertical", "d", "down", "runter", "↓"]
            ] + ["Maus 10J s", "Maus 10J down"],
            "E5 w HAUS (AH, US) 14": [
                "E5w HAUS (AH, US) 14", "E5 w HAUS (AH und US) = 14", "E5 w HAUS (AH/US, 14)", "E5 w HAUS [ah; us] 14",
                "E5 w HAUS (AH 4, US 4) 14", "E5 w HAUS, AH, US 14", "E5 w HAUS + AH + US = 14",
                "HAUS (AH, US) E5 w 14", "E5 w HAUS (AH (US)) 14",
            ],
            "E5 w HAUS (AH) 12": ["E5 waagerecht HAUS (AH) 12 Punkte"],
            "E5 w HAUS 14": [
                "E5 across HAUS = 14", "E5 w HAUS 14", "E5 w HAUS, 14 Pkt.", "E5 w HAUS 14P",
                "E5 w HAUS für 14 Punkte", "E5 w HAUS 8+6=14", "E5 w HAUS (14)",
            ],
            "E5 w HAUS (AH, US, ON)": ["E5 w HAUS (AH US) (ON)"],
            "E5 w HAUS 0": ["E5 w HAUS 0"],
            "E5 w GRÖSSE": ["E5 w größe", "E5 w GRÖẞE"],
            "E5 w ÄPFEL": ["E5 w a\u0308pfel"],
            "E5 w QUER": ["E5 w QUER", "E5 quer W"],
            "E5 w PASSE": ["E5 w PASSE", "PASSE E5 w"],
            "E5 w TAUSCHE": ["E5 w TAUSCHE", "TAUSCHE E5 w"],
            "E5 w FÜR 14": ["E5 w FÜR 14"],
            "E5 w PUNKTE 14": ["E5 w PUNKTE 14"],
            "E5 w AB": ["E5 w AB"],
            "E5 s RECHTS": ["E5 senkrecht RECHTS"],  # the other reading leaves the board
            "E5 w IXTE (AUSIXEN)": ["E5 w ixte (ausixen)"],
            "passe": ["passe", "Passe!", "ich passe", "PASS", "I pass", "Ich passe diesmal leider.", "passen"],
            "tausche A E N": [
                "tausche A E N", "tausche AEN", "tausche: a, e, n", "Tausche a, e und n!", "exchange AEN",
                "ich tausche A E N aus",
            ],
            "tausche A": ["ich tausche A"],
            "tausche A N": ["swap a and n"],
            "tausche Ä S S": ["tausche Ä ß"],
            "tausche U N D": ["tausche UND"],
            "tausche A U S": ["tausche AUS"],
            "tausche A L L E": ["tausche A L L E"],
        },
        unreadable={
            "empty-line": ["", "  ...  "],
            "no-square": ["Hallo Spielleiter", "w HAUS"],
            "square-off-board": ["K5 w HAUS", "E11 w HAUS", "E0 w HAUS", "Ä5 w HAUS"],
            "no-direction": ["E5 HAUS", "E5wHAUS"],
            "no-word": ["E5", "E5 w", "E5 w 14"],
            "extra-words": ["E5 w HAUS bitte", "E5 w HAUS AH US"],
            "open-parenthesis": ["E5 w HAUS (AH"],
            "foreign-letter": [
                "E5 w CAFÉ", "E5 w ДОМ", "E5 w U-BAHN", "E5 w GEHT'S", "E5 w HAUS (ÇA)", "E5 w HAUS ٣",
            ],
            "unclear-points": [
                "E5 w HAUS 8 14", "E5 w HAUS 99999", "E5 w HAUS (14) 15", "E5 w HAUS (14, 15)", "E5 w HAUS (99999)",
            ],
            "exchange-no-letters": ["tausche", "tausche 3"],
        },
        named={
            "K5 w HAUS": {"square": "K5"},
            "E0 w HAUS": {"square": "E0"},
            "E5 HAUS": {"square": "E5"},
            "E5 w HAUS bitte": {"words": ["BITTE"]},
            "E5 w HAUS AH US": {"words": ["AH", "US"]},
            "E5 w CAFÉ": {"letter": "É", "word": "CAFÉ"},
            "E5 w HAUS ٣": {"letter": "٣"},
        },
        ambiguous={
            "E5 w HAUS F6 s": ["E5", "F6"],
            "D5 quer RUNTER": ["D5 w RUNTER", "D5 s QUER"],
            "tausche alle": ["tausche A L L E S X Y", "tausche A L L E"],
        },
    ),
    "kreuzwort": Written(
        KREUZWORT,
        view_for(Match("kreuzwort", "AENHUS", "B", board={"H7": "*A", "K3": "*N"}, starter=0).state, 0),
        read={
            "T20 w EXAMEN": [
                "T20 w EXAMEN", "20T waagerecht Examen", "t 20 across examen", "EXAMEN T20 w", "T20 → Examen",
                "20Tw Examen",
            ],
            "AA7 w HAUS": ["AA7 w HAUS", "7AA w HAUS", "AA 7 w HAUS"],
            "T20 w MUESSIG": ["T20 w Müßig"],
            "T20 s TEX*AS": ["T20 s TEX*AS", "T20 s tex*as", "T20 s TEX★AS", "T20 s TEX(A)S"],
            "T20 s *TEXAS": ["T20 s (T)EXAS"],
            "T20 s TEXA*S": ["T20 s TEXA(S)"],
            "T20 w HAUS": ["T20 w **HAUS**", "*T20 w HAUS*"],
            "T20 w HAUS 8": ["T20 w HAUS = 8 Punkte"],
            "T20 w HAUS (AH, US) 14": ["T20 w HAUS (AH, US) 14", "T20 w Haus, Ah, us 14"],
            "T20 w HAUS (AH)": ["T20 w HAUS + AH"],
            "T20 s POLA + U22 w PHON": [
                "T20 s POLA + U22 w PHON", "POLA T20 s + PHON U22 w", "T20 s POLA und U22 w PHON",
                "T20 s POLA, U22 w PHON", "T20 s POLA and U22 w PHON",
            ],
            "T20 s POLA (AH) + U22 w PHON 18": ["T20 s POLA (AH) + U22 w PHON 18"],
            "T20 s POLA + U22 w PHON 18": ["T20 s POLA 8 + U22 w PHON 10"],
            "T20 w UND + U22 s AND": ["T20 w UND + U22 s AND", "T20 w UND und U22 s AND"],
            "T19 s POLA + kaufe rot": ["T19 s POLA + kaufe rot"],
            "tausche A an H7; H9 w WORT": [
                "tausche A an H7; H9 w WORT", "Tausche A an H7, H9 w WORT", "ich tausche A an H7 und lege H9 w WORT",
            ],
            "tausche A an H7; H9 w *AN": [
                "tausche den Jolly auf H7 gegen A aus; H9 w *AN", "tausche H7; H9 w *AN",
                "exchange the jolly at H7 for A, then H9 across *AN",
            ],
            "tausche A an H7, N an K3; H9 w W*ORT + I9 s OHR": ["tausche A an H7, N an K3; H9 w W*ORT + I9 s OHR"],
            "tausche A an H7, N an K3; H9 w AN": ["tausche A an H7; tausche N an K3; H9 w AN"],
            "tausche A an H7; kaufe schwarz": ["tausche A an H7; kaufe schwarz"],
            "tausche A an H7; passe": ["tausche A an H7; passe", "swap a jolly at H7 for A; pass"],
            "T20 w TAUSCHE": ["T20 w TAUSCHE", "TAUSCHE T20 w"],
            "T20 w KAUFE": ["KAUFE T20 w"],
            "T20 w PASS": ["T20 w PASS"],
            "kaufe rot": ["kaufe rot", "buy red", "ich kaufe einen roten Stein"],
            "kaufe 2 rot": ["kaufe 2 rot", "zwei rote kaufen"],
            "kaufe 2 rot 1 schwarz": [
                "kaufe 2 rot 1 schwarz", "buy 2 red 1 black", "kaufe 2 rote und 1 schwarzen Stein",
                "kaufe schwarz rot rot", "kaufe 2r 1s",
            ],
            "passe": ["passe", "I pass", "Ich passe leider"],
        },
        unreadable={
            "empty-line": [""],
            "no-square": ["hallo"],
            "no-direction": ["T20 HAUS"],
            "no-word": ["T20", "T20 w"],
            "square-off-board": ["AO5 w HAUS", "T41 w HAUS"],
            "extra-words": ["T20 w HAUS dort"],
            "open-parenthesis": ["T20 w HAUS (AH"],
            "foreign-letter": ["T20 w CAFÉ"],
            "unclear-points": ["T20 w HAUS 3 4", "T20 s POLA 8 + U22 w PHON"],
            "too-many-words": ["T20 w HAUS + U22 w PHON + V24 w OHR"],
            "exchange-first": ["T20 w HAUS + tausche A an H7"],
            "exchange-then": ["tausche A an H7"],
            "exchange-unclear": ["tausche A; H9 w WORT", "tausche AB an H7; H9 w WORT", "tausche an A1; H9 w WORT"],
            "buy-colour": ["kaufe", "kaufe blau", "kaufe 3", "kaufe 2 3 rot", "kaufe A"],
            "unclear-turn": ["kaufe rot + kaufe schwarz", "T20 w HAUS; passe"],
            "line-too-long": ["x" * 1001],
        },
        named={"AO5 w HAUS": {"last": "AN40"}},
        ambiguous={"T20 quer RUNTER": ["T20 w RUNTER", "T20 s QUER"], "T20 U22 w HAUS": ["T20", "U22"]},
        mails={
            "tausche A an H7; H9 w WORT; sonst passe": ["tausche A an H7; H9 w WORT", "passe"],
            "tausche A an H7\nH9 w WORT\nsonst kaufe rot": ["tausche A an H7; H9 w WORT", "kaufe rot"],
            "tausche A an H7;\nH9 w WORT": ["tausche A an H7; H9 w WORT"],
            "tausche A an H7, dann H9 w WORT": ["tausche A an H7; H9 w WORT"],
            "Ersatz 1: tausche A an H7; H9 w WORT; Ersatz 2: kaufe rot": ["tausche A an H7; H9 w WORT", "kaufe rot"],
            "1. tausche A an H7; H9 w WORT\n2. kaufe rot": ["tausche A an H7; H9 w WORT", "kaufe rot"],
            "T20 s POLA\n+ U22 w PHON\nsonst T20 s POLA": ["T20 s POLA + U22 w PHON", "T20 s POLA"],
            "T20 s POLA + U22 w PHON; T20 w MAUS": ["T20 s POLA + U22 w PHON", "T20 w MAUS"],
            "+ T20 w HAUS\n+ T20 w MAUS": ["T20 w HAUS", "T20 w MAUS"],
            "AA7 w HAUS sonst AB8 s MAUS": ["AA7 w HAUS", "AB8 s MAUS"],
            "T20 w SONST; sonst T20 w ELSE": ["T20 w SONST", "T20 w ELSE"],
            "Hallo!\nIch tausche A an H7 und lege H9 w WORT.\nGruß, Anna": ["tausche A an H7; H9 w WORT"],
            "- T20 w TEX*AS\n- kaufe 2 rot 1 schwarz": ["T20 w TEX*AS", "kaufe 2 rot 1 schwarz"],
        },
        meant=["AA7 w", "tausche A an H7 bitte", "kaufe blau", "T20 w CAFÉ", "kaufe"],
        chat=[
            "Viele Grüße aus Wien", "Ich kaufe mir morgen ein neues Buch über Kreuzworträtsel, das wird schön",
            "A E I O *r B C D F", "Kauft 2 rote Steine; rote im Vorrat: 9.",
            "Gets 1 red tile; red ones in the stock: 8.", "20ǀ .  M  E  X  I  C  O  .", "Anna 53, Bert 37",
        ],
    ),
    "recht": Written(
        RECHT,
        view_for(Match("recht", "AENXYZQT", "AB", known="NAHT", board=GROWING).state, 0),
        read={
            "hinten T = NAHT": [
                "T hinten = naht", "hinten T NAHT", "hinten: T, NAHT", "hinten T: Naht", "NAHT: hinten T",
                "NAHT = hinten T", "back T = NAHT", "T behind = naht", "T after, NAHT",
                "T dahinter, ich sage NAHT an", "rechts T = NAHT", "ich lege T hinten und sage NAHT an",
                "Ich setze hinten ein T an, Ansage: NAHT", "unten T -> NAHT", "hinten T → NAHT",
                "hinten „T“ = „NAHT“", "**hinten T = NAHT**", "*hinten T = NAHT*", "I put T at the back and say NAHT",
                "hinten T = das Wort NAHT", "hinten T (NAHT)",
            ],
            "vorn S = STERN": [
                "S davor: Stern", "links S = STERN", "front S = STERN", "S before STERN", "vorn S = S*TERN",
            ],
            "S = STERN": [],
            "T an T22 = NAHT": [],
            "hinten T = NAEHT": ["hinten T = NÄHT"],
            "vorn S = STRASSE": ["vorn S = Straße"],
            "vorn *S = STERN": [
                "vorn ★S = STERN", "vorn S = *STERN", "vorn Jolly S = STERN", "vorn Stern als S = STERN",
                "*S vorn = STERN",
            ],
            "vorn S + hinten N = STERN": ["S vorn und N hinten, ich sage STERN an"],
            "vorn S + T = STERN": [],
            "vorn S + vorn T = STERN": ["vorn ST = STERN"],
            "hinten R + hinten N = STERN": ["hinten RN = STERN"],
            "hinten T = WEITER": [],
            "hinten T = WORT": [],
            "hinten N = AN": [],
            "weiter T": ["T weiter", "weiter: T", "weiter mit T", "continue T"],
            "weiter *T": [],
            "weiter vorn T": [],
            "weiter hinten T": ["continue back T", "weiter T hinten"],
            "weiter T = NAHT": ["weiter T (NAHT)"],
            "weiter vorn N + hinten T": [],
            "kaufe rot": ["buy red", "kaufe Vokal"],
            "kaufe schwarz": ["Ich kaufe einen schwarzen Stein", "buy a black tile"],
            "kaufe rot, passe": ["kaufe rot; passe", "kaufe rot, dann passe", "buy red, pass"],
            "kaufe schwarz, passe": ["kaufe schwarz und passe"],
            "passe": ["ich passe diesmal", "weitermelden", "ich melde weiter", "report on"],
            "vollende ab T19": ["vollende NAHT ab T19", "complete from T19"],
            "tausche A an H7; hinten T = NAHT": [
                "tausche A an H7, hinten T = NAHT", "exchange A at H7; back T = NAHT",
            ],
            "tausche A an H7, E an K3; weiter T": ["tausche A an H7 und E an K3; weiter T"],
            "tausche A an H7; passe": ["tausche den Jolly an H7 gegen A; passe"],
            "tausche A an H7; kaufe rot, passe": [],
            "tausche A an H7; E an T20 = REISE": [],
            "tausche A an H7; E an T20 + S = REISE": [],
            "tausche A an H7, S an H9; E an T20 + S = REISE": ["tausche A an H7; S an H9; E an T20 + S = REISE"],
            "tausche A an H7; vollende ab T19": [],
        },
        unreadable={
            "empty-line": [""],
            "line-too-long": ["x" * 2000],
            "no-announcement": ["hinten T", "hinten T = N"],
            "no-letter": ["hinten = NAHT", "weiter", "weiter so", "T20 w NAHT", "STERN", "weiter NT"],
            "no-place": ["T: NAHT"],
            "extra-words": [
                "hinten T = NAHT oder STERN", "hinten XY = NAHT", "hinten 5 = NAHT", "Danke = NAHT",
                "vollende STERN ab T19",
            ],
            "too-many-letters": ["hinten T S = NAHT", "hinten Ö = STROEH", "ER an AN21 w = KERN"],
            "foreign-letter": ["hinten É = NAHT"],
            "square-off-board": ["E an ZZ99 = REISE"],
            "buy-one": ["kaufe 2 rot"],
            "buy-colour": ["kaufe blau"],
            "buy-first": ["kaufe rot und lege hinten T = NAHT"],
            "unclear-turn": ["hinten T = NAHT, passe"],
            "exchange-then": ["tausche A an H7"],
            "exchange-unclear": ["tausche A und B an H7; passe"],
            "complete-where": ["vollende"],
        },
        ambiguous={
            "vorn hinten T = NAHT": ["hinten T", "vorn T"],
            "T an T22 vorn = NAHT": ["T an T22", "vorn T"],
            "E an T20 U20 = REISE": ["T20", "U20"],
            "E an T20 waagerecht senkrecht = REISE": ["w", "s"],
        },
        mails={
            "Hallo,\nhinten T = NAHT\nGruß, Anna": ["hinten T = NAHT"],
            "1. hinten T = NAHT\n2. weiter T\n3. kaufe rot": ["hinten T = NAHT", "weiter T", "kaufe rot"],
            "hinten T = NAHT; sonst vorn S = STERN; sonst passe": ["hinten T = NAHT", "vorn S = STERN", "passe"],
            "hinten T = NAHT sonst weiter T": ["hinten T = NAHT", "weiter T"],
            "Zug: hinten T = NAHT\nErsatz: *S vorn = STERN": ["hinten T = NAHT", "vorn *S = STERN"],
            "back T = NAHT\nelse continue T\nelse buy red, pass": ["hinten T = NAHT", "weiter T", "kaufe rot, passe"],
            "kaufe rot\npasse\nGruß": ["kaufe rot, passe"],
            "kaufe rot\nLiebe Grüße": ["kaufe rot"],
            "kaufe rot; sonst passe": ["kaufe rot", "passe"],
            "tausche A an H7; hinten T = NAHT; sonst weiter T": ["tausche A an H7; hinten T = NAHT", "weiter T"],
            "tausche A an H7\nhinten T = NAHT": ["tausche A an H7; hinten T = NAHT"],
            "- hinten T = NAHT\n- weiter T": ["hinten T = NAHT", "weiter T"],
        },
        meant=["hinten T", "vorn: S", "kaufe blau", "E an T20 = N", "S davor", "vollende"],
        chat=[
            "Weiter so!", "After I left it was late", "Vor allem Anna", "oben ist es schön", "Unter uns: gut!",
            "Hallo zusammen,", "Gruß, Anna", "Re: Partie", "PS: danke", "Weiter so mit dem Spiel!",
            "Vor allem A war gut", "Vor allem A", "Ich war gestern in Wien", "After I left", "Bis bald, Bert",
            "Anna: hinten wird es eng", "Danke: super", "Angesagt ist NAHT von Anna.", "Prima, Anna! Weiter.",
            "Ich sage nichts an",
        ],
    ),
    "recht, nothing lies": Written(
        RECHT,
        view_for(Match("recht", "AENXYZQT", "AB", known="NAHT").state, 0),
        read={
            "E an T20 = REISE": [
                "E at T20 = REISE", "start E at T20 = REISE", "Ich beginne mit E an T20: REISE", "E T20 REISE",
                "E an 20T = REISE", "T20 E = REISE", "T20: E = REISE", "I put E on T20 = REISE",
            ],
            "E an T20 w = REISE": ["E an T20 waagerecht = REISE", "T20 w E = REISE", "E at T20 across = REISE"],
            "E an T20 s = REISE": ["E an T20 = REISE (senkrecht)", "E an T20 = REISE s", "E an T20 ↓ = REISE"],
            "S an T20 s = STERN": ["T20 s S = STERN"],
            "S an T20 = STERN": ["T20 S = STERN"],
            "W an T20 w = WORT": [],
            "*E an T20 = REISE": [],
            "E an AA7 = REISE": [],
            "E an T21 + R an T22 = KERN": ["E an T21, R auf T22 = KERN"],
            "E an T21 + R = KERN": [],
            "I an T20 w = EIN": [],
            "E an T21 w + R an U21 = KERN": ["ER an T21 w = KERN"],
            "E an T21 + R an U21 = KERN": ["ER an T21 = KERN"],
        },
        unreadable={},
    ),
    "recht, a word is finished": Written(
        RECHT,
        view_for(Match("recht", "AENXYZQT", "AB", known="NAHT", board=FINISHED).state, 0),
        read={"E an T21 + R an T22 = KERN": ["ER an T21 = KERN"]},  # in one piece across the finished word
        unreadable={},
    ),
}  # fmt: skip
