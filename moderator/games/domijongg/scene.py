"""The table as a neutral drawing."""

from __future__ import annotations

from moderator.engine.contract import Scene
from moderator.engine.scenes import Head, Link, Snake
from moderator.games.domijongg.snake import chain
from moderator.games.domijongg.state import Public


def draw(public: Public) -> Scene:
    """All tiles with the cells they lie on, what they lie at, and the heads with the cells of their numbers."""
    count = len(public.laid)
    links = []
    for number, laid in enumerate(public.laid):
        joint = () if laid.at < 0 else (public.laid[laid.at].cell, laid.cell)
        fresh = number >= count - public.fresh
        links.append(Link(*laid.cell, tile=laid.tile, fresh=fresh, start=laid.at < 0, joint=joint))
    heads = tuple(
        Head(number, *label, tile=public.laid[tip].tile, at=public.laid[tip].cell)
        for number, (label, tip) in enumerate(zip(public.plan.labels, public.tips, strict=True), start=1)
    )
    chains = tuple(
        (head.number, tuple(public.laid[place].tile for place in chain(public, head.number))) for head in heads
    )
    return Snake(tuple(links), heads, chains)
