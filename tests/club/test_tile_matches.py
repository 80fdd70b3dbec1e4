"""Whole matches of the tile games by mail: rounds, seals, deadlines, clubs without a dictionary."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlmodel import select

from moderator import games
from moderator.cli import cli
from moderator.match.rng import commit, round_seed
from moderator.match.table import Table
from moderator.outbox.match_pages import match_info
from moderator.outbox.post import post
from moderator.store.models import Letter, Outbox
from tests.club.club import Club, make_club, plain_boards, text
from tests.club.tile_club import NAMES, TILE_GAMES, has_not_drawn, mail_moves, robot_move, robots, seed_where

QUICK = {"dominos": {"target": 60}, "tridom": {"target": 200}}
"""Options that make a match of a few rounds."""
FEW = [key for key in ("dominos", "tridom") if key in TILE_GAMES]
LETTERS = re.compile(r"[^0-9a-z]+")


@pytest.fixture
def club(tmp_path: Path) -> Club:
    made = make_club(tmp_path)
    made.players(*NAMES, "R2D2", Bert="en")
    plain_boards(made)
    return made


def two_rounds(match: Any) -> bytes:
    """The seed of a match of robots that has at least two rounds and is the shortest of some. In the second somebody
    has a choice: in Dominos a spinner that is laid first may end the match at once."""
    found: list[tuple[int, int]] = []
    for number in range(12):
        match.seed = number.to_bytes(32, "big").hex()
        states = [table.state for table in robots(match, 2, 150)]
        if states[-1].over and any(one.public.round == 2 and not one.over for one in states):
            found.append((len(states), number))
    return min(found)[1].to_bytes(32, "big")


def sent(club: Club) -> list[tuple[str, str]]:
    """(recipient, everything in it, transfer encodings undone, nothing but digits and letters) of all new mails."""
    mails = []
    for mail in club.mails():
        parts = [str(value) for value in mail.values()]
        parts += [part.get_content() for part in mail.walk() if part.get_content_maintype() == "text"]
        mails.append((str(mail["To"]), LETTERS.sub("", "".join(parts).lower())))
    return mails


@pytest.mark.matrix("club")
@pytest.mark.parametrize("game", FEW)
def test_each_round_is_sealed_before_and_revealed_after(club: Club, game: str) -> None:
    code = club.match("Anna", "Bert", game=game, seed=two_rounds, **QUICK[game])
    club.tick()
    master = bytes.fromhex(club.row(code).seed)
    hidden = [round_seed(master, number).hex() for number in range(1, 9)]
    mails: list[tuple[str, str]] = []
    while True:
        state = club.live(code).table.state
        fresh = sent(club)
        assert len(fresh) >= 2
        mails += fresh
        now = state.public.round
        ended = now if state.over else now - 1
        for _, words in fresh:
            assert master.hex() not in words
            assert not any(seed in words for seed in hidden[ended:]), "a seed of a running or future round"
        if state.over:
            break
        club.order(NAMES[state.to_move[0]], code, state.to_move[0], robot_move(club, code))
        club.tick()
    for name in NAMES[:2]:
        mine = [words for to, words in mails if name.lower() in to.lower()]
        assert commit(bytes.fromhex(hidden[0])) in mine[0]
        for number in range(1, now + 1):
            sealed = next(n for n, words in enumerate(mine) if commit(bytes.fromhex(hidden[number - 1])) in words)
            revealed = next(n for n, words in enumerate(mine) if hidden[number - 1] in words)
            assert sealed < revealed
            assert hidden[number - 1] in mine[-1], "at the end all of them"
            if number > 1:
                before = next(n for n, words in enumerate(mine) if hidden[number - 2] in words)
                assert sealed == before, "the next round is sealed when one ends"


@pytest.mark.matrix("club")
@pytest.mark.parametrize("game", FEW)
def test_a_match_over_several_rounds_is_exported_and_verified(club: Club, game: str) -> None:
    code = club.match("Anna", "Bert", game=game, seed=two_rounds, **QUICK[game])
    finish(club, code)
    state = club.live(code).table.state
    config = ["--config", str(club.folder / "moderator.toml")]
    found = CliRunner().invoke(cli, [*config, "export", code])
    assert found.exit_code == 0, found.exception
    record = json.loads(found.output)
    rounds = state.public.round
    assert rounds > 1
    assert "seed" not in record["setup"]
    assert "commitment" not in record
    assert "lexicon" not in record
    assert [hashlib.sha256(b"moderator/1|" + bytes.fromhex(seed)).hexdigest() for seed in record["setup"]["seeds"]] == (
        record["commitments"]
    )
    assert len(record["commitments"]) == rounds
    assert club.row(code).seed not in found.output
    file = club.folder / "record.json"
    file.write_text(found.output, encoding="utf-8")
    verified = CliRunner().invoke(cli, ["verify", str(file)])
    assert verified.exit_code == 0, verified.output
    for number in range(1, rounds + 1):
        assert f"ok  commitment of round {number}: " in verified.output
        assert f"round{number}, as shuffled" in verified.output
    replayed = json.loads(CliRunner().invoke(cli, ["replay", "--json", "--trace", str(file)]).output)
    assert replayed["scores"] == list(state.scores)
    assert replayed["over"]
    assert len(replayed["trace"]) == len(record["moves"]) + 1
    record["setup"]["seeds"][1] = "00" * 32
    file.write_text(json.dumps(record), encoding="utf-8")
    assert CliRunner().invoke(cli, ["verify", str(file)]).exit_code == 1


def finish(club: Club, code: str, most: int = 300) -> None:
    """Robots' moves for everybody until the match is over."""
    for _ in range(most):
        state = club.live(code).table.state
        if state.over:
            return
        club.order(NAMES[state.to_move[0]], code, state.to_move[0], robot_move(club, code))
        summary = club.tick()
        assert not summary.quarantined, summary.quarantined
    pytest.fail("no end")


