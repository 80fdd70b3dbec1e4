"""Small clubs, each as the program left it that needed one version of the database; see make.py."""

from __future__ import annotations

import json
import tarfile
from datetime import datetime
from pathlib import Path

FOLDER = Path(__file__).parent / "packed"
PARTS = ("made.json", "moderator.toml", "moderator.sqlite", "words.txt", "lexicons", "house.tsv", "backup")
"""What of a club's folder is packed, where it is there. ``backup``: what is in the zip file that it made."""


def packed(version: str) -> Path:
    return FOLDER / f"{version}.tar.xz"


def versions() -> list[str]:
    """Those of which there is a club, oldest first."""
    return sorted(file.name.partition(".")[0] for file in FOLDER.glob("*.tar.xz"))


def unpack(version: str, folder: Path) -> datetime:
    """Put the club there; returns when it was left."""
    with tarfile.open(packed(version)) as archive:
        archive.extractall(folder, filter="data")
    return datetime.fromisoformat(json.loads((folder / "made.json").read_text(encoding="utf-8"))["now"])
