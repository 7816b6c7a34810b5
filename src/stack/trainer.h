// Adds the default optimizer or gradient clipping to a stack, and reads which optimizer and compile backend it has.
#pragma once

#include <string>

#include "stack/stack.h"

namespace ordercheck {

// torch.optim.AdamW over the parameters as the last transform leaves them, without clipping. Every engine has this default.
const Item& default_trainer();

// Appends default_trainer() if the stack names no optimizer. Item indices stay valid.
Stack with_trainer(const Stack& stack);

// Adds clipping by torch.nn.utils.clip_grad_norm_(model.parameters(), threshold) to the optimizer, unless it clips already.
Stack with_clipping(const Stack& stack, const std::string& threshold);
inline constexpr const char* kStockClipping = "torch.nn.utils.clip_grad_norm_ alone";
inline constexpr const char* kUsualThreshold = "1";
// A threshold below the gradient norms of the engines' models, so that clipping changes the gradients.
inline constexpr const char* kReachedThreshold = "0.03125";

bool names_trainer(const Stack& stack);

bool clips(const Stack& stack);

// Whether the optimizer item clips with a single torch.nn.utils.clip_grad_norm_ over all parameters, not one per mesh.
bool clips_alone(const Item& item);

// Whether the optimizer steps in every backward, so that a step has one microbatch.
bool steps_in_backward(const Stack& stack);

// The default backend of torch.compile. An engine may run `compile` with another backend, and then reports it.
inline constexpr const char* kUsualBackend = "inductor";

// Whether the item is `compile` without a backend (`compile`, not `compile=inductor`).
bool leaves_backend_open(const Item& item);

// Names the default backend in every compile without one: "compile,sac" -> "compile=inductor,sac".
Stack under_usual_backend(Stack stack);

// Removes the backend from every compile.
Stack without_backend(Stack stack);

bool names_usual_backend(const Stack& stack);

}  // namespace ordercheck
