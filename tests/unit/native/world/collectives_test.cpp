#include "native/world/collectives.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <set>

#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>

#include "native/graph/dispatch_mode.h"
#include "on_ranks.h"

namespace ordercheck::ranks {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<at::Tensor> of_all_ranks(int ranks, at::IntArrayRef sizes, at::ScalarType dtype = at::kDouble) {
  std::vector<at::Tensor> values;
  for (int rank = 0; rank < ranks; ++rank) values.push_back(numbers(sizes, rank, dtype));
  return values;
}

at::Tensor sum_in_rank_order(const std::vector<at::Tensor>& values) {
  at::Tensor sum = values[0].clone();
  for (std::size_t i = 1; i < values.size(); ++i) sum = sum + values[i];
  return sum;
}

std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const c10::Error& error) {
    return error.what_without_backtrace();
  }
  return "nothing thrown";
}

class EveryDegree : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, EveryDegree, testing::Values(1, 2, 3, 4, 8));

TEST_P(EveryDegree, AllReduceAddsInRankOrderWhoeverComesFirst) {
  const auto values = of_all_ranks(GetParam(), {3, 5});
  const at::Tensor expected = sum_in_rank_order(values);
  for (int round = 0; round < 20; ++round) {
    complete(mesh_with({{"tp", GetParam()}}), [&](RankState& rank) {
      jitter(rank.rank, round);
      EXPECT_TRUE(same_bits(all_reduce(values[rank.rank], "tp"), expected));
      EXPECT_TRUE(same_bits(values[rank.rank], numbers({3, 5}, rank.rank))) << "the input was written to";
    });
  }
}

TEST_P(EveryDegree, AllReduceTakesTheLargest) {
  const auto values = of_all_ranks(GetParam(), {4});
  complete(mesh_with({{"tp", GetParam()}}), [&](RankState& rank) {
    EXPECT_TRUE(same_bits(all_reduce(values[rank.rank], "tp", Reduction::max), values.back()));
  });
}

TEST_P(EveryDegree, AllGatherConcatenatesAlongAnyDim) {
  const auto values = of_all_ranks(GetParam(), {2, 3, 4});
  complete(mesh_with({{"dp_shard", GetParam()}}), [&](RankState& rank) {
    for (const int64_t dim : {0, 1, 2, -1}) {
      jitter(rank.rank, static_cast<int>(dim));
      const at::Tensor whole = all_gather(values[rank.rank], dim, "dp_shard");
      EXPECT_TRUE(same_bits(whole, at::cat(values, dim))) << "dim " << dim;
      EXPECT_TRUE(whole.is_contiguous());
    }
  });
}

TEST_P(EveryDegree, ReduceScatterSumsAndKeepsThisRanksPartOfAnyDim) {
  const int ranks = GetParam();
  const auto values = of_all_ranks(ranks, {2 * ranks, 3 * ranks, ranks});
  const at::Tensor sum = sum_in_rank_order(values);
  complete(mesh_with({{"cp", ranks}}), [&](RankState& rank) {
    for (const int64_t dim : {0, 1, 2, -2}) {
      jitter(rank.rank, static_cast<int>(dim));
      EXPECT_TRUE(same_bits(reduce_scatter(values[rank.rank], dim, "cp"), sum.chunk(ranks, dim)[rank.rank])) << "dim " << dim;
    }
  });
}

TEST_P(EveryDegree, BroadcastGivesTheSourcesValue) {
  const auto values = of_all_ranks(GetParam(), {5});
  complete(mesh_with({{"pp", GetParam()}}), [&](RankState& rank) {
    for (int source = 0; source < GetParam(); ++source)
      EXPECT_TRUE(same_bits(broadcast(values[rank.rank], source, "pp"), values[source]));
  });
}

TEST_P(EveryDegree, AllToAllMovesUnevenRows) {
  // Rank s sends s + d + 1 rows to rank d.
  const int ranks = GetParam();
  std::vector<std::vector<at::Tensor>> blocks(ranks);
  for (int from = 0; from < ranks; ++from)
    for (int to = 0; to < ranks; ++to) blocks[from].push_back(numbers({from + to + 1, 2}, 10 * from + to));
  complete(mesh_with({{"dp_shard", ranks}}), [&](RankState& rank) {
    std::vector<int64_t> out, in;
    std::vector<at::Tensor> expected;
    for (int peer = 0; peer < ranks; ++peer) {
      in.push_back(rank.rank + peer + 1);
      out.push_back(rank.rank + peer + 1);
      expected.push_back(blocks[peer][rank.rank]);
    }
    EXPECT_TRUE(same_bits(all_to_all(at::cat(blocks[rank.rank]), out, in, "dp_shard"), at::cat(expected)));
  });
}

