"""Which part of the package may import which, read off its sources: program/ knows nothing of the rest."""

import ast
from pathlib import Path

import ordercheck_pytorch
from ordercheck_pytorch.observe import profile_events, where
from ordercheck_pytorch.program import marks, names

PACKAGE = Path(ordercheck_pytorch.__file__).parent
FORBIDDEN = {
    "program": {"observe", "planned", "projects", "users", "worker", "repro"},
    "observe": {"planned", "program", "users", "worker", "repro"},
    "planned": {"observe", "projects", "worker", "repro"},
    "projects": {"observe", "planned", "users", "worker", "repro"},
    "users": {"observe", "planned", "projects", "worker", "repro"},
}


def parts_imported(path: Path) -> set[str]:
    """Parts of the package that a file names in an import, at any depth."""
    package = [PACKAGE.name, *path.relative_to(PACKAGE).parts[:-1]]
    named: list[str] = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            named += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            named += [f"{module}.{alias.name}" for alias in node.names]
    return {name.split(".")[1] for name in named if name.startswith(PACKAGE.name + ".")}


def test_parts_import_only_what_they_may() -> None:
    for part, forbidden in FORBIDDEN.items():
        files = sorted((PACKAGE / part).rglob("*.py"))
        assert files
        for path in files:
            assert not parts_imported(path) & forbidden, path.relative_to(PACKAGE)


def test_what_two_parts_both_say_since_neither_may_import_the_other_is_the_same() -> None:
    assert (marks.SCOPE, marks.GRAPH, marks.RECOMPUTED) == (
        profile_events.MARK_OF_SCOPE,
        profile_events.MARK_OF_GRAPH,
        profile_events.MARK_OF_RECOMPUTED,
    )
    assert set(where._WRAPPERS) == {*names.WRAPPED, "module"}


def test_imports_are_seen() -> None:
    assert parts_imported(PACKAGE / "worker" / "front.py") == {"observe", "torch_compat", "worker"}
    assert parts_imported(PACKAGE / "program" / "transforms" / "tp.py") == {"program"}
