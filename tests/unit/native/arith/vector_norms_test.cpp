#include <cmath>

#include "unit/native/arith/exactly.h"

namespace ordercheck::ranks {
namespace {

// See NOTE [norms of norms].
TEST(VectorNorms, OfPiecesGiveTheNormOfTheWhole) {
  const Exactly exact;
  for (int seed = 0; seed < 20; ++seed) {
    const at::Tensor a = noise({100}, seed), b = noise({37}, 100 + seed);
    const double whole = at::linalg_vector_norm(at::stack(at::_foreach_norm({a, b})), 2).item<double>();
    at::Tensor squares = at::zeros({1}, at::kDouble);
    for (const at::Tensor& piece : a.tensor_split(3)) {
      squares = squares + at::pow(at::linalg_vector_norm(at::stack(at::_foreach_norm({piece})), 2), 2).reshape({1});
    }
    squares = squares + at::pow(at::_foreach_norm({b})[0], 2).reshape({1});
    EXPECT_EQ(at::sqrt(squares).item<double>(), whole);
  }
}

TEST(VectorNorms, OfOrderOneAndTwoAreExactSums) {
  const Exactly exact;
  const at::Tensor x = at::tensor({3.0, -4.0}, at::kDouble);
  EXPECT_EQ(at::linalg_vector_norm(x, 2).item<double>(), 5);
  EXPECT_EQ(at::linalg_vector_norm(x, 1).item<double>(), 7);
  EXPECT_EQ(at::norm(x, 1, 0).item<double>(), 7);
  EXPECT_EQ(at::linalg_vector_norm(x, std::numeric_limits<double>::infinity()).item<double>(), 4) << "no sum at all";
}

TEST(VectorNorms, OfOtherOrdersAndDtypesAreRefused) {
  const Exactly exact;
  const at::Tensor x = at::ones({3}, at::kDouble);
  EXPECT_EQ(refused([&] { at::linalg_vector_norm(x, 3); }), "aten::linalg_vector_norm of order 3 has no exact kernel");
  EXPECT_EQ(refused([&] { at::_foreach_norm({x}, 3); }), "aten::_foreach_norm of order 3 has no exact kernel");
  EXPECT_EQ(refused([&] { at::linalg_vector_norm(x.to(at::kFloat), 2); }),
            "aten::linalg_vector_norm of float32 has no exact kernel");
}

TEST(VectorNorms, OtherPowersAreTheSameWhereverAnElementLies) {
  const Exactly exact;
  const at::Tensor x = noise({101}, 1).abs();
  for (const double exponent : {-2.0, 0.5, 2.0, 3.0, 1.7}) {
    const at::Tensor whole = at::pow(x, exponent);
    for (const int64_t first : {1, 50, 99})
      EXPECT_TRUE(same_bits(at::pow(x.narrow(0, first, 2), exponent), whole.narrow(0, first, 2))) << exponent;
  }
}

}  // namespace
}  // namespace ordercheck::ranks
