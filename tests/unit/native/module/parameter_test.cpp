#include "native/module/parameter.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordercheck::ranks {
namespace {

const Mesh kMesh{.degrees = {1, 1, 2, 1, 2}};

TEST(Parameter, DistributeKeepsThisRanksPieceAndTheFullShape) {
  const ParameterPtr whole = make_parameter(at::arange(8, at::kDouble).view({4, 2}), {4, 2}, {});
  const ParameterPtr piece = distribute(*whole, {{.axis = "tp", .dim = 0}}, kMesh, /*tp 1*/ 1);
  EXPECT_TRUE(at::equal(piece->tensor.detach(), at::tensor({4.0, 5.0, 6.0, 7.0}, at::kDouble).view({2, 2})));
  EXPECT_EQ(piece->full_shape, (std::vector<int64_t>{4, 2}));
  EXPECT_TRUE(piece->tensor.is_leaf() && piece->tensor.requires_grad());
}

TEST(Parameter, DistributeRefusesWhatIsPlacedAlready) {
  const ParameterPtr piece = make_parameter(at::ones({2, 2}), {4, 2}, {{.axis = "dp_shard", .dim = 0}});
  try {
    distribute(*piece, {{.axis = "tp", .dim = 0}}, kMesh, 0);
    FAIL() << "a placed parameter was distributed again";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("Cannot distribute"));
    EXPECT_THAT(error.what(), testing::HasSubstr("dp_shard: shard(0)"));
  }
}

TEST(Parameter, WhatIsFrozenStaysSo) {
  const ParameterPtr frozen = make_parameter(at::ones({4, 2}), {4, 2}, {}, /*requires_grad=*/false);
  for (const ParameterPtr& made :
       {distribute(*frozen, {{.axis = "tp", .dim = 0}}, kMesh, 0), replicate(*frozen, "tp"), copy_of(*frozen)})
    EXPECT_FALSE(made->tensor.requires_grad());
}

TEST(Parameter, UseGoesThroughEveryStep) {
  Parameter parameter{.tensor = at::ones({1})};
  parameter.on_use.push_back([](const at::Tensor& t) { return t + 1; });
  parameter.on_use.push_back([](const at::Tensor& t) { return t * 5; });
  EXPECT_EQ(parameter.used().item<float>(), 10);
}

}  // namespace
}  // namespace ordercheck::ranks
