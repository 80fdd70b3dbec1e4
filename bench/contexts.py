"""What templates get, as docs/pages.md lists it: ``python -m bench.contexts`` writes that page."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping
from pathlib import Path

from moderator.common.enums import MailKind
from moderator.notifications.pages import CONTENT, WITHOUT_PAGE, Page
from moderator.render.mail import MatchBlock, RenderedBoard
from moderator.render.mails.match_mail import MailContext

FILE = Path(__file__).parents[1] / "docs" / "pages.md"

SAID_AS: Mapping[str, str] = {
    "StartTerms": "p.options",
    "DigestNotification.tournaments": "p.tournament",
    "DigestNotification.parts": "parts",
    "BacklogNotification.parts": "parts",
    "BacklogNotification.mails": "mails",
    "AboutTournament": "p.tournament",
    "PuzzleNotification": "p.puzzle",
    **dict.fromkeys(
        ("Overview", "Promptness", "MatchHistory", "ReviewText", "CommandList", "DeadlineList", "RulesText"), "p.asked"
    ),
}
"""Content that code puts into words, class or class and field, and where a template finds it. All other content it
reads as ``content.<field>``."""

HEAD = """# What a template gets

`python -m bench.contexts` writes this page from the classes, and a test refuses it when it is old. A template that
reads what is not here breaks.

The templates of a mail are `templates/mail/<kind>.txt.j2` and `templates/mail/<kind>.html.j2`, the same for all
languages. A template has no words: it prints sentences that are finished already, or asks for one by its name
(`p.t("answer-button")`, from the message files). Each gets these names:

| name | what |
|---|---|
| `p` | the page as sentences (`MailContext`) |
| `page` | the page before it was put into words (`Page`), for what needs none |
| `b` | the board (`RenderedBoard`) |
| `content` | what only this kind of mail says, see the end |
| `parts` | of a mail about several matches: each with `p` and `b` of its own (`MatchBlock`); else empty |
| `mails` | of a mail that answers several: for each a `MailContext`; else empty |
"""


def fields(of: type) -> Iterator[tuple[str, str, str]]:
    """Name, type and docstring of each field and property, in the order of the source."""
    found = ast.parse(inspect.getsource(of)).body[0]
    assert isinstance(found, ast.ClassDef)
    for node, after in zip(found.body, [*found.body[1:], None], strict=True):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id, ast.unparse(node.annotation), _text(after)
        elif isinstance(node, ast.FunctionDef) and any(ast.unparse(one) == "property" for one in node.decorator_list):
            assert node.returns is not None
            yield node.name, ast.unparse(node.returns), _text(node.body[0])


def _text(node: ast.stmt | None) -> str:
    """A docstring in one line of Markdown."""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Constant):
        return ""
    return " ".join(str(node.value.value).split()).replace("``", "`").replace("|", "\\|")


def said_as(of: type, field: str) -> str:
    """Where a template finds that field of a content."""
    return SAID_AS.get(f"{of.__name__}.{field}") or SAID_AS.get(of.__name__) or f"content.{field}"


def lines() -> Iterator[str]:
    yield HEAD
    for of, name in ((MailContext, "p"), (Page, "page"), (RenderedBoard, "b"), (MatchBlock, "parts[n]")):
        yield f"## `{name}`: {of.__name__}\n\n| field | type | what |\n|---|---|---|"
        for field, type_, text in fields(of):
            yield f"| `{field}` | `{_code(type_)}` | {text} |"
        yield ""
    yield "## `content`, kind by kind\n\n| kind | class | field | in the template | what |\n|---|---|---|---|---|"
    for kind in sorted(set(MailKind) - WITHOUT_PAGE):
        if kind not in CONTENT:
            continue
        of = CONTENT[kind]
        for field, _, text in fields(of):
            yield f"| `{kind}` | {of.__name__} | `{field}` | `{said_as(of, field)}` | {text} |"
    alone = [f"`{kind}`" for kind in sorted(set(MailKind) - WITHOUT_PAGE - CONTENT.keys())]
    yield f"\nThe other kinds say what every page has: {', '.join(alone)}."


def _code(text: str) -> str:
    return text.replace("|", "\\|")


def document() -> str:
    return "\n".join(lines()) + "\n"


if __name__ == "__main__":
    FILE.write_text(document(), encoding="utf-8")
