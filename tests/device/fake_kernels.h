// The fake device's operators: what moves no number is ATen's own, all else is the CPU's kernel on the bytes behind the tensors.
//
// An operator without tensors of the device among its results waits for its stream, as any that returns a number to the host.
#pragma once

namespace ordercheck::ranks::fake {

// Once a process, behind all that puts kernels in the place of the CPU's.
void register_kernels();

}  // namespace ordercheck::ranks::fake
