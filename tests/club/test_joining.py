"""Free seats, seats that were given up, standby lists, tables for practice, and writers whom nobody knows."""

import random
import re
import typing
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from moderator import games
from moderator.commands.player import joining
from moderator.common.enums import Level, MatchStatus
from moderator.common.errors import OperatorError
from moderator.mail.parse import parse_mail_bytes
from moderator.service import create, free_seats
from moderator.service.create import create_match, get_player
from moderator.service.match.match import Match
from moderator.service.match.start import MatchStart
from moderator.store import matches
from moderator.store.tables import MatchRow, PlayerRow, StandbyRow
from moderator.views import ratings
from moderator.words.kinds import POLICIES
from tests.club.club import Club, club_of, make_club, text
from tests.club.memory import MemoryClub
from tests.club.steps import begin, play, run, run_well, seated

VOUCHED = "mx.club.example; dmarc=pass header.from={}.example"


def from_home(club: Club, name: str, body: str, **more: Any) -> None:
    domain = name.partition("@")[2].removesuffix(".example") or "home"
    summary = club.say(name, body, Authentication_Results=VOUCHED.format(domain), **more)
    assert not summary.quarantined, summary.quarantined


def open_match(club: Club, *names: str, wanted: int, game: str = "tridom") -> str:
    with club.work() as work:
        players = [get_player(work.session, name) for name in names]
        return create_match(work, game, "Arratia", players, {}, wanted=wanted).code


def test_no_seat_too_many(club: MemoryClub) -> None:
    code = open_match(club, "Anna", wanted=2)
    named = open_match(club, "Anna", "Bert", wanted=0)  # set up for named players, not dealt yet
    from_home(club, "Bert", "mitspielen")
    for one in (code, named):
        from_home(club, "Cici", f"Mitspielen {one}")
        assert seated(club, one) == ["Anna", "Bert"]
    with club.work() as work:
        assert create.list_open_matches(work.session) == []


def test_a_seat_that_was_given_up_can_be_taken_over(club: Club) -> None:
    club.players("Dora")
    code = begin(club, "Anna", "Bert", "Cici", game="topwords")
    from_home(club, "Dora", f"Übernehmen {code}")
    assert "Dora" not in seated(club, code)
    play(club, code, 1, f"Aufgeben {code} JA")
    old = club.token(code, 1)
    club.skip_mails()
    from_home(club, "Anna", f"Übernehmen {code}")
    from_home(club, "Dora", f"uebernehmen {code}")
    assert seated(club, code) == ["Anna", "Dora", "Cici"]
    assert club.token(code, 1) != old
    assert [str(mail["Subject"]).count(code) for mail in club.mails("dora")] == [1]
    assert not club.live(code).table.out


@pytest.mark.slow
def test_a_player_on_standby_is_on_the_list_of_a_game_and_gets_the_seat(club: Club) -> None:
    for line, expected in (
        ("Ersatzspieler an", [""]), ("Ersatzspieler an", [""]), ("Standby Tridom", ["", "tridom"]),
        ("standby off", []), ("Ersatzspieler Presto", ["presto"]), ("Ersatzspieler Dom", ["presto"]),
        ("Ersatzspieler aus", []), ("Ersatzspieler Dominos", ["dominos"]),
    ):  # fmt: skip
        from_home(club, "Cici", line)
        assert sorted(club.stored(select(StandbyRow.game))) == expected, line
    code = begin(club, terms={"days": 1, "abandon_after": 1, "excused": 0})
    for _ in range(5):
        club.let_pass(days=1)
    assert "Cici" in seated(club, code)


def test_seats_and_terms_on_the_command_line(club: Club) -> None:
    made = run_well(club, *["match", "add", "topwords", "Anna", "--seats", "3", "--name", "Frei", "--term", "days=3"])
    code = made.split()[1]
    assert "2 of 3 seats free" in run_well(club, "match", "list")
    for name in ("Bert", "Cici"):
        from_home(club, name, f"Mitspielen {code}")
    row = club.row(code)
    assert row.status == "running"
    assert row.terms["days"] == 3
    assert row.deadline is not None
    assert (row.deadline - club.now).days == 3
    run_well(club, "player", "set", "Anna", "--digest")
    listed = run_well(club, "player", "list")
    assert "daily mail" in next(line for line in listed.splitlines() if line.startswith("Anna"))
    assert run(club, "match", "add", "topwords", "--name", "x").exit_code != 0


