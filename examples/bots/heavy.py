"""Plays Dominos: of the moves with the most points the one that gets rid of the heaviest tile."""

import json
import sys


def weight(move):
    """``65@L``: eleven."""
    return sum(int(digit) for digit in move[:2] if digit.isdigit())


def order(asked):
    legal = asked["legal"]
    if not legal:
        return ""
    if asked["turn"]["game"] != "dominos":
        return legal[0]["move"]
    most = max(one["points"] for one in legal)
    return max((one["move"] for one in legal if one["points"] == most), key=weight)


for line in sys.stdin:
    print(order(json.loads(line)), flush=True)
