// Result<T>: a value, or one line that says what is wrong with something that came from outside.
//
// Used where the outside (a file, a command line, a worker) can be wrong. What a user's stack gets wrong is a Finding,
// what we get wrong is an assert. Not thread safe; a plain value.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace ordercheck {

// `message` is one line: what, where, expected, got, what to do. A caret display may follow on further lines.
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

  // The value; asserts that there is one.
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

  // The error; asserts that there is one.
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
