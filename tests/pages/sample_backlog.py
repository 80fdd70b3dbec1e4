"""Sample pages of the one mail that follows a backlog."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from moderator.match.contract import Note
from moderator.match.decision import NotDone, NotPossible, Stored
from moderator.pages.content import CaughtUp
from moderator.pages.pages import LineRead, Page, PressItem, Receipt, Reply
from tests.pages.sample_joining import PLAIN, part, plain, watching
from tests.pages.sample_pages import NOW, REFUSED, Language, match, receipt, turn


def was_read(language: Language, hours: int, page: Page, code: str, name: str) -> Page:
    """What became of a mail about one match."""
    about = Note("backlog-mail-about", {"at": NOW - timedelta(hours=hours), "match": code, "title": name})
    info = match(language, code=code, name=name)
    return replace(page, match=info, reply=None, deadline=None, awaited=(), remarks=(about,), scene=None, reports=())


def mails(language: Language) -> tuple[Page, ...]:
    unknown = Note("zone-unknown", {"zone": "Berlln", "zones": ["Europe/Berlin"]})
    line = LineRead(1, "Zeitzone Berlln", "error", notes=(unknown,), example="Zeitzone Europe/Berlin")
    done = plain("done", language, receipt=Receipt(NotDone(), (line,)), reply=None)
    return (
        was_read(language, 100, receipt(language, Stored(), your_turn=False), "M4RA", "Bozen"),
        was_read(language, 52, receipt(language, NotPossible(), REFUSED, your_turn=False), "K7Q2", "Arratia"),
        replace(done, remarks=(Note("backlog-mail", {"at": NOW - timedelta(hours=30)}),)),
        replace(
            plain("unread", language, Note("mail-too-large", {"size": 26_000_000, "limit": 1_000_000}), reply=None),
            remarks=(Note("backlog-mail", {"at": NOW - timedelta(hours=3)}),),
        ),
    )


def pages(language: Language) -> dict[str, Page]:
    """Golden name -> page."""
    mine = replace(part(language, "K7Q2", "Arratia"), reports=turn(language).reports, notes=turn(language).notes)
    other = replace(part(language, "M4RA", "Bozen"), your_turn=False, awaited=("Anna",))
    seen = replace(watching(language, "turn"), reader=mine.reader, reply=None)
    letter = PressItem("Cici", "Endlich wieder Post!", match="M4RA")
    why = Note("backlog-why")
    more = Note("backlog-more-mails", {"count": 12})
    own = Reply("games+K7Q2-8J3MZP4QXA@example.org", "[K7Q2-8J3MZP4QXA]")
    return {
        "backlog": plain(
            "backlog",
            language,
            content=CaughtUp((mine, other, seen), mails(language)),
            press=(letter,),
            remarks=(why, more),
            reply=PLAIN,
        ),
        "backlog-one": plain("backlog", language, content=CaughtUp((mine,)), remarks=(why,), reply=own),
        "backlog-quiet": plain(
            "backlog", language, content=CaughtUp((other,), mails(language)[:1]), remarks=(why,), reply=own
        ),
        "notice-many": plain(
            "notice",
            language,
            Note("outage", {"since": NOW - timedelta(days=7), "matches": 50, "days": 7}),
            Note(
                "mail-quarantined", {"mail": 4711, "sender": "a@example.org", "subject": "?", "reason": "KeyError: 'x'"}
            ),
            Note("backlog-more-notices", {"count": 480}),
            reply=Reply("games+BOSS-8J3MZP4QXA@example.org", "[BOSS-8J3MZP4QXA]"),
        ),
    }
