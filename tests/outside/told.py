"""What a reader should be told: a small model, from the rulebook and the README, and not from the program.

`wrong` names what is false in a mail: a claim that is not so, and what the reader must know first and is not said.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from tests.outside import claims
from tests.outside.claims import Claim
from tests.outside.line import Entry, Letter, Seen
from tests.outside.statements import find_contradictions

Asked = Literal["move", "standing", "nonsense", "withdraw", "status", "help", "command"]
"""What a player's mail was meant to be."""


@dataclass(frozen=True)
class Step:
    """What happened to a match between two looks, and why."""

    pace: str
    before: Seen
    after: Seen
    cause: Literal["start", "order", "time", "moderator"]
    writer: str = ""
    asked: Asked = "move"
    text: str = ""
    """Of the writer's mail, or the moderator's command."""
    dealt_anew: bool = False
    """Each round of the game is a deal of its own."""
    again: bool = False
    """The writer had sent the same before."""
    hopeless: bool = False
    """Nothing of it can be played in this round, whatever the others do: the writer has none of its tiles."""
    eliminated: frozenset[str] = frozenset()
    """Who came out by the rules of the game, as everybody could read."""

    @property
    def new(self) -> tuple[Entry, ...]:
        known = {entry.number for entry in self.before.log}
        return tuple(entry for entry in self.after.log if entry.number not in known)

    def did(self, name: str, *kinds: str) -> bool:
        return any(entry.who == name and entry.kind in kinds for entry in self.new)

    @property
    def dealt(self) -> bool:
        """Whether a round was over and the next one dealt."""
        return self.dealt_anew and self.cause != "moderator" and 0 < self.before.round < self.after.round

    @property
    def retired(self) -> set[str]:
        """Who played no more before this."""
        return {entry.who for entry in self.before.log if entry.kind == "retire"}

    @property
    def evaluations(self) -> list[Entry]:
        return [entry for entry in self.new if entry.kind == "evaluate"]


@dataclass(frozen=True)
class Reading:
    """A mail about a step, and whether it answers the mail that was the cause."""

    step: Step
    letter: Letter
    answer: bool
    followed: bool = False
    """Whether another mail tells the same reader what happened after this one was made."""

    @property
    def name(self) -> str:
        return self.letter.reader

    @property
    def wanted(self) -> bool:
        return self.name in self.step.after.movers

    @property
    def result(self) -> str:
        """What the last evaluation played for the reader."""
        return self.step.evaluations[-1].results.get(self.name, "") if self.step.evaluations else ""


def counts(at: Reading) -> bool:
    """In turn a move is played at once; in the other paces it counts when it is in and can be played."""
    if at.step.pace == "sequential":
        return at.step.did(at.name, "move")
    return at.step.after.of(at.name) == "here" and not at.step.evaluations


def missed(at: Reading) -> bool:
    """The reader's turn passed without a move."""
    if at.name in at.step.retired:
        return False
    evaluated = at.step.evaluations and at.name in at.step.before.status
    return at.step.did(at.name, "miss") or bool(evaluated and not at.result)


def faultless(at: Reading) -> bool:
    """Kept in a race, and not the word by which a round is given up."""
    return at.step.after.of(at.name) == "here" and at.step.text not in ("passe", "pass")


def not_at_all(at: Reading) -> bool:
    return at.answer and not at.step.did(at.name, "move", "order")


def last_move(at: Reading, value: str) -> bool:
    """Who made it, and its points; the notation is the reader's."""
    who, _, rest = value.partition(" ")
    made = [entry for entry in at.step.new if entry.kind == "move" and entry.who == who]
    results = [entry.results[who] for entry in at.step.evaluations if entry.results.get(who)]
    points = rest.rsplit(" ", 1)[-1].replace("−", "-")
    numbers = {entry.rest.rsplit(" ", 1)[-1].lstrip("+") for entry in made}
    return bool(results) or (bool(made) and (points in numbers or not re.fullmatch(r"-?\d+", points)))


