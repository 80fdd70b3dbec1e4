"""A further language is a set of text files and no line of Python: one is made here, English with a mark before each
sentence, and a player gets mails in it. ``python -m tests.test_third_language`` prints how many files it takes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MARK = "~"
PLAIN = ("language-called", "decimal-mark", "weekdays", "months", "zone.")
"""What is split into words, or is no sentence."""
ENOUGH = 50
SCRIPT = """
import json, sys
from pathlib import Path
from tests.club.club import make_club
from tests.club.pair_scenes import begun
import moderator
from moderator.play.create import add_player
from moderator.paths import LANGUAGES
from moderator.inbox.sections import Section, hear_the_cry
from moderator.mail.model import Line
from moderator.pages import dates
from datetime import date

club = make_club(Path(sys.argv[1]))
with club.desk() as desk:
    add_player(desk.session, "Xenia", "xenia@home.example", club.now, language="xx")
code = begun(club, "topwords", ("Anna", "Xenia"))["code"]
mails = {"start": club.mail("xenia")}
def answer(name, seat, line):
    club.mails()
    club.order(name, code, seat, line)
    club.tick()
    return club.mail(name)
mails["help"] = answer("Xenia", 1, "Help")
mails["rules"] = answer("Xenia", 1, "Rules")
mails["wrong"] = answer("Xenia", 1, "A1 w QQQ")
answer("Anna", 0, "Sprache testisch")
mails["changed"] = answer("Anna", 0, "Stand")
section = Section("", lines=[Line(1, "~i am ready"), Line(2, "bin fertig"), Line(3, "no cry")])
hear_the_cry(section)
heard = [request.line.text for request in section.commands]
told = {
    name: [str(mail["Subject"]), str(mail["Content-Language"]), mail.get_body(("plain",)).get_content(),
           mail.get_body(("html",)).get_content()]
    for name, mail in mails.items()
}
print(json.dumps({"from": str(Path(moderator.__file__).parent), "languages": LANGUAGES, "mails": told, "heard": heard,
    "date": dates.short(date(2026, 12, 24), "xx")}))
"""


def files(package: Path) -> list[Path]:
    """What a translator has to translate."""
    return sorted([*package.rglob("*messages.en.toml"), *package.rglob("rules.*.en.md")])


def translate(package: Path) -> None:
    for english in files(package):
        text = english.read_text(encoding="utf-8")
        if english.suffix == ".toml":
            text = "\n".join(map(_marked, text.splitlines())) + "\n"
        other = re.sub(r"\.en\.(toml|md)$", r".xx.\1", english.name)
        english.with_name(other).write_text(text, encoding="utf-8")


def _marked(line: str) -> str:
    if line.startswith("language-called"):
        return 'language-called = "testisch"'
    if re.match(rf"\"?(?:{'|'.join(PLAIN)})", line):
        return line
    return re.sub(r'^("?[\w.-]+"? = ")', rf"\g<1>{MARK}", line)


@pytest.mark.slow
def test_a_third_language_needs_no_python(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "moderator", tmp_path / "moderator", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "templates", tmp_path / "templates")
    translate(tmp_path / "moderator")
    found = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "club")],
        env=os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    told = json.loads(found.stdout.splitlines()[-1])
    assert told["from"] == str(tmp_path / "moderator")
    assert told["languages"] == ["de", "en", "xx"]
    assert told["heard"] == ["~i am ready", "bin fertig"]
    assert told["date"] == "~24 Dec 2026"
    for name, (subject, language, text, html) in told["mails"].items():
        assert language == "xx", name
        assert 'lang="xx"' in html, name
        assert MARK in subject or name == "changed", (name, subject)
        assert text.count(MARK) >= 3, (name, text)
        assert not re.search(r"\b(?:und|nicht|deine?|Punkte|Runde|Uhr)\b", text), (name, text)


def test_a_third_language_is_few_files() -> None:
    assert 40 <= len(files(ROOT / "moderator")) <= ENOUGH


def test_no_python_file_lists_the_languages() -> None:
    pairs = re.compile(r"[\[({]\s*[\"']de[\"'],\s*[\"']en[\"']\s*[\])}]")
    listed = [
        path.relative_to(ROOT).as_posix()
        for path in sorted((ROOT / "moderator").rglob("*.py"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if pairs.search(line) and "Literal" not in line
    ]
    assert listed == []


if __name__ == "__main__":
    print(f"{len(files(ROOT / 'moderator'))} text files, {len([*(ROOT / 'templates').glob('en/*')])} templates")
