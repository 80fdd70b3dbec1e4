"""A club joins in mid-season, from a folder that somebody wrote by hand to the last move and the record."""

import functools
import json
import operator
import re
import shutil
import tomllib
from collections.abc import Iterator
from copy import deepcopy
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from sqlmodel import select

from moderator.backup.integrity import CheckedCounts, iter_integrity_faults
from moderator.common.enums import ClockStop, LogEntryKind, MatchStatus
from moderator.games import OWN
from moderator.importers import files as template
from moderator.importers.matches import MoveIn
from moderator.service import moving_in
from moderator.settings import CLOCK
from moderator.store.tables import EventRow, MatchRow, OutboxRow, PlayerRow, SeatRow
from tests.club.club import Club, make_club, plain_boards, text
from tests.club.steps import run

FOLDER = Path(__file__).parent / "movein_club"


@pytest.fixture
def club(tmp_path: Path) -> Club:
    return make_club(tmp_path / "club")


def command(club: Club, *words: str) -> Result:
    (club.folder / CLOCK).write_text(club.now.isoformat(), encoding="utf-8")
    return run(club, *words)


def ok(club: Club, *words: str) -> str:
    done = command(club, *words)
    assert done.exit_code == 0, (done.output, done.exception)
    return done.stdout


def moved(club: Club, folder: Path = FOLDER) -> dict[str, str]:
    """Move the folder in; name of a match -> its code."""
    ok(club, "move-in", str(folder))
    plain_boards(club)
    club.tick()
    return {row.name: row.code for row in club.stored(MatchRow)}


def undone(club: Club, *codes: str) -> str:
    return ok(club, "move-in", *(word for code in codes for word in ("--undo", code)))


def confirm(club: Club, code: str) -> None:
    """Anna and Bert say that all is right."""
    for name, seat in (("Anna", 0), ("Bert", 1)):
        club.order(name, code, seat, "ok")
    club.tick()


def rows(club: Club, *kinds: Any) -> int:
    return sum(len(club.stored(select(kind))) for kind in kinds)


def changed(tmp_path: Path, **files: tuple[str, str]) -> Path:
    """The folder with something else in some of its files."""
    folder = tmp_path / "folder"
    shutil.copytree(FOLDER, folder)
    for name, (old, new) in files.items():
        path = next(folder.glob(f"{name}.*"))
        content = path.read_text(encoding="utf-8")
        assert old in content
        path.write_text(content.replace(old, new, 1), encoding="utf-8")
    return folder


def test_a_club_moves_in_confirms_and_plays_on(club: Club) -> None:
    codes = moved(club)
    for name, words in (("anna", "»STIMMT«"), ("bert", "“RIGHT”"), ("carla", "»STIMMT«"), ("dirk", "»STIMMT«")):
        asked = club.mail(name)
        assert words in text(asked)
        assert not any(label in text(asked) for label in ("Du musst nichts tun", "Nothing for you to do"))
        assert "du bist am Zug" not in str(asked["Subject"])
    row = club.row(codes["Herbst"])
    assert (row.status, row.stopped, row.deadline) == (MatchStatus.RUNNING, ClockStop.CONFIRM, None)
    club.hand_in("Bert", codes["Herbst"], 1, "65@R")
    assert "still waiting for Anna Berg and Bert Lund" in text(club.mail("bert"))
    club.hand_in("Bert", codes["Herbst"], 1, "right")
    assert "Still waiting for Anna Berg" in text(club.mail("bert"))
    club.let_pass(days=30)
    assert [mail["To"] for mail in club.mails() if "boss@" not in mail["To"]] == []  # no player is reminded
    club.hand_in("Anna", codes["Herbst"], 0, "Stimmt!\n\nGrüße\nAnna")
    assert "Die Partie geht hier weiter" in text(club.mail("anna"))
    assert str(club.mail("bert")["Subject"]).startswith("It’s your turn")
    row = club.row(codes["Herbst"])
    assert (row.stopped, row.deadline is not None and row.deadline > club.now) == (ClockStop.NO, True)
    club.hand_in("Bert", codes["Herbst"], 1, "65@N")
    live = club.live(codes["Herbst"])
    assert live.table.state.to_move == (0,)
    assert live.table.state.public.board.north == ("65",)
    assert [entry.kind for entry in club.log(codes["Herbst"])][:3] == [
        LogEntryKind.MOVE_IN, LogEntryKind.CONFIRM, LogEntryKind.CONFIRM
    ]  # fmt: skip
    assert club.row(codes["Abend"]).stopped == ClockStop.CONFIRM
    with club.work() as work:
        assert list(iter_integrity_faults(work.session, club.config, CheckedCounts())) == []


