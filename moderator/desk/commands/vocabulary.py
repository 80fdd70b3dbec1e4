"""The words of the players' commands, German and English: one table, and how a line is looked up in it.

A word counts in any case, with umlauts or AE, OE, UE, and may be cut short as long as only one command begins so and
nothing follows it. What is no command for sure is a remark or a move, so a line must be a command from its first word
to its last.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Literal

from moderator.desk.commands import cup_words
from moderator.desk.spelling import plain
from moderator.desk.tokens import CODE

Scope = Literal["match", "player", "either"]
SHORTEST = 3
"""Letters of the shortest prefix."""
WHOLE = frozenset(
    {"standby", "resign", "address", "rack", "join", "unwatch", "press", "withdraw", "cup", "agree", "unsubscribe"}
)
"""Commands whose words are never cut short: too much hangs on them, or the short form means something else."""
NAMED = frozenset({"language", "zone", "digest", "invitations", "form", "single", "address", "standby", "leave"})
"""Commands that a short line means for sure, even if the rest of it makes no sense."""
NAMED_WORDS = 3


@dataclass(frozen=True)
class Verb:
    """One command. ``argument``: pattern of what follows the word; "" = nothing may follow."""

    name: str
    scope: Scope
    words: str
    """Separated by |."""
    argument: str = ""
    text: Literal["", "line", "letter"] = ""
    """Its argument is a text of the player's, which stands in the lines below it up to ``ENDE`` if nothing follows the
    word ("line"), or if no colon does ("letter": before that come the addressees)."""
    reads: Callable[[str], object] | None = None
    """Where a pattern is not enough: None = what follows the word makes the line a remark."""

    def takes(self, argument: str) -> bool:
        """Whether the line is this command for sure."""
        fits = re.fullmatch(self.argument, argument, re.IGNORECASE | re.DOTALL) is not None
        return fits and (self.reads is None or self.reads(argument) is not None)


_ANY = r".+"
_ADDRESSED = r"(?:sofort |at once )?(?:(?:an|to) .+|[^:]{1,60}:.*|(?:alle|all|everybody)|)"
_SWITCH = r"(?:an|ein|on|ja|yes|aus|ab|off|nein|no)"
_MAILBOX = ("adresse", "mailadresse", "e-mail-adresse", "email-adresse", "emailadresse", "e-mail", "email", "mail")
_MAILBOX_EN = ("address", "mail address", "email address", "e-mail address", "email", "e-mail")
_NEW_ADDRESS = "|".join(
    (
        "adresse|address",
        *(f"{new} {mailbox}" for new in ("neue", "meine neue") for mailbox in _MAILBOX),
        *(f"{mailbox} {change}" for mailbox in _MAILBOX for change in ("neu", "ändern", "geändert", "wechseln")),
        *(f"{new} {mailbox}" for new in ("new", "my new", "change", "change my") for mailbox in _MAILBOX_EN),
    )
)
"""Never a mere ``E-Mail: …``, which stands in signatures."""
VERBS = (
    Verb("help", "either", "hilfe|help|befehle|commands"),
    Verb("status", "either", "stand|status|spielstand|liste|list|partien|matches"),
    Verb("board", "match", "brett|board|spielbrett"),
    Verb("rack", "match", "bank|rack|steine|tiles|hand"),
    Verb("history", "match", "verlauf|history|alle züge|all moves"),
    Verb(
        "resend", "match", "nachfordern|nachforderung|resend|nochmal|bericht|report", r"(?:r|runde|round|nr\.?)?\s*\d*"
    ),
    Verb("calendar", "either", "kalender|calendar|termine|termin|ics", r"(?:neu|neue adresse|new|new address)?"),
    Verb("rules", "either", "regeln|rules|spielregeln|anleitung", r"[\w äöüÄÖÜ?-]*"),
    Verb("preview", "match", "probe|vorschau|preview|probezug", _ANY),
    Verb("withdraw", "match", "zurückziehen|zug zurückziehen|withdraw|zurücknehmen"),
    Verb("wait", "match", "warten|wait|bitte warten|please wait"),
    Verb("ready", "match", "fertig|ready|nicht warten|no wait"),
    Verb("resign", "match", "aufgeben|resign|ich gebe auf|i resign"),
    Verb("undo", "match", "rücknahme|undo|takeback|take back|zug zurück"),
    Verb("agree", "match", "einverstanden|zustimmen|agree|agreed|accept|annehmen"),
    Verb("refuse", "match", "ablehnen|abgelehnt|refuse|reject|decline"),
    Verb("protest", "match", "einspruch|protest|reklamation|complaint", r".*", text="line"),
    Verb("press", "match", "presse|press|botschaft|nachricht|message", _ADDRESSED, text="letter"),
    Verb(
        "leave",
        "player",
        "urlaub|leave|vacation|holiday|abwesend|absence",
        r".*\d.*|(?:ab|from|vom|bis)\s+(?:heute|morgen|today|tomorrow)\b.*|.*(?:lösch|loesch|delete|cancel).*|",
    ),
    Verb("join", "player", "mitspielen|join|anmelden|signup|sign up", r".{0,60}"),
    Verb("watch", "player", "zuschauen|watch|observe|zusehen", r".{0,20}"),
    Verb("unwatch", "player", "nicht mehr zuschauen|unwatch|stop watching", r".{0,20}"),
    Verb("takeover", "player", "übernehmen|takeover|take over|einspringen", r".{0,20}"),
    Verb("standby", "player", "ersatzspieler|standby|ersatzbank", rf"{_SWITCH}|[\w äöüÄÖÜ?-]{{0,40}}"),
    Verb("cup", "player", cup_words.WORDS, r".*", reads=cup_words.read),
    Verb(
        "address",
        "player",
        _NEW_ADDRESS,
        r"(?:(?:auf|to|zu|in|neu|new|ist|lautet|is|nun|jetzt|now|ab sofort):? )*\S+@\S+",
    ),
    Verb("language", "player", "sprache|language", r"[a-zäöü]+"),
    Verb("zone", "player", "zeitzone|zone|timezone|time zone", r"[\w/+-]+"),
    Verb("digest", "player", "sammelmail|digest|tagesmail", _SWITCH),
    Verb("invitations", "player", "einladungen|einladung|invitations|invitation", _SWITCH),
    Verb("unsubscribe", "player", "abbestellen|mails abbestellen|unsubscribe"),
    Verb("form", "player", "brettform|board form|boardform|darstellung|form", r"\w+"),
    Verb(
        "single",
        "player",
        "einzelzug|einzelzüge|autosingle|auto single|automatischer einzelzug|single|single move|single moves",
        _SWITCH,
    ),
)
CRY = Verb("ready", "match", "ich bin fertig|bin fertig|i am ready|i'm ready|done|i am done|i'm done|finished")
"""What is called out in a race besides ``Fertig!``. Everywhere else it is a remark: no game depends on it there."""
_BEHIND = re.compile(
    rf"(?:^|\s+)(?:in\s+)?(?:(?:partie|spiel|match|game)\s+)?\[?{CODE.pattern}\]?\W*$",
    re.IGNORECASE,
)
"""What may stand behind any command: the match that it means."""
_POLITE = re.compile(r"(?:^|\s+)(?:bitte|please)\W*$", re.IGNORECASE)


def knowing(tournaments: Collection[str]) -> tuple[Verb, ...]:
    """The table for a club with tournaments of these names (``cup_words.keys``)."""
    if not tournaments:
        return VERBS
    reads = partial(cup_words.read, names=tuple(tournaments))
    return tuple(replace(verb, reads=reads) if verb.name == "cup" else verb for verb in VERBS)


def find(line: str, verbs: Iterable[Verb] = VERBS, whole: bool = False) -> tuple[Verb, str] | None:
    """(command, what follows it) of a line, or None for a line that is none. An argument that the command cannot use
    is given all the same if the line is short: then it is meant as that command. ``whole``: not abbreviated."""
    text = line.strip()[:1000]
    ready = tuple(verbs)
    for count in range(min(4, len(text.split())), 0, -1):
        head = text.split(None, count)[:count]
        rest = text.split(None, count)[count:]
        verb = _verb(plain(" ".join(head)).rstrip(":.!,"), ready, short=not (rest or whole))
        if verb is None:
            continue
        argument = rest[0].strip() if rest else ""
        argument = argument.lstrip(":= ").strip() if verb.argument else argument
        argument = argument if verb.text else argument.rstrip(" .!")
        if not verb.text:
            argument = _POLITE.sub("", argument)
        bare = argument if verb.text else _BEHIND.sub("", argument)
        if verb.takes(bare):
            return verb, argument if verb.argument else argument[len(bare) :]
        if verb.name in NAMED and len(text.split()) <= NAMED_WORDS and _meant(verb, argument):
            return verb, argument
    return None


def _meant(verb: Verb, argument: str) -> bool:
    """Whether a command that cannot use its argument is meant all the same. ``Adresse: Hauptstr. 5`` is none."""
    return verb.name != "address" or not argument or "@" in argument


def _verb(word: str, verbs: tuple[Verb, ...], short: bool) -> Verb | None:
    whole = [verb for verb in verbs if word in _words(verb.words)]
    if whole:
        return whole[0]
    if not short or len(word) < SHORTEST:
        return None
    found = {verb.name: verb for verb in verbs if _begins(verb, word)}
    return next(iter(found.values())) if len(found) == 1 else None


def _begins(verb: Verb, word: str) -> bool:
    return verb.name not in WHOLE and any(one.startswith(word) and " " not in one for one in _words(verb.words))


@cache
def _words(words: str) -> tuple[str, ...]:
    return tuple(plain(word) for word in words.split("|"))
