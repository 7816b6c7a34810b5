#include "native/train/batch.h"

#include <cmath>

#include "native/arith/install.h"
#include "native/train/batch.h"
#include "unit/native/world/on_ranks.h"

namespace ordercheck::ranks {
namespace {

constexpr int64_t kSamples = 3, kPositions = 4;

at::Tensor logits_over(int64_t vocabulary) { return at::sin(numbers({kSamples, kPositions, vocabulary}, 0)); }

// Every column is somebody's label, and the last label counts for nobody.
at::Tensor labels_over(int64_t vocabulary) {
  at::Tensor labels = at::arange(kSamples * kPositions, at::kLong).remainder(vocabulary).reshape({kSamples, kPositions});
  labels.view({-1})[-1] = kIgnoredLabel;
  return labels;
}

struct Taken {
  at::Tensor loss, gradient;
};

Taken differentiated(const at::Tensor& values, const at::Tensor& labels, const Placements& placements, int64_t vocabulary) {
  const at::Tensor logits = values.detach().clone().set_requires_grad(true);
  const at::Tensor loss = summed_cross_entropy(logits, labels, placements, vocabulary);
  loss.backward();
  return {loss.detach(), logits.grad()};
}

// Every reader of a loss or of a gradient of logits rounds it to the grid of sums or a coarser one. Elementwise noise of the two
// formulas (1e-15) is below that.
at::Tensor on_grid(const at::Tensor& x) { return at::round(x * std::ldexp(1.0, 36)); }

// Loss and gradient on pieces of the vocabulary are those of the whole on the grid.
class SplitLoss : public testing::TestWithParam<std::pair<int64_t, int>> {};

TEST_P(SplitLoss, IsThatOfTheWhole) {
  const auto [vocabulary, ranks] = GetParam();
  install_exact_kernels();
  complete(mesh_with({{"tp", ranks}}), [vocabulary = vocabulary](RankState& rank) {
    const at::Tensor logits = logits_over(vocabulary), labels = labels_over(vocabulary);
    const Placements split{{.axis = "tp", .kind = Placement::Kind::shard, .dim = 2}};
    const Taken whole = differentiated(logits, labels, {}, vocabulary);
    const Taken piece = differentiated(local_piece(logits, split, rank.mesh, rank.rank), labels, split, vocabulary);
    EXPECT_TRUE(at::equal(on_grid(piece.loss), on_grid(whole.loss))) << piece.loss << " and not " << whole.loss;
    const at::Tensor owed = local_piece(whole.gradient, split, rank.mesh, rank.rank);
    EXPECT_TRUE(at::equal(on_grid(piece.gradient), on_grid(owed))) << rank.rank;  // a zero may have another sign
  });
}

INSTANTIATE_TEST_SUITE_P(EvenPieces, SplitLoss, testing::Values(std::pair{12, 1}, std::pair{12, 2}, std::pair{12, 3}));
INSTANTIATE_TEST_SUITE_P(UnevenPieces, SplitLoss,
                         testing::Values(std::pair{11, 2}, std::pair{11, 3}, std::pair{10, 4}, std::pair{7, 4}));

}  // namespace
}  // namespace ordercheck::ranks
