"""Toys: of each kind that CONTRIBUTING.md has a recipe for, the smallest addition that works, made as the existing ones are."""

from __future__ import annotations

import re

from clone import Clone

TRANSFORM_TABLE = "src/stack/transforms.cpp"
GLOSSARY = "glossary"
NATIVE_TRANSFORMS = "src/ranks/transform"
NATIVE_TRANSFORM_TESTS = "tests/unit/ranks/transform"
DRIVERS = "src/drivers"
PYTORCH_PROGRAM = "src/drivers/pytorch/ordercheck_pytorch/program"
PYTORCH_CATALOGUE = f"{PYTORCH_PROGRAM}/catalogue.py"
COUNTERS = "src/parity"
RECORD_SCHEMA = "src/protocol/schema/record.json"
ENGINES = "matrix/engines"
CONFORMANCE = "tests/engines/conformance_test.cpp"
REPORTS = "src/report/ci"
REPORT_TABLE = "src/cli/matrix/reports.cpp"


def add_rule(clone: Clone) -> None:
    made = clone.run("scripts/new-rule", "order", "sac-before-quantize")
    page = re.match(r"(\S+):", made)
    assert page is not None, made
    text = clone.text(page[1])
    for field, value in (
        ("first", "sac"),
        ("then", "quantize"),
        ("bad", "sac,quantize"),
        ("good", "quantize,sac"),
    ):
        text = re.sub(rf"^{field} = .*", f'{field} = "{value}"', text, flags=re.M)
    text = re.sub(r"^when = .*\n", "", text, flags=re.M)
    basis = re.search(r'^basis = "(\w+)"', text, re.M)
    assert basis is not None, text
    why = (
        f"## Why\n\nA toy asks for this order.\n\nThe order is {basis[1]}: nobody but the toy asks for it, and it says so "
        "at the length that a page's reason takes.\n\n"
    )
    text = re.sub(r"^## Why$.*?(?=^## )", why, text, flags=re.M | re.S)
    clone.write(page[1], re.sub(r"^\[\[expect\]\]\n.*?(?=^\[\[|^\+\+\+)", "", text, flags=re.M | re.S))


def add_transform(clone: Clone) -> None:
    """In both engines: `toy` checkpoints every block."""
    clone.edit(
        TRANSFORM_TABLE,
        '      {.name = "sac",\n',
        '      {.name = "toy",\n       .title = "toy checkpointing",\n       .nested = "Toy",\n       .kind = layout,\n'
        "       .value = ValueForm::none,\n       .scope = Scope::block,\n       .axes = {},\n       .owes = {recompute},\n"
        '       .modes = {},\n       .options = {}},\n      {.name = "sac",\n',
    )
    clone.edit(
        f"{GLOSSARY}/transforms.toml",
        '[[term]]\nname = "sac"\n',
        '[[term]]\nname = "toy"\nmeaning = "Checkpoints every block."\nsee = ["ac"]\n\n[[term]]\nname = "sac"\n',
    )
    add_native_transform(clone)
    add_pytorch_transform(clone)


