#include "native/train/rank_answer.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "native/arith/same_bits.h"

namespace ordercheck::ranks {
namespace {

TEST(RankAnswer, ComesBackToTheBit) {
  RankResult result;
  result.where = {.device = "cuda:1", .backend = "a backend"};
  result.has_block = true;
  result.loss = {bits_of(0.1), bits_of(-0.0)};
  result.gradient_norm = {bits_of(2.5)};
  const at::Tensor matrix = at::arange(6, at::kDouble).reshape({2, 3}).div(7);
  result.gradients.push_back({{"none", {}}, {"w", {.tensor = matrix.t(), .placements = {{.axis = "tp", .dim = 1}}}}});
  result.values["empty"] = {.tensor = at::empty({0, 3}, at::kFloat), .placements = {}};
  result.trace.push_back({.step = 1,
                          .phase = Phase::backward,
                          .module = "layers.0",
                          .call = 2,
                          .sequence_dim = 1,
                          .piece = {.tensor = matrix, .placements = {}}});
  result.positions = at::arange(3, at::kLong);
  result.collectives = {{.kind = "send", .group = "pp", .phase = Phase::forward, .count = 2, .bytes = 16}};
  result.counters.p2p_messages = 7;
  result.notes = {"a note"};

  const RankAnswer back = decode_rank_answer(encode({.result = result, .range_used = 0.3}));
  EXPECT_EQ(back.range_used, 0.3);
  EXPECT_EQ(back.result.where, result.where);
  EXPECT_TRUE(back.result.has_block);
  EXPECT_EQ(back.result.loss, result.loss);
  EXPECT_EQ(back.result.gradient_norm, result.gradient_norm);
  EXPECT_FALSE(back.result.gradients.at(0).at("none").tensor.defined());
  EXPECT_TRUE(same_bits(back.result.gradients.at(0).at("w").tensor, matrix.t()));
  EXPECT_EQ(back.result.gradients.at(0).at("w").placements, result.gradients[0].at("w").placements);
  EXPECT_TRUE(same_bits(back.result.values.at("empty").tensor, result.values.at("empty").tensor));
  ASSERT_EQ(back.result.trace.size(), 1u);
  EXPECT_EQ(back.result.trace[0].module, "layers.0");
  EXPECT_EQ(back.result.trace[0].phase, Phase::backward);
  EXPECT_EQ(back.result.trace[0].call, 2);
  EXPECT_TRUE(same_bits(back.result.trace[0].piece.tensor, matrix));
  EXPECT_TRUE(same_bits(back.result.positions, result.positions));
  EXPECT_EQ(back.result.collectives, result.collectives);
  EXPECT_EQ(back.result.counters, result.counters);
  EXPECT_EQ(back.result.notes, result.notes);
}

}  // namespace
}  // namespace ordercheck::ranks
