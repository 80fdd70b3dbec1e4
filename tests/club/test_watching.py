"""Spectators see every report and nothing that not everybody may see. ``List-Unsubscribe`` keeps its word: what mail
programs send to it ends what can be ended, and says what cannot."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from sqlmodel import select

from moderator import games
from moderator.commands.declaration import find
from moderator.match import rng
from moderator.match.contract import Game
from moderator.outbox import lists
from moderator.pages.pages import WITHOUT_PAGE
from moderator.play.create import find_match, find_player
from moderator.play.tournaments import registration
from moderator.states import MailKind
from moderator.store.models import Player, Standby, Watcher
from tests.club.club import Club, make_club, plain_boards, text
from tests.club.test_hidden_tiles import CODE, WRONG, Worlds, fixed, other, worlds
from tests.club.tile_club import NAMES, TILE_GAMES

VOUCHED = "mx.club.example; dmarc=pass header.from=home.example"
__all__ = ["fixed"]


@pytest.fixture
def club(tmp_path: Path) -> Club:
    made = make_club(tmp_path / "club")
    made.players("Anna", "Bert", "Cici", Bert="en")
    plain_boards(made)
    return made


@pytest.fixture
def code(club: Club) -> str:
    """A match of Anna and Bert; its first mails are read."""
    made = club.match("Anna", "Bert")
    club.tick()
    club.mails()
    return made


def writes(club: Club, name: str, body: str) -> None:
    club.write(name, body, Authentication_Results=VOUCHED)
    assert not club.tick().quarantined


def orders(club: Club, code: str, name: str, body: str = "") -> None:
    """A mail to the seat's own address; without a body with the best move."""
    seat = NAMES.index(name)
    club.order(name, code, seat, body or club.moves(code, seat)[0])
    club.tick()


def bystanders(club: Club) -> list[int]:
    """How many watch, and how many wait for a seat."""
    with club.desk() as desk:
        return [len(desk.session.exec(select(table)).all()) for table in (Watcher, Standby)]


# ---- watching ----


def test_who_watches_reads_every_report_until_the_end_and_the_players_read_of_it_once(club: Club, code: str) -> None:
    writes(club, "Cici", f"Zuschauen {code}")
    first = club.mail("cici")
    assert str(first["Reply-To"]) == "games@club.example"
    assert code in str(first["Subject"])
    for name, news in (("Anna", True), ("Bert", False)):
        orders(club, code, name)
        club.mail("cici")
        assert ["Cici" in text(club.mail(reader)) for reader in ("anna", "bert")] == [news, news]
    orders(club, code, "Anna", f"Aufgeben {code}")
    assert "zu Ende" in str(club.mail("cici")["Subject"])


def test_who_watches_sees_no_token_and_no_rack_and_cannot_move(club: Club, code: str) -> None:
    writes(club, "Cici", f"Zuschauen {code}")
    writes(club, "Cici", f"{code}: passe")
    assert club.live(code).table.state.to_move == (0,)
    orders(club, code, "Anna", "passe")
    held = [" ".join(hand) for hand in club.live(code).table.state.hands]
    for mail in club.mails("cici"):
        raw = mail.as_string() + text(mail)
        for secret in (*held, club.token(code, 0), club.token(code, 1), "Deine Steine"):
            assert secret not in raw


def test_enough_seen(club: Club, code: str) -> None:
    writes(club, "Cici", f"Zuschauen {code}")
    writes(club, "Cici", f"Nicht mehr zuschauen {code}")
    club.mails()
    orders(club, code, "Anna", "passe")
    assert club.mails("cici") == []


def test_nobody_watches_a_match_of_their_own(club: Club, code: str) -> None:
    for name in ("Anna", "Cici"):
        writes(club, name, f"Zuschauen {code}")
    orders(club, code, "Bert", f"Resign {code}")
    assert bystanders(club)[0] == 1
    writes(club, "Cici", f"watch {club.match('Anna', 'Bert', 'Cici')}")
    assert bystanders(club)[0] == 1