def test_words_of_the_house_and_people_come_along_once(club: Club) -> None:
    moved(club)
    house = club.config.resolve_path(club.config.words.house).read_text(encoding="utf-8")
    assert "molch\t\t\tdeny\tzu selten" in house
    found = {one.name: (one.address, one.language) for one in club.stored(PlayerRow)}
    assert found == {
        "Anna Berg": ("anna@home.example", "de"), "Bert Lund": ("bert@home.example", "en"),
        "Carla Holm": ("carla@home.example", "de"), "Dirk Jäger": ("dirk@home.example", "de"),
    }  # fmt: skip
    again = command(club, "move-in", str(FOLDER))
    assert again.exit_code == 1
    assert "herbst.toml:3: " in str(again.exception)
    assert "is a match of that name between these players" in str(again.exception)


def test_a_dry_run_changes_nothing_and_what_is_taken_back_before_anybody_was_mailed_is_told_to_nobody(
    club: Club,
) -> None:
    shown = ok(club, "move-in", "--dry-run", str(FOLDER))
    assert shown.count("----- to ") == 4
    assert "Codes of matches are given anew then." in shown
    assert "Deine Steine: 6ǀ4 3ǀ1 5ǀ5 2ǀ1 1ǀ0 0ǀ0" in shown
    assert "herbst.toml: would be a match" in shown
    assert rows(club, MatchRow, PlayerRow, SeatRow, EventRow, OutboxRow) == 0
    assert not club.config.resolve_path(club.config.words.house).exists()
    ok(club, "move-in", str(FOLDER))
    codes = club.stored(select(MatchRow.code))
    undone(club, *codes)
    assert rows(club, MatchRow, OutboxRow) == 0
    club.tick()
    assert club.mails() == []


def test_who_finds_a_mistake_says_so_and_the_match_is_taken_back(club: Club) -> None:
    code = moved(club)["Herbst"]
    club.skip_mails()
    club.order("Anna", code, 0, "stimmt")
    club.hand_in("Bert", code, 1, "WRONG: I hold the 4-4\ninstead of the 4-1.")
    notice = next(mail for mail in club.mails() if "boss@" in str(mail["To"]))
    assert "Bert Lund" in text(notice)
    assert "I hold the 4-4 instead of the 4-1." in text(notice)
    assert club.row(code).stopped == ClockStop.CONFIRM
    assert undone(club, code) == f"Taken back: {code}; the next tick tells the players.\n"
    club.tick()
    assert {str(mail["To"]).partition(" ")[0] for mail in club.mails()} == {"Anna", "Bert"}
    with club.work() as work:
        assert [row.name for row in work.session.exec(select(MatchRow))] == ["Abend"]
        assert list(iter_integrity_faults(work.session, club.config, CheckedCounts())) == []
    again = club.folder / "again"
    again.mkdir()
    shutil.copy(FOLDER / "herbst.toml", again)
    assert moved(club, again)["Herbst"] != ""


def test_the_day_that_was_agreed_is_that_of_the_turn_on_the_sheet(tmp_path: Path, club: Club) -> None:
    """Not of the next one, where an order of the sheet is played at once."""
    deadlines = []
    for number, order in enumerate(("", '\norder = "65@N"')):
        rack = 'rack = "65, 41, 22, 33, 51, 50, 63, 20"'
        (tmp_path / str(number)).mkdir()
        own = make_club(tmp_path / str(number) / "club")
        code = moved(own, changed(tmp_path / str(number), herbst=(rack, rack + order)))["Herbst"]
        confirm(own, code)
        deadlines.append((own.row(code).deadline, own.live(code).table.state.to_move))
        assert (LogEntryKind.CLOCK in [entry.kind for entry in own.log(code)]) == (not order)
    (sheet_turn, first), (next_turn, second) = deadlines
    assert (first, second) == ((1,), (0,))
    assert sheet_turn is not None and next_turn is not None  # noqa: PT018
    assert sheet_turn.date().isoformat() == "2027-01-15" > next_turn.date().isoformat()


