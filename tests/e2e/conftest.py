"""What the tests that let the program die share: the process that does it, and the clubs that it is done to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.dying import Template, make_template
from tests.e2e.evening import Evening, prepared
from tests.e2e.killer import Killer
from tests.servers.dovecot import Dovecot
from tests.servers.postfix import Postfix


@pytest.fixture(scope="session")
def killer() -> Iterator[Killer]:
    with Killer.started() as made:
        yield made


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory, dovecot: Dovecot, postfix: Postfix) -> Template:
    return make_template(tmp_path_factory.mktemp("template") / "club", dovecot, postfix)


@pytest.fixture(scope="session")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Evening:
    return prepared(tmp_path_factory.mktemp("evening") / "club")
