// GPU kernels for tensor lists fuse multiply and add into one rounding. While exactness is on, call the per-tensor operators,
// as a CPU does.
#include "native/arith/cuda/one_by_one.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include "native/arith/exactness.h"
#include "native/arith/operators.h"

namespace ordercheck::ranks {
namespace {

class OneByOne final : public c10::OperatorKernel {
 public:
  OneByOne(c10::SafeKernelFunction stock, c10::SafeKernelFunction of_cpus)
      : stock_(std::move(stock)), of_cpus_(std::move(of_cpus)) {}
  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
    (exactness_is_on() ? of_cpus_ : stock_).callBoxed(op, keys, stack);
  }

 private:
  c10::SafeKernelFunction stock_, of_cpus_;
};

}  // namespace

void take_lists_one_by_one(torch::Library& aten, c10::DispatchKey key) {
  c10::Dispatcher& dispatcher = c10::Dispatcher::singleton();
  for (const c10::OperatorName& name : dispatcher.getRegistrationsForDispatchKey(key)) {
    if (!name.name.starts_with("aten::_foreach_")) continue;
    const std::string full = c10::toString(name).substr(6);
    const c10::OperatorHandle op = dispatcher.findSchemaOrThrow(name.name.c_str(), name.overload_name.c_str());
    // Skip operators that have a kernel of their own on CPUs.
    if (operator_table().exact.contains(full) || op.hasKernelForDispatchKey(c10::DispatchKey::CPU)) continue;
    auto kernel = std::make_unique<OneByOne>(op.getComputedKernelForDispatchKey(key),
                                             op.getComputedKernelForDispatchKey(c10::DispatchKey::CPU));
    aten.impl(full.c_str(), torch::CppFunction::makeFromBoxedFunctor(std::move(kernel)));
  }
}

}  // namespace ordercheck::ranks
