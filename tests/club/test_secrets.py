"""What mails keep secret and what they prove: no tiles, tokens or addresses of others, a fair deal, and the signed line
under each report, which is known however it was quoted and never when it was changed."""

import hashlib
import json
import re
import textwrap
from collections.abc import Callable
from email.message import EmailMessage
from itertools import permutations
from pathlib import Path

import pytest

from moderator.common.errors import OperatorError
from moderator.mail.build import extract_all_text
from moderator.rules import turn_data
from moderator.store.key_values import SECRET
from moderator.store.tables import KeyValue
from moderator.views.match_state import sign_state_text, verify_state_line
from tests.club import pair_scenes
from tests.club.club import Club, make_club, taken_once, text
from tests.club.steps import NAMES, play, run, run_well
from tests.club.test_pairs import Secrets, fix


def secrets_of(club: Club, code: str, seat: int) -> list[str]:
    """What only this seat may read: its rack as mails print it, its token."""
    hand = club.live(code).table.state.hand(seat)
    return [one for one in (" ".join(hand), "".join(hand), ", ".join(hand), club.token(code, seat)) if len(one) > 5]


def new_mails(club: Club, name: str) -> list[str]:
    """All text of the new mails to this player, HTML and headers included, transfer encodings undone."""
    found = []
    for mail in club.mails(name):
        parts = [str(mail[header]) for header in ("To", "Subject", "Reply-To", "List-Unsubscribe", "References")]
        for one in mail.walk():
            if one.get_content_type() == turn_data.KIND:
                parts.append(one.get_content().decode())
            if one.get_content_maintype() == "text":
                parts += [re.sub(r"<[^>]+>", "", one.get_content()), one.get_content()]
            parts.append(str(one.get_filename()))
        found.append("\n".join(parts))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("pace", ["sequential", "rounds"])
def test_no_mail_holds_anything_of_another_player(club: Club, pace: str) -> None:
    code = club.start(*NAMES, pace=pace, rounds=4, early=True)
    while awaited := club.live(code).table.state.to_move:
        hidden = {seat: secrets_of(club, code, seat) for seat in range(3)}
        for seat in awaited:
            moves = club.moves(code, seat)[:2]
            club.order(NAMES[seat], code, seat, "\n".join(["E5 w XYZQ", *moves, "passe"]))
        club.tick()
        if club.live(code).table.state.over:
            break
        told = {seat: new_mails(club, f"{name}@") for seat, name in enumerate(NAMES)}
        for one, other in permutations(range(3), 2):
            for secret in (*hidden[other], *secrets_of(club, code, other), f"{NAMES[other].lower()}@home.example"):
                assert not any(secret in mail for mail in told[one]), (NAMES[one], secret)
    assert club.row(code).status == "finished"


def test_exchanged_letters_are_told_to_nobody_else(club: Club, code: str) -> None:
    letters = " ".join([tile for tile in club.live(code).table.state.hands[0] if tile.isalpha()][:3])
    club.hand_in("Anna", code, 0, f"tausche {letters}")
    assert f"tausche {letters}" in text(club.mail("anna"))
    told = text(club.mail("bert"))
    assert letters not in told
    assert "exchange 3" in told
    club.hand_in("Bert", code, 1, "Verlauf\nStand")
    assert not [mail for mail in club.mails("bert") if letters in text(mail)]


def test_the_commitment_of_the_first_mail_fits_the_seed_of_the_last(club: Club) -> None:
    code = club.start("Anna", "Bert", pass_rounds=1)
    first = text_of_all(club.mail("anna"))
    for seat in (0, 1):
        play(club, code, seat, "passe")
    last = text_of_all(club.mails("anna")[-1])
    seed = club.row(code).seed
    commitment = hashlib.sha256(b"moderator/1|" + bytes.fromhex(seed)).hexdigest()
    assert commitment in first
    assert seed not in first
    assert seed in last
    assert json.loads(run_well(club, "export", code))["commitment"] == commitment


def text_of_all(mail: EmailMessage) -> str:
    """The text with that of the attached files, without blanks."""
    return "".join(extract_all_text(mail.as_bytes()).split())


