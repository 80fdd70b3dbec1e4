"""The lines of the house list about imperatives without an ending, by rule: python -m tests.words.imperatives

Colloquial forms (helf, ess, atm) stand in open word lists because these make forms by rules of their own. Which stems
have no such form follows from the table of strong verbs (``german.imperative``).
"""

from __future__ import annotations

from moderator.words import german, packaged, shipped
from moderator.words.strong import STRONG

HEADING = "# Imperatives that do not exist: strong verbs change their vowel (hilf), others need an e (atme). By rule."


def stems() -> set[str]:
    """Candidates: verb stems in small letters, of the tables and in both lists."""
    known = {word for word, _ in shipped.words("de") if word.islower()}
    known |= {reading.spelling for reading in packaged.simplemma("de") if reading.spelling.islower()}
    verbs = {word[:-2] for word in known if word.endswith("en")}
    return {word for word in known if word in verbs} | {verb.removesuffix("en") for verb in STRONG}


def lines() -> list[str]:
    """As they stand in the list."""
    return [line(stem) for stem in sorted(stems()) if german.imperative(stem)]


def line(stem: str) -> str:
    """The line about one stem."""
    return f"{stem}\t{stem}en\tverb\tdeny\t{german.imperative(stem)}!"


if __name__ == "__main__":
    print(HEADING, *lines(), sep="\n")
