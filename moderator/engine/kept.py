"""What a seat has stored in pace ``sequential``: the moves for its next turn, kept until they are played, replaced or
withdrawn, and behind them its standing orders, kept until they are withdrawn."""

from __future__ import annotations

from moderator.engine.contract import Game, M, P, View
from moderator.engine.orders import split
from moderator.errors import PlayerError

JOIN = "; sonst "


def standing(game: Game[P, M], view: View[P], *texts: str) -> str:
    """The standing orders (``nach Ziehen: bester``) in ``texts``, in one line and each once; "" if there are none."""
    return JOIN.join(dict.fromkeys(order for text in texts for order in _sorted(game, view, text)[1]))


def keep(game: Game[P, M], view: View[P], before: str, text: str, moves: bool = True) -> str:
    """What is stored when ``text`` comes to ``before``: its moves, or those of ``before`` if it brings none (or with
    ``moves`` False), and the standing orders of both. A text without standing orders stays as it is written."""
    lasting = standing(game, view, text, before)
    if not lasting:
        return text if moves else before
    new = _sorted(game, view, text)[0] if moves else []
    return JOIN.join([*(new or _sorted(game, view, before)[0]), lasting])


def _sorted(game: Game[P, M], view: View[P], text: str) -> tuple[list[str], list[str]]:
    """The alternatives of ``text``: (moves as written, standing orders in canonical notation)."""
    moves: list[str] = []
    lasting: list[str] = []
    for alternative in split(text, game.style):
        try:
            move = game.parse(alternative.text, view)
        except PlayerError:
            moves.append(alternative.text)  # readable when it was stored; perhaps it is again when it is tried
            continue
        if game.lasting(move):
            lasting.append(game.format(move))
        else:
            moves.append(alternative.text)
    return moves, lasting
