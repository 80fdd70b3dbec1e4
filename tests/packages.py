"""A package of somebody else's, installed for the time of a test: its files on the path, and what it registers where
pip would write it down."""

import importlib
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from moderator import games
from moderator.common.plugins import Registry
from moderator.mail.settings import TRANSPORTS
from moderator.tournaments import formats

REGISTRIES: tuple[Registry, ...] = (games.REGISTRY, formats.REGISTRY, TRANSPORTS)


def write(folder: Path, name: str, files: Mapping[str, str], points: Mapping[str, Mapping[str, str]]) -> Path:
    """Into ``folder``, for any process that has it on its path. ``points``: group -> key -> ``module:name``."""
    for file, source in files.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(source, encoding="utf-8")
    about = folder / f"{name}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    groups = (
        "\n".join([f"[{group}]", *(f"{key} = {at}" for key, at in keys.items())]) for group, keys in points.items()
    )
    (about / "entry_points.txt").write_text("\n\n".join(groups) + "\n", encoding="utf-8")
    return folder


@contextmanager
def installed(folder: Path) -> Iterator[None]:
    """What lies in ``folder`` is there in this process, and gone afterwards."""
    own = {child.name for child in folder.iterdir()} - {"tests"}
    for name in [name for name in sys.modules if name.partition(".")[0] in own]:  # of a test before, from its folder
        del sys.modules[name]
    before = set(sys.modules)
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    _forget()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in set(sys.modules) - before:
            if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(folder)):
                del sys.modules[name]
        _forget()


def _forget() -> None:
    for registry in REGISTRIES:
        registry.__dict__.pop("others", None)
    games.folder.cache_clear()
