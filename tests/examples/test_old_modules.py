"""A package written for contract 1 imports what was promised to it under the old names of modules."""

import importlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from moderator.common.old_modules import OLD_MODULES
from moderator.conformance.promised import PROMISED

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "fantan" / "fantan"
OLD_NAMES = {new: old for old, new in OLD_MODULES.items()}


def test_whatever_is_promised_has_an_old_name() -> None:
    assert PROMISED.keys() == OLD_NAMES.keys()


@pytest.mark.parametrize("old", OLD_MODULES)
def test_an_old_name_is_the_module_of_today(old: str) -> None:
    sys.modules.pop(old, None)
    with pytest.warns(DeprecationWarning, match=re.escape(OLD_MODULES[old])):
        found = importlib.import_module(old)
    assert found is importlib.import_module(OLD_MODULES[old])
    assert found.__spec__ is not None
    assert found.__spec__.name == found.__name__ == OLD_MODULES[old]


def test_the_example_runs_with_old_names(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "fantan")
    for file in (tmp_path / "fantan").glob("*.py"):
        source = file.read_text(encoding="utf-8")
        for new, old in OLD_NAMES.items():
            source = source.replace(f"from {new} import", f"from {old} import")
        file.write_text(source, encoding="utf-8")
    assert "moderator.match.contract" in (tmp_path / "fantan" / "rules.py").read_text(encoding="utf-8")
    script = "from fantan.rules import GAME; print(GAME.key)"
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True)
    assert done.stdout.decode().strip() == "fantan", done.stderr.decode()
