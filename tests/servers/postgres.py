"""A PostgreSQL of our own. ``python -m tests.servers.postgres COMMAND …`` runs a command with one, whose address is in
$MODERATOR_TEST_POSTGRES: then every test club has its database there (see tests/club/club.py)."""

import itertools
import os
import pwd
import shutil
import subprocess
import sys
from pathlib import Path

from tests.servers.process import HOST, Server, ServerError, free_ports, use_memory, wait_until

USER = "moderator"
VARIABLE = "MODERATOR_TEST_POSTGRES"
QUICK = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off"}


def program() -> Path | None:
    """Path of the newest ``postgres`` with its ``initdb`` beside it, None where it is not installed."""
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda at: at.parent.name.zfill(4), reverse=True)
    found = shutil.which("postgres")
    places += [Path(found).resolve().parent] if found else []
    return next((place / "postgres" for place in places if (place / "initdb").exists()), None)


class Postgres(Server):
    """A running server that trusts everybody on this machine; ``safe``: what is committed is on the disk, as it is in
    a club (else tests run faster)."""

    def __init__(self, folder: Path, safe: bool = False) -> None:
        self.folder, self.safe = folder, safe
        (self.port,) = free_ports(1)
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, name: str = "postgres") -> str:
        return f"postgresql://{USER}@{HOST}:{self.port}/{name}"

    def start(self) -> None:
        command = program()
        if command is None:
            raise ServerError("postgresql is not installed")
        data, owner = self.folder / "data", _owner()
        if not data.exists():
            if owner:
                shutil.chown(self.folder, owner)
            made = [str(command.parent / "initdb"), *f"-D {data} -U {USER} -A trust -E UTF8 --locale=C".split()]
            done = subprocess.run(made, user=owner, capture_output=True, cwd=self.folder, env=_environment())
            if done.returncode:
                raise ServerError(f"initdb failed: {done.stderr.decode()}")
        options = {"port": self.port, "listen_addresses": HOST, "unix_socket_directories": "", "max_connections": 60}
        options |= {} if self.safe else QUICK
        settings = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        log = self.folder / "postgres.log"
        with log.open("ab") as words:
            self._process = subprocess.Popen(
                [str(command), "-D", str(data), *settings],
                user=owner,
                stdin=subprocess.DEVNULL,
                stdout=words,
                stderr=words,
                cwd=self.folder,
                env=_environment(),
            )
        wait_until(self._answers, self._process, log)

    def _answers(self) -> bool:
        import psycopg

        try:
            psycopg.connect(self.url(), connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(3)  # SIGQUIT: at once, children too
            self._process.wait(timeout=20)
            self._process = None


def _owner() -> str | None:
    """PostgreSQL refuses to run as root: then it runs as its own user, or as nobody."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _environment() -> dict[str, str]:
    return {**os.environ, "LC_ALL": "C", "PGOPTIONS": ""}


def new_database(url: str, name: str, template: str = "template1") -> str:
    """Make a database on the server of ``url``, as a copy of ``template``; returns its URL."""
    import psycopg
    from psycopg import sql

    with psycopg.connect(url, autocommit=True) as connection:
        made = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY")
        connection.execute(made.format(sql.Identifier(name), sql.Identifier(template)))
    return f"{url.rpartition('/')[0]}/{name}"


_KEPT = 6
_count = itertools.count()


def club_database(server: str, kept: bool = False) -> str:
    """A database of its own for a test club, with all tables; returns its URL. Of each process only the last few
    stay, and those to be ``kept``."""
    import psycopg
    from psycopg import sql

    number = next(_count)
    name = f"club_{os.getpid()}_{f'kept_{number}' if kept else number % _KEPT}"

    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(1)")
        if not connection.execute("SELECT 1 FROM pg_database WHERE datname = 'club_template'").fetchone():
            from moderator.store.database import open_engine
            from moderator.store.schema import migrate_database

            engine = open_engine(new_database(server, "club_template"))
            migrate_database(engine)
            engine.dispose()
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))
        return new_database(server, name, "club_template")


def copied_database(url: str) -> str:
    """Another database with the same in it, which has to be closed; returns its URL."""
    return new_database(url, f"club_{os.getpid()}_kept_{next(_count)}", url.rpartition("/")[2])


def main() -> int:
    use_memory()
    with Postgres.started() as server:
        return subprocess.run(sys.argv[1:], env={**os.environ, VARIABLE: server.url()}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
