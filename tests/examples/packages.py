"""Games in packages of their own, installed as pip would, for processes of their own."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]


def install(folder: Path, package: Path) -> None:
    """Into a folder that is put on a path: the package, and what its entry point is."""
    name = package.name
    (folder / name).symlink_to(package)
    about = folder / f"{name}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: moderator-{name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[moderator.games]\n{name} = {name}.rules:GAME\n")


def run(folder: Path, *words: str) -> str:
    """A Python that finds what lies in the folder."""
    there = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True, env=there, timeout=600)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
    return done.stdout


def passes(folder: Path, key: str, *options: str, left_out: Sequence[str] = ()) -> None:
    """What every game must; no check is left out but those."""
    said = run(folder, "-m", "moderator.conformance", key, *options).splitlines()
    assert " checks, 0 failed" in said[-1]
    assert [line.split()[0] for line in said if "skipped" in line or "NOT SEEN" in line] == [*left_out]


def own_tests(folder: Path, tests: Path) -> None:
    run(folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", str(tests))
