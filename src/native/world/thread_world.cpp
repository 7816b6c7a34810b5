#include "native/world/thread_world.h"

#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <c10/util/Exception.h>

#include "native/world/exchange.h"
#include "native/world/rank_backend.h"
#include "native/world/rank_stream.h"

namespace ordercheck::ranks {
namespace {

std::vector<int> participants(const ThreadGroup& group, const Channel& channel) {
  if (!channel.is_message()) return group.ranks;
  return {group.ranks.at(channel.source), group.ranks.at(channel.destination)};
}

}  // namespace

ThreadWorld::ThreadWorld(const Mesh& mesh, at::Device device) {
  for (int rank = 0; rank < world_size(mesh); ++rank) ranks_.push_back(std::make_unique<RankThread>());
  for (RankGroup& group : groups_of_ranks(mesh)) {
    groups_.push_back(std::make_shared<ThreadGroup>(std::move(group)));
    groups_.back()->stream = stream_of_group(device);
  }
}

std::vector<std::shared_ptr<ThreadGroup>> ThreadWorld::groups_of(int rank) const {
  std::vector<std::shared_ptr<ThreadGroup>> mine;
  for (const auto& group : groups_)
    if (std::ranges::find(group->ranks, rank) != group->ranks.end()) mine.push_back(group);
  return mine;
}

std::shared_ptr<Rendezvous> ThreadWorld::join(ThreadGroup& group, int group_rank, const Channel& channel, Offer offer) {
  std::unique_lock lock(mutex_);
  require_going_on();
  const std::int64_t number = group.issued[{group_rank, channel}]++;
  std::shared_ptr<Rendezvous>& slot = group.open[{channel, number}];
  if (!slot) {
    slot = std::make_shared<Rendezvous>();
    slot->group = group.name;
    slot->channel = channel;
    slot->number = number;
    slot->ranks = participants(group, channel);
    slot->offers.resize(slot->ranks.size());
  }
  const std::shared_ptr<Rendezvous> meeting = slot;
  const auto seat = std::ranges::find(meeting->ranks, group.ranks.at(group_rank)) - meeting->ranks.begin();
  meeting->offers.at(seat) = std::move(offer);
  // Leave the collective undone if ranks disagree. All of them then wait, and the world reports it when no rank runs any more,
  // so that the report does not depend on arrival order.
  if (!meeting->complete() || find_disagreement(*meeting)) return meeting;

  // The other ranks wait until `done`, so only this one uses the tensors. Unlock, so that collectives of other groups need not
  // wait.
  lock.unlock();
  std::string error;
  try {
    const ExchangeStream stream(group.stream, *meeting);
    exchange(*meeting);
    meeting->exchanged = stream.finish();
  } catch (const c10::Error& thrown) {
    error = thrown.what_without_backtrace();
  } catch (const std::exception& thrown) {
    error = thrown.what();
  }
  lock.lock();
  meeting->error = std::move(error);
  if (!meeting->error.empty()) return meeting;
  meeting->done = true;
  for (auto& done : meeting->offers) done->inputs.clear(), done->outputs.clear();
  group.open.erase({channel, number});
  for (const int rank : meeting->ranks) ranks_[rank]->wake.notify_one();
  return meeting;
}

void ThreadWorld::wait(int rank, const std::shared_ptr<Rendezvous>& meeting, const FlightSlot& place) {
  std::unique_lock lock(mutex_);
  if (meeting->done) return;
  require_going_on();
  RankThread& self = *ranks_[rank];
  self.place = place;
  self.awaited = meeting;
  detect_deadlock();
  self.wake.wait(lock, [&] { return over_ || meeting->done; });
  // If the collective is done, return normally even if the world is over: the rank goes on until its next wait.
  if (!meeting->done) require_going_on();
  self.awaited = nullptr;
}

bool ThreadWorld::is_done(const Rendezvous& meeting) {
  const std::lock_guard lock(mutex_);
  return meeting.done;
}

void ThreadWorld::end(int rank, const FlightSlot& place, std::optional<WorldResult> thrown) {
  const std::lock_guard lock(mutex_);
  RankThread& self = *ranks_[rank];
  self.ended = true;
  if (over_) return;
  self.place = place;
  self.thrown = std::move(thrown);
  detect_deadlock();
}

WorldResult ThreadWorld::result() {
  const std::lock_guard lock(mutex_);
  assert(std::ranges::all_of(ranks_, [](const auto& rank) { return rank->ended; }) && "every rank has ended");
  return result_;
}

void ThreadWorld::detect_deadlock() {
  if (over_) return;
  for (const auto& rank : ranks_) {
    const bool stopped = rank->ended || (rank->awaited && !rank->awaited->done);
    if (!stopped) return;
  }
  over_ = true;
  result_ = diagnose(ranks_, groups_);
  for (const auto& rank : ranks_) rank->wake.notify_one();
}

void ThreadWorld::require_going_on() const {
  if (over_) throw Aborted("aborted: the world of this rank is over");
}

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

  // The exchange must be done, and on a GPU also its kernels.
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
  // Keeps inputs alive until wait(), as c10d's backends do. If the last rank to arrive freed them, the peak of held bytes would
  // depend on timing.
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

namespace {

class LastingThread {
 public:
  LastingThread() {
    std::thread([this] { serve(); }).detach();  // it ends with the process
  }

  void begin(std::function<void()> job) {
    const std::lock_guard lock(mutex_);
    job_ = std::move(job);
    changed_.notify_all();
  }

  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !job_; });
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return job_ != nullptr; });
      lock.unlock();
      job_();
      lock.lock();
      job_ = nullptr;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> job_;  // empty if idle
};

struct Threads {
  const pid_t process = getpid();
  std::mutex in_use;
  std::vector<std::unique_ptr<LastingThread>> by_rank;
};

// Never destroyed: its threads may still run during static destruction. A forked process has none of them, so it gets a new
// set.
Threads& threads_of_process() {
  static std::mutex mutex;
  static Threads* threads = nullptr;
  const std::lock_guard lock(mutex);
  if (!threads || threads->process != getpid()) threads = new Threads;
  return *threads;
}

}  // namespace

void run_on_rank_threads(int count, const std::function<void(int rank)>& body,
                         const std::function<void(int rank, const std::system_error&)>& refused) {
  Threads& threads = threads_of_process();
  const std::lock_guard lock(threads.in_use);
  std::vector<LastingThread*> begun;
  for (int rank = 0; rank < count; ++rank) {
    try {
      if (rank == static_cast<int>(threads.by_rank.size())) threads.by_rank.push_back(std::make_unique<LastingThread>());
    } catch (const std::system_error& error) {
      for (int left = rank; left < count; ++left) refused(left, error);
      break;
    }
    begun.push_back(threads.by_rank[static_cast<std::size_t>(rank)].get());
    begun.back()->begin([&body, rank] { body(rank); });
  }
  for (LastingThread* thread : begun) thread->wait();
}

}  // namespace ordercheck::ranks
