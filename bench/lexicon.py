"""Twenty look-ups in a compiled dictionary of a million forms, in a fresh process.

Target: at most 15 ms of processor time (user and system) over a bare interpreter, at most 20 MiB. On Python 3.11 half
of them are `typing`, which loads `re`; three are marisa's library.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from bench import process
from bench.target import at_most
from moderator.words.build.sources import build_lexicon, build_quick_lexicon
from moderator.words.compiled import read_lexicon_facts
from moderator.words.dictionary import open_dictionary
from moderator.words.house_rulings import SHIPPED

RUNS = 15
WORDS = (
    "HAUS MOND ABI APO COBOL NY MY XI AH ÄH AHA IXTE USW KAEFIG QUARZ JUX BÄUME STRASSE UNSINNIG WXYZ".split()  # noqa: SIM905
)
_ASK = """
from moderator.words.dictionary import open_dictionary
dictionary = open_dictionary({folder!r}, ["million"], house=[{house!r}])
found = [dictionary.judge(word).ruling for word in {words!r}]
assert found.count("accept") > 10 and found.count("reject") > 2, found
"""


def run() -> None:
    """Build, ask, and print each figure beside its floor."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        began = time.process_time()
        quick = build_quick_lexicon(folder)
        print(f"  quick build, German, up to 10 letters: {time.process_time() - began:.1f} s CPU, {_size(quick)}")
        began = time.process_time()
        path = build_lexicon("million", ["simplemma:de", "simplemma:en"], folder)
        facts = read_lexicon_facts(path)
        print(f"  {facts.forms:,} forms, {facts.keys:,} keys: {time.process_time() - began:.1f} s CPU, {_size(path)}")
        began = time.perf_counter()
        playable = open_dictionary(folder, ["million"], house=[SHIPPED]).playable(10)
        print(f"  all {len(playable):,} playable words of up to 10 letters: {time.perf_counter() - began:.2f} s")
        _look_ups(folder)


def _look_ups(folder: Path) -> None:
    """Compare with a bare interpreter; both with compiled bytecode, as installed."""
    python = ["env", "-u", "PYTHONDONTWRITEBYTECODE", sys.executable, "-X", f"pycache_prefix={folder / 'pyc'}", "-c"]
    code = _ASK.format(folder=str(folder), house=SHIPPED, words=WORDS)
    ours, bare = process.paired([*python, code], [*python, "pass"], RUNS)
    over = 1000 * (ours.cpu - bare.cpu)
    print(f"  open, {len(WORDS)} look-ups  CPU {1000 * ours.cpu:6.1f} ms  {ours.rss:5.1f} MiB")
    print(f"  bare interpreter   CPU {1000 * bare.cpu:6.1f} ms  {bare.rss:5.1f} MiB")
    at_most("over it", over, 15, " ms")
    at_most("memory in all", ours.rss, 20, " MiB")
    print(f"  ratio              CPU {ours.cpu / bare.cpu:.2f}  memory {ours.rss / bare.rss:.2f}")


def _size(path: Path) -> str:
    return f"{path.stat().st_size / 1e6:.1f} MB"


if __name__ == "__main__":
    run()
