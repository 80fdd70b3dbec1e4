"""What somebody may do with a token that is another's, old, or came with a forwarded mail; players who command."""

from __future__ import annotations

import pytest
from sqlmodel import select

from moderator.club.tokens import moderator_token
from moderator.play.create import find_player
from moderator.store.models import AddressChange, Match, Player, Protest, Question, Watcher
from tests.attack.post import VOUCHED, Still, everything, raw, seat_address, started, ticked, to_move
from tests.club.club import Club, text

OFFICE = "anna@office.example"
OWN = (
    "Sprache englisch", "Zeitzone Asia/Tokyo", "Brettform Tabelle", "Sammelmail an", "Einzelzug an",
    "Abwesend 1.12.2026 - 5.12.2026", "Übersicht", "Turnier",
)  # fmt: skip
"""Commands about the player, not about one match."""


def player(club: Club, name: str) -> dict[str, object]:
    with club.desk() as desk:
        return find_player(desk.session, name).model_dump()


def test_berts_token_does_nothing_for_annas_seat(club: Club) -> None:
    """It is Anna's turn. Bert names her seat, her match, her name in every way."""
    code, other = started(club), started(club, "Anna", "Cici")
    body = f"passe\n{other}: passe\n[{other}]\npasse\nPartie {other}\npasse\nZug {code} Anna: passe\nAufgeben {other}"
    club.order("Bert", code, 1, body)
    ticked(club)
    assert (to_move(club, code), to_move(club, other)) == ((0,), (0,))
    assert club.row(other).status == "running"
    assert "Cici" not in text(club.mails("bert")[0])


@pytest.mark.parametrize(
    "line", ["Brett", "Steine", "Stand", "Verlauf", "Kalender", "Mail noch einmal", "Presse an alle: hu"]
)
def test_berts_token_reads_nothing_of_a_match_that_is_not_his(still: Still, line: str) -> None:
    hands = still.club.live(still.two).table.state.hands
    word, colon, rest = line.partition(":")
    found = still.tried(f"{word} {still.two}{colon}{rest}", "From: bert@home.example", to=still.seat(1))
    assert set(found.to) <= {"bert@home.example"}
    for hand in hands:
        assert " ".join(hand) not in found.told
    assert still.club.token(still.two, 0) not in found.told


@pytest.mark.parametrize("line", OWN)
def test_a_token_that_was_forwarded_changes_no_settings(still: Still, line: str) -> None:
    before = still.tried("", f"From: {OFFICE}")
    found = still.tried(line, f"From: {OFFICE}", to=still.seat(0))
    assert (found.players, found.leaves) == (before.players, 0)
    assert found.to == ["anna@home.example"]  # who so learns of it
    own = still.tried(line, "From: anna@home.example", to=still.seat(0))
    assert (own.players, own.leaves) != (before.players, 0) or line in ("Übersicht", "Turnier")


def test_nor_does_it_move_her_to_another_address(club: Club) -> None:
    """Both mailboxes must say yes; the thief has only one of them."""
    code = started(club)
    club.write(OFFICE, f"Adresse {OFFICE}", to=seat_address(club, code, 0))
    ticked(club)
    question = club.mail(OFFICE)
    assert len(club.mails("anna@home")) >= 1
    club.write(OFFICE, "Ja", to=str(question["Reply-To"]))
    ticked(club)
    assert player(club, "Anna")["address"] == "anna@home.example"
    with club.desk() as desk:
        change = desk.session.exec(select(AddressChange)).one()
        assert (change.old_said, change.new_said) == (False, True)
        assert change.old_token not in everything(question)


@pytest.mark.matrix("attack")
def test_the_token_of_a_match_that_is_over_opens_no_other(club: Club) -> None:
    over, other = started(club, pass_rounds=1), started(club)
    for seat, name in enumerate(("Anna", "Bert")):
        club.order(name, over, seat, "passe")
        ticked(club)
    assert club.row(over).status == "finished"
    club.mails()
    club.write(OFFICE, f"passe\n{other}: passe\nAufgeben {other}\nSprache englisch", to=seat_address(club, over, 0))
    ticked(club)
    assert to_move(club, other) == (0,)
    assert player(club, "Anna")["language"] == "de"
    assert club.row(other).status == "running"


def test_the_token_of_who_has_left_opens_nothing(club: Club) -> None:
    """Bert's seat goes to Cici, who gets a token of her own; what was written to Bert's is nobody's then."""
    code = started(club)
    old = seat_address(club, code, 1)
    from moderator.play import lifecycle

    with club.desk() as desk:
        match = desk.session.exec(select(Match)).one()
        lifecycle.hand_over(desk, match, desk.cache.live(desk.session, match), 1, find_player(desk.session, "Cici"))
    club.order("Anna", code, 0, "passe")
    ticked(club)
    assert to_move(club, code) == (1,)
    club.mails()
    assert raw(club, "passe", "From: bert@office.example", to=old).state == "unknown"
    assert raw(club, "Steine", "From: bert@home.example", "Authentication-Results: " + VOUCHED, to=old).state == "done"
    assert to_move(club, code) == (1,)
    hand = club.live(code).table.state.hands[1]
    for mail in club.mails():
        assert " ".join(hand) not in everything(mail)
    club.order("Cici", code, 1, "passe")
    ticked(club)
    assert to_move(club, code) == (0,)


