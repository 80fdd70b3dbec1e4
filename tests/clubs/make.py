"""Makes the clubs of tests/clubs/packed: one per version of the database that this program ever needed, played by the
program of that time (play.py), for the tests that upgrade them.

    python -m tests.clubs.make            # those that are missing
    python -m tests.clubs.make head       # the newest anew, from the sources as they are here
    python -m tests.clubs.make 0003       # that one anew, from the history

A new migration: add the last commit that needed the old version to COMMITS, then run the first line, and commit the new
files.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from moderator.store.schema import HEAD
from tests.clubs import PARTS, packed

ROOT = Path(__file__).parents[2]
COMMITS = {
    "0001": "3bf991b309987081c21435ece29a76dca5ddcca7",
    "0002": "5c7f109858b56e5f9599003ec801593006741cce^",
    "0003": "c42e832d4ef47b3bbf27420f206f08e774a596c3",
    "0006": "2d0b501f6b649468d098075e0fba6a540e22fff3",
    "0008": "1d88080f831be5df46d5bb291fe4039c31d614eb",
    "0009": "486608cf4a7d5342aefccd0df97dc6602aba4411",
    "0012": "ac4756bb1469c5a27805a263ec65552ebc128953",
    "0013": "69963737bcb62255c393cb15628d0592e77de837",
    "0014": "78d00f571edb0682afec267e91f2d754c055d803",
}
"""Version of the database -> the last commit whose program needed it. (The very last one of 0002 cannot start a match:
it stands in the middle of a change.)"""
PASSED_BY = {"0004": "0006", "0005": "0006", "0007": "0008", "0010": "0012", "0011": "0012"}
"""Versions that no commit ever needed -> the one that came with them in one commit. No club is at one of them."""
HERE = "the sources it lies with"
SOURCES = (
    "moderator",
    "templates",
    "config.example.toml",
    "tests/__init__.py",
    "tests/policies.py",
    "tests/club",
    "tests/servers",
)


def make(version: str) -> Path:
    """Play the club of ``version`` and pack it; returns the file. Raises RuntimeError, CalledProcessError."""
    with tempfile.TemporaryDirectory(prefix="moderator-club-") as name:
        sources, folder = Path(name) / "sources", Path(name) / "club"
        commit = _export(version, sources)
        _play(sources, folder)
        made = json.loads((folder / "made.json").read_text(encoding="utf-8"))
        (folder / "made.json").write_text(json.dumps(made | {"version": version, "commit": commit}), encoding="utf-8")
        file = packed(version)
        file.parent.mkdir(exist_ok=True)
        part_file = Path(name) / file.name
        with tarfile.open(part_file, "w:xz", preset=9) as archive:
            for part in PARTS:
                if (folder / part).exists():
                    archive.add(folder / part, part)
        shutil.copyfile(part_file, file)
    return file


def _export(version: str, target: Path) -> str:
    """The sources of that time; returns what they are."""
    target.mkdir()
    if version == HEAD:
        for part in (*SOURCES, "tests/clubs"):
            (target / part).parent.mkdir(exist_ok=True)
            (target / part).symlink_to(ROOT / part)
        return HERE
    commit = COMMITS[version]
    listed = subprocess.run(
        ["git", "ls-tree", "--name-only", commit, *SOURCES], cwd=ROOT, check=True, capture_output=True
    )
    command = ["git", "archive", commit, *listed.stdout.decode().split()]
    archive = subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as stream:
        stream.extractall(target, filter="data")
    (target / "tests" / "clubs").symlink_to(Path(__file__).parent)
    return commit


def _play(sources: Path, folder: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(sources), "PYTHONSAFEPATH": "1"}
    subprocess.run([sys.executable, "-m", "tests.clubs.play", str(folder)], cwd=sources, env=environment, check=True)


def main(wanted: list[str]) -> None:
    known = (*COMMITS, HEAD)
    chosen = [HEAD if word == "head" else word for word in wanted] or [one for one in known if not packed(one).exists()]
    for version in chosen:
        if version not in known:
            raise SystemExit(f"{version}: known are {', '.join(known)}, head.")
        file = make(version)
        print(f"{file.relative_to(ROOT)}: {file.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
