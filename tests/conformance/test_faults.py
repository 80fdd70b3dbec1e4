"""Each fault is caught by the check that is meant for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from moderator.conformance.checks import CHECKS
from moderator.conformance.finding import run
from moderator.conformance.subject import Subject
from tests.conformance.faults import FAULTS, Fault, installed

BY_NAME = {check.name: check for check in CHECKS}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_caught_by_the_check_that_is_meant_for_it(fault: Fault, tmp_path: Path) -> None:
    with installed(fault, tmp_path) as key:
        outcome = run(BY_NAME[fault.check], Subject(key, quick=True, absurd=200))
    assert not outcome.ok, outcome
    told = "\n".join(outcome.lines())
    assert BY_NAME[fault.check].promise in told
    assert outcome.findings[0].call
