// A device that is none: an accelerator in the eyes of LibTorch, whose kernels are the CPU's. It finds on any machine what would go
// wrong on a GPU alone: a host that touches device memory (fake_memory.h), and a stream that does not wait (fake_streams.h).
#pragma once

#include <c10/core/Device.h>

namespace ordercheck::ranks {

inline constexpr const char* kFakeDevice = "fake";

// Once a process, at the first call, before any rank runs: with the exact kernels. From then on tensors may be made there.
c10::Device install_fake_device();

}  // namespace ordercheck::ranks
