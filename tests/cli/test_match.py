"""The moderator's commands on the command line: one line of outcome, or an error that says what to do."""

import re
from pathlib import Path

import pytest
from sqlmodel import col, select

from moderator.cli.command_tree import list_command_names
from moderator.cli.tick import print_run_troubles
from moderator.commands.declaration import get_staff_commands
from moderator.common.enums import EntryState, MatchStatus
from moderator.run.log import RunSummary
from moderator.store.tables import Leave, MatchRow, SeatRow, StandbyRow, TournamentEntry, WatcherRow
from moderator.views.ratings import compute_rating_numbers
from tests.attack.post import started
from tests.cli.running import commands, refuse_command, run_command, type_command
from tests.club.club import Club, club_of, text
from tests.club.steps import chief_says, play


@pytest.fixture
def club(tmp_path: Path) -> Club:
    return club_of(tmp_path / "club", "Anna", "Bert", "Cici", "Dora")


@pytest.fixture
def code(club: Club) -> str:
    return started(club, "Anna", "Bert", "Cici")


def test_every_command_of_the_mail_is_on_the_command_line_too() -> None:
    for one in get_staff_commands().values():
        assert bool(one.shell) != bool(one.elsewhere), one.name
        words = ["match", one.shell.name] if one.shell else one.elsewhere.removesuffix("--help").split()
        assert type_command(None, *words, "--help"), one.name
        for argument in one.arguments:
            assert argument.parameter is not None or one.shell is None, (one.name, argument.name)
    named = {one.shell.name for one in get_staff_commands().values() if one.shell}
    assert named <= set(list_command_names("match"))
    assert len(list_command_names("match")) == len(set(list_command_names("match")))


def test_looking_changes_nothing(club: Club, code: str) -> None:
    assert "Anna: MISSING." in type_command(club, "match", "missing")
    assert "Anna: no move, 0 points." in type_command(club, "match", "preview", code)
    assert club.live(code).entries == 0


def test_turns_are_ended_moved_and_taken_back(club: Club, code: str) -> None:
    assert "--help" in refuse_command(club, "match", "evaluate", code)
    assert "Anna" in refuse_command(club, "match", "evaluate", code, "--round", "1")
    assert "round 1" in refuse_command(club, "match", "evaluate", code, "--round", "4", "--force")
    assert "The turn" in type_command(club, "match", "evaluate", code, "--round", "1", "--force")
    assert type_command(club, "match", "move", code, "bert", "passe").startswith("Played for Bert")
    back = ("match", "rollback", code)
    assert "Taken back: Bert with “pass”" in type_command(club, *back, "--entry", "2", "--why", "a test")
    assert "round 1 again" in type_command(club, *back, "--round", "1")
    log = type_command(club, "match", "log", code).splitlines()
    assert [line[1:].split()[3] for line in log if line.startswith("-")] == ["miss", "move"]
    assert [line[1:].split()[3] for line in log if line.startswith(" ")] == ["notice", "undo", "undo"]
    assert "no way back" in refuse_command(club, *back, "--entry", "77")


def test_the_clock_is_put_on_stopped_and_started(club: Club, code: str) -> None:
    assert "3 days more" in type_command(club, "match", "extend", code, "3")
    refuse_command(club, "match", "extend", code, "300")
    assert "is stopped" in type_command(club, "match", "pause", code, "--why", "fair")
    assert "has been stopped since" in refuse_command(club, "match", "pause", code)
    assert "runs again" in type_command(club, "match", "resume", code)
    refuse_command(club, "match", "resume", code)
    type_command(club, "match", "pause", code)
    assert "runs again" in type_command(club, "match", "resume", code)
    assert club.row(code).stopped == ""