def test_a_file_that_cannot_be_read_is_told_like_any_other_fault(club: Club, tmp_path: Path) -> None:
    for folder in ("eins.toml", "leute.csv"):
        (tmp_path / "in" / folder).mkdir(parents=True)
    (tmp_path / "in" / "zwei.toml").write_bytes(b"game = \0\xff")
    (tmp_path / "in" / "drei.csv").write_bytes(b'name,address\n"' + b"x" * 200_000 + b'",y\n')
    told = str(command(club, "move-in", str(tmp_path / "in")).exception).splitlines()
    places = [line.partition(": ")[0] for line in told[:-1]]
    assert places == ["drei.csv:2", "leute.csv:1", "eins.toml:1", "zwei.toml:1"]


def test_lists_of_old_macs_and_cards_of_old_windows_programs_are_read(club: Club, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "mac.csv").write_bytes(b"name,address\rEmil,emil@home.example\rFrida,frida@home.example\r")
    card = "BEGIN:VCARD\nFN;CHARSET=WINDOWS-ANSI;ENCODING=QUOTED-PRINTABLE:J=E4ger\nEMAIL:j@home.example\nEND:VCARD\n"
    (tmp_path / "in" / "win.vcf").write_text(card, encoding="utf-8")
    moved(club, tmp_path / "in")
    assert set(club.stored(select(PlayerRow.name))) == {"Emil", "Frida", "Jäger"}


@pytest.mark.slow
def test_what_was_played_is_not_taken_back_so_and_nothing_goes_behind_the_beginning(club: Club) -> None:
    code = moved(club)["Herbst"]
    before = club.live(code).table.state
    confirm(club, code)
    club.hand_in("Bert", code, 1, "65@N")
    assert club.live(code).table.state != before
    refused = command(club, "move-in", "--undo", code)
    assert refused.exit_code == 1
    assert "something was played already" in str(refused.exception)
    for entry in ("1", "2"):
        assert command(club, "match", "rollback", code, "--entry", entry).exit_code != 0
    ok(club, "match", "rollback", code, "--round", "1")
    assert club.live(code).table.state == before


def test_the_moderator_lets_it_go_on_without_the_last_word(club: Club) -> None:
    code = moved(club)["Abend"]
    club.skip_mails()
    assert command(club, "match", "pause", code).exit_code != 0
    ok(club, "match", "resume", code)
    club.tick()
    assert str(club.mail("carla")["Subject"]).startswith("Du bist dran")
    assert club.row(code).stopped == ClockStop.NO


def test_who_gives_up_need_not_confirm(club: Club) -> None:
    code = moved(club)["Herbst"]
    club.hand_in("Anna", code, 0, f"aufgeben {code} JA")
    assert (club.row(code).status, club.row(code).stopped) == (MatchStatus.FINISHED, ClockStop.CONFIRM)


def test_the_record_begins_with_the_position_and_verifies(club: Club, tmp_path: Path) -> None:
    code = moved(club)["Herbst"]
    confirm(club, code)
    club.hand_in("Bert", code, 1, "65@N")
    club.hand_in("Anna", code, 0, f"aufgeben {code} JA")
    assert club.row(code).status == MatchStatus.FINISHED
    written = ok(club, "export", code)
    record = json.loads(written)
    assert record["setup"]["position"]["board"] == ["66", "62@L", "61@R"]
    file = tmp_path / "record.json"
    file.write_text(written, encoding="utf-8")
    ok(club, "verify", str(file))
    record["result"]["scores"][0] += 1
    file.write_text(json.dumps(record), encoding="utf-8")
    assert command(club, "verify", str(file)).exit_code == 1


