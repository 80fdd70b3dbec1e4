"""The end of a tournament's match is taken back: its result goes, and the tournament waits until it is played again.
Where the tournament has built on it, that takes force, and all are told what it is worth then."""

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from moderator.backup.integrity import CheckedCounts, iter_integrity_faults
from moderator.commands.moderator import turns
from moderator.common.errors import Misused, OperatorError
from moderator.rules.game import Note
from moderator.rules.replay import drop_undone
from moderator.rules.shuffling import commit_seed, derive_round_seed
from moderator.service.create import get_match
from moderator.service.match.match import Match
from moderator.service.notify import notify_match_events
from moderator.service.tournaments.club_tournament import ClubTournament
from moderator.service.tournaments.pairings import parse_game_result
from moderator.store.tables import MatchRow, TournamentGame
from moderator.tournaments.standings import compute_standings
from moderator.views import tournament_rows
from moderator.views.loaded_match import load_log_entries
from moderator.views.tournament_rows import find_consequences, find_tournament_game, is_corrected, is_played_again
from tests.club.club import Club, club_of, make_club, text
from tests.club.pair_scenes import boss_address
from tests.club.steps import run
from tests.club.tournament_club import (
    MailLog,
    Table,
    at,
    done,
    fixed,
    found,
    games_of,
    judge,
    logged_instead,
    open_games,
    state_of,
    store_open,
    tournament_of,
)
from tests.site.pages import publish

PEOPLE = ("Anna", "Bert", "Cici", "Dora")


@pytest.fixture
def club(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Club]:
    fixed(monkeypatch)
    made = make_club(tmp_path)
    with store_open():
        made.players(*PEOPLE)
        yield made


@pytest.fixture(autouse=True)
def told(monkeypatch: pytest.MonkeyPatch) -> MailLog:
    return logged_instead(monkeypatch)


def begun(club: Club, format: str, **settings: Any) -> Table:
    """A tournament whose first games are dealt; on a ladder Cici plays Bert for his rung."""
    found(club, format, PEOPLE, seeding="order", game="dominos", terms={"days": 200}, **settings)
    club.let_pass(days=2)
    if format == "ladder":
        with at(club, "T1") as (work, tournament):
            ClubTournament(work, tournament).challenge_entrant(3, 2)
            ClubTournament(work, tournament).accept_ladder_game(2)
        club.tick()
    return Table(club)


def of(club: Club, row: TournamentGame) -> TournamentGame:
    return next(one for one in games_of(club) if one.id == row.id)


def first_resigned(club: Club, table: Table) -> TournamentGame:
    """After two days of play the second seat gives the first game up."""
    first = open_games(club)[0]
    table.only = {first.match_id or 0}
    table.day()
    table.day()
    table.only = None
    with club.work() as work:
        match = work.session.get_one(MatchRow, first.match_id)
        code, name = match.code, work.list_players(match)[1].name
    club.hand_in(name, code, 1, f"aufgeben {code} JA")
    assert of(club, first).result is not None
    return of(club, first)


def undo_last(club: Club, row: TournamentGame) -> None:
    """The moderator takes the last move of a match back, whether it has ended by it or was stopped after it."""
    with club.work() as work:
        match = work.session.get_one(MatchRow, row.match_id)
        plays = [n for n, entry in drop_undone(load_log_entries(work.session, match)) if entry.kind == "move"]
        playing = Match.load(work, match)
        playing.undo_to_entry(plays[-1] - 1, Note("rolled-back-to-plain"), True)
        notify_match_events(work)


def judge_round(club: Club, number: int = 1) -> None:
    """The moderator's word on the open games of a round; 0: of all."""
    for row in open_games(club):
        if number in (0, row.round):
            judge(club, "T1", row, "1-0")
    club.tick()


def judge_all(club: Club) -> None:
    for _ in range(4):
        judge_round(club, 0)
    assert tournament_of(club).status == "finished"


