#include "native/arith/cuda/exact_operators.h"

#include <map>

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/native/Resize.h>
#include <torch/library.h>

#include "native/arith/cuda/one_by_one.h"
#include "native/arith/cuda/stock_scope.h"
#include "native/arith/exactness.h"
#include "native/arith/refusals.h"

namespace ordercheck::ranks {
namespace {

using torch::jit::Stack;

bool is_written(const c10::Argument& argument) { return argument.alias_info() != nullptr && argument.alias_info()->isWrite(); }

// Returns the number of `out` arguments of an operator.
std::size_t outs_of(const c10::FunctionSchema& schema) {
  std::size_t count = 0;
  for (const c10::Argument& argument : schema.arguments()) count += argument.kwarg_only() && is_written(argument);
  return count;
}

void put(const at::Tensor& out, const at::Tensor& value) {
  at::native::resize_output(out, value.sizes());
  out.copy_(value);
}

class ExactKernel final : public c10::OperatorKernel {
 public:
  ExactKernel(c10::SafeKernelFunction stock, Applies applies, c10::KernelFunction exact, const c10::OperatorHandle& op)
      : stock_(std::move(stock)), applies_(std::move(applies)), exact_(std::move(exact)), outs_(outs_of(op.schema())) {}

  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, Stack* stack) {
    const c10::FunctionSchema& schema = op.schema();
    const std::size_t count = schema.arguments().size();
    // Use the stock kernel inside an exact kernel (StockScope), else the exact kernel would call itself.
    if (StockScope::is_open() || !exactness_is_on() ||
        !applies_(op.operator_name().name.c_str(), torch::jit::last(*stack, count))) {
      stock_.callBoxed(op, keys, stack);
      return;
    }
    const StockScope stock;
    const std::vector<c10::IValue> arguments = torch::jit::last(*stack, count).vec();
    torch::jit::drop(*stack, count);
    Stack results(arguments.begin(), arguments.end() - static_cast<std::ptrdiff_t>(outs_));
    exact_.callBoxed(op, keys, &results);
    const bool in_place = outs_ == 0 && !schema.returns().empty() && schema.returns()[0].alias_info() != nullptr;
    if (in_place) arguments[0].toTensor().copy_(results[0].toTensor());
    for (std::size_t i = 0; i < outs_; ++i) put(arguments[count - outs_ + i].toTensor(), results[i].toTensor());
    for (std::size_t i = 0; i < schema.returns().size(); ++i)
      stack->push_back(in_place ? arguments[0] : outs_ > 0 ? arguments[count - outs_ + i] : results[i]);
  }

 private:
  c10::SafeKernelFunction stock_;
  Applies applies_;
  c10::KernelFunction exact_;
  std::size_t outs_;
};

// During its lifetime, drops warnings: the dispatcher warns about overriding a kernel, which is intended here.
class Silence final : public c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

struct Installed {
  torch::Library aten;
  std::set<std::string> names;

  explicit Installed(c10::DispatchKey key) : aten(torch::Library::IMPL, "aten", key, __FILE__, __LINE__) {
    Silence silence;
    const c10::WarningUtils::WarningHandlerGuard guard(&silence);
    refuse_the_rest(aten, key);  // first, while stock kernels are still registered: it calls them when exactness is off
    take_lists_one_by_one(aten, key);
    if (key != c10::DispatchKey::CPU)
      for (const ExactOperator& one : exact_rms_norms())
        for (const std::string& form : one.forms) add(one, form, key);
    for (const auto& all : {exact_contractions, exact_sums_and_norms, exact_softmaxes, exact_losses, exact_scatters,
                            exact_layer_norms, exact_activations, exact_on_whole_vectors, exact_arithmetic, exact_optimizers})
      for (const ExactOperator& one : all())
        for (const std::string& form : one.forms) add(one, form, key);
  }

  void add(const ExactOperator& one, const std::string& form, c10::DispatchKey key) {
    const std::size_t dot = form.find('.');
    const std::string name = "aten::" + form.substr(0, dot), overload = dot == form.npos ? "" : form.substr(dot + 1);
    const c10::OperatorHandle op = c10::Dispatcher::singleton().findSchemaOrThrow(name.c_str(), overload.c_str());
    auto kernel = std::make_unique<ExactKernel>(op.getComputedKernelForDispatchKey(key), one.applies, one.exact, op);
    aten.impl(form.c_str(), torch::CppFunction::makeFromBoxedFunctor(std::move(kernel)));
    names.insert(form);
  }
};

}  // namespace

Applies sums_of(std::vector<std::size_t> operands) {
  return [operands = std::move(operands)](const char* op, Arguments arguments) {
    bool exact = true;
    for (const std::size_t i : operands) exact = takes_exact_path(op, arguments[i].toTensor()) && exact;
    return exact;
  };
}

Applies is_float64(std::size_t operand) {
  return [operand](const char*, Arguments arguments) { return takes_stable_path(arguments[operand].toTensor()); };
}

bool make_float64(const at::Tensor& a, const at::Tensor& b) { return at::result_type(a, b) == at::kDouble; }

const std::set<std::string>& install_exact_operators(c10::DispatchKey key) {
  // Never destroyed: LibTorch threads may outlive main.
  static auto* const by_key = new std::map<c10::DispatchKey, Installed>;
  return by_key->try_emplace(key, key).first->second.names;
}

}  // namespace ordercheck::ranks
