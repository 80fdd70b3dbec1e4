"""``Turnier`` and ``cup`` by mail: what a line means, and what is kept after it. The answers are in tests/pairs/cup."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlmodel import select

from moderator.club.tournaments import rows
from moderator.commands.declaration import find, knowing
from moderator.commands.player.tournament_words import Wish, about, in_subject, keys, names, read
from moderator.inbox.sections import cut
from moderator.mail.model import Line
from moderator.play.create import find_player
from moderator.play.tournaments import challenges, registration
from moderator.store import tournaments
from moderator.store.models import Inbox, Match, Player, Tournament
from moderator.tournaments.formats import of
from moderator.tournaments.formats.contract import Asked, Rungs
from tests.club import pair_scenes as scenes
from tests.club.club import Club, make_club, plain_boards, text
from tests.club.pair_scenes import people, writes
from tests.club.test_pairs import FOLDER
from tests.club.test_pairs import read as read_pair

NAMES = tuple(key for name in ("Herbstpokal", "Liga 2", "Oster-Turnier 2027", "Süd") for key in keys(name))

# ---- what a line means ----

MEANT: Sequence[tuple[str, Wish]] = (
    ("Turnier", Wish("list")),
    ("TURNIERE", Wish("list")),
    ("tournaments", Wish("list")),
    ("Liga", Wish("list")),
    ("cup help", Wish("list")),
    ("Turnier T3", Wish("table", "t3")),
    ("turnier t3 stand", Wish("table", "t3")),
    ("Turnier Tabelle T3", Wish("table", "t3")),
    ("Turnier T3: Rangliste", Wish("table", "t3")),
    ("League T12 standings", Wish("table", "t12")),
    ("Turnier Herbstpokal", Wish("table", "herbstpokal")),
    ('Turnier "Herbstpokal" Stand', Wish("table", "herbstpokal")),
    ("Turnier Stand Herbstpokal", Wish("table", "herbstpokal")),
    ("Liga 2 Stand", Wish("table", "2")),
    ("Turnier Liga 2", Wish("table", "liga 2")),
    ("Turnier SUED", Wish("table", "sued")),
    ("Turnier Oster-Turnier 2027 Paarungen", Wish("pairings", "oster turnier 2027")),
    ("cup pairings", Wish("pairings")),
    ("Turnier mitspielen", Wish("join")),
    ("Turnier T3 mitspielen.", Wish("join", "t3")),
    ("Turnier T3 bitte anmelden", Wish("join", "t3")),
    ("Turnier mitspielen bei T3", Wish("join", "t3")),
    ("Turnier T3 ich mitspielen", Wish("join", "t3")),
    ("cup T3 sign up please", Wish("join", "t3")),
    ("Tournament join T3", Wish("join", "t3")),
    ("Turnier Herbsdpokal mitspielen", Wish("join", "herbsdpokal")),
    ("Turnier T3 abmelden", Wish("leave", "t3")),
    ("Turnier T3 aussteigen endgültig", Wish("leave", "t3", final=True)),
    ("Turnier T3 ENDGUELTIG aussteigen", Wish("leave", "t3", final=True)),
    ("cup leave T3 for good", Wish("leave", "t3", final=True)),
    ("Cup T3 withdraw definitely", Wish("leave", "t3", final=True)),
    ("Turnier Rangliste", Wish("ratings")),
    ("Turnier Rangliste Topwords", Wish("ratings", rest="topwords")),
    ("Turnier Wertungszahlen für Wer behält recht?", Wish("ratings", rest="wer behaelt recht")),
    ("Cup T3 ratings", Wish("ratings", "t3")),
    ("Turnier T3 fordern Bert", Wish("challenge", "t3", "bert")),
    ("Turnier T3 Anna Maria fordern", Wish("challenge", "t3", "anna maria")),
    ("Turnier fordern Bert in T3", Wish("challenge", "t3", "bert")),
    ("cup challenge Bert", Wish("challenge", rest="bert")),
    ("Turnier Herbsdpokal fordern Bert", Wish("challenge", "herbsdpokal", "bert")),
    ("Turnier T3 fordern", Wish("challenge", "t3")),
    ("Turnier T3 annehmen", Wish("accept", "t3")),
    ("Turnier Herausforderung annehmen", Wish("accept")),
    ("cup challenge accepted", Wish("accept")),
    ("Cup T3 refuse the challenge", Wish("refuse", "t3")),
    ("Turnier T3 mitspilen", Wish("unclear", "t3")),
    ("cup T3 round 2", Wish("unclear", "t3")),
)


@pytest.mark.parametrize(("line", "wish"), MEANT, ids=lambda value: value if isinstance(value, str) else "")
def test_what_a_line_asks_for(line: str, wish: Wish) -> None:
    found = find(line, knowing(lambda: NAMES))
    assert found is not None
    assert found[0].name == "cup"
    assert read(found[1], NAMES) == wish


@pytest.mark.parametrize(
    "line",
    [
        "Turnier war schön, danke!",
        "Turnier war schön",
        "Turnier macht Spaß",
        "Das Turnier ist toll",
        "Turnier läuft super, ich würde gern wieder mitspielen",
        "Turnier ist toll: mitspielen!",
        "Turnier T3 war wirklich sehr schön",
        "Turnier T3 war schön, mitspielen lohnt sich",
        "Cup final on Sunday, good luck",
        "Cup of tea?",
        "Liga E5 s",
        "TURNIER 5E senkrecht",
        "cup E5 w",
        "Herbstpokal Stand",
        "Herbstpokal (T3): Runde 2 beginnt",
        "Runde 2 beginnt: „Herbstpokal“ (T3)",
        "Turnier Herbstpokal (T3): so steht es",
        "Turnier „Herbstpokal“ mit.",
        "Tournament T1 “Herbstpokal”.",
        "turn",
        "Turn",
    ],
)
def test_what_is_no_command(line: str) -> None:
    found = find(line, knowing(lambda: NAMES))
    assert found is None or found[0].name != "cup"


def test_a_name_alone_is_only_a_command_where_there_is_such_a_tournament() -> None:
    assert find("Turnier Herbstpokal") is None
    assert find("Turnier Herbstpokal", knowing(lambda: keys("Herbstpokal"))) is not None


@given(st.text(max_size=80), st.lists(st.text(min_size=1, max_size=12), max_size=3))
def test_any_text_can_be_read(argument: str, known: list[str]) -> None:
    wish = read(argument, [key for name in known for key in keys(name)])
    assert wish is None or len(wish.rest.split()) <= 5


@pytest.mark.parametrize(
    ("subject", "code"),
    [("Re: Herbstpokal (T3): Runde 2 beginnt", "T3"), ("AW: so (T1) und so (T12)", "T12"), ("Re: T3", ""), ("", "")],
)
def test_the_tournament_of_a_subject(subject: str, code: str) -> None:
    assert in_subject(subject) == code


@pytest.mark.parametrize(
    ("line", "wish"),
    [
        ("mitspielen", Wish("join", "t3")),
        ("accept", Wish("accept", "t3")),
        ("ablehnen", Wish("refuse", "t3")),
        ("Stand", Wish("table", "t3")),
        ("withdraw", Wish("leave", "t3")),
        ("Liste", None),
        ("Hilfe", None),
        ("Mitspielen Topwords", None),
    ],
)
def test_a_single_word_in_an_answer_means_that_tournament(line: str, wish: Wish | None) -> None:
    ((command,),) = [section.commands for section in cut([Line(1, line)])]
    turned = about("T3", command)
    assert (read(turned.argument) if turned.name == "cup" else None) == wish
    assert about("", command) == command


@pytest.mark.parametrize("file", sorted((FOLDER / "cup").glob("*.txt")), ids=lambda file: file.stem)
def test_no_line_of_an_answer_is_a_command(file: Any) -> None:
    """However it is quoted, and whatever the tournaments are called."""
    verbs = knowing(lambda: [key for name in scenes.CUPS for key in keys(name)])
    lines = [line for line in read_pair(file)[2].splitlines() if not line.startswith("=====")]
    for number, line in enumerate(lines):
        for read_as in (line, line.strip(" -+!·*>")):
            found = cut([Line(number, read_as)], commands=verbs)
            assert not any(section.commands for section in found), line


# ---- what is kept ----


@pytest.fixture
def club(tmp_path: Any) -> Club:
    return make_club(tmp_path / "club")


def state(club: Club, name: str, code: str = "T1") -> str:
    with club.desk() as desk:
        entry = tournaments.entry_of(
            desk.session, rows.find_tournament(desk.session, code), find_player(desk.session, name)
        )
        return entry.state if entry else ""


def rungs(club: Club) -> list[str]:
    with club.desk() as desk:
        tournament = rows.find_tournament(desk.session, "T1")
        who = rows.numbered(desk.session, tournament, 1)
        stands = rows.stands(desk.session, tournament)
        assert isinstance(stands, Rungs)
        return [who[number].name for number in stands.order]


def asked(club: Club) -> Sequence[Asked]:
    with club.desk() as desk:
        tournament = rows.find_tournament(desk.session, "T1")
        return of(tournament).asked(tournament.state)


def test_joining_and_leaving_before_the_start(club: Club) -> None:
    scenes.tournament(club, "swiss", "Cici", "Dora")
    writes(club, "Anna", "Turnier T1 mitspielen")
    assert state(club, "Anna") == "in"
    writes(club, "Anna", "Turnier abmelden")
    assert state(club, "Anna") == "withdrawn"
    writes(club, "Anna", "cup join")
    assert state(club, "Anna") == "in"


def test_the_standby_list_moves_up_as_soon_as_somebody_leaves(club: Club) -> None:
    scenes.tournament(club, "swiss", "Cici", "Dora", most=2)
    for name in ("Anna", "Bert"):
        writes(club, name, "Turnier T1 mitspielen")
        assert state(club, name) == "standby"
    club.mails()
    writes(club, "Dora", "cup T1 withdraw")
    assert (state(club, "Anna"), state(club, "Bert")) == ("in", "standby")
    assert "(T1)" in str(club.mail("anna")["Subject"])
    assert club.mails("bert") == []
    writes(club, "Bert", "cup T1 withdraw")
    assert state(club, "Bert") == "withdrawn"


def test_a_running_one_is_only_left_for_good_by_name(club: Club) -> None:
    scenes.tournament(club, "robin", "Anna", "Bert", "Cici", running=True)
    for line in ("Turnier aussteigen", "Turnier T1 aussteigen", "Turnier endgültig aussteigen"):
        writes(club, "Anna", line)
        assert state(club, "Anna") == "in", line
    writes(club, "Anna", "Turnier Herbstpokal endgültig aussteigen")
    assert state(club, "Anna") == "withdrawn"
    with club.desk() as desk:
        games = tournaments.pairings(desk.session, rows.find_tournament(desk.session, "T1"))
        who = rows.numbered(desk.session, rows.find_tournament(desk.session, "T1"), 1)
        for row in games:
            playing = {who[number].name for number in row.seats}
            assert (row.result is not None) == ("Anna" in playing)
    writes(club, "Anna", "Turnier T1 mitspielen")
    assert state(club, "Anna") == "withdrawn"


def test_one_that_is_not_open_takes_nobody(club: Club) -> None:
    scenes.tournament(club, "swiss", opens=5, closes=12)
    writes(club, "Anna", "Turnier T1 mitspielen")
    assert state(club, "Anna") == ""
    scenes.tournament(club, "knockout", "Cici", "Dora", running=True)
    writes(club, "Anna", "Turnier T2 mitspielen")
    assert state(club, "Anna", "T2") == ""


def test_a_late_entry_plays_from_the_next_round_on(club: Club) -> None:
    scenes.tournament(club, "swiss", "Anna", "Bert", "Cici", "Dora", running=True)
    writes(club, "Emil", "cup T1 join")
    with club.desk() as desk:
        tournament = rows.find_tournament(desk.session, "T1")
        entry = tournaments.entry_of(desk.session, tournament, find_player(desk.session, "Emil"))
        assert entry is not None
        assert (entry.state, entry.number, entry.joined) == ("in", 5, 2)


def test_who_is_late_for_a_round_robin_waits_for_the_moderator(club: Club) -> None:
    scenes.tournament(club, "robin", "Anna", "Bert", "Cici", running=True)
    club.mails()
    writes(club, "Emil", "Turnier T1 mitspielen")
    assert state(club, "Emil") == "standby"
    assert "moderator cup join T1 'Emil'" in text(club.mail("boss"))


def test_a_ladder_is_joined_at_the_bottom(club: Club) -> None:
    scenes.tournament(club, "ladder", "Dora", "Cici", running=True)
    writes(club, "Anna", "Turnier mitspielen")
    assert rungs(club) == ["Dora", "Cici", "Anna"]
    writes(club, "Cici", "Turnier T1 endgültig aussteigen")
    assert rungs(club) == ["Dora", "Anna"]


def test_a_challenge_is_made_accepted_and_played(club: Club) -> None:
    scenes.ladder(club)
    writes(club, "Anna", "Turnier fordern ber")
    club.mails()
    (made,) = asked(club)
    assert (made.challenger, made.challenged, made.accepted) == (4, 3, False)
    writes(club, "Bert", "accept", subject="Re: You are challenged: “Herbstpokal” (T1)")
    with club.desk() as desk:
        match = desk.session.exec(select(Match)).one()
        assert match.status == "running"
        assert {player.name for player in desk.players(match)} == {"Anna", "Bert"}


@pytest.mark.parametrize(("number", "running"), [(0, 1), (1, 0)], ids=["accept", "refuse"])
def test_the_buttons_of_a_challenge_answer_it(club: Club, number: int, running: int) -> None:
    scenes.ladder(club)
    club.mails()
    writes(club, "Anna", "Turnier fordern ber")
    html = club.mail("bert").get_body(("html",))
    assert html is not None
    links = [urlsplit(unescape(link)) for link in re.findall(r'href="(mailto:[^"]+)"', html.get_content())]
    link = links[number]
    writes(club, "Bert", parse_qs(link.query)["body"][0], subject=parse_qs(link.query)["subject"][0])
    with club.desk() as desk:
        assert len(desk.session.exec(select(Match)).all()) == running
    assert not [one for one in asked(club) if not one.accepted]


def test_a_refusal_has_its_price(club: Club) -> None:
    scenes.ladder(club, asked=True)
    writes(club, "Bert", "cup T1 refuse")
    assert rungs(club)[:4] == ["Dora", "Cici", "Anna", "Bert"]


def test_a_robot_accepts_at_once(club: Club) -> None:
    scenes.ladder(club)
    club.mails()
    writes(club, "Emil", "Turnier T1 fordern R2a")
    with club.desk() as desk:
        assert desk.session.exec(select(Match)).one().status == "running"
    subjects = [str(mail["Subject"]) for mail in club.mails("emil")]
    assert len(subjects) == 2, subjects


def test_two_of_the_same_name_are_told_apart(club: Club) -> None:
    people(club, "Anna", "Annette")
    scenes.tournament(club, "ladder", "Anna", "Annette", "Bert", running=True)
    club.mails()
    writes(club, "Bert", "cup challenge Ann")
    assert "whole name" in text(club.mail("bert"))
    writes(club, "Bert", "cup challenge Anna")
    assert asked(club)[0].challenged == 1


def test_a_seat_token_from_elsewhere_joins_nothing(club: Club) -> None:
    scenes.tournament(club, "swiss", "Cici")
    code = club.match("Anna", "Bert")
    club.order("anna@cafe.example", code, 0, "Turnier T1 mitspielen")
    club.tick()
    assert state(club, "Anna") == ""


def test_seasons_of_the_same_league_are_told_apart(club: Club) -> None:
    """A name that a finished tournament has, too, means the one that is on."""
    scenes.tournament(club, "swiss", "Cici")
    scenes.tournament(club, "swiss", "Cici")
    with club.desk() as desk:
        first, second = (rows.find_tournament(desk.session, code) for code in ("T1", "T2"))
        first.status, second.name = "finished", first.name
    writes(club, "Anna", "Turnier Herbstpokal mitspielen")
    assert (state(club, "Anna"), state(club, "Anna", "T2")) == ("", "in")


def test_the_daily_cap_holds_for_tables(club: Club) -> None:
    scenes.tournament(club, "robin", "Anna", "Bert", running=True)
    object.__setattr__(club.config.mail, "replies_per_day", 2)
    club.mails()
    for _ in range(4):
        writes(club, "Anna", "Turnier T1 Stand")
    assert len(club.mails("anna")) == 2


@pytest.mark.parametrize("line", ["Turnier T1 mitspielen", "Mitspielen T1", "cup Herbstpokal join"])
def test_somebody_new_may_ask_for_a_tournament(club: Club, line: str) -> None:
    object.__setattr__(club.config.club, "signup", "open")
    scenes.tournament(club, "swiss", "Cici")
    club.write("zoe@far.example", line)
    club.tick()
    with club.desk() as desk:
        token = desk.session.exec(select(Inbox).where(Inbox.state == "confirm")).one().token
    club.write("zoe@far.example", "yes", to=f"games+OK-{token}@club.example")
    club.tick()
    with club.desk() as desk:
        player = desk.session.exec(select(Player).where(Player.address == "zoe@far.example")).one()
        assert player.name == "zoe".capitalize()
    assert state(club, "Zoe") == "in"
    assert "Herbstpokal" in text(club.mails("zoe")[-1])


def test_names_of_all_tournaments_that_were_not_cancelled(club: Club) -> None:
    plain_boards(club)
    for _ in range(2):
        scenes.tournament(club, "swiss")
    with club.desk() as desk:
        assert names(desk.session) == ("herbstpokal", "winterliga 2")
        desk.session.exec(select(Tournament)).first().status = "cancelled"
        desk.session.flush()
        assert names(desk.session) == ("winterliga 2",)


def test_the_overview_follows_a_tournament_through_its_life(club: Club) -> None:
    scenes.tournament(club, "ladder", "Dora", "Anna")

    def seen() -> str:
        club.mails()
        writes(club, "Anna", "Liste")
        return text(club.mail("anna"))

    assert "Du bist angemeldet" in seen()
    with club.desk() as desk:
        tournament = rows.find_tournament(desk.session, "T1")
        tournament.closes_at = tournament.next_at = club.now
        desk.session.add(tournament)
    club.tick()
    assert "Stufe 2 von 2" in seen()
    with club.desk() as desk:
        registration.enter(desk, rows.find_tournament(desk.session, "T1"), find_player(desk.session, "Cici"))
        challenges.challenge(desk, rows.find_tournament(desk.session, "T1"), 3, 2)
    club.tick()
    assert "»Turnier T1 annehmen«" in seen()
    writes(club, "Anna", "Turnier T1 endgültig aussteigen")
    assert "Einsteigen" not in seen()