@pytest.mark.slow
def test_the_result_goes_the_standings_follow_and_the_end_waits(club: Club, told: MailLog) -> None:
    table = begun(club, "robin")
    row = first_resigned(club, table)
    before = compute_standings(state_of(club))
    undo_last(club, row)
    again = of(club, row)
    assert (again.result, again.kind, again.ruling, again.ends_at) == (None, "game", "", row.ends_at)
    after = compute_standings(state_of(club))
    assert sum(r.points for r in before.rows) - sum(r.points for r in after.rows) == 1
    for other in open_games(club):
        if other.id != row.id:
            judge(club, "T1", other, "1-0")
    club.tick()
    assert tournament_of(club).status == "running", "one game is open again"
    assert not told.count("final")
    table.to_the_end(most=20)
    assert of(club, row).result is not None
    assert told.count("final") == Counter(PEOPLE)


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [2, 3])
def test_an_open_game_of_an_earlier_round_holds_up_what_follows(club: Club, told: MailLog, rounds: int) -> None:
    table = begun(club, "swiss", rounds=rounds)
    row = first_resigned(club, table)
    judge_round(club)
    assert tournament_of(club).round == 2
    undo_last(club, row)
    judge_round(club, 2)
    assert (tournament_of(club).status, tournament_of(club).round, tournament_of(club).trouble) == ("running", 2, "")
    assert "pair:3" not in done(club)
    table.days(20, lambda: of(club, row).result is not None)
    if rounds == 2:
        assert tournament_of(club).status == "finished"
    else:
        assert tournament_of(club).round == 3


@pytest.mark.slow
def test_an_adjudicated_game_that_is_taken_back_has_the_days_of_a_round(club: Club) -> None:
    table = begun(club, "swiss", rounds=2, round_days=5)
    table.days(7, lambda: tournament_of(club).round == 2)
    row = games_of(club)[0]
    assert (row.round, row.ruling) == (1, "score")
    undo_last(club, row)
    now = of(club, row)
    assert (now.result, now.ruling) == (None, "")
    assert now.ends_at is not None
    assert (now.ends_at - club.now).days == 5
    club.tick()
    assert of(club, row).result is None, "it is not adjudicated again at once"
    table.silent = set(PEOPLE)
    table.to_the_end(most=8)
    assert of(club, row).ruling == "score"


@pytest.mark.slow
def test_nothing_hangs_on_a_game_of_a_round_that_is_played(club: Club) -> None:
    row = first_resigned(club, begun(club, "knockout", legs=2))
    assert "anew" in rolled_back(club, code_of(club, row))
    assert of(club, row).result is None
    assert all("noch einmal gespielt" not in text(mail) for mail in club.mails())
    judge_all(club)


@pytest.mark.slow
def test_on_a_ladder_the_rungs_follow_what_is_played_again(club: Club) -> None:
    table = begun(club, "ladder")
    (row,) = open_games(club)
    table.days(60, lambda: of(club, row).result is not None)
    rungs = {1: [1, 2, 3, 4], 0: [1, 3, 2, 4]}
    assert tournament_of(club).state["rungs"] == rungs[tournament_rows.as_game(of(club, row)).get_points(2)]
    undo_last(club, row)
    club.tick()
    assert is_played_again(of(club, row))
    table.days(60, lambda: not is_played_again(of(club, row)))
    club.tick()
    assert tournament_of(club).state["rungs"] == rungs[tournament_rows.as_game(of(club, row)).get_points(2)]
    assert tournament_of(club).status == "running"


def reported(club: Club) -> None:
    """A round is reported, and the next one cannot be paired yet."""
    for other in open_games(club):
        judge(club, "T1", other, "1-0")
    with at(club, "T1") as (work, tournament):
        ClubTournament(work, tournament).report_last_round()


Scene = tuple[str, Callable[[Club], None], dict[str, object], str, str]
SCENES: dict[str, Scene] = {
    "a winner has gone on": ("knockout", judge_round, {"legs": 1}, "hangs-winner", "again-winner"),
    "a knock-out is over": ("knockout", judge_all, {"legs": 1}, "hangs-final", "again-final"),
    "a Swiss round is paired": ("swiss", judge_round, {"rounds": 2}, "hangs-paired", "again-paired"),
    "a Swiss is over": ("swiss", judge_all, {"rounds": 2}, "hangs-final", "again-final"),
    "a report was sent": ("swiss", reported, {"rounds": 3}, "hangs-report", "again-report"),
    "rungs were climbed": ("ladder", lambda club: None, {}, "hangs-rungs", "again-rungs"),
    "a league is over": ("league", judge_all, {}, "hangs-final", "again-final"),
    "everybody has played everybody": ("robin", judge_all, {}, "hangs-final", "again-final"),
    "a table of a later round": ("tables", judge_all, {"seats": 2, "rounds": 1}, "hangs-final", "again-final"),
}


def code_of(club: Club, row: TournamentGame) -> str:
    with club.work() as work:
        return work.session.get_one(MatchRow, row.match_id).code


def typed(club: Club, *words: str) -> str:
    done = run(club, *words)
    if done.exit_code:
        assert isinstance(done.exception, OperatorError), done.exception
        return f"REFUSED {done.exception}"
    return done.output


