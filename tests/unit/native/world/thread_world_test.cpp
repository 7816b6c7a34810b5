// What the world says when its ranks disagree or nobody goes on.
#include "native/world/thread_world.h"

#include <sys/wait.h>
#include <unistd.h>

#include <barrier>
#include <set>
#include <thread>
#include <vector>

#include <ATen/core/dispatch/Dispatcher.h>
#include <gtest/gtest.h>
#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "on_ranks.h"

namespace ordercheck::ranks {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const at::TensorOptions kOptions = at::TensorOptions().dtype(at::kDouble);

// The same failure, to the last word, however the ranks' threads are scheduled.
Failure same_failure_every_time(Ending ending, const Mesh& mesh, const RankBody& body, int times = 30) {
  std::optional<Failure> first;
  for (int round = 0; round < times; ++round) {
    const WorldResult result = run(mesh, [&](RankState& rank) {
      jitter(rank.rank, round);
      body(rank);
    });
    EXPECT_EQ(result.ending, ending) << "round " << round;
    if (!result.failure) {
      ADD_FAILURE() << "no failure in round " << round;
      return {};
    }
    if (!first) first = result.failure;
    EXPECT_EQ(*result.failure, *first) << "round " << round << ": " << result.failure->message;
  }
  return *first;
}

TEST(Mismatch, OfOperationsNamesBothRanksAndWhatTheyIssued) {
  const Failure failure = same_failure_every_time(Ending::failed, mesh_with({{"tp", 2}}), [](RankState& rank) {
    rank.set_phase(1, Phase::forward);
    for (int i = 0; i < 3; ++i) all_reduce(numbers({2}, 0), "tp");
    rank.enter_module("layers.1");
    if (rank.rank == 0) all_reduce(numbers({4, 24, 48}, 0), "tp");
    if (rank.rank == 1) all_gather(numbers({2}, 0), 0, "tp");
    rank.leave_module();
  });
  EXPECT_EQ(failure.message,
            "rank 0 issued all_reduce(sum) float64 [4, 24, 48] and rank 1 issued all_gather float64 [2] as number 3 on tp");
  EXPECT_EQ(failure.rank, 0);
  EXPECT_EQ(failure.phase, Phase::forward);
  EXPECT_EQ(failure.module, "layers.1");
  EXPECT_EQ(failure.operation, "all_reduce");
  EXPECT_EQ(failure.group, "tp");
  EXPECT_EQ(failure.sequence, 3);
  EXPECT_THAT(failure.ranks, ElementsAre("rank 0: forward, layers.1, in all_reduce #3 on tp, float64 [4, 24, 48]",
                                         "rank 1: forward, layers.1, in all_gather #3 on tp, float64 [2]"));
}

TEST(Mismatch, OfOneAmongManyNamesTheLowestRankAndTheOneThatDiffers) {
  const Failure failure = same_failure_every_time(
      Ending::failed, mesh_with({{"tp", 4}}), [](RankState& rank) { all_reduce(numbers({rank.rank == 2 ? 3 : 4}, 0), "tp"); });
  EXPECT_EQ(failure.message,
            "rank 0 issued all_reduce(sum) float64 [4] and rank 2 issued all_reduce(sum) float64 [3] as number 0 on tp");
}

TEST(Mismatch, OfDtypes) {
  const Failure failure = same_failure_every_time(Ending::failed, mesh_with({{"tp", 2}}), [](RankState& rank) {
    all_gather(numbers({4}, 0, rank.rank == 0 ? at::kDouble : at::kFloat), 0, "tp");
  });
  EXPECT_EQ(failure.message, "rank 0 issued all_gather float64 [4] and rank 1 issued all_gather float32 [4] as number 0 on tp");
}

TEST(Mismatch, OfReductionsAndSources) {
  EXPECT_EQ(same_failure_every_time(
                Ending::failed, mesh_with({{"tp", 2}}),
                [](RankState& rank) { all_reduce(numbers({1}, 0), "tp", rank.rank ? Reduction::max : Reduction::sum); })
                .message,
            "rank 0 issued all_reduce(sum) float64 [1] and rank 1 issued all_reduce(max) float64 [1] as number 0 on tp");
  EXPECT_EQ(same_failure_every_time(Ending::failed, mesh_with({{"tp", 2}}),
                                    [](RankState& rank) { broadcast(numbers({1}, 0), rank.rank, "tp"); })
                .message,
            "rank 0 issued broadcast(from group rank 0) float64 [1] and rank 1 issued broadcast(from group rank 1) "
            "float64 [1] as number 0 on tp");
}

TEST(Mismatch, OfRowsInAllToAll) {
  EXPECT_EQ(same_failure_every_time(Ending::failed, mesh_with({{"tp", 2}}),
                                    [](RankState& rank) {
                                      const int64_t wrong = rank.rank == 1 ? 3 : 1;
                                      all_to_all(numbers({2}, 0), {wrong, 1}, {1, 1}, "tp");
                                    })
                .message,
            "all_to_all: rank 0 sends 1 rows to rank 1, which expects 3, as number 0 on tp");
}

// The group is not complete and never will be, but two ranks already disagree: that is the cause.
TEST(Mismatch, IsReportedRatherThanTheDeadlockThatItCauses) {
  const Failure failure = same_failure_every_time(Ending::failed, mesh_with({{"tp", 3}}), [](RankState& rank) {
    if (rank.rank == 0) all_reduce(numbers({1}, 0), "tp");
    if (rank.rank == 1) all_gather(numbers({1}, 0), 0, "tp");
  });
  EXPECT_THAT(failure.message, HasSubstr("rank 0 issued all_reduce(sum) float64 [1] and rank 1 issued all_gather"));
  EXPECT_EQ(failure.ranks.at(2), "rank 2: finished");
}

TEST(Deadlock, AcrossGroupsNamesEveryRanksPlace) {
  const Failure failure =
      same_failure_every_time(Ending::deadlocked, mesh_with({{"dp_shard", 2}, {"tp", 2}}), [](RankState& rank) {
        rank.set_phase(0, Phase::forward);
        rank.enter_module("layers.0");
        // Ranks 0 and 3 begin with tp, 1 and 2 with dp_shard: everybody waits for a rank that waits elsewhere.
        const bool tp_first = rank.rank == 0 || rank.rank == 3;
        all_gather(numbers({2}, 0), 0, tp_first ? "tp" : "dp_shard");
        all_gather(numbers({2}, 0), 0, tp_first ? "dp_shard" : "tp");
        rank.leave_module();
      });
  EXPECT_EQ(failure.message,
            "no rank can go on: rank 0 waits in all_gather #0 on tp (layers.0, forward); "
            "rank 1 waits in all_gather #0 on dp_shard (layers.0, forward); "
            "rank 2 waits in all_gather #0 on dp_shard (layers.0, forward); "
            "rank 3 waits in all_gather #0 on tp (layers.0, forward)");
  EXPECT_EQ(failure.rank, 0);
  EXPECT_EQ(failure.module, "layers.0");
  EXPECT_EQ(failure.operation, "all_gather");
  EXPECT_EQ(failure.group, "tp");
  EXPECT_EQ(failure.sequence, 0);
  EXPECT_EQ(failure.ranks.size(), 4u);
}

TEST(Deadlock, OfARankThatFinished) {
  const Failure failure = same_failure_every_time(Ending::deadlocked, mesh_with({{"tp", 2}}), [](RankState& rank) {
    rank.set_phase(0, Phase::backward);
    for (int i = 0; i < 7 + (rank.rank == 0); ++i) all_gather(numbers({1}, 0), 0, "tp");
  });
  EXPECT_EQ(failure.message, "no rank can go on: rank 0 waits in all_gather #7 on tp (backward); rank 1 finished");
}

TEST(Deadlock, OfTwoThatBothSendFirst) {
  const Failure failure = same_failure_every_time(Ending::deadlocked, mesh_with({{"pp", 2}}), [](RankState& rank) {
    rank.set_phase(0, Phase::forward);
    send(numbers({1}, 0), 1 - rank.rank, 4, "pp");
    recv({1}, kOptions, 1 - rank.rank, 4, "pp");
  });
  EXPECT_EQ(failure.message,
            "no rank can go on: rank 0 waits in send #0 to rank 1, tag 4, on pp (forward); "
            "rank 1 waits in send #0 to rank 0, tag 4, on pp (forward)");
}

TEST(Deadlock, OfARingThatOnlyReceives) {
  const Failure failure = same_failure_every_time(Ending::deadlocked, mesh_with({{"pp", 4}}), [](RankState& rank) {
    const at::Tensor got = recv({1}, kOptions, (rank.rank + 1) % 4, 0, "pp");
    send(got, (rank.rank + 3) % 4, 0, "pp");
  });
  EXPECT_THAT(failure.message, HasSubstr("rank 3 waits in recv #0 from rank 0, tag 0, on pp"));
}

TEST(Deadlock, OfAMessageThatNobodyTakes) {
  const Failure failure = same_failure_every_time(Ending::deadlocked, mesh_with({{"pp", 2}}), [](RankState& rank) {
    if (rank.rank == 0) send(numbers({1}, 0), 1, 0, "pp");
  });
  EXPECT_THAT(failure.message, HasSubstr("rank 0 waits in send #0 to rank 1, tag 0, on pp (build); rank 1 finished"));
}

// Found at once and always, by looking and not by a clock: a miss would hang the test.
TEST(Deadlock, IsFound500TimesOf500) {
  int found = 0;
  for (int round = 0; round < 500; ++round) {
    const WorldResult result = run(mesh_with({{"tp", 4}}), [&](RankState& rank) {
      for (int i = 0; i < round % 5; ++i) all_reduce(numbers({2}, 0), "tp");
      switch (round % 4) {
        case 0:  // one finished
          if (rank.rank != round / 4 % 4) all_reduce(numbers({2}, 0), "tp");
          break;
        case 1:  // messages against a collective
          if (rank.rank == 0)
            recv({1}, kOptions, 1, 0, "tp");
          else
            all_reduce(numbers({2}, 0), "tp");
          break;
        case 2:  // all send
          send(numbers({1}, 0), (rank.rank + 1) % 4, 0, "tp");
          break;
        default:  // two groups
          all_reduce(numbers({2}, 0), rank.rank % 2 ? "world" : "tp");
      }
    });
    found += result.ending == Ending::deadlocked;
  }
  EXPECT_EQ(found, 500);
}

TEST(Undelivered, IsWhatNobodyWaitedFor) {
  const Failure failure = same_failure_every_time(Ending::failed, mesh_with({{"tp", 2}}), [](RankState& rank) {
    if (rank.rank == 1) return;
    std::vector<at::Tensor> tensors{numbers({2}, 0)};
    c10d::resolve_process_group("tp")->allreduce(tensors);
  });
  EXPECT_EQ(failure.message,
            "rank 0 issued all_reduce(sum) float64 [2] as number 0 on tp and finished; rank 1 finished without it");
  EXPECT_EQ(failure.rank, 0);
  EXPECT_EQ(failure.operation, "all_reduce");
}

TEST(ThreadWorld, WithEveryExpertOnEveryRankAllOfThemHoldTheSame) {
  complete(mesh_with({{"dp_shard", 2}}),
           [](RankState&) { EXPECT_EQ(all_reduce(at::ones({1}, kOptions), "edp").item<double>(), 2); });
}

// A failed world must not keep the tensors of its ranks.
TEST(ThreadWorld, LetsGoOfTensorsWhenItFails) {
  const at::Tensor input = numbers({4}, 0);
  for (int round = 0; round < 5; ++round) {
    const WorldResult result = run(mesh_with({{"tp", 2}}), [&](RankState& rank) {
      if (rank.rank == 0) all_reduce(input, "tp");
      if (rank.rank == 1) all_gather(input, 0, "tp");
    });
    EXPECT_EQ(result.ending, Ending::failed);
  }
  EXPECT_EQ(input.use_count(), 1u);
}

// What c10d asks of the backend beyond the collectives of collectives.h.
std::vector<at::Tensor> call_coalesced(const char* name, torch::jit::Stack arguments) {
  c10::Dispatcher::singleton().findSchemaOrThrow(name, "").callBoxed(arguments);
  std::vector<at::Tensor> results = arguments.front().toTensorVector();
  for (at::Tensor& result : results) {
    torch::jit::Stack waited{result};
    c10::Dispatcher::singleton().findSchemaOrThrow("_c10d_functional::wait_tensor", "").callBoxed(waited);
    result = waited.front().toTensor();
  }
  return results;
}

TEST(ThreadBackend, DoesTheCoalescedForms) {
  complete(mesh_with({{"tp", 2}}), [](RankState& rank) {
    const auto both = [](auto of_rank) { return std::vector<at::Tensor>{of_rank(0), of_rank(1)}; };
    const auto small = [](int of) { return numbers({2}, of); };
    const auto large = [](int of) { return numbers({4, 3}, of); };
    const std::vector<at::Tensor> inputs{small(rank.rank), large(rank.rank)};
    const auto gathered = call_coalesced("_c10d_functional::all_gather_into_tensor_coalesced", {inputs, 2, "tp"});
    EXPECT_TRUE(same_bits(gathered.at(0), at::cat(both(small))));
    EXPECT_TRUE(same_bits(gathered.at(1), at::cat(both(large))));
    const auto scattered = call_coalesced("_c10d_functional::reduce_scatter_tensor_coalesced", {inputs, "sum", 2, "tp"});
    EXPECT_TRUE(same_bits(scattered.at(0), (small(0) + small(1)).chunk(2)[rank.rank]));
    EXPECT_TRUE(same_bits(scattered.at(1), (large(0) + large(1)).chunk(2)[rank.rank]));
    const auto reduced = call_coalesced("_c10d_functional::all_reduce_coalesced", {inputs, "max", "tp"});
    EXPECT_TRUE(same_bits(reduced.at(0), small(1)));
    EXPECT_TRUE(same_bits(reduced.at(1), large(1)));
  });
}

TEST(ThreadBackend, BlocksOnlyInWait) {
  complete(mesh_with({{"tp", 2}}), [](RankState& rank) {
    std::vector<at::Tensor> first{numbers({2}, rank.rank)}, second{numbers({3}, rank.rank)};
    const auto group = c10d::resolve_process_group("tp");
    const auto one = group->allreduce(first);
    const auto two = group->allreduce(second);
    two->wait();
    EXPECT_TRUE(one->isCompleted());
    one->wait();
    EXPECT_TRUE(same_bits(first[0], numbers({2}, 0) + numbers({2}, 1)));
    EXPECT_TRUE(same_bits(second[0], numbers({3}, 0) + numbers({3}, 1)));
  });
}

// However early the others come: peaks of memory are the same in every run.
TEST(ThreadBackend, KeepsWhatARankSendsUpToItsWait) {
  std::atomic<int> issued{0};
  complete(mesh_with({{"tp", 3}}), [&](RankState& rank) {
    at::Tensor piece = numbers({2}, rank.rank);
    const auto storage = piece.storage().getWeakStorageImpl();
    torch::jit::Stack arguments{std::move(piece), 3, "tp"};
    jitter(rank.rank, 0);
    c10::Dispatcher::singleton().findSchemaOrThrow("_c10d_functional::all_gather_into_tensor", "").callBoxed(arguments);
    ++issued;
    while (issued.load() < 3) std::this_thread::yield();
    EXPECT_FALSE(storage.expired());
    c10::Dispatcher::singleton().findSchemaOrThrow("_c10d_functional::wait_tensor", "").callBoxed(arguments);
    EXPECT_TRUE(storage.expired());
  });
}

TEST(ThreadBackend, MeetsAtABarrier) {
  std::atomic<int> came{0};
  complete(mesh_with({{"tp", 4}}), [&](RankState& rank) {
    jitter(rank.rank, 0);
    ++came;
    c10d::resolve_process_group("tp")->barrier()->wait();
    EXPECT_EQ(came.load(), 4);
  });
}

TEST(ThreadBackend, SaysWhatItCannotDo) {
  const WorldResult result = run(mesh_with({{"tp", 2}}), [](RankState&) {
    std::vector<at::Tensor> tensors{numbers({2}, 0)};
    c10d::AllreduceOptions options;
    options.reduceOp = c10d::ReduceOp::PRODUCT;
    c10d::resolve_process_group("tp")->allreduce(tensors, options);
  });
  EXPECT_EQ(result.ending, Ending::failed);
  EXPECT_THAT(result.failure.value().message, HasSubstr("ranks reduce by sum or max"));
}

TEST(ThreadBackend, RefusesASourceOutsideTheGroup) {
  const WorldResult result = run(mesh_with({{"tp", 2}}), [](RankState&) { broadcast(numbers({2}, 0), 2, "tp"); });
  EXPECT_EQ(result.failure.value().message, "broadcast on tp from group rank 2: expected 0 to 1");
}

// What ATen itself refuses comes back as the failure of the ranks that met.
TEST(ThreadBackend, ReportsAnExchangeThatATenRefuses) {
  const WorldResult result = run(mesh_with({{"tp", 2}}), [](RankState&) {
    std::vector<at::Tensor> tensors{at::zeros({2}, at::kComplexDouble)};
    c10d::AllreduceOptions options;
    options.reduceOp = c10d::ReduceOp::MAX;
    c10d::resolve_process_group("tp")->allreduce(tensors, options)->wait();
  });
  EXPECT_EQ(result.ending, Ending::failed);
  EXPECT_THAT(result.failure.value().message, HasSubstr("all_reduce(max) complex128 [2] as number 0 on tp: "));
}

std::vector<std::thread::id> threads_of(int count) {
  std::vector<std::thread::id> ids(count);
  run_on_rank_threads(
      count, [&](int rank) { ids[rank] = std::this_thread::get_id(); },
      [](int rank, const std::system_error& error) { ADD_FAILURE() << rank << ": " << error.what(); });
  return ids;
}

TEST(RankThreads, AreOneARankAndTheSameAgain) {
  const auto first = threads_of(3), again = threads_of(5);
  EXPECT_EQ(std::set(again.begin(), again.end()).size(), 5u);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), again.begin()));
  EXPECT_EQ(threads_of(1).front(), first.front());
}

TEST(RankThreads, RunAllAtOnce) {
  std::barrier all(4);
  run_on_rank_threads(4, [&](int) { all.arrive_and_wait(); }, [](int, const std::system_error&) { FAIL(); });
}

// A fork has the memory of threads, and not the threads.
TEST(RankThreads, AreStartedAnewInAFork) {
  threads_of(2);
  const pid_t child = fork();
  if (child == 0) _exit(threads_of(2).size() == 2 ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace ordercheck::ranks
