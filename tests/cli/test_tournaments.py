"""`moderator cup …` and `moderator ratings`, as they are typed, on a clock that the tests turn."""

import dataclasses
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text as sql
from sqlmodel import select

from moderator.common.disk import LANGUAGES
from moderator.language.messages import render_code
from moderator.service.create import add_player
from moderator.service.tournaments.club_tournament import ClubTournament
from moderator.store import tournaments
from moderator.store.tables import MatchRow, Tournament
from moderator.tournaments import formats
from moderator.tournaments.field import TournamentState
from moderator.tournaments.tiebreaks import COLUMNS
from moderator.views import tournament_rows
from moderator.views.tournament_rows import (
    StoredTournament,
    encode_tournament_settings,
    get_tournament_settings,
    list_setting_fields,
)
from tests.cli.running import refuse_command, run_command, type_command
from tests.club.club import Club, club_of, text
from tests.tournaments.test_files import LINE

ROOT = Path(__file__).resolve().parent.parent.parent
FIVE = ("Anna", "Bert", "Cici", "Dora", "Emil")


@pytest.fixture
def club(tmp_path: Path) -> Club:
    return club_of(tmp_path / "club", *FIVE, "Fritz", "Gerda")


def run(club: Club, *words: str, answer: str = "") -> str:
    """What is printed by `moderator cup WORDS`."""
    return type_command(club, "cup", *words, stdin=answer)


def refused(club: Club, *words: str) -> str:
    """The error with its fix, or the usage message; nothing has changed."""
    before = stored(club)
    said = refuse_command(club, "cup", *words)
    assert stored(club) == before, words
    return said


def stored(club: Club) -> str:
    """All tournaments with their entrants, games and steps."""
    with club.work() as work:
        found = []
        for one in work.session.exec(select(Tournament)):
            entries = [entry for entry, _ in tournaments.list_entries_with_players(work.session, one)]
            parts = [one, *entries, *tournaments.list_pairings(work.session, one)]
            found += [part.model_dump(mode="json") for part in parts]
            found.append({"steps": sorted(tournaments.load_done_steps(work.session, one))})
        return json.dumps(found, sort_keys=True)


def row(club: Club, code: str = "T1") -> Tournament:
    with club.work() as work:
        return tournament_rows.get_tournament(work.session, code)


def table(club: Club, code: str = "T1") -> TournamentState:
    with club.work() as work:
        return StoredTournament(
            work.session, tournament_rows.get_tournament(work.session, code)
        ).build_division_states()[1]


def set_up(club: Club, form: str, *names: str, game: str = "dominos", begin: bool = True, **settings: Any) -> str:
    """A tournament T1 of ``list_setting_fields``; with ``begin`` its first games are dealt."""
    words = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
    said = run(club, "add", "Herbst", "--game", game, "--format", form, "--set", "invite=false", "--seed", "7", *words)
    code = said.split()[1]
    run(club, "join", code, *names)
    if begin:
        run(club, "start", code)
        club.tick_unread()
    return code


def codes(club: Club, code: str = "T1") -> list[str]:
    """Codes of the matches of open games, in order."""
    with club.work() as work:
        found = tournament_rows.get_tournament(work.session, code)
        matches = tournaments.load_tournament_matches(work.session, found)
        open_ = tournament_rows.filter_open_games(tournaments.list_pairings(work.session, found))
        return [matches[game.match_id].code for game in open_ if game.match_id in matches]


def decide(club: Club, code: str = "T1", result: Callable[[int], str] = lambda n: "1-0") -> None:
    """Settle all open games by the moderator's word."""
    for number, match in enumerate(codes(club, code)):
        run(club, "adjudicate", code, match, result(number))


def test_every_format_and_setting_stands_in_the_docs() -> None:
    docs = (ROOT / "docs" / "run" / "tournaments.md").read_text(encoding="utf-8")
    for form in formats.OWN:
        assert f"`{form}`" in docs
        for name in list_setting_fields(form):
            assert re.search(rf"\| `{name}`( \||, `)|, `{name}` \|", docs), name


