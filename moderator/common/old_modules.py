"""The modules of contract 1 under their old names: packages written for it import those, and find the new ones.

Each import of an old name warns (DeprecationWarning). They go with the release after the one that brought contract 2.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType

OLD_MODULES = {
    "moderator.errors": "moderator.common.errors",
    "moderator.match.conditions": "moderator.rules.orders.conditions",
    "moderator.match.contract": "moderator.rules.legacy",
    "moderator.match.diagram": "moderator.rules.position",
    "moderator.match.equity": "moderator.rules.legacy",
    "moderator.match.outcome": "moderator.rules.ending",
    "moderator.match.playouts": "moderator.rules.legacy",
    "moderator.match.record": "moderator.rules.legacy",
    "moderator.match.robot": "moderator.rules.legacy",
    "moderator.match.scenes": "moderator.rules.scenes",
    "moderator.match.sequential": "moderator.rules.legacy",
    "moderator.match.survey": "moderator.rules.legacy",
    "moderator.match.words": "moderator.rules.words",
    "moderator.states": "moderator.common.enums",
}
"""Old name -> the module of today, or the one that has the names of games of contract 1."""
_PACKAGE = "moderator.match"


class _OldModules:
    """Finder and loader in one. (The bases in importlib.abc would cost each start of the program 25 ms.)"""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname == _PACKAGE:
            return ModuleSpec(fullname, self, is_package=True)  # type: ignore[arg-type]
        return ModuleSpec(fullname, self) if fullname in OLD_MODULES else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        if spec.name == _PACKAGE:
            return None
        new = OLD_MODULES[spec.name]
        warnings.warn(f"{spec.name} is called {new} now.", DeprecationWarning, stacklevel=2)
        module = import_module(new)
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None and module.__name__ != _PACKAGE:
            module.__spec__ = module.__spec__.loader_state  # its own, which the import has just replaced


def install_old_modules() -> None:
    if not any(isinstance(one, _OldModules) for one in sys.meta_path):
        sys.meta_path.append(_OldModules())
