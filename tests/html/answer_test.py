"""The first screen answers the title of the page: the order, and what is silently wrong today with what to build instead."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from conftest import ROOT, Opened, show_html
from page_test import data_of, faults_of_access, has_sideways_scroll
from playwright.sync_api import Browser, Locator, Page, expect

SCREEN = {"width": 1280, "height": 800}
PHONE = {"width": 400, "height": 800}
ORDERING = ROOT / "docs" / "parallelism_ordering.md"


@pytest.fixture(scope="module")
def laptop(browser: Browser, report: Path):
    """The page on a small laptop, as it opens."""
    one = Opened(browser, report, viewport=SCREEN)
    yield one.page
    one.close()


@pytest.fixture(scope="module")
def drawn(laptop: Page) -> dict[str, list[str]]:
    """The text of every case and of every rule page."""
    return laptop.evaluate(
        """() => ({ cases: allCases.map((one) => caseView(one).textContent),
            rules: data.rules.map((rule) => ruleView(rule.id).textContent) })"""
    )


def mini_report(folder: Path, changed: dict[str, dict[int, str]] | None = None) -> Path:
    """The page of the small checkout of the tests, where a run's row has other fields; of the native engine alone."""
    checkout = folder / "checkout"
    shutil.copytree(ROOT / "tests" / "data" / "mini", checkout)
    shutil.copytree(ROOT / "report_templates", checkout / "report_templates", dirs_exist_ok=True)
    table = next((checkout / "matrix" / "evidence").rglob("*.tsv"))
    lines = table.read_text().splitlines()
    for i, line in enumerate(lines):
        fields = line.split("\t")
        for at, text in (changed or {}).get(fields[0], {}).items():
            fields[at] = text
        lines[i] = "\t".join(fields)
    table.write_text("\n".join(lines) + "\n")
    out = folder / "report.html"
    ended = show_html(out, "--rules", str(checkout / "rules"))
    assert ended.returncode == 0, ended.stderr
    return out


def is_on_the_screen(place: Locator) -> bool:
    box = place.bounding_box()
    assert box is not None
    assert box["width"] > 0
    return (
        box["x"] >= 0
        and box["y"] >= 0
        and box["x"] + box["width"] <= SCREEN["width"]
        and box["y"] + box["height"] <= SCREEN["height"]
    )


def test_the_title_is_answered_without_scrolling(laptop: Page, screenshots: Path) -> None:
    assert laptop.evaluate("scrollY") == 0
    expect(laptop.get_by_role("heading", level=1)).to_have_text(
        "In which order to apply parallelism to a model"
    )
    order = laptop.get_by_role("list", name="Recommended order")
    assert is_on_the_screen(order)
    boxes = [step.bounding_box() for step in order.locator("li").all()]
    assert len({round(box["y"]) for box in boxes if box}) <= 2, "two lines"
    for part in [".blocked .to-copy", "#silent tbody tr:first-child .to-copy"]:
        assert is_on_the_screen(laptop.locator(part)), part
    laptop.screenshot(path=screenshots / "first-screen.png")


def test_it_is_the_answer_of_the_markdown_page(laptop: Page) -> None:
    lines = ORDERING.read_text().splitlines()
    arrows = next(re.match(r"\*\*`(.+?)`\*\*", line) for line in lines if line.startswith("**`"))
    assert arrows is not None
    steps = laptop.get_by_role("list", name="Recommended order").locator("code").all_inner_texts()
    assert " → ".join(steps) == arrows[1]
    table = lines[lines.index("| you do | you get | do instead |") + 2 :]
    rows = [re.sub("</?code>", "`", row.replace("<wbr>", "")) for row in table[: table.index("")]]
    wanted = [re.findall(r"\| `(\S+)` \| .*\(\[(\S+)\]\(\S+\)\) \| `(\S+)` \|", row)[0] for row in rows]
    assert len(wanted) > 3
    shown = [
        [cell.inner_text() for cell in row.locator("th code, .to-copy code, .id").all()]
        for row in laptop.locator("#silent tbody tr").all()
    ]
    assert shown == [[bad, good, page] for bad, page, good in wanted]
    blocked = " ".join(line for line in lines if line.startswith("> "))
    for code in laptop.locator(".blocked code").all_inner_texts():
        assert f"`{code}`" in blocked