TEST_P(EveryDegree, GroupsKnowTheirSizeAndRank) {
  complete(mesh_with({{"tp", GetParam()}}), [&](RankState& rank) {
    EXPECT_EQ(group_size("tp"), GetParam());
    EXPECT_EQ(group_rank("tp"), rank.rank);
    EXPECT_EQ(group_size("world"), GetParam());
    EXPECT_EQ(group_rank("world"), rank.rank);
    EXPECT_EQ(group_size("cp"), 1);
    EXPECT_EQ(group_rank("cp"), 0);
    EXPECT_EQ(group_size("ep"), 1);
    EXPECT_EQ(group_rank("ep"), 0);
  });
}

// Lets the next rank arrive, also when this one failed to.
struct NextTurn {
  explicit NextTurn(std::atomic<int>& turn) : turn(turn) {}
  ~NextTurn() { ++turn; }
  std::atomic<int>& turn;
};

// The c10d call returns before it waits, so ranks can be made to arrive one after another in any order.
TEST(Collectives, NoOrderOfArrivalChangesABit) {
  const std::vector<at::Tensor> values{at::full({2}, 1e16, at::kDouble), at::full({2}, 1.0, at::kDouble),
                                       at::full({2}, -1e16, at::kDouble), at::full({2}, 1.0, at::kDouble)};
  ASSERT_FALSE(same_bits(sum_in_rank_order(values), sum_in_rank_order({values[0], values[2], values[1], values[3]})))
      << "these values cannot show an order";
  std::vector<int> order{0, 1, 2, 3};
  int orders = 0;
  do {
    std::atomic<int> arrived{0};
    complete(mesh_with({{"tp", 4}}), [&](RankState& rank) {
      const int turn = static_cast<int>(std::ranges::find(order, rank.rank) - order.begin());
      while (arrived.load() != turn) std::this_thread::yield();
      std::vector<at::Tensor> tensors{values[rank.rank].clone()};
      const auto work = [&] {
        const NextTurn next(arrived);
        return c10d::resolve_process_group("tp")->allreduce(tensors);
      }();
      work->wait();
      EXPECT_TRUE(same_bits(tensors[0], sum_in_rank_order(values)));
    });
    ++orders;
  } while (std::ranges::next_permutation(order).found);
  EXPECT_EQ(orders, 24);
}

TEST(Collectives, KeepTheDtype) {
  for (const auto dtype : {at::kDouble, at::kFloat, at::kLong, at::kBool, at::kBFloat16}) {
    const auto values = of_all_ranks(3, {6, 2}, dtype);
    const at::Tensor sum = sum_in_rank_order(values);
    complete(mesh_with({{"tp", 3}}), [&](RankState& rank) {
      EXPECT_TRUE(same_bits(all_reduce(values[rank.rank], "tp"), sum)) << dtype;
      EXPECT_TRUE(same_bits(all_gather(values[rank.rank], 1, "tp"), at::cat(values, 1))) << dtype;
      EXPECT_TRUE(same_bits(reduce_scatter(values[rank.rank], 0, "tp"), sum.chunk(3, 0)[rank.rank])) << dtype;
      EXPECT_TRUE(same_bits(broadcast(values[rank.rank], 2, "tp"), values[2])) << dtype;
    });
  }
}

TEST(Collectives, TakeViewsThatAreNotContiguous) {
  const auto values = of_all_ranks(2, {4, 6});
  complete(mesh_with({{"tp", 2}}), [&](RankState& rank) {
    const at::Tensor view = values[rank.rank].t().slice(0, 0, 6, 2);
    ASSERT_FALSE(view.is_contiguous());
    const auto view_of = [&](int of) { return values[of].t().slice(0, 0, 6, 2); };
    EXPECT_TRUE(same_bits(all_reduce(view, "tp"), view_of(0) + view_of(1)));
    EXPECT_TRUE(same_bits(all_gather(view, 1, "tp"), at::cat({view_of(0), view_of(1)}, 1)));
    EXPECT_TRUE(same_bits(reduce_scatter(view, 1, "tp"), (view_of(0) + view_of(1)).chunk(2, 1)[rank.rank]));
    EXPECT_TRUE(same_bits(broadcast(view, 1, "tp"), view_of(1)));
  });
}

