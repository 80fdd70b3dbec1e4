"""Tournaments by mail: what a line with ``Turnier`` or ``cup`` means, what is kept after it, and what the mails of
matches and the daily mail say of a tournament. The answers to commands are in tests/pairs/cup."""

import re
import typing
from collections.abc import Sequence
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlmodel import select

from moderator import games
from moderator.commands.declaration import find_command, with_tournament_names
from moderator.commands.player.tournament_words import (
    TournamentWish,
    expand_short_answer,
    find_tournament_in_subject,
    list_all_name_keys,
    list_name_keys,
    parse_tournament_wish,
)
from moderator.common.mails import Line
from moderator.inbox.read import split_sections
from moderator.language.messages import render_code
from moderator.service.create import get_player
from moderator.service.players import wanted_mails
from moderator.service.tournaments.club_tournament import ClubTournament
from moderator.store import tournaments
from moderator.store.tables import InboxRow, MatchRow, Tournament
from moderator.tournaments import formats
from moderator.tournaments.formats import get_format
from moderator.tournaments.formats.contract import Asked
from moderator.views import tournament_rows
from tests.club.club import Club, make_club, part, text
from tests.club.pair_scenes import CUPS, ladder, people, tournament, writes
from tests.club.steps import VOUCHED
from tests.club.test_pairs import FOLDER
from tests.club.test_pairs import read as read_pair
from tests.club.tournament_club import at, games_of
from tests.club.tournament_club import found as make_cup

NAMES = tuple(key for name in ("Herbstpokal", "Liga 2", "Oster-Turnier 2027", "Süd") for key in list_name_keys(name))


MEANT: dict[TournamentWish, Sequence[str]] = {
    TournamentWish("list"): ("Turnier", "TURNIERE", "tournaments", "Liga", "cup help"),
    TournamentWish("table", "t3"): ("Turnier T3", "turnier t3 stand", "Turnier Tabelle T3", "Turnier T3: Rangliste"),
    TournamentWish("table", "t12"): ("League T12 standings",),
    TournamentWish("table", "herbstpokal"): (
        "Turnier Herbstpokal",
        'Turnier "Herbstpokal" Stand',
        "Turnier Stand Herbstpokal",
    ),
    TournamentWish("table", "2"): ("Liga 2 Stand",),
    TournamentWish("table", "liga 2"): ("Turnier Liga 2",),
    TournamentWish("table", "sued"): ("Turnier SUED",),
    TournamentWish("pairings", "oster turnier 2027"): ("Turnier Oster-Turnier 2027 Paarungen",),
    TournamentWish("pairings"): ("cup pairings",),
    TournamentWish("join"): ("Turnier mitspielen",),
    TournamentWish("join", "t3"): (
        "Turnier T3 mitspielen.",
        "Turnier T3 bitte anmelden",
        "Turnier mitspielen bei T3",
        "Turnier T3 ich mitspielen",
        "cup T3 sign up please",
        "Tournament join T3",
    ),
    TournamentWish("join", "herbsdpokal"): ("Turnier Herbsdpokal mitspielen",),
    TournamentWish("leave", "t3"): ("Turnier T3 abmelden",),
    TournamentWish("leave", "t3", final=True): (
        "Turnier T3 aussteigen endgültig",
        "Turnier T3 ENDGUELTIG aussteigen",
        "cup leave T3 for good",
        "Cup T3 withdraw definitely",
    ),
    TournamentWish("ratings"): ("Turnier Rangliste",),
    TournamentWish("ratings", rest="topwords"): ("Turnier Rangliste Topwords",),
    TournamentWish("ratings", rest="wer behaelt recht"): ("Turnier Wertungszahlen für Wer behält recht?",),
    TournamentWish("ratings", "t3"): ("Cup T3 ratings",),
    TournamentWish("challenge", "t3", "bert"): ("Turnier T3 fordern Bert", "Turnier fordern Bert in T3"),
    TournamentWish("challenge", "t3", "anna maria"): ("Turnier T3 Anna Maria fordern",),
    TournamentWish("challenge", rest="bert"): ("cup challenge Bert",),
    TournamentWish("challenge", "herbsdpokal", "bert"): ("Turnier Herbsdpokal fordern Bert",),
    TournamentWish("challenge", "t3"): ("Turnier T3 fordern",),
    TournamentWish("accept", "t3"): ("Turnier T3 annehmen",),
    TournamentWish("accept"): ("Turnier Herausforderung annehmen", "cup challenge accepted"),
    TournamentWish("refuse", "t3"): ("Cup T3 refuse the challenge",),
    TournamentWish("unclear", "t3"): ("Turnier T3 mitspilen", "cup T3 round 2"),
}


