#include "import/recording/recorded_stack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stack/notation.h"
#include "unit/import/recording/recording_json.h"

namespace ordercheck {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Imported imported(const std::string& json) {
  const auto recording = parse_recording(json, "job.json");
  EXPECT_TRUE(recording) << (recording ? "" : recording.error().message);
  return recording ? recorded_stack(*recording) : Imported{};
}

std::string stack_of(const std::vector<TestCall>& calls, const std::string& more = "") {
  return print(imported(recording_json(calls, more)).stack);
}

std::vector<std::string> notes_of(const Imported& one) {
  std::vector<std::string> notes;
  for (const NotUnderstood& note : one.not_understood)
    notes.push_back(fmt::format("{} {} {}: {}", name_of(note.kind), in_words(note.where), note.text, note.why));
  return notes;
}

std::vector<std::string> families_of(const Imported& one) {
  std::vector<std::string> rows;
  for (const FamilyOrder& row : one.families)
    rows.push_back(fmt::format("{} {} {}: {}", row.family, row.modules, row.count, row.order));
  return rows;
}

const std::vector<std::string> kAll{"layers.0", "layers.1", "layers.2", "layers.3", ""};

TEST(RecordedStack, IsTheOrderOfTheCalls) {
  EXPECT_EQ(stack_of({{ac_site(), kBlocks}, {compile_site(), kBlocks}, {fsdp_site(), kAll}}), "ac,compile,fsdp=2");
  EXPECT_EQ(stack_of({{fsdp_site(), kAll}, {ac_site(), kBlocks}}), "fsdp=2,ac");
}

TEST(RecordedStack, HasThePlacesAndTheRelease) {
  const Imported one = imported(recording_json({{ac_site(), kBlocks}, {fsdp_site(), kAll}}));
  EXPECT_EQ(in_words(one.stack.items.back().origin), "train.py:2");
  EXPECT_EQ(one.fallback, "pytorch-2.15.0");
  EXPECT_EQ(one.ranks, 4);
  EXPECT_THAT(notes_of(one), IsEmpty());
}

TEST(RecordedStack, HasThePlaceInThePackageThatMakesTheCall) {
  const std::string in_package = R"(, "framework": {"file": "titan/ac.py", "line": 7})";
  const Imported one = imported(recording_json({{ac_site() + in_package, kBlocks}, {fsdp_site(), kAll}}));
  EXPECT_THAT(one.package_places, ElementsAre("titan/ac.py:7", ""));
}

TEST(RecordedStack, TakesTheLastOfTwoWrappersOfOneModule) {
  const std::string wrapper = R"("call": "torch.compile", "options": {"backend": "inductor"})";
  EXPECT_EQ(stack_of({{wrapper, {""}}, {ac_site(), kBlocks}, {wrapper, {""}}}), "ac,compile:wrap@model");
  EXPECT_EQ(stack_of({{wrapper, {""}}, {ac_site(), kBlocks}}), "compile:wrap@model,ac");
}

TEST(RecordedStack, ReadsMeshesAndOptions) {
  EXPECT_EQ(stack_of({{R"("call": "fully_shard", "mesh": 2, "options": {"reshard_after_forward": false})", kAll}}),
            "hsdp=2x2:reshard=never");
  EXPECT_EQ(
      stack_of(
          {{R"("call": "fully_shard", "mesh": 0, "options": {"mp_policy": {"param_dtype": "bfloat16", "reduce_dtype": "float32"}})",
            kAll}}),
      "fsdp=2:mp=bf16");
  EXPECT_EQ(stack_of({{R"("call": "checkpoint_wrapper", "options": {"context_fn": "policy", "preserve_rng_state": false})",
                       kBlocks}}),
            "sac:preserve_rng_state=off");
  EXPECT_EQ(stack_of({{R"("call": "torch.compile", "options": {"backend": "aot_eager", "fullgraph": true})", {""}}},
                     R"(, "compile": {"graphs": 1, "calls": 9, "breaks": []})"),
            "compile=aot_eager:wrap:fullgraph@model");
}

TEST(RecordedStack, ReadsAPlan) {
  const std::string of_blocks = R"("w1": "ColwiseParallel", "w2": "RowwiseParallel")";
  EXPECT_EQ(stack_of({{tp_site(of_blocks), kBlocks}}), "tp=2:plan=blocks:rest=plain");
  EXPECT_EQ(
      stack_of({{tp_site(R"("emb": "RowwiseParallel", "norm": "SequenceParallel")"), {""}}, {tp_site(of_blocks), kBlocks}}),
      "tp=2");
  EXPECT_EQ(stack_of({{tp_site(R"("emb": "RowwiseParallel", "layers.*.w1": "ColwiseParallel")"), {""}}, {ac_site(), kBlocks}}),
            "tp=2:sp=off,ac");
  EXPECT_EQ(stack_of({{tp_site(R"("experts": "ExpertParallel")"), kBlocks}}), "ep=2");
}

TEST(RecordedStack, HasAPlanThatReachedNothing) {
  const Imported one = imported(recording_json(
      {{ac_site(), kBlocks},
       {R"("call": "parallelize_module", "mesh": 1, "options": {"plan": {"w1": "ColwiseParallel"}, "missed": ["w1"]})",
        kBlocks}}));
  EXPECT_EQ(print(one.stack), "ac,tp=2:plan=blocks:rest=plain");
  EXPECT_THAT(notes_of(one),
              ElementsAre("ineffective train.py:2 parallelize_module: none of the entries of its plan matched a module"));
}

TEST(RecordedStack, PutsACheckpointWhereItIsInTheModule) {
  const auto checkpoint = [](const std::string& function) {
    return fmt::format(R"("call": "checkpoint", "options": {{"function": "{}"}})", function);
  };
  EXPECT_EQ(stack_of({{fsdp_site(), kAll}, {optimizer_site(), {}}, {checkpoint("__call__"), kBlocks}}), "fsdp=2,ac");
  EXPECT_EQ(stack_of({{fsdp_site(), kAll}, {optimizer_site(), {}}, {checkpoint("forward"), kBlocks}}), "ac,fsdp=2");
}

TEST(RecordedStack, KeepsAnOptimizerThatLostItsParameters) {
  const std::vector<TestCall> calls{{optimizer_site(), {}}, {fsdp_site(), kAll}};
  const auto optimizer = [](int lost, const std::string& not_held = "") {
    return fmt::format(
        R"(, "optimizers": [{{"event": 0, "parameters": 4, "not_in_model": {}, "stepped": true, "not_held": {{{}}}}}])", lost,
        not_held);
  };
  const std::string weights = R"("layers.*.w1.weight": 4)";
  EXPECT_EQ(stack_of(calls, optimizer(4, weights)), "optimizer=adamw,fsdp=2");
  EXPECT_EQ(stack_of(calls, optimizer(1)), "fsdp=2");  // a temperature of its own
  EXPECT_EQ(stack_of(calls, optimizer(0)), "fsdp=2");
  EXPECT_THAT(
      notes_of(imported(recording_json(calls, optimizer(4, weights)))),
      ElementsAre("ineffective train.py:1 optimizer: 4 of its 4 parameters are in no model: it was made before their module "
                  "was transformed, and updates nothing",
                  "remark  optimizer: holds no 4 trained parameters: layers.*.w1.weight (4)"));
}

TEST(RecordedStack, NamesBlocksThatAreLeftOut) {
  const Imported one = imported(recording_json({{ac_site(), {"layers.0", "layers.1", "layers.2"}}, {fsdp_site(), kAll}}));
  EXPECT_THAT(notes_of(one), ElementsAre("open train.py:1 checkpoint_wrapper: ac reaches 3 of 4 layers.*"));
  EXPECT_THAT(families_of(one), ElementsAre("blocks layers.* 3: ac, fsdp", "blocks layers.* 1: fsdp", "model  1: fsdp"));
  EXPECT_EQ(stack_of({{ac_site(), {"layers.1", "layers.3"}}}), "ac=selective");
}

TEST(RecordedStack, NamesAnOrderThatDiffersBetweenModules) {
  const Imported one = imported(
      recording_json({{fsdp_site(), {"layers.0"}}, {compile_site(), {"layers.0", "layers.1"}}, {fsdp_site(), {"layers.1"}}},
                     R"(, "compile": {"graphs": 1, "calls": 9, "breaks": []})"));
  EXPECT_THAT(notes_of(one), testing::Contains(testing::HasSubstr("fsdp first on layers.0, compile first on layers.1")));
}

TEST(RecordedStack, PutsAPipelineAfterWhatReachedTheWholeModel) {
  const TestCall stage{R"("call": "pipeline stage", "mesh": 0)", {""}};
  EXPECT_EQ(stack_of({{fsdp_site(), kAll}, stage}), "pp=2,fsdp=2");
  std::string json = recording_json({{tp_site(R"("emb": "RowwiseParallel")"), {""}}, stage});
  const std::string reached = R"("site": 0, "model": 0)";
  json.replace(json.find(reached), reached.size(), R"("site": 0, "model": null)");  // a copy was cut
  EXPECT_EQ(print(imported(json).stack), "tp=2:sp=off,pp=2");
}

TEST(RecordedStack, SaysWhatHadNoEffect) {
  EXPECT_THAT(notes_of(imported(
                  recording_json({{compile_site(), kBlocks}}, R"(, "compile": {"graphs": 0, "calls": 0, "breaks": []})"))),
              ElementsAre("ineffective train.py:1 Module.compile: the first step captured no graph"));
  std::string json = recording_json({{ac_site(), kBlocks}});
  json.replace(json.find(R"("recomputed": 4)"), 15, R"("recomputed": 0)");
  EXPECT_THAT(notes_of(imported(json)),
              ElementsAre("ineffective train.py:1 checkpoint_wrapper: backward recomputed 0 of 4 checkpointed modules"));
}

TEST(RecordedStack, NamesWrappersThatAreNotInTheModel) {
  const std::string graphs = R"(, "compile": {"graphs": 1, "calls": 9, "breaks": []})";
  const auto with_count = [](std::string json, const std::string& name) {
    const std::string all = fmt::format(R"("{}": 4)", name);
    return json.replace(json.find(all), all.size(), fmt::format(R"("{}": 1)", name));
  };
  EXPECT_THAT(notes_of(imported(with_count(recording_json({{compile_site(), kBlocks}}, graphs), "compiled"))),
              ElementsAre("ineffective train.py:1 Module.compile: 1 of 4 layers.* of the trained model are compiled"));
  EXPECT_THAT(notes_of(imported(with_count(recording_json({{ac_site(), kBlocks}}), "wrapped"))),
              ElementsAre("ineffective train.py:1 checkpoint_wrapper: 1 of 4 layers.* of the trained model are checkpointed"));
}

TEST(RecordedStack, NamesEveryTransformThatLeavesBlocksOut) {
  const Imported one = imported(recording_json({{fsdp_site(), {"layers.0", "layers.1", "layers.2", ""}}}));
  EXPECT_THAT(notes_of(one), ElementsAre("open train.py:1 fully_shard: fsdp reaches 3 of 4 layers.*"));
}

TEST(RecordedStack, LeavesAJobThatEndedEarlyOpen) {
  std::string json = recording_json({{ac_site(), kBlocks}}, R"(, "raised": {"type": "RuntimeError"})");
  const std::string stepped = R"("stepped": true)";
  json.replace(json.find(stepped), stepped.size(), R"("stepped": false)");
  EXPECT_THAT(notes_of(imported(json)),
              ElementsAre("open  the job: ended with RuntimeError",
                          "open  the job: no optimizer stepped while it was recorded, so that effects are unknown"));
}

TEST(RecordedStack, ReadsSchedulesOfAnyName) {
  EXPECT_EQ(stack_of({{R"("call": "pipeline stage", "mesh": 0)", {""}},
                      {R"("call": "pipeline schedule", "options": {"class": "MyPP", "n_microbatches": 4})", {}}}),
            "pp=2:microbatches=4");
}

TEST(RecordedStack, LeavesFsdp1AndErrorsOpen) {
  const Imported one = imported(recording_json({{R"("call": "FullyShardedDataParallel", "mesh": 0)", {""}}}));
  EXPECT_EQ(print(one.stack), "");
  EXPECT_THAT(notes_of(one),
              ElementsAre("open train.py:1 FullyShardedDataParallel: no transform for it; rules and runs are about FSDP2"));
}

}  // namespace
}  // namespace ordercheck