def test_the_matrix_follows_the_answer(laptop: Page) -> None:
    sections = laptop.locator("#main section").evaluate_all("nodes => nodes.map((node) => node.id)")
    assert sections[:2] == ["overview", "pairs"]
    expect(laptop.locator("#overview ~ #pairs .heat")).to_be_visible()


def test_a_cure_is_copied_and_its_page_opened(browser: Browser, report: Path) -> None:
    opened = Opened(browser, report, viewport=SCREEN)
    opened.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = opened.page
    row = page.locator("#silent tbody tr").first
    row.get_by_role("button", name="Copy: ").click()
    expect(page.get_by_role("status")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == row.locator(".to-copy code").inner_text()
    id_ = row.locator(".id").inner_text()
    row.locator(".id").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(id_ + ": ")
    opened.close()


def test_a_report_without_such_pages_has_no_empty_headings(browser: Browser, tmp_path: Path) -> None:
    opened = Opened(browser, mini_report(tmp_path), viewport=SCREEN)
    page = opened.page
    assert data_of(page)["answer"]["silent"] == []
    for gone in ["#silent", ".blocked", "#overview > h2"]:
        expect(page.locator(gone)).to_have_count(0)
    bare = page.evaluate(
        """() => [...document.querySelectorAll("#main h2, #main h3")]
            .filter((head) => !head.nextElementSibling || /^H[123]$/.test(head.nextElementSibling.tagName))
            .map((head) => head.textContent)"""
    )
    assert bare == []
    for row in page.locator("#matches tbody tr").all():
        expect(row).to_be_visible()
    opened.close()


# As the harm of what happens goes, from training that is wrong and says nothing to training that is right.
BY_HARM = ["differs", "ignored", "hangs", "fails", "unstable", "unrun", "close", "equal"]


def test_cases_are_sorted_by_harm(page: Page) -> None:
    shown = page.evaluate("matching().map((one) => one.verdict)")
    assert shown == sorted(shown, key=BY_HARM.index)
    assert set(shown) >= {"differs", "ignored", "fails", "close", "equal"}
    first = page.locator("#matches tbody tr td:nth-child(2) .mark")
    assert [text.split()[1] for text in first.all_inner_texts()] == shown[: first.count()]
    # Of cases alike in harm those of the version that the answer is about.
    expect(page.locator("#matches tbody tr").first).to_contain_text(data_of(page)["target"])
    page.get_by_label("Transform", exact=True).select_option("pp")
    some = page.evaluate("matching().map((one) => one.verdict)")
    assert some == sorted(some, key=BY_HARM.index)


def test_an_unexplained_contradiction_comes_first(browser: Browser, tmp_path: Path) -> None:
    crashed = {1: "fails", 2: "failed", 3: "apply", 12: "RuntimeError: an invented failure"}
    opened = Opened(browser, mini_report(tmp_path, {"tp=2,fsdp=2": crashed}), viewport=SCREEN)
    page = opened.page
    cases = page.evaluate("matching().map((one) => [one.text, one.agrees, one.verdict])")
    contradicting = [text for text, agrees, _ in cases if agrees == "contradiction"]
    assert "tp=2,fsdp=2" in contradicting
    assert [text for text, _, _ in cases][: len(contradicting)] == contradicting
    below = [verdict for _, agrees, verdict in cases if agrees != "contradiction"]
    assert min(map(BY_HARM.index, below)) < BY_HARM.index("equal"), "a harm that was predicted lies below"
    expect(page.locator("#matches tbody tr").first).to_contain_text("Contradicts a prediction, not explained")
    alarm = page.locator("#overview .alarm")
    assert is_on_the_screen(alarm.get_by_role("heading"))
    expect(alarm).to_contain_text(re.compile(f"^! {len(contradicting)} runs contradict the prediction"))
    expect(alarm.get_by_role("link", name="tp=2,fsdp=2", exact=True)).to_be_visible()
    opened.close()


HASH = re.compile(r"(?<![0-9a-f.])[0-9a-f]{12,}")  # and no decimals of a number


def test_numbers_are_decimals(page: Page, drawn: dict[str, list[str]]) -> None:
    assert HASH.findall(page.locator("#matches").inner_text()) == []
    assert len(drawn["cases"]) > 1000
    assert [found[0] for text in drawn["cases"] if (found := HASH.search(text))] == []
    page.evaluate(
        "location.hash = allCases.find((one) => one.difference && one.difference.what === 'loss').hash"
    )
    facts = page.locator("article dl").last.inner_text()
    for name in ["Expected", "Got", "Apart"]:
        assert re.search(rf"{name}\n+\d+\.\d+", facts), facts


OLD_WORDS = re.compile(
    r"pages? that fires?|\bfires\b|stand-in|first divergence|transforms is safe|how it stands", re.IGNORECASE
)


def test_words_are_those_of_the_markdown_pages(page: Page, drawn: dict[str, list[str]]) -> None:
    shown = [page.locator("body").inner_text(), page.title(), *drawn["cases"], *drawn["rules"]]
    found = {
        text[max(0, at.start() - 60) : at.end() + 20] for text in shown for at in OLD_WORDS.finditer(text)
    }
    assert found == set()
    assert "Pages that flag it" in shown[0]
    assert any("without inductor's code generation" in text for text in shown)


CUT = """() => {
    const wide = document.documentElement.clientWidth;
    const inside = (node, boxes) => node.parentElement && node.parentElement.closest(boxes);
    const isSeen = (node) => node.getClientRects().length > 0 && getComputedStyle(node).clipPath === "none" &&
        !inside(node, "thead, .unseen, .skip");
    return [...document.querySelectorAll("body *")].filter(isSeen).filter((node) => {
        if (node.matches(".skip")) return false;  // a link that comes when it is focused
        const style = getComputedStyle(node), box = node.getBoundingClientRect();
        const hides = style.overflowX === "hidden" || style.overflowX === "clip" || style.webkitLineClamp !== "none";
        const isCut = node.scrollWidth > node.clientWidth || node.scrollHeight > node.clientHeight;
        if (hides && isCut && node.tagName !== "svg") return true;
        // What is wider than the screen lies in a box that scrolls to it.
        const scrolls = inside(node, ".scroll, pre.script");
        if (scrolls) return getComputedStyle(scrolls).overflowX !== "auto";
        return box.right > wide + 1 || box.left < -1;
    }).map((node) => node.outerHTML.slice(0, 120));
}"""


def test_nothing_is_cut_on_a_phone(browser: Browser, report: Path, screenshots: Path) -> None:
    opened = Opened(browser, report, viewport=PHONE)
    page = opened.page
    page.screenshot(path=screenshots / "phone.png")
    hashes = ["", "rule/CLA-017", "rule/ORD-009"]
    for verdict in ["differs", "ignored", "fails", "equal"]:
        found = page.evaluate(
            """(verdict) => allCases.filter((one) => one.verdict === verdict)
                .sort((one, other) => other.text.length - one.text.length)[0].hash""",
            verdict,
        )
        hashes.append(found)
    for hash_ in hashes:
        page.evaluate("hash => { location.hash = hash; }", hash_)
        page.wait_for_timeout(50)
        assert not has_sideways_scroll(page), hash_
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], hash_
        assert page.evaluate(CUT) == [], hash_
    page.evaluate("location.hash = ''")
    # Tables but the matrix are lines there, whose cells say what they are; the matrix fits.
    for table in page.locator(".scroll:has(table)").all():
        assert table.evaluate("node => node.scrollWidth <= node.clientWidth"), table.inner_text()[:80]
    label = "(node) => getComputedStyle(node, '::before').content"
    assert page.locator("#silent tbody th").first.evaluate(label).startswith('"Do not build')
    # What is laid out otherwise there; contrast is as on a wide screen.
    roles = [
        "aria-required-children",
        "aria-required-parent",
        "scrollable-region-focusable",
        "td-headers-attr",
        "list",
    ]
    assert faults_of_access(page, *roles) == []
    opened.close()
