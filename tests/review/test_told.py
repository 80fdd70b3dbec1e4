"""What a review says: the samples beside it are what comes out, every sentence is true of its turn, and
`moderator review` prints it of a match that is over and of no other."""

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from bench.samples import FOLDER, NAMES, sample
from moderator.common.disk import LANGUAGES
from moderator.games import OWN, load_game
from moderator.language.messages import render_note
from moderator.notifications.content import ReviewText
from moderator.render.document import Heading, Items
from moderator.render.mails.shown import show_asked
from moderator.review import notes
from moderator.review.review import Review, review_match
from moderator.rules.robots.choose import survey_position
from tests.club.club import Club, club_of
from tests.club.steps import run
from tests.pages.all_pages import review
from tests.pages.sample_pages import turn
from tests.review.played import Player, little_thought, play

TABLES = [(key, pace) for key in sorted(OWN) for pace in load_game(key).paces]


@pytest.mark.slow
@pytest.mark.parametrize("key", sorted(OWN))
def test_the_samples_are_what_comes_out(key: str) -> None:
    """`python -m bench.samples` writes them."""
    assert {file.stem for file in FOLDER.iterdir()} == {*OWN}
    assert (FOLDER / f"{key}.txt").read_text(encoding="utf-8") == sample(key)


@cache
def reviewed(key: str, seed: int, who: Player, most: int, late: float, pace: str, count: int = 2) -> Review:
    """The same for all languages."""
    with little_thought():
        return review_match(play(key, seed, count=count, who=who, most=most, late=late, pace=pace).work)


@pytest.mark.slow
@pytest.mark.parametrize(("key", "pace"), TABLES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_turn_with_a_choice_is_told_as_it_was(key: str, pace: str, language: str) -> None:
    review = reviewed(key, 4, "mixed", 40, 0.2, pace)
    lines = [render_note(line[0], language, key, NAMES) for line in notes.list_turn_notes(review)]
    chosen = [(number, one) for number, one in enumerate(review.turns, start=1) if one.has_choice()]
    assert len(lines) == len(chosen)
    for line, (number, one) in zip(lines, chosen, strict=True):
        found = [
            int(text)
            for text in re.findall(
                r"(?<!\w)(\d+)(?:st|nd|rd|th|e|er|re)?(?!\w)", re.sub(r"«[ \u00a0][^«»]*»|[»“][^«”]*[«”]", "", line)
            )
        ]
        assert found[0] == number
        assert NAMES[one.seat] in line
        assert (one.worth in found[1:]) or not one.played
        assert one.rank is None or not one.left or one.rank in found
        assert not one.left or one.most in found
        assert one.scope != "some" or one.rank is None


def test_a_turn_without_a_choice_takes_no_line() -> None:
    """Passing where nothing fits, and laying the only tile that does."""
    made = play("dominos", 4, most=40, late=0.0).work
    with little_thought():
        review = review_match(made)
    told_of = {note.params["turn"] for (note, *_) in notes.list_turn_notes(review)}
    for number, (one, was) in enumerate(zip(review.turns, made.turns, strict=True), start=1):
        possible = {text for text, _ in survey_position(made.game, was.before, was.seat, made.context).found}
        assert (number in told_of) is (len(possible) > 1), one
    assert 0 < len(told_of) < len(review.turns)


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_printed_sum_adds_up(language: str) -> None:
    for seed in range(6):
        review = reviewed("tridom", seed, "random", 30, 0.0, "sequential", 3)
        for line in [render_note(note, language, "tridom", NAMES) for note in notes.list_summary_notes(review)][:3]:
            numbers = [int(text.replace("−", "-")) for text in re.findall(r"−?\d+", line)]
            assert numbers[0] == sum(numbers[1:5]), line


def test_where_nobody_draws_nothing_is_told_of_luck() -> None:
    """In pace ``common`` all have the same rack."""
    review = reviewed("topwords", 4, "mixed", 12, 0.0, "common")
    codes = {note.code for note in (*notes.list_summary_notes(review), *notes.list_method_notes(review))}
    assert "review-balance-skill" in codes
    assert not codes & {"review-balance", "review-luck"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_who_had_the_find_at_once_are_named(language: str) -> None:
    review = reviewed("topwords", 4, "mixed", 12, 0.0, "common")
    assert review.find is not None
    one = review.turns[review.find]
    other = replace(one, seat=1 - one.seat)
    turns = (*(each for each in review.turns if (each.n, each.seat) != (other.n, other.seat)), other)
    for shown, finders in ((review, 1), (replace(review, turns=turns, find=turns.index(one)), 2)):
        line = render_note(notes.list_summary_notes(shown)[-1], language, "topwords", NAMES)
        assert sum(name in line for name in NAMES[:2]) == finders, line


def test_a_mail_has_no_heading_over_nothing() -> None:
    """A match that was stopped before its first turn has no turns to tell of."""
    page = turn("de", kind="review", content=review())
    assert isinstance(page.content, ReviewText)
    stopped = replace(page, content=replace(page.content, turns=()))
    for shown, count in ((page, 3), (stopped, 2)):
        blocks = list(show_asked(shown))
        assert sum(isinstance(block, Heading) for block in blocks) == count
        assert sum(isinstance(block, Items) and bool(block.lines) for block in blocks) == count


@pytest.fixture
def club(tmp_path: Path) -> Club:
    return club_of(tmp_path, "R2", "R2b", "Anna")


def over(club: Club, game: str, **options: object) -> str:
    code = club.match("R2", "R2b", game=game, **options)
    for _ in range(20):
        club.let_pass(minutes=5)
        if club.row(code).status == "finished":
            return code
    raise AssertionError("no end")


@pytest.mark.slow
def test_a_finished_match_is_reviewed_with_the_clubs_dictionary(club: Club) -> None:
    code = over(club, "topwords", rounds=2)
    german, english = (run(club, "review", code, *more) for more in ((), ("--language", "en")))
    assert german.exit_code == english.exit_code == 0, german.output
    assert german.output.startswith("Nachbetrachtung: Topwords")
    assert english.output.startswith("Review: Topwords")
    printed, again = (run(club, "review", code, "--json").output for _ in range(2))
    assert printed == again
    values = json.loads(printed)
    assert (values["match"], values["turns"][0]["scope"]) == (code, "all")
    assert [one["end"] for one in values["balance"]] == list(club.live(code).table.state.scores)
    assert values["edition"]
    assert any(one["of"] > 1 for one in values["turns"])


def test_a_running_match_is_refused_in_one_line(club: Club) -> None:
    code = club.match("Anna", "R2", game="dominos")
    done = run(club, "review", code)
    assert done.exit_code == 1
    assert str(done.exception) == f"Match {code} is not over. A review is made of finished matches."
