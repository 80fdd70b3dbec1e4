"""Reviews are kept: worked out in idle runs, a turn at a time, told to whoever asked, and gone when a match goes on."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from sqlmodel import select

from moderator.backup.integrity import CheckedCounts, iter_integrity_faults
from moderator.common.errors import ConfigError
from moderator.review import review as maker
from moderator.review.review import Review as Made
from moderator.rules.game import Note
from moderator.service.create import get_match
from moderator.service.match.match import Match
from moderator.settings import ReviewSettings, load_config
from moderator.site import build
from moderator.store import reviews as store
from moderator.store import tournaments
from moderator.store.club_tables import MatchReview, TurnReview
from moderator.store.tables import MatchRow
from moderator.views import puzzles
from moderator.views.tournament_rows import StoredTournament
from tests.club.club import Club, club_of, make_club, taken_once, text
from tests.club.pair_scenes import then, told
from tests.club.steps import run_well
from tests.club.tournament_club import at, found, store_open
from tests.review.played import little_thought
from tests.site import pages

PLENTY = 50
"""Seconds that no review of these tests needs."""


def with_seconds(club: Club, seconds: float) -> Club:
    """The same club with so many seconds a run; what was mailed already counts as read."""
    config = replace(club.config, review=ReviewSettings(seconds))
    object.__setattr__(config, "file", club.config.file)
    return replace(club, config=config)


@pytest.fixture(autouse=True)
def quick() -> Iterator[None]:
    with little_thought():
        yield


@pytest.fixture
@taken_once
def code(club: Club) -> str:
    """A match that was stopped after three moves; nothing waits any more."""
    code = told(club, "dominos", moves=3)["code"]
    club.hand_in("Bert", code, 1, f"resign {code} YES")
    club.let_pass(hours=30)
    club.skip_mails()
    return code


def kept(club: Club, code: str) -> tuple[MatchReview, int]:
    """The row of the review, and how many turns of it are kept."""
    with club.at(code) as (work, match):
        turns = len(work.session.exec(select(TurnReview).where(TurnReview.match_id == match.number)).all())
        row = store.find_current_review(work.session, match)
    assert row is not None
    return row, turns


def by_hand(club: Club, code: str, anew: bool = False) -> Made:
    with club.work() as work:
        return puzzles.complete_match_review(
            work.session, work.cache, get_match(work.session, code), club.now, anew=anew
        )[0]


def whole(club: Club, code: str) -> Made | None:
    with club.work() as work:
        return puzzles.find_complete_review(work.session, get_match(work.session, code))


def ask(club: Club, code: str, more: str = "") -> list[str]:
    """What is mailed when Anna asks for it."""
    club.hand_in("Anna", code, 0, f"REVIEW {code}{more}")
    return [text(mail) for mail in club.mails()]


def break_turns(patch: pytest.MonkeyPatch, turn: Callable[[object, int], object]) -> None:
    """Turns are reviewed by that, and each fault is at the same place of the program."""
    patch.setattr("moderator.views.puzzles.review_turn", turn)
    patch.setattr("moderator.run.steps.format_error_place", lambda error: "here")


def test_an_idle_run_makes_it(club: Club, code: str) -> None:
    assert whole(club, code) is None
    assert with_seconds(club, 0).tick().reviews == 0
    assert with_seconds(club, PLENTY).tick().reviews == 1
    made = whole(club, code)
    assert len(made.turns) == 3
    assert with_seconds(club, PLENTY).tick().is_quiet


def test_what_is_kept_is_what_was_made(club: Club, code: str) -> None:
    """Also when it was made over several runs, each of which had time for one turn."""
    slow = with_seconds(club, 1e-9)
    counts = []
    for _ in range(4):
        slow.tick()
        row, turns = kept(club, code)
        counts.append((turns, row.due_at is None))
    assert counts == [(1, False), (2, False), (3, True), (3, True)]
    stored = whole(club, code)
    anew = by_hand(club, code, anew=True)
    assert stored == anew
    assert json.dumps(anew.to_json()) == json.dumps(maker.decode_review(anew.to_json()).to_json())


def test_a_run_that_dies_loses_a_turn(club: Club, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real, done = maker.review_turn, list[int]()

    def dying(work: object, at: int) -> object:
        if done:
            raise KeyboardInterrupt
        done.append(at)
        return real(work, at)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr("moderator.views.puzzles.review_turn", dying)
        with pytest.raises(KeyboardInterrupt):
            with_seconds(club, PLENTY).tick()
    assert kept(club, code)[1] == 1
    with_seconds(club, PLENTY).tick()
    assert whole(club, code) is not None
    assert whole(club, code) == by_hand(club, code, anew=True)


def test_one_that_cannot_be_made_is_put_off(club: Club, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is tried once a day and said once, and again when the reason is another one; and it keeps nothing else."""
    with monkeypatch.context() as patch:
        break_turns(patch, lambda work, at: 1 / 0)
        assert "ZeroDivisionError" in with_seconds(club, PLENTY).tick().troubles[0]
        assert with_seconds(club, PLENTY).tick().troubles == []
        tried = []
        break_turns(patch, lambda work, at: tried.append(at) or 1 / 0)
        club.wait(days=1, minutes=1)
        assert [one for _ in range(2) for one in with_seconds(club, PLENTY).tick().troubles] == []
        assert tried
        break_turns(patch, lambda work, at: [][0])
        club.wait(days=1, minutes=1)
        (trouble,) = [one for _ in range(2) for one in with_seconds(club, PLENTY).tick().troubles]
        assert "IndexError" in trouble
    assert "IndexError" in kept(club, code)[0].trouble
    club.wait(days=1, minutes=1)
    for _ in range(2):
        with_seconds(club, PLENTY).tick()
    assert whole(club, code) is not None
    assert kept(club, code)[0].trouble == ""


