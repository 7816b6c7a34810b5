#include "ranks/comm/rank_stream.h"

#include <c10/core/AutogradState.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace ordercheck::ranks {
namespace {

bool has_streams(c10::Device device) { return device.type() != c10::DeviceType::CPU; }

void record_on(const c10::Stream& stream, const std::vector<at::Tensor>& tensors) {
  const c10::impl::VirtualGuardImpl guard(stream.device_type());
  for (const at::Tensor& tensor : tensors)
    if (tensor.device() == stream.device()) guard.recordDataPtrOnStream(tensor.storage().data_ptr(), stream);
}

}  // namespace

RankStream::RankStream(c10::Device device) : device_(device) {
  if (!has_streams(device)) return;
  const c10::impl::VirtualGuardImpl guard(device.type());
  before_ = guard.exchangeStream(guard.getStreamFromGlobalPool(device));
  c10::AutogradState& autograd = c10::AutogradState::get_tls_state();
  multithreading_before_ = autograd.get_multithreading_enabled();
  autograd.set_multithreading_enabled(false);
}

RankStream::~RankStream() {
  if (!before_) return;
  const c10::impl::VirtualGuardImpl guard(device_.type());
  guard.synchronizeDevice(device_.index());
  guard.exchangeStream(*before_);
  c10::AutogradState::get_tls_state().set_multithreading_enabled(multithreading_before_);
}

std::optional<c10::Stream> stream_of_group(c10::Device device) {
  if (!has_streams(device)) return std::nullopt;
  return c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device);
}

std::shared_ptr<c10::Event> event_now(c10::Device device) {
  if (!has_streams(device)) return nullptr;
  auto event = std::make_shared<c10::Event>(device.type());
  event->record(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
  return event;
}

void wait_for(const std::shared_ptr<c10::Event>& event) {
  if (!event) return;
  const c10::Device device = event->device();
  event->block(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
}

ExchangeStream::ExchangeStream(const std::optional<c10::Stream>& stream, const Rendezvous& meeting) {
  if (!stream) return;
  guard_.emplace(*stream);
  for (const auto& offer : meeting.offers) {
    wait_for(offer->ready);
    // Their ranks may let go of them before this stream has got to them.
    record_on(*stream, offer->inputs);
    record_on(*stream, offer->outputs);
  }
}

std::shared_ptr<c10::Event> ExchangeStream::finish() const { return guard_ ? event_now(guard_->current_device()) : nullptr; }

}  // namespace ordercheck::ranks
