"""Who did what: every command that changes something is written down, by whom it was given; looking is not."""

import getpass
import json
from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import col, select

from moderator.cli import cli
from moderator.cli.command_tree import list_command_names
from moderator.common import tokens
from moderator.store.key_values import ensure_moderator_token
from moderator.store.tables import Audit, Protest
from tests.cli.running import commands, refuse_command, type_command
from tests.club.club import Club, club_of


@pytest.fixture(autouse=True)
def _user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SUDO_USER", raising=False)
    monkeypatch.setattr(getpass, "getuser", lambda: "root")


@pytest.fixture
def club(tmp_path: Path) -> Club:
    return club_of(tmp_path, "Anna", "Bert")


def run(club: Club, *words: str) -> str:
    """A command a second after what was before: who did what is told by the time."""
    club.now += timedelta(seconds=1)
    return type_command(club, *words)


def written(club: Club) -> list[tuple[str, str, str, str, str]]:
    rows = club.stored(select(Audit).order_by(col(Audit.id)))
    return [(f"{row.by} {row.who}".rstrip(), row.action, row.about, row.detail, row.outcome) for row in rows]


def test_commands_of_the_command_line(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    run(club, "player", "add", "Cici", "cici@home.example")
    code = run(club, "match", "add", "dominos", "Anna", "Bert", "--name", "Arratia").split()[1]
    run(club, "match", "start", code)
    monkeypatch.setenv("SUDO_USER", "erika")
    run(club, "match", "extend", code.lower(), "3", "--why", "holiday\ntime")
    run(club, "match", "notice", "all", "Hello")
    run(club, "words", "rule", "HUGO", "deny")
    assert written(club) == [
        ("cli root", "player add", "", "name Cici, address cici@home.example, board png", ""),
        ("cli root", "match add", code, "name Arratia, game dominos, players Anna Bert", ""),
        ("cli root", "match start", code, "", ""),
        ("cli erika", "match extend", code, "why holiday time, days 3", ""),
        ("cli erika", "match notice", "", "text Hello", ""),
        ("cli erika", "words rule", "", "word HUGO, ruling deny, scope all", ""),
    ]


def test_looking_and_failing_leave_no_trace(club: Club) -> None:
    code = club.match("Anna", "Bert", game="dominos")
    for words in (["player", "list"], ["match", "list"], ["match", "show", code], ["match", "log", code], ["audit"]):
        run(club, *words)
    refuse_command(club, "match", "extend", code, "0")
    assert written(club) == []


def test_commands_by_mail_are_written_down_but_no_token_and_no_move_that_is_tried(club: Club) -> None:
    code = club.match("Anna", "Bert", game="dominos")
    token = club.token(code, 0)
    club.tick()
    lines = f"Sprache en\nUrlaub nie\nStand\nPresse an Bert: ganz geheim\nProbe 55@5\nZuschauen {code}-{token}\n55@5"
    club.hand_in("Anna", code, 0, lines)
    found = written(club)
    assert found[:5] == [
        ("player Anna", "language", code, "en", ""),
        ("player Anna", "leave", code, "nie", "leave-no-dates"),
        ("player Anna", "status", code, "", ""),
        ("player Anna", "press", code, "an Bert", ""),
        ("player Anna", "preview", code, "", ""),
    ]
    assert token not in str(found)
    write_as_moderator(club, f"Verlängern {code} 3: Ferien\nAuswerten {code} R7\nWer fehlt")
    assert written(club)[len(found) :] == [
        ("moderator", "extend", code, f"{code} 3: Ferien", ""),
        ("moderator", "evaluate", code, f"{code} R7", "boss-round"),
        ("moderator", "missing", "", "", ""),
    ]


def write_as_moderator(club: Club, body: str) -> None:
    with club.work() as work:
        secret = ensure_moderator_token(work.session)
    club.say("boss@club.example", body, to=f"games+{tokens.BOSS}-{secret}@club.example")


def test_a_protest_and_its_ruling_are_named_with_who_said_it(club: Club) -> None:
    code = club.start("Anna", "Bert", game="dominos")
    first = club.live(code).table.state.to_move[0]
    club.hand_in(("Anna", "Bert")[first], code, first, club.moves(code, first)[0])
    club.hand_in("Anna", code, 0, "Einspruch: das war anders")
    (token,) = club.stored(select(Protest.token))
    club.say("boss@club.example", "abgelehnt: nein", to=f"games+PROT-{token}@club.example")
    found = written(club)
    assert [row[:3] for row in found] == [("player Anna", "protest", code), ("moderator", "protest", code)]
    assert found[1][3] == "1: denied"
    assert "anders" not in str(found)


def test_what_happened_is_told_in_the_order_in_which_it_happened(club: Club) -> None:
    code = club.start("Anna", "Bert", game="dominos", seed=lambda match: bytes(32))
    first = club.live(code).table.state.to_move[0]
    names = ("Anna", "Bert")
    club.hand_in(names[1 - first], code, 1 - first, "Stand")
    club.wait(minutes=1)
    club.hand_in(names[first], code, first, club.moves(code, first)[0])
    club.wait(minutes=1)
    club.say("stranger@x.example", "hello")
    club.wait(minutes=1)
    write_as_moderator(club, f"Pause {code}")
    lines = [line[21:] for line in run(club, "audit", "--since", "2026-11-01").splitlines()]
    heads = [" ".join(line.split()) for line in lines]
    assert heads[0] == f"player {names[1 - first]} {code} status -> done"
    assert heads[1].startswith(f"player {names[first]} {code} entry 1: move {names[first]} ")
    assert heads[2] == "mail stranger@x.example mail 3 -> unknown: the sender is no player and no token was right"
    assert heads[3] == f"moderator {code} pause {code} -> done"
    assert heads[4].startswith(f"moderator {code} entry 2: clock pause")
    of_match = run(club, "audit", "--since", "2026-11-01", "--match", code.lower()).splitlines()
    assert [line[21:] for line in of_match] == [line for line in lines if "stranger" not in line]
    assert run(club, "audit", "--since", "2027-11-01") == ""


def test_stored_moves_and_racks_stay_hidden(club: Club) -> None:
    code = club.start("Anna", "Bert", game="topwords", pace="rounds")
    move = club.moves(code, 0)[0]
    club.hand_in("Anna", code, 0, move)
    shown = run(club, "audit", "--since", "2026-11-01")
    assert "order Anna" in " ".join(shown.split())
    assert move not in shown
    assert move.split()[-1] not in shown


# ---- what may be written down ----


def test_no_command_takes_a_secret() -> None:
    """Arguments are written down, and stand in the shell's history besides."""
    found = [command for _, command in commands(cli)]
    assert len(found) > len(list_command_names(""))
    for command in found:
        for parameter in command.params:
            assert not {"password", "token", "secret"} & set((parameter.name or "").split("_")), command.name


def test_what_a_robot_does_after_a_command_or_sends_for_the_next_round_is_its_own_doing(club: Club) -> None:
    def begun(game: str, *more: str) -> str:
        code = run(club, "match", "add", game, "Anna", "Ada", "--name", game, *more).split()[1]
        run(club, "match", "start", code)
        run(club, "match", "evaluate", code, "--round", "1", "--force")
        return code

    run(club, "player", "add", "Ada", "--robot")
    code = begun("dominos")
    run(club, "match", "evaluate", code, "--round", "1", "--force")
    run(club, "match", "move", code, "Anna", club.moves(code, 0)[0])
    entries = list(map(json.loads, run(club, "match", "log", code, "--json").splitlines()))
    for one in entries:
        kind, who = one["what"].split()[:2]
        assert one["by"] == (None if (kind, who) == ("move", "Ada") else "cli root"), one
    assert sum("move Anna" in one["what"] for one in entries) == 1
    shown = [json.loads(line) for line in run(club, "audit", "--since", "2026-01-01", "--json").splitlines()]
    doers = {one["who"] for one in shown if ": move Ada" in one["what"]}
    assert doers == {"(by itself)"}
    entries = map(json.loads, run(club, "match", "log", begun("topwords", "-o", "pace=rounds"), "--json").splitlines())
    done = {tuple(one["what"].split()[:2]): one["by"] for one in entries}
    assert done[("order", "Ada")] is None
    assert {by for (kind, _), by in done.items() if kind == "evaluate"} == {"cli root"}


@pytest.mark.slow
def test_it_makes_no_difference_how_a_match_was_named(club: Club) -> None:
    """Of a command that was typed, log and audit name who gave it and the match by its code."""
    code = run(club, "match", "add", "topwords", "Anna", "Bert", "--name", "Kreuz 2").split()[1]
    run(club, "match", "start", code)
    typed = (("extend", "1 week"), ("pause",), ("resume",), ("excuse", "Anna"), ("notice", "Hello"))
    for named in (code, code.lower(), "Kreuz 2", "KREUZ 2"):
        for name, *more in typed:
            run(club, "match", name, named, *more)
    for named in (code, "kreuz 2"):
        shown = [json.loads(line) for line in run(club, "audit", "--match", named, "--json").splitlines()]
        assert {(one["who"], one["about"]) for one in shown} == {("cli root", code)}
        assert sum("entry" in one["what"] for one in shown) >= 4 * len(typed)
        entries = list(map(json.loads, run(club, "match", "log", named, "--json").splitlines()))
        assert {one["by"] for one in entries} == {"cli root"}
        clocks = [one["values"] for one in entries if one["kind"] == "clock"]
        assert {one["why"] for one in clocks} == {"extend", "pause", "go-on"}
        assert all(one["to"].endswith("+00:00") for one in clocks)


def test_a_name_of_several_matches_lists_their_codes(club: Club) -> None:
    for _ in "123":
        run(club, "match", "add", "topwords", "Anna", "Bert", "--name", "Kreuz")
    codes = [line.split()[0] for line in run(club, "match", "list").splitlines()[1:]]
    assert len(codes) == 3
    for words in (("match", "show"), ("match", "log"), ("match", "start"), ("match", "pause"), ("export",)):
        told = refuse_command(club, *words, "kreuz")
        assert all(code in told for code in codes), told
