"""Mail in, mails out: one file in tests/pairs for each thing that a player or the moderator may write.

A file begins with ``# what it shows``, ``name: value`` lines and a blank line; then comes the mail, then, below lines
of =====, what was answered. ``pytest --soak`` with ``MODERATOR_REGOLD=1`` writes the answers anew. Names of headers:
``scene`` (a function of pair_scenes.py), ``from``, ``to`` (seat = the seat's own address, plain = the club's,
else a key of the scene), ``subject``, ``lines`` (so many of each answer are kept; 0 = all).
"""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from moderator.common import tokens
from moderator.service.match import start
from tests.club import pair_scenes
from tests.club.club import Club, copied, make_club

FOLDER = Path(__file__).parent.parent / "pairs"
FILES = sorted(FOLDER.rglob("*.txt"))
SHOWN = 30
CODES = ("K7Q2", "M4RA", "P8TE", "W3UG", "T5ZK")
RULE = "====="


@dataclass
class Secrets:
    """Codes and tokens in the order in which they are made."""

    tokens: int = 0
    codes: int = 0

    def token(self) -> str:
        self.tokens += 1
        return f"T0KEN{self.tokens:05}"

    def code(self, long: bool = False) -> str:
        self.codes += 1
        return CODES[self.codes - 1]


@dataclass
class Prepared:
    """A scene as it was when it was first set up, to be copied for each pair that plays in it."""

    club: Club
    scene: dict[str, Any]
    secrets: Secrets


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Prepared]:
    empty = make_club(tmp_path_factory.mktemp("empty") / "club", kept=True)
    made: dict[str, Prepared] = {}

    def at(name: str) -> Prepared:
        if name not in made:
            club, secrets = copied(empty, tmp_path_factory.mktemp("scene") / "club"), Secrets()
            with pytest.MonkeyPatch.context() as patch:
                fix(patch, secrets)
                scene = pair_scenes.SCENES[name](club)
            club.skip_mails()
            made[name] = Prepared(club, scene, secrets)
        return made[name]

    return at


def named(file: Path) -> str:
    return str(file.relative_to(FOLDER).with_suffix(""))


@pytest.mark.matrix("mails and answers", seconds=0.06)
@pytest.mark.parametrize("file", FILES, ids=named)
def test_pair(file: Path, prepared: Callable[[str], Prepared], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    headers, mail, answers = read(file)
    before = prepared(headers["scene"])
    club = copied(before.club, tmp_path / "club")
    fix(monkeypatch, replace(before.secrets))
    send(club, before.scene, headers, mail)
    club.tick()
    written = "".join(shown(one, int(headers.get("lines", SHOWN))) for one in club.mails())
    if os.environ.get("MODERATOR_REGOLD"):
        text = file.read_text(encoding="utf-8").split(f"\n{RULE}")[0].rstrip() + "\n\n"
        file.write_text(text + (written or f"{RULE} nothing\n"), encoding="utf-8")
    else:
        assert (written or f"{RULE} nothing\n") == answers


def read(file: Path) -> tuple[dict[str, str], str, str]:
    """(headers, mail, answers) of a file."""
    head, _, rest = file.read_text(encoding="utf-8").partition("\n\n")
    assert head.startswith("# "), f"{file} does not say what it shows"
    headers = dict(line.split(": ", 1) for line in head.splitlines()[1:])
    mail, rule, answers = rest.partition(RULE)
    return headers, mail.strip("\n") + "\n", rule + answers


def fix(monkeypatch: pytest.MonkeyPatch, secrets: Secrets) -> None:
    monkeypatch.setattr(tokens, "generate_token", secrets.token)
    monkeypatch.setattr(tokens, "generate_match_code", secrets.code)
    dealt = SimpleNamespace(token_bytes=lambda count: pair_scenes.RACKS)
    monkeypatch.setattr(start, "secrets", dealt)


def send(club: Club, scene: dict[str, Any], headers: dict[str, str], mail: str) -> None:
    name, subject = headers["from"], headers.get("subject", "")
    to = headers.get("to", "seat")
    if to == "seat":
        code = scene["code"]
        address = f"games+{code}-{club.token(code, scene['seats'].index(name))}@club.example"
    else:
        address = scene.get(to, "games@club.example")
    domain = name.partition("@")[2] or "home.example"
    vouched = {"Authentication_Results": f"mx.club.example; dkim=pass header.d={domain}"}
    club.write(name, mail, to=address, subject=subject, **vouched)


def shown(mail: Any, lines: int) -> str:
    """One answer as the file keeps it: to whom, the subject, the text without what differs from run to run."""
    part = mail.get_body(("plain",))
    text = part.get_content().rstrip().splitlines()
    kept = text[:lines] if lines else text
    more = [f"[… {len(text) - len(kept)} lines]"] if len(text) > len(kept) else []
    files = [f"[{name}]" for attached in mail.iter_attachments() if (name := attached.get_filename())]
    to = re.sub(r".*<(.*)>", r"\1", str(mail["To"]))
    return "\n".join([f"{RULE} to {to}: {mail['Subject']}", *kept, *more, *files, ""])