@pytest.mark.parametrize("wish", MEANT, ids=str)
def test_what_a_line_asks_for(wish: TournamentWish) -> None:
    for line in MEANT[wish]:
        found = find_command(line, with_tournament_names(lambda: NAMES))
        assert found is not None, line
        assert found[0].name == "cup", line
        assert parse_tournament_wish(found[1], NAMES) == wish, line


def test_what_is_no_command() -> None:
    for line in (
        "Turnier war schön, danke!", "Turnier war schön", "Turnier macht Spaß", "Das Turnier ist toll",
        "Turnier läuft super, ich würde gern wieder mitspielen", "Turnier ist toll: mitspielen!",
        "Turnier T3 war wirklich sehr schön", "Turnier T3 war schön, mitspielen lohnt sich",
        "Cup final on Sunday, good luck", "Cup of tea?", "Liga E5 s", "TURNIER 5E senkrecht", "cup E5 w",
        "Herbstpokal Stand", "Herbstpokal (T3): Runde 2 beginnt", "Runde 2 beginnt: „Herbstpokal“ (T3)",
        "Turnier Herbstpokal (T3): so steht es", "Turnier „Herbstpokal“ mit.", "Tournament T1 “Herbstpokal”.", "turn",
        "Turn",
    ):  # fmt: skip
        found = find_command(line, with_tournament_names(lambda: NAMES))
        assert found is None or found[0].name != "cup", line


@pytest.mark.parametrize(
    ("subject", "code"),
    [("Re: Herbstpokal (T3): Runde 2 beginnt", "T3"), ("AW: so (T1) und so (T12)", "T12"), ("Re: T3", ""), ("", "")],
)
def test_the_tournament_of_a_subject(subject: str, code: str) -> None:
    assert find_tournament_in_subject(subject) == code


@pytest.mark.parametrize(("line", "wish"), [
    ("mitspielen", TournamentWish("join", "t3")), ("accept", TournamentWish("accept", "t3")),
    ("ablehnen", TournamentWish("refuse", "t3")),
    ("Stand", TournamentWish("table", "t3")), ("withdraw", TournamentWish("leave", "t3")),
    ("Liste", None), ("Hilfe", None),
    ("Mitspielen Topwords", None),
])  # fmt: skip
def test_a_single_word_in_an_answer_means_that_tournament(line: str, wish: TournamentWish | None) -> None:
    ((command,),) = [section.commands for section in split_sections([Line(1, line)])]
    turned = expand_short_answer("T3", command)
    assert (parse_tournament_wish(turned.argument) if turned.name == "cup" else None) == wish
    assert expand_short_answer("", command) == command


def test_no_line_of_an_answer_is_a_command() -> None:
    """However it is quoted, and whatever the tournaments are called."""
    verbs = with_tournament_names(lambda: [key for name in CUPS for key in list_name_keys(name)])
    for file in (FOLDER / "cup").glob("*.txt"):
        for number, line in enumerate(read_pair(file)[2].splitlines()):
            if not line.startswith("====="):
                for read_as in (line, line.strip(" -+!·*>")):
                    found = split_sections([Line(number, read_as)], commands=verbs)
                    assert not any(section.commands for section in found), line


@pytest.fixture
def club(tmp_path: Path) -> Club:
    return make_club(tmp_path / "club")


def state(club: Club, name: str, code: str = "T1") -> str:
    with at(club, code) as (work, row):
        found = tournaments.find_tournament_entry(work.session, row, get_player(work.session, name))
        return found.state if found else ""


