// Order between the streams of ranks that are threads on one device: a stream a rank, one a group for its collectives, and events between
// them. On the CPU all of it is nothing.
//
// An offer is behind an event of the rank's stream; the exchange waits for those of all, runs on the group's stream, as a communicator
// of NCCL does, and is behind an event for which each rank's stream waits in wait(). So a rank that uses a result without waiting for
// it is as wrong here as with NCCL, whoever came last.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <c10/core/Device.h>
#include <c10/core/Event.h>
#include <c10/core/Stream.h>
#include <c10/core/StreamGuard.h>

#include "ranks/comm/rendezvous.h"
#include "ranks/comm/world.h"

namespace ordercheck::ranks {

// For its lifetime the calling thread's kernels run on a stream of its own; at its end the device has done all of them. Backward stays on
// the thread: on a device, autograd's threads are one for all ranks, and a collective in one rank's backward would block the others'.
class RankStream {
 public:
  explicit RankStream(c10::Device device);
  ~RankStream();
  RankStream(const RankStream&) = delete;

 private:
  c10::Device device_;
  std::optional<c10::Stream> before_;
  bool multithreading_before_ = true;
};

// A stream for a group's exchanges; none on the CPU.
std::optional<c10::Stream> stream_of_group(c10::Device device);

// All that the calling thread's stream was given so far; null on the CPU.
std::shared_ptr<c10::Event> event_now(c10::Device device);

// The calling thread's stream goes on behind the event; nothing for null.
void wait_for(const std::shared_ptr<c10::Event>& event);

// For its lifetime the calling thread's kernels run on the group's stream, behind the offers of a meeting that is complete; finish()
// notes the event behind them.
class ExchangeStream {
 public:
  ExchangeStream(const std::optional<c10::Stream>& stream, const Rendezvous& meeting);
  std::shared_ptr<c10::Event> finish() const;

 private:
  std::optional<c10::StreamGuard> guard_;
};

// Runs what a rank does, and says how it ended.

// Nothing when `body` returned; else what it threw, with the place where it was thrown.
std::optional<WorldResult> run_body(const std::function<void(RankState&)>& body, RankState& state);

// As if `state`'s rank had thrown `message` where it is.
WorldResult thrown_by(const RankState& state, Ending ending, std::string message);

}  // namespace ordercheck::ranks