@pytest.fixture
@taken_once
def line(club: Club) -> str:
    """That under Anna's last report, after two moves; codes, tokens and deals are the same each time."""
    with pytest.MonkeyPatch.context() as patch:
        fix(patch, Secrets())
        pair_scenes.SCENES["told"](club)
    return line_of(club.mails("Anna")[-1])


def line_of(mail: EmailMessage) -> str:
    return str(mail["X-Moderator-State"])


def test_a_line_is_true_now_and_was_true_later(club: Club, line: str) -> None:
    with club.work() as work:
        now = verify_state_line(work.session, line)
    code = now.match.code
    assert (now.entry, now.later, now.undone) == (2, 0, False)
    club.hand_in("Anna", code, 0, club.moves(code, 0)[0])
    with club.work() as work:
        then = verify_state_line(work.session, line)
    assert (then.entry, then.later) == (2, 1)
    assert then.at == now.at


def test_it_is_known_however_it_is_quoted(club: Club, line: str) -> None:
    quoted: list[Callable[[str], str]] = [
        lambda line: "\n".join(f"> {one}" for one in line.splitlines()),
        lambda line: "\n".join(f">> > {one}" for one in textwrap.wrap(line.replace("\n", " "), 30)),
        lambda line: f"»{line.replace(' ', chr(0xA0))}«",
        lambda line: f"“{line}”",
        lambda line: f"*{line}*",
        lambda line: line.removeprefix(":: "),
    ]
    with club.work() as work:
        assert [verify_state_line(work.session, quote(line)).entry for quote in quoted] == [2] * len(quoted)


def test_what_was_changed_and_what_is_no_such_line_are_refused(club: Club, line: str) -> None:
    for old, new in (("Bert 24", "Bert 42"), ("R2", "R3"), (" · 2 · ", " · 1 · "), ("20:00", "21:00"), ("Anna", "Ann")):
        assert old in line
        with club.work() as work, pytest.raises(OperatorError, match="signature"):
            verify_state_line(work.session, line.replace(old, new))
    for other in ("", "::", "E5 w HAUS", line[:-3], ":: nothing at all · R · x"):
        with club.work() as work, pytest.raises(OperatorError, match="no line"):
            verify_state_line(work.session, other)
    with club.work() as work:
        work.session.get_one(KeyValue, SECRET).value = "00" * 32
    with club.work() as work, pytest.raises(OperatorError, match="signature"):  # another club's
        verify_state_line(work.session, line)


def test_a_line_about_what_was_taken_back_says_so(tmp_path: Path) -> None:
    club = make_club(tmp_path)
    pair_scenes.SCENES["taken-back"](club)
    with club.work() as work:
        found = verify_state_line(work.session, line_of(club.mails("Anna")[-2]))
    assert found.undone
    assert found.entry == 2


@pytest.mark.usefixtures("line")
def test_the_secret_is_never_mailed(club: Club) -> None:
    club.read.clear()
    with club.work() as work:
        key = work.session.get_one(KeyValue, SECRET).value
    assert len(key) >= 60
    told = new_mails(club, "")
    assert told
    assert not any(key in mail for mail in told)


def test_the_signature_has_ten_digits_of_an_hmac() -> None:
    assert sign_state_text(b"key", "The quick brown fox jumps over the lazy dog") == "f7bc83f430"


def test_the_operator_can_ask_and_a_quoted_line_is_no_order(club: Club, line: str) -> None:
    with club.work() as work:
        code = verify_state_line(work.session, line).match.code

    said = run_well(club, "match", "state", line)
    assert said.startswith(f"True: match {code} stood so after entry 2 of the log (2026-11-22 13:00)")
    assert "it stands so now" in said
    assert run_well(club, "match", "state", *line.split()) == said
    assert run(club, "match", "state", line.replace("Anna", "Otto")).exit_code != 0
    before = club.live(code).table.state
    club.hand_in("Anna", code, 0, line)
    assert club.live(code).table.state == before
    assert "✓" not in str(club.mail("Anna")["Subject"])
