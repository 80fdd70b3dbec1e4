"""What somebody reads who knows one language only, from the wish to join to the club's pages; that language is "xx", of
which moderator itself has no files: run by tests/test_third_language.py on a copy that does. Prints it as JSON."""

import json
import sys
from collections.abc import Iterator
from datetime import date
from email.message import EmailMessage
from pathlib import Path

from click.testing import CliRunner

import moderator
from moderator.cli.group import cli
from moderator.common.disk import LANGUAGES
from moderator.common.mails import Line
from moderator.inbox.job import MailSection
from moderator.inbox.read import extract_race_claims
from moderator.language import dates
from moderator.service import create
from moderator.service.create import create_match
from moderator.service.match.start import start_match
from moderator.settings import load_config
from moderator.site.build import update_site
from moderator.store.audit import Audit
from moderator.store.key_values import ensure_moderator_token
from tests.club.club import Club, make_club, plain_boards
from tests.club.tournament_club import found

ASKS = ("qstatus", "qboard", "qrack", "qhistory", "qrules", "qcalendar", "qhelp")
SETS = ("qdigest qon", "qdigest qoff", "qzone qgermany", "qboard qform qtable", "qboard qform qtext", "qstandby qon")
SAYS = ("qleave 24 qdec qto 2 qjan", "qleave qdelete", "qpress qto qall: 1", "qprotest: 2", "qtakeback", "qwithdraw")
WRONG = ("qlanguage qklingon", "qwatch", "qcup T1 qpairings", "qzone qnowhere", "qnothing qlike qthat")
CUPS = ("qcup T1 qpairings", "qcup T1", "qcup qratings", "qcup T1 qleave")
VOUCHED = "mx.club.example; dmarc=pass header.from=far.example"
CRIES = ("i qam qready", "bin fertig", "no cry")


def begun(root: Path, language: str = "xx") -> Club:
    """A club that speaks it, and takes in who wants to come."""
    club = make_club(root)
    text = club.config.file.read_text(encoding="utf-8")
    club.config.file.write_text(
        text.replace("[club]", f'[club]\nlanguage = "{language}"\nsignup = "open"'), encoding="utf-8"
    )
    club.config = load_config(club.config.file)
    return club


def read(club: Club, *said: str) -> Iterator[tuple[str, EmailMessage]]:
    """All mails that come of what was said."""
    club.tick()
    yield from ((f"{' '.join(said)} {n}", mail) for n, mail in enumerate(club.mails()))


def joined(club: Club) -> Iterator[tuple[str, EmailMessage]]:
    for name, wish in (("xenia", "qjoin qas Xenia"), ("zoe", "Q!\n\nI qwould qlike qto qtake qpart.")):
        club.say(f"{name}@far.example", wish)
        question = club.mail(f"{name}@far")
        yield wish, question
        club.write(f"{name}@far.example", "qyes", to=str(question["Reply-To"]))
        yield from read(club, name, "qyes")
    plain_boards(club)


def played(club: Club) -> Iterator[tuple[str, EmailMessage]]:
    """A match: an order, what is wrong, all that can be asked for, and the end."""
    with club.work() as work:
        seats = [create.get_player(work.session, name) for name in ("Xenia", "Zoe")]
        match = create_match(work, "topwords", "Arratia", seats, {"first": "seat"})
        code = match.code = "H7RT"  # the racks follow from code and seed: a word can be laid from these
        start_match(work, match, seed=bytes(31) + b"\7")
    yield from read(club, "start")
    for lines in ((club.moves(code, 0)[0],), ASKS, SETS, SAYS, WRONG, ("qlanguage qtestish",)):
        club.order("xenia@far.example", code, 0, "\n".join(lines), Authentication_Results=VOUCHED)
        yield from read(club, *lines)
    club.write("xenia@far.example", f"qregarding qmatch {code}:\nqresend 1", Authentication_Results=VOUCHED)
    yield from read(club, "heading")
    yield from ruled(club, code)
    for line in ("A1 w QQQ", f"qpreview {club.moves(code, 1)[0]}", f"qresign {code} qyes"):
        club.order("zoe@far.example", code, 1, line)
        yield from read(club, line)


def ruled(club: Club, code: str) -> Iterator[tuple[str, EmailMessage]]:
    lines = ("qhelp", f"qwho qis qmissing {code}", f"qpause {code}: 1", f"qresume {code}", f"qextend {code} 2 qdays")
    with club.work() as work:
        to = f"games+BOSS-{ensure_moderator_token(work.session)}@club.example"
    club.write("boss@club.example", "\n".join(lines), to=to)
    yield from read(club, *lines)


def competed(club: Club) -> Iterator[tuple[str, EmailMessage]]:
    """A tournament with a setting of its own, joined and followed by mail."""
    found(club, "swiss", (), name="Zephyr", rounds=1, least=2)
    for name in ("xenia", "zoe"):
        club.write(f"{name}@far.example", "qcup T1 qjoin", Authentication_Results=VOUCHED)
        yield from read(club, name, "qcup T1 qjoin")
    club.wait(days=3)
    yield from read(club, "begins")
    club.write("xenia@far.example", "\n".join(CUPS), Authentication_Results=VOUCHED)
    yield from read(club, *CUPS)


def told(mail: EmailMessage) -> dict[str, str]:
    text, html = (mail.get_body((kind,)) for kind in ("plain", "html"))
    return {
        "subject": str(mail["Subject"]),
        "language": str(mail["Content-Language"]),
        "text": text.get_content() if text else "",
        "html": html.get_content() if html else "",
    }


def cried() -> list[str]:
    section = MailSection("", lines=[Line(number, cry) for number, cry in enumerate(CRIES)])
    extract_race_claims(section)
    return [request.line.text for request in section.commands]


def main(root: Path) -> None:
    club = begun(root / "club")
    mails = {name: told(mail) for part in (joined, played, competed) for name, mail in part(club)}
    update_site(club.config, club.now, root / "site", False)
    site = root / "site"
    pages = {path.relative_to(site).as_posix(): path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    done = [(row.action, row.outcome) for row in club.stored(Audit)]
    found = {
        "package": str(Path(moderator.__file__).parent),
        "languages": LANGUAGES,
        "mails": mails,
        "pages": pages,
        "done": done,
        "cried": cried(),
        "date": dates.format_short_date(date(2026, 12, 24), "xx"),
        "formats": CliRunner().invoke(cli, ["cup", "formats", "--language", "xx"]).output,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
