#include "ranks/module/module.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace ordercheck::ranks {
namespace {

class AddOne final : public Module {
 public:
  AddOne() : Module("AddOne") {}

 protected:
  at::Tensor forward(const Tensors& inputs) override { return inputs[0] + 1; }
};

class Wrapper final : public Module {
 public:
  explicit Wrapper(ModulePtr inside) : Module("Wrapper") { set_child("_inside", std::move(inside)); }
  bool is_wrapper() const override { return true; }

 protected:
  at::Tensor forward(const Tensors& inputs) override { return child("_inside")->call(inputs); }
};

double run(Module& module, double x) { return module.call({at::full({}, x)}).item<double>(); }

PreHook scale_input(double by) {
  return [by](Module&, Tensors inputs) { return Tensors{inputs[0] * by}; };
}
PostHook scale_output(double by) {
  return [by](Module&, const Tensors&, at::Tensor output) { return output * by; };
}

TEST(Module, HooksRunInOrderAroundTheBody) {
  AddOne module;
  module.add_pre_hook(scale_input(2));
  module.add_post_hook(scale_output(10));
  EXPECT_EQ(run(module, 3), 70);
}

TEST(Module, APreHookMayBePutFirst) {
  AddOne module;
  module.add_pre_hook([](Module&, Tensors inputs) { return Tensors{inputs[0] + 5}; });
  module.add_pre_hook(scale_input(2), HookPlace::first);
  EXPECT_EQ(run(module, 3), 12);  // 3 * 2 + 5 + 1
}

TEST(Module, AReplacedBodyStaysBeneathTheHooks) {
  AddOne module;
  module.add_post_hook(scale_output(10));
  module.replace_body([](Body forward) { return [forward](const Tensors& inputs) { return forward(inputs) + 100; }; });
  EXPECT_EQ(run(module, 3), 1040);
}

TEST(Module, AWrapperRenamesPathsButNotPlainOnes) {
  auto root = std::make_shared<AddOne>();
  auto block = std::make_shared<AddOne>();
  block->set_parameter("weight", make_parameter(at::ones({2}), {2}, {}));
  root->set_child("block", block);
  root->set_child("block", std::make_shared<Wrapper>(block));
  EXPECT_EQ(block->path(), "block._inside");
  EXPECT_EQ(block->plain_path(), "block");
  ASSERT_EQ(parameters_of(root).size(), 1u);
  EXPECT_EQ(parameters_of(root)[0].name, "block.weight");
}

TEST(Module, SettingAChildKeepsItsPlace) {
  auto root = std::make_shared<AddOne>();
  root->set_child("a", std::make_shared<AddOne>());
  root->set_child("b", std::make_shared<AddOne>());
  root->set_child("a", std::make_shared<Wrapper>(root->child("a")));
  EXPECT_EQ(root->children()[0].first, "a");
  EXPECT_EQ(root->children()[0].second->type(), "Wrapper");
}

}  // namespace
}  // namespace ordercheck::ranks
