"""How mails reach their readers: ``delivery.deliver`` is the only way to a player, and nobody goes round it; one mail a
day for who wants that; one match is one conversation, as far as headers go (docs/inside/mails.md)."""

import base64
import dataclasses
import re
import typing
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest
from sqlmodel import select

from moderator.common.enums import MailKind
from moderator.delivery.deliver import RULES, Delivery, deliver_notifications, find_delivery
from moderator.language.messages import translate_move
from moderator.notifications.pages import WITHOUT_PAGE, MailPayload, Page, Receipt
from moderator.rules.game import Note
from moderator.service.notifications import notify_chief
from moderator.service.players import wanted_mails
from moderator.store.club_tables import DeferredNews
from moderator.store.tables import OutboxRow, PlayerRow
from moderator.views.unit_of_work import MatchNews, Notification, Recipient, UnitOfWork
from tests.club.club import Club, part, text
from tests.club.memory import MemoryClub
from tests.club.steps import NAMES, VOUCHED, begin, change, deal, play, player, tick_at

PACKAGE = Path(__file__).resolve().parent.parent.parent / "moderator"
KINDS: tuple[MailKind, ...] = tuple(kind for kind in MailKind if kind not in WITHOUT_PAGE)
ALLOWED = {
    "delivery/deliver.py": {"UnitOfWork", "compose_notification", "queue_composed_mails"},
    "delivery/compose.py": {"add_mails"},
    "cli/session.py": {"UnitOfWork"},
}
"""Who makes a mail, puts it into the outbox, and opens a unit of work at whose end that is done."""
DAILY, LATER, NOT_TO_THE_DEAD = (
    {kind for kind, rule in RULES.items() if getattr(rule, name)} for name in ("daily", "after_run", "only_reachable")
)
READERS = {"run/rehearsal.py", "site/build.py", "views/unit_of_work.py"}
"""Who opens a unit of work only to look, or to try something."""
WAYS = {
    "moderator.delivery.compose": {"compose_notification", "queue_composed_mails"},
    "moderator.store.outbox": {"add_mails"},
}


@pytest.fixture
def work(club: Club) -> Iterator[UnitOfWork]:
    with club.work() as made:
        yield made
        made.session.rollback()


def when(kind: MailKind, backlog: bool = False, *, answers: bool = False, **changes: object) -> Delivery:
    """When Anna reads such a mail."""
    anna = PlayerRow(**{"name": "Anna", "address": "anna@home.example", **changes})
    return find_delivery(Notification(Recipient(anna), MatchNews(kind, MailPayload()), answers), backlog)


def test_a_kind_of_mail_decides_whether_it_is_told_at_once_also_in_a_backlog() -> None:
    assert {when(kind) for kind in KINDS} == {Delivery.NOW}
    in_a_digest = {kind: when(kind, digest=True) for kind in KINDS}
    assert in_a_digest == {kind: Delivery.DAILY if kind in DAILY else Delivery.NOW for kind in KINDS}
    assert {when(kind, answers=True, digest=True) for kind in KINDS} == {Delivery.NOW}
    dead = {kind: when(kind, undeliverable="550") for kind in KINDS}
    assert dead == {kind: Delivery.NOBODY if kind in NOT_TO_THE_DEAD else Delivery.NOW for kind in KINDS}
    assert {when(kind, answers=True, undeliverable="550") for kind in KINDS} == {Delivery.NOW}
    assert {when(kind, address=None, robot=True) for kind in KINDS} == {Delivery.NOBODY}
    found = {kind: when(kind, backlog=True) for kind in KINDS}
    assert found == {kind: Delivery.AFTER_RUN if kind in LATER else Delivery.NOW for kind in KINDS}
    notice = Notification(Recipient(referee=True), MatchNews("notice", MailPayload()))
    assert find_delivery(notice, backlog=True) == Delivery.NOW


def test_of_a_finished_mail_all_is_kept_that_cannot_be_had_again(work: UnitOfWork) -> None:
    """A new field of ``MailPayload`` must be taken from the page, too."""
    work.cache.catching_up = True
    notify_chief(work, Note("outage"))
    assert deliver_notifications(work) == []
    work.session.flush()
    (row,) = work.session.exec(select(DeferredNews)).all()
    assert (row.player_id, row.said) == (None, {"notes": [{"code": "outage", "params": {}}]})
    said, page = ({field.name for field in dataclasses.fields(kind)} for kind in (MailPayload, Page))
    assert said & page == {"reports", "notes", "press", "receipt", "happened"}
    assert typing.get_type_hints(MailPayload)["receipt"] == Receipt | None


