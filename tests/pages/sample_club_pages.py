"""Sample pages of what concerns players besides their moves (daily mails, joining, addresses, watching), of the
moderator's commands, and of the mail that follows a backlog."""

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from moderator.common.enums import MailKind
from moderator.inbox.staff_mail import list_command_words
from moderator.language.messages import nest_quotes
from moderator.notifications.content import CommandReport, NewAddress, ReplyAddress
from moderator.notifications.pages import (
    BacklogNotification,
    DigestNotification,
    LetterView,
    LineOutcome,
    Page,
    Reader,
    Receipt,
)
from moderator.notifications.task import StaffMember
from moderator.rules.game import Note
from moderator.rules.outcomes import CommandDone, CommandRefused, OrderDecision, OrderIllegal, OrderStored
from moderator.rules.silence import SeatStatus
from tests.pages.sample_pages import (
    DEADLINE,
    ENDED,
    LONG_NAME,
    NOW,
    QUIET,
    REFUSED,
    Language,
    arrange,
    keep,
    match,
    receipt,
    reply,
    turn,
)

PLAIN = ReplyAddress("games@example.org", "")
BERLLN = LineOutcome(
    1,
    "Zeitzone Berlln",
    "error",
    notes=(Note("zone-unknown", {"zone": "Berlln", "zones": ["Europe/Berlin"]}),),
    example="Zeitzone Europe/Berlin",
)


def plain(kind: MailKind, language: Language, *notes: Note, **more: Any) -> Page:
    reader = Reader("Anna", "anna@example.org", language)
    return Page(kind, reader, "Spielerkreis", NOW, **{"reply": PLAIN, "notes": notes} | more)


def part(language: Language, code: str, name: str) -> Page:
    """One match of a digest."""
    return turn(language, match=match(language, code=code, name=name), reply=reply(code), **QUIET)


def moved(language: Language, code: str, name: str) -> Page:
    """One match of a digest in which somebody else is awaited."""
    others = arrange(part(language, code, name), SeatStatus.IDLE, ("Anna",))
    return replace(others, reports=turn(language).reports)


def digest(language: Language, codes: tuple[str, ...]) -> Page:
    parts = tuple(part(language, code, name) for code, name in zip(codes, ("Arratia", "Bozen"), strict=False))
    news = (moved(language, "P8TE", "Chur"), replace(moved(language, "W3UG", "Davos"), reports=()))
    return plain("digest", language, content=DigestNotification((*parts, *news)))


def watching(language: Language, kind: MailKind) -> Page:
    """A report as somebody reads it who has no seat."""
    page = turn(language)
    return replace(
        page,
        kind=kind,
        reader=Reader("Zoë", "zoe@example.org", language),
        watching=True,
        rack=None,
        notes=(),
        stored=None,
        reply=ReplyAddress("games@example.org", "[K7Q2]"),
        seats=tuple(replace(seat, you=False) for seat in page.seats),
        ending=ENDED if kind == MailKind.END else None,
        reports=tuple(replace(report, you=False, failed=()) for report in page.reports),
    )


SAID: dict[str, Note] = {
    "Sprache deutsch": Note("language-now"),
    "Zeitzone Berlin": Note("zone-set", {"zone": "Europe/Berlin", "now": NOW}),
    "Brettform Bild": Note("form-png"),
    "Board form table": Note("form-table"),
    "Brettform Text": Note("form-text"),
    "Digest on": Note("digest-on", {"at": DEADLINE}),
    "Sammelmail aus": Note("digest-off"),
    "Adresse anna@new.example": Note("address-asked", {"address": "anna@new.example", "old": "anna@example.org"}),
    "Address anna@two.example": Note(
        "address-asked-moderator", {"address": "anna@two.example", "old": "anna@example.org"}
    ),
    "Ersatzspieler an": Note("standby-any"),
    "Standby off": Note("standby-off"),
    "Nicht mehr zuschauen": Note("watching-no-more", {"matches": ["K7Q2", "M4RA"]}),
    "Mitspielen": Note("no-open-match"),
}
"""Settings, and what is said to them."""


