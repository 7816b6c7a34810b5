#include "ranks/comm/thread_backend.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "on_ranks.h"

// What c10d asks of the backend beyond the collectives of collectives.h.
namespace ordercheck::ranks {
namespace {

using testing::HasSubstr;

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

}  // namespace
}  // namespace ordercheck::ranks