@pytest.mark.slow
def test_nothing_else_makes_a_mail_or_writes_to_the_outbox() -> None:
    """And whatever is decided is told: whoever opens one delivers at its end."""
    found: dict[str, set[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        used = set(
            re.findall(r"(?<!class )\bOutboxRow(?=\()|\binsert(?=\(OutboxRow\b)|(?<![\w.])UnitOfWork(?=\()", source)
        )
        for module, names in WAYS.items():
            package, _, last = module.rpartition(".")
            taken = re.findall(rf"^ *from {re.escape(module)} import (\([^)]*\)|.*)$", source, re.MULTILINE)
            if re.search(rf"from {re.escape(package)} import (?:\([^)]*|.*)\b{last}\b", source):
                taken += re.findall(rf"(?<![\w.]){last}\.(\w+)", source)
            used |= names & set(re.findall(r"\w+", " ".join(taken)))
        if used:
            found[str(path.relative_to(PACKAGE))] = used
    assert found.pop("store/outbox.py") == {"insert"}
    assert {name for name, used in found.items() if used == {"UnitOfWork"} and name not in ALLOWED} == READERS
    assert {name: used for name, used in found.items() if name not in READERS} == ALLOWED


SEVEN = datetime(2026, 11, 21, 6, 0, tzinfo=UTC)
"""Seven in the morning in Berlin, on the day after the club's first."""


def want_digest(club: Club, name: str, on: bool = True) -> None:
    with club.work() as work:
        wanted_mails.switch_digest(work, work.session.exec(select(PlayerRow).where(PlayerRow.name == name)).one(), on)


def test_turns_wait_for_the_morning(club: Club) -> None:
    want_digest(club, "Bert")
    codes = [deal(club) for _ in range(2)]
    club.tick()
    assert len(club.mails("bert")) == 2
    moves = [club.moves(code, 0)[0] for code in codes]
    for code, move in zip(codes, moves, strict=True):
        play(club, code, 0, move)
    for moment in (SEVEN - timedelta(minutes=1), SEVEN):
        assert club.mails("bert") == []
        tick_at(club, moment)
    mail = club.mail("bert")
    said = text(mail)
    assert str(mail["Reply-To"]).startswith("games+ME-")
    assert said.startswith("It is your turn in 2 matches.")
    html = part(mail, "html")
    for code, move in zip(codes, moves, strict=True):
        assert f"write {code} and your move" in said
        assert translate_move(move, "en", "dominos") in said
        assert f"mailto:games%2B{code}-{club.token(code, 1)}@club.example" in html
    club.tick()
    assert club.mails("bert") == []
    assert player(club, "Bert").digest_at == SEVEN + timedelta(days=1)


def test_what_others_did_is_a_line_and_without_anything_to_say_there_is_no_mail(club: Club) -> None:
    want_digest(club, "Cici")
    code = begin(club, *NAMES, game="topwords")
    move = club.moves(code, 0)[0]
    play(club, code, 0, move)
    club.skip_mails()
    tick_at(club, SEVEN)
    mail = club.mail("cici")
    word = move.split()[2]
    assert f"Topwords Arratia – Anna legt {word}, " in text(mail)
    assert "; Bert ist dran" in text(mail)
    assert str(mail["Subject"]).startswith("In 1 Partie ging es weiter")
    tick_at(club, SEVEN + timedelta(days=1))
    assert club.mails("cici") == []
    assert player(club, "Cici").digest_at == SEVEN + timedelta(days=2)


def test_switched_off_it_comes_a_last_time(club: Club) -> None:
    """Else Bert would wait for a board that no mail has brought."""
    want_digest(club, "Bert")
    code = begin(club)
    play(club, code, 0)
    club.skip_mails()
    club.say("Bert", "digest off", **VOUCHED)
    assert [code in f"{mail['Subject']} {text(mail)}" for mail in club.mails("bert")] == [True, True]
    assert player(club, "Bert").digest_at is None
    play(club, code, 1)
    play(club, code, 0)
    assert len(club.mails("bert")) == 2


def test_who_has_a_daily_mail_gets_no_reminder(club: Club) -> None:
    want_digest(club, "Bert")
    play(club, begin(club), 0)
    for _ in range(6):
        club.let_pass(days=1)
    kinds = club.stored(select(OutboxRow.kind).where(OutboxRow.recipient == "bert@home.example"))
    assert "reminder" not in kinds
    assert "turn" not in kinds
    assert kinds.count("digest") == 6


@pytest.mark.parametrize(("wanted", "day"), [(False, 27), (True, 28)])
def test_the_turn_begins_with_the_digest(club: Club, wanted: bool, day: int) -> None:
    """Anna moves on Friday at noon: Bert's seven days run from Saturday's mail, so that his ZAT is a day later."""
    want_digest(club, "Bert", wanted)
    code = begin(club)
    club.wait(minutes=5)
    play(club, code, 0)
    for days in range(7):
        tick_at(club, SEVEN + timedelta(days=days))
    for hour, minute, turn in ((18, 59, 1), (20, 30, 0)):
        tick_at(club, datetime(2026, 11, day, hour, minute, tzinfo=UTC))
        assert club.live(code).table.state.to_move == (turn,)


def test_nobody_is_late_before_the_digest(club: MemoryClub) -> None:
    """The machine stood still in the morning: no digest, no deadline."""
    want_digest(club, "Bert")
    code = begin(club, terms={"days": 1})
    club.wait(minutes=5)
    play(club, code, 0)
    change(club, "Bert", digest_at=club.now + timedelta(days=30))
    for _ in range(4):
        club.let_pass(days=1)
    assert club.live(code).table.state.to_move == (1,)


def test_several_matches_are_rows_of_one_mail_and_are_answered_by_one(club: Club) -> None:
    want_digest(club, "Bert")
    change(club, "Bert", board="png")
    codes = [begin(club, game="topwords") for _ in range(2)]
    for code in codes:
        play(club, code, 0, "passe")
    tick_at(club, SEVEN)
    mail = club.mails("bert")[-1]
    assert not [one for one in mail.walk() if one.get_content_type() == "image/png"]
    body = "\n".join(f"{code}\npass" for code in codes)
    club.say("Bert", body, to=str(mail["Reply-To"]), In_Reply_To=str(mail["Message-ID"]))
    assert [club.live(code).table.state.to_move for code in codes] == [(0,), (0,)]


def test_the_hour_is_the_readers(club: Club) -> None:
    for zone, hour in {"Europe/Berlin": 6, "UTC": 7, "America/New_York": 12, "Asia/Kolkata": 1}.items():
        change(club, "Bert", zone=zone)
        with club.work() as work:
            moment = wanted_mails.compute_next_digest_time(work.config, work.now, player(club, "Bert"))
        assert timedelta(0) < moment - club.now <= timedelta(days=1)
        assert moment.hour == hour


def read_all(club: Club, name: str) -> list[EmailMessage]:
    club.read.clear()
    return club.mails(name.lower())


def evening(club: Club) -> str:
    """Moves, a question, a missed turn and the end, while Cici watches."""
    code = begin(club)
    club.write("Cici", f"ZUSCHAUEN {code}", **VOUCHED)
    play(club, code, 0)
    play(club, code, 1, "STATUS")
    club.let_pass(days=9)
    play(club, code, 0, f"AUFGEBEN {code} JA")
    return code


def test_all_mails_of_a_match_are_one_conversation(club: Club) -> None:
    code, other = evening(club), begin(club)
    for name in NAMES:
        mails = [mail for mail in read_all(club, name) if code in str(mail["Subject"])]
        assert len(mails) >= (4 if name != "Cici" else 2), name
        assert len({str(mail["Subject"]) for mail in mails}) > 1
        assert {str(mail["Thread-Topic"]) for mail in mails} == {f"Arratia [{code}]"}
        assert len({str(mail["Thread-Index"]) for mail in mails}) == 1
        roots = {str(mail["References"]).split()[0] for mail in mails if mail["References"]}
        assert len(roots) == 1
        first = [mail for mail in mails if not mail["References"]]
        assert {str(mail["Message-ID"]) for mail in first} == (roots if name != "Cici" else set())
        for mail in mails:
            assert mail in first or str(mail["In-Reply-To"]) in str(mail["References"]).split()
    apart = [mail for mail in read_all(club, "Anna") if other in str(mail["Subject"])]
    assert not {str(mail["Thread-Index"]) for mail in apart} & {str(mail["Thread-Index"]) for mail in mails}
    for mail in read_all(club, "Anna"):  # the index has the form that Outlook reads
        index = base64.b64decode(str(mail["Thread-Index"]), validate=True)
        assert (len(index), index[0]) == (22, 1)
        ticks = int.from_bytes(index[:6] + b"\0\0", "big")
        assert abs(datetime(1601, 1, 1, tzinfo=UTC) + timedelta(microseconds=ticks // 10) - club.now) < timedelta(
            days=30
        )


def test_who_wants_one_subject_has_one(club: Club) -> None:
    """In Gmail only equal subjects make a conversation. The news stand first in the mail; answers find their match."""
    for name, line in (("Anna", "Gleicher Betreff an"), ("Bert", "Same subject on")):
        club.write(name, line, **VOUCHED)
    club.tick()
    code = evening(club)
    for name, game in (("Anna", "Dominos „Arratia“"), ("Bert", "Dominos “Arratia”")):
        mails = [mail for mail in read_all(club, name) if code in str(mail["Subject"])]
        assert len(mails) >= 4
        assert {str(mail["Subject"]).partition(" [")[0] for mail in mails} == {game}
        assert len({text(mail).splitlines()[0] for mail in mails}) > 2
    club.say("Anna", "Gleicher Betreff aus", **VOUCHED)
    begin(club)
    last = str(read_all(club, "Anna")[-1]["Subject"])
    assert "Arratia" in last
    assert not last.startswith("Dominos")
