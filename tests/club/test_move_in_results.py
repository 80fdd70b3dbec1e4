"""Old results and ratings in a folder that is moved in: what they count for, what is refused, how they go again."""

import csv
import io
import json
import random
import zipfile
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from moderator.backup.integrity import CheckedCounts, iter_integrity_faults
from moderator.common.enums import MatchStatus
from moderator.games import OWN, load_game
from moderator.rules.ending import MatchOutcome
from moderator.service.create import add_player
from moderator.site.layout import SiteContent
from moderator.site.players import PlayerCareers, iter_player_files
from moderator.store import players, tournaments
from moderator.store.tables import MatchRow, SeatRow
from moderator.tournaments.ratings import NEWCOMER, estimate_rating
from moderator.views import ratings
from tests.club.club import Club, make_club, text
from tests.club.steps import VOUCHED
from tests.club.test_move_in import command, ok

PEOPLE = "name,address\nAnna Berg,anna@home.example\nBert Lund,bert@home.example\nCarla Holm,carla@home.example\n"
GAMES = """date;game;table;name;score;place;forfeit
2024-03-01;dominos;1;Anna Berg;105;;
2024-03-01;dominos;1;Bert Lund;80;;
1.4.2024;dominos;1;Bert Lund;;2;
1.4.2024;dominos;1;Anna Berg;;1;
1.4.2024;tridom;1;Anna Berg;30;;
1.4.2024;tridom;1;Bert Lund;95;;ja
1.4.2024;tridom;1;Carla Holm;40;;
"""
NUMBERS = "game,player,rating,games\ndominos,Anna Berg,1200,45\ndominos,Bert Lund,960,0\n"


def folder(club: Club, **files: str) -> Path:
    made = club.folder / "in"
    made.mkdir(exist_ok=True)
    for name, content in files.items():
        (made / f"{name}.csv").write_text(content, encoding="utf-8")
    return made


@pytest.fixture
def club(tmp_path: Path) -> Club:
    return make_club(tmp_path / "club")


def moves_in(club: Club, **files: str) -> str:
    """What is printed when the files, and those that are there already, are moved in."""
    return ok(club, "move-in", str(folder(club, **files)))


def is_refused(club: Club, **files: str) -> list[str]:
    done = command(club, "move-in", str(folder(club, **files)))
    assert done.exit_code == 1, done.output
    told = str(done.exception).splitlines()
    assert told.pop() == "Nothing was moved in."
    return told


def _played(club: Club, seed: int, count: int) -> None:
    """So many finished matches of all games as the end of a match leaves them: ties, seats given up early and late, two
    at the same moment."""
    lots = random.Random(seed)
    with club.work() as work:
        for n in range(8):
            add_player(work.session, f"Spieler {'ABCDEFGH'[n]}", f"p{n}@home.example", work.now)
        everybody = [one.number for one in players.list_all_players(work.session)]
        at = work.now - timedelta(days=900)
        for n in range(count):
            game = load_game(lots.choice(OWN_GAMES))
            seats = lots.randint(game.min_seats, min(8, game.max_seats))
            out = tuple(seat for seat in range(seats) if seat and lots.random() < 0.1)
            scores = tuple(lots.randint(0, 6) * 10 for _ in range(seats))
            ended = MatchOutcome(scores, None, (), out, tuple(lots.randint(0, 9) for _ in range(seats))).with_points(
                scores
            )
            at += timedelta(minutes=lots.choice((0, 7, 4000)), seconds=0.25)
            row = MatchRow(code=f"K{n:04}", name="x", game=game.key, status=MatchStatus.FINISHED, created_at=at)
            row.finished_at, row.result = at, ended.to_json()
            work.session.add(row)
            work.session.flush()
            for seat, player in enumerate(lots.sample(everybody, seats)):
                work.session.add(SeatRow(match_id=row.number, number=seat, player_id=player, token=f"T{n}x{seat}"))


