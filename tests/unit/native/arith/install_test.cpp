#include "native/arith/install.h"

#include <gmock/gmock.h>

#include "native/arith/operators.h"
#include "native/graph/dispatch_mode.h"
#include "unit/native/arith/exactly.h"

namespace ordercheck::ranks {
namespace {

using testing::ElementsAre;

TEST(Install, HasAKernelForEveryExactRowOfTheTableAndNoOther) {
  EXPECT_GT(operator_table().exact.size(), 80U);
  EXPECT_THAT(exact_kernels(), testing::ContainerEq(operator_table().exact));
}

TEST(Install, EveryOperatorOfTheTableIsOneOfATens) {
  for (const std::string& name : operator_table().exact) {
    const auto dot = name.find('.');
    const c10::OperatorName full("aten::" + name.substr(0, dot), dot == std::string::npos ? "" : name.substr(dot + 1));
    EXPECT_TRUE(c10::Dispatcher::singleton().findSchema(full)) << name;
  }
}

class Watcher final : public DispatchMode {
 public:
  explicit Watcher(std::vector<std::string>& names) : names_(names) {}
  void call(const c10::OperatorHandle& op, torch::jit::Stack& stack) override {
    names_.push_back(op.operator_name().name);
    op.callBoxed(&stack);
  }

 private:
  std::vector<std::string>& names_;
};

// What captures and counts operators sees a user's, and nothing of what makes them exact.
TEST(Install, AKernelIsOneOperatorToDispatchModes) {
  const Exactly exact;
  const at::Tensor x = noise({2, 4, 4, 4}, 1);
  std::vector<std::string> seen;
  {
    const DispatchModeScope watching(new Watcher(seen));
    at::_scaled_dot_product_flash_attention_for_cpu(x, x, x);
    at::gelu(x);
    at::_softmax(x, -1, false);
  }
  EXPECT_THAT(seen, ElementsAre("aten::_scaled_dot_product_flash_attention_for_cpu", "aten::gelu", "aten::_softmax"));
}

}  // namespace
}  // namespace ordercheck::ranks