def of_players(language: Language) -> dict[str, Page]:
    facts = {"name": "Anna", "address": "anna@new.example"}
    open_match = {"match": "P8TE", "title": "Chur", "game": "Topwords", "names": ["Bert", "Cici"], "count": 2}
    welcome = (
        Note("welcome-you-are", facts | {"zone": "Europe/Berlin"}),
        Note("joined", {"match": "M4RA", "title": "Bozen", "game": "Tridom", "count": 1}),
        Note("open-matches", {"count": 1}),
        Note("open-match", open_match),
    )
    settings = tuple(LineOutcome(n, line, "command", notes=(said,)) for n, (line, said) in enumerate(SAID.items(), 1))
    known = LineOutcome(2, "Ersatzspieler Topwords", "command", notes=(Note("standby-games", {"games": ["Topwords"]}),))

    def address(code: str, asks: bool = True, **more: Any) -> Page:
        return plain("address", language, Note(code, facts), content=NewAddress(asks=asks), **more)

    return {
        "digest": digest(language, ("K7Q2", "M4RA")),
        "digest-one": digest(language, ("K7Q2",)),
        "digest-quiet": digest(language, ()),
        "welcome": plain("welcome", language, *welcome),
        "signup": plain("signup", language, Note("signup-was-it-you", facts), reply=reply("OK")),
        "closed": plain("closed", language, Note("closed-thanks")),
        "address-old": address("address-give-up", reply=reply("ADDR")),
        "address-new": address("address-is-yours", reply=reply("ADDR", "7J3MZP4QXB")),
        "address-changed": address("address-changed", asks=False),
        "watching": watching(language, "turn"),
        "watching-end": watching(language, "end"),
        "turn-watched": turn(language, notes=(Note("watched-by", {"names": ["Zoë", "Dora"]}),)),
        "done-settings": plain("done", language, receipt=Receipt(CommandDone(), settings)),
        "misused-settings": plain("done", language, receipt=Receipt(CommandRefused(), (BERLLN, known))),
    }


LONG = (
    "Ab dem 1. Dezember gilt in allen Partien die neue Ausgabe des Duden; was bis dahin gelegt ist, bleibt, auch "
    "wenn es E5 w HAUS heißt; sonst passe."
)


def of_moderator(language: Language) -> dict[str, Page]:
    """Answers to commands, official notices, news of the clock, a correction."""
    letter = LetterView("Testrunde", f"{LONG}\n\nMit Grüßen\nHILFE")
    reader = turn(language).reader
    official = Page("official", reader, "Testrunde", NOW, reply=PLAIN, press=(letter,), content=CommandReport())
    corrected = (
        Note("rolled-back", {"round": 5, "line": LONG}),
        Note("taken-back", {"name": "Anna", "move": "D5 s RATTE", "points": 21}),
        Note("taken-back-miss", {"name": "Bert"}),
        Note("taken-back-more", {"count": 12}),
        Note("score-corrected", {"old": 33, "new": 12}, seat=0),
    )

    def answer(decided: OrderDecision, lines: tuple[LineOutcome, ...]) -> Page:
        boss = Reader("Testrunde", "boss@example.org", language)
        return Page("boss", boss, "Testrunde", NOW, reply=reply("BOSS"), receipt=Receipt(decided, lines))

    def told(kind: MailKind, *notes: Note, **changes: Any) -> Page:
        return turn(language, kind=kind, reports=(), notes=notes, **changes)

    return {
        "boss-missing": answer(CommandDone(), _missing(language)),
        "boss-judged": answer(CommandDone(), _judged(language)),
        "boss-refused": answer(CommandRefused(), _refused(language)),
        "boss-no-token": replace(answer(CommandDone(), ()), receipt=None, notes=(Note("boss-needs-token"),)),
        "official": official,
        "official-match": replace(official, reply=reply(), content=CommandReport("K7Q2", "Arratia")),
        "referee-extended": told("referee", Note("extended", {"days": 3, "deadline": DEADLINE, "line": LONG})),
        "referee-ordered": told(
            "referee", Note("ordered-for-you"), stored=keep("E5 w HAUS; sonst C3 s MOND"), status=SeatStatus.DEFERRED
        ),
        "correction-rollback": told("correction", *corrected, stored=keep("E5 w HAUS"), status=SeatStatus.DEFERRED),
    }


