#include "native/world/world.h"

#include <pthread.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <set>

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>

#include "native/arith/range.h"
#include "on_ranks.h"

namespace ordercheck::ranks {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::ptrdiff_t threads_of_this_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

TEST(World, RunsEachRankOnceOnAThreadOfItsOwn) {
  std::mutex mutex;
  std::set<int> ranks;
  std::set<std::thread::id> threads;
  complete(mesh_with({{"pp", 2}, {"tp", 3}}), [&](RankState& rank) {
    char name[16];
    pthread_getname_np(pthread_self(), name, sizeof name);
    EXPECT_EQ(std::string(name), "rank " + std::to_string(rank.rank));
    EXPECT_EQ(&this_rank(), &rank);
    EXPECT_EQ(at::get_num_threads(), 1);
    const std::lock_guard lock(mutex);
    EXPECT_TRUE(ranks.insert(rank.rank).second);
    threads.insert(std::this_thread::get_id());
  });
  EXPECT_THAT(ranks, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(threads.size(), 6u);
  EXPECT_EQ(find_rank(), nullptr);
}

TEST(World, RegistersGroupsOnlyForAxesThatHaveRanks) {
  complete(mesh_with({{"tp", 2}}), [](RankState&) {
    EXPECT_EQ(c10d::resolve_process_group("tp")->getSize(), 2);
    EXPECT_EQ(c10d::resolve_process_group("world")->getSize(), 2);
    EXPECT_ANY_THROW(c10d::resolve_process_group("pp"));
  });
  complete(Mesh{}, [](RankState&) { EXPECT_ANY_THROW(c10d::resolve_process_group("world")); });
}

TEST(World, ReportsTheRankThatThrewAndNotThoseThatWaitedForIt) {
  for (int round = 0; round < 50; ++round) {
    const WorldResult result = run(mesh_with({{"tp", 4}}), [&](RankState& rank) {
      jitter(rank.rank, round);
      rank.set_phase(2, Phase::optimizer);
      all_reduce(numbers({2}, 0), "tp");
      if (rank.rank == 2) TORCH_CHECK(false, "boom in\nrank 2");
      all_reduce(numbers({2}, 0), "tp");
    });
    EXPECT_EQ(result.ending, Ending::failed);
    ASSERT_TRUE(result.failure);
    EXPECT_EQ(result.failure->message, "boom in rank 2");
    EXPECT_EQ(result.failure->rank, 2);
    EXPECT_EQ(result.failure->phase, Phase::optimizer);
    EXPECT_EQ(result.failure->operation, "");
    EXPECT_THAT(result.failure->ranks,
                ElementsAre("rank 0: optimizer, in all_reduce #1 on tp, float64 [2]",
                            "rank 1: optimizer, in all_reduce #1 on tp, float64 [2]", "rank 2: optimizer",
                            "rank 3: optimizer, in all_reduce #1 on tp, float64 [2]"));
  }
}

TEST(World, OfSeveralThatThrowReportsTheEarliestStepThenTheLowestRank) {
  for (int round = 0; round < 30; ++round) {
    const WorldResult result = run(mesh_with({{"tp", 4}}), [&](RankState& rank) {
      jitter(rank.rank, round);
      rank.set_phase(rank.rank == 0 ? 1 : 0, Phase::forward);
      if (rank.rank != 3) throw std::runtime_error("boom in rank " + std::to_string(rank.rank));
    });
    EXPECT_EQ(result.failure.value().message, "boom in rank 1");
  }
}

TEST(World, ReportsAHookThatThrowsInBackward) {
  const WorldResult result = run(mesh_with({{"tp", 2}}), [](RankState& rank) {
    rank.set_phase(0, Phase::backward);
    const at::Tensor input = numbers({3}, rank.rank).requires_grad_();
    const at::Tensor output = copy_to_group(input, "tp") * 2;
    if (rank.rank == 1) output.register_hook([](const at::Tensor&) { throw std::runtime_error("boom in a hook"); });
    torch::autograd::backward({output.sum()}, {});
  });
  EXPECT_EQ(result.ending, Ending::failed);
  EXPECT_EQ(result.failure.value().message, "boom in a hook");
  EXPECT_EQ(result.failure->rank, 1);
  EXPECT_EQ(result.failure->phase, Phase::backward);
  EXPECT_EQ(result.failure->ranks.at(0), "rank 0: backward, in all_reduce #0 on tp, float64 [3]");
}

TEST(World, TakesAnythingThatIsThrown) {
  EXPECT_EQ(run(Mesh{}, [](RankState&) { throw 42; }).failure.value().message,
            "something that is no std::exception was thrown");
}

TEST(World, EndsOutOfRangeWhereExactArithmeticDid) {
  const WorldResult result = run(mesh_with({{"tp", 2}}), [](RankState& rank) {
    if (rank.rank == 1) throw OutOfRange("too large");
    all_reduce(numbers({2}, 0), "tp");
  });
  EXPECT_EQ(result.ending, Ending::out_of_range);
  EXPECT_EQ(result.failure.value().message, "too large");
  EXPECT_EQ(result.failure->rank, 1);
}

// A rank that swallows the exception of a failed world cannot make the failure go away, nor hang.
TEST(World, StaysFailedWhenARankSwallowsTheException) {
  const WorldResult result = run(mesh_with({{"tp", 2}}), [](RankState& rank) {
    try {
      all_reduce(numbers({rank.rank + 1}, 0), "tp");
    } catch (const std::exception&) {
    }
    all_reduce(numbers({1}, 0), "tp");
  });
  EXPECT_EQ(result.ending, Ending::failed);
  EXPECT_THAT(result.failure.value().message, HasSubstr("float64 [1] and rank 1 issued all_reduce(sum) float64 [2]"));
}

WorldResult run_with(const Fault& fault, const Mesh& mesh, const RankBody& body) {
  return run_thread_world(mesh, {.flight = nullptr, .fault = fault}, body);
}

TEST(World, SkipsACollectiveOnRequest) {
  Fault fault{.kind = "skip_collective", .rank = 1, .module = "", .phase = Phase::forward, .sequence = 2};
  const WorldResult result = run_with(fault, mesh_with({{"tp", 2}}), [](RankState& rank) {
    for (int i = 0; i < 2; ++i) all_reduce(numbers({2}, 0), "tp");
    const at::Tensor third = all_gather(numbers({2}, 0), 0, "tp");
    EXPECT_EQ(rank.rank, 1) << "rank 0 must not get past a collective that rank 1 skipped";
    EXPECT_TRUE(same_bits(third, at::zeros({4}, at::kDouble)));
  });
  EXPECT_EQ(result.ending, Ending::deadlocked);
  EXPECT_THAT(result.failure.value().message, HasSubstr("rank 0 waits in all_gather #2 on tp"));
  // The next one stands in for the one skipped: rank 1 is one behind from there on.
  fault.rank = 0;
  const WorldResult shifted = run_with(fault, mesh_with({{"tp", 2}}), [](RankState&) {
    for (int i = 0; i < 3; ++i) all_reduce(numbers({2}, 0), "tp");
    all_reduce(numbers({3}, 0), "tp");
  });
  EXPECT_EQ(shifted.failure.value().message,
            "rank 0 issued all_reduce(sum) float64 [3] and rank 1 issued all_reduce(sum) float64 [2] as number 2 on tp");
}

TEST(World, HandsInAWrongShapeOnRequest) {
  const Fault fault{.kind = "wrong_shape", .rank = 1, .module = "", .phase = Phase::forward, .sequence = 1};
  const auto message = [&](const RankBody& second) {
    const WorldResult result = run_with(fault, mesh_with({{"tp", 2}}), [&](RankState& rank) {
      all_reduce(numbers({2}, 0), "tp");
      second(rank);
    });
    EXPECT_EQ(result.ending, Ending::failed);
    return result.failure ? result.failure->message : "";
  };
  EXPECT_EQ(message([](RankState&) { all_gather(numbers({2, 3}, 0), 0, "tp"); }),
            "rank 0 issued all_gather float64 [2, 3] and rank 1 issued all_gather float64 [3, 3] as number 1 on tp");
  EXPECT_EQ(message([](RankState&) { all_reduce(numbers({}, 0), "tp"); }),
            "rank 0 issued all_reduce(sum) float64 [] and rank 1 issued all_reduce(sum) float64 [2] as number 1 on tp");
  EXPECT_THAT(message([](RankState&) { all_to_all(numbers({2}, 0), {1, 1}, {1, 1}, "tp"); }),
              HasSubstr("rank 1 issued all_to_all of float64 [3] rows that its input splits [1, 1] do not divide"));
  EXPECT_THAT(message([](RankState& rank) {
                if (rank.rank == 0) send(numbers({2}, 0), 1, 0, "tp");
                if (rank.rank == 1) recv({2}, at::kDouble, 0, 0, "tp");
              }),
              HasSubstr("rank 0 sent float64 [2] and rank 1 expects float64 [3]"));
}

TEST(World, WritesTheFlightFile) {
  const auto path = std::filesystem::temp_directory_path() / ("ordercheck_world_" + std::to_string(getpid()));
  auto flight = FlightRecorder::create(path, 2);
  ASSERT_TRUE(flight) << flight.error().message;
  const WorldResult result =
      run_thread_world(mesh_with({{"tp", 2}}), {.flight = flight->get(), .fault = {}}, [](RankState& rank) {
        rank.set_phase(1, Phase::forward);
        rank.enter_module("layers.0");
        all_gather(numbers({2}, 0), 0, "tp");
        if (rank.rank == 0) all_reduce(numbers({3}, 0), "tp");
        rank.leave_module();
      });
  EXPECT_EQ(result.ending, Ending::deadlocked);
  const auto slots = read_flight(path);
  std::filesystem::remove(path);
  ASSERT_TRUE(slots) << slots.error().message;
  EXPECT_EQ(slots->at(0).operation, "all_reduce");
  EXPECT_EQ(slots->at(0).group, "tp");
  EXPECT_EQ(slots->at(0).sequence, 1);
  EXPECT_EQ(slots->at(0).shape, "float64 [3]");
  EXPECT_EQ(slots->at(0).module, "layers.0");
  EXPECT_FALSE(slots->at(0).finished);
  EXPECT_TRUE(slots->at(1).finished);
  EXPECT_EQ(slots->at(1).operation, "");
}

TEST(World, LeavesNoThreadAndNoGroupBehind) {
  const auto round = [](int i) {
    const WorldResult result = run(mesh_with({{"dp_shard", 2}, {"tp", 2}}), [&](RankState& rank) {
      const at::Tensor input = numbers({4}, rank.rank).requires_grad_();
      torch::autograd::backward({gather_from_group(input, 0, "tp").sum()}, {});
      if (i % 4 == 1 && rank.rank == 0) throw std::runtime_error("boom");
      if (i % 4 == 2 && rank.rank == 1) return;
      all_reduce(numbers({i % 4 == 3 ? rank.rank + 1 : 1}, 0), "world");
    });
    EXPECT_EQ(result.ending == Ending::completed, i % 4 == 0);
    return result.ending;
  };
  round(0);  // autograd starts threads of its own with its first use
  const auto before = threads_of_this_process();
  for (int i = 0; i < 200; ++i) round(i);
  EXPECT_EQ(threads_of_this_process(), before);
  for (const char* group : {"tp", "dp_shard", "world"})
    std::thread([&] { EXPECT_ANY_THROW(c10d::resolve_process_group(group)) << group; }).join();
}

// Threads run ranks of one world after another, and autograd keeps its queue with the thread.
TEST(World, LetsGoOfWhatAFailedBackwardLeft) {
  float numbers[2] = {1, 2};
  bool let_go = false;
  const WorldResult result = run(Mesh{}, [&](RankState&) {
    const at::Tensor leaf = at::ones({2}).requires_grad_();
    const at::Tensor saved = at::from_blob(numbers, {2}, [&](void*) { let_go = true; });
    const at::Tensor waits = leaf * saved, throws = leaf.exp();
    throws.register_hook([](const at::Tensor&) { throw std::runtime_error("thrown in backward"); });
    (waits + throws).sum().backward();
  });
  ASSERT_EQ(result.ending, Ending::failed);
  EXPECT_THAT(result.failure->message, testing::HasSubstr("thrown in backward"));
  EXPECT_TRUE(let_go);
}

}  // namespace
}  // namespace ordercheck::ranks