def test_players_are_excused_replaced_ejected_and_told(club: Club, code: str) -> None:
    assert "excused" in type_command(club, "match", "excuse", code, "Anna")
    assert "Dora plays for Bert" in type_command(club, "match", "replace", code, "Bert", "Dora")
    assert "already" in refuse_command(club, "match", "replace", code, "Cici", "Dora")
    assert "Cici is out" in type_command(club, "match", "eject", code, "Cici")
    refuse_command(club, "match", "eject", code, "Cici")
    assert "Sent to Anna, Dora and Cici" in type_command(club, "match", "notice", code, "Hello\nall")
    assert "every running match" in type_command(club, "match", "notice", "all", "Hello all")
    assert "There is no match" in refuse_command(club, "match", "pause", "Z9ZZ")


def test_the_token_stays_until_a_new_one_is_asked_for(club: Club) -> None:
    first = type_command(club, "token")
    assert "games+BOSS-" in first
    assert type_command(club, "token") == first
    assert type_command(club, "token", "--new") != first


@pytest.mark.parametrize(
    "option",
    ["-o rounds=viele", "-o pace=round", "-o divison=8", "--term days=0", "--term dais=3", "--term bank=x"],
)
def test_an_option_that_is_written_wrongly_is_no_fault_of_the_settings(tmp_path: Path, option: str) -> None:
    club = club_of(tmp_path / "club", "Anna", "Bert")
    for game in ("topwords", "dominos"):
        done = run_command(club, "match", "add", game, "Anna", "Bert", "--name", "X", *option.split())
        assert done.exit_code == 2, done.output
        assert "NoneType" not in done.output
        assert "match " not in done.output.partition("Error:")[2], "there is none yet"


