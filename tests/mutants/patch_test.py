"""The patch of mutants applies to the sources, and native.toml, native.patch and native.tsv name the same mutants."""

import re
import subprocess
import unittest

import mutants

ROOT = mutants.FOLDER.parents[1]
PATCH = mutants.FOLDER / "native.patch"
RENEW = "its first lines say how to make it anew"


class Patch(unittest.TestCase):
    def test_it_applies(self) -> None:
        check = subprocess.run(
            ["git", "apply", "--check", str(PATCH)], cwd=ROOT, capture_output=True, text=True
        )
        self.assertEqual(
            check.returncode, 0, f"{PATCH.name} does not apply to src/native; {RENEW}:\n{check.stderr}"
        )

    def test_it_has_the_mutants_of_the_table(self) -> None:
        added = [line for line in PATCH.read_text().splitlines() if line.startswith("+")]
        in_patch = set(re.findall(r'mutant_is\("(\w+)"\)', "\n".join(added)))
        self.assertEqual(in_patch, {row.mutant for row in mutants.expected_rows()})

    def test_the_sources_have_none(self) -> None:
        for path in (ROOT / "src/native").rglob("*.[ch]*"):
            self.assertNotIn("mutant", path.read_text(), path)


class Table(unittest.TestCase):
    def test_each_row_was_detected(self) -> None:
        seen = {(row["mutant"], row["case"]): row for row in mutants.seen_rows()}
        expected = {(row.mutant, row.case): row for row in mutants.expected_rows()}
        self.assertEqual(seen.keys(), expected.keys(), "run scripts/mutants NAME --write")
        for key, row in expected.items():
            self.assertTrue(mutants.is_detected(row, seen[key]["verdict"], seen[key]["first"]), seen[key])
            self.assertIn(seen[key]["twin"], mutants.PASSES, seen[key])


if __name__ == "__main__":
    unittest.main()
