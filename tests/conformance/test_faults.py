"""A small game with one fault each: Linie (tests/tenth/linie), or one of those that ``moderator game new`` writes, with
a few letters of it changed."""

import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from moderator.conformance import mails, sentences
from moderator.conformance.__main__ import _format_summary
from moderator.conformance.checks import CHECKS
from moderator.conformance.subject import GameSubject, run_check
from moderator.games import REGISTRY, load_game
from moderator.render import boards, document
from moderator.rules import replay
from moderator.rules.game import Note
from moderator.rules.records import record
from moderator.rules.robots import choose

LINIE = Path(__file__).parents[1] / "tenth" / "linie"
IN_TURNS, AT_ONCE = (Path(__file__).parents[2] / "templates" / name / "newgame" for name in ("game", "at-once"))
SAME = "ACROSS = 9\n"
"""A line that stays as it is, where everything is in ``more``."""
RULES, GERMAN, ENGLISH, BOARD = "rules.py", "messages.de.toml", "messages.en.toml", "board.js"
Changes = tuple[tuple[str, str, str], ...]
"""(file, old, new)"""


@dataclass(frozen=True)
class Fault:
    """What is wrong, and which check is meant for it."""

    name: str
    check: str
    file: str
    old: str
    new: str
    """Instead of ``old``, which stands there once."""
    more: Changes = ()
    """The same of further places."""
    game: Path = LINIE


LEAK = "fresh=move.end),\n            hands"
LEAKED = "fresh=move.end, left=dict.fromkeys(stock[:1], 1)),\n            hands"
DREW = "fresh=move.end, left=dict.fromkeys(drawn, 1)),\n            hands"
DRAWN = '{"tiles": list(drawn)}, seat=seat, only=seat)'
DRAWN_OPENLY = '{"tiles": list(drawn)}, seat=seat)'
FORCED: Changes = ((RULES, '"end": move.end}, forced)', '"end": move.end}, notes + forced)'),
                   (RULES, "Step(after, notes, won", "Step(after, (), won"))  # fmt: skip
"""A tile is drawn by itself, behind the move."""
SEEN = "        return Grid("
PEEPING = "        cells += tuple(Cell(8, 3, tile{}) for tile in view.public.left)\n        return Grid("


def second_deal(
    label: str = 'f"round{number}"', past: str = "after.ended", number: str = "state.public.round + 1"
) -> Changes:
    """The option ``deals``: as many are played, one after the other."""
    deal = f"""
        if after.over and after.public.round < after.public.left["deals"]:
            number = {number}
            pile = ctx.shuffle({label}, [letter for letter in LETTERS for _ in range(4)])
            hands = tuple(pile[5 * n : 5 * n + 5] for n in range(state.seats))
            public = replace(after.public, row=(), fresh="", round=number)
            after = State(public, hands, pile[5 * state.seats :], after.scores, (0,), past={past})
        return Step(after, notes, won"""
    return (
        (RULES, "    tiles: int = 5\n", "    tiles: int = 5\n    deals: int = 1\n"),
        (RULES, '("board", ())))', '("board", ())), left={"deals": options.deals})'),
        (RULES, "\n        return Step(after, notes, won", deal),
    )


