#include "native/graph/autocast.h"

#include <stdexcept>
#include <thread>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace ordercheck::ranks {
namespace {

// What products come out in.
at::ScalarType product_dtype() { return at::ones({2, 2}).mm(at::ones({2, 2})).scalar_type(); }

TEST(AutocastScope, CastsForItsLifetimeAndRestores) {
  const Autocast before = autocast_now();
  EXPECT_FALSE(before.on);
  for (const at::ScalarType dtype : {at::kBFloat16, at::kHalf}) {
    {
      const AutocastScope scope({.on = true, .dtype = dtype});
      EXPECT_EQ(product_dtype(), dtype);
      EXPECT_TRUE(autocast_now().on);
      EXPECT_EQ(autocast_now().dtype, dtype);
    }
    EXPECT_EQ(product_dtype(), at::kFloat);
    EXPECT_EQ(autocast_now().dtype, before.dtype);
  }
}

// As a region that was not cast is run again in the middle of one that is.
TEST(AutocastScope, MayBeOffWithinOneThatIsOn) {
  const AutocastScope outer({.on = true, .dtype = at::kHalf});
  {
    const AutocastScope inner({.on = false});
    EXPECT_EQ(product_dtype(), at::kFloat);
  }
  EXPECT_EQ(product_dtype(), at::kHalf);
}

TEST(AutocastScope, RestoresWhereItEndsByAnException) {
  try {
    const AutocastScope scope({.on = true});
    throw std::runtime_error("within");
  } catch (const std::runtime_error&) {
  }
  EXPECT_FALSE(autocast_now().on);
  EXPECT_EQ(product_dtype(), at::kFloat);
}

// A trainer updates weights in place between two forwards.
TEST(AutocastScope, KeepsNoCastOfAWeight) {
  const at::Tensor x = at::ones({2, 2}), w = at::ones({2, 2}).requires_grad_();
  const auto product = [&] {
    const AutocastScope scope({.on = true});
    return x.mm(w).detach().to(at::kFloat);
  };
  EXPECT_TRUE(at::equal(product(), at::full({2, 2}, 2.0)));
  w.detach().fill_(3);
  EXPECT_TRUE(at::equal(product(), at::full({2, 2}, 6.0)));
}

// PyTorch's table of casts belongs to the process. The gradient of a weight that is used twice is 257 where each use has a cast of its
// own, and 256 in bf16 where both share one: 257 has no bf16.
TEST(AutocastScope, OfAnotherRankChangesNoGradient) {
  const auto gradient = [](bool keeps_casts, bool another_ends) {
    const at::Tensor w = at::ones({1, 1}).requires_grad_();
    const AutocastScope scope({.on = true});
    at::autocast::set_autocast_cache_enabled(keeps_casts);
    const at::Tensor once = at::full({1, 1}, 256.0).mm(w);
    if (another_ends) std::thread(at::autocast::clear_cache).join();
    const at::Tensor twice = at::ones({1, 1}).mm(w);
    (once + twice).sum().backward();
    at::autocast::clear_cache();
    return w.grad().item<float>();
  };
  const bool as_scope_has_it = [] {
    const AutocastScope scope({.on = true});
    return at::autocast::is_autocast_cache_enabled();
  }();
  EXPECT_EQ(gradient(as_scope_has_it, false), 257.0f);
  EXPECT_EQ(gradient(as_scope_has_it, true), 257.0f);
  EXPECT_EQ(gradient(true, false), 256.0f) << "with casts that are kept";
  EXPECT_EQ(gradient(true, true), 257.0f) << "and lost to another rank";
}

}  // namespace
}  // namespace ordercheck::ranks