TRUE: dict[str, Callable[[Reading, str], bool]] = {
    "begins": lambda at, _: at.step.cause == "start",
    "over": lambda at, _: not at.step.after.running,
    "yours": lambda at, _: at.wanted,
    "here": lambda at, _: at.step.after.of(at.name) == "here",
    "faultless": lambda at, _: faultless(at),
    "gave-up": lambda at, _: at.step.pace == "race" and (not at.answer or not faultless(at)),
    "missed": lambda at, _: missed(at),
    "out": lambda at, _: at.step.did(at.name, "retire"),
    "eliminated": lambda at, _: at.name in at.step.eliminated,
    "gone": lambda at, names: all(at.step.did(one, "retire") or one in at.step.eliminated for one in names.split(",")),
    "held": lambda at, _: not at.wanted,
    "dealt": lambda at, _: at.step.dealt,
    "standing": lambda at, _: at.answer and at.step.asked == "standing",
    "unknown": lambda at, _: False,
    "reason": lambda at, _: at.answer or at.step.cause == "moderator",
    "nothing": lambda at, _: not at.wanted,
    "kept": lambda at, _: at.answer and at.step.after.of(at.name) in STORED,
    "stored": lambda at, _: (
        at.step.asked in ("move", "standing") and (at.step.after.of(at.name) in STORED or bool(at.step.evaluations))
    ),
    "own-move": lambda at, _: at.step.did(at.name, "move") or bool(at.result),
    "undone": lambda at, _: not_at_all(at),
    "gained": lambda at, _: not at.step.evaluations or bool(at.result),
    "they-missed": lambda at, _: any(entry.kind == "miss" for entry in at.step.new) or bool(at.step.evaluations),
    "last-chance": lambda at, _: at.wanted,
    "laid": lambda at, _: bool(at.step.evaluations),
    "rank": lambda at, _: bool(at.step.evaluations),
    "asked": lambda at, _: at.answer and at.step.asked == "move",
    "late": lambda at, _: at.answer and not_at_all(at),
    "note": lambda at, _: at.step.cause in ("moderator", "order", "time"),
    "waits": lambda at, _: at.step.after.of(at.name) == "put-off",
    "movers": lambda at, names: set(names.split(",")) == at.step.after.movers - {at.name},
    "nobody-else": lambda at, _: not at.step.after.movers - {at.name},
    "counts": lambda at, _: counts(at),
    "ahead": lambda at, _: at.step.after.of(at.name) == "ahead" and not (at.answer and at.step.hopeless),
    "in-vain": lambda at, _: at.step.after.of(at.name) in ("ahead-in-vain", "in-vain"),
    "not-yet": lambda at, _: at.step.after.of(at.name) == "in-vain",
    "not": lambda at, _: not_at_all(at),
    "no-move": lambda at, _: not_at_all(at) and not at.step.did(at.name, "tried"),
    "evaluated": lambda at, _: bool(at.step.evaluations),
    "took-part": lambda at, _: bool(at.result),
    "fell-out": lambda at, _: bool(at.step.evaluations) and not at.result,
    "withdrawn": lambda at, _: at.step.did(at.name, "withdraw"),
    "nothing-stored": lambda at, _: at.step.asked == "withdraw" and not at.step.did(at.name, "withdraw"),
    "reminder": lambda at, _: not at.answer and not at.step.did(at.name, "move", "order"),
    "round": lambda at, number: int(number) == at.step.after.round or not at.step.after.running,
    "round-over": lambda at, number: int(number) == at.step.before.round,
    "expired": lambda at, day: day == " ".join(at.step.before.deadline or ()),
    "until": lambda at, day: at.wanted and day == " ".join(at.step.after.until.get(at.name, ())),
    "deadline": lambda at, day: day == " ".join(at.step.after.deadline or ()),
    "last-move": last_move,
    "done": lambda at, _: at.answer and at.step.asked == "command",
    "not-done": lambda at, _: at.answer and at.step.asked == "command",
    "status": lambda at, _: at.answer and at.step.asked == "status",
    "help": lambda at, _: at.answer and at.step.asked == "help",
    "correction": lambda at, _: at.step.cause == "moderator" or at.step.asked == "command",
    **dict.fromkeys(
        ("won", "won-you", "level", "nobody-won", "lost", "place", "left", "settled", "thanks"),
        lambda at, _: not at.step.after.running,
    ),
}


def due(at: Reading) -> Iterator[set[str]]:
    """What must be said: of each set one claim."""
    step, status = at.step, at.step.after.of(at.name)
    if not step.after.running:
        yield {"over", "won", "won-you", "level", "nobody-won", "lost", "place"}
        return
    if step.cause == "start":
        yield {"begins"}
    if step.cause == "moderator" and "rollback" in step.text:
        yield {"correction"}
    if missed(at):
        yield {"missed", "fell-out", "out", "eliminated"}
    if step.did(at.name, "retire"):
        yield {"out"}
    elif at.name in step.eliminated:
        yield {"eliminated"}
    if step.dealt and not at.answer:
        yield {"dealt", "round-over"}
    if at.answer:
        yield from _due_to_writer(at, status)
    elif at.wanted:
        yield {"yours", "correction", "note"}
    elif step.after.movers:
        yield {"movers", "here", "gave-up", "correction", "note"}
    if at.wanted and step.asked not in ("help", "status", "command"):
        yield {"yours", "until", "expired", "waits", "not", "not-yet"}


