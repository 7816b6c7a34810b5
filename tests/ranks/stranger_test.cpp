// Transforms know nothing of each other: a stranger with another's behaviour and another name gives the same outcome.
// Strangers of checkpointing rename as it does, with and without recomputing; those of compilation, selective
// checkpointing and replication have its mechanism and wrappers by other names.
#include "native/arith/exactness.h"
#include "native/arith/install.h"
#include "native/graph/dispatch_mode.h"
#include "native/module/llama.h"
#include "native/module/rank.h"
#include "native/train/assemble_record.h"
#include "native/train/rank_program.h"
#include "native/transform/captured_body.h"
#include "native/transform/gradient_buckets.h"
#include "native/transform/recompute.h"
#include "native/transform/selective_cache.h"
#include "native/transform/sharded_blocks.h"
#include "native/world/world.h"
#include "ranks/on_case.h"
#include "stack/model_sizes.h"
#include "stack/notation.h"

namespace ordercheck::ranks {
namespace {

class Envelope final : public Module {
 public:
  Envelope(ModulePtr inside, RecomputeOptions options, bool again)
      : Module("Envelope"), options_(std::move(options)), again_(again) {
    set_child("_letter", std::move(inside));
  }
  bool is_wrapper() const override { return true; }

 protected:
  at::Tensor forward(const Tensors& inputs) override {
    const ModulePtr letter = child("_letter");
    if (!again_) return letter->call(inputs);
    return recompute_in_backward([letter](const Tensors& in) { return letter->call(in); }, inputs, options_);
  }

 private:
  RecomputeOptions options_;
  bool again_;
};

void put_in_envelopes(TrainingProgram& program, bool again, const RecomputeOptions& options = {}) {
  const ModulePtr layers = layers_of(program.parts.front());
  const auto blocks = layers->children();
  for (const auto& [name, block] : blocks) {
    auto envelope = std::make_shared<Envelope>(block, options, again);
    envelope->output_placements = block->output_placements;
    layers->set_child(name, envelope);
  }
}

const Transform kRecomputing{{.name = "courier"},
                             [](TrainingProgram& s, const Item&, const Site&) { put_in_envelopes(s, true); }};
const Transform kRenaming{{.name = "clerk"}, [](TrainingProgram& s, const Item&, const Site&) { put_in_envelopes(s, false); }};

// As compilation in place, or in an envelope around each block or the model.
void engrave(TrainingProgram& program, const Item& item, const Site&) {
  const CaptureOptions options{.full_graph = option_of(item, "fullgraph").has_value()};
  const auto engraved = [&](const ModulePtr& module) {
    ModulePtr target = module;
    if (option_of(item, "wrap")) {
      target = std::make_shared<Envelope>(module, RecomputeOptions{}, false);
      target->output_placements = module->output_placements;
    }
    capture_body(*target, options);
    return target;
  };
  if (item.scope == Scope::model) {
    program.parts.front() = engraved(program.parts.front());
    return;
  }
  const ModulePtr layers = layers_of(program.parts.front());
  const auto blocks = layers->children();
  for (const auto& [name, block] : blocks) layers->set_child(name, engraved(block));
}

// As the default policy of selective checkpointing.
void put_in_choosy_envelopes(TrainingProgram& program, const Item&, const Site&) {
  RecomputeOptions options;
  options.modes = [] {
    return selective_cache([](const std::string& op, int run) {
      return (op == "aten::mm" && run % 2 == 0) || op == "aten::_scaled_dot_product_flash_attention_for_cpu" ||
             op == "_c10d_functional::reduce_scatter_tensor";
    });
  };
  put_in_envelopes(program, true, options);
}

class Parcel final : public Module {
 public:
  Parcel(ModulePtr inside, std::shared_ptr<GradientBuckets> buckets) : Module("Parcel"), buckets_(std::move(buckets)) {
    set_child("_inside", std::move(inside));
  }
  bool is_wrapper() const override { return true; }

 protected:
  at::Tensor forward(const Tensors& inputs) override {
    break_graph("a parcel is weighed");
    buckets_->prepare(true);
    return child("_inside")->call(inputs);
  }

