"""A missing server skips a test on a laptop and fails it where servers are promised; slow tests need asking for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests import conftest
from tests.servers import dovecot, postfix
from tests.slow import long_first


class Item(SimpleNamespace):
    """As much of a pytest item as the hooks look at."""

    def get_closest_marker(self, name: str) -> Any:
        return name if name in self.markers else None

    def add_marker(self, marker: Any) -> None:
        self.added.append(marker.name)


def item(*markers: str, fixtures: tuple[str, ...] = ()) -> Item:
    return Item(nodeid=f"test_it[{markers}]", markers=markers, fixturenames=fixtures, added=[])


@pytest.mark.parametrize(("required", "outcome"), [("0", pytest.skip.Exception), ("1", pytest.fail.Exception)])
@pytest.mark.parametrize("lacking", [dovecot, postfix])
def test_missing_servers(
    monkeypatch: pytest.MonkeyPatch, lacking: Any, required: str, outcome: type[BaseException]
) -> None:
    monkeypatch.setenv("REQUIRE_SERVERS", required)
    monkeypatch.setattr(dovecot, "program", lambda: "/somewhere/dovecot")
    monkeypatch.setattr(postfix, "program", lambda: "/somewhere/postfix")
    monkeypatch.setattr(lacking, "program", lambda: None)
    marked = item("servers", fixtures=("postfix",))
    with pytest.raises(outcome, match="is not installed"):
        conftest.pytest_runtest_setup(marked)  # type: ignore[arg-type]
    conftest.pytest_runtest_setup(item(fixtures=("postfix",)))  # type: ignore[arg-type]


def test_a_test_without_postfix_does_not_need_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dovecot, "program", lambda: "/somewhere/dovecot")
    monkeypatch.setattr(postfix, "program", lambda: None)
    conftest.pytest_runtest_setup(item("servers", fixtures=("mailbox",)))  # type: ignore[arg-type]


@pytest.mark.parametrize(("slow", "added"), [(True, []), (False, ["skip"])])
def test_slow_tests_need_asking_for(monkeypatch: pytest.MonkeyPatch, slow: bool, added: list[str]) -> None:
    monkeypatch.setattr(conftest, "SLOW", slow)
    quick, long = item(), item("slow")
    conftest.pytest_collection_modifyitems([quick, long])  # type: ignore[list-item]
    assert (quick.added, long.added) == ([], added)


def test_what_shares_a_fixture_of_a_file_goes_to_one_worker_and_all_have_as_much() -> None:
    made = SimpleNamespace(name2fixturedefs={"season": [SimpleNamespace(scope="module")]})
    shared = [Item(nodeid=f"a.py::{n}", markers=("slow",), fixturenames=(), _fixtureinfo=made) for n in range(3)]
    alone = [Item(nodeid=f"b.py::{n}", markers=("slow",), fixturenames=(), _fixtureinfo=None) for n in range(3)]
    quick = [Item(nodeid=f"c.py::{n}", markers=(), fixturenames=()) for n in range(4)]
    ordered = [one.nodeid for one in long_first([*alone, *quick, *shared], 2)]  # type: ignore[list-item]
    assert sorted(ordered) == sorted(one.nodeid for one in (*alone, *quick, *shared))
    for share in (ordered[:5], ordered[5:]):
        assert len({name[0] for name in share[:3]}) == 1
        assert {name[0] for name in share[3:]} == {"c"}