STORED: dict[str, set[str]] = {
    "ahead": {"ahead"},
    "ahead-in-vain": {"in-vain"},
    "in-vain": {"in-vain", "not-yet"},
    "put-off": {"waits"},
    "here": {"counts", "here", "gave-up", "stored"},
}
"""What is said to somebody of whom something is here."""


def _due_to_writer(at: Reading, status: str) -> Iterator[set[str]]:
    """First of all, what became of the order."""
    step = at.step
    if step.asked == "withdraw":
        yield {"withdrawn", "nothing-stored"}
    elif step.asked in ("move", "nonsense"):
        if step.evaluations:
            yield {"evaluated", "round-over", "own-move", "counts"}
            yield {"took-part", "gained", "own-move", "counts"} if at.result else {"fell-out"}
        elif step.did(at.name, "move"):
            yield {"counts", "faultless", "gave-up"}
        elif step.pace == "race" and status == "here" and not step.new:
            yield (
                {"here", "gave-up"} if step.again else {"not", "no-move", "reason"}
            )  # It stays at what was sent first.
        elif not step.did(at.name, "order"):
            # Refused; or it is what is stored already, so that the log has no entry of it.
            yield {"not", "no-move", "late", "not-done", "reason", "undone"} | STORED.get(status, set())
        else:
            yield STORED.get(status, {"standing"})


def said(letter: Letter) -> list[Claim]:
    """What subject and first line claim."""
    return claims.of_subject(letter.subject) + claims.of_first_line(letter.first)


def wrong(at: Reading) -> tuple[list[str], list[Claim]]:
    """What is false about a mail, and the claims that were looked at."""
    if at.followed:
        at = first_of_two(at)
    found = said(at.letter)
    kinds = {claim.kind for claim in found}
    faults = [f"claims {claim.kind} {claim.value}".strip() for claim in found if not _true(at, claim)]
    if at.step.dealt and kinds & {"dealt", "round-over"} and not final_position(at):
        faults.append("does not show how the round ended before the new one")
    faults += [f"does not say {' or '.join(sorted(needed))}" for needed in due(at) if not needed & kinds]
    faults += [f"contradicts itself: {pair}" for pair in find_contradictions(at.letter)]
    return faults, found


FINAL = re.compile(
    r"^(?:Runde|Round|Spiel|Game|Manche) (?P<round>\d+)\s?: (?:die Endstellung|the final position|la position finale|"
    r".*Kreuzwort|.*crossword|les mots croisés)",
    re.MULTILINE,
)
DEALT = re.compile(r"^(?:Neu ausgeteilt|Dealt anew|Nouvelle distribution)\s?: ", re.MULTILINE)
NOTHING_LAID = re.compile(r"Niemand ist fertig geworden|[Nn]obody has finished|Personne n’a fini")


def final_position(at: Reading) -> bool:
    """Whether the round that is over is shown, before the board of the new one; in a race below the new tiles, and only
    if somebody was done."""
    body, number = at.letter.body, str(at.step.before.round)
    final = next((found for found in FINAL.finditer(body) if found["round"] == number), None)
    if at.step.pace == "race":
        return final is not None or bool(NOTHING_LAID.search(" ".join(body.split())))
    new = DEALT.search(body)
    return final is not None and new is not None and final.start() < new.start()


def _true(at: Reading, claim: Claim) -> bool:
    return TRUE[claim.kind](at, claim.value)


def first_of_two(at: Reading) -> Reading:
    """An answer that was made before the rest happened, of which the next mail tells: judged by what the order itself
    came to. What is kept in the log of the writer's own doing was done, and no more."""
    step, name = at.step, at.name
    own = tuple(entry for entry in step.new if entry.who == name and entry.kind in ("order", "tried", "withdraw"))
    status = dict(step.before.status)
    if any(entry.kind == "order" for entry in own):
        ahead = step.pace == "sequential" and name not in step.before.movers
        status[name] = "ahead" if ahead else "here"
    return replace(at, step=replace(step, after=replace(step.before, status=status, log=(*step.before.log, *own))))
