// Provides dispatch modes in C++, like Python's TorchDispatchMode: a mode sees every ATen and functional-collective operator
// below autograd, in forward and backward. It sees only the thread that pushed it. Modes nest: the innermost comes first, and
// its calls go to the next one.
#pragma once

#include <stdexcept>
#include <string>

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/impl/TorchDispatchModeTLS.h>

#include "native/graph/interpreter.h"

namespace ordercheck::ranks {

class DispatchMode : public Held {
 public:
  // Called instead of each operator, usually to run it by op.callBoxed(stack). This mode is off the stack of modes during the
  // call.
  virtual void call(const c10::OperatorHandle& op, torch::jit::Stack& stack) = 0;
  // True for a mode that only observes, such as a counter: OnlyInstruments leaves it active.
  virtual bool is_instrument() const { return false; }
};

// During its lifetime, `mode` is the innermost mode of this thread. Takes over the caller's reference.
class DispatchModeScope {
 public:
  explicit DispatchModeScope(DispatchMode* mode);
  ~DispatchModeScope();
  DispatchModeScope(const DispatchModeScope&) = delete;
};

// During its lifetime, no mode sees this thread's operators.
class WithoutDispatchModes {
 public:
  WithoutDispatchModes();
  ~WithoutDispatchModes();
  WithoutDispatchModes(const WithoutDispatchModes&) = delete;

 private:
  c10::impl::TorchDispatchModeTLS hidden_;
};

// During its lifetime, only instruments see this thread's operators.
class OnlyInstruments {
 public:
  OnlyInstruments();
  ~OnlyInstruments();
  OnlyInstruments(const OnlyInstruments&) = delete;

 private:
  c10::impl::TorchDispatchModeTLS hidden_;
};

// A graph break, after torch._dynamo's. Code with a side effect outside operators (resizing a storage, arming DDP's reducer)
// first calls break_graph(). If a capture is running, it aborts before the side effect, and the caller runs the region eagerly.
// Thread bound.

class GraphBreak : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws GraphBreak while this thread records, else does nothing. `reason` follows "graph break in layers.0:".
void break_graph(const std::string& reason);

bool is_recording();

// While it lives, this thread records: break_graph() throws.
class RecordingScope {
 public:
  RecordingScope();
  ~RecordingScope();
  RecordingScope(const RecordingScope&) = delete;
};

}  // namespace ordercheck::ranks
