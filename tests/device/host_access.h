// The name of a crash: a host that touched memory of the fake device.
#pragma once

namespace ordercheck::ranks::fake {

// From then on a segmentation fault at an address of the device says so, in one line on stderr, before the process ends by it.
// Others end the process as before.
void name_host_accesses();

}  // namespace ordercheck::ranks::fake
