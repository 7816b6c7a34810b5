"""The wheel where CI systems and pre-commit install it: action.yml, workflows of `init` and of a release, and the hook, run.

    python3 ci_test.py WHEEL PRE_COMMIT SOURCE

WHEEL is that of scripts/wheel, PRE_COMMIT a venv with pre-commit, SOURCE the checkout.
Needs PyYAML. `gh` is a program that has one release with the wheel. Nothing is downloaded or built."""

from __future__ import annotations

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

import yaml

WHEEL, PRE_COMMIT, SOURCE = (Path(word).resolve() for word in sys.argv[1:4])
VERSION = WHEEL.name.split("-")[1]
GUIDE = (SOURCE / "docs/guide/ci/checking-your-stacks.md").read_text()
LEGAL, ILLEGAL = "tp=2,fsdp=2", "fsdp=2,tp=2"
EXPRESSION = re.compile(r"\$\{\{ *(.*?) *\}\}")

# sources/ is the action's own checkout, whose build is not repeated: it gives the wheel that its scripts/wheel built.
PROGRAMS = {
    "bin/sudo": '#!/usr/bin/env bash\nexec "$@"\n',
    "sources/scripts/wheel": '#!/usr/bin/env bash\necho built >>"$GH_LOG"\ncp "$GH_WHEEL" "$1"\n',
    "bin/gh": """#!/usr/bin/env bash
echo "$*" >>"$GH_LOG"
[[ $1 == release && $3 == "$GH_HAS" ]] || exit 1
[[ $2 != download ]] || {
  [[ $4 == --repo && $6 == --pattern && $8 == --dir && $(basename "$GH_WHEEL") == $7 ]] && cp "$GH_WHEEL" "$9"
  [[ -z $GH_SECOND ]] || cp "$GH_WHEEL" "$9/$GH_SECOND"
}
""",
}