OWN_GAMES = sorted(OWN)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_a_club_whose_results_are_moved_into_another_has_the_same_ratings(tmp_path: Path, seed: int) -> None:
    old, new = make_club(tmp_path / "old"), make_club(tmp_path / "new")
    _played(old, seed, 120)
    new.now = old.now
    people = "".join(f"Spieler {'HGFEDCBA'[n]},q{n}@home.example\n" for n in range(8))  # others, other numbers
    results = ok(old, "ratings", "--results")
    assert "120 old results taken in, as R1" in moves_in(new, players=f"name,address\n{people}", results=results)
    listed = ok(old, "ratings", "--json")
    assert ok(new, "ratings", "--json") == listed
    assert len(listed.splitlines()) > 30
    assert ok(new, "ratings", "--results") == results
    for game in OWN_GAMES:
        with old.work() as one, new.work() as two:
            mine, theirs = PlayerCareers(SiteContent(one)), PlayerCareers(SiteContent(two))
            assert [_shown(mine, p) for p in _by_name(mine)] == [_shown(theirs, p) for p in _by_name(theirs)], game


def _by_name(careers: PlayerCareers) -> list[int]:
    return sorted(careers.site.people, key=lambda player: careers.site.people[player].name)


def _shown(careers: PlayerCareers, player: int) -> list[object]:
    """What the player's page says of games won and lost, and of the ratings."""
    records = sorted(careers.list_records(player), key=lambda one: one.game)
    against = sorted((one.player.name, one.won, one.shared, one.lost) for one in careers.list_opponents(player))
    return [(one.game, one.won, one.shared, one.lost, one.rating, one.change) for one in records] + [against]


def test_results_written_by_hand_count_for_ratings_and_pages(club: Club) -> None:
    dry = ok(club, "move-in", "--dry-run", str(folder(club, players=PEOPLE, results=GAMES)))
    assert "3 old results would be taken in" in dry
    assert ok(club, "ratings") == "No finished match counts yet.\n"
    assert "3 old results taken in, as R1; they count for `moderator ratings`" in moves_in(club)
    listed = [json.loads(line) for line in ok(club, "ratings", "--json").splitlines()]
    assert [(one["game"], one["player"], one["games"]) for one in listed] == [
        ("dominos", "Anna Berg", 2), ("dominos", "Bert Lund", 2),
        ("tridom", "Carla Holm", 1), ("tridom", "Anna Berg", 1), ("tridom", "Bert Lund", 1),
    ]  # fmt: skip
    with club.work() as work:
        assert list(iter_integrity_faults(work.session, club.config, CheckedCounts())) == []
        careers = PlayerCareers(SiteContent(work))
        anna = next(player for player, one in careers.site.people.items() if one.name == "Anna Berg")
        assert [(one.game, one.won, one.lost) for one in careers.list_records(anna)] == [
            ("dominos", 2, 0),
            ("tridom", 0, 1),
        ]


def test_nothing_counts_twice_and_a_list_that_goes_on_adds_what_is_new(club: Club) -> None:
    moves_in(club, players=PEOPLE, results=GAMES)
    before = ok(club, "ratings", "--csv")
    again = moves_in(club)
    assert "Here already: 3 old results" in again
    assert "taken in" not in again
    assert ok(club, "ratings", "--csv") == before
    first = "\n".join(GAMES.splitlines()[1:3])  # the same two once more on that day, with the same end
    assert "1 old result taken in, as R2" in moves_in(club, results=GAMES + first.replace(";1;", ";2;") + "\n")
    assert "\ndominos  -      Anna Berg " in ok(club, "ratings")
    assert ok(club, "ratings", "--game", "dominos").endswith(" 3\n")
    assert "nobody had been mailed of it" in ok(club, "move-in", "--undo", "r2")
    assert ok(club, "ratings", "--csv") == before
    assert str(command(club, "move-in", "--undo", "R2").exception).startswith("There are no old results R2.")


