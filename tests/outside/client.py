"""A program of somebody else's: it reads the attachment of a mail that asks for a move, as docs/turn.md describes it,
and knows the rules a little. All words of two letters count here, so that it finds one anywhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Turn = dict[str, Any]
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÜ"
VOWELS = "AEIOUY"
WINDS, DRAGONS, SPECIALS = ("E", "S", "W", "N"), ("DR", "DG", "DW"), "FJ"


def orders(turn: Turn) -> list[str]:
    """What the client would send, best first; the last of it is always possible where the game lets anybody pass."""
    return [*GAMES[turn["game"]](turn)]


# ---- dominoes and triangles ----


def dominos(turn: Turn) -> Iterator[str]:
    for tile in turn["rack"]:
        if not turn["board"]["laid"]:
            yield tile
        for place, end in turn["board"]["ends"].items():
            if str(end["value"]) in tile:
                yield f"{tile}@{place}"


def tridom(turn: Turn) -> Iterator[str]:
    for place, _, _, known in turn["board"]["free"]:
        for tile in turn["rack"]:
            for turned in (tile, tile[1:] + tile[0], tile[2] + tile[:2]):
                if all(sign in ("?", mine) for sign, mine in zip(known, turned, strict=True)):
                    yield f"{tile}@{place}"
                    break


# ---- Domi Jongg ----


def domijongg(turn: Turn) -> Iterator[str]:
    """The longest chain that is found by taking whatever fits."""
    chains = [(head, _chain(tile, turn["rack"])) for head, tile in enumerate(turn["board"]["heads"], 1)]
    head, best = max(chains, key=lambda chain: len(chain[1]))
    if best:
        yield f"{head}: {', '.join(best)}"
    for head, tile in enumerate(turn["board"]["heads"], 1):
        both = [one for one in turn["rack"] if tile[0] in SPECIALS and _branches(tile, one)]
        if len(both) > 1:
            yield f"{head}: {both[0]}+{both[1]}"


def _chain(tile: str, rack: list[str]) -> list[str]:
    chain, left = [], [*rack]
    while found := [one for one in left if _follows(tile, one)]:
        tile = found[0]
        left.remove(tile)
        chain.append(tile)
    return chain


def _follows(lying: str, new: str) -> bool:
    honours = (*WINDS, *DRAGONS)
    if lying in DRAGONS:
        return new in honours
    if lying in WINDS:
        return new in honours or new[0] in SPECIALS
    if lying[0] in SPECIALS:
        return new not in honours and new[0] in SPECIALS and (new[0] == lying[0] or new[1] == lying[1])
    return new not in honours and (new[0] == lying[0] or new[1] == lying[1])


def _branches(lying: str, new: str) -> bool:
    return new in WINDS or (new not in DRAGONS and new[0] not in SPECIALS and new[1] == lying[1])


# ---- words: two letters each, the one behind the other like stairs ----


def topwords(turn: Turn) -> Iterator[str]:
    rows, rack = turn["board"]["rows"], turn["rack"]
    lying = {(x, y): stack[-1] for y, row in enumerate(rows) for x, stack in enumerate(row) if stack}
    yield from _stairs(lying, rack, 10, "E5", lambda x, y: f"{LETTERS[x]}{y + 1}")
    yield "passe"


def crossword(turn: Turn) -> Iterator[str]:
    size, squares = turn["options"]["table_size"], turn["board"]["squares"]
    lying = {_place(name): tile[-1] for name, tile in squares.items()}
    rack = [tile for tile in turn["rack"] if len(tile) == 1]
    yield from _stairs(lying, rack, size, "T20", lambda x, y: f"{_column(x)}{y + 1}")
    yield "passe"


def _stairs(lying: dict[tuple[int, int], str], rack: list[str], size: int, first: str, name: Any) -> Iterator[str]:
    if not lying:
        if len(rack) > 1:
            yield f"{first} w {rack[0]}{rack[1]}"
        return
    x, y = max(lying, key=lambda at: (at[0] + at[1], at[0]))
    way = "s" if (x - 1, y) in lying else "w"
    if rack and (y if way == "s" else x) < size - 1:
        yield f"{name(x, y)} {way} {lying[x, y]}{rack[0]}"


def _place(name: str) -> tuple[int, int]:
    column = name.rstrip("0123456789")
    x = 0
    for letter in column:
        x = 26 * x + LETTERS.index(letter) + 1
    return x - 1, int(name[len(column) :]) - 1


def _column(x: int) -> str:
    return LETTERS[x] if x < 26 else LETTERS[x // 26 - 1] + LETTERS[x % 26]


def recht(turn: Turn) -> Iterator[str]:
    """Begins a word of two letters, goes on with one where it holds the letter, and else buys and reports on."""
    board, rack = turn["board"], [tile for tile in turn["rack"] if len(tile) == 1]
    running = board["running"]
    if board["completing"]:
        yield f"vollende ab {running['places'][0]}"
    elif running and running["word"]:
        missing = running["word"].removeprefix(running["letters"])
        if missing != running["word"] and missing[:1] in rack:
            yield f"weiter {missing[0]}"
    elif running is None and not board["squares"] and rack:
        yield f"{rack[0]} an T20 w = {rack[0]}E"
    yield "kaufe schwarz, passe"
    yield "passe"


def presto(turn: Turn) -> Iterator[str]:
    tiles = [{"*r": "*A", "*b": "*B"}.get(tile, tile) for tile in turn["rack"]]
    rows = [f"{'.' * step}{''.join(tiles[2 * step : 2 * step + 2])}" for step in range((len(tiles) + 1) // 2)]
    yield f"Gitter ({' / '.join(rows)})"
    yield "passe"


GAMES = {
    "dominos": dominos,
    "tridom": tridom,
    "supertridom": tridom,
    "domijongg": domijongg,
    "topwords": topwords,
    "kreuzwort": crossword,
    "point": crossword,
    "recht": recht,
    "presto": presto,
}
