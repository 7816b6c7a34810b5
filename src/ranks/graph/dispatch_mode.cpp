#include "ranks/graph/dispatch_mode.h"

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

}  // namespace ordercheck::ranks
