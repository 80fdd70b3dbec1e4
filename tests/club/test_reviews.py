"""Reviews are kept: worked out in idle runs, a turn at a time, told to whoever asked, and gone when a match goes on."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
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
from moderator.store import reviews as store
from moderator.store.club_tables import MatchReview, TurnReview
from moderator.views import puzzles
from tests.club.club import Club, copied, make_club, text
from tests.club.pair_scenes import then, told
from tests.review.played import little_thought

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


@pytest.fixture(scope="module")
def kept_ended(tmp_path_factory: pytest.TempPathFactory) -> tuple[Club, str]:
    """Stopped after three moves; nothing waits any more."""
    club = make_club(tmp_path_factory.mktemp("ended") / "club", kept=True)
    code = told(club, "dominos", moves=3)["code"]
    club.hand_in("Bert", code, 1, f"resign {code} YES")
    club.let_pass(hours=30)
    club.skip_mails()
    return club, code


@pytest.fixture
def ended(kept_ended: tuple[Club, str], tmp_path: Path) -> tuple[Club, str]:
    club, code = kept_ended
    return copied(club, tmp_path / "club"), code


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


def test_an_idle_run_makes_it(ended: tuple[Club, str]) -> None:
    club, code = ended
    assert whole(club, code) is None
    assert with_seconds(club, 0).tick().reviews == 0
    assert with_seconds(club, PLENTY).tick().reviews == 1
    made = whole(club, code)
    assert len(made.turns) == 3
    assert with_seconds(club, PLENTY).tick().is_quiet


def test_what_is_kept_is_what_was_made(ended: tuple[Club, str]) -> None:
    """Also when it was made over several runs, each of which had time for one turn."""
    club, code = ended
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


def test_a_run_that_dies_loses_a_turn(ended: tuple[Club, str], monkeypatch: pytest.MonkeyPatch) -> None:
    club, code = ended
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


def test_one_that_cannot_be_made_is_put_off(ended: tuple[Club, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """It is tried once a day and said once, and again when the reason is another one; and it keeps nothing else."""
    club, code = ended
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


def test_a_better_reviewer_makes_it_again(ended: tuple[Club, str]) -> None:
    club, code = ended
    by_hand(club, code)
    with club.work() as work:
        work.session.get_one(MatchReview, get_match(work.session, code).number).version = 0
    assert whole(club, code) is None
    assert with_seconds(club, PLENTY).tick().reviews == 1
    assert whole(club, code) is not None


def test_who_asked_gets_it_once(ended: tuple[Club, str]) -> None:
    """Asked twice, in a club whose runs have time for one turn: a receipt each time, the review once."""
    club, code = ended
    slow = with_seconds(club, 1e-9)
    for _ in range(2):
        with club.work() as work:  # what the run of the mail itself makes of it is a turn: not all of it, twice
            store.queue_review(work.session, get_match(work.session, code), club.now)
        assert ["noch nicht fertig" in mail for mail in ask(slow, code)] == [True]
    for _ in range(3):
        slow.tick()
    assert ["Zug für Zug" in text(mail) for mail in slow.mails()] == [True]
    assert ["Zug für Zug" in mail for mail in ask(slow, code)] == [True]


def test_one_that_fails_when_asked_for_keeps_no_mail(ended: tuple[Club, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest of the mail is done; the review comes when it can be made."""
    club, code = ended
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


def test_doctor_looks_at_the_turns_of_stored_reviews(ended: tuple[Club, str]) -> None:
    club, code = ended
    by_hand(club, code)
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


def test_without_seconds_it_is_made_by_hand(ended: tuple[Club, str]) -> None:
    club, code = ended
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


def test_taking_the_end_back_takes_the_review_back(ended: tuple[Club, str]) -> None:
    club, code = ended
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
