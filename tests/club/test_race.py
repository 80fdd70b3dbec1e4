"""Pace ``race`` by mail: the first is who wrote first, whenever and in whatever order the mails are read."""

import random
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from moderator.common.mails import Line
from moderator.inbox.job import MailSection
from moderator.inbox.read import extract_race_claims, split_sections
from moderator.words.house_rulings import HouseRuling, append_ruling
from tests.club.club import START, Club, club_of, text
from tests.club.memory import MemoryClub, club_for
from tests.club.steps import NAMES, begin


@pytest.fixture
def club(request: pytest.FixtureRequest, tmp_path: Path) -> Club:
    return club_for(request, tmp_path, *NAMES, Anna="en", Bert="en", Cici="en")


def in_one_row(club: Club, code: str, seat: int, allow: bool = True) -> str:
    """A right submission: the whole rack as one word, which the house list allows."""
    hand = list(club.live(code).table.state.hands[seat])
    random.Random(seat).shuffle(hand)
    letters = ["A" if tile == "*r" else "B" if tile == "*b" else tile for tile in hand]
    if allow:
        ruling = HouseRuling("".join(letters), "allow", "test", "2026-11-20")
        append_ruling(club.config.resolve_path(club.config.words.house), ruling)
    stars = ["*" if tile.startswith("*") else "" for tile in hand]
    return "Gitter (" + "".join(star + letter for star, letter in zip(stars, letters, strict=True)) + ")"


def solve(club: Club, code: str, **after: float) -> None:
    """Right submissions: ``anna=2`` reached the mailbox two minutes after the start."""
    for name, number in after.items():
        seat = NAMES.index(name.title())
        club.order(name, code, seat, in_one_row(club, code, seat), minutes(number))


def minutes(number: float) -> datetime:
    return START + timedelta(minutes=number)


def scores(club: Club, code: str) -> tuple[int, ...]:
    return club.live(code).table.state.scores


def begun(club: Club, **options: object) -> str:
    return begin(club, *NAMES, game="presto", **options)


def one_answer(club: Club, body: str, code: str) -> tuple[str, str]:
    club.hand_in("Anna", code, 0, body)
    mail = club.mail("anna")
    return str(mail["Subject"]), text(mail)


def test_mails_read_in_one_tick_are_ranked_by_arrival(club: MemoryClub) -> None:
    code = begun(club)
    solve(club, code, anna=3, bert=1, cici=2)
    club.let_pass(minutes=5)
    assert scores(club, code) == (0, 4, 2)
    assert club.row(code).status == "finished"
    assert [page.kind for page in club.told("Anna")] == ["receipt", "end"]


def test_a_mail_that_is_found_late_but_came_first_wins(club: MemoryClub) -> None:
    code = begun(club)
    solve(club, code, anna=2)
    club.let_pass(minutes=5)
    assert scores(club, code) == (0, 0, 0)
    solve(club, code, bert=1, cici=6)
    club.let_pass(minutes=5)
    assert scores(club, code) == (2, 4, 0)


def test_the_round_stays_open_until_a_poll_that_began_after_the_second_came(club: MemoryClub) -> None:
    code = begun(club)
    club.wait(minutes=5)
    solve(club, code, anna=2, bert=5.5)  # the second one while this poll runs
    club.tick()
    assert scores(club, code) == (0, 0, 0)
    solve(club, code, cici=4)  # was on its way
    club.let_pass(minutes=5)
    assert scores(club, code) == (4, 0, 2)


def test_a_wrong_submission_costs_nothing_and_is_nobody_elses_business(club: MemoryClub) -> None:
    code = begun(club)
    club.order(NAMES[0], code, 0, in_one_row(club, code, 0, allow=False), minutes(1))
    club.let_pass(minutes=5)
    assert [page.reader.name for page in club.told()] == ["Anna"]
    assert club.live(code).table.orders == {}
    solve(club, code, anna=6)
    club.let_pass(minutes=5)
    assert [page.reader.name for page in club.told()] == ["Anna"]
    assert list(club.live(code).table.orders) == [0]


def test_the_first_right_submission_stands_until_it_is_withdrawn(club: MemoryClub) -> None:
    code = begun(club)
    first = in_one_row(club, code, 0)
    club.order(NAMES[0], code, 0, first, minutes(1))
    club.let_pass(minutes=5)
    kept = dict(club.live(code).table.orders)
    club.order(NAMES[0], code, 0, first.replace("Gitter", "grid"), minutes(6))
    club.let_pass(minutes=5)
    assert club.live(code).table.orders == kept
    club.order(NAMES[0], code, 0, "ZURÜCKZIEHEN", minutes(11))
    solve(club, code, bert=12, anna=13)
    club.let_pass(minutes=5)
    assert scores(club, code) == (2, 4, 0)


def test_the_zat_ends_a_round_that_one_has_finished(club: MemoryClub) -> None:
    code = begun(club, rounds=2)
    solve(club, code, cici=1)
    club.let_pass(days=9)
    live = club.live(code)
    assert live.table.state.scores == (0, 0, 4)
    assert live.table.state.public.round == 2
    assert live.table.state.to_move == (0, 1, 2)
    assert live.table.orders == {}
    deadline = club.row(code).deadline
    assert deadline is not None
    assert deadline > club.now


def test_a_word_that_waits_for_a_ruling_keeps_its_place(club: MemoryClub) -> None:
    code = begun(club, unknown_words="ask")
    club.order(NAMES[0], code, 0, in_one_row(club, code, 0, allow=False), minutes(1))
    solve(club, code, bert=2)
    club.let_pass(minutes=5)
    assert club.row(code).held
    assert scores(club, code) == (0, 0, 0)
    in_one_row(club, code, 0)
    club.let_pass(minutes=5)
    assert scores(club, code) == (4, 2, 0)


