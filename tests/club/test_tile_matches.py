"""Whole matches by mail and single turns of the tile games: rounds, seals, deadlines, clubs without a dictionary."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from moderator.delivery import deliver
from moderator.delivery.compose import compose_notification
from moderator.rules.shuffling import commit_seed, derive_round_seed
from moderator.service.create import get_match
from moderator.service.match.halt import resume_suspended_match, suspend_match
from moderator.store.tables import OutboxRow
from tests.club.club import Club, make_club
from tests.club.memory import club_for
from tests.club.steps import NAMES, robot_move, robots, run, run_well

QUICK = {"dominos": {"target": 60}, "tridom": {"target": 200}}
"""Options that make a match of a few rounds."""
LETTERS = re.compile(r"[^0-9a-z]+")


@pytest.fixture
def club(request: pytest.FixtureRequest, tmp_path: Path) -> Club:
    return club_for(request, tmp_path, *NAMES, "R2D2", Bert="en")


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


@dataclass
class Played:
    """A match of Anna and Bert over some rounds, to its end."""

    club: Club
    code: str
    mails: list[tuple[int, bool, str, str]] = field(default_factory=list)
    """Round, whether it was over, recipient, everything in it: transfer encodings undone, digits and letters only."""
    pages: list[tuple[int, Any]] = field(default_factory=list)
    """Round, page."""


@pytest.fixture(scope="module", params=QUICK)
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Played:
    club, game = make_club(tmp_path_factory.mktemp("played") / "club", kept=True), request.param
    club.players("Anna", "Bert", Bert="en")
    code = club.match("Anna", "Bert", game=game, seed=two_rounds, **QUICK[game])
    made = Played(club, code)

    def watching(work: Any, one: Any, page: Any) -> Any:
        made.pages.append((page.match.round, page))
        return compose_notification(work, one, page)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(deliver, "compose_notification", watching)
        club.tick()
        while True:
            state = club.live(code).table.state
            fresh = club.mails()
            assert len(fresh) >= 2
            for mail in fresh:
                parts = [str(value) for value in mail.values()]
                parts += [part.get_content() for part in mail.walk() if part.get_content_maintype() == "text"]
                words = LETTERS.sub("", "".join(parts).lower())
                made.mails.append((state.public.round, state.over, str(mail["To"]).lower(), words))
            if state.over:
                return made
            assert not club.hand_in(NAMES[state.to_move[0]], code, state.to_move[0], robot_move(club, code)).quarantined


@pytest.mark.slow
def test_each_round_is_sealed_before_and_revealed_after(played: Played) -> None:
    master = bytes.fromhex(played.club.row(played.code).seed)
    hidden = [derive_round_seed(master, number).hex() for number in range(1, 9)]
    for now, over, _, words in played.mails:
        assert master.hex() not in words
        assert not any(seed in words for seed in hidden[now - (not over) :]), "a seed of a running or future round"
    last = played.mails[-1][0]
    for name in NAMES[:2]:
        mine = [words for _, _, to, words in played.mails if name.lower() in to]
        assert commit_seed(bytes.fromhex(hidden[0])) in mine[0]
        before = 0
        for seed in hidden[:last]:
            sealed = next(n for n, words in enumerate(mine) if commit_seed(bytes.fromhex(seed)) in words)
            revealed = next(n for n, words in enumerate(mine) if seed in words)
            assert sealed == before < revealed, "the next round is sealed when one ends"
            assert seed in mine[-1], "at the end all of them"
            before = revealed


@pytest.mark.slow
def test_what_happened_by_itself_stands_behind_the_move_that_led_to_it(played: Played) -> None:
    first = next(at for at, (round, _) in enumerate(played.pages) if round == 2)
    for _, page in played.pages[first : first + 2]:
        codes = [note.code for note in page.reports[-1].then]
        assert codes.index("next-round") > min(codes.index(c) for c in ("went-out", "blocked") if c in codes)
        assert page.notes == ()
        assert [seal.round for seal in page.match.seals] == [1, 2]
        assert (page.match.commitment, page.match.seed) == ("", "")
    for _, page in played.pages:
        reader = next((seat.number for seat in page.seats if seat.you), None)
        notes = [note for report in page.reports for note in (*report.notes, *report.then)]
        assert {note.only for note in notes} <= {None, reader}


def test_a_club_without_dictionary_plays_tile_games_only(tmp_path: Path) -> None:
    club = make_club(tmp_path)
    file = club.config.file
    file.write_text(file.read_text() + "\n[words]\nlexicons = []\n")
    (club.folder / "lexicons" / "de.lex").unlink()

    assert "FAIL" not in run(club, "doctor").output
    run_well(club, "player", "add", "Anna", "anna@home.example")
    run_well(club, "player", "add", "Ada", "--robot")
    made = run_well(club, "match", "add", "tridom", "Anna", "Ada", "--name", "Drei", "--start")
    run_well(club, "tick")
    assert "tridom" in run_well(club, "match", "show", made.split()[1])
    refused = run(club, "match", "add", "topwords", "Anna", "Ada", "--name", "W", "--start")
    assert refused.exit_code == 1
    assert "lexicons = []" in str(refused.exception)


def test_a_suspended_tile_match_goes_on(club: Club) -> None:
    code = club.match("Anna", "Bert", game="tridom")
    with club.work() as work:
        suspend_match(work, get_match(work.session, code).number, "a test")
    with club.work() as work:
        resume_suspended_match(work, get_match(work.session, code), accept_lexicon=True)
    row = club.row(code)
    assert (row.status, row.lexicon, row.fingerprint) == ("running", "", "")


@pytest.mark.slow
def test_the_mail_that_ends_a_match_is_sent_whatever_was_answered_before(club: Club) -> None:
    code = club.match("Bert", "Anna", pass_rounds=1)
    for _ in range(60):
        club.order("Anna", code, 1, "HILFE")
    club.hand_in("Bert", code, 0, "pass")
    club.hand_in("Anna", code, 1, "passe")
    assert club.row(code).status == "finished"
    ends = club.stored(select(OutboxRow.recipient).where(OutboxRow.kind == "end"))
    assert sorted(ends) == ["anna@home.example", "bert@home.example"]