class Installed(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="ordercheck-ci-"))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "bin").mkdir()
        (self.folder / "sources/scripts").mkdir(parents=True)
        (self.folder / "temp").mkdir()
        self.gh_log = self.folder / "gh.log"
        self.gh_log.touch()
        for name, text in PROGRAMS.items():
            (self.folder / name).write_text(text)
            (self.folder / name).chmod(0o755)
        given = {"PATH", "LANG", "TMPDIR"}
        self.environment = {key: value for key, value in os.environ.items() if key in given} | {
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            "HOME": str(self.folder),
            "PIP_NO_INDEX": "1",
            "GH_LOG": str(self.gh_log),
            "GH_HAS": f"v{VERSION}",
            "GH_WHEEL": str(WHEEL),
            "GH_SECOND": "",
            "RUNNER_TEMP": str(self.folder / "temp"),
            "GITHUB_PATH": str(self.folder / "path"),
        }

    def ran(self, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words,
            cwd=self.folder,
            env=self.environment | more,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def step(self, script: str, **more: str) -> subprocess.CompletedProcess[str]:
        """As the runner starts a step, with what earlier ones put on the path."""
        self.assertNotIn("${{", script)  # what a workflow fills in is no text of a script
        path = self.folder / "path"
        added = path.read_text().split() if path.exists() else []
        more["PATH"] = ":".join([*reversed(added), self.environment["PATH"]])
        return self.ran("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script, **more)

    def write_stack(self, stack: str, target: str = "pytorch-2.11") -> None:
        text = f'[[stack]]\nname = "a"\nstack = "{stack}"\nfor = "{target}"\n'
        (self.folder / ".ordercheck.toml").write_text(text)

    def action_step(
        self, number: int, *, ref: str = f"v{VERSION}", repository: str = "someone/ordercheck", **inputs: str
    ) -> subprocess.CompletedProcess[str]:
        action = yaml.safe_load((SOURCE / "action.yml").read_text())
        self.assertEqual(action["runs"]["using"], "composite")
        defaults = {name: one["default"] for name, one in action["inputs"].items()}
        self.assertLessEqual(set(inputs), set(defaults))
        known = {f"inputs.{name}": value for name, value in (defaults | inputs).items()}
        known |= {
            "github.token": "secret",
            "github.action_path": str(self.folder / "sources"),
            "github.action_repository": repository,
            "inputs.version || github.action_ref": known["inputs.version"] or ref,
        }
        step = action["runs"]["steps"][number]
        filled = {name: EXPRESSION.sub(lambda m: known[m[1]], text) for name, text in step["env"].items()}
        return self.step(step["run"], **filled)

    def test_the_action_installs_the_wheel_of_its_tag_and_fails_where_the_check_fails(self) -> None:
        done = self.action_step(0)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(
            self.gh_log.read_text(), rf"^release download v{re.escape(VERSION)} --repo someone/ordercheck "
        )
        for stack, expected in ((LEGAL, 0), (ILLEGAL, 1)):
            self.write_stack(stack)
            done = self.action_step(1, sarif="a.sarif")
            self.assertEqual(done.returncode, expected, done.stdout + done.stderr)
            self.assertEqual("file=.ordercheck.toml,line=3" in done.stdout, expected == 1, done.stdout)
            results = json.loads((self.folder / "a.sarif").read_text())["runs"][0]["results"]
            errors = [one["ruleId"] for one in results if one["level"] == "error"]
            self.assertEqual(errors, ["ORD-004"] if expected else [])

    def test_the_action_with_sarif_ends_as_the_check_ends(self) -> None:
        self.action_step(0, wheel=str(WHEEL))
        for stack, target, expected, line in (
            ("cp=2", "deepspeed", 3, "unknown-cp"),  # undecided
            ("nonsense", "pytorch-2.11", 2, ".ordercheck.toml:3: "),
        ):
            self.write_stack(stack, target)
            done = self.action_step(1, sarif="a.sarif")
            self.assertEqual(done.returncode, expected, done.stdout + done.stderr)
            self.assertIn(line, done.stdout + done.stderr)

    def test_the_action_takes_another_wheel(self) -> None:
        done = self.action_step(0, wheel=str(WHEEL))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.gh_log.read_text(), "")
        done = self.step("ordercheck --version")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_action_builds_its_sources_without_a_release(self) -> None:
        for ref, repository in (("main", "someone/ordercheck"), ("", "")):  # the second: uses: ./ordercheck
            self.gh_log.write_text("")
            done = self.action_step(0, ref=ref, repository=repository)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(self.gh_log.read_text().splitlines()[-1], "built")
            done = self.step("ordercheck --version")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_action_says_which_release_is_not_there(self) -> None:
        done = self.action_step(0, version="v0.0.0")
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("::error::someone/ordercheck has no release v0.0.0", done.stdout)
        self.assertFalse((self.folder / "path").exists())
        self.assertNotIn("built", self.gh_log.read_text())

    def test_the_action_expects_one_wheel(self) -> None:
        self.environment["GH_SECOND"] = f"ordercheck-{VERSION}-second.whl"
        done = self.action_step(0)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("::error::expected one wheel of ordercheck for ", done.stdout)
        self.assertIn(", got 2; ", done.stdout)
        self.assertFalse((self.folder / "path").exists())

    def test_the_workflow_of_a_release(self) -> None:
        workflow: dict[Any, Any] = yaml.safe_load((SOURCE / ".github/workflows/wheel.yml").read_text())
        self.assertEqual(workflow[True], {"push": {"tags": ["v*"]}})  # YAML reads `on` as true
        self.assertEqual(workflow["permissions"], {"contents": "read"})
        jobs = workflow["jobs"]
        self.assertEqual({job.get("needs") for job in jobs.values()}, {None, "build", "try"})
        self.assertEqual([name for name, job in jobs.items() if "permissions" in job], ["attach"])
        scripts = {name: [s["run"] for s in job["steps"] if "run" in s] for name, job in jobs.items()}

        # It built the wheel that is tested here.
        (build,) = (text for text in scripts["build"] if text.startswith("scripts/"))
        program, out = build.split()
        self.assertTrue(os.access(SOURCE / program, os.X_OK), program)
        (self.folder / out).mkdir()
        shutil.copy(WHEEL, self.folder / out)
        held = scripts["build"][-1]
        self.assertEqual(self.step(held, TAG=f"v{VERSION}").returncode, 0)
        self.assertNotEqual(self.step(held, TAG="v9.9.9").returncode, 0)

        shutil.copy(WHEEL, self.folder)
        made = self.ran(sys.executable, "-m", "venv", "venv")
        self.assertEqual(made.returncode, 0, made.stderr)
        (self.folder / "path").write_text(f"{self.folder / 'venv/bin'}\n")
        for name in ("try", "attach"):
            (script,) = scripts[name]
            done = self.step(script, TAG=f"v{VERSION}")
            self.assertEqual(done.returncode, 0, f"{script}\n{done.stdout}{done.stderr}")
        asked = self.gh_log.read_text().splitlines()
        self.assertEqual(asked[-1], f"release upload v{VERSION} {WHEEL.name} --clobber")

    def test_the_workflow_of_init_needs_only_the_wheel(self) -> None:
        self.action_step(0, wheel=str(WHEEL))
        (self.folder / "train.json").write_text('{"zero_optimization": {"stage": 3}, "train_batch_size": 8}')
        done = self.step("ordercheck init")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        workflow = yaml.safe_load((self.folder / ".github/workflows/ordercheck.yml").read_text())
        install, check = (step["run"] for step in workflow["jobs"]["stacks"]["steps"] if "run" in step)
        for names in ([], [WHEEL.name, f"ordercheck-{VERSION}-second.whl"]):
            for name in names:
                shutil.copy(WHEEL, self.folder / ".github" / name)
            done = self.ran("bash", "-e", "-c", install)
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            expected = (
                f"::error::expected one wheel of ordercheck as .github/ordercheck-*.whl, got {len(names)};"
            )
            self.assertIn(expected, done.stdout)
        (self.folder / ".github" / f"ordercheck-{VERSION}-second.whl").unlink()
        done = self.ran("bash", "-e", "-c", install)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done = self.ran("bash", "-e", "-c", check)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.write_stack(ILLEGAL)
        done = self.ran("bash", "-e", "-c", check)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("::error file=.ordercheck.toml,line=3,", done.stdout)

    def git(self, *words: str) -> None:
        author = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        done = self.ran("git", *author, *words)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_hook_of_the_guide(self) -> None:
        found = re.findall(r"^```yaml\n(repos:\n.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
        self.assertEqual(len(found), 1)
        self.action_step(0, wheel=str(WHEEL))
        # Of the checkout, pre-commit reads only the hook: it is not built.
        (self.folder / "ordercheck").mkdir()
        shutil.copy(SOURCE / ".pre-commit-hooks.yaml", self.folder / "ordercheck")
        self.git("init", "-q", "-b", "main", "ordercheck")
        self.git("-C", "ordercheck", "add", ".")
        self.git("-C", "ordercheck", "commit", "-q", "-m", "hook")
        self.git("init", "-q", "mine")
        (self.folder / "mine/.pre-commit-config.yaml").write_text(found[0])
        for stack, expected in ((LEGAL, 0), (ILLEGAL, 1)):
            self.write_stack(stack)
            shutil.move(self.folder / ".ordercheck.toml", self.folder / "mine/.ordercheck.toml")
            self.git("-C", "mine", "add", ".")
            done = self.step(f"cd mine && {PRE_COMMIT / 'bin/pre-commit'} run")
            self.assertEqual(done.returncode, expected, done.stdout + done.stderr)
            self.assertEqual("ORD-004" in done.stdout, expected == 1, done.stdout)
            self.assertNotIn("Skipped", done.stdout)
        # Another file does not run it, nor a project file below the top: there, the check at the top finds none.
        (self.folder / "mine/train").mkdir()
        shutil.move(self.folder / "mine/.ordercheck.toml", self.folder / "mine/train/.ordercheck.toml")
        self.git("-C", "mine", "add", ".")
        self.git("-C", "mine", "commit", "-q", "-m", "stack", "--no-verify")
        (self.folder / "mine/pyproject.toml").write_text('[project]\nname = "a"\n')
        self.git("-C", "mine", "add", ".")
        done = self.step(f"cd mine && {PRE_COMMIT / 'bin/pre-commit'} run")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("Skipped", done.stdout)

        # With stacks in pyproject.toml, as the guide says.
        text = '[[tool.ordercheck.stack]]\nname = "a"\nstack = "fsdp=2,tp=2"\nfor = "pytorch-2.11"\n'
        (self.folder / "mine/pyproject.toml").write_text(text)
        (key,) = re.findall(r"^`(files: .*?)` below the `id`", GUIDE, re.MULTILINE)
        (self.folder / "mine/.pre-commit-config.yaml").write_text(f"{found[0]}        {key}\n")
        self.git("-C", "mine", "add", ".")
        done = self.step(f"cd mine && {PRE_COMMIT / 'bin/pre-commit'} run")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("pyproject.toml:3: error ORD-004", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
