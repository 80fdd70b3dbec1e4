"""The README as the page of a package index has it: no path of this folder leads anywhere from there, so a link or a
picture becomes its text. Where pyproject.toml names a ``Repository`` in [project.urls], they lead there instead."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

PICTURE = re.compile(r'<img src="([^":]+)"[^>]*? alt="([^"]*)">')
LINK = re.compile(r"\[([^\]]+)\]\((?!\w+:)([^)#\s]*)(#[^)\s]*)?\)")


def for_index(text: str, repository: str = "") -> str:
    """``repository``: where the files of this folder can be read; "" = nowhere yet."""
    base = repository.rstrip("/")

    def there(link: re.Match[str]) -> str:
        words, path, place = link[1], link[2], link[3] or ""
        return f"[{words}]({base}/blob/main/{path}{place})" if base and path else words

    def picture(shown: re.Match[str]) -> str:
        return shown[0].replace(shown[1], f"{base}/raw/main/{shown[1]}") if base else shown[2]

    return LINK.sub(there, PICTURE.sub(picture, text))


class Readme(MetadataHookInterface):
    """Called by hatchling when it writes what is said about the package."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        shown = for_index(text, metadata.get("urls", {}).get("Repository", ""))
        metadata["readme"] = {"content-type": "text/markdown", "text": shown}
