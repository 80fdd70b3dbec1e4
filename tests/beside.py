"""What lies beside the repository where it was made, and is no part of it: real mails, exercises of others.

A clone by itself has none of it (``MODERATOR_SHARED`` says where it is); there every test passes or is skipped."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("MODERATOR_SHARED", Path(__file__).parents[2] / "shared"))
CORPORA = SHARED / "corpora"
HELD = SHARED / "vectors" / "held"

needs_corpora = pytest.mark.skipif(not CORPORA.is_dir(), reason="no corpora beside the repository")
needs_held = pytest.mark.skipif(not HELD.is_dir(), reason="the exercises are not part of this repository")