@pytest.mark.parametrize(
    ("name", "old", "new", "line"),
    [
        ("herbst", "stock = 11", "stock = 12", "herbst.toml:7: 12 does not add up"),
        ("herbst", '"62@L"', '"52@L"', "herbst.toml:6: '52@L' cannot be laid there"),
        ("herbst", "64 31 55", "64 31 99", "herbst.toml:13: there is no tile '99'."),
        ("herbst", 'turn = "Bert Lund"', 'turn = "Bert"', "herbst.toml:4: 'Bert' plays not in this match"),
        ("herbst", 'name = "Bert Lund"', 'name = "Bert Lunt"', "Did you mean 'Bert Lund'?"),
        ("herbst", "gains = [5]", "gain = [5]", "herbst.toml:12: there is no such key; did you mean gains?"),
        ("herbst", 'game = "dominos"', 'game = "domino"', "herbst.toml:2: there is no game 'domino'"),
        ("herbst", "stock = 11", "stock = ", "herbst.toml: Invalid value (at line 7"),
        ("herbst", "deadline = 2027-01-15", 'deadline = "soon"', "herbst.toml:5: 'soon' is no day"),
        ("abend", "pass_rounds = 3", "pass_rounds = 0", "abend.toml:"),
        ("abend", ". . . . H AM U S . .", ". . . . H AM U S .", "abend.toml:11: 9 squares"),
        ("abend", "AEIOUNN", "QQQQQQQ", "abend.toml:25: Q is there 7 times"),
        ("players", "anna@home.example", "anna at home", "players.csv:2: 'anna at home' is no mail address."),
        ("players", "Name;E-Mail", "Wer;Wohin", "players.csv:1: no columns name and address."),
        ("house", "deny", "forbid", "house.tsv:4: ruling 'forbid'."),
        ("adressbuch", "FN:Carla Holm", "FN:Anna Berg", "There is a player 'Anna Berg' already."),
    ],
)
def test_what_is_wrong_is_told_with_its_line_and_nothing_is_moved_in(
    tmp_path_factory: pytest.TempPathFactory, name: str, old: str, new: str, line: str
) -> None:
    folder = tmp_path_factory.mktemp("wrong")
    club = make_club(folder / "club")
    refused = command(club, "move-in", str(changed(folder, **{name: (old, new)})))
    assert refused.exit_code == 1
    assert line in str(refused.exception), str(refused.exception)
    assert "Nothing was moved in." in str(refused.exception)
    assert rows(club, MatchRow, PlayerRow, SeatRow, EventRow, OutboxRow) == 0


def test_all_that_is_wrong_is_told_at_once(club: Club, tmp_path: Path) -> None:
    wrong = {"herbst": ('"62@L"', '"52@L"'), "abend": ("AEIOUNN", "QQQQQQQ"), "players": ("anna@", "anna ")}
    told = str(command(club, "move-in", str(changed(tmp_path, **wrong))).exception).splitlines()
    assert [line.partition(":")[0] for line in told[:-1]] == ["players.csv", "abend.toml", "herbst.toml", "herbst.toml"]


@pytest.mark.slow
@pytest.mark.parametrize("game", sorted(OWN))
def test_each_template_can_be_moved_in(club: Club, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str) -> None:
    """In the club's language; in another only its remarks differ."""
    once = functools.cache(template.build_example_position)  # seconds go into it
    monkeypatch.setattr(template, "build_example_position", lambda *of: deepcopy(once(*of)))
    printed = command(club, "move-in", "--template", game).output
    assert "Zeilen mit #" in printed
    english = template.format_match_template(game, "en")
    assert "Zeilen mit #" not in english
    assert tomllib.loads(english) == tomllib.loads(printed)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "eins.toml").write_text(printed, encoding="utf-8")
    people = "name,address\nAnna,anna@home.example\nBert,bert@home.example\n"
    (tmp_path / "in" / "players.csv").write_text(people, encoding="utf-8")
    code = moved(club, tmp_path / "in")["Arratia"]
    confirm(club, code)
    assert club.row(code).stopped == ClockStop.NO


