"""Press between players: who reads what and when."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlmodel import select

from moderator.errors import PlayerError
from moderator.outbox.press import DAILY, LONGEST, read_addressees, sanitised
from moderator.play.create import add_player, find_player
from moderator.store.models import Match, Player, Press, Watcher
from tests.club.club import START, Club, copied, make_club, plain_boards, text

NAMES = ("Anna", "Bert", "Cici")


@pytest.fixture
def code(club: Club) -> str:
    plain_boards(club)
    code = club.match(*NAMES)
    club.tick()
    club.mails()
    return code


def press(club: Club, code: str, name: str, body: str) -> str:
    """What is answered to a letter."""
    club.order(name, code, NAMES.index(name), body)
    club.tick()
    return next(text(mail) for mail in club.mails() if f"{name.lower()}@" in str(mail["To"]))


def play(club: Club, code: str, name: str, more: str = "") -> dict[str, str]:
    """A move and what everybody reads of it."""
    seat = NAMES.index(name)
    club.order(name, code, seat, f"{club.moves(code, seat)[0]}\n{more}")
    club.tick()
    return {str(mail["To"]).partition("@")[0].rpartition("<")[2]: text(mail) for mail in club.mails()}


def test_a_letter_goes_with_the_next_report_once(club: Club, code: str) -> None:
    press(club, code, "Bert", "press to all: Glück auf!")
    read = play(club, code, "Anna")
    assert all("Glück auf!" in read[name] for name in ("anna", "bert", "cici"))
    assert "¦ You to all:" in read["bert"]
    assert not any("Glück auf!" in mail for mail in play(club, code, "Bert").values())


def test_a_private_letter_is_read_by_its_addressee_and_its_writer(club: Club, code: str) -> None:
    press(club, code, "Bert", "press to Cici: unter uns")
    read = play(club, code, "Anna")
    assert "unter uns" not in read["anna"]
    assert "unter uns" in read["bert"]
    assert "unter uns" in read["cici"]


def test_letter_and_move_in_one_mail(club: Club, code: str) -> None:
    read = play(club, code, "Anna", "Presse an Bert:\nviel Spaß damit\nENDE PRESSE")
    assert "viel Spaß damit" in read["bert"]
    assert "viel Spaß damit" not in read["cici"]


def test_a_letter_waits_through_receipts(club: Club, code: str) -> None:
    press(club, code, "Anna", "Presse an alle: bald mehr")
    assert "bald mehr" not in press(club, code, "Bert", "board")
    assert "bald mehr" in play(club, code, "Anna")["bert"]


def test_who_takes_over_a_seat_does_not_read_letters_to_the_one_before(club: Club, code: str) -> None:
    from moderator.play import lifecycle
    from moderator.play.announce import announce

    press(club, code, "Anna", "Presse an Bert: nur für Bert")
    press(club, code, "Anna", "Presse an alle: für alle")
    with club.desk() as desk:
        dora = add_player(desk.session, "Dora", "dora@home.example", club.now)
        dora.board = "text"
        match = desk.session.exec(select(Match)).one()
        lifecycle.hand_over(desk, match, desk.cache.live(desk.session, match), 1, dora)
        announce(desk)
    club.tick()
    mail = text(club.mail("dora"))
    assert "für alle" in mail
    assert "nur für Bert" not in mail


def test_watchers_read_what_is_for_all(club: Club, code: str) -> None:
    with club.desk() as desk:
        dora = add_player(desk.session, "Dora", "dora@home.example", club.now)
        dora.board = "text"
        match = desk.session.exec(select(Match)).one()
        desk.session.add(Watcher(match_id=match.number, player_id=dora.number, since=club.now))
    press(club, code, "Bert", "press to all: hört, hört")
    press(club, code, "Bert", "press to Anna: psst")
    read = play(club, code, "Anna")
    assert "hört, hört" in read["dora"]
    assert "psst" not in read["dora"]


def test_the_daily_mail_has_the_letters_once(club: Club, code: str) -> None:
    with club.desk() as desk:
        from moderator.outbox.digest import switch

        cici = find_player(desk.session, "Cici")
        switch(desk, cici, on=True)
    club.wait(minutes=5)
    press(club, code, "Bert", "press to all: guten Morgen")
    play(club, code, "Anna")
    club.wait(days=1)
    club.tick()
    assert "guten Morgen" in text(club.mail("cici"))
    club.wait(days=1)
    club.tick()
    assert not any("guten Morgen" in text(mail) for mail in club.mails("cici"))


@pytest.mark.matrix("club")
def test_too_many_letters_a_day_are_refused(club: Club, code: str) -> None:
    for number in range(DAILY):
        assert "nächsten Bericht" in press(club, code, "Anna", f"Presse an alle: Nummer {number}")
    assert "nicht verschickt" in press(club, code, "Anna", "Presse an alle: zu viel")
    club.wait(days=1, hours=1)
    assert "nächsten Bericht" in press(club, code, "Anna", "Presse an alle: am nächsten Tag")


def test_long_letters_are_refused(club: Club, code: str) -> None:
    lines = "\n".join("Blabla bla bla." * 5 for _ in range(60))
    assert f"höchstens {LONGEST}" in press(club, code, "Anna", f"Presse an alle\n{lines}\nENDE PRESSE")
    with club.desk() as desk:
        assert not desk.session.exec(select(Press)).all()


def test_control_and_direction_characters_are_taken_out() -> None:
    assert sanitised(["a\u202eb\x00 c", "", "  d\te "]) == "ab c\n\nd e"


def players(*names: str) -> list[Player]:
    return [
        Player(id=n, name=name, name_key=name.casefold(), created_at=START, robot=name.startswith("R2"))
        for n, name in enumerate(names, 1)
    ]


TABLE = players("Anna", "Annabell", "Bert", "Jörg Müller", "R2D2")


@pytest.mark.parametrize(
    ("head", "seats", "everybody", "moderator", "at_once"),
    [
        ("an alle", (), True, False, False),
        ("to everybody", (), True, False, False),
        ("sofort an alle", (), True, False, True),
        ("an alle sofort", (), True, False, True),
        ("at once to anna and BER", (0, 2), False, False, True),
        ("an Anna, Bert und Jörg Müller", (0, 2, 3), False, False, False),
        ("to joerg", (3,), False, False, False),
        ("an Annab", (1,), False, False, False),
        ("an den Spielleiter", (), False, True, False),
        ("to the moderator & Bert", (2,), False, True, False),
    ],
)
def test_whom_a_letter_is_for(
    head: str, seats: tuple[int, ...], everybody: bool, moderator: bool, at_once: bool
) -> None:
    found = read_addressees(head, [*TABLE, *players("Me")], 5)
    assert (found.seats, found.everybody, found.moderator, found.at_once) == (seats, everybody, moderator, at_once)


@pytest.mark.parametrize(
    ("head", "why"),
    [
        ("", "press-to-whom"),
        ("an", "press-unknown"),
        ("an Dora", "press-unknown"),
        ("an Anna und Dora", "press-unknown"),
        ("an Be", "press-unknown"),
        ("an Ann", "press-ambiguous"),
        ("an R2D2", "press-to-a-robot"),
        ("an Me", "press-to-yourself"),
    ],
)
def test_whom_it_cannot_be_for(head: str, why: str) -> None:
    with pytest.raises(PlayerError) as caught:
        read_addressees(head, [*TABLE, *players("Me")], 5)
    assert caught.value.code == why


def test_a_player_whose_name_is_a_word_makes_it_ambiguous() -> None:
    with pytest.raises(PlayerError, match="press-ambiguous"):
        read_addressees("an alle", players("Alle", "Bert"), 1)


@pytest.mark.slow
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from(["Anna", "Bert", "Cici", "alle", "Spielleiter", "Dora", "ann", ""]), max_size=4),
    st.sampled_from(["", "sofort ", "at once "]),
    st.sampled_from(["an ", "to ", ""]),
    st.sampled_from([": geheim", "\ngeheim\nENDE PRESSE", "\ngeheim", ":\ngeheim\nENDE", " geheim"]),
)
def test_nobody_but_those_named_ever_reads_it(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], now: str, to: str, rest: str
) -> None:
    club = ready(tmp_path_factory)
    head = f"{now}{to}{', '.join(names)}"
    club.order("Bert", "K7Q2", 1, f"Presse {head}{rest}")
    club.tick()
    seats = {name: seat for seat, name in enumerate(NAMES)}
    everybody = "alle" in names
    allowed = {"bert", *(name.lower() for name in seats if name in names or everybody)}
    allowed |= {"anna"} if "ann" in names else set()
    allowed |= {"boss"} if "Spielleiter" in names else set()
    club.order("Anna", "K7Q2", 0, club.moves("K7Q2", 0)[0])
    club.tick()
    for mail in club.mails():
        reader = str(mail["To"]).partition("@")[0].rpartition("<")[2]
        assert "geheim" not in text(mail) or reader in allowed, (head, rest, reader)


_EMPTY: list[Club] = []


def ready(factory: pytest.TempPathFactory) -> Club:
    """A copy of a club with a match in which nothing has been written yet."""
    from moderator.club import tokens

    if not _EMPTY:
        club = make_club(factory.mktemp("letters") / "club", kept=True)
        club.players(*NAMES)
        plain_boards(club)
        before = tokens.new_code
        tokens.new_code = lambda long=False: "K7Q2"
        try:
            club.match(*NAMES)
        finally:
            tokens.new_code = before
        club.tick()
        club.mails()
        _EMPTY.append(club)
    return copied(_EMPTY[0], factory.mktemp("copy") / "club")
