"""Pages with press, remarks and time rules; protests and short news."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

from moderator.match.contract import Note
from moderator.match.time.clock import Terms
from moderator.outbox.match_pages import rules_of_time
from moderator.pages.content import Objection, Opening
from moderator.pages.pages import Page, PressItem, Reply
from tests.pages.sample_pages import Language, board, match, seats, turn

TEXT = (
    "Das war ein feiner Zug, aber mein E5 w HAUS kommt noch; und dann\n"
    "E5 w HAUS; sonst C3 s MOND\n\n"
    "HILFE\nPartie K7Q2\nENDE\n> zitiert\n-- \nMit Grüßen vom Meer, das hier wirklich sehr viel blauer ist als daheim."
)
"""Much of it would be an order if it stood in a mail by itself."""
PRESS = (
    PressItem("Anna", TEXT),
    PressItem("Maximiliane-Charlotte von Größenbrück", "Nur für dich.", ("Jörg",)),
    PressItem("Jörg", "Bis bald!", you=True),
)
AWAY = {"name": "Anna", "first": date(2025, 11, 22), "last": date(2025, 12, 3)}
REMARKS = (
    Note("remark-bank", {"count": 5}),
    Note("remark-grace", {"count": 2}),
    Note("remark-away-soon", AWAY),
    Note("remark-out", {"names": ["Maximiliane-Charlotte von Größenbrück"]}),
    Note("remark-wait"),
)
STOPPED = (Note("remark-paused"), Note("remark-mail", {"names": ["Anna"]}), Note("remark-away", AWAY))
ALL_TERMS = Terms(bank=5, bank_increment=1, bank_cap=10, grace=2, skip_weekdays=("sun", "sat"), holidays=("12-24",))


def pages(language: Language) -> dict[str, Page]:
    """By the name of the golden file."""
    return {
        "turn-press": turn(language, press=PRESS, remarks=REMARKS),
        "status-stopped": turn(language, kind="status", reports=(), notes=(), remarks=STOPPED),
        "start-terms": start(language, ALL_TERMS),
        "start-no-leave": start(language, Terms(leave=False, abandon_after=0, evening=-1)),
        "end-press": turn(
            language, kind="end", press=PRESS[:1], your_turn=False, awaited=(), deadline=None, notes=(), reports=()
        ),
        "news-leave": news(language, match=None, notes=(Note("leave-of", AWAY | {"matches": ["K7Q2 (Arratia)"]}),)),
        "news-undo": news(language, notes=(Note("undo-asked", {"name": "Anna"}),)),
        "news-press": news(language, press=PRESS[1:2]),
        "news-ruling": news(
            language,
            notes=(Note("protest-upheld", {"name": "Anna", "round": 7}), Note("protest-correction")),
            press=(PRESS[0], PressItem("Spielleiter", "HAUS liegt wirklich frei.")),
        ),
        "protest": protest(language),
        "protest-ruled": protest(
            language,
            notes=(ABOUT, Note("protest-ruled-denied", {"match": "K7Q2"})),
            content=Objection(ruled=True),
            scene=None,
        ),
        "notice-press": to_moderator(
            language, "notice", match=None, seats=(), scene=None, press=PRESS[:1], notes=(FROM_ANNA,)
        ),
    }


ABOUT = Note("protest-about", {"name": "Anna", "match": "K7Q2", "match_name": "Arratia", "number": "12"})
FROM_ANNA = Note("press-for-you", {"match": "K7Q2", "match_name": "Arratia", "address": "anna@example.org"})
NAMES = ("Anna", "Jörg", "Maximiliane-Charlotte von Größenbrück")


def start(language: Language, terms: Terms) -> Page:
    return turn(language, kind="start", reports=(), notes=(), content=Opening(rules_of_time(terms)))


def bare(language: Language, **changes: Any) -> Page:
    """Without board, tiles and scores."""
    nothing = {"scene": None, "rack": None, "stock": None, "seats": (), "reports": (), "notes": ()}
    return turn(language, **{**nothing, "awaited": (), "your_turn": False, "deadline": None, **changes})


def news(language: Language, **changes: Any) -> Page:
    return bare(language, kind="news", **changes)


def to_moderator(language: Language, kind: str, **changes: Any) -> Page:
    page = bare(language, kind=kind, **changes)
    boss = replace(page.reader, name="Postspielrunde", address="boss@example.org")
    return replace(page, reader=boss, reply=Reply("games+PROT-8J3MZP4QXA@example.org", "[PROT-8J3MZP4QXA]"))


def protest(language: Language, **changes: Any) -> Page:
    item = replace(PRESS[0], to=("den Spielleiter" if language == "de" else "the moderator",))
    given: dict[str, Any] = {
        "scene": board(),
        "seats": seats(you=False),
        "notes": (ABOUT,),
        "press": (item,),
        "names": NAMES,
    }
    given["content"] = Objection(ruled=False)
    return to_moderator(language, "protest", **{**given, "match": match(language), **changes})