def test_the_page_does_what_it_says(club: Club, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/run/moving-in.md: its example is moved in by its commands, typed as they stand, and taken back."""
    page = (Path(__file__).parents[2] / "docs" / "run" / "moving-in.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    first, *others = [text for kind, text in blocks if not kind]
    lines = first.splitlines()
    assert lines[0] == "mkdir umzug"
    (tmp_path / "umzug").mkdir()
    asked, _, file = lines[1].partition(" > ")
    printed = command(club, *asked.split()[1:])
    (tmp_path / file).write_text(printed.output, encoding="utf-8")
    example = next(text for kind, text in blocks if kind == "toml")
    (tmp_path / file).write_text(example, encoding="utf-8")
    shutil.copy(FOLDER / "players.csv", tmp_path / "umzug")
    for line in lines[2:]:
        ok(club, *line.split()[1:])
    (code,) = club.stored(select(MatchRow.code))
    assert str(club.mail("anna")["Subject"]).startswith("Die Partie zieht hierher um")
    undo = next(text for text in others if "--undo" in text).strip()
    assert command(club, *undo.replace("K7Q2", code).split()[1:]).exit_code == 0
    told = next(text for text in others if "Nothing was moved in." in text).splitlines()
    wrong = example.replace('"62@L"', '"52@L"').replace("65 41 22", "31 41 22")
    (tmp_path / file).write_text(wrong, encoding="utf-8")
    assert str(command(club, "move-in", "umzug").exception).splitlines() == told


def test_what_the_command_line_wants_of_it(club: Club, tmp_path: Path) -> None:
    assert command(club, "move-in").exit_code == 2
    assert command(club, "move-in", str(FOLDER), "--undo", "K7Q2").exit_code == 2
    nothing = command(club, "move-in", str(tmp_path))
    assert "There is nothing to move in" in str(nothing.exception)
    assert club.stored(MatchRow) == []
    club.players("Anna", "Bert")
    code = club.match("Anna", "Bert")
    assert "was not moved in" in str(command(club, "move-in", "--undo", code).exception)


def test_who_does_not_confirm_for_days_is_what_the_moderator_has_to_do(club: Club) -> None:
    code = moved(club)["Herbst"]
    club.order("Anna", code, 0, "stimmt")
    club.let_pass(days=4)
    assert "Herbst" not in command(club, "today").output
    club.wait(days=2)
    said = command(club, "today").output
    line = next(line for line in said.splitlines() if "Herbst" in line)
    assert "to be confirmed by Bert Lund." in line
    assert f"moderator match resume {code}" in said


@pytest.mark.slow
def test_its_page_says_that_it_began_elsewhere(club: Club, tmp_path: Path) -> None:
    code = moved(club)["Herbst"]
    club.players("Emil", "Frida")
    other = club.match("Emil", "Frida", game="dominos")
    waits = next(line for line in command(club, "match", "list").output.splitlines() if line.startswith(code))
    assert waits.endswith("waits until its players have confirmed it")
    assert command(club, "publish", str(tmp_path / "site")).exit_code == 0
    said = "Diese Partie begann anderswo"
    pages = [(tmp_path / "site" / "matches" / f"{one}.html").read_text(encoding="utf-8") for one in (code, other)]
    assert [said in page for page in pages] == [True, False]


KINDS: tuple[Any, ...] = (
    True, 0, 1, -1, 10**30, 1.5, "", "x", [], [1], ["x"], [[]], [{}], {}, {"x": 1}, {"square": 5, "direction": "w"},
    date(2026, 12, 24), date(1, 1, 1), datetime(9999, 12, 31, tzinfo=UTC), time(12),
)  # fmt: skip
"""One value of each kind that TOML has, and some at its ends."""
KEYS = (
    "board", "bought", "completing", "deadline", "drew", "early", "empty", "exchanges", "finished", "game", "gave_up",
    "gone", "last", "leader", "name", "options", "out", "passes", "player", "rack", "round", "running", "stake",
    "starter", "stock", "stock_order", "terms", "turn",
)  # fmt: skip
OF_PLAYER = ("gains", "layout", "name", "order", "out", "penalties", "rack", "score")


def with_other_kinds(values: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """(where, the values with one of another kind there)."""
    places: list[tuple[str | int, ...]] = [(key,) for key in KEYS]
    places += [("player", seat, key) for seat in (0, 1) for key in OF_PLAYER]
    places += [("board", 0)] if isinstance(values.get("board"), list) else []
    for number, place in enumerate(places):
        for kind, value in enumerate(KINDS):
            if (kind + number) % 5 == 0:
                other = deepcopy(values) | {"name": f"{number} {kind}"}  # else they are the same match
                functools.reduce(operator.getitem, place[:-1], other)[place[-1]] = value
                yield f"{place} = {value!r}", other


@pytest.mark.slow
@pytest.mark.parametrize("game", sorted(OWN))
def test_a_value_of_any_kind_is_a_fault_with_its_line_or_is_moved_in(
    club: Club, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    club.players("Anna", "Bert")
    monkeypatch.setattr(template, "_SEEDS", 2)
    text = template.format_match_template(game, "en")
    path = tmp_path / "match.toml"
    path.write_text(text, encoding="utf-8")
    cases = dict(with_other_kinds(tomllib.loads(text)))
    with club.work() as work:
        for where, values in cases.items():
            monkeypatch.setattr(tomllib, "loads", lambda _, values=values: deepcopy(values))
            moving = MoveIn(work, tmp_path)
            ready, faults = moving._read_match(path), moving.faults
            if ready is not None:
                moving_in.import_match(work, *ready[:3])
            assert (ready is None) == bool(faults), where
            assert all(re.match(r"match\.toml:\d+: ", fault) for fault in faults), (where, faults)