def add_native_transform(clone: Clone) -> None:
    namespace = "namespace ordercheck::ranks {{\n\n{}\n}}  // namespace ordercheck::ranks\n"
    clone.write(
        f"{NATIVE_TRANSFORMS}/toy.h",
        "// `toy`: checkpoints every block.\n#pragma once\n\n"
        + '#include "ranks/transform/transform.h"\n\n'
        + namespace.format("Transform toy_transform();\n"),
    )
    clone.write(
        f"{NATIVE_TRANSFORMS}/toy.cpp",
        '#include "ranks/transform/toy.h"\n\n#include "ranks/mechanism/checkpoint_wrapper.h"\n\n'
        + namespace.format(
            "namespace {\n\nvoid apply_toy(TrainingProgram& program, const Item&, const Site&) "
            "{ for (const ModulePtr& model : program.parts) checkpoint_blocks(model, 1, {}); }\n\n}  // namespace\n\n"
            "Transform toy_transform() {\n"
            '  return {.built = {.name = "toy", .scopes = {"block"}, .options = {}}, .apply = apply_toy};\n}\n'
        ),
    )
    catalog = f"{NATIVE_TRANSFORMS}/catalog.cpp"
    include = '#include "ranks/transform/tp.h"\n'
    row = "tp_transform(),"
    clone.edit(catalog, include, '#include "ranks/transform/toy.h"\n' + include)
    clone.edit(catalog, row, "toy_transform(), " + row)
    clone.write(
        f"{NATIVE_TRANSFORM_TESTS}/toy_test.cpp",
        '#include "ranks/transform/toy.h"\n\n#include <gtest/gtest.h>\n\n#include "ranks/on_case.h"\n\n'
        "namespace ordercheck::ranks {\nnamespace {\n\n"
        "TEST(Toy, AloneIsBitwiseEqualToTheSingleRankReference) {\n"
        '  EXPECT_FALSE(first_difference(reference(case_of("toy")), known("toy")));\n}\n\n'
        "}  // namespace\n}  // namespace ordercheck::ranks\n",
    )


def add_pytorch_transform(clone: Clone) -> None:
    clone.write(
        f"{PYTORCH_PROGRAM}/transforms/toy.py",
        '"""Checkpoints every block."""\n\nfrom __future__ import annotations\n\n'
        "from ...torch_compat import checkpoint_wrapper\n"
        "from ..case import Item\nfrom .program import Program, Site, layers_of\nfrom .transform import Transform\n\n\n"
        "def apply_toy(program: Program, item: Item, site: Site) -> None:\n"
        "    layers = layers_of(program.model)\n"
        "    for name, block in list(layers.items()):\n"
        "        layers.register_module(name, checkpoint_wrapper(block))\n\n\n"
        'TOY = Transform(apply_toy, scopes=("block",))\n',
    )
    include = "from .transforms.tp import"
    row = '    "amp": AMP,\n'
    clone.edit(PYTORCH_CATALOGUE, include, "from .transforms.toy import TOY\n" + include)
    clone.edit(PYTORCH_CATALOGUE, row, row + '    "toy": TOY,\n')


def add_option(clone: Clone) -> None:
    """ac:no_check, which the pytorch engine builds; what the native engine does not list, it does not build."""
    options = '{kEvery, {.name = "reentrant"}, kPreserveRandomState}'
    clone.edit(TRANSFORM_TABLE, options, options[:-1] + ', {.name = "no_check"}}')
    clone.append(
        f"{GLOSSARY}/options.toml",
        '\n[[term]]\nname = "no_check"\nmeaning = "Of ac: what is recomputed is not compared with forward."\nsee = ["ac"]\n',
    )
    arguments = "block, checkpoint_impl=implementation, preserve_rng_state=preserves"
    check = '"none" if "no_check" in item.options else "default"'
    clone.edit(f"{PYTORCH_PROGRAM}/transforms/ac.py", arguments, f"{arguments}, determinism_check={check}")
    built = '("n", "reentrant", "preserve_rng_state")'
    clone.edit(f"{PYTORCH_PROGRAM}/transforms/ac.py", built, built[:-1] + ', "no_check")')


def add_counter(clone: Clone) -> None:
    """`toys`, which no engine measures."""
    clone.edit(
        f"{COUNTERS}/record.h",
        "  std::int64_t p2p_messages = 0;\n",
        "  std::int64_t p2p_messages = 0;\n  std::int64_t toys = 0;  // of the toy\n",
    )
    clone.edit(
        f"{COUNTERS}/counters.h",
        'CounterName{"p2p_messages", &Counters::p2p_messages}}',
        'CounterName{"p2p_messages", &Counters::p2p_messages},\n'
        '                                      CounterName{"toys", &Counters::toys}}',
    )
    schema = re.sub(r'("p2p_messages": (\{[^}]*\}))', r'\1,\n        "toys": \2', clone.text(RECORD_SCHEMA))
    clone.write(RECORD_SCHEMA, schema.replace('"p2p_messages"]', '"p2p_messages", "toys"]'))
    clone.append(
        f"{GLOSSARY}/counters.toml",
        '\n[[term]]\nname = "toys"\nmeaning = "What the toy did."\nsee = ["p2p_messages"]\n',
    )


