"""docs/your-game.md shows the example as it is, and leaves no file of it out."""

from __future__ import annotations

import re

from tests.examples.packages import ROOT

PAGE = (ROOT / "docs" / "your-game.md").read_text(encoding="utf-8")
FANTAN = ROOT / "examples" / "fantan"
ENDINGS = {"python": ".py", "toml": ".toml", "js": ".js"}


def test_what_is_printed_stands_in_the_example() -> None:
    blocks = re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) >= 7
    for kind, block in blocks:
        files = [file for file in FANTAN.rglob(f"*{ENDINGS[kind]}") if "tests" not in file.parts]
        assert any(block in file.read_text(encoding="utf-8") for file in files), block


def test_each_file_of_the_example_is_explained() -> None:
    for file in FANTAN.rglob("*"):
        if file.is_file() and file.suffix != ".pyc" and file.name not in ("__init__.py", "README.md"):
            assert file.name in PAGE or file.parent.name == "tests", file
