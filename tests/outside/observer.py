"""Plays matches by mail and on the command line, and reads what everybody was told.

Players know the own tiles and the board from the last mail, and the rules a little: enough to play, and to be wrong.
Whether a move was played says the log.
"""

import itertools
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Literal

from tests.outside.line import CommandFailed, Letter, Line, Post, Seen, read_log, read_missing
from tests.outside.told import Asked, Reading, Step, wrong

EXAMPLE = re.compile(r"(?:[Zz]um Beispiel|[Ff]or example|[Pp]ar exemple)[:,]?\s+[»„“«] ?([^«»“”]+?) ?[«“”»]")
RACK = re.compile(
    r"^(?:Deine Steine|Your tiles|Tes pièces|Die Buchstaben für alle|The letters for everybody|Les lettres pour tous)"
    r"\s?: (.*)$",
    re.MULTILINE,
)
COLOURS = re.compile(r"^- (?:rot|schwarz|red|black|rouge|noir)\s?: (.*)$", re.MULTILINE)
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
    if game == "topwords":
        found = [text for text, _ in zip(pairs(body, lots), range(6), strict=False)]
        return "; sonst ".join([*found, "passe"] if lots.random() < 0.9 else ["passe"])
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
    "topwords": "A1 w QXQXQXQX",
    "recht": "hinten Q = QXQXQ",
    "presto": "Gitter (QX / .Q)",
    "dominos": "66@N; sonst 66@S",
    "tridom": "555@99",
}


def hopeless(game: str, text: str, body: str) -> bool:
    """Whether none of the tiles that an order names is on the rack that the last mail showed."""
    if game not in ("dominos", "tridom"):
        return False
    named = [part.partition("@")[0] for part in text.split("; sonst ")]
    own = {"".join(sorted(re.sub(r"\D", "", tile))) for tile in rack(body)}
    return bool(own) and all(tile.isdecimal() and "".join(sorted(tile)) not in own for tile in named)


def write_order(game: str, pace: str, code: str, body: str, english: bool, lots: random.Random) -> tuple[str, Asked]:
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
        return f"RESIGN {code} YES" if english else f"AUFGEBEN {code} JA", "command"
    if game in ("dominos", "tridom") and drawn < 0.995:
        return "after drawing: best" if english else "nach Ziehen: bester", "standing"
    return "passe", "move"


SETTINGS = """\
[club]
name = "Testrunde"
moderator = "boss@club.example"
[mail]
address = "games@club.example"
transport = "maildir"
replies_per_day = 100000
[guard]
outage_hours = 9999
nmr_least = 9999
[deadlines]
days = 2
abandon_after = 3
"""
PLAYERS = {"Anna": "de", "Bert": "en", "Cora": "de", "Dora": "fr"}
ROBOT = "Ada"
Table = tuple[str, str, str]
"""Game, who plays, options."""
TABLES: tuple[Table, ...] = (
    ("topwords", "Anna Bert Ada", ""),
    ("dominos", "Anna Bert", ""),
    ("topwords", "Cora Bert Dora", "-o pace=rounds --early"),
    ("recht", "Anna Dora Cora", ""),
    ("presto", "Cora Dora Anna", "-o rounds=3"),
    ("topwords", "Anna Dora", "-o pace=common --early -o common_end=false"),
    ("tridom", "Cora Dora Ada", ""),
)
DEALT_ONCE = ("topwords",)
"""A round of theirs is a circle of turns."""
OUT = re.compile(r"(?:und|and|et) (\w+) (?:kann es nicht vollenden|cannot complete it|ne peut pas le compléter)")
"""What everybody reads when somebody is out by the rules."""
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÜ"


@dataclass
class Match:
    table: Table
    seen: Seen = field(default_factory=Seen)

    @property
    def game(self) -> str:
        return self.table[0]

    @property
    def pace(self) -> str:
        named = re.search(r"pace=(\w+)", self.table[2])
        return named[1] if named else "race" if self.game == "presto" else "sequential"

    @property
    def people(self) -> list[str]:
        return [name for name in self.table[1].split() if name != ROBOT]


