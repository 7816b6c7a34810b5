"""The script of a case, put together in the page, is what `ordercheck repro` prints."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT, Opened, show_html
from page_test import faults_of_access, has_sideways_scroll
from playwright.sync_api import Browser, Page, expect

PYTHON = os.environ.get("ORDERCHECK_PYTHON", "")
MOST_GROWTH = 500_000  # bytes, for the scripts of all cases

with_a_python = pytest.mark.skipif(
    not PYTHON, reason="ORDERCHECK_PYTHON names no Python with torch; scripts/test sets it"
)


@pytest.fixture(scope="module")
def with_scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("scripts") / "report.html"
    ended = show_html(out, "--rules", str(ROOT / "rules"), "--python", PYTHON)
    assert ended.returncode == 0, ended.stderr
    return out


@pytest.fixture(scope="module")
def scripted(browser: Browser, with_scripts: Path) -> Iterator[Page]:
    """Open for all tests: each goes to its case by the address."""
    one = Opened(browser, with_scripts)
    one.context.grant_permissions(["clipboard-read", "clipboard-write"])
    yield one.page
    one.close()


def open_case(page: Page, engine: str, verdict: str, at: int = 0) -> str:
    """The text of a case, now on the screen."""
    page.evaluate("hash => { location.hash = hash; }", f"#cases?engine={engine}&verdict={verdict}")
    expect(page.locator("#matches tbody td .mark").first).to_contain_text(verdict)
    page.locator("#matches tbody th a").nth(at).click()
    return page.get_by_role("heading", level=1).inner_text()


def printed_by_repro(case: str) -> str:
    words = [os.environ["ORDERCHECK"], "repro", *case.split(" "), "--python", PYTHON]
    return subprocess.run(words, capture_output=True, text=True, timeout=120, check=True).stdout


@with_a_python
def test_scripts_are_small_together(report: Path, with_scripts: Path) -> None:
    assert 0 < with_scripts.stat().st_size - report.stat().st_size < MOST_GROWTH


@with_a_python
def test_copies_and_downloads_what_repro_prints(scripted: Page, screenshots: Path) -> None:
    page = scripted
    case = open_case(page, "pytorch", "differs")
    expected = printed_by_repro(case)
    page.get_by_role("button", name="Copy script").click()
    expect(page.get_by_role("status")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == expected
    with page.expect_download() as download:
        page.get_by_role("button", name="Download repro.py").click()
    assert download.value.suggested_filename == "repro.py"
    assert download.value.path().read_text() == expected
    # Closed until somebody wants to read it; the block beneath the summary then holds all of it.
    shown = page.locator("pre.script")
    expect(shown).to_be_hidden()
    page.get_by_text("Read the script").click()
    expect(shown).to_be_visible()
    assert shown.text_content() == expected
    expect(page.get_by_text("torchrun --standalone")).to_have_count(2)
    page.screenshot(path=screenshots / "script-light.png", full_page=True)
    assert faults_of_access(page) == []


@with_a_python
def test_every_case_that_shows_something_has_its_own_script(scripted: Page) -> None:
    seen = scripted.evaluate(
        """() => allCases.filter((one) => one.build.engine === "pytorch").map((one) => ({
            text: one.text, verdict: one.verdict, declined: one.no_script || "",
            starts: one.script === undefined ? "" : scriptText(one).split("\\n")[0]}))"""
    )
    assert {one["verdict"] for one in seen if one["starts"]} >= {"differs", "fails"}
    for one in seen:
        shows_nothing = one["verdict"] in ("equal", "close", "unrun", "ignored")
        assert bool(one["starts"] or one["declined"]) != shows_nothing, one
        if one["starts"]:
            stack, *settings = one["text"].split(" ")
            assert one["starts"].split(" ")[1] == stack
            assert set(settings) <= set(one["starts"].split(" "))


@with_a_python
def test_an_equal_case_and_another_engine_keep_their_commands(scripted: Page) -> None:
    page = scripted
    open_case(page, "pytorch", "equal", at=3)
    expect(page.get_by_text("ordercheck repro")).to_be_visible()
    expect(page.get_by_role("button", name="Copy script")).to_have_count(0)
    open_case(page, "native", "fails")
    expect(page.get_by_text("ordercheck run")).to_be_visible()
    expect(page.get_by_text("PyTorch alone")).to_have_count(0)


@with_a_python
@pytest.mark.parametrize(
    ("name", "options"),
    [("dark", {"color_scheme": "dark"}), ("narrow", {"viewport": {"width": 360, "height": 740}})],
)
def test_it_can_be_read(
    browser: Browser, with_scripts: Path, screenshots: Path, name: str, options: dict
) -> None:
    opened = Opened(browser, with_scripts, **options)
    page = opened.page
    open_case(page, "pytorch", "differs")
    block = page.get_by_role("region", name="Script")
    block.scroll_into_view_if_needed()
    page.screenshot(path=screenshots / f"script-{name}.png")
    page.get_by_text("Read the script").click()
    expect(page.locator("pre.script")).to_contain_text("verdict: ")
    block.screenshot(path=screenshots / f"script-{name}-open.png")
    assert not has_sideways_scroll(page)
    assert faults_of_access(page, "color-contrast") == []
    opened.close()


def test_without_a_python_the_page_says_how_to_get_scripts(opened: Opened, screenshots: Path) -> None:
    page = opened.page
    open_case(page, "pytorch", "fails")
    expect(page.get_by_text("ordercheck repro")).to_be_visible()
    page.screenshot(path=screenshots / "script-none.png")
    expect(page.get_by_text("matrix show --format html --python PYTHON puts it here")).to_be_visible()
    open_case(page, "pytorch", "equal", at=3)
    expect(page.get_by_text("puts it here")).to_have_count(0)
