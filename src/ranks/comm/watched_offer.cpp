#include "ranks/comm/watched_offer.h"

#include <c10/util/Exception.h>

#include "ranks/comm/blame.h"
#include "ranks/comm/exchange.h"

namespace ordercheck::ranks {
namespace {

std::int64_t bytes_of(const std::vector<at::Tensor>& tensors) {
  std::int64_t bytes = 0;
  for (const at::Tensor& tensor : tensors) bytes += static_cast<std::int64_t>(tensor.nbytes());
  return bytes;
}

// What a receiver hands in is the room for what comes.
const std::vector<at::Tensor>& handed_in(const Offer& offer) {
  return offer.operation == Operation::recv ? offer.outputs : offer.inputs;
}

// A collective that a fault made this rank skip.
class SkippedWork : public c10d::Work {
 public:
  bool isCompleted() override { return true; }
  bool isSuccess() const override { return true; }
  bool wait(std::chrono::milliseconds) override { return true; }
};

}  // namespace

Reduction reduction_of(const c10d::ReduceOp& reduce) {
  TORCH_CHECK(reduce == c10d::ReduceOp::SUM || reduce == c10d::ReduceOp::MAX, "ranks reduce by sum or max, got reduction ",
              static_cast<int>(reduce.op_));
  return reduce == c10d::ReduceOp::SUM ? Reduction::sum : Reduction::max;
}

bool begin_call(Offer& offer, const Channel& channel, const std::string& group, RankState& state) {
  const std::int64_t number = state.collectives_issued();
  state.count_collective(name_of(offer.operation), group, bytes_of(handed_in(offer)));
  if (const auto& fault = state.fault(); fault && fault->sequence == number) {
    if (fault->kind == "skip_collective") {
      zero_outputs(offer);
      return false;
    }
    if (fault->kind == "wrong_shape") lengthen_inputs(offer);
  }
  if (channel.is_message()) ++state.counters.p2p_messages;
  return true;
}

c10::intrusive_ptr<c10d::Work> skipped_call() { return c10::make_intrusive<SkippedWork>(); }

FlightSlot place_of_wait(const RankState& state, Operation operation, const std::string& group, std::int64_t number,
                         const std::string& shape) {
  FlightSlot place = place_of(state);
  place.operation = name_of(operation);
  place.group = group;
  place.sequence = number;
  place.shape = shape;
  return place;
}

std::string shape_of(const Offer& offer) { return shape_text(handed_in(offer)); }

}  // namespace ordercheck::ranks
