#include "ranks/model/expert_capacity.h"

#include <algorithm>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace ordercheck::ranks {
namespace {

TEST(ExpertCapacity, IsAnEvenShareTimesTheFactorRoundedUp) {
  EXPECT_EQ(expert_capacity(1, 8, 4), 2);
  EXPECT_EQ(expert_capacity(1, 9, 4), 3);
  EXPECT_EQ(expert_capacity(1.25, 8, 4), 3);
  EXPECT_EQ(expert_capacity(0.5, 8, 4), 1);
}

// Halves have a capacity of their own, and not half of what is taken of all is taken of each: what this engine's layouts show.
TEST(ExpertCapacity, OfHalvesIsAnother) {
  const auto taken = [](const std::vector<int64_t>& chosen, const std::vector<double>& probabilities) {
    const at::Tensor experts = at::tensor(chosen, at::kLong);
    const auto copies = static_cast<int64_t>(chosen.size());
    return taken_by_experts(at::argsort(experts, /*stable=*/true), experts, at::tensor(probabilities, at::kDouble),
                            expert_capacity(1, copies, 2));
  };
  EXPECT_TRUE(at::equal(taken({0, 0, 0, 1}, {0.9, 0.5, 0.8, 0.7}), at::tensor({0, 2, 3}, at::kLong)));
  EXPECT_TRUE(at::equal(taken({0, 0}, {0.9, 0.5}), at::tensor({0}, at::kLong))) << "one of the first half";
  EXPECT_TRUE(at::equal(taken({0, 1}, {0.8, 0.7}), at::tensor({0, 1}, at::kLong))) << "both of the second";
}

// Held against a count of the copies before each one. Four probabilities alone, so that many are equal.
RC_GTEST_PROP(ExpertCapacity, TakesWhoHasFewerThanTheCapacityAhead, ()) {
  const auto copies = *rc::gen::inRange<std::size_t>(1, 40);
  const auto chosen = *rc::gen::container<std::vector<int64_t>>(copies, rc::gen::inRange<int64_t>(0, 5));
  const auto quarters = *rc::gen::container<std::vector<int64_t>>(copies, rc::gen::inRange<int64_t>(0, 4));
  const auto capacity = *rc::gen::inRange<int64_t>(0, 12);

  const at::Tensor experts = at::tensor(chosen, at::kLong), order = at::argsort(experts, /*stable=*/true);
  std::vector<int64_t> expected;
  for (const int64_t copy : std::vector<int64_t>(order.const_data_ptr<int64_t>(), order.const_data_ptr<int64_t>() + copies)) {
    const auto own = static_cast<std::size_t>(copy);
    int64_t ahead = 0;
    for (std::size_t other = 0; other < copies; ++other)
      ahead += chosen[other] == chosen[own] &&
               (quarters[other] > quarters[own] || (quarters[other] == quarters[own] && other < own));
    if (ahead < capacity) expected.push_back(copy);
  }
  const at::Tensor probabilities = at::tensor(quarters, at::kDouble) / 4;
  RC_ASSERT(at::equal(taken_by_experts(order, experts, probabilities, capacity), at::tensor(expected, at::kLong)));
}

}  // namespace
}  // namespace ordercheck::ranks
