// Defines Result<T>: a value, or a one-line error about external input.
//
// Used where input (a file, a command line, a worker) can be wrong. A mistake in a user's stack is a Finding, ours is an
// assert. A plain value, not thread safe.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace ordercheck {

// `message` is one line: what, where, expected, got, what to do. A caret display may follow on more lines.
struct Error {
  std::string message;
  friend bool operator==(const Error&, const Error&) = default;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}

  explicit operator bool() const { return std::holds_alternative<T>(state_); }

  // The value; asserts that this is not an error.
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &std::get<T>(state_); }
  const T& value() const& {
    assert(*this && "Result::value() of an error");
    return std::get<T>(state_);
  }
  T&& value() && {
    assert(*this && "Result::value() of an error");
    return std::get<T>(std::move(state_));
  }

  // The error; asserts that this is one.
  const Error& error() const {
    assert(!*this && "Result::error() of a value");
    return std::get<Error>(state_);
  }

 private:
  std::variant<T, Error> state_;
};

// Success, or an error.
struct Done {};
using Status = Result<Done>;

}  // namespace ordercheck
