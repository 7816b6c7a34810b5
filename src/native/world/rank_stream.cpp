#include "native/world/rank_stream.h"

#include <algorithm>
#include <exception>
#include <utility>

#include <c10/core/AutogradState.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/Exception.h>

#include "native/arith/exactness.h"
#include "native/arith/range.h"
#include "native/world/current_module.h"

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
    // Record the stream use: a rank may free these tensors before this stream has used them.
    record_on(*stream, offer->inputs);
    record_on(*stream, offer->outputs);
  }
}

std::shared_ptr<c10::Event> ExchangeStream::finish() const { return guard_ ? event_now(guard_->current_device()) : nullptr; }

namespace {

std::string one_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace

WorldResult thrown_by(const RankState& state, Ending ending, std::string message) {
  FlightSlot place = place_of(state);
  if (state.thrown()) {
    place.phase = state.thrown()->phase;
    place.module = state.thrown()->module;
  }
  return {.ending = ending,
          .failure = Failure{.phase = place.phase,
                             .rank = state.rank,
                             .module = place.module,
                             .operation = "",
                             .group = "",
                             .sequence = -1,
                             .message = one_line(std::move(message)),
                             .ranks = {}}};
}

std::optional<WorldResult> run_body(const std::function<void(RankState&)>& body, RankState& state) {
  try {
    body(state);
    return std::nullopt;
  } catch (const OutOfRange& thrown) {
    return thrown_by(state, Ending::out_of_range, thrown.what());
  } catch (const Unsupported& thrown) {
    return thrown_by(state, Ending::unsupported, thrown.what());
  } catch (const c10::Error& thrown) {
    return thrown_by(state, Ending::failed, thrown.what_without_backtrace());
  } catch (const std::exception& thrown) {
    return thrown_by(state, Ending::failed, thrown.what());
  } catch (...) {
    return thrown_by(state, Ending::failed, "something that is no std::exception was thrown");
  }
}

}  // namespace ordercheck::ranks
