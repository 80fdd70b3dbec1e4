"""What is kept of a mail that waits for the end of the run is what is told then, also by a newer version."""

from __future__ import annotations

import json

import pytest

from moderator.match import decision
from moderator.match.decision import Held, NoOrder, OrderDecision, Stored
from moderator.outbox.tell import Said, from_json, to_json
from moderator.pages.pages import LineRead, Receipt

LINE = LineRead(1, "E5 w HAUS", "move", "E5 w HAUS", 14)


@pytest.mark.parametrize("decided", decision.every(("HAUSEN",)), ids=repr)
def test_a_receipt_comes_back_as_it_was_kept(decided: OrderDecision) -> None:
    said = Said(receipt=Receipt(decided, (LINE,), {"quote": 2}, "E5 w HAUS"))
    assert from_json(json.loads(json.dumps(to_json(said)))) == said


@pytest.mark.parametrize(
    ("kept", "decided"),
    [
        ({"counts": "stored"}, Stored()),
        ({"counts": "held", "undecided": ["HAUSEN"]}, Held(("HAUSEN",))),
        ({"counts": "nothing"}, NoOrder()),
        ({"counts": "nothing", "unopened": [{"code": "unopened-pgp", "params": {}}]}, NoOrder(unread=True)),
    ],
)
def test_a_row_of_a_version_before_decisions_is_read(kept: dict[str, object], decided: OrderDecision) -> None:
    receipt = from_json({"receipt": {**kept, "standing": "E5 w HAUS"}}).receipt
    assert receipt is not None
    assert (receipt.decided, receipt.standing) == (decided, "E5 w HAUS")
