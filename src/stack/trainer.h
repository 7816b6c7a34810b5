// What trains a stack that names no optimizer, in a run of every engine.
#pragma once

#include "stack/stack.h"

namespace ordercheck {

// torch.optim.AdamW over the parameters that the last transform left, clipped as a README has it:
// torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0). The engines' defaults say the same.
const Item& default_trainer();
inline constexpr const char* kDefaultClipping = "torch.nn.utils.clip_grad_norm_ alone";

// The stack as it is trained: default_trainer() last, where it names no optimizer. Indices of its items stay.
Stack with_trainer(const Stack& stack);

// The same optimizer, whose gradients are left as they are.
Item without_clipping(const Item& trainer);

bool names_trainer(const Stack& stack);

// An optimizer whose trainer calls torch.nn.utils.clip_grad_norm_ as it is.
bool clips_alone(const Item& item);

// Whether the optimizer steps in every backward, so that a step has room for one alone.
bool steps_in_backward(const Stack& stack);

// Whether `ran` is `stack` with an optimizer that clips named last: a run of it is one of the stack, trained in another way than
// the default.
bool is_trained_form_of(const Stack& ran, const Stack& stack);

}  // namespace ordercheck
