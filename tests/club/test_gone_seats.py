"""What is told of a seat whose player is gone, and of those who are there and silent."""

from pathlib import Path

import pytest

from moderator.games import OWN, load_game
from moderator.language.messages import render_note
from moderator.rules.game import Note
from tests.club.club import club_of, text
from tests.club.steps import NAMES, begin


@pytest.mark.parametrize("key", sorted(OWN))
def test_of_who_plays_no_more_no_mail_says_that_a_move_was_missed(key: str, tmp_path: Path) -> None:
    names = NAMES[: min(3, load_game(key).max_seats)]
    club = club_of(tmp_path / "club", *names, **dict.fromkeys(names, "en"))
    code = begin(club, *names, game=key)
    club.hand_in("Bert", code, 1, f"RESIGN {code} YES\nyes")
    told = [text(mail) for mail in club.mails()]
    for _ in range(12):
        if club.row(code).status == "finished":
            break
        club.let_pass(days=8)
        told += [text(mail) for mail in club.mails()]
    assert club.live(code).table.out
    missed = render_note(Note("missed"), "en", key)
    assert not any(f"Bert{said}" in one for one in told for said in (" misses a turn", f": {missed}"))
    # Who is there and silent has sent nothing.
    assert len(names) < 3 or any(f"Anna: {missed}" in one for one in told)
