"""Makes the word lists that ship, out of their sources: python -m bench.make_shipped --tanglet … --keyboard … …

Where the sources are had is told in docs/inside/dictionaries.md, "What ships". For each language (de, en) it writes
``moderator/words/shipped/LANGUAGE.words.xz``; the same sources give the same bytes.
"""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import click

from moderator.words.build import grammar
from moderator.words.build.sources import iter_simplemma, open_dictionary_source
from moderator.words.shipped import EVERYDAY, FOLDER, LISTED, SUFFIX, TYPED, pack_shipped_words

WORD = re.compile(r"[A-ZÄÖÜ]?[a-zäöüß]+")
KEYBOARD = re.compile(r" word=([^,]*),f=\d+,flags=([^,]*),originalFreq=(\d+)(.*)")
LONGEST = 15
PLAIN = 120
"""What is more frequent than this is an everyday word though one of its meanings offends (kommen, extrem)."""
OFTEN = {"de": 80, "en": 90}
"""Everyday words have at least this frequency (0 to 255, logarithmic)."""
SIZES = 80
"""Of SCOWL's sizes all up to this one; only words up to EVERYDAY_SIZE may be everyday ones."""
EVERYDAY_SIZE = 50


@click.command()
@click.option("--tanglet", type=click.Path(path_type=Path, exists=True), help="gamedata/de/words of tanglet-data")
@click.option("--scowl", type=click.Path(path_type=Path, exists=True), help="the folder with english-words.10 …")
@click.option("--keyboard", "keyboards", type=click.Path(path_type=Path, exists=True), multiple=True)
@click.argument("language", type=click.Choice(["de", "en"]))
def main(tanglet: Path | None, scowl: Path | None, keyboards: tuple[Path, ...], language: str) -> None:
    typed = keyboard(keyboards)
    if language == "de":
        listed = {reading.spelling: 0 for reading in open_dictionary_source(str(tanglet), "tanglet").readings}
        known = {reading.spelling for reading in iter_simplemma("de") if not reading.spelling.islower()}
        more = {word for word in typed if word in known}  # names, mostly, which the list leaves out
    else:
        listed, more = sizes(scowl), set()
    entries = {}
    for word in listed.keys() | more:
        if language == "de" and len(word) == 2:
            continue  # the house list has the real ones
        marks = LISTED if word in listed else 0
        often, decent = typed.get(word, (-1, True))
        marks |= TYPED if often >= 0 else 0
        common = language == "de" or word.islower()  # German nouns are written like names
        if marks == LISTED | TYPED and common and often >= OFTEN[language] and listed[word] <= EVERYDAY_SIZE:
            marks |= EVERYDAY if decent or often >= PLAIN else 0
        entries[word] = marks
    data = pack_shipped_words(entries.items())
    (FOLDER / f"{language}{SUFFIX}").write_bytes(data)
    counts = [sum(bool(marks & mark) for marks in entries.values()) for mark in (LISTED, TYPED, EVERYDAY)]
    click.echo(f"{language}: {len(entries):,} words, {len(data):,} bytes; listed, typed, everyday: {counts}")


def keyboard(files: tuple[Path, ...]) -> dict[str, tuple[int, bool]]:
    """Word -> frequency and whether the dictionary has no reserve about it; names as they are, no abbreviations."""
    found: dict[str, tuple[int, bool]] = {}
    for file in files:
        for line in gzip.decompress(file.read_bytes()).decode().splitlines():
            match = KEYBOARD.match(line)
            if match and 2 <= len(match[1]) <= LONGEST and WORD.fullmatch(match[1]) and "abbreviation" not in match[2]:
                often, decent = found.get(match[1], (-1, True))
                found[match[1]] = max(often, int(match[3])), decent and "possibly_offensive" not in match[4]
    return found


def sizes(folder: Path) -> dict[str, int]:
    """Word -> the smallest size of SCOWL that has it. Spellings of all countries and their first variants; no
    abbreviations, no contractions."""
    found: dict[str, int] = {}
    short = {reading.spelling for reading in grammar.iter_own_readings("en", 2)}
    for file in sorted(folder.iterdir()):
        kind, _, size = file.name.rpartition(".")
        if not re.search(r"(words|upper|proper-names)$", kind) or "variant_2" in kind or "variant_3" in kind:
            continue
        if int(size) > SIZES:
            continue
        for word in file.read_text(encoding="latin-1").split():
            if len(word) == 2 and word not in short:
                continue  # np, cc, cm: symbols and abbreviations
            if 2 <= len(word) <= LONGEST and re.fullmatch("[A-Z]?[a-z]+", word):
                found[word] = min(found.get(word, SIZES), int(size))
    return found


if __name__ == "__main__":
    main()
