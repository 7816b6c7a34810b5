#include "ranks/comm/thread_backend.h"

#include "ranks/comm/rank_stream.h"
#include "ranks/comm/watched_offer.h"

namespace ordercheck::ranks {
namespace {

class ThreadWork : public c10d::Work {
 public:
  ThreadWork(std::shared_ptr<ThreadWorld> world, std::shared_ptr<Rendezvous> meeting, RankState& state, const Offer& offer)
      : world_(std::move(world)),
        meeting_(std::move(meeting)),
        state_(state),
        operation_(offer.operation),
        shape_(shape_of(offer)),
        sent_(offer.inputs) {}

  // On a device also its streams have done it.
  bool isCompleted() override { return isSuccess(); }
  bool isSuccess() const override {
    return world_->is_done(*meeting_) && (!meeting_->exchanged || meeting_->exchanged->query());
  }

  bool wait(std::chrono::milliseconds) override {
    const FlightSlot place = place_of_wait(state_, operation_, meeting_->group, meeting_->number, shape_);
    FlightRecorder* flight = state_.flight();
    if (flight) flight->at_collective(state_.rank, place.operation, place.group, place.sequence, place.shape);
    world_->wait(state_.rank, meeting_, place);
    if (flight) flight->left_collective(state_.rank);
    wait_for(meeting_->exchanged);
    sent_.clear();
    return true;
  }

 private:
  std::shared_ptr<ThreadWorld> world_;
  std::shared_ptr<Rendezvous> meeting_;
  RankState& state_;
  Operation operation_;
  std::string shape_;
  // Kept up to wait(), as c10d's backends keep what they were handed: freed when the last rank comes, the bytes that this one holds at
  // once would depend on who that is.
  std::vector<at::Tensor> sent_;
};

}  // namespace

ThreadBackend::ThreadBackend(std::shared_ptr<ThreadWorld> world, std::shared_ptr<ThreadGroup> group, int group_rank,
                             RankState& state)
    : OfferingBackend(group->name, group_rank, static_cast<int>(group->ranks.size())),
      world_(std::move(world)),
      group_(std::move(group)),
      state_(state) {}

ThreadBackend::WorkPtr ThreadBackend::issue(Offer offer, const Channel& channel) {
  if (!begin_call(offer, channel, group(), state_)) return skipped_call();
  offer.ready = event_now(state_.device);
  auto meeting = world_->join(*group_, getRank(), channel, offer);
  return c10::make_intrusive<ThreadWork>(world_, std::move(meeting), state_, offer);
}

}  // namespace ordercheck::ranks
