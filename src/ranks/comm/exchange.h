// The tensor work of collectives between rank threads. Nothing of it is seen by dispatch modes or by autograd.
#pragma once

#include "ranks/comm/rendezvous.h"

namespace ordercheck::ranks {

// Does what the offers of a complete meeting that agree ask for: writes every participant's outputs from the inputs.
// Reductions add in rank order, in the inputs' own dtype. Throws what ATen throws for a dtype that it cannot reduce.
void exchange(const Rendezvous& meeting);

// Faults. Zeroes in every output, as if the collective had never been issued; and an input with one more row than it
// should have (one element more for a scalar).
void zero_outputs(const Offer& offer);
void lengthen_inputs(Offer& offer);

}  // namespace ordercheck::ranks
