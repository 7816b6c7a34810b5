"""One HTML page of the committed evidence, made once, and a browser that has no network."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
BROWSER = "/usr/bin/chromium"
expect.set_options(timeout=30_000)  # a machine that is all busy
WIDE = {"width": 1280, "height": 900}


def show_html(out: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """What `ordercheck matrix show --format html` ended with."""
    program = os.environ["ORDERCHECK"]
    words = [program, "matrix", "show", "--format", "html", "--out", str(out), *options]
    return subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of this checkout."""
    out = tmp_path_factory.mktemp("html") / "report.html"
    ended = show_html(out, "--rules", str(ROOT / "rules"))
    assert ended.returncode == 0, ended.stderr
    return out


@pytest.fixture(scope="session")
def screenshots() -> Path:
    """Where a person looks at what the tests saw."""
    folder = Path(os.environ.get("ORDERCHECK_SCREENSHOTS", str(ROOT / "build" / "screenshots")))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, without a window."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox", "--disable-gpu"])
        yield chromium
        chromium.close()


class Opened:
    """A page that is open, and everything that it did which it should not."""

    def __init__(self, browser: Browser, file: Path, **options: object) -> None:
        self.context = browser.new_context(**{"viewport": WIDE, "reduced_motion": "reduce", **options})  # type: ignore[arg-type]
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(60_000)
        self.faults: list[str] = []
        self.requests: list[str] = []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on(
            "console", lambda message: self.faults.append(message.text) if message.type == "error" else None
        )
        self.page.on(
            "dialog", lambda dialog: (self.faults.append("a dialog: " + dialog.message), dialog.dismiss())
        )
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.address = file.as_uri()
        self.page.goto(self.address, timeout=60_000)

    def close(self) -> None:
        """Nothing went wrong, and nothing was asked of anybody but the file itself."""
        self.context.close()
        assert self.faults == []
        assert {url.split("#")[0] for url in self.requests} == {self.address}


@pytest.fixture
def opened(browser: Browser, report: Path) -> Iterator[Opened]:
    """The page on a wide screen in light colours."""
    one = Opened(browser, report)
    yield one
    one.close()


@pytest.fixture
def page(opened: Opened) -> Page:
    """The same, for who only reads it."""
    return opened.page
