#include "native/transform/captured_body.h"

#include "native/graph/dispatch_mode.h"
#include "native/graph/saved_tensors.h"
#include "unit/native/graph/both_ways.h"

namespace ordercheck::ranks {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Forward = std::function<at::Tensor(const Tensors&, const at::Tensor& weight)>;

// One weight, and a forward that counts how often it runs.
class Layer final : public Module {
 public:
  explicit Layer(Forward forward) : Module("Layer"), forward_(std::move(forward)) { set_weight(1); }
  void set_weight(int seed) { set_parameter("weight", make_parameter(numbers({4, 4}, seed), {4, 4}, {})); }
  int runs = 0;

 protected:
  at::Tensor forward(const Tensors& inputs) override {
    ++runs;
    return forward_(inputs, use("weight"));
  }

 private:
  Forward forward_;
};

at::Tensor product(const Tensors& in, const at::Tensor& w) { return in[0].mm(w).sigmoid(); }

// Counts products of the compiled scope and of graphs, as the meter of a step does.
class ProductCounter final : public DispatchMode {
 public:
  ProductCounter(const CompiledWork& work, std::vector<int>& counts) : work_(work), counts_(counts) {}
  void call(const c10::OperatorHandle& op, torch::jit::Stack& stack) override {
    if (op.operator_name().name == "aten::mm") ++counts_[0], counts_[1] += work_.in_scope(), counts_[2] += work_.in_graph();
    op.callBoxed(stack);
  }
  bool is_instrument() const override { return true; }

 private:
  const CompiledWork& work_;
  std::vector<int>& counts_;
};

// Calls its layers one after another, between them code that may be more than operators.
class Chain final : public Module {
 public:
  Chain(std::vector<ModulePtr> layers, std::function<void()> between, bool in_a_list)
      : Module("Chain"), between_(std::move(between)) {
    ModulePtr list = in_a_list ? std::make_shared<List>() : nullptr;
    if (list) set_child("layers", list);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      (list ? *list : static_cast<Module&>(*this)).set_child(std::to_string(i), layers[i]);
    }
    layers_ = std::move(layers);
  }

 protected:
  at::Tensor forward(const Tensors& inputs) override {
    at::Tensor x = inputs[0];
    for (const ModulePtr& layer : layers_) {
      x = layer->call({x});
      between_();
    }
    return x;
  }

 private:
  struct List final : Module {
    List() : Module("List") {}
    bool is_container() const override { return true; }
    at::Tensor forward(const Tensors&) override { throw std::logic_error("a list is never called"); }
  };
  std::vector<ModulePtr> layers_;
  std::function<void()> between_;
};

class CapturedBody : public testing::Test {
 protected:
  CapturedBody() : rank_(0, {}, nullptr, {}), scope_(rank_) { install_saved_tensor_hooks(); }
  std::int64_t captures() const { return rank_.counters.graph_captures; }

  static at::Tensor input(int seed = 3) { return variable(numbers({4, 4}, seed)); }
  static std::shared_ptr<Layer> captured(Forward forward) {
    auto layer = std::make_shared<Layer>(std::move(forward));
    capture_body(*layer, {});
    return layer;
  }

  RankState rank_;
  RankScope scope_;
};

TEST_F(CapturedBody, RunsOnceAndIsReplayedFromThenOn) {
  const auto layer = captured(product);
  Layer eager(product);
  for (const int seed : {3, 4, 5}) {
    const at::Tensor x = input(seed);
    EXPECT_TRUE(same_outcome(
        outcome_of([&](const Tensors& in) { return eager.call(in); }, {x}, {eager.parameter("weight")->tensor}),
        outcome_of([&](const Tensors& in) { return layer->call(in); }, {x}, {layer->parameter("weight")->tensor})));
  }
  EXPECT_EQ(layer->runs, 1);
  EXPECT_EQ(captures(), 1);
}

TEST_F(CapturedBody, ShowsItsGraph) {
  std::vector<std::string> shown;
  rank_.on_capture = [&](const GraphRecord& graph) {
    std::string operators;
    for (const GraphNodeRecord& node : graph.nodes) operators += node.op + "(";
    shown.push_back(operators);
  };
  const auto layer = captured(product);
  layer->call({input()});
  layer->call({input()});
  EXPECT_THAT(shown, ElementsAre(HasSubstr("aten::mm(")));
}

