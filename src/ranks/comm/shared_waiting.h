// The words of waiting.h of all ranks of a world, in memory that children of this process share with it.
#pragma once

#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#include <new>
#include <system_error>

#include "ranks/comm/waiting.h"

namespace ordercheck::ranks {

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
