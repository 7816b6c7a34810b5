#include "graph/costs.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "unit/graph/dense.h"
#include "unit/graph/graph_builder.h"

namespace ordercheck::placing {
namespace {

const DeviceMesh kOne{{"tp", 4}};
const DeviceMesh kTwo{{"dp_shard", 2}, {"tp", 2}};

Nanoseconds cost(const Placements& from, const Placements& to, const DeviceMesh& mesh, std::int64_t rows = 1024) {
  return move_cost({.shape = {rows, 1024}, .element_bytes = 4}, from, to, mesh, h100(mesh));
}

Placement arbitrary_placement() { return *rc::gen::element(replicate(), shard(0), shard(1), partial()); }

TEST(MoveCost, A9StayingCostsNothing) {
  for (const Placement each : {replicate(), shard(0), shard(1), partial()}) EXPECT_EQ(cost({each}, {each}, kOne), 0);
}

TEST(MoveCost, A9NothingBecomesAPartialSum) {
  EXPECT_EQ(cost({shard(0)}, {partial()}, kOne), kForbidden);
  EXPECT_EQ(cost({replicate()}, {partial()}, kOne), kForbidden);
  EXPECT_EQ(cost({replicate(), partial()}, {partial(), partial()}, kTwo), kForbidden);
}

TEST(MoveCost, A9CuttingWhatIsReplicatedSendsNothing) { EXPECT_EQ(cost({replicate()}, {shard(1)}, kOne), kPreferredStay); }

TEST(MoveCost, A9AGatherAndAScatterOfTheSameBytesCostTheSame) {
  EXPECT_EQ(cost({shard(0)}, {replicate()}, kOne), cost({partial()}, {shard(0)}, kOne));
}

TEST(MoveCost, A9AnotherDimThanTheFirstIsDearer) {
  EXPECT_GT(cost({shard(1)}, {replicate()}, kOne), cost({shard(0)}, {replicate()}, kOne));
  EXPECT_GT(cost({partial()}, {shard(1)}, kOne), cost({partial()}, {shard(0)}, kOne));
}

TEST(MoveCost, A9AnAllReduceIsAScatterAndAGather) {
  const Link link{.bytes_per_us = 100, .latency_us = 3};
  EXPECT_EQ(collective_us(Collective::all_reduce, 4000, 4, link),
            collective_us(Collective::reduce_scatter, 4000, 4, link) + collective_us(Collective::all_gather, 4000, 4, link));
  EXPECT_EQ(collective_us(Collective::all_gather, 4000, 4, link), 3 * 3 + 4000.0 * 3 / 4 / 100);
}

RC_GTEST_PROP(MoveCost, A9IsNeverNegativeAndGrowsWithBytes, ()) {
  const Placements from{arbitrary_placement(), arbitrary_placement()}, to{arbitrary_placement(), arbitrary_placement()};
  const Nanoseconds few = cost(from, to, kTwo, 64), many = cost(from, to, kTwo, 64 * *rc::gen::inRange(2, 50));
  RC_ASSERT(few >= 0);
  RC_ASSERT(many >= few);
}

RC_GTEST_PROP(CollectiveCost, A9GrowsWithBytesAndRanks, ()) {
  const auto kind =
      *rc::gen::element(Collective::all_gather, Collective::reduce_scatter, Collective::all_reduce, Collective::all_to_all);
  const Link link{.bytes_per_us = 1.0 * *rc::gen::inRange(1, 1000), .latency_us = 1.0 * *rc::gen::inRange(0, 50)};
  const double bytes = *rc::gen::inRange(1, 100000), more = bytes + *rc::gen::inRange(0, 100000);
  const int ranks = *rc::gen::inRange(1, 64);
  RC_ASSERT(collective_us(kind, bytes, ranks, link) <= collective_us(kind, more, ranks, link));
  RC_ASSERT(collective_us(kind, bytes, ranks, link) <= collective_us(kind, bytes, ranks + 1, link));
  RC_ASSERT(collective_us(kind, bytes, 1, link) == 0);
}

// What holds of any sound cost of a redistribution; the first law that does not, or "".
using CostOfMove = std::function<Nanoseconds(const JointValue&, const Placements&, const Placements&, const DeviceMesh&)>;
std::string broken_law(const CostOfMove& cost_of) {
  const auto of = [&](std::int64_t rows, Placement from, Placement to, int ranks) {
    return cost_of({.shape = {rows, 1024}, .element_bytes = 4}, {from}, {to}, {{"tp", ranks}});
  };
  const std::vector<Placement> all{replicate(), shard(0), shard(1), partial()};
  for (const std::int64_t rows : {64, 1024, 16384}) {
    for (const Placement& from : all) {
      for (const Placement& to : all) {
        const Nanoseconds cost = of(rows, from, to, 4);
        if (cost < 0) return "is not negative";
        if ((cost == 0) != (from == to)) return "is nothing where nothing moves, and only there";
        if ((cost >= kForbidden) != (to == partial() && from != partial())) return "is forbidden towards partial sums alone";
        if (cost >= kForbidden) continue;
        if (of(2 * rows, from, to, 4) < cost) return "grows with bytes";
        if (of(rows, from, to, 8) < cost && !(from == shard(0) && to == shard(1)) && !(from == shard(1) && to == shard(0)))
          return "grows with ranks";
      }
    }
    if (of(rows, shard(0), replicate(), 4) != of(rows, partial(), shard(0), 4)) return "is the same for gather and scatter";
    if (of(rows, shard(1), replicate(), 4) <= of(rows, shard(0), replicate(), 4))
      return "is more for another dim than the first";
    if (of(rows, partial(), shard(1), 4) <= of(rows, partial(), shard(0), 4)) return "is more for another dim than the first";
  }
  return "";
}

Nanoseconds of_h100(const JointValue& value, const Placements& from, const Placements& to, const DeviceMesh& mesh) {
  return move_cost(value, from, to, mesh, h100(mesh));
}

TEST(MoveCost, A9KeepsEveryLaw) { EXPECT_EQ(broken_law(of_h100), ""); }

TEST(MoveCost, A9EveryLawIsMissedWhereItDoesNotHold) {
  const auto tampered = [](const std::function<Nanoseconds(Nanoseconds, std::int64_t, Placement, Placement, int)>& change) {
    return broken_law([change](const JointValue& value, const Placements& from, const Placements& to, const DeviceMesh& mesh) {
      return change(of_h100(value, from, to, mesh), value.shape[0], from[0], to[0], mesh[0].size);
    });
  };
  const auto bytes = [](Nanoseconds cost, std::int64_t rows, Placement, Placement, int) {
    return cost > 0 && cost < kForbidden ? 10'000'000'000 / rows : cost;
  };
  const auto ranks = [](Nanoseconds cost, std::int64_t, Placement, Placement, int count) {
    return cost > 0 && cost < kForbidden ? cost * 64 / count / count : cost;
  };
  EXPECT_EQ(tampered([](Nanoseconds cost, auto...) { return -cost; }), "is not negative");
  EXPECT_EQ(tampered([](Nanoseconds cost, auto...) { return cost + 1; }), "is nothing where nothing moves, and only there");
  EXPECT_EQ(tampered([](Nanoseconds cost, auto...) { return std::min<Nanoseconds>(cost, 1'000'000'000); }),
            "is forbidden towards partial sums alone");
  EXPECT_EQ(tampered(bytes), "grows with bytes");
  EXPECT_EQ(tampered(ranks), "grows with ranks");
  EXPECT_EQ(tampered([](Nanoseconds cost, auto, Placement from, auto...) { return from == partial() ? 2 * cost : cost; }),
            "is the same for gather and scatter");
  EXPECT_EQ(tampered([](Nanoseconds cost, auto, Placement from, Placement to, int) {
              return from == shard(1) && to == replicate() ? cost / 4 : cost;
            }),
            "is more for another dim than the first");
}

// Every route ends where it should, each move begins where the axis is, and what is nested inside a shard never stands while that
// shard changes: so the bytes of each rank are what the moves say.
RC_GTEST_PROP(Route, A10LeadsToItsEndWithoutTouchingAShardThatHoldsAnother, ()) {
  const DeviceMesh mesh{{"dp_replicate", 2}, {"dp_shard", 2}, {"tp", 2}};
  const auto three = [] { return Placements{arbitrary_placement(), arbitrary_placement(), arbitrary_placement()}; };
  const Placements from = three(), to = three();
  const Route way = route(from, to);
  bool asks_for_sums = false;
  for (std::size_t axis = 0; axis < 3; ++axis)
    asks_for_sums = asks_for_sums || (to[axis] == partial() && from[axis] != partial());
  RC_ASSERT(way.possible == !asks_for_sums);
  if (!way.possible) return;
  Placements now = from;
  for (const Move& move : way.moves) {
    RC_ASSERT(now[move.axis] == move.from);
    for (std::size_t inner = move.axis + 1; inner < 3; ++inner) {
      const bool nested = now[inner].kind == Placement::Kind::shard && (now[inner] == move.from || now[inner] == move.to);
      RC_ASSERT(!nested);
    }
    now[move.axis] = move.to;
  }
  RC_ASSERT(now == to);
}

TEST(FlatMove, A12IsOfAxesThatChangeAlike) {
  const DeviceMesh mesh{{"dp_shard", 2}, {"tp", 4}, {"other", 1}};
  const Placements shards{shard(0), shard(0), replicate()}, whole(3, replicate()), sums{partial(), partial(), replicate()};
  EXPECT_TRUE(flat_move({16, 3}, shards, whole, mesh));
  EXPECT_TRUE(flat_move({16, 3}, sums, shards, mesh));
  EXPECT_TRUE(flat_move({16, 3}, sums, whole, mesh));
  EXPECT_FALSE(flat_move({15, 3}, shards, whole, mesh)) << "uneven";
  EXPECT_FALSE(flat_move({16, 4}, {shard(0), shard(1), replicate()}, whole, mesh)) << "not alike";
  EXPECT_FALSE(flat_move({16, 3}, whole, shards, mesh)) << "sends nothing";
  EXPECT_FALSE(flat_move({16, 3}, {shard(0)}, {replicate()}, {{"dp_shard", 2}})) << "one axis";
}

TEST(FlatMove, A9CostsAsOnAMeshOfOneAxis) {
  const DeviceMesh two{{"dp_shard", 2}, {"tp", 4}}, one{{"dp_shard", 8}};
  const JointValue value{.shape = {16, 3}};
  EXPECT_EQ(move_cost(value, {shard(0), shard(0)}, {replicate(), replicate()}, two, h100(two)),
            move_cost(value, {shard(0)}, {replicate()}, one, h100(one)));
}

TEST(Route, IsEmptyWhereNothingChanges) { EXPECT_TRUE(route({shard(0), partial()}, {shard(0), partial()}).moves.empty()); }

TEST(Route, GathersWhatIsInsideAShardThatChanges) {
  const Route way = route({shard(0), shard(0)}, {replicate(), shard(0)});
  const std::vector<Move> expected{{1, shard(0), replicate()}, {0, shard(0), replicate()}, {1, replicate(), shard(0)}};
  EXPECT_EQ(way.moves, expected);
}

JointGraph product(std::int64_t size, int bytes = 2) {
  GraphBuilder builder;
  const int a = builder.input({size, size}), b = builder.input({size, size});
  const int c = builder.op("aten::mm", {a, b}, {size, size});
  for (const int value : {a, b, c}) builder.set_bytes(value, bytes);
  return builder.graph();
}

Nanoseconds product_cost(std::int64_t size, const std::string& name, const DeviceMesh& mesh = kOne) {
  const JointGraph graph = product(size);
  for (const Strategy& each : strategies_of(graph, 2, mesh).choices) {
    if (name_of(each) == name) return run_cost(graph, 2, each, mesh, h100(mesh)).value();
  }
  ADD_FAILURE() << "no " << name;
  return 0;
}

TEST(RunCost, A9IsAtLeastThatOfALaunch) { EXPECT_EQ(product_cost(8, "R,R->R"), 7000); }

TEST(RunCost, IsByTheProductsWhereTheseTakeLongest) {
  const double flops = 2.0 * 4096 * 4096 * 4096;
  EXPECT_EQ(product_cost(4096, "R,R->R"), std::llround(flops / 989e6 / 0.7 * 1000));
  EXPECT_NEAR(static_cast<double>(product_cost(4096, "R,R->R")), 4.0 * static_cast<double>(product_cost(4096, "S(0),R->S(0)")),
              4);
  EXPECT_EQ(product_cost(4096, "S(1),S(0)->P"), product_cost(4096, "S(0),R->S(0)"));
}

TEST(RunCost, OfViewsIsNothing) {
  GraphBuilder builder;
  builder.op("aten::view", {builder.input({4096, 4096})}, {4096 * 4096}, {"[-1]"});
  EXPECT_EQ(run_cost(builder.graph(), 1, strategies_of(builder.graph(), 1, kOne).choices[0], kOne, h100(kOne)).value(), 0);
}

TEST(RunCost, OfElementsThatTheMachineDoesNotKnowIsAnError) {
  const JointGraph graph = product(64, 1);
  const auto unknown = run_cost(graph, 2, strategies_of(graph, 2, kOne).choices[0], kOne, h100(kOne));
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message, "%2 aten::mm: the machine states no speed for products of elements of 1 bytes");
}

TEST(AddCosts, KeepsWhatIsForbidden) {
  EXPECT_EQ(add_costs(kForbidden, 5), kForbidden);
  EXPECT_EQ(add_costs(kForbidden, kForbidden), kForbidden);
  EXPECT_EQ(add_costs(2, 3), 5);
}

const DeviceMesh kMesh{{"dp_shard", 2}, {"tp", 2}};

TEST(CheckMachine, TakesTheStatedOne) { EXPECT_TRUE(check_machine(h100(kMesh), kMesh)); }

TEST(CheckMachine, WantsALinkForEveryAxis) {
  EXPECT_EQ(check_machine(h100({{"tp", 2}}), kMesh).error().message,
            "the machine states 1 links for a mesh of 2 axes; expected one per axis");
}

TEST(CheckMachine, WantsSpeedsAboveZero) {
  Machine machine = h100(kMesh);
  machine.links[1].bytes_per_us = 0;
  EXPECT_FALSE(check_machine(machine, kMesh));
  machine = h100(kMesh);
  machine.links[0].latency_us = -1;
  EXPECT_FALSE(check_machine(machine, kMesh));
  machine = h100(kMesh);
  machine.memory_bytes_per_us = 0;
  EXPECT_FALSE(check_machine(machine, kMesh));
  machine = h100(kMesh);
  machine.flops_per_us[2] = -1;
  EXPECT_FALSE(check_machine(machine, kMesh));
  machine = h100(kMesh);
  machine.launch_us = 0;
  EXPECT_TRUE(check_machine(machine, kMesh));
}

}  // namespace
}  // namespace ordercheck::placing
