#include "native/arith/snap.h"
#include "unit/native/arith/exactly.h"

namespace ordercheck::ranks {
namespace {

const at::Tensor kRows = noise({64, 5}, 1), kPlaces = at::arange(64, at::kLong).remainder(7);

struct Scatter {
  const char* name;
  std::function<at::Tensor(const at::Tensor& base, const at::Tensor& places, const at::Tensor& rows)> add;
};

class Scatters : public testing::TestWithParam<Scatter> {};

TEST_P(Scatters, AddInAnyOrder) {
  const at::Tensor base = noise({7, 5}, 2);
  const Exactly exact;
  EXPECT_TRUE(same_bits(GetParam().add(base, kPlaces, kRows), GetParam().add(base, kPlaces.flip(0), kRows.flip(0))));
}

TEST_P(Scatters, OfOtherFloatsAreRefused) {
  const Exactly exact;
  EXPECT_NE(refused([&] {
              GetParam().add(at::zeros({7, 5}, at::kFloat), kPlaces, kRows.to(at::kFloat));
            }).find("of float32 has no exact kernel"),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(All, Scatters,
                         testing::Values(Scatter{"IndexAdd",
                                                 [](const at::Tensor& base, const at::Tensor& places, const at::Tensor& rows) {
                                                   return base.index_add(0, places, rows);
                                                 }},
                                         Scatter{"IndexAddInPlace",
                                                 [](const at::Tensor& base, const at::Tensor& places, const at::Tensor& rows) {
                                                   return base.clone().index_add_(0, places, rows, 0.3);
                                                 }},
                                         Scatter{"ScatterAdd",
                                                 [](const at::Tensor& base, const at::Tensor& places, const at::Tensor& rows) {
                                                   return base.scatter_add(0, places.unsqueeze(1).expand({64, 5}), rows);
                                                 }},
                                         Scatter{"IndexPut",
                                                 [](const at::Tensor& base, const at::Tensor& places, const at::Tensor& rows) {
                                                   return base.clone().index_put_({places}, rows, /*accumulate=*/true);
                                                 }},
                                         Scatter{"EmbeddingBackward",
                                                 [](const at::Tensor& base, const at::Tensor& places, const at::Tensor& rows) {
                                                   return base + at::embedding_dense_backward(rows, places, 7, -1, false);
                                                 }}),
                         [](const auto& info) { return std::string(info.param.name); });

// What comes out of a contraction lies on the grid of products, and passes unchanged: so does any permutation of it.
TEST(Scatters, LeaveWhatIsOnTheGridOfProductsAsItIs) {
  const at::Tensor rows = snapped(kRows, 40);
  const Exactly exact;
  const at::Tensor places = at::randperm(64, at::detail::createCPUGenerator(3), at::kLong);
  EXPECT_TRUE(same_bits(at::zeros({64, 5}, at::kDouble).index_add(0, places, rows).index_select(0, places), rows));
}

TEST(Scatters, ByFrequencyAreRefused) {
  const Exactly exact;
  EXPECT_EQ(refused([] { at::embedding_dense_backward(kRows, kPlaces, 7, -1, true); }),
            "aten::embedding_dense_backward scaled by frequency has no exact kernel");
}

}  // namespace
}  // namespace ordercheck::ranks