def test_what_the_moderator_reads_in_a_mail_is_not_printed_by_tick(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = club_of(tmp_path / "club").config
    assert print_run_troubles(config, RunSummary(troubles=["one"], mailed={"one"})) == 0
    assert print_run_troubles(config, RunSummary(troubles=["one", "two"], mailed={"one"})) == 1
    assert capsys.readouterr().err == "moderator: two\n"


# ---- whatever is set up can be taken back ----

UNDONE = {
    "match add dominos Anna Bert --name Falsch": "match cancel {code}",
    "match add dominos Anna Bert --start": "match cancel {code}",
    "match add topwords Anna --seats 3": "match cancel {code}",
    "match pause {match}": "match resume {match}",
    "match move {match} Anna passe": "match rollback {match} --round 1",
    "match eject {match} Cici": "match rollback {match} --entry 1",
    "match replace {match} Cici Dora": "match replace {match} Dora Cici",
    "match referee {match} Karl": "match referee {match} chief",
    "cup add Herbst --game dominos --format robin": "cup cancel {code} --yes",
    "cup join T1 Dora": "cup withdraw T1 Dora --yes",
    "cup start T1 --anyway": "cup cancel T1 --yes",
    "cup referee T1 Karl": "cup referee T1 chief",
    "referee add Lea lea@example.org": "referee remove Lea",
    "referee leave Karl 2027-01-01": "referee leave Karl --cancel",
    "words rule HUGO allow": "words rule HUGO withdraw",
    "words rule hugo deny --scope topwords": "words rule hugo withdraw --scope topwords",
    "quarantine drop 1-9": "quarantine retry 1",
    "player add Zoe zoe@example.org": "player forget Zoe --yes",
}
"""A command that sets something up, and the one that takes it back. T1 is open; `cup import` is in test_tournaments.py,
`move-in` in test_move_in.py, `match start` is `match add --start`."""
ELSEWHERE = {"cup import", "cup open", "match start", "move-in", "quarantine accept"}
CHANGES_OR_LOOKS = """
analyse audit clock-right clock-undo compose cup-adjudicate cup-cancel cup-export cup-extend cup-finish cup-formats
cup-list cup-pair cup-show cup-standings cup-withdraw doctor export game-list game-show lexicon-check
lexicon-list match-cancel
match-check match-evaluate match-excuse match-extend match-list match-log match-missing match-notice
match-preview match-protests match-resume match-rollback match-rule-protest match-show match-state player-export
player-forget player-list player-reachable player-set puzzle-list puzzle-skip quarantine-list quarantine-retry
quarantine-show ratings receive referee-list referee-remove referee-set rehearse replay reread restore review schema
tick today token turn upgrade verify watch words-list
"""
"""Commands that set nothing up."""
FILES = {"backup", "demo", "game new", "init", "lexicon build", "move-store", "publish", "sandbox"}
"""What they make is a file or folder, and goes with it."""


def test_every_command_that_sets_something_up_is_known_to_have_one_that_takes_it_back() -> None:
    known = [*{line.partition(" ")[0] + " " + line.split()[1] for line in UNDONE}, *ELSEWHERE, *FILES]
    changing = {"-".join(path) for path, _ in commands()} - set(CHANGES_OR_LOOKS.split())
    assert changing == {name.replace(" ", "-") for name in known}
    by_mail = {one.shell.name for one in get_staff_commands().values() if one.shell}
    assert "cancel" in by_mail


def there(club: Club) -> str:
    """All that is set up, as far as somebody can see it."""
    with club.work() as work:
        one = work.session.exec
        going = one(
            select(MatchRow.code, MatchRow.status, MatchRow.stopped).where(MatchRow.status != MatchStatus.CANCELLED)
        ).all()
        seats = one(
            select(SeatRow.match_id, SeatRow.player_id).join(MatchRow).where(MatchRow.status != MatchStatus.CANCELLED)
        ).all()
        entered = one(select(TournamentEntry.player_id).where(TournamentEntry.state == EntryState.IN)).all()
        leave = one(select(Leave.first).where(col(Leave.cancelled_at).is_(None))).all()
        others = [one(select(kind.player_id)).all() for kind in (StandbyRow, WatcherRow)]
        found = [sorted(map(str, rows)) for rows in (going, seats, entered, leave, *others)]
    lists = ("cup list", "words list", "referee list", "quarantine list --all")
    return f"{found} {[run_command(club, *line.split()).output for line in lists]}"


@pytest.mark.slow
@pytest.mark.parametrize("line", UNDONE)
def test_what_a_command_sets_up_another_takes_back(club: Club, code: str, line: str) -> None:
    type_command(club, "referee", "add", "Karl", "karl@example.org")
    type_command(club, "cup", "add", "Sommer", "--game", "dominos", "--format", "robin", "--set", "invite=false")
    type_command(club, "cup", "open", "T1", "--until", "2027-06-01")
    type_command(club, "cup", "join", "T1", "Anna", "Bert")
    club.hand_in("Anna", code, 0, "passe", Precedence="bulk")
    before = there(club)
    made = type_command(club, *line.format(match=code).split())
    after = there(club)
    new = re.search(r"(?:Match|Tournament) (\w+)", made)
    undo = UNDONE[line].format(match=code, code=new[1] if new else "")
    type_command(club, *undo.split())
    if line.startswith(("cup start", "match move", "match eject")):  # these have their state in other tables, too
        assert "T1" not in type_command(club, "cup", "list") or line.startswith("match")
    elif line.startswith("player"):
        assert "Zoe" not in type_command(club, "player", "list")
    else:
        assert after != before
        club.tick()
        assert there(club) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "undo"),
    [
        ("Mitspielen {open}", "Aufgeben {open}"),
        ("Zuschauen {match}", "Nicht mehr zuschauen {match}"),
        ("Ersatzspieler an", "Ersatzspieler aus"),
        ("Urlaub 24.12. bis 30.12.", "Urlaub streichen"),
        ("Turnier T1 mitmachen", "Turnier T1 abmelden"),
        ("Üben dominos", "Aufgeben {new} ja"),
    ],
)
def test_what_a_player_begins_by_mail_the_player_can_end(club: Club, code: str, line: str, undo: str) -> None:
    offered = type_command(club, "match", "add", "topwords", "Anna", "--seats", "4").split()[1]
    type_command(club, "cup", "add", "Sommer", "--game", "dominos", "--format", "robin", "--set", "invite=false")
    type_command(club, "cup", "open", "T1", "--until", "2027-06-01")
    club.tick()
    before, vouched = there(club), {"Authentication_Results": "mx.club.example; dmarc=pass header.from=home.example"}
    club.say("Dora", line.format(open=offered, match=code), **vouched)
    assert there(club) != before
    with club.work() as work:
        newest = work.session.exec(select(MatchRow.code).order_by(col(MatchRow.id).desc())).first()
    club.say("Dora", undo.format(open=offered, match=code, new=newest), **vouched)
    with club.work() as work:
        for one in work.session.exec(
            select(MatchRow).where(MatchRow.code == newest, MatchRow.status == MatchStatus.FINISHED)
        ):
            one.status = MatchStatus.CANCELLED  # a practice match is over by it, which is its end
    assert there(club) == before


