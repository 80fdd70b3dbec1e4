"""What hangs on mails of a match: the turn as data, that it does no harm; the touch board, who gets it,
when, how large it is and what is in it."""

import json
import re
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from moderator.cli.doctor import iter_checks
from moderator.cli.group import cli
from moderator.common.errors import ConfigError
from moderator.games import load_game as load_game
from moderator.mail.maildir import deliver_to_maildir
from moderator.mail.parse import OWN_FILE
from moderator.render import touch_board
from moderator.rules import turn_data
from moderator.service.create import get_player, set_player
from moderator.service.match.match import Match
from moderator.service.notify import notify_match_events
from moderator.settings import SiteSettings, load_config
from moderator.site import build
from tests.club.club import Club, part, taken_once, text
from tests.club.steps import begin, play
from tests.helpers import WRITE
from tests.schemas.validators import validator

SCHEMA = validator("turn")


@pytest.fixture
@taken_once
def code(club: Club) -> str:
    """A match of Anna, who is to move, and Bert; its first mails are still to be read."""
    return club.start("Anna", "Bert")


def turns(mail: EmailMessage) -> list[dict[str, Any]]:
    found = [json.loads(p.get_content()) for p in mail.walk() if p.get_content_type() == turn_data.KIND]
    for turn in found:
        SCHEMA.validate(turn)
    return found


def test_who_is_asked_gets_the_file_and_nobody_else(club: Club, code: str) -> None:
    (turn,) = turns(club.mail("anna"))
    assert turns(club.mail("bert")) == []
    assert (turn["match"], turn["seat"], turn["entry"]) == (code, 0, 0)
    assert turn["rack"] == list(club.live(code).table.state.hands[0])
    assert turn["reply"]["address"] == address(club, code)
    assert turn["reply"]["subject"].endswith(f"[{code}-{club.token(code, 0)}]")
    club.hand_in("Anna", code, 0, club.moves(code, 0)[0])
    assert turns(club.mail("anna")) == []  # her move counts
    (turn,) = turns(club.mail("bert"))
    assert turn["entry"] == club.row(code).entries == 1
    assert any(stack for row in turn["board"]["rows"] for stack in row)
    assert turn["scores"] == list(club.live(code).table.state.scores)


def test_a_refused_order_a_question_and_a_reminder_bring_it_again(club: Club, code: str) -> None:
    club.skip_mails()
    asking = {"A1 w XYZQ": 1, "Stand": 1, "Brett": 1, "Steine": 0, "Verlauf": 0, "Hilfe": 0}
    for line, files in asking.items():
        club.hand_in("Anna", code, 0, line)
        assert len(turns(club.mail("anna"))) == files, line
    club.let_pass(days=6)
    assert any(turns(mail) for mail in club.mails("anna")), "the reminder"


@pytest.mark.parametrize("form", ["text", "table"])
def test_who_reads_boards_as_text_gets_it_too(club: Club, form: str) -> None:
    with club.work() as work:
        set_player(work.session, get_player(work.session, "Anna"), board=form)
    club.start("Anna", "Bert")
    mail = club.mail("anna")
    assert len(turns(mail)) == 1
    assert not [one for one in mail.walk() if one.get_content_maintype() == "image"]


def test_a_daily_mail_has_one_for_each_match_that_waits(club: Club) -> None:
    club.say("anna", "Tagespost an")
    codes = {club.match("Anna", "Bert"), club.match("Anna", "Bert", game="dominos")}
    waiting = {code for code in codes if 0 in club.live(code).seats_to_act}
    club.skip_mails()
    found: set[str] = set()
    for _ in range(3):
        club.tick()
        found |= {turn["match"] for mail in club.mails("anna") for turn in turns(mail)}
        club.wait(days=1)
    assert found >= waiting


def address(club: Club, code: str) -> str:
    return f"games+{code}-{club.token(code, 0)}@club.example"


def send_back(club: Club, code: str, body: str, file: bytes) -> str:
    """Anna's answer with the file, and what she reads then."""
    mail = EmailMessage(policy=WRITE)
    mail["From"], mail["To"], mail["Subject"] = "Anna <anna@home.example>", address(club, code), "Re: du"
    mail["Message-ID"] = "<back@home.example>"
    mail.set_content(body)
    mail.add_attachment(file, *OWN_FILE.split("/"), filename="turn-K7Q2-0.json")
    deliver_to_maildir(club.config.resolve_path(club.config.maildir.inbox), mail.as_bytes())
    club.tick()
    return text(club.mail("anna"))


