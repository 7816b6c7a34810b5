#include "native/arith/cuda/stock_scope.h"

namespace ordercheck::ranks {
namespace {

thread_local int depth = 0;

// Exclude every key above the backend: autograd, autocast, Python modes and functionalization.
const c10::DispatchKeySet& keys_above() {
  using c10::DispatchKey;
  static const c10::DispatchKeySet keys = c10::autograd_dispatch_keyset_with_ADInplaceOrView | c10::autocast_dispatch_keyset |
                                          c10::DispatchKeySet({DispatchKey::Python, DispatchKey::PythonTLSSnapshot,
                                                               DispatchKey::PythonDispatcher, DispatchKey::Functionalize});
  return keys;
}

}  // namespace

StockScope::StockScope() : above_(keys_above()) { ++depth; }
StockScope::~StockScope() { --depth; }
bool StockScope::is_open() { return depth > 0; }

}  // namespace ordercheck::ranks
