"""The signed line under each report: true lines are known however they were quoted, changed ones never."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from moderator.cli.run import cli
from moderator.club.state_line import _plain, check, signature
from moderator.errors import OperatorError
from moderator.pages.flow import state_lines
from moderator.store.key_values import SECRET
from moderator.store.models import KeyValue
from tests.club import pair_scenes
from tests.club.club import Club, make_club
from tests.club.test_pairs import Secrets, fix

LINE = ":: K7Q2 Topwords · R5 · 17 · Anna 34, Bert 28 · ZAT 2026-12-01T20:00+01:00 · 3f9a1c2b44"


@pytest.fixture(autouse=True)
def always_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Codes and tokens, and with them the deals."""
    fix(monkeypatch, Secrets())


@pytest.fixture
def told(tmp_path: Path) -> tuple[Club, str, str]:
    """A club, the code of a match, and the line under Anna's last report."""
    club = make_club(tmp_path)
    code = pair_scenes.SCENES["told"](club)["code"]
    return club, code, line_of(club, "Anna")


def line_of(club: Club, name: str) -> str:
    mail = club.mails(name)[-1]
    body = mail.get_body(("plain",))
    assert body is not None
    return "\n".join(line for line in body.get_content().splitlines() if line.startswith("::"))


def test_a_line_is_true_now_and_was_true_later(told: tuple[Club, str, str]) -> None:
    club, code, line = told
    with club.desk() as desk:
        now = check(desk, line)
    assert (now.match.code, now.entry, now.later, now.undone) == (code, 2, 0, False)
    club.order("Anna", code, 0, club.moves(code, 0)[0])
    club.tick()
    with club.desk() as desk:
        then = check(desk, line)
    assert (then.entry, then.later) == (2, 1)
    assert then.at == now.at


@pytest.mark.parametrize(
    "quoted",
    [
        lambda line: "\n".join(f"> {one}" for one in line.splitlines()),
        lambda line: "\n".join(f">> > {one}" for one in textwrap.wrap(line.replace("\n", " "), 30)),
        lambda line: f"»{line.replace(' ', chr(0xA0))}«",
        lambda line: f"“{line}”",
        lambda line: f"*{line}*",
        lambda line: line.removeprefix(":: "),
    ],
)
def test_it_is_known_however_it_is_quoted(told: tuple[Club, str, str], quoted) -> None:
    club, _, line = told
    with club.desk() as desk:
        assert check(desk, quoted(line)).entry == 2


@pytest.mark.parametrize(
    ("old", "new"), [("Bert 24", "Bert 42"), ("R2", "R3"), (" · 2 · ", " · 1 · "), ("20:00", "21:00"), ("Anna", "Ann")]
)
def test_a_changed_line_is_known(told: tuple[Club, str, str], old: str, new: str) -> None:
    club, _, line = told
    assert old in line
    with club.desk() as desk, pytest.raises(OperatorError, match="signature"):
        check(desk, line.replace(old, new))


def test_another_clubs_line_is_none_of_ours(told: tuple[Club, str, str]) -> None:
    club, _, line = told
    with club.desk() as desk:
        key = desk.session.get_one(KeyValue, SECRET)
        key.value = "00" * 32
        desk.session.add(key)
    with club.desk() as desk, pytest.raises(OperatorError, match="signature"):
        check(desk, line)


@pytest.mark.parametrize("line", ["", "::", "E5 w HAUS", LINE[:-3], ":: nothing at all · R · x"])
def test_what_is_no_such_line_is_said(told: tuple[Club, str, str], line: str) -> None:
    club, _, _ = told
    with club.desk() as desk, pytest.raises(OperatorError, match="no line"):
        check(desk, line)


def test_a_line_about_what_was_taken_back_says_so(tmp_path: Path) -> None:
    club = make_club(tmp_path)
    pair_scenes.SCENES["taken-back"](club)
    body = club.mails("Anna")[-2].get_body(("plain",))
    assert body is not None
    line = " ".join(one for one in body.get_content().splitlines() if one.startswith("::"))
    with club.desk() as desk:
        found = check(desk, line)
    assert found.undone
    assert found.entry == 2


def test_a_quoted_line_is_no_order(told: tuple[Club, str, str]) -> None:
    club, code, line = told
    before = club.live(code).table.state
    club.order("Anna", code, 0, line)
    club.tick()
    assert club.live(code).table.state == before
    mail = club.mail("Anna")
    assert "Dein Zug zählt NICHT" in str(mail["Subject"])


def test_the_secret_is_made_once_and_never_mailed(tmp_path: Path) -> None:
    club = make_club(tmp_path)
    pair_scenes.SCENES["told"](club)
    with club.desk() as desk:
        key = desk.session.get_one(KeyValue, SECRET).value
    assert len(key) >= 60
    for mail in club.mails():
        assert key not in mail.as_string()


def test_the_signature_has_ten_digits_of_an_hmac() -> None:
    assert signature(b"key", "The quick brown fox jumps over the lazy dog") == "f7bc83f430"


names = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Z"), exclude_characters="·:,>|*_»«“”\"'"),
    min_size=1,
    max_size=20,
)


@given(st.lists(st.tuples(names, st.integers(-999, 9999)), min_size=2, max_size=8), st.integers(30, 80))
def test_laid_out_and_put_together_it_is_the_same(seats: list[tuple[str, int]], width: int) -> None:
    scores = ", ".join(f"{name} {score}" for name, score in seats)
    line = f":: K7Q2 Topwords · R5 · 17 · {scores} · ZAT 2026-12-01T20:00+01:00 · 3f9a1c2b44"
    pieces = state_lines(line, width)
    assert all(piece.startswith(":: ") for piece in pieces)
    assert _plain("\n".join(pieces)) == _plain(line)


def test_no_line_no_pieces() -> None:
    assert state_lines("") == ()


def test_the_operator_can_ask(told: tuple[Club, str, str]) -> None:
    club, code, line = told
    arguments = ["--config", str(club.folder / "moderator.toml"), "match", "state"]
    done = CliRunner().invoke(cli, [*arguments, line])
    assert done.exit_code == 0
    assert done.output.startswith(f"True: match {code} stood so after entry 2 of the log (2026-11-22 13:00)")
    assert "it stands so now" in done.output
    assert CliRunner().invoke(cli, [*arguments, *line.split()]).output == done.output
    wrong = CliRunner().invoke(cli, [*arguments, line.replace("Anna", "Otto")])
    assert wrong.exit_code != 0