def test_a_file_that_comes_back_is_no_order_and_spoken_of_only_where_it_is_all(club: Club, code: str) -> None:
    assert OWN_FILE == turn_data.KIND
    (file,) = [p.get_content() for p in club.mail("anna").walk() if p.get_content_type() == OWN_FILE]
    assert "turn-K7Q2-0.json" in send_back(club, code, "\n", file)
    assert "turn-K7Q2-0.json" not in send_back(club, code, "blubb@@ E5\n", file)
    for pasted in (file.decode(), "".join(f"> {line}\n" for line in file.decode().splitlines())):
        club.hand_in("Anna", code, 0, pasted)
    assert not club.live(code).last
    club.skip_mails()
    assert "turn-K7Q2-0.json" not in send_back(club, code, club.moves(code, 0)[0] + "\n", file)
    assert club.live(code).last[0][0]


@pytest.mark.parametrize("possible", [True, False])
def test_an_order_of_an_old_file_meets_the_present_board(club: Club, code: str, tmp_path: Path, possible: bool) -> None:
    """And its sender reads what the board is now, with the file of it."""
    file = tmp_path / "old.json"
    (old,) = turns(club.mail("anna"))
    file.write_text(json.dumps(old), encoding="utf-8")
    for seat, name in enumerate(("Anna", "Bert")):
        club.hand_in(name, code, seat, club.moves(code, seat)[0])
    club.skip_mails()
    order, *anyway = (club.moves(code, 0)[0], "--anyway") if possible else (f"tausche {' '.join(old['rack'])}",)
    made = CliRunner().invoke(cli, ["compose", str(file), order, *anyway, "--from", "anna@home.example"])
    assert made.exit_code == 0, made.output
    deliver_to_maildir(club.config.resolve_path(club.config.maildir.inbox), made.stdout_bytes)
    laid = club.live(code).last[0][0]
    club.tick()
    assert (club.live(code).last[0][0] != laid) is possible
    if not possible:
        (turn,) = turns(club.mail("anna"))
        assert turn["entry"] == club.row(code).entries > old["entry"]
        assert turn["rack"] == list(club.live(code).table.state.hands[0])


LONG = "Ö</script><!--<script>" + "W" * 40


@pytest.fixture
def paged(club: Club) -> Club:
    """Its first mails bring the page."""
    configured(club, attach_board=True)
    return club


def configured(club: Club, url: str = "", **mail: bool) -> None:
    settings = replace(club.config, mail=replace(club.config.mail, **mail), site=SiteSettings(folder="site", url=url))
    object.__setattr__(settings, "file", club.config.file)
    club.config = settings


def brought(mail: EmailMessage) -> dict[str, str]:
    """Its pages by name."""
    files = [one for one in mail.iter_attachments() if one.get_content_type() == "text/html"]
    return {str(one.get_filename()): one.get_content() for one in files}


def brought_position(page: str) -> str:
    found = re.search(r'<script type="application/json" id="brought">(.*?)</script>', page, re.DOTALL)
    return found[1]


@pytest.mark.slow
def test_the_first_mail_of_a_match_brings_it_in_the_readers_language(paged: Club) -> None:
    code = paged.start("Anna", "Bert")
    first, second = paged.mail("anna"), paged.mail("bert")
    ((name, page),) = brought(first).items()
    assert name == f"brett-{code}.html"
    assert '<html lang="de">' in page
    (turn,) = [one.get_content() for one in first.walk() if one.get_content_type() == turn_data.KIND]
    assert json.loads(brought_position(page)) == json.loads(turn)
    ((name, page),) = brought(second).items()
    assert name == f"board-{code}.html"
    assert '<html lang="en">' in page
    assert brought_position(page) == ""  # nothing is asked of Bert yet
    assert paged.token(code, 0) not in page
    for shown in (part(first, "html"), text(first)):  # Bert, of whom nothing is wanted, is not told how to lay tiles
        assert f"brett-{code}.html" in shown
    assert all(len(mail.as_bytes()) < 150_000 for mail in (first, second))


