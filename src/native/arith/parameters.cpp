#include "native/arith/parameters.h"

#include <ATen/ATen.h>

#include "native/arith/exactness.h"
#include "native/arith/snap.h"
#include "native/arith/stock_operators.h"

namespace ordercheck::ranks {

// snapped() would throw OutOfRange for NaN and infinity. Let such a parameter show in the results instead.
void put_on_grid(at::Tensor parameter) {
  if (!exactness_is_on() || parameter.scalar_type() != at::kDouble) return;
  const double c = snap_constant(product_bits());
  const StockOperators stock;
  parameter.copy_((parameter + c) - c);
}

}  // namespace ordercheck::ranks
