// What a rank waits for, in one word; and these words of all ranks of a world, in memory that children of this process share with it.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <new>
#include <system_error>

namespace ordercheck::ranks {

// Whether ranks that are processes wait for each other: a word a rank, in memory that all of them and their parent share.

// Odd while the rank waits for others, and larger at each change: who finds it unchanged knows that the rank did nothing meanwhile.
// Thread rules: written by its rank alone, read by anyone.
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

// Throws std::system_error where the system has no memory to share.
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