def test_a_better_reviewer_makes_it_again_and_doctor_looks_at_its_turns(club: Club, code: str) -> None:
    by_hand(club, code)
    with club.work() as work:
        work.session.get_one(MatchReview, get_match(work.session, code).number).version = 0
    assert whole(club, code) is None
    assert with_seconds(club, PLENTY).tick().reviews == 1
    assert whole(club, code) is not None
    assert damaged(club, code) == []
    for values, said in (
        ({"of": "many"}, "cannot be read"),
        ({"n": 99}, "is of entry 99"),
        ({"played": "00@Z"}, "by the log it was"),
        ({"left": 999}, "its review counts"),
    ):
        assert any(said in one and f"review {code} --anew" in one for one in damaged(club, code, **values)), values
    with club.work() as work:
        store.defer_review(work.session, get_match(work.session, code).number, "no dictionary", club.now)
        assert any(
            "no dictionary" in str(one) for one in iter_integrity_faults(work.session, club.config, CheckedCounts())
        )


def test_who_asked_gets_it_once(club: Club, code: str) -> None:
    """Asked twice, in a club whose runs have time for one turn: a receipt each time, the review once."""
    slow = with_seconds(club, 1e-9)
    for _ in range(2):
        with club.work() as work:  # what the run of the mail itself makes of it is a turn: not all of it, twice
            store.queue_review(work.session, get_match(work.session, code), club.now)
        assert ["noch nicht fertig" in mail for mail in ask(slow, code)] == [True]
    for _ in range(3):
        slow.tick()
    assert ["Zug für Zug" in text(mail) for mail in slow.mails()] == [True]
    assert ["Zug für Zug" in mail for mail in ask(slow, code)] == [True]


