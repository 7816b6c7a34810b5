"""A call counts by what its name stands for in its file, not by how it is spelled; and each has a twin that must not count."""

import unittest

from scanned import notes, stacks


def one(lines: str) -> list[str]:
    return stacks(lines)


class Names(unittest.TestCase):
    def test_every_way_to_import_counts(self) -> None:
        for code in (
            "from torch.distributed.fsdp import fully_shard\nfully_shard(model)\n",
            "from torch.distributed.fsdp import fully_shard as fs\nfs(model)\n",
            "from torch.distributed._composable.fsdp import fully_shard\nfully_shard(model)\n",
            "import torch.distributed.fsdp\ntorch.distributed.fsdp.fully_shard(model)\n",
            "import torch.distributed.fsdp as sharding\nsharding.fully_shard(model)\n",
            "from torch.distributed import fsdp\nfsdp.fully_shard(model)\n",
            "from torch.distributed.fsdp import *\nfully_shard(model)\n",
            "try:\n    from torch.distributed.fsdp import fully_shard\nexcept:\n    fully_shard = None\nfully_shard(model)\n",
            "def f():\n    from torch.distributed.fsdp import fully_shard\n    fully_shard(model)\n",
            "from torch.distributed.fsdp import fully_shard\nshard = fully_shard\nshard(model)\n",
            "import torch.distributed.fsdp as d\ngetattr(d, 'fully_shard')(model)\n",
            "from functools import partial\nfrom torch.distributed.fsdp import fully_shard\npartial(fully_shard)(model)\n",
            "from torch.distributed.fsdp import fully_shard\nkinds = {'fsdp': fully_shard}\nkinds['fsdp'](model)\n",
            "from torch.distributed.fsdp import fully_shard\nwrap = lambda m: fully_shard(m)\nwrap(model)\n",
        ):
            self.assertEqual([line.partition(": ")[2] for line in one(code)], ["fsdp@model"], code)

    def test_another_function_of_that_name_does_not(self) -> None:
        for code in (
            "from mine import fully_shard\nfully_shard(model)\n",
            "from .torch.distributed.fsdp import fully_shard\nfully_shard(model)\n",
            "fully_shard(model)\n",
            "def fully_shard(m): pass\nfully_shard(model)\n",
            "from torch.distributed.fsdp import fully_shard\ndef fully_shard(m): pass\nfully_shard(model)\n",
            "from torch.distributed.fsdp import fully_shard\ndef f(model, fully_shard):\n    fully_shard(model)\n",
            "from torch.distributed.fsdp import fully_shard\ndef f(model):\n    fully_shard = print\n    fully_shard(model)\n",
            "from torchy.distributed.fsdp import fully_shard\nfully_shard(model)\n",
            "# fully_shard(model)\n'''fully_shard(model)'''\n",
            "from torch.distributed.fsdp import fully_shard\nprint('fully_shard(model)', fully_shard)\n",
        ):
            self.assertEqual(one(code), [], code)

    def test_compile_of_others_does_not(self) -> None:
        for code in (
            "import re\nmodel = re.compile('a')\n",
            "from re import compile\nmodel = compile('a')\n",
            "model = compile('1', 'a', 'eval')\n",
            "import re\nr = re\nr.compile(model)\n",
            "import torch\ntorch.jit.compile(model)\n",
            "pattern = get()\npattern.compile()\n",
            "import torch\nf = torch.compile(loss_fn)\n",
            "import torch\n@torch.compile\ndef f(x): return x\n",
            "import torch\ndef f(x): return x\ng = torch.compile(f)\n",
            "model.compile(optimizer='adam', loss='mse')\n",
        ):
            self.assertEqual(one(code), [], code)
        self.assertEqual(
            notes("model.compile(optimizer='adam', loss='mse')\n"),
            [
                "a.py:1: model.compile(optimizer='adam', loss='mse'): it takes an optimizer, a loss or metrics, "
                "which no torch module's compile does"
            ],
        )
        self.assertEqual(
            one("import torch\nmodel = torch.compile(model)\n"), ["the file: compile:wrap@model"]
        )
        self.assertEqual(
            one("import torch\nmodel = torch.compile(fullgraph=True)(model)\n"),
            ["the file: compile:wrap:fullgraph@model"],
        )

    def test_replicate_and_checkpoint_of_others_do_not(self) -> None:
        self.assertEqual(one("from torch.nn.parallel import replicate\nreplicate(model)\n"), [])
        self.assertEqual(
            one("from torch.distributed._composable import replicate\nreplicate(model)\n"),
            ["the file: replicate"],
        )
        self.assertEqual(one("from torch.distributed.tensor import Replicate\nReplicate(model)\n"), [])
        self.assertEqual(one("import torch.distributed.checkpoint as checkpoint\ncheckpoint(model)\n"), [])
        self.assertEqual(
            one("from torch.utils.checkpoint import checkpoint\ncheckpoint(block, x)\n"), ["the file: ac"]
        )

    def test_a_schedule_of_learning_rates_is_no_optimizer(self) -> None:
        self.assertEqual(one("import torch\no = torch.optim.lr_scheduler.LambdaLR(o, f)\n"), [])
        self.assertEqual(
            one("import torch\no = torch.optim.SGD(p, lr=0.5)\n"), ["the file: optimizer=sgd:lr=0.5"]
        )


