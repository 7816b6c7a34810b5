"""The driver of a published project imports one thing of this package: its public surface."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from ordercheck_pytorch import api
from ordercheck_pytorch.projects.project import DRIVERS, projects_beside, sources_of

MOST_LINES = 250


def imported_of_this_package(source: str) -> dict[str, list[str]]:
    """Modules of ordercheck_pytorch, and the names that are taken from each."""
    found: dict[str, list[str]] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found.setdefault(alias.name, [])
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.setdefault(node.module, []).extend(alias.name for alias in node.names)
        elif isinstance(node, ast.Constant) and str(node.value).startswith("ordercheck_pytorch."):
            found.setdefault(str(node.value), [])  # as import_module takes it
    return {name: names for name, names in found.items() if name.partition(".")[0] == "ordercheck_pytorch"}


def test_imports_of_this_package_are_found_in_every_form() -> None:
    source = (
        "import ordercheck_pytorch.program.rank\nfrom ordercheck_pytorch.api import Item\n"
        "def f():\n    from ordercheck_pytorch.observe import graphs\n    import_module('ordercheck_pytorch.worker')\n"
    )
    assert set(imported_of_this_package(source)) == {
        "ordercheck_pytorch.program.rank",
        "ordercheck_pytorch.api",
        "ordercheck_pytorch.observe",
        "ordercheck_pytorch.worker",
    }


def test_drivers_beside_this_one_are_found() -> None:
    assert {"accelerate", "deepspeed", "lightning", "torchao", "torchtitan"} <= set(projects_beside())


@pytest.mark.parametrize("project", projects_beside())
def test_a_driver_imports_the_api_alone(project: str) -> None:
    for source in sources_of(project):
        where = source.relative_to(DRIVERS)
        imported = imported_of_this_package(source.read_text())
        # The rows of torchtitan 0.3.0 carry a hash of this file, so its import moves to the api when they are run again.
        known = {"ordercheck_pytorch.program.data"} if source.name == "chunked_loss.py" else set()
        assert set(imported) - known <= {"ordercheck_pytorch.api"}, (
            f"{where} imports more than ordercheck_pytorch.api"
        )
        allowed = {name for module, names in imported.items() if module not in known for name in names}
        unknown = allowed - set(api.__all__)
        assert not unknown, f"{where} imports {unknown}, which api.__all__ does not list"


@pytest.mark.parametrize("project", projects_beside())
def test_a_driver_is_of_small_files(project: str) -> None:
    lengths = {
        str(s.relative_to(DRIVERS)): len(Path(s).read_text().splitlines()) for s in sources_of(project)
    }
    assert {name: lines for name, lines in lengths.items() if lines >= MOST_LINES} == {}


def test_what_the_api_lists_is_there_and_used() -> None:
    used: set[str] = set()
    for project in projects_beside():
        for source in sources_of(project):
            used |= {
                name for names in imported_of_this_package(source.read_text()).values() for name in names
            }
    assert set(api.__all__) <= used
    assert all(hasattr(api, name) for name in api.__all__)