def test_the_list_of_players_tells_how_prompt_they_are(club: Club) -> None:
    code = begin(club, terms={"days": 1})
    play(club, code, 0)
    for _ in range(3):
        club.let_pass(days=1)
    lines = {line.split()[0]: line for line in run_well(club, "player", "list").splitlines()}
    assert lines["Name"].endswith("On time")
    assert lines["Anna"].endswith(" 100 %")
    assert lines["Bert"].endswith(" 0 %")
    assert "%" not in lines["Cici"]


# Tables for practice: against a robot of the level that is wanted, never rated, few at a time


def wants(club: Club, line: str, name: str = "Anna") -> str:
    from_home(club, name, line)
    return " ".join("\n".join(text(mail) for mail in club.mails(name)).split())


def tables(club: Club) -> list[MatchRow]:
    return club.stored(MatchRow)


def robots(club: Club) -> list[tuple[str, Level]]:
    return [(one.name, one.level) for one in club.stored(select(PlayerRow).where(PlayerRow.robot))]


def test_a_table_for_practice_begins_at_once_and_is_never_rated(club: Club) -> None:
    said = wants(club, "Üben Dominos stark")
    (table,) = tables(club)
    assert (table.game, table.training, table.status) == ("dominos", True, MatchStatus.RUNNING)
    for part in ("Eine neue Partie: Dominos", "Dominos „Übung ohne Wertung“"):
        assert part in said
    assert robots(club) == [("Robot strong", Level.STRONG)]
    with club.at(table.code) as (work, match):
        Match.load(work, match).stop_match()
    with club.at(table.code) as (work, match):
        assert match.status == MatchStatus.FINISHED
        assert match.result
        assert ratings.load_rating_ledger(work.session, "dominos") == []
        assert ratings.load_rated_games(work.session) == set()
        match.training = False
        work.session.flush()
        assert len(ratings.load_rating_ledger(work.session, "dominos")) == 1


def test_the_same_robot_sits_at_all_tables_of_its_level(club: Club) -> None:
    wants(club, "Üben Dominos Anfänger")
    wants(club, "practise tridom against a beginner", "Bert")
    wants(club, "practice dominos", "Bert")
    assert robots(club) == [("Robot beginner", Level.BEGINNER), ("Robot club", Level.CLUB)]


def test_no_more_tables_than_a_few_at_once_and_what_is_missing_is_asked_for(club: Club) -> None:
    for line in ("Üben", "Üben Schach", "Üben Dominos stark Anfänger"):
        assert "Welches Spiel, und wie stark?" in wants(club, line)
        club.wait(minutes=11)  # the same mail within ten minutes would be asked about
    assert tables(club) == []
    for _ in range(free_seats.MOST):
        wants(club, "Üben Dominos")
        club.wait(minutes=11)
    assert "mehr geht nicht zugleich" in wants(club, "Üben Tridom")
    assert len(tables(club)) == free_seats.MOST


def strangers_club(folder: Path, signup: str) -> Club:
    """Of Anna alone."""
    club = club_of(folder, "Anna")
    config = replace(club.config, club=replace(club.config.club, signup=signup))  # type: ignore[arg-type]
    object.__setattr__(config, "file", club.config.file)
    club.config = config
    return club


@pytest.fixture
def open_club(tmp_path: Path) -> Club:
    return strangers_club(tmp_path, "open")


@pytest.mark.parametrize("wish", ["Mitspielen {}", "Mitspielen Tridom", "join {}"])
def test_a_stranger_comes_straight_into_a_match(open_club: Club, wish: str) -> None:
    code = open_match(open_club, "Anna", wanted=2)
    open_club.say("Zoe@far.example", wish.format(code))
    open_club.say("zoe@far.example", "JA", to=str(open_club.mail("zoe@far")["Reply-To"]))
    assert open_club.row(code).status == "running"
    assert seated(open_club, code) == ["Anna", "Zoe"]
    assert len(open_club.mails("zoe@far")) == 2


def test_a_forged_wish_is_not_answered(tmp_path: Path) -> None:
    club = strangers_club(tmp_path, "closed")
    club.say("zoe@far.example", "Join Zoe", Authentication_Results="mx.club.example; dmarc=fail")
    assert club.mails() == []


