// Provides a file descriptor that closes itself, and pipes.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace ordercheck::ranks {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }
  int number() const { return number_; }

 private:
  int number_;
};

struct Pipe {
  Descriptor read, write;
};

// Throws std::system_error if the system cannot create a pipe.
inline Pipe make_pipe() {
  int ends[2];
  if (pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "could not make a pipe to a rank");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

}  // namespace ordercheck::ranks
