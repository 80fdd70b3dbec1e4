"""`moderator turn` and `compose` on the command line: what they print, what they refuse and with which code."""

import email
import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from moderator.common.errors import OperatorError
from moderator.common.mails import File, RenderedMail
from moderator.mail.build import compose_mail
from moderator.mail.maildir import deliver_to_maildir
from moderator.mail.parse import parse_mail_bytes
from moderator.rules import turn_data
from moderator.rules.robots import choose
from tests.cli.running import refuse_command, run_command, type_command
from tests.club.club import Club, club_of
from tests.helpers import READ
from tests.match.test_turn_data import unpacked

PAGE = (Path(__file__).parents[2] / "docs" / "build" / "turn.md").read_text(encoding="utf-8") + (
    Path(__file__).parents[2] / "docs" / "build" / "boards.md"
).read_text(encoding="utf-8")
TURNS = {json.loads(text)["game"]: text for text in re.findall(r"```json\n(.*?)\n```", PAGE, re.DOTALL)}
PLAYED = re.findall(r"```json\n(.*?)\n```.*?<!-- play: (.*?) -->", PAGE, re.DOTALL)
ORDERS = {json.loads(text)["game"]: order for text, order in PLAYED}


@pytest.fixture
def turn(tmp_path: Path) -> Path:
    """The turn of Topwords in docs/build/turn.md."""
    return saved(tmp_path, "topwords")


def saved(folder: Path, game: str, **changes: object) -> Path:
    file = folder / f"{game}.json"
    file.write_text(json.dumps(json.loads(TURNS[game]) | changes), encoding="utf-8")
    return file


def mail(folder: Path, *games: str) -> Path:
    """A mail as the program sends it, with the turns of these games."""
    files = tuple(File(f"turn-{n}.json", turn_data.KIND, TURNS[game].encode()) for n, game in enumerate(games))
    page = RenderedMail("Du bist am Zug", "Text\n", "<p>Text</p>", {}, files)
    who = {"sender": "games@example.org", "sender_name": "Runde"}
    who |= {"recipient": "joerg@home.example", "recipient_name": "Jörg", "message_id": "<one@example.org>"}
    file = folder / "turn.eml"
    file.write_bytes(compose_mail(page, **who, date=datetime(2026, 11, 23, tzinfo=UTC)))
    return file


@pytest.mark.parametrize("game", sorted(TURNS))
def test_each_example_is_printed_and_answered(tmp_path: Path, game: str) -> None:
    file, reply = saved(tmp_path, game), json.loads(TURNS[game])["reply"]
    shown = type_command(None, "turn", file)
    for said in (reply["address"], reply["subject"], "1. Dezember" if '"de"' in TURNS[game] else "1 December"):
        assert said in shown
    made = run_command(None, "compose", file, ORDERS[game], "--from", "joerg@home.example")
    assert made.exit_code == 0, made.output
    sent = parse_mail_bytes(made.stdout_bytes)
    assert (sent.sender, sent.recipients) == ("joerg@home.example", (reply["address"],))
    assert sent.subject == f"Re: {reply['subject']}"
    assert len(sent.lines) == 1


def test_a_position_is_told_in_the_words_of_the_mails(turn: Path) -> None:
    told = type_command(None, "turn", turn)
    assert told.startswith("It’s your turn, until Tuesday, 1 December, 20:00. [K7Q2, 3]\n")
    for said in ("[H]", "Your tiles: M A T E R N S", "82"):
        assert said in told


def test_the_attachment_is_printed_as_it_is_or_packed_for_an_address(turn: Path, tmp_path: Path) -> None:
    assert type_command(None, "turn", mail(tmp_path, "topwords"), "--json") == TURNS["topwords"]
    packed = type_command(None, "turn", turn, "--fragment").strip()
    assert json.loads(unpacked(packed)) == json.loads(TURNS["topwords"])


def test_a_mail_does_as_well_and_its_answer_belongs_to_it(tmp_path: Path) -> None:
    file = mail(tmp_path, "topwords")
    made = run_command(None, "compose", file, "E5 w MAUS", "passe")
    answer = email.message_from_bytes(made.stdout_bytes, policy=READ)
    assert isinstance(answer, EmailMessage)
    assert answer["From"] == "joerg@home.example"
    assert answer["In-Reply-To"] == "<one@example.org>"
    assert answer.get_content().splitlines() == ["E5 a MAUS", "else pass"]
    type_command(None, "compose", "-", "E5 w MAUS", stdin=file.read_bytes())
    into = tmp_path / "answer.eml"
    assert type_command(None, "compose", file, "E5 w MAUS", "--output", into) == ""
    assert b"E5 a MAUS" in into.read_bytes()


def test_a_link_opens_the_mail_program_with_the_same(turn: Path) -> None:
    link = urlsplit(type_command(None, "compose", turn, "E5 w MAUS; sonst passe", "--mailto").strip())
    reply = json.loads(TURNS["topwords"])["reply"]
    assert (link.scheme, unquote(link.path)) == ("mailto", reply["address"])
    assert parse_qs(link.query) == {"subject": [reply["subject"]], "body": ["E5 a MAUS\r\nelse pass"]}


