// What trains a stack that names no optimizer, in a run of every engine, and what clips its gradients where somebody asks for that.
#pragma once

#include <string>

#include "stack/stack.h"

namespace ordercheck {

// torch.optim.AdamW over the parameters that the last transform left, without clipping. The engines' defaults say the same.
const Item& default_trainer();

// The stack as it is trained: default_trainer() last, where it names no optimizer. Indices of its items stay.
Stack with_trainer(const Stack& stack);

// The stack as it is trained, with gradients clipped by torch.nn.utils.clip_grad_norm_(model.parameters(), threshold). An optimizer
// that clips already stays as it is.
Stack with_clipping(const Stack& stack, const std::string& threshold);
inline constexpr const char* kStockClipping = "torch.nn.utils.clip_grad_norm_ alone";
inline constexpr const char* kUsualThreshold = "1";
// One that the gradients of the engines' models are above, so that clipping changes them.
inline constexpr const char* kReachedThreshold = "0.03125";

bool names_trainer(const Stack& stack);

bool clips(const Stack& stack);

// An optimizer whose trainer calls torch.nn.utils.clip_grad_norm_ as it is.
bool clips_alone(const Item& item);

// Whether the optimizer steps in every backward, so that a step has room for one alone.
bool steps_in_backward(const Stack& stack);

// The backend of compile: which one an item names, and which one is meant where it names none.

// What torch.compile takes where none is named. An engine may run another in its place, and then says so.
inline constexpr const char* kUsualBackend = "inductor";

// Whether it compiles and names no backend.
bool leaves_backend_open(const Item& item);

// With the usual one named wherever it was left open:  "compile,sac" -> "compile=inductor,sac".
Stack under_usual_backend(Stack stack);

// With no compile that names one.
Stack without_backend(Stack stack);

bool names_usual_backend(const Stack& stack);

}  // namespace ordercheck
