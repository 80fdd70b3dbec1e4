"""Orders as players write them: lines, alternatives, conditions."""

from pathlib import Path

SHARED_WORDS = Path(__file__).parent.parent
"""The folder of the words that several games have in their moves."""
