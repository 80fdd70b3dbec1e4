"""The base of every closed set of words: states, kinds, rulings. A word that is not in the set is a mistake, and mypy
says so wherever one is compared, assigned, stored or asked for in a query.
"""

from __future__ import annotations

from enum import Enum, StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:

    class Choice(Enum):
        """One of a closed set of words. It is text where it is stored, shown or sent; for the checker it is not, or
        ``match.status == "runing"`` would be the comparison of one text with another. Where text is wanted: ``.value``.
        """

else:

    class Choice(StrEnum):
        """One of a closed set of words; text, for templates and JSON."""