def rolled_back(club: Club, code: str, *more: str) -> str:
    return typed(club, "match", "rollback", code, "--round", "1", *more)


def by_mail(club: Club, line: str) -> str:
    club.say("boss@club.example", line, to=boss_address(club))
    return text(club.mails("boss@club.example")[-1])


@pytest.mark.matrix("tournaments undone", seconds=0.5)
@pytest.mark.parametrize("scene", SCENES)
def test_what_hangs_on_it_is_named_refused_and_with_force_told_to_all(club: Club, scene: str) -> None:
    format, then, settings, built, worth = SCENES[scene]
    row = first_resigned(club, begun(club, format, **settings))
    then(club)
    code, row = code_of(club, row), of(club, row)
    with club.at(code) as (work, match):
        hung, names = find_consequences(work.session, match), [player.name for player in work.list_players(match)]
        assert (hung.built.code, hung.worth.code) == (built, worth)
    before, seed = (row.model_dump(), club.row(code).model_dump()), club.row(code).seed
    refusal = rolled_back(club, code)
    assert refusal.startswith("REFUSED")
    assert "--force" in refusal
    assert "bleibt, wie sie ausgegangen ist" in by_mail(club, f"Zurück {code} R1: falsch gelesen")
    with club.work() as work, pytest.raises(Misused, match="undo-hangs"):
        turns.rollback_match_by_staff(work, get_match(work.session, code), 1)
    assert (of(club, row).model_dump(), club.row(code).model_dump()) == before, "a refusal changes nothing"
    club.skip_mails()
    answer = by_mail(club, f"Zurück {code} R1!: falsch gelesen")
    assert "beginnt von vorn" in answer
    assert "Diese Partie wird noch einmal gespielt" in answer
    for name in names:
        mine = club.mails(name)
        assert any("Diese Partie wird noch einmal gespielt" in text(mail) for mail in mine), (name, mine)
        anew = next(mail for mail in mine if "Alle Steine sind neu gemischt" in text(mail))
        sealed = "".join(str(part.get_content()) for part in anew.iter_attachments())
        assert commit_seed(derive_round_seed(bytes.fromhex(club.row(code).seed), 1)) in sealed
    assert club.row(code).seed != seed
    again = f"Played again: {code} {names[0]} - {names[1]}. This match is played again."
    assert again in typed(club, "cup", "show", "T1")
    with club.work() as work:
        assert not list(iter_integrity_faults(work.session, club.config, CheckedCounts())), (
            "its log can be read, and it is sealed"
        )
    if worth in ("again-winner", "again-final", "again-rungs"):
        assert tournament_rows.as_game(of(club, row)) == tournament_rows.as_game(row)


ENDED = {
    "robin": {},
    "double": {},
    "swiss": {"rounds": 2},
    "tables": {"seats": 2, "rounds": 2},
    "knockout": {"third": True},
    "league": {"division": 4, "cycles": 2},
    "ladder": {},
}
RESULTS = ("1-0", "0-1", "½-½", "310:250", "120:240", "77:77", "+--", "--+")


def ended(club: Club, format: str, words: Sequence[str], given: Mapping[str, str] | None = None) -> list[str]:
    """A tournament that ended by these results, in order, but for those ``given`` by match; returns the matches."""
    begun(club, format, **ENDED[format])
    codes: list[str] = []
    while tournament_of(club).status == "running" and open_games(club):
        for row in open_games(club):
            code = code_of(club, row)
            assert "has it" in typed(club, "cup", "adjudicate", "T1", code, (given or {}).get(code, words[len(codes)]))
            codes.append(code)
        club.tick()
    if format == "ladder":
        assert "finished" in typed(club, "cup", "finish", "T1")
        club.tick()
    assert tournament_of(club).status == "finished"
    return codes


def figures(club: Club) -> Any:
    """All that is told of it: standings, places and ratings, in words and as values, and its page."""
    whole = json.loads(typed(club, "cup", "show", "T1", "--json"))
    del whole["corrected"]
    said = [line for line in typed(club, "cup", "standings", "T1").splitlines() if not line.startswith("Corrected")]
    page = (publish(club) / "tournaments" / "T1.html").read_text("utf-8")
    told = re.sub(r", (berichtigt|corrected)", "", page)
    return whole, said, typed(club, "cup", "standings", "T1", "--json"), typed(club, "ratings"), told


