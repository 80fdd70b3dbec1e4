"""What a trial of the mailbox finds, step by step."""

from __future__ import annotations

from dataclasses import dataclass

from moderator.diagnostics.settings_file import Setting

FOLDERS = "folders for read mails"


@dataclass(frozen=True)
class TrialStep:
    """One thing that was tried. ``trouble`` and ``doubt`` say what is wrong and how to mend it."""

    name: str
    says: str = ""
    """What was seen, where all is well."""
    trouble: str = ""
    doubt: str = ""
    """Not wrong, or not known."""
    settings: tuple[Setting, ...] = ()
    """With these it would be well."""

    @property
    def verdict(self) -> str:
        return "FAIL" if self.trouble else "note" if self.doubt else "ok"

    def __str__(self) -> str:
        said = self.trouble or self.doubt or self.says
        return f"{self.verdict:<5} {self.name}{': ' + said if said else ''}"
