"""Where the files are that are not Python: in a wheel inside the package, in a checkout at the top level."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def _beside(name: str) -> Path:
    inside = _PACKAGE / name
    return inside if inside.exists() else _PACKAGE.parent / name


def templates() -> Path:
    """Folder of the mail templates."""
    return _beside("templates")


def example_config() -> Path:
    """config.example.toml"""
    return _beside("config.example.toml")
