#include "ranks/arith/parameters.h"

#include <ATen/ATen.h>

#include "ranks/arith/exactness.h"
#include "ranks/arith/snap.h"
#include "ranks/arith/stock_operators.h"

namespace ordercheck::ranks {

// Not snapped(), which leaves the range for what is no number: a parameter that is none shows in what is computed of it.
void put_on_grid(at::Tensor parameter) {
  if (!exactness_is_on() || parameter.scalar_type() != at::kDouble) return;
  const double c = snap_constant(product_bits());
  const StockOperators stock;
  parameter.copy_((parameter + c) - c);
}

}  // namespace ordercheck::ranks