TEST(Collectives, StayWithinTheirAxisOfAMesh) {
  const auto values = of_all_ranks(4, {2, 2});
  complete(mesh_with({{"dp_shard", 2}, {"tp", 2}}), [&](RankState& rank) {
    const int row = rank.rank / 2, column = rank.rank % 2;
    for (int round = 0; round < 10; ++round) {
      jitter(rank.rank, round);
      EXPECT_EQ(group_rank("dp_shard"), row);
      EXPECT_EQ(group_rank("tp"), column);
      EXPECT_TRUE(same_bits(all_reduce(values[rank.rank], "tp"), values[2 * row] + values[2 * row + 1]));
      EXPECT_TRUE(same_bits(all_gather(values[rank.rank], 0, "dp_shard"), at::cat({values[column], values[2 + column]})));
      EXPECT_TRUE(same_bits(all_gather(values[rank.rank], 0, "world"), at::cat(values)));
    }
  });
}

TEST(Collectives, CountWhatARankHandsIn) {
  complete(mesh_with({{"tp", 2}}), [&](RankState& rank) {
    rank.set_phase(0, Phase::forward);
    all_gather(numbers({3}, 0), 0, "tp");
    all_gather(numbers({5}, 0), 0, "tp");
    all_reduce(numbers({2}, 0, at::kFloat), "world");
    all_reduce(numbers({2}, 0), "cp");  // an axis of degree 1 sends nothing
    EXPECT_THAT(rank.collectives(), ElementsAre(CollectiveCount{"all_gather", "tp", Phase::forward, 2, 64},
                                                CollectiveCount{"all_reduce", "world", Phase::forward, 1, 8}));
    EXPECT_EQ(rank.collectives_issued(), 3);
  });
}

TEST(Collectives, RefuseToLoseAGradientAtAnyDegree) {
  for (const int degree : {1, 2}) {
    complete(mesh_with({{"tp", degree}}), [](RankState&) {
      const at::Tensor input = numbers({2}, 0).requires_grad_();
      EXPECT_THAT(message_of([&] { all_gather(input, 0, "tp"); }), HasSubstr("use gather_from_group"));
      EXPECT_THAT(message_of([&] { all_reduce(input, "tp"); }), HasSubstr("would lose it"));
      const at::NoGradGuard no_gradient;
      EXPECT_FALSE(all_reduce(input, "tp").grad_fn());
    });
  }
}

TEST(Collectives, RefuseADimThatCannotBeDivided) {
  complete(mesh_with({{"tp", 2}}), [](RankState&) {
    EXPECT_THAT(message_of([] { reduce_scatter(numbers({3, 2}, 0), 0, "tp"); }),
                HasSubstr("reduce_scatter of [3, 2] along dim 0 on tp: the dim is not divisible by the group's 2 ranks"));
    EXPECT_THAT(message_of([] { all_gather(numbers({3}, 0), 1, "tp"); }), HasSubstr("the input has 1 dims"));
  });
}

class Recorder : public DispatchMode {
 public:
  explicit Recorder(std::vector<std::string>& seen) : seen_(seen) {}
  void call(const c10::OperatorHandle& op, torch::jit::Stack& stack) override {
    seen_.push_back(op.schema().name());
    op.callBoxed(stack);
  }

 private:
  std::vector<std::string>& seen_;
};

TEST(Collectives, ShowTheirOperatorsToADispatchModeAndNothingOfTheBackend) {
  complete(mesh_with({{"tp", 2}}), [](RankState& rank) {
    const at::Tensor input = numbers({2}, rank.rank);
    std::vector<std::string> seen;
    {
      const DispatchModeScope scope(new Recorder(seen));
      all_reduce(input, "tp");
      if (rank.rank == 0) send(input, 1, 0, "tp");
      if (rank.rank == 1) recv({2}, input.options(), 0, 0, "tp");
    }
    EXPECT_THAT(seen, ElementsAre("_c10d_functional::all_reduce", "_c10d_functional::wait_tensor",
                                  rank.rank == 0 ? "ordercheck::send" : "ordercheck::recv"));
  });
}

}  // namespace
}  // namespace ordercheck::ranks
