// Provides a counter per rank that shows whether the rank waits in a collective, in memory shared between a parent and its rank
// processes.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <new>
#include <system_error>

namespace ordercheck::ranks {

// Odd while the rank waits for other ranks. It grows when a wait begins or ends, so an unchanged odd word means no progress.
// Thread rules: only its rank writes it; any process may read it.
class Waiting {
 public:
  void begin() { ++word_; }
  void end() { ++word_; }
  std::uint64_t word() const { return word_.load(); }
  static bool is_waiting(std::uint64_t word) { return word % 2 == 1; }

 private:
  std::atomic<std::uint64_t> word_{0};
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "a lock of one process means nothing in another");
};

// Throws std::system_error if the system has no memory to share.
class SharedWaiting {
 public:
  explicit SharedWaiting(int ranks) : bytes_(sizeof(Waiting) * static_cast<std::size_t>(ranks)) {
    void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "could not share memory with ranks");
    words_ = static_cast<Waiting*>(memory);
    for (int rank = 0; rank < ranks; ++rank) new (words_ + rank) Waiting;
  }
  ~SharedWaiting() { munmap(words_, bytes_); }
  SharedWaiting(const SharedWaiting&) = delete;
  Waiting& of(int rank) { return words_[rank]; }

 private:
  std::size_t bytes_;
  Waiting* words_;
};

}  // namespace ordercheck::ranks
