"""Free seats, seats that were given up, standby lists, and writers whom nobody knows."""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner
from sqlmodel import select

from moderator.cli.run import cli
from moderator.commands.player import newcomer
from moderator.inbox import signup
from moderator.mail.inbound import read_mail
from moderator.play import create
from moderator.play.create import add_player, find_player, new_match
from moderator.store.models import Inbox, Match, Player, Seat, Standby
from tests.club.club import Club, make_club, plain_boards, text

VOUCHED = "mx.club.example; dmarc=pass header.from={}.example"


def from_home(club: Club, name: str, body: str, **more: Any) -> None:
    domain = name.partition("@")[2].removesuffix(".example") or "home"
    club.write(name, body, Authentication_Results=VOUCHED.format(domain), **more)
    summary = club.tick()
    assert not summary.quarantined, summary.quarantined


def open_match(club: Club, *names: str, wanted: int, game: str = "topwords") -> str:
    plain_boards(club)
    with club.desk() as desk:
        players = [find_player(desk.session, name) for name in names]
        return new_match(desk.session, game, "Arratia", players, {}, club.now, wanted=wanted).code


def names(club: Club, code: str) -> list[str]:
    with club.desk() as desk:
        match = desk.session.exec(select(Match).where(Match.code == code)).one()
        return [player.name for player in desk.players(match)]


def test_the_last_seat_starts_the_match(club: Club) -> None:
    code = open_match(club, "Anna", wanted=3)
    from_home(club, "Bert", f"join {code}")
    assert club.row(code).status == "open"
    assert code in text(club.mail("bert"))
    assert club.mails("anna") == []
    from_home(club, "Cici", f"Mitspielen {code}")
    assert club.row(code).status == "running"
    assert names(club, code) == ["Anna", "Bert", "Cici"]
    for name in ("Anna", "Bert", "Cici"):
        assert "[" + code in str(club.mail(name)["Subject"])


def test_who_sits_there_sits_there_once(club: Club) -> None:
    code = open_match(club, "Anna", wanted=3)
    for name in ("Anna", "Bert", "Bert"):
        from_home(club, name, f"Mitspielen {code}")
    assert names(club, code) == ["Anna", "Bert"]


def test_no_seat_too_many(club: Club) -> None:
    code = open_match(club, "Anna", wanted=2)
    from_home(club, "Bert", "mitspielen")
    from_home(club, "Cici", f"Mitspielen {code}")
    assert names(club, code) == ["Anna", "Bert"]
    with club.desk() as desk:
        assert create.open_matches(desk) == []


def test_a_match_without_free_seats_is_nobodys(club: Club) -> None:
    """Set up by the moderator for named players, not dealt yet: nobody else may come in."""
    code = open_match(club, "Anna", "Bert", wanted=0)
    from_home(club, "Cici", f"Mitspielen {code}")
    assert names(club, code) == ["Anna", "Bert"]


def test_several_are_listed_one_is_taken(club: Club) -> None:
    first, second = open_match(club, "Anna", wanted=3), open_match(club, "Anna", wanted=3, game="tridom")
    from_home(club, "Cici", "Mitspielen")
    listed = text(club.mail("cici"))
    assert first in listed
    assert second in listed
    from_home(club, "Cici", "Mitspielen Tridom")
    assert names(club, second) == ["Anna", "Cici"]
    assert names(club, first) == ["Anna"]


def test_taking_over(club: Club) -> None:
    plain_boards(club)
    code = club.match("Anna", "Bert", "Cici")
    club.players("Dora")
    plain_boards(club)
    from_home(club, "Dora", f"Übernehmen {code}")
    assert "Dora" not in names(club, code)
    club.order("Bert", code, 1, f"Aufgeben {code}")
    club.tick()
    old = club.token(code, 1)
    club.mails()
    from_home(club, "Anna", f"Übernehmen {code}")
    from_home(club, "Dora", f"uebernehmen {code}")
    assert names(club, code) == ["Anna", "Dora", "Cici"]
    assert club.token(code, 1) != old
    assert [str(mail["Subject"]).count(code) for mail in club.mails("dora")] == [1]
    assert club.live(code).table.out == frozenset() or not club.live(code).table.out


def test_standby(club: Club) -> None:
    def rows() -> list[str]:
        with club.desk() as desk:
            return sorted(desk.session.exec(select(Standby.game)).all())

    for line, expected in (
        ("Ersatzspieler an", [""]),
        ("Ersatzspieler an", [""]),
        ("Standby Tridom", ["", "tridom"]),
        ("standby off", []),
        ("Ersatzspieler Presto", ["presto"]),
        ("Ersatzspieler Dom", ["presto"]),
        ("Ersatzspieler aus", []),
    ):
        from_home(club, "Cici", line)
        assert rows() == expected, line


