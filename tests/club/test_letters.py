"""Press between players: who reads what and when."""

import random

import pytest

from moderator.common.errors import PlayerError
from moderator.service import round_letters
from moderator.service.create import add_player, get_player
from moderator.service.match.match import Match
from moderator.service.notify import notify_match_events
from moderator.service.players import wanted_mails
from moderator.service.round_letters import LONGEST, parse_addressees, sanitize_letter
from moderator.store.tables import LetterRow, PlayerRow, WatcherRow
from tests.club.club import START, Club, taken_once, text
from tests.club.steps import NAMES, ask, begin, play

SEATS = {name: seat for seat, name in enumerate(NAMES)}


@pytest.fixture
@taken_once
def code(club: Club) -> str:
    """A match in which nothing has been written yet."""
    return begin(club, *NAMES, game="tridom")


def read_next(club: Club, code: str, name: str, more: str = "") -> dict[str, str]:
    """What everybody reads of somebody's move."""
    play(club, code, SEATS[name], f"{club.moves(code, SEATS[name])[0]}\n{more}")
    return {str(mail["To"]).partition("@")[0].rpartition("<")[2]: text(mail) for mail in club.mails()}


def test_a_letter_goes_with_the_next_report_once_and_with_no_receipt(club: Club, code: str) -> None:
    ask(club, code, 1, "press to all: Glück auf!")
    assert "Glück auf!" not in ask(club, code, 2, "Stand")
    read = read_next(club, code, "Anna")
    assert all("Glück auf!" in read[name] for name in ("anna", "bert", "cici"))
    assert "¦ You to all:" in read["bert"]
    assert not any("Glück auf!" in mail for mail in read_next(club, code, "Bert").values())


@pytest.mark.parametrize("who", ["takes a seat over", "watches"])
def test_who_comes_later_reads_what_is_for_all_alone(club: Club, code: str, who: str) -> None:
    ask(club, code, 0, "Presse an Bert: nur für Bert")
    ask(club, code, 0, "Presse an alle: für alle")
    with club.at(code) as (work, match):
        dora = add_player(work.session, "Dora", "dora@home.example", club.now)
        dora.board = "text"
        if who == "watches":
            work.session.add(WatcherRow(match_id=match.number, player_id=dora.number, since=club.now))
        else:
            Match.load(work, match).hand_over_seat(1, dora)
            notify_match_events(work)
    club.tick()
    read = read_next(club, code, "Anna")["dora"] if who == "watches" else text(club.mail("dora"))
    assert "für alle" in read
    assert "nur für Bert" not in read


def test_the_daily_mail_has_the_letters_once(club: Club, code: str) -> None:
    with club.work() as work:
        wanted_mails.switch_digest(work, get_player(work.session, "Cici"), on=True)
    club.wait(minutes=5)
    ask(club, code, 1, "press to all: guten Morgen")
    read_next(club, code, "Anna")
    club.let_pass(days=1)
    assert "guten Morgen" in text(club.mail("cici"))
    club.let_pass(days=1)
    assert not any("guten Morgen" in text(mail) for mail in club.mails("cici"))


def test_too_many_and_too_long_letters_are_refused(club: Club, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(round_letters, "DAILY", 2)
    lines = "\n".join("Blabla bla bla." * 5 for _ in range(60))
    assert f"höchstens {LONGEST}" in ask(club, code, 0, f"Presse an alle\n{lines}\nENDE PRESSE")
    assert not club.stored(LetterRow)
    for number in range(2):
        assert "nächsten Bericht" in ask(club, code, 0, f"Presse an alle: Nummer {number}")
    assert "nicht verschickt" in ask(club, code, 0, "Presse an alle: zu viel")
    club.wait(days=1, hours=1)
    assert "nächsten Bericht" in ask(club, code, 0, "Presse an alle: am nächsten Tag")


def test_control_and_direction_characters_are_taken_out() -> None:
    assert sanitize_letter(["a\u202eb\x00 c", "", "  d\te "]) == "ab c\n\nd e"


def players(*names: str) -> list[PlayerRow]:
    return [
        PlayerRow(id=n, name=name, name_key=name.casefold(), created_at=START, robot=name.startswith("R2"))
        for n, name in enumerate(names, 1)
    ]


TABLE = players("Anna", "Annabell", "Bert", "Jörg Müller", "R2D2", "Me")


def test_whom_a_letter_is_for_unless_a_players_name_is_a_word() -> None:
    for head, seats, others in (
        ("an alle", (), "everybody"), ("to everybody", (), "everybody"), ("sofort an alle", (), "everybody at once"),
        ("an alle sofort", (), "everybody at once"), ("at once to anna and BER", (0, 2), "at once"),
        ("an Anna, Bert und Jörg Müller", (0, 2, 3), ""), ("to joerg", (3,), ""), ("an Annab", (1,), ""),
        ("an den Spielleiter", (), "moderator"), ("to the moderator & Bert", (2,), "moderator"),
    ):  # fmt: skip
        found = parse_addressees(head, TABLE, 5)
        assert found.seats == seats, head
        expected = tuple(word in others for word in ("everybody", "moderator", "at once"))
        assert (found.everybody, found.moderator, found.at_once) == expected, head
    with pytest.raises(PlayerError, match="press-ambiguous"):
        parse_addressees("an alle", players("Alle", "Bert"), 1)


@pytest.mark.parametrize(("head", "why"), [
    ("", "press-to-whom"), ("an", "press-unknown"), ("an Dora", "press-unknown"),
    ("an Anna und Dora", "press-unknown"), ("an Be", "press-unknown"), ("an Ann", "press-ambiguous"),
    ("an R2D2", "press-to-a-robot"), ("an Me", "press-to-yourself"),
])  # fmt: skip
def test_whom_it_cannot_be_for(head: str, why: str) -> None:
    with pytest.raises(PlayerError) as caught:
        parse_addressees(head, TABLE, 5)
    assert caught.value.code == why


@pytest.mark.parametrize("seed", range(5))
def test_nobody_but_those_named_ever_reads_it(club: Club, code: str, seed: int) -> None:
    dice = random.Random(seed)
    names = dice.choices(["Anna", "Bert", "Cici", "alle", "Spielleiter", "Dora", "ann", ""], k=dice.randint(1, 4))
    head = f"{dice.choice(['', 'sofort ', 'at once '])}{dice.choice(['an ', 'to ', ''])}{', '.join(names)}"
    rest = dice.choice([": geheim", "\ngeheim\nENDE PRESSE", "\ngeheim", ":\ngeheim\nENDE", " geheim"])
    play(club, code, 1, f"Presse {head}{rest}")
    allowed = {"bert", *(name.lower() for name in NAMES if name in names or "alle" in names)}
    allowed |= {"anna"} if "ann" in names else set()
    allowed |= {"boss"} if "Spielleiter" in names else set()
    play(club, code, 0)
    for mail in club.mails():
        reader = str(mail["To"]).partition("@")[0].rpartition("<")[2]
        assert "geheim" not in text(mail) or reader in allowed, (head, rest, reader)
