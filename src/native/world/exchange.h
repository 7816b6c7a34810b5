// Moves and reduces the tensors of collectives between rank threads, hidden from dispatch modes and autograd.
#pragma once

#include "native/world/rendezvous.h"

namespace ordercheck::ranks {

// Computes a collective: writes the output tensors of all its ranks from their inputs. All offers must be present and agree.
// Reduces in rank order and in the dtype of the inputs. Throws ATen's error for a dtype that it cannot reduce.
void exchange(const Rendezvous& meeting);

// Injected faults: zero the outputs, as if the rank had never issued the collective; or add a row to each input (make a scalar
// an element longer), so that its shape differs from other ranks'.
void zero_outputs(const Offer& offer);
void lengthen_inputs(Offer& offer);

}  // namespace ordercheck::ranks