def _line(number: int, text: str, *notes: Note, status: Any = "command", example: str = "") -> LineOutcome:
    return LineOutcome(number, nest_quotes(text), status, notes=notes, example=nest_quotes(example) if example else "")


def _missing(language: Language) -> tuple[LineOutcome, ...]:
    away = {"code": "boss-leave", "first": date(2025, 12, 24), "last": date(2026, 1, 2)}
    anna = [{"code": "boss-no-order-yet"}, {"code": "boss-final", "deadline": DEADLINE + timedelta(days=5)}]
    anna += [{"code": "boss-bank", "count": 5}, {"code": "boss-missed", "count": 3, "row": 2}, away]
    bert = [{"code": "boss-ordered"}, {"code": "boss-flag-wait"}, {"code": "boss-bounced"}]
    game = {"name": "Arratia", "match": "K7Q2", "round": 5, "deadline": DEADLINE, "since": NOW, "words": ["HUGO"]}
    notes = (
        Note("boss-match", game),
        Note("boss-seat", {"name": "Anna", "faults": anna}),
        Note("boss-seat", {"name": "Bert", "faults": bert}),
        Note("boss-seat-plays-no-more", {"name": LONG_NAME}),
        Note("boss-match-held", {**game, "name": "Berlin"}),
        Note("boss-seat", {"name": "Jörg", "faults": [{"code": "boss-ordered"}, {"code": "boss-robot-club"}]}),
    )
    return (_line(1, "Wer fehlt" if language == "de" else "Who is missing", *notes),)


def _judged(language: Language) -> tuple[LineOutcome, ...]:
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


def _refused(language: Language) -> tuple[LineOutcome, ...]:
    german = language == "de"
    chief = StaffMember("Testrunde", "leitung@example.org", language)
    missing = {"match": "K7Q2", "round": 5, "names": ["Anna", "Bert"], "deadline": DEADLINE}
    unread = {"line": "E5 q HAUS", "text": "Die Richtung fehlt."}
    example = "Zug K7Q2 Anna: E5 w HAUS" if german else "Move K7Q2 Anna: E5 w HAUS"
    return (
        _line(1, "Auswerten K7Q2 R5" if german else "Evaluate K7Q2 R5", Note("boss-missing", missing), status="error"),
        _line(2, example.replace(" w ", " q "), Note("boss-unread-order", unread), status="error", example=example),
        _line(3, "E5 w HAUS", Note("boss-known", {"commands": list_command_words(chief)}), status="text"),
    )


def missing(name: str, title: str, code: str, count: int) -> dict[str, Any]:
    return {"code": code, "name": name, "title": title, "match": title[-5:-1], "count": count}


def of_staff(language: Language) -> dict[str, Page]:
    """Who is missing today, and the daily notice with several things."""
    seats = [
        missing("Amy", "Bakio (L8QF)", "missing-seat-first", 1),
        missing("Gerda", "Bakio (L8QF)", "missing-illegal", 1),
        missing("Holger", "Durango (R4LJ)", "missing-lost", 2),
    ]
    names = [f"{one['name']} ({one['title']})" for one in seats]
    due = {"code": "today-due", "missing": 3, "expected": 11, "time": "20:00", "names": names, "seats": seats}
    late: dict[str, Any] = {"code": "today-late", "match": "K7Q2", "title": "Arratia", "names": ["Anna"]}
    late |= {"deadline": NOW, "until": DEADLINE}
    extend = [{"code": "do-extend", "match": "K7Q2", "days": "3"}]
    gone = {"code": "today-backup", "since": NOW - timedelta(days=9)}
    notes = (
        Note("today-task", {"faults": [late], "todo": "", "name": "", "actions": extend}),
        Note("today-still"),
        Note("today-task", {"faults": [gone], "todo": "", "name": "", "actions": [{"shell": "moderator backup x"}]}),
    )
    asks = LetterView("Gerda", "Zählt ein Pasch am Ende doppelt?")
    about = {"match": "R4LJ", "match_name": "Durango", "address": "gerda@example.org"}
    alone = Note("today-task", {"faults": [due], "todo": "", "name": "", "actions": extend})
    return {
        "notice-due": plain("notice", language, alone, reply=reply("BOSS")),
        "notice-day": plain("notice", language, *notes, reply=reply("BOSS")),
        "notice-missing": plain(
            "notice", language, Note("many-missing", {"missing": 3, "expected": 4, "seats": seats}), reply=reply("BOSS")
        ),
        "notice-question": plain(
            "notice",
            language,
            Note("press-for-you", about),
            reply=ReplyAddress("gerda@example.org", ""),
            press=(asks,),
        ),
    }


