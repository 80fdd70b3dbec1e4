"""Which match a line means, however it is named: headings made by a grammar, in mails about two and three matches.

Whatever a player writes above an order, it never lands in another match than the one that is named there.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from moderator.inbox import decide as answering
from moderator.inbox.job import MailJob, Proof, Role, Writer
from moderator.inbox.player_mail import decide_player_mail, read_player_mail
from moderator.language.messages import render_note
from moderator.language.spelling import get_game_name
from moderator.mail.parse import parse_mail_bytes
from moderator.notifications.pages import Receipt
from moderator.rules.game import Note
from moderator.rules.outcomes import OrderMissing
from moderator.service.match.match import Match
from moderator.store.tables import InboxRow, MatchRow, PlayerRow, SeatRow
from tests.club.club import Club, club_of, taken_once, text
from tests.club.memory import MemoryClub
from tests.club.steps import VOUCHED, begin, play
from tests.helpers import list_lines

NAMES = {
    "topwords": "Partie30", "dominos": "Arratia", "tridom": "Winter 2026", "supertridom": "Haus am See",
    "domijongg": "Klub-Runde 7", "kreuzwort": "HAUS", "point": "Bert", "presto": "Dominos", "recht": "Liga 2",
}  # fmt: skip
"""Names of matches: a made one, words, an ordinary word, a player's name, another game's."""
BEFORE = {
    "de": ["", "Partie ", "Spiel ", "Match ", "Zu ", "Zu Partie ", "Für ", "Für die Partie ", "In ", "In der Partie ",
           "In Partie ", "Zug in ", "Mein Zug in ", "Mein Zug für Partie ", "Und nun zu ", "Hier mein Zug zur Partie ",
           "Zur Partie ", "Jetzt ", "Außerdem Partie ", "Betr.: ", "Betrifft Partie ", "Nun noch ", "2. Partie ",
           "- Partie ", "Bei Partie ", "{game} ", "Zu {game} ", "Partie Nr. ", "So, und jetzt noch schnell was zu "],
    "en": ["", "Match ", "Game ", "For ", "For match ", "In ", "In match ", "In game ", "My move in ", "And now ",
           "Now for match ", "Move for ", "And in ", "Next: ", "2) ", "* ", "Re: ", "{game} ", "My move for game ",
           "Regarding match ", "And here goes my move for the game "],
}  # fmt: skip
BEHIND = {
    "de": ["", ":", " :", " -", " –", ": ", " spiele ich", " spiele ich:", " lautet mein Zug:", " lege ich:", "!",
           " ({game})", " ({game}):", " gegen Bert:", " =>", " 😀", " mein Zug:", ".", "______", " ----", ",",
           " bitte:"],
    "en": ["", ":", " :", " --", " I play", " I play:", " my move is:", " ({game}):", " against Bert:", " ->", " 🙂",
           "."],
}  # fmt: skip
ABOUT = Path(__file__).parent / "other_matches.txt"
NOUNS = [["partie"], ["spiel"], ["match"], ["game"]]
AROUND = ["{}", "*{}*", "[{}]", "({})", "»{}«", '"{}"', "„{}“", "_{}_", "**{}**", "<{}>", "'{}'", "# {}", "=== {} ===",
          "{} 🎲", "🎲 {}", "~{}~", "`{}`"]  # fmt: skip
CALLED: list[Callable[[Played], str]] = [
    lambda one: one.code,
    lambda one: one.code.lower(),
    lambda one: f"{one.code}-{one.token}",
    lambda one: one.name,
    lambda one: f"{one.code} ({one.name})",
    lambda one: f"{one.name} [{one.code}]",
]


@dataclass(frozen=True)
class Played:
    """A match of Anna's."""

    code: str
    token: str
    name: str
    game: str
    order: str
    """As the game's own example has it."""