def test_the_name_of_a_stranger_is_read_from_the_mail(open_club: Club) -> None:
    for subject, body, name in (
        ("", "Mitspielen als Zoë", "Zoë"), ("Mitspielen", "Hallo!", "Zoe"), ("", "Mitspielen Stan", "Stan"),
        ("Re: join", "", "Zoe"), ("", "Mitspielen Anna", "Anna 2"), ("", "Mitspielen E5 w HAUS", "E w HAUS"),
        ("", "Mitspielen Anne", "Anne"), ("", "Mitspielen Stand", "Zoe"), ("", "Mitspielen Spielleiter", "Zoe"),
        ("", "Mitspielen \u202eanna <b>@x", "anna b x"), ("", "anmelden: Jean-Luc O’Neil", "Jean-Luc O’Neil"),
    ):  # fmt: skip
        head = f"From: Zoe <zoe@far.example>\nSubject: {subject}\nContent-Type: text/plain; charset=utf-8\n\n{body}\n"
        found = joining.find_join_wish(parse_mail_bytes(head.encode()))
        assert found is not None
        with open_club.work() as work:
            made = joining.choose_free_name(work.session, work.config, found.name, "zoe@far.example")
        assert made.casefold() == name.casefold(), (subject, body)


# ---- what is set up can begin, and what cannot begin after all keeps no mail ----


def odd_values(kind: Any) -> list[Any]:
    """Of an option: values that are possible, out of range, too much for the tiles, or of another kind."""
    kinds = [one for one in typing.get_args(kind) if isinstance(one, str)]
    return [
        *(-1, 0, 1, 5, 8, 12, 15, 21, 30, 60, 10**9, 1.5, True, False, None, "", "streng", *POLICIES, *kinds),
        *([], {}, {"A": 0}, {"A": 999}, {"?": 3}, "rounds", "common", "race", "sequential", "english-100"),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("key", sorted(games.REGISTRY))
def test_whatever_is_set_up_can_be_dealt(club: Club, key: str) -> None:
    """Each option alone and pairs of them, at few and many seats: refused in a line that names it, or dealt."""
    game, dice, refused, dealt = games.load_game(key), random.Random(7), [], 0
    fields = [(name, odd_values(kind)) for name, kind in typing.get_type_hints(game.options).items()]
    alone = [{name: value} for name, values in fields for value in values]
    pairs = [{name: dice.choice(values) for name, values in dice.sample(fields, 2)} for _ in range(60)]
    everybody = [f"P{number}" for number in range(min(game.max_seats, 16))]
    club.players(*everybody)
    for options in [*alone, *pairs]:
        count = dice.choice((game.min_seats, len(everybody)))
        with club.work() as work, work.begin_trial() as apart:
            seats = [get_player(apart.session, name) for name in everybody[:count]]
            try:
                match = create_match(apart, key, "Arratia", seats, options)
            except OperatorError as error:
                refused.append((options, str(error)))
                assert matches.list_all_matches(apart.session, finished=True) == []
                continue
            MatchStart(apart, match).deal_match()
            dealt += 1
    assert [one for one in refused if not any(name in one[1] for name in (*one[0], "rack_size", "common_rack"))] == []
    assert min(len(refused), dealt) > 10


NEW = ("match", "add"), ("cup", "add")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("point Anna --seats 4 -o red=8 -o black=12", "red=8 with 4 seats needs 32 of 30 red tiles; at most 7."),
        ("point Anna Bert Cici --start -o black=25", "black=25 with 3 seats needs 75 of 50 black tiles; at most 16."),
        ("topwords Anna Bert -o rack_size=60", "rack_size=60 with 2 seats needs 120 of 100 tiles; at most 50."),
        ("topwords --seats 20", "rack_size=7 with 15 seats needs 105 of 100 tiles; at most 6."),
        ("topwords Anna --seats 3 -o pace=common -o common_rack=101", "common_rack=101 with 2 seats needs 101 of 100"),
        ("topwords Anna Bert -o tiles=foo", "'german-100' or 'english-100' or a table"),
        *((f"{game} Anna Bert -o policy=streng", "'streng' (option policy). Known: topwords, typdom.")
          for game in ("topwords", "kreuzwort", "point", "presto", "recht")),
        ("dominos Anna Bert --term bank=5", "bank_cap = 3 is less than bank = 5"),
        ("--game point --format tables --set seats=4 -o red=8", "red=8 with 4 seats needs 32 of 30 red tiles"),
        ("--game point --format swiss -o red=16", "red = 16 is out of range"),
        ("--game presto --format knockout -o policy=foo", "There is no word policy 'foo'"),
        ("--game dominos --format robin --term bank=5", "bank_cap = 3 is less than bank = 5"),
    ],
)  # fmt: skip
def test_new_refuses_what_the_start_would_refuse_and_leaves_nothing(club: Club, line: str, told: str) -> None:
    file = club.config.file
    file.write_text(f"{file.read_text(encoding='utf-8')}\n[deadlines]\nbank = 2\nbank_cap = 3\n", encoding="utf-8")
    cup = line.startswith("--")
    done = run(club, *(NEW[cup]), *(["Test"] if cup else ["--name", "Test"]), *line.split())
    assert told in f"{' '.join(done.output.split())} {done.exception}"
    assert "".join(run_well(club, what, "list", "--all", "--json") for what in ("match", "cup")) == ""


