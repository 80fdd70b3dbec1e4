"""Words before the dictionary."""

from __future__ import annotations

from collections.abc import Iterable

from moderator.engine.contract import Context
from moderator.errors import Undecided
from moderator.games.rulings import not_a_word


def judge(words: Iterable[str], ctx: Context) -> None:
    """Raises Illegal("not-a-word") if any word does not count, else Undecided if the moderator must rule on some."""
    verdicts = [ctx.words.judge(word) for word in dict.fromkeys(words)]
    refused = [verdict for verdict in verdicts if verdict.ruling == "reject"]
    if refused:
        raise not_a_word(refused)
    waiting = [verdict.word for verdict in verdicts if verdict.ruling == "ask"]
    if waiting:
        raise Undecided(waiting)
