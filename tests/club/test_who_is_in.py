"""Who is in: every game in every pace it allows, everything that may be sent, first or last, and what the mails say.

The observer knows only what was sent and whether it is legal (by how it was made), works out what must have happened,
and reads subject and headline of every mail.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from moderator import games
from moderator.common.mails import Line
from moderator.language.messages import render_label
from moderator.rules.orders.parse import parse_order_lines
from moderator.rules.robots.choose import choose_robot_move, rank_moves
from moderator.rules.state import view_for
from moderator.rules.table import preview_order
from moderator.words import kinds
from tests.club.club import WORDS, Club, copied, make_club, no_word, part, text
from tests.club.test_race import in_one_row
from tests.pages import match_pages

NAMES = ("Anna", "Bert")
TABLES = [(game, pace) for game in sorted(games.REGISTRY) for pace in games.load_game(game).paces]
SENT = ("legal", "illegal", "unreadable", "legal, illegal", "illegal, legal", "two mails", "pass", "word", "nothing")
"""``two mails``: a legal one, then an illegal one; ``word``: one that the moderator has to rule on."""
SAYS = {
    "played": r"✓ (?:\S+|»[^«]*«) (?:liegt|ist gespielt|ist angesagt)|✓ du hast (?:gepasst|\S+ angesagt)",
    "stored": r"✓ gespeichert",
    "none": r"ich habe in deiner mail keinen zug gefunden|✓ deine mail ist da",
    "waits": r"gespeichert, ein wort ist noch zu entscheiden", "held": r"dein zug wartet auf den spielleiter",
    "kept": r"✓ fehlerfrei", "given up": r"du gibst diese runde auf",
    "end": r"gewonnen|verloren|unentschieden|gleichstand", "counted": r"für dich in|runde \d+: \d+ punkte? für dich",
    "lost": r"keiner deiner züge war möglich",
}  # fmt: skip
"""What a subject or headline claims, in small letters."""
FEW_LETTERS = {"kreuzwort": "T20 s XQXQ", "point": "T20 s XQXQ"}
ILLEGAL = {"topwords": "A1 w XQXQ", "presto": "Gitter (XQ)", "recht": "hinten Q = QUARK", **FEW_LETTERS}
UNREADABLE = {"topwords": "E5 w", "presto": "Gitter (", "recht": "hinten", "kreuzwort": "T20 s", "point": "T20 s"}
NOWHERE = ("54@", "55@9", "Kopf 3: Bambus 8 B99 X", "123@", "12", "3: Q7", "65")
EVERYDAY = {("topwords", "rounds", "legal"), ("topwords", "rounds", "illegal"), ("topwords", "common", "unreadable")}


@dataclass(frozen=True)
class Case:
    game: str
    pace: str
    sent: str
    last: bool
    """The other seat's order is here already."""


def possible(case: Case) -> bool:
    """Whether there is such a case."""
    if case.last and case.pace == "sequential":
        return False  # who is to move is the only one
    game = games.load_game(case.game)
    if case.sent == "pass":
        return game.pass_text
    if case.pace == "race" and case.sent == "two mails" and case.last:
        return False  # the round is over with the first
    return case.sent != "word" or case.game == "topwords"


def cases() -> Iterator[Any]:
    """All that are possible; a few of them every day."""
    for game, pace in TABLES:
        for sent in SENT:
            for case in (Case(game, pace, sent, False), Case(game, pace, sent, True)):
                if possible(case):
                    marks = [] if (game, pace, sent) in EVERYDAY else [pytest.mark.matrix("who is in", seconds=0.3)]
                    id = f"{game}-{pace}-{sent.replace(', ', '+').replace(' ', '-')}-{'last' if case.last else 'first'}"
                    yield pytest.param(case, marks=marks, id=id)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Club:
    folder: Path = tmp_path_factory.mktemp("in") / "club"
    made = make_club(folder, words=[word for word in WORDS if len(kinds.to_word_key(word, "typdom")) < 12], kept=True)
    made.players(*NAMES)
    return made


@pytest.fixture
def club(kept: Club, tmp_path: Path) -> Club:
    return copied(kept, tmp_path / "club")


def claims(mail: EmailMessage) -> tuple[set[str], set[str]]:
    """What subject and headline say of the reader's move and of the turn."""
    start = " ".join(part(mail).lower().split())[:260]
    subject, headline = (
        {name for name, pattern in SAYS.items() if re.search(pattern, said)}
        for said in (str(mail["Subject"]).lower(), start)
    )
    refused = {"refused"} if not (subject or str(mail["Subject"]).startswith("✓")) else set[str]()
    return subject or refused, headline or refused  # which says nothing but why


def legal(club: Club, code: str, seat: int) -> str:
    live = club.live(code)
    words = club.dictionary(live.options, code) if live.game.uses_words else live.context.words
    context = replace(live.context, words=words)
    if live.game.key == "presto":
        return in_one_row(club, code, seat)
    if live.game.key == "recht":
        return choose_robot_move(live.game, live.table.state, seat, context)
    return rank_moves(live.game, live.table.state, seat, context)[0][0]


def _tiles(game: str) -> Iterator[str]:
    """Moves with each tile of a game, at a place that is there or not."""
    if game == "dominos":
        yield from (f"{a}{b}@L" for a in range(7) for b in range(a + 1))
    elif game == "domijongg":
        yield from (f"1: {colour}{n}" for n in range(1, 10) for colour in "BTK")
    elif game in ("tridom", "supertridom"):
        yield from (f"{a}{b}{c}@1" for c in range(6) for b in range(c + 1) for a in range(b + 1))
    else:  # what was played in another match of it
        yield from (moment.result.moves[0].text for moment in match_pages.played(game).moments)