def test_every_format_lists_its_settings_in_every_language() -> None:
    for language in LANGUAGES:
        every = type_command(None, "cup", "formats", "--language", language).replace("\u00a0", " ")
        for form in formats.REGISTRY:
            named = type_command(None, "cup", "formats", form, "--language", language)
            for field in dataclasses.fields(formats.load_format(form).options):
                said = [line for line in every.splitlines() if line.startswith(f"  {field.name}=")]
                meant = render_code(f"cup-option-{form}-{field.name}", language).replace("\u00a0", " ")
                assert any(line.endswith(f"  {meant}") for line in said), field.name
            assert all(f"  {name}=" in named for name in list_setting_fields(form))
    refused = refuse_command(None, "cup", "formats", "chess")
    assert "There is no format 'chess'" in refused
    assert "robin, double, swiss" in refused


def test_what_an_earlier_version_let_be_set_for_nothing_is_left_aside(club: Club) -> None:
    set_up(club, "knockout", *FIVE, legs=1)
    with club.work() as work:
        found = tournament_rows.get_tournament(work.session, "T1")
        found.settings = {**found.settings, "reach": 5, "rounds": 4}
    decide(club)
    club.tick()
    assert row(club).round == 2
    with club.work() as work:
        assert encode_tournament_settings(
            get_tournament_settings(tournament_rows.get_tournament(work.session, "T1"))
        ) == {
            "invite": False,
            "legs": 1,
        }


def test_what_cannot_be_set_up_is_refused_with_the_fix(club: Club) -> None:
    add = ("add", "Herbst", "--game", "dominos", "--format")
    for words, wanted in (
        (("add", "Herbst", "--game", "dominos"), "--format"),
        ((*add, "swis"), "swiss"),
        ((*add, "swiss", "--set", "round=3"), "format swiss has no setting 'round'"),
        ((*add, "swiss", "--set", "round=5"), "Did you mean 'rounds'?"),
        ((*add, "swiss", "--set", "rounds=500"), "0 to 100"),
        ((*add, "ladder", "--set", "rounds=3"), "format ladder has no setting 'rounds'"),
        ((*add, "ladder", "--set", "reach=0"), "reach = 0 cannot be"),
        ((*add, "ladder", "--set", "own=1"), "no setting 'own'"),
        ((*add, "swiss", "--set", "tiebreaks=wins,luck"), "luck"),
        ((*add, "swiss", "-o", "targett=5"), "target"),
        ((*add, "swiss", "--term", "dayz=5"), "days"),
        ((*add, "tables", "--set", "seats=4"), "is for 2 seats"),
        ((*add, "swiss", "--closes", "soon"), "24.12.2026"),
        ((*add, "swiss", "--closes", "31.2.2027"), "no date"),
        ((*add, "swiss", "--closes", "2026-11-19"), "over"),
        ((*add, "swiss", "--opens", "2027-02-01", "--closes", "2027-01-31"), "before it begins"),
        ((*add, "swiss", "--set", "late_points=1"), "1/2"),
        (("new", "x" * 50, "--game", "dominos", "--format", "robin"), "40"),
        (("add", "Herbst", "--after", "T9"), "cup list"),
    ):
        assert wanted in refused(club, *words), words


def test_settings_options_and_terms_are_kept(club: Club) -> None:
    words = "--set late_points=1/2 -o target=50 --term days=3 --seed 11 --opens 2026-12-01 --closes 2026-12-24"
    add = ("add", "Herbst", "--game", "dominos", "--format", "swiss", "--set", "tiebreaks=wins, spread")
    run(club, *add, *words.split())
    found = row(club)
    assert found.settings == {"late_points": "1/2", "tiebreaks": ["wins", "spread"]}
    assert (found.options["target"], found.terms, found.seed) == (50, {"days": 3}, "11")
    assert f"{found.opens_at:%d.%m. %H:%M} {found.closes_at:%d.%m. %H:%M}" == "30.11. 23:00 24.12. 19:00"
    shown = run(club, "show", "T1")
    assert "Settings: tiebreaks = wins spread, late_points = 1/2" in shown
    assert "Terms: days = 3" in shown
    assert "opens 2026-12-01 00:00" in run(club, "list")


