"""Answers in JSON, held against the schema that it names.

    python3 schemas_test.py ORDERCHECK HONEST_WORKER SOURCE

ORDERCHECK is the program, HONEST_WORKER the worker that answers as a sound engine would, SOURCE the checkout.
Needs jsonschema."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

import jsonschema
from referencing import Registry, Resource

ORDERCHECK, HONEST_WORKER, SOURCE = (Path(word).resolve() for word in sys.argv[1:4])
SCHEMAS = {
    file.stem: json.loads(file.read_text()) for file in sorted((SOURCE / "docs/schemas").glob("*.json"))
}
REGISTRY: Registry[Any] = Registry().with_resources(
    (schema["$id"], Resource.from_contents(schema)) for schema in SCHEMAS.values()
)
LATEST = f"{SOURCE}/rules"
# Several answers a schema: what one of them leaves empty, another fills.
ASKED = {
    "check-1": [
        f"check fsdp=2,tp=2 --rules {LATEST}",
        f"check fsdp=2,tp=2 --select EFF --ignore EFF-009 --rules {LATEST}",
        f"check tp=2,fsdp=2 --for pytorch-2.11 --rules {LATEST}",
        f"check ep=2,tp=2,fsdp=2 --rules {LATEST}",
        f"check ac,tp=2,fsdp=2 --for pytorch-2.15 --rules {LATEST}",
        f"check fsdp=2,tp=2,ac,pp=2,compile,ddp=2 --for pytorch-2.16 --rules {LATEST}",
    ],
    "check-project-1": [f"check --rules {LATEST}"],
    "suggest-1": [f"suggest fsdp=2,tp=2,ac --rules {LATEST}", f"suggest ddp=2,fsdp=2 --rules {LATEST}"],
    "run-1": ["run fsdp=2 --rules data/rules", "run fsdp=2,tp=2 --rules data/rules"],
    "matrix-run-1": ["matrix run --fresh --rules data/rules"],
}
PROJECT = """
[[stack]]
name = "wrong"
stack = "fsdp=2,tp=2"

[[stack]]
name = "allowed"
stack = "fsdp=2,compile"

[[allow]]
rule = "ORD-004"
stack = "wrong"
reason = "issue 12"
until = 2026-01-01

[[allow]]
rule = "ORD-010"
stack = "allowed"
reason = "issue 13"
until = 2099-01-01
"""


class Schemas(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="ordercheck-schemas-"))
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copytree(SOURCE / "tests/cli/data", self.folder / "data")
        (self.folder / ".ordercheck.toml").write_text(PROJECT)

    def ran(self, words: str) -> subprocess.CompletedProcess[str]:
        environment = os.environ | {
            "ORDERCHECK_WORKER": str(HONEST_WORKER),
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "HONEST_WORKER_BREAKS": "fsdp=2,tp=2",
        }
        return subprocess.run(
            [str(ORDERCHECK), *words.split()],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )

    def answers(self, words: str) -> list[dict[str, Any]]:
        done = self.ran(f"{words} --json")
        self.assertTrue(done.stdout.startswith(("{", "[")), f"{words}: {done.stdout}{done.stderr}")
        answer = json.loads(done.stdout)
        return answer if isinstance(answer, list) else [answer]

    def test_every_answer_is_of_its_schema(self) -> None:
        self.assertEqual(set(ASKED), set(SCHEMAS))
        for name, questions in ASKED.items():
            jsonschema.Draft202012Validator.check_schema(SCHEMAS[name])
            for words in questions:
                for answer in self.answers(words):
                    with self.subTest(words):
                        self.assertEqual(answer["schema"].replace("ordercheck/", "").replace("/", "-"), name)
                        jsonschema.Draft202012Validator(SCHEMAS[name], registry=REGISTRY).validate(answer)

    def test_a_key_that_no_schema_names_is_refused(self) -> None:
        for name, questions in ASKED.items():
            answer = self.answers(questions[0])[0] | {"another": 1}
            with self.assertRaises(jsonschema.ValidationError, msg=name):
                jsonschema.Draft202012Validator(SCHEMAS[name], registry=REGISTRY).validate(answer)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
