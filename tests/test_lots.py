"""What is drawn in a test is the same on each machine and in each order of the tests."""

from __future__ import annotations

import secrets

from tests import lots


def _code() -> str:
    return secrets.token_hex(4)


def _once_in_a_process() -> str:
    return secrets.token_hex(8)


def test_the_same_name_draws_the_same_whatever_somebody_else_draws_before() -> None:
    with lots.of("one"):
        alone = [_code(), _code()]
    with lots.of("one"):
        _once_in_a_process()
        beside = [_code(), _code()]
    assert alone == beside
    assert alone[0] != alone[1]


def test_another_name_draws_others_and_the_one_before_goes_on() -> None:
    with lots.of("one"):
        straight = [_code(), _code()]
    with lots.of("one"):
        first = _code()
        with lots.of("two"):
            other = _code()
        second = _code()
    assert [first, second] == straight
    assert other not in straight