def test_who_takes_a_seat_watches_no_more(club: Club) -> None:
    club.players("Dora")
    plain_boards(club)
    code = club.match("Anna", "Bert", "Dora")
    writes(club, "Cici", f"Zuschauen {code}")
    orders(club, code, "Bert", f"Resign {code}")
    writes(club, "Cici", f"Übernehmen {code}")
    assert bystanders(club)[0] == 0


def test_a_watcher_with_a_daily_mail_reads_a_line_there(club: Club, code: str) -> None:
    writes(club, "Cici", "Sammelmail an")
    writes(club, "Cici", f"Zuschauen {code}")
    club.mails()
    orders(club, code, "Anna", "passe")
    assert club.mails("cici") == []
    club.wait(days=1)
    club.tick()
    assert code in text(club.mail("cici"))


def test_its_words_are_found() -> None:
    lines = {
        "watch": (f"Zuschauen {CODE}", f"watch {CODE}", f"Zuschauen bei Partie {CODE}"),
        "unwatch": (f"nicht mehr zuschauen {CODE}", f"stop watching {CODE}", "Nicht mehr zuschauen"),
    }
    for name, written in lines.items():
        for line in written:
            found = find(line)
            assert found is not None, line
            assert found[0].name == name


def watched(club: Club, game: Game[Any, Any], world: Worlds) -> Iterator[bytes]:
    """All mails to somebody who watches a match in one world."""
    club.players(*NAMES[:2], "Zuschauerin")
    code = club.match(*NAMES[:2], game=game.key, seed=lambda match: world.seed)
    club.write("Zuschauerin", f"Zuschauen {code}", Authentication_Results=VOUCHED)
    for move in (*world.moves, ""):
        club.tick()
        # Wrong orders name tiles that nobody has seen; their receipts go to who wrote them.
        club.order(NAMES[world.reader], code, world.reader, "\n".join(WRONG[game.key](t) for t in world.unseen[:20]))
        club.write("Zuschauerin", f"Zuschauen {code}", Authentication_Results=VOUCHED)
        club.tick()
        if move:
            seat = club.live(code).table.state.to_move[0]
            club.order(NAMES[seat], code, seat, move)
            club.tick()
    for mail in club.mails("zuschauerin@"):
        yield mail.as_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("game", TILE_GAMES)
def test_hidden_tiles_leave_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fixed: Callable[[], None], game: str
) -> None:
    """What one player cannot see nobody who watches can see either."""
    rules = games.load(game)
    world = worlds(rules, 0)
    fixed()
    ours = list(watched(make_club(tmp_path / "ours"), rules, world))
    real = rng.shuffler
    monkeypatch.setattr(rng, "shuffler", lambda *values: other(real(*values), world.exchanged))
    fixed()
    theirs = list(watched(make_club(tmp_path / "theirs"), rules, world))
    assert len(ours) >= len(world.moves)
    assert ours == theirs


# ---- List-Unsubscribe ----

SENT = {
    "nothing at all": ("", "", {}),
    "the subject that the header asks for": (None, "", {}),
    "a word in the subject": ("unsubscribe", "", {}),
    "a word in the body": ("", "unsubscribe\n", {}),
    "Gmail": ("unsubscribe", "This message was automatically generated by Gmail.\n", {}),
    "Apple Mail": (
        "unsubscribe",
        "Sent from my iPhone using Apple Mail: Apple Mail sent this email to unsubscribe from the message “Einladung”.",
        {},
    ),
    "a sentence": ("Re: Einladung", "Bitte keine Mails mehr!\n\nAnna", {}),
    "a move": ("", "E5 w HAUS\n", {}),
    "a mail program by itself": ("unsubscribe", "", {"Auto_Submitted": "auto-generated"}),
    "as bulk mail": ("", "", {"Precedence": "bulk"}),
}


