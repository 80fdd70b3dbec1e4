"""docs/mails/ has a picture of each kind of mail, and nothing that is none."""

from __future__ import annotations

from tests.pages.screens import FOLDER, examples


def test_every_kind_of_mail_has_a_picture() -> None:
    said = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert {file.stem for file in FOLDER.glob("*.png")} == set(examples())
    for kind in examples():
        assert f"[{kind}]({kind}.png)" in said
        assert (FOLDER / f"{kind}.png").read_bytes().startswith(b"\x89PNG")
