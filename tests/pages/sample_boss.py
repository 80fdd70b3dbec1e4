"""Mails of the moderator's commands: the answers to them, official notices, news of the clock, a correction."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from moderator.club.referees import Official
from moderator.inbox.moderator_mail import command_list, known_words
from moderator.match.contract import Note
from moderator.match.decision import Done, NotDone, OrderDecision
from moderator.pages.content import Spoken
from moderator.pages.messages import unmarked
from moderator.pages.pages import LineRead, Page, PressItem, Reader, Receipt, Reply
from tests.pages.sample_pages import DEADLINE, NOW, Language, turn

REPLY = Reply("games+BOSS-8J3MZP4QXA@example.org", "[BOSS-8J3MZP4QXA]")
LONG = (
    "Ab dem 1. Dezember gilt in allen Partien die neue Ausgabe des Duden; was bis dahin gelegt ist, bleibt, auch "
    "wenn es E5 w HAUS heißt; sonst passe."
)


def pages(language: Language) -> dict[str, Page]:
    """By the name of the golden file."""
    letter = PressItem("Testrunde", f"{LONG}\n\nMit Grüßen\nHILFE")
    reader = turn(language).reader
    official = Page(
        "official", reader, "Testrunde", NOW, reply=Reply("games@example.org", ""), press=(letter,), content=Spoken()
    )
    return {
        "boss-missing": _answer(language, Done(), _missing(language)),
        "boss-judged": _answer(language, Done(), _judged(language)),
        "boss-refused": _answer(language, NotDone(), _refused(language)),
        "boss-no-token": replace(_answer(language, Done(), ()), receipt=None, notes=(Note("boss-needs-token"),)),
        "official": official,
        "official-match": replace(official, reply=turn(language).reply, content=Spoken("K7Q2", "Arratia")),
        "referee-extended": _news(language, Note("extended", {"days": 3, "deadline": DEADLINE, "line": LONG})),
        "referee-ordered": _news(language, Note("ordered-for-you"), standing="E5 w HAUS; sonst C3 s MOND"),
        "correction-rollback": _correction(language),
    }


def _answer(language: Language, decided: OrderDecision, lines: tuple[LineRead, ...]) -> Page:
    reader = Reader("Testrunde", "boss@example.org", language)
    return Page("boss", reader, "Testrunde", NOW, reply=REPLY, receipt=Receipt(decided, lines))


def _line(number: int, text: str, *notes: Note, status: Any = "command", example: str = "") -> LineRead:
    return LineRead(number, unmarked(text), status, notes=notes, example=unmarked(example) if example else "")


def _missing(language: Language) -> tuple[LineRead, ...]:
    away = {"code": "boss-leave", "first": date(2025, 12, 24), "last": date(2026, 1, 2)}
    anna = [{"code": "boss-no-order-yet"}, {"code": "boss-final", "deadline": DEADLINE + timedelta(days=5)}]
    anna += [{"code": "boss-bank", "count": 5}, {"code": "boss-missed", "count": 3, "row": 2}, away]
    bert = [{"code": "boss-ordered"}, {"code": "boss-flag-wait"}, {"code": "boss-bounced"}]
    game = {"name": "Arratia", "match": "K7Q2", "round": 5, "deadline": DEADLINE, "since": NOW, "words": ["HUGO"]}
    notes = (
        Note("boss-match", game),
        Note("boss-seat", {"name": "Anna", "faults": anna}),
        Note("boss-seat", {"name": "Bert", "faults": bert}),
        Note("boss-seat-plays-no-more", {"name": "Maximiliane-Charlotte von Größenbrück"}),
        Note("boss-match-held", {**game, "name": "Berlin"}),
        Note("boss-seat", {"name": "Jörg", "faults": [{"code": "boss-ordered"}, {"code": "boss-robot-club"}]}),
    )
    return (_line(1, "Wer fehlt" if language == "de" else "Who is missing", *notes),)


def _judged(language: Language) -> tuple[LineRead, ...]:
    moved = Note("boss-moved", {"name": "Anna", "move": "E5 w HAUS", "points": 12})
    here = {"match": "K7Q2", "round": 5, "now": 6, "deadline": DEADLINE}
    undone = {"match": "K7Q2", "now": 5, "deadline": DEADLINE, "entry": 27}
    taken = Note("taken-back", {"name": "Anna", "move": "E5 w HAUS", "points": 12})
    ordered = {"name": "Bert", "match": "K7Q2", "move": "C3 s MOND"}
    german = language == "de"
    return (
        _line(1, "Probeauswertung K7Q2" if german else "Dry run K7Q2", Note("boss-preview", here), moved),
        _line(2, "Auswerten K7Q2 R5!" if german else "Evaluate K7Q2 R5!", Note("boss-evaluated", here), moved),
        _line(3, "Zurück K7Q2 R5: falsch" if german else "Rollback K7Q2 R5", Note("boss-rolled-back", undone), taken),
        _line(4, "Zug K7Q2 Bert: C3 s MOND", Note("boss-order-stored", ordered)),
    )


def _refused(language: Language) -> tuple[LineRead, ...]:
    german = language == "de"
    missing = {"match": "K7Q2", "round": 5, "names": ["Anna", "Bert"], "deadline": DEADLINE}
    unread = {"line": "E5 q HAUS", "text": "Die Richtung fehlt."}
    example = "Zug K7Q2 Anna: E5 w HAUS" if german else "Move K7Q2 Anna: E5 w HAUS"
    return (
        _line(1, "Auswerten K7Q2 R5" if german else "Evaluate K7Q2 R5", Note("boss-missing", missing), status="error"),
        _line(2, example.replace(" w ", " q "), Note("boss-unread-order", unread), status="error", example=example),
        _line(3, "E5 w HAUS", Note("boss-known", {"commands": known_words(_chief(language))}), status="text"),
        _line(4, "Hallo!", *command_list(_chief(language)), status="error"),
    )


def _news(language: Language, note: Note, **changes: Any) -> Page:
    return replace(turn(language), kind="referee", reports=(), notes=(note,), **changes)


def _correction(language: Language) -> Page:
    notes = (
        Note("rolled-back", {"round": 5, "line": LONG}),
        Note("taken-back", {"name": "Anna", "move": "D5 s RATTE", "points": 21}),
        Note("taken-back-miss", {"name": "Bert"}),
        Note("taken-back-more", {"count": 12}),
        Note("score-corrected", {"old": 33, "new": 12}, seat=0),
    )
    return replace(turn(language), kind="correction", reports=(), notes=notes, standing="E5 w HAUS")


def _chief(language: Language) -> Official:
    return Official("Testrunde", "leitung@example.org", language)
