"""Each command of the moderator's mail: read what stands in the line, and do it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

from moderator.desk import accepting, waiting
from moderator.desk.boss import clockwork, judging, looking, people, protests
from moderator.desk.boss.call import Call, Outcome, running
from moderator.desk.boss.vocabulary import BOSS_VERBS
from moderator.desk.questions import NO, YES
from moderator.desk.spelling import plain
from moderator.engine.contract import Note
from moderator.errors import Misused
from moderator.store.models import Match

_RULED = re.compile(rf"\W*(\w+)\W+({'|'.join(sorted((*YES, *NO), key=len, reverse=True))})(?!\w)(.*)", re.I | re.S)
_BY = re.compile(r"\s+(?:durch|by|with|mit)\s+", re.IGNORECASE)
_TO_ALL = re.compile(r"(?:an\s+|to\s+)?(?:alle|all|everybody|everyone)", re.IGNORECASE)
_PROTEST = re.compile(r"\W*#?(\d+)\W+(\w+)(.*)", re.DOTALL)
_UPHELD = ("stattgegeben", "stattgeben", "upheld", "uphold", "berechtigt")
_DENIED = ("abgelehnt", "ablehnen", "denied", "deny", "zurueckgewiesen")


def _chosen(call: Call) -> Match:
    match = call.match()
    assert match is not None
    return match


def help_(call: Call) -> Outcome:
    return tuple(Note(f"boss-help.{verb.name}") for verb in BOSS_VERBS)


def missing(call: Call) -> Outcome:
    return looking.missing(call.desk, call.match(needed=False))


def status(call: Call) -> Outcome:
    return looking.standing(call.desk, _chosen(call))


def preview(call: Call) -> Outcome:
    return looking.preview(call.desk, _chosen(call))


def evaluate(call: Call) -> Outcome:
    return judging.evaluate(call.desk, _chosen(call), call.round, call.forced, call.text)


def rollback(call: Call) -> Outcome:
    return judging.rollback(call.desk, _chosen(call), call.round, call.entry, call.text, call.forced)


def word(call: Call) -> Outcome:
    """``Wort HUGO erlaubt: Grund``, for all matches or for the one that is named."""
    match = call.match(needed=False)
    found = _RULED.fullmatch(f"{call.rest} : {call.text}")
    if found is None:
        raise Misused("boss-which-ruling")
    ruling: Literal["allow", "deny"] = "deny" if found.group(2).casefold() in NO else "allow"
    return judging.rule_word(call.desk, found.group(1), ruling, found.group(3).strip(" .:,;-–"), match)


def protest(call: Call) -> Outcome:
    """``Einspruch 12 stattgegeben: Grund``."""
    found = _PROTEST.fullmatch(f"{call.rest} : {call.text}")
    said = plain(found.group(2)) if found else ""
    if found is None or said not in _UPHELD + _DENIED:
        raise Misused("boss-which-protest")
    return protests.rule(call.desk, int(found.group(1)), said in _UPHELD, found.group(3).strip(" .:,;-–"))


def extend(call: Call) -> Outcome:
    return clockwork.extend(call.desk, _chosen(call), call.number, call.text)


def pause(call: Call) -> Outcome:
    return clockwork.pause(call.desk, _chosen(call), call.text)


def resume(call: Call) -> Outcome:
    return clockwork.go_on(call.desk, _chosen(call), call.text)


def excuse(call: Call) -> Outcome:
    return people.excuse(call.desk, _chosen(call), call.rest)


def replace(call: Call) -> Outcome:
    """``Ersetzen K7Q2 Anna durch Bert``."""
    match = _chosen(call)
    old, *new = _BY.split(call.rest, maxsplit=1)
    return people.replace(call.desk, match, old, new[0] if new else "", call.text)


def eject(call: Call) -> Outcome:
    return people.eject(call.desk, _chosen(call), call.rest, call.text)


def move(call: Call) -> Outcome:
    """``Zug K7Q2 Anna: E5 w HAUS``."""
    match = _chosen(call)
    running(call.desk, match)
    if not call.text:
        raise Misused("boss-no-order")
    return judging.move(call.desk, match, call.rest, call.text)


def official(call: Call) -> Outcome:
    """``Amtlich K7Q2: Text``, ``Amtlich an alle:`` with the text below it up to ``ENDE``."""
    if call.command.body and not call.command.closed:
        raise Misused("boss-not-closed")
    if not call.command.body and any(line.number == call.command.line.number + 1 for line in call.unread):
        raise Misused("boss-text-goes-on")
    to_all = _TO_ALL.fullmatch(call.rest) is not None
    match = None if to_all else _chosen(call)
    if match is not None and call.rest.casefold() not in ("", "an", "to", "in"):
        raise Misused("boss-to-whom", name=call.rest)
    return clockwork.official(call.desk, match, call.command.body or (call.text,))


def _mails(call: Call) -> list[int]:
    """Numbers of mails: ``17``, ``17, 18``."""
    numbers = [int(number) for number in re.findall(r"\d{1,9}", call.command.argument)]
    if not numbers:
        raise Misused("boss-which-number")
    for number in numbers:
        if not waiting.waits(call.desk, number):
            raise Misused("boss-nothing-waits", number=str(number))
    return list(dict.fromkeys(numbers))


def accept(call: Call) -> Outcome:
    """``Annehmen 17``."""
    act_upon = call.act_upon
    if act_upon is None:
        raise ValueError("a mail is let in by a mail, which says how it is acted upon")
    return tuple(accepting.accept(call.desk, number, act_upon) for number in _mails(call))


def drop(call: Call) -> Outcome:
    """``Verwerfen 17``."""
    return tuple(accepting.drop(call.desk, number) for number in _mails(call))


ACTIONS: dict[str, Callable[[Call], Outcome]] = {
    "help": help_,
    "missing": missing,
    "status": status,
    "preview": preview,
    "evaluate": evaluate,
    "rollback": rollback,
    "word": word,
    "protest": protest,
    "extend": extend,
    "pause": pause,
    "resume": resume,
    "excuse": excuse,
    "replace": replace,
    "eject": eject,
    "official": official,
    "move": move,
    "accept": accept,
    "drop": drop,
}
