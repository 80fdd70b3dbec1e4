"""What players write. Each knows the own tiles and the board from the last mail, and the rules a little: enough to
play, and to be wrong. Whether a move was played says the log."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from tests.outside.told import Asked

WORD_GAMES = ("topwords", "kreuzwort", "point")
EXAMPLE = re.compile(r"(?:Zum Beispiel|For example|zum Beispiel|for example)[:,]?\s+[»„“]([^«“”]+)[«“”]")
RACK = re.compile(
    r"^(?:Deine Steine|Your tiles|Die Buchstaben für alle|The letters for everybody): (.*)$", re.MULTILINE
)
COLOURS = re.compile(r"^- (?:rot|schwarz|red|black): (.*)$", re.MULTILINE)
COLUMNS = re.compile(r"^ +((?:[A-Z]+ +)+[A-Z]+)$", re.MULTILINE)
ROW = re.compile(r"^ ?(\d+)ǀ(.*)$", re.MULTILINE)
VOWELS = "AEIOUY"


def rack(body: str) -> list[str]:
    if found := RACK.search(body):
        return found[1].split()
    return [tile for line in COLOURS.findall(body) for tile in line.split()]


def board(body: str) -> tuple[list[str], dict[tuple[int, int], str]]:
    """The names of the columns, and the letter on top by (row, number of column)."""
    if not (heads := list(COLUMNS.finditer(body))):
        return [], {}
    head = heads[-1]  # before it may lie the final position of the round before
    names, body = head[1].split(), body[head.end() :]
    lying = {}
    for number, line in ROW.findall(body):
        cells = line.split()
        for column, cell in enumerate(cells[: len(names)]):
            if letters := re.findall(r"[A-ZÄÖÜ]", cell):
                lying[int(number), column] = letters[0]
    return names, lying


def pairs(body: str, lots: random.Random) -> Iterator[str]:
    """Words of two letters: a lying one and one of the rack beside it; on an empty board two of the rack."""
    names, lying = board(body)
    tiles = [tile for tile in rack(body) if len(tile) == 1 and tile.isalpha()]
    if not names or not tiles:
        return
    lots.shuffle(tiles)
    if not lying:
        if len(tiles) > 1:
            yield f"{'E5' if names[0] == 'A' and len(names) == 10 else 'T20'} w {tiles[0]}{tiles[1]}"
        return
    places = [*lying]
    lots.shuffle(places)
    for row, column in places:
        for down, across, way in ((0, 1, "w"), (1, 0, "s")):
            before, after = (row - down, column - across), (row + down, column + across)
            far = (row + 2 * down, column + 2 * across)
            if before in lying or after in lying or far in lying or after[1] >= len(names):
                continue
            yield f"{names[column]}{row} {way} {lying[row, column]}{tiles[0]}"


def steps_of_a_stair(tiles: list[str]) -> str:
    """All tiles in one crossword of words of two letters: AB / .CD / ..EF. A jolly stands for some letter."""
    letters = [{"*r": "*A", "*b": "*B", "*": "*A"}.get(tile, tile) for tile in tiles]
    rows = [letters[at : at + 2] for at in range(0, len(letters), 2)]
    return "Gitter (" + " / ".join("." * at + "".join(row) for at, row in enumerate(rows)) + ")"


def move(game: str, body: str, lots: random.Random) -> str:
    """An order that may well be possible."""
    if game == "presto":
        return steps_of_a_stair(rack(body))
    if game in WORD_GAMES:
        found = [text for text, _ in zip(pairs(body, lots), range(6), strict=False)]
        last = "passe" if game == "topwords" else lots.choice(("kaufe rot", "kaufe schwarz"))
        return "; sonst ".join([*found, last] if lots.random() < 0.9 else [last])
    if game == "recht":
        return lots.choice(("kaufe rot", "kaufe schwarz", "passe", _grow(body, lots)))
    return example.group(1) if (example := EXAMPLE.search(" ".join(body.split()))) else "passe"


def _grow(body: str, lots: random.Random) -> str:
    tiles = [tile for tile in rack(body) if tile.isalpha()] or ["E"]
    _, lying = board(body)
    if not lying:
        return f"{tiles[0]} an T20 s = {tiles[0]}{lots.choice('AEIN')}"
    return "; sonst ".join(f"{place} {tile}" for tile in tiles[:6] for place in ("hinten", "vorn"))


IMPOSSIBLE = {
    "topwords": "A1 w QXQXQXQX", "kreuzwort": "T20 w QXQXQXQX", "point": "T20 w QXQXQXQX", "recht": "hinten Q = QXQXQ",
    "presto": "Gitter (QX / .Q)", "dominos": "66@N; sonst 66@S", "tridom": "555@99", "supertridom": "555@99",
    "domijongg": "9: DR",
}  # fmt: skip


def hopeless(game: str, text: str, body: str) -> bool:
    """Whether none of the tiles that an order names is on the rack that the last mail showed."""
    if game not in ("dominos", "tridom", "supertridom"):
        return False
    named = [part.partition("@")[0] for part in text.split("; sonst ")]
    own = {"".join(sorted(re.sub(r"\D", "", tile))) for tile in rack(body)}
    return bool(own) and all(tile.isdecimal() and "".join(sorted(tile)) not in own for tile in named)


def mail(game: str, pace: str, code: str, body: str, english: bool, lots: random.Random) -> tuple[str, Asked]:
    """Something that a player might write."""
    drawn = lots.random()
    if drawn < 0.62:
        return move(game, body, lots), "move"
    if drawn < 0.70:
        return f"{IMPOSSIBLE[game]}; sonst {move(game, body, lots)}", "move"
    if drawn < 0.78:
        return IMPOSSIBLE[game], "move"
    if drawn < 0.83:
        return lots.choice(("Ich weiß noch nicht recht.", "What shall I do?", "bla bla", "Schöne Grüße")), "nonsense"
    if drawn < 0.88:
        return "WITHDRAW" if english else "ZURÜCKZIEHEN", "withdraw"
    if drawn < 0.91:
        return "STATUS" if english else "STAND", "status"
    if drawn < 0.93:
        return "HELP" if english else "HILFE", "help"
    if drawn < 0.97 and pace in ("rounds", "common"):
        return lots.choice(("WAIT", "READY") if english else ("WARTEN", "FERTIG")), "command"
    if drawn < 0.98:
        return "UNDO" if english else "RÜCKNAHME", "command"
    if drawn < 0.985:
        return f"RESIGN {code}" if english else f"AUFGEBEN {code}", "command"
    if game in ("dominos", "tridom", "supertridom") and drawn < 0.995:
        return "after drawing: best" if english else "nach Ziehen: bester", "standing"
    return "passe", "move"
