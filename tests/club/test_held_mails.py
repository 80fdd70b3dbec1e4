"""What becomes of a mail that is held: for each reason and each answer."""

import pytest

from moderator.common.enums import HeldFor
from moderator.service.held_mails import HeldAnswer, next_step

ANSWERS = "yes no other accept drop resumed ask-limit"
TABLE = """
sender           release  discard  ask-again    release  discard  stay     stay
guessing         release  discard  ask-again    release  discard  stay     stay
repeat           release  discard  read-answer  release  discard  stay     stay
newcomer         release  discard  ask-again    release  discard  stay     stay
machine-header   stay     stay     stay         release  discard  stay     stay
unproven-bounce  stay     stay     stay         release  discard  stay     stay
match-suspended  stay     stay     stay         stay     discard  release  stay
crash            stay     stay     stay         stay     discard  stay     stay
"""


def test_each_reason_and_answer_lead_to_one_step() -> None:
    rows = {held_for: steps for held_for, *steps in map(str.split, TABLE.strip().splitlines())}
    assert [*HeldAnswer] == ANSWERS.split()
    assert [held_for for held_for in HeldFor if held_for] == [*rows]
    for held_for, steps in rows.items():
        assert [next_step(HeldFor(held_for), answer) for answer in HeldAnswer] == steps, held_for


@pytest.mark.parametrize("answer", HeldAnswer)
def test_where_nothing_is_held_nothing_is_answered(answer: HeldAnswer) -> None:
    with pytest.raises(ValueError, match="not held"):
        next_step(HeldFor.NOTHING, answer)
