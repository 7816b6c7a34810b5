// Inside an exact kernel: operators that it calls are LibTorch's own, on whatever device its tensors are.
#pragma once

#include <c10/core/impl/LocalDispatchKeySet.h>

namespace ordercheck::ranks {

// For its lifetime, on this thread: exact kernels of exact_operators.h call their stock kernels, and no autograd, autocast or dispatch
// mode sees what is called. Exactness stays on, since an exact kernel asks for its grid: StockOperators (ranks/arith/stock_operators.h)
// turns it off. Nests.
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
