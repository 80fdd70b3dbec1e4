"""Debian's other browser, for tests: Playwright drives a Firefox of its own only, Mozilla's driver any."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


@contextmanager
def firefox(folder: Path) -> Iterator[Any]:
    """A ``Marionette``; its log goes into the folder. Without a Firefox a test is skipped, or fails where all servers
    must be there."""
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if program is None:
        if os.environ.get("REQUIRE_SERVERS"):
            pytest.fail("there is no Firefox: apt-get install firefox-esr")
        pytest.skip("needs Firefox")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what the driver itself uses
        from marionette_driver.marionette import Marionette

        driver = Marionette(
            bin=program,
            headless=True,
            port=_free_port(),
            workspace=str(folder),
            gecko_log=str(folder / "firefox.log"),
            prefs={"network.protocol-handler.external.mailto": False},
        )
        try:
            driver.start_session()
            yield driver
        finally:
            driver.quit(in_app=True)
            driver.cleanup()


def _free_port() -> int:
    import socket

    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port
