// Autocasting on the fake device, of what the CPU's autocast casts among a model's operators.
#pragma once

namespace ordercheck::ranks::fake {

// Once a process.
void register_autocast();

}  // namespace ordercheck::ranks::fake
