"""The gate runs a share of each long list of cases, and another share for another commit."""

from __future__ import annotations

import tomllib
from datetime import date
from xml.etree import ElementTree

from tests.sampling import BUDGETS, choose_cases
from tests.soak import BEGIN, END, count_cases, format_table, write_table

CASES = {f"test_file.py::test_kill[{step}]": 2.0 for step in range(100)}
REPORT = """<testsuites><testsuite>
<testcase time="2"><properties><property name="matrix" value="kill points"/></properties></testcase>
<testcase time="4"><properties><property name="matrix" value="kill points"/></properties><failure/></testcase>
<testcase time="1"/>
</testsuite></testsuites>"""


def test_sample_fits_into_the_budget_and_is_the_same_on_each_machine() -> None:
    chosen = choose_cases(CASES, 21, "9f2c")
    assert len(chosen) == 10
    assert chosen == choose_cases(dict(reversed(CASES.items())), 21, "9f2c")
    assert choose_cases(CASES, 200, "9f2c") == CASES.keys()


def test_every_case_runs_within_some_commits() -> None:
    assert set().union(*(choose_cases(CASES, 20, str(commit)) for commit in range(100))) == CASES.keys()


def test_budgets_are_five_minutes_in_all() -> None:
    assert sum(tomllib.loads(BUDGETS.read_text(encoding="utf-8"))["seconds"].values()) <= 300


def test_soak_table_counts_the_report_by_list() -> None:
    totals = count_cases(ElementTree.fromstring(REPORT))
    table = format_table(totals, {"kill points": 25}, date(2026, 11, 26), "9f2c")
    assert "2026-11-26, commit 9f2c: 2 tests passed, 1 failed; 1 of them are in no list." in table
    assert "| kill points | 2 | 1 | 3.0 | 25 |" in table
    assert write_table(f"a\n{BEGIN}\nold\n{END}\nb", table) == f"a\n{BEGIN}\n{table}\n{END}\nb"
