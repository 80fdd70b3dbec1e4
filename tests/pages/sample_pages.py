"""Realistic pages about a match of Topwords: of every kind, with receipts, letters, remarks, protests, short news."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any, Literal

from moderator.common.enums import WordRuling
from moderator.games import load_game
from moderator.notifications.content import (
    HelpLine,
    HelpText,
    MoveView,
    Promptness,
    ProtestStatus,
    RefusedAlternative,
    ReplyAddress,
    SenderQuestion,
    StartTerms,
    WordAsked,
    WordRuled,
    WordScore,
)
from moderator.notifications.pages import (
    AlternativeState,
    Content,
    LetterView,
    LineOffer,
    LineOutcome,
    MatchView,
    Page,
    Reader,
    Receipt,
    SeatView,
    StoredAlternative,
    StoredOrder,
)
from moderator.rules.ending import MatchOutcome, build_ending
from moderator.rules.game import Cell, resolve_option_values
from moderator.rules.orders.conditions import AFTER_DRAW_TEXT
from moderator.rules.outcomes import (
    CommandDone,
    ConfirmationAsked,
    MatchOnHold,
    OrderDecision,
    OrderIllegal,
    OrderMissing,
    OrderPlayed,
    OrderStored,
    OrderWithdrawn,
)
from moderator.rules.scenes import Grid
from moderator.rules.silence import MissEffect, SeatStatus, Silence
from moderator.rules.state import Note
from moderator.rules.time.clock import TimeRules
from moderator.views.match_view import list_time_rule_notes

Language = Literal["de", "en"]
NOW = datetime(2025, 11, 20, 18, 30, tzinfo=UTC)
DEADLINE = datetime(2025, 11, 24, 19, 0, tzinfo=UTC)
SEED = "5b7c1e0d9a44f2c3886e1f20ab37d9e4c1055f6d72b8a9903e4d6c17f80b2a55"
COMMITMENT = "0f103d4b9c1e77aa52d86b30e4f1c2957b8d6a01f3e9c84d2b7a5e6f1908ad09"
LONG_NAME = "Maximiliane-Charlotte von Größenbrück"
NAMES = ("Anna", "Jörg", LONG_NAME)
OPTIONS = {**resolve_option_values(load_game("topwords"), load_game("topwords").options(), 3), "unknown_words": "ask"}
QUIET: dict[str, Any] = {"reports": (), "notes": ()}
"""Nothing has happened."""
BARE: dict[str, Any] = {"scene": None, "rack": None, "stock": None, "seats": (), **QUIET}
"""Neither board, tiles nor scores."""
NOBODY: dict[str, Any] = {"status": SeatStatus.IDLE}
HELP_LINES = (
    HelpLine("help.move", ""),
    HelpLine("help.passe", "passe"),
    HelpLine("help.tausche-letters", "tausche Ä E"),
)
NOTHING_MORE: Mapping[str, Content] = {"start": StartTerms(), "status": Promptness(), "help": HelpText()}
"""Of kinds that say something of their own, where a page has none of it."""


def reply(code: str = "K7Q2", token: str = "8J3MZP4QXA") -> ReplyAddress:
    return ReplyAddress(f"games+{code}-{token}@example.org", f"[{code}-{token}]")


def keep(order: str, state: AlternativeState = AlternativeState.LEGAL) -> StoredOrder:
    """A stored order, ``E5 w HAUS; sonst passe``, of whose moves the same can become."""
    lines = order.split("; sonst ")
    reason = Note("not-connected", {"word": "HAUS", "square": "E5"}) if state == AlternativeState.ILLEGAL else None
    moves = tuple(StoredAlternative(line, state, reason) for line in lines if line != AFTER_DRAW_TEXT)
    return StoredOrder(moves, tuple(line for line in lines if line == AFTER_DRAW_TEXT), is_retried=True)


def arrange(page: Page, status: SeatStatus, awaited: Sequence[str] = ()) -> Page:
    """The page with that status of its reader; of the others those who are ``awaited`` are to move."""
    others = {seat.name: SeatStatus.TO_MOVE if seat.name in awaited else SeatStatus.IDLE for seat in page.seats}
    lines = (replace(seat, status=status if seat.you else others[seat.name]) for seat in page.seats)
    return replace(page, seats=tuple(lines))


def board() -> Grid:
    """A board in mid-game: stacks up to five, umlauts, a last move that made two words."""
    rows = (
        "F1 S,F2 C,F3 H5,G3 Ä,H3 N,I3 D,J3 E,F4 U,D5 R3 !,E5 Ü,F5 H,G5 L,H5 E,D6 A,H6 N,D7 T,H7 T,D8 T2 !,H8 E,I8 I4,"
        "J8 S,D9 E,E9 I,F9 S,J9 E,J10 E"
    )
    return grid(rows.split(","), words=((3, 4, 7, 4), (3, 4, 3, 8)))


def grid(rows: list[str], words: tuple[tuple[int, int, int, int], ...] = ()) -> Grid:
    """``D5 R3 !``: square, letter with height, freshly laid."""
    cells = []
    for row in rows:
        square, tile, *fresh = row.split()
        height = int(tile[1:] or 1)
        cells.append(Cell("ABCDEFGHIJ".index(square[0]), int(square[1:]) - 1, tile[0], height, bool(fresh)))
    centre = frozenset({(4, 4), (5, 4), (4, 5), (5, 5)})
    return Grid(tuple("ABCDEFGHIJ"), tuple(map(str, range(1, 11))), tuple(cells), centre, words)


def match(language: Language = "de", **changes: Any) -> MatchView:
    lexicon = "Vereinsliste vom 1. November, dann Wortliste 2025.1" if language == "de" else "English word list 2025.1"
    info = MatchView(
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


def seats(**changes: Any) -> tuple[SeatView, ...]:
    lines = (
        SeatView(0, "Anna", 118, gained=21, last="D5 s RATTE", tiles=7),
        SeatView(1, "Jörg", 96, you=True, status=SeatStatus.TO_MOVE, gained=0, last="passe", tiles=7),
        SeatView(2, LONG_NAME, 103, gained=-4, last="F1 s SCHUH (USO, HÄNDE) 14", tiles=6),
    )
    return tuple(replace(line, **changes) for line in lines)


ENDED = build_ending(MatchOutcome(SCORES := tuple(seat.score for seat in seats()), None, ()).with_points(SCORES))
UNKNOWN = {"word": "XYLOFONISTEN", "reason": "unknown", "source": "Wortliste 2025.1"}
RATTE = MoveView(
    seat=0,
    name="Anna",
    played="D5 s RATTE",
    alternative=1,
    points=21,
    words=(WordScore("RATTE", 9), WordScore("RÜHLE", 10)),
    notes=(Note("bonus-rare", {"letters": ["Q"], "points": 2}, seat=0, points=2),),
)
IN_VAIN = (
    RefusedAlternative(1, "D5 s RATTEN", Note("not-a-word", UNKNOWN | {"word": "RATTEN"})),
    RefusedAlternative(
        2, "F3 w SCHÄNDE (SE; sonst E5 w HAUS)", Note("too-high", {"square": "F3", "height": 6, "limit": 5})
    ),
)
"""What the seat alone reads: it tells of its tiles and plans."""
NO_Z = RefusedAlternative(1, "A1 w ZZZ", Note("not-your-letters", {"letters": ["Z"]}))
NOTES = (Note("drew", {"count": 4}, seat=0), Note("drew-tiles", {"tiles": ["Ä", "E", "N"]}, seat=1, only=1))


def turn(language: Language = "de", **changes: Any) -> Page:
    """The everyday mail: somebody has moved, you are next."""
    page = Page(
        kind="turn",
        reader=Reader("Jörg", "joerg@example.org", language),
        club="Postspielrunde",
        now=NOW,
        match=match(language),
        reply=reply(),
        deadline=DEADLINE,
        scene=board(),
        rack=("Ä", "E", "H", "N", "R", "S", "T"),
        stock=54,
        seats=seats(),
        silence=Silence(MissEffect.PASSED),
        reports=(RATTE,),
        notes=NOTES,
        names=NAMES,
        examples={"letters": "Ä E"},
    )
    status, awaited = changes.pop("status", None), changes.pop("awaited", ())
    made = replace(page, **{"content": NOTHING_MORE.get(changes.get("kind", page.kind))} | changes)
    return made if status is None else arrange(made, status, awaited)


HAUS = (WordScore("HAUS", 8), WordScore("AH", 4))
LINES = (
    LineOutcome(1, "e5 waagerecht haus (AH, US) 14", "move", "E5 w HAUS (AH, US) 14", 12, HAUS,
             (Note("claim-points", {"claimed": 14, "points": 12}),)),
    LineOutcome(2, "sonst C3 s MOND", "fallback", "C3 s MOND", 9, (WordScore("MOND", 9),)),
    LineOutcome(2, "G12 w ÄRA", "error", notes=(Note("square-off-board", {"line": "G12 w ÄRA", "square": "G12"}),),
             example="G9 w ÄRA"),
    LineOutcome(4, "Liebe Grüße an alle!", "text"),
)  # fmt: skip
_ALL = "tausche alles, was nicht weitergeht, bitte"
REFUSED = (
    LineOutcome(1, "E5 w XYLOFONISTEN", "move", "E5 w XYLOFONISTEN", None, (), (Note("not-a-word", UNKNOWN),)),
    LineOutcome(2, "E 5 HUAS", "error", notes=(Note("no-direction", {"line": "E 5 HUAS", "square": "E5"}),),
             example="E5 w HAUS"),
    LineOutcome(3, _ALL, "error", notes=(Note("exchange-no-letters", {"line": _ALL}),)),
)  # fmt: skip
UNOPENED = Receipt(
    OrderMissing(unread=True),
    (LineOutcome(1, "Mein Zug steht im Anhang", "text"),),
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


def answers(language: Language) -> dict[str, Page]:
    """Golden name -> page: what is asked back, passed on, or done without a move."""
    days = {"first": date(2025, 12, 20), "last": date(2025, 12, 28)}
    muse, down = (
        LineOffer(Note("wish-move"), "E5 w MUSE", points=8),
        LineOffer(Note("wish-move"), "E5 s MUSE", points=6),
    )
    no_n = LineOutcome(1, "D5 w MUSEEN", "move", "D5 w MUSEEN", notes=(Note("not-your-letters", {"letters": ["N"]}),))
    why = Note("no-direction", {"line": "E5 MUSE", "square": "E5"})
    half = LineOutcome(1, "E5 MUSE", "error", notes=(why,))
    kept = {"stored": keep("E6 w LEUME"), "match": match(language, pace="rounds"), "status": SeatStatus.SUBMITTED}

    def ask(text: str, *offers: LineOffer, **more: Any) -> Page:
        asked = Receipt(ConfirmationAsked(), (LineOutcome(1, text, "text"),), offers=offers)
        return receipt(language, ConfirmationAsked(), receipt=asked, **more)

    def offer(code: str, line: str, **params: Any) -> LineOffer:
        return LineOffer(Note(code, params), line)

    question = LineOutcome(1, "FRAGE: Zählt ein Pasch am Ende doppelt?", "command", notes=(Note("question-passed-on"),))
    unread = LineOutcome(1, "Heute regnet es bei uns.", "text", notes=(Note("words-passed-on"),))
    return {
        "ask-near": receipt(language, OrderIllegal(), receipt=Receipt(OrderIllegal(), (no_n,), offers=(muse,))),
        "ask-nears": receipt(language, OrderIllegal(), receipt=Receipt(OrderIllegal(), (half,), offers=(muse, down))),
        "ask-leave": ask(
            "Bin vom 20. bis 28. Dezember im Krankenhaus.",
            offer("wish-leave", "URLAUB 20.12.2025 bis 28.12.2025", **days),
        ),
        "ask-leave-days": ask(
            "Ich werde am Montag operiert.",
            LineOffer(
                Note("wish-leave-days", {"line": "Urlaub 24.12. bis 2.1."}), "Urlaub 24.12. bis 2.1.", whole=False
            ),
        ),
        "ask-resign": ask("Das ist mir zu schwer. Tut mir leid!", offer("wish-resign", "AUFGEBEN K7Q2 ENDGÜLTIG")),
        "ask-buy": ask("Bitte einen roten Stein kaufen.", offer("wish-buy-red", "kaufe rot", red=1)),
        "ask-undo": ask("Ich nehme meinen Zug zurück", offer("wish-withdraw", "ZUG ZURÜCK"), **kept),
        "ask-several": ask(
            "Wie geht das? Was sind die Regeln?", offer("wish-help", "HILFE"), offer("wish-rules", "REGELN")
        ),
        "ask-unsure": receipt(language, OrderMissing(), (unread,)),
        "confirm-resign": ask("AUFGEBEN", offer("resign-confirm", "AUFGEBEN K7Q2 ENDGÜLTIG")),
        "question": receipt(language, CommandDone(), (question,)),
        "withdrawn": receipt(language, OrderWithdrawn(), ()),
    }


def receipt(language: Language, decided: OrderDecision, lines: Any = LINES, **changes: Any) -> Page:
    stored = keep("E5 w HAUS (AH, US) 14; sonst C3 s MOND") if isinstance(decided, OrderStored | MatchOnHold) else None
    kept = Receipt(decided, lines, {"quote": 24, "signature": 1, "own": 2})
    return turn(language, **{"kind": "receipt", "receipt": kept, "stored": stored, **QUIET, **changes})


def common(language: Language = "de") -> Page:
    """Pace common: everybody's move, the laid one first, one rack for all."""
    names = ("Anna", "Bert", "Cäcilie", "Dörte", "Emil", "Jörg")
    moewe = MoveView(
        0, "Anna", False, "F3 s MÖWE", 1, 12, (WordScore("MÖWE", 8), WordScore("HÄNDE", 4)), laid=False, same=1
    )
    nothing = MoveView(1, "Bert", False, "", 0, 0, laid=False)
    return turn(
        language,
        match=match(language, pace="common", last_round=12),
        reports=(
            moewe,
            nothing,
            MoveView(2, "Cäcilie", False, "D5 s RATTE", 1, 21, (WordScore("RATTE", 9), WordScore("RÜHLE", 12))),
            replace(nothing, seat=3, name="Dörte"),
            replace(moewe, seat=5, name="Jörg", you=True),
        ),
        seats=tuple(
            SeatView(n, name, 140 - 13 * n, n == 5, SeatStatus.TO_MOVE, [12, 0, 21, 0, 3, 12][n], last="F3 s MÖWE")
            for n, name in enumerate(names)
        ),
        rack=("Ä", "E", "H", "N", "R", "S", "T", "Q"),
        rack_common=True,
        notes=(Note("common-drew", {"count": 3, "tiles": ["R", "S", "Q"]}),),
        names=names,
        examples={},
    )


