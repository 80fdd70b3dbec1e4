"""Sample pages of what concerns players besides their moves: the digest, joining, addresses, watching."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from moderator.match.contract import Note
from moderator.match.decision import Done, NotDone
from moderator.pages.content import Daily, NewAddress
from moderator.pages.messages import label
from moderator.pages.pages import LineRead, Page, Reader, Receipt, Reply
from moderator.states import MailKind
from tests.pages.sample_pages import DEADLINE, NOW, Language, match, turn

PLAIN = Reply("games@example.org", "")


def part(language: Language, code: str, name: str) -> Page:
    """One match of a digest."""
    own = Reply(f"games+{code}-8J3MZP4QXA@example.org", f"[{code}-8J3MZP4QXA]")
    return replace(turn(language), reports=(), notes=(), match=match(language, code=code, name=name), reply=own)


def digest(language: Language, codes: tuple[str, ...]) -> Page:
    parts = tuple(part(language, code, name) for code, name in zip(codes, ("Arratia", "Bozen"), strict=False))
    news = (
        Note(
            "digest-news-move",
            {
                "match": "P8TE",
                "title": "Chur",
                "who": "Cici",
                "move": "E5 w HAUS",
                "points": 12,
                "awaited": ["Bert"],
                "deadline": DEADLINE,
            },
        ),
        Note("digest-news", {"match": "W3UG", "title": "Davos", "awaited": ["Anna", "Bert"], "deadline": DEADLINE}),
    )
    heading = "Partie" if language == "de" else "Match"
    room = "".join(f"{heading} {code}:\n\n\n" for code in codes)
    body = f"\n{room}{label('marker', language)}\n{label('reply-hint', language)}\n"
    reply = replace(PLAIN, body=body) if codes else PLAIN
    return plain("digest", language, *news, reply=reply, content=Daily(parts))


def plain(kind: MailKind, language: Language, *notes: Note, **more: object) -> Page:
    reader = Reader("Anna", "anna@example.org", language)
    values: dict[str, object] = {"reply": PLAIN, "notes": notes} | more
    return Page(kind, reader, "Spielerkreis", NOW, **values)  # type: ignore[arg-type]


def asked(code: str, token: str) -> Reply:
    return Reply(f"games+{code}-{token}@example.org", f"[{code}-{token}]")


def watching(language: Language, kind: MailKind) -> Page:
    """A report as somebody reads it who has no seat."""
    page = turn(language)
    nobody = tuple(replace(seat, you=False) for seat in page.seats)
    reports = tuple(replace(report, you=False, failed=()) for report in page.reports)
    return replace(
        page,
        kind=kind,
        reader=Reader("Zoë", "zoe@example.org", language),
        watching=True,
        your_turn=False,
        rack=None,
        notes=(),
        standing="",
        reply=Reply("games@example.org", "[K7Q2]"),
        seats=nobody,
        reports=reports,
    )


SAID: dict[str, dict[str, object]] = {
    "Sprache deutsch": {"language-now": {}},
    "Zeitzone Berlin": {"zone-set": {"zone": "Europe/Berlin", "now": NOW}},
    "Brettform Bild": {"form-png": {}},
    "Board form table": {"form-table": {}},
    "Brettform Text": {"form-text": {}},
    "Digest on": {"digest-on": {"at": DEADLINE}},
    "Sammelmail aus": {"digest-off": {}},
    "Adresse anna@new.example": {"address-asked": {"address": "anna@new.example", "old": "anna@example.org"}},
    "Address anna@two.example": {"address-asked-moderator": {"address": "anna@two.example", "old": "anna@example.org"}},
    "Ersatzspieler an": {"standby-any": {}},
    "Standby off": {"standby-off": {}},
    "Nicht mehr zuschauen": {"watching-no-more": {"matches": ["K7Q2", "M4RA"]}},
    "Mitspielen": {"no-open-match": {}},
}


def settings() -> Iterator[LineRead]:
    """A line for each setting, with what is said to it."""
    for number, (line, answer) in enumerate(SAID.items(), 1):
        for code, params in answer.items():
            yield LineRead(number, line, "command", notes=(Note(code, params),))  # type: ignore[arg-type]


def pages(language: Language) -> dict[str, Page]:
    """Golden name -> page."""
    facts = {"name": "Anna", "address": "anna@new.example"}
    open_match = {"match": "P8TE", "title": "Chur", "game": "Topwords", "names": ["Bert", "Cici"], "count": 2}
    joined = Note("joined", {"match": "M4RA", "title": "Bozen", "game": "Tridom", "count": 1})
    seen = Note("watched-by", {"names": ["Zoë", "Dora"]})
    unknown = LineRead(
        1,
        "Zeitzone Berlln",
        "error",
        notes=(Note("zone-unknown", {"zone": "Berlln", "zones": ["Europe/Berlin"]}),),
        example="Zeitzone Europe/Berlin",
    )
    known = LineRead(2, "Ersatzspieler Topwords", "command", notes=(Note("standby-games", {"games": ["Topwords"]}),))
    return {
        "digest": digest(language, ("K7Q2", "M4RA")),
        "digest-one": digest(language, ("K7Q2",)),
        "digest-quiet": digest(language, ()),
        "welcome": plain(
            "welcome",
            language,
            Note("welcome-you-are", facts | {"zone": "Europe/Berlin"}),
            joined,
            Note("open-matches", {"count": 1}),
            Note("open-match", open_match),
        ),
        "signup": plain("signup", language, Note("signup-was-it-you", facts), reply=asked("OK", "8J3MZP4QXA")),
        "closed": plain("closed", language, Note("closed-thanks")),
        "address-old": plain(
            "address",
            language,
            Note("address-give-up", facts),
            reply=asked("ADDR", "8J3MZP4QXA"),
            content=NewAddress(asks=True),
        ),
        "address-new": plain(
            "address",
            language,
            Note("address-is-yours", facts),
            reply=asked("ADDR", "7J3MZP4QXB"),
            content=NewAddress(asks=True),
        ),
        "address-changed": plain("address", language, Note("address-changed", facts), content=NewAddress(asks=False)),
        "watching": watching(language, "turn"),
        "watching-end": watching(language, "end"),
        "turn-watched": replace(turn(language), notes=(seen,)),
        "done-settings": plain("done", language, receipt=Receipt(Done(), tuple(settings()))),
        "misused-settings": plain("done", language, receipt=Receipt(NotDone(), (unknown, known))),
    }