@pytest.mark.slow
def test_the_registration_is_opened_prolonged_and_ended(club: Club) -> None:
    set_up(club, "robin", "Anna", begin=False, least=3)
    assert "nobody could play" in refused(club, "start", "T1")
    run(club, "join", "T1", "Bert")
    assert "fewer than least = 3. --anyway" in refused(club, "start", "T1")
    assert "over" in refused(club, "open", "T1", "--until", "2026-11-19")
    assert "`moderator cup start T1`" in run(club, "open", "T1")
    club.tick()
    assert "--until" in refused(club, "open", "T1")
    run(club, "open", "T1", "--until", "2026-12-01")
    assert "02" not in f"{row(club).closes_at:%d}"
    run(club, "open", "T1", "--until", "2026-12-02")
    club.tick()
    assert any("2. Dezember" in text(mail) or "2.12." in text(mail) for mail in club.mails("Anna"))
    club.let_pass(days=13)
    assert row(club).trouble == "cup-too-few"
    assert "WAITS FOR YOU" in run(club, "list")
    run(club, "open", "T1", "--until", "2027-01-10")
    assert row(club).trouble == ""
    club.let_pass(days=40)
    assert row(club).trouble == "cup-too-few"
    assert "begins with 2 entrants" in run(club, "start", "T1", "--anyway")
    club.tick()
    assert row(club).status == "running"
    assert "running" in refused(club, "start", "T1")
    assert "running" in refused(club, "open", "T1")


def test_who_joins_when(club: Club) -> None:
    set_up(club, "swiss", "Anna", "Bert", "Cici", begin=False, most=4, rounds=3)
    assert "no player" in refused(club, "join", "T1", "Dora", "Nobody")
    assert run(club, "join", "T1", "Dora", "emil@home.example") == (
        "Dora is in.\nEmil is on the standby list, number 1.\n"
    )
    assert "already" in refused(club, "join", "T1", "Anna")
    assert run(club, "join", "T1", "Fritz") == "Fritz is on the standby list, number 2.\n"
    run(club, "withdraw", "T1", "Fritz", "--yes")
    assert "begins with 4" in run(club, "start", "T1")
    club.tick()
    run(club, "withdraw", "T1", "Emil", "--yes")
    run(club, "withdraw", "T1", "Dora", "--yes")
    assert run(club, "join", "T1", "Gerda") == "Gerda plays from round 2 on.\n"
    assert "cup list" in refused(club, "join", "T9", "Gerda")


@pytest.mark.slow
def test_a_newcomer_in_a_round_robin_meets_everybody_who_plays(club: Club) -> None:
    set_up(club, "robin", *FIVE, most=6)
    run(club, "withdraw", "T1", "Emil", "--yes")
    club.tick_unread()
    assert run(club, "join", "T1", "Fritz") == "Fritz plays 4 games, which the next tick deals.\n"
    t = table(club)
    mine = [game for game in t.games if 6 in game.seats]
    others = {one.number for one in t.entrants if one.name not in ("Emil", "Fritz")}
    assert {number for game in mine for number in game.seats} == others | {6}
    assert {game.round for game in mine} == {6}
    assert sum(game.seats[0] == 6 for game in mine) == 2
    club.tick()
    with club.work() as work:
        found = tournaments.list_pairings(work.session, tournament_rows.get_tournament(work.session, "T1"))
        assert len({game.ends_at for game in found if game.kind == "game"}) == 1
        assert all(match.status != "open" for match in work.session.exec(select(MatchRow)))
    assert any("Fritz" in text(mail) for mail in club.mails("Anna"))
    assert "is in" in refused(club, "join", "T1", "Fritz")
    assert "has left" in refused(club, "join", "T1", "Emil")


@pytest.mark.slow
def test_a_round_robin_takes_nobody_when_it_is_too_late(club: Club) -> None:
    """A league takes somebody into its lowest division."""
    set_up(club, "robin", "Anna", "Bert", "Cici", most=4)
    run(club, "adjudicate", "T1", codes(club)[0], "1-0")
    run(club, "join", "T1", "Dora")
    assert "full: 4 of 4" in refused(club, "join", "T1", "Emil")
    set_up(club, "robin", "Anna", "Bert", "Cici")
    for match in codes(club, "T2")[:2]:
        run(club, "adjudicate", "T2", match, "1-0")
    assert "too late for somebody new" in refused(club, "join", "T2", "Dora")
    set_up(club, "knockout", "Anna", "Bert", "Cici")
    assert "standby list" in run(club, "join", "T3", "Dora")
    set_up(club, "league", *FIVE, "Fritz", division=3)
    assert "plays 3 games" in run(club, "join", "T4", "Gerda")
    assert [(division, number) for division, number, name, _ in places(club, "T4") if name == "Gerda"] == [(2, 4)]


