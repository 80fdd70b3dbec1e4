"""Debian's browser, for tests and for pictures."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, sync_playwright


@contextmanager
def chromium() -> Iterator[Browser]:
    """Without one a test is skipped, or fails where all servers must be there. While it runs, an event loop runs in
    this thread, and no other test could have one."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        if os.environ.get("REQUIRE_SERVERS"):
            pytest.fail("there is no chromium: apt-get install chromium")
        pytest.skip("needs chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()
