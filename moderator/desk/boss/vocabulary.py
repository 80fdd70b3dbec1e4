"""The words of the moderator's commands, German and English. How a line is looked up: reading.py."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from moderator.desk.tokens import CODE


@dataclass(frozen=True)
class Verb:
    """One command. ``argument``: pattern of what follows the word; ``text``: it brings one."""

    name: str
    scope: Literal["match", "either"]
    words: str
    argument: str = ""
    text: Literal["", "letter"] = ""


_MATCH = rf"(?:(?:in|für|fuer|for|of)\s+)?(?:(?:partie|match|game)\s+)?\[?{CODE.pattern}\]?"
_MAYBE = rf"(?:{_MATCH})?"
_ANY = r".*"
BOSS_VERBS = (
    Verb("help", "either", "hilfe|help|befehle|commands"),
    Verb("missing", "either", "wer fehlt|wer fehlt noch|who is missing|who's missing|missing|fehlende", _MAYBE),
    Verb("status", "match", "stand|status", _MAYBE),
    Verb("preview", "match", "probeauswertung|probe|dry run|dryrun|preview", _MAYBE),
    Verb("evaluate", "match", "auswerten|evaluate|process", _ANY),
    Verb("rollback", "match", "zurück|zurücksetzen|zurücknehmen|rollback|roll back|undo", _ANY),
    Verb("word", "either", "wort|word", r"\w.*"),
    Verb("protest", "either", "einspruch|protest", r"#?\d.*"),
    Verb("extend", "match", "verlängern|verlängere|verlängerung|extend|extension", _ANY),
    Verb("pause", "match", "pause|anhalten|halt", rf"{_MAYBE}(?:\s*:.*)?"),
    Verb("resume", "match", "weiter|fortsetzen|resume|go on|continue", rf"{_MAYBE}(?:\s*:.*)?"),
    Verb("excuse", "match", "entschuldigen|entschuldige|excuse", _ANY),
    Verb("replace", "match", "ersetzen|ersetze|replace", _ANY),
    Verb("eject", "match", "entfernen|entferne|eject|remove", _ANY),
    Verb("official", "either", "amtlich|amtliche mitteilung|official|official notice", _ANY, text="letter"),
    Verb("move", "match", "zug|move", _ANY),
    Verb("accept", "either", "annehmen|accept", r"#?\d.*"),
    Verb("drop", "either", "verwerfen|drop|discard", r"#?\d.*"),
)
"""In the order of the help."""
FIRST = {
    "help": ("hilfe", "help"),
    "missing": ("wer fehlt", "who is missing"),
    "status": ("stand", "status"),
    "preview": ("probeauswertung", "dry run"),
    "evaluate": ("auswerten", "evaluate"),
    "rollback": ("zurück", "rollback"),
    "word": ("wort", "word"),
    "protest": ("einspruch", "protest"),
    "extend": ("verlängern", "extend"),
    "pause": ("pause", "pause"),
    "resume": ("weiter", "resume"),
    "excuse": ("entschuldigen", "excuse"),
    "replace": ("ersetzen", "replace"),
    "eject": ("entfernen", "eject"),
    "official": ("amtlich", "official"),
    "move": ("zug", "move"),
    "accept": ("annehmen", "accept"),
    "drop": ("verwerfen", "drop"),
}
"""Command -> its word as the mails name it, German and English."""
