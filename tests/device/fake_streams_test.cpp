#include <thread>

#include <ATen/ATen.h>
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/fake_device.h"

namespace ordercheck::ranks::fake {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Each test on two streams of its own.
class FakeStreams : public testing::Test {
 protected:
  const c10::Device device = install_fake_device();
  const c10::impl::VirtualGuardImpl guard{device.type()};
  const at::TensorOptions options = at::TensorOptions(at::kDouble).device(device);
  const c10::Stream one = guard.getStreamFromGlobalPool(device), other = guard.getStreamFromGlobalPool(device);

  at::Tensor made_on(const c10::Stream& stream) {
    const c10::StreamGuard on(stream);
    return at::ones({4}, options);
  }

  // What the other stream says when it uses `tensor`.
  static std::string error_of(const c10::Stream& stream, const std::function<void()>& use) {
    const c10::StreamGuard on(stream);
    try {
      use();
      return "none";
    } catch (const c10::Error& error) {
      return error.what_without_backtrace();
    }
  }

  void order(const c10::Stream& first, const c10::Stream& second) {
    c10::Event event(device.type());
    event.record(first);
    event.block(second);
  }
};

TEST_F(FakeStreams, AReadThatDoesNotWaitIsAnErrorThatNamesBoth) {
  const at::Tensor written = made_on(one);
  EXPECT_THAT(error_of(other, [&] { written + 1; }),
              AllOf(HasSubstr("aten::add on stream"), HasSubstr("reads what aten::fill_"),
                    HasSubstr("and no event or synchronization orders the two")));
  order(one, other);
  EXPECT_EQ(error_of(other, [&] { written + 1; }), "none");
}

TEST_F(FakeStreams, AnEventOrdersWhatCameBeforeItAlone) {
  const at::Tensor written = made_on(one);
  order(one, other);
  error_of(one, [&] { written.add_(1); });
  EXPECT_THAT(error_of(other, [&] { written + 1; }), HasSubstr("reads what aten::add_"));
}

TEST_F(FakeStreams, AWriteWaitsForReadsToo) {
  const at::Tensor shared = made_on(one);
  order(one, other);
  ASSERT_EQ(error_of(other, [&] { shared + 1; }), "none");
  EXPECT_THAT(error_of(one, [&] { shared.zero_(); }), HasSubstr("writes what aten::add reads"));
  order(other, one);
  EXPECT_EQ(error_of(one, [&] { shared.zero_(); }), "none");
}

TEST_F(FakeStreams, OrderIsHandedOn) {
  const c10::Stream third = guard.getStreamFromGlobalPool(device);
  const at::Tensor written = made_on(one);
  order(one, other);
  order(other, third);
  EXPECT_EQ(error_of(third, [&] { written + 1; }), "none");
}

TEST_F(FakeStreams, AThreadThatWaitedLaunchesBehindWhatItWaitedFor) {
  const at::Tensor written = made_on(one);
  std::string of_another_thread;
  guard.synchronizeStream(one);
  std::thread([&] { of_another_thread = error_of(other, [&] { written + 1; }); }).join();
  EXPECT_THAT(of_another_thread, HasSubstr("orders the two")) << "it did not wait";
  EXPECT_EQ(error_of(other, [&] { written + 1; }), "none");
}

TEST_F(FakeStreams, TheWholeDeviceMayBeWaitedFor) {
  const at::Tensor written = made_on(one);
  guard.synchronizeDevice(device.index());
  std::string of_another_thread;
  std::thread([&] { of_another_thread = error_of(other, [&] { written + 1; }); }).join();
  EXPECT_EQ(of_another_thread, "none");
}

TEST_F(FakeStreams, AHostThatReadsWaitsForItsStreamAlone) {
  const at::Tensor written = made_on(one);
  EXPECT_EQ(error_of(one, [&] { written.sum().item<double>(); }), "none");
  EXPECT_EQ(error_of(other, [&] { written + 1; }), "none") << "the thread has waited";
  const at::Tensor second = made_on(one);
  EXPECT_THAT(error_of(other, [&] { second.to(at::kCPU); }), HasSubstr("aten::copy_ on stream"));
}

TEST_F(FakeStreams, WhoIsToldThatAnEventIsDoneLaunchesBehindIt) {
  const at::Tensor written = made_on(one);
  c10::Event event(device.type());
  event.record(one);
  EXPECT_THAT(error_of(other, [&] { written + 1; }), HasSubstr("orders the two")) << "nobody asked";
  EXPECT_TRUE(event.query());
  EXPECT_EQ(error_of(other, [&] { written + 1; }), "none");
}

TEST_F(FakeStreams, MemoryOfAnotherStreamIsRecordedBeforeItIsLetGoOf) {
  const auto use_and_reuse = [&](bool recorded) {
    at::Tensor used = made_on(one);
    order(one, other);
    EXPECT_EQ(error_of(other, [&] { used + 1; }), "none");
    if (recorded) used.record_stream(other);
    used.reset();
    return error_of(one, [&] { at::zeros({4}, options); });
  };
  EXPECT_EQ(use_and_reuse(true), "none");
  EXPECT_THAT(use_and_reuse(false), HasSubstr("writes what aten::add reads"));
  guard.synchronizeDevice(device.index());
}

}  // namespace
}  // namespace ordercheck::ranks::fake
