#include "ranks/comm/rank_threads.h"

#include <unistd.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace ordercheck::ranks {
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
  std::function<void()> job_;  // empty while there is none
};

struct Threads {
  const pid_t process = getpid();
  std::mutex in_use;
  std::vector<std::unique_ptr<LastingThread>> by_rank;
};

// Never destroyed: its threads may be running when statics are. A process that was forked has none of them.
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
