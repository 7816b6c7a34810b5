// Runs operators that are not part of the checked program: those of a communication backend, of an optimizer's rounding, or a
// copy that must not be counted.
#pragma once

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include "native/arith/exactness.h"

namespace ordercheck::ranks {

// During its lifetime, this thread calls LibTorch's own kernels on any device. No mode records or counts them, autograd skips
// them, and exact arithmetic does not round them.
struct StockOperators {
  at::NoGradGuard no_gradient;
  at::AutoDispatchBelowADInplaceOrView below_autograd;
  c10::impl::ExcludeDispatchKeyGuard below_modes{
      c10::DispatchKeySet({c10::DispatchKey::Python, c10::DispatchKey::PythonTLSSnapshot})};
  StockArithmetic not_exact;
};

}  // namespace ordercheck::ranks