def test_one_that_fails_when_asked_for_keeps_no_mail(club: Club, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest of the mail is done; the review comes when it can be made."""
    with monkeypatch.context() as patch:
        break_turns(patch, lambda work, at: 1 / 0)
        mails = ask(with_seconds(club, PLENTY), code, "\nSprache deutsch")
    assert ["gelingt gerade nicht" in mail for mail in mails] == [True]
    club.wait(days=1, minutes=1)
    for _ in range(2):
        with_seconds(club, PLENTY).tick()
    assert ["Zug für Zug" in text(mail) for mail in club.mails()] == [True]


def damaged(club: Club, code: str, **values: object) -> list[str]:
    """What `doctor --deep` says of the review when its turn says that."""
    with club.work() as work:
        row = work.session.get_one(TurnReview, (get_match(work.session, code).number, 2))
        row.content = row.content | values
        work.session.flush()
        found = [str(fault) for fault in iter_integrity_faults(work.session, club.config, CheckedCounts())]
        work.session.rollback()
    return [one for one in found if "review" in one]


def test_without_seconds_it_is_made_by_hand(club: Club, code: str) -> None:
    assert ["von Hand" in mail for mail in ask(club, code)] == [True]
    by_hand(club, code)
    assert ["Zug für Zug" in mail for mail in ask(club, code)] == [True]


@pytest.mark.slow
def test_the_mail_of_the_end_has_one_sentence_of_it_and_the_way_to_the_rest(tmp_path: Path) -> None:
    """Where the lead went to Bert for good, if there is time to find out."""
    for name, seconds in (("with", PLENTY), ("without", 0)):
        club = with_seconds(make_club(tmp_path / name), seconds)
        scene = then(club, then(club, told(club, moves=0), 0, which=-1), 1)
        while not (state := club.live(scene["code"]).table.state).over:
            club.skip_mails()
            club.wait(days=1)
            then(club, scene, state.to_move[0], "passe")
        mails = [text(mail) for mail in club.mails()]
        for mail, turning, line in zip(
            mails, ("Wendepunkt", "Turning point"), ("»NACHBETRACHTUNG«", "“REVIEW”"), strict=True
        ):
            assert mail.count(turning) == (seconds > 0)
            assert line in mail
            assert "Zug für Zug" not in mail


def test_taking_the_end_back_takes_the_review_back(club: Club, code: str) -> None:
    made = by_hand(club, code)
    with club.at(code) as (work, match):
        Match.load(work, match).undo_to_entry(1, Note("undone"), force=True)
    assert whole(club, code) is None
    with club.work() as work:
        assert work.session.exec(select(MatchReview)).all() == []
        assert work.session.exec(select(TurnReview)).all() == []
        assert store.find_next_due_review(work.session, club.now) is None
    club.hand_in("Anna", code, 0, f"resign {code} YES")
    with club.work() as work:  # the next end makes it due again, as the match is then
        assert store.find_next_due_review(work.session, club.now) == get_match(work.session, code).number
    assert with_seconds(club, PLENTY).tick().reviews == 1
    again = whole(club, code)
    assert again.turns == made.turns[:1]
    assert again == by_hand(club, code, anew=True)


@pytest.mark.parametrize("seconds", ["-1", "61"])
def test_no_time_for_a_run(tmp_path: Path, seconds: str) -> None:
    file = make_club(tmp_path).config.file
    file.write_text(file.read_text("utf-8").replace("seconds_per_tick = 0", f"seconds_per_tick = {seconds}"), "utf-8")
    with pytest.raises(ConfigError, match="no time for a run"):
        load_config(file)


@pytest.mark.slow
def test_the_standings_of_a_tournament_say_how_many_points_each_has_left_per_move(tmp_path: Path) -> None:
    """Of two robots and Anna, who has not moved yet; what the robots played is over."""
    club = club_of(tmp_path, "R2 Ada", "R2 Bob", "Anna")
    with store_open():
        code = found(club, "league", ["R2 Ada", "R2 Bob", "Anna"], game="dominos", division=3)
        for _ in range(5):
            club.let_pass(days=1)
    build.update_site(club.config, club.now, tmp_path / "site")
    before = run_well(club, "cup", "standings", code)
    page = pages.read(tmp_path / "site", f"tournaments/{code}.html")
    assert "L/move" not in before
    assert "L/Zug" not in page.text
    with_seconds(club, PLENTY).tick()
    with at(club, code) as (work, tournament):
        rows = tournaments.list_pairings(work.session, tournament)
        told = StoredTournament(work.session, tournament).compute_points_left(1)
        every: dict[int, list[Fraction]] = {
            one.number: [] for one in tournaments.list_tournament_entries(work.session, tournament)
        }
        for row in rows:
            match = work.session.exec(select(MatchRow).where(MatchRow.id == row.match_id)).first()
            review = None if match is None else puzzles.find_complete_review(work.session, match)
            for one in review.turns if review else ():
                every[row.seats[one.seat]].append(Fraction(one.loss))
    assert told == pytest.approx({number: float(sum(left)) / len(left) for number, left in every.items() if left})
    assert len(told) == 2
    after = run_well(club, "cup", "standings", code)
    head, *rest = after.splitlines()
    assert "M/move" in head
    assert "–" in next(line for line in rest if "Anna" in line)
    assert sum(f"{float(value):.1f}" in line for value in told.values() for line in rest) >= len(told)
    build.update_site(club.config, club.now, tmp_path / "site")
    page = pages.read(tmp_path / "site", f"tournaments/{code}.html")
    assert "L/Zug" in page.text
    assert "L/Zug: wie viele Punkte je Zug liegen blieben" in page.text  # a telephone shows no title of a heading
    english = pages.read(tmp_path / "site", f"en/tournaments/{code}.html").text
    assert "M/move" in english
    assert "(M/move): points" in english
