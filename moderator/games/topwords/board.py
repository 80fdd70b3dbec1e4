"""Where a word comes to lie: which tiles are needed, which words change, what the rules forbid, what it scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from moderator.common.errors import Illegal, NeverLegal, Undecided
from moderator.games.placement import build_word_refusal, list_claim_notes
from moderator.games.topwords.state import (
    CENTRE,
    RACK_POINTS,
    RARE,
    RARE_POINTS,
    SIZE,
    STEP,
    Run,
    TopwordsOptions,
    TopwordsPlacement,
    TopwordsPublic,
    get_stack_index,
    get_stack_name,
)
from moderator.rules.game import Context, Note, State, Verdict

Board = tuple[str, ...]


@dataclass(frozen=True)
class TopwordsLaidWord:
    """A placement, worked out on a board."""

    laid: tuple[tuple[int, str], ...]
    """(square, letter) of every tile from the rack, in reading order."""
    board: Board
    """The board afterwards."""
    runs: tuple[Run, ...]
    """Changed words: the laid word first, then the crossing ones in reading order."""

    def get_run_text(self, run: Run) -> str:
        """Return the letters on top of a run."""
        return "".join(self.board[square][-1] for square in run)


def lay_topwords_word(public: TopwordsPublic, move: TopwordsPlacement, hand: Sequence[str]) -> TopwordsLaidWord:
    """Work out ``move`` with the tiles of ``hand``; the dictionary is not asked.

    Raises Illegal: square-off-board, too-short, off-board, too-high, nothing-laid, not-whole-word, no-centre,
    not-connected, not-your-letters, covers-whole-word.
    """
    options, board = public.options, public.board
    start, length = get_stack_index(move.square, options), len(move.word)
    if length < 2:
        raise NeverLegal("too-short", word=move.word)
    y, x = divmod(start, SIZE)
    room = SIZE - (x if move.direction == "w" else y)
    if length > room:
        raise NeverLegal("off-board", word=move.word, square=move.square, room=room, length=length)
    squares = tuple(range(start, start + length * STEP[move.direction], STEP[move.direction]))
    laid = tuple((s, c) for s, c in zip(squares, move.word, strict=True) if board[s][-1:] != c)
    after = list(board)
    for square, letter in laid:
        if len(board[square]) >= options.max_height:
            raise Illegal("too-high", square=get_stack_name(square, options), height=options.max_height, letter=letter)
        after[square] += letter
    run = get_stack_run(after, squares[0], STEP[move.direction])
    if run != squares:
        word = "".join(after[s][-1] for s in run)
        raise Illegal("not-whole-word", word=move.word, run=word, square=get_stack_name(run[0], options))
    if not laid:
        raise Illegal("nothing-laid", word=move.word, square=move.square)
    if not any(board):
        if CENTRE.isdisjoint(squares):
            raise Illegal("no-centre", word=move.word, centre=["E5", "E6", "F5", "F6"])
    elif not any(board[s] or any(board[n] for n in list_stack_neighbours(s)) for s in squares):
        raise Illegal("not-connected", word=move.word, square=move.square)
    missing = Counter(letter for _, letter in laid) - Counter(hand)
    if missing:
        raise Illegal("not-your-letters", letters=sorted(missing.elements()), word=move.word)
    if not options.cover_whole_word:
        _check_cover(board, squares, {s for s, _ in laid}, move)
    cross = STEP["s" if move.direction == "w" else "w"]
    runs = [run, *(r for s, _ in laid if len(r := get_stack_run(after, s, cross)) > 1)]
    return TopwordsLaidWord(laid, tuple(after), tuple(runs))


def _check_cover(board: Board, squares: Run, laid: set[int], move: TopwordsPlacement) -> None:
    """With ``cover_whole_word`` off: no standing word may lose all its letters to one move.

    Only words in the line of the move can; a crossing one meets it in one square.
    """
    for run in list_lying_words(board, squares, STEP[move.direction]):
        if laid.issuperset(run):
            raise Illegal("covers-whole-word", word=move.word, covered="".join(board[s][-1] for s in run))


def list_lying_words(board: Sequence[str], squares: Run, step: int) -> list[Run]:
    """Return the words (runs of two or more) that lie within ``squares``, a line whose ends are free."""
    found = {get_stack_run(board, s, step) for s in squares if board[s]}
    return sorted(run for run in found if len(run) > 1)


def list_stack_neighbours(square: int) -> list[int]:
    """Return the two to four squares beside a square."""
    y, x = divmod(square, SIZE)
    around = ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1))
    return [b * SIZE + a for a, b in around if 0 <= a < SIZE and 0 <= b < SIZE]


def get_stack_run(board: Sequence[str], square: int, step: int) -> Run:
    """Return the longest unbroken run of occupied squares through an occupied ``square``, in a step of 1 or 10."""
    line = square % SIZE if step == 1 else square // SIZE
    first = last = square
    for _ in range(line):
        if not board[first - step]:
            break
        first -= step
    for _ in range(SIZE - 1 - line):
        if not board[last + step]:
            break
        last += step
    return tuple(range(first, last + 1, step))


# ---- points of a move: every tile of every changed word counts, the hidden ones too ----


def score_stack_run(board: Sequence[str], run: Run) -> int:
    """Return the number of tiles in all squares of a run; doubled if no square holds more than one."""
    tiles = sum(len(board[square]) for square in run)
    return 2 * tiles if tiles == len(run) else tiles


def is_rack_bonus_due(options: TopwordsOptions, held: int, stock: int) -> bool:
    """Return whether using all ``held`` tiles is worth the bonus: a full rack, or whatever is left at the end."""
    return held >= options.full_rack or stock == 0


def score_topwords_word(
    laying: TopwordsLaidWord, options: TopwordsOptions, held: int, stock: int
) -> tuple[int, list[int], list[Note]]:
    """Return (points in all, points of each changed word, a note for each bonus).

    ``held`` = tiles on the rack before the move, ``stock`` = tiles in the stock before it."""
    words = [score_stack_run(laying.board, run) for run in laying.runs]
    notes = []
    if len(laying.laid) == held and is_rack_bonus_due(options, held, stock):
        notes.append(Note("bonus-rack", {"count": held, "points": RACK_POINTS}, points=RACK_POINTS))
    rare = [letter for _, letter in laying.laid if letter in RARE]
    if rare:
        bonus = RARE_POINTS * len(rare)
        notes.append(Note("bonus-rare", {"letters": rare, "points": bonus}, points=bonus))
    return sum(words) + sum(note.points for note in notes), words, notes


# ---- referee ----
# One placement before the referee: board, dictionary, points and the player's own claims. Changes no state.


@dataclass(frozen=True)
class ScoredPlacement:
    """A legal placement and its points."""

    laying: TopwordsLaidWord
    points: int
    words: tuple[dict[str, Any], ...]
    """{"word", "points"} of every changed word, the laid one first."""
    notes: tuple[Note, ...]
    """Bonuses for everybody, differing claims for the player."""
    played: TopwordsPlacement
    """Without claims; with the base forms that were needed."""


def judge_topwords_placement(
    state: State[TopwordsPublic], seat: int, move: TopwordsPlacement, ctx: Context
) -> ScoredPlacement:
    """Judge ``move`` on the board as it stands.

    Raises Illegal (see ``lay_topwords_word``; also not-a-word and, with strict claims, wrong-claim) or Undecided."""
    options, hand = state.public.options, state.hand(seat)
    laying = lay_topwords_word(state.public, move, hand)
    texts = [laying.get_run_text(run) for run in laying.runs]
    extra = [word for word in dict.fromkeys(move.named) if word not in texts]
    bases, open_words = _judge_words(texts, extra, ctx)
    points, word_points, bonuses = score_topwords_word(laying, options, len(hand), len(state.stock))
    wrong = [word for word in extra if word not in bases]
    claims = list_claim_notes(seat, move.points, points, move.named, texts[1:], wrong)
    if claims and options.claims == "strict":
        raise Illegal("wrong-claim", word=move.word, words=texts, points=points)
    if open_words:
        raise Undecided(open_words)
    return ScoredPlacement(
        laying=laying,
        points=points,
        words=tuple({"word": w, "points": p} for w, p in zip(texts, word_points, strict=True)),
        notes=(*(replace(note, seat=seat) for note in bonuses), *claims),
        played=replace(move, named=tuple(bases), points=None),
    )


def _judge_words(texts: Sequence[str], extra: Sequence[str], ctx: Context) -> tuple[list[str], list[str]]:
    """Return (base forms that were needed, words that wait for a ruling). Raises Illegal("not-a-word")."""
    bases: list[str] = []
    open_words: list[str] = []
    refused: list[Verdict] = []
    for word in dict.fromkeys(texts):
        verdict = ctx.words.judge(word)
        if verdict.ruling != "accept":
            base, verdict = _judge_by_base(word, extra, verdict, ctx)
            if base and base not in bases:
                bases.append(base)
        if verdict.ruling == "reject":
            refused.append(verdict)
        elif verdict.ruling == "ask":
            open_words.append(word)
    if refused:
        # The first is the word that was written; those that it crosses may be others on another board.
        raise build_word_refusal(refused, NeverLegal if refused[0].word == texts[0] else Illegal)
    return bases, open_words


def _judge_by_base(word: str, extra: Sequence[str], plain: Verdict, ctx: Context) -> tuple[str, Verdict]:
    """Return the first named base form that saves a word, and the verdict; ("", ``plain``) if none does."""
    waiting: tuple[str, Verdict] | None = None
    for base in extra:
        verdict = ctx.words.judge(word, base)
        if verdict.ruling == "accept":
            return base, verdict
        if verdict.ruling == "ask" and waiting is None:
            waiting = base, verdict
    return waiting or ("", plain)