def test_the_standby_player_gets_the_seat(club: Club) -> None:
    plain_boards(club)
    from_home(club, "Cici", "Ersatzspieler Topwords")
    code = club.match("Anna", "Bert", terms={"days": 1, "abandon_after": 1, "excused": 0})
    club.tick()
    for _ in range(5):
        club.wait(days=1)
        club.tick()
    assert "Cici" in names(club, code)


# Writers whom nobody knows


def strangers_club(tmp_path: Any, signup: str) -> Club:
    from dataclasses import replace

    club = make_club(tmp_path)
    club.players("Anna")
    club.config = _with(club.config, replace(club.config.club, signup=signup))  # type: ignore[arg-type]
    return club


def _with(config: Any, club: Any) -> Any:
    from dataclasses import replace

    changed = replace(config, club=club)
    object.__setattr__(changed, "file", config.file)
    return changed


@pytest.fixture
def open_club(tmp_path: Any) -> Club:
    return strangers_club(tmp_path, "open")


@pytest.fixture
def closed_club(tmp_path: Any) -> Club:
    return strangers_club(tmp_path, "closed")


def players(club: Club) -> dict[str, str | None]:
    with club.desk() as desk:
        return {player.name: player.address for player in desk.session.exec(select(Player))}


def test_a_stranger_is_asked_and_let_in(open_club: Club) -> None:
    open_club.write("Zoe@far.example", "Mitspielen Zoë Kraft")
    open_club.tick()
    assert list(players(open_club)) == ["Anna"]
    question = open_club.mail("zoe@far")
    open_club.write("Zoe@far.example", "JA", to=str(question["Reply-To"]))
    open_club.tick()
    assert players(open_club)["Zoë Kraft"] == "zoe@far.example"
    welcome = open_club.mail("zoe@far")
    assert "HILFE" in text(welcome)
    assert "Zoë Kraft" in text(open_club.mail("boss"))
    from_home(open_club, "zoe@far.example", "Sprache englisch")
    assert "English" in text(open_club.mail("zoe@far"))


def test_the_word_decides_the_language(open_club: Club) -> None:
    open_club.write("zoe@far.example", "join")
    open_club.tick()
    question = open_club.mail("zoe@far")
    assert "YES" in text(question)
    open_club.write("zoe@far.example", "yes", to=str(question["Reply-To"]))
    open_club.tick()
    with open_club.desk() as desk:
        made = desk.session.exec(select(Player).where(Player.address == "zoe@far.example")).one()
        assert (made.language, made.name) == ("en", "Zoe")


@pytest.mark.parametrize("wish", ["Mitspielen {}", "Mitspielen Topwords", "join {}"])
def test_straight_into_a_match(open_club: Club, wish: str) -> None:
    code = open_match(open_club, "Anna", wanted=2)
    open_club.write("zoe@far.example", wish.format(code))
    open_club.tick()
    question = open_club.mail("zoe@far")
    open_club.write("zoe@far.example", "JA", to=str(question["Reply-To"]))
    open_club.tick()
    assert open_club.row(code).status == "running"
    assert names(open_club, code) == ["Anna", "Zoe"]
    assert len(open_club.mails("zoe@far")) == 2


def test_no_means_no_and_unclear_is_asked_again(open_club: Club) -> None:
    open_club.write("zoe@far.example", "Mitspielen")
    open_club.tick()
    question = open_club.mail("zoe@far")
    open_club.write("zoe@far.example", "Wer bist du?", to=str(question["Reply-To"]))
    open_club.tick()
    assert str(open_club.mail("zoe@far")["Reply-To"]) == str(question["Reply-To"])
    for word in ("NEIN", "JA"):
        open_club.write("zoe@far.example", word, to=str(question["Reply-To"]))
        open_club.tick()
    assert list(players(open_club)) == ["Anna"]
    assert open_club.mails() == []


def test_only_a_wish_is_answered_and_once_a_day(open_club: Club) -> None:
    for body in ("Hallo, wer seid ihr?", "E5 w HAUS", "Stand", "HILFE", "Jetzt mitmachen und gewinnen!"):
        open_club.write("zoe@far.example", body, Authentication_Results=VOUCHED.format("far"))
    open_club.tick()
    assert open_club.mails() == []
    for _ in range(3):
        open_club.write("zoe@far.example", "Mitspielen")
    open_club.tick()
    assert len(open_club.mails()) == 1


def test_no_flood(open_club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signup, "MOST_A_DAY", 3)
    for number in range(6):
        open_club.write(f"z{number}@far.example", "join")
    open_club.tick()
    assert len(open_club.mails()) == 3


