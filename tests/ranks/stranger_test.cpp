// Transforms know nothing of each other: a stranger with another's behaviour and another name gives the same outcome. The
// strangers here rename as checkpointing does, with and without recomputing.
#include "ranks/comm/world.h"
#include "ranks/module/rank.h"
#include "ranks/on_case.h"
#include "ranks/train/assemble_record.h"
#include "ranks/train/rank_program.h"
#include "ranks/transform/recompute.h"
#include "stack/model_sizes.h"
#include "ranks/model/llama.h"

namespace ordercheck::ranks {
namespace {

class Envelope final : public Module {
 public:
  Envelope(ModulePtr inside, bool again) : Module("Envelope"), again_(again) { set_child("_letter", std::move(inside)); }
  bool is_wrapper() const override { return true; }

 protected:
  at::Tensor forward(const Tensors& inputs) override {
    const ModulePtr letter = child("_letter");
    if (!again_) return letter->call(inputs);
    return recompute_in_backward([letter](const Tensors& in) { return letter->call(in); }, inputs, {});
  }

 private:
  bool again_;
};

void put_in_envelopes(Subject& subject, bool again) {
  const ModulePtr layers = subject.model->child("layers");
  const auto blocks = layers->children();
  for (const auto& [name, block] : blocks) {
    auto envelope = std::make_shared<Envelope>(block, again);
    envelope->output_placements = block->output_placements;
    layers->set_child(name, envelope);
  }
}

const Transform kRecomputing{"courier", [](const Item&) { return std::string(); },
                             [](Subject& s, const Item&, const Site&) { put_in_envelopes(s, true); }};
const Transform kRenaming{"clerk", [](const Item&) { return std::string(); },
                          [](Subject& s, const Item&, const Site&) { put_in_envelopes(s, false); }};

const Transform* with_strangers(const std::string& name) {
  if (name == "courier") return &kRecomputing;
  if (name == "clerk") return &kRenaming;
  return find_transform_of_engine(name);
}

// The stack's `ac` items become the stranger; everything else is as run_case does it.
Record run_with_stranger(const std::string& text, const std::string& stranger) {
  Run run{.subject = case_of(text)};
  for (Item& item : run.subject.stack.items) {
    if (item.name == "ac") item.name = stranger;
  }
  install_saved_tensor_hooks();
  const Mesh mesh = mesh_of(run.subject.stack);
  const RankProgram program{.subject = run.subject, .numerics = {}, .find_transform = with_strangers};
  std::vector<Yield> yields(world_size(mesh));
  const WorldResult world = run_thread_world(
      mesh, {}, [&](RankState& rank) { yields[rank.rank] = run_rank_program(program, rank); });
  Record record{.ending = world.ending, .failure = world.failure, .world_size = world_size(mesh)};
  if (world.ending != Ending::completed) return record;
  std::vector<std::pair<std::string, at::Tensor>> model;
  for (const NamedParameter& named : parameters_of(make_llama(kLlama, {.numerics = {}}))) {
    model.emplace_back(named.name, named.parameter->tensor.detach());
  }
  assemble_record(run, mesh, yields, model, record);
  return record;
}

class Stranger : public testing::TestWithParam<std::string> {};

TEST_P(Stranger, RecomputingUnderAnotherNameGivesTheSameNumbersAndCounters) {
  const Record stranger = run_with_stranger(GetParam(), "courier");
  const Record own = run(case_of(GetParam()));
  ASSERT_EQ(stranger.ending, own.ending);
  if (own.ending != Ending::completed) {
    EXPECT_EQ(stranger.failure->message, own.failure->message);
    return;
  }
  const auto difference = first_difference(own, stranger);
  EXPECT_FALSE(difference) << in_words(*difference);
  EXPECT_EQ(stranger.counters, own.counters);
  EXPECT_EQ(stranger.collectives, own.collectives);
  EXPECT_EQ(stranger.notes, own.notes);
}

// Renaming alone has checkpointing's outcome: it is the name that tensor parallelism trips over, not recomputation.
TEST_P(Stranger, RenamingAloneHasTheSameOutcome) {
  const Record stranger = run_with_stranger(GetParam(), "clerk");
  const Record own = run(case_of(GetParam()));
  ASSERT_EQ(stranger.ending, own.ending);
  if (own.ending == Ending::completed) {
    EXPECT_EQ(first_difference(reference(case_of(GetParam())), stranger).has_value(),
              first_difference(reference(case_of(GetParam())), own).has_value());
  }
}

INSTANTIATE_TEST_SUITE_P(InsideAndOutside, Stranger,
                         testing::Values("ac,tp=2", "tp=2,ac", "ac,fsdp=2", "fsdp=2,ac", "tp=2,ac,fsdp=2",
                                         "tp=2,fsdp=2,ac", "ac,tp=2,fsdp=2", "fsdp=2,ac,tp=2"));

}  // namespace
}  // namespace ordercheck::ranks
