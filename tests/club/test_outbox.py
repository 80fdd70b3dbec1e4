"""``outbox.tell`` is the only way to a player: what it decides, for every kind of mail; and nobody goes round it."""

from __future__ import annotations

import ast
import dataclasses
import typing
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlmodel import select

from moderator.club.desk import Desk
from moderator.club.referees import chief
from moderator.match.contract import Note
from moderator.outbox.post import new_page, official_page, reader
from moderator.outbox.tell import DAILY, LATER, NOT_TO_THE_DEAD, News, Said, To, tell
from moderator.pages.pages import WITHOUT_PAGE, Page, Receipt
from moderator.states import MailKind
from moderator.store.models import DeferredNews, Player
from tests.club.club import Club

PACKAGE = Path(__file__).resolve().parent.parent.parent / "moderator"
KINDS: tuple[MailKind, ...] = tuple(kind for kind in MailKind if kind not in WITHOUT_PAGE)
ALLOWED = {
    "outbox/tell.py": {"post", "post_again"},
    "outbox/post.py": {"put"},
    "outbox/digest.py": {"now"},
    "inbox/catching_up.py": {"now"},
    "outbox/puzzle_mail.py": {"now"},
}
"""Who makes a mail, puts it into the outbox, and brings what has waited."""
WAYS = {
    "moderator.outbox.post": {"post", "post_again"},
    "moderator.store.outbox": {"put"},
    "moderator.outbox.tell": {"now"},
}


@pytest.fixture
def desk(club: Club) -> Iterator[Desk]:
    with club.desk() as made:
        yield made
        made.session.rollback()


def went(desk: Desk, kind: MailKind, *, answers: bool = False, **changes: object) -> str:
    """``now``, ``later`` or ``never``: what becomes of such a mail to Anna."""
    player = desk.session.exec(select(Player).where(Player.name == "Anna")).one()
    for name, value in changes.items():
        setattr(player, name, value)
    made: list[MailKind] = []

    def page(_: Said) -> Page:
        made.append(kind)
        return new_page(desk, "done", reader(player), notes=(Note("unsubscribed"),))

    posted = len(desk.posted)
    brought = tell(desk, To(player), News(kind, Said, page), answers=answers)
    desk.session.flush()
    kept = desk.session.exec(select(DeferredNews).where(DeferredNews.kind == kind)).all()
    assert brought == bool(made or kept)
    assert len(desk.posted) - posted == len(made)
    desk.cache.replies.clear()
    return "now" if made else "later" if kept else "never"


def test_everything_is_told_at_once_on_a_quiet_day(desk: Desk) -> None:
    assert {went(desk, kind) for kind in KINDS} == {"now"}


def test_who_wants_one_mail_a_day_reads_of_turns_there_and_answers_at_once(desk: Desk) -> None:
    found = {kind: went(desk, kind, digest=True) for kind in KINDS}
    assert found == {kind: "never" if kind in DAILY else "now" for kind in KINDS}
    assert {went(desk, kind, answers=True, digest=True) for kind in KINDS} == {"now"}


def test_in_a_backlog_what_can_wait_waits(desk: Desk) -> None:
    desk.cache.catching_up = True
    found = {kind: went(desk, kind) for kind in KINDS}
    assert found == {kind: "later" if kind in LATER else "now" for kind in KINDS}


def test_a_dead_address_is_asked_for_nothing_and_answered_all_the_same(desk: Desk) -> None:
    found = {kind: went(desk, kind, undeliverable="550") for kind in KINDS}
    assert found == {kind: "never" if kind in NOT_TO_THE_DEAD else "now" for kind in KINDS}
    assert {went(desk, kind, answers=True, undeliverable="550") for kind in KINDS} == {"now"}


def test_a_robot_reads_nothing(desk: Desk) -> None:
    assert {went(desk, kind, address=None, robot=True) for kind in KINDS} == {"never"}


def test_of_a_finished_mail_all_is_kept_that_cannot_be_had_again(desk: Desk) -> None:
    """A new field of ``Said`` must be taken from the page, too."""
    desk.cache.catching_up = True
    tell(desk, To(), official_page(desk, "notice", chief(desk), notes=(Note("outage"),)))
    desk.session.flush()
    (row,) = desk.session.exec(select(DeferredNews)).all()
    assert (row.player_id, row.said) == (None, {"notes": [{"code": "outage", "params": {}}]})
    taken = {field.name for field in dataclasses.fields(Said)} & {field.name for field in dataclasses.fields(Page)}
    assert taken - {"asked"} == {
        "reports",
        "notes",
        "press",
        "receipt",
        "happened",
    }  # what is asked of either is something else
    assert typing.get_type_hints(Said)["receipt"] == Receipt | None


def names(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """(module, name) of what is imported by name, or used as an attribute of an imported module."""
    modules: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for name in node.names:
                yield node.module, name.name
                modules[name.asname or name.name] = f"{node.module}.{name.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            yield modules[node.value.id], node.attr


@pytest.mark.slow
def test_nothing_else_makes_a_mail_or_writes_to_the_outbox() -> None:
    found: dict[str, set[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        used = {name for module, name in names(tree) if name in WAYS.get(module, ())}
        if used | made(tree):
            found[str(path.relative_to(PACKAGE))] = used | made(tree)
    assert found.pop("store/outbox.py") == {"insert"}
    assert found == ALLOWED


def made(tree: ast.AST) -> set[str]:
    """How rows of the outbox are made: ``Outbox(…)``, ``insert(Outbox)``."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    rows = {"insert" for call in calls if call.func.id == "insert" and _is_outbox(*call.args)}  # type: ignore[attr-defined]
    return rows | {"Outbox" for call in calls if _is_outbox(call.func)}


def _is_outbox(*nodes: ast.AST) -> bool:
    return any(isinstance(node, ast.Name) and node.id == "Outbox" for node in nodes)