def illegal(club: Club, code: str, seat: int) -> str:
    """Something that can be read and not be played."""
    live = club.live(code)
    if live.game.key in ILLEGAL:
        return ILLEGAL[live.game.key]
    for order in _tiles(live.game.key):
        (seen,) = preview_order(live.game, live.table, seat, order, live.context)
        if seen.refused and seen.canonical:
            return order
    raise AssertionError("everything is legal here")


def unreadable(club: Club, code: str, seat: int) -> str:
    live = club.live(code)
    view = view_for(live.table.state, seat)
    for order in (UNREADABLE.get(live.game.key, ""), *NOWHERE):
        lines = [Line(1, order)]
        sheet = parse_order_lines(
            lines, lambda text: live.game.parse_move(text, view), live.game.format_move, live.game.style
        )
        if sheet.errors and not sheet.text:
            return order
    raise AssertionError("everything can be read here")


def bodies(club: Club, code: str, seat: int, case: Case) -> list[str]:
    """The mails of a case."""
    if case.sent == "nothing":
        return []
    if case.sent == "pass":
        return [games.load_game(case.game).pass_text]
    if case.sent == "word":  # of the seat's own letters, and in no dictionary
        return [f"E5 w {no_word(club, code, seat, 4)}"]
    if case.sent == "two mails":
        return [legal(club, code, seat), illegal(club, code, seat)]
    made = {"legal": legal, "illegal": illegal, "unreadable": unreadable}
    return ["\n".join(made[sort](club, code, seat) for sort in case.sent.split(", "))]


def expected(case: Case) -> list[set[str]]:
    """What the answers to the seat's mails must say, each one of a set."""
    over = {"counted", "lost", "end"} if case.last else {"stored"}
    first = {"sequential": {"played", "end"}, "rounds": over, "common": over, "race": {"kept"}}[case.pace]
    if case.pace == "race" and case.sent == "pass":
        return [{"given up"}]
    if case.sent in ("legal", "legal, illegal", "illegal, legal", "pass"):
        return [first]
    if case.sent == "illegal":
        return [{"refused"}]
    if case.sent == "unreadable":  # what was taken for a move is one that does not count
        return [{"refused"}]
    if case.sent == "word":
        return [{"held"} if case.last or case.pace == "sequential" else {"waits"}]
    if case.sent == "two mails":
        # After an evaluation the second mail is the first of the next round, where one seat acts at a time it is early.
        after = {
            "sequential": {"refused", "stored", "played"},
            "rounds": {"refused"},
            "common": {"refused"},
            "race": {"refused", "kept"},
        }
        return [first, after[case.pace]]
    return []


def answers(club: Club, code: str, seat: int, body: str) -> EmailMessage:
    club.skip_mails()
    club.order(NAMES[seat], code, seat, body)
    club.let_pass(minutes=1)
    found = club.mails(NAMES[seat])
    assert found, body
    return found[0]


def begin(club: Club, case: Case) -> tuple[str, int]:
    options = {"unknown_words": "ask"} if case.sent == "word" else {}
    pace = {"pace": case.pace} if case.game == "topwords" else {}
    early = case.pace in ("rounds", "common")
    code = club.start(*NAMES, game=case.game, early=early, **pace, **options)
    state = club.live(code).table.state
    seat = state.to_move[0] if case.pace == "sequential" else 0
    if case.last:
        said, _ = claims(answers(club, code, 1 - seat, legal(club, code, 1 - seat)))
        assert said == ({"kept"} if case.pace == "race" else {"stored"}), said
    return code, seat


@pytest.mark.parametrize("case", list(cases()))
def test_the_mails_say_who_is_in(club: Club, case: Case) -> None:
    code, seat = begin(club, case)
    before = club.live(code).table
    for body, allowed in zip(bodies(club, code, seat, case), expected(case), strict=True):
        mail = answers(club, code, seat, body)
        subject, headline = claims(mail)
        assert subject, (body, str(mail["Subject"]))
        assert subject <= allowed, (body, str(mail["Subject"]), allowed)
        assert subject & headline, (str(mail["Subject"]), text(mail)[:300])
        if subject & {"counted", "lost"} and club.row(code).status == "running":
            said = f"{mail['Subject']}\n{text(mail)}"  # a subject leaves it out where the event is long
            assert re.search(r" \d+ läuft|Runde \d+: Schick", said), said
    in_vain = case.sent in ("illegal", "unreadable")
    if in_vain or case.sent == "nothing":
        assert club.live(code).table.state == before.state, "nobody was in, and it went on"
        if club.row(code).status == "running":
            miss(club, code, seat, case, in_vain)


def miss(club: Club, code: str, seat: int, case: Case, in_vain: bool) -> None:
    """The deadline comes: what the seat reads of itself, and what is counted."""
    club.skip_mails()
    club.let_pass(days=9)
    if club.row(code).status == "running":
        why = "race" if case.pace == "race" else "tried" if in_vain else "silent"
        said = render_label(f"news-missed-{why}", "de")
        told = [text(mail) for mail in club.mails(NAMES[seat])]
        assert any(said in one for one in told), (said, told)
    account = club.live(code).ledger.seats[seat]
    assert account.missed == (0 if in_vain else 1), account
