// How a process of the native engine is set up before it does anything with LibTorch.
#pragma once

namespace ordercheck::ranks {

// One thread, memory that is kept for the next operator, and hooks on saved tensors. Once a process.
void settle_process();

// The descriptor of what was stdout. From then on what libraries print to stdout goes to stderr.
int move_stdout_aside();

}  // namespace ordercheck::ranks
