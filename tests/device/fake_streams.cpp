#include "device/fake_streams.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

#include <c10/util/Exception.h>

namespace ordercheck::ranks::fake {
namespace {

void join(Clock& into, const Clock& other) {
  if (into.size() < other.size()) into.resize(other.size());
  for (std::size_t i = 0; i < other.size(); ++i) into[i] = std::max(into[i], other[i]);
}

struct Timeline {
  std::mutex mutex;
  std::array<Clock, kStreams> streams;
  Clock synchronized;  // all threads are behind it

  Timeline() {
    for (Clock& clock : streams) clock.resize(kStreams);
    synchronized.resize(kStreams);
  }
};

Timeline& timeline() {
  static auto* const once = new Timeline;
  return *once;
}

// What a thread waited for, so that its launches are behind it.
Clock& of_thread() {
  thread_local Clock clock(kStreams);
  return clock;
}

thread_local StreamIndex current = 0;

void require_behind(const Clock& now, const Use& earlier, const char* did, const char* kernel, const char* does,
                    StreamIndex stream) {
  const bool behind = earlier.launch <= now[static_cast<std::size_t>(earlier.stream)];
  TORCH_CHECK(behind, kernel, " on stream ", stream, " ", does, " what ", earlier.kernel, " ", did, " on stream ",
              earlier.stream, ", and no event or synchronization orders the two");
}

}  // namespace

StreamIndex current_stream() { return current; }

StreamIndex exchange_stream(StreamIndex stream) { return std::exchange(current, stream); }

StreamIndex next_of_pool() {
  static std::atomic<int> next{0};
  return 1 + next++ % (kStreams - 1);
}

void launch(const char* kernel, const std::vector<Uses*>& reads, const std::vector<Uses*>& writes) {
  Timeline& time = timeline();
  const std::lock_guard lock(time.mutex);
  Clock& now = time.streams[static_cast<std::size_t>(current)];
  join(now, of_thread());
  join(now, time.synchronized);
  for (const Uses* uses : reads) require_behind(now, uses->written, "wrote", kernel, "reads", current);
  for (const Uses* uses : writes) {
    require_behind(now, uses->written, "wrote", kernel, "writes", current);
    for (const auto& [stream, use] : uses->read) require_behind(now, use, "reads", kernel, "writes", current);
  }
  const Use use{.stream = current, .launch = ++now[static_cast<std::size_t>(current)], .kernel = kernel};
  for (Uses* uses : reads) uses->read[current] = use;
  for (Uses* uses : writes) {
    uses->written = use;
    uses->read.clear();
  }
}

Clock now_on(StreamIndex stream) {
  const std::lock_guard lock(timeline().mutex);
  return timeline().streams[static_cast<std::size_t>(stream)];
}

void wait_on(StreamIndex stream, const Clock& event) {
  const std::lock_guard lock(timeline().mutex);
  join(timeline().streams[static_cast<std::size_t>(stream)], event);
}

void wait_on_host(const Clock& event) { join(of_thread(), event); }

void wait_for_device() {
  Timeline& time = timeline();
  const std::lock_guard lock(time.mutex);
  for (const Clock& clock : time.streams) join(time.synchronized, clock);
}

void record(Uses& uses, StreamIndex stream) {
  const std::lock_guard lock(timeline().mutex);
  uses.recorded.push_back(stream);
}

void forget_recorded(Uses& uses) {
  const std::lock_guard lock(timeline().mutex);
  for (const StreamIndex stream : uses.recorded) {
    uses.read.erase(stream);
    if (uses.written.stream == stream) uses.written = {};
  }
  uses.recorded.clear();
}

}  // namespace ordercheck::ranks::fake
