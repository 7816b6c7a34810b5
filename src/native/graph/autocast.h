// Reads and sets this thread's autocast state on its rank's device. A recomputation restores the state of its forward.
#pragma once

#include <ATen/autocast_mode.h>

#include "native/module/rank.h"

namespace ordercheck::ranks {

struct Autocast {
  bool on = false;
  at::ScalarType dtype = at::kBFloat16;
};

inline Autocast autocast_now() {
  return {.on = at::autocast::is_autocast_enabled(device_now().type()),
          .dtype = at::autocast::get_autocast_dtype(device_now().type())};
}

// Sets autocast during its lifetime, with the weight cast cache off, as torch.autocast(cache_enabled=False). PyTorch's cache is
// one table per process, cleared when any thread's autocast region ends, so a rank thread would lose its casts at random. A
// weight used twice would then have one or two casts, and its gradient would be added in bf16 or float32 by chance.
class AutocastScope {
 public:
  explicit AutocastScope(const Autocast& wanted)
      : before_(autocast_now()), kept_casts_(at::autocast::is_autocast_cache_enabled()) {
    set(wanted);
    at::autocast::set_autocast_cache_enabled(false);
  }
  ~AutocastScope() {
    at::autocast::set_autocast_cache_enabled(kept_casts_);
    set(before_);
  }
  AutocastScope(const AutocastScope&) = delete;

 private:
  static void set(const Autocast& wanted) {
    at::autocast::set_autocast_enabled(device_now().type(), wanted.on);
    at::autocast::set_autocast_dtype(device_now().type(), wanted.dtype);
  }
  Autocast before_;
  bool kept_casts_;
};

}  // namespace ordercheck::ranks