TEXT = (
    "Das war ein feiner Zug, aber mein E5 w HAUS kommt noch; und dann\n"
    "E5 w HAUS; sonst C3 s MOND\n\n"
    "HILFE\nPartie K7Q2\nENDE\n> zitiert\n-- \nMit Grüßen vom Meer, das hier wirklich sehr viel blauer ist als daheim."
)
"""Much of it would be an order if it stood in a mail by itself."""
PRESS = (
    LetterView("Anna", TEXT),
    LetterView(LONG_NAME, "Nur für dich.", ("Jörg",)),
    LetterView("Jörg", "Bis bald!", you=True),
)
AWAY = {"name": "Anna", "first": date(2025, 11, 22), "last": date(2025, 12, 3)}
REMARKS = (
    Note("remark-bank", {"count": 5}),
    Note("remark-grace", {"count": 2}),
    Note("remark-away-soon", AWAY),
    Note("remark-wait"),
)
STOPPED = (Note("remark-paused"), Note("remark-mail", {"names": ["Anna"]}), Note("remark-away", AWAY))
ALL_TERMS = TimeRules(bank=5, bank_increment=1, bank_cap=10, grace=2, skip_weekdays=("sun", "sat"), holidays=("12-24",))
ABOUT = Note("protest-about", {"name": "Anna", "match": "K7Q2", "match_name": "Arratia", "number": "12"})
FROM_ANNA = Note("press-for-you", {"match": "K7Q2", "match_name": "Arratia", "address": "anna@example.org"})


