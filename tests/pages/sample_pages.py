"""Realistic pages of every kind, for golden files, screenshots and measurements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Literal

from moderator.match.contract import Cell, Grid, Note
from moderator.match.decision import Held, NoOrder, NotPossible, OrderDecision, Played, Stored
from moderator.pages.content import Commands, Content, Doubted, Opening, Promptness, WordAsked, WordRuled
from moderator.pages.pages import (
    Failed,
    LineRead,
    MatchInfo,
    MoveReport,
    Page,
    Reader,
    Receipt,
    Reply,
    SeatLine,
    WordSum,
)
from moderator.states import WordRuling

Language = Literal["de", "en"]
NOW = datetime(2025, 11, 20, 18, 30, tzinfo=UTC)
DEADLINE = datetime(2025, 11, 24, 19, 0, tzinfo=UTC)
SEED = "5b7c1e0d9a44f2c3886e1f20ab37d9e4c1055f6d72b8a9903e4d6c17f80b2a55"
COMMITMENT = "0f103d4b9c1e77aa52d86b30e4f1c2957b8d6a01f3e9c84d2b7a5e6f1908ad09"

OPTIONS: dict[str, Any] = {
    "pace": "sequential",
    "rack_size": 7,
    "common_rack": 8,
    "max_height": 5,
    "cover_whole_word": True,
    "exchange": True,
    "letter_axis": "columns",
    "tiles": "german-100",
    "leftover_penalty": 0,
    "pass_rounds": 2,
    "rounds": None,
    "common_end": True,
    "claims": "advisory",
    "policy": "topwords",
    "unknown_words": "ask",
}


def board() -> Grid:
    """A board in mid-game: stacks up to five, umlauts, a last move that made two words."""
    rows = ["F1 S", "F2 C", "F3 H5", "G3 Ä", "H3 N", "I3 D", "J3 E", "F4 U", "D5 R3 !", "E5 Ü", "F5 H", "G5 L", "H5 E"]
    rows += [
        "D6 A",
        "H6 N",
        "D7 T",
        "H7 T",
        "D8 T2 !",
        "H8 E",
        "I8 I4",
        "J8 S",
        "D9 E",
        "E9 I",
        "F9 S",
        "J9 E",
        "J10 E",
    ]
    return grid(rows, words=((3, 4, 7, 4), (3, 4, 3, 8)))


def grid(rows: list[str], words: tuple[tuple[int, int, int, int], ...] = ()) -> Grid:
    """``D5 R3 !``: square, letter with height, freshly laid."""
    cells = []
    for row in rows:
        square, tile, *fresh = row.split()
        height = int(tile[1:] or 1)
        cells.append(Cell("ABCDEFGHIJ".index(square[0]), int(square[1:]) - 1, tile[0], height, bool(fresh)))
    centre = frozenset({(4, 4), (5, 4), (4, 5), (5, 5)})
    return Grid(tuple("ABCDEFGHIJ"), tuple(map(str, range(1, 11))), tuple(cells), centre, words)


def match(language: Language = "de", **changes: Any) -> MatchInfo:
    lexicon = "Vereinsliste vom 1. November, dann Wortliste 2025.1" if language == "de" else "English word list 2025.1"
    info = MatchInfo(
        code="K7Q2",
        name="Arratia",
        game="topwords",
        game_name="Topwords",
        pace="sequential",
        round=7,
        options=OPTIONS,
        lexicon=lexicon,
        commitment=COMMITMENT,
    )
    return replace(info, **changes)


def seats(**changes: Any) -> tuple[SeatLine, ...]:
    lines = (
        SeatLine(0, "Anna", 118, gained=21, last="D5 s RATTE", tiles=7),
        SeatLine(1, "Jörg", 96, you=True, awaited=True, gained=0, last="passe", tiles=7),
        SeatLine(
            2, "Maximiliane-Charlotte von Größenbrück", 103, gained=-4, last="F1 s SCHUH (USO, HÄNDE) 14", tiles=6
        ),
    )
    return tuple(replace(line, **changes) for line in lines)


UNKNOWN = {"word": "XYLOFONISTEN", "reason": "unknown", "source": "Wortliste 2025.1"}
RATTE = MoveReport(
    seat=0,
    name="Anna",
    played="D5 s RATTE",
    alternative=1,
    points=21,
    words=(WordSum("RATTE", 9), WordSum("RÜHLE", 10)),
    notes=(Note("bonus-rare", {"letters": ["Q"], "points": 2}, seat=0, points=2),),
)
IN_VAIN = (
    Failed(1, "D5 s RATTEN", Note("not-a-word", UNKNOWN | {"word": "RATTEN"})),
    Failed(2, "F3 w SCHÄNDE (SE; sonst E5 w HAUS)", Note("too-high", {"square": "F3", "height": 6, "limit": 5})),
)
"""What the seat alone reads: it tells of its tiles and plans."""
NO_Z = Failed(1, "A1 w ZZZ", Note("not-your-letters", {"letters": ["Z"]}))
NOTES = (Note("drew", {"count": 4}, seat=0), Note("drew-tiles", {"tiles": ["Ä", "E", "N"]}, seat=1, only=1))


NOTHING_MORE: Mapping[str, Content] = {"start": Opening(), "status": Promptness(), "help": Commands(())}
"""Of kinds that say something of their own, where a page has none of it."""


def turn(language: Language = "de", **changes: Any) -> Page:
    """The everyday mail: somebody has moved, you are next."""
    page = Page(
        kind="turn",
        reader=Reader("Jörg", "joerg@example.org", language),
        club="Postspielrunde",
        now=NOW,
        match=match(language),
        reply=Reply("games+K7Q2-8J3MZP4QXA@example.org", "[K7Q2-8J3MZP4QXA]"),
        your_turn=True,
        deadline=DEADLINE,
        awaited=("Jörg",),
        scene=board(),
        rack=("Ä", "E", "H", "N", "R", "S", "T"),
        stock=54,
        seats=seats(),
        reports=(RATTE,),
        notes=NOTES,
        names=("Anna", "Jörg", "Maximiliane-Charlotte von Größenbrück"),
        examples={"letters": "Ä E"},
        knows_how=changes.get("kind") != "start",
    )
    return replace(page, **{"content": NOTHING_MORE.get(changes.get("kind", page.kind))} | changes)


LINES = (
    LineRead(
        1,
        "e5 waagerecht haus (AH, US) 14",
        "move",
        "E5 w HAUS (AH, US) 14",
        12,
        (WordSum("HAUS", 8), WordSum("AH", 4)),
        (Note("claim-points", {"claimed": 14, "points": 12}),),
    ),
    LineRead(2, "sonst C3 s MOND", "fallback", "C3 s MOND", 9, (WordSum("MOND", 9),)),
    LineRead(
        2,
        "G12 w ÄRA",
        "error",
        notes=(Note("square-off-board", {"line": "G12 w ÄRA", "square": "G12"}),),
        example="G9 w ÄRA",
    ),
    LineRead(4, "Liebe Grüße an alle!", "text"),
)
REFUSED = (
    LineRead(
        1,
        "E5 w XYLOFONISTEN",
        "move",
        "E5 w XYLOFONISTEN",
        None,
        (),
        (Note("not-a-word", UNKNOWN),),
    ),
    LineRead(
        2, "E 5 HUAS", "error", notes=(Note("no-direction", {"line": "E 5 HUAS", "square": "E5"}),), example="E5 w HAUS"
    ),
    LineRead(
        3,
        "tausche alles, was nicht weitergeht, bitte",
        "error",
        notes=(Note("exchange-no-letters", {"line": "tausche alles, was nicht weitergeht, bitte"}),),
    ),
)
UNOPENED = Receipt(
    NoOrder(unread=True),
    (LineRead(1, "Mein Zug steht im Anhang", "text"),),
    {"encrypted": 12},
    unopened=(
        Note("unopened-pgp"),
        Note("unopened-picture-named", {"files": ["Brett.jpg"]}),
        Note("unopened-file-named", {"files": ["E5 w HAUS.pdf", "zug.txt"]}),
        Note("unopened-write"),
    ),
    right="E5 w HAUS",
)
"""A mail with much in it that is not read."""


def receipt(language: Language, decided: OrderDecision, lines: Any = LINES, **changes: Any) -> Page:
    standing = "E5 w HAUS (AH, US) 14; sonst C3 s MOND" if isinstance(decided, Stored | Held) else ""
    ignored = {"quote": 24, "signature": 1, "own": 2}
    kept = Receipt(decided, lines, ignored, standing)
    values: dict[str, Any] = {"kind": "receipt", "receipt": kept, "standing": standing, "reports": (), "notes": ()}
    return turn(language, **values | changes)


def common(language: Language = "de") -> Page:
    """Pace common: everybody's move, the laid one first, one rack for all."""
    names = ("Anna", "Bert", "Cäcilie", "Dörte", "Emil", "Jörg")
    reports = (
        MoveReport(0, "Anna", False, "F3 s MÖWE", 1, 12, (WordSum("MÖWE", 8), WordSum("HÄNDE", 4)), laid=False, same=1),
        MoveReport(
            1,
            "Bert",
            False,
            "",
            0,
            0,
            laid=False,
        ),
        MoveReport(2, "Cäcilie", False, "D5 s RATTE", 1, 21, (WordSum("RATTE", 9), WordSum("RÜHLE", 12))),
        MoveReport(3, "Dörte", False, "", 0, 0, laid=False),
        MoveReport(5, "Jörg", True, "F3 s MÖWE", 1, 12, (WordSum("MÖWE", 8), WordSum("HÄNDE", 4)), laid=False, same=1),
    )
    table = tuple(
        SeatLine(n, name, 140 - 13 * n, you=n == 5, awaited=True, gained=[12, 0, 21, 0, 3, 12][n], last="F3 s MÖWE")
        for n, name in enumerate(names)
    )
    return turn(
        language,
        match=match(language, pace="common", last_round=12),
        reports=reports,
        seats=table,
        rack=("Ä", "E", "H", "N", "R", "S", "T", "Q"),
        rack_common=True,
        awaited=names,
        notes=(Note("common-drew", {"count": 3, "tiles": ["R", "S", "Q"]}),),
        names=tuple(names),
        examples={},
    )


