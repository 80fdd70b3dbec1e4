"""Reviews that play on a tenth as often as in earnest, for tests that are not about how well they think."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from moderator.games.domijongg.rules import DomiJongg
from moderator.games.dominos.rules import Dominos
from moderator.games.tridom.rules import Tridom


@contextmanager
def little_thought() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for cls in (Dominos, Tridom, DomiJongg):
            patch.setattr(cls, "effort", replace(cls.effort, reviewed=cls.effort.reviewed // 10))
        yield