def add_engine(clone: Clone, preset: str) -> None:
    """Its worker is a program of the tests, which answers as a sound engine and knows no fault to commit."""
    clone.write(
        f"{ENGINES}/toy_engine.toml",
        f'command = ["{clone.folder}/build/{preset}/bin/honest_worker"]\nenvironment = ["HONEST_WORKER_ENGINE=toy_engine"]\n',
    )
    row = '          {"native", native, missing, std::chrono::seconds(8)},\n'
    spec = '[] { return engine_spec(built_in("toy_engine")); }'
    toy = f'          {{"toy_engine", {spec}, "it has no faults", std::chrono::seconds(8)}},\n'
    clone.edit(CONFORMANCE, row, row + toy)


def add_project(clone: Clone) -> None:
    clone.write(
        f"{DRIVERS}/toy_project/ordercheck_toy_project.py",
        '"""A toy of a published project."""\n\nfrom __future__ import annotations\n\n'
        "import torch\nfrom ordercheck_pytorch.api import (\n    Item,\n    Llama,\n    Program,\n    Project,\n    Site,\n"
        "    Transform,\n    apply_default_optimizer,\n    summed_cross_entropy,\n)\n"
        "from torch.distributed.fsdp import fully_shard\n\n\n"
        "def apply_fsdp(program: Program, item: Item, site: Site) -> None:\n"
        '    fully_shard(program.model, mesh=site.axis("dp_shard"))\n'
        '    program.gradient_factor *= site.degrees["dp_shard"]\n\n\n'
        "PROJECT = Project(\n"
        '    requirements=("toy_project==1.0",),\n'
        '    models={"llama": lambda case: Llama().to(torch.get_default_dtype())},\n'
        '    transforms={"fsdp": Transform(apply_fsdp, scopes=("block",))},\n'
        "    loss=summed_cross_entropy,\n    optimizer=apply_default_optimizer,\n)\n",
    )
    clone.write(
        f"{ENGINES}/toy_project.toml",
        'interpreter = "python with torch"\nproject = "toy_project"\nenvironment = ["OMP_NUM_THREADS=1"]\n'
        "timeout = 300\nslow_start = 60\nthreads = 4\n",
    )


def add_report_format(clone: Clone) -> None:
    """`toy`: a line a build of an engine."""
    header = f"{REPORTS.removeprefix('src/')}/toy.h"
    namespace = "namespace ordercheck {{\n\n{}\n}}  // namespace ordercheck\n"
    clone.write(
        f"{REPORTS}/toy.h",
        "// A line a build of an engine: its name, and how many cases.\n#pragma once\n\n"
        '#include <string>\n#include <vector>\n\n#include "report/ci/matrix_report.h"\n\n'
        + namespace.format("std::string render_toy(const std::vector<ReportedBuild>& builds);\n"),
    )
    clone.write(
        f"{REPORTS}/toy.cpp",
        f'#include "{header}"\n\n#include <fmt/format.h>\n\n#include "base/displayable.h"\n\n'
        + namespace.format(
            "std::string render_toy(const std::vector<ReportedBuild>& builds) {\n  std::string text;\n"
            "  for (const ReportedBuild& build : builds) "
            'text += fmt::format("{} {}\\n", displayable(name_of(build)), build.cases.size());\n'
            "  return text;\n}\n"
        ),
    )
    include = '#include "report/ci/sarif.h"\n'
    table = "constexpr TextReport kTextReports[] = {"
    adapter = (
        "std::string toy_text(const std::vector<ReportedBuild>& builds, const std::vector<Rule>&) "
        "{ return render_toy(builds); }\n\n"
    )
    clone.edit(REPORT_TABLE, include, include + f'#include "{header}"\n')
    clone.edit(REPORT_TABLE, table, adapter + table + '\n    {"toy", toy_text}, ')
