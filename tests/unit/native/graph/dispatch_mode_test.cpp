#include "native/graph/dispatch_mode.h"

#include <optional>
#include <thread>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordercheck::ranks {
namespace {

class Recorder final : public DispatchMode {
 public:
  explicit Recorder(std::vector<std::string>& names) : names_(names) {}
  void call(const c10::OperatorHandle& op, torch::jit::Stack& stack) override {
    names_.push_back(op.operator_name().name);
    op.callBoxed(&stack);
  }

 private:
  std::vector<std::string>& names_;
};

TEST(DispatchMode, SeesForwardAndBackward) {
  std::vector<std::string> names;
  at::Tensor x = at::ones({2}).set_requires_grad(true);
  {
    const DispatchModeScope scope(new Recorder(names));
    x.exp().sum().backward();
  }
  x.exp();  // not seen
  EXPECT_THAT(names, testing::IsSupersetOf({"aten::exp", "aten::sum", "aten::mul"}));
  EXPECT_EQ(std::count(names.begin(), names.end(), "aten::exp"), 1);
}

TEST(DispatchMode, TheInnermostIsAskedFirstAndPassesOn) {
  std::vector<std::string> outer, inner;
  const at::Tensor x = at::ones({2});
  {
    const DispatchModeScope outside(new Recorder(outer));
    const DispatchModeScope inside(new Recorder(inner));
    x.exp();
  }
  EXPECT_EQ(outer, std::vector<std::string>{"aten::exp"});
  EXPECT_EQ(inner, outer);
}

TEST(DispatchMode, MayBeHidden) {
  std::vector<std::string> names;
  const at::Tensor x = at::ones({2});
  const DispatchModeScope scope(new Recorder(names));
  {
    const WithoutDispatchModes hidden;
    x.exp();
  }
  x.log();
  EXPECT_EQ(names, std::vector<std::string>{"aten::log"});
}

class Instrument final : public DispatchMode {
 public:
  explicit Instrument(std::vector<std::string>& names) : names_(names) {}
  void call(const c10::OperatorHandle& op, torch::jit::Stack& stack) override {
    names_.push_back(op.operator_name().name);
    op.callBoxed(&stack);
  }
  bool is_instrument() const override { return true; }

 private:
  std::vector<std::string>& names_;
};

TEST(DispatchMode, AllButInstrumentsMayBeHidden) {
  std::vector<std::string> outer, first, inner, second;
  const at::Tensor x = at::ones({2});
  {
    const DispatchModeScope a(new Recorder(outer)), b(new Instrument(first)), c(new Recorder(inner)), d(new Instrument(second));
    {
      const OnlyInstruments opaque;
      x.exp();
      const OnlyInstruments again;
      x.sin();
    }
    x.log();
  }
  EXPECT_EQ(outer, std::vector<std::string>{"aten::log"});
  EXPECT_EQ(inner, outer);
  EXPECT_EQ(first, (std::vector<std::string>{"aten::exp", "aten::sin", "aten::log"}));
  EXPECT_EQ(second, first);
  x.exp();
  EXPECT_EQ(first.size(), 3u) << "none is left on the stack";
}

TEST(GraphBreak, IsThrownWhileThisThreadRecordsOnly) {
  EXPECT_NO_THROW(break_graph("nobody records"));
  const RecordingScope recording;
  EXPECT_TRUE(is_recording());
  try {
    break_graph("a storage is resized");
    FAIL() << "nothing was thrown";
  } catch (const GraphBreak& reason) {
    EXPECT_STREQ(reason.what(), "a storage is resized");
  }
  std::optional<bool> elsewhere;
  std::thread([&] { elsewhere = is_recording(); }).join();
  EXPECT_EQ(elsewhere, false);
}

TEST(GraphBreak, RecordingsNest) {
  {
    const RecordingScope outer;
    {
      const RecordingScope inner;
    }
    EXPECT_TRUE(is_recording());
  }
  EXPECT_FALSE(is_recording());
}

}  // namespace
}  // namespace ordercheck::ranks
