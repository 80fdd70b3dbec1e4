"""The link to the mailbox and to the outgoing server, cut after every line that the server says."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from moderator.run import watch as watching
from tests.faults.wire import Link, Wire, wired
from tests.servers.cutter import HOWS
from tests.servers.dovecot import Box, Dovecot
from tests.servers.postfix import Postfix

pytestmark = pytest.mark.servers
LATER = timedelta(minutes=30)
STRIPES = 4
SAMPLE: tuple[tuple[Link, int, str], ...] = (
    ("imap", 6, "reset"),
    ("imap", 33, "half"),
    ("imap", 52, "close"),
    ("smtp", 14, "half"),
    ("smtp", 17, "close"),
)


@pytest.fixture
def wire(tmp_path: Path, dovecot: Dovecot, postfix: Postfix, new_box: Callable[[str], Box]) -> Iterator[Wire]:
    with wired(tmp_path, dovecot, postfix, new_box) as made:
        yield made


def one_cut(wire: Wire, link: Link, after: int, how: str) -> bool:
    """An evening with a cut, then a run without. False = the run is over after fewer lines than that."""
    wire.evening()
    cutter = wire.cutter(link)
    cutter.arm(after, how)
    first = wire.tick()
    cut, behind = cutter.cut.is_set(), cutter.cut_behind
    cutter.arm(0)
    second = wire.tick(LATER)
    where = f"{link} cut ({how}) after line {after}, {behind!r}"
    assert [first.quarantined, second.quarantined, first.troubles, second.troubles, second.away] == [[]] * 5, where
    # Whether a mail arrived whose end was sent but never answered, nobody can know.
    assert wire.wrong(repeated=behind.startswith(b"354")) == [], where
    return cut


@pytest.mark.slow
@pytest.mark.parametrize(("link", "after", "how"), SAMPLE)
def test_some_lines(wire: Wire, link: Link, after: int, how: str) -> None:
    assert one_cut(wire, link, after, how), f"a run hears fewer than {after} lines"


@pytest.mark.matrix("faults")
@pytest.mark.parametrize("link", ["imap", "smtp"])
@pytest.mark.parametrize("stripe", range(1, STRIPES + 1))
def test_every_line(wire: Wire, link: Link, stripe: int) -> None:
    after = stripe
    while one_cut(wire, link, after, HOWS[after // STRIPES % len(HOWS)]):
        after += STRIPES
    assert after > 20


@pytest.mark.slow
def test_a_link_that_is_cut_while_watch_waits(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "PAUSE", 0.2)
    wire.evening()
    wire.tick()
    wire.imap.arm(0)

    def cut_and_write() -> None:
        while not any(line.startswith(b"+ idling") for line in wire.imap.lines):
            done.wait(0.05)
        wire.imap.arm(1, "reset")
        wire.club.reply("Bert", "passe")

    done = threading.Event()
    other = threading.Thread(target=cut_and_write)
    other.start()
    try:
        handled = next(summary.handled for summary in watching.watch(wire.club.config, 20) if summary.handled)
    finally:
        done.set()
        other.join()
    assert wire.imap.cut.is_set()
    assert handled == 1
