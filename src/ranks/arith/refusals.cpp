#include "ranks/arith/refusals.h"

#include <algorithm>

#include <ATen/core/dispatch/Dispatcher.h>
#include <fmt/format.h>

#include "ranks/arith/exactness.h"
#include "ranks/arith/operators.h"

namespace ordercheck::ranks {
namespace {

using torch::jit::Stack;

bool has_numbers(const at::Tensor& tensor) {
  return tensor.defined() && (at::isFloatingType(tensor.scalar_type()) || at::isComplexType(tensor.scalar_type()));
}

bool has_numbers(const c10::IValue& value) {
  if (value.isTensor()) return has_numbers(value.toTensor());
  if (!value.isList()) return false;
  const auto elements = value.toListRef();
  return std::any_of(elements.begin(), elements.end(), [](const c10::IValue& element) { return has_numbers(element); });
}

class Refusal final : public c10::OperatorKernel {
 public:
  explicit Refusal(c10::SafeKernelFunction stock) : stock_(std::move(stock)) {}
  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, Stack* stack) {
    if (exactness_is_on()) {
      const auto arguments = torch::jit::last(*stack, op.schema().arguments().size());
      if (std::any_of(arguments.begin(), arguments.end(), [](const c10::IValue& value) { return has_numbers(value); }))
        throw Unsupported(fmt::format("{} may sum inside and has no exact kernel", op.operator_name().name));
    }
    stock_.callBoxed(op, keys, stack);
  }

 private:
  c10::SafeKernelFunction stock_;
};

bool takes_tensors(const c10::FunctionSchema& schema) {
  return std::any_of(schema.arguments().begin(), schema.arguments().end(), [](const c10::Argument& argument) {
    return argument.type()->isSubtypeOf(*c10::TensorType::get()) ||
           argument.type()->isSubtypeOf(*c10::OptionalType::ofTensor()) ||
           argument.type()->isSubtypeOf(*c10::ListType::ofTensors()) ||
           argument.type()->isSubtypeOf(*c10::ListType::ofOptionalTensors());
  });
}

}  // namespace

void refuse_the_rest(torch::Library& aten) {
  const OperatorTable& table = operator_table();
  c10::Dispatcher& dispatcher = c10::Dispatcher::singleton();
  for (const c10::OperatorName& name : dispatcher.getRegistrationsForDispatchKey(c10::DispatchKey::CPU)) {
    if (!name.name.starts_with("aten::")) continue;
    const std::string own = c10::toString(name).substr(std::string("aten::").size());
    if (table.exact.contains(own) || table.harmless.contains(own)) continue;
    const c10::OperatorHandle op = dispatcher.findSchemaOrThrow(name.name.c_str(), name.overload_name.c_str());
    if (!takes_tensors(op.schema())) continue;
    auto refusal = std::make_unique<Refusal>(op.getComputedKernelForDispatchKey(c10::DispatchKey::CPU));
    aten.impl(own.c_str(), torch::CppFunction::makeFromBoxedFunctor(std::move(refusal)));
  }
}

}  // namespace ordercheck::ranks