def opened(club: Club, name: str) -> dict[str, EmailMessage]:
    """The invitations, by name, to a tournament whose registration opens with the next run."""
    with club.desk() as desk:
        registration.new_tournament(desk.session, name, "dominos", "swiss", club.now, opens_at=club.now)
    club.tick()
    mails = {str(mail["To"]): mail for mail in club.mails()}
    return {name: mail for name in NAMES for to, mail in mails.items() if name.lower() in to}


def invited(club: Club, name: str = "Anna") -> EmailMessage:
    return opened(club, "Herbstcup")[name]


def target(mail: EmailMessage) -> tuple[str, str]:
    """Address and subject of the header, as a mail program takes them."""
    url = urlsplit(str(mail["List-Unsubscribe"]).strip("<>"))
    assert url.scheme == "mailto"
    return unquote(url.path), parse_qs(url.query)["subject"][0]


def player(club: Club, name: str) -> Player:
    with club.desk() as desk:
        return find_player(desk.session, name)


def ends(club: Club, name: str, mail: EmailMessage, body: str = "") -> str:
    """What is answered to a mail to the header's address."""
    club.mails()
    club.write(name, body, to=target(mail)[0])
    club.tick()
    return text(club.mails(name)[-1])


@pytest.mark.parametrize("what", SENT)
def test_whatever_a_mail_program_sends_there_is_done(club: Club, what: str) -> None:
    subject, body, headers = SENT[what]
    place, asked = target(invited(club))
    club.write("anna@elsewhere.example", body, to=place, subject=asked if subject is None else subject, **headers)
    club.tick()
    assert not player(club, "Anna").invitations
    answers = club.mails()
    assert len(answers) == (0 if headers else 1), "machines are not answered"
    for answer in answers:
        assert "anna@home.example" in str(answer["To"]), "the answer goes to the player, whoever wrote"
        assert "Abbestellt. Einladungen zu Turnieren bekommst du nicht mehr." in text(answer)
        assert "Von uns kommt jetzt nichts mehr, außer Antworten auf deine eigenen Mails." in text(answer)
        assert "kein Zug" not in text(answer)
        assert answer["List-Unsubscribe"] is None
    assert opened(club, "Wintercup").keys() == {"Bert", "Cici"}


def test_where_sub_addresses_do_not_work_the_subject_carries_the_token(club: Club) -> None:
    _, subject = target(invited(club))
    club.write("eve@spy.example", "unsubscribe", to="games+STOP-0000000000@club.example")
    club.tick()
    assert player(club, "Anna").invitations, "a wrong token opens nothing"
    assert not club.mails("anna")
    club.write("anna@elsewhere.example", "", subject=subject)
    club.tick()
    assert not player(club, "Anna").invitations
    assert "Abbestellt." in text(club.mail("Anna"))


def test_who_plays_reads_what_still_comes_and_every_line_named_works(club: Club, code: str) -> None:
    mail = invited(club)
    orders(club, code, "Anna", "Sammelmail an")
    said = ends(club, "Anna", mail)
    assert f"Von Partie {code} kommen weiter Mails" in said
    assert "Die Sammelmail bleibt an" in said
    lines = re.findall(r"[»“]([^«”]+)[«”]", said)
    assert lines[:2] == [f"AUFGEBEN {code}", "EINLADUNGEN AN"]
    orders(club, code, "Anna", "\n".join(reversed(lines[:2])))
    assert player(club, "Anna").invitations
    assert club.row(code).status == "finished"


@pytest.fixture
def report(club: Club, code: str) -> EmailMessage:
    """The first report to Cici, who watches the match and waits for a seat, too."""
    with club.desk() as desk:
        cici = find_player(desk.session, "Cici").number
        match = find_match(desk.session, code).number
        desk.session.add(Watcher(match_id=match, player_id=cici, since=club.now))
        desk.session.add(Standby(player_id=cici, since=club.now))
    orders(club, code, "Anna")
    return next(mail for mail in club.mails("Cici") if mail["List-Unsubscribe"])


