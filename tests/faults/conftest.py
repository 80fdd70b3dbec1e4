"""The evenings on which faults happen, made once for all cases, and the process that dies."""

from collections.abc import Iterator

import pytest

from tests.e2e.server_club import Template, make_template
from tests.faults.evening import Evening, file_club, prepare
from tests.faults.killer import Killer
from tests.servers.dovecot import Dovecot
from tests.servers.postfix import Postfix


@pytest.fixture(scope="session")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Evening:
    folder = tmp_path_factory.mktemp("evening")
    return prepare(file_club(folder / "club")).undisturbed(folder / "calm")


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory, dovecot: Dovecot, postfix: Postfix) -> Template:
    return make_template(tmp_path_factory.mktemp("template") / "club", dovecot, postfix)


@pytest.fixture(scope="session")
def killer() -> Iterator[Killer]:
    with Killer.started() as made:
        yield made
