// The fake device's part in c10's guards: c10::Stream, c10::Event and c10::StreamGuard work on it as on any accelerator.
#pragma once

#include <c10/core/Device.h>

namespace ordercheck::ranks::fake {

inline const c10::Device kDevice(c10::DeviceType::PrivateUse1, 0);

// Once a process.
void register_guard();

}  // namespace ordercheck::ranks::fake