def asked(club: Club) -> Sequence[Asked]:
    with at(club, "T1") as (_, row):
        return get_format(row).list_challenges(row.state)


def matches(club: Club) -> list[tuple[str, set[str]]]:
    """Status and players."""
    with club.work() as work:
        found = work.session.exec(select(MatchRow)).all()
        return [(match.status, {player.name for player in work.list_players(match)}) for match in found]


def test_a_running_one_is_only_left_for_good_by_name(club: Club) -> None:
    tournament(club, "robin", "Anna", "Bert", "Cici", running=True)
    for line in ("Turnier aussteigen", "Turnier T1 aussteigen", "Turnier endgültig aussteigen"):
        writes(club, "Anna", line)
        assert state(club, "Anna") == "in", line
    asked = club.mails("Anna")[-1]
    club.say(
        "Anna", "JA", to=str(asked["Reply-To"]), subject=f"Re: {asked['Subject']}", In_Reply_To=asked["Message-ID"]
    )
    assert state(club, "Anna") == "withdrawn"
    writes(club, "Bert", "Turnier Herbstpokal endgültig aussteigen")
    assert state(club, "Bert") == "withdrawn"
    assert all(row.result is not None for row in games_of(club))  # each had one of them
    writes(club, "Anna", "Turnier T1 mitspielen")
    assert state(club, "Anna") == "withdrawn"


@pytest.mark.parametrize(("number", "running"), [(0, 1), (1, 0)], ids=["accept", "refuse"])
def test_the_buttons_of_a_challenge_answer_it(club: Club, number: int, running: int) -> None:
    ladder(club)
    club.skip_mails()
    writes(club, "Anna", "Turnier fordern ber")
    links = re.findall(r'href="(mailto:[^"]+)"', part(club.mail("bert"), "html"))
    link = urlsplit(unescape(links[number]))
    writes(club, "Bert", parse_qs(link.query)["body"][0], subject=parse_qs(link.query)["subject"][0])
    assert len(matches(club)) == running
    assert not [one for one in asked(club) if not one.accepted]


@pytest.mark.parametrize(("word", "count"), [("Ja", 1), ("Nein", 0)])
def test_yes_or_no_answers_a_challenge(club: Club, word: str, count: int) -> None:
    tournament(club, "ladder", "Anna", "Bert", running=True)
    writes(club, "Bert", "cup challenge Anna")
    asking = club.mails("anna")[-1]
    writes(club, "Anna", word, subject=f"Re: {asking['Subject']}")
    assert len(matches(club)) == count
    assert not [one for one in asked(club) if not one.accepted]


def test_two_of_the_same_name_are_told_apart(club: Club) -> None:
    people(club, "Anna", "Annette")
    tournament(club, "ladder", "Anna", "Annette", "Bert", running=True)
    club.skip_mails()
    writes(club, "Bert", "cup challenge Ann")
    assert "whole name" in text(club.mail("bert"))
    writes(club, "Bert", "cup challenge Anna")
    assert asked(club)[0].challenged == 1


def test_seasons_of_the_same_league_are_told_apart(club: Club) -> None:
    """A name that a finished tournament has, too, means the one that is on."""
    tournament(club, "swiss", "Cici")
    tournament(club, "swiss", "Cici")
    with club.work() as work:
        first, second = (tournament_rows.get_tournament(work.session, code) for code in ("T1", "T2"))
        first.status, second.name = "finished", first.name
    writes(club, "Anna", "Turnier Herbstpokal mitspielen")
    assert (state(club, "Anna"), state(club, "Anna", "T2")) == ("", "in")


@pytest.mark.parametrize("line", ["Turnier T1 mitspielen", "Mitspielen T1", "cup Herbstpokal join"])
def test_somebody_new_may_ask_for_a_tournament(club: Club, line: str) -> None:
    object.__setattr__(club.config.club, "signup", "open")
    tournament(club, "swiss", "Cici")
    club.say("zoe@far.example", line)
    with club.work() as work:
        token = work.session.exec(select(InboxRow).where(InboxRow.state == "confirm")).one().token
    club.say("zoe@far.example", "yes", to=f"games+OK-{token}@club.example")
    assert state(club, "Zoe") == "in"
    assert "Herbstpokal" in text(club.mails("zoe")[-1])


