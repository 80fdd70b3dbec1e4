"""One placement before the referee: board, dictionary, points and the player's own claims. Changes no state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from moderator.engine.contract import Context, Note, State, Verdict
from moderator.errors import Illegal, Undecided
from moderator.games.rulings import differing_claims, not_a_word
from moderator.games.topwords.board import Laying, lay, score
from moderator.games.topwords.state import Place, Public


@dataclass(frozen=True)
class Ruling:
    """A legal placement and what it is worth."""

    laying: Laying
    points: int
    words: tuple[dict[str, Any], ...]
    """{"word", "points"} of every changed word, the laid one first."""
    notes: tuple[Note, ...]
    """Bonuses for everybody, differing claims for the player."""
    played: Place
    """Without claims; with the base forms that were needed."""


def rule(state: State[Public], seat: int, move: Place, ctx: Context) -> Ruling:
    """Judge ``move`` on the board as it stands.

    Raises Illegal (see ``board.lay``; also not-a-word and, with strict claims, wrong-claim) or Undecided.
    """
    options, hand = state.public.options, state.hand(seat)
    laying = lay(state.public, move, hand)
    texts = [laying.text(run) for run in laying.runs]
    extra = [word for word in dict.fromkeys(move.named) if word not in texts]
    bases, open_words = _judge(texts, extra, ctx)
    points, word_points, bonuses = score(laying, options, len(hand), len(state.stock))
    wrong = [word for word in extra if word not in bases]
    claims = differing_claims(seat, move.points, points, move.named, texts[1:], wrong)
    if claims and options.claims == "strict":
        raise Illegal("wrong-claim", word=move.word, words=texts, points=points)
    if open_words:
        raise Undecided(open_words)
    return Ruling(
        laying=laying,
        points=points,
        words=tuple({"word": w, "points": p} for w, p in zip(texts, word_points, strict=True)),
        notes=(*(replace(note, seat=seat) for note in bonuses), *claims),
        played=replace(move, named=tuple(bases), points=None),
    )


def _judge(texts: Sequence[str], extra: Sequence[str], ctx: Context) -> tuple[list[str], list[str]]:
    """(base forms that were needed, words that wait for a ruling). Raises Illegal("not-a-word")."""
    bases: list[str] = []
    open_words: list[str] = []
    refused: list[Verdict] = []
    for word in dict.fromkeys(texts):
        verdict = ctx.words.judge(word)
        if verdict.ruling != "accept":
            base, verdict = _by_base(word, extra, verdict, ctx)
            if base and base not in bases:
                bases.append(base)
        if verdict.ruling == "reject":
            refused.append(verdict)
        elif verdict.ruling == "ask":
            open_words.append(word)
    if refused:
        raise not_a_word(refused)
    return bases, open_words


def _by_base(word: str, extra: Sequence[str], plain: Verdict, ctx: Context) -> tuple[str, Verdict]:
    """The first named base form that saves a word, and the verdict; ("", ``plain``) if none does."""
    waiting: tuple[str, Verdict] | None = None
    for base in extra:
        verdict = ctx.words.judge(word, base)
        if verdict.ruling == "accept":
            return base, verdict
        if verdict.ruling == "ask" and waiting is None:
            waiting = base, verdict
    return waiting or ("", plain)