@pytest.mark.slow
@pytest.mark.parametrize("how", ["shell", "de", "en", "fr"])
@pytest.mark.parametrize(
    ("state", "game"), [("dealt", "topwords"), ("moved", "dominos"), ("suspended", "topwords"), ("finished", "dominos")]
)
def test_a_match_that_was_a_mistake_leaves_no_trace(tmp_path: Path, game: str, state: str, how: str) -> None:
    """Not in ratings, lists and statistics; all are told, in their language, and so is who answers an old mail."""
    club = make_trace_club(tmp_path, how)
    before = trace(club)
    code = club.start("Anna", "Bert", game=game)
    old = f"games+{code}-{club.token(code, 0)}@club.example"
    if state != "dealt":
        play(club, code, club.live(code).table.state.to_move[0])
    if state == "suspended":
        with club.at(code) as (_, row):
            row.status, row.trouble = MatchStatus.SUSPENDED, "a test"
    if state == "finished":
        type_command(club, "match", "eject", code, "Bert")
        assert club.row(code).status == MatchStatus.FINISHED
    club.tick_unread()
    words = {"shell": "", "de": "Absagen", "en": "Cancel", "fr": "Supprimer"}[how]
    if state != "dealt":
        refused = refuse_command(club, "match", "cancel", code) if not words else said_to_chief(club, f"{words} {code}")
        assert "--force" in refused
        assert club.row(code).status != MatchStatus.CANCELLED
    if words:
        said_to_chief(club, f"{words} {code}{'' if state == 'dealt' else '!'}: falsche Leute")
    else:
        type_command(
            club, "match", "cancel", code, "--why", "falsche Leute", *([] if state == "dealt" else ["--force"])
        )
        club.tick()
    for name in ("Anna", "Bert"):
        assert any(code in text(mail) and "falsche Leute" in text(mail) for mail in club.mails(name))
    assert trace(club) == before
    assert "0 faults" in type_command(club, "doctor", "--deep")
    club.say("Anna", "passe", to=old)
    assert code in text(club.mail("Anna"))
    assert "already" not in refuse_command(club, "match", "cancel", code)


def make_trace_club(folder: Path, how: str) -> Club:
    club = club_of(folder, "Anna", "Bert")
    for name in ("Anna", "Bert"):
        type_command(club, "player", "set", name, "--language", "de" if how == "shell" else how)
    object.__setattr__(club.config.club, "language", "de" if how == "shell" else how)
    started(club, "Anna", "Bert", game="dominos")
    return club


def said_to_chief(club: Club, line: str) -> str:
    club.mails()
    chief_says(club, line)
    return text(club.mail("boss"))


def trace(club: Club) -> str:
    with club.work() as work:
        rated = {game: compute_rating_numbers(work.session, game) for game in ("dominos", "topwords")}
    lists = ("match list", "player list", "today", "ratings")
    return f"{rated} {[type_command(club, *line.split()) for line in lists]}"
