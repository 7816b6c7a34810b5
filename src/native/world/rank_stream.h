// Orders the streams of rank threads on one device: a stream per rank, one per group for its collectives, and events between
// them. On the CPU it does nothing.
//
// Each offer carries an event of its rank's stream, recorded when the rank issued the collective. The exchange waits for all
// these events and runs on the group's stream, as an NCCL communicator does. It records an event that each rank's stream waits
// for in wait(). So using a result without wait() is as wrong here as with NCCL, regardless of arrival order.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <c10/core/Device.h>
#include <c10/core/Event.h>
#include <c10/core/Stream.h>
#include <c10/core/StreamGuard.h>

#include "native/world/rendezvous.h"
#include "native/world/world.h"

namespace ordercheck::ranks {

// Gives the calling thread its own stream during its lifetime; the destructor synchronizes the device. Backward stays on this
// thread: autograd's device thread is shared by all ranks, and one rank's collective would block the others' backwards.
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

// Returns a stream for a group's exchanges; nullopt on the CPU.
std::optional<c10::Stream> stream_of_group(c10::Device device);

// Records an event on the calling thread's stream; null on the CPU.
std::shared_ptr<c10::Event> event_now(c10::Device device);

// Makes the calling thread's stream wait for the event; does nothing for null.
void wait_for(const std::shared_ptr<c10::Event>& event);

// During its lifetime, the calling thread's kernels run on the group's stream, after all offers of a complete rendezvous.
// finish() records an event after them.
class ExchangeStream {
 public:
  ExchangeStream(const std::optional<c10::Stream>& stream, const Rendezvous& meeting);
  std::shared_ptr<c10::Event> finish() const;

 private:
  std::optional<c10::StreamGuard> guard_;
};

// Runs a rank's body in any kind of world and reports how it ended.

// Returns nullopt if `body` returned. If it threw, returns the exception and the step, phase and module in which it was thrown.
std::optional<WorldResult> run_body(const std::function<void(RankState&)>& body, RankState& state);

// Returns the result of a world in which this rank throws `message` at its current step, phase and module.
WorldResult thrown_by(const RankState& state, Ending ending, std::string message);

}  // namespace ordercheck::ranks