def news(language: Language, **changes: Any) -> Page:
    return turn(language, **{"kind": "news", **BARE, **NOBODY, "deadline": None, **changes})


def to_moderator(language: Language, kind: str, **changes: Any) -> Page:
    boss = Reader("Postspielrunde", "boss@example.org", language)
    return news(language, kind=kind, **{"reader": boss, "reply": reply("PROT"), **changes})


def protest(language: Language, **changes: Any) -> Page:
    item = replace(PRESS[0], to=("den Spielleiter" if language == "de" else "the moderator",))
    said: dict[str, Any] = {"notes": (ABOUT,), "press": (item,), "content": ProtestStatus(ruled=False)}
    return to_moderator(language, "protest", **{"scene": board(), "seats": seats(you=False), **said, **changes})


def letters(language: Language) -> dict[str, Page]:
    """Golden name -> page."""
    ruling = (Note("protest-upheld", {"name": "Anna", "round": 7}), Note("protest-correction"))
    ruled = (ABOUT, Note("protest-ruled-denied", {"match": "K7Q2"}))

    def start(terms: TimeRules) -> Page:
        return turn(language, kind="start", content=StartTerms(list_time_rule_notes(terms)), **QUIET)

    return {
        "turn-press": turn(language, press=PRESS, remarks=REMARKS),
        "status-stopped": turn(language, kind="status", remarks=STOPPED, **QUIET),
        "start-terms": start(ALL_TERMS),
        "start-no-leave": start(TimeRules(leave=False, abandon_after=0, evening=-1)),
        "end-press": turn(language, kind="end", ending=ENDED, press=PRESS[:1], deadline=None, **NOBODY, **QUIET),
        "news-leave": news(language, match=None, notes=(Note("leave-of", AWAY | {"matches": ["K7Q2 (Arratia)"]}),)),
        "news-undo": news(language, notes=(Note("undo-asked", {"name": "Anna"}),)),
        "news-press": news(language, press=PRESS[1:2]),
        "news-ruling": news(
            language, notes=ruling, press=(PRESS[0], LetterView("Spielleiter", "HAUS liegt wirklich frei."))
        ),
        "protest": protest(language),
        "protest-ruled": protest(language, notes=ruled, content=ProtestStatus(ruled=True), scene=None),
        "notice-press": to_moderator(language, "notice", match=None, press=PRESS[:1], notes=(FROM_ANNA,)),
    }


