// A dispatch mode in C++: sees every ATen and functional-collective operator below autograd, in forward and in backward,
// on the thread that pushed it. Modes nest; the innermost is asked first, and what it calls goes to the next one.
//
// The C++ counterpart of Python's TorchDispatchMode. One thread each.
#pragma once

#include <stdexcept>
#include <string>

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/impl/TorchDispatchModeTLS.h>

#include "ranks/graph/interpreter.h"

namespace ordercheck::ranks {

class DispatchMode : public Held {
 public:
  // Does the operator's work, usually by op.callBoxed(stack). The mode is off the stack meanwhile.
  virtual void call(const c10::OperatorHandle& op, torch::jit::Stack& stack) = 0;
  // Watches and changes nothing: it sees also what is hidden from other modes by OnlyInstruments.
  virtual bool is_instrument() const { return false; }
};

// Pushes a mode for its lifetime. Takes over the caller's reference.
class DispatchModeScope {
 public:
  explicit DispatchModeScope(DispatchMode* mode);
  ~DispatchModeScope();
  DispatchModeScope(const DispatchModeScope&) = delete;
};

// Hides every mode for its lifetime.
class WithoutDispatchModes {
 public:
  WithoutDispatchModes();
  ~WithoutDispatchModes();
  WithoutDispatchModes(const WithoutDispatchModes&) = delete;

 private:
  c10::impl::TorchDispatchModeTLS hidden_;
};

// Hides every mode but the instruments.
class OnlyInstruments {
 public:
  OnlyInstruments();
  ~OnlyInstruments();
  OnlyInstruments(const OnlyInstruments&) = delete;

 private:
  c10::impl::TorchDispatchModeTLS hidden_;
};

// What cannot be captured. Code with a side effect that is no operator (a storage resized, a reducer made ready) says so
// by break_graph(); a capture that meets it is given up, nothing of the effect having happened, and the caller falls back.
//
// After torch._dynamo's graph breaks. Thread bound.

class GraphBreak : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws GraphBreak while this thread records; otherwise does nothing. `reason` reads after "graph break in layers.0:".
void break_graph(const std::string& reason);

bool is_recording();

// Set by the recorder for as long as it records.
class RecordingScope {
 public:
  RecordingScope();
  ~RecordingScope();
  RecordingScope(const RecordingScope&) = delete;
};

}  // namespace ordercheck::ranks
