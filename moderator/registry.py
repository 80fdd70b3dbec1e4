"""What there is of something: our own, and whatever other packages on this machine register as entry points.

Places are strings, ``module:name``, so that nothing is imported before it is needed. Beside a module lie its sentences
(``messages.<language>.toml``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from moderator.errors import OperatorError


class Registry(Mapping[str, str]):
    """Key -> ``module:name``, our own first. Other packages are looked for when a key is none of ours, and when all are
    wanted: that takes longer than most commands need."""

    def __init__(self, what: str, group: str, own: Mapping[str, str]) -> None:
        self.what, self.group, self.own = what, group, own

    def __getitem__(self, key: str) -> str:
        return self.own[key] if key in self.own else self.others[key]

    def __iter__(self) -> Iterator[str]:
        yield from self.own
        yield from (key for key in self.others if key not in self.own)

    def __contains__(self, key: object) -> bool:
        return key in self.own or (isinstance(key, str) and key in self.others)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @cached_property
    def others(self) -> dict[str, str]:
        """Those of other packages."""
        from importlib.metadata import entry_points

        points = sorted(entry_points(group=self.group), key=lambda point: point.name)
        return {point.name: point.value for point in points}

    def package(self, key: str) -> str:
        """The package that its module lies in; variants of one thing share it. KeyError for an unknown key."""
        return self[key].partition(":")[0].rpartition(".")[0]

    def folder(self, key: str) -> Path:
        """Where its sentences lie. KeyError for an unknown key, OperatorError for what is registered and not there."""
        from importlib.util import find_spec

        try:
            spec = find_spec(self.package(key))
        except (ImportError, ValueError):
            spec = None
        if spec is None or spec.origin is None:
            raise OperatorError(
                f"The {self.what} {key!r} is registered as {self[key]} and is not there.", "Install it again."
            )
        return Path(spec.origin).parent
