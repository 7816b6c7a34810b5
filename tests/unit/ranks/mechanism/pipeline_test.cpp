#include "ranks/mechanism/pipeline.h"

#include <memory>

#include "ranks/mechanism/on_gradient.h"
#include "unit/ranks/comm/on_ranks.h"

namespace ordercheck::ranks {
namespace {

constexpr int kMicrobatches = 4, kSteps = 2;

at::Tensor integers(at::IntArrayRef sizes, int seed) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  const at::Tensor place = at::arange(count, at::kLong);
  return ((place * place * 5 + place * (seed + 1) * 3 + seed * seed) % 11 % 6 - 2).to(at::kDouble).view(sizes);
}

// One weight. Whole numbers stay whole: gradients are equal to the last bit whatever the order of microbatches. What it cuts off
// at zero is of another place in every microbatch.
class Stage final : public Module {
 public:
  explicit Stage(int number) : Module("Stage") {
    set_parameter("weight", make_parameter(integers({3, 3}, number), {3, 3}, {}));
    on_gradient(weight().tensor, [this] { ++arrived; });
  }
  Parameter& weight() const { return *parameter("weight"); }

  void run_by_pipeline() override { ++told_of_pipeline; }
  void before_last_backward() override { arrived_before_last.push_back(arrived); }

  int arrived = 0;  // gradients of microbatches
  int told_of_pipeline = 0;
  std::vector<int> arrived_before_last;

 protected:
  // The second input is the model's, on every stage.
  at::Tensor forward(const Tensors& inputs) override { return at::relu(inputs[0].mm(use("weight")) + inputs[1]); }
};

Tensors inputs_of(int step, int microbatch) {
  const int seed = step * kMicrobatches + microbatch;
  return {integers({2, 3}, seed), integers({2, 3}, 3 * seed + 1)};
}

// Of another gradient for every microbatch.
at::Tensor loss_of(int microbatch, const at::Tensor& output) { return (output * output).sum() * (microbatch + 1); }

using StagesByNumber = std::map<int, std::shared_ptr<Stage>>;

// Every stage on one rank, microbatch by microbatch.
StagesByNumber on_one_rank(int stages) {
  StagesByNumber made;
  for (int number = 0; number < stages; ++number) made[number] = std::make_shared<Stage>(number);
  for (int step = 0; step < kSteps; ++step) {
    for (int microbatch = 0; microbatch < kMicrobatches; ++microbatch) {
      Tensors inputs = inputs_of(step, microbatch);
      for (const auto& [number, stage] : made) inputs[0] = stage->call(inputs);
      loss_of(microbatch, inputs[0]).backward();
    }
  }
  return made;
}

class APipeline : public testing::TestWithParam<ScheduleKind> {
 protected:
  static ScheduleSizes sizes() {
    const bool one_stage_each = GetParam() == ScheduleKind::gpipe || GetParam() == ScheduleKind::one_forward_one_backward ||
                                GetParam() == ScheduleKind::zero_bubble;
    return {.ranks = 2, .stages_per_rank = one_stage_each ? 1 : 2, .microbatches = kMicrobatches};
  }
  static int stages() { return sizes().ranks * sizes().stages_per_rank; }

