// Ranks that are threads on one device: a mutant for each kind of error that only a device shows, beside its correct twin, and on the CPU,
// where both are right.
#include <atomic>

#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "device/fake_device.h"
#include "on_ranks.h"

namespace ordercheck::ranks {
namespace {

using testing::HasSubstr;

// "completed", or the message of the failure.
std::string outcome(c10::Device device, const RankBody& body) {
  const WorldResult result = run_thread_world(mesh_with({{"tp", 2}}), {.devices = {device, device}}, body);
  return result.failure ? result.failure->message : name_of(result.ending);
}
std::string on_cpu(const RankBody& body) { return outcome(at::kCPU, body); }
std::string on_fake(const RankBody& body) { return outcome(install_fake_device(), body); }

at::Tensor numbers_there(const RankState& state) { return numbers({4}, state.rank).to(state.device); }

enum class Waits { never, for_work, by_asking };

// Sums over the group and doubles the sum. Once both ranks have called, the result is there on the CPU: the last of them made it.
RankBody doubles_a_sum(Waits waits) {
  return [waits, called = std::make_shared<std::atomic<int>>(0)](RankState& state) {
    std::vector<at::Tensor> tensors{numbers_there(state)};
    const auto work = c10d::resolve_process_group("tp")->allreduce(tensors);
    ++*called;
    while (*called < 2) std::this_thread::yield();
    if (waits == Waits::for_work) work->wait();
    while (waits == Waits::by_asking && !work->isCompleted()) std::this_thread::yield();
    const at::Tensor expected = (numbers({4}, 0) + numbers({4}, 1)) * 2;
    EXPECT_TRUE(same_bits((tensors[0] * 2).to(at::kCPU), expected));
  };
}

TEST(RankStream, AMissingWaitIsAnError) {
  for (const Waits waits : {Waits::never, Waits::for_work, Waits::by_asking})
    EXPECT_EQ(on_cpu(doubles_a_sum(waits)), "completed");
  EXPECT_EQ(on_fake(doubles_a_sum(Waits::for_work)), "completed");
  EXPECT_EQ(on_fake(doubles_a_sum(Waits::by_asking)), "completed") << "c10d says that it is done when its streams have done it";
  EXPECT_THAT(on_fake(doubles_a_sum(Waits::never)), HasSubstr("and no event or synchronization orders the two"));
}

// Computes on another stream than the rank's, as a side stream for copies would be.
RankBody computes_beside(bool waits) {
  return [waits](RankState& state) {
    const c10::impl::VirtualGuardImpl guard(state.device.type());
    const at::Tensor x = numbers_there(state);
    const c10::Stream side =
        state.device.is_cpu() ? guard.getStream(state.device) : guard.getStreamFromGlobalPool(state.device);
    c10::Event made(state.device.type()), done(state.device.type());
    if (waits && !state.device.is_cpu()) {
      made.record(guard.getStream(state.device));
      made.block(side);
    }
    at::Tensor y;
    {
      const c10::StreamGuard beside(side);
      y = x * 2;
      if (waits && !state.device.is_cpu()) done.record(side);
    }
    if (waits && !state.device.is_cpu()) done.block(guard.getStream(state.device));
    EXPECT_TRUE(same_bits((y + 0).to(at::kCPU), numbers({4}, state.rank) * 2));
  };
}

TEST(RankStream, AStreamThatIsNotTheRanksIsAnError) {
  EXPECT_EQ(on_cpu(computes_beside(false)), "completed");
  EXPECT_EQ(on_fake(computes_beside(true)), "completed");
  EXPECT_THAT(on_fake(computes_beside(false)), HasSubstr("aten::mul on stream"));
}

RankBody reads_a_number(bool copies) {
  return [copies](RankState& state) {
    const at::Tensor x = numbers_there(state);
    const at::Tensor read = copies ? x.to(at::kCPU) : x;
    EXPECT_EQ(*static_cast<const volatile double*>(read.const_data_ptr()), numbers({4}, state.rank)[0].item<double>());
  };
}

TEST(RankStream, AHostReadIsACrashWithItsName) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EQ(on_cpu(reads_a_number(false)), "completed");
  EXPECT_EQ(on_fake(reads_a_number(true)), "completed");
  EXPECT_EXIT(on_fake(reads_a_number(false)), testing::KilledBySignal(SIGSEGV),
              "host code read or wrote memory of the fake device");
}

// Autograd's own threads would be shared by all ranks, and know none.
TEST(RankStream, BackwardStaysOnTheRanksThread) {
  const auto body = [](RankState& state) {
    const at::Tensor x = numbers_there(state).set_requires_grad(true);
    x.register_hook([&state](const at::Tensor& gradient) {
      EXPECT_EQ(find_rank(), &state);
      return all_reduce(gradient, "tp");
    });
    (x * x).sum().backward();
    EXPECT_TRUE(same_bits(x.grad().to(at::kCPU), (numbers({4}, 0) + numbers({4}, 1)) * 2));
  };
  EXPECT_EQ(on_fake(body), "completed");
}

TEST(RankStream, CollectivesGiveTheBitsOfTheCpu) {
  const auto body = [](RankState& state) {
    const at::Tensor x = numbers({4, 3}, state.rank), y = x.to(state.device);
    const auto same = [](const at::Tensor& expected, const at::Tensor& got) {
      EXPECT_TRUE(same_bits(expected, got.to(at::kCPU)));
    };
    same(numbers({4, 3}, 0) + numbers({4, 3}, 1), all_reduce(y, "tp"));
    same(at::cat({numbers({4, 3}, 0), numbers({4, 3}, 1)}), all_gather(y, 0, "tp"));
    same((numbers({4, 3}, 0) + numbers({4, 3}, 1)).narrow(0, 2 * state.rank, 2), reduce_scatter(y, 0, "tp"));
    same(numbers({4, 3}, 1), broadcast(y, 1, "tp"));
    if (state.rank == 0) send(y, 1, 7, "tp");
    if (state.rank == 1) same(numbers({4, 3}, 0), recv({4, 3}, y.options(), 0, 7, "tp"));
  };
  EXPECT_EQ(on_fake(body), "completed");
}

}  // namespace
}  // namespace ordercheck::ranks
