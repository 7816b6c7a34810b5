#include "ranks/module/placement.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace ordercheck::ranks {
namespace {

Placement shard(const std::string& axis, int64_t dim) { return {.axis = axis, .dim = dim}; }

TEST(Placement, ChunksAreCutAsTorchCutsThem) {
  for (const int64_t size : {1, 5, 6, 7, 24}) {
    for (const int count : {1, 2, 3, 4}) {
      const auto chunks = at::arange(size).chunk(count);
      for (int i = 0; i < count; ++i) {
        const Span span = chunk_of(size, count, i);
        const int64_t expected = i < static_cast<int>(chunks.size()) ? chunks[i].size(0) : 0;
        EXPECT_EQ(span.length, expected) << size << " in " << count << ", part " << i;
        if (expected) EXPECT_EQ(span.start, chunks[i][0].item<int64_t>());
      }
    }
  }
}

class Assemble : public testing::TestWithParam<Placements> {};

TEST_P(Assemble, PiecesMakeTheWhole) {
  const Mesh mesh{.degrees = {1, 1, 2, 1, 3}};
  const at::Tensor full = at::arange(60).view({12, 5});
  const at::Tensor joined =
      assemble(GetParam(), mesh, every_rank(mesh), [&](int rank) { return local_piece(full, GetParam(), mesh, rank); });
  EXPECT_TRUE(at::equal(full, joined)) << print(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Layouts, Assemble,
                         testing::Values(Placements{}, Placements{shard("tp", 0)}, Placements{shard("tp", 1)},
                                         Placements{shard("tp", 0), shard("dp_shard", 0)},
                                         Placements{shard("dp_shard", 0), shard("tp", 0)},
                                         Placements{shard("tp", 1), shard("dp_shard", 0)}));

// Tensor parallelism first, data parallelism inside its pieces: not the order of the mesh.
TEST(Placement, ALaterAxisSplitsWhatTheEarlierLeft) {
  const Mesh mesh{.degrees = {1, 1, 2, 1, 2}};
  const at::Tensor full = at::arange(8);
  const Placements tp_first{shard("tp", 0), shard("dp_shard", 0)};
  EXPECT_TRUE(at::equal(local_piece(full, tp_first, mesh, /*dp 0, tp 1*/ 1), at::tensor({4, 5}, at::kLong)));
  EXPECT_TRUE(at::equal(local_piece(full, tp_first, mesh, /*dp 1, tp 0*/ 2), at::tensor({2, 3}, at::kLong)));
}

TEST(Placement, PartialAxesAreSummed) {
  const Mesh mesh{.degrees = {1, 1, 1, 1, 3}};
  const at::Tensor sum = assemble({{.axis = "tp", .kind = Placement::Kind::partial}}, mesh, every_rank(mesh),
                                  [](int rank) { return at::full({2}, rank + 1, at::kLong); });
  EXPECT_TRUE(at::equal(sum, at::full({2}, 6, at::kLong)));
}

TEST(Placement, Prints) {
  EXPECT_EQ(print(Placements{}), "replicated");
  EXPECT_EQ(print(Placements{shard("tp", 0), {.axis = "dp_shard", .kind = Placement::Kind::partial}}),
            "tp: shard(0), dp_shard: partial");
}

}  // namespace
}  // namespace ordercheck::ranks