@pytest.mark.slow
def test_withdrawing_asks_and_says_what_it_means(club: Club) -> None:
    set_up(club, "robin", *FIVE)
    said = run(club, "withdraw", "T1", "anna", answer="y\n")
    assert "Anna gives up 4 open games." in said
    assert "none of them will count" in said
    assert "Anna is out of T1; games given up: 4." in said
    assert len(codes(club)) == 6
    club.tick()
    assert any("genommen" in text(mail) for mail in club.mails("Anna"))
    for name in ("Anna", "Gerda"):
        assert "does not play" in refused(club, "withdraw", "T1", name, "--yes")
    before = stored(club)
    assert run_command(club, "cup", "withdraw", "T1", "Bert", stdin="n\n").exit_code == 1
    assert stored(club) == before


def stuck(club: Club) -> None:
    """Anna and the others met in round 1; the two who are left have met already."""
    set_up(club, "swiss", *FIVE[:4], rounds=3)
    first, second = [game.seats for game in table(club).games]
    decide(club)
    for number in second:
        run(club, "withdraw", "T1", table(club).get_entrant(number).name, "--yes")
    club.tick()
    assert row(club).trouble == "cup-no-pairing"
    assert {one.number for one in table(club).entrants if one.left is None} == set(first)


@pytest.mark.slow
def test_a_round_that_cannot_be_paired_waits_for_a_word(club: Club) -> None:
    stuck(club)
    assert "WAITS FOR YOU, no legal pairing" in run(club, "list")
    staying = [one.name for one in table(club).entrants if one.left is None]
    gone = next(one.name for one in table(club).entrants if one.left is not None)
    for words, wanted in (
        (("--dry-run",), "cannot be paired"),
        (("--dry-run", "--end"), "by themselves"),
        (("--end", "--rematches"), "by themselves"),
        (("--bye", "Nobody"), "cup show"),
        (("--bye", gone), "does not play"),
    ):
        assert wanted in refused(club, "pair", "T1", *words), words
    assert "tries T1 again" in run(club, "pair", "T1")
    club.tick()
    assert row(club).trouble == "cup-no-pairing"
    club.mails()
    assert "Round 2 of T1 is paired" in run(club, "pair", "T1", "--rematches")
    club.tick()
    assert (row(club).round, row(club).trouble, len(codes(club))) == (2, "", 1)
    assert len(club.mails(staying[0])) == 1, "the first turn says how the last round went"
    for words, wanted in (
        (("--rematches",), "--dry-run"),
        ((), "Nothing of T1 waits"),
        (("--dry-run",), "not finished"),
    ):
        assert wanted in refused(club, "pair", "T1", *words), words
    assert "ends with round 2" in run(club, "pair", "T1", "--end")
    assert "last one" in refused(club, "pair", "T1", "--dry-run")
    decide(club)
    club.tick()
    assert row(club).status == "finished"


@pytest.mark.slow
def test_byes_and_an_early_end_by_the_moderators_word(club: Club) -> None:
    stuck(club)
    staying = [one.name for one in table(club).entrants if one.left is None]
    run(club, "pair", "T1", "--bye", staying[0].lower(), "--bye", staying[1])
    assert [game.kind for game in table(club).games if game.round == 2] == ["bye", "bye"]
    assert run(club, "show", "T1").count("Bye in round 2: ") == 2
    said = run(club, "standings", "T1")
    shown = {render_code(f"cup-tie-{code}", "en") for code in COLUMNS} & set(said.splitlines()[0].split())
    explained = " ".join(said.partition("When points are equal")[2].split())
    assert shown, said
    assert all(short.lower() in explained.lower() for short in shown), said
    club.tick()
    assert row(club).trouble == "cup-no-pairing"
    run(club, "pair", "T1", "--end")
    club.tick()
    assert row(club).status == "finished"
    set_up(club, "robin", "Anna", "Bert", "Cici")
    assert "no Swiss" in refused(club, "pair", "T2", "--end")
    assert "are paired" in refused(club, "pair", "T2", "--dry-run")
    set_up(club, "swiss", "Anna", "Bert", begin=False)
    assert "planned" in refused(club, "pair", "T3", "--end")
    for code, form, settings, count in (("T4", "league", {"division": 2}, 2), ("T5", "knockout", {}, 4)):
        set_up(club, form, *FIVE[:4], begin=False, **settings)
        assert run(club, "pair", code, "--dry-run").count(" - ") == count


