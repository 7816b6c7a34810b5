// Autocasting of this thread, on its rank's device: whether it is on, and to which dtype. A recomputation runs under what its forward ran under.
#pragma once

#include <ATen/autocast_mode.h>

#include "ranks/module/rank.h"

namespace ordercheck::ranks {

struct Autocast {
  bool on = false;
  at::ScalarType dtype = at::kBFloat16;
};

inline Autocast autocast_now() {
  return {.on = at::autocast::is_autocast_enabled(device_now().type()),
          .dtype = at::autocast::get_autocast_dtype(device_now().type())};
}

// For its lifetime. A parameter is cast anew wherever it is used, as under torch.autocast(cache_enabled=False): PyTorch keeps casts in
// one table of the process and empties it at the end of any autocast, so that a rank on a thread would lose its casts when another
// one ends. A weight that is used twice would then have one cast or two, and its gradient be added up in bf16 or in float32, by chance.
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
