from pathlib import Path
from typing import Any

import pytest

from tests.faults.evening import busy, undisturbed


@pytest.fixture(scope="session")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a busy evening's club, to be copied."""
    return busy(tmp_path_factory.mktemp("busy") / "club")


@pytest.fixture(scope="session")
def expected(evening: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What comes of that evening when nothing goes wrong."""
    return undisturbed(evening, tmp_path_factory.mktemp("calm") / "club")