OPTION = 'option.tiles" = "Tiles for each: {value}"\n'
APPLIED = '{"tile": move.tile, "end": move.end}'
FAULTS = (
    # ---- hidden tiles ----
    Fault("stock-in-public", "hidden-view", RULES, "replace(state.public, row=row, fresh=move.end)",
          "replace(state.public, row=row, fresh=move.end, left={letter: stock.count(letter) for letter in stock[:3]})"),
    Fault("hand-in-detail", "hidden-report", RULES, APPLIED, '{"tile": move.tile, "hand": hand}'),
    Fault("draw-for-all-eyes", "hidden-report", RULES, '{"tiles": list(drawn)}, seat=seat, only=seat)',
          '{"tiles": list(drawn)}, seat=seat)'),
    Fault("next-tile-in-picture", "hidden-picture", RULES, LEAK, LEAKED, ((RULES, SEEN, PEEPING.format("")),)),
    Fault("next-tile-in-alt-text", "hidden-alt", RULES, LEAK, LEAKED, ((RULES, SEEN, PEEPING.format(", fresh=True")),)),
    Fault("next-tile-in-turn-data", "hidden-turn", RULES, LEAK, LEAKED,
          ((RULES, '"row": list(public.row)', '"row": list(public.row), "next": list(public.left)'),)),
    Fault("forced-draw-for-all-eyes", "hidden-report", RULES, DRAWN, DRAWN_OPENLY, FORCED),
    Fault("forced-draw-in-public", "hidden-view", RULES, LEAK, DREW, FORCED),
    Fault("forced-draw-in-turn-data", "hidden-turn", RULES, LEAK, DREW,
          (*FORCED, (RULES, '"row": list(public.row)', '"row": list(public.row), "drawn": list(public.left)'))),
    # ---- notation ----
    Fault("lossy", "notation", RULES, 'return f"{move.tile}@{move.end}"', 'return f"{move.tile}@L"'),
    Fault("lossy-in-the-log", "replay", RULES, 'return f"{move.tile}@{move.end}"', 'return f"{move.tile}@L"'),
    Fault("not-readable-in-english", "languages", RULES, 'return f"{move.tile}@{move.end}"',
          "return f\"{move.tile} {'links' if move.end == 'L' else 'rechts'}\"",
          ((RULES, r"\s*@\s*([LR])\s*", r"\s*@?\s*(links|rechts|[LR])\s*"),
           (RULES, "found[2].upper()", "found[2][0].upper()"),
           (ENGLISH, OPTION, OPTION + '[move]\nlinks = "left"\nrechts = "right"\n'))),
    Fault("crash-on-rubbish", "rubbish", RULES, 'raise Unreadable("no-move", line=line)',
          'raise Unreadable("no-move", line=line, first=line.split()[0])'),
    Fault("refusal-without-a-sentence", "rubbish", RULES, 'raise Unreadable("no-move", line=line)',
          'raise Unreadable("nomove", line=line)'),
    Fault("reads-the-beginning", "half-read", RULES, "MOVE.fullmatch(line)", "MOVE.match(line)"),
    # ---- rules ----
    Fault("impure-apply", "pure", RULES, "        hand.remove(move.tile)\n        drawn",
          "        hand.remove(move.tile)\n        state.public.left[move.tile] = 1\n        drawn"),
    Fault("another-answer-each-time", "pure", RULES, "won = _worth(move)",
          "won = _worth(move)\n        self.asked = getattr(self, 'asked', 0) + 1\n        won += self.asked % 2"),
    Fault("kept-on-the-game", "apart", RULES, "won = _worth(move)", "won = _worth(move)\n        self.last = move"),
    Fault("shared-by-matches", "apart", RULES, "won = _worth(move)",
          "won = _worth(move)\n        BEST.append(len(row))\n        won += len(row) < max(BEST)"),
    Fault("duplicated-tile", "conserved", RULES, "        hand.remove(move.tile)\n        drawn", "        drawn"),
    Fault("lost-tile", "conserved", RULES, "stock=(*state.stock, lost)", "stock=state.stock"),
    Fault("dealt-by-chance", "deal", RULES, 'ctx.shuffle("round1", ', '__import__("random").sample(k=36, population='),
    Fault("never-shuffled", "deal", RULES, 'ctx.shuffle("round1", [letter for letter in LETTERS for _ in range(4)])',
          "[letter for letter in LETTERS for _ in range(4)]"),
    Fault("second-deal-of-no-round", "deal", RULES, SAME, SAME, second_deal('f"deal{number}"')),
    Fault("second-deal-from-the-first-seed", "deal", RULES, SAME, SAME, second_deal('f"round{number - 1}/again"')),
    Fault("second-deal-like-the-first", "deal", RULES, SAME, SAME, second_deal(number="state.public.round")),
    Fault("second-deal-that-forgets", "deal", RULES, SAME, SAME, second_deal(past="()")),
    Fault("chance-in-apply", "outside", RULES, "won = _worth(move)",
          "won = _worth(move)\n        __import__('random').random()"),
    Fault("reads-the-clock", "outside", RULES, "won = _worth(move)",
          "won = _worth(move)\n        __import__('time').time()"),
    Fault("reads-a-file", "outside", RULES, "won = _worth(move)",
          "won = _worth(move)\n        open(__file__).close()"),
    Fault("lists-what-apply-refuses", "legal", RULES, "            if _fits(row, Lay(tile, end)):\n",
          "            if _fits(row, Lay(tile, end)) or tile == 'A':\n"),
    Fault("plays-what-is-not-listed", "legal", RULES, "if not _fits(state.public.row, move):",
          "if not _fits(state.public.row, move) and move.tile != 'E':"),
    Fault("plays-at-every-second-call-what-is-not-listed", "legal", RULES, "if not _fits(state.public.row, move):",
          "if not _fits(state.public.row, move) and (len(state.stock) + state.seats) % 2 == 0:"),
    Fault("other-points-at-every-second-call", "points", RULES, "((move, _worth(move)) for",
          "((move, _worth(move) + (view.stock_count + len(view.hand_counts)) % 2) for"),
    Fault("scores-do-not-add-up", "scores", RULES,
          "score + won * (other == seat)", "score + won * 2 * (other == seat)"),
    Fault("double-points-when-the-round-ends", "scores", RULES, "score + worth *", "score + 2 * worth *", game=AT_ONCE),
    Fault("lost-when-nobody-takes-it", "conserved", RULES, "stock=state.stock[1:],\n            scores",
          "stock=state.stock[1 + (winner is None) :],\n            scores", game=AT_ONCE),
    Fault("everybody-wins", "winners", RULES, "    def find_rack_value(",
          "    def find_winners(self, state):\n        return tuple(range(state.seats)) if state.over else ()\n\n"
          "    def find_rack_value(", game=AT_ONCE),
    Fault("nobody-wins", "winners", RULES, "    def find_rack_value(",
          "    def find_winners(self, state):\n        return ()\n\n    def find_rack_value(", game=IN_TURNS),
    Fault("winners-too-early", "winners", RULES, " if state.over else ()", ""),
    Fault("plays-on-behind-the-end", "winners", RULES,
          "-> Step[Public]:\n        check_turn(state, seat)\n        lost", "-> Step[Public]:\n        lost"),
    Fault("rack-adds-points", "broken-off", RULES, "return 0", "return -len(state.hands[seat])"),
    Fault("no-plain-json", "plain", RULES, '"row": list(public.row)', '"row": public.row'),
    Fault("beside-the-board", "plain", RULES, "Cell(n % ACROSS, n // ACROSS", "Cell(n, n // ACROSS"),
    Fault("another-seat-another-situation", "situation", RULES, "    def export(",
          "    def describe_situation(self, view):\n        return (Note('passed', seat=view.seat),)\n\n"
          "    def export("),
    Fault("one-seat-too-many", "declared", RULES, "if not self.min_seats <= seats <= self.max_seats:", "if seats < 2:"),
    Fault("imports-what-may-change", "imports", RULES, "from moderator.rules.scenes import Cell, Grid\n",
          "from moderator.rules.scenes import Cell, Grid\nfrom moderator.rules.shuffling import keep_order\n"),
    # ---- to the end ----
    Fault("over-when-all-have-bid", "robots", RULES, "    at_once = True\n", "", game=AT_ONCE),
    Fault("over-after-the-first-round", "robots", RULES, "if opened else ()", "if state.public.round > 1 else ()",
          game=AT_ONCE),
    Fault("over-after-a-turn-each", "robots", RULES, "waiting and _free(state.public)",
          "waiting and sum(square != '.' for square in state.public.board) < state.seats", game=IN_TURNS),
    Fault("never-ending", "robots", RULES, "        won = _worth(move)\n",
          "        won = _worth(move)\n        row, stock = row[-4:], (*stock, *row[:-4])\n",
          ((RULES, "return not row or abs", "return True or abs"),)),
    Fault("leaver-in-a-circle", "left", RULES, "        hand.remove(lost)\n", "",
          ((RULES, "stock=(*state.stock, lost)", "stock=state.stock"),)),
    # ---- the turn as data ----
    Fault("table-that-does-not-come-back", "turn", RULES, "    def find_rack_value(",
          "    def table(self, public):\n        return {'row': list(public.row), 'fresh': public.fresh}\n\n"
          "    def placed(self, values, options, seats, round_number):\n"
          "        return Public(tuple(values['row'])[:3], values['fresh'])\n\n    def find_rack_value("),
    Fault("table-too-large", "turn", RULES, '"row": list(public.row)', '"row": [*public.row] + ["A"] * 9999'),
    # ---- sentences ----
    Fault("missing-in-english", "sentences", ENGLISH,
          '"not-your-tile" = "You do not hold the tile {tile}."\n', ""),
    Fault("option-without-words", "sentences", RULES,
          "    tiles: int = 5\n", "    tiles: int = 5\n    jokers: int = 0\n"),
    Fault("code-without-a-sentence", "codes", RULES, '"does-not-fit"', '"fits-nowhere"'),
    Fault("value-missing", "told", RULES, 'Note("missed", {"tile": lost}, seat=seat)', 'Note("missed", seat=seat)'),
    Fault("missed-turn-not-told", "missed", ENGLISH, '"mail.then-missing"', '"mail.then-other"'),
    Fault("missed-turn-does-nothing", "missed", RULES, "_bid(state, seat, card), (", "replace(state, to_move=tuple("
          "other for other in state.to_move if other != seat)), (",
          ((RULES, "in enumerate(bids) if", "in enumerate(bids) if card and"),), AT_ONCE),
    Fault("missed-turn-bids-the-highest", "missed", RULES, "card = min(", "card = max(", game=AT_ONCE),
    Fault("german-in-english", "language", ENGLISH,
          "You do not hold the tile {tile}.", "Den Stein {tile} hast du nicht."),
    Fault("example-nobody-can-play", "quoted", ENGLISH, '"C@L"', '"C to the left"'),
    Fault("sentence-that-is-a-move", "no-moves", ENGLISH, '"Can lay nothing and passes."', '"A@L"'),
    # ---- the touch board ----
    Fault("page-of-another-game", "page", BOARD, 'games: ["', 'games: ["not_'),
    Fault("page-without-its-object", "page", BOARD, "export const linie = {", "export const linie = {\n  // the row"),
    Fault("page-that-does-not-parse", "page", BOARD, "function fits({ row }, spot, tile) {",
          "function fits({ row }, {"),
    Fault("page-with-a-name-of-the-shell", "page", BOARD, "const SIDE = 44;", "const SIDE = 44;\nconst fill = 1;"),
    Fault("page-with-two-names", "page", BOARD, "const SIDE = 44;", "const SIDE = 44, listed = 1;"),
    Fault("page-with-a-misspelt-code", "page", BOARD, '"does-not-fit"', '"does-not-fits"'),
    Fault("page-with-a-code-that-is-made", "page", BOARD, '"does-not-fit"', '["nothing", "fits"].join("-")'),
    Fault("page-with-a-code-in-other-quotes", "page", BOARD, '"does-not-fit"', "'does-not-fit'"),
    Fault("page-with-a-code-of-the-shell", "page", BOARD, '"zug-stone"', '"zug-lies"',
          ((GERMAN, '"zug-stone"', '"zug-lies"'), (ENGLISH, '"zug-stone"', '"zug-lies"'))),
    Fault("sentence-that-no-page-says", "page", GERMAN, '"zug-nothing"', '"zug-nothin"',
          ((ENGLISH, '"zug-nothing"', '"zug-nothin"'),)),
    Fault("page-that-throws", "page", BOARD, "row: turn.board.row,", "row: turn.board.rows.flat(),"),
    Fault("position-without-its-turn", "page", BOARD, "return { turn, row: ", "return { turn: { ...turn }, row: "),
    Fault("position-without-laid", "page", BOARD, "row: turn.board.row, laid: {} };", "row: turn.board.row };"),
    Fault("put-lays-nothing", "page", BOARD, "laid: { [spot]: tile } };", "lies: { [spot]: tile } };"),
    Fault("put-changes-its-position", "page", BOARD, "return { ...position, laid: { [spot]: tile } };",
          "position.last = tile;\n    return { ...position, laid: { [spot]: tile } };"),
    Fault("take-takes-nothing", "page", BOARD, "return { ...position, laid: {} };", "return { ...position };"),
    Fault("judge-says-nothing", "page", BOARD, "return move ?", "return move && move[0] === 'L' ?"),
    Fault("name-that-is-no-text", "page", BOARD, "return row[spot] ?? spot;", "return row[spot];"),
    Fault("page-draws-a-link", "page", BOARD, '["text", { class: "ink", x: (at', '["a", { class: "ink", x: (at'),
    Fault("spot-without-a-label", "page", BOARD, "label: [tile ?", "says: [tile ?"),
    Fault("cursor-on-no-spot", "page", BOARD, 'return "R";', 'return "M";'),
    Fault("page-allows-too-much", "page", BOARD, "<= 2);", "<= 3);"),
    Fault("page-allows-too-little", "page", BOARD, "<= 2);", "<= 1);"),
    Fault("page-counts-otherwise", "page", BOARD, "- 64 }", "- 63 }"),
    # ---- by mail ----
    Fault("stock-told-in-a-mail", "hidden-mail", RULES, LEAK, LEAKED,
          ((RULES, "    def export(", "    def describe_situation(self, view):\n        return tuple(Note("
            "'drew-tiles', {'tiles': [tile]}) for tile in view.public.left)\n\n    def export("),)),
    Fault("forced-draw-in-a-mail", "hidden-mail", RULES, DRAWN, '{"tile": drawn[0]}, seat=seat)',
          (*FORCED, (RULES, 'Note("drew-tiles"', 'Note("missed"'))),
    Fault("forced-draw-on-the-site", "hidden-site", RULES, LEAK, DREW, (*FORCED, (RULES, SEEN, PEEPING.format("")))),
    Fault("stock-drawn-on-the-site", "hidden-site", RULES, LEAK, LEAKED, ((RULES, SEEN, PEEPING.format("")),)),
    Fault("nobody-has-words-for-it", "mails", ENGLISH,
          '"not-your-tile" = "You do not hold the tile {tile}."\n', ""),
    Fault("german-mail-in-english", "mail-language", ENGLISH, "you miss the turn and put a tile away.",
          "setzt du aus und legst einen Stein weg."),
    Fault("a-mail-that-plays", "mail-harmless", GERMAN, "Den Stein {tile} hast du nicht.", "C@L"),
    Fault("too-much-for-a-file", "mail-turn", RULES, '"row": list(public.row)', '"row": list(public.row) * 9999'
          ' or ["A"] * 9999'),
    # ---- what is seen ----
    Fault("picture-too-wide", "picture", RULES,
          "tuple(map(str, range(1, ACROSS + 1)))", "tuple(map(str, range(1, 61)))"),
    Fault("tiles-without-names", "alt", RULES, "n // ACROSS, letter, fresh", "n // ACROSS, ' ', fresh"),
    Fault("slow", "speed", RULES, "won = _worth(move)",
          "won = _worth(move)\n        [sum(range(10_000)) for _ in range(900)]"),
)  # fmt: skip
LEFT: Changes = ((RULES, "    round: int = 1\n\n\nclass", "    round: int = 1\n    left: tuple = ()\n\n\nclass"),)
"""A place for what nobody should see."""
TURNED_UP = "round=state.public.round + len(opened),"
NEXT: Changes = (*LEFT, (RULES, TURNED_UP, TURNED_UP + " left=state.stock[1:2],"))
"""The prize after the next one, when a round ends."""
DEALT = "Public(pile[:1], ((),) * seats, count"
FIRST: Changes = (*LEFT, (RULES, DEALT, DEALT + ", left=pile[1:2]"))
"""The second prize, from the deal on."""
OPENED = "(0,) * seats, (first,)))"
NOT_TAKEN = '_next(state, seat), (Note("missed", seat=seat),))'
BID = '(Note("missed", {"card": card}, seat=seat),))'
SCENE, EXPORT_ONE = '        rows = ("P",', '{"round": public.round, "prizes"'
SITUATION = "return (Note("