def remove_dictionary(club: Club) -> Callable[[], object]:
    words = club.folder / "lexicons" / "de.lex"
    kept = words.rename(club.folder / "kept.lex")
    return lambda: kept.rename(words)


@pytest.mark.parametrize(("language", "said"), [("de", "nicht an dir"), ("en", "no fault of yours"), ("fr", "rien")])
@pytest.mark.parametrize("newcomer", [False, True])
def test_a_start_that_fails_answers_who_joined_and_waits_for_one_command(
    tmp_path: Path, language: str, said: str, newcomer: bool
) -> None:
    club = make_club(tmp_path / "club", 'subaddress = "+"')
    object.__setattr__(club.config.club, "signup", "open")
    club.players("Anna", "Bert", Bert=language)
    code, mend = open_match(club, "Anna", wanted=2, game="topwords"), remove_dictionary(club)
    if newcomer:
        join = {"de": f"Mitspielen {code} als Zoe", "en": f"join {code}", "fr": f"participer {code}"}[language]
        from_home(club, "zoe@far.example", join)
        club.write("zoe@far.example", "ja", to=str(club.mail("zoe")["Reply-To"]))
    else:
        club.write("Bert", f"Mitspielen {code}", Authentication_Results=VOUCHED.format("home"))
    assert (club.tick().troubles, club.tick().is_quiet) == ([], True), "the mail is filed"
    assert said in " ".join(map(text, club.mails("zoe" if newcomer else "bert")))
    assert any(code in text(mail) and "de.lex" in text(mail) for mail in club.mails("boss"))
    waiting = run_well(club, "today")
    assert f"moderator match start {code}" in waiting
    assert "de.lex" in waiting
    assert run(club, "match", "start", code).exception
    assert club.row(code).status == MatchStatus.OPEN
    mend()
    run_well(club, "match", "start", code)
    assert (club.row(code).status, club.row(code).trouble) == (MatchStatus.RUNNING, "")
    assert code not in run_well(club, "today")


def test_a_table_for_practice_that_cannot_begin_leaves_nothing(club: Club) -> None:
    mend = remove_dictionary(club)
    assert "nicht gespielt werden" in wants(club, "Üben Topwords")
    with club.work() as work:
        assert not work.session.exec(select(MatchRow)).all()
        assert not work.session.exec(select(PlayerRow).where(PlayerRow.robot)).all()
    mend()
    assert "Eine neue Partie: Topwords" in wants(club, "Üben Topwords")


def test_what_the_operator_must_mend_names_what_it_concerns(club: Club) -> None:
    codes = [begin(club, game="topwords") for _ in range(2)]
    mend = remove_dictionary(club)
    for code in codes:
        club.order("Anna", code, 0, "passe")
    for _ in range(6):  # more often than a mail of a fault is tried
        (line,) = club.tick().troubles
        assert re.match(r"mail \d+, mail \d+: .*de\.lex", line)
    club.wait(days=9)
    assert all(re.match(r"(mail \d+(, )?)*(match \w+(, )?)*: ", line) for line in club.tick().troubles)
    mend()
    assert club.tick().handled == 2