def test_ratings_are_what_players_begin_with(club: Club) -> None:
    assert "2 old ratings taken in, as R1" in moves_in(club, players=PEOPLE, ratings=NUMBERS)
    club.say("anna@home.example", "Turnier Rangliste Dominos", **VOUCHED)
    told = text(club.mail("anna"))
    assert "1200" in told
    assert "45 Partien" in told
    assert ok(club, "ratings").splitlines() == [
        "Game     Place  Player     Rating  Games",
        "dominos  -      Anna Berg  1200    45",
        "dominos  -      Bert Lund  960     0",
    ]
    with club.work() as work:
        found = ratings.compute_club_ratings(work.session, "dominos")
        numbers = {one.name: one.number for one in players.list_all_players(work.session)}
        anna = found[numbers["Anna Berg"]]
        assert anna == estimate_rating(1200, 45)
        assert anna.sigma == pytest.approx(4.0)
        careers = PlayerCareers(SiteContent(work))
        assert [(one.player, one.rating.rounded) for one in careers.rank_players("dominos")] == [
            (str(numbers["Anna Berg"]), 1200), (str(numbers["Bert Lund"]), 960)
        ]  # fmt: skip
        record = careers.list_records(numbers["Bert Lund"])[0]
        assert (record.rated, record.rating.rounded, record.change, record.played) == (True, 960, 0, 0)
    _match(club, "Bert Lund", "Anna Berg")
    with club.work() as work:
        after = ratings.compute_club_ratings(work.session, "dominos")
    assert after[numbers["Anna Berg"]].games == 46
    assert (
        0 < 1200 - after[numbers["Anna Berg"]].rounded < after[numbers["Bert Lund"]].rounded - 960
    )  # he was less certain
    assert "dominos: ratings were brought along" in command(club, "ratings", "--results").stderr
    ok(club, "move-in", "--undo", "R1")
    with club.work() as work:
        assert ratings.compute_club_ratings(work.session, "dominos")[numbers["Anna Berg"]].rounded < NEWCOMER.rounded


def _match(club: Club, *names: str) -> None:
    """One that the first of them has won."""
    with club.work() as work:
        row = MatchRow(code="K7Q2", name="x", game="dominos", status=MatchStatus.FINISHED, created_at=work.now)
        points = tuple(range(len(names), 0, -1))
        row.finished_at, row.result = work.now, MatchOutcome(points, None, (), (), ()).with_points(points).to_json()
        work.session.add(row)
        work.session.flush()
        for seat, name in enumerate(names):
            player = players.find_player_by_name(work.session, name)
            work.session.add(SeatRow(match_id=row.number, number=seat, player_id=player.number, token=f"T{seat}"))


def test_the_list_of_ratings_that_a_club_prints_can_be_moved_in(tmp_path: Path) -> None:
    old, new = make_club(tmp_path / "old"), make_club(tmp_path / "new")
    _played(old, 3, 60)
    new.now = old.now
    people = "".join(f"Spieler {letter},{letter}@home.example\n" for letter in "ABCDEFGH")
    moves_in(new, players=f"name,address\n{people}", ratings=ok(old, "ratings", "--csv"))
    assert ok(new, "ratings") == ok(old, "ratings")
    assert ok(new, "ratings", "--csv") == ok(old, "ratings", "--csv")
    assert "Here already" in moves_in(new)
    before = ok(old, "ratings", "--csv")
    assert "Here already: 60 old results or ratings" in moves_in(old, results=ok(old, "ratings", "--results"))
    assert ok(old, "ratings", "--csv") == before, "the results of a club add nothing to it"


def test_a_match_stands_for_one_game_of_a_list_written_by_hand(club: Club) -> None:
    moves_in(club, players=PEOPLE)
    _match(club, "Anna Berg", "Bert Lund")
    day = club.now.astimezone(ZoneInfo(club.config.club.zone)).date()
    head = "date,game,table,name,place,forfeit\n"
    same = f"{day},dominos,1,Bert Lund,2,\n{day},dominos,1,Anna Berg,1,\n"
    others = [
        same,  # once more on that day
        same.replace("dominos", "tridom"),
        same.replace("Anna Berg", "Carla Holm"),
        same.replace("Bert Lund,2,", "Bert Lund,2,yes"),
        same.replace(str(day), str(day - timedelta(days=1))),
        same.replace("Lund,2", "Lund,1").replace("Berg,1", "Berg,2"),
    ]
    tables = [one.replace("dominos,1,", f"dominos,{n},") for n, one in enumerate(others, 2)]
    said = moves_in(club, results=head + same + "".join(tables))
    assert "Here already: 1 old result or ratings" in said
    assert "6 old results taken in, as R1" in said
    assert "Here already: 7 old results" in moves_in(club)