 private:
  std::shared_ptr<GradientBuckets> buckets_;
};

void put_in_a_parcel(TrainingProgram& program, const Item&, const Site&) {
  std::vector<ParameterPtr> parameters;
  ModulePtr& model = program.parts.front();
  for (const NamedParameter& named : parameters_of(model)) parameters.push_back(named.parameter);
  auto buckets = GradientBuckets::bind(std::move(parameters), {});
  buckets->broadcast_values();
  auto parcel = std::make_shared<Parcel>(model, std::move(buckets));
  parcel->output_placements = model->output_placements;
  model = parcel;
}

std::string can_always(const Item&) { return ""; }
const Transform kEngraver{{.name = "engraver"}, engrave};
const Transform kChoosyCourier{{.name = "choosy_courier"}, put_in_choosy_envelopes};
const Transform kPacker{{.name = "packer"}, put_in_a_parcel};

const Transform* with_strangers(const std::string& name) {
  for (const Transform* stranger : {&kRecomputing, &kRenaming, &kEngraver, &kChoosyCourier, &kPacker}) {
    if (name == stranger->built.name) return stranger;
  }
  return find_transform_of_engine(name);
}

// The stack's items of that name become the stranger; everything else is as run_case does it.
Record run_with_stranger(const std::string& text, const std::string& replaced, const std::string& stranger) {
  Run run{.subject = case_of(text)};
  install_saved_tensor_hooks();
  const Mesh mesh = mesh_of(run.subject.stack);  // asked before: a stranger has no axis of its own
  for (Item& item : run.subject.stack.items) {
    if (item.name == replaced) item.name = stranger;
  }
  const RankProgram program{.subject = run.subject, .find_transform = with_strangers};
  install_exact_kernels();
  set_exact_grid(run.subject.settings.grid);
  std::vector<RankResult> results(world_size(mesh));
  const WorldResult world =
      run_thread_world(mesh, {}, [&](RankState& rank) { results[rank.rank] = run_rank_program(program, rank); });
  Record record{.ending = world.ending, .failure = world.failure, .world_size = world_size(mesh)};
  if (world.ending != Ending::completed) return record;
  std::vector<std::pair<std::string, at::Tensor>> model;
  for (const NamedParameter& named : parameters_of(make_llama(kUsualModel, {}))) {
    model.emplace_back(named.name, named.parameter->tensor.detach());
  }
  assemble_record(run, mesh, results, model, record);
  return record;
}

void expect_same(const Record& stranger, const Record& own) {
  ASSERT_EQ(stranger.ending, own.ending);
  if (own.ending != Ending::completed) {
    EXPECT_EQ(stranger.failure->message, own.failure->message);
    return;
  }
  const auto difference = first_difference(own, stranger);
  EXPECT_FALSE(difference) << in_words(*difference);
  EXPECT_EQ(stranger.counters, own.counters);
  EXPECT_EQ(stranger.collectives, own.collectives);
}

class Stranger : public testing::TestWithParam<std::string> {};

TEST_P(Stranger, RecomputingUnderAnotherNameGivesTheSameNumbersAndCounters) {
  const Record stranger = run_with_stranger(GetParam(), "ac", "courier");
  const Record own = known(GetParam());
  expect_same(stranger, own);
  EXPECT_EQ(stranger.notes, own.notes);
}

// Renaming alone has checkpointing's outcome: it is the name that tensor parallelism trips over, not recomputation.
TEST_P(Stranger, RenamingAloneHasTheSameOutcome) {
  const Record stranger = run_with_stranger(GetParam(), "ac", "clerk");
  const Record own = known(GetParam());
  ASSERT_EQ(stranger.ending, own.ending);
  if (own.ending == Ending::completed) {
    EXPECT_EQ(first_difference(reference(case_of(GetParam())), stranger).has_value(),
              first_difference(reference(case_of(GetParam())), own).has_value());
  }
}

INSTANTIATE_TEST_SUITE_P(InsideAndOutside, Stranger,
                         testing::Values("ac,tp=2", "tp=2,ac", "ac,fsdp=2", "fsdp=2,ac", "tp=2,ac,fsdp=2", "tp=2,fsdp=2,ac",
                                         "ac,tp=2,fsdp=2", "fsdp=2,ac,tp=2"));

struct Replaced {
  const char* stack;
  const char* name;
  const char* stranger;
};

class Mechanism : public testing::TestWithParam<Replaced> {};

TEST_P(Mechanism, UnderAnotherNameGivesTheSameNumbersAndCounters) {
  const auto& [stack, name, stranger] = GetParam();
  expect_same(run_with_stranger(stack, name, stranger), known(stack));
}

INSTANTIATE_TEST_SUITE_P(
    InsideAndOutside, Mechanism,
    testing::Values(Replaced{"ac,compile", "compile", "engraver"}, Replaced{"compile,ac", "compile", "engraver"},
                    Replaced{"compile,sac", "compile", "engraver"}, Replaced{"tp=2,compile,fsdp=2", "compile", "engraver"},
                    Replaced{"compile:wrap,tp=2", "compile", "engraver"},
                    Replaced{"fsdp=2,compile:wrap", "compile", "engraver"},
                    Replaced{"fsdp=2,compile:wrap:fullgraph", "compile", "engraver"},
                    Replaced{"ddp=2,compile@model", "compile", "engraver"}, Replaced{"sac,compile", "sac", "choosy_courier"},
                    Replaced{"compile,sac", "sac", "choosy_courier"}, Replaced{"sac,tp=2", "sac", "choosy_courier"},
                    Replaced{"tp=2,sac,fsdp=2", "sac", "choosy_courier"}, Replaced{"sac,ddp=2", "sac", "choosy_courier"},
                    Replaced{"compile,ddp=2", "ddp", "packer"}, Replaced{"ddp=2,compile@model", "ddp", "packer"},
                    Replaced{"ddp=2,tp=2", "ddp", "packer"}, Replaced{"tp=2,ddp=2", "ddp", "packer"},
                    Replaced{"fsdp=2,ddp=2", "ddp", "packer"}),
    [](const auto& info) {
      std::string text = std::string(info.param.stack) + "_as_" + info.param.stranger;
      std::ranges::replace_if(text, [](char c) { return !std::isalnum(c); }, '_');
      return text;
    });

}  // namespace
}  // namespace ordercheck::ranks
