"""What a run did, for the operator's eyes."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Summary:
    taken: int = 0
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

    def trouble(self, line: str) -> None:
        """Note a line once, however many matches it hits."""
        if line not in self.troubles:
            self.troubles.append(line)

    @property
    def quiet(self) -> bool:
        return not any(vars(self).values())
