"""A clone by itself: every test file is collected, and what needs mails from elsewhere is skipped and says so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parent
NEEDING = sorted(
    file for file in TESTS.rglob("test_*.py") if "from tests.beside import" in file.read_text(encoding="utf-8")
)


def test_nothing_else_looks_beside_the_repository() -> None:
    looking = [
        file.relative_to(TESTS).as_posix()
        for file in TESTS.rglob("*.py")
        if "MODERATOR_SHARED" in file.read_text(encoding="utf-8")
    ]
    assert sorted(looking) == ["beside.py", "mutants/__main__.py", "test_beside.py"]


def test_a_clone_by_itself_is_collected(tmp_path: Path) -> None:
    assert len(NEEDING) >= 5
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:xdist", *map(str, NEEDING)]
    alone = {**os.environ, "MODERATOR_SHARED": str(tmp_path / "nowhere")}
    done = subprocess.run(command, cwd=TESTS.parent, env=alone, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