def test_a_submission_withdrawn_before_the_round_was_closed_leaves_the_zat_as_it_was(club: MemoryClub) -> None:
    code = begun(club)
    zat = club.row(code).deadline
    assert zat is not None
    solve(club, code, anna=2, bert=5.5)
    club.let_pass(minutes=5)
    club.order(NAMES[1], code, 1, "ZURÜCKZIEHEN", minutes(6))
    club.let_pass(minutes=5)
    assert scores(club, code) == (0, 0, 0)
    assert (club.row(code).status, club.row(code).deadline) == ("running", zat)
    club.skip_mails()
    club.let_pass(days=(zat - club.now).days)
    assert {page.reader.name for page in club.told()} == {"Bert", "Cici"}


def test_the_third_reads_that_it_was_right_and_what_it_brings(club: Club) -> None:
    """The first two alone read that they have won points; the note is nobody else's business."""
    code = begun(club, rounds=2)
    solve(club, code, anna=3, bert=1, cici=2)
    club.let_pass(minutes=5)
    told = {name: " ".join(text(mail) for mail in club.mails(name)) for name in ("anna", "bert", "cici")}
    assert "Your solution was right, but it came in at number 3. Only the first 2 score" in told["anna"]
    assert "came in at number" not in told["bert"] + told["cici"]


@pytest.mark.parametrize(
    ("language", "headline", "takes_back"),
    [("en", "You give up this round", "WITHDRAW"), ("de", "Du gibst diese Runde auf", "ZURÜCKZIEHEN")],
)
def test_who_gives_up_is_not_called_faultless(tmp_path: Path, language: str, headline: str, takes_back: str) -> None:
    club = club_of(tmp_path, *NAMES, Anna=language, Bert="en", Cici="en")
    code = begun(club)
    for word in ("pass", "passe", "give up", "I pass"):
        subject, body = one_answer(club, word, code)
        assert body.startswith(f"✓ {headline}."), word
        assert headline.lower() in subject.lower()
        for untrue in ("aultless", "ehlerfrei! ", "solution is kept", "Lösung ist gespeichert"):
            assert untrue not in f"{subject} {body}"
        one_answer(club, takes_back, code)
        assert club.live(code).table.orders == {}


@pytest.mark.parametrize("gives_up_first", [True, False])
def test_what_comes_after_is_not_called_valid(tmp_path: Path, gives_up_first: bool) -> None:
    """What was handed in first stands until it is withdrawn, and the line of anything else says so."""
    club = club_of(tmp_path, *NAMES, Bert="en", Cici="en")
    code = begun(club)
    grid = in_one_row(club, code, 0)
    first, other = ("passe", grid) if gives_up_first else (grid, "passe")
    subject, _ = one_answer(club, first, code)
    kept = dict(club.live(code).table.orders)
    assert one_answer(club, first, code)[0] == subject
    for second in (other, "Gitter (QX / .Q)"):
        _, body = one_answer(club, second, code)
        assert club.live(code).table.orders == kept
        assert not body.startswith("✓")
        assert ("Du hast diese Runde aufgegeben." in body) == gives_up_first
        assert ("Deine Lösung von vorhin gilt weiter." in body) != gives_up_first
        assert "»ZURÜCKZIEHEN«" in body


@pytest.mark.parametrize(
    "cry",
    ["Fertig!", "fertig", "FERTIG", "Ich bin fertig!", "done", "Done!", "I'm done", "I’m done!", "I am done.",
     "finished", "ready"],
)  # fmt: skip
def test_the_cry_is_heard(cry: str) -> None:
    (section,) = split_sections([Line(1, cry)])
    extract_race_claims(section)
    assert [one.name for one in section.commands] == ["ready"]
    assert section.lines == []


def test_a_row_of_a_drawing_is_no_cry() -> None:
    lines = [Line(1, "Done!"), Line(2, ""), Line(3, "..E.."), Line(4, "DONE"), Line(5, "..D..")]
    section = MailSection("", lines=list(lines))
    extract_race_claims(section)
    assert [command.line.text for command in section.commands] == ["Done!"]
    assert section.lines == lines[1:]


def test_a_cry_alone_is_answered_with_what_to_send_and_changes_no_solution(club: Club) -> None:
    code = begun(club)
    for cry in ("Ich bin fertig!", "done"):
        _, told = one_answer(club, cry, code)
        assert "Your solution is still missing" in told
        assert "one line for each row and a dot for each empty square" in told
        assert "there is no waiting" not in told
        assert "What does" not in told
        assert club.live(code).table.orders == {}
    grids = [in_one_row(club, code, seat) for seat in (0, 1)]
    for seat, body in enumerate((f"Fertig!\n{grids[0]}", f"{grids[1]}\ndone!")):
        club.hand_in(NAMES[seat], code, seat, body)
        told = [text(mail) for mail in club.mails(NAMES[seat].lower())]
        assert told[0].startswith("✓ No mistakes! Your solution is stored."), body
        assert "still missing" not in "".join(told)
    assert scores(club, code) == (4, 2, 0)


def test_the_cry_is_a_remark_where_nobody_races(club: Club) -> None:
    """A thing that people say: a round that waits for all is not closed by it."""
    code = begin(club, *NAMES, game="domijongg")
    for cry in ("Done.", "Ich bin fertig!", "finished"):
        told = one_answer(club, cry, code)[1]
        assert told.startswith(("I found no move", "✓ I have your mail.", "Shall I send this to the referee?")), cry
