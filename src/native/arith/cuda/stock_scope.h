// Makes operators called inside an exact kernel use LibTorch's stock kernels on any device.
#pragma once

#include <c10/core/impl/LocalDispatchKeySet.h>

namespace ordercheck::ranks {

// During its lifetime, on this thread: exact kernels of exact_operators.h call their stock kernels. Autograd, autocast and
// dispatch modes see nothing. Exactness stays on, because an exact kernel reads the grid; StockOperators
// (native/arith/stock_operators.h) turns it off. Nests.
class StockScope {
 public:
  StockScope();
  ~StockScope();
  StockScope(const StockScope&) = delete;
  static bool is_open();

 private:
  c10::impl::ExcludeDispatchKeyGuard above_;
};

}  // namespace ordercheck::ranks