HandIn = Callable[[Played, str], dict[str, list[str]]]
"""Hands a mail of Anna's to a match's seat and says which lines were read as orders for which match."""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> tuple[Club, list[Played]]:
    """Anna plays all nine games against Bert; in each she is to move."""
    club = club_of(tmp_path_factory.mktemp("headings") / "club", "Anna", "Bert", "Cici")
    made = []
    for key, name in NAMES.items():
        code = club.match("Anna", "Bert", game=key, seed=lambda match: bytes(32))
        with club.at(code) as (_, match):
            match.name = name
        order = render_note(Note("example.place"), "de", key).splitlines()[0]
        made.append(Played(code, club.token(code, 0), name, key, order))
    return club, made


@pytest.fixture
def matches(table: tuple[Club, list[Played]]) -> list[Played]:
    return table[1]


@pytest.fixture
def hand_in(table: tuple[Club, list[Played]], monkeypatch: pytest.MonkeyPatch) -> Iterator[HandIn]:
    """Nothing is played."""
    heard: dict[str, list[str]] = {}

    def order(match: Match, player: PlayerRow, seat: SeatRow, lines: Any, answered: int) -> Receipt:
        heard.setdefault(match.row.code, []).extend(line.text.strip() for line in lines)
        return Receipt(OrderMissing())

    monkeypatch.setattr(answering, "answer_order_lines", order)
    with table[0].work() as work:
        seated = work.session.exec(select(MatchRow, SeatRow).join(SeatRow)).all()
        rows = {match.code: (match, seat) for match, seat in seated if seat.number == 0}
        player = work.session.exec(select(PlayerRow).where(PlayerRow.name == "Anna")).one()

        def hand_in(to: Played, body: str) -> dict[str, list[str]]:
            heard.clear()
            data = f"From: anna@home.example\nSubject: Re: Zug\n\n{body}".encode()
            match, seat = rows[to.code]
            sender = Writer(Role.PLAYER, Proof.TOKEN, people=(player,), match=match, seat=seat)
            row = InboxRow(digest="", received_at=work.now, taken_at=work.now, size=len(data), raw=data)
            job = MailJob(work, row, parse_mail_bytes(data), sender)
            read_player_mail(job)
            decide_player_mail(job)
            work.progress.clear()
            return dict(heard)

        yield hand_in


def headings(language: str) -> list[Callable[[Played], str]]:
    """The grammar: what stands before, the name, what stands around it, what follows. Every part with every other one
    that it can meet, which is a few thousand; marks around a name that has marks already are left out."""
    made = []
    for before, behind, around, called in itertools.product(BEFORE[language], BEHIND[language], AROUND, CALLED):
        if around != "{}" and (called in CALLED[4:] or behind not in ("", ":", " spiele ich:", " I play:")):
            continue

        def write(one: Played, parts: tuple[str, str, str, Any] = (before, behind, around, called)) -> str:
            first, last, marks, named = parts
            if one.name == "Bert" and named is CALLED[3] and first.lower().split()[-1:] not in NOUNS:
                named = CALLED[0]  # »Bert« alone, or »Hallo *Bert*«, greets somebody
            game = get_game_name(one.game, language)
            return first.format(game=game) + marks.format(named(one)) + last.format(game=game)

        made.append(write)
    return made


def tries(matches: list[Played], count: int) -> Iterator[tuple[list[Played], list[str], str]]:
    """(matches, the headings of all but the first, mail): a mail to the first one's seat, orders for two or three."""
    dice = random.Random("headings")
    for language in ("de", "en"):
        forms = headings(language)
        for n, form in enumerate(dice.sample(forms, min(count, len(forms)))):
            mine = dice.sample(matches, 3 if n % 3 == 0 else 2)
            used = [form(one) for one in mine[1:]]
            blocks = [f"{heading}\n{one.order}" for heading, one in zip(used, mine[1:], strict=True)]
            if n % 4 == 1 and used[0].rstrip().endswith(":"):
                blocks = [f"{heading} {one.order}" for heading, one in zip(used, mine[1:], strict=True)]
            yield mine, used, "\n\n".join([mine[0].order, *blocks])