def test_watching_a_match_ends_alone(club: Club, code: str, report: EmailMessage) -> None:
    assert target(report)[0].startswith(f"games+{code}-")
    said = ends(club, "Cici", report, club.moves(code, 1)[0])
    assert len(club.log(code)) == 1, "it is no address for moves"
    assert f"Du schaust nicht mehr zu bei: {code}." in said
    assert "Alles andere kommt wie bisher." in said
    assert player(club, "Cici").invitations
    assert bystanders(club) == [0, 1]
    orders(club, code, "Bert")
    assert club.mails("Cici") == []
    writes(club, "Cici", re.findall(r"»(ZUSCHAUEN [^«]+)«", said)[0])
    assert bystanders(club) == [1, 1]


def test_watching_and_the_substitutes_list_end_with_all_else(club: Club, code: str, report: EmailMessage) -> None:
    said = ends(club, "Cici", invited(club, "Cici"))
    assert f"Du schaust nicht mehr zu bei: {code}." in said
    assert "nicht mehr auf der Liste der Ersatzspieler" in said
    assert f"»ZUSCHAUEN {code}«" in said
    orders(club, code, "Bert")
    assert club.mails("Cici") == []
    assert bystanders(club) == [0, 0]


def test_the_daily_mail_ends_and_its_matches_are_told_singly(club: Club, code: str) -> None:
    orders(club, code, "Anna", "Sammelmail an\npasse")
    orders(club, code, "Bert", "pass")
    club.wait(days=1)
    club.tick()
    daily = next(mail for mail in club.mails("Anna") if "daily" in str(mail["List-Id"]))
    said = ends(club, "Anna", daily)
    assert "Abbestellt. Die Sammelmail kommt nicht mehr." in said
    assert "bekommst du stattdessen wieder für jeden Zug eine Mail" in said
    assert re.findall(r"»([^«]+)«", said)[:3] == [f"AUFGEBEN {code}", "ABBESTELLEN", "SAMMELMAIL AN"]
    assert (player(club, "Anna").digest, player(club, "Anna").invitations) == (False, True)


@pytest.mark.parametrize(
    ("name", "subject", "body", "word"),
    [
        ("Anna", "", "Abbestellen", "Abbestellt."),
        ("Anna", "unsubscribe", "", "Abbestellt."),
        ("Bert", "", "unsubscribe", "Unsubscribed."),
        ("Anna", "unsubscribe", "This message was automatically generated by Gmail.", "Abbestellt."),
    ],
)
def test_the_word_in_an_ordinary_mail_does_the_same(
    club: Club, code: str, name: str, subject: str, body: str, word: str
) -> None:
    club.order(name, code, NAMES.index(name), body, subject=subject)
    club.tick()
    assert not player(club, name).invitations
    said = text(club.mail(name))
    assert word in said
    assert "nichts zu spielen" not in said
    assert "kein Zug" not in said


def test_mails_that_others_wait_for_have_none(club: Club) -> None:
    """A whole turn: beginning, report, answers, end. Only what nobody waits for can be stopped."""
    assert set(lists.WHERE) == set(MailKind) - WITHOUT_PAGE, "every kind of mail says which list it comes from"
    code = club.match("Anna", "Bert")
    club.tick()
    for name, body in (("Anna", ""), ("Bert", "Stand"), ("Bert", f"aufgeben {code}")):
        orders(club, code, name, body)
    found = club.mails()
    assert len(found) > 5
    assert [str(mail["Subject"]) for mail in found if mail["List-Unsubscribe"]] == []


def test_each_player_has_one_address_for_it_and_no_others(club: Club) -> None:
    first, second = ({name: target(mail) for name, mail in opened(club, cup).items()} for cup in ("Eins", "Zwei"))
    assert first == second
    assert len(set(first.values())) == 3
    assert all(place.startswith("games+STOP-") for place, _ in first.values()), "never the address for moves"
