// Whether ranks that are processes wait for each other: a word a rank, in memory that all of them and their parent share.
#pragma once

#include <atomic>
#include <cstdint>

namespace ordercheck::ranks {

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

}  // namespace ordercheck::ranks
