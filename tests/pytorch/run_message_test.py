"""The messages of these tests have the fields that the schema asks for."""

import json
from pathlib import Path

from run_message import case_of, run_of

SCHEMA = json.loads((Path(__file__).parents[2] / "src/record/schema/run.json").read_text())


def test_a_run_has_the_fields_of_its_schema() -> None:
    run = run_of(1, case_of("tp=2,hsdp=2x4:mp=bf16"))
    parts = SCHEMA["definitions"]
    assert set(run) == set(SCHEMA["required"])
    assert set(run["case"]) == set(parts["case"]["required"])
    assert all(set(axis) == set(parts["axis"]["required"]) for axis in run["case"]["mesh"])
    assert all(set(item) == set(parts["item"]["required"]) for item in run["case"]["items"])
    assert [(item["name"], item["degrees"]) for item in run["case"]["on_one_rank"]] == [("hsdp", [1, 1])]