def leak(name: str, check: str, game: Path, old: str, new: str, more: Changes = ()) -> Fault:
    return Fault(f"leak-{name}", f"hidden-{check}", RULES, old, new, more, game)


LEAKS = (
    # at the deal
    leak("tile-at-the-deal", "report", IN_TURNS, OPENED,
         OPENED[:-1] + ', (Note("opened", {"tile": hands[0][0]}, seat=0),))'),
    leak("tile-at-the-deal-by-itself", "report", IN_TURNS, OPENED,
         OPENED[:-1] + ', after=(Note("opened", {"tile": hands[0][0]}, seat=0),))'),
    leak("stock-at-the-deal-in-public", "view", IN_TURNS, "State(Public()",
         "State(Public(left=stock[:2])", LEFT),
    leak("stock-at-the-deal-in-turn-data", "turn", IN_TURNS, "State(Public()",
         "State(Public(left=stock[:1])",
         (*LEFT, (RULES, '"fresh": public.fresh}', '"fresh": public.fresh, "next": list(public.left)}'))),
    leak("prize-at-the-deal-in-the-situation", "report", AT_ONCE, SITUATION,
         "return (*(Note(p) for p in view.public.left), Note(", FIRST),
    leak("prize-at-the-deal-in-the-picture", "picture", AT_ONCE, SCENE,
         "        cells += [Cell(6, 1, p[1:]) for p in public.left]\n" + SCENE, FIRST),
    leak("second-deal-in-public", "view", LINIE, SAME, SAME,
         (*second_deal()[:2], (second_deal()[2][0], second_deal()[2][1], second_deal()[2][2].replace(
             "round=number)", "round=number, left={hands[1][0]: 1, 'deals': after.public.left['deals']})")))),
    # a missed turn
    leak("hand-by-a-missed-turn", "report", IN_TURNS, NOT_TAKEN,
         '_next(state, seat), (Note("missed", {"tile": "".join(state.hands[seat])}, seat=seat),))'),
    leak("hand-by-a-missed-turn-in-its-detail", "report", IN_TURNS, NOT_TAKEN,
         NOT_TAKEN[:-1] + ', detail={"hand": list(state.hands[seat])})'),
    leak("what-a-hand-has-as-a-code", "report", IN_TURNS, NOT_TAKEN,
         '_next(state, seat), (Note("missed" if "A" in state.hands[seat] else "missed-tried", seat=seat),))'),
    leak("stock-by-a-missed-turn-in-public", "view", IN_TURNS, NOT_TAKEN,
         NOT_TAKEN.replace("_next(state, seat)", "_next(replace(state, public=replace(state.public, "
                           "left=state.stock[:1])), seat)"), LEFT),
    leak("stock-by-a-missed-turn-in-the-picture", "picture", IN_TURNS, NOT_TAKEN,
         NOT_TAKEN.replace("_next(state, seat)", "_next(replace(state, public=replace(state.public, "
                           "left=state.stock[:1])), seat)"),
         (*LEFT, (RULES, "        return Grid(", "        cells += tuple(Cell(4, 4, one) for one in view.public.left)\n"
                  "        return Grid("))),
    leak("hand-by-a-missed-bid", "report", AT_ONCE, BID,
         '(Note("missed", {"card": card, "others": list(state.hands[seat])}, seat=seat),))'),
    # a move
    leak("hand-by-a-bid", "report", AT_ONCE, 'detail={"card": move.card}', 'detail={"hand": list(state.hands[seat])}'),
    leak("draw-to-the-next-seat", "report", IN_TURNS, "seat=seat, only=seat),) if drawn",
         "seat=seat, only=(seat + 1) % state.seats),) if drawn"),
    # the end of a round
    leak("prize-when-the-round-ends", "report", AT_ONCE, 'note = Note("nobody")',
         'note = Note("nobody", {"next": state.stock[1:2]})'),
    leak("prize-when-the-round-ends-in-public", "view", AT_ONCE, *NEXT[1][1:], LEFT),
    leak("prize-when-the-round-ends-in-the-situation", "report", AT_ONCE, SITUATION,
         "return (*(Note(p) for p in view.public.left), Note(", NEXT),
    leak("prize-when-the-round-ends-in-the-picture", "picture", AT_ONCE, SCENE,
         "        cells += [Cell(6, 1, p[1:]) for p in public.left]\n" + SCENE, NEXT),
    leak("prize-when-the-round-ends-in-the-alt-text", "alt", AT_ONCE, SCENE,
         "        cells += [Cell(6, 1, p[1:], fresh=True) for p in public.left]\n" + SCENE, NEXT),
    leak("prize-when-the-round-ends-in-turn-data", "turn", AT_ONCE, EXPORT_ONE,
         '{"next": list(public.left), "prizes"', NEXT),
    leak("hands-in-turn-data", "turn", AT_ONCE, EXPORT_ONE, '{"hands": public.left, "prizes"',
         (*LEFT, (RULES, TURNED_UP, TURNED_UP + " left=tuple(map(list, state.hands)),"))),
    # as it is read
    leak("tile-at-the-deal-in-a-mail", "mail", IN_TURNS, OPENED,
         OPENED[:-1] + ', (Note("taken", {"square": hands[0][0]}, seat=0),))'),
    leak("hand-by-a-missed-turn-in-a-mail", "mail", IN_TURNS, NOT_TAKEN,
         '_next(state, seat), (Note("taken", {"square": state.hands[seat][0]}, seat=seat),))'),
    leak("prize-when-the-round-ends-in-a-mail", "mail", AT_ONCE, "int(view.public.prizes[-1][1:])",
         "int((*view.public.prizes, *view.public.left)[-1][1:])", NEXT),
    leak("prize-when-the-round-ends-on-the-site", "site", AT_ONCE, SCENE,
         "        cells += [Cell(6, 1, p[1:]) for p in public.left]\n" + SCENE, NEXT),
)  # fmt: skip
FORCED_DRAW = Fault("forced-draw", "", RULES, SAME, SAME, FORCED)
"""The game in which tiles are drawn by themselves, with nothing wrong."""
UNLIKE = Fault("unlike", "", RULES, "won = _worth(move)",
               "won = _worth(move) + sum(31**n * ord(t) for n, t in enumerate((*sum(state.hands, ()), *state.stock)))",
               )  # fmt: skip