COMMANDS = (
    "Pause {0}", "Verlängern {0} 5", "Auswerten {0}!", "Zurück {0} R1", "Wort QUARK erlaubt",
    "Ersetzen {0} Anna durch Cici",
    "Ausschließen {0} Anna", "Zug {0} Anna: passe", "Amtlich {0}: Hallo", "Amtlich an alle: Hallo",
    "Entschuldigen {0} Bert",
    "Vorschau {0}", "Fehlende", "Einspruch 1 stattgegeben",
)  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_a_player_commands_nothing(still: Still, command: str) -> None:
    before = still.tried("", f"From: {OFFICE}")
    found = still.tried(command.format(still.one), "From: bert@home.example", to=still.seat(1))
    assert (found.matches, found.players, found.moved) == (before.matches, before.players, False)
    assert not still.club.config.path(still.club.config.words.house).exists()
    assert set(found.to) <= {"bert@home.example"}
    assert "BOSS-" not in found.told


@pytest.mark.matrix("attack")
def test_the_moderators_address_is_no_proof(club: Club) -> None:
    code = started(club)
    vouched = "Authentication-Results: mx.club.example; dmarc=pass header.from=club.example"
    raw(club, f"Pause {code}", "From: boss@club.example", vouched)
    assert not club.row(code).stopped
    told = club.mail("boss")  # only the moderator reads how it is done
    club.write("boss@club.example", f"Pause {code}", to=str(told["Reply-To"]))
    ticked(club)
    assert club.row(code).stopped == "pause"


@pytest.mark.matrix("attack")
def test_who_has_the_moderators_token_commands_but_reads_nothing(club: Club) -> None:
    """Whoever was forwarded a mail of the moderator's: each answer goes to the moderator, who so learns of it; a new
    token is made by `moderator token`, and the old one opens nothing."""
    code = started(club)
    with club.desk() as desk:
        old = moderator_token(desk.session)
    club.write("cici@home.example", f"Stand {code}", to=f"games+BOSS-{old}@club.example")
    ticked(club)
    assert [str(mail["To"]).partition("<")[2] for mail in club.mails()] == ["boss@club.example>"]
    with club.desk() as desk:
        assert moderator_token(desk.session, new=True) != old
    club.write("cici@home.example", f"Pause {code}", to=f"games+BOSS-{old}@club.example")
    ticked(club)
    assert not club.row(code).stopped


@pytest.mark.matrix("attack")
def test_questions_to_the_moderator_are_answered_by_nobody_else(club: Club) -> None:
    """A word's and a protest's number are known to players; their tokens are not."""
    code = started(club)
    with club.desk() as desk:
        match = desk.session.exec(select(Match)).one()
        bert = find_player(desk.session, "Bert").number
        desk.session.add(Question(match_id=match.number, word="QUARK", token="ABCDEFGHJK", asked_at=club.now))
        desk.session.add(
            Protest(match_id=match.number, player_id=bert, round=1, text="x", token="KJHGFEDCBA", at=club.now)
        )
    club.order("Bert", code, 1, "QUARK erlaubt\nEinspruch 1 stattgegeben")
    for to in ("games+WORD-KJHGFEDCBA@club.example", "games+PROT-ABCDEFGHJK@club.example"):
        club.write("Bert", "erlaubt\nstattgegeben", to=to)
    ticked(club)
    with club.desk() as desk:
        assert desk.session.exec(select(Question.answered_at)).one() is None
        assert [one.answered_at for one in desk.session.exec(select(Protest)).all()].count(None) >= 1
        assert not desk.session.exec(select(Protest).where(Protest.upheld)).all()


@pytest.mark.matrix("attack")
def test_a_watcher_has_no_seat(club: Club) -> None:
    code = started(club)
    with club.desk() as desk:
        match = desk.session.exec(select(Match)).one()
        cici = desk.session.exec(select(Player).where(Player.name == "Cici")).one()
        desk.session.add(Watcher(match_id=match.number, player_id=cici.number, since=club.now, told=True))
    raw(club, f"{code}: passe\nSteine {code}\nPresse sofort an Anna in {code}: hu", "From: cici@home.example",
        "Authentication-Results: " + VOUCHED)  # fmt: skip
    assert to_move(club, code) == (0,)
    hand = club.live(code).table.state.hands[0]
    assert all(" ".join(hand) not in everything(mail) for mail in club.mails("cici"))