@pytest.mark.slow
def test_a_preview_of_a_rotation_round_by_round(club: Club) -> None:
    set_up(club, "tables", *FIVE, "Fritz", game="tridom", seats=3, at_once="false", rounds=2)
    decide(club, result=lambda n: "3:2:1")
    assert row(club).round == 1
    said = run(club, "pair", "T1", "--dry-run").splitlines()
    assert said[0].startswith("  2.1")
    assert len(said) == 2


@pytest.mark.slow
def test_the_latest_end_is_put_off_and_everybody_is_warned_anew(club: Club) -> None:
    set_up(club, "robin", "Anna", "Bert", "Cici", round_days=10, warn_days=3)
    assert "1 to 366" in refused(club, "extend", "T1", "0")
    assert "no number of days" in refused(club, "extend", "T1", "3", "5")
    assert "not later" in refused(club, "extend", "T1", "until", "2026-11-12")
    club.let_pass(days=8)
    club.mails()
    assert "warn:1" in run(club, "show", "T1", "--log")
    assert run(club, "extend", "T1", "1", "week") == "Latest end of T1: 2026-12-07 20:00.\n"
    assert run(club, "extend", "T1", "until", "2026-12-10") == "Latest end of T1: 2026-12-10 20:00.\n"
    club.tick()
    assert any("10.12." in text(mail) or "10. Dezember" in text(mail) for mail in club.mails("Anna"))
    club.let_pass(days=10)
    assert "warn:1" in run(club, "show", "T1", "--log")
    assert len(codes(club)) == 3
    club.let_pass(days=3)
    assert codes(club) == []
    assert "finished" in refused(club, "extend", "T1", "3")


@pytest.mark.slow
def test_a_ruling_on_a_game(club: Club) -> None:
    set_up(club, "robin", "Anna", "Bert", "Cici")
    first, second, third = codes(club)
    assert "no result for 2 seats" in refused(club, "adjudicate", "T1", first, "won")
    assert "match list" in refused(club, "adjudicate", "T1", "Z9Z9", "1-0")
    said = run(club, "adjudicate", "T1", first, "310:250")
    assert "T1: 310:250" not in said
    assert "ratings move all the same; `+--`" in said
    assert "ratings" not in run(club, "adjudicate", "T1", second, "--+")
    assert {game.kind for game in table(club).games if game.result} == {"game", "forfeit"}
    assert club.row(first).status == "finished"
    run(club, "adjudicate", "T1", first, "½", "-", "½")
    assert "½" in run(club, "standings", "T1")
    other = club.match("Anna", "Bert", game="dominos")
    assert f"{other} is no game of T1" in refused(club, "adjudicate", "T1", other, "1-0")
    run(club, "adjudicate", "T1", third, "0-1")
    club.tick()
    assert "finished" in refused(club, "adjudicate", "T1", first, "1-0")