@pytest.mark.matrix("club")
@pytest.mark.parametrize("game", FEW)
def test_what_happened_by_itself_stands_behind_the_move_that_led_to_it(club: Club, game: str) -> None:
    def round_ends(_: Any, table: Table[Any]) -> bool:
        return bool(table.state.public.round == 2)

    from moderator.outbox import tell as outbox

    pages: list[Any] = []
    code = club.match("Anna", "Bert", game=game, seed=two_rounds, **QUICK[game])

    def watching(desk: Any, page: Any, **how: Any) -> bool:
        pages.append(page)
        return post(desk, page, **how)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outbox, "post", watching)
        mail_moves(club, code, round_ends, moves=150)
    for page in pages[-2:]:
        last = page.reports[-1]
        codes = [note.code for note in last.then]
        assert "next-round" in codes
        assert codes.index("next-round") > min(codes.index(c) for c in ("went-out", "blocked") if c in codes)
        assert page.notes == ()
        assert [seal.round for seal in page.match.seals] == [1, 2]
        assert page.match.round == 2
        assert (page.match.commitment, page.match.seed) == ("", "")
    assert all(
        note.only == next(seat.number for seat in page.seats if seat.you)
        for page in pages
        for report in page.reports
        for note in (*report.notes, *report.then)
        if note.only is not None
    )


@pytest.mark.parametrize("game", TILE_GAMES)
def test_a_missed_turn_passes_on(club: Club, game: str) -> None:
    code = club.match("Anna", "Bert", game=game, seed=seed_where(has_not_drawn, moves=0))
    club.tick()
    club.mails()
    seat = club.live(code).table.state.to_move[0]
    club.wait(days=6)
    assert club.tick().reminders == 1
    assert club.mails(NAMES[seat])
    club.wait(days=2)
    assert club.tick().deadlines == 1
    assert club.row(code).entries == 1
    with club.desk() as desk:
        from moderator.club.live_match import log_of
        from moderator.play.create import find_match

        assert [entry.kind for entry in log_of(desk.session, find_match(desk.session, code))] == ["miss"]
    for name in NAMES[:2]:
        assert len(club.mails(name)) == 1


def test_a_seat_whose_kept_order_is_not_possible_is_reminded(club: Club) -> None:
    code = club.match("Anna", "Bert", game="tridom", seed=seed_where(has_not_drawn, moves=0))
    seat = club.live(code).table.state.to_move[0]
    club.order(NAMES[seat], code, seat, "nach Ziehen: bester")
    club.tick()
    club.mails()
    club.wait(days=6)
    assert club.tick().reminders == 1
    assert club.mails(NAMES[seat])


