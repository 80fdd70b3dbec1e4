"""Answers that are prefilled: the links behind the buttons of the HTML mails."""

from __future__ import annotations

from urllib.parse import quote

from moderator.pages.messages import label
from moderator.pages.pages import Reply


def mailto(reply: Reply, name: str, language: str) -> str:
    """Address, subject and body of an answer, percent-encoded (RFC 6068). Our marker stands under the room for the
    move, so that nothing of the hints below it is read. ``name``: what the answer is about."""
    body = reply.body or "\n\n\n" + label("marker", language) + "\n" + label("reply-hint", language) + "\n"
    subject = quote(f"{reply.subject} {name}".strip(), safe="")
    text = quote(body.replace("\r\n", "\n").replace("\n", "\r\n"), safe="")
    return f"mailto:{quote(reply.address, safe='@')}?subject={subject}&body={text}"
