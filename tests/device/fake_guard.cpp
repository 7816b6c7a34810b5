#include "device/fake_guard.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>

#include "device/fake_memory.h"
#include "device/fake_streams.h"

namespace ordercheck::ranks::fake {
namespace {

class Guard final : public c10::impl::DeviceGuardImplInterface {
 public:
  c10::DeviceType type() const override { return c10::DeviceType::PrivateUse1; }
  c10::Device exchangeDevice(c10::Device) const override { return kDevice; }
  c10::Device getDevice() const override { return kDevice; }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }

  c10::Stream getStream(c10::Device) const override { return as_stream(current_stream()); }
  c10::Stream getDefaultStream(c10::Device) const override { return as_stream(0); }
  c10::Stream getStreamFromGlobalPool(c10::Device, bool) const override { return as_stream(next_of_pool()); }
  c10::Stream getNewStream(c10::Device, int) const override { return as_stream(next_of_pool()); }
  c10::Stream exchangeStream(c10::Stream stream) const override { return as_stream(exchange_stream(index_of(stream))); }
  // A kernel has run when it is launched. Who is told so knows it, and what it launches from now on is behind.
  bool queryStream(const c10::Stream& stream) const override {
    wait_on_host(now_on(index_of(stream)));
    return true;
  }
  void synchronizeStream(const c10::Stream& stream) const override { wait_on_host(now_on(index_of(stream))); }
  void synchronizeDevice(c10::DeviceIndex) const override { wait_for_device(); }

  void record(void** event, const c10::Stream& stream, c10::DeviceIndex, c10::EventFlag) const override {
    if (!*event) *event = new Clock;
    *static_cast<Clock*>(*event) = now_on(index_of(stream));
  }
  void block(void* event, const c10::Stream& stream) const override {
    if (event) wait_on(index_of(stream), *static_cast<Clock*>(event));
  }
  bool queryEvent(void* event) const override {
    if (event) wait_on_host(*static_cast<Clock*>(event));
    return true;
  }
  void synchronizeEvent(void* event) const override {
    if (event) wait_on_host(*static_cast<Clock*>(event));
  }
  void destroyEvent(void* event, c10::DeviceIndex) const noexcept override { delete static_cast<Clock*>(event); }

  void recordDataPtrOnStream(const c10::DataPtr& memory, const c10::Stream& stream) const override {
    if (Block* block = block_of(memory)) fake::record(block->uses, index_of(stream));
  }

 private:
  static c10::Stream as_stream(StreamIndex index) { return c10::Stream(c10::Stream::UNSAFE, kDevice, index); }
  static StreamIndex index_of(const c10::Stream& stream) { return static_cast<StreamIndex>(stream.id()); }
};

}  // namespace

void register_guard() { static const c10::impl::DeviceGuardImplRegistrar once(c10::DeviceType::PrivateUse1, new Guard); }

}  // namespace ordercheck::ranks::fake
