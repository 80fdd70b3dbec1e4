"""Each fault is caught by the check that is meant for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from moderator.conformance import phases
from moderator.conformance.__main__ import _sum
from moderator.conformance.checks import CHECKS
from moderator.conformance.finding import run
from moderator.conformance.subject import Subject
from moderator.match import record, replay, robot
from moderator.pages import boards
from moderator.pages.mail import environment
from tests.conformance.faults import FAULTS, FORCED_DRAW, NO_GLYPH, TWO_DEALS, UNLIKE, WITHOUT, Fault, installed

BY_NAME = {check.name: check for check in CHECKS}


@pytest.fixture(scope="module")
def linie(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Subject]:
    """The game as it is."""
    with installed(WITHOUT, tmp_path_factory.mktemp("linie")) as key:
        yield Subject(key, quick=True)


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_caught_by_the_check_that_is_meant_for_it(fault: Fault, tmp_path: Path) -> None:
    with installed(fault, tmp_path) as key:
        outcome = run(BY_NAME[fault.check], Subject(key, quick=True, absurd=200))
    assert not outcome.ok, outcome
    told = "\n".join(outcome.lines())
    assert BY_NAME[fault.check].promise in told
    assert outcome.findings[0].call


@pytest.mark.slow
@pytest.mark.parametrize("name", BY_NAME)
def test_without_a_fault_nothing_is_found(name: str, linie: Subject) -> None:
    outcome = run(BY_NAME[name], linie)
    assert outcome.findings == ()
    assert not outcome.skipped
    assert outcome.ok


def test_a_second_deal_is_looked_at_though_only_an_option_leads_to_it(tmp_path: Path) -> None:
    with installed(TWO_DEALS, tmp_path) as key:
        lines = run(BY_NAME["deal"], Subject(key, quick=True)).lines()
    assert lines == ["deal           ok (a second deal in sequential, deals = 2)"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hidden-view", "hidden-report", "hidden-turn", "hidden-mail", "hidden-site"])
def test_draws_that_happen_by_themselves_are_compared(name: str, tmp_path: Path) -> None:
    with installed(FORCED_DRAW, tmp_path) as key:
        (line,) = run(BY_NAME[name], Subject(key, quick=True)).lines()
    assert line.split()[1] == "ok"
    assert "(" in line


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hidden-report", "hidden-mail"])
def test_a_check_of_secrets_that_could_not_look_says_so_loudly(name: str, tmp_path: Path) -> None:
    with installed(UNLIKE, tmp_path) as key:
        outcome = run(BY_NAME[name], Subject(key, quick=True))
    (line,) = outcome.lines()
    assert line.startswith(f"{name:<14} NOT SEEN: no two ")
    assert line.endswith(f"look at it by hand: {BY_NAME[name].promise}")
    assert _sum([outcome]) == f"1 checks, 0 failed; 1 could not see what they look at: {name}"


@pytest.mark.slow
def test_a_fault_that_several_checks_meet_is_told_once(tmp_path: Path) -> None:
    with installed(NO_GLYPH, tmp_path) as key:
        subject = Subject(key, quick=True)
        first, second = (run(BY_NAME[name], subject) for name in ("picture", "mails"))
    (found,) = {one.found for one in (*first.findings, *second.findings)}
    assert "docs/contract.md" in found
    assert second.lines({found: "picture"}) == ["mails          FAILED by the same as picture"]
    assert len(second.lines()) > 1


def test_what_the_page_shows_is_what_is_printed(tmp_path: Path) -> None:
    (fault,) = (one for one in FAULTS if one.name == "duplicated-tile")
    with installed(fault, tmp_path) as key:
        lines = run(BY_NAME["conserved"], Subject(key, quick=True)).lines()[:4]
    page = (Path(__file__).parents[2] / "docs" / "conformance.md").read_text(encoding="utf-8")
    assert "\n".join(f"    {line}" for line in lines) in page


# ---- faults of ours, which a game cannot have ----


@pytest.mark.slow
def test_a_name_that_is_not_escaped_is_found(linie: Subject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment(), "autoescape", False)
    environment().cache.clear()
    outcome = run(BY_NAME["mail-names"], Subject(linie.key, quick=True))
    environment().cache.clear()
    assert "a name has become a tag of the page" in [one.found for one in outcome.findings]


@pytest.mark.slow
def test_a_picture_without_an_alt_text_is_found(linie: Subject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boards, "alt", lambda *given, **named: "")
    subject = Subject(linie.key, quick=True)
    assert "a picture has no alt text" in [one.found for one in run(BY_NAME["mail-picture"], subject).findings]
    assert "is empty" in run(BY_NAME["alt"], subject).findings[0].found


@pytest.mark.slow
def test_an_example_that_cannot_be_played_is_found(linie: Subject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robot, "shown", lambda *given: {"move": "Z@L"})
    subject = Subject(linie.key, quick=True)
    assert "nothing can be played now" in run(BY_NAME["mail-example"], subject).findings[0].found
    assert not run(BY_NAME["examples"], subject).ok


@pytest.mark.slow
def test_a_site_with_a_gap_is_found(linie: Subject, monkeypatch: pytest.MonkeyPatch) -> None:
    subject = Subject(linie.key, quick=True)
    (season,) = phases.seasons(subject)
    page = season.site["matches/K7Q2.html"].replace(b"</h1>", b"</h1> some-code (tile = C)", 1)
    vars(subject)["_seasons"] = (replace(season, site={**season.site, "matches/K7Q2.html": page}),)
    assert "some-code (tile = C)" in run(BY_NAME["site"], subject).findings[0].found


def test_a_record_that_does_not_verify_is_found(linie: Subject, monkeypatch: pytest.MonkeyPatch) -> None:
    written = record.export
    monkeypatch.setattr(record, "export", lambda *given: {**written(*given), "commitments": ["00" * 32]})
    assert not run(BY_NAME["record"], linie).ok


def test_an_undo_that_leads_elsewhere_is_found(linie: Subject, monkeypatch: pytest.MonkeyPatch) -> None:
    back = replay._back
    monkeypatch.setattr(replay, "_back", lambda past, entry: back(past, replace(entry, text="0")))
    assert not run(BY_NAME["undo"], linie).ok


def test_each_check_has_a_fault() -> None:
    """Those of a game, or of ours (above)."""
    ours = {"mail-names", "mail-picture", "mail-example", "examples", "site", "record", "undo"}
    assert {fault.check for fault in FAULTS} | ours == set(BY_NAME)
