#include "native/module/module.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
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

TEST(Module, AParameterInTwoSlotsIsNamedOnce) {
  auto root = std::make_shared<AddOne>();
  const ParameterPtr shared = make_parameter(at::ones({2}), {2}, {});
  for (const char* name : {"a", "b"}) {
    root->set_child(name, std::make_shared<AddOne>());
    root->child(name)->set_parameter("weight", shared);
  }
  root->child("b")->set_parameter("bias", make_parameter(at::ones({2}), {2}, {}));
  std::vector<std::string> names;
  for (const NamedParameter& named : parameters_of(root)) names.push_back(named.name);
  EXPECT_THAT(names, testing::ElementsAre("a.weight", "b.bias"));
}

std::vector<std::string> names_of(const Module& module) {
  std::vector<std::string> names;
  for (const auto& [name, child] : module.children()) names.push_back(name);
  return names;
}

TEST(Module, RemovingAChildLeavesTheOthersInOrder) {
  auto root = std::make_shared<AddOne>();
  for (const char* name : {"a", "b", "c"}) root->set_child(name, std::make_shared<AddOne>());
  root->remove_child("b");
  root->remove_child("no such child");
  EXPECT_THAT(names_of(*root), testing::ElementsAre("a", "c"));
  EXPECT_EQ(root->child("b"), nullptr);
  EXPECT_EQ(modules_of(root).size(), 3u);
  root->set_child("b", std::make_shared<AddOne>());
  EXPECT_THAT(names_of(*root), testing::ElementsAre("a", "c", "b"));
}

// Multiplies by its weight, then calls its child if there is one.
class Scale final : public ModuleOf<Scale> {
 public:
  explicit Scale(double weight) : ModuleOf("Scale") {
    set_parameter("weight", make_parameter(at::full({}, weight), {}, {{.axis = "tp"}}));
  }
  at::Tensor& weight() { return parameter("weight")->tensor; }

 protected:
  at::Tensor forward(const Tensors& inputs) override {
    const at::Tensor scaled = inputs[0] * use("weight");
    return child("next") ? child("next")->call({scaled}) : scaled;
  }
};

std::shared_ptr<Scale> scales(double first, double second) {
  auto root = std::make_shared<Scale>(first);
  root->set_child("next", std::make_shared<Scale>(second));
  return root;
}

Scale& next_of(const ModulePtr& module) { return dynamic_cast<Scale&>(*module->child("next")); }

TEST(DeepCopy, HasParametersOfItsOwnAllTheWayDown) {
  const auto original = scales(2, 5);
  const ModulePtr copy = original->deep_copy();
  EXPECT_EQ(run(*copy, 1), 10);
  copy->call({at::ones({})}).backward();
  EXPECT_TRUE(next_of(copy).weight().grad().defined());
  EXPECT_FALSE(original->weight().grad().defined());
  EXPECT_FALSE(next_of(original).weight().grad().defined());

  next_of(copy).weight().detach().fill_(7);
  copy->set_child("more", std::make_shared<AddOne>());
  EXPECT_EQ(run(*copy, 1), 14);
  EXPECT_EQ(run(*original, 1), 10);
  EXPECT_EQ(original->child("more"), nullptr);
}

TEST(DeepCopy, KeepsWhatIsKnownOfAParameter) {
  const auto original = scales(2, 5);
  const ParameterPtr before = original->parameter("weight");
  before->grouped = true;
  before->on_use.push_back([](const at::Tensor& weight) { return weight * 100; });
  const ModulePtr copy = original->deep_copy();
  const ParameterPtr after = copy->parameter("weight");
  EXPECT_NE(after, before);
  EXPECT_EQ(after->placements, before->placements);
  EXPECT_EQ(after->full_shape, before->full_shape);
  EXPECT_TRUE(after->grouped);
  EXPECT_TRUE(after->tensor.is_leaf() && after->tensor.requires_grad());
  EXPECT_EQ(run(*copy, 1), 1000);
}

TEST(DeepCopy, HasOneParameterWhereTheOriginalHasOne) {
  const auto original = scales(2, 5);
  original->child("next")->set_parameter("weight", original->parameter("weight"));
  const ModulePtr copy = original->deep_copy();
  EXPECT_EQ(copy->child("next")->parameter("weight"), copy->parameter("weight"));
  EXPECT_NE(copy->parameter("weight"), original->parameter("weight"));
  EXPECT_EQ(run(*copy, 1), 4);
}

// Also of a part of a model: what is copied is a root.
TEST(DeepCopy, HasPathsOfItsOwn) {
  auto whole = std::make_shared<AddOne>();
  whole->set_child("block", scales(2, 5));
  const ModulePtr copy = whole->child("block")->deep_copy();
  whole.reset();
  EXPECT_EQ(copy->path(), "");
  EXPECT_EQ(copy->child("next")->path(), "next");
}

TEST(DeepCopy, SharesHooksWhichAreToldOfTheCopy) {
  const auto original = scales(2, 5);
  std::vector<const Module*> called;
  original->add_pre_hook([&](Module& module, Tensors inputs) {
    called.push_back(&module);
    return inputs;
  });
  next_of(original).add_post_hook(scale_output(3));
  const ModulePtr copy = original->deep_copy();
  EXPECT_EQ(run(*copy, 1), 30);
  EXPECT_THAT(called, testing::ElementsAre(copy.get()));
  original->add_post_hook(scale_output(1000));
  EXPECT_EQ(run(*copy, 1), 30) << "a hook that came later is the original's alone";
}

TEST(DeepCopy, LeavesAReplacedBodyOutOrKeepsIt) {
  const BodyReplacement negated = [](const Body&) { return [](const Tensors& inputs) { return -inputs[0]; }; };
  const auto dropped = scales(2, 5), kept = scales(2, 5);
  dropped->replace_body(negated);
  kept->replace_body(negated, InCopies::kept);
  EXPECT_EQ(run(*dropped, 1), -1);
  EXPECT_EQ(run(*dropped->deep_copy(), 1), 10);
  EXPECT_EQ(run(*kept->deep_copy(), 1), -1);
  EXPECT_EQ(run(*kept->deep_copy()->deep_copy(), 1), -1);
}

std::string refusal_of_copy(const Module& module) {
  try {
    module.deep_copy();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(DeepCopy, IsRefusedForAModuleAndForThoseAboveIt) {
  const auto original = scales(2, 5);
  EXPECT_EQ(refusal_of_copy(*original), "");
  next_of(original).refuses_copy = "it is taken";
  EXPECT_EQ(refusal_of_copy(next_of(original)), "it is taken");
  EXPECT_EQ(refusal_of_copy(*original), "it is taken");
  original->set_child("next", std::make_shared<AddOne>());
  EXPECT_EQ(refusal_of_copy(*original), "a module of the type AddOne cannot be copied");
}

}  // namespace
}  // namespace ordercheck::ranks