@pytest.mark.slow
def test_a_knock_out_keeps_what_its_next_round_was_made_from(club: Club) -> None:
    set_up(club, "knockout", *FIVE[:4], legs=1)
    first = codes(club)[0]
    decide(club)
    club.tick()
    assert "--reopen" in refused(club, "adjudicate", "T1", first, "0-1")
    said = run(club, "standings", "T1")
    assert said.startswith("Round 1\n")
    assert re.search(r"^  (\w+) - \w+: 1:0.*; \1 wins$", said, re.MULTILINE)
    final = said.partition("Round 2\n")[2]
    assert "open" in final
    assert "wins" not in final
    decide(club)
    club.tick()
    assert row(club).status == "finished"
    over = run(club, "standings", "T1")
    (winner,) = re.findall(r"^  1  (\w+)$", over, re.MULTILINE)
    assert f"; {winner} wins\n" in over.partition("Round 2\n")[2]
    assert "  1  " not in run(club, "standings", "T1", "--rounds", "1")
    club.mails()
    assert "corrected" not in over
    run(club, "adjudicate", "T1", first, "0-1", "--reopen", "--why", "misread")
    club.tick()
    told = {name: text(club.mails(name)[-1]) for name in FIVE[:4]}
    assert all("Der Grund: »misread«" in one and "bleibt, wie es ist" in one for one in told.values())
    assert not any("ausgestiegen" in one for one in told.values()), "everybody has a place"
    assert "Turniersieg! Platz 1 von 4" in told[winner]


@pytest.mark.slow
def test_a_cancelled_tournament_leaves_its_matches(club: Club) -> None:
    set_up(club, "robin", "Anna", "Bert", "Cici")
    run(club, "adjudicate", "T1", codes(club)[0], "1-0")
    going = codes(club)
    run(club, "join", "T1", "Dora")
    assert len(codes(club)) == 5
    said = run(club, "cancel", "T1", answer="y\n")
    assert "Cancel T1 (Herbst) for good?" in said
    assert f"go on as ordinary ones: {', '.join(going)}." in said
    assert {match.status for match in club.stored(MatchRow)} == {"running", "finished"}  # the others go with it
    club.tick()
    assert any("Das Turnier ist abgebrochen, ohne Sieger" in text(mail) for mail in club.mails("Anna"))
    assert club.row(going[0]).tournament_id is None
    club.let_pass(days=200)
    assert row(club).status == "cancelled"
    for words in (("cancel", "T1", "--yes"), ("open", "T1"), ("start", "T1"), ("join", "T1", "Emil")):
        assert "cancelled" in refused(club, *words)
    set_up(club, "robin", "Anna", "Bert", begin=False)
    assert run(club, "cancel", "T2", "--yes") == "T2 is cancelled.\n"


@pytest.mark.slow
def test_a_ladder_is_ended_by_hand(club: Club) -> None:
    set_up(club, "ladder", "Anna", "Bert", "Cici")
    assert run(club, "standings", "T1").splitlines()[0].startswith("  1  ")
    assert "no rounds" in refused(club, "pair", "T1", "--dry-run")
    assert "no rounds" in refused(club, "standings", "T1", "--rounds", "1")
    with club.work() as work:
        found = tournament_rows.get_tournament(work.session, "T1")
        ClubTournament(work, found).challenge_entrant(3, 1)
    assert ": answer until 2026-11-27" in run(club, "show", "T1")
    with club.work() as work:
        ClubTournament(work, tournament_rows.get_tournament(work.session, "T1")).accept_ladder_game(1)
    club.tick()
    (match,) = codes(club)
    assert match in refused(club, "finish", "T1")
    assert match in run(club, "finish", "T1", "--anyway")
    club.tick()
    assert row(club).status == "finished"
    assert club.row(match).status == "running"
    assert "lowest" not in refused(club, "join", "T1", "Dora")
    set_up(club, "swiss", "Anna", "Bert", "Cici", "Dora")
    assert "--end" in refused(club, "finish", "T2")
    set_up(club, "robin", "Anna", "Bert", "Cici")
    assert "cup cancel" in refused(club, "finish", "T3")


@pytest.mark.slow
def test_the_next_season_by_hand(club: Club) -> None:
    set_up(club, "league", *FIVE[:4], division=2)
    assert "no league that is over" in refused(club, "add", "Herbst 2", "--after", "T1")
    decide(club)
    club.tick()
    assert "league of dominos" in refused(club, "add", "Herbst 2", "--after", "T1", "--game", "tridom")
    run(club, "add", "Herbst 2", "--after", "T1", "--set", "movers=1", "-o", "target=50")
    found = row(club, "T2")
    assert (found.settings["movers"], found.settings["division"], found.options["target"]) == (1, 2, 50)
    assert "T2 follows T1 already" in refused(club, "add", "Herbst 3", "--after", "T1")
    assert all(name in run(club, "show", "T2") for name in FIVE[:4])
    run(club, "start", "T2")
    club.tick()
    shown = run(club, "show", "T2")
    assert "Division 2" in shown
    assert "2/1.1" in shown
    assert run(club, "standings", "T2").count("Division") == 2


