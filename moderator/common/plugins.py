"""What there is of something: our own, and whatever other packages on this machine register as entry points.

Places are strings, ``module:name``, so that nothing is imported before it is needed. Beside a module lie its sentences
(``messages.<language>.toml``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from moderator.common.errors import MistypedError, OperatorError
from moderator.common.text import suggest


class Registry(Mapping[str, str]):
    """A mapping, key -> ``module:name``, our own first. Other packages are looked for when a key is none of ours, and
    when all are wanted: that takes longer than most commands need.

    ``contract``: the newest version that is known of what such a thing promises; each says in its own source, as a
    number, which one it was written for. ``look``: a command that looks whether it keeps it."""

    def __init__(
        self, what: str, group: str, own: Mapping[str, str], contract: int | None = None, look: str = ""
    ) -> None:
        self.what, self.group, self.own, self.contract, self.look = what, group, own, contract, look

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
        """The keys and places of other packages."""
        from importlib.metadata import entry_points

        points = sorted(entry_points(group=self.group), key=lambda point: point.name)
        return {point.name: point.value for point in points}

    def check_known(self, key: str) -> None:
        """Check that a key is known. Raises OperatorError naming the known ones, where it is none."""
        if key not in self:
            there = suggest(key, self) if len(self) else f"No package here brings a {self.what}."
            raise MistypedError(f"There is no {self.what} {key!r}.", there)

    def load_registered(self, key: str) -> Any:
        """Load what is registered under that key. Raises OperatorError as ``check_known`` and ``get_folder``, for what
        cannot be imported, and for what was written for another contract."""
        from importlib import import_module

        self.check_known(key)
        module, _, name = self[key].partition(":")
        if key in self.own:
            return getattr(import_module(module), name)
        self.get_folder(key)
        try:
            thing = getattr(import_module(module), name)
        except Exception as error:  # of somebody else: whatever it raises, this one line is all that it costs
            raise OperatorError(
                f"The {self.what} {key!r} ({self[key]}) cannot be loaded: {error!r}.", "Install it again, or mend it."
            ) from error
        if self.contract is not None:
            self._check_contract(key, thing, self.contract)
        return thing

    def _check_contract(self, key: str, thing: object, newest: int) -> None:
        """Check the contract of a thing. Raises OperatorError for what was written for a contract that is not known
        here."""
        written: object = getattr(thing, "contract", None)
        if isinstance(written, bool) or not isinstance(written, int) or written < 1:
            look = f" and run `{self.look} {key}`" if self.look else ""
            raise OperatorError(
                f"The {self.what} {key!r} does not say which contract it was written for.",
                f"Add `contract = {newest}` to its class{look}.",
            )
        if written > newest:
            raise OperatorError(
                f"The {self.what} {key!r} was written for contract {written}, and {newest} is the newest here.",
                f"Install a newer moderator, or an older release of the {self.what}.",
            )

    def get_package(self, key: str) -> str:
        """Return the package that its module lies in; variants of one thing share it. KeyError for an unknown key."""
        return self[key].partition(":")[0].rpartition(".")[0]

    def get_folder(self, key: str) -> Path:
        """Return the folder in which its sentences lie. KeyError for an unknown key, OperatorError for what is
        registered and not there."""
        from importlib.util import find_spec

        try:
            spec = find_spec(self.get_package(key) or self[key].partition(":")[0])
        except (ImportError, ValueError):
            spec = None
        if spec is None or spec.origin is None:
            raise OperatorError(
                f"The {self.what} {key!r} is registered as {self[key]} and is not there.", "Install it again."
            )
        return Path(spec.origin).parent