TEST_F(CapturedBody, ShowsItsGraphBeforeAndBehindEachPass) {
  std::vector<GraphRecord> stages;
  std::vector<std::string> run;
  rank_.on_pass = [&](const GraphRecord& graph) { stages.push_back(graph); };
  rank_.on_capture = [&](const GraphRecord& graph) { run = graph.passes; };
  const auto layer = captured(product);
  layer->call({input()});
  layer->call({input()});
  EXPECT_THAT(run, ElementsAre("dead_code", "common", "partition", "dead_code"));
  ASSERT_EQ(stages.size(), run.size() + 1);
  for (std::size_t i = 0; i < stages.size(); ++i)
    EXPECT_EQ(stages[i].passes, std::vector<std::string>(run.begin(), run.begin() + static_cast<std::ptrdiff_t>(i)));
  EXPECT_TRUE(stages[0].saved.empty());
  EXPECT_FALSE(stages[3].saved.empty());
}

TEST_F(CapturedBody, AnotherKindOfInputIsCapturedOnce) {
  const auto layer = captured([](const Tensors& in, const at::Tensor& w) { return in[0].mm(w.to(in[0].scalar_type())); });
  const std::vector<at::Tensor> kinds{input(), variable(numbers({3, 4}, 3)),  // sizes
                                      variable(numbers({4, 4}, 3).t()),       // strides
                                      numbers({4, 4}, 3),                     // no gradient
                                      variable(numbers({4, 4}, 3, at::kFloat))};
  for (int round = 0; round < 2; ++round) {
    for (const at::Tensor& kind : kinds) {
      const at::Tensor y = layer->call({kind});
      EXPECT_EQ(y.sizes(), kind.sizes());
    }
  }
  EXPECT_EQ(captures(), 5);
  EXPECT_EQ(layer->runs, 5);
}

TEST_F(CapturedBody, AnotherParameterIsCaptured) {
  const auto layer = captured(product);
  const at::Tensor x = input();
  layer->call({x});
  layer->set_weight(2);
  const at::Tensor y = layer->call({x});
  EXPECT_EQ(captures(), 2);
  EXPECT_TRUE(same_bits(y, x.mm(numbers({4, 4}, 2)).sigmoid()));
  y.sum().backward();
  EXPECT_TRUE(layer->parameter("weight")->tensor.grad().defined());
}

TEST_F(CapturedBody, AParameterThatBecomesTrainableIsCapturedAgain) {
  const auto layer = captured(product);
  layer->parameter("weight")->tensor.set_requires_grad(false);
  layer->call({input()});
  layer->parameter("weight")->tensor.set_requires_grad(true);
  layer->call({input()}).sum().backward();
  EXPECT_TRUE(layer->parameter("weight")->tensor.grad().defined());
  EXPECT_EQ(captures(), 2);
}

// As torch.compile does: the forward of a reentrant checkpoint runs so.
TEST_F(CapturedBody, IsReplayedWithoutGradientsToo) {
  const auto layer = captured(product);
  const at::Tensor eager = product({input()}, layer->parameter("weight")->tensor);
  const at::NoGradGuard no_grad;
  layer->call({input()});
  const at::Tensor replayed = layer->call({input()});
  EXPECT_TRUE(same_bits(replayed, eager));
  EXPECT_FALSE(replayed.requires_grad());
  EXPECT_EQ(captures(), 1);
}

TEST_F(CapturedBody, HooksStayOutside) {
  const auto layer = captured(product);
  int before = 0, after = 0;
  layer->add_pre_hook([&](Module&, Tensors inputs) {
    EXPECT_FALSE(is_recording());
    ++before;
    return inputs;
  });
  layer->add_post_hook([&](Module&, const Tensors&, at::Tensor output) {
    EXPECT_FALSE(is_recording());
    ++after;
    return output;
  });
  for (int i = 0; i < 3; ++i) layer->call({input()});
  EXPECT_EQ(before, 3);
  EXPECT_EQ(after, 3);
}

class Broken : public CapturedBody, public testing::WithParamInterface<bool> {};

TEST_P(Broken, FallsBackToItsChildrenAndSaysSoOnce) {
  const auto first = std::make_shared<Layer>(product), second = std::make_shared<Layer>(product);
  int effects = 0;
  Chain chain({first, second}, [&] { break_graph("a counter is kept"), ++effects; }, GetParam());
  capture_body(chain, {});
  const at::Tensor x = input();
  for (int call = 0; call < 3; ++call) {
    const at::Tensor y = chain.call({x});
    const at::Tensor w = numbers({4, 4}, 1);
    EXPECT_TRUE(same_bits(y, x.mm(w).sigmoid().mm(w).sigmoid()));
  }
  EXPECT_EQ(effects, 6) << "none in the capture that was given up";
  EXPECT_EQ(captures(), 2);
  EXPECT_EQ(rank_.counters.graph_breaks, 1);
  EXPECT_THAT(rank_.notes, ElementsAre("compile: graph break in the model: a counter is kept"));
  EXPECT_EQ(first->runs, 2) << "in the capture that was given up, and in its own";
  EXPECT_EQ(second->runs, 1);
}

