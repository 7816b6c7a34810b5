"""A user's own `parallelize` as one test: the fixture `ordercheck` of a test that is marked with stacks.

@pytest.mark.ordercheck("tp=2,fsdp=2", "fsdp=4")
def test_parallelize(ordercheck):
    ordercheck.is_equal(model=build, apply=parallelize)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from ordercheck.answers import Report, Run
from ordercheck.ask import check, run
from ordercheck.record import Recording, record

MARKER = "ordercheck"
# float32 arithmetic rounds differently on every layout: "close" is its word for equal.
PASSED = ("equal", "close")


@dataclass(frozen=True)
class Composition:
    """One of the stacks that the test is marked with."""

    stack: str

    def check(self, **facts: Any) -> Report:
        """What the rules say; takes what `ordercheck.check` takes."""
        return check(self.stack, **facts)

    def run(self, **settings: Any) -> Run:
        """What ranks show; takes what `ordercheck.run` takes."""
        return run(self.stack, **settings)

    def is_equal(self, **settings: Any) -> Run:
        """Runs, and fails the test unless the run is bitwise equal to the single-rank reference."""
        __tracebackhide__ = True
        shown = self.run(**settings)
        if shown.verdict not in PASSED:
            pytest.fail(f"{shown.case}: {shown.verdict}: {shown.reason}", pytrace=False)
        return shown


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"{MARKER}(*stacks): run the test once for each of these stacks")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if MARKER not in metafunc.fixturenames:
        return
    stacks = [stack for mark in metafunc.definition.iter_markers(MARKER) for stack in mark.args]
    if not stacks:
        raise pytest.UsageError(
            f"{metafunc.definition.nodeid} takes the fixture {MARKER} and names no stack; "
            f'mark it, as in @pytest.mark.{MARKER}("fsdp=2")'
        )
    metafunc.parametrize(MARKER, [Composition(stack) for stack in stacks], ids=stacks, indirect=True)


@pytest.fixture
def ordercheck_recording() -> Iterator[Recording]:
    """Records the test: `assert ordercheck_recording.stack == "fsdp=2"` after the model was built."""
    with record() as recording:
        yield recording


@pytest.fixture
def ordercheck(request: pytest.FixtureRequest) -> Composition:
    composition: Composition = request.param
    return composition
