"""The page as a reader uses it: with a mouse, with a keyboard alone, in the dark, on a phone, on paper."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import Opened, show_html
from playwright.sync_api import Browser, Page, expect

LARGEST = 4_000_000


def data_of(page: Page) -> dict:
    return json.loads(page.locator("#data").text_content() or "")


def faults_of_access(page: Page, *rules: str) -> list[str]:
    """What axe-core finds: roles, names, order of headings, contrast of every text on its ground; or by some of its rules."""
    only = {"runOnly": {"type": "rule", "values": rules}} if rules else {}
    found = Axe().run(page, options={"resultTypes": ["violations"], **only}).response["violations"]
    return [
        f"{one['id']}: {node['html'][:200]}: {node['failureSummary'][:300]}"
        for one in found
        for node in one["nodes"][:3]
    ]


def has_sideways_scroll(page: Page) -> bool:
    return page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")


def test_is_one_small_file_and_the_same_each_time(report: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.html"
    root = Path(__file__).resolve().parents[2]
    assert show_html(again, "--rules", str(root / "rules")).returncode == 0
    assert again.read_bytes() == report.read_bytes()
    assert report.stat().st_size < LARGEST


def test_filters_narrow_the_cases_and_stand_in_the_address(page: Page) -> None:
    page.get_by_label("Verdict", exact=True).select_option("fails")
    page.get_by_label("Engine", exact=True).select_option("pytorch")
    page.get_by_label("Transform", exact=True).select_option("tp")
    page.get_by_label("Text in stack").fill("fsdp")
    wanted = [
        one
        for build in data_of(page)["builds"]
        for one in build["cases"]
        if build["engine"] == "pytorch"
        and one["verdict"] == "fails"
        and "tp" in one["transforms"]
        and "fsdp" in json.dumps(one)
    ]
    rows = page.locator("#matches tbody tr")
    shown = page.locator("#match-count").inner_text()
    found = int(shown.split()[0])
    assert 0 < found <= len(wanted)
    expect(page.get_by_role("status")).to_have_text(shown)
    for row in rows.all()[:10]:
        expect(row).to_contain_text("fails")
        expect(row).to_contain_text("pytorch")
    address = page.url
    assert "verdict=fails" in address
    page.reload()
    expect(page.locator("#match-count")).to_have_text(shown)
    page.get_by_label("Text in stack").fill("no case says this")
    expect(page.get_by_role("status")).to_have_text("No case matches: clear a filter")
    page.get_by_role("button", name="Clear").click()
    expect(page.locator("#match-count")).to_contain_text("All ")


def test_grade_and_agreement_filter(page: Page) -> None:
    page.get_by_label("Grade of the rule", exact=True).select_option("reproduced")
    page.get_by_label("Against the prediction", exact=True).select_option("explained")
    expect(page.locator("#match-count")).to_contain_text(" of ")
    for row in page.locator("#matches tbody tr").all():
        expect(row).to_contain_text("Contradicts a prediction")


def test_a_cell_opens_the_case_with_all_that_was_seen(opened: Opened, screenshots: Path) -> None:
    page = opened.page
    cell = page.locator(".heat td.fails.opens").first
    first, second = cell.get_attribute("data-first"), cell.get_attribute("data-second")
    cell.click()
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_contain_text(str(first))
    expect(heading).to_contain_text(str(second))
    expect(heading).to_be_focused()
    assert "#case/" in page.url
    for part in ["Run it", "Pages that flag it", "What must come before what", "The same case elsewhere"]:
        expect(page.get_by_role("heading", name=part, exact=True)).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("^Precedence among"))).to_be_visible()
    page.screenshot(path=screenshots / "case.png", full_page=True)
    rule = page.get_by_role("table", name="Pages that flag it").get_by_role("link").first
    rule.click()
    expect(page.get_by_role("heading", name="What runs showed of it")).to_be_visible()
    page.screenshot(path=screenshots / "rule.png", full_page=True)
    assert faults_of_access(page) == []
    assert "[object" not in page.locator("main").inner_text()


def test_every_section_is_drawn(page: Page) -> None:
    assert "[object" not in page.locator("main").text_content()
    assert "undefined" not in page.locator("main").text_content()
    runs = sum(len(build["cases"]) for build in data_of(page)["builds"])
    expect(page.get_by_role("list", name="Counts")).to_contain_text(f"{runs:,} runs")
    expect(page.locator("#order").get_by_role("img").first).to_be_visible()
    expect(page.locator("#versions table").first).to_be_visible()
    expect(page.get_by_role("table", name="Orders of projects")).to_contain_text("torchtitan")
    assert page.locator("#rules tbody tr").count() == len(data_of(page)["rules"])


def test_every_case_and_every_page_can_be_drawn(page: Page) -> None:
    wrong = page.evaluate(
        """() => [...allCases.map(caseView), ...data.rules.map((rule) => ruleView(rule.id))]
            .filter((view) => /\\[object|undefined/.test(view.outerHTML.replace(/<pre.*?<\\/pre>/gs, "")))
            .map((view) => view.querySelector("h1").textContent)"""
    )
    assert wrong == []


def test_runs_of_which_a_page_claims_nothing_stand_apart(page: Page) -> None:
    """CLA-017 is about PyTorch and torchtitan; the native engine ran its pattern too, and some of those runs are equal."""
    wrong, elsewhere = page.evaluate(
        """() => ["Runs that it speaks about", "The same pattern where it claims nothing"].map((name) =>
            [...ruleView("CLA-017").querySelectorAll("table")].find((one) => one.textContent.startsWith(name)).innerText)"""
    )
    assert "pytorch" in wrong
    assert "native" not in wrong
    assert "pytorch" not in elsewhere
    assert "native" in elsewhere and "equal" in elsewhere


def test_a_run_with_other_numbers_says_what_differs_first_and_its_collectives(page: Page) -> None:
    page.get_by_label("Verdict", exact=True).select_option("differs")
    page.locator("#matches tbody th a").first.click()
    expect(page.get_by_role("heading", name="What differs first")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_label("Verdict", exact=True).select_option("equal")
    page.get_by_label("Transform", exact=True).select_option("tp")
    page.locator("#matches tbody th a").first.click()
    expect(page.get_by_role("table", name="Collectives", exact=True)).to_contain_text("all_reduce")
    expect(page.get_by_role("table", name="Effects", exact=True)).to_contain_text("tp")


def test_copies_the_command(browser: Browser, report: Path) -> None:
    opened = Opened(browser, report)
    opened.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = opened.page
    page.locator(".heat td.opens").first.click()
    shown = page.locator(".command code").first.inner_text()
    page.get_by_role("button", name="Copy: This case on ranks").click()
    expect(page.get_by_role("status")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == shown
    assert shown.startswith("ordercheck run ")
    opened.close()


def test_works_without_a_mouse(page: Page) -> None:
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the results")).to_be_focused()
    page.get_by_label("Engine and version", exact=True).focus()
    page.keyboard.press("Tab")
    focused = page.locator(":focus")
    if focused.get_attribute("role") != "gridcell":  # a grid that scrolls is a stop of its own
        page.keyboard.press("Tab")
    expect(focused).to_have_attribute("role", "gridcell")
    assert focused.evaluate("node => getComputedStyle(node).outlineStyle") == "solid"
    page.keyboard.press("ArrowRight")
    expect(focused).to_have_attribute("data-second", data_of_second_name(page))
    name = focused.get_attribute("aria-label")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert focused.get_attribute("aria-label") == name
    for _ in range(100):
        if "opens" in (focused.get_attribute("class") or ""):
            break
        page.keyboard.press("ArrowRight")
    name = focused.get_attribute("aria-label")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    page.keyboard.press("Escape")
    expect(focused).to_have_attribute("aria-label", str(name))
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    assert page.locator(".heat td[tabindex='0']").count() == 1


def data_of_second_name(page: Page) -> str:
    return page.locator(".heat thead th").nth(2).inner_text()


def test_back_returns_to_the_same_filters(page: Page) -> None:
    page.get_by_label("Verdict", exact=True).select_option("fails")
    count = page.locator("#match-count").inner_text()
    page.locator("#matches tbody th a").first.click()
    page.keyboard.press("Escape")
    expect(page.locator("#match-count")).to_have_text(count)
    expect(page.get_by_label("Verdict", exact=True)).to_have_value("fails")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_roles_and_contrast(browser: Browser, report: Path, screenshots: Path, scheme: str) -> None:
    opened = Opened(browser, report, color_scheme=scheme)
    ground = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (scheme == "light")
    # Colours alone differ between the two.
    rules = ["color-contrast"] if scheme == "dark" else []
    assert faults_of_access(opened.page, *rules) == []
    opened.page.screenshot(path=screenshots / f"{scheme}.png")
    opened.page.locator("#pairs").scroll_into_view_if_needed()
    opened.page.locator("#pairs").screenshot(path=screenshots / f"{scheme}-pairs.png")
    opened.page.locator(".heat td.wrong.opens, .heat td.fails.opens").first.click()
    assert faults_of_access(opened.page, *rules) == []
    opened.page.screenshot(path=screenshots / f"{scheme}-case.png")
    opened.close()


def test_grid_has_row_and_column_headers(page: Page) -> None:
    grid = page.get_by_role("grid")
    names = grid.get_by_role("rowheader").all_inner_texts()
    assert [text.strip() for text in grid.get_by_role("columnheader").all_inner_texts()][1:] == names
    assert grid.get_by_role("gridcell").count() == len(names) ** 2
    # A sign and a name, not a colour alone.
    for cell in grid.locator(".opens").all()[:20]:
        assert cell.inner_text().strip() != ""
        assert ":" in (cell.get_attribute("aria-label") or "")


def test_every_engine_has_its_pairs(page: Page) -> None:
    for option in page.get_by_label("Engine and version", exact=True).locator("option").all_inner_texts():
        page.get_by_label("Engine and version", exact=True).select_option(label=option)
        expect(page.get_by_role("grid", name="Pairs on " + option)).to_be_visible()


def test_a_narrow_screen_has_no_sideways_scroll(browser: Browser, report: Path, screenshots: Path) -> None:
    opened = Opened(browser, report, viewport={"width": 360, "height": 740})
    page = opened.page
    assert not has_sideways_scroll(page)
    page.screenshot(path=screenshots / "narrow.png")
    page.locator("#pairs").screenshot(path=screenshots / "narrow-pairs.png")
    page.locator("#cases").scroll_into_view_if_needed()
    page.screenshot(path=screenshots / "narrow-cases.png")
    page.get_by_label("Verdict", exact=True).select_option("fails")
    page.locator("#matches tbody th a").first.click()
    assert not has_sideways_scroll(page)
    page.screenshot(path=screenshots / "narrow-case.png")
    opened.close()


def test_paper_has_no_controls(page: Page, screenshots: Path) -> None:
    page.locator(".heat td.opens").first.click()
    page.emulate_media(media="print")
    for gone in ["header", ".back", ".command button"]:
        expect(page.locator(gone).first).to_be_hidden()
    expect(page.locator(".command code").first).to_be_visible()
    page.pdf(path=screenshots / "case.pdf", format="A4")
    page.screenshot(path=screenshots / "print.png", full_page=True)
