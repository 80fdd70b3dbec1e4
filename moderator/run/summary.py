"""What a run did, for the operator's eyes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Summary:
    show: Callable[[int, int], None] | None = field(default=None, repr=False)
    """Is told after each mail how many have been handled, of how many that waited."""
    taken: int = 0
    waiting: int = 0
    """Mails that were there to be handled when the run began with that."""
    handled: int = 0
    quarantined: list[str] = field(default_factory=list)
    """One line per mail that our own code could not handle."""
    deadlines: int = 0
    reminders: int = 0
    digests: int = 0
    steps: int = 0
    """Of tournaments: registrations opened, rounds paired, games begun or settled, reports."""
    sent: int = 0
    retry: int = 0
    dead: int = 0
    troubles: list[str] = field(default_factory=list)
    """One line each for what the operator must look at: suspended matches, refused mails."""
    away: list[str] = field(default_factory=list)
    """Servers that did not answer; only worth a word when it lasts."""
    reached: set[str] = field(default_factory=set)
    """Servers that did, as ``host:port``; "" = the run took place (no other was at it) and has reached its end."""

    def trouble(self, line: str) -> None:
        """Note a line once, however many matches it hits."""
        if line not in self.troubles:
            self.troubles.append(line)

    def one_handled(self) -> None:
        """Count a mail that has been handled."""
        self.handled += 1
        if self.show:
            self.show(self.handled, max(self.waiting, self.handled))

    @property
    def quiet(self) -> bool:
        return not any(value for name, value in vars(self).items() if name not in ("show", "waiting", "reached"))
