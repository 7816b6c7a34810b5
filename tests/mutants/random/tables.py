"""matrix/random_mutants/: in seen.tsv what was drawn and seen, in reasons.toml, by hand, why nothing is seen of the rest."""

from dataclasses import dataclass
from pathlib import Path

import tomllib
from draw import COUNT, SEED
from matrix_runs import Seen
from one_site import Site

TABLE = "matrix/random_mutants/seen.tsv"
REASONS = "matrix/random_mutants/reasons.toml"
COLUMNS = ("number", "kind", "file", "function", "change", "result", "tier", "case", "before", "after")
RESULTS = ("seen", "not seen", "does not compile")


@dataclass(frozen=True)
class Row:
    number: int  # 0: drawn, and another one in its place
    kind: str
    file: str
    function: str
    change: str
    result: str
    tier: str = "-"
    case: str = "-"
    before: str = "-"
    after: str = "-"

    @property
    def place(self) -> tuple[str, str, str]:
        return self.file, self.function, self.change


@dataclass(frozen=True)
class Table:
    digest: str  # of the sources that the mutants were put into
    rows: tuple[Row, ...]

    def of_result(self, result: str) -> list[Row]:
        return [row for row in self.rows if row.result == result]


@dataclass(frozen=True)
class Reason:
    """`equivalent`: no run can show it, and `why` proves that. Else a run could, and none of the matrix does."""

    place: tuple[str, str, str]
    equivalent: bool
    why: str


def row_of(number: int, site: Site, tier: str, seen: Seen | None) -> Row:
    own = (number, site.kind, site.path, site.function, site.change)
    if seen is None:
        return Row(*own, "not seen", tier)
    return Row(*own, "seen", tier, seen.case, _cell(seen.before), _cell(seen.after))


def refused_row(site: Site) -> Row:
    return Row(0, site.kind, site.path, site.function, site.change, "does not compile")


def _cell(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 100 else text[:97] + "..."


def print_table(table: Table) -> str:
    lines = [
        "# ordercheck random mutants 1",
        f"# seed\t{SEED}",
        f"# sources\t{table.digest}",
        "\t".join(COLUMNS),
    ]
    for row in table.rows:
        lines.append("\t".join(str(getattr(row, column)) for column in COLUMNS))
    return "\n".join(lines) + "\n"


def parse_table(text: str) -> Table:
    lines = text.splitlines()
    head = dict(line[2:].split("\t") for line in lines if line.startswith("# ") and "\t" in line)
    body = [line.split("\t") for line in lines if not line.startswith("# ")]
    if head.get("seed") != str(SEED) or tuple(body[0]) != COLUMNS:
        raise ValueError(f"{TABLE}: expected seed {SEED} and the columns {', '.join(COLUMNS)}")
    rows = tuple(Row(int(cells[0]), *cells[1:]) for cells in body[1:])
    numbers = [row.number for row in rows if row.number]
    if numbers != list(range(1, COUNT + 1)) or any(row.result not in RESULTS for row in rows):
        raise ValueError(f"{TABLE}: expected mutants 1 to {COUNT}, each {', '.join(RESULTS)}")
    return Table(head["sources"], rows)


def parse_note(text: str) -> str:
    """What the page says by hand below the counts."""
    return tomllib.loads(text)["note"]


def parse_reasons(text: str) -> list[Reason]:
    reasons = []
    for entry in tomllib.loads(text).get("survivor", []):
        if set(entry) != {"file", "function", "change", "is", "why"} or entry["is"] not in {
            "equivalent",
            "hole",
        }:
            raise ValueError(
                f"{REASONS}: expected file, function, change, is (equivalent or hole) and why, got {entry}"
            )
        reasons.append(
            Reason(
                (entry["file"], entry["function"], entry["change"]), entry["is"] == "equivalent", entry["why"]
            )
        )
    return reasons


def faults(table: Table, reasons: list[Reason]) -> list[str]:
    """What the two tables do not agree on."""
    silent = {row.place for row in table.of_result("not seen")}
    explained = {reason.place for reason in reasons}
    missing = [
        f"{REASONS} gives no reason for what is not seen: {place}" for place in sorted(silent - explained)
    ]
    stale = [
        f"{REASONS} gives a reason for what {TABLE} does not have as not seen: {place}"
        for place in sorted(explained - silent)
    ]
    return missing + stale


def read(root: Path) -> tuple[Table, list[Reason], str]:
    reasons = (root / REASONS).read_text()
    return parse_table((root / TABLE).read_text()), parse_reasons(reasons), parse_note(reasons)
