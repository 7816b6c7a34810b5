#include "native/arith/refusals.h"

#include <algorithm>

#include <ATen/core/dispatch/Dispatcher.h>
#include <fmt/format.h>

#include "native/arith/exactness.h"
#include "native/arith/operators.h"

namespace ordercheck::ranks {
namespace {

using torch::jit::Stack;

constexpr std::string_view kNamespace = "aten::";
constexpr const char* kOfComplex = "of complex numbers has no exact kernel";

// Which argument dtypes a refused operator throws for: floating-point and complex, or complex only.
enum class Refused { numbers, complex };

bool is_among(Refused refused, const at::Tensor& tensor) {
  if (!tensor.defined()) return false;
  return at::isComplexType(tensor.scalar_type()) || (refused == Refused::numbers && at::isFloatingType(tensor.scalar_type()));
}

bool is_among(Refused refused, const c10::IValue& value) {
  if (value.isTensor()) return is_among(refused, value.toTensor());
  if (!value.isList()) return false;
  const auto elements = value.toListRef();
  return std::any_of(elements.begin(), elements.end(), [&](const c10::IValue& element) { return is_among(refused, element); });
}

class Refusal final : public c10::OperatorKernel {
 public:
  Refusal(c10::SafeKernelFunction stock, Refused refused, std::string reason)
      : stock_(std::move(stock)), refused_(refused), reason_(std::move(reason)) {}
  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, Stack* stack) {
    if (exactness_is_on()) {
      const auto arguments = torch::jit::last(*stack, op.schema().arguments().size());
      if (std::any_of(arguments.begin(), arguments.end(), [&](const c10::IValue& one) { return is_among(refused_, one); }))
        throw Unsupported(fmt::format("{} {}", op.operator_name().name, reason_));
    }
    stock_.callBoxed(op, keys, stack);
  }

 private:
  c10::SafeKernelFunction stock_;
  Refused refused_;
  std::string reason_;
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

void refuse_the_rest(torch::Library& aten, c10::DispatchKey key) {
  const OperatorTable& table = operator_table();
  c10::Dispatcher& dispatcher = c10::Dispatcher::singleton();
  std::vector<c10::OperatorName> names = dispatcher.getRegistrationsForDispatchKey(key);
  // Add operators with a CompositeExplicitAutograd kernel, which the dispatcher does not list under `key`.
  for (const auto& [name, reason] : table.refused) {
    const c10::OperatorName full("aten::" + name, "");
    if (dispatcher.findSchema(full) && std::find(names.begin(), names.end(), full) == names.end()) names.push_back(full);
  }
  for (const c10::OperatorName& name : names) {
    if (!name.name.starts_with(kNamespace)) continue;
    const std::string base = name.name.substr(kNamespace.size());
    const std::string full = c10::toString(name).substr(kNamespace.size());
    if (table.exact.contains(full) || table.exact_on_gpus.contains(full) || table.kept.contains(base)) continue;
    const c10::OperatorHandle op = dispatcher.findSchemaOrThrow(name.name.c_str(), name.overload_name.c_str());
    if (!takes_tensors(op.schema())) continue;
    auto stock = op.getComputedKernelForDispatchKey(key);
    const auto why = table.refused.find(base);
    auto refusal = table.refused_complex.contains(base)
                       ? std::make_unique<Refusal>(std::move(stock), Refused::complex, kOfComplex)
                       : std::make_unique<Refusal>(std::move(stock), Refused::numbers,
                                                   why == table.refused.end() ? kSumsInside : why->second);
    aten.impl(full.c_str(), torch::CppFunction::makeFromBoxedFunctor(std::move(refusal)));
  }
}

}  // namespace ordercheck::ranks
