#include "unit/native/arith/exactly.h"

namespace ordercheck::ranks {
namespace {

struct Attended {
  at::Tensor out;
  std::vector<at::Tensor> gradients;
};

Attended attend(at::Tensor q, at::Tensor k, at::Tensor v, const std::optional<at::Tensor>& mask, bool is_causal) {
  for (at::Tensor* x : {&q, &k, &v}) *x = x->detach().clone().set_requires_grad(true);
  const at::Tensor out = at::scaled_dot_product_attention(q, k, v, mask, 0.0, is_causal, std::nullopt, /*enable_gqa=*/true);
  out.backward(noise(out.sizes(), 9));
  return {out.detach(), {q.grad(), k.grad(), v.grad()}};
}

bool near(const Attended& a, const Attended& b) {
  bool all = at::allclose(a.out, b.out, 0, 2e-4);
  for (std::size_t i = 0; i < 3; ++i) all = all && at::allclose(a.gradients[i], b.gradients[i], 0, 2e-4);
  return all;
}

bool equal(const Attended& a, const Attended& b) {
  bool all = same_bits(a.out, b.out);
  for (std::size_t i = 0; i < 3; ++i) all = all && same_bits(a.gradients[i], b.gradients[i]);
  return all;
}

const at::Tensor kQueries = noise({2, 6, 8, 4}, 1), kKeys = noise({2, 3, 8, 4}, 2), kValues = noise({2, 3, 8, 4}, 3);

TEST(Attention, IsTheStockOneButForTheGrid) {
  const at::Tensor mask = at::ones({8, 8}, at::kBool).tril(1);
  for (const bool is_causal : {false, true}) {
    const Attended stock = attend(kQueries, kKeys, kValues, std::nullopt, is_causal);
    const Attended masked = attend(kQueries, kKeys, kValues, mask, false);
    const Exactly exact;
    EXPECT_TRUE(near(attend(kQueries, kKeys, kValues, std::nullopt, is_causal), stock));
    EXPECT_TRUE(near(attend(kQueries, kKeys, kValues, mask, false), masked));
  }
}

TEST(Attention, AMaskThatIsCausalIsTheSameBits) {
  const Exactly exact;
  EXPECT_TRUE(equal(attend(kQueries, kKeys, kValues, std::nullopt, true),
                    attend(kQueries, kKeys, kValues, at::ones({8, 8}, at::kBool).tril(), false)));
}

// As tensor parallelism cuts it.
TEST(Attention, MayBeCutByHeads) {
  const Exactly exact;
  const Attended whole = attend(kQueries, kKeys, kValues, std::nullopt, true);
  for (int64_t i = 0; i < 3; ++i) {
    const Attended part =
        attend(kQueries.narrow(1, 2 * i, 2), kKeys.narrow(1, i, 1), kValues.narrow(1, i, 1), std::nullopt, true);
    EXPECT_TRUE(same_bits(part.out, whole.out.narrow(1, 2 * i, 2)));
  }
}

TEST(Attention, MayHaveItsKeysInAnyOrder) {
  const Exactly exact;
  const Attended forwards = attend(kQueries, kKeys, kValues, std::nullopt, false);
  const Attended backwards = attend(kQueries, kKeys.flip(2), kValues.flip(2), std::nullopt, false);
  EXPECT_TRUE(same_bits(forwards.out, backwards.out));
  EXPECT_TRUE(same_bits(forwards.gradients[0], backwards.gradients[0]));
  EXPECT_TRUE(same_bits(forwards.gradients[1], backwards.gradients[1].flip(2)));
}

// As of heads that were split off the last dim, which is how models make them.
TEST(Attention, LiesInMemoryAsTheStockResultDoes) {
  const at::Tensor q = noise({2, 8, 6, 4}, 1).transpose(1, 2);
  const auto stock = at::_scaled_dot_product_flash_attention_for_cpu(q, q, q, 0.0, true);
  const Exactly exact;
  const auto ours = at::_scaled_dot_product_flash_attention_for_cpu(q, q, q, 0.0, true);
  EXPECT_EQ(std::get<0>(ours).strides(), std::get<0>(stock).strides());
  EXPECT_EQ(std::get<1>(ours).strides(), std::get<1>(stock).strides());
  EXPECT_TRUE(at::allclose(std::get<1>(ours), std::get<1>(stock), 0, 1e-4));
}

TEST(Attention, WithDropoutIsRefused) {
  const Exactly exact;
  EXPECT_EQ(refused([] { at::_scaled_dot_product_flash_attention_for_cpu(kQueries, kQueries, kQueries, 0.5, true); }),
            "aten::_scaled_dot_product_flash_attention_for_cpu with dropout has no exact kernel");
}

}  // namespace
}  // namespace ordercheck::ranks