def pages(language: Language) -> dict[str, Page]:
    """Golden name -> page, for every kind and the variants that look different."""
    plain = turn(language)
    own = replace(RATTE, you=True, name="Jörg", seat=1, notes=tuple(replace(note, seat=1) for note in RATTE.notes))
    moderator: dict[str, Any] = {
        "reader": Reader("Postspielrunde", "moderator@example.org", language),
        "match": None,
        **BARE,
    }
    suspended = Note("match-suspended", {"match": "K7Q2", "reason": "entry 12: recorded 14, replayed 12"})
    others = {"status": SeatStatus.IDLE, "awaited": ("Anna",)}
    ready = {"stored": keep("H5 s ENTE; sonst G3 s ÄRA; sonst passe"), **others}
    failed = {"stored": keep("E5 w XYLOFON", AlternativeState.ILLEGAL), "status": SeatStatus.ILLEGAL}
    deferred = {"stored": keep("H5 s ENTE; sonst passe"), "status": SeatStatus.DEFERRED}
    submitted = {"match": match(language, pace="rounds"), "status": SeatStatus.SUBMITTED}
    start = {
        "match": match(language, round=1),
        "seats": tuple(replace(seat, score=0, gained=None, last="", tiles=7) for seat in seats()),
        "scene": grid([]),
    }
    end = {
        "match": match(language, round=15, seed=SEED),
        "seats": tuple(replace(seat, status=SeatStatus.OVER) for seat in seats()),
        "ending": ENDED,
        "notes": (Note("out-of-tiles", seat=0),),
    }
    repeated = (
        Note("repeated-copy", {"at": datetime(2025, 11, 22, 8, 41, tzinfo=UTC)}),
        Note("repeated-first", {"order": "E5 w HAUS", "match": "K7Q2", "match_name": "Arratia"}),
        Note("repeated-others", {"names": ["Jörg K.", "Zoë"]}),
    )
    too_large = Note("mail-too-large", {"size": 2_400_000, "limit": 1_000_000})
    asked = WordAsked("HAUSEN", "K7Q2", "Arratia", "Wortliste 2025.1")
    doubted = SenderQuestion(("E5 w HAUS; sonst C3 s MOND", "passe", "> <b>E5 w HAUS</b>"))

    def made(kind: str, **changes: Any) -> Page:
        return turn(language, kind=kind, **QUIET | changes)

    def lying(decided: OrderDecision, lines: Any = LINES, **changes: Any) -> Page:
        return receipt(language, decided, lines, **changes)

    def read_as(**changes: Any) -> Page:
        return replace(plain, reader=replace(plain.reader, **changes))

    return (
        letters(language)
        | answers(language)
        | {
            "start": made("start", notes=(Note("starts", seat=1),), **start),
            "turn": plain,
            "turn-other": turn(language, **others | {"awaited": (LONG_NAME,)}),
            "turn-ready": turn(language, **ready),
            "turn-put-off": turn(language, **deferred, remarks=(Note("remark-wait"),), notes=()),
            "turn-table": read_as(board="table"),
            "turn-text": read_as(board="text"),
            "turn-zone": read_as(zone="America/St_Johns"),
            "turn-common": common(language),
            "turn-played": lying(
                OrderPlayed(),
                LINES[:1],
                kind="turn",
                **others,
                reports=(replace(own, failed=IN_VAIN, alternative=3),),
            ),
            "turn-played-again": lying(OrderPlayed(), LINES[:1], kind="turn", reports=(own, RATTE)),
            "receipt-stored": lying(OrderStored(), **submitted),
            "receipt-stored-ahead": lying(OrderStored(), LINES[:2], **others),
            "receipt-held": lying(MatchOnHold(("HAUSEN", "ÄHEN")), LINES[:2], status=SeatStatus.ON_HOLD),
            "receipt-refused": lying(OrderIllegal(), REFUSED),
            "receipt-refused-kept": lying(OrderIllegal(), REFUSED, **failed),
            "receipt-nothing": lying(OrderMissing(), LINES[3:]),
            "receipt-unopened": lying(OrderMissing(), receipt=UNOPENED),
            "reminder": made("reminder", now=datetime(2025, 11, 23, 19, 0, tzinfo=UTC)),
            "reminder-in-vain": made("reminder", **failed),
            "reminder-put-off": made("reminder", **deferred),
            "end": turn(language, kind="end", deadline=None, rack=None, **end),
            "status": made("status", **deferred),
            "help": made("help", content=HelpText(moves=HELP_LINES)),
            "confirm": made("confirm", **BARE, match=None, reply=reply("OK"), content=doubted),
            "repeated": made("repeated", **BARE | {"notes": repeated}, reply=reply("OK")),
            "unread": made("unread", **BARE | {"notes": (too_large,)}),
            "ruling": made(
                "ruling", content=asked, reply=ReplyAddress("games@example.org", "[WORD-8J3MZP4QXA]"), **moderator
            ),
            "ruled": made("ruled", content=WordRuled("HAUSEN", WordRuling.DENY, "Vorname"), **moderator),
            "notice": made("notice", reply=None, **moderator | {"notes": (suspended,)}),
        }
    )