INSTANTIATE_TEST_SUITE_P(ChildrenInAList, Broken, testing::Bool());

TEST_F(CapturedBody, AChildThatBreaksTooGoesOnEagerly) {
  const auto bad = std::make_shared<Layer>(
      [](const Tensors& in, const at::Tensor& w) { return product(in, w) * in[0].sum().item<double>(); });
  const auto good = std::make_shared<Layer>(product);
  Chain chain({good, bad}, [] {}, false);
  capture_body(chain, {});
  for (int call = 0; call < 2; ++call) chain.call({input()});
  EXPECT_EQ(captures(), 1);
  EXPECT_EQ(rank_.counters.graph_breaks, 2);
  EXPECT_THAT(rank_.notes, ElementsAre(HasSubstr("graph break in the model: aten::_local_scalar_dense reads a value"),
                                       HasSubstr("graph break in 1: aten::_local_scalar_dense reads a value")));
}

TEST_F(CapturedBody, AFullGraphThatBreaksIsRefusedWithRegionAndReason) {
  const auto layer = std::make_shared<Layer>([](const Tensors& in, const at::Tensor& w) {
    break_graph("a reducer is made ready");
    return product(in, w);
  });
  Chain chain({layer}, [] {}, true);
  capture_body(*layer, {.full_graph = true});
  try {
    chain.call({input()});
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "compile:fullgraph met a graph break in layers.0: a reducer is made ready");
  }
  EXPECT_EQ(rank_.counters.graph_breaks, 0);
  EXPECT_FALSE(rank_.in_dry_run());
}

// Of every layer one product forward and two backward; `outside` is nobody's scope.
TEST_F(CapturedBody, ProductsOfTheScopeAreToldForwardAndBackward) {
  const auto bad = std::make_shared<Layer>(
      [](const Tensors& in, const at::Tensor& w) { return product(in, w) * in[0].sum().item<double>(); });
  const auto good = std::make_shared<Layer>(product);
  Layer outside(product);
  Chain chain({good, bad}, [] {}, false);
  capture_body(chain, {});
  outside.call({chain.call({input()})}).sum().backward();  // captures
  rank_.compiled.forget_nodes();
  std::vector<int> counts(3);
  {
    const DispatchModeScope counting(new ProductCounter(rank_.compiled, counts));
    outside.call({chain.call({input()})}).sum().backward();
  }
  EXPECT_THAT(counts, ElementsAre(9, 6, 3)) << "all, of the scope, of graphs";
}

// The region's own exception is nobody's graph break.
TEST_F(CapturedBody, AnExceptionOfTheRegionIsPassedOn) {
  const auto layer = captured([](const Tensors&, const at::Tensor&) -> at::Tensor { throw std::length_error("too long"); });
  EXPECT_THROW(layer->call({input()}), std::length_error);
  EXPECT_EQ(rank_.counters.graph_breaks, 0);
  EXPECT_EQ(captures(), 0);
}

TEST_F(CapturedBody, WithinAnotherCaptureItIsPartOfThat) {
  const auto layer = captured(product);
  Chain chain({layer, layer}, [] {}, false);
  std::vector<std::string> shown;
  rank_.on_capture = [&](const GraphRecord& graph) {
    std::string operators;
    for (const GraphNodeRecord& node : graph.nodes) operators += node.op + "(";
    shown.push_back(operators);
  };
  capture_body(chain, {.full_graph = true});
  const at::Tensor x = input(), w = numbers({4, 4}, 1);
  const at::Tensor y = chain.call({x});
  EXPECT_TRUE(same_bits(y, x.mm(w).sigmoid().mm(w).sigmoid()));
  EXPECT_EQ(captures(), 1);
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_THAT(shown[0], HasSubstr("aten::mm("));
  const std::size_t first = shown[0].find("aten::sigmoid");
  EXPECT_NE(shown[0].find("aten::sigmoid", first + 1), std::string::npos) << "both calls\n" << shown[0];
}

}  // namespace
}  // namespace ordercheck::ranks