def pages(language: Language) -> dict[str, Page]:
    """Golden name -> page, for every kind and the variants that look different."""
    moderator = Reader("Postspielrunde", "moderator@example.org", language)
    start_seats = tuple(replace(seat, score=0, gained=None, last="", tiles=7) for seat in seats())
    over = tuple(replace(seat, awaited=False, winner=seat.number == 0) for seat in seats())
    ready = {"standing": "H5 s ENTE; sonst G3 s ÄRA; sonst passe", "your_turn": False, "awaited": ("Anna", "Bert")}
    asked = WordAsked("HAUSEN", "K7Q2", "Arratia", "Wortliste 2025.1")
    ruled = WordRuled("HAUSEN", WordRuling.DENY, "Vorname")
    to_moderator: dict[str, Any] = {
        "reader": moderator,
        "match": None,
        "scene": None,
        "rack": None,
        "stock": None,
        "seats": (),
        "reports": (),
        "notes": (),
        "your_turn": False,
        "awaited": (),
    }
    quoted = ("E5 w HAUS; sonst C3 s MOND", "passe", "> <b>E5 w HAUS</b>")
    far = Reader("Jörg", "joerg@example.org", language, zone="America/St_Johns")
    return {
        "start": turn(
            language,
            kind="start",
            seats=start_seats,
            reports=(),
            scene=grid([]),
            notes=(Note("starts", seat=1),),
            match=match(language, round=1),
        ),
        "turn": turn(language),
        "turn-first": turn(language, knows_how=False),
        "turn-other": turn(language, your_turn=False, awaited=("Maximiliane-Charlotte von Größenbrück",)),
        "turn-ready": turn(language, **ready),
        "turn-put-off": turn(language, standing="H5 s ENTE; sonst passe", remarks=(Note("remark-wait"),), notes=()),
        "turn-table": turn(language, reader=replace(turn(language).reader, board="table")),
        "turn-text": turn(language, reader=replace(turn(language).reader, board="text")),
        "turn-zone": turn(language, reader=far),
        "turn-common": common(language),
        "turn-played": receipt(
            language,
            Played(),
            LINES[:1],
            kind="turn",
            your_turn=False,
            awaited=("Anna",),
            reports=(replace(RATTE, you=True, name="Jörg", seat=1, failed=IN_VAIN, alternative=3),),
        ),
        "turn-played-again": receipt(
            language,
            Played(),
            LINES[:1],
            kind="turn",
            reports=(replace(RATTE, you=True, name="Jörg", seat=1), RATTE),
        ),
        "receipt-stored": receipt(language, Stored(), match=match(language, pace="rounds")),
        "receipt-stored-ahead": receipt(language, Stored(), LINES[:2], your_turn=False, awaited=("Anna",)),
        "receipt-held": receipt(language, Held(("HAUSEN", "ÄHEN")), LINES[:2]),
        "receipt-refused": receipt(language, NotPossible(), REFUSED),
        "receipt-refused-kept": receipt(language, NotPossible(), REFUSED, standing="H5 s ENTE", vain=True),
        "receipt-nothing": receipt(language, NoOrder(), LINES[3:]),
        "receipt-unopened": receipt(language, NoOrder(), receipt=UNOPENED),
        "reminder": turn(
            language, kind="reminder", reports=(), notes=(), now=datetime(2025, 11, 23, 19, 0, tzinfo=UTC)
        ),
        "reminder-in-vain": turn(
            language, kind="reminder", reports=(), notes=(), standing="E5 w XYLOFON", vain=True, in_vain=True
        ),
        "reminder-put-off": turn(language, kind="reminder", reports=(), notes=(), standing="passe"),
        "end": turn(
            language,
            kind="end",
            seats=over,
            your_turn=False,
            awaited=(),
            deadline=None,
            rack=None,
            match=match(language, round=15, seed=SEED),
            notes=(Note("out-of-tiles", seat=0),),
        ),
        "status": turn(language, kind="status", reports=(), notes=(), standing="H5 s ENTE"),
        "help": turn(language, kind="help", reports=(), notes=()),
        "confirm": turn(
            language,
            kind="confirm",
            match=None,
            scene=None,
            rack=None,
            stock=None,
            seats=(),
            reports=(),
            notes=(),
            reply=Reply("games+OK-8J3MZP4QXA@example.org", "[OK-8J3MZP4QXA]"),
            content=Doubted(quoted),
        ),
        "repeated": turn(
            language,
            kind="repeated",
            scene=None,
            rack=None,
            stock=None,
            seats=(),
            reports=(),
            notes=(
                Note("repeated-copy", {"at": datetime(2025, 11, 22, 8, 41, tzinfo=UTC)}),
                Note("repeated-first", {"order": "E5 w HAUS", "match": "K7Q2", "match_name": "Arratia"}),
                Note("repeated-others", {"names": ["Jörg K.", "Zoë"]}),
            ),
            reply=Reply("games+OK-8J3MZP4QXA@example.org", "[OK-8J3MZP4QXA]"),
        ),
        "unread": turn(
            language,
            kind="unread",
            scene=None,
            rack=None,
            stock=None,
            seats=(),
            reports=(),
            notes=(Note("mail-too-large", {"size": 2_400_000, "limit": 1_000_000}),),
        ),
        "ruling": turn(
            language,
            kind="ruling",
            content=asked,
            reply=Reply("games@example.org", "[WORD-8J3MZP4QXA]"),
            **to_moderator,
        ),
        "ruled": turn(language, kind="ruled", content=ruled, **to_moderator),
        "notice": turn(
            language,
            kind="notice",
            reply=None,
            **to_moderator
            | {"notes": (Note("match-suspended", {"match": "K7Q2", "reason": "entry 12: recorded 14, replayed 12"}),)},
        ),
    }
