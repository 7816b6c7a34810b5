"""The script of `ordercheck repro`: needs nothing of ordercheck, and shows what the engine shows."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from ordercheck_pytorch.program.case import case_of as parsed
from ordercheck_pytorch.repro.many import glued, write_scripts
from ordercheck_pytorch.repro.write import script_of
from run_message import case_of


def test_what_is_not_built_is_refused() -> None:
    with pytest.raises(LookupError, match="builds no ep"):
        script_of(parsed(case_of("ep=2")))
    with pytest.raises(LookupError, match="declines it: not built: cp:ring"):
        script_of(parsed(case_of("cp=2:ring")))


def scripts_of(*cases: dict[str, Any]) -> dict[str, Any]:
    target = io.StringIO()
    assert write_scripts(io.StringIO("".join(json.dumps(case) + "\n" for case in cases)), target) == 0
    return json.loads(target.getvalue())


def test_the_scripts_of_many_cases_are_those_of_each() -> None:
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
    cases = [case_of(stack, text=f"{stack} engine=pytorch") for stack in stacks]
    cases.append(case_of("fsdp=2,ac", text="items=, settings= Item( mesh="))
    written = scripts_of(*cases)
    whole = 0
    for case, script in zip(cases, written["scripts"], strict=True):
        text = "".join(written["pieces"][index] for index in script["pieces"])
        assert text == script_of(parsed(case))
        whole += len(text)
    assert len(set(written["pieces"])) == len(written["pieces"])
    assert sum(map(len, written["pieces"])) < whole / 3
    assert written == scripts_of(*cases)


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