def test_names_of_all_tournaments_that_were_not_cancelled(club: Club) -> None:
    for _ in range(2):
        tournament(club, "swiss")
    with club.work() as work:
        assert list_all_name_keys(work.session) == ("herbstpokal", "winterliga 2")
        work.session.exec(select(Tournament)).first().status = "cancelled"
        work.session.flush()
        assert list_all_name_keys(work.session) == ("winterliga 2",)


def test_the_overview_follows_a_tournament_through_its_life(club: Club) -> None:
    tournament(club, "ladder", "Dora", "Anna")

    def seen() -> str:
        club.skip_mails()
        writes(club, "Anna", "Liste")
        return text(club.mail("anna"))

    assert "Du bist angemeldet" in seen()
    with at(club, "T1") as (_, row):
        row.closes_at = row.next_at = club.now
    club.tick()
    assert "Stufe 2 von 2" in seen()
    with at(club, "T1") as (work, row):
        ClubTournament(work, row).enter_player(get_player(work.session, "Cici"))
        ClubTournament(work, row).challenge_entrant(3, 2)
    club.tick()
    assert "»Turnier T1 annehmen«" in seen()
    writes(club, "Anna", "Turnier T1 endgültig aussteigen")
    assert "Einsteigen" not in seen()


def begun(club: Club, format: str = "robin", **settings: Any) -> None:
    """A tournament of two people and two robots whose games have been dealt."""
    club.players("Anna", "Bert", "R2a", "R2b", Bert="en")
    make_cup(club, format, ["Anna", "Bert", "R2a", "R2b"], game="dominos", **settings)
    club.let_pass(days=2)


def resign(club: Club, name: str) -> None:
    """Anna or Bert gives up the game between the two."""
    with club.work() as work:
        found = work.session.exec(select(MatchRow)).all()
        seats = {match.code: [player.name for player in work.list_players(match)] for match in found}
    code = next(code for code, names in seats.items() if set(names) == {"Anna", "Bert"})
    club.wait(hours=1)
    club.hand_in(name, code, seats[code].index(name), f"resign {code} YES")


def test_the_invitation_goes_to_everybody_but_robots(club: Club) -> None:
    club.players("Anna", "Bert", "R2a", Bert="en")
    make_cup(club, "robin", [], invite=True)
    club.tick()
    assert [str(mail["Subject"]).partition(" [ME-")[0] for mail in club.mails()] == [
        "Spielst du mit? Tridom ab So 22. Nov · Herbstcup (T1)",
        "Will you play? Tridom from Sun 22 Nov · Herbstcup (T1)",
    ]


def test_the_mails_of_a_match_name_its_tournament_its_latest_end_and_how_one_stands(club: Club) -> None:
    begun(club)
    starts = [mail for mail in map(text, club.mails("Anna")) if "Eine Partie aus dem Turnier „Herbstcup“." in mail]
    assert len(starts) == 3
    assert all(re.search("Sie muss bis .* fertig sein", mail) for mail in starts)
    resign(club, "Bert")
    (ended,) = [text(mail) for mail in club.mails("Anna") if "Gewonnen gegen Bert" in str(mail["Subject"])]
    assert "Ein Punkt für dich im Turnier „Herbstcup“." in ended
    assert re.search(r"Damit stehst du auf Platz [12] von 4\.", ended)
    club.start("Anna", "Bert")
    assert "Turnier" not in text(club.mail("Anna")), "a match of none"


def test_the_daily_mail_has_the_table_once_a_game_has_ended(club: Club) -> None:
    begun(club)
    with club.work() as work:
        wanted_mails.switch_digest(work, get_player(work.session, "Bert"), True)

    def tables() -> list[str]:
        """Of the next day's mail."""
        club.skip_mails()
        club.let_pass(days=1)
        return [text(mail) for mail in club.mails("Bert") if "Herbstcup: how it stands" in text(mail)]

    assert len(tables()) <= 1, "the game of the two robots ended on the first day"
    resign(club, "Anna")
    (daily,) = tables()
    assert "You are in place" in daily
    assert tables() == []


