"""How good a dictionary is, as a table: python -m bench.dictionaries [de en]

For each language it builds what `moderator lexicon build LANGUAGE` builds with nothing else installed, draws a thousand
of its words of at most ten letters by a committed seed, and asks who else knows them. Further lists, of which the
dictionary is not made, are taken from where Debian has them or from --also; what is not there is said to be missing.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click

from moderator.common.errors import LexiconError
from moderator.words import shipped
from moderator.words.build import sources
from moderator.words.build.grammar import GermanGrammar, iter_own_readings
from moderator.words.build.sources import build_lexicon, open_dictionary_source
from moderator.words.dictionary import Dictionary, open_dictionary
from moderator.words.house_rulings import SHIPPED
from moderator.words.kinds import to_capitals_fast
from tests.words import noise
from tests.words.noise import everyday

SEED = 20261123
DRAWN = 1000
LONGEST = 10
ELSEWHERE = {"de": ("/usr/share/dict/ngerman", "/usr/share/hunspell/de_DE_frami.dic"), "en": ("/usr/share/dict/web2",)}
"""Lists that the dictionary is not made of, where Debian puts them (wngerman, hunspell-de-de-frami, miscfiles); most
English ones there are made of SCOWL."""


@click.command()
@click.option("--also", multiple=True, help="LANGUAGE=FILE, a list to ask besides. Repeatable.")
@click.argument("languages", nargs=-1)
def main(also: tuple[str, ...], languages: tuple[str, ...]) -> None:
    """Print the table; end with 1 where a goal is missed."""
    good = True
    for language in languages or shipped.list_shipped_languages():
        with tempfile.TemporaryDirectory() as folder:
            build_lexicon(language, [], Path(folder), max_length=LONGEST)
            words = open_dictionary(folder, [language], house=[SHIPPED])
            typdom = open_dictionary(folder, [language], house=[SHIPPED], policy="typdom")
            click.echo(f"lexicon build {language}: {len(words.playable(LONGEST)):,} words of 2 to {LONGEST} letters")
            more = [text.partition("=")[2] for text in also if text.startswith(f"{language}=")]
            good &= known(words, language, [*ELSEWHERE.get(language, ()), *more])
            good &= counted(words, typdom, language)
    raise SystemExit(not good)


def known(words: Dictionary, language: str, elsewhere: Sequence[str]) -> bool:
    """Who knows the words that were drawn. The goal: at most 2 of 100 that no second source knows."""
    drawn = random.Random(SEED).sample(list(words.playable(LONGEST)), DRAWN)
    lists = {
        "simplemma": {to_capitals_fast(reading.spelling) for reading in sources.iter_simplemma(language, LONGEST)},
        "the list that ships": {
            to_capitals_fast(w) for w, marks in shipped.iter_shipped_words(language) if marks & shipped.LISTED
        },
        "the keyboard's": {
            to_capitals_fast(w) for w, marks in shipped.iter_shipped_words(language) if marks & shipped.TYPED
        },
        "our own words": {to_capitals_fast(reading.spelling) for reading in iter_own_readings(language)},
        "the house list": {word for word in drawn if words.judge(word).source == "house list"},
    }
    if language == "de":
        lists["grammar, of words that two lists know"] = by_grammar(drawn)
    inside = len(lists)
    for path in elsewhere:
        try:
            lists[path] = {
                to_capitals_fast(reading.spelling) for reading in open_dictionary_source(path, longest=LONGEST).readings
            }
        except LexiconError:
            click.echo(f"  not here: {path}")
    for name, found in lists.items():
        click.echo(f"  {name}: knows {_share(sum(word in found for word in drawn))}")
    once = [word for word in drawn if sum(word in found for found in lists.values()) < 2]
    once = [word for word in once if word not in lists["the house list"] | lists["our own words"]]
    said(f"known to one source alone: {_share(len(once))} {' '.join(once[:20])}", len(once) <= DRAWN * 0.02)
    outside = list(lists.values())[inside:]
    if outside:
        nobody = [word for word in drawn if not any(word in found for found in outside)]
        click.echo(f"  known to none of the other {len(outside)} lists: {_share(len(nobody))} {' '.join(nobody[:12])}")
    return len(once) <= DRAWN * 0.02


def by_grammar(drawn: Sequence[str]) -> set[str]:
    """Which of the words are by rule forms of words that two of the lists know, or we ourselves."""
    marks = {word: mark for word, mark in shipped.iter_shipped_words("de") if mark & shipped.LISTED}
    readings = {reading.spelling for reading in sources.iter_simplemma("de")}
    keys = {to_capitals_fast(word) for word in readings} | sources.list_strong_verb_keys()
    twice = {word for word, mark in marks.items() if mark & shipped.TYPED or to_capitals_fast(word) in keys}
    grammar = GermanGrammar(twice | {reading.spelling for reading in iter_own_readings("de")}, marks, readings)
    chosen = frozenset(drawn)
    return {
        to_capitals_fast(word)
        for word in marks.keys() | readings
        if to_capitals_fast(word) in chosen and grammar.is_known_form(word)
    }


def counted(words: Dictionary, typdom: Dictionary, language: str) -> bool:
    """Everyday forms, examples of the sheets,"""
    checks = [("everyday forms that do not count", _refused(words, everyday(language)), 200)]
    wrong = (noise.GERMAN if language == "de" else noise.ENGLISH).split()
    checks.append(("noise that counts", [word for word in wrong if word not in _refused(words, wrong)], len(wrong)))
    if language == "de":
        topwords, crosswords, found = noise.TOPWORDS.split(), noise.TYPDOM.split(), noise.FOUND.split()
        missing = {*_refused(words, topwords), *_refused(typdom, crosswords)}
        missing |= set() if words.judge("IXTE", "ausixen").ruling == "accept" else {"IXTE"}
        checks.append(
            ("examples of the rule sheets that do not count", sorted(missing), len({*topwords, *crosswords}) + 1)
        )
        checks.append(("what was missing and still is", _refused(words, found), len(found)))
    for name, failing, of in checks:
        said(f"{name}: {len(failing)} of {of} {' '.join(failing)}", not failing)
    return not any(failing for _, failing, _ in checks)


def said(line: str, good: bool) -> None:
    """A line with what became of its goal."""
    click.echo(f"  {line.rstrip()} – {'ok' if good else 'MISSED'}")


def _refused(words: Dictionary, wanted: Sequence[str]) -> list[str]:
    return [word for word in wanted if words.judge(word).ruling != "accept"]


def _share(count: int) -> str:
    return f"{count} of {DRAWN}"


if __name__ == "__main__":
    main()
