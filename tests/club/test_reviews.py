"""Reviews are kept: worked out in idle runs, a turn at a time, told to whoever asked, and gone when a match goes on."""

from __future__ import annotations

import json
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path

import pytest
from sqlmodel import select

from moderator.backup.integrity import Looked, examine
from moderator.club import reviews
from moderator.config import Review
from moderator.errors import ConfigError
from moderator.review import review as maker
from moderator.review.review import Review as Made
from moderator.run import reviewing
from moderator.store import reviews as store
from moderator.store.models import Match, MatchReview, TurnReview
from tests.club.club import Club, make_club
from tests.club.pair_scenes import told

PLENTY = 50
"""Seconds that no review of these tests needs."""


def with_seconds(club: Club, seconds: float) -> Club:
    """The same club with so many seconds a run; what was mailed already counts as read."""
    config = replace(club.config, review=Review(seconds))
    object.__setattr__(config, "file", club.config.file)
    return replace(club, config=config)


def text(mail: EmailMessage) -> str:
    """On one line: sentences are wrapped."""
    body = mail.get_body(("plain",))
    assert body is not None
    return " ".join(str(body.get_content()).split())


@pytest.fixture
def ended(tmp_path: Path) -> tuple[Club, str]:
    """Stopped after three moves; nothing waits any more."""
    club = make_club(tmp_path)
    scene = told(club, "dominos", moves=3)
    club.order("Bert", scene["code"], 1, f"resign {scene['code']}")
    club.tick()
    club.mails()
    club.wait(hours=30)
    club.tick()
    club.mails()
    return club, scene["code"]


def kept(club: Club, code: str) -> tuple[MatchReview | None, int]:
    with club.desk() as desk:
        match = desk.session.exec(select(Match).where(Match.code == code)).one()
        turns = len(desk.session.exec(select(TurnReview).where(TurnReview.match_id == match.number)).all())
        return store.of(desk.session, match), turns


def by_hand(club: Club, code: str) -> Made:
    with club.desk() as desk:
        match = desk.session.exec(select(Match).where(Match.code == code)).one()
        return reviews.at_once(desk.session, desk.cache, match, club.now)[0]


def whole(club: Club, code: str) -> Made | None:
    with club.desk() as desk:
        match = desk.session.exec(select(Match).where(Match.code == code)).one()
        return reviews.whole(desk.session, match)


def test_an_idle_run_makes_it(ended: tuple[Club, str]) -> None:
    club, code = ended
    assert whole(club, code) is None
    assert with_seconds(club, 0).tick().reviews == 0
    assert with_seconds(club, PLENTY).tick().reviews == 1
    made = whole(club, code)
    assert made is not None
    assert len(made.turns) == 3
    assert with_seconds(club, PLENTY).tick().quiet


@pytest.mark.slow
def test_what_is_kept_is_what_was_made(ended: tuple[Club, str]) -> None:
    """Also when it was made over several runs, each of which had time for one turn."""
    club, code = ended
    slow = with_seconds(club, 1e-9)
    counts = []
    for _ in range(4):
        slow.tick()
        row, turns = kept(club, code)
        counts.append((turns, row is not None and row.due_at is None))
    assert counts == [(1, False), (2, False), (3, True), (3, True)]
    stored = whole(club, code)
    with club.desk() as desk:
        match = desk.session.exec(select(Match).where(Match.code == code)).one()
        anew, made = reviews.at_once(desk.session, desk.cache, match, club.now, anew=True)
    assert made
    assert stored == anew
    assert json.dumps(anew.to_json()) == json.dumps(maker.read(anew.to_json()).to_json())


def test_a_run_that_dies_loses_a_turn(ended: tuple[Club, str], monkeypatch: pytest.MonkeyPatch) -> None:
    club, code = ended
    real, done = maker.turn, list[int]()

    def dying(work: object, at: int) -> object:
        if done:
            raise KeyboardInterrupt
        done.append(at)
        return real(work, at)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(maker, "turn", dying)
        with pytest.raises(KeyboardInterrupt):
            with_seconds(club, PLENTY).tick()
    assert kept(club, code)[1] == 1
    with_seconds(club, PLENTY).tick()
    found = whole(club, code)
    assert found is not None
    assert found == by_hand(club, code)