def test_another_time_of_the_same_day_is_another_game(club: Club) -> None:
    moves_in(club, players=PEOPLE)
    _match(club, "Anna Berg", "Bert Lund")
    listed = ok(club, "ratings", "--results")
    later = listed.replace(club.now.isoformat(), (club.now - timedelta(seconds=1)).isoformat())
    assert later != listed
    assert "1 old result taken in, as R1" in moves_in(club, results=later)


def test_the_list_of_ratings_of_this_club_is_refused_in_it(club: Club) -> None:
    moves_in(club, players=PEOPLE)
    _match(club, "Anna Berg", "Bert Lund")
    assert is_refused(club, ratings=ok(club, "ratings", "--csv")) == [
        f"ratings.csv:{line}: {name} has this rating of dominos from games played here; "
        "leave the line out, or those games would count twice."
        for line, name in ((2, "Anna Berg"), (3, "Bert Lund"))
    ]
    assert "2 old ratings taken in, as R1" in moves_in(club, ratings=NUMBERS)  # other numbers come from other games
    assert "Here already: 2 old results" in moves_in(club)


def test_a_rating_that_stands_there_twice(club: Club) -> None:
    twice = NUMBERS + "dominos,Anna Berg,1200,45\ndominos,anna@home.example,1100,3\n"
    told = [
        "ratings.csv:4: Anna Berg stands there twice for dominos, first in ratings.csv:2.",
        "ratings.csv:5: anna@home.example stands there twice for dominos, first in ratings.csv:2.",
    ]
    assert is_refused(club, players=PEOPLE, ratings=twice) == told
    moves_in(club, ratings=NUMBERS)
    assert is_refused(club, ratings=twice) == told


def test_all_that_is_wrong_is_told_at_once_with_its_line(club: Club) -> None:
    results = """date,game,table,name,score,place,forfeit,moves
2024-03-01,dominos,1,Anna Berk,105,,,
2024-03-01,dominos,1,Bert Lund,80,,,
2024-03-02,domino,1,Anna Berg,105,,,
2024-03-02,domino,1,Bert Lund,80,,,
gestern,dominos,1,Anna Berg,105,,,
gestern,dominos,1,Bert Lund,80,,,
2099-03-01,dominos,1,Anna Berg,105,,,
2099-03-01,dominos,1,Bert Lund,80,,,
2024-03-03,dominos,1,Anna Berg,105,,,
2024-03-04,dominos,1,Anna Berg,,,,
2024-03-04,dominos,1,Bert Lund,,,,
2024-03-05,dominos,1,Anna Berg,105,,,
2024-03-05,dominos,1,anna@home.example,80,,,
2024-03-06,dominos,1,Anna Berg,viel,,,
2024-03-06,dominos,1,Bert Lund,80,,,
2024-03-07,dominos,1,Anna Berg,3,,,
2024-03-07,dominos,1,Bert Lund,,,,
"""
    numbers = "game,player,rating\ntridom,Anna Berg,hoch\ntridom,Niemand,1100\ntridom,Anna Berg,99999\n"
    assert is_refused(club, players=PEOPLE, results=results, ratings=numbers) == [
        "results.csv:2: nobody is called 'Anna Berk', here or in the folder. Did you mean 'Anna Berg'?",
        "results.csv:4: there is no game 'domino'. Did you mean 'dominos'?",
        "results.csv:6: 'gestern' is no date. Write it as 2026-12-24 or 24.12.2026.",
        "results.csv:8: 2099-03-01 has not come yet.",
        "results.csv:10: nobody else has played this game. Its lines have the same date, game and table.",
        "results.csv:11: how it ended is missing. Give all seats a score or a place.",
        "results.csv:13: somebody plays against themselves.",
        "results.csv:15: score is 'viel'. Write a whole number.",
        "results.csv:18: the score is missing. Give all seats a score, or none.",
        "ratings.csv:2: rating is 'hoch'. Write a number such as 1 or 0.5.",
        "ratings.csv:3: nobody is called 'Niemand', here or in the folder.",
        "ratings.csv:4: rating is '99999'. Write a number from 0 to 5000; 1000 is a newcomer.",
    ]
    with club.work() as work:
        assert tournaments.list_old_results(work.session) == []
        assert players.list_all_players(work.session) == []


