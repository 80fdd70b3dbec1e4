"""One review of a match of each game, to read: ``python -m bench.samples`` writes tests/review/samples/ anew."""

from __future__ import annotations

from pathlib import Path

from moderator.games import OWN
from moderator.render.mails.shown import iter_review_lines
from moderator.review.review import review_match
from tests.review.played import play

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "review" / "samples"
NAMES = ("Anna", "Bert", "Cora", "Dora", "Emil", "Franz")
LONGEST = 60
"""Entries of a match; then it is stopped."""
SEEDS, SEATS = {"recht": 13, "presto": 1}, {"presto": 6}
"""Of matches that have something to tell; the others have seed 11 and two seats."""


def sample(key: str, language: str = "de") -> str:
    """The first seat takes the most points, the other one plays by chance."""
    seats = SEATS.get(key, 2)
    match = play(key, SEEDS.get(key, 11), count=seats, who="mixed", most=LONGEST, late=0.0 if seats > 2 else 0.03)
    return "\n".join(iter_review_lines(review_match(match.work), "K7Q2", "Herbst", NAMES[:seats], language)) + "\n"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for key in OWN:
        (FOLDER / f"{key}.txt").write_text(sample(key), encoding="utf-8")


if __name__ == "__main__":
    main()