def test_one_that_cannot_be_made_is_put_off(ended: tuple[Club, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """It is tried once a day and said once, and again when the reason is another one; and it keeps nothing else."""
    club, code = ended
    with monkeypatch.context() as patch:
        patch.setattr(maker, "turn", lambda work, at: 1 / 0)
        patch.setattr(reviewing, "place_of", lambda error: "here")
        assert "ZeroDivisionError" in with_seconds(club, PLENTY).tick().troubles[0]
        assert with_seconds(club, PLENTY).tick().troubles == []
        tried = []
        patch.setattr(maker, "turn", lambda work, at: tried.append(at) or 1 / 0)
        club.wait(days=1, minutes=1)
        assert [one for _ in range(2) for one in with_seconds(club, PLENTY).tick().troubles] == []
        assert tried
        patch.setattr(maker, "turn", lambda work, at: [][0])
        club.wait(days=1, minutes=1)
        (trouble,) = [one for _ in range(2) for one in with_seconds(club, PLENTY).tick().troubles]
        assert "IndexError" in trouble
    row, _ = kept(club, code)
    assert row is not None
    assert "IndexError" in row.trouble
    club.wait(days=1, minutes=1)
    for _ in range(2):
        with_seconds(club, PLENTY).tick()
    assert whole(club, code) is not None
    row, _ = kept(club, code)
    assert row is not None
    assert row.trouble == ""


@pytest.mark.slow
def test_a_better_reviewer_makes_it_again(ended: tuple[Club, str]) -> None:
    club, code = ended
    by_hand(club, code)
    with club.desk() as desk:
        match = desk.session.exec(select(Match).where(Match.code == code)).one()
        desk.session.get_one(MatchReview, match.number).version = 0
    assert whole(club, code) is None
    assert with_seconds(club, PLENTY).tick().reviews == 1
    assert whole(club, code) is not None


def test_who_asked_gets_it_once(ended: tuple[Club, str]) -> None:
    """Asked twice, in a club whose runs have time for one turn: a receipt each time, the review once."""
    club, code = ended
    slow = with_seconds(club, 1e-9)
    for _ in range(2):
        with club.desk() as desk:  # what the run of the mail itself makes of it is a turn: not all of it, twice
            store.queue(desk.session, desk.session.exec(select(Match).where(Match.code == code)).one(), club.now)
        slow.order("Anna", code, 0, f"REVIEW {code}")
        slow.tick()
        assert ["noch nicht fertig" in text(mail) for mail in slow.mails()] == [True]
    for _ in range(3):
        slow.tick()
    mails = slow.mails()
    assert len(mails) == 1
    assert "Wendepunkt" in text(mails[0])
    slow.order("Anna", code, 0, f"REVIEW {code}")
    slow.tick()
    assert ["Wendepunkt" in text(mail) for mail in slow.mails()] == [True]


def test_one_that_fails_while_it_is_asked_for_keeps_no_mail(
    ended: tuple[Club, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest of the mail is done; the review comes when it can be made."""
    club, code = ended
    with monkeypatch.context() as patch:
        patch.setattr(maker, "turn", lambda work, at: 1 / 0)
        patch.setattr(reviewing, "place_of", lambda error: "here")
        club.order("Anna", code, 0, f"REVIEW {code}\nSprache deutsch")
        with_seconds(club, PLENTY).tick()
    assert ["nicht ausarbeiten" in text(mail) for mail in club.mails()] == [True]
    club.wait(days=1, minutes=1)
    for _ in range(2):
        with_seconds(club, PLENTY).tick()
    assert ["Wendepunkt" in text(mail) for mail in club.mails()] == [True]


def damaged(club: Club, code: str, number: int = 2, **values: object) -> list[str]:
    """What `doctor --deep` says of the review when its turn says that."""
    with club.desk() as desk:
        match = desk.session.exec(select(Match).where(Match.code == code)).one()
        row = desk.session.get_one(TurnReview, (match.number, number))
        row.content = row.content | values
        desk.session.add(row)
        desk.session.flush()
        found = [str(fault) for fault in examine(desk.session, club.config, Looked())]
        desk.session.rollback()
    return [one for one in found if "review" in one]


def test_doctor_looks_at_the_turns_of_stored_reviews(ended: tuple[Club, str]) -> None:
    club, code = ended
    by_hand(club, code)
    assert damaged(club, code) == []
    for values, said in (
        ({"of": "many"}, "cannot be read"),
        ({"n": 99}, "is of entry 99"),
        ({"played": "00@Z"}, "by the log it was"),
        ({"most": 999}, "its review counts"),
    ):
        assert any(said in one and f"review {code} --anew" in one for one in damaged(club, code, **values)), values
    with club.desk() as desk:
        match = desk.session.exec(select(Match).where(Match.code == code)).one()
        store.put_off(desk.session, match.number, "no dictionary", club.now)
        assert any("no dictionary" in str(one) for one in examine(desk.session, club.config, Looked()))


def test_without_seconds_it_is_made_by_hand(ended: tuple[Club, str]) -> None:
    club, code = ended
    club.order("Anna", code, 0, f"REVIEW {code}")
    club.tick()
    assert ["von Hand" in text(mail) for mail in club.mails()] == [True]
    by_hand(club, code)
    club.order("Anna", code, 0, f"REVIEW {code}")
    club.tick()
    assert ["Wendepunkt" in text(mail) for mail in club.mails()] == [True]


@pytest.mark.slow
def test_the_mail_of_the_end_has_five_lines(tmp_path: Path) -> None:
    """If there is time for it; else it is as it was."""
    texts = []
    for name, seconds in (("with", PLENTY), ("without", 0)):
        club = with_seconds(make_club(tmp_path / name), seconds)
        scene = told(club, "dominos", moves=3)
        club.mails()
        club.order("Bert", scene["code"], 1, f"resign {scene['code']}")
        club.tick()
        texts.append([text(mail) for mail in club.mails()])
    said = ("liegen gelassen", "points left in")
    for longer, shorter in zip(*texts, strict=True):
        assert not any(one in shorter for one in said)
        assert any(one in longer for one in said)
    assert any("Wendepunkt" in mail for mail in texts[0])


def test_taking_the_end_back_takes_the_review_back(ended: tuple[Club, str]) -> None:
    club, code = ended
    made = by_hand(club, code)
    with club.desk() as desk:
        from moderator.match.contract import Note
        from moderator.play.lifecycle import undo

        match = desk.session.exec(select(Match).where(Match.code == code)).one()
        undo(desk, match, desk.cache.live(desk.session, match), 1, Note("undone"), force=True)
    assert whole(club, code) is None
    with club.desk() as desk:
        assert desk.session.exec(select(MatchReview)).all() == []
        assert desk.session.exec(select(TurnReview)).all() == []
        assert store.next_due(desk.session, club.now) is None
    before = made.turns
    club.mails()
    club.order("Anna", code, 0, f"resign {code}")
    club.tick()
    with club.desk() as desk:  # the next end makes it due again, as the match is then
        match = desk.session.exec(select(Match).where(Match.code == code)).one()
        assert store.next_due(desk.session, club.now) == match.number
    assert with_seconds(club, PLENTY).tick().reviews == 1
    again = whole(club, code)
    assert again is not None
    assert again.turns == before[:1]
    assert again == by_hand(club, code)


@pytest.mark.parametrize("seconds", ["-1", "61"])
def test_no_time_for_a_run(tmp_path: Path, seconds: str) -> None:
    from moderator.config import load

    file = make_club(tmp_path).config.file
    file.write_text(file.read_text("utf-8").replace("seconds_per_tick = 0", f"seconds_per_tick = {seconds}"), "utf-8")
    with pytest.raises(ConfigError, match="no time for a run"):
        load(file)
