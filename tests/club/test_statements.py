"""One order by mail asks the database no more often than it must; the bench prints each question and who asks it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.statements import MARKS, STATEMENTS, TRANSACTIONS, one_order
from tests.club.club import make_club


@pytest.mark.sqlite
def test_one_order_asks_no_more_than_it_must(tmp_path: Path) -> None:
    asked = one_order(make_club(tmp_path / "club"))
    assert len(asked.statements) <= STATEMENTS, "\n".join(map(str, asked.statements))
    assert len(asked.transactions) <= TRANSACTIONS, asked.transactions
    assert 2 <= len(asked.marks) <= MARKS, asked.marks