@pytest.mark.slow
def test_an_order_never_lands_in_a_match_that_its_heading_does_not_name(matches: list[Played], hand_in: HandIn) -> None:
    tally: Counter[bool] = Counter()
    missed = []
    for mine, used, body in tries(matches, 60):
        heard = hand_in(mine[0], body)
        for code, lines in heard.items():
            others = {one.order for one in mine} - {one.order for one in matches if one.code == code}
            assert not others.intersection(lines), f"landed in {code}:\n{body}"
        for one, heading in zip(mine, ["", *used], strict=True):
            right = one.order in heard.get(one.code, [])
            tally[right] += 1
            missed += [] if right else [f"{one.name}: {heading}"]
    assert tally[True] >= 0.9 * tally.total(), "\n".join(missed[:60])


def test_below_a_line_about_another_match_nothing_is_played(matches: list[Played], hand_in: HandIn) -> None:
    """Neither in the one match nor in the other: the writer is asked."""
    pairs = random.Random(7).sample([*itertools.permutations(matches, 2)], 2)
    for (here, other), mention in itertools.product(pairs, list_lines(ABOUT, "other")):
        if other.name in ("HAUS", "Bert", "Arratia", "Dominos") and "{name}" in mention and "{code}" not in mention:
            continue  # an ordinary word in the middle of prose
        line = mention.format(order=other.order, code=other.code, name=other.name)
        assert hand_in(here, f"{here.order}\n{line}\n{other.order}\n") == {here.code: [here.order]}, line


@pytest.mark.slow
def test_a_move_in_the_right_match_is_not_asked_about(matches: list[Played], hand_in: HandIn) -> None:
    for here, harmless in itertools.product(random.Random(7).sample(matches, 2), list_lines(ABOUT, "this")):
        line = harmless.format(code=here.code, name=here.name)
        if here.game == "presto" and line in ("Dominos:", "*Dominos*", "Für Dominos"):
            continue  # she plays Dominos elsewhere
        for body in (f"{line}\n{here.order}\nGruß, Anna\n", f"{line}\n\n{here.order}\n\n{line}\n"):
            heard = hand_in(here, body)
            assert set(heard) == {here.code}, body
            assert here.order in heard[here.code], body


@pytest.mark.parametrize("game", ["topwords", "kreuzwort"])
def test_a_word_that_is_also_the_name_of_a_match_may_be_laid(matches: list[Played], hand_in: HandIn, game: str) -> None:
    here = next(one for one in matches if one.game == game)
    at = {"topwords": "E5 w", "kreuzwort": "T20 w"}[game]
    for word in ("HAUS", "haus", "BERT", "HAUS; sonst C3 s BERT" if game == "topwords" else "ARRATIA"):
        assert hand_in(here, f"{at} {word}\n") == {here.code: [f"{at} {word}"]}


@pytest.fixture
@taken_once
def two(club: Club) -> tuple[str, str]:
    """Matches in which Anna is to move."""
    return begin(club, game="topwords"), begin(club, game="topwords")


def entries(club: Club, *codes: str) -> tuple[int, ...]:
    return tuple(club.row(code).entries for code in codes)


def test_the_mail_that_exchanged_two_tiles_in_the_wrong_match(club: Club, two: tuple[str, str]) -> None:
    first, second = two
    word, before = club.moves(first, 0)[0], club.live(first).table.state
    play(club, first, 0, f"Zu Partie {first}:\n{word}X\n\nZu Partie {second}:\ntausche A H\n")
    assert "tausche A H" not in str([club.live(first).table.orders, club.live(first).last])
    assert "tausche A H" in " ".join(text(mail) for mail in club.mails("Anna"))
    assert club.live(first).table.state == before


