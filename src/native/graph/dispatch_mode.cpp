#include "native/graph/dispatch_mode.h"

namespace ordercheck::ranks {
using c10::impl::TorchDispatchModeTLS;

DispatchModeScope::DispatchModeScope(DispatchMode* mode) {
  TorchDispatchModeTLS::push_non_infra_mode_onto_stack(
      std::make_shared<c10::impl::PyObject_TorchDispatchMode>(mode->as_object(), &interpreter()));
}

DispatchModeScope::~DispatchModeScope() { TorchDispatchModeTLS::pop_stack(); }

WithoutDispatchModes::WithoutDispatchModes() : hidden_(TorchDispatchModeTLS::get_state()) {
  TorchDispatchModeTLS::set_state(TorchDispatchModeTLS());
}

WithoutDispatchModes::~WithoutDispatchModes() { TorchDispatchModeTLS::set_state(std::move(hidden_)); }

OnlyInstruments::OnlyInstruments() : hidden_(TorchDispatchModeTLS::get_state()) {
  const int64_t modes = TorchDispatchModeTLS::stack_len();
  std::vector<std::shared_ptr<c10::impl::PyObject_TorchDispatchMode>> instruments;
  for (int64_t i = 0; i < modes; ++i) {
    const auto& mode = TorchDispatchModeTLS::get_stack_at(i);
    if (static_cast<DispatchMode*>(Held::from_object(mode->ptr(&interpreter())))->is_instrument()) {
      instruments.push_back(mode);
    }
  }
  TorchDispatchModeTLS::set_state(TorchDispatchModeTLS());
  for (auto& mode : instruments) TorchDispatchModeTLS::push_non_infra_mode_onto_stack(std::move(mode));
}

OnlyInstruments::~OnlyInstruments() { TorchDispatchModeTLS::set_state(std::move(hidden_)); }

namespace {

thread_local int recordings = 0;

}  // namespace

void break_graph(const std::string& reason) {
  if (is_recording()) throw GraphBreak(reason);
}

bool is_recording() { return recordings > 0; }

RecordingScope::RecordingScope() { ++recordings; }
RecordingScope::~RecordingScope() { --recordings; }

}  // namespace ordercheck::ranks
