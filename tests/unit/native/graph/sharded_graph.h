// A region of three parameters that are gathered where they are read, and its capture: what the tests of bucketing and of reordering
// share.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "native/graph/sharding_collectives.h"
#include "native/world/collectives.h"
#include "unit/native/graph/both_ways.h"

namespace ordercheck::ranks {

// One rank's pieces of [6, 4], [4, 4] and, padded to 4, [3, 4]; the second is read first.
struct ShardedRegion {
  std::vector<at::Tensor> inputs, pieces;

  explicit ShardedRegion(int rank)
      : inputs{variable(numbers({5, 4}, rank))},
        pieces{variable(numbers({3, 4}, rank + 10)), variable(numbers({2, 4}, rank + 20)),
               variable(numbers({rank == 0 ? 2 : 1, 4}, rank + 30))} {}

  static std::vector<int64_t> elements_sent() { return {12, 8, 8}; }

  GraphPtr captured(const std::vector<std::string>& buckets, bool second_from_first = false) const {
    const GraphPtr graph = recorded(buckets, second_from_first);
    optimize(*graph);
    return graph;
  }

  GraphPtr recorded(const std::vector<std::string>& buckets, bool second_from_first = false) const {
    const auto whole = [&](const at::Tensor& piece, std::size_t i, int64_t rows) {
      const UnshardScope scope(CheckpointPolicy::must_recompute, buckets[i]);
      const int64_t missing = (rows + 1) / 2 - piece.size(0);
      const at::Tensor sent = rows % 2 ? at::constant_pad_nd(piece, {0, 0, 0, missing}) : piece;
      return gather_from_group(sent, 0, "dp_shard").slice(0, 0, rows);
    };
    return record(
        "a region",
        [&](const std::vector<at::Tensor>& in) {
          const at::Tensor first_piece = second_from_first ? whole(pieces[1], 1, 4).narrow(0, 0, 3) : pieces[0];
          const at::Tensor second = whole(pieces[1], 1, 4), hidden = in[0].mm(second).sin();
          const at::Tensor first = whole(first_piece, 0, 6);
          return hidden.mm(first.t()).cos().mm(first).mm(whole(pieces[2], 2, 3).t());
        },
        inputs, pieces);
  }
};

inline void on_two_ranks(const std::function<void(const ShardedRegion&)>& body) {
  complete(mesh_with({{"dp_shard", 2}}), [&](RankState& rank) { body(ShardedRegion(rank.rank)); });
}

}  // namespace ordercheck::ranks