def test_of_a_game_either_results_or_ratings_are_brought_along(club: Club) -> None:
    assert is_refused(club, players=PEOPLE, results=GAMES, ratings=NUMBERS)[0] == (
        "ratings.csv:2: results of dominos are brought along, too; "
        "of a game either results or ratings are, or its games would count twice."
    )
    nothing = GAMES.partition("\n")[0]
    moves_in(club, results=nothing)
    assert is_refused(club, results=GAMES)[0].startswith("results.csv:2: ratings of dominos were brought along")
    told = is_refused(club, results=nothing, ratings=NUMBERS.replace("1200", "1300"))
    assert told[0] == "ratings.csv:2: Anna Berg begins with another rating of dominos already."


def test_a_list_without_its_columns_and_one_that_cannot_be_read(club: Club) -> None:
    taken = folder(club, players=PEOPLE, results="Anna;105\n", ratings="game,player\n")
    (taken / "results.csv").rename(taken / "Results.CSV")
    told = is_refused(club)
    assert told[0].startswith("Results.CSV:1: the column date is missing. Columns: date, game, table,")
    assert told[1].startswith("ratings.csv:1: the column rating is missing.")
    (taken / "ratings.csv").write_bytes(b"\0\xff")
    assert "ratings.csv:1: this is no text." in is_refused(club)[1]


def test_a_player_is_told_and_forgotten_with_them(club: Club, tmp_path: Path) -> None:
    moves_in(club, players=PEOPLE, results=GAMES, ratings="game,player,rating\ntopwords,Anna Berg,1100\n")
    ok(club, "player", "export", "Anna Berg", str(tmp_path / "anna.zip"))
    with zipfile.ZipFile(tmp_path / "anna.zip") as made:
        facts = json.loads(made.read("data.json"))
    assert [(one["game"], one["seat"], one["places"]) for one in facts["old_results"]] == [
        ("dominos", 0, 1), ("dominos", 1, 1), ("tridom", 0, 2)
    ]  # fmt: skip
    assert facts["first_ratings"] == [{"game": "topwords", "mu": 27.5, "sigma": 25 / 3, "games": 0}]
    assert "Bert" not in json.dumps(facts["old_results"])
    before = ok(club, "ratings", "--csv")
    ok(club, "player", "forget", "Anna Berg", "--yes")
    assert "Anna" not in ok(club, "ratings", "--results")
    after = ok(club, "ratings", "--csv")
    assert "Anna" not in after
    tables = (csv.reader(io.StringIO(table)) for table in (before, after))
    without, those = (sorted([row[0], *row[3:]] for row in table) for table in tables)
    assert without == those


@pytest.mark.slow
def test_the_list_of_players_says_what_was_brought_along(club: Club) -> None:
    for files, said in (
        ({}, ()),
        ({"ratings": NUMBERS}, ("statt mit 1000",)),
        ({"results": GAMES.replace("dominos", "topwords")}, ("statt mit 1000", "anderswo beendet wurden, zählen")),
    ):
        moves_in(club, players=PEOPLE, **files)
        out = club.folder / "out"
        ok(club, "publish", str(out))
        page = (out / "players.html").read_text(encoding="utf-8")
        assert [one for one in ("statt mit 1000", "anderswo beendet wurden, zählen") if one in page] == list(said)
        assert page.count(">1200</td>") == bool(files)


def test_a_new_name_reaches_the_list_of_players_who_have_only_brought_something(club: Club) -> None:
    moves_in(club, players=PEOPLE, results=GAMES)

    def lists() -> dict[str, tuple[str, bytes]]:
        with club.work() as work:
            made = [file for file in iter_player_files(SiteContent(work)) if "players.html" in file.path]
            return {file.path: (file.key, file.make()) for file in made}

    before = lists()
    assert lists() == before
    ok(club, "player", "set", "Carla Holm", "--name", "Clara Holm")
    after = lists()
    assert after.keys() == before.keys()
    for path, (key, page) in after.items():
        assert key != before[path][0]
        assert b"Clara Holm" in page
        assert b"Carla Holm" not in page
