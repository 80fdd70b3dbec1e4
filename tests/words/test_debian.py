"""Real lists as Debian installs them, where they are installed (packages tanglet-data, hunspell-de-de-frami)."""

from __future__ import annotations

from pathlib import Path

import pytest

from moderator.words.compiled import Lexicon
from moderator.words.dictionary import open_dictionary
from moderator.words.house import SHIPPED
from moderator.words.sources import build

TANGLET = Path("/usr/share/tanglet/gamedata/de/words")
FRAMI = Path("/usr/share/hunspell/de_DE_frami.dic")


@pytest.mark.skipif(not TANGLET.exists(), reason="tanglet-data is not installed")
def test_the_list_of_tanglet(tmp_path: Path) -> None:
    found = Lexicon(build("de", [str(TANGLET)], tmp_path))
    assert found.facts.sources[0].format == "tanglet"
    assert 500_000 < found.facts.keys < 700_000
    dictionary = open_dictionary(tmp_path, ["de"], house=[SHIPPED])
    for word in ("HAUS", "AUSIXEN", "MASSE", "BAUER", "MY", "ÄH", "COBOL", "TEXAS"):
        assert dictionary.judge(word).ruling == "accept", word
    assert dictionary.judge("IXTE", "ausixen").ruling == "accept"
    assert dictionary.judge("ROSENBEET").ruling == "reject"


@pytest.mark.skipif(not FRAMI.exists(), reason="hunspell-de-de-frami is not installed")
@pytest.mark.matrix("words")
def test_the_hunspell_dictionary(tmp_path: Path) -> None:
    found = Lexicon(build("de", [str(FRAMI)], tmp_path))
    assert found.facts.language == "de"
    assert 500_000 < found.facts.keys < 600_000
    dictionary = open_dictionary(tmp_path, ["de"], house=[SHIPPED])
    for word in ("HAUS", "HÄUSER", "GING", "GEGANGEN", "ABI", "XI"):
        assert dictionary.judge(word).ruling == "accept", word
    assert dictionary.judge("BIRNENSAFT").reason == "unknown"  # only live compounding would take it
    assert dictionary.judge("USW").reason == "abbreviation"
