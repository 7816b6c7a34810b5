"""On a screen of 1280 px no table of a generated page is wider than GitHub's column of text: no column is out of sight."""

from __future__ import annotations

import html
import re
from pathlib import Path

from conftest import ROOT
from playwright.sync_api import Browser

COLUMN = 1012  # px of text that GitHub leaves on such a screen
# What of GitHub's style sheet decides how wide a table is.
STYLE = f"""
    body {{ margin: 0; width: {COLUMN}px; font: 16px/1.5 "Noto Sans", Helvetica, sans-serif; overflow-wrap: break-word; }}
    table {{ display: block; width: max-content; max-width: 100%; overflow: auto; border-collapse: collapse; }}
    th, td {{ padding: 6px 13px; border: 1px solid; }}
    code {{ padding: .2em .4em; font: 85% ui-monospace, "DejaVu Sans Mono", monospace; white-space: break-spaces; }}"""
TAGS = re.compile(r"</?code>|<br>|<wbr>")


def rendered(cell: str) -> str:
    """Code spans, links and the tags that the pages use; the little of Markdown that cells hold."""
    text, at, out = cell.replace("\\|", "|"), 0, ""
    for span in re.finditer(r"(`+)(.+?)(?<!`)\1(?!`)", text):
        out += prose(text[at : span.start()]) + f"<code>{html.escape(span[2].strip())}</code>"
        at = span.end()
    return out + prose(text[at:])


def prose(text: str) -> str:
    kept = "".join(
        part if TAGS.fullmatch(part) else html.escape(part) for part in re.split(f"({TAGS.pattern})", text)
    )
    return re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", re.sub(r"\[(.+?)\]\(\S+?\)", r"<a>\1</a>", kept))


def tables_of(page: Path) -> list[list[list[str]]]:
    """Each as rows of cells, without the line below its head."""
    blocks = re.findall(r"(?:^\|.*\n)+", page.read_text(), re.MULTILINE)
    return [
        [re.split(r"(?<!\\)\|", row)[1:-1] for i, row in enumerate(block.splitlines()) if i != 1]
        for block in blocks
    ]


def test_no_column_is_cut(browser: Browser, screenshots: Path) -> None:
    pages = ("parallelism_ordering", "pairs", "messages", "clipping", "experts_and_graphs")
    tables = [table for page in pages for table in tables_of(ROOT / "docs" / f"{page}.md")]
    assert len(tables) > 5
    heads = [[head.strip() for head in table[0]] for table in tables]
    pairs = next(head for head in heads if "what happens" in head)
    assert pairs.index("basis") < pairs.index("what happens")
    assert pairs.index("build") < pairs.index("what happens")
    drawn = [
        "<table>"
        + "".join("<tr>" + "".join(f"<td>{rendered(cell)}</td>" for cell in row) + "</tr>" for row in table)
        for table in tables
    ]
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.set_content(f"<style>{STYLE}</style>" + "</table><p></p>".join(drawn))
    page.screenshot(path=screenshots / "ordering-tables.png", full_page=True)
    cut = page.evaluate(
        """() => [...document.querySelectorAll("table")].filter((one) => one.scrollWidth > one.clientWidth)
            .map((one) => `${one.scrollWidth} px: ${one.rows[0].innerText}`)"""
    )
    page.close()
    assert cut == []
