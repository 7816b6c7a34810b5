"""The script of `ordercheck repro`: needs nothing of ordercheck, and shows what the engine shows."""

from __future__ import annotations

import ast
import io
import json
from pathlib import Path
from typing import Any

import pytest
from ordercheck_pytorch.program.case import case_of as parsed
from ordercheck_pytorch.program.catalogue import TRANSFORMS
from ordercheck_pytorch.repro.join import joined, names_defined
from ordercheck_pytorch.repro.many import glued, write_scripts
from ordercheck_pytorch.repro.order import with_imports
from ordercheck_pytorch.repro.write import script_of
from run_message import case_of
from script_run import run_script


@pytest.mark.parametrize("stack", ["ac,tp=2", "pp=2,fsdp=2", "sac,compile", "ddp=2", ""])
def test_a_long_script_stands_by_itself(stack: str) -> None:
    tree = ast.parse(script_of(parsed(case_of(stack)), full=True))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            assert "ordercheck" not in (node.module or "")
    names = names_defined(tree)
    # Of the table a script has its own, in place of the one that reads a file.
    assert {name for name in names if names.count(name) > 1} <= {"table_text"}


def test_two_files_that_define_one_name_are_refused(tmp_path: Path) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text('"""Doc."""\n\nCOUNT = 1\n')
    with pytest.raises(ValueError, match=r"b\.py and a\.py both define COUNT"):
        joined([tmp_path / "a.py", tmp_path / "b.py"])


def test_a_file_comes_behind_those_that_it_imports(tmp_path: Path) -> None:
    sources = {
        "main": "from .a import x\nfrom . import b\n",
        "a": "from .b import y\n",
        "b": "",
        "c": "from .b import y\n",
    }
    for name, source in sources.items():
        (tmp_path / f"{name}.py").write_text(source)
    main, a, b, c = (tmp_path / f"{name}.py" for name in sources)
    assert with_imports(main, {}) == [b, a, main]
    assert with_imports(main, {a: [c]}) == [b, c, a, main]


def test_what_is_not_built_is_refused() -> None:
    with pytest.raises(LookupError, match="builds no ep"):
        script_of(parsed(case_of("ep=2")))
    with pytest.raises(LookupError, match="declines it: not built: cp:ring"):
        script_of(parsed(case_of("cp=2:ring")))


def test_every_transform_is_in_a_long_script_of_its_own() -> None:
    for name, transform in TRANSFORMS.items():
        arithmetic = "float32" if name == "amp" else "exact"
        script = script_of(parsed(case_of(name, arithmetic=arithmetic)), full=True)
        assert f"def {transform.apply.__name__}(" in script
        assert f'"{name}": {name.upper()}' in script


@pytest.mark.parametrize(
    ("stack", "arithmetic", "verdict", "code"),
    [
        ("ac,tp=2", "exact", "verdict: differs: the loss of step 0", 1),
        (
            "cp=2,ac",
            "exact",
            "verdict: equal: every loss, gradient and parameter is bitwise equal to the single-rank reference",
            0,
        ),
        ("fsdp=2", "float32", "verdict: close: ", 0),
        ("ac,tp=2", "float32", "verdict: differs: the gradient of ", 1),
    ],
)
def test_torchrun_of_a_long_script_shows_the_verdict(
    tmp_path: Path, stack: str, arithmetic: str, verdict: str, code: int
) -> None:
    done = run_script(tmp_path, script_of(parsed(case_of(stack, arithmetic=arithmetic)), full=True))
    assert verdict in done.stdout, done.stdout + done.stderr
    assert (done.returncode != 0) == bool(code)


def scripts_of(*cases: dict[str, Any]) -> dict[str, Any]:
    target = io.StringIO()
    assert write_scripts(io.StringIO("".join(json.dumps(case) + "\n" for case in cases)), target) == 0
    return json.loads(target.getvalue())


@pytest.mark.parametrize(("arithmetic", "shared"), [("exact", 3), ("float32", 4)])
def test_the_scripts_of_many_cases_are_those_of_each(arithmetic: str, shared: int) -> None:
    """Short ones, and long ones."""
    stacks = [
        "ac,tp=2",
        "tp=2,ac",
        "pp=2,fsdp=2",
        "fsdp=2,fsdp=2",
        "sac,compile",
        "compile",
        "ddp=2",
        "optimizer",
    ]
    cases = [case_of(stack, arithmetic=arithmetic, text=f"{stack} engine=pytorch") for stack in stacks]
    cases.append(case_of("fsdp=2,ac", arithmetic=arithmetic, text="items=, settings= Item( mesh="))
    written = scripts_of(*cases)
    whole = 0
    for case, script in zip(cases, written["scripts"], strict=True):
        text = "".join(written["pieces"][index] for index in script["pieces"])
        assert text == script_of(parsed(case))
        whole += len(text)
    assert len(set(written["pieces"])) == len(written["pieces"])
    assert sum(map(len, written["pieces"])) < whole / shared
    assert written == scripts_of(*cases)


def test_of_many_cases_one_can_be_asked_for_in_full() -> None:
    written = scripts_of(case_of("tp=2") | {"full": True}, case_of("tp=2"))
    full, short = ("".join(written["pieces"][i] for i in script["pieces"]) for script in written["scripts"])
    assert full == script_of(parsed(case_of("tp=2")), full=True)
    assert short == script_of(parsed(case_of("tp=2")))
    assert len(short) < len(full) / 10


def test_of_many_cases_one_that_is_declined_says_why() -> None:
    written = scripts_of(case_of("tp=2"), case_of("cp=2:ring"), case_of("fsdp=2"))
    assert ["pieces" in script for script in written["scripts"]] == [True, False, True]
    assert "cp:ring" in written["scripts"][1]["declined"]


def test_a_line_that_is_no_case_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    target = io.StringIO()
    source = io.StringIO(json.dumps(case_of("tp=2")) + '\n{"text": "tp=2"}\n')
    assert write_scripts(source, target) == 2
    assert capsys.readouterr().err.startswith("line 2: expected the case of a run message")
    assert target.getvalue() == ""


def test_pieces_that_never_stand_apart_are_one() -> None:
    assert glued([["a", "b", "x", "c"], ["a", "b", "y", "c"], ["a", "b", "c"]]) == [
        ["ab", "x", "c"],
        ["ab", "y", "c"],
        ["ab", "c"],
    ]
    assert glued([["a", "a", "b"]]) == [["a", "a", "b"]]
    assert glued([]) == []