  // What each rank's stages have after the steps is shown to `look`, with the computations that were announced.
  using Look = std::function<void(const StagesByNumber&, const std::map<Computation, int>& announced)>;
  static void run_steps(const Look& look) {
    complete(mesh_with({{"pp", 2}}), [&](RankState& rank) {
      const Schedule schedule = *make_schedule(GetParam(), sizes());
      StagesByNumber own;
      std::map<int, ModulePtr> modules;
      for (int number = 0; number < stages(); ++number) {
        if (schedule.rank_of_stage[static_cast<std::size_t>(number)] != rank.rank) continue;
        own[number] = std::make_shared<Stage>(number);
        modules[number] = own[number];
      }
      Pipeline pipeline(schedule, "pp", modules);
      EXPECT_EQ(pipeline.microbatches(), kMicrobatches);
      std::map<Computation, int> announced;
      for (int step = 0; step < kSteps; ++step) {
        for (auto& [number, stage] : own) stage->arrived = 0;
        pipeline.step({.call = [](const ModulePtr& stage, const Tensors& inputs) { return stage->call(inputs); },
                       .inputs = [step](int microbatch) { return inputs_of(step, microbatch); },
                       .loss = loss_of,
                       .before = [&](Computation computation) { ++announced[computation]; }});
      }
      look(own, announced);
    });
  }
};

TEST_P(APipeline, HasTheGradientsOfOneRank) {
  const StagesByNumber expected = on_one_rank(stages());
  run_steps([&](const StagesByNumber& own, const auto&) {
    for (const auto& [number, stage] : own) {
      const at::Tensor& whole = expected.at(number)->weight().tensor.grad();
      EXPECT_GT(whole.abs().sum().item<double>(), 0) << "stage " << number << " shows nothing";
      EXPECT_TRUE(same_bits(stage->weight().tensor.grad(), whole)) << "stage " << number;
    }
  });
}

// A wrapper reduces gradients before the last: those of all other microbatches are there, and that of the last is not.
TEST_P(APipeline, TellsItsStagesOnceAndBeforeTheLastBackwardOfAStep) {
  run_steps([&](const StagesByNumber& own, const auto&) {
    for (const auto& [number, stage] : own) {
      EXPECT_EQ(stage->told_of_pipeline, 1) << "stage " << number;
      EXPECT_THAT(stage->arrived_before_last, testing::ElementsAre(kMicrobatches - 1, kMicrobatches - 1)) << "stage " << number;
      EXPECT_EQ(stage->arrived, kMicrobatches) << "stage " << number;
    }
  });
}

TEST_P(APipeline, AnnouncesEveryComputation) {
  run_steps([&](const StagesByNumber& own, const std::map<Computation, int>& announced) {
    const int each = static_cast<int>(own.size()) * kMicrobatches * kSteps;
    const auto times = [&](Computation computation) { return announced.contains(computation) ? announced.at(computation) : 0; };
    EXPECT_EQ(times(Computation::forward), each);
    EXPECT_EQ(times(Computation::backward) + times(Computation::backward_weight), each);
    EXPECT_EQ(times(Computation::backward_input), times(Computation::backward_weight));
  });
}

INSTANTIATE_TEST_SUITE_P(Schedules, APipeline, testing::ValuesIn(all_of<ScheduleKind>()),
                         [](const auto& info) { return std::string(name_of(info.param)); });

// On one rank nothing is sent: the two stages of a V hand over to each other.
TEST(Pipeline, HandsOverBetweenStagesOfARank) {
  const StagesByNumber expected = on_one_rank(2);
  complete({}, [&](RankState& rank) {
    const Schedule schedule =
        *make_schedule(ScheduleKind::zbv, {.ranks = 1, .stages_per_rank = 2, .microbatches = kMicrobatches});
    const auto first = std::make_shared<Stage>(0), second = std::make_shared<Stage>(1);
    Pipeline pipeline(schedule, "pp", {{0, first}, {1, second}}, "");
    for (int step = 0; step < kSteps; ++step)
      pipeline.step({.call = [](const ModulePtr& stage, const Tensors& inputs) { return stage->call(inputs); },
                     .inputs = [step](int microbatch) { return inputs_of(step, microbatch); },
                     .loss = loss_of,
                     .before = [](Computation) {}});
    EXPECT_TRUE(same_bits(first->weight().tensor.grad(), expected.at(0)->weight().tensor.grad()));
    EXPECT_TRUE(same_bits(second->weight().tensor.grad(), expected.at(1)->weight().tensor.grad()));
    EXPECT_EQ(rank.counters.p2p_messages, 0);
  });
}

}  // namespace
}  // namespace ordercheck::ranks