@pytest.mark.parametrize("vouched", [True, False])
def test_a_closed_club_tells_both(closed_club: Club, vouched: bool) -> None:
    """The stranger at once, whose answer is made once a day; the moderator in the notice of the day."""
    headers = {"Authentication_Results": VOUCHED.format("far")} if vouched else {}
    for number in range(2):
        closed_club.write("zoe@far.example", f"Join Zoe\n{number}", **headers)
        closed_club.tick()
    assert "entered by the moderator" in text(closed_club.mail("zoe@far"))
    assert closed_club.mails() == []
    closed_club.wait(days=1)
    closed_club.tick()
    told = text(closed_club.mail("boss"))
    assert "Zoe (zoe@far.example) möchte mitspielen" in told
    assert "»Annehmen 1«" in told
    assert list(players(closed_club)) == ["Anna"]
    with closed_club.desk() as desk:
        add_player(desk.session, "Zoe", "zoe@far.example", closed_club.now)
        assert set(desk.session.exec(select(Inbox.state))) == {"done", "unknown"}


def test_a_forged_wish_is_not_answered(closed_club: Club) -> None:
    closed_club.write("zoe@far.example", "Join Zoe", Authentication_Results="mx.club.example; dmarc=fail")
    closed_club.tick()
    assert closed_club.mails() == []


@pytest.mark.parametrize(
    ("subject", "body", "name"),
    [
        ("", "Mitspielen als Zoë", "Zoë"),
        ("Mitspielen", "Hallo!", "Zoe"),
        ("", "Mitspielen Stan", "Stan"),
        ("Re: join", "", "Zoe"),
        ("", "Mitspielen Anna", "Anna 2"),
        ("", "Mitspielen E5 w HAUS", "E w HAUS"),
        ("", "Mitspielen Anne", "Anne"),
        ("", "Mitspielen Stand", "Zoe"),
        ("", "Mitspielen Spielleiter", "Zoe"),
        ("", "Mitspielen \u202eanna <b>@x", "anna b x"),
        ("", "anmelden: Jean-Luc O’Neil", "Jean-Luc O’Neil"),
    ],
)
def test_names(open_club: Club, subject: str, body: str, name: str) -> None:
    head = f"From: Zoe <zoe@far.example>\nSubject: {subject}\nContent-Type: text/plain; charset=utf-8\n\n{body}\n"
    found = newcomer.wish(read_mail(head.encode()))
    assert found is not None
    with open_club.desk() as desk:
        assert newcomer.free_name(desk, found.name, "zoe@far.example").casefold() == name.casefold()


def test_machines_never_join(open_club: Club) -> None:
    open_club.write("list@far.example", "join", List_Id="<x>")
    open_club.write("zoe@far.example", "join", Auto_Submitted="auto-replied")
    open_club.tick()
    assert open_club.mails() == []
    with open_club.desk() as desk:
        assert set(desk.session.exec(select(Inbox.state))) == {"machine"}


# The command line


def test_seats_and_terms_on_the_command_line(club: Club) -> None:
    def run(*words: str) -> str:
        done = CliRunner().invoke(cli, ["--config", str(club.config.file), *words])
        assert done.exit_code == 0, done.output
        return done.output

    made = run("match", "new", "topwords", "Anna", "--seats", "3", "--name", "Frei", "--term", "days=3")
    code = made.split()[1]
    assert "2 of 3 seats free" in run("match", "list")
    plain_boards(club)
    for name in ("Bert", "Cici"):
        from_home(club, name, f"Mitspielen {code}")
    row = club.row(code)
    assert row.status == "running"
    assert row.terms["days"] == 3
    assert row.deadline is not None
    assert (row.deadline - club.now).days == 3
    run("player", "set", "Anna", "--digest")
    listed = run("player", "list")
    assert "digest" in next(line for line in listed.splitlines() if line.startswith("Anna"))
    bad = CliRunner().invoke(cli, ["--config", str(club.config.file), "match", "new", "topwords", "--name", "x"])
    assert bad.exit_code != 0


def test_the_list_of_players_tells_how_prompt_they_are(club: Club) -> None:
    plain_boards(club)
    code = club.match("Anna", "Bert", terms={"days": 1})
    club.tick()
    club.order("Anna", code, 0, "passe")
    club.tick()
    for _ in range(3):
        club.wait(days=1)
        club.tick()
    out = CliRunner().invoke(cli, ["--config", str(club.config.file), "player", "list"]).output
    lines = {line.split()[0]: line for line in out.splitlines()}
    assert "% on time" in lines["Anna"]
    assert "0 % on time" in lines["Bert"]
    assert "on time" not in lines["Cici"]
    with club.desk() as desk:
        assert desk.session.exec(select(Seat)).first() is not None