class NotFollowed(unittest.TestCase):
    def test_what_is_chosen_at_run_time_is_named(self) -> None:
        code = "def setup(model, kind, registry):\n    registry[kind](model)\n"
        self.assertEqual(notes(code), ["a.py:2: registry[kind](model): what is called is chosen at run time"])

    def test_a_dictionary_of_functions_gives_each_of_its_stacks(self) -> None:
        code = """\
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel as DDP
KINDS = {"fsdp": fully_shard, "ddp": DDP}
def setup(model, kind):
    model.compile()
    KINDS[kind](model)
"""
        self.assertEqual(
            stacks(code),
            [
                "setup, where KINDS[kind] is fully_shard: compile@model,fsdp@model",
                "setup, where KINDS[kind] is DistributedDataParallel: compile@model,ddp",
            ],
        )

    def test_a_transform_that_is_handed_on_is_named(self) -> None:
        code = "from torch.distributed.fsdp import fully_shard\ndef f(model):\n    model.apply(fully_shard)\n"
        self.assertEqual(
            notes(code),
            ["a.py:3: model.apply(fully_shard): fully_shard is handed on: when it is called is not followed"],
        )
        code = (
            "import torch\nfrom torch.distributed.fsdp import fully_shard\nmap(fully_shard, model.layers)\n"
        )
        self.assertEqual(len(notes(code)), 1)
        self.assertEqual(notes("from torch.distributed.fsdp import fully_shard\nmodel.apply(print)\n"), [])

    def test_a_context_of_others_is_named_only_around_transforms(self) -> None:
        code = "from mine import switched_off\ndef f(model):\n    with switched_off():\n        model.compile()\n"
        self.assertEqual(
            notes(code), ["a.py:3: switched_off(): what this context changes of the calls in it is not read"]
        )
        self.assertEqual(notes(code.replace("model.compile()", "model.eval()")), [])

    def test_a_decorator_of_the_files_is_named_only_around_transforms(self) -> None:
        code = "def logged(f):\n    return f\n@logged\ndef setup(model):\n    model.compile()\n"
        self.assertEqual(
            notes(code), ["a.py:3: logged: what a decorator does around the function is not followed"]
        )
        self.assertEqual(notes(code.replace("model.compile()", "model.eval()")), [])

    def test_helpers_of_others_that_only_ask_are_not_named(self) -> None:
        code = "from mine import count_parallel, is_fsdp, build\ncount_parallel(model)\nis_fsdp(model)\nbuild(model)\n"
        self.assertEqual(notes(code), [])

    def test_transforms_in_an_exception_handler_are_named(self) -> None:
        code = "def f(model):\n    try:\n        model.compile()\n    except Exception:\n        model.compile()\n"
        self.assertEqual(stacks(code), ["f: compile@model"])
        self.assertEqual(
            notes(code),
            ["a.py:4: except: model.compile(): transforms in an exception handler are not followed"],
        )


if __name__ == "__main__":
    unittest.main()