@dataclass(frozen=True)
class Cause:
    """Why something happens to a match before the next look."""

    kind: Literal["start", "order", "time", "moderator"]
    writer: str = ""
    asked: Asked = "move"
    message: str = ""
    text: str = ""
    again: bool = False
    hopeless: bool = False
    """See ``told.Step``."""


class Observer:
    """A club with a match of each kind."""

    def __init__(self, line: Line, folder: Path, seed: str, settings: str = SETTINGS) -> None:
        self.folder, self.lots, self.line = folder, random.Random(seed), line
        folder.mkdir()
        (folder / "moderator.toml").write_text(settings, encoding="utf-8")
        self.post = Post(folder)
        self.matches: dict[str, Match] = {}
        self.last: dict[tuple[str, str], Letter] = {}
        """What somebody read last about a match."""
        self.sent: dict[tuple[str, str], str] = {}
        """The last move that somebody sent to it."""
        self.false: list[tuple[list[str], str]] = []
        """Faults of a mail, and the mail with what happened."""
        self.figures: Counter[str] = Counter()
        self.said: Counter[str] = Counter()
        """How many mails made each kind of claim."""
        self._enter()

    def _enter(self) -> None:
        self.line(self.folder, "init")
        words = ["".join(pair) for pair in itertools.product(LETTERS, repeat=2)]
        words += ["".join(three) for three in itertools.product("AEINRSTD", repeat=3)]
        (self.folder / "words.txt").write_text("\n".join(words), encoding="utf-8")
        self.line(self.folder, "lexicon", "build", "de", "--from", str(self.folder / "words.txt"), "--language", "de")
        for name, language in PLAYERS.items():
            address = f"{name.lower()}@home.example"
            self.line(self.folder, "player", "add", name, address, "--language", language, "--board", "text")
        self.line(self.folder, "player", "add", ROBOT, "--robot")

    def open(self, game: str, names: str, options: str) -> None:
        words = ["match", "add", game, *names.split(), "--name", "Arratia", *options.split(), "--start"]
        code = re.findall(r"^Match (\w+) ", self.line(self.folder, *words), re.MULTILINE)[-1]
        self.matches[code] = Match((game, names, options))

    def look(self, causes: dict[str, Cause]) -> None:
        """Let the program work, and read what it sent, against what happened."""
        self.line(self.folder, "tick")
        running = read_missing(self.line(self.folder, "match", "missing"))
        letters = self.post.fetch()
        now = {
            code: running.get(code) or replace(match.seen, status={}, until={}, deadline=None, running=False)
            for code, match in self.matches.items()
        }
        touched = [
            code
            for code, match in self.matches.items()
            if (code in causes or any(letter.code == code for letter in letters))
            and (match.seen.running or now[code].running)
        ]
        told = self.line.several(self.folder, [("match", "log", code) for code in touched])
        logs = {code: read_log(each) for code, each in zip(touched, told, strict=True)}
        steps = {}
        for code, match in self.matches.items():
            after = replace(now[code], log=logs.get(code, match.seen.log))
            cause = causes.get(code, Cause("time"))
            bodies = (" ".join(letter.body.split()) for letter in letters if letter.code == code)
            steps[code] = Step(
                match.pace, match.seen, after, cause.kind, cause.writer, cause.asked, cause.text,
                dealt_anew=match.game not in DEALT_ONCE, again=cause.again, hopeless=cause.hopeless,
                eliminated=frozenset(name for body in bodies for name in OUT.findall(body)),
            )  # fmt: skip
            match.seen = after
        for number, letter in enumerate(letters):
            rest = ((later.reader, later.code) for later in letters[number + 1 :])
            self._read(letter, (letter.reader, letter.code) in rest, steps, causes)
        self._nobody_forgotten(letters, steps, causes)

    def _read(self, letter: Letter, more: bool, steps: dict[str, Step], causes: dict[str, Cause]) -> None:
        self.last[letter.reader, letter.code] = letter
        if letter.code not in steps:
            return
        cause = causes.get(letter.code, Cause("time"))
        answer = bool(cause.message) and letter.answers == cause.message
        at = Reading(steps[letter.code], letter, answer, followed=answer and more)
        faults, claimed = wrong(at)
        self.figures["mails"] += 1
        self.figures["claims"] += len(claimed)
        self.said.update({claim.kind for claim in claimed})
        if faults:
            match = self.matches[letter.code]
            log = "\n".join(f"    {entry.number} {entry.kind} {entry.rest}" for entry in at.step.new)
            about = f"{match.game}, {match.pace}; {cause.kind} {cause.writer} {cause.asked}: {cause.text!r}"
            stood = f"before {at.step.before.status}, after {at.step.after.status}"
            told = "\n".join(f"  FALSE: {fault}" for fault in faults)
            self.false.append((faults, f"{letter}\n  {about}\n  {stood}\n{log}\n{told}"))

    def _nobody_forgotten(self, letters: list[Letter], steps: dict[str, Step], causes: dict[str, Cause]) -> None:
        """Each mail has an answer, and whoever has become awaited, or whose match is over, has been told."""
        for code, step in steps.items():
            told = {letter.reader for letter in letters if letter.code == code}
            need = {name for name in step.after.movers - step.before.movers if name in PLAYERS}
            if step.after.round != step.before.round:
                need |= step.after.movers & set(PLAYERS)
            if step.before.running and not step.after.running:
                need |= set(self.matches[code].people)
            if (cause := causes.get(code)) and cause.writer:
                need.add(cause.writer)
            if silent := need - told:
                self.false.append((["silence"], f"{code}: nothing was sent to {', '.join(sorted(silent))}: {step}"))

    def play(self, steps: int, tables: Sequence[Table] = TABLES) -> None:
        """Open these matches, then let somebody write in each, ``steps`` times; now and then days pass."""
        for table in tables:
            self.open(*table)
        self.look({code: Cause("start") for code in self.matches})
        for number in range(1, steps + 1):
            self.line.now += timedelta(hours=1)
            self.look({code: cause for code, match in self.matches.items() if (cause := self._cause(code, match))})
            if number % 3 == 0:
                self.line.now += timedelta(hours=self.lots.choice((20, 30, 60)))
                self.look({})

    def _cause(self, code: str, match: Match) -> Cause | None:
        if not match.seen.running:
            return None
        if self.lots.random() < 0.03:
            return self._moderator(code, match)
        awaited = [name for name in match.people if name in match.seen.movers]
        writer = self.lots.choice(awaited if awaited and self.lots.random() < 0.75 else match.people)
        letter = self.last[writer, code]
        text, asked = write_order(match.game, match.pace, code, letter.body, PLAYERS[writer] == "en", self.lots)
        before = self.sent.get((writer, code), "")
        if before and self.lots.random() < 0.05:
            text, asked = before, "move"
        if asked == "move":
            self.sent[writer, code] = text
        message = self.post.write(writer, letter.reply_to, text, self.line.now)
        lost = hopeless(match.game, text, letter.body)
        return Cause("order", writer, asked, message, text, again=text == before, hopeless=lost)

    def _moderator(self, code: str, match: Match) -> Cause | None:
        """The moderator ends a turn, or takes a round back; a command that is refused changes nothing."""
        ending = ["match", "evaluate", code, "--round", str(match.seen.round), "--force"]
        words = self.lots.choice((ending, ["match", "rollback", code, "--round", str(max(1, match.seen.round - 1))]))
        try:
            self.line(self.folder, *words)
        except CommandFailed:
            return None
        return Cause("moderator", text=" ".join(words))


def warm(line: Line, folder: Path, tables: Sequence[Table]) -> None:
    """Let the program play a little where it keeps what it has loaded."""
    line.here = True
    Observer(line, folder, "warm").play(1, tables)
    line.here = False