def test_several_matches_in_one_mail(club: Club) -> None:
    codes = {game: club.match("Anna", "Bert", game=game) for game in ("topwords", *FEW)}
    lines, first = [], {}
    for game, code in codes.items():
        seat = club.live(code).table.state.to_move[0]
        if seat == 0:
            first[game] = "passe" if game == "topwords" else robot_move(club, code)
            lines.append(f"{code}: {first[game]}")
        else:
            lines.append(f"Partie {code}\nnach Ziehen: bester")
    club.order("Anna", codes["topwords"], 0, "\n".join(lines))
    club.tick()
    for game, code in codes.items():
        live = club.live(code)
        if game in first:
            assert live.last[0][0] == first[game]
        else:
            assert live.table.orders == {0: "nach Ziehen: bester"}


@pytest.mark.parametrize("game", TILE_GAMES)
def test_robots_play_each_tile_game(club: Club, game: str) -> None:
    code = club.match("Anna", "R2D2", game=game)
    for _ in range(3):
        state = club.live(code).table.state
        assert state.over or state.to_move == (0,)
        club.order("Anna", code, 0, robot_move(club, code))
        assert not club.tick().quarantined
    assert 1 in club.live(code).last


@pytest.mark.parametrize("game", TILE_GAMES)
def test_a_tile_match_has_no_dictionary(club: Club, game: str) -> None:
    (club.folder / "lexicons" / "de.lex").unlink()
    code = club.match("Anna", "Bert", game=game)
    row, seat = club.row(code), club.live(code).table.state.to_move[0]
    assert (row.lexicon, row.fingerprint) == ("", "")
    club.order(NAMES[seat], code, seat, robot_move(club, code))
    summary = club.tick()
    assert (summary.troubles, summary.quarantined) == ([], [])
    assert club.row(code).entries >= 1
    for mail in club.mails():
        assert "wörterbuch" not in text(mail).lower()
        assert "dictionary" not in text(mail).lower()


def test_a_club_without_dictionary(tmp_path: Path) -> None:
    club = make_club(tmp_path)
    file = club.folder / "moderator.toml"
    file.write_text(file.read_text() + "\n[words]\nlexicons = []\n")
    (club.folder / "lexicons" / "de.lex").unlink()

    def moderator(*words: str) -> Any:
        return CliRunner().invoke(cli, ["--config", str(file), *words])

    assert "FAIL" not in moderator("doctor").output
    moderator("player", "add", "Anna", "anna@home.example")
    moderator("player", "add", "Ada", "--robot")
    done = moderator("match", "new", "tridom", "Anna", "Ada", "--name", "Drei", "--start")
    assert done.exit_code == 0, done.exception
    assert moderator("tick").exit_code == 0
    assert "tridom" in moderator("match", "show", done.output.split()[1]).output
    refused = moderator("match", "new", "topwords", "Anna", "Ada", "--name", "W", "--start")
    assert refused.exit_code == 1
    assert "lexicons = []" in str(refused.exception)


def test_a_suspended_tile_match_goes_on(club: Club) -> None:
    from moderator.play.create import find_match
    from moderator.play.lifecycle import suspend, unsuspend

    code = club.match("Anna", "Bert", game="tridom")
    with club.desk() as desk:
        suspend(desk, find_match(desk.session, code).number, "a test")
    with club.desk() as desk:
        unsuspend(desk, find_match(desk.session, code), accept_lexicon=True)
    row = club.row(code)
    assert (row.status, row.lexicon, row.fingerprint) == ("running", "", "")


@pytest.mark.parametrize("game", sorted(games.REGISTRY))
def test_the_round_of_a_mail_is_that_of_the_state(club: Club, game: str) -> None:
    code = club.match("Anna", "Bert", game=game)
    with club.desk() as desk:
        from moderator.play.create import find_match

        row = find_match(desk.session, code)
        live = desk.cache.live(desk.session, row)
        info = match_info(row, live, "de")
    assert info.round == live.table.state.public.round == 1
    assert info.seals == ()
    assert bool(info.commitment) is not live.game.seeded_rounds


@pytest.mark.matrix("club")
def test_the_mail_that_ends_a_match_is_sent_whatever_was_answered_before(club: Club) -> None:
    code = club.match("Anna", "Bert", game="tridom", seed=two_rounds, **QUICK["tridom"])
    for _ in range(60):
        club.order("Anna", code, 0, "HILFE")
    club.tick()
    finish(club, code)
    with club.desk() as desk:
        last = desk.session.exec(
            select(Letter.raw).join(Outbox).where(Outbox.kind == "end", Outbox.recipient == "anna@home.example")
        ).all()
    assert len(last) == 1