def test_the_table_that_somebody_asks_for_is_marked_as_an_answer(club: Club) -> None:
    begun(club)
    club.skip_mails()
    club.say("Bert", "Turnier T1 Stand", **VOUCHED)
    assert club.mail("Bert")["Auto-Submitted"] == "auto-replied"


def test_a_round_is_told_from_its_pairings_to_what_the_games_count(club: Club) -> None:
    """Whom one meets, how the last round went and the first turn are one mail."""
    begun(club, "swiss", round_days=3, warn_days=1)
    (first,) = [str(mail["Subject"]) for mail in club.mails("Anna")]
    assert re.match(r"Runde 1: du gegen (Bert|R2a|R2b) · Herbstcup 1\.\d \[", first)
    for _ in range(5):
        club.let_pass(days=1)
    mails = club.mails("Anna")
    told = [str(mail["Subject"]) for mail in mails]
    assert any("deine Partie gegen" in one and "(T1)" in one for one in told)
    assert sum("(Zeit war um)" in one for one in told) == 1
    assert sum(bool(re.match(r"Runde 1: .+, Platz \d", one)) for one in told) == 1
    judged = next(text(mail) for mail, subject in zip(mails, told, strict=True) if "(Zeit war um)" in subject)
    assert "Punkt für dich im Turnier „Herbstcup“." in judged or "zählt das für dich ½" in judged


PEOPLE = {"Anna": "de", "Bert": "en", "Cici": "fr", "Dora": "de"}
PACED = [(key, pace) for key in games.OWN for pace in games.load_game(key).paces]


@pytest.mark.matrix("who starts", seconds=7)
@pytest.mark.parametrize("form", formats.OWN)
@pytest.mark.parametrize(("game", "pace"), PACED)
def test_where_one_start_each_is_promised_it_is_so(club: Club, game: str, pace: str, form: str) -> None:
    """In each of the three languages; no mail about a round says who starts, the deal may say so."""
    club.players(*PEOPLE, Bert="en", Cici="fr")
    kinds = typing.get_type_hints(games.load_game(game).options).items()
    others = [{name: one} for name, kind in kinds if name != "pace" for one in typing.get_args(kind) if one is not None]
    variants = [{}, *(one for one in others if isinstance(next(iter(one.values())), str))]
    own: dict[str, Any] = {"league": {"cycles": 2}, "tables": {"seats": 2}}.get(form, {})
    for number, options in enumerate(variants, 1):
        agreed = {**options, "pace": pace}
        make_cup(club, form, PEOPLE, game=game, name=f"Pokal{number}", options=agreed, invite=True, **own)
    club.let_pass(days=2)
    if form == "ladder":
        for number in range(1, len(variants) + 1):
            with at(club, f"T{number}") as (work, cup):
                ClubTournament(work, cup).challenge_entrant(3, 2)
                ClubTournament(work, cup).accept_ladder_game(2)
        club.tick()
    started: dict[tuple[str, frozenset[str]], set[str]] = {}
    with club.work() as work:
        for match in work.session.exec(select(MatchRow)):
            names = [player.name for player in work.list_players(match)]
            to_move = work.cache.load_match(work.session, match).table.state.to_move
            started.setdefault((match.name.split()[0], frozenset(names)), set()).update(names[seat] for seat in to_move)
    assert started
    said = [(name, text(mail).replace("\u00a0", " ")) for name in PEOPLE for mail in club.mails(name)]
    each = {name: " ".join(render_code("cup-each-starts", language).split()) for name, language in PEOPLE.items()}
    promised = [one for name, one in said if each[name] in " ".join(one.split())]
    by_seat = game == "topwords" and pace == "sequential"
    assert bool(promised) == (by_seat and form in ("double", "league", "knockout"))
    assert not promised or all(len(names) == 2 for names in started.values()), started
