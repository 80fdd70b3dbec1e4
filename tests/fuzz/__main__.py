"""``python -m tests.fuzz TARGET --seconds N``: try a target for long. A fault is printed and its input kept in
``tests/fuzz/found``, where the suite tries it again. With atheris, if that is installed, inputs are found by what code
they reach; else they are made at random."""

from __future__ import annotations

import argparse
import hashlib
import random
import signal
import sys
import tempfile
import time
import traceback
from importlib.util import find_spec
from pathlib import Path

HANGS = 30
"""Seconds after which an input counts as one that never ends."""
FOUND = Path(__file__).parent / "found"


def main() -> None:
    arguments = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    arguments.add_argument("target")
    arguments.add_argument("--seconds", type=int, default=60)
    arguments.add_argument("--seed", type=int, default=None, help="of the random inputs; else each run is another")
    arguments.add_argument("--plain", action="store_true", help="at random even where atheris is installed")
    asked = arguments.parse_args()
    if find_spec("atheris") and not asked.plain:
        guided(asked.target, asked.seconds)
    else:
        sys.exit(1 if at_random(asked.target, asked.seconds, asked.seed) else 0)


def at_random(target: str, seconds: int, seed: int | None) -> int:
    """Try random inputs; returns how many kinds of fault were found."""
    from tests.fuzz.material import any_bytes, any_text
    from tests.fuzz.targets import BYTES

    dice = random.Random(seed)
    end, tries, slowest = time.monotonic() + seconds, 0, 0.0
    known: set[str] = set()
    while time.monotonic() < end:
        data = any_bytes(dice) if target in BYTES else any_text(target, dice)
        tries += 1
        start = time.process_time()
        kind, said = fault(target, data)
        slowest = max(slowest, time.process_time() - start)
        if kind and kind not in known:
            known.add(kind)
            print(f"{target}: {kind}: {said}\n  {keep(target, shrunk(target, data, kind))}", flush=True)
    print(f"{target}: {tries} inputs, {len(known)} kinds of fault, slowest {slowest:.3f} s", flush=True)
    return len(known)


def fault(target: str, data: str | bytes) -> tuple[str, str]:
    """(where an input fails, what is said of it); ("", "") if it does not."""
    from tests.fuzz.targets import run

    def hung(*_: object) -> None:
        raise TimeoutError(f"not done after {HANGS} s")

    signal.signal(signal.SIGALRM, hung)
    signal.alarm(HANGS)
    try:
        run(target, data)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} {where.filename}:{where.lineno}", str(error)
    finally:
        signal.alarm(0)
    return "", ""


def shrunk(target: str, data: str | bytes, kind: str) -> str | bytes:
    """A shorter input that fails at the same place: pieces of it are left out, larger ones first."""
    size, end = len(data) // 2, time.monotonic() + 20
    while size and time.monotonic() < end:
        at = 0
        while at < len(data):
            less = data[:at] + data[at + size :]  # type: ignore[operator]
            if fault(target, less)[0] == kind:
                data = less
            else:
                at += size
        size //= 2
    return data


def keep(target: str, data: str | bytes) -> Path:
    """The file with an input that makes a fault."""
    raw = data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")
    file = FOUND / f"{target}-{hashlib.sha256(raw).hexdigest()[:12]}.txt"
    file.write_bytes(raw)
    return file


def guided(target: str, seconds: int) -> None:
    """Hand over to atheris; ends the process."""
    import atheris

    with atheris.instrument_imports(include=["moderator"]):
        from tests.fuzz.targets import BYTES, run
    from tests.fuzz.material import HEADERS, seeds, tokens

    def one(data: bytes) -> None:
        given = data if target in BYTES else data.decode("utf-8", "ignore")
        try:
            run(target, given)
        except Exception:
            print(keep(target, given), flush=True)
            raise

    with tempfile.TemporaryDirectory() as folder:
        corpus, words = Path(folder) / "corpus", Path(folder) / "words"
        corpus.mkdir()
        for number, seed in enumerate(seeds(target)):
            (corpus / str(number)).write_text(seed, encoding="utf-8")
        pieces = HEADERS if target in BYTES else [token.encode("utf-8", "ignore") for token in tokens(target)]
        lines = ('"' + "".join(f"\\x{byte:02x}" for byte in piece) + '"' for piece in dict.fromkeys(pieces) if piece)
        words.write_text("\n".join(lines), encoding="ascii")
        options = [f"-max_total_time={seconds}", "-max_len=4000", f"-dict={words}", "-timeout=30", str(corpus)]
        atheris.Setup([sys.argv[0], *options], one)
        atheris.Fuzz()


main()
