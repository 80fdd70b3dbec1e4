import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from pathlib import Path

from tests import sampling
from tests.mutants.changes import Change, drawn, probed

ROOT = Path(__file__).resolve().parents[2]
FIRST = 60
"""So many tests are tried first, from as many files as there are: most changes are found by one of them."""
PATIENCE = 600
"""Seconds for one test; a change that makes the program run for ever is found, too."""
WHOLE = 2 * 3600
"""Seconds for all tests."""
PASSED = """
import os
seen = set()
def passed(number):
    note = f"{number}\\t{os.environ.get('PYTEST_CURRENT_TEST', '').rpartition(' (')[0]}\\n"
    if note not in seen:
        seen.add(note)
        handle = os.open(FILE, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(handle, note.encode())
        os.close(handle)
"""
SUITE = ("-n", "2", "--dist", "worksteal")


class Copy:
    """A copy of the repository that may be changed."""

    def __init__(self, folder: Path, suite: Sequence[str]) -> None:
        self.root, self.temp, self.written = folder / "moderator", folder / "temp", 0
        self.suite, self.files = suite, set[str]()
        """The tests that are asked, and the files of those that pass while all is well."""
        self.sound: dict[str, bytes] = {}
        """What was in the files that have been changed."""
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
        for name in listed.split("\0"):
            if name and (ROOT / name).exists():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, self.root / name)

    def write(self, file: str, source: bytes) -> None:
        """With a time of its own: by time and size Python knows whether it has compiled a file."""
        path = self.root / file
        if path.exists():
            self.source(file)
        path.write_bytes(source)
        self.written += 1
        os.utime(path, (1_600_000_000 + self.written,) * 2)

    def source(self, file: str) -> bytes:
        if file not in self.sound:
            self.sound[file] = (self.root / file).read_bytes()
        return self.sound[file]

    def pytest(self, *words: str) -> tuple[int | None, str]:
        """Exit status, None where it did not end; and what was printed."""
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--basetemp={self.temp}", *words]
        command += ["-o", f"faulthandler_timeout={PATIENCE}", "-o", "faulthandler_exit_on_timeout=true"]
        there = {**os.environ, "PYTHONPATH": str(self.root)}
        there.setdefault("MODERATOR_SHARED", str(ROOT.parent / "shared"))
        there.setdefault(sampling.SEED, sampling.read_commit())
        run = subprocess.Popen(
            command,
            cwd=self.root,
            env=there,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            said, _ = run.communicate(timeout=WHOLE)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            run.communicate()
            return None, ""
        return run.returncode, said

    def passing(self, changes: Sequence[Change]) -> dict[int, list[str]]:
        """By the number of a change: the tests that pass its place. "" = it is passed by an import."""
        notes = self.root.parent / "passed.txt"
        notes.touch()
        self.write("moderator/passed.py", f"FILE = {str(notes)!r}\n{PASSED}".encode())
        places = defaultdict(list)
        for number, change in enumerate(changes):
            places[change.file].append((number, change))
        for file, there in places.items():
            self.write(file, probed(self.source(file), there))
        status, said = self.pytest(*SUITE, "-rA", *self.suite)
        if status is None:
            raise SystemExit(f"The tests took more than {WHOLE} seconds.")
        for file in places:
            self.write(file, self.source(file))
        (self.root / "moderator/passed.py").unlink()
        sound = {*re.findall(r"^PASSED (.*)$", said, re.MULTILINE), ""}
        self.files = {test.partition("::")[0] for test in sound if test}
        found = defaultdict(list)
        for note in notes.read_text(encoding="utf-8").splitlines():
            number, test = note.split("\t")
            if test in sound and test not in found[int(number)]:
                found[int(number)].append(test)
        return found

    def killer(self, change: Change, tests: Sequence[str], whole: bool) -> str:
        """The test that fails with the change; "" if none does."""
        source = self.source(change.file)
        self.write(change.file, change.applied(source))
        try:
            own = mixed(test for test in tests if test)
            for some, words in ((own[:FIRST], ()), (own[FIRST:], SUITE)):
                if some and (found := self._failing(some, *words)):
                    return found
            if not self.has_right_types():
                return "mypy"
            if whole or "" in tests:
                return self._failing(nearest(self.root, self.files, change), *SUITE)
            return ""
        finally:
            self.write(change.file, source)

    def has_right_types(self) -> bool:
        """Whether mypy accepts the program as it stands."""
        command = [sys.executable, "-m", "mypy", "--package", "moderator"]
        return subprocess.run(command, cwd=self.root, capture_output=True).returncode == 0

    def _failing(self, tests: Sequence[str], *words: str) -> str:
        listed = self.root.parent / "tests.txt"
        listed.write_text("\n".join(tests), encoding="utf-8")
        status, said = self.pytest("-x", "-rfE", *words, f"@{listed}")
        if status in (0, 5):
            return ""
        if status == 4:
            raise SystemExit(f"pytest does not know what to do:\n{said[-3000:]}")
        failed = re.findall(r"^(?:FAILED|ERROR) (\S+)", said, re.MULTILINE)
        return failed[0] if failed else "it does not end" if status is None else f"status {status}"


def mixed(tests: Iterable[str]) -> list[str]:
    """The first of each file, the second of each, …"""
    files = defaultdict(list)
    for test in tests:
        files[test.partition("::")[0]].append(test)
    return [test for row in zip_longest(*files.values()) for test in row if test]


def nearest(root: Path, files: Iterable[str], change: Change) -> list[str]:
    """The files, those first that name the module."""
    module = change.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    package, _, name = module.rpartition(".")
    naming = re.compile(rf"{re.escape(module)}\b|from {re.escape(package)} import .*\b{name}\b")
    return sorted(files, key=lambda file: (naming.search((root / file).read_text(encoding="utf-8")) is None, file))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--under", default="moderator", help="where the changes are made: moderator/games, say")
    parser.add_argument("--tests", nargs="*", default=[], help="tests to ask, instead of all that the gate runs")
    parser.add_argument("--whole", action="store_true", help="let what survives meet every test")
    given = parser.parse_args()
    survived, killed = [], 0
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Copy(Path(folder), given.tests)
        changes = drawn(copy.root, given.under, given.seed, given.count)
        passing = copy.passing(changes)
        for number, change in enumerate(changes):
            found = copy.killer(change, passing[number], given.whole)
            killed += bool(found)
            survived += [] if found else [change]
            said = f"killed by {found}" if found else f"SURVIVED {len(passing[number])} tests"
            print(f"{number + 1}/{len(changes)} {change}: {said}", flush=True)
            if not found:
                print(change.diff(copy.source(change.file)), flush=True)
    print(f"{killed} of {len(changes)} killed ({killed / len(changes):.0%})")
    raise SystemExit(bool(survived))


if __name__ == "__main__":
    main()
