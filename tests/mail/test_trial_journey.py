"""How long a trial waits for its mails, and what it concludes, on a clock of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from moderator.mail.model import Ready, Sent
from moderator.mail.settings_file import Setting
from moderator.mail.trial.box import Came, Kind, Moved
from moderator.mail.trial.journey import LONGER, Journey, RoundTrip, plain_step, way_steps
from moderator.mail.trial.letter import Letter, write
from moderator.mail.trial.step import Step

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
ADDRESS = "games@club.example"


@dataclass
class Post:
    """Mailbox, sender and clock in one. ``plan``: way -> (seconds, kind), else never; ``refused``: way -> words."""

    plan: dict[str, tuple[float, Kind]]
    refused: dict[str, str] = field(default_factory=dict)
    now: float = 1000.0
    letters: list[Letter] = field(default_factory=list)
    shown: set[str] = field(default_factory=set)
    everywhere: int = 0

    def begin(self) -> None:
        """Nothing was there."""

    def look(self, everywhere: bool = False) -> list[Came]:
        self.everywhere += everywhere
        found = []
        for letter in self.letters:
            after, kind = self.plan.get(letter.way, (1e9, "inbox"))
            if letter.mark not in self.shown and self.now - 1000 >= after and (everywhere or kind != "other"):
                self.shown.add(letter.mark)
                found.append(Came(kind, kind.title(), letter.data))
        return found

    def move_about(self, letter: Letter) -> Moved:
        raise AssertionError

    def remove(self, letters: Sequence[Letter]) -> list[bytes]:
        raise AssertionError

    def close(self) -> None:
        raise AssertionError

    def send(
        self,
        mails: Sequence[Ready],
        begin: Callable[[Ready], bool],
        report: Callable[[Sent], None],
        more: Callable[[], Sequence[Ready]] = tuple,
    ) -> None:
        for mail in mails:
            way = "+" if "+" in mail.recipient else "-" if "-" in mail.recipient else ""
            words = self.refused.get(way, "")
            report(Sent(mail.row, "dead" if words else "sent", words))

    def check(self) -> None:
        raise AssertionError

    def pause(self, seconds: float) -> None:
        self.now += seconds


def travelled(post: Post, *ways: str, longest: float = 60) -> list[Journey]:
    post.letters = [write(ADDRESS, "Club", way, "secret", NOW) for way in ("", *ways)]
    return RoundTrip(post, longest, clock=lambda: post.now, pause=post.pause).run(post, ADDRESS, post.letters)


def told(journeys: Sequence[Journey], configured: str) -> list[Step]:
    return [plain_step(journeys[0]), *way_steps(journeys, configured)]


@pytest.mark.parametrize(
    ("plan", "least", "most"),
    [
        ({"": (0.0, "inbox"), "+": (0.0, "inbox")}, 0, 0.1),
        ({"": (5.0, "inbox"), "+": (20.0, "inbox")}, 20, 23),
        ({"": (5.0, "inbox")}, 5 + LONGER, 5 + LONGER + 5),
        ({"": (40.0, "inbox")}, 60, 63),
        ({"+": (1.0, "inbox")}, 60, 63),
        ({}, 60, 63),
    ],
)
def test_it_waits_no_longer_than_it_must(plan: dict[str, tuple[float, Kind]], least: float, most: float) -> None:
    post = Post(plan)
    travelled(post, "+")
    assert least <= post.now - 1000 <= most


def test_other_folders_are_looked_at_only_when_something_is_missing() -> None:
    post = Post({"": (0.0, "inbox"), "+": (0.0, "inbox")})
    travelled(post, "+")
    assert post.everywhere == 0
    post = Post({"": (0.0, "inbox"), "+": (0.0, "other")})
    journeys = travelled(post, "+")
    assert post.everywhere == 1
    assert journeys[1].came
    assert journeys[1].came.folder == "Other"


def test_what_was_refused_is_not_waited_for() -> None:
    post = Post({"": (0.0, "inbox")}, {"+": "550 no such user"})
    journeys = travelled(post, "+")
    assert post.now - 1000 < 0.1
    assert journeys[1].refused == "550 no such user"


@pytest.mark.parametrize(
    ("plan", "configured", "verdicts", "setting"),
    [
        ({"": (0.0, "inbox"), "+": (0.0, "inbox")}, "+", ["ok", "ok"], None),
        ({"": (0.0, "inbox"), "+": (0.0, "inbox")}, "", ["ok", "note"], "+"),
        ({"": (0.0, "inbox")}, "+", ["ok", "FAIL"], ""),
        ({"": (0.0, "inbox")}, "", ["ok", "ok"], None),
        ({"": (0.0, "inbox"), "+": (0.0, "junk")}, "+", ["ok", "FAIL"], ""),
        ({"": (0.0, "inbox"), "+": (0.0, "other")}, "+", ["ok", "FAIL"], ""),
        ({"": (0.0, "junk"), "+": (0.0, "inbox")}, "+", ["FAIL", "ok"], None),
        ({"": (0.0, "junk"), "+": (0.0, "junk")}, "+", ["FAIL", "note"], None),
        ({"": (0.0, "other")}, "+", ["FAIL", "note"], None),
        ({}, "+", ["FAIL", "note"], None),
    ],
)
def test_what_is_concluded(
    plan: dict[str, tuple[float, Kind]], configured: str, verdicts: list[str], setting: str | None
) -> None:
    steps = told(travelled(Post(plan), "+"), configured)
    assert [step.verdict for step in steps] == verdicts, steps
    settings = [one for step in steps for one in step.settings]
    assert settings == ([] if setting is None else [Setting("mail", "subaddress", setting)])


def test_of_two_ways_that_is_offered_which_works() -> None:
    journeys = travelled(Post({"": (0.0, "inbox"), "+": (0.0, "inbox")}), "-", "+")
    steps = told(journeys, "-")
    assert [step.verdict for step in steps] == ["ok", "FAIL", "note"]
    assert {one for step in steps for one in step.settings} == {Setting("mail", "subaddress", "+")}
    journeys = travelled(Post(dict.fromkeys(("", "-", "+"), (0.0, "inbox"))), "-", "+")
    assert [step.verdict for step in told(journeys, "-")] == ["ok", "ok", "ok"]
