// A model that is placed by plan: it trains as on one rank, whatever the machine that the plan was made for, and all ranks come to one plan.
#include <algorithm>

#include <gmock/gmock.h>

#include "native/arith/exactness.h"
#include "native/arith/install.h"
#include "native/module/llama.h"
#include "native/train/assemble_record.h"
#include "native/train/rank_program.h"
#include "native/transform/captured_body.h"
#include "native/transform/placed_model.h"
#include "ranks/on_case.h"
#include "stack/model_sizes.h"

namespace ordercheck::ranks {
namespace {

using testing::HasSubstr;

class AutoParallel : public testing::TestWithParam<const char*> {};

TEST_P(AutoParallel, TrainsAsOneRank) {
  const Case subject = case_of(GetParam());
  const Record& placed = known(subject);
  ASSERT_EQ(placed.ending, Ending::completed) << (placed.failure ? placed.failure->message : "");
  const auto difference = first_difference(reference(subject), placed);
  EXPECT_FALSE(difference) << in_words(*difference);
}

INSTANTIATE_TEST_SUITE_P(DataAndTensorParallel, AutoParallel,
                         testing::Values("auto_parallel=2", "auto_parallel=4", "auto_parallel=1:tp=2", "auto_parallel=1:tp=4",
                                         "auto_parallel=2:tp=2", "auto_parallel=2:replicas=2",
                                         "auto_parallel=2:memory=replicated", "auto_parallel=1:tp=2:memory=replicated",
                                         "auto_parallel=2:tp=2:reshard=never", "auto_parallel=1"));

INSTANTIATE_TEST_SUITE_P(OnThreeAxes, AutoParallel, testing::Values("auto_parallel=2:tp=2:replicas=2"));

INSTANTIATE_TEST_SUITE_P(WithOthers, AutoParallel,
                         testing::Values("ac,auto_parallel=2", "sac,auto_parallel=2:tp=2", "auto_parallel=2:tp=2,compile@model",
                                         "auto_parallel=2,optimizer=adamw", "auto_parallel=2 model=llama_tied",
                                         "auto_parallel=2:tp=2 accumulation=1"));

// The last rank's columns of the logits are fewer than the others', and so are its rows of the embedding.
INSTANTIATE_TEST_SUITE_P(OfUnevenVocabularies, AutoParallel,
                         testing::Values("auto_parallel=1:tp=7", "auto_parallel=1:tp=7:memory=replicated",
                                         "auto_parallel=1:tp=7 accumulation=1", "auto_parallel=1:tp=5"));

// A24: microbatches of a step that are not of one size run by the plan of the first.
INSTANTIATE_TEST_SUITE_P(A24OfSeveralSizes, AutoParallel,
                         testing::Values("auto_parallel=1:tp=2 accumulation=3", "ac,auto_parallel=1:tp=2 accumulation=3",
                                         "auto_parallel=1:tp=2:memory=replicated accumulation=5"));

std::string message_of(const char* text) {
  const Record& record = known(text);
  EXPECT_EQ(record.ending, Ending::failed) << text;
  return record.failure ? record.failure->message : "";
}

TEST(AutoParallelRefuses, WhatIsNoWholeModelOfOneDevice) {
  EXPECT_THAT(message_of("tp=2,auto_parallel=2"), HasSubstr("a plan places whole parameters"));
  EXPECT_THAT(message_of("cp=2,auto_parallel=2"), HasSubstr("the graph to place holds the collective"));
  EXPECT_THAT(message_of("pp=2,auto_parallel=2"), HasSubstr("auto_parallel traces a whole model"));
  EXPECT_THAT(message_of("auto_parallel=2 model=moe"),
              HasSubstr("a plan is of one graph of the whole model, and tracing it breaks: "));
}

// The seeds of dropout belong to samples, which a trace made while transforms are applied does not have.
TEST(AutoParallelRefuses, ADrawOfSamplesThatNoForwardHasBegun) {
  for (const char* text : {"auto_parallel=2 model=llama_dropout", "auto_parallel=1:tp=2 model=llama_dropout"})
    EXPECT_THAT(message_of(text), HasSubstr("layers.0.attention_dropout draws random numbers for each sample, and no forward "
                                            "has said which samples it has"));
}

// A batch that the ranks do not share as torch.chunk would is not the one that was traced.
TEST(AutoParallelRefuses, OtherSizesThanWereTraced) {
  EXPECT_THAT(message_of("auto_parallel=3"), HasSubstr("expected this rank's piece to be"));
}

std::int64_t gathers_in(const Record& record, Phase phase) {
  std::int64_t count = 0;
  for (const CollectiveCount& each : record.collectives)
    if (each.kind == "all_gather" && each.phase == phase) count += each.count;
  return count;
}

// What was gathered of parameters is gathered again in backward, or handed to it.
TEST(AutoParallelReshard, A19IsATagOfTheGathers) {
  const Record &again = known("auto_parallel=2"), &kept = known("auto_parallel=2:reshard=never");
  EXPECT_EQ(gathers_in(again, Phase::forward), gathers_in(kept, Phase::forward));
  EXPECT_GT(gathers_in(again, Phase::recompute), 0);
  EXPECT_EQ(gathers_in(kept, Phase::recompute), 0);
  EXPECT_LT(again.counters.parameter_bytes_peak, kept.counters.parameter_bytes_peak);
}

// Checkpoints of the model that was handed in are in the trace.
TEST(AutoParallelAfterAc, A20RunsAgainWhatItWasHanded) {
  const Record &plain = known("auto_parallel=2"), &checkpointed = known("ac,auto_parallel=2"),
               &late = known("auto_parallel=2,ac");
  EXPECT_GT(checkpointed.counters.matmul_flops_recomputed, 0);
  EXPECT_LT(checkpointed.counters.saved_bytes_peak, plain.counters.saved_bytes_peak);
  EXPECT_EQ(late.counters.matmul_flops_recomputed, plain.counters.matmul_flops_recomputed);
  EXPECT_EQ(late.counters.saved_bytes_peak, plain.counters.saved_bytes_peak);
}

TEST(AutoParallelAfterSac, A20KeepsWhatThePolicyKept) {
  const Record &selective = known("sac,auto_parallel=2"), &full = known("ac,auto_parallel=2");
  EXPECT_EQ(selective.counters.operators_kept, known("sac").counters.operators_kept);
  EXPECT_LT(selective.counters.matmul_flops_recomputed, full.counters.matmul_flops_recomputed);
}

// Machines from one whose links are nearly free to one whose products are.
placing::Machine machine_of(const std::string& name, const placing::DeviceMesh& mesh) {
  placing::Machine machine = placing::h100(mesh);
  machine.launch_us = 0;
  const double slower = name == "slow_links" ? 1e-4 : name == "slow_products" ? 1e4 : 1;
  for (placing::Link& link : machine.links) link = {.bytes_per_us = link.bytes_per_us * slower, .latency_us = 0.01};
  for (auto& [bytes, peak] : machine.flops_per_us) peak /= name == "slow_products" ? 1e5 : 1;
  if (name == "slow_batch_link") machine.links.front().bytes_per_us /= 1e4;
  return machine;
}

template <int Machine>
void place_for(TrainingProgram& program, const Item&, const Site& site) {
  static const std::vector<std::string> kNames{"slow_links", "slow_products", "slow_batch_link"};
  PlacedModelOptions options{.mesh = site.mesh, .rank = site.rank, .axes = {"dp_shard", "tp"}};
  options.rules.batch_axes = {"dp_shard"};
  if (Machine == 1) options.rules.memory.reset();
  options.machine = [](const placing::DeviceMesh& mesh) { return machine_of(kNames[Machine], mesh); };
  place_by_plan(program.parts.front(), program.sample_batches({"dp_shard"}).front(), options);
  capture_body(*program.parts.front(), {});
}

const std::vector<Transform>& places() {
  static const std::vector<Transform> kAll{{{.name = "slow_links"}, place_for<0>},
                                           {{.name = "slow_products"}, place_for<1>},
                                           {{.name = "slow_batch_link"}, place_for<2>}};
  return kAll;
}

const Transform* with_places(const std::string& name) {
  for (const Transform& transform : places()) {
    if (transform.built.name == name) return &transform;
  }
  return find_transform_of_engine(name);
}

Record run_on(const Case& subject, const std::string& machine) {
  Run run{.subject = subject};
  install_saved_tensor_hooks();
  const Mesh mesh = mesh_of(subject.stack);
  run.subject.stack.items.front().name = machine;
  const RankProgram program{.subject = run.subject, .find_transform = with_places};
  install_exact_kernels();
  set_exact_grid(subject.settings.grid);
  std::vector<RankResult> results(static_cast<std::size_t>(world_size(mesh)));
  const WorldResult world = run_thread_world(
      mesh, {}, [&](RankState& rank) { results[static_cast<std::size_t>(rank.rank)] = run_rank_program(program, rank); });
  Record record{.ending = world.ending, .failure = world.failure, .world_size = world_size(mesh)};
  if (world.ending != Ending::completed) return record;
  std::vector<std::pair<std::string, at::Tensor>> model;
  for (const NamedParameter& named : parameters_of(make_llama(kUsualModel, {})))
    model.emplace_back(named.name, named.parameter->tensor.detach());
  assemble_record(run, mesh, results, model, record);
  return record;
}

// Plans differ with the machine, and numbers do not.
TEST(AutoParallelOn, AnyMachineTrainsAsOneRank) {
  const Case subject = case_of("auto_parallel=2:tp=2");
  std::set<std::string> sent;
  for (const Transform& each : places()) {
    const Record record = run_on(subject, each.built.name);
    ASSERT_EQ(record.ending, Ending::completed) << (record.failure ? record.failure->message : "");
    const auto difference = first_difference(reference(subject), record);
    EXPECT_FALSE(difference) << each.built.name << ": " << in_words(*difference);
    std::string text;
    for (const CollectiveCount& count : record.collectives)
      text += count.kind + " " + count.group + " " + std::to_string(count.bytes) + "\n";
    sent.insert(text);
  }
  EXPECT_EQ(sent.size(), places().size());
}

}  // namespace
}  // namespace ordercheck::ranks