"""Points hang on all that is hidden, so that no two worlds look alike."""
NO_GLYPH = Fault("no-glyph", "", RULES, SEEN, '        cells += (Cell(8, 3, "♠"),)\n' + SEEN)
"""A sign that the font of the pictures has not."""
WITHOUT = Fault("without", "", RULES, SAME, SAME)
"""The game as it is."""
TWO_DEALS = Fault("two-deals", "", RULES, SAME, SAME, second_deal())
"""The game with an option that has nothing wrong."""


@contextmanager
def installed(fault: Fault, folder: Path) -> Iterator[str]:
    """The game with the fault, registered under a key of its own: sentences are kept by keys."""
    key = f"linie_{re.sub(r'[^a-z]', '_', fault.name)}"
    old = fault.game.name
    package = folder / key
    shutil.copytree(fault.game, package, ignore=shutil.ignore_patterns("__pycache__"))
    for language in ("de", "en"):
        (package / f"rules.{old}.{language}.md").rename(package / f"rules.{key}.{language}.md")
    for name in {RULES, BOARD} & {file.name for file in package.iterdir()}:
        text = (package / name).read_text(encoding="utf-8").replace(f'"{old}"', f'"{key}"')
        (package / name).write_text(text.replace("LETTERS = ", "BEST = [0]\nLETTERS = ", 1), encoding="utf-8")
    for name, old, new in ((fault.file, fault.old, fault.new), *fault.more):
        text = (package / name).read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{fault.name}: {old!r} stands there {text.count(old)} times"
        (package / name).write_text(text.replace(old, new), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        patch.setitem(REGISTRY.others, key, f"{key}.rules:GAME")
        yield key
    for name in [name for name in sys.modules if name.partition(".")[0] == key]:
        del sys.modules[name]


BY_NAME = {check.name: check for check in CHECKS}


@pytest.fixture(scope="module")
def linie(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GameSubject]:
    """The game as it is."""
    with installed(WITHOUT, tmp_path_factory.mktemp("linie")) as key:
        yield GameSubject(key, quick=True)


TOLD = {
    "page-that-does-not-parse": "SyntaxError",
    "page-with-two-names": "Identifier 'listed' has already been declared",
    "page-with-a-name-of-the-shell": "'fill' is a name of the shell",
    "page-with-a-code-of-the-shell": "'zug-lies' is a sentence of the shell",
    "position-without-laid": "no `laid`",
    "page-allows-too-little": "the page lets no tile be put so",
}
"""What is said of some."""


@pytest.mark.slow
@pytest.mark.parametrize("fault", [*FAULTS, *LEAKS], ids=lambda fault: fault.name)
def test_a_fault_is_caught_by_the_check_that_is_meant_for_it(fault: Fault, tmp_path: Path) -> None:
    with installed(fault, tmp_path) as key:
        outcome = run_check(BY_NAME[fault.check], GameSubject(key, quick=True, absurd=200))
    assert not outcome.is_ok, outcome
    assert BY_NAME[fault.check].promise in "\n".join(outcome.format_lines())
    assert outcome.findings[0].call
    assert TOLD.get(fault.name, "") in outcome.findings[0].found


@pytest.mark.slow
def test_an_evaluation_that_tells_the_stock_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a game of our own: no small one has a common rack."""
    kind = type(load_game("topwords"))
    settle = kind.evaluate_round

    def told(self: Any, *given: Any) -> Any:
        step = settle(self, *given)
        return replace(step, notes=(*step.notes, Note("next", {"tiles": list(step.state.stock[:3])})))

    monkeypatch.setattr(kind, "evaluate_round", told)
    outcome = run_check(BY_NAME["hidden-report"], GameSubject("topwords", quick=True))
    assert [one.found.partition(":")[0] for one in outcome.findings] == ["the report tells what is hidden (evaluation)"]


@pytest.mark.slow
def test_without_a_fault_nothing_is_found(linie: GameSubject) -> None:
    outcomes = [run_check(check, linie) for check in CHECKS]
    assert [one for one in outcomes if one.findings or one.skipped or not one.is_ok] == []


def lines_of(fault: Fault, check: str, folder: Path) -> list[str]:
    """What is said about the game by a check."""
    with installed(fault, folder) as key:
        return run_check(BY_NAME[check], GameSubject(key, quick=True)).format_lines()


def test_a_second_deal_is_looked_at_though_only_an_option_leads_to_it(tmp_path: Path) -> None:
    said = lines_of(TWO_DEALS, "deal", tmp_path)
    assert said == ["deal           ok (a second deal in sequential, deals = 2)"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hidden-view", "hidden-report", "hidden-turn", "hidden-mail", "hidden-site"])
def test_draws_that_happen_by_themselves_are_compared(name: str, tmp_path: Path) -> None:
    (line,) = lines_of(FORCED_DRAW, name, tmp_path)
    assert line.split()[1] == "ok"
    assert "(" in line


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "unseen"),
    [("hidden-report", "move (compared: deal "), ("hidden-mail", "move, missed turn (compared: deal ")],
)
def test_a_check_of_secrets_names_each_kind_of_call_at_which_it_could_not_look(
    name: str, unseen: str, tmp_path: Path
) -> None:
    with installed(UNLIKE, tmp_path) as key:
        outcome = run_check(BY_NAME[name], GameSubject(key, quick=True))
    (line,) = outcome.format_lines()
    assert line.startswith(f"{name:<14} NOT SEEN: {unseen}")
    assert line.endswith(f"look at it by hand: {BY_NAME[name].promise}")
    assert _format_summary([outcome]) == f"1 checks, 0 failed; 1 could not see what they look at: {name}"


@pytest.mark.slow
def test_a_fault_that_several_checks_meet_is_told_once(tmp_path: Path) -> None:
    with installed(NO_GLYPH, tmp_path) as key:
        subject = GameSubject(key, quick=True)
        first, second = (run_check(BY_NAME[name], subject) for name in ("picture", "mails"))
    (found,) = {one.found for one in (*first.findings, *second.findings)}
    assert "docs/build/contract.md" in found
    assert second.format_lines({found: "picture"}) == ["mails          FAILED by the same as picture"]
    assert len(second.format_lines()) > 1


def test_what_the_page_shows_is_what_is_printed(tmp_path: Path) -> None:
    (fault,) = (one for one in FAULTS if one.name == "duplicated-tile")
    said = lines_of(fault, "conserved", tmp_path)[:4]
    page = (Path(__file__).parents[2] / "docs" / "build" / "conformance.md").read_text(encoding="utf-8")
    assert "\n".join(f"    {line}" for line in said) in page


@pytest.mark.slow
def test_a_name_that_is_not_escaped_is_found(linie: GameSubject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "escape", str)
    outcome = run_check(BY_NAME["mail-names"], GameSubject(linie.key, quick=True))
    assert "a name has become a tag of the page" in [one.found for one in outcome.findings]


@pytest.mark.slow
def test_a_site_with_a_gap_is_found(linie: GameSubject, monkeypatch: pytest.MonkeyPatch) -> None:
    subject = GameSubject(linie.key, quick=True)
    (season,) = mails.get_mailed_matches(subject)
    page = season.site["matches/K7Q2.html"].replace(b"</h1>", b"</h1> some-code (tile = C)", 1)
    vars(subject)["_seasons"] = (replace(season, site={**season.site, "matches/K7Q2.html": page}),)
    assert "some-code (tile = C)" in run_check(BY_NAME["site"], subject).findings[0].found


EXPORT, BACK = record.build_record, replay._apply_undo
BROKEN = {
    "mail-picture": (boards, "describe_board", lambda *given, **named: "", "a picture has no alt text"),
    "alt": (boards, "describe_board", lambda *given, **named: "", "is empty"),
    "mail-example": (choose, "example_moves", lambda *given: {"move": "Z@L"}, "nothing can be played now"),
    "examples": (sentences, "example_moves", lambda *given: {"move": "Z@L"}, ""),
    "record": (record, "build_record", lambda *given: {**EXPORT(*given), "commitments": ["00" * 32]}, ""),
    "undo": (replay, "_apply_undo", lambda past, entry: BACK(past, replace(entry, text="0")), ""),
}
"""Check -> what of our own program is another one, and what is found."""


@pytest.mark.slow
@pytest.mark.parametrize("name", BROKEN)
def test_a_fault_of_our_own_is_found(name: str, linie: GameSubject, monkeypatch: pytest.MonkeyPatch) -> None:
    module, function, wrong, found = BROKEN[name]
    monkeypatch.setattr(module, function, wrong)
    outcome = run_check(BY_NAME[name], GameSubject(linie.key, quick=True))
    assert not outcome.is_ok
    assert found in "\n".join(one.found for one in outcome.findings)


def test_each_check_has_a_fault() -> None:
    """Those of a game, or of ours (above)."""
    assert {fault.check for fault in FAULTS} | {"mail-names", "site", *BROKEN} == set(BY_NAME)
