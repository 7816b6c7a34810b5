"""Texts that would be markup or script, wherever a reader of the evidence or of a rule can put them, are shown as texts."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from conftest import ROOT, Opened, show_html
from playwright.sync_api import Browser, expect

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)><!-- \"'`&lt; {{{data}}}"


def hostile_checkout(folder: Path) -> Path:
    """A copy of the small checkout of the tests whose first failure's message and first rule page hold HOSTILE."""
    shutil.copytree(ROOT / "tests" / "data" / "mini", folder)
    shutil.copytree(ROOT / "report_templates", folder / "report_templates", dirs_exist_ok=True)
    table = next((folder / "matrix" / "evidence").rglob("*.tsv"))
    lines = table.read_text().splitlines(keepends=True)
    at = next(i for i, line in enumerate(lines) if line.split("\t")[1:2] == ["fails"])
    fields = lines[at].split("\t")
    fields[12] = "RuntimeError: " + HOSTILE
    lines[at] = "\t".join(fields)
    table.write_text("".join(lines))
    page = next(
        path
        for path in sorted((folder / "rules").rglob("*.md"))
        if path.name != "TEMPLATE.md" and "## Why" in path.read_text()
    )
    text = page.read_text()
    text = re.sub(r"(## Why\n+)", lambda found: found[1] + HOSTILE + " [a](javascript:alert(3)) ", text)
    page.write_text(text)
    return folder


def test_hostile_texts_are_shown_and_run_nothing(browser: Browser, tmp_path: Path) -> None:
    root = hostile_checkout(tmp_path / "checkout")
    out = tmp_path / "report.html"
    ended = show_html(out, "--rules", str(root / "rules"))
    assert ended.returncode == 0, ended.stderr
    assert "<img" not in out.read_text()
    opened = Opened(browser, out)
    page = opened.page
    assert page.locator("script").count() == 2
    assert page.locator("img, iframe, object, embed, link").count() == 0
    page.get_by_label("Text in stack").fill("onerror=alert(2)")
    expect(page.locator("#matches tbody tr")).to_have_count(1)
    expect(page.locator("#matches")).to_contain_text("<img src=x onerror=alert(2)>")
    page.locator("#matches tbody th a").click()
    expect(page.locator("article")).to_contain_text("</script><script>alert(1)</script>")
    page.keyboard.press("Escape")
    for link in page.locator("#rules tbody th a").all():
        link.click()
        assert page.locator("a[href^='javascript']").count() == 0
        assert page.locator("img").count() == 0
        page.keyboard.press("Escape")
    opened.close()


def test_a_hostile_address_is_text(browser: Browser, report: Path) -> None:
    opened = Opened(browser, report)
    for hash_ in [
        "#case/%",
        "#rule/<img src=x onerror=alert(1)>",
        "#cases?text=<img src=x onerror=alert(1)>&verdict=nothing",
    ]:
        opened.page.evaluate("hash => { location.hash = hash; }", hash_)
        opened.page.wait_for_timeout(50)
        assert opened.page.locator("img").count() == 0
    opened.close()
