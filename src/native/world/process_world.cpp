#include "native/world/process_world.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <torch/csrc/distributed/c10d/FileStore.hpp>

#include "native/world/rank_process.h"
#include "native/world/rank_stream.h"
#include "native/world/shared_waiting.h"
#include "native/world/temporary_folder.h"
#include "record/flight_slot.h"

namespace ordercheck::ranks {
namespace {

// After an exception, how long all other ranks must have waited without progress before it is the result: Gloo delivers
// messages with a delay.
constexpr std::chrono::milliseconds kAtRest{200};
constexpr std::chrono::milliseconds kLook{20};

// Ends this process by the signal or exit code of the rank that died. The worker's supervisor then sees a dead worker, and
// finds the rank's place in the flight recorder file.
[[noreturn]] void end_as(int status) {
  if (!WIFSIGNALED(status)) std::_Exit(WEXITSTATUS(status));
  std::signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  std::_Exit(128 + WTERMSIG(status));
}

[[noreturn]] void end_with(std::vector<RankProcess>& ranks, RankProcess& dead) {
  const int status = dead.reap();
  ranks.clear();
  end_as(status);
}

class World {
 public:
  World(std::vector<RankProcess> ranks, SharedWaiting& waiting) : ranks_(std::move(ranks)), waiting_(waiting) {}

  // Returns when every rank has answered, or one threw and the others wait.
  void run() {
    while (!is_over()) {
      std::vector<pollfd> listened;
      std::vector<RankProcess*> listened_to;
      for (RankProcess& rank : ranks_) {
        if (rank.answer()) continue;
        listened.push_back({.fd = rank.descriptor(), .events = POLLIN, .revents = 0});
        listened_to.push_back(&rank);
      }
      // After a throw, poll with a timeout to notice when the other ranks are at rest.
      poll(listened.data(), listened.size(), any_threw() ? static_cast<int>(kLook.count()) : -1);
      for (std::size_t i = 0; i < listened.size(); ++i)
        if (listened[i].revents != 0 && !listened_to[i]->take()) end_with(ranks_, *listened_to[i]);
    }
  }

  void end(Descriptor& release) {
    // Let ranks with an answer exit, so that reap() returns.
    release.close();
    for (RankProcess& rank : ranks_) {
      if (!rank.answer()) rank.kill();
      rank.reap();
    }
  }

  // Returns the result of the world. Call before end(), because it reads the places of ranks that still run.
  WorldResult result() const {
    const RankAnswerOfProcess* first = nullptr;
    for (const RankProcess& rank : ranks_)
      if (rank.answer() && rank.answer()->thrown && (!first || rank.answer()->step < first->step)) first = &*rank.answer();
    if (!first) return {};
    WorldResult result = *first->thrown;
    const std::vector<FlightSlot> slots = live_flight_slots();
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      result.failure->ranks.push_back(ranks_[rank].answer() ? ranks_[rank].answer()->where
                                                            : describe(static_cast<int>(rank), slots[rank]));
    return result;
  }

  std::string bytes_of(std::size_t rank) const { return ranks_[rank].answer()->bytes; }

 private:
  bool any_threw() const {
    return std::ranges::any_of(ranks_, [](const RankProcess& rank) { return rank.answer() && rank.answer()->thrown; });
  }

  bool is_over() {
    if (std::ranges::all_of(ranks_, [](const RankProcess& rank) { return rank.answer().has_value(); })) return true;
    if (!any_threw()) return false;
    std::vector<std::uint64_t> words;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      words.push_back(ranks_[rank].answer() ? 1 : waiting_.of(static_cast<int>(rank)).word());
    const auto now = std::chrono::steady_clock::now();
    if (words != words_ || !std::ranges::all_of(words, Waiting::is_waiting)) words_ = words, still_since_ = now;
    return now - still_since_ >= kAtRest;
  }

  std::vector<RankProcess> ranks_;
  SharedWaiting& waiting_;
  std::vector<std::uint64_t> words_;
  std::chrono::steady_clock::time_point still_since_;
};

// Ranks exchange addresses through files in `folder`. They are deleted once all are connected, so that a rank that dies later
// leaves nothing on disk.
MeetingPlace meeting_in(const std::string& folder) {
  return {.store_of = [folder](const std::string& group,
                               int size) { return c10::make_intrusive<c10d::FileStore>(folder + "/" + group, size); },
          .address = "127.0.0.1",
          .met =
              [folder] {
                std::error_code ignored;
                if (this_rank().rank == 0) std::filesystem::remove_all(folder, ignored);
              }};
}

// Returns a flight recorder for callers that want none: a failure message lists the places of all ranks, which it holds.
std::unique_ptr<FlightRecorder> own_flight(const std::string& folder, int ranks) {
  auto created = FlightRecorder::create(folder + "/flight", ranks);
  if (!created) throw std::runtime_error(created.error().message);
  return std::move(created).value();
}

}  // namespace

WorldResult run_process_world(const Mesh& mesh, const WorldOptions& options, const std::function<std::string(RankState&)>& body,
                              std::vector<std::string>& answers) {
  assert(!find_rank() && "a world is not started from inside a rank");
  const TemporaryFolder folder;
  const int size = world_size(mesh);
  const std::unique_ptr<FlightRecorder> own = options.flight ? nullptr : own_flight(folder.path(), size);
  WorldOptions with_flight = options;
  if (!with_flight.flight) with_flight.flight = own.get();
  const MeetingPlace meeting = meeting_in(folder.path());
  SharedWaiting waiting(size);
  const RankStart start{.parent = getpid(), .mesh = mesh, .options = with_flight, .meeting = meeting, .body = body};
  Pipe release = make_pipe();
  std::vector<RankProcess> ranks;
  for (int rank = 0; rank < size; ++rank) {
    try {
      ranks.push_back(start_rank(start, rank, waiting.of(rank), release));
    } catch (const std::system_error& error) {
      return thrown_by(RankState(rank, mesh, options.flight, options.fault), Ending::failed, error.what());
    }
  }
  World world(std::move(ranks), waiting);
  world.run();
  const WorldResult result = world.result();
  world.end(release.write);
  answers.clear();
  if (result.ending == Ending::completed)
    for (int rank = 0; rank < size; ++rank) answers.push_back(world.bytes_of(static_cast<std::size_t>(rank)));
  return result;
}

}  // namespace ordercheck::ranks