@pytest.mark.slow
def test_no_later_mail_brings_it_and_who_watches_gets_none(paged: Club) -> None:
    code = begin(paged, game="topwords")
    paged.write("cici", f"{code}: beobachten")
    play(paged, code, 0, "Stand")
    play(paged, code, 0)
    paged.let_pass(days=6)
    later = paged.mails()
    assert len(later) >= 4
    for mail in later:
        assert brought(mail) == {}
        assert f"-{code}.html" not in text(mail)


@pytest.mark.slow
def test_who_takes_over_a_seat_gets_it_and_nobody_else(paged: Club) -> None:
    code = begin(paged, game="topwords")
    with paged.at(code) as (work, match):
        playing = Match.load(work, match)
        playing.hand_over_seat(0, get_player(work.session, "Cici"))
        notify_match_events(work)
    paged.tick()
    found = {str(mail["To"]).partition("@")[0][-4:]: brought(mail) for mail in paged.mails()}
    assert [name for name, pages in found.items() if pages] == ["cici"]
    (page,) = found["cici"].values()
    assert json.loads(brought_position(page))["reply"]["address"].count(paged.token(code, 0)) == 1


@pytest.mark.slow
def test_where_the_site_has_the_page_the_link_is_enough(paged: Club) -> None:
    """And it is off unless it is wanted."""
    configured(paged, attach_board=False)
    paged.start("Anna", "Bert")
    assert [brought(mail) for mail in paged.mails()] == [{}, {}]
    configured(paged, url="https://club.example", attach_board=True)
    paged.match("Anna", "Bert")
    paged.tick()  # which writes the site after the mails
    assert all(brought(mail) for mail in paged.mails())
    build.update_site(paged.config, paged.now, paged.folder / "site")
    paged.start("Anna", "Cici")
    mails = paged.mails()
    assert [brought(mail) for mail in mails] == [{}, {}]
    assert "https://club.example/zug/topwords.html" in text(next(mail for mail in mails if "anna" in str(mail["To"])))


@pytest.mark.parametrize("language", ["de", "en"])
@pytest.mark.parametrize("page", sorted(touch_board.map_board_pages()))
def test_it_is_small_and_asks_nobody_anything(page: str, language: str) -> None:
    """With a position of any size; the largest does not fit into every page, and the mail has it anyway."""
    for size in (0, 1200, turn_data.MOST):
        turn = json.dumps({"turn": 1, "rack": ["x" * (size - 30)]}).encode() if size else b""
        made = touch_board.render_enclosed_page(page, language, "Runde", turn)
        assert len(made) <= touch_board.MOST
        assert brought_position(made.decode()) in (turn.decode(), "")
        assert size == turn_data.MOST or brought_position(made.decode()) == turn.decode()
        assert b"connect-src" not in made
        assert b"default-src 'none'" in made
        assert not re.findall(r"""(?:src|href)=["'](?!#)[^"']""", made.decode().partition("<script")[0])


def test_no_name_gets_out_of_its_place() -> None:
    turn = json.dumps({"names": [LONG]}).encode()
    made = touch_board.render_board_page("zug/topwords.html", "de", LONG, turn=turn)
    assert json.loads(brought_position(made)) == {"names": [LONG]}
    assert made.count("</script>") == made.count("<script") == 3
    assert "<!--" not in made


def test_the_setting_is_yes_or_no_and_doctor_says_that_a_site_comes_first(paged: Club) -> None:
    file = paged.folder / "moderator.toml"
    settings = file.read_text(encoding="utf-8")
    assert load_config(file).mail.attach_board is False
    wanted = settings.replace("[mail]\n", "[mail]\nattach_board = true\n")
    file.write_text(wanted, encoding="utf-8")
    assert load_config(file).mail.attach_board is True
    assert dict(iter_checks(file))["touch board, attached to first mails"] == ""
    file.write_text(wanted + '\n[site]\nfolder = "site"\nurl = "https://club.example"\n', encoding="utf-8")
    (check,) = [name for name, _ in iter_checks(file) if name.startswith("touch board")]
    assert "mails lead to it on the site instead" in check
    file.write_text(settings.replace("[mail]\n", '[mail]\nattach_board = "yes"\n'), encoding="utf-8")
    with pytest.raises(ConfigError, match="attach_board"):
        load_config(file)