def played(club: Club, form: str, *names: str, game: str = "dominos", **settings: Any) -> None:
    """Play T1 to its end."""
    set_up(club, form, *names, game=game, **settings)
    scores = ("30:20", "1-0", "½-½", "12:31") if game == "dominos" else ("30:20:10", "5:5:1", "0:9:3")
    for _ in range(9):
        decide(club, result=lambda n: scores[n % len(scores)])
        club.tick()
        if row(club).status == "finished":
            return
    pytest.fail("it does not end")


@pytest.mark.slow
@pytest.mark.parametrize("form", ["swiss", "robin"])
def test_a_tournament_comes_back_from_a_report(club: Club, tmp_path: Path, form: str) -> None:
    played(club, form, *FIVE)
    file = tmp_path / "out" / "herbst.trf"
    assert str(file) in run(club, "export", "T1", "--trf", str(file))
    said = run(club, "import", str(file), "--name", "Archiv", "--game", "dominos", "--ended", "2026-11-01")
    assert said == "Tournament T2 (Archiv) is in the archive: 5 entrants.\n"
    assert table(club, "T2") == table(club, "T1")
    assert row(club, "T2").status == "finished"
    assert f"{row(club, 'T2').finished_at:%Y-%m-%d %H:%M}" == "2026-11-01 19:00"
    assert places(club, "T2") == places(club, "T1")
    assert run(club, "standings", "T2") == run(club, "standings", "T1")
    before = type_command(club, "ratings")
    club.let_pass(days=2)
    assert type_command(club, "ratings") == before
    club.mails()
    run(club, "cancel", "T2", "--yes")
    club.tick()
    assert "Archiv" not in run(club, "list")
    assert "finished" in refused(club, "cancel", "T1", "--yes")
    assert club.mails("Anna") == []


def places(club: Club, code: str) -> list[tuple[int, int, str, int | None]]:
    with club.work() as work:
        found = tournaments.list_entries_with_players(work.session, tournament_rows.get_tournament(work.session, code))
        return [(entry.division, entry.number, player.name, entry.place) for entry, player in found if entry.number]


@pytest.mark.parametrize(
    ("form", "game", "settings"),
    [
        pytest.param("double", "dominos", {"most": 3}, marks=pytest.mark.slow),
        pytest.param("knockout", "dominos", {"legs": 1, "third": "true"}, marks=pytest.mark.slow),
        pytest.param("tables", "tridom", {"seats": 3}, marks=pytest.mark.slow),
        ("league", "dominos", {"division": 3}),
    ],
)
def test_a_tournament_comes_back_from_tables(
    club: Club, tmp_path: Path, form: str, game: str, settings: dict[str, Any]
) -> None:
    played(club, form, *FIVE, "Fritz", game=game, **settings)
    run(club, "export", "T1", "--csv", str(tmp_path / "out"))
    assert len(list((tmp_path / "out").rglob("*.csv"))) == (4 if form == "league" else 2)
    own = [word for name in ("legs", "third") if name in settings for word in ("--set", f"{name}={settings[name]}")]
    common = (str(tmp_path / "out"), "--name", "Archiv", "--game", game)
    assert "--format" in refused(club, "import", *common)
    run(club, "import", *common, "--format", form, *own)
    assert [game.to_json() for game in table(club, "T2").games] == [game.to_json() for game in table(club).games]
    assert places(club, "T2") == places(club, "T1")
    assert run(club, "standings", "T2") == run(club, "standings", "T1")


