"""Each kind of mail has a template in both forms; templates read what is declared, and all that is declared is read."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import typing
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from jinja2 import meta, nodes

from bench import contexts
from bench.contexts import said_as
from moderator import pages as pages_package
from moderator.pages import mail
from moderator.pages.content import CONTENT, Content, NewAddress
from moderator.pages.mail import Board, environment
from moderator.pages.mail_context import MailContext
from moderator.pages.pages import WITHOUT_PAGE, Page
from moderator.states import MailKind
from tests.pages.sample_pages import turn

KINDS = sorted(set(MailKind) - WITHOUT_PAGE)
FORMS = ("txt", "html")
OF_CLASS: dict[str, type] = {"page": Page, "p": MailContext, "m": MailContext, "b": Board}
"""What the names are that stand in every template; ``content`` is another class in each kind."""
TOP = {"page", "p", "b", "content", "parts", "mails", "sentences", "asks", "x"}
"""What a template is given, and what it sets or imports (x) for the one that it extends."""


def source(name: str) -> str:
    environment_ = environment()
    assert environment_.loader is not None
    return environment_.loader.get_source(environment_, name)[0]


@cache
def parsed(name: str) -> nodes.Template:
    return environment().parse(source(name))


def with_parents(name: str) -> Iterator[str]:
    """The template, and those that it extends or takes blocks from."""
    yield name
    for other in meta.find_referenced_templates(parsed(name)):
        assert other is not None
        yield from with_parents(other)


def read(name: str) -> dict[str, set[str]]:
    """What the template reads of each thing: ``p`` -> {"notes", …}; ``p.page`` counts as ``page``."""
    found: dict[str, set[str]] = defaultdict(set)
    for node in parsed(name).find_all(nodes.Getattr):
        of = node.node
        if isinstance(of, nodes.Getattr) and of.attr in ("page", "p", "b"):
            found[of.attr].add(node.attr)
        elif isinstance(of, nodes.Name):
            found[of.name].add(node.attr)
    return found


def names(of: type) -> set[str]:
    """Fields, properties and methods."""
    public = {name for name, _ in inspect.getmembers(of) if not name.startswith("_")}
    return public | {field.name for field in dataclasses.fields(of)}


def files(kind: MailKind) -> list[str]:
    return [f"mail/{kind}.{form}.j2" for form in FORMS]


def test_there_is_a_template_in_both_forms_for_each_kind_and_none_besides() -> None:
    found = {name for name in environment().list_templates() if name.startswith("mail/")}
    assert found == {name for kind in KINDS for name in files(kind)}


@pytest.mark.slow
def test_templates_read_what_is_declared() -> None:
    seen = 0
    for kind in KINDS:
        for file in files(kind):
            for name in dict.fromkeys(with_parents(file)):
                assert meta.find_undeclared_variables(parsed(name)) <= TOP, name
                for thing, read_of in read(name).items():
                    if thing == "content":
                        assert kind in CONTENT, name
                        assert read_of <= names(CONTENT[kind]), name
                    elif thing in OF_CLASS:
                        assert read_of <= names(OF_CLASS[thing]), name
                    seen += len(read_of)
    assert seen > 1000


@pytest.mark.slow
def test_what_is_declared_for_one_kind_is_read_by_both_its_templates() -> None:
    for kind, declared in CONTENT.items():
        wanted = {said_as(declared, field.name) for field in dataclasses.fields(declared)}
        assert len(wanted) > 0, kind
        for file in files(kind):
            assert wanted <= everything_read(file), file


def everything_read(file: str) -> set[str]:
    """Of a template, those that it extends and the blocks that it uses: ``content.word``, ``p.asked``, ``parts``, …"""
    found: set[str] = set()
    for name in with_parents(file):
        found |= {f"{of}.{field}" for of, fields in read(name).items() for field in fields}
        found |= meta.find_undeclared_variables(parsed(name))
    return found


def test_what_a_kind_says_is_in_words_only_where_its_template_asks_for_it() -> None:
    """A macro of the blocks reads ``p.asked`` for whoever calls it; so the template itself must call it."""
    for kind, declared in CONTENT.items():
        if said_as(declared, "") == "p.asked":
            assert all("{{ x.asked(p) }}" in source(file) for file in files(kind)), kind


def test_what_is_declared_is_read_by_the_code_that_puts_it_into_words() -> None:
    texts = [path.read_text(encoding="utf-8") for path in Path(pages_package.__file__).parent.glob("*.py")]
    read_in_code = {
        node.attr for text in texts for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Attribute)
    }
    for declared in CONTENT.values():
        for field in dataclasses.fields(declared):
            if not said_as(declared, field.name).startswith("content."):
                assert field.name in read_in_code, (declared, field.name)


def test_the_documented_context_is_the_one_that_templates_get() -> None:
    assert contexts.FILE.read_text(encoding="utf-8") == contexts.document(), "python -m bench.contexts"


def test_every_class_of_content_belongs_to_a_kind() -> None:
    assert set(typing.get_args(Content)) == set(CONTENT.values())


def test_all_that_a_context_has_is_read_by_some_template() -> None:
    every = [name for name in environment().list_templates() if name.startswith(("mail/", "shared/")) and ".j2" in name]
    text = "".join(source(name) for name in every) + inspect.getsource(mail)
    unread = [field.name for field in dataclasses.fields(MailContext) if f".{field.name}" not in text]
    assert unread == []


def test_a_page_says_what_its_kind_declares() -> None:
    with pytest.raises(TypeError, match="A mail confirm says"):
        turn("de", kind=MailKind.CONFIRM)
    with pytest.raises(TypeError, match="A mail turn says None"):
        turn("de", content=NewAddress(asks=True))
