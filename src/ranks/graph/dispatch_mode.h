// A dispatch mode in C++: sees every ATen and functional-collective operator below autograd, in forward and in backward,
// on the thread that pushed it. Modes nest; the innermost is asked first, and what it calls goes to the next one.
//
// The C++ counterpart of Python's TorchDispatchMode. One thread each.
#pragma once

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

}  // namespace ordercheck::ranks