def after_backlog(language: Language) -> dict[str, Page]:
    now = turn(language)
    mine = replace(part(language, "K7Q2", "Arratia"), reports=now.reports, notes=now.notes)
    other = arrange(part(language, "M4RA", "Bozen"), SeatStatus.IDLE, ("Anna",))
    seen = replace(watching(language, "turn"), reader=mine.reader, reply=None)
    letter = LetterView("Cici", "Endlich wieder Post!", match="M4RA")
    quarantined = {"mail": 4711, "sender": "a@example.org", "subject": "?", "reason": "KeyError: 'x'"}
    notices = (
        Note("outage", {"since": NOW - timedelta(days=7), "matches": 50, "days": 7}),
        Note("mail-quarantined", quarantined),
        Note("backlog-more-notices", {"count": 480}),
    )

    def mail(content: BacklogNotification, **more: Any) -> Page:
        return plain("backlog", language, content=content, **{"reply": reply(), **more})

    mails = _read_after(language)
    names = {"D7U2": "Arratia", "L8QF": "Bakio", "R4LJ": "Durango", "A5JK": "Jauregi"}
    four = tuple(part(language, code, name) for code, name in names.items())
    return {
        "backlog": mail(BacklogNotification((mine, other, seen), mails, 12), press=(letter,), reply=PLAIN),
        "backlog-one": mail(BacklogNotification((mine,))),
        "backlog-quiet": mail(BacklogNotification((other,), mails[:1])),
        "backlog-away": mail(BacklogNotification(four, away=3, is_silent=True), reply=PLAIN),
        "backlog-away-mails": mail(BacklogNotification((mine, other), mails[:2], away=2), reply=PLAIN),
        "notice-many": plain("notice", language, *notices, reply=reply("BOSS")),
    }


def _read_after(language: Language) -> tuple[Page, ...]:
    """What became of mails that waited: of two about a match, a command, and one that was too large."""

    def about(hours: int, page: Page, code: str, name: str) -> Page:
        note = Note("backlog-mail-about", {"at": (NOW - timedelta(hours=hours)).date(), "match": code, "title": name})
        info = match(language, code=code, name=name)
        return replace(page, match=info, reply=None, deadline=None, seats=(), remarks=(note,), scene=None, reports=())

    def remark(hours: int) -> tuple[Note, ...]:
        return (Note("backlog-mail", {"at": (NOW - timedelta(hours=hours)).date()}),)

    too_large = Note("mail-too-large", {"size": 26_000_000, "limit": 1_000_000})
    return (
        about(100, receipt(language, OrderStored()), "M4RA", "Bozen"),
        about(52, receipt(language, OrderIllegal(), REFUSED), "K7Q2", "Arratia"),
        plain("done", language, receipt=Receipt(CommandRefused(), (BERLLN,)), reply=None, remarks=remark(30)),
        plain("unread", language, too_large, reply=None, remarks=remark(3)),
    )


def pages(language: Language) -> dict[str, Page]:
    """Golden name -> page."""
    return of_players(language) | of_moderator(language) | of_staff(language) | after_backlog(language)
