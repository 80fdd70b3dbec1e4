"""Fixtures that many tests share."""

import gc
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
# With --import-mode=importlib pytest adds nothing to the path; tests.servers is imported by name.
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

# Where Python may not keep what it compiles, each worker and each process that a test starts compiles 800 files anew:
# two thirds of what collecting costs.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ["LANGUAGE"] = "en"  # the language of the command line: that of the tests' clubs is German

from tests import machine, mail_log  # noqa: E402
from tests.servers import dovecot as dovecot_server  # noqa: E402
from tests.servers import postfix as postfix_server  # noqa: E402
from tests.servers import postgres as postgres_server  # noqa: E402
from tests.servers.process import use_memory  # noqa: E402

pytest_plugins = ["tests.sampling"]

machine.begin()
mail_log.begin()

use_memory()

# Collecting garbage among ten thousand tests costs a tenth of the run.
gc.set_threshold(200_000, 20, 100)

# Machines are noisy: how long an example takes says nothing.
settings.register_profile("moderator", deadline=None, max_examples=25)
settings.load_profile("moderator")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests marked ``sqlite`` in a run on PostgreSQL."""
    if os.environ.get(postgres_server.VARIABLE):
        for item in items:
            if item.get_closest_marker("sqlite"):
                item.add_marker(pytest.mark.skip(reason="about the database file of SQLite"))


def pytest_collection_finish() -> None:
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    machines = any(map(item.get_closest_marker, ("servers", "machine_clock")))
    with machine.lots_of(item.nodeid), machine.clock_of(machines):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest) -> Iterator[None]:
    """What several tests share is drawn the same whichever of them comes first."""
    with machine.lots_of(f"{fixturedef.argname} {getattr(request, 'param', '')} {request.node.nodeid}"):
        return (yield)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Tests marked ``servers`` are skipped without servers, and fail with REQUIRE_SERVERS=1."""
    if item.get_closest_marker("servers"):
        _need_servers("postfix" in getattr(item, "fixturenames", ()))


def _need_servers(postfix: bool) -> None:
    lacking = ""
    if dovecot_server.program() is None:
        lacking = "dovecot is not installed (apt-get install dovecot-imapd dovecot-lmtpd)"
    elif postfix and postfix_server.program() is None:
        lacking = "postfix is not installed (apt-get install postfix)"
    elif postfix and os.geteuid() != 0:
        lacking = "postfix needs root"
    if lacking:
        _lack(lacking)


def _lack(server: str) -> NoReturn:
    if os.environ.get("REQUIRE_SERVERS") == "1":
        pytest.fail(server, pytrace=False)
    pytest.skip(server)


@pytest.fixture(scope="session")
def dovecot() -> Iterator[dovecot_server.Dovecot]:
    """A running Dovecot; see tests/servers/__init__.py."""
    _need_servers(postfix=False)
    with dovecot_server.Dovecot.started() as server:
        yield server


@pytest.fixture(scope="session")
def postfix(dovecot: dovecot_server.Dovecot) -> Iterator[postfix_server.Postfix]:
    """A running Postfix that delivers into ``dovecot``."""
    _need_servers(postfix=True)
    with postfix_server.Postfix.started(dovecot) as server:
        yield server


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """Of a PostgreSQL server: the one of the run, or one of its own."""
    if given := os.environ.get(postgres_server.VARIABLE):
        yield given
        return
    if postgres_server.program() is None:
        _lack("postgresql is not installed (apt-get install postgresql)")
    with postgres_server.Postgres.started() as started:
        yield started.url()


@pytest.fixture
def new_box(dovecot: dovecot_server.Dovecot) -> Iterator[Callable[[str], dovecot_server.Box]]:
    """Makes mailboxes by name; without a name a fresh one."""
    boxes: list[dovecot_server.Box] = []

    def make(user: str = "") -> dovecot_server.Box:
        boxes.append(dovecot_server.Box(dovecot, user))
        return boxes[-1]

    yield make
    for box in boxes:
        box.close()


@pytest.fixture
def mailbox(new_box: Callable[[str], dovecot_server.Box]) -> dovecot_server.Box:
    """The mailbox of a fresh user."""
    return new_box("")
