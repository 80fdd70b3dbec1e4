"""Write what the last soak has shown into tests/soak.md.

`make soak` runs every case of every list of cases (sampling.py) and leaves a report in JUnit's XML;
``python -m tests.soak REPORT`` counts it by list and writes the table between the markers.
"""

import sys
import tomllib
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, date, datetime
from xml.etree import ElementTree

from tests.sampling import BUDGETS, ROOT, read_commit

DOCUMENT = ROOT / "tests" / "soak.md"
BEGIN, END = "<!-- soak -->", "<!-- /soak -->"


@dataclass
class Total:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float = 0.0

    @property
    def cases(self) -> int:
        return self.passed + self.failed + self.skipped

    def add(self, case: ElementTree.Element) -> None:
        self.seconds += float(case.get("time", 0))
        if case.find("skipped") is not None:
            self.skipped += 1
        elif case.find("failure") is not None or case.find("error") is not None:
            self.failed += 1
        else:
            self.passed += 1


def count_cases(report: ElementTree.Element) -> dict[str, Total]:
    totals: dict[str, Total] = defaultdict(Total)
    for case in report.iter("testcase"):
        matrix = case.find("properties/property[@name='matrix']")
        totals["" if matrix is None else matrix.get("value", "")].add(case)
    return totals


def format_table(totals: dict[str, Total], budgets: dict[str, float], day: date, commit: str) -> str:
    """A sentence with date and commit, and a row for each list."""
    passed, failed = (sum(getattr(total, what) for total in totals.values()) for what in ("passed", "failed"))
    rest = totals.get("", Total()).cases
    lines = [
        f"{day}, commit {commit}: {passed:,} tests passed, {failed} failed; {rest:,} of them are in no list.",
        "",
        "| list | cases | passed | seconds each | seconds in the gate |",
        "|---|---|---|---|---|",
    ]
    for name in sorted(totals.keys() - {""}):
        total = totals[name]
        each = total.seconds / total.cases
        lines.append(f"| {name} | {total.cases:,} | {total.passed:,} | {each:.1f} | {budgets[name]:g} |")
    return "\n".join(lines)


def write_table(text: str, table: str) -> str:
    before, _, rest = text.partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise SystemExit(f"There is no {BEGIN} … {END} in {DOCUMENT.name}.")
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


def main() -> None:
    totals = count_cases(ElementTree.parse(sys.argv[1]).getroot())
    budgets = tomllib.loads(BUDGETS.read_text(encoding="utf-8"))["seconds"]
    table = format_table(totals, budgets, datetime.now(UTC).date(), read_commit())
    DOCUMENT.write_text(write_table(DOCUMENT.read_text(encoding="utf-8"), table), encoding="utf-8")
    print(table)
    raise SystemExit(any(total.failed for total in totals.values()))


if __name__ == "__main__":
    main()