@pytest.mark.slow
@pytest.mark.parametrize("format", ENDED)
@pytest.mark.parametrize("seed", range(3))
def test_a_corrected_result_counts_as_if_it_had_been_the_first(
    tmp_path: Path, club: Club, told: MailLog, format: str, seed: int
) -> None:
    chance = random.Random(f"{format} {seed}")
    words = [chance.choice(RESULTS) for _ in range(40)]
    codes = ended(club, format, words)
    at_ = len(codes) - 1 if format in ("swiss", "knockout") else chance.randrange(len(codes))
    code, first = codes[at_], words[at_]
    other = club_of(tmp_path / "other", *PEOPLE)
    now = chance.choice(
        [one for one in RESULTS if parse_game_result(one, 2).points != parse_game_result(first, 2).points]
    )
    ended(other, format, words, {code: now})
    original, wanted = figures(club), figures(other)
    told.mails.clear()
    assert "--reopen" in typed(club, "cup", "adjudicate", "T1", code, now)
    assert figures(club) == original, "a refusal changes nothing"
    typed(club, "cup", "adjudicate", "T1", code, now, "--reopen", "--why", "falsch notiert")
    club.tick()
    assert figures(club) == wanted
    assert told.count("table") == Counter(PEOPLE)
    assert told.notes("Dora")[0] == "cup-corrected-why"
    shown = typed(club, "cup", "show", "T1")
    assert f"Corrected: {code}" in shown
    for again in (chance.choice(RESULTS), first, first):
        typed(club, "cup", "adjudicate", "T1", code, again, "--reopen")
        club.tick()
    assert figures(club) == original
    assert "Corrected" not in typed(club, "cup", "show", "T1")


@pytest.mark.slow
@pytest.mark.parametrize("format", ENDED)
def test_the_tournament_follows_a_match_that_is_played_again(club: Club, told: MailLog, format: str) -> None:
    code = ended(club, format, ["1-0"] * 40)[-1]
    with club.at(code) as (work, match):
        row = find_tournament_game(work.session, match)
        assert row is not None
    told.mails.clear()
    assert "anew" in rolled_back(club, code, "--force")
    club.tick()
    assert tournament_rows.as_game(of(club, row)) == tournament_rows.as_game(row)
    with club.work() as work:
        name = work.list_players(get_match(work.session, code))[0].name
    club.hand_in(name, code, 0, f"aufgeben {code} JA")
    club.tick()
    assert tournament_rows.as_game(of(club, row)) != tournament_rows.as_game(row)
    assert (tournament_of(club).status, told.count("table")) == ("finished", Counter(PEOPLE))
    assert told.notes("Anna")[0] == "cup-corrected-replay"
    assert typed(club, "cup", "show", "T1").count("Corrected: ") == 1
    typed(club, "cup", "adjudicate", "T1", code, "1-0", "--reopen")
    assert of(club, row).model_dump(exclude={"ends_at"}) == row.model_dump(exclude={"ends_at"})


@pytest.mark.slow
def test_a_result_that_pairings_were_made_with_is_told_as_corrected_once_it_is_another(
    club: Club, told: MailLog
) -> None:
    row = first_resigned(club, begun(club, "swiss", rounds=2))
    judge_round(club)
    code = code_of(club, row)
    rolled_back(club, code, "--force")
    assert of(club, row).result is None
    with club.work() as work:
        name = work.list_players(get_match(work.session, code))[0].name
    club.hand_in(name, code, 0, f"aufgeben {code} JA")
    club.tick()
    assert is_corrected(of(club, row))
    assert [codes for topic, _, to, codes in told.mails if (topic, to) == ("table", name)] == [
        ("cup-corrected-replay", "cup-corrected-pairings")
    ]


@pytest.mark.parametrize("way", ["rollback", "undo by consent"])
def test_an_extension_outlives_what_takes_moves_back(club: Club, way: str) -> None:
    code = club.start("Anna", "Bert", game="dominos", seed=lambda match: bytes([3]) * 32)
    first = club.live(code).table.state.to_move[0]
    name = PEOPLE[first]
    with club.work() as work:
        turns.extend_deadlines_by_staff(work, [get_match(work.session, code)], 9)
    promised = club.row(code).deadline
    assert promised is not None
    club.hand_in(name, code, first, club.moves(code, first)[0])
    if way == "rollback":
        with club.work() as work:
            turns.rollback_match_by_staff(work, get_match(work.session, code), None, 2)
            notify_match_events(work)
    else:
        club.hand_in(name, code, first, "Rücknahme")
        club.order(PEOPLE[1 - first], code, 1 - first, "einverstanden")
    club.tick()
    row = club.row(code)
    assert row.deadline == promised <= row.final
    assert row.entries > 3
