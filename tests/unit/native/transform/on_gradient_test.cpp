#include "native/transform/on_gradient.h"

#include <string>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace ordercheck::ranks {
namespace {

at::Tensor leaf_of_ones() { return at::ones({2}, at::kDouble).requires_grad_(true); }

TEST(OnGradient, CallsOfALeafRunInTheirOrder) {
  const at::Tensor leaf = leaf_of_ones();
  std::string calls;
  for (const char* name : {"a", "b", "c"})
    on_gradient(leaf, [&, name] {
      EXPECT_TRUE(leaf.grad().defined());
      calls += name;
    });
  (leaf * 3).sum().backward();
  EXPECT_EQ(calls, "abc");
  call_on_gradient(leaf);
  EXPECT_EQ(calls, "abcabc");
}

// As stock PyTorch: a post-accumulate-grad hook runs before DDP's reducer, also where it was registered after DDP was built.
TEST(OnGradient, WhatIsBehindAccumulationRunsAfterTheCallsOfTheLeaf) {
  const at::Tensor leaf = leaf_of_ones();
  std::string calls;
  const auto node = behind_accumulation(leaf, [&] {
    calls += "behind";
    EXPECT_FALSE(leaf.grad().defined()) << "the call of the leaf dropped it";
  });
  on_gradient(leaf, [&] {
    calls += "on,";
    leaf.mutable_grad().reset();
  });
  (leaf * 3).sum().backward();
  EXPECT_EQ(calls, "on,behind");
}

TEST(OnGradient, ALeafWithoutCallsHasNone) { EXPECT_NO_THROW(call_on_gradient(leaf_of_ones())); }

}  // namespace
}  // namespace ordercheck::ranks