def test_a_line_in_doubt_is_asked_about_with_a_right_example(club: Club, two: tuple[str, str]) -> None:
    first, second = two
    move = club.moves(first, 0)[0]
    play(club, first, 0, f"{move}\npasse in {second}\n")
    told = text(club.mail("Anna"))
    assert told.startswith("✓")
    assert f"Meinst du die Partie {second} (Arratia)? Schreib »{second}:«" in told
    assert entries(club, *two) == (1, 0)
    play(club, first, 0, f"{second}:\npasse\n")
    assert entries(club, *two) == (1, 1)


def test_of_a_match_that_is_not_the_writers_or_is_over_it_is_said_so(club: Club, two: tuple[str, str]) -> None:
    first, second = two
    with club.at(second) as (_, match):
        match.status = "finished"
    for code, said in ((second, "ist schon zu Ende"), ("W9KQ", "In einer Partie W9KQ spielst du nicht mit.")):
        for heading in (f"Für {code}:", f"Zug in Partie {code}", f"*{code}*", f"Mein Zug zu {code}:"):
            play(club, first, 0, f"{heading}\npasse\n")
            assert said in " ".join(text(mail) for mail in club.mails("Anna")), heading
    assert entries(club, *two) == (0, 0)


def test_a_code_without_brackets_in_the_subject_is_the_match(club: MemoryClub, two: tuple[str, str]) -> None:
    _, second = two
    club.say("Anna", "passe\n", subject=f"Re: {second.lower()}", **VOUCHED)
    assert entries(club, *two) == (0, 1)


NO_MORE = ("", "Viele Grüße, Anna", "--\nAnna")
"""Bodies that say nothing."""


@pytest.mark.parametrize(("subject", "body"), [
    ("passe", "Was ist ein Spinner?"), ("passe", "Regeln"), ("Re: passe", "\n"), ("[{second}] passe", "\n"),
    ("Zug in {second}", "passe\n"),
])  # fmt: skip
def test_a_move_counts_nowhere_beside_another_match_or_in_the_subject_of_another_mail(
    club: Club, two: tuple[str, str], subject: str, body: str
) -> None:
    first, second = two
    play(club, first, 0, body, subject=subject.format(second=second))
    assert entries(club, *two) == (0, 0)
    if subject.startswith("Zug"):
        assert f"Meinst du die Partie {second}" in text(club.mail("Anna"))


@pytest.mark.parametrize("body", NO_MORE)
def test_a_move_in_the_subject_of_an_answer_is_named_and_that_of_a_mail_that_says_nothing_else_counts(
    club: Club, two: tuple[str, str], body: str
) -> None:
    """It is not played, and the answer says why."""
    first, _ = two
    play(club, first, 0, body or "\n", subject="Re: E5 w HAUS")
    told = club.mail("Anna")
    assert "Im Betreff steht ein Zug" in told["Subject"]
    assert "Im Betreff steht ein Zug" in text(told)
    assert "Schreib »E5 w HAUS« bitte in die erste Zeile" in text(told)
    assert entries(club, *two) == (0, 0)
    play(club, first, 0, body or "\n", subject=f"[{first}] passe, LG")
    assert entries(club, *two) == (1, 0)
    subject = club.mail("Anna")["Subject"]
    assert subject.startswith("✓")
    assert "NICHT" not in subject


@pytest.mark.parametrize("way", ["one mail", "delivered twice", "two mails"])
def test_a_mail_to_two_seats_moves_in_both(club: MemoryClub, way: str) -> None:
    """Whether it names both, comes once for each, or is two with one Message-ID."""
    codes = [club.start("Anna", "Bert") for _ in range(2)]
    first, second = (f"games+{code}-{club.token(code, 0)}@club.example" for code in codes)
    both = f"{first}, {second}"
    for to in {"one mail": [both], "delivered twice": [both, both], "two mails": [first, second]}[way]:
        club.write("Anna", "passe", to=to, Message_ID="<one@home.example>")
    club.tick()
    assert [[entry.kind for entry in club.log(code)].count("move") for code in codes] == [1, 1]
