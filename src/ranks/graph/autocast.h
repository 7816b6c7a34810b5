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

// For its lifetime. Casts of parameters are not kept beyond it: what was cast in a forward may have been updated since.
class AutocastScope {
 public:
  explicit AutocastScope(const Autocast& wanted) : before_(autocast_now()) { set(wanted); }
  ~AutocastScope() {
    at::autocast::clear_cache();
    set(before_);
  }
  AutocastScope(const AutocastScope&) = delete;

 private:
  static void set(const Autocast& wanted) {
    at::autocast::set_autocast_enabled(device_now().type(), wanted.on);
    at::autocast::set_autocast_dtype(device_now().type(), wanted.dtype);
  }
  Autocast before_;
};

}  // namespace ordercheck::ranks
