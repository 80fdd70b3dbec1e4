"""What the tests of mailboxes share."""

from collections.abc import Callable, Iterator

import pytest

from moderator.mail.imap import ImapMailbox
from moderator.mail.settings import ImapSettings


@pytest.fixture
def opened() -> Iterator[Callable[[ImapSettings], ImapMailbox]]:
    """Opens mailboxes that are closed after the test."""
    boxes: list[ImapMailbox] = []

    def make(imap: ImapSettings) -> ImapMailbox:
        boxes.append(ImapMailbox(imap))
        return boxes[-1]

    yield make
    for box in boxes:
        box.close()
