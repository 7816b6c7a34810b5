// Operators that are no part of the program: a backend's, an optimizer's rounding, a copy that no version counter counts.
#pragma once

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include "ranks/arith/exactness.h"

namespace ordercheck::ranks {

// For its lifetime, what this thread calls is LibTorch's own kernel, on whatever device: no mode records or counts it, autograd does not
// differentiate it, and exact arithmetic does not round it.
struct StockOperators {
  at::NoGradGuard no_gradient;
  at::AutoDispatchBelowADInplaceOrView below_autograd;
  c10::impl::ExcludeDispatchKeyGuard below_modes{
      c10::DispatchKeySet({c10::DispatchKey::Python, c10::DispatchKey::PythonTLSSnapshot})};
  StockArithmetic not_exact;
};

}  // namespace ordercheck::ranks
