"""Files that are no code, or too much of it, or that lead back to themselves: a line for each, and the rest is read."""

import os
import tempfile
import unittest
from pathlib import Path

from scanned import answer, read, stacks, written

GOOD = "from torch.distributed.fsdp import fully_shard\ndef f(model):\n    model.compile()\n    fully_shard(model)\n"


class Hostile(unittest.TestCase):
    def test_a_file_that_does_not_parse_is_named_and_the_others_are_read(self) -> None:
        found = read({"bad.py": "x = 1\ndef f(:\n", "good.py": GOOD})
        self.assertEqual([(bad["file"], bad["line"]) for bad in found["bad"]], [("bad.py", 2)])
        self.assertTrue(found["bad"][0]["text"].startswith("is not Python that this interpreter reads: "))
        self.assertEqual(len(found["functions"]), 1)

    def test_bytes_that_are_no_text(self) -> None:
        found = read(
            {
                "a.py": b"x = '\xff\xfe'\n",
                "b.py": b"x = 1\x00\n",
                "c.py": GOOD,
                "d.py": b"# -*- coding: latin-1 -*-\nx = '\xff'\n",
            }
        )
        self.assertEqual([bad["file"] for bad in found["bad"]], ["a.py", "b.py"])
        self.assertEqual(found["files"], 2)

    def test_deep_nesting(self) -> None:
        deep = {
            "brackets.py": "x = " + "(" * 3000 + ")" * 3000 + "\n",
            "sums.py": "x = " + "+".join(["1"] * 5000) + "\n",
            "ifs.py": "\n".join(" " * n + "if x:" for n in range(90)) + "\n" + " " * 90 + "pass\n",
            "calls.py": "x = " + "f(" * 150 + ")" * 150 + "\n",
            "good.py": GOOD,
        }
        found = read(deep)
        self.assertEqual(found["files"] + len(found["bad"]), 5)
        self.assertEqual([function["function"] for function in found["functions"]], ["f"])

    def test_a_long_file(self) -> None:
        long = GOOD + "".join(
            f"def g{n}(model):\n    return f(model) if model else g{n - 1}(model)\n" for n in range(5000)
        )
        found = read(long)
        self.assertEqual(found["files"], 1)
        self.assertEqual(found["bad"], [])

    def test_a_function_of_many_branches_is_bounded(self) -> None:
        lines = ["from torch.nn.parallel import DistributedDataParallel as DDP", GOOD, "def many(model, a):"]
        for n in range(12):
            lines += [
                f"    if a[{n}]:",
                "        fully_shard(model)",
                "    else:",
                "        DDP(model)",
                "    model.compile()",
            ]
        found = read("\n".join(lines) + "\n")
        many = next(function for function in found["functions"] if function["function"] == "many")
        self.assertEqual(len(many["stacks"]), 32)
        self.assertIn(
            "it has more alternatives, or applies more, than is listed",
            [note["why"] for note in many["not_understood"]],
        )

    def test_helpers_that_double_are_bounded(self) -> None:
        code = GOOD + "def h0(model):\n    f(model)\n"
        for n in range(1, 40):
            code += f"def h{n}(model):\n    h{n - 1}(model)\n    h{n - 1}(model)\n"
        found = read(code)
        self.assertEqual(found["files"], 1)

    def test_a_huge_file_is_not_read(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            written({"good.py": GOOD}, Path(folder))
            with open(Path(folder) / "huge.py", "wb") as huge:
                huge.truncate(8 << 30)
            found = answer(Path(folder))
        self.assertEqual(found["files"], 1)
        self.assertEqual(found["bad"][0]["text"], f"has {8 << 30} bytes; files of up to 2097152 are read")

    def test_links_that_lead_in_a_circle_and_what_is_no_file(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            written({"a/good.py": GOOD}, Path(folder))
            os.symlink(folder, Path(folder) / "a" / "up")
            os.symlink("nowhere.py", Path(folder) / "gone.py")
            os.mkfifo(Path(folder) / "pipe.py")
            os.mkdir(Path(folder) / "folder.py")
            found = answer(Path(folder))
        self.assertEqual((found["files"], found["bad"]), (1, []))

    def test_nothing_of_it_is_run(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            mark = Path(folder) / "ran"
            code = f"import sys\nopen({str(mark)!r}, 'w')\nsys.exit(1)\n"
            written({"json.py": code, "torch.py": code, "__init__.py": code, "a.py": GOOD}, Path(folder))
            before = os.getcwd()
            os.chdir(folder)
            try:
                found = answer(Path(folder))
            finally:
                os.chdir(before)
            self.assertFalse(mark.exists())
            self.assertEqual(found["files"], 4)

    def test_names_of_files_are_any_bytes(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(os.fsencode(folder), b"a\xff\n.py")
            with open(name, "w") as file:
                file.write(GOOD)
            self.assertEqual(answer(Path(folder))["files"], 1)

    def test_an_empty_folder_and_an_empty_file(self) -> None:
        self.assertEqual(read({"a.txt": ""})["files"], 0)
        self.assertEqual(stacks(""), [])

    def test_odd_code_is_walked(self) -> None:
        code = """
async def a(model):
    async with x as y, z: await model.compile()
    async for i in x: pass
    while True: break
    else: pass
    del x
    global q
    x: int = 3
    (a, *b), c = d
    x[0], y.z = 1, 2
    lambda *a, **k: (yield)
    f"{model.compile()!r:>{width}}"
    return {**a, 'b': 1}, [*c], {1, 2}, a[1:2, ...], not a, -a, a < b < c, (n := 3)
class C(B, metaclass=M):
    @property
    def p(self): return super().p
    x = 1
try: pass
except* E: pass
finally: pass
"""
        self.assertEqual(stacks(code.replace("except* E: pass", "except E: pass")), ["a: compile@model"])


if __name__ == "__main__":
    unittest.main()
