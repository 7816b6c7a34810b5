#include "ranks/model/grouped_products.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace ordercheck::ranks {
namespace {

// One product a group is the oracle; a group without rows has a gradient of zeros.
TEST(GroupedProducts, AreOneProductAGroup) {
  const std::vector<int64_t> counts{2, 0, 3};
  const at::Tensor rows = at::arange(20, at::kDouble).view({5, 4}).requires_grad_();
  const at::Tensor matrices = at::arange(24, at::kDouble).view({3, 2, 4}).requires_grad_();
  const at::Tensor out = grouped_products(rows, matrices, at::tensor(counts, at::kLong));

  const at::Tensor own_rows = rows.detach().clone().requires_grad_(), own_matrices = matrices.detach().clone().requires_grad_();
  std::vector<at::Tensor> products;
  const auto groups = own_rows.split_with_sizes(counts, 0);
  for (int64_t i = 0; i < 3; ++i) products.push_back(at::linear(groups[i], own_matrices[i]));
  const at::Tensor expected = at::cat(products, 0);

  EXPECT_TRUE(at::equal(out, expected));
  const at::Tensor weights = at::arange(10, at::kDouble).view({5, 2});
  out.backward(weights), expected.backward(weights);
  EXPECT_TRUE(at::equal(rows.grad(), own_rows.grad()));
  EXPECT_TRUE(at::equal(matrices.grad(), own_matrices.grad()));
  EXPECT_TRUE(at::equal(matrices.grad()[1], at::zeros({2, 4}, at::kDouble)));
}

}  // namespace
}  // namespace ordercheck::ranks
