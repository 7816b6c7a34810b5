#include "ranks/graph/autocast.h"

#include <stdexcept>

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

}  // namespace
}  // namespace ordercheck::ranks
