#include "ranks/comm/thread_world.h"

#include <algorithm>
#include <cassert>

#include <c10/util/Exception.h>

#include "ranks/comm/exchange.h"

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
  // Ranks that disagree are left to wait for each other: that is how the world finds them, whoever came first.
  if (!meeting->complete() || find_disagreement(*meeting)) return meeting;

  // Everyone else waits, or will, until `done`: the tensors are this rank's alone, and other groups need not wait.
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

}  // namespace ordercheck::ranks