@pytest.mark.slow
def test_what_a_file_cannot_hold(club: Club, tmp_path: Path) -> None:
    out = str(tmp_path / "t.trf")
    set_up(club, "league", *FIVE[:4], begin=False, division=2)
    assert "has not begun" in refused(club, "export", "T1", "--trf", out)
    assert "has not begun" in refused(club, "standings", "T1")
    assert "--trf FILE" in refused(club, "export", "T1")
    run(club, "start", "T1")
    club.tick()
    assert "--division 1" in refused(club, "export", "T1", "--trf", out)
    assert "no division 3" in refused(club, "export", "T1", "--trf", out, "--division", "3")
    run(club, "export", "T1", "--trf", out, "--division", "2")
    assert "has no result" in refused(club, "import", out, "--name", "x", "--game", "dominos")
    set_up(club, "tables", *FIVE, "Fritz", game="tridom", seats=3)
    assert "CSV" in refused(club, "export", "T2", "--trf", out)
    assert not (tmp_path / "t2.trf").exists()


def test_what_cannot_be_imported(club: Club, tmp_path: Path) -> None:
    def file(name: str, content: str) -> str:
        (tmp_path / name).write_bytes(content.encode("cp1252"))
        return str(tmp_path / name)

    common = ("--name", "Archiv", "--game", "dominos")
    lines = LINE.format(1, "Anna", "   2 w 1") + LINE.format(2, "Jörg", "   1 b 0")
    said = refused(club, "import", file("a.trf", lines), *common)
    assert "These are no players: Jörg." in said
    assert 'moderator player add "Jörg" ADDRESS' in said
    good = lines.replace("Jörg", "Bert")
    assert "ladder" in refused(club, "import", file("b.trf", good), *common, "--format", "ladder")
    assert "c.trf: Line 1" in refused(club, "import", file("c.trf", good.replace("2 w 1", "2 w X")), *common)
    twice = LINE.format(1, "Anna", "   2 w 1") + LINE.format(2, "anna", "   1 b 0")
    assert "stands there twice" in refused(club, "import", file("d.trf", twice), *common)
    assert "no file" in refused(club, "import", str(tmp_path / "none.trf"), *common)
    (tmp_path / "empty").mkdir()
    assert "entrants.csv" in refused(club, "import", str(tmp_path / "empty"), *common, "--format", "robin")
    assert "3 to" in refused(club, "import", file("e.trf", good), "--name", "A", "--game", "x") + "3 to"
    run(club, "import", file("b.trf", good), *common, "--format", "robin")
    assert row(club).format == "robin"


@pytest.fixture
def of_robots(club: Club) -> str:
    """A finished match of two robots."""
    with club.work() as work:
        for name in ("R2a", "R2b"):
            add_player(work.session, name, None, club.now)
    code = club.match("R2a", "R2b", game="dominos", target=30)
    assert club.row(code).status == "finished"
    return code


def test_ratings_are_worked_out_from_the_logs(club: Club, of_robots: str) -> None:
    none = "No finished match counts yet.\n"
    shown = type_command(club, "ratings")
    assert [line.split()[:2] for line in shown.splitlines()] == [["Game", "Place"], ["dominos", "-"], ["dominos", "-"]]
    table = type_command(club, "ratings", "--csv").splitlines()
    assert table[0] == "game,place,player,rating,games,mu,sigma"
    assert len(table) == 3
    assert type_command(club, "ratings", "--game", "tridom") == none
    forget(club)
    assert type_command(club, "ratings") == none
    doctor = run_command(club, "doctor").output
    assert "FAIL  results of finished matches: 1 have none. Run `moderator upgrade`" in doctor
    assert "Results worked out: 1, new ones: 1." in type_command(club, "upgrade")
    assert type_command(club, "ratings") == shown
    assert type_command(club, "upgrade").count("\n") == 1
    forget(club, "'null'")
    assert "Results worked out: 1" in type_command(club, "upgrade")
    assert "new ones: 0." in type_command(club, "ratings", "--rebuild")


def forget(club: Club, result: str = "NULL") -> None:
    """Clear what finished matches came to."""
    with club.work() as work:
        work.session.connection().execute(sql(f'UPDATE "match" SET result = {result}'))


def test_a_log_that_does_not_replay_stays_without_a_result(club: Club, of_robots: str) -> None:
    forget(club)
    with club.work() as work:
        work.session.connection().execute(sql("UPDATE event SET text = 'nonsense' WHERE n = 1"))
    said = run_command(club, "upgrade").output
    assert f"{of_robots} does not replay" in said
    assert "new ones: 0." in said