def test_of_several_turns_one_is_named(tmp_path: Path) -> None:
    file = mail(tmp_path, "topwords", "dominos")
    assert "holds 2 turns: K7Q2, K7Q2. Name one: --match K7Q2" in refuse_command(None, "turn", file)
    assert "holds no turn of match ABCD" in refuse_command(None, "turn", file, "--match", "ABCD")


def test_what_is_no_move_or_not_possible_is_said_and_nothing_is_written(turn: Path) -> None:
    for order, why in (
        ("E5 MAUS", "The direction is missing"),
        ("Z9 w MAUS", "Z9"),
        ("A1 w MAST", "A1 a MAST"),
        ("E5 w QUARZ", "E5 a QUARZ"),
        ("greetings", "greetings"),
    ):
        made = run_command(None, "compose", turn, order)
        assert (made.exit_code, made.stdout) == (2, "")
        assert why in made.stderr
        assert made.stderr.count("\n") <= 2


def test_an_impossible_fallback_is_named_and_goes_along(turn: Path) -> None:
    made = run_command(None, "compose", turn, "E5 w MAUS", "A1 w MAST")
    assert made.exit_code == 0
    assert "A1 a MAST" in made.stderr
    assert "else A1 a MAST" in made.stdout


def test_who_insists_may_send_what_is_not_possible_but_not_what_is_no_move(turn: Path) -> None:
    """In rounds others are evaluated first, and the board may be another one by then."""
    assert run_command(None, "compose", turn, "A1 w MAST", "--anyway").exit_code == 0
    assert run_command(None, "compose", turn, "greetings", "--anyway").exit_code == 2


def test_errors_are_one_line_with_the_fix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    values = json.loads(TURNS["topwords"])
    changed = {
        "newer": {"turn": 2},
        "strange": {"game": "halma"},
        "board": {"board": {"rows": 3, "fresh": []}},
        "deadline": {"deadline": "2026-13-32T19:00:00Z"},
        "fine": {},
    }
    for name, change in changed.items():
        Path(f"{name}.json").write_text(json.dumps(values | change), encoding="utf-8")
    Path("empty.eml").write_text("Subject: nothing\n\nText\n", encoding="utf-8")
    for words, told in (
        (("turn", "nowhere.eml"), "cannot be read"),
        (("turn", "empty.eml"), "holds no turn"),
        (("turn", "newer.json"), "format 2"),
        (("turn", "strange.json"), "'halma' is not known here"),
        (("turn", "board.json"), "board has the wrong shape"),
        (("turn", "deadline.json"), "deadline is no time"),
        (("compose", "fine.json", ""), "The order is empty"),
        (("compose", "fine.json", "passe", "--output", "no/such/folder"), "cannot be written"),
        (("compose", "fine.json", "passe", "--from", "a\nb"), "no mail may have"),
    ):
        found = run_command(None, *words).exception
        assert isinstance(found, OperatorError), words
        assert told in found.message
        assert found.hint
        assert "\n" not in str(found)
        assert found.exit_code == 1


MATCHES = {
    "topwords": {"rounds": 3}, "dominos": {"target": 40}, "tridom": {"target": 50}, "supertridom": {"target": 50},
    "domijongg": {"games": 1, "start_count": 12}, "kreuzwort": {}, "point": {}, "recht": {},
}  # fmt: skip
"""The robots of Presto need a larger dictionary."""


@pytest.mark.matrix("turns by mail", seconds=2)
@pytest.mark.parametrize("game", MATCHES)
def test_a_match_is_played_from_the_attachments_alone(tmp_path: Path, game: str) -> None:
    """Whoever reads a turn knows enough to move, and what ``compose_mail`` makes of the move is played."""
    club = club_of(tmp_path / "club", "Anna", "Bert")
    code = club.match("Anna", "Bert", game=game, **MATCHES[game])
    moves = 0
    club.tick()
    while asked := [(mail, data) for mail in club.mails() if (data := attached(mail))]:
        for mail, data in asked:
            (tmp_path / "turn.json").write_bytes(data)
            order = best(club, code, data)
            sender = str(mail["To"]).partition("<")[2].strip(">")
            made = run_command(None, "compose", tmp_path / "turn.json", order, "--from", sender)
            assert made.exit_code == 0, made.output
            deliver_to_maildir(club.config.resolve_path(club.config.maildir.inbox), made.stdout_bytes)
            moves += order != "passe"
        club.let_pass(minutes=20)
    assert club.row(code).status == "finished"
    assert moves > 2


def attached(mail: EmailMessage) -> bytes:
    """The turn; b"" = there is none."""
    found = [part.get_payload(decode=True) for part in mail.walk() if part.get_content_type() == turn_data.KIND]
    assert len(found) < 2
    assert all(len(data) <= turn_data.MOST for data in found)
    return bytes(found[0]) if found else b""


def best(club: Club, code: str, data: bytes) -> str:
    turn, live = turn_data.decode_turn(data), club.live(code)
    view = turn_data.build_turn_view(turn, live.game)
    assert view is not None
    state = turn_data.build_possible_state(live.game, view, turn_data.parse_turn_options(turn, live.game))
    words = club.dictionary(live.options, code) if live.game.uses_words else live.context.words
    found = choose.rank_moves(live.game, state, view.seat, replace(live.context, words=words))
    return next((text for text, _ in found), "passe")
