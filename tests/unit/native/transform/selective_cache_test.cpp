#include "native/transform/selective_cache.h"

#include "native/graph/saved_tensors.h"
#include "native/train/operator_meter.h"
#include "native/transform/recompute.h"
#include "unit/native/graph/both_ways.h"

namespace ordercheck::ranks {
namespace {

class SelectiveCache : public testing::Test {
 protected:
  SelectiveCache() : rank_(0, {}, nullptr, {}), scope_(rank_) { install_saved_tensor_hooks(); }
  RankState rank_;
  RankScope scope_;
};

KeepPolicy every(int n, const std::string& name) {
  return [n, name](const std::string& op, int run) { return op == name && run % n == 0; };
}

// The second run is handed other operands, so that what was kept is told from what was computed.
TEST_F(SelectiveCache, TheNthRunGetsWhatTheNthRunReturned) {
  const at::Tensor a = numbers({3}, 1), b = numbers({3}, 2), c = numbers({3}, 3), other = numbers({3}, 9);
  const at::Tensor of_a = a.exp(), of_c = c.exp(), of_other = other.exp(), sine = other.sin();
  const auto [keeping, serving] = selective_cache(every(2, "aten::exp"));
  {
    const DispatchModeScope first(keeping);
    a.exp(), b.exp(), a.sin(), c.exp();
  }
  std::vector<at::Tensor> got;
  {
    const DispatchModeScope second(serving);
    for (int run = 0; run < 2; ++run) got.push_back(other.exp());
    got.push_back(other.sin());
    for (int run = 2; run < 4; ++run) got.push_back(other.exp());
  }
  EXPECT_TRUE(same_bits(got[0], of_a)) << "run 0 was kept";
  EXPECT_TRUE(same_bits(got[1], of_other)) << "run 1 was not";
  EXPECT_TRUE(same_bits(got[2], sine)) << "another operator is counted by itself";
  EXPECT_TRUE(same_bits(got[3], of_c)) << "run 2 was kept";
  EXPECT_TRUE(same_bits(got[4], of_other)) << "a run that forward did not have";
  EXPECT_EQ(rank_.counters.operators_kept, 2);
}

TEST_F(SelectiveCache, HandsOutAllResultsOfAnOperator) {
  const at::Tensor a = numbers({2, 3}, 1), other = numbers({2, 3}, 9) * -1;
  const auto expected = at::sort(a, 1, true);
  const auto [keeping, serving] = selective_cache([](const std::string& op, int) { return op == "aten::sort"; });
  {
    const DispatchModeScope first(keeping);
    at::sort(a, 1, true);
  }
  const DispatchModeScope second(serving);
  const auto got = at::sort(other, 1, true);
  EXPECT_TRUE(same_bits(std::get<0>(got), std::get<0>(expected)));
  EXPECT_TRUE(same_bits(std::get<1>(got), std::get<1>(expected)));
  EXPECT_EQ(rank_.counters.operators_kept, 1);
}

TEST_F(SelectiveCache, WhatIsKeptCountsAsSavedUntilItIsHandedOut) {
  const at::Tensor a = numbers({8}, 1);
  const auto [keeping, serving] = selective_cache(every(1, "aten::exp"));
  {
    const DispatchModeScope first(keeping);
    a.exp(), a.sin(), a.exp();
  }
  EXPECT_EQ(rank_.saved_for_backward.held(), 2 * 64);
  {
    const DispatchModeScope second(serving);
    a.exp();
    EXPECT_EQ(rank_.saved_for_backward.held(), 64);
  }
  EXPECT_EQ(rank_.saved_for_backward.held(), 0) << "with the last of the two modes";
}

struct Kept {
  const char* name;
  KeepPolicy policy;
  int products_run_again;  // of three
  int kept;
};

class Policies : public SelectiveCache, public testing::WithParamInterface<Kept> {};

TEST_P(Policies, ChangeNoBitAndRunTheRest) {
  const at::Tensor w = variable(numbers({4, 4}, 1)), x = variable(numbers({4, 4}, 2));
  const Region region = [w](const Tensors& in) { return in[0].mm(w).sigmoid().mm(w).sin().mm(w).exp(); };
  const Outcome plain = outcome_of(region, {x}, {w});
  RecomputeOptions options;
  options.modes = [] { return selective_cache(GetParam().policy); };
  const DispatchModeScope meter(new OperatorMeter(rank_));
  Outcome checkpointed = outcome_of([&](const Tensors& in) { return recompute_in_backward(region, in, options); }, {x}, {w});
  EXPECT_TRUE(same_outcome(plain, checkpointed));
  EXPECT_EQ(rank_.counters.matmul_flops_recomputed, GetParam().products_run_again * 2 * 4 * 4 * 4);
  EXPECT_EQ(rank_.counters.operators_kept, GetParam().kept);
  checkpointed = {};
  EXPECT_EQ(rank_.saved_for_backward.held(), 0);
}

INSTANTIATE_TEST_SUITE_P(All, Policies,
                         testing::Values(Kept{"None", [](const std::string&, int) { return false; }, 3, 0},
                                         Kept{"Every", every(1, "aten::mm"), 0, 3},
                                         Kept{"EverySecond", every(2, "aten::mm"), 1, 2},
                                         Kept{"EveryThird", every(3, "aten::mm"), 2, 1}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace ordercheck::ranks
