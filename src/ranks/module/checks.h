// Checks that refuse, before anything is computed, what a mechanism was not made for: distributing what is distributed, copying
// what belongs to one module. PyTorch has the same. An order that only they stop is not shown to be wrong, so a worker may leave them
// out and show what they stand before.
#pragma once

namespace ordercheck::ranks {

// Of the process; set once, before any rank runs.
void leave_checks_out();
bool checks_are_left_out();

}  // namespace ordercheck::ranks
